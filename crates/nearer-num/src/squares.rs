//! Weighted squared differences of the rows of an array, `d(i, j) = Σ_p w_p (F_ip - F_jp)²`: for all pairs at once, term by
//! term, and the other way round, from numbers of pairs to numbers of columns.

use std::cmp::Ordering;

use ndarray::{Array2, ArrayView2, Axis, s};

use crate::linear::{add_product, columns, columns_mut};
use crate::{packed, par};

/// Rows of a product that one piece works on.
const PIECE: usize = 64;
/// Pairs that one piece works on.
const PAIRS: usize = 512;

/// Where squared differences come from: from columns of features, or they are given pair by pair.
#[derive(Debug, Clone)]
pub enum Squares {
    /// `(F_ip - F_jp)²` of these features, one row an object.
    Features(Array2<f64>),
    /// For all pairs of so many objects, packed, one row a pair; none is negative.
    Given(usize, Array2<f64>),
}

impl Squares {
    /// How many objects there are.
    #[must_use]
    pub fn objects(&self) -> usize {
        match self {
            Squares::Features(f) => f.nrows(),
            Squares::Given(n, _) => *n,
        }
    }
    /// How many columns there are.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.numbers().ncols()
    }
    /// The features, or the squares that are given.
    #[must_use]
    pub fn numbers(&self) -> &Array2<f64> {
        match self {
            Squares::Features(values) | Squares::Given(_, values) => values,
        }
    }
    /// `d` of all pairs, packed, by the quickest way ([`by_product`]).
    #[must_use]
    pub fn all(&self, w: &[f64]) -> Vec<f64> {
        match self {
            Squares::Features(f) => by_product(f.view(), w),
            Squares::Given(n, _) => {
                let all: Vec<(u32, u32)> =
                    (0..packed::len(*n)).map(|k| packed::pair(*n, k)).map(|(i, j)| (i as u32, j as u32)).collect();
                self.of(w, &all)
            }
        }
    }
    /// `d` of these pairs, to the precision of [`term_by_term`].
    #[must_use]
    pub fn of(&self, w: &[f64], pairs: &[(u32, u32)]) -> Vec<f64> {
        match self {
            Squares::Features(f) => term_by_term(f.view(), w, pairs),
            Squares::Given(n, z) => {
                let mut out = vec![0.0; pairs.len()];
                par::chunks(&mut out, PAIRS, |start, part| {
                    for (out, &(i, j)) in part.iter_mut().zip(&pairs[start..]) {
                        let row = z.row(packed::index(*n, i as usize, j as usize));
                        *out = row.iter().zip(w).map(|(z, w)| z * w).sum();
                    }
                });
                out
            }
        }
    }
    /// The largest `d` of all pairs for weights that are not negative: the very number that [`Squares::of`] has for it.
    #[must_use]
    pub fn largest(&self, w: &[f64]) -> f64 {
        match self {
            Squares::Features(f) => largest(f.view(), w),
            Squares::Given(..) => self.all(w).into_iter().fold(0.0, f64::max),
        }
    }
    /// For each column the sum over these pairs, to the precision of [`gathered`].
    #[must_use]
    pub fn gathered(&self, pairs: &[(u32, u32)], g: &[f64]) -> Vec<f64> {
        match self {
            Squares::Features(f) => gathered(f.view(), pairs, g),
            Squares::Given(..) => {
                let mut out = vec![0.0; self.columns()];
                pairs.iter().zip(g).for_each(|(pair, g)| self.add_row(*pair, *g, &mut out));
                out
            }
        }
    }
    /// The squares of a pair times `a`, added to `out`.
    pub fn add_row(&self, (i, j): (u32, u32), a: f64, out: &mut [f64]) {
        match self {
            Squares::Features(f) => add_row(f.view(), (i, j), a, out),
            Squares::Given(n, z) => {
                let row = z.row(packed::index(*n, i as usize, j as usize));
                out.iter_mut().zip(row).for_each(|(out, z)| *out += a * z);
            }
        }
    }
    /// For each column its sum over all pairs, and how far that may be off.
    #[must_use]
    pub fn spreads(&self) -> Vec<(f64, f64)> {
        match self {
            Squares::Features(f) => spreads(f.view()),
            Squares::Given(..) => {
                let z = self.numbers();
                let off = crate::definite::gamma(z.nrows() + 8);
                z.axis_iter(Axis(1)).map(|c| c.iter().sum::<f64>()).map(|sum| (sum, off * sum)).collect()
            }
        }
    }
    /// For each column the root of its largest square.
    #[must_use]
    pub fn ranges(&self) -> Vec<f64> {
        match self {
            Squares::Features(f) => ranges(f.view()),
            Squares::Given(_, z) => {
                z.axis_iter(Axis(1)).map(|c| c.iter().fold(0.0, |m: f64, v| m.max(*v)).sqrt()).collect()
            }
        }
    }
    /// Some of the columns, each divided by its range so that its largest square is one.
    #[must_use]
    pub fn even(&self, columns: &[usize], ranges: &[f64]) -> Squares {
        let mut numbers = self.numbers().select(Axis(1), columns).as_standard_layout().to_owned();
        for (mut column, p) in numbers.columns_mut().into_iter().zip(columns) {
            let range = ranges[*p];
            match self {
                Squares::Features(_) => {
                    let mean = column.mean().unwrap_or(0.0);
                    column.mapv_inplace(|v| (v - mean) / range);
                }
                Squares::Given(..) => column.mapv_inplace(|v| v / range / range),
            }
        }
        match self {
            Squares::Features(_) => Squares::Features(numbers),
            Squares::Given(n, _) => Squares::Given(*n, numbers),
        }
    }
}

/// `d` of all pairs, packed, through one matrix product. Quick; what cancels in it is lost, so columns are best centred.
///
/// # Panics
/// If there is not one weight for each column, or rows do not lie one after another.
#[must_use]
pub fn by_product(f: ArrayView2<'_, f64>, w: &[f64]) -> Vec<f64> {
    let (n, q) = f.dim();
    assert_eq!(w.len(), q, "a weight for each column");
    let mut out = vec![0.0; packed::len(n)];
    if n < 2 || q == 0 {
        return out;
    }
    let flat = f.as_slice().expect("in rows");
    let mut weighted = vec![0.0; n * q];
    par::chunks(&mut weighted, PIECE * q, |start, part| {
        for (row, from) in part.chunks_mut(q).zip(flat[start..].chunks(q)) {
            row.iter_mut().zip(from).zip(w).for_each(|((v, f), w)| *v = f * w);
        }
    });
    let squares: Vec<f64> =
        flat.chunks(q).zip(weighted.chunks(q)).map(|(f, g)| f.iter().zip(g).map(|(f, g)| f * g).sum()).collect();
    let parts = split(&mut out, n);
    par::each(parts, |_, (first, rows, part)| {
        // Columns of the product are rows of the triangle; of each, the entries behind the diagonal block's begin.
        let mut product = vec![0.0; rows * (n - first)];
        let here = columns(&weighted[first * q..(first + rows) * q], q, rows);
        add_product(columns_mut(&mut product, n - first, rows), 0.0, 1.0, f.slice(s![first.., ..]), here);
        let mut at = 0;
        for k in 0..rows {
            let i = first + k;
            for j in i + 1..n {
                part[at] = squares[i] + squares[j] - 2.0 * product[k * (n - first) + j - first];
                at += 1;
            }
        }
    });
    out
}

/// A packed triangle cut into pieces of whole rows: the first row, how many, and their entries.
fn split(mut rest: &mut [f64], n: usize) -> Vec<(usize, usize, &mut [f64])> {
    let mut parts = Vec::new();
    for first in (0..n).step_by(PIECE) {
        let rows = PIECE.min(n - first);
        let size = (first..first + rows).map(|i| n - 1 - i).sum();
        let (part, after) = rest.split_at_mut(size);
        parts.push((first, rows, part));
        rest = after;
    }
    parts
}

/// The largest `d` of all pairs, term by term. All pairs by one product first; of those that this leaves in doubt, which are few, each
/// term. What a product may be off by is counted generously: each of its three sums by that of as many operations as there are
/// columns, on sizes of at most the largest square.
fn largest(f: ArrayView2<'_, f64>, w: &[f64]) -> f64 {
    let about = by_product(f, w);
    let size = f.rows().into_iter().map(|r| r.iter().zip(w).map(|(f, w)| f * f * w).sum()).fold(0.0, f64::max);
    let off = 16.0 * crate::definite::gamma(w.len() + 8) * size;
    let least = about.iter().copied().fold(0.0, f64::max) - 2.0 * off;
    // Where a number is not finite no pair is out of the question.
    let doubtful = (0..about.len())
        .filter(|k| about[*k].partial_cmp(&least) != Some(Ordering::Less))
        .map(|k| packed::pair(f.nrows(), k));
    let pairs: Vec<(u32, u32)> = doubtful.map(|(i, j)| (i as u32, j as u32)).collect();
    term_by_term(f, w, &pairs).into_iter().fold(0.0, f64::max)
}

/// `d` of these pairs, term by term: with `k` weights that are not zero, all of one sign, the relative error is at most that
/// of `k + 4` operations.
#[must_use]
pub fn term_by_term(f: ArrayView2<'_, f64>, w: &[f64], pairs: &[(u32, u32)]) -> Vec<f64> {
    let kept: Vec<usize> = (0..w.len()).filter(|p| w[*p] != 0.0).collect();
    let weights: Vec<f64> = kept.iter().map(|p| w[*p]).collect();
    let few: Vec<f64> =
        f.rows().into_iter().flat_map(|r| kept.iter().map(move |p| r[*p]).collect::<Vec<_>>()).collect();
    let k = kept.len();
    let mut out = vec![0.0; pairs.len()];
    par::chunks(&mut out, PAIRS, |start, part| {
        for (out, &(i, j)) in part.iter_mut().zip(&pairs[start..]) {
            *out = weighted_square(&few[i as usize * k..][..k], &few[j as usize * k..][..k], &weights);
        }
    });
    out
}

/// `Σ w (a - b)²` in four sums.
fn weighted_square(a: &[f64], b: &[f64], w: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let whole = w.len() / 4 * 4;
    for k in (0..whole).step_by(4) {
        for l in 0..4 {
            let off = a[k + l] - b[k + l];
            sums[l] += off * off * w[k + l];
        }
    }
    for k in whole..w.len() {
        sums[0] += (a[k] - b[k]) * (a[k] - b[k]) * w[k];
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// For each column `Σ g_t (F_ip - F_jp)²` over these pairs, added up in an order of its own: the error of a column is at most
/// that of as many operations as there are pairs, and four, on the sum of the sizes.
#[must_use]
pub fn gathered(f: ArrayView2<'_, f64>, pairs: &[(u32, u32)], g: &[f64]) -> Vec<f64> {
    let parts = par::ranges(pairs.len(), PAIRS);
    let sums = par::map(parts.len(), |k| {
        let mut sum = vec![0.0; f.ncols()];
        for t in parts[k].clone() {
            let (i, j) = (pairs[t].0 as usize, pairs[t].1 as usize);
            for ((sum, a), b) in sum.iter_mut().zip(f.row(i)).zip(f.row(j)) {
                *sum += (a - b) * (a - b) * g[t];
            }
        }
        sum
    });
    let mut out = vec![0.0; f.ncols()];
    sums.iter().for_each(|s| out.iter_mut().zip(s).for_each(|(o, s)| *o += s));
    out
}

/// `a (F_i - F_j)²` for each column, added to `out`.
pub fn add_row(f: ArrayView2<'_, f64>, (i, j): (u32, u32), a: f64, out: &mut [f64]) {
    for ((out, x), y) in out.iter_mut().zip(f.row(i as usize)).zip(f.row(j as usize)) {
        *out += a * (x - y) * (x - y);
    }
}

/// For each column the sum of its squared differences over all pairs, and how far that may be off.
///
/// `n Σ (x - m)²` is the sum of the squared differences plus `n² (m - mean)²`, whatever `m`: the rounding of the mean enters
/// with its square.
#[must_use]
pub fn spreads(f: ArrayView2<'_, f64>) -> Vec<(f64, f64)> {
    let n = f.nrows() as f64;
    let gamma = crate::definite::gamma(f.nrows() + 8);
    f.axis_iter(Axis(1))
        .map(|column| {
            let mean = column.sum() / n;
            let sum = n * column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
            let off = gamma * column.iter().map(|x| x.abs()).sum::<f64>() / n;
            (sum, (gamma * sum + n * n * off * off) * (1.0 + 1e-12))
        })
        .collect()
}

/// For each column its largest value less its least.
#[must_use]
pub fn ranges(f: ArrayView2<'_, f64>) -> Vec<f64> {
    f.axis_iter(Axis(1))
        .map(|column| {
            let (low, high) = column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (x.min(l), x.max(h)));
            if high > low { high - low } else { 0.0 }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use ndarray::Array2;

    /// The definition, three loops.
    fn plain(f: &Array2<f64>, w: &[f64]) -> Vec<f64> {
        let n = f.nrows();
        let mut out = Vec::new();
        for i in 0..n {
            for j in i + 1..n {
                out.push((0..w.len()).map(|p| w[p] * (f[(i, p)] - f[(j, p)]).powi(2)).sum());
            }
        }
        out
    }

    #[test]
    fn all_ways_to_the_squared_differences_agree_with_the_definition() {
        for (n, q) in [(1, 3), (2, 1), (7, 5), (150, 33)] {
            let mut rng = Rng::task(5, n as u64);
            let f = Array2::from_shape_simple_fn((n, q), || rng.normal());
            let w: Vec<f64> = (0..q).map(|p| if p % 3 == 2 { 0.0 } else { rng.normal() }).collect();
            let pairs: Vec<(u32, u32)> =
                (0..packed::len(n)).map(|k| packed::pair(n, k)).map(|(i, j)| (i as u32, j as u32)).collect();
            let wanted = plain(&f, &w);
            let close = |a: &[f64]| a.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-11);
            assert!(close(&by_product(f.view(), &w)) && close(&term_by_term(f.view(), &w, &pairs)));
            assert_eq!(par::install(2, || by_product(f.view(), &w)), by_product(f.view(), &w));
            let above: Vec<f64> = w.iter().map(|w| w.abs()).collect();
            for far in [0.0, 1e6] {
                // Far from the origin next to nothing of a product is left, and the answer is the same number still.
                let f = f.mapv(|v| v + far);
                let all = term_by_term(f.view(), &above, &pairs).into_iter().fold(0.0, f64::max);
                assert_eq!(Squares::Features(f).largest(&above), all);
            }
            let spread = spreads(f.view());
            let ones = vec![1.0; pairs.len()];
            for (sum, (spread, off)) in gathered(f.view(), &pairs, &ones).iter().zip(spread).filter(|_| n > 1) {
                assert!((sum - spread).abs() <= 1e-11 * sum && off <= 1e-11 * sum, "{sum} {spread} {off}");
            }
            // Squares that are given are those of the features.
            let mut given = Array2::zeros((pairs.len(), q));
            let (features, mut row) = (Squares::Features(f.clone()), vec![0.0; q]);
            for (k, pair) in pairs.iter().enumerate() {
                row.fill(0.0);
                features.add_row(*pair, 1.0, &mut row);
                given.row_mut(k).iter_mut().zip(&row).for_each(|(g, r)| *g = *r);
            }
            let given = Squares::Given(n, given);
            assert!(close(&given.all(&w)) && close(&given.of(&w, &pairs)));
            let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-11 * b.abs().max(1.0));
            assert!(near(&given.gathered(&pairs, &wanted), &features.gathered(&pairs, &wanted)));
            assert!(near(&given.ranges(), &features.ranges()) || n == 1);
            let columns: Vec<usize> = (0..q).collect();
            let even = |s: &Squares| s.even(&columns, &features.ranges()).all(&w);
            assert!(n == 1 || near(&even(&given), &even(&features)));
        }
    }
}
