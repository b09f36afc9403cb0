//! What methods that ask a convex question about a metric have in common: how it is answered, and what is said of the answer.

use crate::error::Error;
use crate::method::table::{Kind, Parameter};
use crate::program::{MetricCandidate, MetricProgram};
use crate::report::FitReport;
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

/// Tells the report what was found and proved.
pub(crate) fn tell(report: &mut FitReport, solved: &Solved<MetricCandidate>, gap: f64) {
    report.stop = solved.stop;
    report.iterations = solved.iterations;
    report.objective = solved.certificate.primal;
    report.certificate = Some(solved.certificate.clone());
    if !solved.certificate.is_within(gap) {
        report.warnings.push(format!(
            "not solved: the best metric may have an objective that is better by up to {:.1e} of it, where {gap:.1e} was asked for; allow more iterations or time, or ask for a larger gap",
            solved.certificate.gap()
        ));
    }
}
