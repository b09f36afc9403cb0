//! Limited-memory BFGS, in place, with a line search for the weak Wolfe conditions: for functions that are smooth, or
//! whose derivatives jump here and there.

use std::collections::VecDeque;

use crate::vectors::{add_multiple, dot, norm};

/// When to end, and what is known beforehand.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'a> {
    /// Largest number of iterations.
    pub iterations: usize,
    /// End when the length of the gradient is at most this.
    pub gradient: f64,
    /// End when three iterations together lower the value by no more than this share of it. Every step then lowers it; where
    /// the gradient alone decides, one that is level to rounding is taken too.
    pub decrease: Option<f64>,
    /// How many steps are remembered.
    pub memory: usize,
    /// How a gradient becomes a first guess at a step.
    pub guess: Guess<'a>,
}

/// How a gradient becomes a step before anything is known of the curvature.
#[derive(Clone, Copy)]
pub enum Guess<'a> {
    /// Along the gradient, no longer than one.
    Short,
    /// The gradient times this: a step that is known to lower the value, if any is.
    Times(f64),
    /// Through something like the inverse of the second derivatives, also in later iterations.
    Curvature(&'a dyn Fn(&mut [f64])),
}

impl std::fmt::Debug for Guess<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Guess::Short => f.write_str("Short"),
            Guess::Times(step) => f.debug_tuple("Times").field(step).finish(),
            Guess::Curvature(_) => f.write_str("Curvature"),
        }
    }
}

/// Why it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By one of the two rules.
    Converged,
    /// No step lowers the value in floating point, or there is no value.
    Stalled,
    /// The iterations were used up.
    IterationLimit,
    /// `go_on` said no.
    Stopped,
}

/// Where and how it ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// The value there.
    pub value: f64,
    /// The length of the gradient there.
    pub gradient: f64,
    /// Iterations done.
    pub iterations: usize,
    /// Evaluations of the function.
    pub evaluations: usize,
    /// Why there.
    pub end: End,
}

/// Minimises `f` from `x`, which is where the best point is left. `f` writes the gradient and gives the value; one that is
/// not a number counts as too high. `go_on` is asked after each iteration, with its number and the value.
pub fn minimise(
    x: &mut Vec<f64>,
    settings: &Settings<'_>,
    mut f: impl FnMut(&[f64], &mut [f64]) -> f64,
    mut go_on: impl FnMut(usize, f64) -> bool,
) -> Ended {
    let n = x.len();
    let mut gradient = vec![0.0; n];
    let value = f(x, &mut gradient);
    let mut ended = Ended { value, gradient: norm(&gradient), iterations: 0, evaluations: 1, end: End::Converged };
    let mut history = History { pairs: VecDeque::new(), most: settings.memory, stretch: 1.0 };
    let (mut next, mut slope_there, mut direction) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut recent = VecDeque::from([value]);
    let mut failures = 0;
    ended.end = loop {
        if ended.gradient <= settings.gradient {
            break End::Converged;
        }
        if ended.iterations >= settings.iterations {
            break End::IterationLimit;
        }
        history.direction(&gradient, ended.gradient, settings.guess, ended.iterations, &mut direction);
        let slope = dot(&gradient, &direction);
        let level = if settings.decrease.is_some() { 0.0 } else { ROUNDING };
        let mut line = Line { x, direction: &direction, level, f: &mut f, evaluations: &mut ended.evaluations };
        // A slope that is not a number is no way down either.
        let found = if slope < 0.0 { line.search(ended.value, slope, &mut next, &mut slope_there) } else { None };
        let Some(lower) = found else {
            failures += 1;
            if history.pairs.is_empty() || failures > FAILURES {
                break End::Stalled;
            }
            history.pairs.clear();
            continue;
        };
        history.remember(x, &next, &gradient, &slope_there);
        std::mem::swap(x, &mut next);
        std::mem::swap(&mut gradient, &mut slope_there);
        ended.value = lower;
        ended.iterations += 1;
        ended.gradient = norm(&gradient);
        if !go_on(ended.iterations, lower) {
            break End::Stopped;
        }
        recent.push_back(lower);
        if recent.len() > 4 {
            recent.pop_front();
        }
        let still = |share: f64| recent.len() == 4 && recent[0] - lower <= share * lower.abs();
        if settings.decrease.is_some_and(still) {
            break End::Converged;
        }
    };
    ended
}

/// How often the memory may be thrown away before a descent is called stalled.
const FAILURES: usize = 3;
/// After so many iterations the length of guessed steps is looked at again.
const STRETCHED: usize = 4;
/// Trials of one line search.
const TRIALS: usize = 25;
/// The share of the first-order decrease that a step must make, and of the slope that it may leave (Nocedal and Wright).
const ENOUGH: f64 = 1e-4;
const FLATTER: f64 = 0.9;
/// Rounding of the value itself, as a share of it, which need not look like an ascent.
const ROUNDING: f64 = 1e-14;

/// The last steps and what they did to the gradient.
struct History {
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
    most: usize,
    /// How much longer the guessed step should be.
    stretch: f64,
}

impl History {
    /// The quasi-Newton direction by the two loops.
    fn direction(&mut self, gradient: &[f64], length: f64, guess: Guess<'_>, iteration: usize, out: &mut [f64]) {
        if let (Guess::Curvature(apply), Some((_, y, rho)), true) =
            (guess, self.pairs.back(), iteration % STRETCHED == 1)
        {
            let mut guessed = y.clone();
            apply(&mut guessed);
            self.stretch = 1.0 / (rho * dot(y, &guessed)).max(f64::MIN_POSITIVE);
        }
        out.iter_mut().zip(gradient).for_each(|(o, g)| *o = -g);
        let mut alphas = Vec::with_capacity(self.pairs.len());
        for (s, y, rho) in self.pairs.iter().rev() {
            let alpha = rho * dot(s, out);
            add_multiple(-alpha, y, out);
            alphas.push(alpha);
        }
        let scale = match (guess, self.pairs.back()) {
            (Guess::Curvature(apply), _) => {
                apply(out);
                self.stretch
            }
            (_, Some((_, y, rho))) => 1.0 / (rho * dot(y, y)),
            (Guess::Times(step), None) => step,
            (Guess::Short, None) => (1.0 / length).min(1.0),
        };
        out.iter_mut().for_each(|o| *o *= scale);
        for ((s, y, rho), alpha) in self.pairs.iter().zip(alphas.into_iter().rev()) {
            let beta = rho * dot(y, out);
            add_multiple(alpha - beta, s, out);
        }
    }

    /// Takes in a step, if it has seen positive curvature: without it the pair would turn directions uphill.
    fn remember(&mut self, x: &[f64], next: &[f64], gradient: &[f64], there: &[f64]) {
        let oldest = if self.pairs.len() >= self.most { self.pairs.pop_front() } else { None };
        let (mut s, mut y) = oldest.map(|(s, y, _)| (s, y)).unwrap_or_default();
        s.clear();
        s.extend(next.iter().zip(x).map(|(a, b)| a - b));
        y.clear();
        y.extend(there.iter().zip(gradient).map(|(a, b)| a - b));
        let curvature = dot(&s, &y);
        if curvature > 1e-12 * dot(&y, &y) {
            self.pairs.push_back((s, y, 1.0 / curvature));
        }
    }
}

/// The function along a direction.
struct Line<'a, F> {
    x: &'a [f64],
    direction: &'a [f64],
    /// What a step may raise the value by, as a share of it.
    level: f64,
    f: &'a mut F,
    evaluations: &'a mut usize,
}

impl<F: FnMut(&[f64], &mut [f64]) -> f64> Line<'_, F> {
    fn at(&mut self, step: f64, next: &mut [f64], gradient: &mut [f64]) -> f64 {
        next.iter_mut().zip(self.x.iter().zip(self.direction)).for_each(|(n, (x, d))| *n = x + step * d);
        *self.evaluations += 1;
        (self.f)(next, gradient)
    }

    /// A step that lowers the value enough and flattens the slope enough; bracketed, with a parabola inside the bracket.
    fn search(&mut self, value: f64, slope: f64, next: &mut [f64], gradient: &mut [f64]) -> Option<f64> {
        let (mut low, mut high, mut step) = (0.0, f64::INFINITY, 1.0);
        for _ in 0..TRIALS {
            let there = self.at(step, next, gradient);
            let enough = value + ENOUGH * step * slope + self.level * value.abs();
            let raised = self.level == 0.0 && there >= value;
            if there.is_nan() || there > enough || raised {
                high = step;
                let curve = 2.0 * (there - value - step * slope);
                let parabola = -slope * step * step / curve;
                let inside =
                    parabola.is_finite() && parabola > 0.1 * step + 0.9 * low && parabola < 0.9 * step + 0.1 * low;
                step = if inside { parabola } else { 0.5 * (low + step) };
            } else if dot(gradient, self.direction) < FLATTER * slope {
                low = step;
                step = if high.is_infinite() { 2.0 * step } else { 0.5 * (low + high) };
            } else {
                return Some(there);
            }
        }
        (low > 0.0).then(|| self.at(low, next, gradient))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tight(gradient: f64, iterations: usize) -> Settings<'static> {
        Settings { iterations, gradient, decrease: None, memory: 10, guess: Guess::Short }
    }

    fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
        let (a, b) = (x[1] - x[0] * x[0], 1.0 - x[0]);
        g[0] = -400.0 * a * x[0] - 2.0 * b;
        g[1] = 200.0 * a;
        100.0 * a * a + b * b
    }

    #[test]
    fn the_valley_of_rosenbrock_is_followed_downhill_to_its_end() {
        for guess in [Guess::Short, Guess::Times(1e-3)] {
            let mut x = vec![-1.2, 1.0];
            let mut values = vec![f64::INFINITY];
            let ended = minimise(&mut x, &Settings { guess, ..tight(1e-10, 500) }, rosenbrock, |_, v| {
                values.push(v);
                true
            });
            assert!((x[0] - 1.0).abs() < 1e-9 && (x[1] - 1.0).abs() < 1e-9, "{x:?} {ended:?}");
            assert!(ended.iterations < 80 && ended.end == End::Converged, "{ended:?}");
            assert!(values.windows(2).all(|w| w[1] < w[0]));
        }
    }

    /// A badly scaled bowl: with the inverse of its curvature a few steps do.
    #[test]
    fn a_guess_at_the_curvature_saves_steps() {
        let n = 200;
        let curvature = |k: usize| 10f64.powf(6.0 * k as f64 / n as f64);
        let bowl = |x: &[f64], g: &mut [f64]| {
            g.iter_mut().zip(x).enumerate().for_each(|(k, (g, x))| *g = curvature(k) * (x - 1.0));
            x.iter().enumerate().map(|(k, x)| 0.5 * curvature(k) * (x - 1.0) * (x - 1.0)).sum()
        };
        let mut x = vec![0.0; n];
        let plain = minimise(&mut x, &tight(1e-6, 4000), bowl, |_, _| true);
        x.fill(0.0);
        // Off by a factor of three, which the stretch makes good.
        let guess = |q: &mut [f64]| q.iter_mut().enumerate().for_each(|(k, q)| *q *= 3.0 / curvature(k));
        let settings = Settings { guess: Guess::Curvature(&guess), ..tight(1e-6, 4000) };
        let guided = minimise(&mut x, &settings, bowl, |_, _| true);
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-5), "{guided:?}");
        assert!(10 * guided.iterations < plain.iterations, "{guided:?} {plain:?}");
    }

    #[test]
    fn it_ends_when_told_when_flat_and_where_there_is_no_number() {
        let quartic = |x: &[f64], g: &mut [f64]| {
            g.iter_mut().zip(x).for_each(|(g, x)| *g = 4.0 * x.powi(3));
            x.iter().map(|x| x.powi(4)).sum()
        };
        let mut x = vec![3.0; 40];
        let told = minimise(&mut x, &tight(0.0, 99), quartic, |k, _| k < 4);
        assert_eq!((told.end, told.iterations), (End::Stopped, 4));
        assert!((told.value - quartic(&x, &mut [0.0; 40])).abs() < 1e-12 && told.value < 40.0 * 81.0);
        let flat = minimise(
            &mut x,
            &Settings { decrease: Some(0.5), ..tight(0.0, 99) },
            |x, g| 1.0 + quartic(x, g),
            |_, _| true,
        );
        assert_eq!(flat.end, End::Converged);
        let nowhere = minimise(
            &mut x,
            &tight(0.0, 99),
            |_, g| {
                g.fill(f64::NAN);
                f64::NAN
            },
            |_, _| true,
        );
        assert_eq!((nowhere.end, nowhere.evaluations), (End::Stalled, 1));
    }
}
