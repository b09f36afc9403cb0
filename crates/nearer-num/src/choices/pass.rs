//! The likelihood and its gradient over a piece of trials of any shape.

use std::ops::Range;

use super::{Choices, Lapse, Link, add, apart};
use crate::pairs::Rows;

pub(super) struct Pass<'a, const P: usize> {
    pub(super) all: &'a Choices,
    pub(super) points: Rows<'a>,
    pub(super) link: Link,
    pub(super) lapse: Lapse<'a>,
}

/// A pair of a trial: where its points begin, the derivative of `φ`, and the option it belongs to.
struct Seen {
    ends: (usize, usize),
    slope: f64,
    option: usize,
}

impl<const P: usize> Pass<'_, P> {
    pub(super) fn sum(&self, trials: Range<usize>, gradient: &mut [f64]) -> f64 {
        // The link is settled outside of the loop.
        match self.link {
            Link::Distance => self.chains(trials, gradient, |s| Link::Distance.at(s)),
            Link::Squared => self.chains(trials, gradient, |s| Link::Squared.at(s)),
            Link::Student(a) => self.chains(trials, gradient, |s| Link::Student(a).at(s)),
            Link::Logarithm(m) => self.chains(trials, gradient, |s| Link::Logarithm(m).at(s)),
        }
    }

    #[inline(always)]
    fn chains(&self, trials: Range<usize>, gradient: &mut [f64], link: impl Fn(f64) -> (f64, f64)) -> f64 {
        let mut value = 0.0;
        let mut seen: Vec<Seen> = Vec::new();
        // For each option its φ, then the derivative of -ln p by it.
        let mut shares: Vec<f64> = Vec::new();
        for t in trials {
            seen.clear();
            shares.clear();
            let mut log = 0.0;
            for choice in self.all.chain(t) {
                let (pairs, width) = self.all.choice(choice);
                let from = shares.len();
                for option in pairs.chunks_exact(width) {
                    let mut sum = 0.0;
                    for pair in option {
                        let (a, b, square) = apart::<P>(self.points, *pair);
                        let (phi, slope) = link(square);
                        sum += phi;
                        seen.push(Seen { ends: (a, b), slope, option: shares.len() });
                    }
                    shares.push(sum);
                }
                let least = shares[from..].iter().fold(f64::INFINITY, |m: f64, v| m.min(*v));
                let taken = shares[from];
                let mut sum = 0.0;
                for share in &mut shares[from..] {
                    *share = (least - *share).exp();
                    sum += *share;
                }
                shares[from..].iter_mut().for_each(|share| *share /= -sum);
                shares[from] += 1.0;
                log += least - taken - sum.ln();
            }
            let (weight, lapse) = (self.all.weight(t), self.lapse.of(t));
            let pull = if lapse == 0.0 {
                value -= weight * log;
                weight
            } else {
                let right = (1.0 - lapse) * log.exp();
                let p = lapse * self.all.guess(t) + right;
                value -= weight * p.ln();
                weight * right / p
            };
            for pair in &seen {
                add::<P>(self.points, pair.ends, pull * shares[pair.option] * pair.slope, gradient);
            }
        }
        value
    }
}
