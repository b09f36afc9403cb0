//! All pairs of the rows of a matrix: a few sums over their columns for each, in pieces that depend on the shape alone.

mod over;
mod tile;

use std::ops::Range;

pub use over::Over;

use crate::packed::row_start;
use crate::par;
use crate::simd;
use tile::{Block, Gathering, Partners, Turned};

/// Rows that are held against the others at a time: enough that some of the others stay in the cache for long, few enough that there is
/// work for every thread.
const BLOCK: usize = 64;

/// What is gathered over the columns of two rows: `S` numbers, and what becomes of them.
trait Gather<const S: usize>: Copy + Sync {
    /// With the two numbers of one column.
    fn step(self, sums: [f64; S], x: f64, y: f64) -> [f64; S];
    /// What two stretches of columns gave as one; a sum where nothing else is said.
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
    let n = right.len();
    assert_eq!(out.len(), which.len() * n, "a number for each pair of rows");
    let right = &Turned::new(right);
    par::chunks(out, BLOCK * n.max(1), |start, part| {
        let (first, rows) = (which.start + start / n, part.chunks_mut(n).collect());
        gather(what, Block { left, first, right, partners: Partners::All, rows });
    });
}

/// Every row with every later one, packed as [`crate::packed`] has it.
pub fn among(rows: Rows<'_>, what: Over, out: &mut [f64]) {
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
    let right = &Turned::new(rows);
    par::each(blocks, |_, (first, block)| {
        gather(what, Block { left: rows, first, right, partners: Partners::Later, rows: block });
    });
}

/// The one place where the word for a sum becomes its loop, so that each is compiled once for both shapes.
fn gather(what: Over, block: Block<'_, '_>) {
    over::with!(what, |what| simd::run(Gathering { block, what }));
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
