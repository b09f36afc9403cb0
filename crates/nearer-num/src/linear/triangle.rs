//! Products and solutions with triangles, and products of which a triangle is wanted: halved until squares are left.

use ndarray::{ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis, ShapeBuilder, s};

use super::product::add_product;
use crate::simd;

/// Rows of a triangle that is halved no more.
pub(crate) const SMALL: usize = 8;
/// Rows of a triangle that is treated as a square with zeros, in which a product is quick enough to make up for it.
pub(crate) const SQUARE: usize = 24;

/// Where to halve: a whole number of small pieces.
pub(crate) fn half(n: usize) -> usize {
    (n / 2).next_multiple_of(SMALL)
}

/// The lower triangle of `c + scale p pᵗ` in place of that of `c`; what is above is left as it was.
pub(crate) fn add_lower(mut c: ArrayViewMut2<'_, f64>, scale: f64, p: ArrayView2<'_, f64>) {
    let n = c.nrows();
    if n > SQUARE {
        let (first, second) = p.split_at(Axis(0), half(n));
        let (top, below) = c.split_at(Axis(0), half(n));
        let (left, right) = below.split_at(Axis(1), half(n));
        add_lower(top.split_at(Axis(1), half(n)).0, scale, first);
        add_product(left, 1.0, scale, second, first.t());
        return add_lower(right, scale, second);
    }
    let mut numbers = [0.0; SQUARE * SQUARE];
    let Ok(mut whole) = ArrayViewMut2::from_shape((n, n).f(), &mut numbers[..n * n]) else { return };
    add_product(whole.view_mut(), 0.0, scale, p, p.t());
    for (j, column) in whole.columns().into_iter().enumerate() {
        c.slice_mut(s![j.., j]).zip_mut_with(&column.slice(s![j..]), |c, w| *c += w);
    }
}

/// `scale b l` in place of `b`, of which nothing above the diagonal of `l` is looked at.
pub(crate) fn multiply_by_lower(b: ArrayViewMut2<'_, f64>, scale: f64, l: ArrayView2<'_, f64>) {
    let n = l.nrows();
    if n > SQUARE {
        let at = half(n);
        let (mut left, right) = b.split_at(Axis(1), at);
        multiply_by_lower(left.view_mut(), scale, l.slice(s![..at, ..at]));
        add_product(left, 1.0, scale, right.view(), l.slice(s![at.., ..at]));
        return multiply_by_lower(right, scale, l.slice(s![at.., at..]));
    }
    let mut numbers = [0.0; SQUARE * SQUARE];
    let Ok(mut whole) = ArrayViewMut2::from_shape((n, n).f(), &mut numbers[..n * n]) else { return };
    for (j, mut column) in whole.columns_mut().into_iter().enumerate() {
        column.slice_mut(s![j..]).assign(&l.slice(s![j.., j]));
    }
    // As it lies, in columns or in rows.
    let old = b.to_owned();
    add_product(b, 0.0, scale, old.view(), whole.view());
}

/// Replaces the columns of `x`, whose entries are side by side, by the solutions of `l y = x`. Where there are several, divisions
/// by the diagonal are products with its reciprocals.
pub(crate) fn solve(l: ArrayView2<'_, f64>, x: ArrayViewMut2<'_, f64>) {
    if x.ncols() <= FEW {
        return one_by_one(l, x, |l, x| simd::run(One::<false>(l, x)));
    }
    let n = l.nrows();
    if n <= SMALL {
        return simd::run(Small::<false>(l, x));
    }
    let at = half(n);
    let (mut first, mut second) = x.split_at(Axis(0), at);
    solve(l.slice(s![..at, ..at]), first.view_mut());
    add_product(second.view_mut(), 1.0, -1.0, l.slice(s![at.., ..at]), first.view());
    solve(l.slice(s![at.., at..]), second);
}

/// As [`solve`], of `lᵗ y = x`.
pub(crate) fn solve_transposed(l: ArrayView2<'_, f64>, x: ArrayViewMut2<'_, f64>) {
    if x.ncols() <= FEW {
        return one_by_one(l, x, |l, x| simd::run(One::<true>(l, x)));
    }
    let n = l.nrows();
    if n <= SMALL {
        return simd::run(Small::<true>(l, x));
    }
    let at = half(n);
    let (mut first, mut second) = x.split_at(Axis(0), at);
    solve_transposed(l.slice(s![at.., at..]), second.view_mut());
    add_product(first.view_mut(), 1.0, -1.0, l.slice(s![at.., ..at]).t(), second.view());
    solve_transposed(l.slice(s![..at, ..at]), first);
}

/// Right-hand sides that are not worth a product.
const FEW: usize = 2;

fn one_by_one(l: ArrayView2<'_, f64>, mut x: ArrayViewMut2<'_, f64>, solve: impl Fn(ArrayView2<'_, f64>, &mut [f64])) {
    let copy;
    let l = if l.nrows() < 2 || l.strides()[0] == 1 {
        l
    } else {
        copy = l.t().as_standard_layout().into_owned().reversed_axes();
        copy.view()
    };
    for mut x in x.columns_mut() {
        if let Some(x) = x.as_slice_mut() {
            solve(l, x);
        }
    }
}

/// A solution with a small triangle or, `BACK`, its transpose, for four columns at a time.
struct Small<'a, const BACK: bool>(ArrayView2<'a, f64>, ArrayViewMut2<'a, f64>);

impl<const BACK: bool> simd::Kernel for Small<'_, BACK> {
    #[inline(always)]
    fn run(mut self) {
        let n = self.0.nrows();
        // Filled up by a diagonal of ones: the loops below have no ends to care for.
        let (mut l, mut inverse) = ([[0.0; SMALL]; SMALL], [1.0; SMALL]);
        for i in 0..n {
            (0..i).for_each(|k| l[i][k] = self.0[(i, k)]);
            inverse[i] = 1.0 / self.0[(i, i)];
        }
        let mut each = self.1.axis_iter_mut(Axis(1)).filter_map(ArrayViewMut1::into_slice);
        while let Some(first) = each.next() {
            let mut columns: [&mut [f64]; 4] = [first, &mut [], &mut [], &mut []];
            columns[1..].iter_mut().for_each(|column| *column = each.next().unwrap_or_default());
            let mut lying = [[0.0; SMALL]; 4];
            for (column, lying) in columns.iter().zip(&mut lying) {
                match <&[f64; SMALL]>::try_from(&**column) {
                    Ok(whole) => *lying = *whole,
                    Err(_) => lying[..column.len()].copy_from_slice(column),
                }
            }
            let mut x: [[f64; 4]; SMALL] = std::array::from_fn(|i| lying.map(|column| column[i]));
            for step in 0..SMALL {
                let i = if BACK { SMALL - 1 - step } else { step };
                for k in if BACK { i + 1..SMALL } else { 0..i } {
                    let by = if BACK { l[k][i] } else { l[i][k] };
                    x[i] = std::array::from_fn(|j| x[i][j] - by * x[k][j]);
                }
                x[i] = x[i].map(|x| x * inverse[i]);
            }
            let lying: [[f64; SMALL]; 4] = std::array::from_fn(|j| x.map(|x| x[j]));
            for (column, lying) in columns.iter_mut().zip(&lying) {
                match <&mut [f64; SMALL]>::try_from(&mut **column) {
                    Ok(whole) => *whole = *lying,
                    Err(_) => column.iter_mut().zip(lying).for_each(|(to, x)| *to = *x),
                }
            }
        }
    }
}

/// A solution with one right-hand side and a triangle whose columns have their entries side by side or, `BACK`, its transpose.
/// Four columns at a time, so that `x` is read and written a quarter as often.
struct One<'a, const BACK: bool>(ArrayView2<'a, f64>, &'a mut [f64]);

impl<const BACK: bool> simd::Kernel for One<'_, BACK> {
    #[inline(always)]
    fn run(self) {
        let One(l, x) = self;
        let n = x.len();
        for step in 0..n.div_ceil(4) {
            let start = 4 * if BACK { n.div_ceil(4) - 1 - step } else { step };
            let mut four: [&[f64]; 4] = [&[]; 4];
            for (column, four) in l.axis_iter(Axis(1)).skip(start).zip(&mut four) {
                *four = column.to_slice().unwrap_or_default().get(start..).unwrap_or_default();
            }
            if BACK { back(four, &mut x[start..]) } else { forward(four, &mut x[start..]) }
        }
    }
}

/// Solves for as many entries of `x` as there are columns, and takes them out of the rest.
#[inline(always)]
fn forward(columns: [&[f64]; 4], x: &mut [f64]) {
    let end = x.len().min(4);
    for k in 0..end {
        x[k] /= columns[k][k];
        let by = x[k];
        (k + 1..end).for_each(|i| x[i] -= by * columns[k][i]);
    }
    if x.len() > 4 {
        let by = [x[0], x[1], x[2], x[3]];
        let [a, b, c, d] = columns.map(|c| &c[4..]);
        for ((((x, a), b), c), d) in x[4..].iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *x = *x - a * by[0] - b * by[1] - c * by[2] - d * by[3];
        }
    }
}

/// Takes what is known out of as many entries of `x` as there are columns, and solves for them.
#[inline(always)]
fn back(columns: [&[f64]; 4], x: &mut [f64]) {
    let end = x.len().min(4);
    if x.len() > 4 {
        let sums = dots(columns.map(|c| &c[4..]), &x[4..]);
        (0..4).for_each(|k| x[k] -= sums[k]);
    }
    for k in (0..end).rev() {
        let sum: f64 = (k + 1..end).map(|i| columns[k][i] * x[i]).sum();
        x[k] = (x[k] - sum) / columns[k][k];
    }
}

/// The products of four columns with a fifth, each in four sums.
#[inline(always)]
fn dots(columns: [&[f64]; 4], x: &[f64]) -> [f64; 4] {
    let mut sums = [[0.0; 4]; 4];
    let (blocks, rest) = x.as_chunks::<4>();
    let parts = columns.map(|c| c.as_chunks::<4>().0);
    for (k, x) in blocks.iter().enumerate() {
        for c in 0..4 {
            let here = parts[c][k];
            for l in 0..4 {
                sums[c][l] += here[l] * x[l];
            }
        }
    }
    let done = blocks.len() * 4;
    std::array::from_fn(|c| {
        let after: f64 = columns[c][done..].iter().zip(rest).map(|(a, b)| a * b).sum();
        (sums[c][0] + sums[c][1]) + (sums[c][2] + sums[c][3]) + after
    })
}
