//! What was taken out of a graph, and why: nothing is lost without a word.

use crate::evidence::in_words;
use crate::object::{Objects, Pair};

/// An edge that is no longer in the graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropped {
    /// The pair that was said to be nearer.
    pub near: Pair,
    /// The pair that was said to be farther apart.
    pub far: Pair,
    /// The weights of the answers, added up.
    pub weight: f64,
    /// The largest margin among the answers.
    pub margin: f64,
    /// How many answers said so.
    pub answers: u32,
    /// The reason.
    pub why: Why,
}

/// Why an edge was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Why {
    /// The opposite answer weighs more.
    Minority,
    /// The opposite answer weighs the same.
    Tie,
    /// The majority could be chance at the chosen level.
    NotSignificant,
    /// It goes in a circle with others that were kept, or for [`Repair::Prune`](crate::graph::Repair::Prune) with any.
    Cycle,
    /// It follows from others that were kept, with at least its margin.
    Implied,
}

impl Dropped {
    /// As a sentence.
    #[must_use]
    pub fn in_words(&self, objects: &Objects) -> String {
        in_words(objects, self.near, self.far)
    }
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Why::Minority => "minority",
            Why::Tie => "tie",
            Why::NotSignificant => "not-significant",
            Why::Cycle => "cycle",
            Why::Implied => "implied",
        })
    }
}
