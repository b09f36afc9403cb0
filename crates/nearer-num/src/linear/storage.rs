//! Matrices as slices of columns one below the other, and how they come from and go to `ndarray`.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, ShapeBuilder, s};

/// Numbers that are the columns of a matrix, one after another.
///
/// # Panics
/// If there are not as many as it has entries.
pub(crate) fn columns(data: &[f64], rows: usize, columns: usize) -> ArrayView2<'_, f64> {
    ArrayView2::from_shape((rows, columns).f(), data).expect("as many numbers as entries")
}

/// As [`columns`].
pub(crate) fn columns_mut(data: &mut [f64], rows: usize, columns: usize) -> ArrayViewMut2<'_, f64> {
    ArrayViewMut2::from_shape((rows, columns).f(), data).expect("as many numbers as entries")
}

/// Rows and columns of a matrix whose columns are `ld` long.
pub(crate) fn part(data: &[f64], ld: usize, rows: Range<usize>, columns: Range<usize>) -> ArrayView2<'_, f64> {
    let here = &data[columns.start * ld..columns.end * ld];
    let whole = ArrayView2::from_shape((ld, columns.len()).f(), here).expect("whole columns");
    whole.slice_move(s![rows, ..])
}

/// As [`part`].
pub(crate) fn part_mut(
    data: &mut [f64],
    ld: usize,
    rows: Range<usize>,
    columns: Range<usize>,
) -> ArrayViewMut2<'_, f64> {
    let here = &mut data[columns.start * ld..columns.end * ld];
    let whole = ArrayViewMut2::from_shape((ld, columns.len()).f(), here).expect("whole columns");
    whole.slice_move(s![rows, ..])
}

/// An array of these columns.
pub(crate) fn array(data: Vec<f64>, rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_vec((rows, columns).f(), data).expect("as many entries as the shape says")
}

/// Two columns of a matrix, the first before the second.
pub(crate) fn two_columns(data: &mut [f64], ld: usize, first: usize, second: usize) -> (&mut [f64], &mut [f64]) {
    let (before, after) = data.split_at_mut(second * ld);
    (&mut before[first * ld..(first + 1) * ld], &mut after[..ld])
}

/// Which entries of a matrix are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    Whole,
    /// What is above the diagonal is taken as zero.
    Lower,
}

/// A matrix by columns, brought to order one by a power of two, and the factor that undoes that; nothing if an entry is not
/// finite. Some columns at a time, so that a matrix stored by rows is read as quickly.
pub(crate) fn to_columns(a: ArrayView2<'_, f64>, reading: Reading) -> Option<(Vec<f64>, f64)> {
    const TOGETHER: usize = 8;
    let (m, n) = a.dim();
    let mut data = vec![0.0; m * n];
    let mut largest = 0.0;
    for first in (0..n).step_by(TOGETHER) {
        let last = n.min(first + TOGETHER);
        let (top, lower) = if reading == Reading::Lower { (first, true) } else { (0, false) };
        for i in top..m {
            for j in first..if lower { last.min(i + 1) } else { last } {
                data[j * m + i] = a[(i, j)];
                largest = larger(largest, a[(i, j)]);
            }
        }
    }
    let (factor, back) = to_order_one(largest)?;
    data.iter_mut().for_each(|x| *x *= factor);
    Some((data, back))
}

/// A power of two that brings numbers of at most this size to order one, and its inverse; nothing for NaN and infinity.
/// Both are exact, but for what is lost below the smallest normal number.
fn to_order_one(largest: f64) -> Option<(f64, f64)> {
    if !largest.is_finite() {
        return None;
    }
    let exponent = ((largest.to_bits() >> 52) as i64 - 1023).clamp(-1000, 1000);
    let power = |e: i64| f64::from_bits(((e + 1023) as u64) << 52);
    Some((power(-exponent), power(exponent)))
}

/// The larger in size, or NaN if either is.
fn larger(size: f64, next: f64) -> f64 {
    // The comparison is false for NaN, which so stays once it is there.
    if next.abs() <= size || size.is_nan() { size } else { next.abs() }
}
