//! Sums over choices among pairs of points: of a few options one was taken, the more likely the nearer its points lie.
//!
//! An option is one pair of points or several; `φ` of an option is the sum of a rising function of the squared distances of its
//! pairs, the [`Link`]. A choice takes option `c` with probability `exp(-φ_c) / Σ_q exp(-φ_q)`. A trial is a chain of such
//! choices, all of them answered at random with the probability of a lapse: `P = lapse / K + (1 - lapse) Π p`, with `K` the
//! number of possible answers. The sums are cut into pieces by the number of trials alone, and put together in order.

mod blocks;
mod curvature;
mod hinge;
mod pass;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::elementary::ln;
use crate::pairs::Rows;
use crate::par;

/// How a squared distance counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Link {
    /// By the distance itself.
    Distance,
    /// By its square.
    Squared,
    /// By `(a + 1)/2 · ln(1 + d²/a)`, as Student's distribution of `a` degrees of freedom falls off.
    Student(f64),
    /// By `ln(m + d²)`.
    Logarithm(f64),
}

/// What rounds the corner of the distance at zero, in units of the squared distance.
const CORNER: f64 = 1e-12;

impl Link {
    /// `φ` and its derivative by the squared distance.
    #[inline(always)]
    #[must_use]
    pub fn at(self, square: f64) -> (f64, f64) {
        match self {
            Link::Distance => {
                let d = (square + CORNER).sqrt();
                (d, 0.5 / d)
            }
            Link::Squared => (square, 1.0),
            Link::Student(a) => (0.5 * (a + 1.0) * ln(1.0 + square / a), 0.5 * (a + 1.0) / (a + square)),
            Link::Logarithm(m) => (ln(m + square), 1.0 / (m + square)),
        }
    }
}

/// Trials, compactly: 16 bytes each while all of them are one choice between two pairs and count alike.
#[derive(Debug, Clone, Default)]
pub struct Choices {
    /// The pairs of all options of all choices; of each choice the option that was taken stands first.
    pairs: Vec<[u32; 2]>,
    /// How much each trial counts; empty while that is 1 for all.
    weights: Vec<f64>,
    /// `None` while every trial is one choice between two pairs.
    chains: Option<Chains>,
}

/// Trials of any shape.
#[derive(Debug, Clone, Default)]
struct Chains {
    /// Where the pairs of each choice end, and how many an option has.
    choices: Vec<(u32, u32)>,
    /// Where the choices of each trial end.
    trials: Vec<u32>,
    /// `1 / K` of each trial.
    guess: Vec<f64>,
}

/// The probability of a lapse.
#[derive(Debug, Clone, Copy)]
pub enum Lapse<'a> {
    /// There are none.
    None,
    /// The same in every trial.
    One(f64),
    /// That of the group of each trial.
    Grouped {
        /// The group of each trial.
        group: &'a [u32],
        /// The probability in each group.
        rate: &'a [f64],
    },
}

impl Lapse<'_> {
    /// Its probability in a trial.
    #[inline(always)]
    #[must_use]
    pub fn of(self, trial: usize) -> f64 {
        match self {
            Lapse::None => 0.0,
            Lapse::One(rate) => rate,
            Lapse::Grouped { group, rate } => rate[group[trial] as usize],
        }
    }
}

/// At least so many trials are summed in one piece, and there are at most so many pieces: each has a gradient of its own.
const PIECE: usize = 1 << 12;
const PIECES: usize = 32;

impl Choices {
    /// Adds a trial of this weight that took the near pair and left the far one.
    pub fn push_pair(&mut self, weight: f64, near: [u32; 2], far: [u32; 2]) {
        if self.chains.is_some() {
            return self.push(weight, 2.0, [(&[near, far][..], 1)]);
        }
        self.weigh(self.len(), weight);
        self.pairs.extend(shared_first(near, far));
    }

    /// Notes the weight of the trial that comes after so many.
    fn weigh(&mut self, count: usize, weight: f64) {
        if self.weights.is_empty() && weight != 1.0 {
            self.weights = vec![1.0; count];
        }
        if !self.weights.is_empty() || weight != 1.0 {
            self.weights.push(weight);
        }
    }

    /// Adds a trial of this weight: for each of its choices the pairs of the options, that of the one taken first, and how many
    /// an option has. `answers` is how many answers it could have had.
    pub fn push<'p>(&mut self, weight: f64, answers: f64, choices: impl IntoIterator<Item = (&'p [[u32; 2]], usize)>) {
        let (before, count) = (self.pairs.len(), self.len());
        let mut made: Vec<(u32, u32)> = Vec::new();
        for (pairs, width) in choices {
            self.pairs.extend_from_slice(pairs);
            made.push((self.pairs.len() as u32, width as u32));
        }
        let plain = made.len() == 1 && made[0].1 == 1 && self.pairs.len() == before + 2;
        if !plain && self.chains.is_none() {
            self.chains = Some(Chains {
                choices: (1..=count as u32).map(|t| (2 * t, 1)).collect(),
                trials: (1..=count as u32).collect(),
                guess: vec![0.5; count],
            });
        }
        if let Some(chains) = &mut self.chains {
            chains.choices.append(&mut made);
            chains.trials.push(chains.choices.len() as u32);
            chains.guess.push(1.0 / answers);
        }
        self.weigh(count, weight);
    }

    /// How many trials there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chains.as_ref().map_or(self.pairs.len() / 2, |c| c.trials.len())
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How much a trial counts.
    #[inline(always)]
    #[must_use]
    pub fn weight(&self, trial: usize) -> f64 {
        self.weights.get(trial).copied().unwrap_or(1.0)
    }
    /// How much all of them count.
    #[must_use]
    pub fn total(&self) -> f64 {
        if self.weights.is_empty() { self.len() as f64 } else { self.weights.iter().sum() }
    }
    /// `1 / K` of a trial.
    #[inline(always)]
    #[must_use]
    pub fn guess(&self, trial: usize) -> f64 {
        self.chains.as_ref().map_or(0.5, |c| c.guess[trial])
    }
    /// Some of the trials.
    #[must_use]
    pub fn subset(&self, trials: &[usize]) -> Self {
        let mut some = Choices::default();
        if self.chains.is_none() {
            for &t in trials {
                some.push_pair(self.weight(t), self.pairs[2 * t], self.pairs[2 * t + 1]);
            }
            return some;
        }
        for &t in trials {
            let list: Vec<(&[[u32; 2]], usize)> = self.chain(t).map(|c| self.choice(c)).collect();
            some.push(self.weight(t), 1.0 / self.guess(t), list);
        }
        some
    }

    /// The points that a trial is about, some of them several times.
    pub fn points(&self, trial: usize) -> impl Iterator<Item = u32> + '_ {
        self.chain(trial).flat_map(|c| self.choice(c).0.as_flattened().iter().copied())
    }

    /// The numbers of the choices of a trial.
    #[inline(always)]
    fn chain(&self, trial: usize) -> Range<usize> {
        match &self.chains {
            None => trial..trial + 1,
            Some(c) => (if trial == 0 { 0 } else { c.trials[trial - 1] as usize })..c.trials[trial] as usize,
        }
    }
    /// The pairs of a choice, and how many an option has.
    #[inline(always)]
    fn choice(&self, choice: usize) -> (&[[u32; 2]], usize) {
        match &self.chains {
            None => (&self.pairs[2 * choice..2 * choice + 2], 1),
            Some(c) => {
                let start = if choice == 0 { 0 } else { c.choices[choice - 1].0 as usize };
                let (end, width) = c.choices[choice];
                (&self.pairs[start..end as usize], width as usize)
            }
        }
    }

    /// `-Σ w ln P` over all trials; its gradient is written.
    pub fn loss(&self, points: Rows<'_>, link: Link, lapse: Lapse<'_>, gradient: &mut [f64]) -> f64 {
        let any = |trials, part: &mut [f64]| match points.dim {
            2 => pass::Pass::<2> { all: self, points, link, lapse }.sum(trials, part),
            _ => pass::Pass::<0> { all: self, points, link, lapse }.sum(trials, part),
        };
        self.summed(points, gradient, |trials, part| {
            if self.chains.is_some() {
                return any(trials, part);
            }
            match points.dim {
                1 => self.plain::<1>(points, trials).likelihood(link, lapse, part),
                2 => self.plain::<2>(points, trials).likelihood(link, lapse, part),
                3 => self.plain::<3>(points, trials).likelihood(link, lapse, part),
                4 => self.plain::<4>(points, trials).likelihood(link, lapse, part),
                _ => self.plain::<0>(points, trials).likelihood(link, lapse, part),
            }
        })
    }

    /// `Σ w [m + d_taken - d_other]₊²` over all options that were not taken, `d` the sum of the distances of an option and `m`
    /// the margin of the trial, or 1 where there are no margins; its gradient is written.
    pub fn hinge(&self, points: Rows<'_>, margins: &[f64], gradient: &mut [f64]) -> f64 {
        self.summed(points, gradient, |trials, part| match (&self.chains, points.dim) {
            (None, 1) => self.plain::<1>(points, trials).hinge(margins, part),
            (None, 2) => self.plain::<2>(points, trials).hinge(margins, part),
            (None, 3) => self.plain::<3>(points, trials).hinge(margins, part),
            (None, 4) => self.plain::<4>(points, trials).hinge(margins, part),
            (None, _) => self.plain::<0>(points, trials).hinge(margins, part),
            _ => hinge::Hinge { all: self, points, margins }.sum(trials, part),
        })
    }

    /// Some trials that are all one choice between two.
    fn plain<'a, const P: usize>(&'a self, points: Rows<'a>, trials: Range<usize>) -> blocks::Plain<'a, P> {
        let pairs = &self.pairs[2 * trials.start..2 * trials.end];
        blocks::Plain { pairs, first: trials.start, weights: &self.weights, points }
    }

    fn summed(
        &self,
        points: Rows<'_>,
        gradient: &mut [f64],
        piece: impl Fn(Range<usize>, &mut [f64]) -> f64 + Sync + Send,
    ) -> f64 {
        let size = self.len().div_ceil(PIECES).max(PIECE);
        let ranges = par::ranges(self.len(), size);
        gradient.fill(0.0);
        if let [all] = ranges.as_slice() {
            return piece(all.clone(), gradient);
        }
        let parts = par::map(ranges.len(), |k| {
            let mut part = vec![0.0; points.values.len()];
            let value = piece(ranges[k].clone(), &mut part);
            (value, part)
        });
        let mut value = 0.0;
        for (v, part) in &parts {
            value += v;
            gradient.iter_mut().zip(part).for_each(|(g, p)| *g += p);
        }
        value
    }

    /// `ln Π p` of each trial: how likely its answer is where it is no lapse.
    #[must_use]
    pub fn log_probability(&self, points: Rows<'_>, link: Link) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        par::chunks(&mut out, PIECE, |start, part| {
            if self.chains.is_none() {
                let trials = start..start + part.len();
                return match points.dim {
                    2 => self.plain::<2>(points, trials).logarithms(link, part),
                    _ => self.plain::<0>(points, trials).logarithms(link, part),
                };
            }
            let mut phi = Vec::new();
            for (k, out) in part.iter_mut().enumerate() {
                *out = self.chain(start + k).map(|c| self.log_choice(c, points, link, &mut phi)).sum();
            }
        });
        out
    }

    /// `ln p` of one choice; leaves the `φ` of its options.
    fn log_choice(&self, choice: usize, points: Rows<'_>, link: Link, phi: &mut Vec<f64>) -> f64 {
        let (pairs, width) = self.choice(choice);
        let of = |option: &[[u32; 2]]| option.iter().map(|p| link.at(apart::<0>(points, *p).2).0).sum::<f64>();
        phi.clear();
        phi.extend(pairs.chunks_exact(width).map(of));
        let least = phi.iter().fold(f64::INFINITY, |m: f64, v| m.min(*v));
        let sum: f64 = phi.iter().map(|v| (least - v).exp()).sum();
        least - phi[0] - sum.ln()
    }

    /// Whether in every choice of a trial the option that was taken is the nearest.
    #[must_use]
    pub fn nearest(&self, points: Rows<'_>, link: Link, trial: usize) -> bool {
        let mut phi = Vec::new();
        self.chain(trial).all(|c| {
            self.log_choice(c, points, link, &mut phi);
            phi[1..].iter().all(|other| phi[0] < *other)
        })
    }
}

/// Two pairs, each with the point first that they share.
fn shared_first(near: [u32; 2], far: [u32; 2]) -> [[u32; 2]; 2] {
    let turned = |[a, b]: [u32; 2]| [b, a];
    match (near, far) {
        ([a, _], [c, _]) if a == c => [near, far],
        ([a, _], [_, d]) if a == d => [near, turned(far)],
        ([_, b], [c, _]) if b == c => [turned(near), far],
        ([_, b], [_, d]) if b == d => [turned(near), turned(far)],
        _ => [near, far],
    }
}

/// The two points of a pair: where they begin, and their squared distance. `P` is the number of coordinates, 0 for any.
#[inline(always)]
fn apart<const P: usize>(points: Rows<'_>, [a, b]: [u32; 2]) -> (usize, usize, f64) {
    let dim = if P == 0 { points.dim } else { P };
    let (a, b) = (a as usize * dim, b as usize * dim);
    let (x, y) = (&points.values[a..a + dim], &points.values[b..b + dim]);
    let square = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
    (a, b, square)
}

/// Adds the gradient of something whose derivative by the squared distance of a pair is `pull`.
#[inline(always)]
fn add<const P: usize>(points: Rows<'_>, (a, b): (usize, usize), pull: f64, gradient: &mut [f64]) {
    let dim = if P == 0 { points.dim } else { P };
    for c in 0..dim {
        let step = 2.0 * pull * (points.values[a + c] - points.values[b + c]);
        gradient[a + c] += step;
        gradient[b + c] -= step;
    }
}
