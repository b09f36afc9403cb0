//! How a question is answered: the run (seed, threads, limits, who watches), and the iterations themselves.

pub(crate) mod descent;
pub(crate) mod factor_ipm;
pub(crate) mod disparity;
pub(crate) mod line;
pub(crate) mod ordinal;
mod run;
pub(crate) mod spectral;
pub(crate) mod starts;
pub(crate) mod stress;

pub use line::OnLine;
pub use run::{Clock, Run, Step, Stop};
