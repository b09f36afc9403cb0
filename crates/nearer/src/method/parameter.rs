//! The parameters of methods: their names, types, ranges and defaults, and values held against them.

use std::ops::RangeInclusive;

use crate::error::Error;
use crate::settings::{Value, Worded};

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

/// As a method's row says them: `Parameter::count("starts", 1..=100, 10).says("random maps to descend from")`.
impl Parameter {
    /// A whole number.
    pub(crate) const fn count(name: &'static str, range: RangeInclusive<u64>, default: u64) -> Self {
        let kind = Kind::Count { min: *range.start(), max: *range.end() };
        Parameter { name, kind, or: &[], default: Value::Count(default), doc: "" }
    }
    /// A number.
    pub(crate) const fn number(name: &'static str, kind: Kind, default: f64) -> Self {
        Parameter { name, kind, or: &[], default: Value::Number(default), doc: "" }
    }
    /// A word of a type.
    pub(crate) const fn choice<T: Worded>(name: &'static str, default: &'static str) -> Self {
        Parameter { name, kind: Kind::Choice(T::WORDS), or: &[], default: Value::of_word(default), doc: "" }
    }
    /// Yes or no.
    pub(crate) const fn flag(name: &'static str, default: bool) -> Self {
        Parameter { name, kind: Kind::Flag, or: &[], default: Value::Flag(default), doc: "" }
    }
    /// Chosen from the evidence, unless it is given.
    pub(crate) const fn auto(name: &'static str, kind: Kind) -> Self {
        Parameter { name, kind, or: &["auto"], default: Value::Auto, doc: "" }
    }
    /// Left out, unless it is given.
    pub(crate) const fn none(name: &'static str, kind: Kind) -> Self {
        Parameter { name, kind, or: &["none"], default: Value::None, doc: "" }
    }
    /// These words too.
    pub(crate) const fn or(mut self, words: &'static [&'static str]) -> Self {
        self.or = words;
        self
    }
    /// What it does.
    pub(crate) const fn says(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

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
