//! A function of one number that a person writes down: `1 - s^2`, `log(1 + d)`, `exp(-s / 3)`.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// Steps that a formula may have.
const MOST: usize = 24;

/// A formula of one number, called `s` (a similarity) or `d` (a distance): `+ - * / ^`, brackets, `sqrt`, `log` (natural),
/// `log2`, `log10`, `exp` and `abs`.
///
/// ```
/// use nearer::evidence::Formula;
/// # fn main() -> Result<(), nearer::Error> {
/// let f: Formula = "log(1 + d/2)".parse()?;
/// assert_eq!(f.at(4.0), 3f64.ln());
/// assert_eq!(f.to_string(), "log(1 + d / 2)");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Formula {
    steps: [Step; MOST],
    len: usize,
    variable: char,
}

/// A step of a machine with a stack.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Number(f64),
    Variable,
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Call(Function),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Function {
    Sqrt,
    Log,
    Log2,
    Log10,
    Exp,
    Abs,
}

const FUNCTIONS: [(&str, Function); 7] = [
    ("sqrt", Function::Sqrt),
    ("log", Function::Log),
    ("ln", Function::Log),
    ("log2", Function::Log2),
    ("log10", Function::Log10),
    ("exp", Function::Exp),
    ("abs", Function::Abs),
];

impl Function {
    fn at(self, x: f64) -> f64 {
        match self {
            Function::Sqrt => x.sqrt(),
            Function::Log => x.ln(),
            Function::Log2 => x.log2(),
            Function::Log10 => x.log10(),
            Function::Exp => x.exp(),
            Function::Abs => x.abs(),
        }
    }
}

impl Formula {
    /// Its value; what is not defined there is `NaN` or infinite.
    #[must_use]
    pub fn at(&self, x: f64) -> f64 {
        let (mut stack, mut top) = ([0.0; MOST], 0);
        for step in &self.steps[..self.len] {
            match *step {
                Step::Number(v) => (stack[top], top) = (v, top + 1),
                Step::Variable => (stack[top], top) = (x, top + 1),
                Step::Negate => stack[top - 1] = -stack[top - 1],
                Step::Call(f) => stack[top - 1] = f.at(stack[top - 1]),
                two => {
                    let (a, b) = (stack[top - 2], stack[top - 1]);
                    top -= 1;
                    stack[top - 1] = match two {
                        Step::Add => a + b,
                        Step::Subtract => a - b,
                        Step::Multiply => a * b,
                        Step::Divide => a / b,
                        _ => a.powf(b),
                    };
                }
            }
        }
        stack[0]
    }
    /// What the number is called in it.
    #[must_use]
    pub fn variable(&self) -> char {
        self.variable
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Each part with how tightly it binds: sums 0, products 1, signs 2, powers 3, the rest 4.
        let mut stack: Vec<(String, u8)> = Vec::new();
        let closed = |(text, binds): (String, u8), least: u8| if binds < least { format!("({text})") } else { text };
        for step in &self.steps[..self.len] {
            let mut pop = || stack.pop().unwrap_or_default();
            let made = match *step {
                Step::Number(v) => (v.to_string(), 4),
                Step::Variable => (self.variable.to_string(), 4),
                Step::Negate => (format!("-{}", closed(pop(), 2)), 2),
                Step::Call(g) => {
                    let name = FUNCTIONS.iter().find(|(_, h)| *h == g).map_or("", |(name, _)| name);
                    (format!("{name}({})", pop().0), 4)
                }
                two => {
                    let (b, a) = (pop(), pop());
                    let (sign, binds, left, right) = match two {
                        Step::Add => (" + ", 0, 0, 1),
                        Step::Subtract => (" - ", 0, 0, 1),
                        Step::Multiply => (" * ", 1, 1, 2),
                        Step::Divide => (" / ", 1, 1, 2),
                        _ => ("^", 3, 4, 2),
                    };
                    (format!("{}{sign}{}", closed(a, left), closed(b, right)), binds)
                }
            };
            stack.push(made);
        }
        f.write_str(&stack.pop().unwrap_or_default().0)
    }
}

impl FromStr for Formula {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
        let mut reader = Reader { letters: &letters, at: 0, depth: 0, steps: Vec::new(), variable: None };
        let whole = reader.sum().and_then(|()| reader.end());
        let variable = whole.and_then(|()| reader.variable.ok_or_else(|| "it names neither s nor d".to_owned()));
        let variable = variable.map_err(|why| Error::Parameter {
            name: "formula".into(),
            value: format!("`{text}` ({why})"),
            expected:
                "a formula of s or d with + - * / ^, brackets, sqrt, log, log2, log10, exp and abs, as in log(1+d)"
                    .into(),
        })?;
        let mut steps = [Step::Variable; MOST];
        steps[..reader.steps.len()].copy_from_slice(&reader.steps);
        Ok(Formula { steps, len: reader.steps.len(), variable })
    }
}

/// Reads a formula from left to right; an error says what was in the way.
struct Reader<'a> {
    letters: &'a [char],
    at: usize,
    depth: usize,
    steps: Vec<Step>,
    variable: Option<char>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }
    fn takes(&mut self, c: char) -> bool {
        let there = self.peek() == Some(c);
        self.at += usize::from(there);
        there
    }
    fn push(&mut self, step: Step) -> Result<(), String> {
        if self.steps.len() == MOST {
            return Err(format!("it has more than {MOST} parts"));
        }
        self.steps.push(step);
        Ok(())
    }
    fn end(&self) -> Result<(), String> {
        self.peek().map_or(Ok(()), |c| Err(format!("`{c}` is not expected there")))
    }

    fn sum(&mut self) -> Result<(), String> {
        self.product()?;
        loop {
            let step = if self.takes('+') {
                Step::Add
            } else if self.takes('-') {
                Step::Subtract
            } else {
                return Ok(());
            };
            self.product()?;
            self.push(step)?;
        }
    }

    fn product(&mut self) -> Result<(), String> {
        self.signed()?;
        loop {
            let step = if self.takes('*') {
                Step::Multiply
            } else if self.takes('/') {
                Step::Divide
            } else {
                return Ok(());
            };
            self.signed()?;
            self.push(step)?;
        }
    }

    fn signed(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MOST {
            return Err("it is nested too deep".into());
        }
        let read = if self.takes('-') { self.signed().and_then(|()| self.push(Step::Negate)) } else { self.power() };
        self.depth -= 1;
        read
    }

    fn power(&mut self) -> Result<(), String> {
        self.part()?;
        if self.takes('^') {
            self.signed()?;
            self.push(Step::Power)?;
        }
        Ok(())
    }

    fn part(&mut self) -> Result<(), String> {
        let rest = &self.letters[self.at..];
        let word: String = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '.').collect();
        if self.takes('(') {
            self.sum()?;
            return if self.takes(')') { Ok(()) } else { Err("a bracket is not closed".into()) };
        }
        if word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            let digits: String = word.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            self.at += digits.len();
            let number = digits.parse::<f64>().ok().filter(|v| v.is_finite());
            return self.push(Step::Number(number.ok_or_else(|| format!("`{digits}` is not a number"))?));
        }
        self.at += word.chars().count();
        if word == "s" || word == "d" {
            let letter = if word == "s" { 's' } else { 'd' };
            if *self.variable.get_or_insert(letter) != letter {
                return Err("it names both s and d".into());
            }
            return self.push(Step::Variable);
        }
        let called = FUNCTIONS.iter().find(|(name, _)| *name == word).map(|(_, f)| *f);
        match (called, self.peek()) {
            (Some(f), Some('(')) => {
                self.part()?;
                self.push(Step::Call(f))
            }
            (Some(_), _) => Err(format!("`{word}` wants brackets behind it")),
            (None, _) if word.is_empty() => {
                Err(self.peek().map_or("it ends too early".into(), |c| format!("`{c}` is not expected there")))
            }
            (None, _) => Err(format!("`{word}` is not known")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_worked_out_as_in_a_school_book() {
        for (text, x, value) in [
            ("1-s", 0.25, 0.75),
            ("2-3-d", 1.0, -2.0),
            ("-d^2", 3.0, -9.0),
            ("2^-d", 2.0, 0.25),
            ("2^3^d", 2.0, 512.0),
            ("8/4/d", 2.0, 1.0),
            ("(1+d)*2", 3.0, 8.0),
            ("sqrt(2 * (1 - s))", 0.5, 1.0),
            ("log10(d)+log2(8)+abs(-1.5)+exp(0)", 100.0, 7.5),
        ] {
            let f: Formula = text.parse().unwrap();
            assert!((f.at(x) - value).abs() < 1e-12, "{text}: {}", f.at(x));
            assert_eq!(f.to_string().parse::<Formula>().unwrap(), f, "{text} reads {f}");
        }
    }

    #[test]
    fn what_is_no_formula_is_refused_with_what_is_in_the_way() {
        let nested = format!("{}d{}", "(".repeat(90), ")".repeat(90));
        let long = format!("d{}", "+d".repeat(40));
        for (text, why) in [
            ("", "ends too early"),
            ("3+4", "neither s nor d"),
            ("s+d", "both s and d"),
            ("sin(d)", "`sin` is not known"),
            ("sqrt d", "not known"),
            ("log", "wants brackets"),
            ("(1+d", "not closed"),
            ("d)", "`)` is not expected"),
            ("1..2*d", "`1..2` is not a number"),
            ("2d", "`d` is not expected"),
            (nested.as_str(), "nested too deep"),
            (long.as_str(), "more than 24 parts"),
        ] {
            let e = text.parse::<Formula>().unwrap_err().to_string();
            assert!(e.contains(why), "{text}: {e}");
        }
    }
}
