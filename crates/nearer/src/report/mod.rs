//! What is told about a fit: plain versioned data, and figures drawn from it.

mod data;
mod figure;

pub use data::{FitReport, Input, Starts};
pub use figure::{Figure, Labels, LineFigure, ShepardFigure, ShepardPoint};
