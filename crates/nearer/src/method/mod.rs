//! One file a method, each a recipe: evidence, program, solution, fit. [`table::METHODS`] lists them all.

mod classical_mds;
mod common;
mod metric_mds;
mod nonmetric_mds;
mod sstress;
pub mod table;

pub use crate::solve::disparity::Ties;
pub use classical_mds::{ClassicalMds, Correction, Eigenspace, Whole};
pub use metric_mds::{Curve, MetricMds};
pub use nonmetric_mds::NonmetricMds;
pub use sstress::{Sstress, SstressLoss};
