//! The convex programs: against outside solvers, and two engines and the certificate against each other.

mod golden;
pub(crate) mod instances;
mod property;
mod weights;
