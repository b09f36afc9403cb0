//! The objects under the metric of a file, and sums of outer products that lose next to nothing.

use ndarray::Array2;

use super::super::definite::Square;
use super::super::rounding::roundings;
use super::question::Question;

/// The objects under the metric of the file.
pub(super) struct Points<'a> {
    pub(super) x: Vec<Vec<f64>>,
    pub(super) y: Vec<Vec<f64>>,
    pub(super) factor: &'a Array2<f64>,
    /// By how much a squared distance may be off.
    pub(super) doubt: f64,
    pub(super) reach: f64,
}

impl<'a> Points<'a> {
    pub(super) fn of(question: &Question, factor: &'a Array2<f64>) -> Self {
        let x = question.rows();
        let one = |row: &Vec<f64>| -> Vec<f64> {
            (0..factor.ncols()).map(|k| row.iter().enumerate().map(|(f, v)| v * factor[(f, k)]).sum()).collect()
        };
        let y = x.iter().map(one).collect();
        let reach = x.iter().map(|r| r.iter().map(|v| v * v).sum::<f64>()).fold(0.0, f64::max);
        let size: f64 = factor.iter().map(|v| v * v).sum();
        let doubt = 16.0 * roundings(2 * factor.nrows() + factor.ncols() + 8) * reach * size;
        Points { x, y, factor, doubt, reach }
    }
    pub(super) fn square(&self, i: u32, j: u32) -> f64 {
        self.y[i as usize].iter().zip(&self.y[j as usize]).map(|(a, b)| (a - b) * (a - b)).sum()
    }
    pub(super) fn trace(&self) -> f64 {
        self.factor.iter().map(|v| v * v).sum()
    }
    /// Adds `w zzᵗ` of a pair.
    pub(super) fn add(&self, to: &mut Pile, i: u32, j: u32, w: f64) {
        let z: Vec<f64> = self.x[i as usize].iter().zip(&self.x[j as usize]).map(|(a, b)| a - b).collect();
        for a in (0..z.len()).filter(|a| z[*a] != 0.0) {
            let scaled = w * z[a];
            for b in 0..=a {
                to.put(a, b, scaled * z[b]);
            }
        }
        to.weight += w.abs();
    }
    /// By how much a pile may be off in any direction: differences of rounded features, and two products.
    pub(super) fn off(&self, pile: &Pile) -> f64 {
        4.0 * roundings(16) * pile.weight * self.reach
    }
}

/// A sum of symmetric matrices, the lower triangle of each, kept in two numbers an entry so that it loses next to nothing.
pub(super) struct Pile {
    n: usize,
    high: Vec<f64>,
    low: Vec<f64>,
    pub(super) weight: f64,
}

impl Pile {
    pub(super) fn zeros(n: usize) -> Self {
        Pile { n, high: vec![0.0; n * n], low: vec![0.0; n * n], weight: 0.0 }
    }
    pub(super) fn put(&mut self, a: usize, b: usize, term: f64) {
        let at = a * self.n + b;
        let sum = self.high[at] + term;
        let part = sum - self.high[at];
        self.low[at] += (self.high[at] - (sum - part)) + (term - part);
        self.high[at] = sum;
    }
    pub(super) fn square(&self) -> Square {
        let mut square = Square::zeros(self.n);
        for a in 0..self.n {
            for b in 0..=a {
                let v = self.high[a * self.n + b] + self.low[a * self.n + b];
                (square.entries[a * self.n + b], square.entries[b * self.n + a]) = (v, v);
            }
        }
        square
    }
}
