//! The smoothest eigenvectors of the Laplacian of a graph: vectors of the file made sharper, and counted.

use ndarray::Array2;

use super::Graph;
use super::factors::{Columns, centred, columns_of, combined, orthonormal, rotated};
use crate::verify::definite::{Square, factorise, solve};
use crate::verify::limits::Limits;
use crate::verify::rounding::product;

/// Rounds of inverse iteration: each takes what does not belong down by the ratio of eigenvalues inside and outside.
const ROUNDS: usize = 60;
/// Vectors are eigenvectors where they are missed by less than this share of the Laplacian's size.
const SHARP: f64 = 1e-12;
/// Vectors that are carried along beside those that are wanted, and half as many as those.
const GUARDS: usize = 10;
/// The next eigenvalue is above the last of them by this share at least, or they are not told from others.
const APART: f64 = 1e-4;

/// Orthonormal vectors of the `count` least eigenvalues, that of the constant vector aside; `None` where the graph does not tell which
/// they are. `near` are the vectors that somebody says they are: where the search begins.
pub(super) fn smoothest(graph: &Graph<'_>, count: usize, near: &Array2<f64>, limits: &Limits<'_>) -> Option<Columns> {
    let n = graph.n;
    if near.dim() != (n, count) || count == 0 || count >= n {
        return None;
    }
    let mut laplacian = Square::zeros(n);
    for ((i, j), _) in graph.edges {
        let (i, j) = (*i as usize, *j as usize);
        for (at, by) in [(i * n + j, -1.0), (j * n + i, -1.0), (i * n + i, 1.0), (j * n + j, 1.0)] {
            laplacian.entries[at] += by;
        }
    }
    let size = laplacian.norm();
    // The constant vector is lifted out of the way.
    let mut lifted = laplacian.clone();
    lifted.entries.iter_mut().for_each(|v| *v += size / n as f64);
    let factor = factorise(&lifted, -1e-12 * size, product, limits)?;
    // With some more vectors than are wanted, what does not belong goes down by the ratio to the first eigenvalue beyond all of them.
    let more = (n - 1 - count).min(GUARDS + count / 2);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let mut vectors = columns_of(near);
    vectors.extend((0..more).map(|_| (0..n).map(|_| random()).collect()));
    vectors = orthonormal(centred(vectors), 1e-6, limits);
    for _ in 0..ROUNDS {
        vectors.iter_mut().for_each(|v| solve(n, &factor, v));
        vectors = orthonormal(centred(vectors), 1e-14, limits);
        if vectors.len() < count || limits.late() {
            return None;
        }
        // `VᵗLV` is positive semidefinite: its singular vectors are its eigenvectors, the largest first.
        let applied: Columns = vectors.iter().map(|v| times(&laplacian, v)).collect();
        let inner = applied.iter().map(|w| vectors.iter().map(|u| product(u, w).0).collect()).collect();
        let own = rotated(inner, limits);
        let least = own.left.len() - count;
        let wanted: Columns = own.left[least..].iter().map(|w| combined(&vectors, w, n)).collect();
        let applied: Columns = wanted.iter().map(|v| times(&laplacian, v)).collect();
        if missed(&wanted, &applied) <= SHARP * size {
            let above = own.sizes[least] * (1.0 + APART);
            return (below(&laplacian, above, limits)? == count + 1).then_some(wanted);
        }
    }
    None
}

/// How far `L v` is outside the span of the vectors, at the worst.
fn missed(vectors: &Columns, applied: &Columns) -> f64 {
    let one = |w: &Vec<f64>| {
        let along: Vec<f64> = vectors.iter().map(|u| product(u, w).0).collect();
        let inside = combined(vectors, &along, w.len());
        w.iter().zip(&inside).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    };
    applied.iter().map(one).fold(0.0, f64::max)
}

fn times(a: &Square, x: &[f64]) -> Vec<f64> {
    (0..a.n).map(|i| product(a.row(i), x).0).collect()
}

/// How many eigenvalues are below a number: as many as pivots of the shifted matrix are negative.
fn below(a: &Square, value: f64, limits: &Limits<'_>) -> Option<usize> {
    let (n, size) = (a.n, a.norm());
    let mut l = a.entries.clone();
    let (mut pivots, mut row, mut count) = (vec![0.0; n], vec![0.0; n], 0);
    for i in 0..n {
        if limits.late() {
            return None;
        }
        // `row_j = l_ij d_j`, from those before it.
        for j in 0..i {
            row[j] = l[i * n + j] - product(&row[..j], &l[j * n..j * n + j]).0;
            l[i * n + j] = row[j] / pivots[j];
        }
        let pivot = l[i * n + i] - value - product(&row[..i], &l[i * n..i * n + i]).0;
        if pivot.is_nan() || pivot.abs() <= 1e-12 * size {
            return None;
        }
        pivots[i] = pivot;
        count += usize::from(pivot < 0.0);
    }
    Some(count)
}
