//! Products of matrices with vectors, and rotations, on columns one below the other: what the reductions spend half their
//! time in. Each matrix entry is read once, four columns at a time, so that vectors are loaded once for four of them.

use crate::simd::compiled_twice;

compiled_twice! {
    /// `y = a x` for the symmetric matrix whose lower triangle `a` holds; its columns are `ld` apart.
    pub(crate) fn symmetric_times(a: &[f64], ld: usize, x: &[f64], y: &mut [f64]) {
        let n = x.len();
        y.fill(0.0);
        let mut j = 0;
        while j + 4 <= n {
            diagonal_block::<4>(&a[j * ld + j..], ld, &x[j..j + 4], &mut y[j..j + 4]);
            let (above, below) = y.split_at_mut(j + 4);
            let columns = columns_from::<4>(a, ld, j, j + 4..n);
            let sums = both_ways(columns, [x[j], x[j + 1], x[j + 2], x[j + 3]], &x[j + 4..], below);
            (0..4).for_each(|c| above[j + c] += sums[c]);
            j += 4;
        }
        match n - j {
            1 => diagonal_block::<1>(&a[j * ld + j..], ld, &x[j..], &mut y[j..]),
            2 => diagonal_block::<2>(&a[j * ld + j..], ld, &x[j..], &mut y[j..]),
            3 => diagonal_block::<3>(&a[j * ld + j..], ld, &x[j..], &mut y[j..]),
            _ => {}
        }
    }

    /// `y += scale a x`, for as many columns as `x` is long and as many rows as `y`.
    pub(crate) fn add_times(a: &[f64], ld: usize, scale: f64, x: &[f64], y: &mut [f64]) {
        let rows = 0..y.len();
        let mut j = 0;
        while j + 4 <= x.len() {
            let factors = [scale * x[j], scale * x[j + 1], scale * x[j + 2], scale * x[j + 3]];
            add_columns(columns_from::<4>(a, ld, j, rows.clone()), factors, y);
            j += 4;
        }
        for j in j..x.len() {
            add_columns(columns_from::<1>(a, ld, j, rows.clone()), [scale * x[j]], y);
        }
    }

    /// `y = scale aᵗ x`.
    pub(crate) fn transposed_times(a: &[f64], ld: usize, scale: f64, x: &[f64], y: &mut [f64]) {
        let rows = 0..x.len();
        let mut j = 0;
        while j + 4 <= y.len() {
            let sums = dots(columns_from::<4>(a, ld, j, rows.clone()), x);
            (0..4).for_each(|c| y[j + c] = scale * sums[c]);
            j += 4;
        }
        for j in j..y.len() {
            y[j] = scale * dots(columns_from::<1>(a, ld, j, rows.clone()), x)[0];
        }
    }

    /// `x · y`.
    pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
        dots([x], y)[0]
    }

    /// `y += factor x`.
    pub(crate) fn add_scaled(factor: f64, x: &[f64], y: &mut [f64]) {
        add_columns([x], [factor], y);
    }

    /// Lower triangle of `a -= x yᵗ + y xᵗ`.
    pub(crate) fn subtract_rank_two(a: &mut [f64], ld: usize, x: &[f64], y: &[f64]) {
        let n = x.len();
        for j in 0..n {
            let (by_x, by_y) = (y[j], x[j]);
            let column = &mut a[j * ld + j..j * ld + n];
            for ((a, x), y) in column.iter_mut().zip(&x[j..]).zip(&y[j..]) {
                *a -= x * by_x + y * by_y;
            }
        }
    }

    /// `a -= x yᵗ + v wᵗ`, given as pairs.
    pub(crate) fn subtract_two_products(a: &mut [f64], ld: usize, first: (&[f64], &[f64]), second: (&[f64], &[f64])) {
        let (x, v) = (first.0, second.0);
        for (j, (by_x, by_v)) in first.1.iter().zip(second.1).enumerate() {
            let column = &mut a[j * ld..j * ld + x.len()];
            for ((a, x), v) in column.iter_mut().zip(x).zip(v) {
                *a -= x * by_x + v * by_v;
            }
        }
    }

    /// `z -= factor v (vᵗ z)` for every column of `z`: a reflection.
    pub(crate) fn reflect(v: &[f64], factor: f64, z: &mut [f64], ld: usize, columns: usize) {
        let mut j = 0;
        while j + 4 <= columns {
            let sums = dots(columns_from::<4>(z, ld, j, 0..v.len()), v);
            (0..4).for_each(|c| add_columns([v], [-factor * sums[c]], &mut z[(j + c) * ld..(j + c) * ld + v.len()]));
            j += 4;
        }
        for j in j..columns {
            let column = &mut z[j * ld..j * ld + v.len()];
            let sum = dots([&*column], v)[0];
            add_columns([v], [-factor * sum], column);
        }
    }

    /// Rotates two columns: `(x, y) = (c x + s y, c y - s x)`.
    pub(crate) fn rotate(x: &mut [f64], y: &mut [f64], c: f64, s: f64) {
        rotated(x, y, c, s);
    }
}

/// As [`rotate`], to be inlined.
#[inline(always)]
pub(crate) fn rotated(x: &mut [f64], y: &mut [f64], c: f64, s: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}

#[inline(always)]
fn columns_from<const C: usize>(a: &[f64], ld: usize, first: usize, rows: std::ops::Range<usize>) -> [&[f64]; C] {
    std::array::from_fn(|c| &a[(first + c) * ld..][rows.clone()])
}

/// `y += a x` for a small symmetric matrix, of which the lower triangle is read.
#[inline(always)]
fn diagonal_block<const N: usize>(a: &[f64], ld: usize, x: &[f64], y: &mut [f64]) {
    for c in 0..N {
        y[c] += a[c * ld + c] * x[c];
        for r in c + 1..N {
            y[r] += a[c * ld + r] * x[c];
            y[c] += a[c * ld + r] * x[r];
        }
    }
}

/// `y += a factors`, and `aᵗ x`, in one pass over four columns.
#[inline(always)]
fn both_ways(a: [&[f64]; 4], factors: [f64; 4], x: &[f64], y: &mut [f64]) -> [f64; 4] {
    let (x4, x_rest) = x.as_chunks::<4>();
    let (y4, y_rest) = y[..x.len()].as_chunks_mut::<4>();
    let m = x4.len();
    let a4: [&[[f64; 4]]; 4] = std::array::from_fn(|c| &a[c].as_chunks::<4>().0[..m]);
    let mut sums = [[0.0; 4]; 4];
    for i in 0..m {
        let (x, mut y) = (x4[i], y4[i]);
        for c in 0..4 {
            let a = a4[c][i];
            for l in 0..4 {
                y[l] += a[l] * factors[c];
                sums[c][l] += a[l] * x[l];
            }
        }
        y4[i] = y;
    }
    let sums = apart(sums);
    let mut out: [f64; 4] = std::array::from_fn(|c| total(sums[c]));
    for (i, (x, y)) in x_rest.iter().zip(y_rest).enumerate() {
        for c in 0..4 {
            let a = a[c][4 * m + i];
            *y += a * factors[c];
            out[c] += a * x;
        }
    }
    out
}

#[inline(always)]
fn add_columns<const C: usize>(a: [&[f64]; C], factors: [f64; C], y: &mut [f64]) {
    let a: [&[f64]; C] = std::array::from_fn(|c| &a[c][..y.len()]);
    for i in 0..y.len() {
        let mut sum = y[i];
        for c in 0..C {
            sum += a[c][i] * factors[c];
        }
        y[i] = sum;
    }
}

#[inline(always)]
fn dots<const C: usize>(a: [&[f64]; C], x: &[f64]) -> [f64; C] {
    let (x8, x_rest) = x.as_chunks::<8>();
    let m = x8.len();
    let a8: [&[[f64; 8]]; C] = std::array::from_fn(|c| &a[c].as_chunks::<8>().0[..m]);
    let mut sums = [[0.0; 8]; C];
    for i in 0..m {
        for c in 0..C {
            for l in 0..8 {
                sums[c][l] += a8[c][i][l] * x8[i][l];
            }
        }
    }
    let sums = apart(sums);
    std::array::from_fn(|c| {
        let s = sums[c];
        let whole = total([s[0] + s[4], s[1] + s[5], s[2] + s[6], s[3] + s[7]]);
        x_rest.iter().zip(&a[c][8 * m..]).fold(whole, |sum, (x, a)| sum + x * a)
    })
}

/// The same. Keeps the compiler from laying out the loop before for the sums after it, column beside column, for which it
/// would have to transpose all that the loop reads.
#[inline(always)]
fn apart<T>(sums: T) -> T {
    std::hint::black_box(sums)
}

#[inline(always)]
fn total(lanes: [f64; 4]) -> f64 {
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition() {
        for n in 0..23 {
            let ld = n + 3;
            let a: Vec<f64> = (0..ld * n).map(|k| (k % 11) as f64 - 5.0).collect();
            let x: Vec<f64> = (0..n).map(|k| (k % 7) as f64 - 2.0).collect();
            let entry = |i: usize, j: usize| a[j * ld + i];
            let sum = |term: &dyn Fn(usize) -> f64| (0..n).map(|k| term(k) * x[k]).sum::<f64>();
            let mut y = vec![0.0; n];
            symmetric_times(&a, ld, &x, &mut y);
            assert!((0..n).all(|i| y[i] == sum(&|j| entry(i.max(j), i.min(j)))));
            transposed_times(&a, ld, 2.0, &x, &mut y);
            assert!((0..n).all(|i| y[i] == 2.0 * sum(&|j| entry(j, i))));
            y.fill(1.0);
            add_times(&a, ld, -1.0, &x, &mut y);
            assert!((0..n).all(|i| y[i] == 1.0 - sum(&|j| entry(i, j))));
        }
    }
}
