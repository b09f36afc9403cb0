//! Each row's softmin over the others: shares `p_ij = exp(-|y_i - y_j|²) / Σ_k exp(-|y_i - y_k|²)`, what a function of the
//! shares comes to, and how it changes with every squared distance.
//!
//! What a row says of its distances it says alone, so that strips of rows are swept over once. The Laplacian needs both ends of a
//! pair: up to [`SQUARE`] rows all strips are kept and added to their transpose; beyond that each is applied both ways and forgotten.

mod sweep;

use std::sync::{Mutex, PoisonError};

use ndarray::{Array2, ArrayView2};

use crate::elementary::exp_below_zero;
use crate::simd::{self, Kernel};
use crate::{gemm, par};
use sweep::Sweep;

/// Rows of which a square of all pairs is kept: 128 MB.
pub const SQUARE: usize = 4096;
/// Rows that one piece works on.
const PIECE: usize = 128;
/// Strips that are not kept are gone through in so many lanes at once.
const LANES: usize = 4;
/// A row in no group.
pub const ALONE: u32 = u32::MAX;

/// What is asked of the shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// `-Σ_i Σ_{j in the group of i} p_ij`: minus how many rows one expects to find in their own group.
    Within,
    /// `-Σ_i log Σ_{j in the group of i} p_ij`.
    Likelihood,
    /// `Σ_i KL(even over the group of i ‖ p_i)`.
    Divergence,
}

/// What one pass finds.
#[derive(Debug, Clone)]
pub struct Pass {
    /// The function.
    pub value: f64,
    /// For each row its own part of the value.
    pub parts: Vec<f64>,
    /// `Λ Y` for the Laplacian `Λ` of the symmetric weights `∂value/∂d²_ij + ∂value/∂d²_ji`: half the derivative in `Y`, and with
    /// the rows of another table for those of `Y` the derivative in a metric over it.
    pub moved: Array2<f64>,
}

/// The bytes that a pass over so many rows keeps for their pairs.
#[must_use]
pub fn kept(n: usize) -> f64 {
    if n <= SQUARE { 8.0 * (n * n) as f64 } else { 0.0 }
}

/// Room for the pairs of one pass after another, of several at once.
#[derive(Debug, Default)]
pub struct Room(Mutex<Vec<Vec<f64>>>);

impl Room {
    fn take(&self, size: usize) -> Vec<f64> {
        let mut room = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        room.resize(size, 0.0);
        room
    }
    fn give_back(&self, room: Vec<f64>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(room);
    }
}

/// One pass: `y` has a row for each object and `group` its group; rows of [`ALONE`] or alone in their group ask for nothing and
/// are others to all. `of` is the table that the Laplacian is applied to.
///
/// # Panics
/// If the tables have different numbers of rows.
#[must_use]
pub fn pass(y: ArrayView2<'_, f64>, group: &[u32], ask: Ask, of: ArrayView2<'_, f64>, room: &Room) -> Pass {
    let n = y.nrows();
    assert!(of.nrows() == n && group.len() == n, "a row for each");
    let y = y.as_standard_layout();
    let of = of.as_standard_layout();
    let asked = Asked::new(ask, group);
    let squares: Vec<f64> = y.rows().into_iter().map(|row| row.dot(&row)).collect();
    let swept = Swept { y: y.view(), of: of.view(), squares, asked };
    let (parts, degrees, mut moved) = if n <= SQUARE { swept.kept(room) } else { swept.forgotten() };
    for ((mut out, row), degree) in moved.rows_mut().into_iter().zip(of.rows()).zip(&degrees) {
        out.zip_mut_with(&row, |o, y| *o = degree * y - *o);
    }
    Pass { value: parts.iter().sum(), parts, moved }
}

/// The tables that sweeps go over. A sweep gives the parts of rows, the sums of weights of all rows, and the weights times `of`.
struct Swept<'a> {
    y: ArrayView2<'a, f64>,
    of: ArrayView2<'a, f64>,
    squares: Vec<f64>,
    asked: Asked,
}

impl Swept<'_> {
    /// The parts of some rows; their weights are left in the strip, and the sums of these are added to `degrees`.
    fn strip(&self, rows: std::ops::Range<usize>, strip: &mut [f64], degrees: &mut [f64]) -> Vec<f64> {
        gemm::gram_rows(self.y, rows.clone(), strip);
        let mut parts = Vec::with_capacity(rows.len());
        simd::run(Sweep { rows, strip, squares: &self.squares, asked: &self.asked, parts: &mut parts, degrees });
        parts
    }
    /// With a square of all weights.
    fn kept(&self, room: &Room) -> (Vec<f64>, Vec<f64>, Array2<f64>) {
        let n = self.y.nrows();
        let mut table = room.take(n * n);
        let blocks = par::ranges(n, PIECE);
        let mut found = vec![(Vec::new(), vec![0.0; n]); blocks.len()];
        let strips = table.chunks_mut((PIECE * n).max(1)).zip(&mut found).collect();
        par::each(strips, |b, (strip, found)| found.0 = self.strip(blocks[b].clone(), strip, &mut found.1));
        gemm::add_transpose(n, &mut table);
        let mut moved = Array2::zeros(self.of.dim());
        gemm::upper_times(&table, self.of, moved.view_mut());
        room.give_back(table);
        let (parts, degrees) = joined(found);
        (parts, degrees, moved)
    }
    /// A strip at a time.
    fn forgotten(&self) -> (Vec<f64>, Vec<f64>, Array2<f64>) {
        let n = self.y.nrows();
        let blocks = par::ranges(n, PIECE);
        let lanes = par::ranges(blocks.len(), blocks.len().div_ceil(LANES));
        let found = par::map(lanes.len(), |lane| {
            let (mut parts, mut degrees) = (Vec::new(), vec![0.0; n]);
            let (mut moved, mut strip) = (Array2::zeros(self.of.dim()), vec![0.0; PIECE * n]);
            for rows in &blocks[lanes[lane].clone()] {
                let strip = &mut strip[..rows.len() * n];
                parts.extend(self.strip(rows.clone(), strip, &mut degrees));
                gemm::add_both_ways(strip, rows.clone(), self.of, moved.view_mut());
            }
            ((parts, degrees), moved)
        });
        let (found, moved): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let (parts, degrees) = joined(found);
        (parts, degrees, moved.into_iter().reduce(|a, b| a + b).unwrap_or_else(|| Array2::zeros(self.of.dim())))
    }
}

/// Parts one after another, sums added in the same order.
fn joined(found: Vec<(Vec<f64>, Vec<f64>)>) -> (Vec<f64>, Vec<f64>) {
    let mut all = (Vec::new(), Vec::new());
    for (parts, degrees) in found {
        all.0.extend(parts);
        if all.1.is_empty() {
            all.1 = degrees;
        } else {
            all.1.iter_mut().zip(&degrees).for_each(|(a, b)| *a += b);
        }
    }
    all
}

/// What is asked, of which groups.
struct Asked {
    ask: Ask,
    /// The group of each row, as a number as wide as those it is compared beside.
    wide: Vec<f64>,
    /// How many others there are in the group of each row.
    members: Vec<u32>,
}

impl Asked {
    fn new(ask: Ask, group: &[u32]) -> Self {
        Asked { ask, wide: group.iter().map(|g| f64::from(*g)).collect(), members: members(group) }
    }
    /// A row's part of the value: of the logarithm of its divisor, its share of its own group, and the sum of squared distances
    /// to that.
    fn part(&self, i: usize, log: f64, own: f64, far: f64) -> f64 {
        let count = f64::from(self.members[i]);
        match self.ask {
            _ if self.members[i] == 0 => 0.0,
            Ask::Within => -own,
            Ask::Likelihood => -own.max(f64::MIN_POSITIVE).ln(),
            Ask::Divergence => far / count + log - count.ln(),
        }
    }
    /// How a row's part changes with the squared distance to another: its share times the first number, for one of its group
    /// also times the second, and for such a one the third.
    fn slopes(&self, i: usize, own: f64) -> [f64; 3] {
        match self.ask {
            _ if self.members[i] == 0 => [0.0; 3],
            Ask::Within => [-own, 1.0, 0.0],
            Ask::Likelihood => [-1.0, 1.0 / own.max(f64::MIN_POSITIVE), 0.0],
            Ask::Divergence => [-1.0, 0.0, 1.0 / f64::from(self.members[i])],
        }
    }
}

/// The same over listed others alone: for each row those it is held against, and whether they belong to it. A row without any
/// that belongs to it, or with none that does not, asks for nothing.
///
/// # Panics
/// If a divergence is asked for.
#[must_use]
pub fn listed(y: ArrayView2<'_, f64>, lists: &[Vec<(u32, bool)>], ask: Ask) -> Pass {
    assert!(ask != Ask::Divergence, "of shares of listed others");
    let n = y.nrows();
    let mut moved = Array2::zeros(y.dim());
    let mut parts = vec![0.0; n];
    for (i, list) in lists.iter().enumerate() {
        if !list.iter().any(|l| l.1) || list.iter().all(|l| l.1) {
            continue;
        }
        let d: Vec<f64> = list.iter().map(|(j, _)| (&y.row(i) - &y.row(*j as usize)).mapv(|v| v * v).sum()).collect();
        let least = d.iter().fold(f64::INFINITY, |m, v| m.min(*v));
        let p: Vec<f64> = d.iter().map(|v| exp_below_zero(least - v)).collect();
        let total: f64 = p.iter().sum();
        let own: f64 = list.iter().zip(&p).filter(|(l, _)| l.1).map(|(_, p)| p / total).sum();
        parts[i] = if ask == Ask::Within { -own } else { -own.max(f64::MIN_POSITIVE).ln() };
        let by = if ask == Ask::Within { 1.0 } else { own.max(f64::MIN_POSITIVE) };
        for ((j, belongs), p) in list.iter().zip(&p) {
            let j = *j as usize;
            let w = -(p / total) * (own - f64::from(u8::from(*belongs))) / by;
            for k in 0..y.ncols() {
                let step = w * (y[(i, k)] - y[(j, k)]);
                moved[(i, k)] += step;
                moved[(j, k)] -= step;
            }
        }
    }
    Pass { value: parts.iter().sum(), parts, moved }
}

/// How many others there are in the group of each row.
fn members(group: &[u32]) -> Vec<u32> {
    let mut count = std::collections::HashMap::new();
    group.iter().filter(|g| **g != ALONE).for_each(|g| *count.entry(*g).or_insert(0u32) += 1);
    group.iter().map(|g| count.get(g).map_or(0, |c| c - 1)).collect()
}

/// Squared distances of some rows to all; rows of `y` lie one after another.
pub(crate) fn distances(y: ArrayView2<'_, f64>, squares: &[f64], block: std::ops::Range<usize>) -> Array2<f64> {
    let n = y.nrows();
    let mut d = vec![0.0; block.len() * n];
    gemm::gram_rows(y, block.clone(), &mut d);
    simd::run(Distances { d: &mut d, squares, block: block.clone() });
    Array2::from_shape_vec((block.len(), n), d).expect("as many numbers")
}

/// Squared distances in place of products.
struct Distances<'a> {
    d: &'a mut [f64],
    squares: &'a [f64],
    block: std::ops::Range<usize>,
}

impl Kernel for Distances<'_> {
    #[inline(always)]
    fn run(self) {
        for (i, row) in self.block.zip(self.d.chunks_exact_mut(self.squares.len())) {
            let own = self.squares[i];
            for (v, b) in row.iter_mut().zip(self.squares) {
                let d = own + b - 2.0 * *v;
                *v = if d > 0.0 { d } else { 0.0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn plain(y: &Array2<f64>, group: &[u32], ask: Ask) -> f64 {
        let n = y.nrows();
        let d = |i: usize, j: usize| (&y.row(i) - &y.row(j)).mapv(|v| v * v).sum();
        let mut value = 0.0;
        for i in 0..n {
            let same: Vec<usize> = (0..n).filter(|j| *j != i && group[*j] == group[i] && group[i] != ALONE).collect();
            if same.is_empty() {
                continue;
            }
            let total: f64 = (0..n).filter(|j| *j != i).map(|j| (-d(i, j)).exp()).sum();
            value += match ask {
                Ask::Within => -same.iter().map(|j| (-d(i, *j)).exp() / total).sum::<f64>(),
                Ask::Likelihood => -same.iter().map(|j| (-d(i, *j)).exp() / total).sum::<f64>().ln(),
                Ask::Divergence => {
                    let m = same.len() as f64;
                    same.iter().map(|j| (1.0 / m) * ((1.0 / m).ln() + d(i, *j) + total.ln())).sum::<f64>()
                }
            };
        }
        value
    }

    #[test]
    fn value_and_derivative_are_those_of_the_formula() {
        let mut rng = Rng::task(3, 0);
        let y = Array2::from_shape_simple_fn((150, 3), || 0.8 * rng.normal());
        let group: Vec<u32> = (0..150).map(|i| if i % 11 == 0 { ALONE } else { i % 4 }).chain([]).collect();
        let room = Room::default();
        for ask in [Ask::Within, Ask::Likelihood, Ask::Divergence] {
            let found = pass(y.view(), &group, ask, y.view(), &room);
            // By blocks of rows it is the same.
            let squares = y.rows().into_iter().map(|row| row.dot(&row)).collect();
            let swept = Swept { y: y.view(), of: y.view(), squares, asked: Asked::new(ask, &group) };
            let (kept, cut) = (swept.kept(&room), swept.forgotten());
            let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(near(&kept.0, &cut.0) && near(&kept.1, &cut.1), "{ask:?}");
            assert!((&kept.2 - &cut.2).iter().all(|v| v.abs() < 1e-12), "{ask:?}");
            assert!((found.value - plain(&y, &group, ask)).abs() < 1e-10 * found.value.abs());
            for (i, k) in [(0, 0), (7, 2), (149, 1)] {
                let at = |h: f64| {
                    let mut moved = y.clone();
                    moved[(i, k)] += h;
                    plain(&moved, &group, ask)
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((2.0 * found.moved[(i, k)] - slope).abs() < 1e-6, "{ask:?} {slope} {}", found.moved[(i, k)]);
            }
            let on = |threads: usize| par::install(threads, || (swept.kept(&room), swept.forgotten()));
            assert_eq!(on(1), on(2));
        }
    }

    #[test]
    fn far_apart_nothing_is_lost() {
        // Shares of 1 and 0 to rounding, and a row whose others are all far away.
        let y = ndarray::array![[0.0], [1.0], [60.0], [61.0], [500.0]];
        let found = pass(y.view(), &[0, 0, 1, 1, 1], Ask::Within, y.view(), &Room::default());
        assert!((found.value + 5.0).abs() < 1e-12 && found.moved.iter().all(|v| v.is_finite()), "{found:?}");
        let same = pass(
            ndarray::Array2::zeros((4, 2)).view(),
            &[0, 0, 1, 1],
            Ask::Divergence,
            y.slice(ndarray::s![..4, ..]),
            &Room::default(),
        );
        assert!((same.value - 4.0 * 3f64.ln()).abs() < 1e-12, "{}", same.value);
    }
}
