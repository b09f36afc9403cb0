//! The table of methods: the one place from which the command's help, `nearer methods`, the README and the tests read.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::evidence::{Evidence, EvidenceKind};
use crate::fit::Fit;
use crate::model::Model;
use crate::solve::Run;

/// One method.
#[derive(Debug)]
pub struct Method {
    /// Its name, as `--method` takes it.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What it minimises or solves, as a formula.
    pub solves: &'static str,
    /// The evidence it takes.
    pub takes: &'static [EvidenceKind],
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// How it places new objects.
    pub places: &'static str,
    /// Time and memory.
    pub cost: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Bytes needed for `n` objects, the evidence included.
    pub memory: fn(n: u64) -> u64,
    pub(crate) fit: FitFn,
}

type FitFn = fn(&Settings, &Evidence, &Run<'_>) -> Result<Fit<Model>, Error>;

/// One parameter of a method.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name; the command's flag is `--name`.
    pub name: &'static str,
    /// Type and range.
    pub kind: Kind,
    /// The default, as it would be typed.
    pub default: &'static str,
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
}

impl Kind {
    /// The range in words.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Kind::Count { min, max: u64::MAX } => format!("a whole number, {min} or more"),
            Kind::Count { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Number { min, max } if max.is_infinite() => format!("a number, {min} or more"),
            Kind::Number { min, max } => format!("a number from {min} to {max}"),
            Kind::Choice(words) => words.join(" | "),
        }
    }
    fn accepts(&self, text: &str) -> bool {
        match *self {
            Kind::Count { min, max } => text.parse::<u64>().is_ok_and(|v| (min..=max).contains(&v)),
            Kind::Number { min, max } => text.parse::<f64>().is_ok_and(|v| min <= v && v <= max),
            Kind::Choice(words) => words.contains(&text),
        }
    }
}

/// Values for the parameters of a method: checked against its row of the table, defaults filled in.
#[derive(Debug, Clone)]
pub struct Settings(BTreeMap<&'static str, String>);

impl Settings {
    pub(crate) fn count(&self, name: &str) -> usize {
        self.text(name).parse().expect("checked against the table")
    }
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.text(name).parse().expect("checked against the table")
    }
    pub(crate) fn text(&self, name: &str) -> &str {
        &self.0[name]
    }
    /// The word of a choice as a value of its type; `words` is the same list the table has.
    pub(crate) fn choice<T: Copy>(&self, name: &str, words: &[(&'static str, T)]) -> T {
        let text = self.text(name);
        words.iter().find(|(word, _)| *word == text).expect("checked against the table").1
    }
}

impl Method {
    /// Checks given values against the table and fills in the defaults.
    pub fn settings<'a>(&self, given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Settings, Error> {
        let mut values: BTreeMap<&'static str, String> =
            self.parameters.iter().map(|p| (p.name, p.default.to_owned())).collect();
        for (name, text) in given {
            let Some(parameter) = self.parameters.iter().find(|p| p.name == name) else {
                return Err(Error::Parameter {
                    name: name.into(),
                    value: text.into(),
                    expected: format!(
                        "one of the parameters of {}: {}",
                        self.name,
                        self.parameters.iter().map(|p| p.name).collect::<Vec<_>>().join(", ")
                    ),
                });
            };
            if !parameter.kind.accepts(text) {
                return Err(Error::Parameter {
                    name: name.into(),
                    value: text.into(),
                    expected: parameter.kind.expected(),
                });
            }
            values.insert(parameter.name, text.to_owned());
        }
        Ok(Settings(values))
    }

    /// Fits evidence whose kind is only known at run time.
    pub fn fit(&self, settings: &Settings, evidence: &Evidence, run: &Run<'_>) -> Result<Fit<Model>, Error> {
        (self.fit)(settings, evidence, run)
    }

    pub(crate) fn wrong_evidence(&self, evidence: &Evidence) -> Error {
        Error::Evidence {
            what: format!("{} does not take {}", self.name, evidence.kind()),
            remedy: format!(
                "it takes {}; `nearer methods` lists what takes {}",
                self.takes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "),
                evidence.kind()
            ),
        }
    }
}

/// The method of that name.
pub fn find(name: &str) -> Result<&'static Method, Error> {
    METHODS.iter().copied().find(|m| m.name == name).ok_or_else(|| Error::Parameter {
        name: "method".into(),
        value: name.into(),
        expected: format!("one of {}", METHODS.iter().map(|m| m.name).collect::<Vec<_>>().join(", ")),
    })
}

/// Every method, in the order in which they are explained.
pub static METHODS: &[&Method] = &[
    &super::metric_mds::METHOD,
    &super::nonmetric_mds::METHOD,
    &super::classical_mds::METHOD,
    &super::constant_shift::METHOD,
    &super::nearest_edm::METHOD,
    &super::sstress::METHOD,
    &super::robust_mds::METHOD,
    &super::landmark_mds::METHOD,
    &super::metricmap::METHOD,
    &super::fastmap::METHOD,
    &super::mvu::METHOD,
    &super::naive_order::METHOD,
    &super::line::METHOD,
    &super::psde::METHOD,
    &super::gnmds::METHOD,
    &super::partial_order::METHOD,
    &super::kpsde::METHOD,
    &super::kernel_gnmds::METHOD,
    &super::kernel_partial_order::METHOD,
    &super::svm_metric::METHOD,
];
