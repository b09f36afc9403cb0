//! Singular values and vectors: made bidiagonal, after a QR factorisation where that is less work, then divided and conquered,
//! or by the QR iteration where the matrix is small. Some `20 n³` operations for a square one, all but a sixth of them in
//! products of matrices.

mod bidiagonal;
mod divide;
mod iteration;

use ndarray::{Array2, ArrayView2};

use super::householder::{Reflections, triangularise};
use super::storage::{Reading, array, to_columns};
use bidiagonal::bidiagonalise;
use divide::{LEAF, bidiagonal_singular};
use iteration::Basis;

/// The thin singular value decomposition `(u, s, v)`, largest values first, for a matrix of any shape: `a = u s vᵗ`, with
/// orthonormal columns in `u` and `v` also where singular values are zero. Nothing if an entry is not finite.
pub(crate) fn thin_svd(a: ArrayView2<'_, f64>) -> Option<(Array2<f64>, Vec<f64>, Array2<f64>)> {
    if a.nrows() >= a.ncols() {
        return tall(a);
    }
    let (v, s, u) = tall(a.reversed_axes())?;
    Some((u, s, v))
}

fn tall(a: ArrayView2<'_, f64>) -> Option<(Array2<f64>, Vec<f64>, Array2<f64>)> {
    let (m, n) = a.dim();
    let (mut data, back) = to_columns(a, Reading::Whole)?;
    let (u, mut s, v) = if n > 4 && 2 * m >= 3 * n {
        let (mut r, factors) = triangularise(&mut data, m, n);
        let (u, s, v) = decompose(&mut r, n, n)?;
        let mut long = vec![0.0; m * n];
        long.chunks_exact_mut(m).zip(u.chunks_exact(n)).for_each(|(long, u)| long[..n].copy_from_slice(u));
        Reflections { v: &data, ld: m, below: 0, factors: &factors }.apply(&mut long, n);
        (long, s, v)
    } else {
        decompose(&mut data, m, n)?
    };
    s.iter_mut().for_each(|s| *s *= back);
    Some((array(u, m, n), s, array(v, n, n)))
}

/// `u`, `s` and `v` by columns, of a matrix of order one with no more columns than rows.
#[allow(clippy::type_complexity)]
fn decompose(a: &mut [f64], m: usize, n: usize) -> Option<(Vec<f64>, Vec<f64>, Vec<f64>)> {
    let mut b = bidiagonalise(a, m, n);
    let (small_u, small_v, ld) = if n <= LEAF {
        by_iteration(&mut b.diagonal, &mut b.above)
    } else {
        by_division(&mut b.diagonal, &mut b.above)
    }?;
    b.diagonal.reverse();
    let mut u = reversed(&small_u, n, n, m);
    Reflections { v: a, ld: m, below: 0, factors: &b.left_factors }.apply(&mut u, n);
    let mut v = reversed(&small_v, ld, n, n);
    Reflections { v: &b.right, ld: n, below: 1, factors: &b.right_factors[..n.saturating_sub(2)] }.apply(&mut v, n);
    Some((u, b.diagonal, v))
}

/// The vectors of a square bidiagonal matrix, the last of `above` being zero, and the length of the right ones.
type Vectors = Option<(Vec<f64>, Vec<f64>, usize)>;

fn by_iteration(d: &mut [f64], above: &mut [f64]) -> Vectors {
    let n = d.len();
    let (mut u, mut v) = (vec![0.0; n * n], vec![0.0; n * n]);
    let mut left = Basis { data: &mut u, ld: n, rows: 0..n };
    let mut right = Basis { data: &mut v, ld: n, rows: 0..n };
    left.set_identity();
    right.set_identity();
    iteration::with_vectors(d, &mut above[..n.saturating_sub(1)], left, right).then_some((u, v, n))
}

fn by_division(d: &mut [f64], above: &mut [f64]) -> Vectors {
    let n = d.len();
    let (mut u, mut v) = (vec![0.0; n * n], vec![0.0; (n + 1) * (n + 1)]);
    bidiagonal_singular(d, above, &mut u, &mut v).then_some((u, v, n + 1))
}

/// The leading `n` rows and columns, the last column first, with zeros below.
fn reversed(from: &[f64], ld: usize, n: usize, rows: usize) -> Vec<f64> {
    let mut out = vec![0.0; rows * n];
    for (j, column) in out.chunks_exact_mut(rows.max(1)).enumerate() {
        column[..n].copy_from_slice(&from[(n - 1 - j) * ld..][..n]);
    }
    out
}
