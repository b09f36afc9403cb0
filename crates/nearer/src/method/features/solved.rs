//! Convex questions about a metric, answered by descent on a factor of it: hinges rounded off less and less, the rank raised
//! where the proof asks for it. The proof decides when it is enough.

use crate::error::Error;
use crate::method::features::factored::Factored;
use crate::method::table::{Kind, Parameter};
use crate::program::{Certificate, MetricAsk, MetricCandidate, MetricProgram, Program as _};
use crate::report::FitReport;
use crate::solve::descent::{self, Limits};
use crate::solve::{Run, Stop};

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

/// The least width over which hinges are rounded off, a share of the margin.
const NARROWEST: f64 = 1e-10;
/// The least share that three iterations may lower a value by.
const FINEST: f64 = 1e-15;
/// So many stages in a row may leave the gap almost where it was.
const PATIENCE: usize = 8;

/// Where a question was left.
pub(crate) struct Answer {
    pub(crate) candidate: MetricCandidate,
    pub(crate) certificate: Certificate,
    pub(crate) iterations: usize,
    pub(crate) stop: Stop,
}

impl Answer {
    /// Tells the report what was found and proved.
    pub(crate) fn tell(&self, report: &mut FitReport, gap: f64) {
        report.stop = self.stop;
        report.iterations = self.iterations;
        report.objective = self.certificate.primal;
        report.certificate = Some(self.certificate.clone());
        if !self.certificate.is_within(gap) {
            report.warnings.push(format!(
                "not solved: the best metric may have an objective that is better by up to {:.1e} of it, where {gap:.1e} was asked for; allow more iterations or time, or ask for a larger gap",
                self.certificate.gap()
            ));
        }
    }
}

/// The answer to a question, proved to within `gap` if time and iterations allow.
pub(crate) fn solved(program: &MetricProgram, gap: f64, max_iter: usize, run: &Run<'_>) -> Result<Answer, Error> {
    let clock = run.clock();
    run.install(|| {
        let mut loss = Factored::new(program)?;
        let mut at = loss.first()?;
        let mut best: Option<Answer> = None;
        let (mut iterations, mut stale) = (0, 0);
        let mut eps = (0.01 * gap).clamp(FINEST, 1e-6);
        loop {
            let limits = Limits { max_iter: max_iter.saturating_sub(iterations).max(1), eps };
            let ended = descent::from(&loss, at, limits, &clock);
            at = ended.at;
            iterations += ended.iterations;
            let candidate = loss.candidate(&at);
            let certificate = program.certify(&candidate)?;
            let rounded = loss.rounded_off(&candidate.multipliers);
            let apart = (certificate.primal - certificate.bound()).abs();
            let before = best.as_ref().map_or(f64::INFINITY, |b| b.certificate.gap());
            let (candidate, certificate) = match &best {
                Some(best) => best_of_both(program, best, candidate, certificate)?,
                None => (candidate, certificate),
            };
            let good = certificate.is_within(gap);
            stale = if certificate.gap() < 0.7 * before { 0 } else { stale + 1 };
            let stop = match ended.stop {
                _ if good => Some(Stop::Converged),
                Stop::TimeLimit | Stop::Cancelled => Some(ended.stop),
                _ if iterations >= max_iter => Some(Stop::IterationLimit),
                _ if stale > PATIENCE && !loss.can_widen() => Some(Stop::Stalled),
                _ => None,
            };
            if certificate.gap() < before || best.is_none() {
                best = Some(Answer { candidate, certificate, iterations, stop: Stop::Stalled });
            }
            if let (Some(stop), Some(mut best)) = (stop, best.take_if(|_| stop.is_some())) {
                (best.stop, best.iterations) = (stop, iterations);
                return Ok(best);
            }
            // What keeps the two ends apart: hinges rounded off, too few columns, or a descent that ended early.
            if rounded > 0.3 * apart {
                loss.width = (0.3 * loss.width).max(NARROWEST);
            } else if stale > 1 && loss.can_widen() {
                at = loss.widened(&at)?;
                stale = 0;
            } else {
                eps = (0.1 * eps).max(FINEST);
            }
        }
    })
}

/// Where a metric and the multipliers of hinges prove their sides apart from each other, the better metric with the better
/// multipliers; else what is new.
fn best_of_both(
    program: &MetricProgram,
    old: &Answer,
    new: MetricCandidate,
    proved: Certificate,
) -> Result<(MetricCandidate, Certificate), Error> {
    let hinged = matches!(program.ask, MetricAsk::Neighbours { .. } | MetricAsk::Compared { .. });
    let metric = proved.primal < old.certificate.primal;
    let multipliers = proved.bound() > old.certificate.bound();
    if !hinged || metric == multipliers {
        return Ok((new, proved));
    }
    let mixed = MetricCandidate {
        factor: if metric { new.factor } else { old.candidate.factor.clone() },
        multipliers: if multipliers { new.multipliers } else { old.candidate.multipliers.clone() },
    };
    let certificate = program.certify(&mixed)?;
    Ok((mixed, certificate))
}
