//! A taxonomy: how deep it is, and how many comparisons it makes.

use serde::{Deserialize, Serialize};

use crate::check::{CheckReport, Found};
use crate::evidence::{Part, Taxonomy};
use crate::method::cost::Size;

/// What is in a taxonomy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OfTaxonomy {
    /// Nodes, leaves and root included.
    pub nodes: usize,
    /// Edges from the root to the deepest leaf.
    pub height: u32,
    /// Triplets that follow from it: `i` is nearer to `j` than to `k` where a node holds `i` and `j` but not `k`.
    pub comparisons: u64,
}

pub(super) fn of_taxonomy(tree: &Taxonomy, memory: Option<u64>) -> CheckReport {
    let found = OfTaxonomy { nodes: tree.nodes(), height: tree.height(), comparisons: tree.triplets() };
    let n = tree.objects().len();
    let mut report = CheckReport::new(
        Part::Taxonomy,
        Size { objects: n, ..Size::default() },
        tree.nodes() - 1,
        Found::Taxonomy(found),
        memory,
    );
    if found.comparisons == 0 {
        report.warnings.push("all objects hang under one node: no comparison follows from this taxonomy".into());
    }
    report
}
