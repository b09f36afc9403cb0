//! What is known about how alike the objects are.
//!
//! Each kind of evidence is its own type, and a method says by [`Embed`](crate::Embed) which it takes. [`Evidence`] is
//! one of them, where the kind is only known when a file is read; a [`Study`](crate::Study) holds several about the same
//! objects. A new kind has a variant here, a line in [`Part`] and one in the table of `parts!` below.

pub(crate) mod size;
mod distances;
mod measurements;
mod rows;
mod similarity;
mod pairs;
mod answered;
mod trial;
mod trials;
mod comparisons;
pub(crate) mod questions;
mod taxonomy;
mod sorts;
mod classes;
mod features;
mod formula;
mod table;
mod measure;
mod proximity;
mod kernel;
mod join;
mod order;
mod convert;

pub use answered::{Answered, Side};
pub use classes::Classes;
pub(crate) use classes::sampled_pairs;
pub(crate) use comparisons::in_words;
pub use comparisons::{Comparison, Comparisons};
pub use convert::{
    ComparisonSet, ConvertOptions, Converted, DistanceOrder, PairOrder, Scope, Session, TaxonomyOrder, Tied,
};
pub use distances::{Bound, Distances, Repeats, SYMMETRY_TOLERANCE};
pub use features::Features;
pub use formula::Formula;
pub(crate) use join::{over, union};
pub use kernel::{KernelFunctions, KernelKind, KernelQuery, KernelSpec, Kernels, Made, Width};
pub(crate) use kernel::{LinearFeatures, spanning_objects};
pub(crate) use measure::ranks;
pub use measure::{MEASURES, Measure, Named, Prepared, Standardise};
pub use measurements::{Measurement, Measurements};
pub use pairs::{Judged, PairTally, Pairs};
pub(crate) use proximity::looks_like_similarities;
pub use proximity::{Confusion, Proximity, Symmetrise};
pub use questions::Tally;
pub use rows::DistanceRows;
pub use similarity::Similarity;
pub use sorts::Sorts;
pub use table::{Table, TableColumn};
pub use taxonomy::Taxonomy;
pub use trial::{Task, Trial};
pub use trials::Trials;

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
            Evidence::Kernels(k) => k.objects(),
        }
    }
    /// Which part of a study it is.
    #[must_use]
    pub fn kind(&self) -> Part {
        match self {
            Evidence::Distances(_) => Part::Distances,
            Evidence::Rows(_) => Part::Rows,
            Evidence::Pairs(_) => Part::Pairs,
            Evidence::Comparisons(_) => Part::Comparisons,
            Evidence::Taxonomy(_) => Part::Taxonomy,
            Evidence::Sorts(_) => Part::Sorts,
            Evidence::Features(_) => Part::Features,
            Evidence::Kernels(_) => Part::Kernels,
        }
    }
}

/// The kinds of evidence: the parts that a study can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Part {
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
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Part::Distances => "distances",
            Part::Rows => "rows",
            Part::Pairs => "pairs",
            Part::Comparisons => "comparisons",
            Part::Taxonomy => "taxonomy",
            Part::Sorts => "sorts",
            Part::Features => "features",
            Part::Kernels => "kernels",
        })
    }
}

impl Part {
    /// Parts that are taken together, in words: `comparisons with kernels`.
    #[must_use]
    pub fn together(parts: &[Part]) -> String {
        parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" with ")
    }
}

/// From each kind to [`Evidence`] and back.
macro_rules! parts {
    ($($variant:ident($kind:ident)),*) => {
        $(impl From<$kind> for Evidence {
            fn from(part: $kind) -> Self {
                Evidence::$variant(part)
            }
        }
        impl<'e> TryFrom<&'e Evidence> for &'e $kind {
            /// What it is instead.
            type Error = Part;
            fn try_from(evidence: &'e Evidence) -> Result<Self, Part> {
                match evidence {
                    Evidence::$variant(part) => Ok(part),
                    other => Err(other.kind()),
                }
            }
        })*
    };
}

parts!(
    Distances(Distances),
    Rows(DistanceRows),
    Pairs(Pairs),
    Comparisons(Comparisons),
    Taxonomy(Taxonomy),
    Sorts(Sorts),
    Features(Features),
    Kernels(Kernels)
);
