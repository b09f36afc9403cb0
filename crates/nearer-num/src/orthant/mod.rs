//! A primal-dual interior-point method over non-negative unknowns, with rows that are an operator, or numbers that may come and
//! go between the steps.
//!
//! ```text
//! min  ½ xᵗ P x + cᵗ x + Σ_t max { v r_t : 0 ≤ v ≤ high_t }     r = A x + e,  x ≥ 0
//! ```
//!
//! A row with an infinite `high` must not be positive; any other costs `high` for each unit above zero. With `z` for `x ≥ 0`,
//! slacks `s` of `y ≥ 0` and `u` of `y ≤ high` the solution has `P x + c + Aᵗ y = z`, `r = u - s` and
//! `x z = y s = (high - y) u = 0`; a step aims at `μ` instead of 0. Predictor and corrector are Mehrotra's. A new row enters with
//! its products at the `μ` of the others, so that the point stays as central as it was.

mod curvature;
mod differences;
mod rows;
mod system;

use crate::linear::newton;
use crate::vectors::dot;
pub use curvature::Curvature;
pub use differences::PairRows;
pub use rows::{DenseRows, Rows};
use system::System;

/// No further step is possible in floating point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck;

/// The iteration.
#[derive(Debug)]
pub struct Orthant<R> {
    cost: Vec<f64>,
    curvature: Curvature,
    x: Vec<f64>,
    z: Vec<f64>,
    rows: R,
    constant: Vec<f64>,
    high: Vec<f64>,
    y: Vec<f64>,
    s: Vec<f64>,
    /// Of no meaning where `high` is infinite.
    u: Vec<f64>,
    storage: Vec<f64>,
}

/// Where a step would lead, and how far it may go.
#[derive(Debug, Clone)]
pub struct Direction {
    x: Vec<f64>,
    z: Vec<f64>,
    y: Vec<f64>,
    s: Vec<f64>,
    u: Vec<f64>,
    /// How far `x`, `s` and `u` may go to stay positive, in multiples of the step.
    pub primal: f64,
    /// The same for `y` and `z`.
    pub dual: f64,
}

impl Direction {
    /// The change of the unknowns over a whole step.
    #[must_use]
    pub fn unknowns(&self) -> &[f64] {
        &self.x
    }
}

/// Second-order terms of the complementary products.
struct Terms {
    x: Vec<f64>,
    s: Vec<f64>,
    u: Vec<f64>,
}

impl<R: Rows> Orthant<R> {
    /// Starts at `x > 0` with all rows, their constants and what they cost, complementary products about `mu`; a hard row that does
    /// not hold is given `room`.
    ///
    /// # Panics
    /// If the parts differ in length.
    #[must_use]
    pub fn with_rows(
        (cost, curvature): (Vec<f64>, Curvature),
        x: Vec<f64>,
        mu: f64,
        rows: R,
        (constant, high): (Vec<f64>, Vec<f64>),
        room: f64,
    ) -> Self {
        assert!(cost.len() == x.len() && rows.width() == x.len(), "a cost for each unknown");
        assert!(constant.len() == rows.len() && high.len() == rows.len(), "a constant and a cost for each row");
        let bent = curvature.times(&x);
        let z = (0..x.len()).map(|p| (mu / x[p]).max(cost[p] + bent[p])).collect();
        let along = rows.times(&x);
        let (mut y, mut s, mut u) = (Vec::new(), Vec::new(), Vec::new());
        for ((r, e), high) in along.iter().zip(&constant).zip(&high) {
            let one = entering(r + e, *high, mu, room);
            y.push(one.0);
            s.push(one.1);
            u.push(one.2);
        }
        let mut state = Orthant { cost, curvature, x, z, rows, constant, high, y, s, u, storage: Vec::new() };
        let firm: Vec<f64> =
            state.y.iter().zip(&state.high).map(|(y, h)| if h.is_finite() { 0.0 } else { *y }).collect();
        state.lift(&state.rows.transposed(&firm));
        state
    }

    /// Where new rows that must hold push upwards the dual side can follow at once.
    fn lift(&mut self, by: &[f64]) {
        self.z.iter_mut().zip(by).for_each(|(z, l)| *z += l.max(0.0));
    }

    /// The unknowns.
    #[must_use]
    pub fn unknowns(&self) -> &[f64] {
        &self.x
    }
    /// The multipliers of `x ≥ 0`, as the iteration holds them.
    #[must_use]
    pub fn duals(&self) -> &[f64] {
        &self.z
    }
    /// The multipliers of the rows, in the order in which they came.
    #[must_use]
    pub fn multipliers(&self) -> &[f64] {
        &self.y
    }
    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.y.len()
    }
    /// `P x + c + Aᵗ y`: not negative where the multipliers prove a bound.
    #[must_use]
    pub fn pull(&self) -> Vec<f64> {
        let mut out = self.rows.transposed(&self.y);
        let bent = self.curvature.times(&self.x);
        (0..out.len()).for_each(|p| out[p] += self.cost[p] + bent[p]);
        out
    }
    /// The mean of the complementary products.
    #[must_use]
    pub fn mu(&self) -> f64 {
        let (sum, count) = self.products(None, 0.0, 0.0);
        sum / count
    }
    /// The direction of predictor and corrector.
    pub fn direction(&mut self) -> Result<Direction, Stuck> {
        let softness = self.softness();
        let barrier: Vec<f64> = self.z.iter().zip(&self.x).map(|(z, x)| z / x).collect();
        let storage = std::mem::take(&mut self.storage);
        let system = System::new(&self.rows, &self.curvature, &barrier, &softness, storage).ok_or(Stuck)?;
        let r = self.residuals();
        let pull = self.pull();
        let (sum, count) = self.products(None, 0.0, 0.0);
        let mu = sum / count;
        let none = Terms { x: vec![0.0; self.x.len()], s: vec![0.0; r.len()], u: vec![0.0; r.len()] };
        let predictor = self.towards(&system, &r, &pull, 0.0, &none);
        let (p, d) = self.together(predictor.primal.min(1.0), predictor.dual.min(1.0));
        let reached = (self.products(Some(&predictor), p, d).0 / sum).clamp(0.0, 1.0);
        let terms = Terms {
            x: product(&predictor.x, &predictor.z),
            s: product(&predictor.y, &predictor.s),
            u: product(&predictor.y, &predictor.u).iter().map(|v| -v).collect(),
        };
        let mut best = self.towards(&system, &r, &pull, reached.powi(3).max(LOWEST) * mu, &terms);
        // Where the second-order terms spoil the step, aim at the centre without them.
        if best.primal.min(best.dual) < SPOILT {
            let plain = self.towards(&system, &r, &pull, CENTRE * mu, &none);
            if plain.primal.min(plain.dual) > best.primal.min(best.dual) {
                best = plain;
            }
        }
        self.storage = system.into_storage();
        if best.x.iter().chain(&best.y).all(|v| v.is_finite()) { Ok(best) } else { Err(Stuck) }
    }

    /// Goes along a direction, but nowhere to the boundary, and for the unknowns at most `reach`; gives the lengths.
    pub fn advance(&mut self, by: &Direction, reach: f64) -> (f64, f64) {
        let (p, d) = (by.primal.min(reach), by.dual);
        let (p, d) = newton::shortened(p, d);
        let (p, d) = self.together(p, d);
        let add = |v: &mut [f64], by: &[f64], t: f64| v.iter_mut().zip(by).for_each(|(v, b)| *v += t * b);
        add(&mut self.x, &by.x, p);
        add(&mut self.s, &by.s, p);
        add(&mut self.u, &by.u, p);
        add(&mut self.y, &by.y, d);
        add(&mut self.z, &by.z, d);
        (p, d)
    }

    /// With curvature both sides meet in `P x`, and go equally far.
    fn together(&self, p: f64, d: f64) -> (f64, f64) {
        if self.curvature.is_none() { (p, d) } else { (p.min(d), p.min(d)) }
    }

    fn residuals(&self) -> Vec<f64> {
        self.rows.times(&self.x).iter().zip(&self.constant).map(|(r, e)| r + e).collect()
    }

    /// `Θ⁻¹`.
    fn softness(&self) -> Vec<f64> {
        (0..self.y.len())
            .map(|t| {
                let above = if self.high[t].is_finite() { self.u[t] / (self.high[t] - self.y[t]) } else { 0.0 };
                self.s[t] / self.y[t] + above
            })
            .collect()
    }

    /// The sum of the complementary products after a step, and how many there are.
    fn products(&self, by: Option<&Direction>, p: f64, d: f64) -> (f64, f64) {
        let at = |v: f64, by: Option<f64>, t: f64| v + t * by.unwrap_or(0.0);
        let mut sum = 0.0;
        let mut count = self.x.len() as f64;
        for k in 0..self.x.len() {
            sum += at(self.x[k], by.map(|b| b.x[k]), p) * at(self.z[k], by.map(|b| b.z[k]), d);
        }
        for t in 0..self.y.len() {
            let y = at(self.y[t], by.map(|b| b.y[t]), d);
            sum += y * at(self.s[t], by.map(|b| b.s[t]), p);
            count += 1.0;
            if self.high[t].is_finite() {
                sum += (self.high[t] - y) * at(self.u[t], by.map(|b| b.u[t]), p);
                count += 1.0;
            }
        }
        (sum, count)
    }

    fn towards(&self, system: &System<'_, R>, r: &[f64], pull: &[f64], mu: f64, terms: &Terms) -> Direction {
        let (q, m) = (self.x.len(), self.y.len());
        let room = |t: usize| self.high[t] - self.y[t];
        let b: Vec<f64> = (0..m)
            .map(|t| {
                let above = if self.high[t].is_finite() { (mu - terms.u[t]) / room(t) } else { 0.0 };
                r[t] - above + (mu - terms.s[t]) / self.y[t]
            })
            .collect();
        let g: Vec<f64> = (0..q).map(|p| (mu - terms.x[p]) / self.x[p] - pull[p]).collect();
        let (x, y) = system.solve(&g, &b);
        let z: Vec<f64> = (0..q).map(|p| (mu - terms.x[p] - self.z[p] * x[p]) / self.x[p] - self.z[p]).collect();
        let s: Vec<f64> = (0..m).map(|t| (mu - terms.s[t] - self.s[t] * y[t]) / self.y[t] - self.s[t]).collect();
        let u: Vec<f64> = (0..m)
            .map(|t| {
                let finite = self.high[t].is_finite();
                if finite { (mu - terms.u[t] + self.u[t] * y[t]) / room(t) - self.u[t] } else { 0.0 }
            })
            .collect();
        let mut primal = reach(&self.x, &x).min(reach(&self.s, &s));
        let mut dual = reach(&self.z, &z).min(reach(&self.y, &y));
        for t in (0..m).filter(|t| self.high[*t].is_finite()) {
            if u[t] < 0.0 {
                primal = primal.min(-self.u[t] / u[t]);
            }
            if y[t] > 0.0 {
                dual = dual.min(room(t) / y[t]);
            }
        }
        Direction { x, z, y, s, u, primal, dual }
    }
}

impl Orthant<DenseRows> {
    /// Starts at `x > 0` without a row, complementary products about `mu`.
    ///
    /// # Panics
    /// If `x` and `cost` differ in length.
    #[must_use]
    pub fn begin(cost: Vec<f64>, curvature: Curvature, x: Vec<f64>, mu: f64) -> Self {
        let rows = DenseRows::new(x.len());
        Orthant::with_rows((cost, curvature), x, mu, rows, (Vec::new(), Vec::new()), 0.0)
    }

    /// What the rows weigh in a step: `θ_t Σ a² / (z/x + P)`. Far below one, the row could be missing.
    #[must_use]
    pub fn relevance(&self) -> (Vec<f64>, Vec<f64>) {
        let bend = self.curvature.diagonal(self.x.len());
        let reach: Vec<f64> = (0..self.x.len()).map(|p| 1.0 / (self.z[p] / self.x[p] + bend[p])).collect();
        let room = self.rows.squares(&reach);
        let softness = self.softness();
        (room.iter().zip(&softness).map(|(r, s)| r / s).collect(), room)
    }

    /// Adds `by` to the cost.
    pub fn shift(&mut self, by: &[f64]) {
        self.cost.iter_mut().zip(by).for_each(|(c, b)| *c += b);
    }

    /// Adds rows, one after another in `rows`, at the present complementarity; a hard row that does not hold is given `room`.
    pub fn add(&mut self, rows: &[f64], constant: &[f64], high: &[f64], room: f64) {
        if constant.is_empty() {
            return;
        }
        let mu = self.mu();
        let before = self.rows();
        self.rows.values.extend_from_slice(rows);
        let mut lift = vec![0.0; self.x.len()];
        for (k, (e, high)) in constant.iter().zip(high).enumerate() {
            let a = self.rows.row(before + k);
            let r = dot(a, &self.x) + e;
            let (y, s, u) = entering(r, *high, mu, room);
            if !high.is_finite() {
                lift.iter_mut().zip(a).for_each(|(l, a)| *l += a * y);
            }
            self.constant.push(*e);
            self.high.push(*high);
            self.y.push(y);
            self.s.push(s);
            self.u.push(u);
        }
        self.lift(&lift);
    }

    /// Leaves out the rows that are not to be kept.
    pub fn retain(&mut self, keep: &[bool]) {
        self.rows.retain(keep);
        for list in [&mut self.constant, &mut self.high, &mut self.y, &mut self.s, &mut self.u] {
            let mut t = 0;
            list.retain(|_| {
                t += 1;
                keep[t - 1]
            });
        }
    }
}

/// A step never aims lower than this share of the present complementarity. Like the next two it was chosen by trial; not swept.
const LOWEST: f64 = 1e-3;
/// A step shorter than this is spoilt by its second-order terms; without them it aims at this share of the present complementarity.
const SPOILT: f64 = 0.1;
const CENTRE: f64 = 0.5;

/// Multiplier and slacks of a new row.
fn entering(r: f64, high: f64, mu: f64, room: f64) -> (f64, f64, f64) {
    if high.is_finite() { soft(r, high, mu) } else { hard(r, mu, room) }
}

/// Multiplier and slacks of a row that is paid for, with both products `mu` and `r = u - s`.
fn soft(r: f64, high: f64, mu: f64) -> (f64, f64, f64) {
    let y = 2.0 * mu * high / ((2.0 * mu - r * high) + (4.0 * mu * mu + r * r * high * high).sqrt());
    let y = if y.is_finite() { y.clamp(1e-3 * high, (1.0 - 1e-3) * high) } else { 0.5 * high };
    let (mut s, mut u) = (mu / y, mu / (high - y));
    let off = r - (u - s);
    u += off.max(0.0);
    s += (-off).max(0.0);
    (y, s, u)
}

/// The same for a row that must hold.
fn hard(r: f64, mu: f64, room: f64) -> (f64, f64, f64) {
    let s = (-r).max(room);
    (mu / s, s, 0.0)
}

fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

/// How far one can go until an entry is zero.
fn reach(v: &[f64], by: &[f64]) -> f64 {
    v.iter().zip(by).filter(|(_, b)| **b < 0.0).fold(f64::INFINITY, |m, (v, b)| m.min(-v / b))
}

#[cfg(test)]
mod tests;
