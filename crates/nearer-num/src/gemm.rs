//! Dense products in pieces that depend on the size alone: threads share the pieces and change no bit.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use ndarray::{ArrayView2, ArrayViewMut2};

use crate::par;

/// Rows of the result that one piece works on.
const PIECE: usize = 128;

/// `c = a b` for `a` with `n` rows and columns, `b` and `c` of the same shape with their rows one after another.
///
/// # Panics
/// If the shapes do not fit.
pub fn into(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>, mut c: ArrayViewMut2<'_, f64>) {
    let (a, b) = (a.as_standard_layout(), b.as_standard_layout());
    assert!(a.ncols() == b.nrows() && c.dim() == (a.nrows(), b.ncols()), "the shapes fit");
    let (inner, r) = b.dim();
    let (left, right) = (a.as_slice().expect("in rows"), b.as_slice().expect("in rows"));
    if let Some(out) = c.as_slice_mut() {
        multiply(left, right, inner, r, out);
    } else {
        let mut out = vec![0.0; c.len()];
        multiply(left, right, inner, r, &mut out);
        c.iter_mut().zip(out).for_each(|(c, v)| *c = v);
    }
}

/// Rows one after another are columns of the transposed matrix, which is how faer likes them: `cᵗ = bᵗ aᵗ`.
fn multiply(a: &[f64], b: &[f64], inner: usize, r: usize, c: &mut [f64]) {
    if inner == 0 || r == 0 {
        c.fill(0.0);
        return;
    }
    let b = MatRef::from_column_major_slice(b, r, inner);
    par::chunks(c, PIECE * r, |start, part| {
        let (first, rows) = (start / r, part.len() / r);
        let a = MatRef::from_column_major_slice(&a[first * inner..(first + rows) * inner], inner, rows);
        matmul(MatMut::from_column_major_slice_mut(part, r, rows), Accum::Replace, b, a, 1.0, Par::Seq);
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
    let transposed = MatRef::from_column_major_slice(y, r, n);
    par::chunks(c, PIECE * n, |start, part| {
        let (first, rows) = (start / n, part.len() / n);
        // A row of c is a column here; of each, the entries from the diagonal block on.
        let out = MatMut::from_column_major_slice_mut(part, n, rows).subrows_mut(first, n - first);
        let others = transposed.subcols(first, n - first).transpose();
        matmul(out, Accum::Replace, others, transposed.subcols(first, rows), 1.0, Par::Seq);
    });
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
    use ndarray::Array2;

    #[test]
    fn pieces_make_up_the_product() {
        for (n, r) in [(217, 5), (300, 41), (5, 1), (1, 3)] {
            let mut rng = Rng::task(1, n as u64);
            let y = Array2::from_shape_simple_fn((n, r), || rng.normal());
            let mut c = Array2::zeros((n, n));
            upper_gram(y.view(), c.view_mut());
            mirror(n, c.as_slice_mut().unwrap());
            let whole = y.dot(&y.t());
            assert!((&c - &whole).iter().all(|e| e.abs() < 1e-12));
            let mut cy = Array2::zeros((n, r));
            into(c.view(), y.view(), cy.view_mut());
            assert!((&cy - &whole.dot(&y)).iter().all(|e| e.abs() < 1e-9));
            let two = par::install(2, || {
                let mut again = Array2::zeros((n, r));
                into(c.view(), y.view(), again.view_mut());
                again
            });
            assert_eq!(two, cy);
        }
    }
}
