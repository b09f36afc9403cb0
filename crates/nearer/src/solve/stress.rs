//! Stress as a loss: how far the distances of a map are from their disparities.
//!
//! With the disparities projected anew for every map, stress is a smooth function of the map alone (where no two points
//! coincide), and its gradient needs one pass over the pairs. The first step of a descent on it is that of majorisation
//! (SMACOF), which can only go down.

use ndarray::Array2;
use nearer_num::packed::{self, Points};
use nearer_num::pairs::Rows;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::Distances;
use crate::solve::Clock;
use crate::solve::descent::{Ended, Objective, Scale, starts};
use crate::solve::disparity::Disparity;
use crate::transform::Transform;

/// A gradient shorter than this share of that of the data themselves is flat.
const FLAT: f64 = 1e-9;

/// Stress under a rule for disparities, made anew for each start.
pub(crate) struct Stress<'a, R> {
    d: &'a Distances,
    dim: usize,
    rule: R,
    free: bool,
    /// `Σ w δ²`.
    size: f64,
}

/// The rule as it stands for the last map, and a distance for each pair where the rule wants them.
pub(crate) struct Fitted<'a> {
    rule: Disparity<'a>,
    buffer: Vec<f64>,
}

/// A map that a descent on stress has ended at, and what goes with it.
pub(crate) struct Scaled {
    pub points: Array2<f64>,
    /// From data to disparities.
    pub transform: Transform,
    /// What disparities are multiplied by when one point alone is moved.
    pub stretch: f64,
    /// Different disparities and the share of pairs in the largest step, for ordinal rules.
    pub steps: Option<(usize, f64)>,
}

impl<'a, R: Fn() -> Disparity<'a> + Sync> Stress<'a, R> {
    /// Raw stress, for disparities that are bound to the data.
    pub(crate) fn new(d: &'a Distances, dim: usize, rule: R) -> Self {
        Stress { d, dim, rule, free: false, size: packed::square_sum(d.condensed(), d.weights()) }
    }
    /// Stress relative to the size of the map, for disparities that may be scaled at will.
    pub(crate) fn relative(self) -> Self {
        Stress { free: true, ..self }
    }

    /// The map at the end of a descent. Free disparities leave its size open: it takes that of the data.
    pub(crate) fn scaled(&self, ended: &Ended<Fitted<'a>>) -> Scaled {
        let mut points = ended.at.clone();
        let (mut scale, mut stretch) = (1.0, 1.0);
        if self.free {
            scale = self.resize(&mut points);
            stretch = 1.0 / (1.0 - ended.value).max(1e-300);
        }
        let steps = if let Disparity::Ordinal(rule) = &ended.state.rule { Some(rule.steps()) } else { None };
        let points = Array2::from_shape_vec(self.shape(), points).unwrap_or_default();
        Scaled { points, transform: ended.state.rule.transform(scale), stretch, steps }
    }

    /// Gives the map the size `Σ w d² = Σ w δ²`; returns the factor.
    fn resize(&self, points: &mut [f64]) -> f64 {
        let square = packed::descend(&Points::from_flat(points, self.dim), self.d.condensed(), self.d.weights()).square;
        let factor = if square > 0.0 { (self.size / square).sqrt() } else { 1.0 };
        points.iter_mut().for_each(|v| *v *= factor);
        factor
    }

    /// The curvature of stress along a point. For equal weights `V = n H`, and `x - ∇/2n` is the step of majorisation; for
    /// others this is a fair first guess.
    fn stiffness(&self) -> f64 {
        let total = self.d.weights().map_or(self.d.pairs() as f64, |w| w.iter().sum());
        2.0 * total / (self.d.len() as f64 - 1.0)
    }
}

impl<'a, R: Fn() -> Disparity<'a> + Sync> Objective for Stress<'a, R> {
    type State = Fitted<'a>;

    fn state(&self) -> Fitted<'a> {
        let rule = (self.rule)();
        debug_assert_eq!(rule.is_free(), self.free, "the stress is that of the rule");
        Fitted { rule, buffer: Vec::new() }
    }
    fn shape(&self) -> (usize, usize) {
        (self.d.len(), self.dim)
    }
    fn starts(&self) -> usize {
        starts::worthwhile(self.d.len())
    }
    fn start(&self, number: usize, rng: &mut Rng, clock: &Clock<'_>) -> Result<Vec<f64>, Error> {
        let mut points = starts::start(self.d, self.dim, number, rng, clock)?;
        if self.free {
            self.resize(&mut points);
        }
        Ok(points)
    }
    fn scale(&self) -> Scale {
        let relative = if self.free { self.size } else { 1.0 };
        let stiffness = self.stiffness();
        Scale {
            flat: FLAT * 2.0 * stiffness * (self.size / self.d.len() as f64).sqrt() / relative,
            first_step: Some(0.5 * relative / stiffness),
        }
    }

    /// With `S = Σ w (d - dhat)²` and `T = Σ w d²`: `S` where disparities are bound to the data, and `S / T` where they are
    /// free; then `∇(S/T) = (∇S - (S/T) ∇T) / T`, which is the gradient of `S` for the targets `dhat / (1 - S/T)`, times
    /// `(1 - S/T) / T`.
    fn value(&self, at: &[f64], gradient: &mut [f64], state: &mut Fitted<'a>) -> f64 {
        let (d, weights) = (self.d, self.d.weights());
        let Fitted { rule, buffer } = state;
        if let Disparity::Ordinal(rule) = rule {
            let rows = Rows { values: at, dim: self.dim };
            let (total, value) = rule.fit(rows);
            if total.is_nan() || total <= 0.0 {
                return nowhere(gradient);
            }
            let stretch = 1.0 / (1.0 - value).max(1e-300);
            let factor = 2.0 / (stretch * total);
            let pull = rule.pull(rows, stretch);
            gradient.iter_mut().zip(pull).for_each(|(g, p)| *g = factor * p);
            return value;
        }
        let points = Points::from_flat(at, self.dim);
        if matches!(rule, Disparity::Identity) {
            let pass = packed::descend(&points, d.condensed(), weights);
            pass.pull.write_flat(2.0, gradient);
            return pass.loss;
        }
        buffer.resize(d.pairs(), 0.0);
        packed::distances(&points, buffer);
        let total = packed::square_sum(buffer, weights);
        rule.project(buffer);
        if !self.free {
            let pass = packed::descend(&points, buffer, weights);
            pass.pull.write_flat(2.0, gradient);
            return pass.loss;
        }
        if total.is_nan() || total <= 0.0 {
            return nowhere(gradient);
        }
        // Disparities are a projection onto a cone, so |d - dhat|² = |d|² - |dhat|².
        let value = (1.0 - packed::square_sum(buffer, weights) / total).max(0.0);
        let stretch = 1.0 / (1.0 - value).max(1e-300);
        packed::scale(buffer, stretch);
        packed::descend(&points, buffer, weights).pull.write_flat(2.0 / (stretch * total), gradient);
        value
    }
}

/// A map of one place has no relative stress.
fn nowhere(gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    f64::INFINITY
}
