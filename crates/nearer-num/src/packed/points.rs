//! Sets of points, their distances, and sums over packed arrays.

use std::ops::Range;

use ndarray::Array2;

use crate::par;
use crate::simd::{self, Kernel};

use super::{len, pieces, row_start, split};

const LANES: usize = 4;

/// Arrays are summed in pieces of this many entries, whatever the number of threads.
const PIECE: usize = 1 << 15;

/// Points with one array a coordinate, so that four points are one load.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    pub(super) n: usize,
    pub(super) columns: Vec<Vec<f64>>,
}

impl Points {
    /// From one row a point.
    #[must_use]
    pub fn from_rows(rows: &Array2<f64>) -> Self {
        Points { n: rows.nrows(), columns: rows.columns().into_iter().map(|c| c.to_vec()).collect() }
    }
    /// From the coordinates of one point after those of another.
    #[must_use]
    pub fn from_flat(rows: &[f64], dim: usize) -> Self {
        let column = |k: usize| rows.iter().skip(k).step_by(dim).copied().collect();
        Points { n: rows.len() / dim, columns: (0..dim).map(column).collect() }
    }
    /// Writes `factor` times the coordinates, those of one point after those of another.
    pub fn write_flat(&self, factor: f64, out: &mut [f64]) {
        for (k, column) in self.columns.iter().enumerate() {
            out.iter_mut().skip(k).step_by(self.columns.len()).zip(column).for_each(|(o, v)| *o = factor * v);
        }
    }
    /// One row a point.
    #[must_use]
    pub fn to_rows(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.n, self.columns.len()), |(i, k)| self.columns[k][i])
    }
    /// How many points there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }
    /// How many coordinates a point has.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.columns.len()
    }
    /// The coordinates, one array each.
    #[must_use]
    pub fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }
    /// The coordinates, to be changed.
    pub fn columns_mut(&mut self) -> &mut [Vec<f64>] {
        &mut self.columns
    }
    pub(super) fn zeros(n: usize, dim: usize) -> Self {
        Points { n, columns: vec![vec![0.0; n]; dim] }
    }
}

/// The distances of all pairs of points, into a packed array.
pub fn distances(points: &Points, out: &mut [f64]) {
    assert_eq!(out.len(), len(points.n), "one distance for each pair");
    let rows = pieces(points.n);
    let parts = split(points.n, &rows, out);
    par::each(rows.into_iter().zip(parts).collect(), |_, (rows, out)| simd::run(DistanceRows { points, rows, out }));
}

struct DistanceRows<'a> {
    points: &'a Points,
    rows: Range<usize>,
    out: &'a mut [f64],
}

impl Kernel for DistanceRows<'_> {
    #[inline(always)]
    fn run(self) {
        let first = row_start(self.points.n, self.rows.start);
        for i in self.rows {
            let row = &mut self.out[row_start(self.points.n, i) - first..row_start(self.points.n, i + 1) - first];
            row.fill(0.0);
            for column in &self.points.columns {
                let own = column[i];
                for (d2, x) in row.iter_mut().zip(&column[i + 1..]) {
                    *d2 += (own - x) * (own - x);
                }
            }
            row.iter_mut().for_each(|d2| *d2 = d2.sqrt());
        }
    }
}

/// `Σ w v²` over a packed array, in pieces of fixed size.
#[must_use]
pub fn square_sum(values: &[f64], weights: Option<&[f64]>) -> f64 {
    let ranges = par::ranges(values.len(), PIECE);
    let parts = par::map(ranges.len(), |k| {
        let part = &values[ranges[k].clone()];
        match weights {
            None => lane_sum(part.iter().map(|v| v * v)),
            Some(w) => lane_sum(part.iter().zip(&w[k * PIECE..]).map(|(v, w)| w * v * v)),
        }
    });
    parts.iter().sum()
}

/// The largest of some numbers of which none is below 0, of those alone whose weight is above 0; 0 where there is none.
#[must_use]
pub fn largest(values: &[f64], weights: Option<&[f64]>) -> f64 {
    // Eight at a time: one after another each would wait for the one before it.
    let mut lanes = [0.0_f64; 2 * LANES];
    let mut take = |lane: usize, v: f64| lanes[lane] = if v > lanes[lane] { v } else { lanes[lane] };
    match weights {
        None => {
            let (eights, rest) = values.as_chunks::<{ 2 * LANES }>();
            eights.iter().for_each(|part| (0..2 * LANES).for_each(|l| take(l, part[l])));
            rest.iter().for_each(|v| take(0, *v));
        }
        Some(weights) => values.iter().zip(weights).filter(|(_, w)| **w > 0.0).for_each(|(v, _)| take(0, *v)),
    }
    lanes.iter().fold(0.0, |most, v| v.max(most))
}

/// `Σ f(v)` over an array, in pieces of fixed size.
#[must_use]
pub fn sum_of(values: &[f64], f: impl Fn(f64) -> f64 + Sync + Send) -> f64 {
    let ranges = par::ranges(values.len(), PIECE);
    par::map(ranges.len(), |k| lane_sum(values[ranges[k].clone()].iter().map(|v| f(*v)))).iter().sum()
}

/// Sums over all pairs of points: of their distances, of the squares, and of the products with given numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    /// `Σ d`.
    pub sum: f64,
    /// `Σ d²`.
    pub square: f64,
    /// `Σ v d`.
    pub cross: f64,
}

/// The [`Moments`] of points and a packed array, without an array of their distances.
///
/// # Panics
/// If there is not one number for each pair.
#[must_use]
pub fn moments(points: &Points, values: &[f64]) -> Moments {
    assert_eq!(values.len(), len(points.n), "one number for each pair");
    let rows = pieces(points.n);
    let parts = par::map(rows.len(), |k| {
        let (mut all, mut row) = (Moments::default(), vec![0.0; points.n]);
        for i in rows[k].clone() {
            let row = &mut row[i + 1..];
            row.fill(0.0);
            for column in &points.columns {
                let own = column[i];
                row.iter_mut().zip(&column[i + 1..]).for_each(|(d2, x)| *d2 += (own - x) * (own - x));
            }
            all.square += lane_sum(row.iter().copied());
            row.iter_mut().for_each(|d2| *d2 = d2.sqrt());
            all.sum += lane_sum(row.iter().copied());
            all.cross += lane_sum(row.iter().zip(&values[row_start(points.n, i)..]).map(|(d, v)| d * v));
        }
        all
    });
    let add =
        |a: Moments, b: &Moments| Moments { sum: a.sum + b.sum, square: a.square + b.square, cross: a.cross + b.cross };
    parts.iter().fold(Moments::default(), add)
}

/// Multiplies every entry.
pub fn scale(values: &mut [f64], factor: f64) {
    par::chunks(values, PIECE, |_, part| part.iter_mut().for_each(|v| *v *= factor));
}

/// A sum in four lanes: quicker than one after another, and always in the same order.
fn lane_sum(terms: impl Iterator<Item = f64>) -> f64 {
    let mut lanes = [0.0; LANES];
    for (k, term) in terms.enumerate() {
        lanes[k % LANES] += term;
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}
