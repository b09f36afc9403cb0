//! The rows of the program with their multipliers: `d - D = p - q`, `p` pushing at the upper end of the interval of the
//! multiplier `y` and `q` at the lower one, `(hi - y) p = (y - lo) q = μ`.

use crate::program::Stretch;

// Chosen by trial on the instances of `bench/convex.py`; not swept.

/// Slacks begin at this share of their data or more; with two of them the second one, and the room for the curvature of a step, at the
/// lesser.
const ROOM: f64 = 0.2;
const LEAST_ROOM: f64 = 0.1;
/// Multipliers begin within this share of their interval.
const INSIDE: f64 = 0.9;
/// The curvature of a step may use up this share of a slack.
const BENT: f64 = 0.5;
/// With a new dimension multipliers keep this share of their mean from the ends of their interval.
const LOOSE: f64 = 1e-3;

/// Multipliers and slacks of all rows. An end that is infinite has no slack.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    lo: f64,
    hi: f64,
    pub(super) y: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
}

/// What a Newton step needs of the rows: the weights of `J J ᵗ`, and the multipliers' step where the points stay.
#[derive(Debug)]
pub(super) struct Newton {
    pub(super) theta: Vec<f64>,
    pub(super) fixed: Vec<f64>,
}

/// Steps of multipliers and slacks.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) y: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
}

impl Rows {
    pub(super) fn new(form: Stretch, y: Vec<f64>, d: &[f64], data: &[f64]) -> Self {
        let (lo, hi) = match form {
            Stretch::AtMost | Stretch::Penalised(_) => (0.0, f64::INFINITY),
            Stretch::Soft(w) => (-w, w),
        };
        let m = y.len();
        let mut q: Vec<f64> = (0..m).map(|e| (data[e] - d[e]).max(ROOM * data[e])).collect();
        let mut p = Vec::new();
        let mut y = y;
        if hi.is_finite() {
            p = (0..m).map(|e| (d[e] - data[e] + q[e]).max(ROOM * data[e])).collect();
            q = (0..m).map(|e| (p[e] + data[e] - d[e]).max(LEAST_ROOM * data[e])).collect();
            y.iter_mut().for_each(|y| *y = y.clamp(INSIDE * lo, INSIDE * hi));
        }
        Rows { lo, hi, y, p, q }
    }

    fn two_sided(&self) -> bool {
        self.hi.is_finite()
    }
    /// How many products there are in the complementarity.
    pub(super) fn products(&self) -> usize {
        self.q.len() + self.p.len()
    }
    /// The sum of the products.
    pub(super) fn complementarity(&self) -> f64 {
        let low: f64 = self.y.iter().zip(&self.q).map(|(y, q)| (y - self.lo) * q).sum();
        let high: f64 = self.p.iter().zip(&self.y).map(|(p, y)| (self.hi - y) * p).sum();
        low + high
    }
    fn after(&self, steps: &Steps, primal: f64, dual: f64) -> f64 {
        let mut total = 0.0;
        for e in 0..self.y.len() {
            let y = self.y[e] + dual * steps.y[e];
            total += (y - self.lo) * (self.q[e] + primal * steps.q[e]);
            if self.two_sided() {
                total += (self.hi - y) * (self.p[e] + primal * steps.p[e]);
            }
        }
        total
    }
    /// The complementarity after steps of these lengths.
    pub(super) fn affine(&self, steps: &Steps, (primal, dual): (f64, f64)) -> f64 {
        self.after(steps, primal, dual)
    }

    /// `d - D - p + q`: how far the row is from what its slacks say.
    pub(super) fn residuals(&self, d: &[f64], data: &[f64]) -> Vec<f64> {
        (0..d.len()).map(|e| d[e] - data[e] + self.q[e] - self.p.get(e).unwrap_or(&0.0)).collect()
    }

    /// The rows' part of the Newton system for the target `μ`; `second` is a step whose products are corrected for.
    pub(super) fn newton(&self, residuals: &[f64], mu: f64, second: Option<(&Steps, f64)>) -> Newton {
        let m = self.y.len();
        let clip = |v: f64, mu: f64| v.clamp(-mu, mu);
        let now = self.complementarity() / self.products().max(1) as f64;
        let mut newton = Newton { theta: Vec::with_capacity(m), fixed: Vec::with_capacity(m) };
        for e in 0..m {
            let corrections = second.map_or((0.0, 0.0), |(s, by)| {
                let up = s.p.get(e).map_or(0.0, |p| -p * s.y[e]);
                (by * clip(s.q[e] * s.y[e], now), by * clip(up, now))
            });
            let below = self.y[e] - self.lo;
            let dq = (mu - corrections.0) / below - self.q[e];
            let mut slope = self.q[e] / below;
            let mut fixed = residuals[e] + dq;
            if self.two_sided() {
                let above = self.hi - self.y[e];
                fixed -= (mu - corrections.1) / above - self.p[e];
                slope += self.p[e] / above;
            }
            newton.theta.push(1.0 / slope);
            newton.fixed.push(fixed / slope);
        }
        newton
    }

    /// The steps of multipliers and slacks once `J dx` is known.
    pub(super) fn steps(
        &self,
        newton: &Newton,
        mu: f64,
        second: Option<(&Steps, f64)>,
        residuals: &[f64],
        along: &[f64],
    ) -> Steps {
        let m = self.y.len();
        let now = self.complementarity() / self.products().max(1) as f64;
        let mut steps =
            Steps { y: Vec::with_capacity(m), p: Vec::with_capacity(self.p.len()), q: Vec::with_capacity(m) };
        for e in 0..m {
            let dy = newton.fixed[e] + newton.theta[e] * along[e];
            steps.y.push(dy);
            if self.two_sided() {
                let above = self.hi - self.y[e];
                let correction = second.map_or(0.0, |(s, by)| by * (-s.p[e] * s.y[e]).clamp(-now, now));
                let dp = (mu - correction) / above - self.p[e] + self.p[e] / above * dy;
                steps.p.push(dp);
                steps.q.push(dp - residuals[e] - along[e]);
            } else {
                steps.q.push(-residuals[e] - along[e]);
            }
        }
        steps
    }

    /// The longest primal and dual steps that keep this share of the way to the boundary, 1 at most.
    pub(super) fn lengths(&self, steps: &Steps, share: f64) -> (f64, f64) {
        let limit = |value: f64, step: f64, now: f64| if step < 0.0 { now.min(-share * value / step) } else { now };
        let (mut primal, mut dual) = (1.0, 1.0);
        for e in 0..self.y.len() {
            primal = limit(self.q[e], steps.q[e], primal);
            dual = limit(self.y[e] - self.lo, steps.y[e], dual);
            if self.two_sided() {
                primal = limit(self.p[e], steps.p[e], primal);
                dual = limit(self.hi - self.y[e], -steps.y[e], dual);
            }
        }
        (primal, dual)
    }

    /// The longest step of the points for which the curvature `|du|²` of each row stays within its slack.
    pub(super) fn curvature(&self, steps: &Steps, curvature: &[f64], data: &[f64], primal: f64) -> f64 {
        (0..curvature.len())
            .map(|e| {
                let room = BENT * (self.q[e] + primal * steps.q[e].max(0.0)) + LEAST_ROOM * data[e];
                (room / curvature[e].max(f64::MIN_POSITIVE)).sqrt()
            })
            .fold(f64::INFINITY, f64::min)
    }

    pub(super) fn advance(&mut self, steps: &Steps, primal: f64, dual: f64) {
        let add = |a: &mut [f64], b: &[f64], by: f64| a.iter_mut().zip(b).for_each(|(a, b)| *a += by * b);
        add(&mut self.y, &steps.y, dual);
        add(&mut self.q, &steps.q, primal);
        add(&mut self.p, &steps.p, primal);
    }

    /// Slacks that are larger where the distances leave more room than they say: the residual is then one-sided.
    pub(super) fn follow(&mut self, d: &[f64], data: &[f64]) {
        for e in 0..d.len() {
            let p = self.p.get(e).copied().unwrap_or(0.0);
            self.q[e] = self.q[e].max(data[e] - d[e] + p);
        }
    }

    /// Moves the slacks away from the boundary: for a new dimension.
    pub(super) fn loosen(&mut self, by: f64, data: &[f64]) {
        self.q.iter_mut().zip(data).for_each(|(q, d)| *q = q.max(by * d));
        self.p.iter_mut().zip(data).for_each(|(p, d)| *p = p.max(by * d));
        let (lo, hi) = (self.lo, self.hi);
        let floor = LOOSE * self.y.iter().map(|y| y - lo).sum::<f64>() / self.y.len().max(1) as f64;
        self.y.iter_mut().for_each(|y| *y = y.max(lo + floor).min(hi - if hi.is_finite() { floor } else { 0.0 }));
    }
}
