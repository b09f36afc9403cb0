//! Second derivatives of the likelihood, trial by trial.
//!
//! With `l = ln Π p` of a trial and `s = (1 - lapse) Π p / P` the probability that it was no lapse,
//! `-d² ln P = -s d²l - s (1 - s) dl dlᵗ`; and of one choice `dl = Σ (p_q - [q taken]) dφ_q`,
//! `d²l = Σ (p_q - [q taken]) d²φ_q - cov(dφ)`, the covariance under `p`.

use super::{Choices, Lapse, Link, apart};
use crate::pairs::Rows;

impl Link {
    /// The second derivative of `φ` by the squared distance.
    fn bend(self, square: f64) -> f64 {
        match self {
            Link::Distance => -0.5 * self.at(square).1 / (square + super::CORNER),
            Link::Squared => 0.0,
            Link::Student(a) => -0.5 * (a + 1.0) / (a + square).powi(2),
            Link::Logarithm(m) => -1.0 / (m + square).powi(2),
        }
    }
}

/// What one trial says of the points that it is about.
#[derive(Debug, Default)]
struct Local {
    points: Vec<u32>,
    /// `dl`, and `-d²l` row by row.
    first: Vec<f64>,
    second: Vec<f64>,
    /// `dφ` of each option of a choice.
    slopes: Vec<f64>,
    phi: Vec<f64>,
}

impl Choices {
    /// For each trial the points that it is about and the second derivatives of `-w ln P` by their coordinates, a symmetric
    /// square of the coordinates of the first point, then those of the second, and so on.
    pub fn curvature(&self, points: Rows<'_>, link: Link, lapse: Lapse<'_>, mut each: impl FnMut(&[u32], &[f64])) {
        let mut local = Local::default();
        for t in 0..self.len() {
            let log = local.gather(self, t, points, link);
            let (rate, weight) = (lapse.of(t), self.weight(t));
            let right = (1.0 - rate) * log.exp();
            let seen = if rate == 0.0 { 1.0 } else { right / (rate * self.guess(t) + right) };
            let size = local.first.len();
            for i in 0..size {
                for j in 0..size {
                    let at = i * size + j;
                    let outer = (1.0 - seen) * local.first[i] * local.first[j];
                    local.second[at] = weight * seen * (local.second[at] - outer);
                }
            }
            each(&local.points, &local.second);
        }
    }
}

impl Choices {
    /// For each trial of one choice how far its second nearest option is behind its nearest, `φ₂ - φ₁`, as a function of the points
    /// that it is about: the `φ` of its options, the points, and the derivatives by their coordinates. Chains are passed over.
    pub fn contrasts(&self, points: Rows<'_>, link: Link, mut each: impl FnMut(usize, &[f64], &[u32], &[f64])) {
        let (mut local, mut phi) = (Local::default(), Vec::new());
        for t in (0..self.len()).filter(|&t| self.chain(t).len() == 1) {
            local.gather(self, t, points, link);
            self.log_choice(self.chain(t).start, points, link, &mut phi);
            let order = |besides: usize| {
                (0..phi.len()).filter(|q| *q != besides).min_by(|&a, &b| phi[a].total_cmp(&phi[b])).unwrap_or(0)
            };
            let first = order(usize::MAX);
            let (first, second, size) = (first, order(first), local.first.len());
            let of = |q: usize| &local.slopes[q * size..(q + 1) * size];
            let by: Vec<f64> = of(second).iter().zip(of(first)).map(|(s, f)| s - f).collect();
            each(t, &phi, &local.points, &by);
        }
    }
}

impl Local {
    /// Collects the derivatives of `l` of a trial, and gives `l`.
    fn gather(&mut self, all: &Choices, trial: usize, points: Rows<'_>, link: Link) -> f64 {
        let dim = points.dim;
        self.points.clear();
        for choice in all.chain(trial) {
            self.points.extend(all.choice(choice).0.iter().flatten());
        }
        self.points.sort_unstable();
        self.points.dedup();
        let size = self.points.len() * dim;
        self.first.clear();
        self.first.resize(size, 0.0);
        self.second.clear();
        self.second.resize(size * size, 0.0);
        let mut log = 0.0;
        for choice in all.chain(trial) {
            log += all.log_choice(choice, points, link, &mut self.phi);
            let (pairs, width) = all.choice(choice);
            let least = self.phi.iter().fold(f64::INFINITY, |m: f64, v| m.min(*v));
            let sum: f64 = self.phi.iter().map(|v| (least - v).exp()).sum();
            self.phi.iter_mut().for_each(|v| *v = (least - *v).exp() / sum);
            self.slopes.clear();
            self.slopes.resize(self.phi.len() * size, 0.0);
            for (q, option) in pairs.chunks_exact(width).enumerate() {
                let excess = self.phi[q] - if q == 0 { 1.0 } else { 0.0 };
                option.iter().for_each(|pair| self.bend(*pair, q, excess, points, link));
            }
            self.spread(size);
        }
        log
    }

    /// Adds `dφ` of a pair to that of its option, and its share of `-d²l`.
    fn bend(&mut self, pair: [u32; 2], option: usize, excess: f64, points: Rows<'_>, link: Link) {
        let (dim, size) = (points.dim, self.first.len());
        let (a, b, square) = apart::<0>(points, pair);
        let place = |p: u32| self.points.binary_search(&p).unwrap_or(0) * dim;
        let ends = [(place(pair[0]), 1.0), (place(pair[1]), -1.0)];
        let (slope, bend) = (link.at(square).1, link.bend(square));
        for (x, sign) in ends {
            for c in 0..dim {
                let by = points.values[a + c] - points.values[b + c];
                self.slopes[option * size + x + c] += sign * 2.0 * slope * by;
                for (y, other) in ends {
                    for e in 0..dim {
                        let beside = points.values[a + e] - points.values[b + e];
                        let own = if c == e { 2.0 * slope } else { 0.0 };
                        self.second[(x + c) * size + y + e] -= excess * sign * other * (4.0 * bend * by * beside + own);
                    }
                }
            }
        }
    }

    /// Adds the covariance of `dφ` over the options, and `dl`.
    fn spread(&mut self, size: usize) {
        let mut mean = vec![0.0; size];
        for (p, slope) in self.phi.iter().zip(self.slopes.chunks_exact(size)) {
            mean.iter_mut().zip(slope).for_each(|(m, s)| *m += p * s);
        }
        for (p, slope) in self.phi.iter().zip(self.slopes.chunks_exact(size)) {
            for i in 0..size {
                let off = p * (slope[i] - mean[i]);
                for j in 0..size {
                    self.second[i * size + j] += off * (slope[j] - mean[j]);
                }
            }
        }
        self.first.iter_mut().zip(&mean).zip(&self.slopes).for_each(|((f, m), taken)| *f += m - taken);
    }
}
