//! One file a method, each a recipe: evidence, program, solution, fit. [`table::METHODS`] lists them all.

mod classical_mds;
mod common;
pub mod table;

pub use classical_mds::{ClassicalMds, Correction, Eigenspace, Whole};
