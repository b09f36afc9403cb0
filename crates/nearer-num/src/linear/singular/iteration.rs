//! Singular values of an upper bidiagonal matrix by the implicit QR iteration (Golub and Reinsch 1970), each to within a
//! rounding error of the largest: `O(n²)` operations and `O(n³)` for the vectors that are carried along.
//!
//! Where an entry of the diagonal is nothing, a sweep without shift takes it and its neighbour away (Demmel and Kahan 1990).

use crate::linear::kernels::rotated;
use crate::linear::storage::two_columns;
use crate::simd::compiled_twice;

/// Sweeps for each singular value, on average, after which it is given up. Two are usual.
const PATIENCE: usize = 60;
/// Matrices are of order one: what is below this is nothing, and what is above can be squared.
const NOTHING: f64 = 1e-40;

/// Columns of a basis, of which only some rows are touched.
pub(crate) struct Basis<'a> {
    pub(crate) data: &'a mut [f64],
    pub(crate) ld: usize,
    pub(crate) rows: std::ops::Range<usize>,
}

impl Basis<'_> {
    #[inline(always)]
    fn rotate(&mut self, i: usize, j: usize, (c, s): (f64, f64)) {
        let (x, y) = two_columns(self.data, self.ld, i, j);
        rotated(&mut x[self.rows.clone()], &mut y[self.rows.clone()], c, s);
    }

    fn swap(&mut self, i: usize, j: usize) {
        let (x, y) = two_columns(self.data, self.ld, i, j);
        x[self.rows.clone()].swap_with_slice(&mut y[self.rows.clone()]);
    }

    /// Makes the leading columns those of the identity.
    pub(crate) fn set_identity(&mut self) {
        for (k, row) in self.rows.clone().enumerate() {
            self.data[k * self.ld..][self.rows.clone()].fill(0.0);
            self.data[k * self.ld + row] = 1.0;
        }
    }
}

/// Makes `d` the singular values, least first, of the matrix with `d` on its diagonal and `e` above, and multiplies `u` and
/// `v` by the singular vectors. With as many entries above as on the diagonal there is one more column than rows; the last
/// column of `v` is then multiplied by what the matrix takes to zero. Whether it came to an end.
pub(crate) fn with_vectors(d: &mut [f64], e: &mut [f64], mut u: Basis<'_>, mut v: Basis<'_>) -> bool {
    let n = d.len();
    let done = diagonalise(d, e, &mut u, &mut v);
    for k in 0..n {
        if d[k] < 0.0 {
            d[k] = -d[k];
            v.data[k * v.ld..][v.rows.clone()].iter_mut().for_each(|v| *v = -*v);
        }
    }
    for k in 0..n {
        let least = (k + 1..n).fold(k, |best, i| if d[i] < d[best] { i } else { best });
        if least > k {
            d.swap(k, least);
            u.swap(k, least);
            v.swap(k, least);
        }
    }
    done
}

compiled_twice! {
    fn diagonalise(d: &mut [f64], e: &mut [f64], u: &mut Basis<'_>, v: &mut Basis<'_>) -> bool {
        let n = d.len();
        if n == 0 {
            return true;
        }
        if e.len() == n {
            remove_last_column(d, e, v);
        }
        let size = d.iter().chain(&*e).fold(0.0, |most: f64, x| most.max(x.abs()));
        let nothing = (0.5 * f64::EPSILON * size).max(NOTHING);
        let (mut last, mut left) = (n - 1, PATIENCE * n);
        while last > 0 {
            if e[last - 1].abs() <= nothing {
                last -= 1;
                continue;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
            let first = (0..last - 1).rev().find(|&k| e[k].abs() <= nothing).map_or(0, |k| k + 1);
            sweep(d, e, first, last, nothing, u, v);
        }
        true
    }
}

/// Rotates what is right of the square, one entry at the bottom, up and out of the matrix.
#[inline(always)]
fn remove_last_column(d: &mut [f64], e: &mut [f64], v: &mut Basis<'_>) {
    let n = d.len();
    let mut right = std::mem::take(&mut e[n - 1]);
    for k in (0..n).rev() {
        if right == 0.0 {
            return;
        }
        let (turn, length) = turning(d[k], right);
        d[k] = length;
        v.rotate(k, n, turn);
        if k > 0 {
            (e[k - 1], right) = (turn.0 * e[k - 1], -turn.1 * e[k - 1]);
        }
    }
}

/// One sweep over the block from `first` to `last`.
#[inline(always)]
fn sweep(d: &mut [f64], e: &mut [f64], first: usize, last: usize, nothing: f64, u: &mut Basis<'_>, v: &mut Basis<'_>) {
    let singular = d[first..=last].iter().any(|d| d.abs() <= nothing);
    let (mut kept, mut bulge) = (d[first], e[first]);
    if !singular {
        (kept, bulge) = (kept * kept - shift(d, e, first, last), kept * bulge);
    }
    for k in first..last {
        let (turn, length) = turning(kept, bulge);
        let (c, s) = turn;
        if k > first {
            e[k - 1] = length;
        }
        kept = c * d[k] + s * e[k];
        e[k] = c * e[k] - s * d[k];
        bulge = s * d[k + 1];
        d[k + 1] *= c;
        v.rotate(k, k + 1, turn);

        let (turn, length) = turning(kept, bulge);
        let (c, s) = turn;
        d[k] = length;
        kept = c * e[k] + s * d[k + 1];
        d[k + 1] = c * d[k + 1] - s * e[k];
        e[k] = kept;
        if k + 1 < last {
            bulge = s * e[k + 1];
            e[k + 1] *= c;
        }
        u.rotate(k, k + 1, turn);
    }
}

/// The eigenvalue of the last two by two block of `BᵗB` that is nearer to its last entry.
#[inline(always)]
fn shift(d: &[f64], e: &[f64], first: usize, last: usize) -> f64 {
    let above = if last - 1 > first { e[last - 2] } else { 0.0 };
    let (one, two) = (d[last - 1] * d[last - 1] + above * above, d[last] * d[last] + e[last - 1] * e[last - 1]);
    let beside = d[last - 1] * e[last - 1];
    let half = 0.5 * (one - two);
    let root = (half * half + beside * beside).sqrt().copysign(half);
    if root == 0.0 { two } else { two - beside * beside / (half + root) }
}

/// Cosine and sine that turn `(x, y)` to `(length, 0)`.
#[inline(always)]
fn turning(x: f64, y: f64) -> ((f64, f64), f64) {
    let square = x * x + y * y;
    if square < 1e-280 {
        // Too small to square; and it may be zero.
        let length = x.hypot(y);
        return if length == 0.0 { ((1.0, 0.0), 0.0) } else { ((x / length, y / length), length) };
    }
    let length = square.sqrt();
    ((x / length, y / length), length)
}
