//! A primal–dual interior-point method for one positive semidefinite matrix and many rows, whose Newton system lives in
//! the entries of the matrix: its cost hardly depends on the number of rows.
//!
//! ```text
//! min  c·x + Σ_t φ_t(r_t),   r = J x + e,   φ_t(r) = max v r - κ v²/2 over low_t ≤ v ≤ high_t
//! ```
//!
//! The first entries of `x` are the packed entries of a matrix `S`, which must be positive semidefinite; the others are free.
//! With multipliers `y`, the slack `s` of `y ≥ low`, the slack `u` of `y ≤ high` and the dual matrix `X` the solution has
//! `c + Jᵗ y = X`, `r - κ y = u - s`, `(y - low) s = (high - y) u = 0`, `X S = 0`; a step aims at `μ` instead of 0.
//! The direction is that of Helmberg, Rendl, Vanderbei and Wolkowicz, Kojima, Shindoh and Hara, and Monteiro; predictor and
//! corrector are Mehrotra's.

mod cone;
mod direction;
mod newton;
mod rows;

use ndarray::{Array2, ShapeBuilder};

pub use cone::{entries, place};
pub use rows::SparseRows;

use cone::{Definite, gradient, inner, unpack};
use direction::{Direction, Terms};
use newton::Newton;

/// What is to be minimised.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The order of the matrix `S`.
    pub order: usize,
    /// `c`: one number for each packed entry (off the diagonal for both of the two entries), then for each free unknown.
    pub cost: Vec<f64>,
    /// `J`.
    pub rows: SparseRows,
    /// `e`.
    pub constant: Vec<f64>,
    /// Least multipliers; may be infinite.
    pub low: Vec<f64>,
    /// Largest multipliers; may be infinite. Where both are finite they differ.
    pub high: Vec<f64>,
    /// `κ`.
    pub curvature: f64,
}

/// Where an iteration stands.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The sum of all complementary products: the gap, where both sides are feasible.
    pub complementarity: f64,
    /// The largest residual of a row that has not been met, `|r - κ y - u + s|`.
    pub primal: f64,
    /// The largest entry of `c + Jᵗ y - X`.
    pub dual: f64,
    /// The lengths of the last step on both sides.
    pub step: (f64, f64),
}

/// No further step is possible in floating point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck;

/// The iteration.
#[derive(Debug)]
pub struct Interior {
    problem: Problem,
    x: Vec<f64>,
    matrix: Array2<f64>,
    dual: Array2<f64>,
    y: Vec<f64>,
    /// Slacks of the lower ends; of no meaning where there is none.
    s: Vec<f64>,
    /// Slacks of the upper ends.
    u: Vec<f64>,
    storage: Vec<f64>,
    step: (f64, f64),
}

// Where nothing else is said, these were chosen by trial on the instances of `bench/convex.py`; they are not swept.

/// So many lower aims are tried in a step, each this share of the last.
const AIMS: usize = 4;
const LOWER: f64 = 0.5;
/// The aim is the share that the predictor leaves, to the power of three times the square of how far it goes (Mehrotra's cube where it
/// goes all the way), and no lower than this: what is badly centred near the end does not get out of it again.
const POWER: f64 = 3.0;
const LOWEST: f64 = 1e-2;
/// A step shorter than this is spoilt by its second-order terms; without them it aims at this share of the present complementarity.
const SPOILT: f64 = 0.1;
const CENTRE: f64 = 0.5;
/// A step shorter than this on both sides is none.
const NO_STEP: f64 = 1e-7;
/// Multipliers begin within this share of their interval from its ends.
const INSIDE: f64 = 0.02;
/// Rows that must hold exactly, and have no curvature, are given this much.
const EXACT: f64 = 1e-9;

impl Interior {
    /// Starts at `x`, whose matrix must be positive definite, with the dual matrix `dual`; slacks are at least `room`.
    ///
    /// Unknowns are best scaled so that the entries of both matrices are near 1.
    pub fn begin(problem: Problem, x: Vec<f64>, dual: &Array2<f64>, room: f64) -> Self {
        let q = problem.order;
        let matrix = unpack(q, &x);
        let dual = Array2::from_shape_fn((q, q).f(), |at| dual[at]);
        let mu = (inner(&matrix, &dual) / q.max(1) as f64).max(f64::MIN_POSITIVE);
        let count = problem.rows.len();
        let mut r = vec![0.0; count];
        problem.rows.times(&x, &mut r);
        let (mut y, mut s, mut u) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
        for t in 0..count {
            let r = r[t] + problem.constant[t];
            let (low, high) = (problem.low[t], problem.high[t]);
            match (low.is_finite(), high.is_finite()) {
                (true, true) => {
                    // The root of μ/(w - z) - μ/z = r in (0, w), with z = y - low: complementary products are all μ.
                    let w = high - low;
                    let z = 2.0 * mu * w / ((2.0 * mu - r * w) + (4.0 * mu * mu + r * r * w * w).sqrt());
                    let z = if z.is_finite() { z.clamp(INSIDE * w, (1.0 - INSIDE) * w) } else { 0.5 * w };
                    y[t] = low + z;
                    let v = r - problem.curvature * y[t];
                    (u[t], s[t]) = (mu / (w - z), mu / z);
                    balance(v, &mut s[t], &mut u[t]);
                }
                (true, false) => {
                    s[t] = (-r).max(room);
                    y[t] = low + mu / s[t];
                }
                (false, true) => {
                    u[t] = r.max(room);
                    y[t] = high - mu / u[t];
                }
                (false, false) => y[t] = 0.0,
            }
        }
        Interior { problem, x, matrix, dual, y, s, u, storage: Vec::new(), step: (0.0, 0.0) }
    }

    /// The positive definite matrix.
    #[must_use]
    pub fn matrix(&self) -> Array2<f64> {
        self.matrix.as_standard_layout().into_owned()
    }
    /// The free unknowns.
    #[must_use]
    pub fn free(&self) -> &[f64] {
        &self.x[entries(self.problem.order)..]
    }
    /// The multipliers of the rows.
    #[must_use]
    pub fn multipliers(&self) -> &[f64] {
        &self.y
    }
    /// The value of `c·x` alone.
    #[must_use]
    pub fn linear(&self) -> f64 {
        self.problem.cost.iter().zip(&self.x).map(|(c, x)| c * x).sum()
    }

    /// Where it stands.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let r = self.residuals();
        let mut primal: f64 = 0.0;
        for t in 0..r.len() {
            primal = primal.max((r[t] - self.problem.curvature * self.y[t] - self.u[t] + self.s[t]).abs());
        }
        let mut dual: f64 = 0.0;
        let mut g = vec![0.0; self.x.len()];
        gradient(&self.dual, &mut g);
        let pull = self.pull(&self.y);
        pull.iter().zip(&g).for_each(|(p, g)| dual = dual.max((p - g).abs()));
        Progress { complementarity: self.products().0, primal, dual, step: self.step }
    }

    /// One step of predictor and corrector.
    pub fn step(&mut self) -> Result<Progress, Stuck> {
        let inside = Definite::new(&self.matrix).ok_or(Stuck)?;
        let outside = Definite::new(&self.dual).ok_or(Stuck)?;
        let inverse = inside.inverse();
        let r = self.residuals();
        let theta = self.theta();
        let storage = std::mem::take(&mut self.storage);
        let newton =
            Newton::new(&self.problem.rows, &theta, &self.dual, &inverse, self.x.len(), storage).ok_or(Stuck)?;
        let (sum, count) = self.products();
        let mu = sum / count;
        let before = self.progress();
        let none = Terms::none(self.problem.order, r.len());
        let predictor = self.direction(&newton, &inverse, &r, &theta, 0.0, &none);
        let (p, d) = self.lengths(&predictor, &inside, &outside);
        let (p, d) = (p.min(1.0), d.min(1.0));
        let reached = self.products_after(&predictor, p, d).max(0.0) / count;
        let power = (POWER * p.min(d).powi(2)).max(1.0);
        let mut aim = (reached / mu).min(1.0).powf(power).max(LOWEST) * mu;
        let mut best = self.direction(&newton, &inverse, &r, &theta, aim, &Terms::of(&predictor, &inverse));
        let (mut p, mut d) = self.lengths(&best, &inside, &outside);
        // A solution costs little beside the factorisation: aim lower as long as that leads nearer, each time with the
        // second-order terms of the last.
        let mut merit = self.merit(&best, p, d, &before);
        for _ in 0..AIMS {
            aim *= LOWER;
            let tried = self.direction(&newton, &inverse, &r, &theta, aim, &Terms::of(&best, &inverse));
            let (tp, td) = self.lengths(&tried, &inside, &outside);
            let reached = self.merit(&tried, tp, td, &before);
            if reached >= merit {
                break;
            }
            (best, p, d, merit) = (tried, tp, td, reached);
        }
        // Where the second-order terms spoil the step, aim at the centre without them.
        if p.min(d) < SPOILT {
            let plain = self.direction(&newton, &inverse, &r, &theta, CENTRE * mu, &none);
            let (pp, pd) = self.lengths(&plain, &inside, &outside);
            if pp.min(pd) > p.min(d) {
                (best, p, d) = (plain, pp, pd);
            }
        }
        (p, d) = self.shortened(p, d);
        self.storage = newton.into_storage();
        if !(p.is_finite() && d.is_finite()) || p.max(d) < NO_STEP {
            return Err(Stuck);
        }
        self.advance(&best, p, d);
        Ok(self.progress())
    }

    fn advance(&mut self, by: &Direction, p: f64, d: f64) {
        let add = |v: &mut [f64], by: &[f64], t: f64| v.iter_mut().zip(by).for_each(|(v, b)| *v += t * b);
        add(&mut self.x, &by.x, p);
        add(&mut self.s, &by.s, p);
        add(&mut self.u, &by.u, p);
        add(&mut self.y, &by.y, d);
        self.matrix = unpack(self.problem.order, &self.x);
        self.dual.scaled_add(d, &by.dual);
        self.step = (p, d);
        let r = self.residuals();
        for t in 0..r.len() {
            if self.two_sided(t) {
                balance(r[t] - self.problem.curvature * self.y[t], &mut self.s[t], &mut self.u[t]);
            }
        }
    }

    fn two_sided(&self, t: usize) -> bool {
        self.problem.low[t].is_finite() && self.problem.high[t].is_finite()
    }

    fn residuals(&self) -> Vec<f64> {
        let mut r = vec![0.0; self.problem.rows.len()];
        self.problem.rows.times(&self.x, &mut r);
        r.iter_mut().zip(&self.problem.constant).for_each(|(r, e)| *r += e);
        r
    }

    /// `c + Jᵗ y`.
    fn pull(&self, y: &[f64]) -> Vec<f64> {
        let mut out = self.problem.cost.clone();
        self.problem.rows.add_transposed(y, &mut out);
        out
    }

    fn theta(&self) -> Vec<f64> {
        (0..self.y.len())
            .map(|t| {
                let mut soft = self.problem.curvature;
                if self.problem.low[t].is_finite() {
                    soft += self.s[t] / (self.y[t] - self.problem.low[t]);
                }
                if self.problem.high[t].is_finite() {
                    soft += self.u[t] / (self.problem.high[t] - self.y[t]);
                }
                1.0 / if soft > 0.0 { soft } else { EXACT }
            })
            .collect()
    }

    /// The sum of the complementary products, and how many there are.
    fn products(&self) -> (f64, f64) {
        let mut sum = inner(&self.matrix, &self.dual);
        let mut count = self.problem.order as f64;
        for t in 0..self.y.len() {
            if self.problem.low[t].is_finite() {
                sum += (self.y[t] - self.problem.low[t]) * self.s[t];
                count += 1.0;
            }
            if self.problem.high[t].is_finite() {
                sum += (self.problem.high[t] - self.y[t]) * self.u[t];
                count += 1.0;
            }
        }
        (sum, count)
    }
}

/// Raises one of the slacks until `u - s = v`.
fn balance(v: f64, s: &mut f64, u: &mut f64) {
    let off = v - (*u - *s);
    if off > 0.0 { *u += off } else { *s -= off }
}

#[cfg(test)]
mod tests;
