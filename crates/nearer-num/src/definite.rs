//! Lower bounds on the least eigenvalue of a symmetric matrix that hold in exact arithmetic.

use faer::{Mat, Side};
use ndarray::{Array2, ArrayView2};

use crate::{dense, lanczos};

/// The unit roundoff of `f64`.
pub const UNIT: f64 = f64::EPSILON / 2.0;

/// `γₖ = k u / (1 - k u)`: the relative error of `k` operations after each other is at most this.
#[must_use]
pub fn gamma(k: usize) -> f64 {
    let ku = k as f64 * UNIT;
    // The division and the product round too: a hair more is safe.
    ku / (1.0 - ku) * (1.0 + 8.0 * UNIT)
}

/// A number that no eigenvalue is below, and how it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Below {
    /// The bound.
    pub value: f64,
    /// Whether it comes from a factorisation; otherwise from Gershgorin's circles.
    pub factorised: bool,
}

/// A lower bound on the least eigenvalue of the symmetric matrix `a` (both triangles filled).
///
/// The eigenvalue is estimated, and `a - s I` factorised by Cholesky with `s` a little below. If that runs to its end, then
/// `λ_min(a) ≥ s - γ_{n+1}/(1 - γ_{n+1}) tr(a - s I)`, whatever the order in which the sums of the factorisation were taken
/// (Rump 2006, *Verification of positive definiteness*). The shifted diagonal is rounded once, which is counted too. Estimates
/// only decide which shifts are tried; nothing of them enters the proof. Cost: `O(n³ / 3)` a shift, mostly one or two.
#[must_use]
pub fn least_eigenvalue(a: ArrayView2<'_, f64>) -> Below {
    let n = a.nrows();
    let circles = gershgorin(a);
    if n == 0 || !circles.is_finite() {
        return Below { value: circles, factorised: false };
    }
    let size = a.iter().fold(0.0, |m: f64, v| m.max(v.abs())).max(f64::MIN_POSITIVE);
    let (estimate, doubt) = estimate(a, size);
    let mut distance = doubt.max(1e-13 * size * (n as f64).sqrt());
    for _ in 0..40 {
        let shift = estimate - distance;
        if shift <= circles {
            break;
        }
        if let Some(loss) = factorises(a, shift) {
            let value = (shift - loss) - 4.0 * UNIT * (shift.abs() + loss);
            return Below { value: value.max(circles), factorised: value > circles };
        }
        distance *= 4.0;
    }
    Below { value: circles, factorised: false }
}

/// The least eigenvalue as a numerical method sees it, and how far that may be off.
fn estimate(a: ArrayView2<'_, f64>, size: f64) -> (f64, f64) {
    let n = a.nrows();
    if n > 220 {
        let top = row_sum(a);
        let flipped = lanczos::largest(n, 1, 1e-11, |x| {
            let mut y = product(a, x);
            y.zip_mut_with(x, |y, x| *y = top * x - *y);
            y
        });
        if let Ok(lead) = flipped {
            return (top - lead.values[0], 2.0 * lead.residuals[0].min(1e-3 * size));
        }
    }
    match dense::eigvalsh(a) {
        Ok(values) => (values[n - 1], 0.0),
        Err(_) => (-(n as f64) * size, size),
    }
}

/// `a x` in pieces of rows, so that threads share it and change nothing.
pub(crate) fn product(a: ArrayView2<'_, f64>, x: &Array2<f64>) -> Array2<f64> {
    let mut y = Array2::zeros(x.raw_dim());
    crate::gemm::into(a, x.view(), y.view_mut());
    y
}

/// The largest sum of the sizes of a row: no eigenvalue is larger.
#[must_use]
pub fn row_sum(a: ArrayView2<'_, f64>) -> f64 {
    a.rows().into_iter().map(|r| r.iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max)
}

/// Whether `a - shift I` has a Cholesky factor, and what its rounding may hide.
fn factorises(a: ArrayView2<'_, f64>, shift: f64) -> Option<f64> {
    let n = a.nrows();
    faer::set_global_parallelism(faer::Par::Seq);
    let moved = Mat::from_fn(n, n, |i, j| if i == j { a[(i, i)] - shift } else { a[(i, j)] });
    let trace: f64 = (0..n).map(|i| moved[(i, i)].abs()).sum();
    let largest = (0..n).map(|i| moved[(i, i)].abs()).fold(0.0, f64::max);
    let factor = moved.llt(Side::Lower).ok()?;
    // A pivot that is not a positive number means that the factorisation did not go through.
    if (0..n).any(|i| !(factor.L()[(i, i)] > 0.0 && factor.L()[(i, i)].is_finite())) {
        return None;
    }
    let g = gamma(n + 1);
    // The trace of n positive numbers and the subtraction from the diagonal are rounded as well.
    Some((g / (1.0 - g) * trace * (1.0 + gamma(n)) + 2.0 * UNIT * largest) * (1.0 + 16.0 * UNIT))
}

/// Gershgorin: no eigenvalue is below the least of `aᵢᵢ - Σ |aᵢⱼ|`; rounded down.
#[must_use]
pub fn gershgorin(a: ArrayView2<'_, f64>) -> f64 {
    let n = a.nrows();
    let mut least = f64::INFINITY;
    for i in 0..n {
        let others: f64 = (0..n).filter(|j| *j != i).map(|j| a[(i, j)].abs()).sum();
        let low = a[(i, i)] - others * (1.0 + gamma(n)) - 2.0 * UNIT * (a[(i, i)].abs() + others);
        // `min` would drop a NaN.
        if low.is_nan() {
            return f64::NEG_INFINITY;
        }
        least = least.min(low);
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// The path: `2 - 2 cos(π k / (n + 1))`, known to the last digit.
    #[test]
    fn the_bound_is_below_a_known_eigenvalue_and_close() {
        for n in [1usize, 2, 7, 60, 400] {
            let a = Array2::from_shape_fn((n, n), |(i, j)| match i.abs_diff(j) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            });
            let truth = 2.0 - 2.0 * (std::f64::consts::PI / (n as f64 + 1.0)).cos();
            let below = least_eigenvalue(a.view());
            assert!(below.factorised || n <= 2, "{n}");
            assert!(below.value <= truth && truth - below.value < 1e-10, "{n}: {} {truth}", below.value);
        }
    }

    /// `I - v vᵗ / |v|²` has the least eigenvalue 0 exactly in the reals; integers make the matrix exact as well.
    #[test]
    fn a_singular_matrix_is_never_said_to_be_definite() {
        for n in [3usize, 20, 150, 300] {
            let mut rng = Rng::task(9, n as u64);
            let v: Vec<f64> = (0..n).map(|_| rng.below(7) as f64 - 3.0).collect();
            let square: f64 = v.iter().map(|v| v * v).sum();
            let a = Array2::from_shape_fn((n, n), |(i, j)| f64::from(u8::from(i == j)) * square - v[i] * v[j]);
            let below = least_eigenvalue(a.view());
            assert!(below.value <= 0.0 && below.value > -1e-8 * square.max(1.0), "{n}: {below:?}");
        }
    }

    #[test]
    fn what_is_not_a_number_has_no_bound() {
        let a = ndarray::array![[1.0, f64::NAN], [f64::NAN, 1.0]];
        assert!(!least_eigenvalue(a.view()).factorised && least_eigenvalue(a.view()).value == f64::NEG_INFINITY);
    }
}
