//! Dense products in pieces that depend on the size alone: threads share the pieces and change no bit.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};

use crate::linear::{add_product, columns, columns_mut};
use crate::par;

/// Rows of the result that one piece works on.
const PIECE: usize = 128;

/// `a b`.
///
/// # Panics
/// If the shapes do not fit.
#[must_use]
pub fn product(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut c = Array2::zeros((a.nrows(), b.ncols()));
    into(a, b, c.view_mut());
    c
}

/// `c = a b` for `a` with `n` rows and columns, `b` and `c` of the same shape with their rows one after another. A transposed `a`
/// is taken as it lies.
///
/// # Panics
/// If the shapes do not fit.
pub fn into(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>, mut c: ArrayViewMut2<'_, f64>) {
    assert!(a.ncols() == b.nrows() && c.dim() == (a.nrows(), b.ncols()), "the shapes fit");
    let b = b.as_standard_layout();
    let (right, r) = (b.as_slice().expect("in rows"), b.ncols());
    if let Some(out) = c.as_slice_mut() {
        multiply(a.t(), right, r, out);
    } else {
        let mut out = vec![0.0; c.len()];
        multiply(a.t(), right, r, &mut out);
        c.iter_mut().zip(out).for_each(|(c, v)| *c = v);
    }
}

/// `cᵗ = bᵗ aᵗ` by pieces of the rows of `c`.
fn multiply(a: ArrayView2<'_, f64>, b: &[f64], r: usize, c: &mut [f64]) {
    let inner = a.nrows();
    if inner == 0 || r == 0 {
        c.fill(0.0);
        return;
    }
    let b = columns(b, r, inner);
    par::chunks(c, PIECE * r, |start, part| {
        let (first, rows) = (start / r, part.len() / r);
        add_product(columns_mut(part, r, rows), 0.0, 1.0, b, a.slice(s![.., first..first + rows]));
    });
}

/// The upper triangle of `c = y yᵗ`; what is left of the blocks of the diagonal is not touched.
///
/// # Panics
/// If the shapes do not fit, or rows do not lie one after another.
pub fn upper_gram(y: ArrayView2<'_, f64>, mut c: ArrayViewMut2<'_, f64>) {
    let (n, r) = y.dim();
    assert_eq!(c.dim(), (n, n), "a square");
    let y = y.as_slice().expect("in rows");
    let c = c.as_slice_mut().expect("in rows");
    if n == 0 || r == 0 {
        c.fill(0.0);
        return;
    }
    let transposed = columns(y, r, n);
    par::chunks(c, PIECE * n, |start, part| {
        let (first, rows) = (start / n, part.len() / n);
        // A row of c is a column here; of each, the entries from the diagonal block on.
        let out = columns_mut(part, n, rows).slice_move(s![first.., ..]);
        let others = transposed.slice(s![.., first..]).reversed_axes();
        add_product(out, 0.0, 1.0, others, transposed.slice(s![.., first..first + rows]));
    });
}

/// Some rows of `y yᵗ`, in one piece.
///
/// # Panics
/// If the shapes do not fit, or rows do not lie one after another.
pub fn gram_rows(y: ArrayView2<'_, f64>, rows: std::ops::Range<usize>, c: &mut [f64]) {
    let (n, r) = y.dim();
    assert_eq!(c.len(), n * rows.len(), "a row for each");
    if n == 0 || r == 0 || rows.is_empty() {
        c.fill(0.0);
        return;
    }
    let out = columns_mut(c, n, rows.len());
    add_product(out, 0.0, 1.0, y, y.slice(s![rows, ..]).reversed_axes());
}

/// `out = c b` for a symmetric `c` of which the blocks on and above the diagonal are given, row by row.
///
/// # Panics
/// If the shapes do not fit, or rows do not lie one after another.
pub fn upper_times(c: &[f64], b: ArrayView2<'_, f64>, mut out: ArrayViewMut2<'_, f64>) {
    let (n, r) = b.dim();
    assert!(c.len() == n * n && out.dim() == (n, r), "the shapes fit");
    if n == 0 || r == 0 {
        return;
    }
    let (square, b) = (columns(c, n, n), b.reversed_axes());
    par::chunks(out.as_slice_mut().expect("in rows"), PIECE * r, |start, part| {
        let (first, rows) = (start / r, part.len() / r);
        let mut part = columns_mut(part, r, rows);
        let beside = square.slice(s![first.., first..first + rows]);
        add_product(part.view_mut(), 0.0, 1.0, b.slice(s![.., first..]), beside);
        let above = square.slice(s![first..first + rows, ..first]).reversed_axes();
        add_product(part, 1.0, 1.0, b.slice(s![.., ..first]), above);
    });
}

/// Adds to `out` the product `w b` in the rows that `w` has, and `wᵗ b` of these rows everywhere.
///
/// # Panics
/// If the shapes do not fit, or rows do not lie one after another.
pub fn add_both_ways(w: &[f64], rows: std::ops::Range<usize>, b: ArrayView2<'_, f64>, mut out: ArrayViewMut2<'_, f64>) {
    let (n, r) = b.dim();
    assert!(w.len() == n * rows.len() && out.dim() == (n, r), "the shapes fit");
    let (w, b, mut out) = (columns(w, n, rows.len()), b.reversed_axes(), out.view_mut().reversed_axes());
    add_product(out.slice_mut(s![.., rows.clone()]), 1.0, 1.0, b, w);
    add_product(out, 1.0, 1.0, b.slice(s![.., rows]), w.reversed_axes());
}

/// Adds a square to its transpose, in the blocks on and above the diagonal that [`upper_times`] takes.
pub fn add_transpose(n: usize, square: &mut [f64]) {
    const TILE: usize = 32;
    for top in (0..n).step_by(TILE) {
        for left in (top..n).step_by(TILE) {
            let whole = top / PIECE == left / PIECE;
            for i in top..(top + TILE).min(n) {
                for j in left.max(i)..(left + TILE).min(n) {
                    let both = square[i * n + j] + square[j * n + i];
                    square[i * n + j] = both;
                    if whole {
                        square[j * n + i] = both;
                    }
                }
            }
        }
    }
}

/// Copies the upper triangle of a square array below its diagonal, in tiles that stay in the cache.
pub fn mirror(n: usize, square: &mut [f64]) {
    const TILE: usize = 32;
    for top in (0..n).step_by(TILE) {
        for left in (top..n).step_by(TILE) {
            for i in top..(top + TILE).min(n) {
                for j in left.max(i + 1)..(left + TILE).min(n) {
                    square[j * n + i] = square[i * n + j];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn pieces_make_up_the_product() {
        for (n, r) in [(217, 5), (300, 41), (5, 1), (1, 3)] {
            let mut rng = Rng::task(1, n as u64);
            let y = Array2::from_shape_simple_fn((n, r), || rng.normal());
            let mut c = Array2::zeros((n, n));
            upper_gram(y.view(), c.view_mut());
            let mut half = Array2::zeros((n, r));
            upper_times(c.as_slice().unwrap(), y.view(), half.view_mut());
            mirror(n, c.as_slice_mut().unwrap());
            let whole = y.dot(&y.t()).as_standard_layout().into_owned();
            assert!((&c - &whole).iter().all(|e| e.abs() < 1e-12));
            let mut turned = Array2::zeros((r, r));
            into(y.t(), y.view(), turned.view_mut());
            assert!((&turned - &y.t().dot(&y)).iter().all(|e| e.abs() < 1e-9));
            let mut cy = Array2::zeros((n, r));
            into(c.view(), y.view(), cy.view_mut());
            assert!((&cy - &whole.dot(&y)).iter().all(|e| e.abs() < 1e-9));
            assert!((&half - &cy).iter().all(|e| e.abs() < 1e-9));
            let (mut twice, mut both) = (whole.clone(), Array2::zeros((n, r)));
            add_transpose(n, twice.as_slice_mut().unwrap());
            mirror(n, twice.as_slice_mut().unwrap());
            assert!((&twice - &whole * 2.0).iter().all(|e| e.abs() < 1e-12));
            let rows = n / 4..n / 2 + 1;
            let strip = whole.slice(ndarray::s![rows.clone(), ..]).to_owned();
            add_both_ways(strip.as_slice().unwrap(), rows.clone(), y.view(), both.view_mut());
            let mut plain = strip.t().dot(&y.slice(ndarray::s![rows.clone(), ..]));
            plain.slice_mut(ndarray::s![rows, ..]).scaled_add(1.0, &strip.dot(&y));
            assert!((&both - &plain).iter().all(|e| e.abs() < 1e-9));
            let (mut some, rows) = (vec![0.0; n * (n / 2 + 1 - n / 3)], n / 3..n / 2 + 1);
            gram_rows(y.view(), rows.clone(), &mut some);
            assert!(some.iter().zip(whole.slice(ndarray::s![rows, ..])).all(|(a, b)| (a - b).abs() < 1e-12));
            let two = par::install(2, || {
                let mut again = Array2::zeros((n, r));
                into(c.view(), y.view(), again.view_mut());
                again
            });
            assert_eq!(two, cy);
        }
    }
}
