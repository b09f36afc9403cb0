//! Sentences, once: what is said of a fit, a map or a proof, for whoever says it. The command prints them, the page shows
//! them, `--json` carries them where a reader wants words; so the same number never means two things.
//!
//! A sentence names what a figure is relative to, and gives no marks: whether a stress of 0.1 is good depends on how many
//! objects there are and in how many dimensions, and on what the reader wants from the map.

mod classes;
mod evaluation;
mod fit;
mod judgements;
mod lapses;
mod paper;
mod stop;
mod sureness;

pub use classes::classes;
pub use evaluation::{NEIGHBOURS_ONLY, evaluation, of_each as each_of_evaluation};
pub use fit::{fit, stress};
pub use judgements::{judgements, of_each as each_of_judgements};
pub use lapses::{kept, lapsed, lapses};
pub use paper::{MethodWords, counted, digits};
pub use stop::ended;
pub use sureness::sureness;

pub(crate) use evaluation::{kept_neighbours, spectrum};
pub(crate) use judgements::agreement;
pub(crate) use lapses::doubtful;
pub(crate) use paper::{certificate, cite, fit_facts, methods, said_of, times};

/// A name and what is to be said of it; what follows on a fact has no name of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The name, in lower case; empty where the fact belongs to the one before it.
    pub name: &'static str,
    /// The words.
    pub words: String,
}

impl Fact {
    fn new(name: &'static str, words: impl Into<String>) -> Fact {
        Fact { name, words: words.into() }
    }
}

/// Facts as two columns of text.
#[must_use]
pub fn in_columns(facts: &[Fact]) -> String {
    facts.iter().map(|f| format!("{:<17} {}\n", f.name, f.words)).collect()
}

/// A share as a percentage with one decimal.
fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
