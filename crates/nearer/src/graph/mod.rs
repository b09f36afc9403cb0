//! What the evidence hangs together by: which pairs are known, which groups they form, and the shortest ways among them;
//! and for comparisons which pair must be nearer than which other.

mod convert;
mod geodesics;
pub(crate) mod neighbours;
mod order;
mod class_neighbours;
pub(crate) mod union;
mod clean;

pub(crate) use class_neighbours::class_neighbours;
pub use clean::{Cleaned, Cleaning, clean, clean_pairs};
pub use convert::Unconstrained;
pub use geodesics::KnownPairs;
pub use neighbours::{Components, Join, Rule, Search};
pub use order::{
    Closure, Component, Conflict, ConstraintGraph, Dropped, Edge, Margins, NoiseFloor, Repair, Triads, Why, sign_test,
};
