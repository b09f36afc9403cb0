//! For few objects and any number of rows: an interior-point method whose unknowns are the entries of the Gram matrix.
//!
//! It reaches gaps near rounding in some twenty steps, each of which costs one Cholesky factorisation of a square of
//! `n (n - 1) / 2` columns, however many rows there are. It starts where it likes: a start that is given is not used.

mod model;

use nearer_num::interior::{Interior, entries};

use crate::error::Error;
use crate::program::{Candidate, GramProgram, Program as _, Space};
use crate::solve::idle::Idle;
use crate::solve::solver::{Goal, Solved, Solver};
use crate::solve::{Run, Step, Stop};
use model::Model;

/// The interior-point method over the entries of the Gram matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GramIpm {
    largest: usize,
}

impl Default for GramIpm {
    fn default() -> Self {
        GramIpm { largest: 120 }
    }
}

impl GramIpm {
    /// For up to 120 objects.
    #[must_use]
    pub(crate) fn new() -> Self {
        GramIpm::default()
    }
    /// Up to so many objects it is the engine to choose first: a step takes less than a tenth of a second.
    pub(crate) const FIRST_CHOICE: usize = 60;
    /// Whether orders of so many objects are its own.
    #[must_use]
    pub(crate) fn takes_orders_of(n: usize) -> bool {
        n < GramIpm::default().largest
    }
    /// How much memory it takes for `n` objects, in bytes.
    #[must_use]
    pub(crate) fn memory(n: usize) -> u64 {
        let unknowns = entries(n.saturating_sub(1)) as u64 + n as u64;
        8 * unknowns * unknowns
    }
}

/// Steps after which nothing more is to be hoped for.
const STEPS: usize = 150;
/// So many steps without a better gap are the end, and so many that go less than this share of the way on either side: rows that
/// cannot all be kept show themselves so.
const PATIENCE: usize = 8;
const SHORT: f64 = 0.02;
/// A gap below this share of the least before it is a gain: where rows can hardly be kept, multipliers are large and steps towards them
/// bring a twentieth each, seventy times.
const GAIN: f64 = 0.98;
/// The program judges when the complementarity, as a share of the objective, is below the first of these, or so many times the gap that
/// is wanted if that is more; and every so many steps. Chosen by trial on the instances of `bench/convex.py`; not swept.
const JUDGED: f64 = 0.1;
const JUDGED_GAPS: f64 = 100.0;
const JUDGED_EVERY: usize = 10;
/// The objective counts as no smaller than this share of the natural size of the program.
const SMALLEST: f64 = 1e-6;

impl Solver for GramIpm {
    fn name(&self) -> &'static str {
        "gram-ipm"
    }
    fn takes(&self, program: &GramProgram) -> bool {
        program.objects() <= self.largest && matches!(program.space, Space::Free)
    }
    fn solve(&self, program: &GramProgram, _: Option<&Candidate>, goal: &Goal, run: &Run<'_>) -> Result<Solved, Error> {
        if !self.takes(program) {
            return Err(Error::Parameter {
                name: "engine".into(),
                value: self.name().into(),
                expected: format!("an engine for free points, or at most {} objects", self.largest),
            });
        }
        let n = program.objects();
        run.afford("the interior-point method", Self::memory(n), "take the engine `low-rank`")?;
        run.install(|| Steps::begin(program, goal).go(run))
    }
}

/// The best point and the best multipliers so far.
struct Steps<'a> {
    program: &'a GramProgram,
    goal: &'a Goal,
    model: Model<'a>,
    state: Option<Interior>,
    best: Option<Candidate>,
    value: f64,
    /// By how much the best point breaks a row, where it could not be mended.
    broken: f64,
    bound: f64,
}

impl<'a> Steps<'a> {
    fn begin(program: &'a GramProgram, goal: &'a Goal) -> Self {
        let (model, problem) = Model::new(program);
        let state = (model.order() > 0).then(|| {
            let dual = model.dual_start(Model::dual_size(&problem));
            Interior::begin(problem, model.start(), &dual, 1.0)
        });
        Steps {
            program,
            goal,
            model,
            state,
            best: None,
            value: f64::INFINITY,
            broken: f64::INFINITY,
            bound: f64::NEG_INFINITY,
        }
    }

    fn go(mut self, run: &Run<'_>) -> Result<Solved, Error> {
        let clock = run.clock();
        let (mut stop, mut steps, mut short) = (Stop::Converged, 0, 0);
        let mut idle = Idle::below(GAIN);
        while let Some(state) = &mut self.state {
            let Ok(progress) = state.step() else {
                self.judge()?;
                stop = if self.gap() <= self.goal.gap { Stop::Converged } else { Stop::Stalled };
                break;
            };
            steps += 1;
            // Judging costs little, but early it says nothing.
            let left = self.model.in_objective(progress.complementarity) / self.size();
            let near = left < JUDGED.max(JUDGED_GAPS * self.goal.gap);
            if near || steps % JUDGED_EVERY == 0 {
                self.judge()?;
            }
            let gap = self.gap();
            if gap <= self.goal.gap {
                break;
            }
            if self.program.is_refuted_by(self.bound) {
                stop = Stop::Stalled;
                break;
            }
            let objective = self.program.own(if self.value.is_finite() {
                self.value
            } else {
                self.model.in_objective(self.state.as_ref().map_or(0.0, Interior::linear))
            });
            if let Some(s) = clock.tick(&Step::new("interior point", (0, 1), steps, None, objective)) {
                stop = s;
                break;
            }
            short = if progress.step.0.max(progress.step.1) < SHORT { short + 1 } else { 0 };
            // Before both sides are known there is no gap that could stand still; and one that is not looked at does so of course.
            if short >= PATIENCE {
                self.judge()?;
                stop = Stop::Stalled;
                break;
            } else if gap.is_infinite() || !near {
                idle.again();
            } else if idle.after(gap) >= PATIENCE {
                stop = Stop::Stalled;
                break;
            }
            if steps >= STEPS.min(self.goal.rounds) {
                stop = Stop::IterationLimit;
                break;
            }
        }
        if self.best.is_none() {
            self.judge()?;
        }
        self.finish(stop, steps)
    }

    fn size(&self) -> f64 {
        let known = if self.value.is_finite() { self.value.abs() } else { 0.0 };
        known.max(SMALLEST * self.program.scale).max(f64::MIN_POSITIVE)
    }

    fn gap(&self) -> f64 {
        // What breaks a row is no answer, however near its value is to the bound.
        if self.value.is_finite() && self.bound.is_finite() && self.broken <= self.program.bearable() {
            self.program.gap(self.value, self.bound)
        } else {
            f64::INFINITY
        }
    }

    /// Lets the program judge where the steps have come to, and keeps what is better on either side.
    fn judge(&mut self) -> Result<(), Error> {
        let candidate = match &self.state {
            Some(state) => self.model.candidate(state)?,
            None => self.model.at_one_point(),
        };
        let attained = self.program.attained(&candidate)?;
        let dual = self.program.bounded(&candidate.multipliers, &candidate.ball_multipliers);
        // A point that breaks a row and cannot be mended may seem better than all that do not.
        let better =
            attained.unmended < self.broken || (attained.unmended == self.broken && attained.value < self.value);
        let sharper = dual.bound > self.bound;
        if better || self.best.is_none() {
            (self.value, self.broken) = (attained.value, attained.unmended);
        }
        match &mut self.best {
            None => self.best = Some(candidate),
            Some(best) => {
                if better {
                    (best.factors, best.radii) = (candidate.factors, candidate.radii);
                }
                if sharper {
                    (best.multipliers, best.ball_multipliers) = (candidate.multipliers, candidate.ball_multipliers);
                }
            }
        }
        self.bound = self.bound.max(dual.bound);
        Ok(())
    }

    fn finish(self, stop: Stop, steps: usize) -> Result<Solved, Error> {
        let candidate = self.best.expect("judged at least once");
        let certificate = self.program.certify(&candidate)?;
        // All rows are in play from the first step: there are no rounds of row generation.
        Ok(Solved { candidate, certificate, stop, iterations: steps, rounds: Vec::new(), engine: "gram-ipm" })
    }
}
