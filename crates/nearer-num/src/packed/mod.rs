//! A symmetric array with a zero diagonal, stored as its upper triangle row by row: (0,1), (0,2), …, (1,2), ….
//!
//! The kernels pass over the triangle once, in pieces of whole rows that depend on `n` alone, and add the results of the
//! pieces in order: the same bits on any number of threads. They are written in lanes of four and compiled for what the
//! processor has (AVX2 or less); no multiply-add is fused, so that does not change a bit either.

mod pairwise;
mod points;
mod product;
mod subset;

pub use pairwise::{Descent, descend, squared_descent};
pub use points::{Moments, Points, distances, largest, moments, scale, square_sum, sum_of};
pub use product::{Centred, row_sums};
pub use subset::Subset;

use std::ops::Range;

/// How many entries the triangle of `n` has.
#[must_use]
pub fn len(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

/// Where the entry (i, j) stands, `i < j < n`.
#[must_use]
#[inline]
pub fn index(n: usize, i: usize, j: usize) -> usize {
    debug_assert!(i < j && j < n);
    row_start(n, i) + j - i - 1
}

/// Where the entries (i, i+1 ..) start.
#[must_use]
#[inline]
pub fn row_start(n: usize, i: usize) -> usize {
    i * (2 * n - i - 1) / 2
}

/// The (i, j) of the k-th entry.
#[must_use]
pub fn pair(n: usize, k: usize) -> (usize, usize) {
    debug_assert!(k < len(n));
    // The rows shrink by one each: find the last row that starts at or before k.
    let (mut low, mut high) = (0, n - 1);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if row_start(n, middle) <= k {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low, k - row_start(n, low) + low + 1)
}

/// Cuts the rows into at most 32 ranges of about equally many entries; each entry of the triangle is in one of them.
#[must_use]
pub fn pieces(n: usize) -> Vec<Range<usize>> {
    let count = (len(n) / 4096).clamp(1, 32);
    let mut pieces = Vec::with_capacity(count);
    let mut start = 0;
    for k in 1..=count {
        let goal = len(n) * k / count;
        let mut end = start;
        while end < n && (k == count || row_start(n, end) < goal) {
            end += 1;
        }
        if end > start {
            pieces.push(start..end);
        }
        start = end;
    }
    pieces
}

/// Rows of the whole square from its triangle, with a diagonal of 0.
pub fn rows_of_square(n: usize, triangle: &[f64], which: Range<usize>, out: &mut [f64]) {
    /// Rows of the triangle that are turned at a time, so that what is written stays in the cache until it is full.
    const TURNED: usize = 16;
    /// Columns that are written together: a line of the cache.
    const TOGETHER: usize = 8;
    assert_eq!((triangle.len(), out.len()), (len(n), which.len() * n), "a triangle, and a number for each pair");
    let first = which.start;
    crate::par::chunks(out, TURNED * n.max(1), |start, part| {
        let top = first + start / n;
        let rows = part.len() / n;
        // What stands left of the diagonal is a column of the triangle: a few numbers of each of its rows.
        for from in (0..top + rows).step_by(TOGETHER) {
            for (k, row) in part.chunks_mut(n).enumerate() {
                let i = top + k;
                (from..i.min(from + TOGETHER)).for_each(|j| row[j] = triangle[index(n, j, i)]);
            }
        }
        for (k, row) in part.chunks_mut(n).enumerate() {
            let i = top + k;
            row[i] = 0.0;
            row[i + 1..].copy_from_slice(&triangle[row_start(n, i)..row_start(n, i + 1)]);
        }
    });
}

/// Splits a packed array into the parts that belong to the pieces.
pub(crate) fn split<'a>(n: usize, pieces: &[Range<usize>], mut rest: &'a mut [f64]) -> Vec<&'a mut [f64]> {
    let mut parts = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let (part, after) = rest.split_at_mut(row_start(n, piece.end) - row_start(n, piece.start));
        parts.push(part);
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_pair_undo_each_other() {
        for n in 2..9 {
            let mut k = 0;
            for i in 0..n {
                for j in i + 1..n {
                    assert_eq!(index(n, i, j), k);
                    assert_eq!(pair(n, k), (i, j));
                    k += 1;
                }
            }
            assert_eq!(len(n), k);
        }
    }

    #[test]
    fn rows_of_the_square_mirror_the_triangle() {
        let n = 37;
        let triangle: Vec<f64> = (0..len(n)).map(|k| k as f64 + 1.0).collect();
        for which in [0..n, 5..36, 36..37] {
            let mut out = vec![f64::NAN; which.len() * n];
            rows_of_square(n, &triangle, which.clone(), &mut out);
            for (k, i) in which.enumerate() {
                for j in 0..n {
                    let wanted = if i == j { 0.0 } else { triangle[index(n, i.min(j), i.max(j))] };
                    assert_eq!(out[k * n + j], wanted, "{i} {j}");
                }
            }
        }
    }

    #[test]
    fn pieces_cover_every_row_once() {
        for n in [1, 2, 3, 100, 513, 1000] {
            let rows: Vec<usize> = pieces(n).into_iter().flatten().collect();
            assert_eq!(rows, (0..n).collect::<Vec<_>>());
        }
    }
}
