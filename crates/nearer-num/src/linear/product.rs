//! The product of dense matrices, cut so that what is used again is in the cache, and copied only where that pays.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, ShapeBuilder, s};
use std::cell::Cell;
use std::ops::Range;

use super::kernel::{self, COLUMNS, Right, VECTORS};
use super::vector::{LANES, LONG};

/// Inner dimension that is worked on at a time: a strip of the left factor stays in the first cache.
const DEPTH: usize = 256;
/// Columns that are worked on at a time: of the right factor, this by [`DEPTH`] numbers stay in the second cache.
const WIDTH: usize = 144;
/// Rows of a left factor that is copied: this by [`DEPTH`] numbers come from the last cache, a strip for each piece of columns.
const HEIGHT: usize = 2048;

/// Rows or columns of a product that is worked on in one strip, on any processor.
const ROWS: usize = VECTORS * LANES;

/// `a b`.
pub(crate) fn product(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Array2<f64> {
    let mut out = Array2::zeros((a.nrows(), b.ncols()).f());
    add_product(out.view_mut(), 0.0, 1.0, a, b);
    out
}

/// `c = keep c + scale a b`, on the thread it is called from. Where `keep` is zero, what was in `c` is not looked at.
///
/// # Panics
/// If the shapes do not fit.
pub(crate) fn add_product(
    mut c: ArrayViewMut2<'_, f64>,
    keep: f64,
    scale: f64,
    mut a: ArrayView2<'_, f64>,
    mut b: ArrayView2<'_, f64>,
) {
    assert!(a.ncols() == b.nrows() && c.dim() == (a.nrows(), b.ncols()), "the shapes fit");
    // What runs backwards is turned round, on both sides: entries that are side by side are then so in this direction.
    if c.strides()[0] < 0 {
        c.invert_axis(Axis(0));
        a.invert_axis(Axis(0));
    }
    if c.strides()[1] < 0 {
        c.invert_axis(Axis(1));
        b.invert_axis(Axis(1));
    }
    if a.strides()[1] < 0 {
        a.invert_axis(Axis(1));
        b.invert_axis(Axis(0));
    }
    if a.ncols() == 0 {
        c.mapv_inplace(|v| if keep == 0.0 { 0.0 } else { keep * v });
    } else if standing(&c, &a, &b) {
        oriented(c, (keep, scale), a, b);
    } else {
        oriented(c.reversed_axes(), (keep, scale), b.reversed_axes(), a.reversed_axes());
    }
}

/// Whether vectors are to run along the columns of `c`; otherwise along its rows.
fn standing(c: &ArrayViewMut2<'_, f64>, a: &ArrayView2<'_, f64>, b: &ArrayView2<'_, f64>) -> bool {
    let ((m, n), k) = (c.dim(), a.ncols());
    // The factor that is vectors must lie along them or be copied, and if the other has few columns that is half of the work.
    if k >= 16 && m.min(n) <= ROWS && m.max(n) > ROWS {
        return if m <= n { !along_rows(b) || beside(&b.view()) } else { beside(a) };
    }
    beside(&c.view()) || !along_rows(&c.view())
}

/// Whether the entries of a column are side by side.
fn beside(a: &ArrayView2<'_, f64>) -> bool {
    a.nrows() < 2 || a.strides()[0] == 1
}

fn along_rows(a: &ArrayView2<'_, f64>) -> bool {
    a.ncols() < 2 || a.strides()[1] == 1
}

fn oriented(mut c: ArrayViewMut2<'_, f64>, (keep, scale): (f64, f64), a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) {
    let ((m, n), k) = (c.dim(), a.ncols());
    let in_place = beside(&a) && (n <= 24 || k <= 32 || m * k <= 2048);
    let right_in_place = m <= ROWS || k * n <= 2048 || beside(&b) && m <= 96 || along_rows(&b) && (m <= 24 || k <= 32);
    if in_place && right_in_place && k <= DEPTH && (n <= WIDTH || m <= ROWS) {
        return kernel::multiply(c, (keep, scale), a, Right::Here(b));
    }
    if m > HEIGHT && !in_place {
        let (mut top, below) = c.split_at(Axis(0), HEIGHT);
        oriented(top.view_mut(), (keep, scale), a.slice(s![..HEIGHT, ..]), b);
        return oriented(below, (keep, scale), a.slice(s![HEIGHT.., ..]), b);
    }
    // A left factor that meets the right one in several pieces is copied once for all of them; else a strip at a time.
    let again = n > WIDTH;
    let lanes = kernel::lanes(m);
    let height = if again { m.next_multiple_of(lanes) } else { VECTORS * lanes };
    let mut space =
        Copies::new(if in_place { 0 } else { height * DEPTH }, if right_in_place { 0 } else { WIDTH * DEPTH });
    let (left, copy) = space.parts();
    for (first, inner) in pieces(k, DEPTH).enumerate() {
        let part = (if first == 0 { keep } else { 1.0 }, scale);
        let a = a.slice(s![.., inner.clone()]);
        for columns in pieces(n, WIDTH) {
            let b = b.slice(s![inner.clone(), columns.clone()]);
            let right = if right_in_place { Right::Here(b) } else { pack_columns(b, copy) };
            let mut c = c.slice_mut(s![.., columns.clone()]);
            if in_place {
                kernel::multiply(c, part, a, right);
                continue;
            }
            for rows in kernel::strips(m, lanes) {
                let left = &mut left[if again { rows.start * inner.len() } else { 0 }..];
                let strip = a.slice(s![rows.clone(), ..]);
                if columns.start == 0 {
                    pack_rows(strip, lanes, left);
                }
                kernel::multiply(c.slice_mut(s![rows, ..]), part, packed(strip.dim(), lanes, left), right);
            }
        }
    }
    space.give_back();
}

/// `0..size` in as few pieces of at most `most` as it takes, of about the same length.
fn pieces(size: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    let count = size.div_ceil(most);
    (0..count).map(move |k| size * k / count..size * (k + 1) / count)
}

/// Copies a strip of the left factor, column after column, the last vector filled up with zeros.
fn pack_rows(a: ArrayView2<'_, f64>, lanes: usize, into: &mut [f64]) {
    let rows = a.nrows().next_multiple_of(lanes);
    let into = &mut into[..rows * a.ncols()];
    match (lanes, rows / lanes) {
        (LANES, 1) => pack::<LANES>(a, into),
        (LANES, 2) | (LONG, 1) => pack::<LONG>(a, into),
        (LANES, _) => pack::<{ VECTORS * LANES }>(a, into),
        (_, 2) => pack::<{ 2 * LONG }>(a, into),
        _ => pack::<{ VECTORS * LONG }>(a, into),
    }
}

/// A strip of this shape as [`pack_rows`] left it.
fn packed((rows, columns): (usize, usize), lanes: usize, from: &[f64]) -> ArrayView2<'_, f64> {
    let rows = rows.next_multiple_of(lanes);
    let strip = ArrayView2::from_shape((columns, rows), &from[..rows * columns]);
    strip.expect("as many numbers as entries").reversed_axes()
}

/// Copies the right factor, [`COLUMNS`] columns at a time, each row of them together.
fn pack_columns<'a>(b: ArrayView2<'_, f64>, into: &'a mut [f64]) -> Right<'a> {
    for (b, into) in b.axis_chunks_iter(Axis(1), COLUMNS).zip(into.chunks_exact_mut(b.nrows() * COLUMNS)) {
        pack::<COLUMNS>(b.reversed_axes(), into);
    }
    Right::Copied(into, b.ncols())
}

/// Copies a matrix of at most `R` rows column after column, with zeros for rows that it does not have.
fn pack<const R: usize>(a: ArrayView2<'_, f64>, into: &mut [f64]) {
    let into = &mut into.as_chunks_mut::<R>().0[..a.ncols()];
    if a.nrows() == R && beside(&a) {
        for (into, column) in into.iter_mut().zip(a.columns()) {
            if let Some(column) = column.to_slice().and_then(|c| c.first_chunk::<R>()) {
                *into = *column;
            }
        }
        return;
    }
    if a.nrows() < R {
        into.fill([0.0; R]);
    }
    if !along_rows(&a) {
        for (into, column) in into.iter_mut().zip(a.columns()) {
            into.iter_mut().zip(column).for_each(|(into, v)| *into = *v);
        }
        return;
    }
    let mut rows: [&[f64]; R] = [&[]; R];
    for (row, from) in rows.iter_mut().zip(a.rows()) {
        *row = from.to_slice().unwrap_or_default();
    }
    // Four entries of some rows at a time: both sides then use what they touch.
    let mut at = 0;
    while at < a.nrows() {
        at += match &rows[at..a.nrows()] {
            [a, b, c, d, ..] => turn([a, b, c, d], into, at),
            [a, b, ..] => turn([a, b], into, at),
            rows => turn([rows[0]], into, at),
        };
    }
}

/// Copies rows to the columns of `into`, from `at` on in each; how many rows.
fn turn<const R: usize, const G: usize>(rows: [&[f64]; G], into: &mut [[f64; R]], at: usize) -> usize {
    let parts = rows.map(|r| r.as_chunks::<LANES>().0);
    let (blocks, rest) = into.as_chunks_mut::<LANES>();
    for (k, into) in blocks.iter_mut().enumerate() {
        let here: [[f64; LANES]; G] = std::array::from_fn(|g| parts[g][k]);
        for l in 0..LANES {
            into[l][at..at + G].copy_from_slice(&here.map(|h| h[l]));
        }
    }
    let done = blocks.len() * LANES;
    for (k, into) in rest.iter_mut().enumerate() {
        for g in 0..G {
            into[at + g] = rows[g][done + k];
        }
    }
    G
}

thread_local! {
    /// What products copy to, kept from one to the next.
    static KEPT: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

/// Room for two copies, each on a boundary of cache lines.
struct Copies {
    numbers: Vec<f64>,
    left: usize,
    right: usize,
}

/// Numbers in a cache line.
const LINE: usize = 8;

impl Copies {
    fn new(left: usize, right: usize) -> Copies {
        let mut numbers = if left + right == 0 { Vec::new() } else { KEPT.take() };
        if numbers.len() < left + right + LINE && left + right > 0 {
            numbers.resize(left + right + LINE, 0.0);
        }
        Copies { numbers, left, right }
    }

    fn parts(&mut self) -> (&mut [f64], &mut [f64]) {
        if self.left + self.right == 0 {
            return (&mut [], &mut []);
        }
        let off = self.numbers.as_ptr().align_offset(LINE * size_of::<f64>()).min(LINE);
        self.numbers[off..off + self.left + self.right].split_at_mut(self.left)
    }

    fn give_back(self) {
        if self.left + self.right > 0 {
            KEPT.set(self.numbers);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// A matrix that lies in one of several ways in a larger array of what is not a number.
    fn lying(rows: usize, columns: usize, way: usize, rng: &mut Pcg64) -> Array2<f64> {
        let apart = if way & 2 == 0 { 1 } else { 3 };
        let (height, width) = (apart * rows + 5, columns + 4);
        let mut large = if way & 1 == 0 {
            Array2::from_elem((height, width).f(), f64::NAN)
        } else {
            Array2::from_elem((height, width), f64::NAN)
        };
        part(&mut large.view_mut(), rows, columns, way).iter_mut().for_each(|v| *v = rng.random::<f64>() - 0.5);
        large
    }

    fn part<'a>(
        large: &'a mut ArrayViewMut2<'_, f64>,
        rows: usize,
        columns: usize,
        way: usize,
    ) -> ArrayViewMut2<'a, f64> {
        let apart = if way & 2 == 0 { 1 } else { 3 };
        let mut out = large.slice_mut(s![2..2 + apart * rows;apart, 3..3 + columns]);
        if way & 4 != 0 {
            out.invert_axis(Axis(0));
        }
        if way & 8 != 0 {
            out.invert_axis(Axis(1));
        }
        out
    }

    fn agrees_with_loops((m, k, n): (usize, usize, usize), way: [usize; 3], keep: f64, scale: f64) {
        let mut rng = Pcg64::seed_from_u64((m * 31 + k * 7 + n) as u64);
        let (mut a, mut b) = (lying(m, k, way[0], &mut rng), lying(k, n, way[1], &mut rng));
        let mut c = lying(m, n, way[2], &mut rng);
        if keep == 0.0 {
            c.fill(f64::NAN);
        }
        let before = c.clone();
        let (mut a, mut b) = (a.view_mut(), b.view_mut());
        let (a, b) = (part(&mut a, m, k, way[0]), part(&mut b, k, n, way[1]));
        let (mut wanted, mut all) = (before.clone(), before.clone());
        let (mut wanted, mut all) = (wanted.view_mut(), all.view_mut());
        let mut wanted = part(&mut wanted, m, n, way[2]);
        for ((i, j), w) in wanted.indexed_iter_mut() {
            let sum: f64 = (0..k).map(|p| a[(i, p)] * b[(p, j)]).sum();
            *w = if keep == 0.0 { scale * sum } else { keep * *w + scale * sum };
        }
        let mut got = part(&mut all, m, n, way[2]);
        add_product(got.view_mut(), keep, scale, a.view(), b.view());
        let close = got.iter().zip(&wanted).all(|(x, y)| (x - y).abs() < 1e-12 * (k + 1) as f64);
        assert!(close, "{m} {k} {n} {way:?} {keep} {scale}");
        got.fill(0.0);
        let (mut before, mut c) = (before, all);
        part(&mut before.view_mut(), m, n, way[2]).fill(0.0);
        assert!(c.iter_mut().zip(&before).all(|(x, y)| x.to_bits() == y.to_bits()), "nothing beside is touched");
    }

    #[test]
    fn products_agree_with_three_loops() {
        let sizes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 25];
        for m in sizes {
            for n in sizes {
                for k in [0, 1, 2, 5, 16, 33] {
                    for way in 0..8 {
                        agrees_with_loops((m, k, n), [way & 1, way >> 1 & 1, way >> 2], 0.0, 1.0);
                    }
                    agrees_with_loops((m, k, n), [3, 2, 6], 1.0, -1.0);
                }
            }
        }
    }

    #[test]
    fn larger_products_agree_with_three_loops() {
        let shapes = [
            (2, 400, 128),
            (10, 300, 50),
            (128, 300, 5),
            (131, 201, 211),
            (300, 10, 230),
            (230, 40, 300),
            (61, 500, 61),
        ];
        for shape in shapes {
            for way in 0..8 {
                agrees_with_loops(shape, [way & 1, way >> 1 & 1, way >> 2], 1.0, -1.0);
            }
            agrees_with_loops(shape, [13, 10, 7], 0.0, 1.0);
            agrees_with_loops(shape, [2, 15, 12], -0.5, 2.5);
            agrees_with_loops(shape, [4, 8, 3], 0.0, -1.0);
        }
    }

    #[test]
    fn what_is_not_finite_goes_where_it_belongs() {
        for (m, k, n) in [(5, 7, 6), (30, 40, 50), (130, 200, 30)] {
            let (mut a, b) = (Array2::from_elem((m, k).f(), 1.0), Array2::from_elem((k, n), 1.0));
            a[(1, 2)] = f64::NAN;
            a[(3, 4)] = f64::INFINITY;
            let mut c = Array2::from_elem((m, n).f(), f64::NAN);
            add_product(c.view_mut(), 0.0, 1.0, a.view(), b.view());
            for ((i, _), v) in c.indexed_iter() {
                assert!(if i == 1 {
                    v.is_nan()
                } else if i == 3 {
                    *v == f64::INFINITY
                } else {
                    *v == k as f64
                });
            }
        }
    }
}
