//! Directions: what solves the Newton system for an aim, how far it may be followed, and what is left then.

use ndarray::{Array2, ShapeBuilder};

use super::cone::{Definite, from_gradient, gradient, inner, product_of, reach, symmetric, unpack};
use super::newton::Newton;
use super::{Interior, Progress};
use crate::linear::newton;

/// A residual no larger than this is met, and counts for nothing in what is left after a step. Chosen by trial; not swept.
const MET: f64 = 1e-9;

pub(super) struct Direction {
    pub(super) x: Vec<f64>,
    pub(super) matrix: Array2<f64>,
    pub(super) dual: Array2<f64>,
    pub(super) y: Vec<f64>,
    pub(super) s: Vec<f64>,
    pub(super) u: Vec<f64>,
}

/// Second-order terms of the complementary products.
pub(super) struct Terms {
    matrix: Array2<f64>,
    s: Vec<f64>,
    u: Vec<f64>,
}

impl Terms {
    pub(super) fn none(order: usize, rows: usize) -> Self {
        Terms { matrix: Array2::zeros((order, order).f()), s: vec![0.0; rows], u: vec![0.0; rows] }
    }
    pub(super) fn of(d: &Direction, inverse: &Array2<f64>) -> Self {
        Terms {
            matrix: symmetric(&product_of([&d.dual, &d.matrix, inverse])),
            s: d.y.iter().zip(&d.s).map(|(y, s)| y * s).collect(),
            u: d.y.iter().zip(&d.u).map(|(y, u)| -y * u).collect(),
        }
    }
}

impl Interior {
    pub(super) fn direction(
        &self,
        newton: &Newton<'_>,
        inverse: &Array2<f64>,
        r: &[f64],
        theta: &[f64],
        mu: f64,
        terms: &Terms,
    ) -> Direction {
        let (low, high) = (&self.problem.low, &self.problem.high);
        let count = r.len();
        let mut q = vec![0.0; count];
        for t in 0..count {
            q[t] = r[t] - self.problem.curvature * self.y[t];
            if low[t].is_finite() {
                q[t] += (mu - terms.s[t]) / (self.y[t] - low[t]);
            }
            if high[t].is_finite() {
                q[t] -= (mu - terms.u[t]) / (high[t] - self.y[t]);
            }
        }
        let pushed: Vec<f64> = (0..count).map(|t| self.y[t] + theta[t] * q[t]).collect();
        let mut rhs = vec![0.0; self.x.len()];
        let n = self.problem.order;
        let target = Array2::from_shape_fn((n, n).f(), |at| mu * inverse[at] - terms.matrix[at]);
        gradient(&target, &mut rhs);
        rhs.iter_mut().zip(self.pull(&pushed)).for_each(|(r, p)| *r -= p);
        let x = newton.solve(&rhs);
        let mut y = vec![0.0; count];
        self.problem.rows.times(&x, &mut y);
        y.iter_mut().zip(&q).zip(theta).for_each(|((y, q), theta)| *y = theta * (*y + q));
        let (mut s, mut u) = (vec![0.0; count], vec![0.0; count]);
        for t in 0..count {
            if low[t].is_finite() {
                let room = self.y[t] - low[t];
                s[t] = (mu - terms.s[t] - self.s[t] * y[t]) / room - self.s[t];
            }
            if high[t].is_finite() {
                let room = high[t] - self.y[t];
                u[t] = (mu - terms.u[t] + self.u[t] * y[t]) / room - self.u[t];
            }
        }
        // The dual matrix follows its own equation, so that it stays feasible to rounding once it is.
        let next: Vec<f64> = self.y.iter().zip(&y).map(|(a, b)| a + b).collect();
        let dual = from_gradient(n, &self.pull(&next)) - &self.dual;
        Direction { matrix: unpack(n, &x), x, dual, y, s, u }
    }

    /// How far the direction may be followed on either side.
    pub(super) fn lengths(&self, by: &Direction, inside: &Definite, outside: &Definite) -> (f64, f64) {
        let (low, high) = (&self.problem.low, &self.problem.high);
        let rows = 0..self.y.len();
        let lower = || rows.clone().filter(|t| low[*t].is_finite());
        let upper = || rows.clone().filter(|t| high[*t].is_finite());
        let p = inside
            .reach(&by.matrix)
            .min(reach(lower().map(|t| (self.s[t], by.s[t]))))
            .min(reach(upper().map(|t| (self.u[t], by.u[t]))));
        let d = outside
            .reach(&by.dual)
            .min(reach(lower().map(|t| (self.y[t] - low[t], by.y[t]))))
            .min(reach(upper().map(|t| (high[t] - self.y[t], -by.y[t]))));
        (p, d)
    }

    /// A step that stops short of the boundary.
    pub(super) fn shortened(&self, p: f64, d: f64) -> (f64, f64) {
        let (p, d) = newton::shortened(p, d);
        // With curvature both sides meet in r - κ y.
        if self.problem.curvature > 0.0 { (p.min(d), p.min(d)) } else { (p, d) }
    }

    /// What is left after the step: of the complementary products, and of the residuals that there are.
    pub(super) fn merit(&self, by: &Direction, p: f64, d: f64, before: &Progress) -> f64 {
        let (p, d) = self.shortened(p, d);
        let mut left = self.products_after(by, p, d).max(0.0) / before.complementarity;
        if before.primal > MET {
            left += 1.0 - p;
        }
        if before.dual > MET {
            left += 1.0 - d;
        }
        left
    }

    pub(super) fn products_after(&self, by: &Direction, p: f64, d: f64) -> f64 {
        let mut sum = inner(&self.matrix, &self.dual)
            + p * inner(&by.matrix, &self.dual)
            + d * inner(&self.matrix, &by.dual)
            + p * d * inner(&by.matrix, &by.dual);
        for t in 0..self.y.len() {
            let y = self.y[t] + d * by.y[t];
            if self.problem.low[t].is_finite() {
                sum += (y - self.problem.low[t]) * (self.s[t] + p * by.s[t]);
            }
            if self.problem.high[t].is_finite() {
                sum += (self.problem.high[t] - y) * (self.u[t] + p * by.u[t]);
            }
        }
        sum
    }
}
