//! Dense products in pieces that depend on the size alone: threads share the pieces and change no bit.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2, Axis, s};

use crate::par;

/// Rows of the result that one piece works on.
const PIECE: usize = 96;

/// `c = a b`.
pub fn into(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>, mut c: ArrayViewMut2<'_, f64>) {
    let parts: Vec<_> = c.axis_chunks_iter_mut(Axis(0), PIECE).collect();
    par::each(parts, |k, mut part| {
        let rows = a.slice(s![k * PIECE..k * PIECE + part.nrows(), ..]);
        general_mat_mul(1.0, &rows, &b, 0.0, &mut part);
    });
}

/// The upper triangle of `c = y yᵗ`; what is left below the blocks of the diagonal is not touched.
pub fn upper_gram(y: ArrayView2<'_, f64>, mut c: ArrayViewMut2<'_, f64>) {
    let parts: Vec<_> = c.axis_chunks_iter_mut(Axis(0), PIECE).collect();
    par::each(parts, |k, mut part| {
        let from = k * PIECE;
        let rows = y.slice(s![from..from + part.nrows(), ..]);
        let others = y.slice(s![from.., ..]);
        general_mat_mul(1.0, &rows, &others.t(), 0.0, &mut part.slice_mut(s![.., from..]));
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
        let mut rng = Rng::task(1, 1);
        let y = Array2::from_shape_simple_fn((217, 5), || rng.normal());
        let mut c = Array2::zeros((217, 217));
        upper_gram(y.view(), c.view_mut());
        let slice = c.as_slice_mut().unwrap();
        mirror(217, slice);
        let whole = y.dot(&y.t());
        assert!((&c - &whole).iter().all(|e| e.abs() < 1e-12));
        let mut cy = Array2::zeros((217, 5));
        into(c.view(), y.view(), cy.view_mut());
        assert!((&cy - &whole.dot(&y)).iter().all(|e| e.abs() < 1e-9));
        let two = par::install(2, || {
            let mut again = Array2::zeros((217, 5));
            into(c.view(), y.view(), again.view_mut());
            again
        });
        assert_eq!(two, cy);
    }
}
