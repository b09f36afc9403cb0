//! The program of partial order embedding: everything as far apart as a bound allows, the order kept with its margins.

use ndarray::Array2;
use nearer_num::{definite, packed};

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::graph::ConstraintGraph;
use crate::program::gnmds::PairNumbers;
use crate::program::gram::{Anchor, Interior};
use crate::program::{GramProgram, Interval, Rows, Sense};

/// The longest chains of comparisons: `h(p)` is the largest sum of margins along a chain that starts with `p` as the near pair.
///
/// `d_p = B - h(p)` is the largest of all `d ≤ B` that keep the order, in every entry at once, so it is the optimum whenever it
/// belongs to points at all, that is when `B H + H h H` is positive semidefinite: for every `B` from [`LongestPaths::smallest`]
/// on. It is then a regular simplex, dented by `h`, of full rank.
#[derive(Debug, Clone)]
pub(crate) struct LongestPaths {
    n: usize,
    /// `h`, packed row by row.
    pub heights: Vec<f64>,
    /// The longest chain of all.
    pub diameter: f64,
    least: f64,
    /// Pairs in topological order, near ones first, as packed indices.
    order: Vec<usize>,
}

impl LongestPaths {
    /// The heights of a consistent set.
    pub(crate) fn new(graph: &ConstraintGraph, n: usize) -> Result<Self, Error> {
        let mut heights = vec![0.0; packed::len(n)];
        for (pair, height) in graph.heights()? {
            heights[packed::index(n, pair.first().index(), pair.second().index())] = height;
        }
        let h = Array2::from_shape_fn(
            (n, n),
            |(i, j)| if i == j { 0.0 } else { heights[packed::index(n, i.min(j), i.max(j))] },
        );
        let diameter = heights.iter().fold(0.0, |m: f64, v| m.max(*v));
        let least = definite::least_eigenvalue(centred(&h).view()).value - 1e-13 * definite::row_sum(h.view());
        let at = |v: u32| {
            let pair = graph.nodes()[v as usize];
            packed::index(n, pair.first().index(), pair.second().index())
        };
        let order = graph.topological_order()?.into_iter().map(at).collect();
        Ok(LongestPaths { n, heights, diameter, least, order })
    }
    /// The bound of the paper, `(4 n + 1)(diam + 1)`, at which the closed form always holds.
    #[must_use]
    pub(crate) fn papers_bound(&self) -> f64 {
        (4.0 * self.n as f64 + 1.0) * (self.diameter + 1.0)
    }
    /// From this bound on the closed form is the optimum (proved, so perhaps a hair above the least such bound).
    #[must_use]
    pub(crate) fn smallest(&self) -> f64 {
        // Also the distances themselves must not be negative.
        (-self.least).max(self.diameter) * (1.0 + 1e-12)
    }
    /// The Gram matrix of the closed form, `½ (B H + H h H)`.
    #[must_use]
    pub(crate) fn gram(&self, bound: f64) -> Array2<f64> {
        let n = self.n;
        let h = Array2::from_shape_fn((n, n), |(i, j)| {
            if i == j { 0.0 } else { self.heights[packed::index(n, i.min(j), i.max(j))] }
        });
        let mut g = centred(&h) * 0.5;
        for i in 0..n {
            for j in 0..n {
                g[(i, j)] += 0.5 * bound * (f64::from(u8::from(i == j)) - 1.0 / n as f64);
            }
        }
        g
    }
    /// The multipliers that prove the closed form: every pair sends what it has, one unit and what it was sent, along a longest
    /// chain; where the chain ends it rests on the bound. With them the dual matrix is zero.
    #[must_use]
    pub(crate) fn multipliers(&self, c: &Comparisons) -> Vec<f64> {
        let rows = distinct(c);
        let everything = packed::len(self.n);
        let at = |p: crate::object::Pair| packed::index(self.n, p.first().index(), p.second().index());
        let mut along: Vec<Option<(usize, usize)>> = vec![None; everything];
        for (t, row) in rows.iter().enumerate() {
            let (near, far) = (at(row.near), at(row.far));
            if self.heights[near] == self.heights[far] + row.margin {
                along[near].get_or_insert((t, far));
            }
        }
        let mut y = vec![0.0; everything + rows.len()];
        let mut held = vec![1.0; everything];
        for &p in &self.order {
            if let Some((t, far)) = along[p] {
                y[everything + t] += held[p];
                held[far] += held[p];
                held[p] = 0.0;
            }
        }
        y[..everything].copy_from_slice(&held);
        y
    }
    /// The optimum `Σ d` for such a bound.
    #[must_use]
    pub(crate) fn optimum(&self, bound: f64) -> f64 {
        self.heights.iter().map(|h| bound - h).sum()
    }
}

/// `max Σ d_p` over all pairs, `d_p ≤ bound`, `d(near) + margin ≤ d(far)`. The scale of the gap is `bound` times the number of
/// pairs.
pub(crate) fn partial_order(c: &Comparisons, paths: &LongestPaths, bound: f64) -> Result<GramProgram, Error> {
    let n = c.objects().len();
    let mut pairs = PairNumbers::default();
    let mut rows = Rows::default();
    for k in 0..packed::len(n) {
        let (i, j) = packed::pair(n, k);
        let p = pairs.number_of(i as u32, j as u32);
        rows.push(&[(p, 1.0)], -bound, Interval::HARD.low, Interval::HARD.high);
    }
    for row in distinct(c).iter() {
        let (near, far) = (pairs.number(row.near), pairs.number(row.far));
        rows.push(&[(near, 1.0), (far, -1.0)], row.margin, Interval::HARD.low, Interval::HARD.high);
    }
    let everything = packed::len(n);
    let mut anchor = vec![2.0; everything];
    anchor.resize(rows.len(), 0.0);
    let mut program = GramProgram::new(n, Sense::Maximise, bound * everything as f64)
        .trace(-(n as f64))
        .pairs(pairs.list)
        .rows(rows)
        .checked()?;
    // S(2 on every bound) = -n H + 2 n H.
    program.anchor = Some(Anchor::Rows(anchor, n as f64 * (1.0 - 1e-12)));
    // The closed form at a smaller bound with its heights stretched a little keeps every row with room to spare.
    let (inner, stretch) = (0.5 * (bound + paths.smallest()), 1.0 + 0.25 * (bound / paths.smallest() - 1.0).min(1.0));
    if bound > paths.smallest() * (1.0 + 1e-9) && inner >= paths.smallest() * stretch {
        let distances: Vec<f64> = paths.heights.iter().map(|h| inner - stretch * h).collect();
        let trace = distances.iter().sum::<f64>() / n as f64;
        program.interior = Some(Interior::new(distances, trace));
    }
    Ok(program)
}

/// Comparisons with repeats left out: one for each row of the order.
pub(crate) fn distinct(c: &Comparisons) -> Comparisons {
    let mut seen = std::collections::HashSet::new();
    let first = |k: &usize| {
        let row = &c.rows()[*k];
        seen.insert((row.near, row.far, row.margin.to_bits()))
    };
    let rows: Vec<usize> = (0..c.len()).filter(first).collect();
    c.subset(&rows)
}

fn centred(a: &Array2<f64>) -> Array2<f64> {
    let rows = a.mean_axis(ndarray::Axis(1)).unwrap_or_default();
    let all = rows.mean().unwrap_or(0.0);
    Array2::from_shape_fn(a.raw_dim(), |(i, j)| a[(i, j)] - rows[i] - rows[j] + all)
}
