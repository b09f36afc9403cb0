//! For programs of weights: an interior-point method that takes rows in as they begin to matter and lets them go again.
//!
//! A comparison is in one of three places. It may hold with room, and is left out; it may be broken by much, and is paid for by a
//! plain cost; or it is a row. Which of the rows would weigh in a step is read off the method itself, so that there are no rounds
//! of solving again: on the way to one solution rows come and go. Pairs that are bounded are never passed, rows or not.

mod scaled;

use nearer_num::orthant::Orthant;

use crate::error::Error;
use crate::program::{Certificate, DiagonalProgram, Weights};
use crate::report::Round;
use crate::solve::solver::Goal;
use crate::solve::{Proving, Run, Step, Stop};
use scaled::Scaled;

/// The interior-point method over weights, rows generated on the way.
///
/// ```
/// use nearer::program::{DiagonalProgram, Sense};
/// use nearer::solve::{Diagonal, Goal};
/// use nearer::{Run, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let features = ndarray::Array2::from_shape_fn((10, 3), |(i, p)| ((i * (p + 2)) % 7) as f64);
/// let program = DiagonalProgram::new(features, Sense::Minimise)
///     .squared(vec![1.0; 3])
///     .compared(&toy::answers(10, 2, 60, 0.1, 1), 0.1)
///     .checked()?;
/// let solved = Diagonal::new().solve(&program, &Goal { gap: 1e-8, ..Goal::default() }, &Run::seeded(0))?;
/// assert!(solved.certificate.is_within(1e-8));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Diagonal {
    generate: Option<bool>,
}

/// What the engine gives back; it may be far from the best, and the certificate says how far.
#[derive(Debug, Clone)]
pub struct SolvedWeights {
    /// The best weights and the best multipliers that were met, not necessarily at the same time.
    pub answer: Weights,
    /// What the program says about them.
    pub certificate: Certificate,
    /// Why it ended.
    pub stop: Stop,
    /// Steps.
    pub iterations: usize,
    /// Step by step, what was broken and what was in play.
    pub rounds: Vec<Round>,
}

impl Diagonal {
    /// Rows are generated where there are too many to have them all in play.
    #[must_use]
    pub fn new() -> Self {
        Diagonal::default()
    }
    /// Whether comparisons are taken in as they begin to matter (`true`), or all at once.
    #[must_use]
    pub fn generate(mut self, generate: bool) -> Self {
        self.generate = Some(generate);
        self
    }
    /// How much memory it takes for `n` objects and `q` weights, in bytes, comparisons not counted.
    #[must_use]
    pub fn memory(n: u64, q: u64) -> u64 {
        // Features three times, rows and their scaled copy, the matrix of a step, distances and pairs.
        8 * (3 * n * q + 3 * q * q) + 12 * n * n
    }

    /// Works towards the goal.
    pub fn solve(&self, program: &DiagonalProgram, goal: &Goal, run: &Run<'_>) -> Result<SolvedWeights, Error> {
        let (n, q) = (program.objects() as u64, program.columns() as u64);
        run.afford("the program of weights", Self::memory(n, q), "use fewer objects or fewer kernels")?;
        run.install(|| {
            let scaled = Scaled::new(program);
            let (t, q) = (scaled.high.len() as f64, scaled.columns.len() as f64);
            let generate = self.generate.unwrap_or(t * q * t.min(q) > ALL_AT_ONCE);
            Search::begin(&scaled, goal, generate).go(run)
        })
    }
}

/// So many operations a step are nothing: all comparisons may be rows.
const ALL_AT_ONCE: f64 = 1e8;
/// A row that weighs less than this in a step is let go.
const LET_GO: f64 = 0.3;
/// A row that would weigh more than this is taken in.
const TAKE_IN: f64 = 3.0;
/// What could not be reached in so many steps like the last is left out.
const STEPS: f64 = 10.0;
/// After so many steps without a better gap rows are let go more rarely and taken in more freely.
const HESITATION: usize = 5;
/// So often is that tried in a row.
const PATIENCE: usize = 8;
/// At this share of the gap that is wanted many weights are taken as well as few.
const ENOUGH: f64 = 1e-3;
/// Room that a bounded pair is given where it has less, in units of the bound.
const ROOM: f64 = 1e-3;

/// Where a comparison is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It holds, with room.
    Out,
    /// It is paid for.
    Paid,
    /// It is a row.
    Row,
}

/// What a row of the method is.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// The mean of all squared distances is at most the bound.
    Mean,
    /// The squared distance at this place is.
    Pair(usize),
    Compared(usize),
}

struct Search<'a> {
    scaled: &'a Scaled<'a>,
    goal: &'a Goal,
    generate: bool,
    state: Orthant,
    sources: Vec<Source>,
    places: Vec<Place>,
    /// Whether the pair at this place is a row.
    held: Vec<bool>,
    /// What the comparisons that are paid for cost beside what the weights pay.
    constant: f64,
    distances: Vec<f64>,
    /// By how much the last step changed them.
    moved: Vec<f64>,
    /// How often rows that came and went have kept the search from getting on.
    caution: i32,
    best: Best,
}

/// The best of both sides so far, in the units of the method and as far as floating point says.
struct Best {
    value: f64,
    bound: f64,
    weights: Vec<f64>,
    duals: Vec<f64>,
    answer: Weights,
    /// The rigorous gap is asked for again when the other has come down to this.
    ask: f64,
}

impl<'a> Search<'a> {
    fn begin(scaled: &'a Scaled<'a>, goal: &'a Goal, generate: bool) -> Self {
        let weights = scaled.start.clone();
        let mu = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
        let state = Orthant::begin(scaled.cost.clone(), scaled.curvature.clone(), weights.clone(), mu);
        let distances = scaled.distances(&weights);
        let rows = scaled.high.len();
        let answer = Weights {
            weights: vec![0.0; scaled.program.columns()],
            multipliers: vec![0.0; rows],
            held: Vec::new(),
            everywhere: 0.0,
            tangent: Vec::new(),
        };
        let best = Best {
            value: f64::INFINITY,
            bound: f64::NEG_INFINITY,
            duals: vec![0.0; weights.len()],
            weights: vec![0.0; weights.len()],
            answer,
            ask: goal.gap,
        };
        let mut search = Search {
            scaled,
            goal,
            generate,
            state,
            sources: Vec::new(),
            places: vec![Place::Out; rows],
            held: vec![false; distances.len()],
            constant: 0.0,
            moved: distances.clone(),
            distances,
            caution: 0,
            best,
        };
        if let Some(b) = scaled.bound {
            search.sources.push(Source::Mean);
            search.state.add(&scaled.mean, &[-b], &[f64::INFINITY], ROOM);
        }
        if generate {
            // Some rows from the first step on, taken evenly: what is only paid for pulls without end.
            let stride = (rows / search.limit()).max(1);
            let broken: Vec<usize> = (0..rows).filter(|t| *t % stride != 0 && search.residual(*t) > 0.0).collect();
            search.pay(&broken);
            search.take_in(&(0..rows).step_by(stride).collect::<Vec<_>>());
        } else {
            search.take_in(&(0..rows).collect::<Vec<_>>());
        }
        search
    }

    fn go(mut self, run: &Run<'_>) -> Result<SolvedWeights, Error> {
        let clock = run.clock();
        let mut rounds = Vec::new();
        // Weights of nothing may be the best there is; then all comparisons are paid for.
        self.best.answer.multipliers = self.scaled.program.rows.iter().map(|r| r.weight).collect();
        if self.scaled.columns.is_empty() || self.settled(&self.best.answer) {
            return self.finish(Stop::Converged, 0, rounds);
        }
        let (mut idle, mut best_gap) = (0_usize, f64::INFINITY);
        for step in 1..=self.goal.rounds {
            rounds.push(self.round());
            self.judge();
            let gap = self.gap();
            if gap <= self.best.ask {
                // Few weights are worth some steps more.
                if self.settled(&self.answer(true))
                    || (gap <= ENOUGH * self.goal.gap && self.settled(&self.answer(false)))
                {
                    return self.finish(Stop::Converged, step - 1, rounds);
                }
                self.best.ask = 0.7 * gap;
            }
            idle = if gap < 0.9 * best_gap { 0 } else { idle + 1 };
            best_gap = best_gap.min(gap);
            if idle == 0 {
                self.caution = (self.caution - 1).max(0);
            } else if idle.is_multiple_of(HESITATION) {
                self.caution += 1;
            }
            if let Some(stop) = clock.tick(&self.seen(step)) {
                return self.finish(stop, step - 1, rounds);
            }
            if idle >= PATIENCE * HESITATION || self.advance(step).is_none() {
                return self.finish(Stop::Stalled, step, rounds);
            }
        }
        let rounds_done = self.goal.rounds;
        self.finish(Stop::IterationLimit, rounds_done, rounds)
    }

    /// Rows in and out, then a step; `None` where none is possible.
    fn advance(&mut self, step: usize) -> Option<()> {
        self.exchange();
        let by = self.state.direction().ok()?;
        let along = self.scaled.distances(by.unknowns());
        let (mut reach, room) = (f64::INFINITY, self.room());
        if let Some(b) = self.scaled.bound {
            for (at, (d, grows)) in self.distances.iter().zip(&along).enumerate() {
                if *grows > 0.0 && !self.held[at] {
                    reach = reach.min((b - d).max(room) / grows);
                }
            }
        }
        if self.scaled.bound.is_none() && self.generate {
            // Nothing but comparisons keeps distances small, and some of them are only paid for.
            let sum = |v: &[f64]| v.iter().sum::<f64>();
            let (now, grows) = (sum(&self.distances), sum(&along));
            if grows > 0.0 {
                reach = reach.min(now / grows);
            }
        }
        let (p, d) = self.state.advance(&by, reach);
        self.moved = along.iter().map(|by| p * by).collect();
        if step.is_multiple_of(8) {
            self.distances = self.scaled.distances(self.state.unknowns());
        } else {
            self.distances.iter_mut().zip(&self.moved).for_each(|(d, by)| *d = (*d + by).max(0.0));
        }
        (p.max(d) > 1e-9).then_some(())
    }

    /// So many rows of a kind are taken in at once.
    fn limit(&self) -> usize {
        (self.scaled.columns.len() / 16).max(60)
    }

    /// The least room that a bounded pair is given: little where little is missing.
    fn room(&self) -> f64 {
        ROOM.min(0.1 * self.gap()).max(1e-9) * self.scaled.bound.unwrap_or(1.0)
    }

    /// `margin + d(near) - d(far)`.
    fn residual(&self, t: usize) -> f64 {
        let s = self.scaled;
        s.margin[t] + self.distances[s.near[t] as usize] - self.distances[s.far[t] as usize]
    }

    /// Lets rows go that weigh nothing, and takes in what would weigh.
    fn exchange(&mut self) {
        let mu = self.state.mu();
        let (weight, room) = self.state.relevance();
        let y = self.state.multipliers().to_vec();
        let mut keep = vec![true; y.len()];
        let mut paid = Vec::new();
        let let_go = LET_GO * 0.1_f64.powi(self.caution);
        for (k, source) in self.sources.iter().enumerate().filter(|(k, _)| weight[*k] < let_go) {
            match *source {
                Source::Mean => continue,
                Source::Pair(at) => self.held[at] = false,
                Source::Compared(_) if !self.generate => continue,
                Source::Compared(t) => {
                    self.places[t] = Place::Out;
                    if y[k] > 0.5 * self.scaled.high[t] {
                        paid.push(t);
                    }
                }
            }
            keep[k] = false;
        }
        self.state.retain(&keep);
        let mut k = 0;
        self.sources.retain(|_| {
            k += 1;
            keep[k - 1]
        });
        self.pay(&paid);
        let usual = median(room);
        let limit = self.limit();
        // What would weigh, and could be reached in a few steps like the last.
        let (take_in, steps) = (TAKE_IN * 0.3_f64.powi(self.caution), STEPS * 3_f64.powi(self.caution));
        let matters =
            |slack: f64, moved: f64| mu * usual > take_in * slack * slack && slack.abs() < steps * moved.abs();
        if let Some(b) = self.scaled.bound {
            let near = |at: usize| {
                let slack = b - self.distances[at];
                slack <= 0.0 || matters(slack, self.moved[at])
            };
            let list = (0..self.held.len()).filter(|at| !self.held[*at] && near(*at));
            let list = first(list.map(|at| (at, -self.distances[at])).collect(), limit);
            self.hold(&list, b);
        }
        if self.generate {
            let (mut out, mut paid) = (Vec::new(), Vec::new());
            for t in 0..self.places.len() {
                let r = self.residual(t);
                let (near, far) = (self.scaled.near[t] as usize, self.scaled.far[t] as usize);
                let matters = matters(r, self.moved[near] - self.moved[far]);
                match self.places[t] {
                    Place::Out if r > 0.0 || matters => out.push((t, -r)),
                    Place::Paid if r < 0.0 || matters => paid.push((t, r)),
                    _ => {}
                }
            }
            let mut list = first(out, limit);
            list.extend(first(paid, limit));
            self.take_in(&list);
        }
    }

    fn hold(&mut self, list: &[usize], b: f64) {
        let mut rows = Vec::new();
        for at in list {
            self.held[*at] = true;
            self.sources.push(Source::Pair(*at));
            self.scaled.push_pair(self.scaled.pair(*at), &mut rows);
        }
        self.state.add(&rows, &vec![-b; list.len()], &vec![f64::INFINITY; list.len()], self.room());
    }

    fn take_in(&mut self, list: &[usize]) {
        let s = self.scaled;
        let paid: Vec<usize> = list.iter().copied().filter(|t| self.places[*t] == Place::Paid).collect();
        self.unpay(&paid);
        let mut rows = Vec::new();
        for t in list {
            self.places[*t] = Place::Row;
            self.sources.push(Source::Compared(*t));
            s.push_compared(*t, &mut rows);
        }
        let of = |v: &[f64]| list.iter().map(|t| v[*t]).collect::<Vec<_>>();
        self.state.add(&rows, &of(&s.margin), &of(&s.high), ROOM);
    }

    /// These comparisons are paid for from now on.
    fn pay(&mut self, list: &[usize]) {
        if !list.is_empty() {
            self.state.shift(&self.scaled.paid(list));
            self.constant += list.iter().map(|t| self.scaled.high[*t] * self.scaled.margin[*t]).sum::<f64>();
            list.iter().for_each(|t| self.places[*t] = Place::Paid);
        }
    }

    fn unpay(&mut self, list: &[usize]) {
        if !list.is_empty() {
            self.state.shift(&self.scaled.paid(list).iter().map(|v| -v).collect::<Vec<_>>());
            self.constant -= list.iter().map(|t| self.scaled.high[*t] * self.scaled.margin[*t]).sum::<f64>();
        }
    }

    /// What is broken where the search stands.
    fn round(&self) -> Round {
        let mut round = Round { rows: self.sources.len(), violated: 0, worst: 0.0 };
        let mut count = |by: f64| {
            if by > 0.0 {
                round.violated += 1;
                round.worst = round.worst.max(by);
            }
        };
        (0..self.places.len()).for_each(|t| count(self.residual(t)));
        if let Some(b) = self.scaled.bound {
            self.distances.iter().for_each(|d| count(d - (1.0 + 1e-12) * b));
        }
        round.worst = self.scaled.square(round.worst);
        round
    }

    /// Both sides in floating point; what is better on either is kept.
    fn judge(&mut self) {
        let s = self.scaled;
        let w = self.state.unknowns();
        let shrink = match s.bound {
            Some(b) => (b / self.distances.iter().fold(0.0, |m: f64, d| m.max(*d))).min(1.0),
            None => 1.0,
        };
        let bent: f64 = s.curvature.times(w).iter().zip(w).map(|(p, w)| p * w).sum();
        let plain: f64 = s.cost.iter().zip(w).map(|(c, w)| c * w).sum();
        let paid: f64 = (0..self.places.len())
            .map(|t| s.high[t] * (s.margin[t] + shrink * (self.residual(t) - s.margin[t])).max(0.0))
            .sum();
        let value = 0.5 * shrink * shrink * bent + shrink * plain + paid;
        if value < self.best.value {
            self.best.value = value;
            self.best.weights = w.to_vec();
            self.best.duals = self.state.duals().to_vec();
        }
        let y = self.state.multipliers();
        let mut bound = self.constant - 0.5 * bent;
        for (source, y) in self.sources.iter().zip(y) {
            bound += y * match *source {
                Source::Compared(t) => s.margin[t],
                _ => -s.bound.unwrap_or(0.0),
            };
        }
        let heaviest = s.heaviest(self.best.value);
        for (z, heaviest) in self.state.pull().iter().zip(heaviest) {
            if *z < 0.0 {
                bound += z * heaviest;
            }
        }
        if bound > self.best.bound {
            self.best.bound = bound;
            self.best.answer = self.multipliers();
        }
    }

    /// The multipliers of the program, and the point where they touch it.
    fn multipliers(&self) -> Weights {
        let s = self.scaled;
        let mut answer = Weights {
            weights: Vec::new(),
            multipliers: vec![0.0; self.places.len()],
            held: Vec::new(),
            everywhere: 0.0,
            tangent: s.weights(self.state.unknowns()),
        };
        for (t, place) in self.places.iter().enumerate() {
            if *place == Place::Paid {
                answer.multipliers[t] = s.program.rows[t].weight;
            }
        }
        for (source, y) in self.sources.iter().zip(self.state.multipliers()) {
            let y = s.multiplier(*y);
            match *source {
                Source::Mean => answer.everywhere = y / self.distances.len() as f64,
                Source::Pair(at) => {
                    let (i, j) = s.pair(at);
                    answer.held.push((i, j, y));
                }
                Source::Compared(t) => answer.multipliers[t] = y,
            }
        }
        answer
    }

    fn gap(&self) -> f64 {
        let (value, bound) = (self.scaled.objective(self.best.value), self.scaled.objective(self.best.bound));
        if value.is_finite() && bound.is_finite() { self.scaled.program.gap(value, bound) } else { f64::INFINITY }
    }

    fn seen(&self, step: usize) -> Step {
        let own = |v: f64| self.scaled.program.own(self.scaled.objective(v));
        let rank = self.best.weights.iter().zip(&self.best.duals).filter(|(w, z)| w > z).count();
        Step::new("weights", (0, 1), step, None, own(self.best.value)).proving(Proving {
            bound: own(self.best.bound),
            gap: self.gap(),
            rank,
            rows: self.sources.len(),
        })
    }

    /// The best of both sides; with small weights left out where that is asked for.
    fn answer(&self, plain: bool) -> Weights {
        let mut w = self.best.weights.clone();
        if plain {
            // Of weight and multiplier of a column one goes to zero: the smaller.
            w.iter_mut().zip(&self.best.duals).filter(|(w, z)| **w < **z).for_each(|(w, _)| *w = 0.0);
        }
        Weights { weights: self.scaled.weights(&w), ..self.best.answer.clone() }
    }

    /// Value and bound as the program proves them.
    fn sides(&self, answer: &Weights) -> (f64, f64) {
        let value = self.scaled.program.attained(&answer.weights).value;
        (value, self.scaled.program.bounded(answer, value))
    }

    fn settled(&self, answer: &Weights) -> bool {
        let (value, bound) = self.sides(answer);
        self.scaled.program.gap(value, bound) <= self.goal.gap
    }

    fn finish(self, mut stop: Stop, iterations: usize, rounds: Vec<Round>) -> Result<SolvedWeights, Error> {
        let program = self.scaled.program;
        // Few weights if they are good enough, else the best of them, of all, and of none.
        let mut answer = self.answer(true);
        let mut attained = program.attained(&answer.weights);
        if program.gap(attained.value, program.bounded(&answer, attained.value)) > self.goal.gap {
            let none = Weights { weights: vec![0.0; program.columns()], ..answer.clone() };
            for other in [self.answer(false), none] {
                let there = program.attained(&other.weights);
                if there.value < attained.value {
                    (answer, attained) = (other, there);
                }
            }
        }
        answer.weights.iter_mut().for_each(|w| *w *= attained.shrink);
        let certificate = program.certify(&answer)?;
        if stop == Stop::Stalled && certificate.is_within(self.goal.gap) {
            stop = Stop::Converged;
        }
        Ok(SolvedWeights { answer, certificate, stop, iterations, rounds })
    }
}

/// The entries with the least keys, in their order; of equal ones the first.
fn first(mut list: Vec<(usize, f64)>, limit: usize) -> Vec<usize> {
    list.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    list.into_iter().take(limit).map(|(at, _)| at).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
