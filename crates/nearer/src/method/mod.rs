//! One file a method, each a recipe: evidence, program, solution, fit. [`table::METHODS`] lists them all.

mod classical_mds;
mod common;
mod constant_shift;
mod convex;
mod descents;
mod fastmap;
mod gnmds;
mod landmark;
mod landmark_mds;
mod line;
mod metric_mds;
mod metricmap;
mod naive_order;
mod nearest_edm;
mod nonmetric_mds;
mod psde;
mod sstress;
pub mod table;

pub use crate::solve::ordinal::Ties;
pub use classical_mds::{ClassicalMds, Correction, Eigenspace, Whole};
pub use constant_shift::ConstantShift;
pub use fastmap::FastMap;
pub use gnmds::Gnmds;
pub use landmark::Choice;
pub use landmark_mds::LandmarkMds;
pub use line::Line;
pub use metric_mds::{Curve, MetricMds};
pub use metricmap::MetricMap;
pub use naive_order::NaiveOrder;
pub use nearest_edm::NearestEdm;
pub use nonmetric_mds::NonmetricMds;
pub use psde::Psde;
pub use sstress::{Sstress, SstressLoss};
