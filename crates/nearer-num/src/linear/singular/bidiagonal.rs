//! A matrix of no more columns than rows as `U B Vᵗ` with `B` upper bidiagonal: reflections from left and right in turn (Golub
//! and Kahan 1965), `4 n² (m - n/3)` operations, half of them in products of matrices since the changes `A - v yᵗ - x wᵗ` are
//! gathered and made together.

use crate::linear::householder::reflector;
use crate::linear::kernels::{add_scaled, add_times, dot, subtract_two_products, transposed_times};
use crate::linear::product::add_product;
use crate::linear::storage::{part, part_mut};

/// Columns and rows reduced before the rest of the matrix is changed.
const PANEL: usize = 24;
/// A rest of at most so many columns is changed after each of them.
const SMALL: usize = 64;

/// The diagonal of `B` and what is above it (as long, the last is zero), the vectors of the reflections from the right (column
/// `k` is one at row `k + 1`, and zero above) and the factors of all.
pub(crate) struct Bidiagonal {
    pub(crate) diagonal: Vec<f64>,
    pub(crate) above: Vec<f64>,
    pub(crate) left_factors: Vec<f64>,
    pub(crate) right: Vec<f64>,
    pub(crate) right_factors: Vec<f64>,
}

/// Reduces `a`. Its column `k` becomes the vector of reflection `k` from the left: one at row `k`, zero above.
pub(crate) fn bidiagonalise(a: &mut [f64], m: usize, n: usize) -> Bidiagonal {
    let mut out = Bidiagonal {
        diagonal: vec![0.0; n],
        above: vec![0.0; n],
        left_factors: vec![0.0; n],
        right: vec![0.0; n * n],
        right_factors: vec![0.0; n],
    };
    let mut work = vec![0.0; m + n + 2 * PANEL];
    let mut start = 0;
    if n > SMALL + PANEL {
        let (mut left, mut right) = (vec![0.0; 2 * PANEL * m], vec![0.0; 2 * PANEL * n]);
        while n - start > SMALL + PANEL {
            panel(a, (m, n), start, (&mut left, &mut right), &mut out, &mut work);
            start += PANEL;
            let (l, r) = (part(&left, m, start..m, 0..2 * PANEL), part(&right, n, start..n, 0..2 * PANEL));
            add_product(part_mut(a, m, start..m, start..n), 1.0, -1.0, l, r.t());
        }
    }
    for k in start..n {
        one_column(a, (m, n), k, &mut out, &mut work);
    }
    out
}

/// Reduces column and row `k` and changes the rest of the matrix at once.
fn one_column(a: &mut [f64], (m, n): (usize, usize), k: usize, out: &mut Bidiagonal, work: &mut [f64]) {
    let (done, rest) = a.split_at_mut((k + 1) * m);
    let column = &mut done[k * m..];
    column[..k].fill(0.0);
    let v = &mut column[k..];
    (out.diagonal[k], out.left_factors[k]) = reflector(v);
    if k + 1 == n {
        return;
    }
    let (x, y) = work.split_at_mut(m);
    let (x, y) = (&mut x[..m - k - 1], &mut y[..n - k - 1]);
    transposed_times(&rest[k..], m, out.left_factors[k], v, y);
    let w = &mut out.right[k * n + k + 1..(k + 1) * n];
    for ((w, y), a) in w.iter_mut().zip(&*y).zip(rest[k..].iter().step_by(m)) {
        *w = a - y;
    }
    (out.above[k], out.right_factors[k]) = reflector(w);
    x.fill(0.0);
    let below = &mut rest[k + 1..];
    if out.right_factors[k] != 0.0 {
        add_times(below, m, out.right_factors[k], w, x);
        add_scaled(-out.right_factors[k] * dot(y, w), &v[1..], x);
    }
    subtract_two_products(below, m, (&v[1..], y), (x, w));
}

/// Reduces [`PANEL`] columns and rows from `start`; the change that the rest then wants is `- left rightᵗ`, with the columns
/// `v_0 x_0 v_1 x_1 ...` in the left and `y_0 w_0 y_1 w_1 ...` in the right.
fn panel(
    a: &mut [f64],
    (m, n): (usize, usize),
    start: usize,
    (left, right): (&mut [f64], &mut [f64]),
    out: &mut Bidiagonal,
    work: &mut [f64],
) {
    let (coefficients, room) = work.split_at_mut(2 * PANEL);
    for i in 0..PANEL {
        let (k, pairs) = (start + i, 2 * i);
        let (done, rest) = a.split_at_mut((k + 1) * m);
        let column = &mut done[k * m..];
        row(right, n, k, &mut coefficients[..pairs]);
        add_times(&left[k..], m, -1.0, &coefficients[..pairs], &mut column[k..]);
        column[..k].fill(0.0);
        let v = &mut column[k..];
        (out.diagonal[k], out.left_factors[k]) = reflector(v);

        let (earlier, y) = right.split_at_mut(pairs * n);
        let y = &mut y[k + 1..n];
        transposed_times(&rest[k..], m, 1.0, v, y);
        transposed_times(&left[k..], m, 1.0, v, &mut coefficients[..pairs]);
        if i > 0 {
            add_times(&earlier[k + 1..], n, -1.0, &coefficients[..pairs], y);
        }
        y.iter_mut().for_each(|y| *y *= out.left_factors[k]);
        left[pairs * m + k..(pairs + 1) * m].copy_from_slice(v);

        let w = &mut out.right[k * n + k + 1..(k + 1) * n];
        row(rest, m, k, w);
        row(left, m, k, &mut coefficients[..=pairs]);
        add_times(&right[k + 1..], n, -1.0, &coefficients[..=pairs], w);
        (out.above[k], out.right_factors[k]) = reflector(w);
        right[(pairs + 1) * n + k + 1..(pairs + 2) * n].copy_from_slice(w);

        let x = &mut room[..m - k - 1];
        x.fill(0.0);
        add_times(&rest[k + 1..], m, 1.0, w, x);
        transposed_times(&right[k + 1..], n, 1.0, w, &mut coefficients[..=pairs]);
        add_times(&left[k + 1..], m, -1.0, &coefficients[..=pairs], x);
        let factor = out.right_factors[k];
        for (to, x) in left[(pairs + 1) * m + k + 1..(pairs + 2) * m].iter_mut().zip(x) {
            *to = factor * *x;
        }
    }
}

/// Copies the beginning of row `k`.
fn row(a: &[f64], ld: usize, k: usize, out: &mut [f64]) {
    out.iter_mut().zip(a[k..].iter().step_by(ld)).for_each(|(out, a)| *out = *a);
}
