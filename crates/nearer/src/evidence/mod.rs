//! What is known about how alike the objects are.
//!
//! Each kind of evidence is its own type, and a method says by [`Embed`](crate::Embed) which it takes. [`Evidence`] is
//! their sum, for the edges of the library (the command, files) where the kind is only known when the file is read.

mod distances;
mod measurements;
mod rows;
mod similarity;

pub use distances::{Bound, Distances, Repeats, SYMMETRY_TOLERANCE};
pub use measurements::{Measurement, Measurements};
pub use rows::DistanceRows;
pub use similarity::Similarity;

use crate::object::Objects;

/// Any kind of evidence.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Evidence {
    /// A distance for each pair, as far as known.
    Distances(Distances),
    /// Distances from every object to a few landmarks.
    Rows(DistanceRows),
}

impl Evidence {
    /// The objects that a map of it shows.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        match self {
            Evidence::Distances(d) => d.objects(),
            Evidence::Rows(rows) => rows.objects(),
        }
    }
    /// The kind, as the method table and the command name it.
    #[must_use]
    pub fn kind(&self) -> EvidenceKind {
        match self {
            Evidence::Distances(_) => EvidenceKind::Distances,
            Evidence::Rows(_) => EvidenceKind::Rows,
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
}

impl std::fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            EvidenceKind::Distances => "distances",
            EvidenceKind::Rows => "rows",
        })
    }
}
