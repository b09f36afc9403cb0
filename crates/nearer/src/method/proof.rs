//! What every report of a certified fit says: how it ended, what is proved, and how much of the solution its map shows.

use crate::geometry::Spectrum;
use crate::program::{Candidate, MapSeen, MetricCandidate, Weights};
use crate::report::{FitReport, Refined};
use crate::solve::{Solved, Stop};

/// An answer whose proof is told in a report.
pub(crate) trait Answer: Sized {
    /// That less is proved than was asked for, and what would help.
    fn unsolved(solved: &Solved<Self>, asked: f64) -> String;
}

impl Answer for Candidate {
    fn unsolved(solved: &Solved, asked: f64) -> String {
        if let Some(by) = solved.certificate.broken {
            return format!(
                "not solved ({}): the solution breaks a row that must hold by {by:.2e} and could not be moved to one that keeps all, so nothing is known of how near the best it is",
                solved.stop
            );
        }
        format!(
            "the solution is proved to be within {:.1e} of the best, not within the {asked:.1e} that was asked for ({})",
            solved.certificate.gap(),
            solved.stop
        )
    }
}

impl Answer for MetricCandidate {
    fn unsolved(solved: &Solved<Self>, asked: f64) -> String {
        format!(
            "not solved: the best metric may have an objective that is better by up to {:.1e} of it, where {asked:.1e} was asked for; allow more iterations or time, or ask for a larger gap",
            solved.certificate.gap()
        )
    }
}

impl Answer for Weights {
    fn unsolved(solved: &Solved<Self>, asked: f64) -> String {
        let smaller = "weigh fewer objects (a smaller basis) or take a sample of the comparisons";
        let (why, remedy) = match solved.stop {
            Stop::Stalled => ("rounding allows no further step", format!("ask for a larger gap, {smaller}")),
            Stop::IterationLimit => ("all steps were used up", smaller.into()),
            Stop::TimeLimit => ("the time was up", format!("allow more of it, {smaller}")),
            _ => ("it was ended", "let it run on".into()),
        };
        let far = match solved.certificate.gap {
            Some(gap) => format!("the best weights may have an objective that is better by up to {gap:.1e} of it"),
            None => "nothing is known about how much better the best weights are".into(),
        };
        format!("not solved: {far}, where {asked:.1e} was asked for: {why}; {remedy}")
    }
}

/// How it ended, what was proved, and whether that is what was asked for.
pub(crate) fn proved<C: Answer>(report: &mut FitReport, solved: &Solved<C>, asked: f64) {
    report.figures.insert("engine".into(), solved.engine.into());
    report.stop = solved.stop;
    report.iterations = solved.iterations;
    report.rounds.clone_from(&solved.rounds);
    report.objective = solved.certificate.primal;
    if !solved.certificate.is_within(asked) {
        report.warnings.push(C::unsolved(solved, asked));
    }
    report.certificate = Some(solved.certificate.clone());
}

/// What a program says of the leading axes of its solution and of the map made from them, beside what no map can pass.
pub(crate) fn mapped(report: &mut FitReport, before: MapSeen, after: MapSeen, bound: Option<f64>) {
    report.refined = Some(Refined {
        projected: before.objective,
        objective: after.objective,
        within: bound.filter(|_| after.broken == 0).map(|bound| distance(after.objective, bound)),
        violated: after.broken,
        rows: after.hard,
    });
    report.objective = after.objective;
}

/// How far a value is from a bound, relative to the larger of the two.
fn distance(value: f64, bound: f64) -> f64 {
    (value - bound).abs() / value.abs().max(bound.abs()).max(f64::MIN_POSITIVE)
}

/// How the dimensions of a solution are spoken of.
pub(crate) struct Words {
    /// "… 7 dimensions".
    pub(crate) has: &'static str,
    /// "60 % of … variance".
    pub(crate) whose: &'static str,
    /// "… 1 of the 2 dimensions of the map".
    pub(crate) needs: &'static str,
    /// Why no more.
    pub(crate) why: &'static str,
}

/// Maps that carry less than this share of the variance of a solution that has more dimensions are said to.
const MOST: f64 = 0.8;

/// Says where the map has fewer dimensions than the solution needs, or more.
pub(crate) fn dimensions(report: &mut FitReport, spectrum: &Spectrum, rank: usize, words: &Words) {
    let dim = report.dim;
    if let Some(percent) = percent_below(MOST, spectrum, dim) {
        report.warnings.push(format!(
            "{} {rank} dimensions; the {dim} of the map carry {percent:.0} % of {} variance",
            words.has, words.whose
        ));
    }
    if rank < dim {
        report.warnings.push(format!("{} {rank} of the {dim} dimensions of the map: {}", words.needs, words.why));
    }
}

/// The share of the variance that the map carries, in per cent, where it is less than `least` of it.
pub(crate) fn percent_below(least: f64, spectrum: &Spectrum, dim: usize) -> Option<f64> {
    let kept: f64 = spectrum.eigenvalues.iter().take(dim).sum();
    (kept < least * spectrum.trace).then(|| 100.0 * kept / spectrum.trace)
}
