//! The interior point method itself, for distances that may only shrink or that deviate at a linear cost.

use ndarray::{Array2, Axis, concatenate, s};
use nearer_num::sparse::{differences, laplacian_times, squared_lengths};

use super::question::{Edges, Span};
use super::rows::{Rows, Steps};
use super::system::{System, lowered};
use super::{End, Judge, Limits, centre, centred_square, failed, means, norm};
use crate::error::Error;
use crate::program::Stretch;
use crate::solve::{Clock, Step, Stop};

// Where nothing else is said, these were chosen by trial on the instances of `bench/convex.py`; they are not swept.

/// A bound, which costs a factorisation, is asked for when the complementarity has come below this share of the gap that is wanted and
/// of where it was the last time; and every so many iterations in any case.
const DUE: f64 = 0.3;
const AT_LEAST_EVERY: usize = 12;
/// A step shorter than this is none; so many of them in a row are the end.
const NO_STEP: f64 = 1e-7;
const PATIENCE: usize = 4;
/// The share of the variance that complementarity has when doubles have no more digits for it.
const DIGITS: f64 = 1e-15;
/// A dimension is added where the gradient, as a share of the points, and the complementarity, as a share of the variance, are below
/// these: before that a negative direction says nothing.
const FLAT: f64 = 1e-2;
const CENTRED: f64 = 0.05;
/// The multipliers hold the points together where the second eigenvalue is at least this, one at the end. When the complementarity is
/// below the gap that is wanted, it is one less so many of those gaps.
const HOLDING: f64 = 0.98;
const GAPS: f64 = 10.0;
/// Steps stop short of the boundary by one less this share: .99 for the predictor (Mehrotra's usual choice), a little less for what is
/// really gone.
const PREDICTED: f64 = 0.99;
const GONE: f64 = 0.98;
/// The target of a step, as a share of the complementarity: Mehrotra's rule with a square in the place of his cube, between these.
/// With a diagonal raised by more than this the step is no Newton step, and aims half way.
const LOWEST: f64 = 0.02;
const LEAST_RATIO: f64 = 1e-3;
const RAISED: f64 = 1e-2;
const HALF_WAY: f64 = 0.5;
/// A singular value below this share of the largest is no direction that the points have.
const THIN: f64 = 1e-8;
/// A new direction of length one of which less than this is left outside the points is not new; what is left begins with this share of
/// the root of the variance, and slacks with it as a share of their data.
const NEW: f64 = 0.3;
pub(super) const BEGINS: f64 = 1e-2;

/// The state of the interior point method.
pub(super) struct Iteration<'a> {
    edges: &'a Edges,
    form: Stretch,
    limits: Limits,
    /// `r` coordinates a vertex.
    points: Vec<f64>,
    r: usize,
    rows: Rows,
    system: System,
    space: &'a mut Span,
    judge: Judge<'a>,
    /// What is added to the diagonal of the Newton matrix.
    lift: f64,
    best: Best,
}

/// The best of both sides so far: points and multipliers are kept apart, since each is a proof by itself.
#[derive(Debug, Default)]
struct Best {
    value: f64,
    points: Vec<f64>,
    r: usize,
    bound: f64,
    multipliers: Vec<f64>,
}

impl<'a> Iteration<'a> {
    pub(super) fn new(
        edges: &'a Edges,
        form: Stretch,
        start: Array2<f64>,
        space: &'a mut Span,
        limits: Limits,
        judge: Judge<'a>,
    ) -> Result<Self, Error> {
        let r = start.ncols();
        let mut points: Vec<f64> = start.iter().copied().collect();
        let data = &edges.squared;
        let lengths = |points: &[f64]| squared_lengths(&differences(points, r, &edges.pairs), r);
        let mut ratios: Vec<f64> = lengths(&points).iter().zip(data).map(|(d, t)| d / t).collect();
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2].max(f64::MIN_POSITIVE);
        points.iter_mut().for_each(|v| *v /= median.sqrt());
        let d = lengths(&points);
        let variance = centred_square(&points, edges.n, r);
        let m = data.len() as f64;
        let y = data.iter().map(|t| variance / m / t).collect();
        let rows = Rows::new(form, y, &d, data);
        let system = System::new(edges, space, r).map_err(failed)?;
        let best = Best { value: f64::NEG_INFINITY, bound: f64::INFINITY, ..Best::default() };
        Ok(Iteration { edges, form, limits, points, r, rows, system, space, judge, lift: 0.0, best })
    }

    pub(super) fn run(mut self, clock: &Clock<'_>) -> Result<End, Error> {
        let (n, data) = (self.edges.n, self.edges.squared.clone());
        let mut stop = Stop::IterationLimit;
        let mut iterations = 0;
        let mut checked = f64::INFINITY;
        let mut small_steps = 0;
        for iteration in 1..=self.limits.max_iter {
            iterations = iteration;
            let u = differences(&self.points, self.r, &self.edges.pairs);
            let d = squared_lengths(&u, self.r);
            let variance = centred_square(&self.points, n, self.r);
            let gradient = self.gradient(&u);
            let left = self.rows.complementarity();
            let share = left / variance.max(f64::MIN_POSITIVE);
            let tilt = norm(&gradient) / norm(&self.points).max(f64::MIN_POSITIVE);
            if !(share.is_finite() && tilt.is_finite()) {
                stop = Stop::Stalled;
                break;
            }
            self.remember(&d, variance);
            if let Some(ended) =
                clock.tick(&Step::new("unfolding", (0, 1), iteration, Some(self.limits.max_iter), variance))
            {
                stop = ended;
                break;
            }
            let due = share <= DUE * self.limits.gap && share < DUE * checked;
            if due || iteration % AT_LEAST_EVERY == 0 || small_steps >= PATIENCE {
                checked = checked.min(share);
                let short = self.check(share);
                if self.gap() <= self.limits.gap {
                    stop = Stop::Converged;
                    break;
                }
                if let Some(vector) = short.filter(|_| tilt < FLAT && share < CENTRED)
                    && self.widen(&vector, variance)?
                {
                    (checked, small_steps) = (f64::INFINITY, 0);
                    continue;
                }
                if small_steps >= PATIENCE || share < DIGITS {
                    stop = Stop::Stalled;
                    break;
                }
            }
            let length = self.step(&u, &d, &gradient, &data)?;
            small_steps = if length < NO_STEP { small_steps + 1 } else { 0 };
        }
        if !self.best.bound.is_finite() || stop != Stop::Converged {
            self.check(0.0);
        }
        let Best { points, r, multipliers, .. } = self.best;
        let points = Array2::from_shape_vec((n, r), points).expect("r coordinates for each vertex");
        Ok(End { points, multipliers, stop, iterations })
    }

    /// `2 (L(y) - H) Y`.
    fn gradient(&self, u: &[f64]) -> Vec<f64> {
        let (n, r) = (self.edges.n, self.r);
        let mut g = laplacian_times(n, r, &self.edges.pairs, &self.rows.y, u);
        let means = means(&self.points, n, r);
        for (k, g) in g.iter_mut().enumerate() {
            *g = 2.0 * (*g - (self.points[k] - means[k % r]));
        }
        g
    }

    /// One predictor and corrector step; how far along it went.
    fn step(&mut self, u: &[f64], d: &[f64], gradient: &[f64], data: &[f64]) -> Result<f64, Error> {
        let residuals = self.rows.residuals(d, data);
        let mu = self.rows.complementarity() / self.rows.products() as f64;
        let newton = self.rows.newton(&residuals, 0.0, None);
        let twice: Vec<f64> = self.rows.y.iter().map(|y| 2.0 * y).collect();
        let theta: Vec<f64> = newton.theta.iter().map(|t| 4.0 * t).collect();
        self.system.assemble(self.space, &twice, &theta, u);
        self.lift = self.system.raise(self.lift).map_err(failed)?;

        let (_, _, predictor) = self.direction(u, gradient, &residuals, 0.0, None);
        let (primal, dual) = self.rows.lengths(&predictor, PREDICTED);
        let affine = self.rows.affine(&predictor, (primal, dual)) / self.rows.products() as f64;
        let ratio = (affine / mu).max(LEAST_RATIO);
        let centring = if self.lift < RAISED { ratio.powi(2).clamp(LOWEST, 1.0) } else { HALF_WAY };
        let second = Some((&predictor, primal * dual));
        let (step, du, steps) = self.direction(u, gradient, &residuals, centring * mu, second);
        let (mut primal, dual) = self.rows.lengths(&steps, GONE);
        let curvature = squared_lengths(&du, self.r);
        primal = primal.min(self.rows.curvature(&steps, &curvature, data, primal));
        self.points.iter_mut().zip(&step).for_each(|(y, s)| *y += primal * s);
        self.rows.advance(&steps, primal, dual);
        let d = squared_lengths(&differences(&self.points, self.r, &self.edges.pairs), self.r);
        self.rows.follow(&d, data);
        self.lift = lowered(self.lift);
        Ok(primal.max(dual))
    }

    /// The Newton direction for a target `μ`: points, their differences, and the rows.
    fn direction(
        &mut self,
        u: &[f64],
        gradient: &[f64],
        residuals: &[f64],
        mu: f64,
        second: Option<(&Steps, f64)>,
    ) -> (Vec<f64>, Vec<f64>, Steps) {
        let (n, r) = (self.edges.n, self.r);
        let newton = self.rows.newton(residuals, mu, second);
        let mut step = laplacian_times(n, r, &self.edges.pairs, &newton.fixed, u);
        step.iter_mut().zip(gradient).for_each(|(s, g)| *s = -g - 2.0 * *s);
        self.system.solve(self.space, &mut step);
        centre(&mut step, n, r);
        let du = differences(&step, r, &self.edges.pairs);
        let along: Vec<f64> = u
            .chunks_exact(r)
            .zip(du.chunks_exact(r))
            .map(|(u, du)| 2.0 * u.iter().zip(du).map(|(a, b)| a * b).sum::<f64>())
            .collect();
        let steps = self.rows.steps(&newton, mu, second, residuals, &along);
        (step, du, steps)
    }

    /// Keeps the points if they are the best so far.
    fn remember(&mut self, d: &[f64], variance: f64) {
        let pairs = || d.iter().zip(&self.edges.squared);
        let value = match self.form {
            Stretch::AtMost => variance / pairs().map(|(d, t)| d / t).fold(1.0, f64::max),
            Stretch::Soft(w) => variance - w * pairs().map(|(d, t)| (d - t).abs()).sum::<f64>(),
            Stretch::Penalised(w) => variance - w * pairs().map(|(d, t)| (d - t).powi(2)).sum::<f64>(),
        };
        if value > self.best.value || self.best.points.is_empty() {
            (self.best.value, self.best.points, self.best.r) = (value, self.points.clone(), self.r);
        }
    }

    /// Has a bound proved with the multipliers as they are; gives a direction that is missing in the points, if one is.
    fn check(&mut self, share: f64) -> Option<Array2<f64>> {
        let bound = self.judge.bound(&self.rows.y);
        if bound < self.best.bound || self.best.multipliers.is_empty() {
            self.best.bound = bound;
            self.best.multipliers = self.rows.y.clone();
        }
        if self.gap() <= self.limits.gap {
            return None;
        }
        let second = self.space.second(&self.rows.y);
        let target = if share < self.limits.gap { 1.0 - GAPS * self.limits.gap } else { HOLDING };
        let short = second.estimate < target && second.vectors.ncols() > 0;
        short.then(|| second.vectors.slice(s![.., ..1]).to_owned())
    }

    fn gap(&self) -> f64 {
        Judge::gap(self.best.value, self.best.bound)
    }

    /// Adds a dimension along `vector`, unless the points have it already.
    fn widen(&mut self, vector: &Array2<f64>, variance: f64) -> Result<bool, Error> {
        let n = self.edges.n;
        if self.r + 1 > self.space.dimensions(n) {
            return Ok(false);
        }
        let points = Array2::from_shape_vec((n, self.r), self.points.clone()).expect("r coordinates for each vertex");
        let mean = points.mean_axis(Axis(0)).unwrap_or_default();
        let centred = &points - &mean;
        let mut rest = vector.clone();
        if let Ok(svd) = nearer_num::dense::svd(centred.view()) {
            let kept = svd.s.iter().filter(|s| **s > THIN * svd.s[0]).count();
            let basis = svd.u.slice(s![.., ..kept]);
            rest = &rest - &basis.dot(&basis.t().dot(&rest));
        }
        let length = rest.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length < NEW {
            return Ok(false);
        }
        let column = rest * (BEGINS * variance.sqrt() / length);
        let wider = concatenate![Axis(1), points, column];
        self.r += 1;
        self.points = wider.iter().copied().collect();
        self.system = System::new(self.edges, self.space, self.r).map_err(failed)?;
        self.rows.loosen(BEGINS, &self.edges.squared);
        Ok(true)
    }
}
