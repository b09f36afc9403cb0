//! One row against several others at a time.
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

/// A few rows of the first matrix with those of the second from `from` on.
pub(super) struct Block<'a, 'o, F, G, const S: usize> {
    pub(super) left: Rows<'a>,
    pub(super) first: usize,
    pub(super) right: Rows<'a>,
    pub(super) from: F,
    pub(super) rows: Vec<&'o mut [f64]>,
    pub(super) what: G,
}

impl<F: Fn(usize) -> usize, G: Gather<S>, const S: usize> Kernel for Block<'_, '_, F, G, S> {
    #[inline(always)]
    fn run(self) {
        let Block { left, first, right, from, mut rows, what } = self;
        let n = right.len();
        let mut others = vec![[0.0; OTHERS]; right.columns];
        for j in (from(first)..n).step_by(OTHERS) {
            let width = OTHERS.min(n - j);
            turn(right, j, width, &mut others);
            for (k, row) in rows.iter_mut().enumerate() {
                let start = from(first + k);
                if start >= j + width {
                    break;
                }
                let sums = gathered(left.row(first + k), &others, what);
                for l in start.saturating_sub(j)..width {
                    row[j + l - start] = what.end(std::array::from_fn(|s| sums[s][l]));
                }
            }
        }
    }
}

/// The rows from `j` on, column after column; what is beyond the last is 0.
#[inline(always)]
fn turn(rows: Rows<'_>, j: usize, width: usize, into: &mut [[f64; OTHERS]]) {
    for l in 0..OTHERS {
        if l < width {
            into.iter_mut().zip(rows.row(j + l)).for_each(|(column, v)| column[l] = *v);
        } else {
            into.iter_mut().for_each(|column| column[l] = 0.0);
        }
    }
}

/// What is gathered of a row and each of the others.
#[inline(always)]
fn gathered<const S: usize>(x: &[f64], others: &[[f64; OTHERS]], what: impl Gather<S>) -> [[f64; OTHERS]; S] {
    let mut all = [[0.0; OTHERS]; S];
    for (x, others) in x.chunks(COLUMNS).zip(others.chunks(COLUMNS)) {
        let mut sums = [[0.0; OTHERS]; S];
        for (x, y) in x.iter().zip(others) {
            for l in 0..OTHERS {
                let now = what.step(at(&sums, l), *x, y[l]);
                put(&mut sums, l, now);
            }
        }
        for l in 0..OTHERS {
            let now = what.join(at(&all, l), at(&sums, l));
            put(&mut all, l, now);
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
