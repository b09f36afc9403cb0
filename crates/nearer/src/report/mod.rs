//! What is told about a fit: plain versioned data, and figures drawn from it.

mod data;

pub use data::{FitReport, Input, Starts};
