//! Householder reflections `1 - t v vᵗ`, and products of them as `1 - V T Vᵗ` with a triangular `T` (Schreiber and Van Loan
//! 1989), so that applying many is two products of matrices: `4 m b n` operations for `b` of them on an `m x n` matrix.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};

use super::kernels::{dot, reflect};
use super::product::add_product;
use super::storage::{Reading, array, part, part_mut, to_columns};

/// How many reflections are applied at once.
const TOGETHER: usize = 48;
/// Below so many rows or columns, products of matrices cost more to set up than they save.
const FEW: usize = 24;

/// Makes `x` the vector `v` of the reflection that takes it to `(value, 0, ...)`, with `v[0] = 1`; returns `value` and `t`.
/// Matrices are of order one here: what is below 1e-140 is nothing, and its square would not be a normal number.
pub(crate) fn reflector(x: &mut [f64]) -> (f64, f64) {
    let Some((first, rest)) = x.split_first_mut() else { return (0.0, 0.0) };
    let (alpha, tail) = (*first, dot(rest, rest));
    *first = 1.0;
    let square = alpha * alpha + tail;
    if tail == 0.0 || square < 1e-280 {
        rest.fill(0.0);
        return (alpha, 0.0);
    }
    let value = -square.sqrt().copysign(alpha);
    let factor = 1.0 / (alpha - value);
    rest.iter_mut().for_each(|x| *x *= factor);
    (value, (value - alpha) / value)
}

/// Reflections, the vector of the `k`th in column `k` of `v`: one at row `k + below`, and zero above it.
pub(crate) struct Reflections<'a> {
    pub(crate) v: &'a [f64],
    pub(crate) ld: usize,
    pub(crate) below: usize,
    pub(crate) factors: &'a [f64],
}

impl Reflections<'_> {
    /// `z = H_0 H_1 ... z`, for the leading `columns` of `z`, whose columns are `ld` long.
    pub(crate) fn apply(&self, z: &mut [f64], columns: usize) {
        let (ld, count) = (self.ld, self.factors.len());
        if columns < FEW || ld < FEW {
            for k in (0..count).rev() {
                let from = (k + self.below).min(ld);
                reflect(&self.v[k * ld + from..(k + 1) * ld], self.factors[k], &mut z[from..], ld, columns);
            }
            return;
        }
        let mut work = vec![0.0; 2 * TOGETHER * columns];
        for first in (0..count.div_ceil(TOGETHER)).rev().map(|block| block * TOGETHER) {
            let many = TOGETHER.min(count - first);
            let rows = (first + self.below).min(ld)..ld;
            let v = part(self.v, ld, rows.clone(), first..first + many);
            let t = triangle(self.v, ld, rows.clone(), first, &self.factors[first..first + many]);
            apply_block(v, part(&t, many, 0..many, 0..many), part_mut(z, ld, rows, 0..columns), &mut work);
        }
    }
}

/// `z -= V T Vᵗ z`, with room for two matrices of as many rows as there are reflections.
pub(crate) fn apply_block(
    v: ArrayView2<'_, f64>,
    t: ArrayView2<'_, f64>,
    mut z: ArrayViewMut2<'_, f64>,
    work: &mut [f64],
) {
    let (many, columns) = (v.ncols(), z.ncols());
    let (first, second) = work.split_at_mut(many * columns);
    add_product(part_mut(first, many, 0..many, 0..columns), 0.0, 1.0, v.t(), z.view());
    add_product(part_mut(second, many, 0..many, 0..columns), 0.0, 1.0, t, part(first, many, 0..many, 0..columns));
    add_product(z.view_mut(), 1.0, -1.0, v, part(second, many, 0..many, 0..columns));
}

/// The upper triangle `T`: its column `k` is `-t_k T (Vᵗ v_k)` over `t_k`.
pub(crate) fn triangle(v: &[f64], ld: usize, rows: std::ops::Range<usize>, first: usize, factors: &[f64]) -> Vec<f64> {
    let many = factors.len();
    let block = part(v, ld, rows, first..first + many);
    let (mut gram, mut t) = (vec![0.0; many * many], vec![0.0; many * many]);
    add_product(part_mut(&mut gram, many, 0..many, 0..many), 0.0, 1.0, block.t(), block);
    for k in 0..many {
        for i in 0..k {
            let sum: f64 = (i..k).map(|l| t[l * many + i] * gram[k * many + l]).sum();
            t[k * many + i] = -factors[k] * sum;
        }
        t[k * many + k] = factors[k];
    }
    t
}

/// Columns reduced one by one before the others follow.
const PANEL: usize = 16;

/// A tall matrix as `Q R`, `2 n² (m - n/3)` operations: returns `R` and the factors of the reflections; column `k` of `a` becomes the vector of reflection `k`: one at row `k`, zero
/// above.
pub(crate) fn triangularise(a: &mut [f64], m: usize, n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut r, mut factors) = (vec![0.0; n * n], vec![0.0; n]);
    let mut work = vec![0.0; 2 * PANEL * n.saturating_sub(PANEL)];
    for start in (0..n).step_by(PANEL) {
        let end = (start + PANEL).min(n);
        for k in start..end {
            let (done, rest) = a.split_at_mut((k + 1) * m);
            let column = &mut done[k * m..];
            r[k * n..k * n + k].copy_from_slice(&column[..k]);
            column[..k].fill(0.0);
            (r[k * n + k], factors[k]) = reflector(&mut column[k..]);
            if k + 1 < end {
                reflect(&column[k..], factors[k], &mut rest[k..], m, end - k - 1);
            }
        }
        if end < n {
            let many = end - start;
            let t = triangle(a, m, start..m, start, &factors[start..end]);
            let (done, rest) = a.split_at_mut(end * m);
            let v = part(done, m, start..m, start..end);
            let z = part_mut(rest, m, start..m, 0..n - end);
            apply_block(v, part(&t, many, 0..many, 0..many).reversed_axes(), z, &mut work);
        }
    }
    (r, factors)
}

/// Orthonormal columns that span those of `a`, where these are independent, and any others beside: as many as the shorter of its
/// sides. Nothing if an entry is not finite.
pub(crate) fn orthonormal(a: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    let (m, n) = a.dim();
    let size = m.min(n);
    let (mut v, _) = to_columns(a.slice(s![.., ..size]), Reading::Whole)?;
    let (_, factors) = triangularise(&mut v, m, size);
    let mut q = vec![0.0; m * size];
    (0..size).for_each(|k| q[k * m + k] = 1.0);
    Reflections { v: &v, ld: m, below: 0, factors: &factors }.apply(&mut q, size);
    Some(array(q, m, size))
}
