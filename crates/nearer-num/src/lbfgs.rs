//! Descent by limited-memory BFGS with a backtracking line search: every accepted point is lower than the one before.

use std::collections::VecDeque;

/// When to end.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Largest number of iterations.
    pub max_iter: usize,
    /// End when three iterations together lower the value by no more than this share of it.
    pub decrease: f64,
    /// End when the length of the gradient is at most this.
    pub gradient: f64,
    /// The first step, as a multiple of the gradient: one that is known to lower the value, if any is.
    pub first_step: f64,
}

/// Why it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By one of the two rules.
    Converged,
    /// No step along the gradient lowers the value in floating point.
    Stalled,
    /// The iterations were used up.
    IterationLimit,
    /// `step` said so.
    Stopped,
}

/// Where the descent ended.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The best point.
    pub x: Vec<f64>,
    /// Its value.
    pub value: f64,
    /// Iterations done.
    pub iterations: usize,
    /// Why it ended.
    pub end: End,
}

const MEMORY: usize = 12;

/// Minimises `f` from `x`; `f` gives the value and the gradient. `step` sees the iteration and the value after each, and
/// says whether to go on. Non-finite values are treated as too high.
pub fn minimise(
    mut x: Vec<f64>,
    settings: &Settings,
    mut f: impl FnMut(&[f64]) -> (f64, Vec<f64>),
    mut step: impl FnMut(usize, f64) -> bool,
) -> Outcome {
    let (mut value, mut gradient) = f(&x);
    let mut history = History::default();
    let mut recent = VecDeque::from([value]);
    let mut iterations = 0;
    let end = loop {
        if dot(&gradient, &gradient).sqrt() <= settings.gradient {
            break End::Converged;
        }
        if iterations >= settings.max_iter {
            break End::IterationLimit;
        }
        let Some((next, lower, slope)) = search(&x, value, &gradient, &mut history, settings, &mut f) else {
            break End::Stalled;
        };
        iterations += 1;
        history.push(difference(&next, &x), difference(&slope, &gradient));
        (x, value, gradient) = (next, lower, slope);
        if !step(iterations, value) {
            break End::Stopped;
        }
        recent.push_back(value);
        if recent.len() > 4 {
            recent.pop_front();
        }
        if recent.len() == 4 && recent[0] - value <= settings.decrease * value.abs() {
            break End::Converged;
        }
    };
    Outcome { x, value, iterations, end }
}

/// A lower point along the quasi-Newton direction, or, where that fails, along the gradient.
fn search(
    x: &[f64],
    value: f64,
    gradient: &[f64],
    history: &mut History,
    settings: &Settings,
    f: &mut impl FnMut(&[f64]) -> (f64, Vec<f64>),
) -> Option<(Vec<f64>, f64, Vec<f64>)> {
    loop {
        let fresh = history.pairs.is_empty();
        let direction = history.direction(gradient, settings.first_step);
        let slope = -dot(&direction, gradient);
        if slope < 0.0 {
            let mut length = 1.0;
            for _ in 0..if fresh { 60 } else { 8 } {
                let next: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x - length * d).collect();
                let (lower, steep) = f(&next);
                if lower.is_finite() && lower < value && lower <= value + 1e-4 * length * slope {
                    return Some((next, lower, steep));
                }
                // The parabola through value, slope and the failed point, kept within a tenth and a half.
                let parabola = -slope * length / (2.0 * ((lower - value) / length - slope));
                length *= if parabola.is_finite() { (parabola / length).clamp(0.1, 0.5) } else { 0.1 };
            }
        }
        if fresh {
            return None;
        }
        history.pairs.clear();
    }
}

#[derive(Default)]
struct History {
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

impl History {
    fn push(&mut self, s: Vec<f64>, y: Vec<f64>) {
        let curvature = dot(&s, &y);
        // Without positive curvature the pair would turn the direction uphill.
        if curvature > 1e-12 * (dot(&s, &s) * dot(&y, &y)).sqrt() {
            if self.pairs.len() == MEMORY {
                self.pairs.pop_front();
            }
            self.pairs.push_back((s, y, 1.0 / curvature));
        }
    }
    /// The inverse Hessian applied to the gradient (two loops).
    fn direction(&self, gradient: &[f64], first_step: f64) -> Vec<f64> {
        let mut q = gradient.to_vec();
        let mut alphas = Vec::with_capacity(self.pairs.len());
        for (s, y, rho) in self.pairs.iter().rev() {
            let alpha = rho * dot(s, &q);
            q.iter_mut().zip(y).for_each(|(q, y)| *q -= alpha * y);
            alphas.push(alpha);
        }
        let scale = self.pairs.back().map_or(first_step, |(_, y, rho)| 1.0 / (rho * dot(y, y)));
        q.iter_mut().for_each(|q| *q *= scale);
        for ((s, y, rho), alpha) in self.pairs.iter().zip(alphas.into_iter().rev()) {
            let beta = rho * dot(y, &q);
            q.iter_mut().zip(s).for_each(|(q, s)| *q += (alpha - beta) * s);
        }
        q
    }
}

/// In four lanes: one sum after another would wait for each addition.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (quads, rest) = a.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for (a, b) in quads.iter().zip(b.as_chunks::<4>().0) {
        (0..4).for_each(|k| lanes[k] += a[k] * b[k]);
    }
    let last: f64 = rest.iter().zip(&b[4 * quads.len()..]).map(|(a, b)| a * b).sum();
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + last
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIGHT: Settings = Settings { max_iter: 2000, decrease: 0.0, gradient: 1e-9, first_step: 1e-3 };

    #[test]
    fn the_valley_of_rosenbrock_is_followed_downhill_only() {
        let f = |x: &[f64]| {
            let (a, b) = (x[1] - x[0] * x[0], 1.0 - x[0]);
            (100.0 * a * a + b * b, vec![-400.0 * a * x[0] - 2.0 * b, 200.0 * a])
        };
        let mut values = vec![f64::INFINITY];
        let end = minimise(vec![-1.2, 1.0], &TIGHT, f, |_, v| {
            values.push(v);
            true
        });
        assert!((end.x[0] - 1.0).abs() < 1e-6 && (end.x[1] - 1.0).abs() < 1e-6, "{end:?}");
        assert!(values.windows(2).all(|w| w[1] < w[0]));
    }

    #[test]
    fn it_ends_when_told() {
        let quartic = |x: &[f64]| (x.iter().map(|x| x.powi(4)).sum(), x.iter().map(|x| 4.0 * x.powi(3)).collect());
        let end = minimise(vec![1.0, 2.0], &TIGHT, quartic, |k, _| k < 3);
        assert_eq!((end.end, end.iterations), (End::Stopped, 3));
    }
}
