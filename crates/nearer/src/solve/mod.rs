//! How a question is answered: the run (seed, threads, limits, who watches), and the iterations themselves.

mod run;
pub(crate) mod spectral;

pub use run::{Clock, Run, Step, Stop};
