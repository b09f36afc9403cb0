//! A symmetric matrix as `Q T Qᵗ` with `T` tridiagonal: Householder's method, `4/3 n³` operations, half of them in products
//! of matrices since the changes `A - v wᵗ - w vᵗ` are gathered and made together (Dongarra, Sorensen and Hammarling 1989).

use crate::linear::householder::reflector;
use crate::linear::kernels::{add_scaled, add_times, dot, subtract_rank_two, symmetric_times, transposed_times};
use crate::linear::product::add_product;
use crate::linear::storage::{part, part_mut};

/// Columns reduced before the rest of the matrix is changed.
const PANEL: usize = 24;
/// A rest of at most this size is changed after each column: it is in the nearest cache.
const SMALL: usize = 64;
/// Columns of the rest changed by one product; what it does above the diagonal is wasted.
const STRIP: usize = 96;

/// The diagonal and what is beside it, and the reflections of which `Q` is the product.
pub(crate) struct Tridiagonal {
    pub(crate) diagonal: Vec<f64>,
    pub(crate) beside: Vec<f64>,
    pub(crate) factors: Vec<f64>,
}

/// Reduces the matrix whose lower triangle `a` holds. Column `k` of `a` becomes the vector of reflection `k`: one at row
/// `k + 1`, zero above; there is none in the last two columns.
pub(crate) fn tridiagonalise(a: &mut [f64], n: usize) -> Tridiagonal {
    let steps = n.saturating_sub(2);
    let mut out =
        Tridiagonal { diagonal: vec![0.0; n], beside: vec![0.0; n.saturating_sub(1)], factors: vec![0.0; steps] };
    let mut work = vec![0.0; n + 2 * PANEL];
    let mut start = 0;
    if n > SMALL + PANEL {
        let (mut left, mut right) = (vec![0.0; 2 * PANEL * n], vec![0.0; 2 * PANEL * n]);
        while n - start > SMALL + PANEL {
            panel(a, n, start, &mut left, &mut right, &mut out, &mut work);
            start += PANEL;
            subtract_gathered(a, n, start, &left, &right);
        }
    }
    for k in start..steps {
        one_column(a, n, k, &mut out, &mut work);
    }
    for k in steps..n {
        out.diagonal[k] = a[k * n + k];
    }
    if n >= 2 {
        out.beside[n - 2] = a[(n - 2) * n + n - 1];
    }
    out
}

/// Reduces column `k` and changes the rest of the matrix at once.
fn one_column(a: &mut [f64], n: usize, k: usize, out: &mut Tridiagonal, work: &mut [f64]) {
    out.diagonal[k] = a[k * n + k];
    let (done, rest) = a.split_at_mut((k + 1) * n);
    let column = &mut done[k * n..];
    column[..=k].fill(0.0);
    let v = &mut column[k + 1..];
    let (beside, factor) = reflector(v);
    (out.beside[k], out.factors[k]) = (beside, factor);
    if factor == 0.0 {
        return;
    }
    let w = &mut work[..v.len()];
    symmetric_times(&rest[k + 1..], n, v, w);
    halve_overlap(factor, v, w);
    subtract_rank_two(&mut rest[k + 1..], n, v, w);
}

/// Makes `A v` the `w` for which `(1 - t v vᵗ) A (1 - t v vᵗ) = A - v wᵗ - w vᵗ`.
fn halve_overlap(factor: f64, v: &[f64], w: &mut [f64]) {
    w.iter_mut().for_each(|w| *w *= factor);
    let overlap = dot(v, w);
    add_scaled(-0.5 * factor * overlap, v, w);
}

/// Reduces [`PANEL`] columns from `start`; the change that the rest then wants is `- left rightᵗ`, with the columns
/// `v_0 w_0 v_1 w_1 ...` in the left and `w_0 v_0 w_1 v_1 ...` in the right.
fn panel(
    a: &mut [f64],
    n: usize,
    start: usize,
    left: &mut [f64],
    right: &mut [f64],
    out: &mut Tridiagonal,
    work: &mut [f64],
) {
    for i in 0..PANEL {
        let k = start + i;
        let (done, rest) = a.split_at_mut((k + 1) * n);
        let column = &mut done[k * n..];
        let (coefficients, room) = work.split_at_mut(2 * PANEL);
        let gathered = &mut coefficients[..2 * i];
        for (c, r) in gathered.iter_mut().zip(right[k..].iter().step_by(n)) {
            *c = *r;
        }
        add_times(&left[k..], n, -1.0, gathered, &mut column[k..]);
        out.diagonal[k] = column[k];
        column[..=k].fill(0.0);
        let v = &mut column[k + 1..];
        (out.beside[k], out.factors[k]) = reflector(v);
        let w = &mut room[..v.len()];
        symmetric_times(&rest[k + 1..], n, v, w);
        transposed_times(&right[k + 1..], n, 1.0, v, gathered);
        add_times(&left[k + 1..], n, -1.0, gathered, w);
        halve_overlap(out.factors[k], v, w);
        for (target, first, second) in [(&mut *left, &*v, &*w), (&mut *right, &*w, &*v)] {
            target[2 * i * n + k + 1..(2 * i + 1) * n].copy_from_slice(first);
            target[(2 * i + 1) * n + k + 1..(2 * i + 2) * n].copy_from_slice(second);
        }
    }
}

fn subtract_gathered(a: &mut [f64], n: usize, start: usize, left: &[f64], right: &[f64]) {
    for first in (start..n).step_by(STRIP) {
        let columns = first..(first + STRIP).min(n);
        let l = part(left, n, first..n, 0..2 * PANEL);
        let r = part(right, n, columns.clone(), 0..2 * PANEL);
        add_product(part_mut(a, n, first..n, columns), 1.0, -1.0, l, r.t());
    }
}
