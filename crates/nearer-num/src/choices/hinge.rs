//! The squared hinge of distances and its gradient over a piece of trials of any shape.

use std::ops::Range;

use super::{Choices, Link, add, apart};
use crate::pairs::Rows;

pub(super) struct Hinge<'a> {
    pub(super) all: &'a Choices,
    pub(super) points: Rows<'a>,
    /// One for each trial; none where all are 1.
    pub(super) margins: &'a [f64],
}

impl Hinge<'_> {
    pub(super) fn sum(&self, trials: Range<usize>, gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for t in trials {
            let (weight, margin) = (self.all.weight(t), self.margins.get(t).copied().unwrap_or(1.0));
            for choice in self.all.chain(t) {
                let (pairs, width) = self.all.choice(choice);
                let (taken, others) = pairs.split_at(width);
                let near = self.length(taken);
                for other in others.chunks_exact(width) {
                    let short = margin + near - self.length(other);
                    if short > 0.0 {
                        value += weight * short * short;
                        let pull = 2.0 * weight * short;
                        self.pull(taken, pull, gradient);
                        self.pull(other, -pull, gradient);
                    }
                }
            }
        }
        value
    }

    #[inline(always)]
    fn length(&self, option: &[[u32; 2]]) -> f64 {
        option.iter().map(|p| Link::Distance.at(apart::<0>(self.points, *p).2).0).sum()
    }
    #[inline(always)]
    fn pull(&self, option: &[[u32; 2]], pull: f64, gradient: &mut [f64]) {
        for pair in option {
            let (a, b, square) = apart::<0>(self.points, *pair);
            add::<0>(self.points, (a, b), pull * Link::Distance.at(square).1, gradient);
        }
    }
}
