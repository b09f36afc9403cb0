//! Small least-squares problems: linear ones by the normal equations, others by Levenberg and Marquardt, and those
//! whose unknowns may not be negative.

use ndarray::{Array1, Array2};

/// `x` that minimises `|a x - b|²`; a tiny ridge settles directions that `a` does not see.
#[must_use]
pub fn linear(a: &Array2<f64>, b: &Array1<f64>) -> Array1<f64> {
    let normal = a.t().dot(a);
    let ridge = 1e-12 * normal.diag().iter().fold(0.0, |m: f64, v| m.max(*v)) + f64::MIN_POSITIVE;
    solve_spd(normal, &a.t().dot(b), ridge)
}

/// Minimises `|r(x)|²` by Levenberg and Marquardt from `x`; `f` gives the residuals and their derivatives.
/// Gives the best point and its value; the value never rises above that of the start.
pub fn minimise(
    mut x: Array1<f64>,
    max_iter: usize,
    f: impl Fn(&Array1<f64>) -> (Array1<f64>, Array2<f64>),
) -> (Array1<f64>, f64) {
    let (mut r, mut j) = f(&x);
    let mut value = r.dot(&r);
    let mut damping = 1e-3;
    for _ in 0..max_iter {
        let gradient = j.t().dot(&r);
        let normal = j.t().dot(&j);
        let size = normal.diag().iter().fold(f64::MIN_POSITIVE, |m: f64, v| m.max(*v));
        let step = solve_spd(normal, &gradient, damping * size);
        let next = &x - &step;
        let (r_next, j_next) = f(&next);
        let value_next = r_next.dot(&r_next);
        if value_next <= value {
            let small = step.dot(&step) <= 1e-28 * (x.dot(&x) + step.dot(&step)) || value - value_next <= 1e-16 * value;
            (x, r, j, value) = (next, r_next, j_next, value_next);
            damping = (damping * 0.2).max(1e-15);
            if small {
                break;
            }
        } else {
            damping *= 8.0;
            if damping > 1e12 {
                break;
            }
        }
    }
    (x, value)
}

/// Solves `(a + ridge I) x = b` for a positive semidefinite `a` by Cholesky; a pivot that rounding made negative is
/// lifted to the ridge.
#[must_use]
pub fn solve_spd(mut a: Array2<f64>, b: &Array1<f64>, ridge: f64) -> Array1<f64> {
    let n = b.len();
    for i in 0..n {
        a[(i, i)] += ridge;
        for j in 0..=i {
            let mut sum = a[(i, j)];
            for k in 0..j {
                sum -= a[(i, k)] * a[(j, k)];
            }
            a[(i, j)] = if i == j { sum.max(ridge).max(f64::MIN_POSITIVE).sqrt() } else { sum / a[(j, j)] };
        }
    }
    let mut x = b.clone();
    for i in 0..n {
        for k in 0..i {
            x[i] -= a[(i, k)] * x[k];
        }
        x[i] /= a[(i, i)];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            x[i] -= a[(k, i)] * x[k];
        }
        x[i] /= a[(i, i)];
    }
    x
}

/// `x ≥ 0` that minimises `½ xᵗ a x - bᵗ x` for a positive semidefinite `a` (Lawson and Hanson's active sets, on the
/// normal equations). For a handful of unknowns.
#[must_use]
pub fn nonnegative(a: &Array2<f64>, b: &Array1<f64>) -> Array1<f64> {
    let n = b.len();
    let ridge = 1e-13 * a.diag().iter().fold(0.0, |m: f64, v| m.max(*v)) + f64::MIN_POSITIVE;
    let tolerance = 1e-12 * b.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let mut x = Array1::zeros(n);
    let mut free: Vec<usize> = Vec::new();
    for _ in 0..10 * n + 10 {
        let slope: Array1<f64> = b - &a.dot(&x);
        let enter = (0..n).filter(|k| !free.contains(k)).max_by(|p, q| slope[*p].total_cmp(&slope[*q]));
        match enter {
            Some(k) if slope[k] > tolerance => free.push(k),
            _ => break,
        }
        loop {
            let sub = Array2::from_shape_fn((free.len(), free.len()), |(p, q)| a[(free[p], free[q])]);
            let right = Array1::from_iter(free.iter().map(|&k| b[k]));
            let z = solve_spd(sub, &right, ridge);
            if z.iter().all(|v| *v > 0.0) {
                x.fill(0.0);
                free.iter().zip(&z).for_each(|(&k, v)| x[k] = *v);
                break;
            }
            // Go as far towards z as all stay non-negative, and fix what has become zero.
            let step = free
                .iter()
                .zip(&z)
                .filter(|(_, z)| **z <= 0.0)
                .map(|(&k, z)| if x[k] - z > 0.0 { x[k] / (x[k] - z) } else { 0.0 })
                .fold(1.0, f64::min);
            for (&k, z) in free.iter().zip(&z) {
                x[k] += step * (z - x[k]);
            }
            free.retain(|&k| x[k] > 1e-300);
            (0..n).for_each(|k| {
                if !free.contains(&k) {
                    x[k] = 0.0;
                }
            });
            if free.is_empty() {
                break;
            }
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn linear_recovers_and_settles_what_it_cannot_see() {
        let x = linear(&array![[1.0, 0.0], [2.0, 0.0]], &array![3.0, 6.0]);
        assert!((x[0] - 3.0).abs() < 1e-9 && x[1].abs() < 1e-9);
    }

    #[test]
    fn rosenbrock_is_minimised() {
        let f = |x: &Array1<f64>| {
            let r = array![10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]];
            (r, array![[-20.0 * x[0], 10.0], [-1.0, 0.0]])
        };
        let (x, value) = minimise(array![-1.2, 1.0], 200, f);
        assert!(value < 1e-20 && (x[0] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn nonnegative_satisfies_its_optimality_conditions() {
        let a = array![[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]];
        for b in [array![1.0, -2.0, 3.0], array![-1.0, -1.0, -1.0], array![3.0, 3.0, 3.0]] {
            let x = nonnegative(&a, &b);
            let slope = a.dot(&x) - &b;
            for k in 0..3 {
                assert!(x[k] >= 0.0 && slope[k] > -1e-9 && (x[k] * slope[k]).abs() < 1e-9, "{x} {slope}");
            }
        }
    }
}
