//! Limited-memory BFGS with a line search for the weak Wolfe conditions, in place: for smooth functions whose second
//! derivatives jump, minimised many times from near their minimum.

use std::collections::VecDeque;

/// When to end.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// End when the length of the gradient is at most this.
    pub gradient: f64,
    /// Largest number of iterations.
    pub iterations: usize,
    /// How many steps are remembered.
    pub memory: usize,
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
}

/// Minimises `f` from `x`, which is where the best point is left. `f` writes the gradient and gives the value; `go_on` is
/// asked after each iteration.
pub fn minimise(
    x: &mut Vec<f64>,
    limits: &Limits,
    f: impl FnMut(&[f64], &mut [f64]) -> f64,
    go_on: impl FnMut() -> bool,
) -> Ended {
    minimise_with(x, limits, None, f, go_on)
}

/// How a gradient becomes a first guess at a step.
pub type Precondition<'a> = &'a dyn Fn(&mut [f64]);

/// The same, where something like the inverse of the second derivatives is known.
pub fn minimise_with(
    x: &mut Vec<f64>,
    limits: &Limits,
    precondition: Option<Precondition<'_>>,
    mut f: impl FnMut(&[f64], &mut [f64]) -> f64,
    mut go_on: impl FnMut() -> bool,
) -> Ended {
    let n = x.len();
    let mut gradient = vec![0.0; n];
    let mut value = f(x, &mut gradient);
    let mut ended = Ended { value, gradient: norm(&gradient), iterations: 0, evaluations: 1 };
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
    let (mut next, mut slope_there) = (vec![0.0; n], vec![0.0; n]);
    let mut direction = vec![0.0; n];
    let mut failures = 0;
    // How much longer the guessed step should be.
    let mut stretch = 1.0;
    while ended.gradient > limits.gradient && ended.iterations < limits.iterations {
        if let (Some(apply), Some((_, y, rho)), true) = (precondition, memory.back(), ended.iterations % STRETCHED == 1)
        {
            let mut guess = y.clone();
            apply(&mut guess);
            stretch = 1.0 / (rho * dot(y, &guess)).max(f64::MIN_POSITIVE);
        }
        let guess = precondition.map(|apply| (apply, stretch));
        descend(&gradient, ended.gradient, &memory, guess, &mut direction);
        let slope = dot(&gradient, &direction);
        let found = if slope < 0.0 {
            search(x, value, slope, &direction, &mut next, &mut slope_there, &mut f, &mut ended.evaluations)
        } else {
            None
        };
        let Some(lower) = found else {
            failures += 1;
            if memory.is_empty() || failures > 3 {
                break;
            }
            memory.clear();
            continue;
        };
        remember(&mut memory, limits.memory, x, &next, &gradient, &slope_there);
        std::mem::swap(x, &mut next);
        std::mem::swap(&mut gradient, &mut slope_there);
        value = lower;
        ended.iterations += 1;
        ended.gradient = norm(&gradient);
        if !go_on() {
            break;
        }
    }
    ended.value = value;
    ended
}

/// After so many iterations the length of guessed steps is looked at again.
const STRETCHED: usize = 4;

/// The quasi-Newton direction by the two loops.
fn descend(
    gradient: &[f64],
    length: f64,
    memory: &VecDeque<(Vec<f64>, Vec<f64>, f64)>,
    guess: Option<(Precondition<'_>, f64)>,
    out: &mut [f64],
) {
    out.iter_mut().zip(gradient).for_each(|(o, g)| *o = -g);
    let mut alphas = Vec::with_capacity(memory.len());
    for (s, y, rho) in memory.iter().rev() {
        let alpha = rho * dot(s, out);
        axpy(-alpha, y, out);
        alphas.push(alpha);
    }
    let scale = match (guess, memory.back()) {
        (Some((apply, stretch)), _) => {
            apply(out);
            stretch
        }
        (None, Some((_, y, rho))) => 1.0 / (rho * dot(y, y)),
        (None, None) => (1.0 / length).min(1.0),
    };
    out.iter_mut().for_each(|o| *o *= scale);
    for ((s, y, rho), alpha) in memory.iter().zip(alphas.into_iter().rev()) {
        let beta = rho * dot(y, out);
        axpy(alpha - beta, s, out);
    }
}

/// A step that lowers the value enough and flattens the slope enough; bracketed, with a parabola inside the bracket.
#[allow(clippy::too_many_arguments)]
fn search(
    x: &[f64],
    value: f64,
    slope: f64,
    direction: &[f64],
    next: &mut [f64],
    gradient: &mut [f64],
    f: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
    evaluations: &mut usize,
) -> Option<f64> {
    let (mut low, mut high, mut step) = (0.0, f64::INFINITY, 1.0);
    let mut at = |step: f64, next: &mut [f64], gradient: &mut [f64]| {
        next.iter_mut().zip(x.iter().zip(direction)).for_each(|(n, (x, d))| *n = x + step * d);
        *evaluations += 1;
        f(next, gradient)
    };
    for _ in 0..25 {
        let there = at(step, next, gradient);
        // Rounding of the value itself must not look like an ascent.
        if there.is_nan() || there > value + 1e-4 * step * slope + 1e-14 * value.abs() {
            high = step;
            let curve = 2.0 * (there - value - step * slope);
            let parabola = -slope * step * step / curve;
            let inside = parabola.is_finite() && parabola > 0.1 * step + 0.9 * low && parabola < 0.9 * step + 0.1 * low;
            step = if inside { parabola } else { 0.5 * (low + step) };
        } else if dot(gradient, direction) < 0.9 * slope {
            low = step;
            step = if high.is_infinite() { 2.0 * step } else { 0.5 * (low + high) };
        } else {
            return Some(there);
        }
    }
    (low > 0.0).then(|| at(low, next, gradient))
}

/// Takes in a step, if it has seen positive curvature.
fn remember(
    memory: &mut VecDeque<(Vec<f64>, Vec<f64>, f64)>,
    most: usize,
    x: &[f64],
    next: &[f64],
    gradient: &[f64],
    there: &[f64],
) {
    let (mut s, mut y) =
        if memory.len() >= most { memory.pop_front().map(|(s, y, _)| (s, y)) } else { None }.unwrap_or_default();
    s.clear();
    s.extend(next.iter().zip(x).map(|(a, b)| a - b));
    y.clear();
    y.extend(there.iter().zip(gradient).map(|(a, b)| a - b));
    let curvature = dot(&s, &y);
    if curvature > 1e-12 * dot(&y, &y) {
        memory.push_back((s, y, 1.0 / curvature));
    }
}

/// The inner product, in eight lanes: one sum after another would wait for each addition.
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (parts, rest) = a.as_chunks::<8>();
    let mut lanes = [0.0; 8];
    for (a, b) in parts.iter().zip(b.as_chunks::<8>().0) {
        (0..8).for_each(|k| lanes[k] += a[k] * b[k]);
    }
    let last: f64 = rest.iter().zip(&b[8 * parts.len()..]).map(|(a, b)| a * b).sum();
    ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])) + last
}

fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

/// The Euclidean length.
#[must_use]
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        let mut x = vec![-1.2, 1.0];
        let ended = minimise(
            &mut x,
            &Limits { gradient: 1e-10, iterations: 500, memory: 10 },
            |x, g| {
                let (a, b) = (x[1] - x[0] * x[0], 1.0 - x[0]);
                g[0] = -400.0 * a * x[0] - 2.0 * b;
                g[1] = 200.0 * a;
                100.0 * a * a + b * b
            },
            || true,
        );
        assert!((x[0] - 1.0).abs() < 1e-9 && (x[1] - 1.0).abs() < 1e-9, "{x:?} {ended:?}");
        assert!(ended.iterations < 80);
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
        let limits = Limits { gradient: 1e-6, iterations: 4000, memory: 10 };
        let mut x = vec![0.0; n];
        let plain = minimise(&mut x, &limits, bowl, || true);
        x.fill(0.0);
        // Off by a factor of three, which the stretch makes good.
        let guess = |q: &mut [f64]| q.iter_mut().enumerate().for_each(|(k, q)| *q *= 3.0 / curvature(k));
        let guided = minimise_with(&mut x, &limits, Some(&guess), bowl, || true);
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-5), "{guided:?}");
        assert!(10 * guided.iterations < plain.iterations, "{guided:?} {plain:?}");
    }

    #[test]
    fn it_ends_when_told_and_keeps_the_best() {
        let mut x = vec![3.0; 40];
        let mut asked = 0;
        let quartic = |x: &[f64], g: &mut [f64]| {
            g.iter_mut().zip(x).for_each(|(g, x)| *g = 4.0 * x.powi(3));
            x.iter().map(|x| x.powi(4)).sum()
        };
        let ended = minimise(&mut x, &Limits { gradient: 0.0, iterations: 99, memory: 3 }, quartic, || {
            asked += 1;
            asked < 4
        });
        assert_eq!(ended.iterations, 4);
        assert!((ended.value - quartic(&x, &mut [0.0; 40])).abs() < 1e-12 && ended.value < 40.0 * 81.0);
    }
}
