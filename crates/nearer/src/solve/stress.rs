//! Descent on stress: from a start down to a map whose distances are closest to their disparities.
//!
//! With the disparities projected anew for every map, stress is a smooth function of the map alone (where no two points
//! coincide), and its gradient needs one pass over the pairs. The descent is limited-memory BFGS whose first step is that
//! of majorisation (SMACOF), which can only go down; every accepted map has lower stress than the one before.

use ndarray::Array2;
use nearer_num::lbfgs;
use nearer_num::packed::{self, Points};
use nearer_num::pairs::Rows;

use crate::evidence::Distances;
use crate::solve::Clock;
use crate::solve::descent::{self, Ended, Limits};
use crate::solve::disparity::Disparity;

/// Descends from `start` under `rule`; `task` is which start this is of how many.
pub(crate) fn descend(
    d: &Distances,
    mut rule: Disparity<'_>,
    start: &Array2<f64>,
    limits: Limits,
    task: (usize, usize),
    clock: &Clock<'_>,
) -> Ended {
    let (n, weights) = (d.len() as f64, d.weights());
    let size = packed::square_sum(d.condensed(), weights);
    let mut stress = Stress { d, rule: &mut rule, buffer: Vec::new() };
    let start = if stress.rule.is_free() { resized(start, d, size) } else { start.clone() };
    // For equal weights V = n H, and x - ∇/2n is the step of majorisation; for others this is a fair first guess.
    let total = weights.map_or(d.pairs() as f64, |w| w.iter().sum());
    let stiffness = 2.0 * total / (n - 1.0);
    let relative = if stress.rule.is_free() { size } else { 1.0 };
    let settings = lbfgs::Settings {
        max_iter: limits.max_iter,
        decrease: limits.eps,
        gradient: 1e-9 * 2.0 * stiffness * (size / n).sqrt() / relative,
        first_step: 0.5 * relative / stiffness,
    };
    let mut ended = descent::descend(&start, &settings, task, clock, |points| stress.evaluate(points));
    // The rule stands as the last trial left it, which need not be the best map.
    (ended.value, _) = stress.evaluate(&Points::from_rows(&ended.points));
    let mut scale = 1.0;
    if rule.is_free() {
        // Free disparities leave the size open: the map takes the size of the data.
        let sized = resized(&ended.points, d, size);
        scale = ratio(&sized, &ended.points);
        ended.points = sized;
        ended.stretch = 1.0 / (1.0 - ended.value).max(1e-300);
    }
    if let Disparity::Ordinal(rule) = &rule {
        ended.steps = Some(rule.steps());
    }
    ended.transform = rule.transform(scale);
    ended
}

/// Stress as a function of the map.
struct Stress<'a, 'r, 'd> {
    d: &'a Distances,
    rule: &'r mut Disparity<'d>,
    buffer: Vec<f64>,
}

impl Stress<'_, '_, '_> {
    /// Value and gradient. With `S = Σ w (d - dhat)²` and `T = Σ w d²`: `S` where disparities are bound to the data, and
    /// `S / T` where they are free; then `∇(S/T) = (∇S - (S/T) ∇T) / T`, which is the gradient of `S` for the targets
    /// `dhat / (1 - S/T)`, times `(1 - S/T) / T`.
    fn evaluate(&mut self, points: &Points) -> (f64, Vec<f64>) {
        let (d, weights) = (self.d, self.d.weights());
        if matches!(self.rule, Disparity::Identity) {
            let pass = packed::descend(points, d.condensed(), weights);
            return (pass.loss, doubled(&pass.pull, 1.0));
        }
        if let Disparity::Ordinal(rule) = &mut self.rule {
            let rows = points.to_rows();
            let rows = Rows { values: rows.as_slice().unwrap_or_default(), dim: points.dim() };
            let (total, value) = rule.fit(rows);
            if total <= 0.0 {
                return (f64::INFINITY, vec![0.0; rows.values.len()]);
            }
            let stretch = 1.0 / (1.0 - value).max(1e-300);
            let pull = rule.pull(rows, stretch);
            let (n, p, factor) = (points.len(), points.dim(), 2.0 / (stretch * total));
            return (value, (0..n * p).map(|k| factor * pull[k % n * p + k / n]).collect());
        }
        self.buffer.resize(d.pairs(), 0.0);
        packed::distances(points, &mut self.buffer);
        let total = packed::square_sum(&self.buffer, weights);
        self.rule.project(&mut self.buffer);
        if !self.rule.is_free() {
            let pass = packed::descend(points, &self.buffer, weights);
            return (pass.loss, doubled(&pass.pull, 1.0));
        }
        if total <= 0.0 {
            return (f64::INFINITY, vec![0.0; points.len() * points.dim()]);
        }
        // Disparities are a projection onto a cone, so |d - dhat|² = |d|² - |dhat|².
        let value = (1.0 - packed::square_sum(&self.buffer, weights) / total).max(0.0);
        let stretch = 1.0 / (1.0 - value).max(1e-300);
        packed::scale(&mut self.buffer, stretch);
        let pass = packed::descend(points, &self.buffer, weights);
        (value, doubled(&pass.pull, 1.0 / (stretch * total)))
    }
}

fn doubled(pull: &Points, factor: f64) -> Vec<f64> {
    pull.columns().iter().flatten().map(|v| 2.0 * factor * v).collect()
}

/// The same map with `Σ w d²` equal to `size`.
fn resized(points: &Array2<f64>, d: &Distances, size: f64) -> Array2<f64> {
    let square = packed::descend(&Points::from_rows(points), d.condensed(), d.weights()).square;
    if square > 0.0 { points * (size / square).sqrt() } else { points.clone() }
}

fn ratio(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let norm = |m: &Array2<f64>| m.iter().map(|v| v * v).sum::<f64>().sqrt();
    if norm(b) > 0.0 { norm(a) / norm(b) } else { 1.0 }
}
