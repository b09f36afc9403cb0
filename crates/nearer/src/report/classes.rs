//! How a map fares with classes that are known: plain data for the command, the page and `--json`.

use serde::{Deserialize, Serialize};

/// A map held against the classes of its objects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClassEvaluation {
    /// Version of this structure.
    pub schema: u32,
    /// Objects of the map that have a class.
    pub objects: usize,
    /// Objects of the map that have none, and do not count.
    pub unclassed: usize,
    /// Dimensions of the map.
    pub dim: usize,
    /// The method, where it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub method: Option<String>,
    /// The classes, and how many objects each has.
    pub classes: Vec<(String, usize)>,
    /// How many neighbours vote.
    pub neighbours: usize,
    /// On the map.
    pub map: ClassFigures,
    /// On the features, where they are at hand.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub features: Option<ClassFigures>,
    /// Whether these were each brought to unit variance, as the metric was told to; else they are as they were given.
    #[serde(default)]
    pub unit_variance: bool,
    /// Learned without some objects, which were then placed and classed by their neighbours among the others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub held_out: Option<ClassHeldOut>,
    /// What a reader should know before believing it.
    pub warnings: Vec<String>,
}

/// How well classes can be told from coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClassFigures {
    /// The share of the objects that the vote of their neighbours classes wrongly, each left out of its own vote; ties go to the
    /// class that comes first.
    pub knn_error: f64,
    /// Between these it lies with 95 % confidence (Wilson), were the objects a sample.
    pub interval: (f64, f64),
    /// The adjusted Rand index of k-means, with as many groups as classes, against the classes.
    pub adjusted_rand: f64,
    /// The harmonic mean of precision and recall over pairs of objects that k-means puts together.
    pub pairwise_f: f64,
    /// The mean silhouette of the classes: from -1 to 1.
    pub silhouette: f64,
}

/// Objects held out fold by fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassHeldOut {
    /// The method that was fitted again.
    pub method: String,
    /// How many folds.
    pub folds: usize,
    /// The share of the held-out objects that their neighbours on the map class wrongly: mean over folds and its standard error.
    pub map: MeanError,
    /// The same by neighbours in the features.
    pub features: MeanError,
    /// The mean difference, map less features, and its standard error: the folds are the same.
    pub difference: MeanError,
    /// Fold by fold: on the map, in the features.
    pub each: Vec<(f64, f64)>,
}

/// A mean over folds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeanError {
    /// The mean.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
}

impl MeanError {
    /// The mean of some numbers.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        MeanError { mean, standard_error: if n > 1.0 { (square / (n - 1.0) / n).sqrt() } else { 0.0 } }
    }
}
