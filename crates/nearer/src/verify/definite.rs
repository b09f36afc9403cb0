//! A lower bound on the least eigenvalue of a symmetric matrix, proved by a Cholesky factorisation written out here.

use super::limits::Limits;
use super::rounding::{UNIT, product, roundings, sharp_product, sharpness};

/// A symmetric matrix, both triangles, row by row.
#[derive(Debug, Clone)]
pub(super) struct Square {
    pub(super) n: usize,
    pub(super) entries: Vec<f64>,
}

impl Square {
    pub(super) fn zeros(n: usize) -> Self {
        Square { n, entries: vec![0.0; n * n] }
    }
    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.n..(i + 1) * self.n]
    }
    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.n + j]
    }
    /// The largest sum of the sizes of a row; no eigenvalue is larger in size.
    pub(super) fn norm(&self) -> f64 {
        (0..self.n).map(|i| self.row(i).iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max)
    }
    fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.n).map(|i| product(self.row(i), x).0).collect()
    }
}

/// A number that no eigenvalue is below. `-∞` where nothing could be proved.
///
/// Plain factorisations of `a - s I` and inverse iteration find where the least eigenvalue is; nothing of that enters the
/// proof, which is one sharp factorisation at the `s` they found. Out of time, nothing is proved.
pub(super) fn least_eigenvalue(a: &Square, limits: &Limits<'_>) -> f64 {
    if a.n == 0 {
        return f64::INFINITY;
    }
    if a.entries.iter().any(|v| !v.is_finite()) {
        return f64::NEG_INFINITY;
    }
    let size = a.norm();
    if !size.is_finite() {
        return f64::NEG_INFINITY;
    }
    let high = estimate(a, size, limits);
    let mut below = 0.25 * UNIT * size;
    for _ in 0..40 {
        let shift = high - below;
        if let Some(loss) = proved(a, shift, limits) {
            return shift - loss - 2.0 * UNIT * (shift.abs() + loss);
        }
        if limits.late() {
            break;
        }
        below = below * 4.0 + f64::MIN_POSITIVE;
    }
    f64::NEG_INFINITY
}

/// The least eigenvalue as inverse iteration sees it: the least Rayleigh quotient that was met.
fn estimate(a: &Square, size: f64, limits: &Limits<'_>) -> f64 {
    let n = a.n;
    let mut low = -size * (1.0 + 1e-12);
    let mut high = (0..n).map(|i| a.at(i, i)).fold(f64::INFINITY, f64::min);
    let Some(mut factor) = factorise(a, low, product, limits) else { return high };
    // Any start will do that is not orthogonal to the eigenvector; this one has no pattern.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut x: Vec<f64> = (0..n)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        })
        .collect();
    let close = 4.0 * UNIT * size;
    for _ in 0..60 {
        for _ in 0..6 {
            solve(n, &factor, &mut x);
            let length = product(&x, &x).0.sqrt();
            x.iter_mut().for_each(|v| *v /= length);
        }
        let (quotient, rest) = sharp_product(&x, &a.times(&x));
        high = high.min(quotient + rest);
        if high - low <= close {
            break;
        }
        // Almost as high as the quotient, where it has settled; else by halves.
        let mut shift = high - (1e-3 * (high - low)).max(0.5 * close);
        let mut found = false;
        // Sixty halves are all that a difference of two numbers has; also what is not a number ends it.
        for _ in 0..60 {
            if (shift - low).partial_cmp(&(0.25 * close)) != Some(std::cmp::Ordering::Greater) {
                break;
            }
            if let Some(better) = factorise(a, shift, product, limits) {
                (low, factor, found) = (shift, better, true);
                break;
            }
            shift = low + 0.5 * (shift - low);
        }
        if !found {
            break;
        }
    }
    high
}

/// Factorises `a - shift I`, and gives a number that `|a - shift I - L Lᵗ|` is at most.
///
/// Each entry is the difference of `aᵢⱼ` and a sharp product, divided or rooted: its part of the error is at most
/// `4 u |lᵢⱼ| lⱼⱼ` (two subtractions, one division) and `sharpness · Σ |lᵢₖ lⱼₖ| ≤ sharpness · sqrt(aᵢᵢ aⱼⱼ)`. The first is
/// summed by rows, the second is at most `sharpness` times the trace.
fn proved(a: &Square, shift: f64, limits: &Limits<'_>) -> Option<f64> {
    let n = a.n;
    let factor = factorise(a, shift, sharp_product, limits)?;
    let mut rows = vec![0.0; n];
    let mut trace = 0.0;
    let mut largest: f64 = 0.0;
    for i in 0..n {
        let pivot = factor[i * n + i];
        let moved = (a.at(i, i) - shift).abs();
        trace += moved;
        largest = largest.max(moved);
        rows[i] += pivot * pivot;
        for j in 0..i {
            let part = factor[i * n + j].abs() * factor[j * n + j];
            rows[i] += part;
            rows[j] += part;
        }
    }
    let worst = rows.iter().fold(0.0, |m: f64, v| m.max(*v));
    let each = 4.5 * UNIT * worst + 2.0 * sharpness(n) * trace + UNIT * largest + n as f64 * f64::MIN_POSITIVE;
    Some(each * (1.0 + roundings(2 * n + 16)))
}

/// Rows are taken in blocks: each row above is read once for a block.
const BLOCK: usize = 32;

/// `L` with `L Lᵗ = a - shift I`, row by row in the lower triangle; `None` at a pivot that is not positive, or out of time.
pub(super) fn factorise(
    a: &Square,
    shift: f64,
    dot: impl Fn(&[f64], &[f64]) -> (f64, f64),
    limits: &Limits<'_>,
) -> Option<Vec<f64>> {
    let n = a.n;
    let mut l = a.entries.clone();
    for i in 0..n {
        l[i * n + i] -= shift;
    }
    for from in (0..n).step_by(BLOCK) {
        let to = (from + BLOCK).min(n);
        if limits.late() {
            return None;
        }
        for j in 0..to {
            let (above, below) = l.split_at_mut((j + 1) * n);
            let row = &mut above[j * n..];
            if j >= from {
                let (high, low) = dot(&row[..j], &row[..j]);
                let pivot = ((row[j] - high) - low).sqrt();
                if !(pivot > 0.0 && pivot.is_finite()) {
                    return None;
                }
                row[j] = pivot;
            }
            for i in from.max(j + 1)..to {
                let other = &mut below[(i - j - 1) * n..(i - j) * n];
                let (high, low) = dot(&other[..j], &row[..j]);
                other[j] = ((other[j] - high) - low) / row[j];
            }
        }
    }
    Some(l)
}

/// `x ← (L Lᵗ)⁻¹ x`.
pub(super) fn solve(n: usize, l: &[f64], x: &mut [f64]) {
    for i in 0..n {
        x[i] = (x[i] - product(&l[i * n..i * n + i], &x[..i]).0) / l[i * n + i];
    }
    for i in (0..n).rev() {
        x[i] /= l[i * n + i];
        let pull = x[i];
        x[..i].iter_mut().zip(&l[i * n..i * n + i]).for_each(|(x, l)| *x -= l * pull);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

    fn square(n: usize, f: impl Fn(usize, usize) -> f64) -> Square {
        Square { n, entries: (0..n * n).map(|k| f(k / n, k % n)).collect() }
    }

    /// The path: `2 - 2 cos(π / (n + 1))`, known to the last digit.
    #[test]
    fn the_bound_is_below_a_known_eigenvalue_and_close() {
        for n in [1usize, 2, 7, 60, 300] {
            let a = square(n, |i, j| match i.abs_diff(j) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            });
            let truth = 2.0 - 2.0 * (std::f64::consts::PI / (n as f64 + 1.0)).cos();
            let below = least_eigenvalue(&a, &Limits::default());
            assert!(below <= truth + 1e-16 && truth - below < 1e-13, "{n}: {below} {truth}");
        }
    }

    /// `|v|² I - v vᵗ` in whole numbers has the eigenvalue 0 exactly.
    #[test]
    fn a_singular_matrix_is_never_said_to_be_definite() {
        for n in [3usize, 20, 150] {
            let mut rng = Rng::task(9, n as u64);
            let v: Vec<f64> = (0..n).map(|_| rng.below(7) as f64 - 3.0).collect();
            let size: f64 = v.iter().map(|v| v * v).sum();
            let below = least_eigenvalue(
                &square(n, |i, j| f64::from(u8::from(i == j)) * size - v[i] * v[j]),
                &Limits::default(),
            );
            assert!(below <= 0.0 && below > -1e-12 * size * n as f64, "{n}: {below}");
        }
    }

    /// Another proof, that of the certificates, agrees.
    #[test]
    fn it_agrees_with_the_other_proof() {
        for seed in 0..40 {
            let mut rng = Rng::task(11, seed);
            let n = 1 + rng.below(40);
            let mut a = square(n, |_, _| 0.0);
            for i in 0..n {
                for j in 0..=i {
                    let v = rng.normal();
                    a.entries[i * n + j] = v;
                    a.entries[j * n + i] = v;
                }
            }
            let dense = ndarray::Array2::from_shape_vec((n, n), a.entries.clone()).unwrap();
            let other = nearer_num::definite::least_eigenvalue(dense.view());
            let below = least_eigenvalue(&a, &Limits::default());
            assert!((below - other.value).abs() < 1e-10 * a.norm().max(1.0), "{n}: {below} {other:?}");
        }
    }

    /// Entries at the ends of the range of numbers, and matrices whose least eigenvalue lies on the boundary of what halving sees:
    /// every search ends, and no answer is above the truth.
    #[test]
    fn every_search_ends() {
        for size in [f64::MAX, f64::MAX / 4.0, 1e300, 1e160, 1e-160, 1e-300, f64::MIN_POSITIVE, 5e-324] {
            for n in [1usize, 2, 5] {
                let flat = least_eigenvalue(&square(n, |_, _| size), &Limits::default());
                assert!(flat <= if n == 1 { size } else { 0.0 }, "{size:e} {n}: {flat:e}");
                let apart = least_eigenvalue(&square(n, |i, j| if i == j { -size } else { 0.0 }), &Limits::default());
                assert!(apart <= -size, "{size:e} {n}: {apart:e}");
            }
        }
        for k in 0..200 {
            let mut rng = Rng::task(31, k);
            let powers: Vec<f64> = (0..4).map(|_| 10f64.powf(600.0 * rng.uniform() - 300.0)).collect();
            least_eigenvalue(
                &square(4, |i, j| powers[i.min(j)] * if (i + j) % 2 == 0 { 1.0 } else { -1.0 }),
                &Limits::default(),
            );
        }
    }

    #[test]
    fn what_is_not_a_number_has_no_bound() {
        assert_eq!(
            least_eigenvalue(&square(2, |i, j| if i == j { 1.0 } else { f64::NAN }), &Limits::default()),
            f64::NEG_INFINITY
        );
    }
}
