//! Each row's softmin over the others: shares `p_ij = exp(-|y_i - y_j|²) / Σ_k exp(-|y_i - y_k|²)`, what a function of the
//! shares comes to, and how it changes with every squared distance. By blocks of rows: no square of all pairs is made.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};

use crate::elementary::exp_below_zero;
use crate::simd::{self, Kernel};
use crate::{gemm, par};

/// Rows that one piece works on.
const PIECE: usize = 128;
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

/// One pass: `y` has a row for each object and `group` its group; rows of [`ALONE`] or alone in their group ask for nothing and
/// are others to all. `of` is the table that the Laplacian is applied to.
///
/// # Panics
/// If the tables have different numbers of rows.
#[must_use]
pub fn pass(y: ArrayView2<'_, f64>, group: &[u32], ask: Ask, of: ArrayView2<'_, f64>) -> Pass {
    let n = y.nrows();
    assert!(of.nrows() == n && group.len() == n, "a row for each");
    let y = y.as_standard_layout();
    let squares: Vec<f64> = y.rows().into_iter().map(|row| row.dot(&row)).collect();
    let members = members(group);
    let blocks = par::ranges(n, PIECE);
    // First what each row divides by, and what it expects.
    let first = par::map(blocks.len(), |b| {
        let mut d = distances(y.view(), &squares, blocks[b].clone());
        let rows = blocks[b].clone().zip(d.axis_iter_mut(Axis(0)));
        rows.map(|(i, mut row)| {
            let row = row.as_slice_mut().expect("in rows");
            let least = row.iter().enumerate().filter(|(j, _)| *j != i).fold(f64::INFINITY, |m, (_, v)| m.min(*v));
            let mean = if ask == Ask::Divergence { mean_within(row, group, i, members[i]) } else { 0.0 };
            row[i] = f64::INFINITY;
            simd::run(Shares { row, shift: least });
            let total: f64 = row.iter().sum();
            let own = if members[i] == 0 { 0.0 } else { within(row, group, i) / total };
            let log = total.ln() - least;
            let part = match ask {
                _ if members[i] == 0 => 0.0,
                Ask::Within => -own,
                Ask::Likelihood => -own.max(f64::MIN_POSITIVE).ln(),
                Ask::Divergence => mean + log - f64::from(members[i]).ln(),
            };
            Row { log, own, part }
        })
        .collect::<Vec<Row>>()
    });
    let rows: Vec<Row> = first.into_iter().flatten().collect();
    let mut moved = Array2::zeros((n, of.ncols()));
    let stretch = PIECE * of.ncols().max(1);
    let of = of.as_standard_layout();
    par::chunks(moved.as_slice_mut().expect("in rows"), stretch, |start, out| {
        let block = blocks[start / stretch].clone();
        let mut w = distances(y.view(), &squares, block.clone());
        for (i, mut row) in block.clone().zip(w.axis_iter_mut(Axis(0))) {
            let row = row.as_slice_mut().expect("in rows");
            weights(row, i, &rows, group, &members, ask);
        }
        let mut out = ArrayViewMut2::from_shape((block.len(), of.ncols()), out).expect("its rows");
        gemm::into(w.view(), of.view(), out.view_mut());
        for ((i, mut out), w) in block.zip(out.axis_iter_mut(Axis(0))).zip(w.axis_iter(Axis(0))) {
            let degree = w.sum();
            out.zip_mut_with(&of.row(i), |o, y| *o = degree * y - *o);
        }
    });
    let parts: Vec<f64> = rows.iter().map(|r| r.part).collect();
    Pass { value: parts.iter().sum(), parts, moved }
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

/// What is known of a row after the first look: the logarithm of its divisor, its share of its own group, its part of the value.
struct Row {
    log: f64,
    own: f64,
    part: f64,
}

/// How many others there are in the group of each row.
fn members(group: &[u32]) -> Vec<u32> {
    let mut count = std::collections::HashMap::new();
    group.iter().filter(|g| **g != ALONE).for_each(|g| *count.entry(*g).or_insert(0u32) += 1);
    group.iter().map(|g| count.get(g).map_or(0, |c| c - 1)).collect()
}

fn within(row: &[f64], group: &[u32], i: usize) -> f64 {
    row.iter().zip(group).map(|(v, g)| if *g == group[i] { *v } else { 0.0 }).sum()
}

fn mean_within(row: &[f64], group: &[u32], i: usize, members: u32) -> f64 {
    if members == 0 {
        return 0.0;
    }
    let sum: f64 = row.iter().enumerate().filter(|(j, _)| *j != i && group[*j] == group[i]).map(|(_, v)| v).sum();
    sum / f64::from(members)
}

/// Squared distances of some rows to all.
pub(crate) fn distances(y: ArrayView2<'_, f64>, squares: &[f64], block: std::ops::Range<usize>) -> Array2<f64> {
    let mut d = Array2::zeros((block.len(), y.nrows()));
    let own = y.slice(s![block.clone(), ..]);
    gemm::into(own, y.t(), d.view_mut());
    for (i, mut row) in block.zip(d.axis_iter_mut(Axis(0))) {
        let a = squares[i];
        row.iter_mut().zip(squares).for_each(|(v, b)| *v = (a + b - 2.0 * *v).max(0.0));
    }
    d
}

/// In place of its squared distances the weights of a row: how the value changes with each of them, from both ends.
fn weights(row: &mut [f64], i: usize, rows: &[Row], group: &[u32], members: &[u32], ask: Ask) {
    let own = &rows[i];
    row[i] = f64::INFINITY;
    // The share of j in i; that of i in j differs by what they divide by.
    simd::run(Shares { row, shift: -own.log });
    for (j, v) in row.iter_mut().enumerate() {
        if j == i {
            *v = 0.0;
            continue;
        }
        let other = &rows[j];
        let same = group[j] == group[i] && group[i] != ALONE;
        let there = own.log - other.log;
        // Where one divides by far more than the other, the share is had from its own logarithm.
        let back = if *v > 0.0 && there.abs() < 600.0 { *v * there.exp() } else { 0.0 };
        let one = |p: f64, end: &Row, count: u32| match ask {
            _ if count == 0 => 0.0,
            Ask::Within => -(p * (end.own - f64::from(u8::from(same)))),
            Ask::Likelihood => (if same { p / end.own.max(f64::MIN_POSITIVE) } else { 0.0 }) - p,
            Ask::Divergence => (if same { 1.0 / f64::from(count) } else { 0.0 }) - p,
        };
        *v = one(*v, own, members[i]) + one(back, other, members[j]);
    }
}

/// `exp(shift - v)` for each of a row.
struct Shares<'a> {
    row: &'a mut [f64],
    shift: f64,
}

impl Kernel for Shares<'_> {
    #[inline(always)]
    fn run(self) {
        for v in self.row {
            *v = exp_below_zero((self.shift - *v).min(0.0));
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
        for ask in [Ask::Within, Ask::Likelihood, Ask::Divergence] {
            let found = pass(y.view(), &group, ask, y.view());
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
            let two = par::install(2, || pass(y.view(), &group, ask, y.view()));
            assert_eq!(two.moved, par::install(1, || pass(y.view(), &group, ask, y.view())).moved);
        }
    }

    #[test]
    fn far_apart_nothing_is_lost() {
        // Shares of 1 and 0 to rounding, and a row whose others are all far away.
        let y = ndarray::array![[0.0], [1.0], [60.0], [61.0], [500.0]];
        let found = pass(y.view(), &[0, 0, 1, 1, 1], Ask::Within, y.view());
        assert!((found.value + 5.0).abs() < 1e-12 && found.moved.iter().all(|v| v.is_finite()), "{found:?}");
        let same = pass(ndarray::Array2::zeros((4, 2)).view(), &[0, 0, 1, 1], Ask::Divergence, y.slice(s![..4, ..]));
        assert!((same.value - 4.0 * 3f64.ln()).abs() < 1e-12, "{}", same.value);
    }
}
