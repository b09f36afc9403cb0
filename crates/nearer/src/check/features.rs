//! Features: how many columns, which of them say nothing, and which objects are the same.

use serde::{Deserialize, Serialize};

use crate::check::{CheckReport, Found, IntrinsicDimension, LISTED, Suggestion, intrinsic_dimension};
use crate::evidence::{Features, Part};
use crate::graph::neighbours::{Among, Neighbourhood};
use crate::graph::{Rule, Search};
use crate::solve::Run;

/// What is in a table of features.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// In how many dimensions the objects vary, where there are enough of them to tell.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dimension: Option<IntrinsicDimension>,
}

/// Principal axes that carry this share of the variance leave little to unroll.
const LINEAR: f64 = 0.8;
/// Neighbours of the graph that must hang together before its ways are believed.
const NEIGHBOURS: usize = 10;
/// Above this many objects ways are followed from landmarks only.
const MANY: usize = 10_000;

/// The method to begin with: `pca`, or `isomap` where the features vary in few dimensions nearby, a linear map shows little
/// of it, and the neighbours hang together.
pub(super) fn suggested(
    features: &Features,
    found: Option<&IntrinsicDimension>,
    dim: usize,
    run: &Run<'_>,
) -> Suggestion {
    let linear = |why: String| Suggestion { method: "pca".into(), why };
    let axes = if dim == 1 { "the first principal axis carries".into() } else { format!("{dim} principal axes carry") };
    let Some(found) = found else {
        return linear("the objects are too few, or too much alike, to look for a bent sheet in their features".into());
    };
    let (share, near) = (100.0 * found.share(dim), found.typical());
    if share >= 100.0 * LINEAR {
        return linear(format!("{axes} {share:.0} % of the variance of the features"));
    }
    if near > dim as f64 + 1.0 {
        return linear(format!(
            "nearby the objects vary in about {near:.1} dimensions, more than a map of {dim} could unroll; {axes} {share:.0} % of the variance"
        ));
    }
    let search = if features.len() > MANY { Search::Approximate } else { Search::Exact };
    if Neighbourhood::of(Among::Features(features), &Rule::nearest(NEIGHBOURS).search(search), run.seed(), &|_, _| {
        Ok(())
    })
    .is_err()
    {
        return linear(format!(
            "nearby the objects vary in about {near:.1} dimensions, but {NEIGHBOURS} neighbours leave them in several parts; {axes} {share:.0} % of the variance"
        ));
    }
    let method = if features.len() > MANY { "landmark-isomap" } else { "isomap" };
    Suggestion {
        method: method.into(),
        why: format!(
            "nearby the objects vary in about {near:.1} dimensions, and {axes} only {share:.0} % of the variance: it follows the bent sheet from neighbour to neighbour"
        ),
    }
}

pub(super) fn of_features(features: &Features, run: &Run<'_>, memory: Option<u64>) -> CheckReport {
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
        dimension: intrinsic_dimension(features),
    };
    let suggested = suggested(features, found.dimension.as_ref(), 2, run);
    let all_constant = constant.len() == columns.len();
    let mut report = CheckReport::new(Part::Features, features.into(), n, Found::Features(Box::new(found)), memory);
    report.suggested = Some(suggested);
    if all_constant {
        report.warnings.push("every column has one value throughout: nothing tells the objects apart".into());
    }
    report
}
