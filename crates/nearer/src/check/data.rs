//! What a check tells, as plain data.

use serde::{Deserialize, Serialize};

use crate::evidence::EvidenceKind;

/// What is in the evidence. A key without meaning for the evidence is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckReport {
    /// The kind of evidence: `distances` or `rows`.
    pub kind: EvidenceKind,
    /// How many objects.
    pub objects: usize,
    /// How many measurements (for rows: how many rows).
    pub rows: usize,
    /// For rows: how many columns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub columns: Option<usize>,
    /// For rows: how many of the columns have a row of their own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub landmarks: Option<usize>,
    /// Pairs of objects (for rows: cells), known or not.
    pub pairs: usize,
    /// How many of them have no distance.
    pub missing: usize,
    /// How many are known only by a bound.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub censored: Option<usize>,
    /// Pairs measured more than once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub repeated: Option<usize>,
    /// Objects without a single distance.
    pub unseen: usize,
    /// The first of them by name.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unseen_labels: Vec<String>,
    /// Zero distances between different objects.
    pub zeros: usize,
    /// One such pair.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub zero: Option<[String; 2]>,
    /// The smallest distance above 0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub smallest: Option<Named>,
    /// The largest distance.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub largest: Option<Named>,
    /// Whether a detour is ever shorter than the direct way.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub triangles: Option<Triangles>,
    /// Whether points in some number of dimensions have exactly these distances.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub euclidean: Option<Euclidean>,
    /// Groups of objects with nothing measured between them, the largest first; absent where all hang together.
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

/// A distance with its two objects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// The objects.
    pub between: [String; 2],
    /// The distance.
    pub distance: f64,
}

/// The triangle inequality.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Triangles {
    /// How many triangles with three known sides were looked at.
    pub tried: u64,
    /// Whether these were all there are, or a sample.
    pub exact: bool,
    /// How many have a side longer than the other two together.
    pub violations: u64,
    /// The side that is longer by most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worst: Option<Detour>,
}

/// A direct way that is longer than a detour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detour {
    /// The two ends.
    pub between: [String; 2],
    /// Their distance.
    pub direct: f64,
    /// The object on the way.
    pub through: String,
    /// The sum of the two distances over it.
    pub detour: f64,
}

/// Whether the distances are Euclidean: no negative eigenvalue of the centred inner products.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Euclidean {
    /// Whether they are.
    pub holds: bool,
    /// How many eigenvalues are negative beyond rounding.
    pub negative: usize,
    /// The least eigenvalue over the largest.
    pub least_share: f64,
    /// How many dimensions carry 95 % of the positive part.
    pub dims95: usize,
}

/// Objects that hang together by known pairs.
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
}

/// A method, and why this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The method.
    pub method: String,
    /// The reason, in words.
    pub why: String,
}
