//! The program of weights: squared distances linear in non-negative weights of columns, rows that compare them.

mod certify;
mod slack;

use std::collections::HashMap;

use ndarray::Array2;
use nearer_num::definite;
use nearer_num::orthant::Curvature;
use nearer_num::squares::Squares;

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::program::Sense;

/// A linear or quadratic program over weights `w ≥ 0` of the columns of an `n x q` array `F`:
///
/// ```text
/// min  ½ wᵗ P w + cᵗ w + s Σ d(i, j) + Σ_t weight_t [margin_t + d(near_t) - d(far_t)]₊      d(i, j) = Σ_p w_p (F_ip - F_jp)²
/// s.t. d(i, j) ≤ B for all pairs, where there is such a bound
/// ```
///
/// Costs `c` and the entries of `P` are not negative, and `P` is positive semidefinite; `s < 0` asks for a bound `B`. All
/// weights zero are always feasible. With multipliers `0 ≤ y_t ≤ weight_t`, `v_ij ≥ 0` and any `x` no value is below
///
/// ```text
/// Σ_t y_t margin_t - B Σ v_ij - ½ xᵗ P x + Σ_p min(0, z_p) W_p
/// z_p = c_p + (P x)_p + Σ_t y_t (Z_near - Z_far)_p + Σ (s + v_ij) Z_ij,p      Z_ij,p = (F_ip - F_jp)²
/// ```
///
/// where `W_p` is a weight that no point as good as a known one can have: `B / max Z_p`, `√(2 value / P_pp)`, `value / c_p`. So
/// multipliers that miss by a little prove a little less, and nothing has to be repaired.
///
/// A program that is maximised is kept as the minimum of the negative objective, and reported in its own sense.
#[derive(Debug, Clone)]
pub struct DiagonalProgram {
    pub(crate) squares: Squares,
    pub(crate) sense: Sense,
    pub(crate) cost: Vec<f64>,
    pub(crate) curvature: Curvature,
    pub(crate) spread: f64,
    pub(crate) rows: Vec<Compared>,
    pub(crate) bound: Option<f64>,
    /// The pairs that rows refer to.
    pub(crate) pairs: Vec<(u32, u32)>,
    /// For each column the sum of its squared differences over all pairs, and how far that may be off.
    pub(crate) spreads: Vec<(f64, f64)>,
    /// For each column its largest value less its least.
    pub(crate) ranges: Vec<f64>,
    /// No eigenvalue of `P` is below minus this, weights in units in which its diagonal is near one.
    pub(crate) deficit: f64,
}

/// `d(near) + margin ≤ d(far)`, or `weight` is paid for each unit that is missing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Compared {
    /// The place of the nearer pair in the list of pairs.
    pub(crate) near: u32,
    /// The place of the farther pair.
    pub(crate) far: u32,
    /// By how much it is to be farther.
    pub margin: f64,
    /// What a unit costs.
    pub weight: f64,
}

/// An answer to a [`DiagonalProgram`], to be judged by it.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// One weight for each column.
    pub weights: Vec<f64>,
    /// One multiplier for each comparison.
    pub multipliers: Vec<f64>,
    /// Multipliers of the pairs held at the bound, where they are not zero: `(i, j, v)`.
    pub held: Vec<(u32, u32, f64)>,
    /// A multiplier that all pairs have besides.
    pub everywhere: f64,
    /// Weights at which the quadratic term is touched from below (`x` in the bound); empty for all zero.
    pub tangent: Vec<f64>,
}

impl DiagonalProgram {
    /// The program of these features, one row an object, without a term.
    #[must_use]
    pub(crate) fn new(features: Array2<f64>, sense: Sense) -> Self {
        let features = if features.is_standard_layout() { features } else { features.as_standard_layout().to_owned() };
        Self::of(Squares::Features(features), sense)
    }

    /// The program of squared distances that are given, without a term: one row a pair of `objects`, packed, and a column for each
    /// weight.
    pub(crate) fn of_distances(objects: usize, squared: Array2<f64>, sense: Sense) -> Self {
        Self::of(Squares::Given(objects, squared), sense)
    }

    fn of(squares: Squares, sense: Sense) -> Self {
        let (spreads, ranges) = (squares.spreads(), squares.ranges());
        DiagonalProgram {
            cost: vec![0.0; squares.columns()],
            squares,
            sense,
            curvature: Curvature::None,
            spread: 0.0,
            rows: Vec::new(),
            bound: None,
            pairs: Vec::new(),
            spreads,
            ranges,
            deficit: 0.0,
        }
    }
    /// With `cᵗ w`.
    #[must_use]
    pub(crate) fn cost(mut self, cost: Vec<f64>) -> Self {
        self.cost = cost;
        self
    }
    /// With `½ wᵗ P w`, `P` a diagonal.
    #[must_use]
    pub(crate) fn squared(mut self, diagonal: Vec<f64>) -> Self {
        self.curvature = Curvature::Diagonal(diagonal);
        self
    }
    /// With `½ wᵗ P w`, `P` of square blocks along the diagonal.
    #[must_use]
    pub(crate) fn blocks(mut self, blocks: Vec<Array2<f64>>) -> Self {
        self.curvature = Curvature::Blocks(blocks.into_iter().map(|b| b.as_standard_layout().to_owned()).collect());
        self
    }
    /// With `s Σ d(i, j)` over all pairs of objects.
    #[must_use]
    pub(crate) fn spread(mut self, s: f64) -> Self {
        self.spread = s;
        self
    }
    /// With `d(i, j) ≤ bound` for all pairs.
    #[must_use]
    pub(crate) fn bound(mut self, bound: f64) -> Self {
        self.bound = Some(bound);
        self
    }
    /// With these comparisons, each paid for by `slack` times its weight; the same one said several times is one row.
    #[must_use]
    pub(crate) fn compared(mut self, c: &Comparisons, slack: f64) -> Self {
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        let mut merged: HashMap<(u32, u32, u64), usize> = HashMap::new();
        let (mut pairs, mut rows): (Vec<(u32, u32)>, Vec<Compared>) = (Vec::new(), Vec::new());
        for row in c.iter() {
            let [near, far] = [row.near, row.far].map(|pair| {
                let pair = (pair.first().0, pair.second().0);
                *numbers.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    pairs.len() as u32 - 1
                })
            });
            match merged.get(&(near, far, row.margin.to_bits())) {
                Some(&k) => rows[k].weight += slack * row.weight,
                None => {
                    merged.insert((near, far, row.margin.to_bits()), rows.len());
                    rows.push(Compared { near, far, margin: row.margin, weight: slack * row.weight });
                }
            }
        }
        (self.pairs, self.rows) = (pairs, rows);
        self
    }
    /// Refuses a program whose parts do not fit together or that has no least value.
    pub(crate) fn checked(mut self) -> Result<Self, Error> {
        let (n, q) = (self.objects(), self.columns());
        let wrong = |what: String, remedy: &str| Err(Error::Evidence { what, remedy: remedy.into() });
        let mistake = "this is a mistake in the program";
        if let Some(((i, p), value)) = self.squares.numbers().indexed_iter().find(|(_, v)| !v.is_finite()) {
            return wrong(format!("column {} of object {} is {value}", p + 1, i + 1), "give finite numbers");
        }
        let odd = |range: &f64| *range > 0.0 && !(1e-100..1e100).contains(range);
        if let Some(p) = self.ranges.iter().position(odd) {
            return wrong(format!("column {} ranges over {:e}", p + 1, self.ranges[p]), "give it in other units");
        }
        if self.cost.len() != q || self.cost.iter().any(|c| !(c.is_finite() && *c >= 0.0)) {
            return wrong("costs of weights must be finite, not negative, and one for each column".into(), mistake);
        }
        if self.pairs.iter().any(|&(i, j)| i >= j || j as usize >= n) {
            return wrong("a comparison is of objects without features".into(), "give features of all objects");
        }
        if self.rows.iter().any(|r| !(r.weight.is_finite() && r.weight > 0.0 && r.margin.is_finite())) {
            return wrong("what broken comparisons cost must be a finite number above 0".into(), mistake);
        }
        if self.bound.is_some_and(|b| !(b.is_finite() && b > 0.0)) || !self.spread.is_finite() {
            return wrong("the bound on squared distances must be a finite number above 0".into(), mistake);
        }
        if self.spread < 0.0 && self.bound.is_none() {
            return wrong("distances are to be large, and nothing bounds them".into(), "give a bound");
        }
        self.deficit = self.psd()?;
        Ok(self)
    }

    /// How far `P` may be from positive semidefinite: nothing, or its rounding.
    fn psd(&self) -> Result<f64, Error> {
        let q = self.columns();
        let wrong = |what: &str| {
            Err(Error::Evidence { what: what.into(), remedy: "use a positive semidefinite kernel".into() })
        };
        let entries_fit = |mut entries: Box<dyn Iterator<Item = f64> + '_>| entries.all(|v| v.is_finite() && v >= 0.0);
        match &self.curvature {
            Curvature::None => Ok(0.0),
            Curvature::Diagonal(p) if p.len() == q && entries_fit(Box::new(p.iter().copied())) => Ok(0.0),
            Curvature::Diagonal(_) => wrong("the diagonal of the quadratic term is negative or of another size"),
            Curvature::Blocks(blocks) => {
                let fit = blocks.iter().all(|b| b.is_square() && entries_fit(Box::new(b.iter().copied())));
                if !fit || blocks.iter().map(Array2::nrows).sum::<usize>() != q {
                    return wrong("the quadratic term has negative entries or another size");
                }
                let mut deficit: f64 = 0.0;
                for b in blocks {
                    if b.iter().zip(b.t().iter()).any(|(x, y)| x != y) {
                        return wrong("the quadratic term is not symmetric");
                    }
                    // What has no square may have no product either; such weights are not in the term at all.
                    if b.rows().into_iter().enumerate().any(|(p, r)| r[p] == 0.0 && r.iter().any(|v| *v != 0.0)) {
                        return wrong("the quadratic term is not positive semidefinite");
                    }
                    let unit: Vec<f64> = b.diag().iter().map(|v| near_root(*v)).collect();
                    let even = Array2::from_shape_fn(b.raw_dim(), |(i, j)| b[(i, j)] / unit[i] / unit[j]);
                    let least = definite::least_eigenvalue(even.view()).value;
                    if least < -1e-9 * b.nrows() as f64 {
                        return wrong("the quadratic term is not positive semidefinite");
                    }
                    deficit = deficit.max(-least);
                }
                Ok(deficit)
            }
        }
    }

    /// How many objects there are.
    #[must_use]
    pub(crate) fn objects(&self) -> usize {
        self.squares.objects()
    }
    /// How many weights there are.
    #[must_use]
    pub(crate) fn columns(&self) -> usize {
        self.squares.columns()
    }
    /// A value of the minimum in the sense of the program.
    pub(crate) fn own(&self, value: f64) -> f64 {
        match self.sense {
            Sense::Minimise => value,
            Sense::Maximise => -value,
        }
    }
}

/// A power of two near the root of a number, by which it can be divided without rounding; 1 for nothing.
pub(crate) fn near_root(v: f64) -> f64 {
    if v > 0.0 { (0.5 * v.log2()).floor().clamp(-500.0, 500.0).exp2() } else { 1.0 }
}

/// What the tests of the engine hold answers against.
#[cfg(test)]
impl DiagonalProgram {
    /// All rows: comparisons, and pairs that are bounded.
    pub(crate) fn row_count(&self) -> usize {
        self.rows.len() + if self.bound.is_some() { nearer_num::packed::len(self.objects()) } else { 0 }
    }
    /// A natural size of the objective: what all weights zero pay, and what all pairs at the bound would count for.
    pub(crate) fn scale(&self) -> f64 {
        let apart = self.bound.map_or(0.0, |b| self.spread.abs() * b * nearer_num::packed::len(self.objects()) as f64);
        self.rows.iter().map(|r| r.weight * r.margin).sum::<f64>() + apart
    }
}
