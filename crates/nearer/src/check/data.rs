//! What a check tells, as plain data.

use serde::{Deserialize, Serialize};

use crate::check::distances::OfDistances;
use crate::check::features::OfFeatures;
use crate::check::judgements::OfJudgements;
use crate::check::tree::OfTaxonomy;
use crate::evidence::Part;

/// What is in the evidence. A key without meaning for the evidence is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckReport {
    /// The kind of evidence.
    pub kind: Part,
    /// How many objects.
    pub objects: usize,
    /// How many measurements or answers (for rows of distances and for sorts: how many rows).
    pub rows: usize,
    /// Objects about which nothing is known.
    pub unseen: usize,
    /// The first of them by name.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unseen_labels: Vec<String>,
    /// What only evidence of this kind has.
    #[serde(flatten)]
    pub found: Found,
    /// Groups of objects with nothing known between them, the largest first; absent where all hang together.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub groups: Vec<Group>,
    /// What each method would need.
    pub methods: Vec<Cost>,
    /// The method to begin with, and why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suggested: Option<Suggestion>,
    /// What needs care before a map is believed.
    pub warnings: Vec<String>,
}

/// What only evidence of one kind has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Found {
    /// Distances, or rows of them.
    Distances(Box<OfDistances>),
    /// Answers: pairs, comparisons, sorts.
    Judgements(Box<OfJudgements>),
    /// A tree.
    Taxonomy(OfTaxonomy),
    /// A table of features.
    Features(Box<OfFeatures>),
}

/// Objects that hang together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// How many.
    pub objects: usize,
    /// The first of them by name.
    pub first: Vec<String>,
}

/// What a method would need for this evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The method.
    pub method: String,
    /// Bytes, the evidence included.
    pub memory: u64,
    /// Whether that may be used, where a limit is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fits: Option<bool>,
    /// How time and memory grow.
    pub cost: String,
    /// About how many seconds it takes, where that is worth a word: an order of magnitude.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seconds: Option<f64>,
}

/// A method, and why this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The method.
    pub method: String,
    /// The reason, in words.
    pub why: String,
}

/// What several parts of a study, given together, allow.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Together {
    /// What is known.
    pub parts: Vec<Part>,
    /// How many objects, whatever is known of them.
    pub objects: usize,
    /// What each method would need that takes parts together.
    pub methods: Vec<Cost>,
    /// The method to begin with, and why.
    pub suggested: Suggestion,
}
