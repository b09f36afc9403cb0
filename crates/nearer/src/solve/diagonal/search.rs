//! The search itself: steps, what is best on either side so far, and how it ends.

use nearer_num::orthant::{Orthant, PairRows, Rows};

use super::scaled::Scaled;
use crate::error::Error;
use crate::program::{Program as _, Weights};
use crate::solve::idle::Idle;
use crate::solve::solver::{Goal, Round, Solved};
use crate::solve::{Clock, Proving, Step, Stop};

/// After so many steps without a better gap rows are let go more rarely and taken in more freely.
const HESITATION: usize = 5;
/// So often is that tried in a row.
const PATIENCE: usize = 8;
/// At this share of the gap that is wanted many weights are taken as well as few.
const ENOUGH: f64 = 1e-3;
/// Room that a bounded pair is given where it has less, in units of the bound.
pub(super) const ROOM: f64 = 1e-3;

/// Where a comparison is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It holds, with room.
    Out,
    /// It is paid for.
    Paid,
    /// It is a row.
    Row,
}

/// What a row of the method is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    /// The mean of all squared distances is at most the bound.
    Mean,
    /// The squared distance at this place is.
    Pair(usize),
    Compared(usize),
}

pub(super) struct Search<'a, R> {
    pub(super) scaled: &'a Scaled<'a>,
    pub(super) goal: &'a Goal,
    /// Whether comparisons come and go.
    pub(super) generate: bool,
    pub(super) state: Orthant<R>,
    pub(super) sources: Vec<Source>,
    pub(super) places: Vec<Place>,
    /// Whether the pair at this place is a row.
    pub(super) held: Vec<bool>,
    /// What the comparisons that are paid for cost beside what the weights pay.
    pub(super) constant: f64,
    pub(super) distances: Vec<f64>,
    /// By how much the last step changed them.
    pub(super) moved: Vec<f64>,
    /// How often rows that came and went have kept the search from getting on.
    pub(super) caution: i32,
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

/// What happens to the rows between the steps, and how far a step may go for the rows that are not there.
pub(super) trait Play {
    fn exchange(&mut self);
    fn reach(&self, along: &[f64]) -> f64;
}

/// All rows are there.
impl Play for Search<'_, PairRows<'_>> {
    fn exchange(&mut self) {}
    fn reach(&self, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}

impl<'a, 'r> Search<'a, PairRows<'r>> {
    /// With all rows.
    pub(super) fn all(scaled: &'a Scaled<'a>, goal: &'a Goal, rows: PairRows<'r>) -> Self {
        let pairs = rows.len() - scaled.high.len();
        let mut constant = scaled.margin.clone();
        constant.resize(rows.len(), -scaled.bound.unwrap_or(0.0));
        let mut high = scaled.high.clone();
        high.resize(rows.len(), f64::INFINITY);
        let (weights, mu) = start(scaled, scaled.columns.len() + 2 * scaled.high.len() + pairs);
        let parts = (scaled.cost.clone(), scaled.curvature.clone());
        let state = Orthant::with_rows(parts, weights, mu, rows, (constant, high), ROOM);
        let mut search = Search::at(scaled, goal, state);
        search.sources = (0..scaled.high.len()).map(Source::Compared).chain((0..pairs).map(Source::Pair)).collect();
        search.places.fill(Place::Row);
        search
    }
}

/// Equal weights, and what complementary products are to be about: with slopes of one, so many of them together come to what the
/// weights do. Were each of hundreds of thousands as large as that of a weight, rows would begin as far from their places as there
/// are rows.
pub(super) fn start(scaled: &Scaled<'_>, products: usize) -> (Vec<f64>, f64) {
    let weights = scaled.start.clone();
    let mu = weights.iter().sum::<f64>() / products.max(1) as f64;
    (weights, mu)
}

impl<'a, R: Rows> Search<'a, R> {
    /// Where the state is, no row in it known yet.
    pub(super) fn at(scaled: &'a Scaled<'a>, goal: &'a Goal, state: Orthant<R>) -> Self {
        let distances = scaled.distances(state.unknowns());
        let (rows, columns) = (scaled.high.len(), state.unknowns().len());
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
            duals: vec![0.0; columns],
            weights: vec![0.0; columns],
            answer,
            ask: goal.gap,
        };
        Search {
            scaled,
            goal,
            generate: false,
            state,
            sources: Vec::new(),
            places: vec![Place::Out; rows],
            held: vec![false; distances.len()],
            constant: 0.0,
            moved: distances.clone(),
            distances,
            caution: 0,
            best,
        }
    }

    pub(super) fn go(mut self, clock: &Clock<'_>) -> Result<Solved<Weights>, Error>
    where
        Self: Play,
    {
        let mut rounds = Vec::new();
        // Weights of nothing may be the best there is; then all comparisons are paid for.
        self.best.answer.multipliers = self.scaled.program.rows.iter().map(|r| r.weight).collect();
        if self.scaled.columns.is_empty() || self.settled(&self.best.answer) {
            return self.finish(Stop::Converged, 0, rounds);
        }
        let (mut idle, mut gaps, mut products) = (0_usize, Idle::new(), Idle::new());
        let mut laps = clock.laps();
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
            // Where rows come and go, products may fall and nothing be gained.
            let (gap, mu) = (gaps.after(gap), products.after(self.state.mu()));
            idle = if gap == 0 || (!self.generate && mu == 0) { 0 } else { idle + 1 };
            if idle == 0 {
                self.caution = (self.caution - 1).max(0);
            } else if idle.is_multiple_of(HESITATION) {
                self.caution += 1;
            }
            // A step of many rows takes seconds: one that would end late is not begun.
            if let Some(stop) = clock.tick(&self.seen(step)).or_else(|| laps.lap()) {
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
    fn advance(&mut self, step: usize) -> Option<()>
    where
        Self: Play,
    {
        self.exchange();
        let by = self.state.direction().ok()?;
        let along = self.scaled.distances(by.unknowns());
        let reach = self.reach(&along);
        let (p, d) = self.state.advance(&by, reach);
        self.moved = along.iter().map(|by| p * by).collect();
        if step.is_multiple_of(8) {
            self.distances = self.scaled.distances(self.state.unknowns());
        } else {
            self.distances.iter_mut().zip(&self.moved).for_each(|(d, by)| *d = (*d + by).max(0.0));
        }
        (p.max(d) > 1e-9).then_some(())
    }

    /// `margin + d(near) - d(far)`.
    pub(super) fn residual(&self, t: usize) -> f64 {
        let s = self.scaled;
        s.margin[t] + self.distances[s.near[t] as usize] - self.distances[s.far[t] as usize]
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

    pub(super) fn gap(&self) -> f64 {
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

    fn finish(self, mut stop: Stop, iterations: usize, rounds: Vec<Round>) -> Result<Solved<Weights>, Error> {
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
        Ok(Solved { candidate: answer, certificate, stop, iterations, rounds, engine: "weights" })
    }
}
