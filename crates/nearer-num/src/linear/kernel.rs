//! The innermost loop of a product: a tile of the result stays in registers while the inner dimension runs by.
//!
//! A tile has up to three vectors of rows and a few columns. Entries of the left factor are loaded as vectors, those of the
//! right one are spread over all lanes; so the left one must have its rows side by side, and the right one may lie as it likes.
//! All that is unsafe about products is in this file, behind [`multiply`].

use ndarray::{ArrayView2, ArrayViewMut2};
use std::ops::Range;

use super::vector::{LANES, LONG, Vector};

/// Vectors of rows in a strip, at most.
pub(crate) const VECTORS: usize = 3;
/// Columns of a right factor that was copied which lie together, those of each row side by side.
pub(crate) const COLUMNS: usize = 6;

/// The right factor of a product.
#[derive(Clone, Copy)]
pub(crate) enum Right<'a> {
    /// As it lies.
    Here(ArrayView2<'a, f64>),
    /// Groups of [`COLUMNS`] columns one after another, the last filled up, each row by row; and how many columns.
    Copied(&'a [f64], usize),
}

/// `c = keep c + scale a b` where the rows of `a` are side by side. `a` may have more rows than `c`: if they fill up the last
/// vector, it is read whole.
///
/// # Panics
/// If the shapes do not fit.
#[inline]
pub(crate) fn multiply(c: ArrayViewMut2<'_, f64>, factors: (f64, f64), a: ArrayView2<'_, f64>, right: Right<'_>) {
    if c.is_empty() {
        return;
    }
    let work = Strip::new(c, factors, a, right);
    #[cfg(target_arch = "x86_64")]
    if lanes(work.rows) == LONG {
        // SAFETY: the processor has what `long` asks for; the pointers and strides are those of views of fitting shapes.
        unsafe { long(&work) };
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has what `fused` asks for; the pointers and strides are those of views of fitting shapes.
        unsafe { fused(&work) };
        return;
    }
    // SAFETY: the pointers and strides are those of views of fitting shapes.
    unsafe { work.strips::<[f64; LANES]>() };
}

/// Numbers in the vectors that products of so many rows are made of here. A sum of fused products is the same in vectors of any length.
pub(crate) fn lanes(rows: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    if rows > LANES && std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("fma") {
        return LONG;
    }
    let _ = rows;
    LANES
}

/// Rows of the strips that a matrix is cut into: two vectors each, and three where one would be left over.
pub(crate) fn strips(rows: usize, lanes: usize) -> impl Iterator<Item = Range<usize>> {
    let count = (rows.div_ceil(lanes) / 2).max(1);
    (0..count).map(move |k| 2 * k * lanes..if k + 1 < count { 2 * (k + 1) * lanes } else { rows })
}

/// # Safety
/// As [`Strip::strips`], on a processor with AVX-512 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,fma")]
unsafe fn long(work: &Strip) {
    // SAFETY: as the caller promises.
    unsafe { work.strips::<std::arch::x86_64::__m512d>() }
}

/// # Safety
/// As [`Strip::strips`], on a processor with AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn fused(work: &Strip) {
    // SAFETY: as the caller promises.
    unsafe { work.strips::<std::arch::x86_64::__m256d>() }
}

/// All of the result or a strip, all columns of some rows, with what it is made of.
struct Strip {
    rows: usize,
    columns: usize,
    depth: usize,
    /// Rows of `a` that may be read.
    readable: usize,
    /// Whether the columns of `b` lie in groups.
    copied: bool,
    a: *const f64,
    a_column: isize,
    b: *const f64,
    b_row: isize,
    b_column: isize,
    /// From a column of `b` to that which is [`COLUMNS`] further on.
    b_group: isize,
    c: *mut f64,
    c_row: isize,
    c_column: isize,
    keep: f64,
    scale: f64,
}

impl Strip {
    /// All of a product, of shapes that fit.
    fn new(
        mut c: ArrayViewMut2<'_, f64>,
        (keep, scale): (f64, f64),
        a: ArrayView2<'_, f64>,
        right: Right<'_>,
    ) -> Strip {
        let ((rows, columns), depth) = (c.dim(), a.ncols());
        assert!(rows <= a.nrows(), "the shapes fit");
        assert!(a.nrows() < 2 || a.strides()[0] == 1, "rows side by side");
        let (b, [b_row, b_column], b_group) = match right {
            Right::Here(b) => {
                assert_eq!(b.dim(), (depth, columns), "the shapes fit");
                (b.as_ptr(), [b.strides()[0], b.strides()[1]], b.strides()[1] * COLUMNS as isize)
            }
            Right::Copied(b, count) => {
                assert!(count == columns && b.len() >= columns.next_multiple_of(COLUMNS) * depth, "the shapes fit");
                (b.as_ptr(), [COLUMNS as isize, 1], (COLUMNS * depth) as isize)
            }
        };
        Strip {
            rows,
            columns,
            depth,
            readable: a.nrows(),
            copied: matches!(right, Right::Copied(..)),
            a: a.as_ptr(),
            a_column: a.strides()[1],
            b,
            b_row,
            b_column,
            b_group,
            c: c.as_mut_ptr(),
            c_row: if rows == 1 { 1 } else { c.strides()[0] },
            c_column: c.strides()[1],
            keep,
            scale,
        }
    }

    /// Strip after strip.
    ///
    /// # Safety
    /// The pointers, sizes and strides are those of three matrices of fitting shapes, of which `c` overlaps with no other,
    /// there is at least one row and column, and the processor knows `V`.
    #[inline(always)]
    unsafe fn strips<V: Vector>(&self) {
        for rows in strips(self.rows, V::LANES) {
            let part = Strip {
                rows: rows.len(),
                a: self.a.wrapping_add(rows.start),
                c: self.c.wrapping_offset(rows.start as isize * self.c_row),
                readable: self.readable - rows.start,
                ..*self
            };
            // SAFETY: these rows are some of all.
            unsafe { part.run::<V>() };
        }
    }

    /// Tile after tile.
    ///
    /// # Safety
    /// As [`Strip::strips`], for one of them.
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        // There are to be eight sums under way at a time, more than the processor has to wait for, and no more than registers.
        let most = match self.rows.div_ceil(V::LANES) {
            1 if !self.copied => 8,
            1 | 2 => COLUMNS,
            _ => COLUMNS / 2,
        };
        // Tiles of about the same width: one of a single column would wait for its sums. Not across groups, though.
        let tiles = self.columns.div_ceil(most);
        let (width, wider) = if self.copied { (most, 0) } else { (self.columns / tiles, self.columns % tiles) };
        let mut first = 0;
        for k in 0..tiles {
            let width = (width + usize::from(k < wider)).min(self.columns - first);
            // SAFETY: `first + width` is at most the number of columns.
            unsafe { self.tile_of_width::<V>(first, width) };
            first += width;
        }
    }

    /// # Safety
    /// As [`Strip::run`]; the columns are there.
    #[inline(always)]
    unsafe fn tile_of_width<V: Vector>(&self, first: usize, width: usize) {
        // SAFETY: each call has as many vectors as the rows need, and the width that was asked for.
        unsafe {
            match (self.rows.div_ceil(V::LANES), width) {
                (1, 1) => self.tile::<V, 1, 1>(first),
                (1, 2) => self.tile::<V, 1, 2>(first),
                (1, 3) => self.tile::<V, 1, 3>(first),
                (1, 4) => self.tile::<V, 1, 4>(first),
                (1, 5) => self.tile::<V, 1, 5>(first),
                (1, 6) => self.tile::<V, 1, 6>(first),
                (1, 7) => self.tile::<V, 1, 7>(first),
                (1, _) => self.tile::<V, 1, 8>(first),
                (2, 1) => self.tile::<V, 2, 1>(first),
                (2, 2) => self.tile::<V, 2, 2>(first),
                (2, 3) => self.tile::<V, 2, 3>(first),
                (2, 4) => self.tile::<V, 2, 4>(first),
                (2, 5) => self.tile::<V, 2, 5>(first),
                (2, _) => self.tile::<V, 2, 6>(first),
                (_, 1) => self.tile::<V, 3, 1>(first),
                (_, 2) => self.tile::<V, 3, 2>(first),
                (_, _) => self.tile::<V, 3, 3>(first),
            }
        }
    }

    /// # Safety
    /// As [`Strip::run`]; `N` columns from `first` are there, and `M` vectors are what the rows need.
    #[inline(always)]
    unsafe fn tile<V: Vector, const M: usize, const N: usize>(&self, first: usize) {
        let last = self.rows - (M - 1) * V::LANES;
        // SAFETY: the caller's promise; the last vector is read whole where its lanes are all there.
        unsafe {
            let sums = if self.readable >= M * V::LANES {
                self.sums::<V, M, N>(first, |at| V::load(at))
            } else {
                self.sums::<V, M, N>(first, |at| V::load_some(at, last))
            };
            let at = self.c.offset(first as isize * self.c_column);
            if self.c_row != 1 || last < V::LANES {
                self.put_lanes::<V, M, N>(&sums.map(|column| column.map(V::lanes)), at);
            } else if self.keep == 0.0 {
                self.put_vectors(sums, at, |_| V::splat(0.0));
            } else {
                self.put_vectors(sums, at, |at| V::load(at).times(self.keep));
            }
        }
    }

    /// The products of a tile. `load_last` reads the last vector of each column of `a`.
    ///
    /// # Safety
    /// As [`Strip::tile`].
    #[inline(always)]
    unsafe fn sums<V: Vector, const M: usize, const N: usize>(
        &self,
        first: usize,
        load_last: impl Fn(*const f64) -> V,
    ) -> [[V; M]; N] {
        let mut sums = [[V::splat(0.0); M]; N];
        let group = (first / COLUMNS) as isize * self.b_group;
        let start = self.b.wrapping_offset(group + (first % COLUMNS) as isize * self.b_column);
        let right: [*const f64; N] = std::array::from_fn(|j| start.wrapping_offset(j as isize * self.b_column));
        let (mut left, mut row) = (self.a, 0);
        let (a_column, b_row) = (self.a_column, self.b_row);
        for _ in 0..self.depth {
            // SAFETY: `left` is at a column of `a`, `row` at a row of `b`.
            unsafe {
                let mut here = [V::splat(0.0); M];
                for i in 0..M - 1 {
                    here[i] = V::load(left.add(i * V::LANES));
                }
                here[M - 1] = load_last(left.add((M - 1) * V::LANES));
                for j in 0..N {
                    let factor = V::splat(*right[j].offset(row));
                    for i in 0..M {
                        sums[j][i] = sums[j][i].plus(factor, here[i]);
                    }
                }
            }
            // Beyond the last column these are not read from.
            left = left.wrapping_offset(a_column);
            row = row.wrapping_add(b_row);
        }
        sums
    }

    /// Whole vectors, to rows that are side by side. `old` is what they are added to.
    ///
    /// # Safety
    /// As [`Strip::tile`], with `at` in the first of its columns.
    #[inline(always)]
    unsafe fn put_vectors<V: Vector, const M: usize, const N: usize>(
        &self,
        sums: [[V; M]; N],
        at: *mut f64,
        old: impl Fn(*mut f64) -> V,
    ) {
        for j in 0..N {
            for i in 0..M {
                // SAFETY: the tile is in `c`.
                unsafe {
                    let at = at.offset(j as isize * self.c_column).add(i * V::LANES);
                    old(at).plus(V::splat(self.scale), sums[j][i]).store(at);
                }
            }
        }
    }

    /// Number by number: to rows that are apart, or too few for a vector.
    ///
    /// # Safety
    /// As [`Strip::put_vectors`].
    #[inline(always)]
    unsafe fn put_lanes<V: Vector, const M: usize, const N: usize>(&self, sums: &[[[f64; LONG]; M]; N], at: *mut f64) {
        for (j, column) in sums.iter().enumerate() {
            for i in 0..self.rows {
                // SAFETY: the tile is in `c`.
                unsafe {
                    let at = at.offset(j as isize * self.c_column + i as isize * self.c_row);
                    let old = if self.keep == 0.0 { 0.0 } else { *at * self.keep };
                    *at = V::plus_one(old, self.scale, column[i / V::LANES][i % V::LANES]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, ShapeBuilder};

    #[test]
    fn the_form_for_any_processor_agrees_with_the_other() {
        for (m, k, n) in [(1, 1, 1), (3, 5, 9), (4, 9, 8), (11, 7, 4), (12, 3, 7), (21, 6, 13), (24, 40, 6)] {
            let at = |(i, j): (usize, usize)| ((i * 7 + j * 3) % 11) as f64 - 5.0;
            let (a, b) = (Array2::from_shape_fn((m, k).f(), at), Array2::from_shape_fn((k, n), at));
            for (keep, scale) in [(0.0, 1.0), (1.0, -1.0)] {
                let mut quick = Array2::from_shape_fn((m, n).f(), at);
                let mut plain = quick.clone();
                multiply(quick.view_mut(), (keep, scale), a.view(), Right::Here(b.view()));
                let work = Strip::new(plain.view_mut(), (keep, scale), a.view(), Right::Here(b.view()));
                // SAFETY: the shapes fit, and any processor knows these vectors.
                unsafe { work.strips::<[f64; LANES]>() };
                // Whole numbers, of which no form rounds any.
                assert_eq!(quick, plain);
                assert_eq!(plain, Array2::from_shape_fn((m, n), at) * keep + a.dot(&b) * scale);
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn long_vectors_give_the_same_bits() {
        if lanes(LONG) != LONG {
            return;
        }
        let mut rng = crate::rng::Rng::task(5, 0);
        for (m, k, n) in [(5, 3, 1), (8, 9, 8), (11, 7, 4), (21, 6, 13), (24, 40, 6), (37, 5, 7)] {
            let mut some = |shape| Array2::from_shape_simple_fn(shape, || rng.normal());
            let (a, b, c) = (some((k, m)).reversed_axes(), some((k, n)), some((n, m)).reversed_axes());
            for factors in [(0.0, 1.0), (1.0, -1.0), (0.3, 1.7)] {
                let (mut shorter, mut longer) = (c.clone(), c.clone());
                let work = |c| Strip::new(c, factors, a.view(), Right::Here(b.view()));
                // SAFETY: the shapes fit, and the processor was asked.
                unsafe {
                    fused(&work(shorter.view_mut()));
                    long(&work(longer.view_mut()));
                }
                assert_eq!(shorter, longer);
            }
        }
    }
}
