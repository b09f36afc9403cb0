//! What methods that ask a convex question about a metric can be told, and how it is answered.

use crate::error::Error;
use crate::method::table::{Kind, Parameter};
use crate::program::{MetricCandidate, MetricProgram};
use crate::solve::{FactorDescent, Goal, Run, Solved, Solver as _};

/// When the proof is good enough.
pub(crate) const GAP: Parameter = gap(1e-3);
/// The same with another default.
pub(crate) const fn gap(default: f64) -> Parameter {
    Parameter::number("gap", Kind::Number { min: 0.0, max: 1.0 }, default)
        .says("end when the metric is proved to be within this share of the best")
}
/// How long at most.
pub(crate) const MAX_ITER: Parameter =
    Parameter::count("max-iter", 1..=1_000_000, 10_000).says("largest number of iterations");

/// The answer to a question, proved to within `gap` if time and iterations allow.
pub(crate) fn solved(
    program: &MetricProgram,
    gap: f64,
    max_iter: usize,
    run: &Run<'_>,
) -> Result<Solved<MetricCandidate>, Error> {
    FactorDescent.solve(program, None, &Goal { gap, rounds: max_iter }, run)
}
