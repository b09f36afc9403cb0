//! The dense work on one node: eliminating its columns, and what that leaves for its parent. Small products are computed in
//! registers where they stand; the large ones are packed by [`add_product`].

use std::ops::Range;

use ndarray::{ArrayView2, ArrayViewMut2, ShapeBuilder};

use super::structure::Node;
use crate::linear::add_product;
use crate::simd::{self, Kernel};

/// So many columns are computed at once.
const STRIP: usize = 4;
/// After so many columns, a product takes them from all that follow.
const PANEL: usize = 32;
/// So many columns of a large square are one product: what lies above the diagonal is not computed but for these.
const BAND: usize = 64;
/// Products of fewer terms than this are computed where they stand.
const LARGE: usize = 1 << 17;

/// Up to so many rows below, plain loops are quickest for up to four columns.
const NARROW: usize = 32;

/// How many numbers the work on a node has to have room for.
pub(super) fn room(node: &Node) -> usize {
    node.width * node.below().max(PANEL)
}

/// The columns of one node, with `height` rows each, and what they leave for the rows below.
pub(super) struct Front<'a> {
    pub(super) block: &'a mut [f64],
    pub(super) height: usize,
    pub(super) width: usize,
    /// For the lower triangle of `-L D Lᵗ` of the rows below, column by column; nothing above the diagonal counts.
    pub(super) square: &'a mut [f64],
    pub(super) scaled: &'a mut [f64],
}

impl Front<'_> {
    /// Replaces the columns by their factors, pivots on the diagonal and `L` below it, and fills the square. The number of
    /// negative pivots, or none if one is zero or not finite.
    pub(super) fn factor(self) -> Option<usize> {
        let mut negative = None;
        let out = &mut negative;
        let few = self.height - self.width <= NARROW;
        match self.width {
            1 if few => simd::run(Narrow::<1>(self, out)),
            2 if few => simd::run(Narrow::<2>(self, out)),
            3 if few => simd::run(Narrow::<3>(self, out)),
            4 if few => simd::run(Narrow::<4>(self, out)),
            _ => simd::run(Wide(self, out)),
        }
        negative
    }
}

/// Any front.
struct Wide<'a, 'b>(Front<'a>, &'b mut Option<usize>);

impl Kernel for Wide<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Front { block, height, width, square, scaled } = self.0;
        // No closure: it would be compiled for any processor.
        if let Some(negative) = eliminate(block, height, width, scaled)
            && (height == width || leave(block, height, width, square, scaled).is_some())
        {
            *self.1 = Some(negative);
        }
    }
}

/// A front of few columns and not many rows: plain loops, for anything else would take longer to begin.
struct Narrow<'a, 'b, const C: usize>(Front<'a>, &'b mut Option<usize>);

impl<const C: usize> Kernel for Narrow<'_, '_, C> {
    #[inline(always)]
    fn run(self) {
        let Front { block, height, square, .. } = self.0;
        let none = Columns { numbers: &[], height, first: 0, count: 0 };
        *self.1 = strip::<C>(block, 0, &none, &[]);
        let below = height - C;
        for j in 0..below {
            let to = &mut square[j * below + j..(j + 1) * below];
            let columns: [&[f64]; C] = std::array::from_fn(|k| &block[k * height + C + j..][..to.len()]);
            let by: [f64; C] = std::array::from_fn(|k| block[k * height + k] * columns[k][0]);
            for i in 0..to.len() {
                let mut sum = columns[0][i] * by[0];
                for k in 1..C {
                    sum += columns[k][i] * by[k];
                }
                to[i] = -sum;
            }
        }
    }
}

/// Replaces columns of `height` rows, the first of them square, by their factors.
#[inline(always)]
fn eliminate(block: &mut [f64], height: usize, width: usize, scaled: &mut [f64]) -> Option<usize> {
    let (mut negative, mut done) = (0, 0);
    for s in (0..width).step_by(STRIP) {
        let (before, own) = block.split_at_mut(s * height);
        if s >= done + PANEL {
            done = s;
            let count = PANEL.min(width - s);
            scale(before, height, 0..s, s..s + count, count, scaled);
            let rows = height - s;
            let a = ArrayView2::from_shape((rows, s).strides((1, height)), &before[s..]).ok()?;
            let b = ArrayView2::from_shape((s, count), &scaled[..s * count]).ok()?;
            let c = ArrayViewMut2::from_shape((rows, count).strides((1, height)), &mut own[s..]).ok()?;
            add_product(c, 1.0, -1.0, a, b);
        }
        let count = STRIP.min(width - s);
        scale(before, height, done..s, s..s + count, STRIP, scaled);
        let from = Columns { numbers: &before[done * height..], height, first: 0, count: s - done };
        negative += match count {
            1 => strip::<1>(own, s, &from, scaled),
            2 => strip::<2>(own, s, &from, scaled),
            3 => strip::<3>(own, s, &from, scaled),
            _ => strip::<4>(own, s, &from, scaled),
        }?;
    }
    Some(negative)
}

/// The lower triangle of `-L D Lᵗ` of the rows below.
#[inline(always)]
fn leave(block: &[f64], height: usize, width: usize, square: &mut [f64], scaled: &mut [f64]) -> Option<()> {
    let below = height - width;
    scale(block, height, 0..width, width..height, below, scaled);
    if below * below * width >= LARGE {
        for j in (0..below).step_by(BAND) {
            let (rows, count) = (below - j, BAND.min(below - j));
            let a = ArrayView2::from_shape((rows, width).strides((1, height)), &block[width + j..]).ok()?;
            let b = ArrayView2::from_shape((width, count).strides((below, 1)), &scaled[j..]).ok()?;
            let c = ArrayViewMut2::from_shape((rows, count).strides((1, below)), &mut square[j * below + j..]).ok()?;
            add_product(c, 0.0, -1.0, a, b);
        }
        return Some(());
    }
    let from = Columns { numbers: block, height, first: width, count: width };
    for j in (0..below).step_by(STRIP) {
        let (to, by) = (&mut square[j * below..], &scaled[j..]);
        match below - j {
            1 => from.take::<1, true>(to, below, j..below, by, below),
            2 => from.take::<2, true>(to, below, j..below, by, below),
            3 => from.take::<3, true>(to, below, j..below, by, below),
            _ => from.take::<4, true>(to, below, j..below, by, below),
        }
    }
    Some(())
}

/// Adds columns of what a child left to those of its parent: row `i` of the child is row `targets[i] - skip` there.
pub(super) fn add(square: &[f64], targets: &[u32], columns: Range<usize>, to: &mut [f64], height: usize, skip: usize) {
    let below = targets.len();
    if columns.is_empty() {
        return;
    }
    // From here on the rows follow one another in the parent too.
    let last = targets[below - 1] as usize + 1;
    let tail = targets.iter().enumerate().position(|(i, t)| *t as usize + below - i == last).unwrap_or(below);
    for j in columns {
        let column = &mut to[(targets[j] as usize - skip) * height..][..height];
        let from = &square[j * below..][..below];
        let middle = tail.max(j);
        for (value, t) in from[j..middle].iter().zip(&targets[j..middle]) {
            column[*t as usize - skip] += value;
        }
        let rest = &mut column[targets[middle] as usize - skip..][..below - middle];
        rest.iter_mut().zip(&from[middle..]).for_each(|(sum, value)| *sum += value);
    }
}

/// `D Lᵗ` for some rows of the first columns: one row of `stride` numbers for each column.
#[inline(always)]
fn scale(block: &[f64], height: usize, columns: Range<usize>, rows: Range<usize>, stride: usize, scaled: &mut [f64]) {
    for (k, j) in columns.enumerate() {
        let column = &block[j * height..][..height];
        let pivot = column[j];
        for (to, l) in scaled[k * stride..][..rows.len()].iter_mut().zip(&column[rows.clone()]) {
            *to = pivot * l;
        }
    }
}

/// Columns of `L`, to be taken from others.
struct Columns<'a> {
    numbers: &'a [f64],
    height: usize,
    /// The row that is the first of the others.
    first: usize,
    count: usize,
}

impl Columns<'_> {
    /// Takes `L B` from `C` columns, or puts it there with a minus if they are fresh.
    #[inline(always)]
    fn take<const C: usize, const FRESH: bool>(
        &self,
        to: &mut [f64],
        height: usize,
        rows: Range<usize>,
        by: &[f64],
        stride: usize,
    ) {
        let mut i = rows.start;
        while i + 8 <= rows.end {
            self.tile::<C, 8, FRESH>(to, height, i, by, stride);
            i += 8;
        }
        if i + 4 <= rows.end {
            self.tile::<C, 4, FRESH>(to, height, i, by, stride);
            i += 4;
        }
        if i + 2 <= rows.end {
            self.tile::<C, 2, FRESH>(to, height, i, by, stride);
            i += 2;
        }
        if i < rows.end {
            self.tile::<C, 1, FRESH>(to, height, i, by, stride);
        }
    }

    #[inline(always)]
    fn tile<const C: usize, const R: usize, const FRESH: bool>(
        &self,
        to: &mut [f64],
        height: usize,
        i: usize,
        by: &[f64],
        stride: usize,
    ) {
        let mut sums = [[0.0; R]; C];
        for k in 0..self.count {
            let l = &self.numbers[k * self.height + self.first + i..][..R];
            let b = &by[k * stride..][..C];
            for c in 0..C {
                for r in 0..R {
                    sums[c][r] += l[r] * b[c];
                }
            }
        }
        for c in 0..C {
            let place = &mut to[c * height + i..][..R];
            for r in 0..R {
                place[r] = if FRESH { -sums[c][r] } else { place[r] - sums[c][r] };
            }
        }
    }
}

/// Takes what came before from `C` columns and eliminates them. Their first row is number `s`.
#[inline(always)]
fn strip<const C: usize>(own: &mut [f64], s: usize, before: &Columns<'_>, scaled: &[f64]) -> Option<usize> {
    let height = before.height;
    if before.count > 0 {
        before.take::<C, false>(own, height, s..height, scaled, STRIP);
    }
    // The triangle on the diagonal, by columns.
    let mut l = [[0.0; C]; C];
    for j in 0..C {
        l[j].copy_from_slice(&own[j * height + s..][..C]);
    }
    let mut negative = 0;
    for j in 0..C {
        let pivot = l[j][j];
        if pivot == 0.0 || !pivot.is_finite() {
            return None;
        }
        negative += usize::from(pivot < 0.0);
        let unscaled = l[j];
        for i in j + 1..C {
            l[j][i] /= pivot;
            for k in j + 1..=i {
                l[k][i] -= l[j][i] * unscaled[k];
            }
        }
    }
    for j in 0..C {
        own[j * height + s + j..j * height + s + C].copy_from_slice(&l[j][j..]);
    }
    let mut i = s + C;
    while i + 4 <= height {
        rows_below::<C, 4>(own, height, i, &l);
        i += 4;
    }
    while i < height {
        rows_below::<C, 1>(own, height, i, &l);
        i += 1;
    }
    Some(negative)
}

/// Solves with the triangle from the right, for `R` rows.
#[inline(always)]
fn rows_below<const C: usize, const R: usize>(own: &mut [f64], height: usize, i: usize, l: &[[f64; C]; C]) {
    let mut x = [[0.0; R]; C];
    for j in 0..C {
        x[j].copy_from_slice(&own[j * height + i..][..R]);
    }
    for j in 0..C {
        for k in 0..j {
            for r in 0..R {
                x[j][r] -= x[k][r] * l[k][j];
            }
        }
    }
    for j in 0..C {
        let place = &mut own[j * height + i..][..R];
        for r in 0..R {
            place[r] = x[j][r] / l[j][j];
        }
    }
}
