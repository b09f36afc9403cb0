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

use ndarray::{ArrayView2, ArrayViewMut2};

use crate::precondition::SecondOrder;
use crate::simd::{self, Kernel};
use crate::{gemm, par};

/// A row without a number `b`.
pub const NONE: u32 = u32::MAX;

/// Rows in the order of their entries: row `t` has the entries `start[t] .. start[t + 1]`.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Where the entries of a row begin; one more than there are rows.
    pub start: Vec<u32>,
    /// The pair of an entry.
    pub pair: Vec<u32>,
    /// Its coefficient `A_tp`.
    pub coefficient: Vec<f64>,
    /// Which `b` a row has, or [`NONE`]; empty where no row has one.
    pub extra: Vec<u32>,
    /// Its coefficient `B_t`; empty where no row has one.
    pub extra_coefficient: Vec<f64>,
    /// The constants `e_t`.
    pub constant: Vec<f64>,
    /// Least multipliers.
    pub low: Vec<f64>,
    /// Largest multipliers.
    pub high: Vec<f64>,
}

impl Rows {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.constant.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.constant.is_empty()
    }
    /// The entries of a row.
    pub fn entries(&self, t: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.start[t] as usize..self.start[t + 1] as usize;
        self.pair[range.clone()].iter().copied().zip(self.coefficient[range].iter().copied())
    }
    /// Adds a row.
    pub fn push(&mut self, entries: &[(u32, f64)], constant: f64, low: f64, high: f64) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        for &(pair, coefficient) in entries {
            self.pair.push(pair);
            self.coefficient.push(coefficient);
        }
        self.start.push(self.pair.len() as u32);
        self.constant.push(constant);
        self.low.push(low);
        self.high.push(high);
    }
    /// Adds a row with a multiple of one of the `b`; all rows of a set have one or none.
    pub fn push_with(&mut self, entries: &[(u32, f64)], extra: (u32, f64), constant: f64, low: f64, high: f64) {
        self.push(entries, constant, low, high);
        self.extra.push(extra.0);
        self.extra_coefficient.push(extra.1);
    }
    /// The residual of a row.
    #[inline]
    #[must_use]
    pub fn residual(&self, t: usize, d: &[f64], b: &[f64]) -> f64 {
        let mut r = self.constant[t];
        for e in self.start[t] as usize..self.start[t + 1] as usize {
            r += self.coefficient[e] * d[self.pair[e] as usize];
        }
        if !self.extra.is_empty() && self.extra[t] != NONE {
            r += self.extra_coefficient[t] * b[self.extra[t] as usize];
        }
        r
    }
}

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

/// Squared distances of pairs, for points in rows of `r` coordinates.
#[must_use]
pub fn square_distances(n: usize, pairs: &[(u32, u32)], x: &[f64], r: usize) -> Vec<f64> {
    let mut scratch = Scratch::default();
    distances_into(n, pairs, pairs.len() > n * n / 8, (x, r), &mut scratch);
    scratch.distances
}

/// The same from the differences of the coordinates alone: sums of `r` squares in some order, so that the relative error of
/// each is at most that of `r + 2` operations.
#[must_use]
pub fn differences_squared(pairs: &[(u32, u32)], x: &[f64], r: usize) -> Vec<f64> {
    let mut scratch = Scratch::default();
    distances_into(0, pairs, false, (x, r), &mut scratch);
    scratch.distances
}

/// Squared distances from point `i` to each of `n` points that are given coordinate by coordinate.
#[must_use]
pub fn distances_from(columns: &[f64], n: usize, i: usize) -> Vec<f64> {
    let mut out = vec![0.0; n];
    for column in columns.chunks_exact(n.max(1)) {
        let here = column[i];
        out.iter_mut().zip(column).for_each(|(out, there)| *out += (here - there) * (here - there));
    }
    out
}

fn distances_into(n: usize, pairs: &[(u32, u32)], dense: bool, (x, r): (&[f64], usize), scratch: &mut Scratch) {
    scratch.distances.resize(pairs.len(), 0.0);
    if dense {
        scratch.square.resize(n * n, 0.0);
        let y = ArrayView2::from_shape((n, r), x).expect("n rows of r coordinates");
        let g = ArrayViewMut2::from_shape((n, n), &mut scratch.square[..]).expect("n rows of n");
        gemm::upper_gram(y, g);
        let g = &scratch.square;
        let diagonal: Vec<f64> = (0..n).map(|i| g[i * n + i]).collect();
        par::chunks(&mut scratch.distances, PIECE, |start, out| {
            for (out, &(i, j)) in out.iter_mut().zip(&pairs[start..]) {
                let (i, j) = (i as usize, j as usize);
                *out = (diagonal[i] + diagonal[j] - 2.0 * g[i * n + j]).max(0.0);
            }
        });
    } else {
        par::chunks(&mut scratch.distances, PIECE, |start, out| {
            let pairs = &pairs[start..start + out.len()];
            simd::run(Apart { x, r, pairs, out });
        });
    }
}

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

/// Writes `Σ_j 2 w (xᵢ - xⱼ)` over the pairs that are followed.
fn pull_some(
    x: &[f64],
    r: usize,
    (around, neighbours): (&[u32], &[(u32, u32)]),
    weights: &[f64],
    gradient: &mut [f64],
) {
    par::chunks(gradient, 256 * r, |start, out| {
        simd::run(Pull { x, r, around, neighbours, weights, first: start / r, out });
    });
}

/// The pulls at some points one after another.
struct Pull<'a> {
    x: &'a [f64],
    r: usize,
    around: &'a [u32],
    neighbours: &'a [(u32, u32)],
    weights: &'a [f64],
    first: usize,
    out: &'a mut [f64],
}

impl Kernel for Pull<'_> {
    #[inline(always)]
    fn run(self) {
        // A known number of coordinates is kept in registers.
        match self.r {
            2 => self.of::<2>(),
            3 => self.of::<3>(),
            4 => self.of::<4>(),
            5 => self.of::<5>(),
            6 => self.of::<6>(),
            7 => self.of::<7>(),
            8 => self.of::<8>(),
            _ => self.of_any(),
        }
    }
}

impl Pull<'_> {
    #[inline(always)]
    fn of<const R: usize>(self) {
        let x = self.x.as_chunks::<R>().0;
        for (s, out) in self.out.as_chunks_mut::<R>().0.iter_mut().enumerate() {
            let i = self.first + s;
            let (here, mut sum) = (x[i], [0.0; R]);
            for &(j, p) in &self.neighbours[self.around[i] as usize..self.around[i + 1] as usize] {
                let (w, there) = (2.0 * self.weights[p as usize], &x[j as usize]);
                (0..R).for_each(|k| sum[k] += w * (here[k] - there[k]));
            }
            *out = sum;
        }
    }

    #[inline(always)]
    fn of_any(self) {
        let r = self.r;
        for (s, out) in self.out.chunks_exact_mut(r).enumerate() {
            let i = self.first + s;
            out.fill(0.0);
            let here = &self.x[i * r..][..r];
            for &(j, p) in &self.neighbours[self.around[i] as usize..self.around[i + 1] as usize] {
                let w = 2.0 * self.weights[p as usize];
                // A settled pair pulls at nothing.
                if w != 0.0 {
                    let there = &self.x[j as usize * r..][..r];
                    out.iter_mut().zip(here.iter().zip(there)).for_each(|(o, (a, b))| *o += w * (a - b));
                }
            }
        }
    }
}

/// Squared distances of some pairs.
struct Apart<'a> {
    x: &'a [f64],
    r: usize,
    pairs: &'a [(u32, u32)],
    out: &'a mut [f64],
}

impl Kernel for Apart<'_> {
    #[inline(always)]
    fn run(self) {
        match self.r {
            2 => self.of::<2>(),
            3 => self.of::<3>(),
            4 => self.of::<4>(),
            5 => self.of::<5>(),
            6 => self.of::<6>(),
            7 => self.of::<7>(),
            8 => self.of::<8>(),
            r => {
                for (out, &(i, j)) in self.out.iter_mut().zip(self.pairs) {
                    let (a, b) = (&self.x[i as usize * r..][..r], &self.x[j as usize * r..][..r]);
                    let ((quads, rest), (others, last)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
                    let mut lanes = [0.0; 4];
                    for (a, b) in quads.iter().zip(others) {
                        (0..4).for_each(|k| lanes[k] += (a[k] - b[k]) * (a[k] - b[k]));
                    }
                    let end: f64 = rest.iter().zip(last).map(|(a, b)| (a - b) * (a - b)).sum();
                    *out = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + end;
                }
            }
        }
    }
}

impl Apart<'_> {
    #[inline(always)]
    fn of<const R: usize>(self) {
        let x = self.x.as_chunks::<R>().0;
        for (out, &(i, j)) in self.out.iter_mut().zip(self.pairs) {
            let (a, b) = (&x[i as usize], &x[j as usize]);
            *out = (0..R).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum();
        }
    }
}

fn square_times(n: usize, r: usize, square: &[f64], x: &[f64], product: &mut Vec<f64>) {
    product.resize(n * r, 0.0);
    gemm::into(
        ArrayView2::from_shape((n, n), square).expect("n rows of n"),
        ArrayView2::from_shape((n, r), x).expect("n rows of r"),
        ArrayViewMut2::from_shape((n, r), &mut product[..]).expect("n rows of r"),
    );
}

/// For each point its neighbours and the pairs they make.
fn adjacency(n: usize, pairs: &[(u32, u32)]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut around = vec![0u32; n + 1];
    for &(i, j) in pairs {
        around[i as usize + 1] += 1;
        around[j as usize + 1] += 1;
    }
    (1..=n).for_each(|i| around[i] += around[i - 1]);
    let mut next = around.clone();
    let mut neighbours = vec![(0, 0); 2 * pairs.len()];
    for (p, &(i, j)) in pairs.iter().enumerate() {
        for (a, b) in [(i, j), (j, i)] {
            neighbours[next[a as usize] as usize] = (b, p as u32);
            next[a as usize] += 1;
        }
    }
    (around, neighbours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn random(n: usize, pairs: usize, rows: usize, seed: u64) -> (Problem, Vec<f64>, Vec<f64>, Vec<f64>) {
        let mut rng = Rng::task(seed, n as u64);
        let all: Vec<(u32, u32)> = (0..n as u32).flat_map(|i| (i + 1..n as u32).map(move |j| (i, j))).collect();
        let order = rng.permutation(all.len());
        let mut list: Vec<_> = order[..pairs.min(all.len())].iter().map(|k| all[*k]).collect();
        list.sort_unstable();
        let cost = list.iter().map(|_| rng.normal()).collect();
        let mut set = Rows::default();
        for t in 0..rows {
            let entries = [(rng.below(list.len()) as u32, 1.0), (rng.below(list.len()) as u32, -1.5)];
            let (low, high) = if t % 2 == 0 { (0.0, 0.7) } else { (-0.4, 0.4) };
            set.push_with(&entries, (rng.below(n) as u32, rng.normal()), rng.normal(), low, high);
        }
        let x = (0..3 * n).map(|_| rng.normal()).collect();
        let b = (0..n).map(|_| rng.normal()).collect();
        let y = (0..rows).map(|_| 0.3 * rng.uniform()).collect();
        (Problem::new(n, 0.8, 0.3, list, cost, set), x, b, y)
    }

    #[test]
    fn the_gradient_is_that_of_the_value_with_few_and_with_many_pairs() {
        for (n, pairs) in [(30, 60), (30, 435), (60, 1700)] {
            let (problem, x, b, y) = random(n, pairs, 90, 3);
            let mut scratch = Scratch::default();
            let (mut g, mut gb) = (vec![0.0; x.len()], vec![0.0; n]);
            let mut at = |x: &[f64], b: &[f64], g: &mut [f64], gb: &mut [f64]| {
                problem.evaluate((x, 3), b, &y, 0.9, &mut scratch, g, gb)
            };
            at(&x, &b, &mut g, &mut gb);
            let (mut no, mut nob) = (g.clone(), gb.clone());
            for k in 0..x.len() {
                let (mut up, mut down) = (x.clone(), x.clone());
                up[k] += 1e-5;
                down[k] -= 1e-5;
                let slope = (at(&up, &b, &mut no, &mut nob) - at(&down, &b, &mut no, &mut nob)) / 2e-5;
                assert!((slope - g[k]).abs() < 1e-4 * (1.0 + g[k].abs()), "{k}: {slope} {}", g[k]);
            }
            for k in 0..n {
                let (mut up, mut down) = (b.clone(), b.clone());
                up[k] += 1e-5;
                down[k] -= 1e-5;
                let slope = (at(&x, &up, &mut no, &mut nob) - at(&x, &down, &mut no, &mut nob)) / 2e-5;
                assert!((slope - gb[k]).abs() < 1e-4 * (1.0 + gb[k].abs()));
            }
        }
    }

    #[test]
    fn threads_change_nothing_and_dense_is_sparse() {
        let mut rng = Rng::task(5, 5);
        // Few rows on many pairs with a cost: a fixed square and a list; the same pairs all in rows: dense.
        let n = 120usize;
        let pairs: Vec<(u32, u32)> = (0..n as u32).flat_map(|i| (i + 1..n as u32).map(move |j| (i, j))).collect();
        let cost: Vec<f64> = pairs.iter().map(|_| rng.normal()).collect();
        let (mut few, mut many) = (Rows::default(), Rows::default());
        for t in 0..20_000 {
            let entries = [(rng.below(pairs.len()) as u32, 1.0), (rng.below(pairs.len()) as u32, -1.0)];
            many.push(&entries, 0.5, 0.0, if t < 500 { 0.7 } else { 0.0 });
            if t < 500 {
                few.push(&entries, 0.5, 0.0, 0.7);
            }
        }
        let x: Vec<f64> = (0..3 * n).map(|_| rng.normal()).collect();
        let run = |threads, problem: &Problem, rows: usize| {
            par::install(threads, || {
                let mut scratch = Scratch::default();
                let (mut g, mut gb) = (vec![0.0; x.len()], vec![0.0; n]);
                let y = vec![0.0; rows];
                let value = problem.evaluate((&x, 3), &[], &y, 0.9, &mut scratch, &mut g, &mut gb);
                (value, g)
            })
        };
        let dense = Problem::new(n, 0.8, 0.0, pairs.clone(), cost.clone(), many);
        let sparse = Problem::new(n, 0.8, 0.0, pairs, cost, few);
        assert!(matches!(dense.work, Work::Dense) && matches!(sparse.work, Work::Sparse { square: Some(_), .. }));
        let (one, other) = (run(1, &dense, 20_000), run(1, &sparse, 500));
        assert_eq!(one, run(2, &dense, 20_000));
        assert_eq!(other, run(2, &sparse, 500));
        assert!((one.0 - other.0).abs() < 1e-9 * one.0.abs(), "{} {}", one.0, other.0);
        assert!(one.1.iter().zip(&other.1).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + a.abs())));
    }
}
