//! All pairs of the rows of a matrix: a few sums over their columns for each, in pieces that depend on the shape alone.

mod over;

use std::ops::Range;

pub use over::Over;

use crate::packed::row_start;
use crate::par;
use crate::simd::{self, Kernel};

/// Sums are kept in this many strands, whatever the processor, so that every one of them adds in the same order.
const LANES: usize = 8;
/// Rows that are held against the others at a time: enough to use a row that was fetched, few enough to stay in the cache.
const BLOCK: usize = 8;

/// What is gathered over the columns of two rows: `S` numbers, and what becomes of them.
trait Gather<const S: usize>: Copy + Sync {
    /// With the two numbers of one column.
    fn step(self, sums: [f64; S], x: f64, y: f64) -> [f64; S];
    /// Two strands as one; a sum where nothing else is said.
    #[must_use]
    #[inline(always)]
    fn join(self, mut a: [f64; S], b: [f64; S]) -> [f64; S] {
        for s in 0..S {
            a[s] += b[s];
        }
        a
    }
    /// What the numbers come to.
    fn end(self, sums: [f64; S]) -> f64;
}

/// A matrix by rows.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// Row after row.
    pub values: &'a [f64],
    /// How many numbers a row has.
    pub columns: usize,
}

impl<'a> Rows<'a> {
    /// How many rows there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
    #[inline(always)]
    fn row(self, i: usize) -> &'a [f64] {
        &self.values[i * self.columns..(i + 1) * self.columns]
    }
}

/// Each of the rows `which` of `left` with every row of `right`: row after row of `right.len()` numbers.
pub fn across(left: Rows<'_>, which: Range<usize>, right: Rows<'_>, what: Over, out: &mut [f64]) {
    over::with!(what, |gather| across_by(left, which, right, gather, out));
}

fn across_by<const S: usize>(
    left: Rows<'_>,
    which: Range<usize>,
    right: Rows<'_>,
    what: impl Gather<S>,
    out: &mut [f64],
) {
    let n = right.len();
    assert_eq!(out.len(), which.len() * n, "a number for each pair of rows");
    par::chunks(out, BLOCK * n.max(1), |start, part| {
        let first = which.start + start / n;
        let rows: Vec<&mut [f64]> = part.chunks_mut(n).collect();
        simd::run(Block { left, first, right, from: |_| 0, rows, what });
    });
}

/// Every row with every later one, packed as [`crate::packed`] has it.
pub fn among(rows: Rows<'_>, what: Over, out: &mut [f64]) {
    over::with!(what, |gather| among_by(rows, gather, out));
}

fn among_by<const S: usize>(rows: Rows<'_>, what: impl Gather<S>, out: &mut [f64]) {
    let n = rows.len();
    assert_eq!(out.len(), n * n.saturating_sub(1) / 2, "a number for each pair of rows");
    let (mut blocks, mut rest) = (Vec::new(), out);
    for range in par::ranges(n, BLOCK) {
        let mut block = Vec::with_capacity(BLOCK);
        for i in range.clone() {
            let (row, later) = rest.split_at_mut(row_start(n, i + 1) - row_start(n, i));
            block.push(row);
            rest = later;
        }
        blocks.push((range.start, block));
    }
    par::each(blocks, |_, (first, block)| {
        simd::run(Block { left: rows, first, right: rows, from: |i| i + 1, rows: block, what });
    });
}

/// A few rows of the first matrix with those of the second from `from` on.
struct Block<'a, 'o, F, G, const S: usize> {
    left: Rows<'a>,
    first: usize,
    right: Rows<'a>,
    from: F,
    rows: Vec<&'o mut [f64]>,
    what: G,
}

impl<F: Fn(usize) -> usize, G: Gather<S>, const S: usize> Kernel for Block<'_, '_, F, G, S> {
    #[inline(always)]
    fn run(self) {
        let Block { left, first, right, from, mut rows, what } = self;
        let count = rows.len();
        for j in from(first)..right.len() {
            let y = right.row(j);
            let mut k = 0;
            while S == 1 && k + 1 < count && j >= from(first + k + 1) {
                let i = first + k;
                let [one, two] = gathered_of_two([left.row(i), left.row(i + 1)], y, what);
                rows[k][j - from(i)] = what.end(one);
                rows[k + 1][j - from(i + 1)] = what.end(two);
                k += 2;
            }
            while k < count {
                let i = first + k;
                if j >= from(i) {
                    rows[k][j - from(i)] = what.end(gathered(left.row(i), y, what));
                }
                k += 1;
            }
        }
    }
}

/// What is gathered of a row and another.
#[inline(always)]
fn gathered<const S: usize>(x: &[f64], y: &[f64], what: impl Gather<S>) -> [f64; S] {
    let mut sums = [[0.0; LANES]; S];
    let (xs, x_rest) = x.as_chunks::<LANES>();
    let (ys, y_rest) = y.as_chunks::<LANES>();
    for (x, y) in xs.iter().zip(ys) {
        for l in 0..LANES {
            stepped(&mut sums, l, x[l], y[l], what);
        }
    }
    ended(sums, x_rest, y_rest, what)
}

/// The same of two rows at once, to the same bits: a number of the other that was fetched serves both.
#[inline(always)]
fn gathered_of_two<const S: usize>(x: [&[f64]; 2], y: &[f64], what: impl Gather<S>) -> [[f64; S]; 2] {
    let (mut one, mut two) = ([[0.0; LANES]; S], [[0.0; LANES]; S]);
    let (xs, x_rest) = x[0].as_chunks::<LANES>();
    let (zs, z_rest) = x[1].as_chunks::<LANES>();
    let (ys, y_rest) = y.as_chunks::<LANES>();
    for ((x, z), y) in xs.iter().zip(zs).zip(ys) {
        for l in 0..LANES {
            stepped(&mut one, l, x[l], y[l], what);
            stepped(&mut two, l, z[l], y[l], what);
        }
    }
    [ended(one, x_rest, y_rest, what), ended(two, z_rest, y_rest, what)]
}

/// The strands with the columns that are left over, as one.
#[inline(always)]
fn ended<const S: usize>(mut sums: [[f64; LANES]; S], x: &[f64], y: &[f64], what: impl Gather<S>) -> [f64; S] {
    for (l, (x, y)) in x.iter().zip(y).enumerate() {
        stepped(&mut sums, l, *x, *y, what);
    }
    let mut out = [0.0; S];
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for l in 0..width {
            let (mut a, mut b) = ([0.0; S], [0.0; S]);
            for s in 0..S {
                (a[s], b[s]) = (sums[s][l], sums[s][l + width]);
            }
            let joined = what.join(a, b);
            for s in 0..S {
                sums[s][l] = joined[s];
            }
        }
    }
    for s in 0..S {
        out[s] = sums[s][0];
    }
    out
}

/// One strand of sums with one more column.
#[inline(always)]
fn stepped<const S: usize>(sums: &mut [[f64; LANES]; S], l: usize, x: f64, y: f64, what: impl Gather<S>) {
    let mut now = [0.0; S];
    for s in 0..S {
        now[s] = sums[s][l];
    }
    let now = what.step(now, x, y);
    for s in 0..S {
        sums[s][l] = now[s];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangle_and_square_have_the_same_numbers() {
        let (n, m) = (21, 11);
        let values: Vec<f64> = (0..n * m).map(|k| ((k * 37) % 101) as f64).collect();
        let rows = Rows { values: &values, columns: m };
        let mut packed = vec![0.0; n * (n - 1) / 2];
        among(rows, Over::Squares, &mut packed);
        let mut square = vec![0.0; n * n];
        across(rows, 0..n, rows, Over::Squares, &mut square);
        let mut part = vec![0.0; 3 * n];
        across(rows, 10..13, rows, Over::Squares, &mut part);
        assert_eq!(part, square[10 * n..13 * n]);
        for i in 0..n {
            for j in i + 1..n {
                let plain: f64 = (0..m).map(|k| (values[i * m + k] - values[j * m + k]).powi(2)).sum();
                assert_eq!(packed[row_start(n, i) + j - i - 1], plain);
                assert_eq!(square[i * n + j], plain);
            }
        }
    }
}
