//! The parameters of methods: their names, types, ranges and defaults, and values held against them.

use crate::error::Error;
use crate::settings::Value;

/// One parameter of a method.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name; the command's flag is `--name`.
    pub name: &'static str,
    /// Type and range.
    pub kind: Kind,
    /// Words that it takes beside: `auto`, chosen from the evidence; `none`, without it.
    pub or: &'static [&'static str],
    /// The default.
    pub default: Value,
    /// What it does.
    pub doc: &'static str,
}

/// Type and range of a parameter.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A whole number from `min` to `max`.
    Count {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// A number from `min` to `max`.
    Number {
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// One of some words.
    Choice(&'static [&'static str]),
    /// Yes or no.
    Flag,
}

impl Kind {
    /// Any finite number above 0.
    pub(crate) const POSITIVE: Kind = Kind::Number { min: f64::MIN_POSITIVE, max: f64::MAX };
    /// What a broken row costs: above 0, and such that it may be added up and multiplied by squares.
    pub(crate) const PRICE: Kind = Kind::Number { min: f64::MIN_POSITIVE, max: 1e100 };

    /// The range in words.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Kind::Count { min, max: u64::MAX } => format!("a whole number, {min} or more"),
            Kind::Count { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Number { min: f64::MIN_POSITIVE, max: f64::MAX } => "a number above 0".into(),
            Kind::Number { min: f64::MIN_POSITIVE, max } => format!("a number above 0, {max:e} at most"),
            Kind::Number { min, max: f64::MAX } => format!("a number, {min} or more"),
            Kind::Number { min, max } => format!("a number from {min} to {max}"),
            Kind::Choice(words) => words.join(" | "),
            Kind::Flag => "yes | no".into(),
        }
    }
    /// The value as this kind holds it, if it is in range; a whole number is a number.
    pub(super) fn checked(&self, value: &Value) -> Option<Value> {
        match (*self, value) {
            (Kind::Count { min, max }, Value::Count(v)) => (min..=max).contains(v).then_some(Value::Count(*v)),
            (Kind::Number { min, max }, _) => value.number().filter(|v| (min..=max).contains(v)).map(Value::Number),
            (Kind::Choice(words), _) => {
                let word = value.word()?;
                words.iter().find(|w| **w == word).map(|w| Value::of_word(w))
            }
            (Kind::Flag, Value::Flag(yes)) => Some(Value::Flag(*yes)),
            _ => None,
        }
    }
    /// What was typed as this kind would hold it, in range or not.
    pub(super) fn typed(&self, text: &str) -> Option<Value> {
        match self {
            Kind::Count { .. } => text.parse().ok().map(Value::Count),
            Kind::Number { .. } => text.parse().ok().map(Value::Number),
            Kind::Choice(_) => None,
            Kind::Flag => {
                [("yes", true), ("no", false)].into_iter().find(|(w, _)| *w == text).map(|f| Value::Flag(f.1))
            }
        }
    }
}

impl Parameter {
    /// What it takes, in words.
    #[must_use]
    pub fn expected(&self) -> String {
        self.or.iter().map(|w| (*w).to_owned()).chain([self.kind.expected()]).collect::<Vec<_>>().join(" | ")
    }
    /// The value as the method takes it.
    pub(super) fn checked(&self, value: &Value) -> Option<Value> {
        let word = value.word().and_then(|word| self.or.iter().find(|w| **w == word));
        word.map(|w| Value::of_word(w)).or_else(|| self.kind.checked(value))
    }
    pub(super) fn refusal(&self, value: impl ToString) -> Error {
        Error::Parameter { name: self.name.into(), value: value.to_string(), expected: self.expected() }
    }
}
