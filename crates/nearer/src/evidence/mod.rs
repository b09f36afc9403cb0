//! What is known about how alike the objects are.
//!
//! Each kind of evidence is its own type, and a method says by [`Embed`](crate::Embed) which it takes. [`Evidence`] is
//! their sum, for the edges of the library (the command, files) where the kind is only known when the file is read.

pub(crate) mod size;
mod distances;
mod measurements;
mod rows;
mod similarity;
mod pairs;
mod trials;
mod comparisons;
pub(crate) mod questions;
mod taxonomy;
mod sorts;
mod features;
mod kernel;
mod join;
mod convert;

pub(crate) use comparisons::in_words;
pub use comparisons::{Comparison, Comparisons};
pub use convert::{
    ComparisonSet, ConvertOptions, Converted, DistanceOrder, PairOrder, Scope, Session, TaxonomyOrder, Tied,
};
pub use distances::{Bound, Distances, Repeats, SYMMETRY_TOLERANCE};
pub use features::Features;
pub use kernel::{KernelFunctions, KernelKind, KernelQuery, KernelSpec, Kernels, Made, Width};
pub use measurements::{Measurement, Measurements};
pub use pairs::{Judged, PairTally, Pairs};
pub use rows::DistanceRows;
pub use similarity::Similarity;
pub use sorts::Sorts;
pub use taxonomy::Taxonomy;
pub use trials::{Answered, Side, Tally, Task, Trial, Trials};

use crate::object::Objects;

/// Any kind of evidence.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Evidence {
    /// A distance for each pair, as far as known.
    Distances(Distances),
    /// Distances from every object to a few landmarks.
    Rows(DistanceRows),
    /// Pairs said to be alike or not.
    Pairs(Pairs),
    /// Comparisons of pairs, from trials of any task.
    Comparisons(Comparisons),
    /// A tree over the objects.
    Taxonomy(Taxonomy),
    /// Free sorts, or class labels.
    Sorts(Sorts),
    /// A row of numbers for each object.
    Features(Features),
    /// How alike objects are by their features, and nothing else.
    Kernels(Kernels),
    /// Pairs said to be alike or not, of objects with features.
    KernelPairs(Kernels, Pairs),
    /// Comparisons of pairs of objects with features.
    KernelComparisons(Kernels, Comparisons),
}

impl Evidence {
    /// The objects that a map of it shows.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        match self {
            Evidence::Distances(d) => d.objects(),
            Evidence::Rows(rows) => rows.objects(),
            Evidence::Pairs(pairs) => pairs.objects(),
            Evidence::Comparisons(c) => c.objects(),
            Evidence::Taxonomy(tree) => tree.objects(),
            Evidence::Sorts(sorts) => sorts.objects(),
            Evidence::Features(features) => features.objects(),
            Evidence::Kernels(k) | Evidence::KernelPairs(k, _) | Evidence::KernelComparisons(k, _) => k.objects(),
        }
    }
    /// The kind, as the method table and the command name it.
    #[must_use]
    pub fn kind(&self) -> EvidenceKind {
        match self {
            Evidence::Distances(_) => EvidenceKind::Distances,
            Evidence::Rows(_) => EvidenceKind::Rows,
            Evidence::Pairs(_) => EvidenceKind::Pairs,
            Evidence::Comparisons(_) => EvidenceKind::Comparisons,
            Evidence::Taxonomy(_) => EvidenceKind::Taxonomy,
            Evidence::Sorts(_) => EvidenceKind::Sorts,
            Evidence::Features(_) => EvidenceKind::Features,
            Evidence::Kernels(_) => EvidenceKind::Kernels,
            Evidence::KernelPairs(..) => EvidenceKind::KernelPairs,
            Evidence::KernelComparisons(..) => EvidenceKind::KernelComparisons,
        }
    }
}

/// The kinds of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EvidenceKind {
    /// [`Distances`].
    Distances,
    /// [`DistanceRows`].
    Rows,
    /// [`Pairs`].
    Pairs,
    /// [`Comparisons`].
    Comparisons,
    /// [`Taxonomy`].
    Taxonomy,
    /// [`Sorts`].
    Sorts,
    /// [`Features`].
    Features,
    /// [`Kernels`].
    Kernels,
    /// [`Pairs`] with [`Kernels`].
    KernelPairs,
    /// [`Comparisons`] with [`Kernels`].
    KernelComparisons,
}

impl std::fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            EvidenceKind::Distances => "distances",
            EvidenceKind::Rows => "rows",
            EvidenceKind::Pairs => "pairs",
            EvidenceKind::Comparisons => "comparisons",
            EvidenceKind::Taxonomy => "taxonomy",
            EvidenceKind::Sorts => "sorts",
            EvidenceKind::Features => "features",
            EvidenceKind::Kernels => "kernels",
            EvidenceKind::KernelPairs => "pairs with kernels",
            EvidenceKind::KernelComparisons => "comparisons with kernels",
        })
    }
}
