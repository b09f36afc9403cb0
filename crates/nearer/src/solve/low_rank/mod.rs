//! The workhorse: an augmented Lagrangian in a factor of few columns, `G = Y Yᵗ`, minimised by quasi-Newton steps.
//!
//! Outer rounds update the multipliers, add rows that are broken, drop columns that carry nothing and add the directions in
//! which the dual matrix is negative. The last is also the way out of points that are stationary but not best: a certificate
//! cannot be had there. Burer and Monteiro (2003); the rules are those of measurements on many instances.

mod active_rows;
mod lift;
mod rank;
mod start;

use std::time::{Duration, Instant};

use ndarray::Array2;
use nearer_num::augmented::Scratch;
use nearer_num::lbfgs::{self, Guess};
use nearer_num::precondition::Preconditioner;

use crate::error::Error;
use crate::program::{Candidate, GramProgram};
use crate::report::Round;
use crate::solve::solver::{Goal, Solved, Solver};
use crate::solve::{Clock, Proving, Run, Step, Stop};
use active_rows::ActiveRows;
use lift::Lift;
use rank::Spectra;

/// The low-rank augmented Lagrangian, with as many dimensions as the program wants.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LowRank;

impl LowRank {
    /// Down from an answer in exactly the dimensions it has: not convex any more, so nothing is proved, only a better map made.
    /// Says why it ended.
    pub(crate) fn refined(
        program: &GramProgram,
        from: &Candidate,
        rounds: usize,
        run: &Run<'_>,
    ) -> Result<(Candidate, Stop), Error> {
        let goal = Goal { gap: 0.0, rounds };
        let mut search = Rounds::begin(program, Some(from), &goal, true, run)?;
        let stop = search.go()?;
        Ok((search.best.into_candidate(), stop))
    }
}

/// Steps of one inner minimisation.
const INNER: usize = 600;
/// After a minimisation of so many steps the next one begins with second derivatives: each of its steps costs twice as much.
const SLOW: usize = 300;
/// Above this many objects every one does.
const LARGE: usize = 600;
/// Steps that a quasi-Newton minimisation remembers.
const MEMORY: usize = 10;
/// Steps after which second derivatives are looked at again.
const REFRESHED: usize = 200;
/// What is left to do when the steps are over, judging, the proof and a map, takes about so many times as long as judging a round (0.3
/// of 1.4 seconds at 1,500 objects); no more than this share of a limit is kept for it.
const PROVING: f64 = 4.5;
const KEPT: f64 = 0.3;
/// A refinement ends with a round that gains less than this share of the objective while the multipliers move by less than
/// that. At 500 objects and 100,000 comparisons, six times as many steps gained another ten-thousandth.
const GAIN: f64 = 1e-3;
const SETTLED: f64 = 1e-2;
/// Up to this many objects squares of second derivatives are worth their memory.
const GUIDED: usize = 3000;

impl Solver for LowRank {
    fn name(&self) -> &'static str {
        "low-rank"
    }
    fn takes(&self, _: &GramProgram) -> bool {
        true
    }
    fn solve(
        &self,
        program: &GramProgram,
        start: Option<&Candidate>,
        goal: &Goal,
        run: &Run<'_>,
    ) -> Result<Solved, Error> {
        let mut search = Rounds::begin(program, start, goal, false, run)?;
        let stop = search.go()?;
        search.finish(stop)
    }
}

/// The state between rounds. Everything here is in the units of [`ActiveRows`].
struct Rounds<'a> {
    program: &'a GramProgram,
    goal: &'a Goal,
    /// Whether the number of columns stays what it is.
    fixed: bool,
    clock: Clock<'a>,
    /// The time that there was, where there is a limit.
    limit: Duration,
    /// The clock of the steps, which leaves time for the proof.
    steps: Clock<'a>,
    play: ActiveRows<'a>,
    /// One factor a block.
    factors: Vec<Array2<f64>>,
    radii: Vec<f64>,
    sigma: f64,
    tolerance: f64,
    last_residual: f64,
    iterations: usize,
    best: Best,
    spectra: Option<Spectra>,
    /// The least eigenvalue of the last dual matrix, as an estimate.
    least: f64,
    /// Whether the last minimisation took many steps.
    slow: bool,
    /// How long it took to look at second derivatives.
    guiding: Duration,
    stopped: Option<Stop>,
    trail: Vec<Round>,
}

/// The best point and the best bound so far, each in the units of the program.
struct Best {
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
    fn into_candidate(self) -> Candidate {
        Candidate {
            factors: self.factors,
            radii: self.radii,
            multipliers: self.multipliers,
            ball_multipliers: self.balls,
        }
    }
}

impl<'a> Rounds<'a> {
    fn begin(
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
            tolerance: 0.05 * n.sqrt(),
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
    fn go(&mut self) -> Result<Stop, Error> {
        let mut stop = Stop::IterationLimit;
        let (mut idle, mut best_gap) = (0, f64::INFINITY);
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
            // A little to spare: the proof loses some rounding to the estimate.
            if gap <= 0.9 * self.goal.gap {
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
            idle = if gap < 0.9 * best_gap { 0 } else { idle + 1 };
            best_gap = best_gap.min(gap);
            if idle > if self.fixed { 12 } else { 60 } {
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

    /// One minimisation over the points and the radii; gives the length of the gradient at its end.
    fn minimise(&mut self) -> f64 {
        let shapes: Vec<(usize, usize)> = self.factors.iter().map(Array2::dim).collect();
        let mut start: Vec<f64> = self.factors.iter().flat_map(|f| f.iter().copied()).collect();
        let size = start.len();
        start.extend_from_slice(&self.radii);
        let mut ended = None;
        // Rows that are settled may be left out where rows are many and numbers few; if the whole function does not go down
        // with the part, some were not settled after all: those that are not where it led to come in again.
        if self.trail.len() >= 2 && self.program.balls.is_none() && self.play.len() > 4 * size {
            let mut seen = vec![self.play.residuals(&self.factors)];
            let before = self.play.whole(&seen[0], &self.factors, self.sigma);
            while ended.is_none() && seen.len() <= 2 {
                let part = self.play.problem(self.sigma, &seen);
                let (x, gradient) = self.descend(&part, &shapes, start.clone());
                let factors = start::on_sphere(&self.play, unflattened(&shapes, &x));
                let after = self.play.residuals(&factors);
                if self.play.whole(&after, &factors, self.sigma) < before {
                    ended = Some((factors, x, gradient, after));
                } else {
                    seen.push(after);
                }
            }
        }
        let (factors, x, gradient, after) = match ended {
            Some(ended) => ended,
            None => {
                let whole = self.play.problem(self.sigma, &[]);
                let (x, gradient) = self.descend(&whole, &shapes, start);
                let factors = start::on_sphere(&self.play, unflattened(&shapes, &x));
                let after = self.play.residuals(&factors);
                (factors, x, gradient, after)
            }
        };
        self.radii = x[size..].to_vec();
        self.factors = factors;
        self.play.update(&after.rows, &self.factors, &self.radii, self.sigma);
        gradient
    }

    /// What a watcher sees.
    fn step(&self, round: usize) -> Step {
        let (value, bound) = (self.program.own(self.best.value), self.program.own(self.best.bound));
        Step::new("rounds", (0, 1), round, None, value).proving(Proving {
            bound,
            gap: self.program.gap(self.best.value, self.best.bound),
            rank: self.factors.iter().map(Array2::ncols).sum(),
            rows: self.play.len(),
        })
    }

    fn descend(&mut self, problem: &active_rows::Inner, shapes: &[(usize, usize)], mut x: Vec<f64>) -> (Vec<f64>, f64) {
        let size = x.len() - self.radii.len();
        let mut scratch = Scratch::default();
        let mut lift = Lift::new(self.program, shapes, self.play.sphere);
        let (y, sigma) = (&problem.multipliers, self.sigma);
        let (clock, mut asked, mut stopped) = (self.steps, 0u32, None);
        let step = self.step(self.trail.len() + 1);
        let guided = (self.slow || self.program.objects() > LARGE)
            && !self.fixed
            && self.play.is_free()
            && self.program.balls.is_none()
            && self.play.sphere.is_none()
            && self.program.objects() <= GUIDED;
        let (mut left, mut gradient) = (INNER, f64::INFINITY);
        while left > 0 {
            // Seconds for many objects: not begun where the steps that it is for would not be taken.
            if guided && clock.left().is_some_and(|left| left < self.guiding) {
                stopped = Some(Stop::TimeLimit);
                break;
            }
            let guide = if guided {
                let begun = Instant::now();
                let doubt = (-self.least / self.play.weight).max(0.0);
                let guide = Preconditioner::new(&problem.function.problem, (&x, shapes[0].1), y, sigma, doubt);
                self.guiding = begun.elapsed();
                guide
            } else {
                None
            };
            let apply = |q: &mut [f64]| guide.iter().for_each(|g| g.apply(q));
            let most = if guide.is_some() { left.min(REFRESHED) } else { left };
            let ended = lbfgs::minimise(
                &mut x,
                &lbfgs::Settings {
                    iterations: most,
                    gradient: self.tolerance,
                    decrease: None,
                    memory: MEMORY,
                    guess: if guide.is_some() { Guess::Curvature(&apply) } else { Guess::Short },
                },
                |x, g| {
                    let (gx, gb) = g.split_at_mut(size);
                    lift.evaluate(&problem.function, &x[..size], &x[size..], y, sigma, &mut scratch, gx, gb)
                },
                |_, _| {
                    asked += 1;
                    // A watcher is asked now and then; a step of many rows takes long enough to look at the clock after each.
                    if asked % 16 == 0 || clock.late() {
                        stopped = clock.tick(&step);
                    }
                    stopped.is_none()
                },
            );
            self.iterations += ended.iterations;
            gradient = ended.gradient;
            left -= ended.iterations.min(left);
            if gradient <= self.tolerance || ended.iterations < most || stopped.is_some() {
                break;
            }
        }
        self.slow = INNER - left >= SLOW;
        self.stopped = self.stopped.or(stopped);
        (x, gradient)
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
        let bearable = 1e-9 * self.program.typical();
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
            return Ok(self.program.gap(self.best.value, self.best.value - self.best.value.abs() * 1e-3));
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
        Ok(if self.best.broken > 0.0 { gap.max(self.best.broken / self.program.typical()) } else { gap })
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
        if gradient > 1.5 * self.tolerance {
            return;
        }
        if residual > 0.4 * self.last_residual && residual > 1e-9 {
            self.sigma *= 2.0;
        }
        self.last_residual = residual;
        self.tolerance = (0.5 * self.tolerance).max(1e-9);
    }

    fn finish(self, stop: Stop) -> Result<Solved, Error> {
        let candidate = self.best.into_candidate();
        let certificate = self.program.certify(&candidate)?;
        Ok(Solved { candidate, certificate, stop, iterations: self.iterations, rounds: self.trail, engine: "low-rank" })
    }
}

/// Factors from numbers one after another.
fn unflattened(shapes: &[(usize, usize)], x: &[f64]) -> Vec<Array2<f64>> {
    let mut from = 0;
    let one = |&(q, r): &(usize, usize)| {
        from += q * r;
        Array2::from_shape_vec((q, r), x[from - q * r..from].to_vec()).expect("as it was laid out")
    };
    shapes.iter().map(one).collect()
}
