//! Trials of one choice between two, some at a time: squared distances first, then what they come to in one loop without a
//! branch, then the gradient. Only the middle is arithmetic, and it is done for whole vectors.

use super::{Lapse, Link, add, apart};
use crate::elementary::{exp_below_zero, ln};
use crate::pairs::Rows;
use crate::simd::{self, Kernel};

/// So many at a time: what is known of them stays in the nearest memory.
const BLOCK: usize = 64;

/// What is known of the trials of a block.
struct Block {
    /// Squared distances of the pairs that were taken and left.
    near: [f64; BLOCK],
    far: [f64; BLOCK],
    /// How much each counts, and its margin or lapse.
    weight: [f64; BLOCK],
    extra: [f64; BLOCK],
    /// What comes out: the value and its derivatives by the squared distances.
    value: [f64; BLOCK],
    near_pull: [f64; BLOCK],
    far_pull: [f64; BLOCK],
}

/// What a trial comes to.
trait Term: Copy {
    /// The value and its derivatives by the two squared distances.
    fn of(self, near: f64, far: f64, extra: f64) -> (f64, f64, f64);
}

/// `-ln P` without lapses, or with one that is `extra`.
#[derive(Clone, Copy)]
struct Logistic<F, const LAPSES: bool>(F);

impl<F: Fn(f64) -> (f64, f64) + Copy, const LAPSES: bool> Term for Logistic<F, LAPSES> {
    #[inline(always)]
    fn of(self, near: f64, far: f64, lapse: f64) -> (f64, f64, f64) {
        let ((near, near_slope), (far, far_slope)) = ((self.0)(near), (self.0)(far));
        let eta = far - near;
        // No exponential of a positive number.
        let e = exp_below_zero(-eta.abs());
        let large = 1.0 / (1.0 + e);
        let small = e * large;
        let (right, wrong) = if eta >= 0.0 { (large, small) } else { (small, large) };
        let below = if eta >= 0.0 { 0.0 } else { -eta };
        let (value, pull) = if LAPSES {
            // Without a lapse the probability may be too small for a number, and its logarithm is not.
            let p = 0.5 * lapse + (1.0 - lapse) * right;
            let none = lapse == 0.0;
            let logarithm = ln(if none { large } else { p });
            let share = (1.0 - lapse) * right / if none { 1.0 } else { p };
            (if none { below } else { 0.0 } - logarithm, wrong * if none { 1.0 } else { share })
        } else {
            (below - ln(large), wrong)
        };
        (value, pull * near_slope, -pull * far_slope)
    }
}

/// `[m + d(near) - d(far)]₊²` with the margin that is `extra`.
#[derive(Clone, Copy)]
struct Short;

impl Term for Short {
    #[inline(always)]
    fn of(self, near: f64, far: f64, margin: f64) -> (f64, f64, f64) {
        let ((near, near_slope), (far, far_slope)) = (Link::Distance.at(near), Link::Distance.at(far));
        let short = margin + near - far;
        let short = if short > 0.0 { short } else { 0.0 };
        (short * short, 2.0 * short * near_slope, -2.0 * short * far_slope)
    }
}

/// Trials of one choice between two.
pub(super) struct Plain<'a, const P: usize> {
    /// Two pairs each, that which was taken first.
    pub pairs: &'a [[u32; 2]],
    /// The number of the first.
    pub first: usize,
    /// Of all trials; empty where each is 1.
    pub weights: &'a [f64],
    pub points: Rows<'a>,
}

impl<const P: usize> Plain<'_, P> {
    /// `-Σ w ln P`; its gradient is added.
    pub(super) fn likelihood(&self, link: Link, lapse: Lapse<'_>, gradient: &mut [f64]) -> f64 {
        // The link and whether there are lapses are settled outside of the loop.
        match link {
            Link::Distance => self.logistic(|s| Link::Distance.at(s), lapse, gradient),
            Link::Squared => self.logistic(|s| Link::Squared.at(s), lapse, gradient),
            Link::Student(a) => self.logistic(|s| Link::Student(a).at(s), lapse, gradient),
            Link::Logarithm(m) => self.logistic(|s| Link::Logarithm(m).at(s), lapse, gradient),
        }
    }

    /// `Σ w [m + d(near) - d(far)]₊²`; its gradient is added.
    pub(super) fn hinge(&self, margins: &[f64], gradient: &mut [f64]) -> f64 {
        self.sum(Short, |t| margins.get(t).copied().unwrap_or(1.0), gradient)
    }

    /// `ln P` of each.
    pub(super) fn logarithms(&self, link: Link, out: &mut [f64]) {
        match link {
            Link::Distance => self.each(|s| Link::Distance.at(s), out),
            Link::Squared => self.each(|s| Link::Squared.at(s), out),
            Link::Student(a) => self.each(|s| Link::Student(a).at(s), out),
            Link::Logarithm(m) => self.each(|s| Link::Logarithm(m).at(s), out),
        }
    }

    fn each(&self, link: impl Fn(f64) -> (f64, f64) + Copy, out: &mut [f64]) {
        simd::run(Each { plain: self, term: Logistic::<_, false>(link), out });
    }

    fn logistic(&self, link: impl Fn(f64) -> (f64, f64) + Copy, lapse: Lapse<'_>, gradient: &mut [f64]) -> f64 {
        match lapse {
            Lapse::None => self.sum(Logistic::<_, false>(link), |_| 0.0, gradient),
            _ => self.sum(Logistic::<_, true>(link), |t| lapse.of(t), gradient),
        }
    }

    fn sum(&self, term: impl Term, extra: impl Fn(usize) -> f64, gradient: &mut [f64]) -> f64 {
        let mut value = 0.0;
        simd::run(Sum { plain: self, term, extra, gradient, value: &mut value });
        value
    }
}

struct Sum<'a, const P: usize, T, E> {
    plain: &'a Plain<'a, P>,
    term: T,
    extra: E,
    gradient: &'a mut [f64],
    value: &'a mut f64,
}

impl<const P: usize, T: Term, E: Fn(usize) -> f64> Kernel for Sum<'_, P, T, E> {
    #[inline(always)]
    fn run(self) {
        let Plain { pairs, first, weights, points } = *self.plain;
        let zero = [0.0; BLOCK];
        let mut b = Block {
            near: zero,
            far: zero,
            weight: [1.0; BLOCK],
            extra: zero,
            value: zero,
            near_pull: zero,
            far_pull: zero,
        };
        for (k, block) in pairs.chunks(2 * BLOCK).enumerate() {
            let trial = first + k * BLOCK;
            for (j, two) in block.chunks_exact(2).enumerate() {
                b.near[j] = apart::<P>(points, two[0]).2;
                b.far[j] = apart::<P>(points, two[1]).2;
                b.extra[j] = (self.extra)(trial + j);
                if !weights.is_empty() {
                    b.weight[j] = weights[trial + j];
                }
            }
            for j in 0..BLOCK {
                let (value, near, far) = self.term.of(b.near[j], b.far[j], b.extra[j]);
                b.value[j] = b.weight[j] * value;
                b.near_pull[j] = b.weight[j] * near;
                b.far_pull[j] = b.weight[j] * far;
            }
            for (j, two) in block.chunks_exact(2).enumerate() {
                *self.value += b.value[j];
                add::<P>(points, ends::<P>(points, two[0]), b.near_pull[j], self.gradient);
                add::<P>(points, ends::<P>(points, two[1]), b.far_pull[j], self.gradient);
            }
        }
    }
}

/// The values alone, negative.
struct Each<'a, const P: usize, T> {
    plain: &'a Plain<'a, P>,
    term: T,
    out: &'a mut [f64],
}

impl<const P: usize, T: Term> Kernel for Each<'_, P, T> {
    #[inline(always)]
    fn run(self) {
        let (mut near, mut far) = ([0.0; BLOCK], [0.0; BLOCK]);
        for (out, block) in self.out.chunks_mut(BLOCK).zip(self.plain.pairs.chunks(2 * BLOCK)) {
            for (j, two) in block.chunks_exact(2).enumerate() {
                near[j] = apart::<P>(self.plain.points, two[0]).2;
                far[j] = apart::<P>(self.plain.points, two[1]).2;
            }
            for ((out, near), far) in out.iter_mut().zip(&near).zip(&far) {
                *out = -self.term.of(*near, *far, 0.0).0;
            }
        }
    }
}

/// Where the points of a pair begin.
#[inline(always)]
fn ends<const P: usize>(points: Rows<'_>, [a, b]: [u32; 2]) -> (usize, usize) {
    let dim = if P == 0 { points.dim } else { P };
    (a as usize * dim, b as usize * dim)
}
