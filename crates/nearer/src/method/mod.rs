//! One file a method, each a recipe: evidence, program, solution, fit. [`table::METHODS`] lists them all.

mod classical_mds;
pub mod table;
