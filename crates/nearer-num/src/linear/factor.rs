//! The Cholesky factor, and what is solved with it: halved until they fit into registers, so that nearly all of their work is products.
//!
//! All of it happens on the thread it is called from and in an order that depends on the sizes alone.

use ndarray::{Array2, ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis, ShapeBuilder, s};

use super::product::add_product;
use super::triangle::{SMALL, SQUARE, add_lower, half, multiply_by_lower, solve, solve_transposed};
use crate::simd;

/// Puts the Cholesky factor of a symmetric matrix in place of its lower triangle, column by column; what is above is left as
/// it was. Whether every pivot is a positive number: only then did it go through.
///
/// Every entry is the given one less products of factors, one after another or in partial sums, divided by its pivot (which
/// is a root): no reciprocals, so that the usual bounds on the error hold.
pub(crate) fn cholesky(m: &mut [f64], size: usize) -> bool {
    ArrayViewMut2::from_shape((size, size).f(), m).is_ok_and(cholesky_of)
}

/// As [`cholesky`].
pub(crate) fn cholesky_of(mut a: ArrayViewMut2<'_, f64>) -> bool {
    if a.nrows() < 2 || a.strides()[0] == 1 {
        return trapezoid(a);
    }
    let mut columns = in_columns(a.view());
    let done = trapezoid(columns.view_mut());
    for (j, column) in columns.columns().into_iter().enumerate() {
        a.slice_mut(s![j.., j]).assign(&column.slice(s![j..]));
    }
    done
}

/// Replaces the columns of `x` by the solutions of `l y = x`.
pub(crate) fn solve_lower(l: ArrayView2<'_, f64>, x: ArrayViewMut2<'_, f64>) {
    with_columns(x, |x| solve(l, x));
}

/// Replaces the columns of `x` by the solutions of `l lᵗ y = x`.
pub(crate) fn substitute(l: ArrayView2<'_, f64>, x: ArrayViewMut2<'_, f64>) {
    with_columns(x, |mut x| {
        solve(l, x.view_mut());
        solve_transposed(l, x);
    });
}

/// As [`substitute`], for one right-hand side and a factor as [`cholesky`] leaves it.
pub(crate) fn substitute_one(l: &[f64], size: usize, x: &mut [f64]) {
    let l = ArrayView2::from_shape((size, size).f(), l).expect("a square");
    substitute(l, ArrayViewMut2::from_shape((size, 1), x).expect("one right-hand side"));
}

/// `(l lᵗ)⁻¹`, both triangles.
pub(crate) fn inverse(l: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut out = in_columns(l);
    invert(out.view_mut());
    square(out.view_mut());
    mirror(&mut out);
    out
}

fn in_columns(a: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut out = Array2::zeros(a.raw_dim().f());
    out.assign(&a);
    out
}

/// Has some work done on columns whose entries are side by side: on these or on a copy.
fn with_columns(mut x: ArrayViewMut2<'_, f64>, work: impl FnOnce(ArrayViewMut2<'_, f64>)) {
    if x.nrows() < 2 || x.strides()[0] == 1 {
        return work(x);
    }
    let mut columns = in_columns(x.view());
    work(columns.view_mut());
    x.assign(&columns);
}

/// Copies what is below the diagonal above it, in tiles that stay in the cache.
fn mirror(a: &mut Array2<f64>) {
    const TILE: usize = 32;
    let n = a.nrows();
    let Some(a) = a.as_slice_memory_order_mut() else { return };
    for left in (0..n).step_by(TILE) {
        for top in (left..n).step_by(TILE) {
            for j in left..(left + TILE).min(n) {
                for i in top.max(j + 1)..(top + TILE).min(n) {
                    a[i * n + j] = a[j * n + i];
                }
            }
        }
    }
}

/// A square matrix in four: `(a11, a21, a22)` for a lower triangle.
fn split(a: ArrayViewMut2<'_, f64>, at: usize) -> [ArrayViewMut2<'_, f64>; 3] {
    let (top, below) = a.split_at(Axis(0), at);
    let (left, right) = below.split_at(Axis(1), at);
    [top.split_at(Axis(1), at).0, left, right]
}

/// Columns of a Cholesky factor with all that is below them, whose rows are at least as many.
fn trapezoid(a: ArrayViewMut2<'_, f64>) -> bool {
    let (m, n) = a.dim();
    if n <= SMALL || m <= LEAF {
        let mut done = true;
        simd::run(Leaf(a, &mut done));
        return done;
    }
    let at = half(n);
    let (mut left, right) = a.split_at(Axis(1), at);
    if !trapezoid(left.view_mut()) {
        return false;
    }
    let beside = left.slice(s![at..n, ..]);
    let mut right = right.split_at(Axis(0), at).1;
    add_lower(right.slice_mut(s![..n - at, ..]), -1.0, beside);
    if m > n {
        add_product(right.slice_mut(s![n - at.., ..]), 1.0, -1.0, left.slice(s![n.., ..]), beside.t());
    }
    trapezoid(right)
}

/// Columns that are halved no more.
const LEAF: usize = 24;

/// A few columns of a Cholesky factor, each from those before it.
struct Leaf<'a>(ArrayViewMut2<'a, f64>, &'a mut bool);

impl simd::Kernel for Leaf<'_> {
    #[inline(always)]
    fn run(mut self) {
        let n = self.0.ncols();
        let mut columns: [_; LEAF] = slices(&mut self.0);
        for j in 0..n {
            let (before, rest) = columns.split_at_mut(j);
            let column = &mut rest[0][j..];
            let (fours, others) = before.as_chunks::<4>();
            for [a, b, c, d] in fours {
                let (a, b, c, d) = (&a[j..], &b[j..], &c[j..], &d[j..]);
                let by = [a[0], b[0], c[0], d[0]];
                for ((((x, a), b), c), d) in column.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                    *x = *x - a * by[0] - b * by[1] - c * by[2] - d * by[3];
                }
            }
            for a in others {
                let by = a[j];
                column.iter_mut().zip(&a[j..]).for_each(|(x, a)| *x -= a * by);
            }
            let pivot = column[0].sqrt();
            if !(pivot > 0.0 && pivot.is_finite()) {
                *self.1 = false;
                return;
            }
            column[0] = pivot;
            column[1..].iter_mut().for_each(|x| *x /= pivot);
        }
    }
}

/// Puts the inverse of a lower triangle in its place.
fn invert(l: ArrayViewMut2<'_, f64>) {
    let n = l.nrows();
    if n <= SMALL {
        return invert_small(l);
    }
    let [mut first, mut below, mut second] = split(l, half(n));
    solve(second.view(), below.view_mut());
    invert(first.view_mut());
    invert(second.view_mut());
    multiply_by_lower(below, -1.0, first.view());
}

fn invert_small(mut l: ArrayViewMut2<'_, f64>) {
    let mut numbers = [0.0; SMALL * SMALL];
    let n = l.nrows();
    let Ok(mut out) = ArrayViewMut2::from_shape((n, n).f(), &mut numbers[..n * n]) else { return };
    out.diag_mut().fill(1.0);
    solve(l.view(), out.view_mut());
    l.assign(&out);
}

/// Puts the lower triangle of `xᵗ x` in the place of that of `x`; what is above it is not looked at.
fn square(mut x: ArrayViewMut2<'_, f64>) {
    let n = x.nrows();
    if n <= SQUARE {
        let mut old = Array2::zeros((n, n).f());
        for (j, mut column) in old.columns_mut().into_iter().enumerate() {
            column.slice_mut(s![j..]).assign(&x.slice(s![j.., j]));
        }
        return add_product(x, 0.0, 1.0, old.t(), old.view());
    }
    let [mut first, below, second] = split(x.view_mut(), half(n));
    square(first.view_mut());
    add_lower(first, 1.0, below.t());
    multiply_by_lower(below.reversed_axes(), 1.0, second.view());
    square(second);
}

/// The columns of a matrix whose entries are side by side; none beyond the last.
#[inline(always)]
fn slices<'a, const N: usize>(a: &'a mut ArrayViewMut2<'_, f64>) -> [&'a mut [f64]; N] {
    let mut each = a.axis_iter_mut(Axis(1));
    std::array::from_fn(|_| each.next().and_then(ArrayViewMut1::into_slice).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    const SIZES: [usize; 16] = [0, 1, 2, 3, 5, 8, 9, 16, 17, 24, 25, 40, 63, 64, 100, 203];

    fn random(rows: usize, columns: usize) -> Array2<f64> {
        let mut rng = Pcg64::seed_from_u64((rows * 1000 + columns) as u64);
        Array2::from_shape_simple_fn((rows, columns).f(), || rng.random::<f64>() - 0.5)
    }

    fn definite(n: usize) -> Array2<f64> {
        let a = random(n, n + 3);
        a.dot(&a.t()) + Array2::from_diag_elem(n, 0.1)
    }

    fn lower(a: &Array2<f64>) -> Array2<f64> {
        Array2::from_shape_fn(a.raw_dim(), |(i, j)| if i < j { 0.0 } else { a[(i, j)] })
    }

    fn close(a: &Array2<f64>, b: &Array2<f64>) -> bool {
        a.dim() == b.dim() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-10)
    }

    /// A factor, with what is not a number above it: nothing there may be looked at.
    fn factor_of(a: &Array2<f64>) -> Array2<f64> {
        let n = a.nrows();
        let mut l: Vec<f64> = (0..n * n).map(|k| if k % n < k / n { f64::NAN } else { a[(k % n, k / n)] }).collect();
        assert!(cholesky(&mut l, n));
        Array2::from_shape_vec((n, n).f(), l).unwrap()
    }

    #[test]
    fn a_factor_makes_up_its_matrix_however_it_lies() {
        for n in SIZES {
            let a = definite(n);
            let l = factor_of(&a);
            assert!(l.indexed_iter().all(|((i, j), v)| (i < j) == v.is_nan()), "above is left as it was");
            assert!(close(&lower(&l).dot(&lower(&l).t()), &a), "{n}");
            let mut large = Array2::from_elem((n + 3, n + 5), 7.0);
            large.slice_mut(s![1..=n, 2..n + 2]).assign(&a);
            assert!(cholesky_of(large.slice_mut(s![1..=n, 2..n + 2])));
            let again = large.slice(s![1..=n, 2..n + 2]).to_owned();
            assert!(close(&lower(&again), &lower(&l)));
            assert!(again.indexed_iter().all(|((i, j), v)| i >= j || *v == a[(i, j)]));
        }
    }

    #[test]
    fn what_is_not_definite_has_no_factor() {
        for n in SIZES.into_iter().skip(1) {
            for at in [0, n / 2, n - 1] {
                for wrong in [-1.0, 0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let mut a = definite(n);
                    a[(at, at)] = wrong;
                    assert!(!cholesky_of(a.view_mut()), "{n} {at} {wrong}");
                    let mut a = definite(n);
                    a[(n - 1, at)] = if wrong == -1.0 || wrong == 0.0 { 1e3 } else { wrong };
                    assert!(at == n - 1 && wrong.abs() <= 1.0 || !cholesky_of(a.view_mut()), "{n} {at} {wrong}");
                }
            }
        }
    }

    #[test]
    fn solutions_and_inverses_leave_no_residual() {
        for n in SIZES {
            let a = definite(n);
            let l = factor_of(&a);
            for k in [0, 1, 3, 4, 11] {
                let b = random(n, k);
                for by_rows in [false, true] {
                    let start = if by_rows { b.as_standard_layout().into_owned() } else { b.clone() };
                    let mut x = start.clone();
                    solve_lower(l.view(), x.view_mut());
                    assert!(close(&lower(&l).dot(&x), &b), "{n} {k}");
                    let mut x = start;
                    substitute(l.view(), x.view_mut());
                    assert!(close(&a.dot(&x), &b), "{n} {k}");
                }
            }
            let (b, columns) = (random(n, 1), l.t().iter().copied().collect::<Vec<_>>());
            let mut x: Vec<f64> = b.iter().copied().collect();
            substitute_one(&columns, n, &mut x);
            assert!(close(&a.dot(&Array2::from_shape_vec((n, 1), x).unwrap()), &b), "{n}");
            let whole = inverse(l.view());
            assert!(whole.t().is_standard_layout() && whole == whole.t());
            assert!(close(&a.dot(&whole), &Array2::eye(n)), "{n}");
        }
    }
}
