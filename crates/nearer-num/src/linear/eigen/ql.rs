//! Eigenvalues of a symmetric tridiagonal matrix by the implicit QL iteration (Bowdler, Martin, Reinsch and Wilkinson 1968):
//! about `1.7 n` sweeps, so `O(n²)` operations, and `5 n³` where eigenvectors are carried along. Values alone come without
//! square roots, from the squares beside the diagonal (Pal, Walker and Kahan; Reinsch 1973).
//!
//! Matrices are of order one: what is beside the diagonal and below [`NOTHING`] is as good as zero.

use std::ops::Range;

use crate::linear::kernels::rotated;
use crate::linear::storage::two_columns;
use crate::simd::compiled_twice;

const NOTHING: f64 = 1e-120;
/// Sweeps for each eigenvalue, on average, after which it is given up. Two are usual.
const PATIENCE: usize = 60;

/// Makes `d` the eigenvalues, least first, and multiplies `q` by the eigenvectors; of the columns of `q`, which are `ld` apart,
/// only these rows are touched. Whether it came to an end.
pub(crate) fn with_vectors(d: &mut [f64], e: &mut [f64], q: &mut [f64], ld: usize, rows: Range<usize>) -> bool {
    let done = diagonalise(d, e, q, ld, rows.clone());
    for k in 0..d.len() {
        let least = (k + 1..d.len()).fold(k, |best, i| if d[i] < d[best] { i } else { best });
        if least > k {
            d.swap(k, least);
            let (x, y) = two_columns(q, ld, k, least);
            x[rows.clone()].swap_with_slice(&mut y[rows.clone()]);
        }
    }
    done
}

/// Makes `d` the eigenvalues, least first. Whether it came to an end.
pub(crate) fn values_alone(d: &mut [f64], e: &mut [f64]) -> bool {
    e.iter_mut().for_each(|e| *e *= *e);
    let mut left = PATIENCE * d.len();
    for first in 0..d.len() {
        loop {
            let last = end_of_block(d, e, first, |e, size| e <= (f64::EPSILON * size).powi(2) + NOTHING * NOTHING);
            if last == first {
                break;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
            sweep_of_squares(&mut d[first..=last], &mut e[first..last]);
        }
    }
    d.sort_by(f64::total_cmp);
    true
}

compiled_twice! {
    fn diagonalise(d: &mut [f64], e: &mut [f64], q: &mut [f64], ld: usize, rows: Range<usize>) -> bool {
        let mut left = PATIENCE * d.len();
        for first in 0..d.len() {
            loop {
                let last = end_of_block(d, e, first, |e, size| e.abs() <= f64::EPSILON * size + NOTHING);
                if last == first {
                    break;
                }
                if left == 0 {
                    return false;
                }
                left -= 1;
                sweep(&mut d[first..=last], &mut e[first..last], &mut q[first * ld..], ld, rows.clone());
            }
        }
        true
    }
}

/// The last row of the block that begins at `first` and falls apart from the rest.
#[inline(always)]
fn end_of_block(d: &[f64], e: &[f64], first: usize, negligible: impl Fn(f64, f64) -> bool) -> usize {
    (first..e.len()).find(|&k| negligible(e[k], d[k].abs() + d[k + 1].abs())).unwrap_or(d.len() - 1)
}

/// The eigenvalue of the leading two by two block that is nearer to its first entry.
#[inline(always)]
fn shift(d: &[f64], beside: f64) -> f64 {
    let half = (d[1] - d[0]) / (2.0 * beside);
    d[0] - beside / (half + (1.0 + half * half).sqrt().copysign(half))
}

/// One sweep from the end to the beginning. `bulge` is what a rotation puts where a zero was, the next one removes it.
#[inline(always)]
fn sweep(d: &mut [f64], e: &mut [f64], q: &mut [f64], ld: usize, rows: Range<usize>) {
    let end = e.len();
    let (mut c, mut s, mut taken) = (1.0, 1.0, 0.0);
    let mut g = d[end] - shift(d, e[0]);
    for i in (0..end).rev() {
        let (bulge, kept) = (s * e[i], c * e[i]);
        let r = (bulge * bulge + g * g).sqrt();
        if i + 1 < end {
            e[i + 1] = r;
        }
        if r == 0.0 {
            // The block falls apart here.
            d[i + 1] -= taken;
            return;
        }
        (s, c) = (bulge / r, g / r);
        let before = d[i + 1] - taken;
        let mixed = (d[i] - before) * s + 2.0 * c * kept;
        taken = s * mixed;
        d[i + 1] = before + taken;
        g = c * mixed - kept;
        let (x, y) = two_columns(q, ld, i, i + 1);
        rotated(&mut y[rows.clone()], &mut x[rows.clone()], c, s);
    }
    d[0] -= taken;
    e[0] = g;
}

/// One sweep on the squares `e`, without square roots but that of the shift.
fn sweep_of_squares(d: &mut [f64], e: &mut [f64]) {
    let end = e.len();
    let shift = shift(d, e[0].sqrt());
    let (mut c, mut s) = (1.0, 0.0);
    let mut gamma = d[end] - shift;
    let mut p = gamma * gamma;
    for i in (0..end).rev() {
        let square = e[i];
        let r = p + square;
        if i + 1 < end {
            e[i + 1] = s * r;
        }
        let c_before = c;
        (c, s) = (p / r, square / r);
        let gamma_before = gamma;
        gamma = c * (d[i] - shift) - s * gamma_before;
        d[i + 1] = gamma_before + (d[i] - gamma);
        p = if c == 0.0 { c_before * square } else { gamma * gamma / c };
    }
    e[0] = s * p;
    d[0] = shift + gamma;
}
