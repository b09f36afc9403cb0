//! The convex programs: against outside solvers, and two engines and the certificate against each other.

mod golden;
mod instances;
mod property;
mod weights;
