//! What is told about a fit: plain versioned data, and figures drawn from it.

mod data;
mod evaluation;
mod figure;

pub use data::{FitReport, Input, Starts};
pub use evaluation::{
    DimensionPoint, Evaluation, ObjectResidual, ObjectShare, ObjectSpread, Procrustes, StabilitySummary, WorstPair,
};
pub use figure::{Figure, Labels, LineFigure, ShepardFigure, ShepardPoint};
