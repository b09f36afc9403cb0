//! The rounds between minimisations: multipliers, rows, columns and penalty, what is best so far, and when it is enough.

use std::time::{Duration, Instant};

use ndarray::Array2;

use super::active_rows::ActiveRows;
use super::rank::{self, Spectra};
use super::start;
use crate::error::Error;
use crate::program::{Candidate, GramProgram, Program as _};
use crate::solve::Round;
use crate::solve::idle::Idle;
use crate::solve::solver::{Goal, Solved};
use crate::solve::{Clock, Proving, Run, Step, Stop};

/// What is left to do when the steps are over, judging, the proof and a map, takes about so many times as long as judging a round (0.3
/// of 1.4 seconds at 1,500 objects); no more than this share of a limit is kept for it.
const PROVING: f64 = 4.5;
const KEPT: f64 = 0.3;
/// A refinement ends with a round that gains less than this share of the objective while the multipliers move by less than
/// that. At 500 objects and 100,000 comparisons, six times as many steps gained another ten-thousandth.
const GAIN: f64 = 1e-3;
const SETTLED: f64 = 1e-2;

// Chosen by trial on the instances of `bench/convex.py`; not swept.

/// Rounds without a gain that are the end: of a refinement, which proves nothing, and of a search.
const IDLE_REFINED: usize = 12;
const IDLE: usize = 60;
/// The gap is an estimate, and the proof loses some rounding to it: this share of what is wanted is enough.
const SPARE: f64 = 0.9;
/// The length of the gradient at which the first minimisation ends, in the units of the rows and times the root of the number of
/// objects; it falls to the share after each round, down to the least.
const TOLERANCE: f64 = 0.05;
const SHARPER: f64 = 0.5;
const FINEST: f64 = 1e-9;
/// A minimisation that has not come within this many tolerances was cut short.
const CUT_SHORT: f64 = 1.5;
/// Multipliers that move by more than this share of the last time settle slowly, and the penalty is raised so many times, unless they
/// move by no more than rounding.
const SLOWLY: f64 = 0.4;
const STEEPER: f64 = 2.0;
const STILL: f64 = 1e-9;
/// A row that is broken by less than this share of a typical squared distance is bearable.
const BEARABLE: f64 = 1e-9;
/// A refinement has no bound; its gap is as if there were one this share of the value away.
const AS_IF: f64 = 1e-3;

/// The state between rounds. Everything here is in the units of [`ActiveRows`].
pub(super) struct Rounds<'a> {
    pub(super) program: &'a GramProgram,
    goal: &'a Goal,
    /// Whether the number of columns stays what it is.
    pub(super) fixed: bool,
    clock: Clock<'a>,
    /// The time that there was, where there is a limit.
    limit: Duration,
    /// The clock of the steps, which leaves time for the proof.
    pub(super) steps: Clock<'a>,
    pub(super) play: ActiveRows<'a>,
    /// One factor a block.
    pub(super) factors: Vec<Array2<f64>>,
    pub(super) radii: Vec<f64>,
    pub(super) sigma: f64,
    pub(super) tolerance: f64,
    last_residual: f64,
    pub(super) iterations: usize,
    pub(super) best: Best,
    spectra: Option<Spectra>,
    /// The least eigenvalue of the last dual matrix, as an estimate.
    pub(super) least: f64,
    /// Whether the last minimisation took many steps.
    pub(super) slow: bool,
    /// How long it took to look at second derivatives.
    pub(super) guiding: Duration,
    pub(super) stopped: Option<Stop>,
    pub(super) trail: Vec<Round>,
}

/// The best point and the best bound so far, each in the units of the program.
pub(super) struct Best {
    /// By how much hard rows are broken that could not be mended; 0 where that is bearable.
    broken: f64,
    value: f64,
    factors: Vec<Array2<f64>>,
    radii: Vec<f64>,
    bound: f64,
    multipliers: Vec<f64>,
    balls: Vec<(u32, u32, f64)>,
}

impl Best {
    pub(super) fn into_candidate(self) -> Candidate {
        Candidate {
            factors: self.factors,
            radii: self.radii,
            multipliers: self.multipliers,
            ball_multipliers: self.balls,
        }
    }
}

impl<'a> Rounds<'a> {
    pub(super) fn begin(
        program: &'a GramProgram,
        start: Option<&Candidate>,
        goal: &'a Goal,
        fixed: bool,
        run: &Run<'a>,
    ) -> Result<Self, Error> {
        let mut play = ActiveRows::new(program, start);
        let factors = match start {
            Some(c) => c.factors.iter().map(|f| f / play.unit.sqrt()).collect(),
            None => start::factors(program, &play, run.seed())?,
        };
        let factors = start::on_sphere(&play, factors);
        let radii = play.radii(&factors);
        play.generate(&factors, &radii, true);
        let n = program.objects() as f64;
        let sigma = play.first_penalty();
        Ok(Rounds {
            program,
            goal,
            fixed,
            clock: run.clock(),
            limit: run.clock().left().unwrap_or_default(),
            steps: run.clock(),
            play,
            factors,
            radii,
            sigma,
            tolerance: TOLERANCE * n.sqrt(),
            last_residual: f64::INFINITY,
            iterations: 0,
            best: Best {
                broken: f64::INFINITY,
                value: f64::INFINITY,
                factors: Vec::new(),
                radii: Vec::new(),
                bound: f64::NEG_INFINITY,
                multipliers: Vec::new(),
                balls: Vec::new(),
            },
            spectra: None,
            least: 0.0,
            slow: false,
            guiding: Duration::ZERO,
            stopped: None,
            trail: Vec::new(),
        })
    }

    /// Rounds until the goal is reached or a limit is met.
    pub(super) fn go(&mut self) -> Result<Stop, Error> {
        let mut stop = Stop::IterationLimit;
        let mut idle = Idle::new();
        for round in 1..=self.goal.rounds {
            let before = (self.best.broken, self.best.value);
            let rows = self.play.len();
            let gradient = self.minimise();
            let residual = self.play.residual(self.sigma);
            self.play.accept();
            let judging = Instant::now();
            let gap = self.judge()?;
            if !self.fixed {
                let kept = judging.elapsed().mul_f64(PROVING).min(self.limit.mul_f64(KEPT));
                self.steps = self.clock.sparing(kept);
            }
            let scan = self.play.generate(&self.factors, &self.radii, false);
            self.trail.push(Round { rows, violated: scan.violated, worst: scan.worst * self.play.unit });
            if gap <= SPARE * self.goal.gap {
                stop = Stop::Converged;
                break;
            }
            if let Some(s) = self.stopped.or_else(|| self.steps.tick(&self.step(round))) {
                stop = s;
                break;
            }
            if self.fixed && residual < SETTLED && !self.gained(before) {
                stop = Stop::Converged;
                break;
            }
            if idle.after(gap) > if self.fixed { IDLE_REFINED } else { IDLE } {
                stop = if self.fixed { Stop::Converged } else { Stop::Stalled };
                break;
            }
            if !self.fixed {
                self.adapt_rank()?;
            }
            self.sharpen(gradient, residual);
        }
        Ok(stop)
    }

    /// Whether a round has made the best noticeably better than it was before: rows that must hold, or the value. Where such
    /// rows are still broken, every round may mend them.
    fn gained(&self, (broken, value): (f64, f64)) -> bool {
        self.best.broken > 0.0 || broken > 0.0 || self.best.value < value - GAIN * value.abs()
    }

    /// What a watcher sees.
    pub(super) fn step(&self, round: usize) -> Step {
        let (value, bound) = (self.program.own(self.best.value), self.program.own(self.best.bound));
        Step::new("rounds", (0, 1), round, None, value).proving(Proving {
            bound,
            gap: self.program.gap(self.best.value, self.best.bound),
            rank: self.factors.iter().map(Array2::ncols).sum(),
            rows: self.play.len(),
        })
    }

    /// Judges where the round has come to, and keeps what is better; gives the gap.
    fn judge(&mut self) -> Result<f64, Error> {
        let root = self.play.unit.sqrt();
        let candidate = Candidate {
            factors: self.factors.iter().map(|f| f * root).collect(),
            radii: self.radii.iter().map(|b| b * self.play.unit).collect(),
            multipliers: self.play.multipliers(),
            ball_multipliers: self.play.ball_multipliers(),
        };
        let attained = self.program.attained(&candidate)?;
        // Where rows cannot be mended, a point that breaks them less comes before one of a better value.
        let bearable = BEARABLE * self.program.typical();
        let broken = if attained.unmended > bearable { attained.unmended } else { 0.0 };
        let better = broken < self.best.broken || (broken == self.best.broken && attained.value < self.best.value);
        if better || self.best.factors.is_empty() {
            self.best.broken = broken;
            self.best.value = attained.value;
            self.best.factors = candidate.factors;
            self.best.radii = candidate.radii;
        }
        if self.fixed {
            if self.best.multipliers.is_empty() {
                self.best.multipliers = candidate.multipliers;
                self.best.balls = candidate.ball_multipliers;
            }
            return Ok(self.program.gap(self.best.value, self.best.value - self.best.value.abs() * AS_IF));
        }
        // An estimate each round; the proof is made once, at the end.
        let repaired = self.program.repaired(&candidate.multipliers, &candidate.ball_multipliers);
        let weights = self.program.weights(&repaired.rows, &repaired.balls);
        let spectra = Spectra::new(self.program, &weights, rank::ADDED, &self.factors)?;
        let bound = self.program.bound_of(&repaired, spectra.least());
        let trivial = self.program.trivial_bound();
        let (bound, multipliers) = if trivial > bound {
            (trivial, vec![0.0; candidate.multipliers.len()])
        } else {
            (bound, candidate.multipliers)
        };
        self.least = spectra.least();
        self.spectra = Some(spectra);
        if bound > self.best.bound || self.best.multipliers.is_empty() {
            self.best.bound = bound;
            self.best.multipliers = multipliers;
            self.best.balls = candidate.ball_multipliers;
        }
        let gap = self.program.gap(self.best.value, self.best.bound);
        if self.best.broken == 0.0 {
            return Ok(gap);
        }
        // The goal is not reached while a row is broken by more than a certificate bears.
        let unborne = self.goal.gap * self.best.broken / self.program.bearable();
        Ok(gap.max(self.best.broken / self.program.typical()).max(if unborne.is_finite() { unborne } else { 0.0 }))
    }

    fn adapt_rank(&mut self) -> Result<(), Error> {
        if let Some(spectra) = self.spectra.take() {
            self.factors = rank::adapted(self.program, &spectra, &self.factors, &self.play)?;
        }
        Ok(())
    }

    /// Raises the penalty where multipliers settle slowly, and asks for more from the next minimisation.
    fn sharpen(&mut self, gradient: f64, residual: f64) {
        // After a minimisation that did not come to its end, neither says anything.
        if gradient > CUT_SHORT * self.tolerance {
            return;
        }
        if residual > SLOWLY * self.last_residual && residual > STILL {
            self.sigma *= STEEPER;
        }
        self.last_residual = residual;
        self.tolerance = (SHARPER * self.tolerance).max(FINEST);
    }

    pub(super) fn finish(self, stop: Stop) -> Result<Solved, Error> {
        let candidate = self.best.into_candidate();
        let certificate = self.program.certify(&candidate)?;
        Ok(Solved { candidate, certificate, stop, iterations: self.iterations, rounds: self.trail, engine: "low-rank" })
    }
}
