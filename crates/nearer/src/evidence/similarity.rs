//! From similarities to distances, by a rule that is said and never guessed.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::evidence::formula::Formula;

/// How a similarity `s`, or any number in a file, becomes a distance.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one of a file, and a copy of it is nothing beside reading the file"
)]
pub enum Similarity {
    /// `c - s`, for a similarity whose largest possible value is `c`: `1-s`, `7-s`, `100-s`.
    From(f64),
    /// `max - s`, with the largest similarity in the file (the diagonal included).
    FromMax,
    /// `sqrt(1 - s)`, for similarities in 0..1 (Gower).
    SqrtOneMinus,
    /// `sqrt(s_ii + s_jj - 2 s_ij)`: the distance that belongs to an inner product, kernel or correlation.
    Gram,
    /// `-ln s`, for similarities that multiply, in (0, 1].
    MinusLog,
    /// A formula of `s`; or of `d`, for numbers that are distances and want to be others: `sqrt(d)`, `log(1 + d)`.
    Formula(Formula),
}

impl Similarity {
    /// The distance of a pair, from its similarity, the two self-similarities, and the largest similarity of all.
    #[must_use]
    pub fn distance(self, s: f64, s_ii: f64, s_jj: f64, max: f64) -> f64 {
        match self {
            Similarity::From(c) => c - s,
            Similarity::FromMax => max - s,
            Similarity::SqrtOneMinus => (1.0 - s).sqrt(),
            Similarity::Gram => {
                let d2 = s_ii + s_jj - 2.0 * s;
                // Rounding in the file may leave a tiny negative square where the objects are the same.
                if d2 < 0.0 && d2 > -1e-9 * (s_ii.abs() + s_jj.abs()) { 0.0 } else { d2.sqrt() }
            }
            Similarity::MinusLog => -s.ln(),
            Similarity::Formula(f) => f.at(s),
        }
    }
    /// What it does, as a sentence.
    pub(crate) fn said(self) -> String {
        match self {
            Similarity::Formula(f) if f.variable() == 'd' => format!("each distance d becomes {f}"),
            rule => format!("the numbers are similarities s; the distance is {rule}"),
        }
    }
    /// Whether the rule reads the diagonal.
    #[must_use]
    pub fn needs_diagonal(self) -> bool {
        self == Similarity::Gram
    }
}

impl fmt::Display for Similarity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Similarity::From(c) => write!(f, "{c}-s"),
            Similarity::FromMax => f.write_str("max-s"),
            Similarity::SqrtOneMinus => f.write_str("sqrt(1-s)"),
            Similarity::Gram => f.write_str("sqrt"),
            Similarity::MinusLog => f.write_str("-log(s)"),
            Similarity::Formula(formula) => formula.fmt(f),
        }
    }
}

impl FromStr for Similarity {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
        match plain.as_str() {
            "max-s" => Ok(Similarity::FromMax),
            "sqrt(1-s)" => Ok(Similarity::SqrtOneMinus),
            "sqrt" | "gram" => Ok(Similarity::Gram),
            "-log(s)" | "-log" | "-ln(s)" => Ok(Similarity::MinusLog),
            other => match other.strip_suffix("-s").map(str::parse::<f64>) {
                Some(Ok(c)) if c.is_finite() => Ok(Similarity::From(c)),
                _ => text.parse().map(Similarity::Formula).map_err(|e: Error| Error::Parameter {
                    name: "similarity".into(),
                    value: format!("`{text}`"),
                    expected: format!(
                        "1-s (or any number in place of 1), max-s, sqrt(1-s), sqrt (meaning sqrt(s_ii + s_jj - 2 s_ij)), -log(s), \
                         or a formula of s; {e}"
                    ),
                }),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_reads_its_own_name() {
        for rule in [
            Similarity::From(1.0),
            Similarity::From(7.5),
            Similarity::FromMax,
            Similarity::SqrtOneMinus,
            Similarity::Gram,
            Similarity::MinusLog,
            Similarity::Formula("log(1 + d)".parse().unwrap()),
        ] {
            assert_eq!(rule.to_string().parse::<Similarity>().unwrap(), rule);
        }
        assert!("half".parse::<Similarity>().unwrap_err().to_string().contains("`half`"));
    }

    #[test]
    fn a_correlation_of_one_is_distance_zero() {
        assert_eq!(Similarity::Gram.distance(1.0 + 1e-12, 1.0, 1.0, 1.0), 0.0);
        assert_eq!(Similarity::Gram.distance(0.0, 1.0, 1.0, 1.0), 2f64.sqrt());
    }
}
