//! Trials of one choice between two, some at a time: squared distances first, then what they come to in one loop without a
//! branch, then the gradient. Only the middle is arithmetic, and it is done for whole vectors.

use super::{Lapse, Link, add, apart};
use crate::elementary::{exp_below_zero, ln};
use crate::pairs::Rows;
use crate::simd::{self, Kernel};

/// So many at a time: what is known of them stays in the nearest memory.
const BLOCK: usize = 64;

/// Of so many trials the probabilities are multiplied before one logarithm is taken of all.
const FACTORS: usize = 8;
/// A lapse that is less likely is none: a product of [`FACTORS`] probabilities must stay a number.
const NO_LAPSE: f64 = 1e-30;

/// What is known of the trials of a block, each array by trial.
struct Block {
    /// Squared distances of the pairs that were taken and left; then the derivatives by them.
    near: [f64; BLOCK],
    far: [f64; BLOCK],
    /// How much each counts, and its margin or lapse.
    weight: [f64; BLOCK],
    extra: [f64; BLOCK],
    /// What comes out: `plain - ln factor` of each.
    plain: [f64; BLOCK],
    factor: [f64; BLOCK],
}

/// What a trial comes to: `plain - ln factor`, and its derivatives by the squared distances of its pairs.
struct Came {
    plain: f64,
    factor: f64,
    near: f64,
    far: f64,
}

trait Term: Copy {
    /// From the squared distances.
    fn of(self, near: f64, far: f64, extra: f64) -> Came;
}

/// `-ln P` without lapses, or with one that is `extra`.
#[derive(Clone, Copy)]
struct Logistic<F, const LAPSES: bool>(F);

impl<F: Fn(f64) -> (f64, f64) + Copy, const LAPSES: bool> Term for Logistic<F, LAPSES> {
    #[inline(always)]
    fn of(self, near: f64, far: f64, lapse: f64) -> Came {
        let ((near, near_slope), (far, far_slope)) = ((self.0)(near), (self.0)(far));
        let eta = far - near;
        // No exponential of a positive number.
        let e = exp_below_zero(-eta.abs());
        let large = 1.0 / (1.0 + e);
        let small = e * large;
        let (right, wrong) = if eta >= 0.0 { (large, small) } else { (small, large) };
        let below = if eta >= 0.0 { 0.0 } else { -eta };
        let (plain, factor, pull) = if LAPSES {
            // Without a lapse the probability may be too small for a number, and its logarithm is not.
            let p = 0.5 * lapse + (1.0 - lapse) * right;
            let none = lapse < NO_LAPSE;
            let share = (1.0 - lapse) * right / if none { 1.0 } else { p };
            let factor = if none { large } else { p };
            (if none { below } else { 0.0 }, factor, wrong * if none { 1.0 } else { share })
        } else {
            (below, large, wrong)
        };
        Came { plain, factor, near: pull * near_slope, far: -pull * far_slope }
    }
}

/// `[m + d(near) - d(far)]₊²` with the margin that is `extra`.
#[derive(Clone, Copy)]
struct Short;

impl Term for Short {
    #[inline(always)]
    fn of(self, near: f64, far: f64, margin: f64) -> Came {
        let ((near, near_slope), (far, far_slope)) = (Link::Distance.at(near), Link::Distance.at(far));
        let short = margin + near - far;
        let short = if short > 0.0 { short } else { 0.0 };
        Came { plain: short * short, factor: 1.0, near: 2.0 * short * near_slope, far: -2.0 * short * far_slope }
    }
}

/// The arithmetic of a block: from squared distances to what trials come to and its derivatives. The one part that is compiled
/// for every link, and for whole vectors.
struct Arithmetic<'a, T> {
    term: T,
    block: &'a mut Block,
}

impl<T: Term> Kernel for Arithmetic<'_, T> {
    #[inline(always)]
    fn run(self) {
        let b = self.block;
        for j in 0..BLOCK {
            let came = self.term.of(b.near[j], b.far[j], b.extra[j]);
            b.plain[j] = came.plain;
            b.factor[j] = came.factor;
            b.near[j] = b.weight[j] * came.near;
            b.far[j] = b.weight[j] * came.far;
        }
    }
}

fn hinge(block: &mut Block) {
    simd::run(Arithmetic { term: Short, block });
}

fn logistic<const LAPSES: bool>(link: Link, block: &mut Block) {
    // The link is settled outside of the loop.
    match link {
        Link::Distance => simd::run(Arithmetic { term: Logistic::<_, LAPSES>(|s| Link::Distance.at(s)), block }),
        Link::Squared => simd::run(Arithmetic { term: Logistic::<_, LAPSES>(|s| Link::Squared.at(s)), block }),
        Link::Student(a) => simd::run(Arithmetic { term: Logistic::<_, LAPSES>(|s| Link::Student(a).at(s)), block }),
        Link::Logarithm(m) => {
            simd::run(Arithmetic { term: Logistic::<_, LAPSES>(|s| Link::Logarithm(m).at(s)), block });
        }
    }
}

impl Block {
    fn new() -> Self {
        let zero = [0.0; BLOCK];
        Block { near: zero, far: zero, weight: [1.0; BLOCK], extra: zero, plain: zero, factor: zero }
    }

    /// The sum over the first `count`: where all count alike, the logarithms of products instead of a sum of logarithms.
    fn value(&mut self, count: usize, alike: bool) -> f64 {
        const SUMS: usize = BLOCK / FACTORS;
        self.plain[count..].fill(0.0);
        self.factor[count..].fill(1.0);
        let (mut sums, mut products) = ([0.0; SUMS], [1.0; SUMS]);
        for (k, (plain, factor)) in self.plain.iter().zip(&self.factor).enumerate() {
            if alike {
                sums[k % SUMS] += plain;
                products[k % SUMS] *= factor;
            } else {
                sums[k % SUMS] += self.weight[k] * (plain - ln(*factor));
            }
        }
        sums.iter().zip(&products).map(|(sum, product)| sum - ln(*product)).sum()
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
        match lapse {
            Lapse::None => self.sum(|_| 0.0, |b| logistic::<false>(link, b), gradient),
            _ => self.sum(|t| lapse.of(t), |b| logistic::<true>(link, b), gradient),
        }
    }

    /// `Σ w [m + d(near) - d(far)]₊²`; its gradient is added.
    pub(super) fn hinge(&self, margins: &[f64], gradient: &mut [f64]) -> f64 {
        self.sum(|t| margins.get(t).copied().unwrap_or(1.0), hinge, gradient)
    }

    /// `ln P` of each.
    pub(super) fn logarithms(&self, link: Link, out: &mut [f64]) {
        let mut b = Block::new();
        for (out, block) in out.chunks_mut(BLOCK).zip(self.pairs.chunks(2 * BLOCK)) {
            for (j, two) in block.chunks_exact(2).enumerate() {
                b.near[j] = apart::<P>(self.points, two[0]).2;
                b.far[j] = apart::<P>(self.points, two[1]).2;
            }
            logistic::<false>(link, &mut b);
            for ((out, plain), factor) in out.iter_mut().zip(&b.plain).zip(&b.factor) {
                *out = ln(*factor) - plain;
            }
        }
    }

    /// Block by block: squared distances, the arithmetic, the gradient.
    fn sum(&self, extra: impl Fn(usize) -> f64, arithmetic: impl Fn(&mut Block), gradient: &mut [f64]) -> f64 {
        let (mut b, mut value) = (Block::new(), 0.0);
        for (k, block) in self.pairs.chunks(2 * BLOCK).enumerate() {
            let trial = self.first + k * BLOCK;
            let (two, _) = block.as_chunks::<2>();
            for (j, [near, far]) in two.iter().enumerate() {
                b.near[j] = apart::<P>(self.points, *near).2;
                b.far[j] = apart::<P>(self.points, *far).2;
                b.extra[j] = extra(trial + j);
            }
            if !self.weights.is_empty() {
                b.weight[..two.len()].copy_from_slice(&self.weights[trial..trial + two.len()]);
            }
            arithmetic(&mut b);
            value += b.value(two.len(), self.weights.is_empty());
            for (j, [near, far]) in two.iter().enumerate() {
                if near[0] == far[0] {
                    triplet::<P>(self.points, [near[0], near[1], far[1]], [b.near[j], b.far[j]], gradient);
                } else {
                    add::<P>(self.points, ends::<P>(self.points, *near), b.near[j], gradient);
                    add::<P>(self.points, ends::<P>(self.points, *far), b.far[j], gradient);
                }
            }
        }
        value
    }
}

/// Adds the gradient of two pairs that share a point, which is written once.
#[inline(always)]
fn triplet<const P: usize>(points: Rows<'_>, items: [u32; 3], pulls: [f64; 2], gradient: &mut [f64]) {
    let dim = if P == 0 { points.dim } else { P };
    let [head, near, far] = items.map(|i| i as usize * dim);
    let [x, y, z] = [head, near, far].map(|at| &points.values[at..at + dim]);
    for c in 0..dim {
        let (to_near, to_far) = (2.0 * pulls[0] * (x[c] - y[c]), 2.0 * pulls[1] * (x[c] - z[c]));
        gradient[head + c] += to_near + to_far;
        gradient[near + c] -= to_near;
        gradient[far + c] -= to_far;
    }
}

/// Where the points of a pair begin.
#[inline(always)]
fn ends<const P: usize>(points: Rows<'_>, [a, b]: [u32; 2]) -> (usize, usize) {
    let dim = if P == 0 { points.dim } else { P };
    (a as usize * dim, b as usize * dim)
}
