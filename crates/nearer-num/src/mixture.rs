//! Several arrangements of the same rows at once: each row has a share of each, and two rows are near where one arrangement that
//! both have a share of puts them near.

use ndarray::{Array2, ArrayView2};

use crate::elementary::exp_below_zero;
use crate::par;

/// Rows that one piece works on.
const PIECE: usize = 64;

/// What the rows are to choose: for each row others with weights, made symmetric, and how much the row chose itself.
#[derive(Debug, Clone)]
pub struct Choices {
    /// `p_ij + p_ji`, in the order of `j`.
    both: Vec<Vec<(u32, f64)>>,
    /// `Σ_j p_ij`.
    own: Vec<f64>,
    /// `Σ p log p`.
    entropy: f64,
}

impl Choices {
    /// From weights that are not negative, one list a row; those of a row are brought to the sum of one, a row without any chooses none.
    #[must_use]
    pub fn new(lists: &[Vec<(u32, f64)>]) -> Self {
        let n = lists.len();
        let mut square: Vec<std::collections::BTreeMap<u32, f64>> = vec![Default::default(); n];
        let (mut own, mut entropy) = (vec![0.0; n], 0.0);
        for (i, list) in lists.iter().enumerate() {
            let sum: f64 = list.iter().map(|c| c.1).sum();
            let mut merged = std::collections::BTreeMap::new();
            for (j, w) in list.iter().filter(|c| c.1 > 0.0 && c.0 as usize != i) {
                *merged.entry(*j).or_insert(0.0) += w / sum;
            }
            for (j, p) in merged {
                own[i] += p;
                entropy += p * p.ln();
                *square[i].entry(j).or_insert(0.0) += p;
                *square[j as usize].entry(i as u32).or_insert(0.0) += p;
            }
        }
        Choices { both: square.into_iter().map(|row| row.into_iter().collect()).collect(), own, entropy }
    }
}

/// What one pass finds.
#[derive(Debug, Clone)]
pub struct Pass {
    /// `Σ_i KL(p_i ‖ q_i)`, `q_ij` in proportion to `u_ij = Σ_m s_im s_jm exp(-d²_m(i, j))`.
    pub value: f64,
    /// Its derivative in the points, arrangement after arrangement in the columns.
    pub points: Array2<f64>,
    /// Its derivative in the logarithms of the shares.
    pub shares: Array2<f64>,
}

/// One pass over all pairs of rows. `points` has as many columns for each arrangement as `dim` says, `shares` one.
#[must_use]
pub fn pass(points: ArrayView2<'_, f64>, shares: ArrayView2<'_, f64>, dim: usize, choices: &Choices) -> Pass {
    let (points, shares) = (points.as_standard_layout(), shares.as_standard_layout());
    let (n, maps) = shares.dim();
    let (y, s) = (points.as_slice().expect("in rows"), shares.as_slice().expect("in rows"));
    let width = maps * dim;
    // What each arrangement adds to `u_ij`; their sum.
    let parts = |i: usize, j: usize, out: &mut [f64]| {
        let mut sum = 0.0;
        for (m, out) in out.iter_mut().enumerate() {
            let (a, b) = (&y[i * width + m * dim..][..dim], &y[j * width + m * dim..][..dim]);
            let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
            *out = s[i * maps + m] * s[j * maps + m] * exp_below_zero(-square);
            sum += *out;
        }
        sum
    };
    let blocks = par::ranges(n, PIECE);
    let sums: Vec<f64> = par::map(blocks.len(), |b| {
        let mut out = vec![0.0; maps];
        let one = |i: usize| (0..n).filter(|j| *j != i).map(|j| parts(i, j, &mut out)).sum::<f64>();
        blocks[b].clone().map(one).collect::<Vec<f64>>()
    })
    .concat();
    let pull: Vec<f64> = sums.iter().zip(&choices.own).map(|(z, w)| if *w > 0.0 { w / z } else { 0.0 }).collect();
    let found = par::map(blocks.len(), |b| {
        let mut value = 0.0;
        let (mut moved, mut shared) = (vec![0.0; blocks[b].len() * width], vec![0.0; blocks[b].len() * maps]);
        let mut out = vec![0.0; maps];
        for (k, i) in blocks[b].clone().enumerate() {
            if choices.own[i] > 0.0 {
                value += choices.own[i] * sums[i].ln();
            }
            let mut chosen = choices.both[i].iter().peekable();
            for j in (0..n).filter(|j| *j != i) {
                let sum = parts(i, j, &mut out);
                let mut slope = pull[i] + pull[j];
                if let Some((_, p)) = chosen.next_if(|c| c.0 as usize == j) {
                    // Each of the two rows counts half.
                    value -= 0.5 * p * sum.ln();
                    slope -= p / sum;
                }
                for (m, part) in out.iter().enumerate() {
                    let by = part * slope;
                    shared[k * maps + m] += by;
                    for c in m * dim..(m + 1) * dim {
                        moved[k * width + c] -= 2.0 * by * (y[i * width + c] - y[j * width + c]);
                    }
                }
            }
        }
        (value, moved, shared)
    });
    let (mut value, mut moved, mut shared) = (choices.entropy, Vec::new(), Vec::new());
    for (part, m, s) in found {
        value += part;
        moved.extend(m);
        shared.extend(s);
    }
    Pass {
        value,
        points: Array2::from_shape_vec((n, width), moved).expect("as many numbers"),
        shares: Array2::from_shape_vec((n, maps), shared).expect("as many numbers"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn derivatives_are_those_of_the_value() {
        let mut rng = Rng::task(1, 0);
        let (n, maps, dim) = (9, 2, 2);
        let points = Array2::from_shape_simple_fn((n, maps * dim), || rng.normal());
        let shares = Array2::from_shape_simple_fn((n, maps), || 0.2 + rng.uniform());
        let mut lists: Vec<Vec<(u32, f64)>> =
            (0..n).map(|i| vec![((i as u32 + 1) % 9, 1.0), ((i as u32 + 3) % 9, 0.5)]).collect();
        lists[4].clear();
        let choices = Choices::new(&lists);
        let found = pass(points.view(), shares.view(), dim, &choices);
        // The formula, written out.
        let u = |p: &Array2<f64>, s: &Array2<f64>, i: usize, j: usize| -> f64 {
            let d = |m: usize| (0..dim).map(|c| (p[(i, m * dim + c)] - p[(j, m * dim + c)]).powi(2)).sum::<f64>();
            (0..maps).map(|m| s[(i, m)] * s[(j, m)] * (-d(m)).exp()).sum()
        };
        let plain = |p: &Array2<f64>, s: &Array2<f64>| -> f64 {
            let mut sum = 0.0;
            for (i, list) in lists.iter().enumerate() {
                let z: f64 = (0..n).filter(|h| *h != i).map(|h| u(p, s, i, h)).sum();
                for (j, w) in list {
                    let q = u(p, s, i, *j as usize) / z;
                    sum += w / 1.5 * ((w / 1.5) / q).ln();
                }
            }
            sum
        };
        assert!((found.value - plain(&points, &shares)).abs() < 1e-10);
        for (i, c) in [(0, 0), (4, 3), (8, 2)] {
            let at = |h: f64| {
                let mut p = points.clone();
                p[(i, c)] += h;
                plain(&p, &shares)
            };
            let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((found.points[(i, c)] - slope).abs() < 1e-6, "{} {slope}", found.points[(i, c)]);
        }
        for (i, m) in [(0, 1), (4, 0), (7, 1)] {
            let at = |h: f64| {
                let mut s = shares.clone();
                s[(i, m)] *= h.exp();
                plain(&points, &s)
            };
            let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((found.shares[(i, m)] - slope).abs() < 1e-6, "{} {slope}", found.shares[(i, m)]);
        }
        let two = par::install(2, || pass(points.view(), shares.view(), dim, &choices));
        assert_eq!((two.value, two.points), (found.value, found.points));
    }
}
