//! Squared distances of pairs of points: one by one, or all by one product.

use ndarray::{ArrayView2, ArrayViewMut2};

use super::{PIECE, Scratch, by_dimension};
use crate::simd::{self, Kernel};
use crate::{gemm, par};

/// Squared distances of pairs, for points in rows of `r` coordinates.
#[must_use]
pub fn square_distances(n: usize, pairs: &[(u32, u32)], x: &[f64], r: usize) -> Vec<f64> {
    let mut scratch = Scratch::default();
    distances_into(n, pairs, pairs.len() > n * n / 8, (x, r), &mut scratch);
    scratch.distances
}

/// The same from the differences of the coordinates alone: sums of `r` squares in some order, so that the relative error of
/// each is at most that of `r + 2` operations.
#[must_use]
pub fn differences_squared(pairs: &[(u32, u32)], x: &[f64], r: usize) -> Vec<f64> {
    let mut scratch = Scratch::default();
    distances_into(0, pairs, false, (x, r), &mut scratch);
    scratch.distances
}

/// Squared distances from point `i` to each of `n` points that are given coordinate by coordinate.
#[must_use]
pub fn distances_from(columns: &[f64], n: usize, i: usize) -> Vec<f64> {
    let mut out = vec![0.0; n];
    for column in columns.chunks_exact(n.max(1)) {
        let here = column[i];
        out.iter_mut().zip(column).for_each(|(out, there)| *out += (here - there) * (here - there));
    }
    out
}

pub(super) fn distances_into(
    n: usize,
    pairs: &[(u32, u32)],
    dense: bool,
    (x, r): (&[f64], usize),
    scratch: &mut Scratch,
) {
    scratch.distances.resize(pairs.len(), 0.0);
    if dense {
        scratch.square.resize(n * n, 0.0);
        let y = ArrayView2::from_shape((n, r), x).expect("n rows of r coordinates");
        let g = ArrayViewMut2::from_shape((n, n), &mut scratch.square[..]).expect("n rows of n");
        gemm::upper_gram(y, g);
        let g = &scratch.square;
        let diagonal: Vec<f64> = (0..n).map(|i| g[i * n + i]).collect();
        par::chunks(&mut scratch.distances, PIECE, |start, out| {
            for (out, &(i, j)) in out.iter_mut().zip(&pairs[start..]) {
                let (i, j) = (i as usize, j as usize);
                *out = (diagonal[i] + diagonal[j] - 2.0 * g[i * n + j]).max(0.0);
            }
        });
    } else {
        par::chunks(&mut scratch.distances, PIECE, |start, out| {
            let pairs = &pairs[start..start + out.len()];
            simd::run(Apart { x, r, pairs, out });
        });
    }
}

/// Squared distances of some pairs.
struct Apart<'a> {
    x: &'a [f64],
    r: usize,
    pairs: &'a [(u32, u32)],
    out: &'a mut [f64],
}

impl Kernel for Apart<'_> {
    #[inline(always)]
    fn run(self) {
        by_dimension!(self)
    }
}

impl Apart<'_> {
    #[inline(always)]
    fn of<const R: usize>(self) {
        let x = self.x.as_chunks::<R>().0;
        for (out, &(i, j)) in self.out.iter_mut().zip(self.pairs) {
            let (a, b) = (&x[i as usize], &x[j as usize]);
            *out = (0..R).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum();
        }
    }

    #[inline(always)]
    fn of_any(self) {
        let r = self.r;
        for (out, &(i, j)) in self.out.iter_mut().zip(self.pairs) {
            let (a, b) = (&self.x[i as usize * r..][..r], &self.x[j as usize * r..][..r]);
            let ((quads, rest), (others, last)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
            let mut lanes = [0.0; 4];
            for (a, b) in quads.iter().zip(others) {
                (0..4).for_each(|k| lanes[k] += (a[k] - b[k]) * (a[k] - b[k]));
            }
            let end: f64 = rest.iter().zip(last).map(|(a, b)| (a - b) * (a - b)).sum();
            *out = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + end;
        }
    }
}
