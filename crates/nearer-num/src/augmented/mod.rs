//! The augmented Lagrangian of rows that are linear in squared distances of points, with its gradient.
//!
//! Points `x₁ … xₙ` in `r` coordinates and numbers `b₁ … bₙ`; `d_p = |xᵢ - xⱼ|²` for each pair `p = (i, j)`. A row is
//! `r_t = Σ A_tp d_p + B_t b_{i(t)} + e_t` and its term `φ_t(r) = max v r - κ v²/2` over `low ≤ v ≤ high`. With multipliers
//! `y` and a penalty `σ`, the smooth function
//!
//! ```text
//! a Σ |xᵢ - x̄|² + Σ c_p d_p + Σ_t max_v [ v r_t - κ v²/2 - (v - y_t)²/(2σ) ],   low ≤ v ≤ high
//! ```
//!
//! is minimised by turns with `y ← v`. Distances are made pair by pair where pairs are few, else by one dense product.

mod distances;
mod pull;
mod rows;

use ndarray::{ArrayView2, ArrayViewMut2};

use crate::precondition::SecondOrder;
use crate::{gemm, par};
use distances::distances_into;
pub use distances::{differences_squared, distances_from, square_distances};
use pull::{adjacency, pull_some};
pub use rows::{NONE, Rows};

/// Runs a kernel over points of `r` coordinates: a known number of them is kept in registers.
macro_rules! by_dimension {
    ($kernel:ident) => {
        match $kernel.r {
            2 => $kernel.of::<2>(),
            3 => $kernel.of::<3>(),
            4 => $kernel.of::<4>(),
            5 => $kernel.of::<5>(),
            6 => $kernel.of::<6>(),
            7 => $kernel.of::<7>(),
            8 => $kernel.of::<8>(),
            _ => $kernel.of_any(),
        }
    };
}
use by_dimension;

/// The function, apart from multipliers and penalty.
///
/// Pairs are followed one by one; where those of the rows are most of all pairs, by dense products, and where many more
/// have a cost, those are one fixed Laplacian, made once.
#[derive(Debug, Clone)]
pub struct Problem {
    n: usize,
    trace: f64,
    curvature: f64,
    rows: Rows,
    /// How many entries each row has, if all have as many; else 0.
    entries: usize,
    /// The pairs that are followed, and what they cost beside the rows (unless the square of the costs has it).
    pairs: Vec<(u32, u32)>,
    cost: Vec<f64>,
    /// The entries by pair: for pair `p` the rows `by_row[from[p]..from[p + 1]]` and their coefficients.
    from: Vec<u32>,
    by_row: Vec<u32>,
    by_coefficient: Vec<f64>,
    work: Work,
}

#[derive(Debug, Clone)]
enum Work {
    /// All distances by one product, all pulls by another.
    Dense,
    /// The pairs around each point, neighbour and pair; and the Laplacian of the costs, where it is a square of its own.
    Sparse { square: Option<Vec<f64>>, around: Vec<u32>, neighbours: Vec<(u32, u32)> },
}

/// Memory of one evaluation, kept between evaluations.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    distances: Vec<f64>,
    multipliers: Vec<f64>,
    weights: Vec<f64>,
    square: Vec<f64>,
    degree: Vec<f64>,
    product: Vec<f64>,
}

/// Rows or pairs that one piece works on.
const PIECE: usize = 1 << 13;

impl Problem {
    /// `n` points; `trace` is `a`, `cost` has one number for each pair, rows refer to pairs by their place.
    #[must_use]
    pub fn new(n: usize, trace: f64, curvature: f64, pairs: Vec<(u32, u32)>, cost: Vec<f64>, mut rows: Rows) -> Self {
        if rows.start.is_empty() {
            rows.start.push(0);
        }
        let mut used = vec![false; pairs.len()];
        rows.pair.iter().for_each(|p| used[*p as usize] = true);
        let active = used.iter().filter(|u| **u).count();
        let (pairs, cost, work) = if active > n * n / 8 {
            (pairs, cost, Work::Dense)
        } else {
            // Few pairs that cost something are followed with those of the rows; many are one square.
            let paid = cost.iter().filter(|c| **c != 0.0).count();
            let square = (paid > n * n / 16).then(|| square_of(n, &pairs, &cost));
            let follow = |p: usize| used[p] || (square.is_none() && cost[p] != 0.0);
            let mut place = vec![0u32; pairs.len()];
            let (mut kept, mut costs) = (Vec::with_capacity(active), Vec::with_capacity(active));
            for (p, pair) in pairs.iter().enumerate().filter(|(p, _)| follow(*p)) {
                place[p] = kept.len() as u32;
                kept.push(*pair);
                costs.push(if square.is_none() { cost[p] } else { 0.0 });
            }
            rows.pair.iter_mut().for_each(|p| *p = place[*p as usize]);
            let (around, neighbours) = adjacency(n, &kept);
            (kept, costs, Work::Sparse { square, around, neighbours })
        };
        let mut from = vec![0u32; pairs.len() + 1];
        rows.pair.iter().for_each(|p| from[*p as usize + 1] += 1);
        (1..from.len()).for_each(|p| from[p] += from[p - 1]);
        let mut next = from.clone();
        let (mut by_row, mut by_coefficient) = (vec![0; rows.pair.len()], vec![0.0; rows.pair.len()]);
        for t in 0..rows.len() {
            for (p, a) in rows.entries(t) {
                let k = &mut next[p as usize];
                by_row[*k as usize] = t as u32;
                by_coefficient[*k as usize] = a;
                *k += 1;
            }
        }
        let entries = match rows.pair.len().checked_div(rows.len()) {
            Some(e) if (0..=rows.len()).all(|t| rows.start[t] as usize == e * t) => e,
            _ => 0,
        };
        Problem { n, trace, curvature, rows, entries, pairs, cost, from, by_row, by_coefficient, work }
    }

    /// The value, with the gradients in the points and in the `b` written.
    #[allow(clippy::too_many_arguments)]
    pub fn evaluate(
        &self,
        (x, r): (&[f64], usize),
        b: &[f64],
        y: &[f64],
        sigma: f64,
        scratch: &mut Scratch,
        gradient: &mut [f64],
        gradient_b: &mut [f64],
    ) -> f64 {
        distances_into(self.n, &self.pairs, matches!(self.work, Work::Dense), (x, r), scratch);
        let mut value: f64 = self.sum_of_rows(b, y, sigma, scratch);
        self.weights_of(scratch);
        match &self.work {
            Work::Dense => self.pull_all(x, r, scratch, gradient),
            Work::Sparse { square, around, neighbours } => {
                pull_some(x, r, (around, neighbours), &scratch.weights, gradient);
                if let Some(square) = square {
                    // Twice the Laplacian times the points, and ⟨X, L X⟩.
                    square_times(self.n, r, square, x, &mut scratch.product);
                    value += crate::vectors::dot(&scratch.product, x);
                    gradient.iter_mut().zip(&scratch.product).for_each(|(g, p)| *g += 2.0 * p);
                }
            }
        }
        value += crate::vectors::dot(&self.cost, &scratch.distances);
        value += self.spread(x, r, gradient);
        gradient_b.fill(0.0);
        if !self.rows.extra.is_empty() {
            for (t, v) in scratch.multipliers.iter().enumerate() {
                if self.rows.extra[t] != NONE {
                    gradient_b[self.rows.extra[t] as usize] += v * self.rows.extra_coefficient[t];
                }
            }
        }
        value
    }

    /// What the second derivatives at these points are made of.
    pub(crate) fn second_order(&self, (x, r): (&[f64], usize), y: &[f64], sigma: f64) -> SecondOrder {
        let n = self.n;
        let mut scratch = Scratch::default();
        distances_into(n, &self.pairs, matches!(self.work, Work::Dense), (x, r), &mut scratch);
        self.sum_of_rows(&[], y, sigma, &mut scratch);
        self.weights_of(&mut scratch);
        let mut square = square_of(n, &self.pairs, &scratch.weights);
        if let Work::Sparse { square: Some(fixed), .. } = &self.work {
            square.iter_mut().zip(fixed).for_each(|(s, f)| *s += f);
        }
        (0..n).for_each(|i| square[i * n + i] += self.trace);
        let v = &scratch.multipliers;
        let inside = |t: usize| self.rows.low[t] < v[t] && v[t] < self.rows.high[t];
        let mut active = Vec::new();
        for (p, &(i, j)) in self.pairs.iter().enumerate() {
            let entries = self.from[p] as usize..self.from[p + 1] as usize;
            let sum: f64 = entries
                .filter(|e| inside(self.by_row[*e] as usize))
                .map(|e| self.by_coefficient[e] * self.by_coefficient[e])
                .sum();
            if sum > 0.0 {
                active.push((i, j, sum / (1.0 + sigma * self.curvature)));
            }
        }
        SecondOrder { square, active }
    }

    /// The terms of all rows, and their new multipliers.
    fn sum_of_rows(&self, b: &[f64], y: &[f64], sigma: f64, scratch: &mut Scratch) -> f64 {
        let m = self.rows.len();
        scratch.multipliers.resize(m, 0.0);
        let (d, kappa) = (&scratch.distances, self.curvature);
        let parts: Vec<(usize, &mut [f64], f64)> =
            scratch.multipliers.chunks_mut(PIECE).enumerate().map(|(k, part)| (k * PIECE, part, 0.0)).collect();
        let sums = std::sync::Mutex::new(vec![0.0; parts.len()]);
        par::each(parts, |k, (start, out, _)| {
            let work = Terms { rows: &self.rows, d, b, y, sigma, kappa, start };
            let sum = match self.entries {
                1 => work.sum::<1>(out),
                2 => work.sum::<2>(out),
                _ => work.sum::<0>(out),
            };
            sums.lock().expect("no piece panics")[k] = sum;
        });
        sums.into_inner().expect("no piece panics").iter().sum()
    }

    /// `w_p = c_p + Σ_t A_tp v_t`.
    fn weights_of(&self, scratch: &mut Scratch) {
        scratch.weights.resize(self.pairs.len(), 0.0);
        let v = &scratch.multipliers;
        par::chunks(&mut scratch.weights, PIECE, |start, out| {
            for (s, out) in out.iter_mut().enumerate() {
                let p = start + s;
                let mut w = self.cost[p];
                for e in self.from[p] as usize..self.from[p + 1] as usize {
                    w += self.by_coefficient[e] * v[self.by_row[e] as usize];
                }
                *out = w;
            }
        });
    }

    /// `Σ_j 2 w (xᵢ - xⱼ)` into the gradient, by one dense product.
    fn pull_all(&self, x: &[f64], r: usize, scratch: &mut Scratch, gradient: &mut [f64]) {
        let n = self.n;
        scratch.square.fill(0.0);
        scratch.degree.clear();
        scratch.degree.resize(n, 0.0);
        for (&(i, j), w) in self.pairs.iter().zip(&scratch.weights) {
            let (i, j) = (i as usize, j as usize);
            scratch.square[i * n + j] = *w;
            scratch.degree[i] += w;
            scratch.degree[j] += w;
        }
        gemm::mirror(n, &mut scratch.square);
        square_times(n, r, &scratch.square, x, &mut scratch.product);
        for i in 0..n {
            for k in i * r..(i + 1) * r {
                gradient[k] = 2.0 * (scratch.degree[i] * x[k] - scratch.product[k]);
            }
        }
    }

    /// `a Σ |xᵢ - x̄|²` and its gradient.
    fn spread(&self, x: &[f64], r: usize, gradient: &mut [f64]) -> f64 {
        if self.trace == 0.0 {
            return 0.0;
        }
        let mut mean = vec![0.0; r];
        for row in x.chunks_exact(r) {
            row.iter().zip(&mut mean).for_each(|(x, m)| *m += x);
        }
        mean.iter_mut().for_each(|m| *m /= self.n as f64);
        let mut square = 0.0;
        for (row, g) in x.chunks_exact(r).zip(gradient.chunks_exact_mut(r)) {
            for k in 0..r {
                let e = row[k] - mean[k];
                square += e * e;
                g[k] += 2.0 * self.trace * e;
            }
        }
        self.trace * square
    }
}

/// What the terms of rows one after another are made of.
struct Terms<'a> {
    rows: &'a Rows,
    d: &'a [f64],
    b: &'a [f64],
    y: &'a [f64],
    sigma: f64,
    kappa: f64,
    start: usize,
}

impl Terms<'_> {
    /// The sum of the terms of rows with `E` entries each, or 0 for any number; their new multipliers are written.
    fn sum<const E: usize>(&self, out: &mut [f64]) -> f64 {
        let (soft, half) = (1.0 / (1.0 + self.sigma * self.kappa), 0.5 / self.sigma);
        let range = self.start..self.start + out.len();
        let ends = self.rows.low[range.clone()].iter().zip(&self.rows.high[range.clone()]);
        let mut sum = 0.0;
        for (((t, out), (low, high)), y) in range.clone().zip(out).zip(ends).zip(&self.y[range]) {
            let r = self.residual::<E>(t);
            let free = (y + self.sigma * r) * soft;
            // Written as two choices, which are cheaper than `clamp` and what it checks.
            let v = if free < *low { *low } else { free };
            let v = if v > *high { *high } else { v };
            let moved = v - y;
            sum += v * r - 0.5 * self.kappa * v * v - moved * moved * half;
            *out = v;
        }
        sum
    }

    #[inline(always)]
    fn residual<const E: usize>(&self, t: usize) -> f64 {
        let rows = self.rows;
        if E == 0 {
            return rows.residual(t, self.d, self.b);
        }
        let mut r = rows.constant[t];
        for (p, a) in rows.pair[E * t..][..E].iter().zip(&rows.coefficient[E * t..][..E]) {
            r += a * self.d[*p as usize];
        }
        if !rows.extra.is_empty() && rows.extra[t] != NONE {
            r += rows.extra_coefficient[t] * self.b[rows.extra[t] as usize];
        }
        r
    }
}

/// The Laplacian of the costs, as a square.
fn square_of(n: usize, pairs: &[(u32, u32)], cost: &[f64]) -> Vec<f64> {
    let mut square = vec![0.0; n * n];
    for (&(i, j), c) in pairs.iter().zip(cost) {
        let (i, j) = (i as usize, j as usize);
        square[i * n + j] -= c;
        square[j * n + i] -= c;
        square[i * n + i] += c;
        square[j * n + j] += c;
    }
    square
}

fn square_times(n: usize, r: usize, square: &[f64], x: &[f64], product: &mut Vec<f64>) {
    product.resize(n * r, 0.0);
    gemm::into(
        ArrayView2::from_shape((n, n), square).expect("n rows of n"),
        ArrayView2::from_shape((n, r), x).expect("n rows of r"),
        ArrayViewMut2::from_shape((n, r), &mut product[..]).expect("n rows of r"),
    );
}

#[cfg(test)]
mod tests;
