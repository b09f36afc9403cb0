//! Lower bounds on the least eigenvalue of a symmetric matrix that hold in exact arithmetic.

use ndarray::{Array1, Array2, ArrayView2, ShapeBuilder};

use crate::dense::{self, DidNotConverge};
use crate::gemm;
use crate::linear::{self, factor};
use crate::rng::Rng;

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
    match lowest(a, 1, None) {
        Ok(found) => proved(a, found.values[0]),
        Err(_) => Below { value: gershgorin(a), factorised: false },
    }
}

/// The bound that can be proved at or below an estimate of the least eigenvalue.
#[must_use]
pub fn proved(a: ArrayView2<'_, f64>, estimate: f64) -> Below {
    let n = a.nrows();
    let circles = gershgorin(a);
    if n == 0 || !circles.is_finite() || !estimate.is_finite() {
        return Below { value: circles, factorised: false };
    }
    let size = largest(a);
    let mut distance = 1e-13 * size * (n as f64).sqrt();
    for _ in 0..40 {
        let shift = estimate - distance;
        if shift <= circles {
            break;
        }
        if let Some((_, loss)) = factorised(a, shift) {
            let value = (shift - loss) - 4.0 * UNIT * (shift.abs() + loss);
            return Below { value: value.max(circles), factorised: value > circles };
        }
        distance *= 5.0;
    }
    Below { value: circles, factorised: false }
}

/// Lowest eigenpairs, as a numerical method sees them: an estimate, not a proof.
#[derive(Debug, Clone)]
pub struct Lowest {
    /// Eigenvalues, least first.
    pub values: Array1<f64>,
    /// Eigenvectors in the columns.
    pub vectors: Array2<f64>,
}

/// The `count` lowest eigenpairs of a symmetric matrix, the least one to about ten digits.
///
/// Small matrices are taken apart whole. For larger ones a shift below the spectrum is found by Cholesky, and a block of
/// vectors is improved by solving with the factor (inverse iteration with Rayleigh and Ritz), which does not mind how close together
/// the eigenvalues lie. Columns of `guess` are where the search begins.
pub fn lowest(
    a: ArrayView2<'_, f64>,
    count: usize,
    guess: Option<ArrayView2<'_, f64>>,
) -> Result<Lowest, DidNotConverge> {
    let n = a.nrows();
    let count = count.min(n);
    if n <= 160 {
        let (values, vectors) = dense::eigh(a)?;
        return Ok(Lowest {
            values: Array1::from_shape_fn(count, |k| values[n - 1 - k]),
            vectors: Array2::from_shape_fn((n, count), |(i, k)| vectors[(i, n - 1 - k)]),
        });
    }
    let size = largest(a);
    let guessed = guess.map_or(0, |g| g.ncols());
    let block = (guessed.max(count) + 4).min(n);
    let mut rng = Rng::task(0x6c6f_7765, n as u64);
    let mut x = Array2::from_shape_fn((n, block), |(i, k)| match guess {
        Some(g) if k < guessed => g[(i, k)],
        _ => rng.normal(),
    });
    x = orthonormal(&x)?;
    let mut values = rotate(a, &mut x)?.0;
    let mut factor = None;
    let mut residual = f64::INFINITY;
    for step in 0..30 {
        if step % 3 == 0 {
            factor = Some(below_all(a, values[0], residual.min(size), size).ok_or(DidNotConverge)?);
        }
        let Some(f) = &factor else { break };
        x = orthonormal(&solve(f, &x))?;
        let (ritz, image) = rotate(a, &mut x)?;
        values = ritz;
        let rest = &image.column(0) - &(&x.column(0) * values[0]);
        let now = rest.dot(&rest).sqrt();
        // The error of the value is of the order of the square of the residual.
        if now <= 1e-8 * size {
            break;
        }
        residual = now;
    }
    Ok(Lowest {
        values: Array1::from_iter(values[..count].iter().copied()),
        vectors: x.slice(ndarray::s![.., ..count]).to_owned(),
    })
}

/// A factor of `a - s I` for some `s` below all eigenvalues and not far from the least.
fn below_all(a: ArrayView2<'_, f64>, estimate: f64, doubt: f64, size: f64) -> Option<Factor> {
    // The value is off by about the square of the residual; a shift that is too high fails at once and is lowered.
    let mut distance = (doubt * doubt / size).clamp(1e-9 * size, 0.1 * size);
    for _ in 0..24 {
        if let Some((factor, _)) = factorised(a, estimate - distance) {
            return Some(factor);
        }
        distance *= 6.0;
    }
    None
}

/// Turns orthonormal columns to the Ritz vectors, least first; gives the values and the image of the new columns.
fn rotate(a: ArrayView2<'_, f64>, x: &mut Array2<f64>) -> Result<(Vec<f64>, Array2<f64>), DidNotConverge> {
    let image = gemm::product(a, x.view());
    let small = x.t().dot(&image);
    let (values, mut turn) = dense::eigh(((&small + &small.t()) * 0.5).view())?;
    let k = values.len();
    turn.invert_axis(ndarray::Axis(1));
    *x = x.dot(&turn);
    Ok(((0..k).map(|j| values[k - 1 - j]).collect(), image.dot(&turn)))
}

/// Orthonormal columns that span those given; where these depend on each other, any others beside.
fn orthonormal(x: &Array2<f64>) -> Result<Array2<f64>, DidNotConverge> {
    let (n, k) = x.dim();
    let lengths: Vec<f64> = x.columns().into_iter().map(|c| c.dot(&c).sqrt().max(f64::MIN_POSITIVE)).collect();
    let even = Array2::from_shape_fn((n, k).f(), |(i, j)| x[(i, j)] / lengths[j]);
    let q = linear::orthonormal(even.view()).ok_or(DidNotConverge)?;
    Ok(q.as_standard_layout().into_owned())
}

/// The Cholesky factor of a matrix, in the lower triangle.
type Factor = Array2<f64>;

fn solve(l: &Factor, x: &Array2<f64>) -> Array2<f64> {
    let mut right = x.clone();
    factor::substitute(l.view(), right.view_mut());
    right
}

fn largest(a: ArrayView2<'_, f64>) -> f64 {
    a.iter().fold(0.0, |m: f64, v| m.max(v.abs())).max(f64::MIN_POSITIVE)
}

/// The largest sum of the sizes of a row: no eigenvalue is larger.
#[must_use]
pub fn row_sum(a: ArrayView2<'_, f64>) -> f64 {
    a.rows().into_iter().map(|r| r.iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max)
}

/// Whether `a - shift I` has a Cholesky factor, and what its rounding may hide.
fn factorised(a: ArrayView2<'_, f64>, shift: f64) -> Option<(Factor, f64)> {
    let n = a.nrows();
    let a =
        a.as_slice().map_or_else(|| std::borrow::Cow::Owned(a.iter().copied().collect()), std::borrow::Cow::Borrowed);
    // The matrix is symmetric: its rows are its columns.
    let mut moved =
        Array2::from_shape_fn((n, n).f(), |(i, j)| if i == j { a[i * n + i] - shift } else { a[j * n + i] });
    let trace: f64 = (0..n).map(|i| moved[(i, i)].abs()).sum();
    let diagonal = (0..n).map(|i| moved[(i, i)].abs()).fold(0.0, f64::max);
    if !factor::cholesky_of(moved.view_mut()) {
        return None;
    }
    let g = gamma(n + 1);
    // The trace of n positive numbers and the subtraction from the diagonal are rounded as well.
    let by_trace = g / (1.0 - g) * trace * (1.0 + gamma(n));
    let by_rows = g * sizes(moved.view()) * (1.0 + gamma(2 * n + 2));
    let loss = (by_trace.min(by_rows) + 2.0 * UNIT * diagonal) * (1.0 + 16.0 * UNIT);
    Some((moved, loss))
}

/// The largest row sum of `|L| |Lᵗ|`. Each entry of `a - L Lᵗ` is at most `γ_{n+1}` times the entry there (Higham 2002, theorem 10.3), so that
/// the largest row sum bounds the whole: where few entries of a row are large, as of a graph, that is a small part of the trace.
fn sizes(l: ArrayView2<'_, f64>) -> f64 {
    let n = l.nrows();
    let columns: Vec<f64> = (0..n).map(|k| (k..n).map(|j| l[(j, k)].abs()).sum()).collect();
    let mut rows = vec![0.0; n];
    for (k, column) in columns.iter().enumerate() {
        for (i, row) in rows.iter_mut().enumerate().skip(k) {
            *row += l[(i, k)].abs() * column;
        }
    }
    rows.into_iter().fold(0.0, f64::max)
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
