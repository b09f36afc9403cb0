//! The interior point method itself, for distances that may only shrink or that deviate at a linear cost.

use ndarray::{Array2, Axis, concatenate, s};
use nearer_num::sparse::{differences, laplacian_times, squared_lengths};

use super::question::{Edges, Form, Span};
use super::rows::{Rows, Steps};
use super::system::System;
use super::{End, Judge, Limits, centre, centred_square, failed, means, norm};
use crate::error::Error;
use crate::solve::{Clock, Step, Stop};

/// The state of the interior point method.
pub(super) struct Iteration<'a> {
    edges: &'a Edges,
    form: Form,
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
        form: Form,
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
            let due = share <= 0.3 * self.limits.gap && share < 0.3 * checked;
            if due || iteration % 12 == 0 || small_steps >= 4 {
                checked = checked.min(share);
                let short = self.check(share);
                if self.gap() <= self.limits.gap {
                    stop = Stop::Converged;
                    break;
                }
                if let Some(vector) = short.filter(|_| tilt < 1e-2 && share < 0.05)
                    && self.widen(&vector, variance)?
                {
                    (checked, small_steps) = (f64::INFINITY, 0);
                    continue;
                }
                if small_steps >= 4 || share < 1e-15 {
                    stop = Stop::Stalled;
                    break;
                }
            }
            let length = self.step(&u, &d, &gradient, &data)?;
            small_steps = if length < 1e-7 { small_steps + 1 } else { 0 };
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
        let (primal, dual) = self.rows.lengths(&predictor, 0.99);
        let affine = self.rows.affine(&predictor) / self.rows.products() as f64;
        let centring = if self.lift < 1e-2 { (affine / mu).max(1e-3).powi(2).clamp(0.02, 1.0) } else { 0.5 };
        let second = Some((&predictor, primal * dual));
        let (step, du, steps) = self.direction(u, gradient, &residuals, centring * mu, second);
        let (mut primal, dual) = self.rows.lengths(&steps, 0.98);
        let curvature = squared_lengths(&du, self.r);
        primal = primal.min(self.rows.curvature(&steps, &curvature, data, primal));
        self.points.iter_mut().zip(&step).for_each(|(y, s)| *y += primal * s);
        self.rows.advance(&steps, primal, dual);
        let d = squared_lengths(&differences(&self.points, self.r, &self.edges.pairs), self.r);
        self.rows.follow(&d, data);
        self.lift = if self.lift > 1e-7 { 0.25 * self.lift } else { 0.0 };
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
            Form::AtMost => variance / pairs().map(|(d, t)| d / t).fold(1.0, f64::max),
            Form::Soft(w) => variance - w * pairs().map(|(d, t)| (d - t).abs()).sum::<f64>(),
            Form::Penalised(w) => variance - w * pairs().map(|(d, t)| (d - t).powi(2)).sum::<f64>(),
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
        let target = if share < self.limits.gap { 1.0 - 10.0 * self.limits.gap } else { 0.98 };
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
            let kept = svd.s.iter().filter(|s| **s > 1e-8 * svd.s[0]).count();
            let basis = svd.u.slice(s![.., ..kept]);
            rest = &rest - &basis.dot(&basis.t().dot(&rest));
        }
        let length = rest.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length < 0.3 {
            return Ok(false);
        }
        let column = rest * (1e-2 * variance.sqrt() / length);
        let wider = concatenate![Axis(1), points, column];
        self.r += 1;
        self.points = wider.iter().copied().collect();
        self.system = System::new(self.edges, self.space, self.r).map_err(failed)?;
        self.rows.loosen(1e-2, &self.edges.squared);
        Ok(true)
    }
}
