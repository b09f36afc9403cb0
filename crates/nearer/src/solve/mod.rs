//! How a question is answered: the run (seed, threads, limits, who watches), and the iterations themselves.

pub(crate) mod descent;
mod diagonal;
mod edge_ipm;
pub(crate) mod factor_ipm;
pub(crate) mod disparity;
pub(crate) mod geodesic;
mod gram_ipm;
mod idle;
mod lengths;
pub(crate) mod likelihood;
pub(crate) mod line;
mod engine;
mod logistic;
mod low_rank;
mod metric;
pub(crate) mod ordinal;
pub(crate) mod people;
mod run;
pub(crate) mod slide;
mod solver;
pub(crate) mod spectral;
pub(crate) mod stress;
#[cfg(test)]
mod tests;
pub(crate) mod unfold;

pub use descent::Starts;
pub(crate) use diagonal::Diagonal;
pub(crate) use edge_ipm::EdgeIpm;
pub use engine::Engine;
pub(crate) use factor_ipm::FactorIpm;
pub(crate) use gram_ipm::GramIpm;
pub(crate) use line::OnLine;
pub(crate) use logistic::Logistic;
pub(crate) use low_rank::LowRank;
pub(crate) use metric::FactorDescent;
pub use run::{Clock, Proving, Run, Step, Stop};
pub use solver::Round;
pub(crate) use solver::{Goal, Solved, Solver};
