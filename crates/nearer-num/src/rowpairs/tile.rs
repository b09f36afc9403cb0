//! One or two rows against several others at a time.
//!
//! The others are turned first, so that the numbers of one column lie side by side: a step then takes one number of the row
//! and as many of the others as fit into a few registers, and no sum is ever gathered across a register. Each pair is summed
//! column after column, whichever others stand beside it: the same bits on any number of threads and on any processor.

use super::{Gather, Rows};
use crate::simd::Kernel;

/// Others that a row is held against at a time: four registers of AVX2, so that additions need not wait for each other.
const OTHERS: usize = 16;
/// Columns that are summed before they join the rest, which keeps rounding small in long rows and the others in the cache.
const COLUMNS: usize = 512;

/// The rows of a matrix turned: of sixteen rows after sixteen rows, the numbers of one column side by side.
pub(super) struct Turned {
    tiles: Vec<[f64; OTHERS]>,
    rows: usize,
    columns: usize,
}

impl Turned {
    /// Turns all rows, once for all that they are held against; what is beyond the last is 0.
    pub(super) fn new(rows: Rows<'_>) -> Turned {
        let (n, columns) = (rows.len(), rows.columns);
        let mut tiles = vec![[0.0; OTHERS]; n.div_ceil(OTHERS) * columns];
        for (tile, j) in tiles.chunks_mut(columns.max(1)).zip((0..n).step_by(OTHERS)) {
            for l in 0..OTHERS.min(n - j) {
                tile.iter_mut().zip(rows.row(j + l)).for_each(|(column, v)| column[l] = *v);
            }
        }
        Turned { tiles, rows: n, columns }
    }
    /// Those from `j` on, a multiple of sixteen.
    #[inline(always)]
    fn tile(&self, j: usize) -> &[[f64; OTHERS]] {
        &self.tiles[j / OTHERS * self.columns..][..self.columns]
    }
}

/// The rows that a row is held against.
#[derive(Clone, Copy)]
pub(super) enum Partners {
    /// Every one of the second matrix.
    All,
    /// Those after it, where the matrix is held against itself.
    Later,
}

impl Partners {
    /// The first of them for row `i`.
    #[inline(always)]
    fn from(self, i: usize) -> usize {
        match self {
            Partners::All => 0,
            Partners::Later => i + 1,
        }
    }
}

/// A few rows of the first matrix with their partners in the second.
pub(super) struct Block<'a, 'o> {
    pub(super) left: Rows<'a>,
    pub(super) first: usize,
    pub(super) right: &'a Turned,
    pub(super) partners: Partners,
    pub(super) rows: Vec<&'o mut [f64]>,
}

/// What is gathered of a block.
pub(super) struct Gathering<'a, 'o, G, const S: usize> {
    pub(super) block: Block<'a, 'o>,
    pub(super) what: G,
}

impl<G: Gather<S>, const S: usize> Kernel for Gathering<'_, '_, G, S> {
    #[inline(always)]
    fn run(self) {
        // Two rows share what is read of the others, which do not fit into the nearest cache; with more than one sum a pair there are
        // not registers enough for it.
        if S == 1 { self.by::<2>() } else { self.by::<1>() }
    }
}

impl<G: Gather<S>, const S: usize> Gathering<'_, '_, G, S> {
    /// All of it, `R` rows at a time.
    #[inline(always)]
    fn by<const R: usize>(self) {
        let Gathering { block: Block { left, first, right, partners, mut rows }, what } = self;
        let n = right.rows;
        for j in (partners.from(first) / OTHERS * OTHERS..n).step_by(OTHERS) {
            let (width, others) = (OTHERS.min(n - j), right.tile(j));
            for (few, k) in rows.chunks_mut(R).zip((first..).step_by(R)) {
                if partners.from(k) >= j + width {
                    break;
                }
                // Where there are fewer, the last is taken again.
                let x: [&[f64]; R] = std::array::from_fn(|r| left.row(k + r.min(few.len() - 1)));
                let sums = gathered(x, others, what);
                for (r, row) in few.iter_mut().enumerate() {
                    let start = partners.from(k + r);
                    for l in start.saturating_sub(j)..width {
                        row[j + l - start] = what.end(at(&sums[r], l));
                    }
                }
            }
        }
    }
}

/// What is gathered of some rows and each of the others.
#[inline(always)]
fn gathered<const R: usize, const S: usize>(
    rows: [&[f64]; R],
    others: &[[f64; OTHERS]],
    what: impl Gather<S>,
) -> [[[f64; OTHERS]; S]; R] {
    let mut all = [[[0.0; OTHERS]; S]; R];
    for (piece, others) in others.chunks(COLUMNS).enumerate() {
        let mut sums = [[[0.0; OTHERS]; S]; R];
        let x: [&[f64]; R] = std::array::from_fn(|r| &rows[r][piece * COLUMNS..][..others.len()]);
        for (c, y) in others.iter().enumerate() {
            for r in 0..R {
                for l in 0..OTHERS {
                    let now = what.step(at(&sums[r], l), x[r][c], y[l]);
                    put(&mut sums[r], l, now);
                }
            }
        }
        for r in 0..R {
            for l in 0..OTHERS {
                let now = what.join(at(&all[r], l), at(&sums[r], l));
                put(&mut all[r], l, now);
            }
        }
    }
    all
}

#[inline(always)]
fn at<const S: usize>(sums: &[[f64; OTHERS]; S], l: usize) -> [f64; S] {
    let mut out = [0.0; S];
    for s in 0..S {
        out[s] = sums[s][l];
    }
    out
}

#[inline(always)]
fn put<const S: usize>(sums: &mut [[f64; OTHERS]; S], l: usize, now: [f64; S]) {
    for s in 0..S {
        sums[s][l] = now[s];
    }
}
