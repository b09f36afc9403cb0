//! What is told about a fit: plain versioned data, and figures drawn from it.

mod data;
mod evaluation;

pub use data::{FitReport, Input, Starts};
pub use evaluation::{
    DimensionPoint, Evaluation, ObjectResidual, ObjectShare, ObjectSpread, Procrustes, StabilitySummary, WorstPair,
};
