//! What a check tells about judgements, as plain data.

use serde::{Deserialize, Serialize};

use crate::evidence::Task;
use crate::report::Panel;

/// What judgements say before any geometry: how many, which contradict which, what follows from the rest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OfJudgements {
    /// What was asked, where the answers come from trials.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub task: Option<Task>,
    /// Distinct questions among the usable rows.
    pub queries: usize,
    /// Questions asked more than once.
    pub repeated: usize,
    /// Questions with more than one answer.
    pub contradictory: usize,
    /// Answers on the losing side.
    pub minority: usize,
    /// Questions without a most frequent answer.
    #[serde(default)]
    pub tied: usize,
    /// Rows that repeat an object.
    #[serde(rename = "self")]
    pub selves: usize,
    /// Those, and rows marked as checks.
    pub checks: usize,
    /// How many comparisons the usable rows make.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub comparisons: Option<usize>,
    /// Ordered pairs said to be alike.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub similar: Option<usize>,
    /// Ordered pairs said not to be alike.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dissimilar: Option<usize>,
    /// How many answers are of each grade, the most alike first, where pairs are in grades.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub grades: Option<Vec<usize>>,
    /// Pairs said not to be alike although a chain of alike pairs joins them: no grouping can honour both.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub broken_chains: Option<usize>,
    /// The questions that divide people most.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub contradictions: Vec<Contradiction>,
    /// Where the majority goes round in a circle.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cycles: Option<Cycles>,
    /// Three objects whose three questions are all answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub triads: Option<TriadCount>,
    /// What each way to a consistent set would drop.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub repair: Option<RepairCost>,
    /// Comparisons of the consistent set that follow from others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub implied: Option<usize>,
    /// The consistent set as an order of pairs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub order: Option<Order>,
    /// How many answers no map whatever can satisfy.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub noise: Option<Noise>,
    /// Whether there are enough for a map.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub enough: Option<Enough>,
    /// Who answered, and how they agree.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub panel: Option<Panel>,
}

/// A question that was answered both ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    /// What the majority says, or one side of a tie.
    pub says: String,
    /// Answers for it.
    pub yes: u32,
    /// Answers against it.
    pub no: u32,
    /// How likely a division as clear as this one is by chance: the exact two-sided sign test.
    pub p: f64,
}

/// Comparisons that go round in a circle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cycles {
    /// How many separate knots of pairs there are (strongly connected components).
    pub components: usize,
    /// How many comparisons lie in them.
    pub edges: usize,
    /// One shortest cycle, as the labels of its pairs; each pair is said to be nearer than the next, the last than the
    /// first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub shortest: Vec<[String; 2]>,
    /// The worst ones, spelled out.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub worst: Vec<Cycle>,
}

/// One cycle, spelled out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cycle {
    /// Pairs in its component.
    pub pairs: usize,
    /// The comparisons along a shortest cycle of it.
    pub way: Vec<Told>,
}

/// A comparison in words, and who said it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// The sentence.
    pub says: String,
    /// How many answers say so.
    pub answers: u32,
    /// The first who did.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub participants: Vec<String>,
}

/// Three objects i, j, k with an answer for each head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriadCount {
    /// How many there are.
    pub complete: usize,
    /// Those that go in a circle, `d(ij) < d(ik) < d(jk) < d(ij)`: no distances at all can satisfy them.
    pub cyclic: usize,
}

/// What each way to a consistent set would drop, in comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairCost {
    /// By majority vote: the losing side and ties. Every repair begins with it.
    pub vote: usize,
    /// Then everything inside a cycle's component (`--repair prune`).
    pub prune: usize,
    /// Or what closes a circle when comparisons are taken in random order (`--repair random`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub random: Option<usize>,
    /// Or the cheapest answers that break all circles (`--repair cheapest`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cheapest: Option<usize>,
}

/// The consistent set as a partial order of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Pairs that are compared at all.
    pub pairs: usize,
    /// Distinct comparisons between them, after the vote and the cheapest repair.
    pub comparisons: usize,
    /// Comparisons along the longest chain.
    pub length: u32,
    /// The same with their margins added up.
    pub diameter: f64,
}

/// How many answers no map can satisfy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// Proved: any map in any number of dimensions contradicts at least this share of the answers (by weight).
    pub floor: f64,
    /// Enough: dropping this share leaves a set that some map in `n - 1` dimensions satisfies entirely.
    pub enough: f64,
}

/// A rule of thumb for the number of judgements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Enough {
    /// For a map of this many dimensions.
    pub dim: usize,
    /// Distinct questions that were answered.
    pub answered: usize,
    /// Questions wanted by the rule.
    pub wanted: usize,
    /// The rule and its source.
    pub rule: String,
}

impl From<crate::graph::Triads> for TriadCount {
    fn from(t: crate::graph::Triads) -> Self {
        TriadCount { complete: t.complete, cyclic: t.cyclic }
    }
}

impl From<crate::graph::NoiseFloor> for Noise {
    fn from(floor: crate::graph::NoiseFloor) -> Self {
        Noise { floor: floor.lower_share(), enough: floor.upper_share() }
    }
}

/// How many answers are of each grade, in words.
#[must_use]
pub fn graded(counts: &[usize]) -> String {
    let each: Vec<String> = counts.iter().enumerate().map(|(k, count)| format!("{count} of grade {}", k + 1)).collect();
    format!("{} (grade 1 is the most alike)", each.join(", "))
}
