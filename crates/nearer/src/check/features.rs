//! Features: how many columns, which of them say nothing, and which objects are the same.

use serde::{Deserialize, Serialize};

use crate::check::{CheckReport, Found, LISTED};
use crate::evidence::{Features, Part};

/// What is in a table of features.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OfFeatures {
    /// How many features each object has.
    pub columns: usize,
    /// How many of them have one value throughout.
    pub constant: usize,
    /// The first of those by name.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub constant_columns: Vec<String>,
    /// Objects whose features are all those of an earlier object.
    pub duplicates: usize,
    /// The first such object, and the earlier one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duplicate: Option<[String; 2]>,
}

pub(super) fn of_features(features: &Features, memory: Option<u64>) -> CheckReport {
    let (n, columns) = (features.len(), features.columns());
    let constant = features.constant_columns();
    let duplicates = features.duplicates();
    let label = |i: usize| features.objects().labels()[i].clone();
    let found = OfFeatures {
        columns: columns.len(),
        constant: constant.len(),
        constant_columns: constant.iter().take(LISTED).map(|&j| columns[j].clone()).collect(),
        duplicates: duplicates.len(),
        duplicate: duplicates.first().map(|&(i, first)| [label(i), label(first)]),
    };
    let all_constant = constant.len() == columns.len();
    let mut report = CheckReport::new(Part::Features, features.into(), n, Found::Features(Box::new(found)), memory);
    if all_constant {
        report.warnings.push("every column has one value throughout: nothing tells the objects apart".into());
    }
    report
}
