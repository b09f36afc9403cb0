//! Lapses: answers given without a look, by expectation and maximisation.
//!
//! The posterior that answer `t` was a lapse is `q_t = (lapse / K) / P_t`. With `m` the mean of `q`, the lapse of a person is
//! `(Σ w q + 4 m) / (Σ w + 4)`: the mode under a Beta prior worth four answers like those of everybody. Rates and map take turns.

use nearer_num::choices::{Lapse, Link};
use nearer_num::elementary::exp_below_zero;
use nearer_num::pairs::Rows;

use crate::solve::descent::{self, Ended, Limits};
use crate::solve::likelihood::{Answers, Likelihood, Opening};
use crate::solve::{Clock, Stop};

/// Whose lapses there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Lapsing {
    None,
    One,
    Each,
    Fixed(f64),
}

/// The rates so far.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rates {
    /// Over all answers.
    pub mean: f64,
    /// Of each person and then of those who are not named; empty where there is one for all.
    pub each: Vec<f64>,
}

/// At zero they would stay at zero.
const FIRST: f64 = 0.05;
/// So many answers like those of everybody are added to each person's.
const PRIOR: f64 = 4.0;
/// Rates stay within these, so that no answer is impossible and none is wholly lost.
const LEAST: f64 = 1e-6;
const MOST: f64 = 0.999;
/// Rates that move by no more are settled.
const SETTLED: f64 = 5e-4;
/// Rounds for one map: they cost little beside a step of it, and alone each goes a part of the way.
const ROUNDS: usize = 4;

impl Rates {
    /// Before anything is known.
    pub(crate) fn first(by: Lapsing, answers: &Answers) -> Self {
        match by {
            Lapsing::None => Rates { mean: 0.0, each: Vec::new() },
            Lapsing::Fixed(rate) => Rates { mean: rate, each: Vec::new() },
            Lapsing::One => Rates { mean: FIRST, each: Vec::new() },
            Lapsing::Each => Rates { mean: FIRST, each: vec![FIRST; answers.people.len() + 1] },
        }
    }
    /// As the likelihood takes them.
    pub(crate) fn of<'a>(&'a self, answers: &'a Answers) -> Lapse<'a> {
        if !self.each.is_empty() {
            Lapse::Grouped { group: &answers.who, rate: &self.each }
        } else if self.mean == 0.0 {
            Lapse::None
        } else {
            Lapse::One(self.mean)
        }
    }

    /// The rates that the answers of a map suggest, after a few rounds of expectation and maximisation; `log` is `ln Π p` of each.
    fn after(&self, answers: &Answers, log: &[f64]) -> Rates {
        let right: Vec<f64> = log.iter().map(|l| exp_below_zero(*l)).collect();
        let mut rates = self.clone();
        for _ in 0..ROUNDS {
            let next = rates.once(answers, &right);
            let settled = next.moved(&rates) <= SETTLED;
            rates = next;
            if settled {
                break;
            }
        }
        rates
    }
    /// One round; `right` is `Π p` of each answer.
    fn once(&self, answers: &Answers, right: &[f64]) -> Rates {
        let (choices, lapse) = (&answers.choices, self.of(answers));
        let (mut count, mut lost) = (vec![0.0; self.each.len()], vec![0.0; self.each.len()]);
        let (mut all, mut sum) = (0.0, 0.0);
        for (t, right) in right.iter().enumerate() {
            let (rate, weight) = (lapse.of(t), choices.weight(t));
            let guess = rate * choices.guess(t);
            let q = weight * guess / (guess + (1.0 - rate) * right);
            all += weight;
            sum += q;
            if !self.each.is_empty() {
                count[answers.who[t] as usize] += weight;
                lost[answers.who[t] as usize] += q;
            }
        }
        let mean = (sum / all).clamp(LEAST, MOST);
        let rate = |(lost, count): (f64, f64)| ((lost + PRIOR * mean) / (count + PRIOR)).clamp(LEAST, MOST);
        Rates { mean, each: lost.into_iter().zip(count).map(rate).collect() }
    }
    /// The logarithm of the probability of each answer, lapses included.
    pub(crate) fn logarithms(&self, answers: &Answers, points: Rows<'_>, link: Link) -> Vec<f64> {
        let (mut log, lapse) = (answers.choices.log_probability(points, link), self.of(answers));
        for (t, log) in log.iter_mut().enumerate() {
            let rate = lapse.of(t);
            if rate > 0.0 {
                *log = (rate * answers.choices.guess(t) + (1.0 - rate) * log.exp()).ln();
            }
        }
        log
    }
    fn moved(&self, other: &Rates) -> f64 {
        let each = self.each.iter().zip(&other.each).map(|(a, b)| (a - b).abs());
        each.fold((self.mean - other.mean).abs(), f64::max)
    }
    /// Minus the logarithm of the prior of the rates, up to a constant.
    pub(crate) fn prior(&self) -> f64 {
        let m = self.mean;
        -self.each.iter().map(|r| PRIOR * (m * r.ln() + (1.0 - m) * (-r).ln_1p())).sum::<f64>()
    }
}

/// A map and rates in turns.
pub(crate) struct Turns<'a> {
    pub answers: &'a Answers,
    pub link: Link,
    pub precision: f64,
    pub by: Lapsing,
    pub opening: &'a Opening<'a>,
}

impl Turns<'_> {
    pub(crate) fn loss<'s>(&'s self, rates: &'s Rates) -> Likelihood<'s> {
        Likelihood {
            choices: &self.answers.choices,
            link: self.link,
            lapse: rates.of(self.answers),
            precision: self.precision,
            opening: self.opening,
        }
    }

    /// So many turns of so many steps each from a map and rates, fewer where the rates are settled.
    pub(crate) fn take(
        &self,
        (mut at, mut rates): (Vec<f64>, Rates),
        (turns, steps): (usize, usize),
        clock: &Clock<'_>,
    ) -> (Ended<()>, Rates) {
        let limits = Limits { max_iter: steps, eps: 1e-6 };
        let mut iterations = 0;
        loop {
            let ended = descent::from(&self.loss(&rates), at, limits, clock);
            iterations += ended.iterations;
            let over = matches!(ended.stop, Stop::TimeLimit | Stop::Cancelled);
            if turns * steps <= iterations || over || matches!(self.by, Lapsing::None | Lapsing::Fixed(_)) {
                return (Ended { iterations, ..ended }, rates);
            }
            let log = self.answers.choices.log_probability(self.rows(&ended.at), self.link);
            let next = rates.after(self.answers, &log);
            let settled = next.moved(&rates) <= SETTLED;
            rates = next;
            if settled {
                return (Ended { iterations, ..ended }, rates);
            }
            // A turn that ends early counts as a whole one.
            iterations = iterations.div_ceil(steps) * steps;
            at = ended.at;
        }
    }

    pub(crate) fn rows<'p>(&self, at: &'p [f64]) -> Rows<'p> {
        Rows { values: at, dim: self.opening.shape().1 }
    }

    /// The mean logarithm of the probability of answers, lapses included, on a map.
    pub(crate) fn score(&self, at: &[f64], rates: &Rates, held: &Answers) -> f64 {
        self.scores(at, rates, held).iter().sum::<f64>() / held.choices.total()
    }

    /// The logarithm of the probability of each answer, lapses included, times its weight.
    pub(crate) fn scores(&self, at: &[f64], rates: &Rates, held: &Answers) -> Vec<f64> {
        let log = rates.logarithms(held, self.rows(at), self.link);
        log.iter().enumerate().map(|(t, log)| held.choices.weight(t) * log).collect()
    }
}
