//! For questions about a metric: descent on a factor of it, hinges rounded off less and less, the rank raised where the proof
//! asks for it. The proof decides when it is enough.

mod factored;

use crate::error::Error;
use crate::program::{Certificate, MetricAsk, MetricCandidate, MetricProgram, Program as _};
use crate::solve::descent::{self, Limits};
use crate::solve::idle::Idle;
use crate::solve::solver::{Goal, Solved, Solver};
use crate::solve::{Run, Stop};
use factored::Factored;

/// The engine of questions about a metric; a round of its goal is an iteration of a descent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FactorDescent;

/// The least width over which hinges are rounded off, a share of the margin.
const NARROWEST: f64 = 1e-10;
/// The least share that three iterations may lower a value by.
const FINEST: f64 = 1e-15;
/// The share it begins with, of the gap that is wanted, and at most. Chosen by trial; not swept.
const FIRST: f64 = 0.01;
const COARSEST: f64 = 1e-6;
/// Hinges that are rounded off are what keeps the two ends apart where they make more than this share of the distance.
const MOSTLY: f64 = 0.3;
/// A stage, which is a whole descent, is to take the gap below this share of the least before it; width and `eps` fall to these
/// shares of what they were. Chosen by trial; not swept.
const GAIN: f64 = 0.7;
const FALL: f64 = 0.3;
const FINER: f64 = 0.1;
/// So many stages in a row may leave the gap almost where it was.
const PATIENCE: usize = 8;

impl Solver<MetricProgram> for FactorDescent {
    fn name(&self) -> &'static str {
        "factor-descent"
    }
    fn takes(&self, _: &MetricProgram) -> bool {
        true
    }
    fn solve(
        &self,
        program: &MetricProgram,
        _: Option<&MetricCandidate>,
        goal: &Goal,
        run: &Run<'_>,
    ) -> Result<Solved<MetricCandidate>, Error> {
        let clock = run.clock();
        run.install(|| {
            let mut loss = Factored::new(program)?;
            let mut at = loss.first()?;
            let mut best: Option<(MetricCandidate, Certificate)> = None;
            let (mut iterations, mut stages) = (0, Idle::below(GAIN));
            let mut eps = (FIRST * goal.gap).clamp(FINEST, COARSEST);
            loop {
                let limits = Limits { max_iter: goal.rounds.saturating_sub(iterations).max(1), eps };
                let ended = descent::from(&loss, at, limits, &clock);
                at = ended.at;
                iterations += ended.iterations;
                let candidate = loss.candidate(&at);
                let certificate = program.certify(&candidate)?;
                let rounded = loss.rounded_off(&candidate.multipliers);
                let apart = (certificate.primal - certificate.bound()).abs();
                let before = best.as_ref().map_or(f64::INFINITY, |(_, proved)| proved.gap());
                let (candidate, certificate) = match &best {
                    Some(best) => best_of_both(program, best, candidate, certificate)?,
                    None => (candidate, certificate),
                };
                let good = certificate.is_within(goal.gap);
                let stale = stages.after(certificate.gap());
                let stop = match ended.stop {
                    _ if good => Some(Stop::Converged),
                    Stop::TimeLimit | Stop::Cancelled => Some(ended.stop),
                    _ if iterations >= goal.rounds => Some(Stop::IterationLimit),
                    _ if stale > PATIENCE && !loss.can_widen() => Some(Stop::Stalled),
                    _ => None,
                };
                if certificate.gap() < before || best.is_none() {
                    best = Some((candidate, certificate));
                }
                if let (Some(stop), Some((candidate, certificate))) = (stop, best.take_if(|_| stop.is_some())) {
                    let (rounds, engine) = (Vec::new(), self.name());
                    return Ok(Solved { candidate, certificate, stop, iterations, rounds, engine });
                }
                // What keeps the two ends apart: hinges rounded off, too few columns, or a descent that ended early.
                if rounded > MOSTLY * apart {
                    loss.width = (FALL * loss.width).max(NARROWEST);
                } else if stale > 1 && loss.can_widen() {
                    at = loss.widened(&at)?;
                    stages.again();
                } else {
                    eps = (FINER * eps).max(FINEST);
                }
            }
        })
    }
}

/// Where a metric and the multipliers of hinges prove their sides apart from each other, the better metric with the better
/// multipliers; else what is new.
fn best_of_both(
    program: &MetricProgram,
    (old, before): &(MetricCandidate, Certificate),
    new: MetricCandidate,
    proved: Certificate,
) -> Result<(MetricCandidate, Certificate), Error> {
    let hinged = matches!(program.ask, MetricAsk::Neighbours { .. } | MetricAsk::Compared { .. });
    let metric = proved.primal < before.primal;
    let multipliers = proved.bound() > before.bound();
    if !hinged || metric == multipliers {
        return Ok((new, proved));
    }
    let mixed = MetricCandidate {
        factor: if metric { new.factor } else { old.factor.clone() },
        multipliers: if multipliers { new.multipliers } else { old.multipliers.clone() },
    };
    let certificate = program.certify(&mixed)?;
    Ok((mixed, certificate))
}
