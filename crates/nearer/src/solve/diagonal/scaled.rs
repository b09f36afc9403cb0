//! A program of weights in units that suit an interior-point method: columns of range one, distances near one.

use ndarray::Array2;
use nearer_num::orthant::Curvature;
use nearer_num::packed;
use nearer_num::squares::Squares;

use crate::program::DiagonalProgram;

/// The program in the unknowns of the method. What is primed in the equations of the program is meant everywhere.
pub(super) struct Scaled<'a> {
    pub(super) program: &'a DiagonalProgram,
    /// The columns that vary; the weights of the others are zero.
    pub(super) columns: Vec<usize>,
    /// Those columns, divided by their range.
    pub(super) squares: Squares,
    /// A weight of 1 in the method is this in the program.
    unit: Vec<f64>,
    /// A squared distance of 1 in the method is this in the program.
    length: f64,
    /// An objective of 1 in the method is this in the program.
    value: f64,
    pub(super) cost: Vec<f64>,
    pub(super) curvature: Curvature,
    /// The mean of the squared differences over all pairs, for each column.
    pub(super) mean: Vec<f64>,
    pub(super) bound: Option<f64>,
    pub(super) margin: Vec<f64>,
    pub(super) high: Vec<f64>,
    /// Where the pairs of a comparison stand among the distances.
    pub(super) near: Vec<u32>,
    pub(super) far: Vec<u32>,
    /// Whether distances are those of all pairs, packed; otherwise of the pairs of the program.
    pub(super) all: bool,
    pub(super) start: Vec<f64>,
}

impl<'a> Scaled<'a> {
    pub(super) fn new(program: &'a DiagonalProgram) -> Self {
        let n = program.objects();
        let columns: Vec<usize> = (0..program.columns()).filter(|p| program.ranges[*p] > 0.0).collect();
        let squares = program.squares.even(&columns, &program.ranges);
        let length = program.bound.unwrap_or_else(|| typical(program));
        let unit: Vec<f64> = columns.iter().map(|p| length / (program.ranges[*p] * program.ranges[*p])).collect();
        // All pairs cost one product, the pairs of comparisons a sum each.
        let all = program.bound.is_some() || program.pairs.len() > packed::len(n) / 8;
        let place = |pair: u32| {
            let (i, j) = program.pairs[pair as usize];
            if all { packed::index(n, i as usize, j as usize) as u32 } else { pair }
        };
        let spread = squares.spreads();
        let pairs = packed::len(n).max(1) as f64;
        let mut scaled = Scaled {
            program,
            cost: (0..columns.len())
                .map(|k| program.cost[columns[k]] * unit[k] + program.spread * spread[k].0 * length)
                .collect(),
            curvature: curvature(program, &columns, &unit),
            mean: spread.iter().map(|s| s.0 / pairs).collect(),
            bound: program.bound.map(|b| b / length),
            margin: program.rows.iter().map(|r| r.margin / length).collect(),
            high: program.rows.iter().map(|r| r.weight * length).collect(),
            near: program.rows.iter().map(|r| place(r.near)).collect(),
            far: program.rows.iter().map(|r| place(r.far)).collect(),
            start: Vec::new(),
            columns,
            squares,
            unit,
            length,
            value: 1.0,
            all,
        };
        scaled.start = scaled.first();
        let value = scaled.steepest();
        scaled.in_units_of(value);
        scaled
    }

    /// Equal weights: half way to the bound, or distances of one.
    fn first(&self) -> Vec<f64> {
        let q = self.columns.len();
        let d = self.distances(&vec![1.0; q]);
        let size = match self.bound {
            Some(b) => 2.0 * d.iter().fold(0.0, |m: f64, d| m.max(*d)) / b,
            None => d.iter().sum::<f64>() / d.len().max(1) as f64,
        };
        vec![1.0 / size.max(f64::MIN_POSITIVE); q]
    }

    /// The largest slope that is met at the start, with all comparisons paid for or none.
    fn steepest(&self) -> f64 {
        let rows: Vec<usize> = (0..self.high.len()).collect();
        let paid = self.paid(&rows);
        let bent = self.curvature.times(&self.start);
        let largest = |m: f64, p: usize| m.max(self.cost[p].abs()).max((self.cost[p] + paid[p]).abs()).max(bent[p]);
        (0..self.cost.len()).fold(0.0, largest)
    }

    fn in_units_of(&mut self, value: f64) {
        let value = if value > 0.0 && value.is_finite() { value } else { 1.0 };
        self.value = value;
        self.cost.iter_mut().for_each(|c| *c /= value);
        self.high.iter_mut().for_each(|h| *h /= value);
        match &mut self.curvature {
            Curvature::None => {}
            Curvature::Diagonal(p) => p.iter_mut().for_each(|p| *p /= value),
            Curvature::Blocks(blocks) => blocks.iter_mut().for_each(|b| b.mapv_inplace(|v| v / value)),
        }
    }

    /// Squared distances of these weights, which may be of any sign.
    pub(super) fn distances(&self, w: &[f64]) -> Vec<f64> {
        if self.all { self.squares.all(w) } else { self.squares.of(w, &self.program.pairs) }
    }

    /// The pair that a distance belongs to.
    pub(super) fn pair(&self, at: usize) -> (u32, u32) {
        if !self.all {
            return self.program.pairs[at];
        }
        let (i, j) = packed::pair(self.program.objects(), at);
        (i as u32, j as u32)
    }

    /// `Z_near - Z_far` of a comparison, appended.
    pub(super) fn push_compared(&self, t: usize, out: &mut Vec<f64>) {
        let row = &self.program.rows[t];
        let from = out.len();
        out.resize(from + self.columns.len(), 0.0);
        self.squares.add_row(self.program.pairs[row.near as usize], 1.0, &mut out[from..]);
        self.squares.add_row(self.program.pairs[row.far as usize], -1.0, &mut out[from..]);
    }

    /// `Z` of a pair, appended.
    pub(super) fn push_pair(&self, pair: (u32, u32), out: &mut Vec<f64>) {
        let from = out.len();
        out.resize(from + self.columns.len(), 0.0);
        self.squares.add_row(pair, 1.0, &mut out[from..]);
    }

    /// What weights cost where these comparisons are paid for in full: `Σ high (Z_near - Z_far)`.
    pub(super) fn paid(&self, rows: &[usize]) -> Vec<f64> {
        let mut net = vec![0.0; self.program.pairs.len()];
        for t in rows {
            net[self.program.rows[*t].near as usize] += self.high[*t];
            net[self.program.rows[*t].far as usize] -= self.high[*t];
        }
        let kept: Vec<usize> = (0..net.len()).filter(|k| net[*k] != 0.0).collect();
        let pairs: Vec<(u32, u32)> = kept.iter().map(|k| self.program.pairs[*k]).collect();
        self.squares.gathered(&pairs, &kept.iter().map(|k| net[*k]).collect::<Vec<_>>())
    }

    /// Weights of the program.
    pub(super) fn weights(&self, w: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.program.columns()];
        self.columns.iter().zip(&self.unit).zip(w).for_each(|((p, unit), w)| out[*p] = w.max(0.0) * unit);
        out
    }
    /// A multiplier of the program.
    pub(super) fn multiplier(&self, y: f64) -> f64 {
        y * self.value / self.length
    }
    /// A squared distance of the program.
    pub(super) fn square(&self, d: f64) -> f64 {
        d * self.length
    }
    /// An objective of the program.
    pub(super) fn objective(&self, value: f64) -> f64 {
        value * self.value
    }
    /// Weights that no point passes that is at least as good as this objective of the method.
    pub(super) fn heaviest(&self, value: f64) -> Vec<f64> {
        let all = self.program.heaviest(self.objective(value));
        self.columns.iter().zip(&self.unit).map(|(p, unit)| all[*p] / unit).collect()
    }
}

/// The mean margin, by weight.
fn typical(program: &DiagonalProgram) -> f64 {
    let weights: f64 = program.rows.iter().map(|r| r.weight).sum();
    let mean = program.rows.iter().map(|r| r.weight * r.margin).sum::<f64>() / weights.max(f64::MIN_POSITIVE);
    if mean > 0.0 { mean } else { 1.0 }
}

/// `P` of the columns that vary, in the units of their weights.
fn curvature(program: &DiagonalProgram, columns: &[usize], unit: &[f64]) -> Curvature {
    match &program.curvature {
        Curvature::None => Curvature::None,
        Curvature::Diagonal(p) => {
            Curvature::Diagonal(columns.iter().zip(unit).map(|(k, unit)| p[*k] * unit * unit).collect())
        }
        Curvature::Blocks(blocks) => {
            let (mut first, mut at) = (0, 0);
            let mut out = Vec::new();
            for block in blocks {
                let until = first + block.nrows();
                let count = columns[at..].iter().take_while(|p| **p < until).count();
                let here = &columns[at..at + count];
                out.push(Array2::from_shape_fn((count, count), |(a, b)| {
                    block[(here[a] - first, here[b] - first)] * unit[at + a] * unit[at + b]
                }));
                (first, at) = (until, at + count);
            }
            Curvature::Blocks(out)
        }
    }
}
