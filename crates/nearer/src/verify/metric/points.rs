//! The objects under the metric of a file, and sums of outer products that lose next to nothing.

use ndarray::{Array2, ArrayView1};

use super::super::definite::{Square, least_eigenvalue};
use super::super::limits::Limits;
use super::super::rounding::{Sum, roundings, sharp_product};
use super::question::Question;
use super::span::Span;

/// The objects under the metric of the file.
pub(super) struct Points<'a> {
    /// The features; coordinates along what objects span where these are fewer.
    x: Vec<Vec<f64>>,
    pub(super) y: Vec<Vec<f64>>,
    pub(super) factor: &'a Array2<f64>,
    spanned: bool,
    /// What coordinates lose of a pair of weight one, and what they lose of the identity.
    lost: f64,
    skew: f64,
    /// By how much a squared distance may be off.
    pub(super) doubt: f64,
    pub(super) reach: f64,
    limits: Limits<'a>,
}

impl<'a> Points<'a> {
    pub(super) fn of(question: &Question, factor: &'a Array2<f64>, limits: Limits<'a>) -> Self {
        let x = question.rows();
        let columns: Vec<Column> = factor.columns().into_iter().map(Column::of).collect();
        let y = x.iter().map(|row| columns.iter().map(|column| column.times(row)).collect()).collect();
        let reach = x.iter().map(|r| r.iter().map(|v| v * v).sum::<f64>()).fold(0.0, f64::max);
        let size: f64 = factor.iter().map(|v| v * v).sum();
        // Coordinates are good to their last digit, however many features they are sums over.
        let doubt = 16.0 * roundings(factor.ncols() + 16) * reach * size;
        let whole = Points { x, y, factor, spanned: false, lost: 0.0, skew: 0.0, doubt, reach, limits };
        if factor.nrows() <= whole.x.len() || question.by_feature() {
            return whole;
        }
        let Span { rows, lost, skew } = Span::of(&whole.x);
        Points { x: rows, spanned: true, lost, skew, ..whole }
    }
    pub(super) fn len(&self) -> usize {
        self.x.len()
    }
    /// Nothing yet, of a matrix over the coordinates and `ridge` times the identity.
    pub(super) fn pile(&self, ridge: f64) -> Pile {
        let mut pile = Pile::zeros(self.x[0].len(), ridge);
        (0..pile.n).for_each(|k| pile.put(k, k, ridge));
        pile
    }
    /// The same of a diagonal.
    pub(super) fn diagonal(&self, ridge: f64) -> Vec<Sum> {
        let mut sum = Sum::default();
        sum.add(ridge, 0.0);
        vec![sum; self.x[0].len()]
    }
    pub(super) fn square(&self, i: u32, j: u32) -> f64 {
        self.y[i as usize].iter().zip(&self.y[j as usize]).map(|(a, b)| (a - b) * (a - b)).sum()
    }
    pub(super) fn trace(&self) -> f64 {
        self.factor.iter().map(|v| v * v).sum()
    }
    /// Adds so many times the trace of the metric.
    pub(super) fn add_trace(&self, to: &mut Sum, times: f64) {
        let term = times * self.trace();
        to.add(term, roundings(self.factor.len() + 4) * term);
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
    /// Adds the diagonal of `w zzᵗ` of a pair.
    pub(super) fn add_diagonal(&self, to: &mut [Sum], i: u32, j: u32, w: f64) {
        let (a, b) = (&self.x[i as usize], &self.x[j as usize]);
        to.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| {
            let term = w * (a - b) * (a - b);
            sum.add(term, roundings(8) * term.abs());
        });
    }
    /// A number that no eigenvalue of the matrix of all features is below, but for what its pile may be off: outside of what objects
    /// span there is the ridge.
    pub(super) fn least(&self, matrix: &Square, ridge: f64) -> f64 {
        let own = least_eigenvalue(matrix, &self.limits);
        if self.spanned { own.min(ridge) - 2.0 * self.skew * own.abs() } else { own }
    }
    /// By how much a pile may be off in any direction: differences of rounded features, two products, and coordinates.
    pub(super) fn off(&self, pile: &Pile) -> f64 {
        (4.0 * roundings(16) * self.reach + self.lost) * pile.weight + 2.0 * self.skew * pile.ridge.abs()
    }
}

/// A column of the factor: where it is not zero, and what it is there.
struct Column {
    at: Vec<usize>,
    values: Vec<f64>,
}

impl Column {
    fn of(column: ArrayView1<'_, f64>) -> Self {
        let at: Vec<usize> = (0..column.len()).filter(|f| column[*f] != 0.0).collect();
        Column { values: at.iter().map(|f| column[*f]).collect(), at }
    }
    /// Its product with a row, good to a digit or so of its last.
    fn times(&self, row: &[f64]) -> f64 {
        let (high, low) = if self.at.len() == row.len() {
            sharp_product(row, &self.values)
        } else {
            sharp_product(&self.at.iter().map(|f| row[*f]).collect::<Vec<f64>>(), &self.values)
        };
        high + low
    }
}

/// A sum of symmetric matrices, the lower triangle of each, kept in two numbers an entry so that it loses next to nothing.
pub(super) struct Pile {
    n: usize,
    high: Vec<f64>,
    low: Vec<f64>,
    pub(super) weight: f64,
    /// What there is of the identity.
    ridge: f64,
}

impl Pile {
    fn zeros(n: usize, ridge: f64) -> Self {
        Pile { n, high: vec![0.0; n * n], low: vec![0.0; n * n], weight: 0.0, ridge }
    }
    fn put(&mut self, a: usize, b: usize, term: f64) {
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
