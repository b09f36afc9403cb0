//! How steady a map is, summed up: where its objects lie when it is made again, or by the curvature of its likelihood.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::geometry::Ellipse;
use crate::solve::Stop;

/// What was varied from replicate to replicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StabilityKind {
    /// One object was left out at a time.
    Jackknife,
    /// The sources (participants) of the measurements were drawn anew, with replacement.
    Sources,
    /// The people behind the judgements were drawn anew, with replacement.
    People,
    /// The answers were drawn anew, with replacement.
    Answers,
    /// The residuals of the map were drawn anew and added to its distances.
    Residuals,
    /// Nothing: the curvature of the likelihood is told.
    Laplace,
}

impl fmt::Display for StabilityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StabilityKind::Jackknife => "jackknife over objects",
            StabilityKind::Sources => "bootstrap over sources",
            StabilityKind::People => "bootstrap over people",
            StabilityKind::Answers => "bootstrap over answers",
            StabilityKind::Residuals => "bootstrap of residuals",
            StabilityKind::Laplace => "curvature of the likelihood",
        })
    }
}

/// Where the objects lie when the map is made again and again, summed up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StabilitySummary {
    /// What was varied.
    pub kind: StabilityKind,
    /// How many replicates there are.
    pub replicates: usize,
    /// How alike they are; 1 when they are the same.
    pub stability: f64,
    /// How well the map agrees with their mean.
    pub cross_validity: f64,
    /// How far they scatter about the map; 0 when they do not.
    pub dispersion: f64,
    /// The middle 95 % of their stress-1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stress1: Option<[f64; 2]>,
    /// The spread of each object.
    pub per_object: Vec<ObjectSpread>,
    /// Fits that failed and were left out.
    pub failed: usize,
    /// Why it ended.
    pub stop: Stop,
    /// How probable it is that a new answer is the one that the map says, by the curvature of the likelihood.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expected_accuracy: Option<f64>,
    /// Objects whose place the answers leave as wide open as the map.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub undetermined: Vec<String>,
    /// By curvature: whether all places were let loose together, or each by itself, which makes them look too sure.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub together: Option<bool>,
}

/// How far an object moves from replicate to replicate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectSpread {
    /// The object.
    pub label: String,
    /// Root mean square distance from its place on the map.
    pub spread: f64,
    /// The 95 % ellipse along the first two axes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ellipse: Option<Ellipse>,
}
