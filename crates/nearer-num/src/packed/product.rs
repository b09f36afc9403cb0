//! Products of a packed symmetric array with a few vectors at once, centred on the way, nothing of size n x n made.

use crate::par;
use crate::simd::{self, Kernel};
use std::ops::Range;

use ndarray::{Array1, Array2};

use super::{pieces, row_start};

/// How many vectors are multiplied at once.
const LANES: usize = 4;

/// The operator `x ↦ -½ H f(D) H x`, `H = I - 11ᵗ/n`, for a packed `D` and an entrywise `f`, and a number added to it on
/// the complement of the ones: `+ shift · H x`.
#[derive(Debug, Clone)]
pub struct Centred<'a, F> {
    n: usize,
    values: &'a [f64],
    entry: F,
    shift: f64,
    parts: Vec<Vec<[f64; LANES]>>,
}

impl<'a, F: Fn(f64) -> f64 + Copy + Sync> Centred<'a, F> {
    /// The operator for `n` rows, the packed `values` and the entrywise function `entry`.
    #[must_use]
    pub fn new(n: usize, values: &'a [f64], entry: F) -> Self {
        Centred { n, values, entry, shift: 0.0, parts: Vec::new() }
    }
    /// The operator applied to each column of `x`.
    #[must_use]
    pub fn apply(&mut self, x: &Array2<f64>) -> Array2<f64> {
        let mut out = Array2::zeros(x.dim());
        let mut buffer = vec![[0.0; LANES]; self.n];
        for start in (0..x.ncols()).step_by(LANES) {
            let width = (x.ncols() - start).min(LANES);
            let mut means = [0.0; LANES];
            for (i, slot) in buffer.iter_mut().enumerate() {
                *slot = [0.0; LANES];
                for k in 0..width {
                    slot[k] = x[(i, start + k)];
                    means[k] += slot[k];
                }
            }
            let means = means.map(|m| m / self.n as f64);
            buffer.iter_mut().for_each(|slot| (0..LANES).for_each(|k| slot[k] -= means[k]));
            let y = product(self.n, self.values, self.entry, &buffer, &mut self.parts);
            let mut centre = [0.0; LANES];
            y.iter().for_each(|v| (0..LANES).for_each(|k| centre[k] += v[k]));
            let centre = centre.map(|m| m / self.n as f64);
            for i in 0..self.n {
                for k in 0..width {
                    out[(i, start + k)] = -0.5 * (y[i][k] - centre[k]) + self.shift * buffer[i][k];
                }
            }
        }
        out
    }
    /// The same operator with `shift · H` added.
    #[must_use]
    pub fn shifted(self, shift: f64) -> Self {
        Centred { shift: self.shift + shift, ..self }
    }
}

/// The sums of the rows of `f(D)`.
#[must_use]
pub fn row_sums(n: usize, values: &[f64], entry: impl Fn(f64) -> f64 + Copy + Sync) -> Array1<f64> {
    let ones = vec![[1.0, 0.0, 0.0, 0.0]; n];
    product(n, values, entry, &ones, &mut Vec::new()).into_iter().map(|v| v[0]).collect()
}

/// `f(D) x` for four vectors side by side. `parts` is where the pieces leave their sums; kept from pass to pass, since
/// fresh memory costs more than the sums.
fn product(
    n: usize,
    values: &[f64],
    entry: impl Fn(f64) -> f64 + Copy + Sync,
    x: &[[f64; LANES]],
    parts: &mut Vec<Vec<[f64; LANES]>>,
) -> Vec<[f64; LANES]> {
    let pieces = pieces(n);
    parts.resize(pieces.len(), Vec::new());
    // A piece reaches from its first row to the end.
    par::each(parts.iter_mut().zip(&pieces).collect(), |_, (y, rows)| {
        y.clear();
        y.resize(n - rows.start, [0.0; LANES]);
        simd::run(Rows { n, values, entry, x, rows: rows.clone(), y });
    });
    let mut total = vec![[0.0; LANES]; n];
    for (part, rows) in parts.iter().zip(&pieces) {
        for (t, p) in total[rows.start..].iter_mut().zip(part) {
            (0..LANES).for_each(|k| t[k] += p[k]);
        }
    }
    total
}

struct Rows<'a, F> {
    n: usize,
    values: &'a [f64],
    entry: F,
    x: &'a [[f64; LANES]],
    rows: Range<usize>,
    y: &'a mut [[f64; LANES]],
}

impl<F: Fn(f64) -> f64 + Copy> Kernel for Rows<'_, F> {
    #[inline(always)]
    fn run(self) {
        let first = self.rows.start;
        for i in self.rows {
            let row = &self.values[row_start(self.n, i)..row_start(self.n, i + 1)];
            let sum = one_row(row, self.entry, self.x[i], &self.x[i + 1..], &mut self.y[i + 1 - first..]);
            (0..LANES).for_each(|k| self.y[i - first][k] += sum[k]);
        }
    }
}

/// One row of the triangle: adds its mirror image to `y`, and gives its own product.
#[inline(always)]
fn one_row(
    row: &[f64],
    entry: impl Fn(f64) -> f64,
    own: [f64; LANES],
    x: &[[f64; LANES]],
    y: &mut [[f64; LANES]],
) -> [f64; LANES] {
    let mut sum = [0.0; LANES];
    for ((v, x), y) in row.iter().zip(x).zip(y) {
        let f = entry(*v);
        for k in 0..LANES {
            sum[k] += f * x[k];
            y[k] += f * own[k];
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn it_is_the_doubly_centred_matrix() {
        let n = 130;
        let mut rng = Rng::task(3, 0);
        let values: Vec<f64> = (0..crate::packed::len(n)).map(|_| rng.uniform()).collect();
        let x = Array2::from_shape_fn((n, 5), |_| rng.normal());
        let square = Array2::from_shape_fn((n, n), |(i, j)| {
            if i == j { 0.0 } else { values[crate::packed::index(n, i.min(j), i.max(j))].powi(2) }
        });
        let h = Array2::from_shape_fn((n, n), |(i, j)| f64::from(u8::from(i == j)) - 1.0 / n as f64);
        let expected = h.dot(&square).dot(&h).dot(&x) * -0.5 + h.dot(&x) * 0.7;
        let got = Centred::new(n, &values, |v| v * v).shifted(0.7).apply(&x);
        assert!((&got - &expected).iter().all(|e| e.abs() < 1e-11));
        let sums = row_sums(n, &values, |v| v * v);
        assert!((&sums - &square.sum_axis(ndarray::Axis(1))).iter().all(|e| e.abs() < 1e-12));
        let on = |threads| crate::par::install(threads, || Centred::new(n, &values, |v| v * v).apply(&x));
        assert_eq!(on(1), on(2));
    }
}
