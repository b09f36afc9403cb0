//! The rows of a program as an operator, and rows held as numbers, which may come and go. Products are cut into pieces that
//! depend on the number of rows alone.

use super::system::{SIDES, lower_gram};
use crate::linear::columns;
use crate::par;
use crate::vectors::dot;

/// Rows that one piece works on.
const PIECE: usize = 32;

/// A matrix `A` of rows, known by its products.
pub trait Rows: Sync {
    /// How many rows there are.
    fn len(&self) -> usize;
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How many unknowns a row speaks of.
    fn width(&self) -> usize;
    /// `A x`.
    fn times(&self, x: &[f64]) -> Vec<f64>;
    /// `Aᵗ y`.
    fn transposed(&self, y: &[f64]) -> Vec<f64>;
    /// The lower triangle of `Aᵗ Θ A`, column by column, into an array of zeros; what lies above it is of no meaning.
    fn normal(&self, theta: &[f64], out: &mut [f64]);
    /// The rows one after another, where they are held as numbers: a step may then be solved in the space of the rows.
    fn values(&self) -> Option<&[f64]> {
        None
    }
}

/// Rows of equal length, one after another.
#[derive(Debug, Clone)]
pub struct DenseRows {
    pub(super) values: Vec<f64>,
    width: usize,
}

impl DenseRows {
    /// No row of this length.
    #[must_use]
    pub fn new(width: usize) -> Self {
        DenseRows { values: Vec::new(), width }
    }

    pub(super) fn row(&self, t: usize) -> &[f64] {
        &self.values[t * self.width..(t + 1) * self.width]
    }

    /// Leaves out the rows that are not to be kept.
    pub(super) fn retain(&mut self, keep: &[bool]) {
        let width = self.width;
        let mut to = 0;
        for t in (0..keep.len()).filter(|t| keep[*t]) {
            if t != to {
                self.values.copy_within(t * width..(t + 1) * width, to * width);
            }
            to += 1;
        }
        self.values.truncate(to * width);
    }

    /// For each row `Σ a² v`.
    pub(super) fn squares(&self, v: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        par::chunks(&mut out, PIECE, |start, part| {
            for (k, out) in part.iter_mut().enumerate() {
                *out = self.row(start + k).iter().zip(v).map(|(a, v)| a * a * v).sum();
            }
        });
        out
    }
}

impl Rows for DenseRows {
    fn len(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    fn width(&self) -> usize {
        self.width
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        par::chunks(&mut out, PIECE, |start, part| {
            for (k, out) in part.iter_mut().enumerate() {
                *out = dot(self.row(start + k), x);
            }
        });
        out
    }

    fn transposed(&self, y: &[f64]) -> Vec<f64> {
        let parts = par::ranges(self.len(), PIECE);
        let sums = par::map(parts.len(), |k| {
            let mut sum = vec![0.0; self.width];
            for t in parts[k].clone() {
                let y = y[t];
                sum.iter_mut().zip(self.row(t)).for_each(|(s, a)| *s += a * y);
            }
            sum
        });
        let mut out = vec![0.0; self.width];
        sums.iter().for_each(|s| out.iter_mut().zip(s).for_each(|(o, s)| *o += s));
        out
    }

    fn normal(&self, theta: &[f64], out: &mut [f64]) {
        let (m, q) = (self.len(), self.width);
        let mut half = self.values.clone();
        par::chunks(&mut half, SIDES * q, |start, part| {
            for (k, row) in part.chunks_mut(q).enumerate() {
                let root = theta[start / q + k].sqrt();
                row.iter_mut().for_each(|a| *a *= root);
            }
        });
        lower_gram(columns(&half, q, m), out);
    }

    fn values(&self) -> Option<&[f64]> {
        Some(&self.values)
    }
}
