//! Dense rows that come and go, and the products with them in pieces that depend on their number alone.

use crate::par;
use crate::vectors::dot;

/// Rows that one piece works on.
const PIECE: usize = 32;

/// Rows of equal length, one after another.
#[derive(Debug, Clone)]
pub(super) struct DenseRows {
    pub(super) values: Vec<f64>,
    pub(super) width: usize,
}

impl DenseRows {
    pub(super) fn new(width: usize) -> Self {
        DenseRows { values: Vec::new(), width }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
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

    /// `A x`.
    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        par::chunks(&mut out, PIECE, |start, part| {
            for (k, out) in part.iter_mut().enumerate() {
                *out = dot(self.row(start + k), x);
            }
        });
        out
    }

    /// `Aᵗ y`.
    pub(super) fn transposed(&self, y: &[f64]) -> Vec<f64> {
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
