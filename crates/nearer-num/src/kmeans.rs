//! Lloyd's k-means with k-means++ starts: rows in groups about their means. The same bits on any number of threads.

use ndarray::{Array2, ArrayView2};

use crate::par;
use crate::rng::Rng;
use crate::vectors::square_distance;

/// Rows that one piece works on.
const PIECE: usize = 256;

/// Rows in groups.
#[derive(Debug, Clone)]
pub struct Groups {
    /// For each row its group.
    pub of: Vec<u32>,
    /// The mean of each group, in rows.
    pub centres: Array2<f64>,
    /// The sum of the squared distances of rows to the mean of their group.
    pub within: f64,
    /// Rounds that were made.
    pub rounds: usize,
    /// Whether the last round changed nothing.
    pub settled: bool,
}

/// The best of `starts` runs of at most `rounds` rounds each. `go_on` is asked after each round with the number of the start, that
/// of the round and the value.
///
/// # Panics
/// If `k` is 0 or more than there are rows.
pub fn kmeans(
    x: ArrayView2<'_, f64>,
    k: usize,
    starts: usize,
    rounds: usize,
    seed: u64,
    mut go_on: impl FnMut(usize, usize, f64) -> bool,
) -> Groups {
    assert!((1..=x.nrows()).contains(&k), "as many groups as rows at most");
    let x = x.as_standard_layout().into_owned();
    let mut best: Option<Groups> = None;
    for start in 0..starts.max(1) {
        let centres = plus_plus(x.view(), k, &mut Rng::task(seed, start as u64));
        let found = lloyd(x.view(), centres, rounds, |round, value| go_on(start, round, value));
        let settled = found.settled;
        if best.as_ref().is_none_or(|b| found.within < b.within) {
            best = Some(found);
        }
        if !settled && !go_on(start, rounds, f64::INFINITY) {
            break;
        }
    }
    best.expect("one start at least")
}

/// Lloyd's rounds from given centres. A group that loses all its rows takes the row that is farthest from its own centre.
pub fn lloyd(
    x: ArrayView2<'_, f64>,
    mut centres: Array2<f64>,
    rounds: usize,
    mut go_on: impl FnMut(usize, f64) -> bool,
) -> Groups {
    let (mut of, mut d) = nearest(x, centres.view());
    let (mut round, mut settled) = (0, false);
    while round < rounds && !settled {
        round += 1;
        refill(&mut of, &mut d, centres.nrows());
        centres = means(x, &of, centres.nrows());
        let (next, distances) = nearest(x, centres.view());
        settled = next == of;
        (of, d) = (next, distances);
        if !go_on(round, d.iter().sum()) {
            break;
        }
    }
    Groups { within: d.iter().sum(), of, centres, rounds: round, settled }
}

/// The nearest of some centres to each row, the first of equals, and its squared distance.
#[must_use]
pub fn nearest(x: ArrayView2<'_, f64>, centres: ArrayView2<'_, f64>) -> (Vec<u32>, Vec<f64>) {
    let (x, centres) = (x.as_standard_layout(), centres.as_standard_layout());
    let blocks = par::ranges(x.nrows(), PIECE);
    let found = par::map(blocks.len(), |b| {
        let one = |i: usize| {
            let row = x.row(i);
            let own = row.as_slice().expect("in rows");
            let mut best = (0u32, f64::INFINITY);
            for (c, centre) in centres.rows().into_iter().enumerate() {
                let d = square_distance(own, centre.as_slice().expect("in rows"));
                if d < best.1 {
                    best = (c as u32, d);
                }
            }
            best
        };
        blocks[b].clone().map(one).collect::<Vec<_>>()
    });
    found.into_iter().flatten().unzip()
}

/// The mean of each group; that of an empty one is zero.
#[must_use]
pub fn means(x: ArrayView2<'_, f64>, of: &[u32], k: usize) -> Array2<f64> {
    let (mut sums, mut counts) = (Array2::zeros((k, x.ncols())), vec![0.0f64; k]);
    for (row, group) in x.rows().into_iter().zip(of) {
        let mut sum = sums.row_mut(*group as usize);
        sum += &row;
        counts[*group as usize] += 1.0;
    }
    for (mut sum, count) in sums.rows_mut().into_iter().zip(counts) {
        sum.mapv_inplace(|v| v / count.max(1.0));
    }
    sums
}

/// Gives every empty group the row that is farthest from its centre.
fn refill(of: &mut [u32], d: &mut [f64], k: usize) {
    let mut counts = vec![0usize; k];
    of.iter().for_each(|g| counts[*g as usize] += 1);
    for empty in 0..k {
        if counts[empty] > 0 {
            continue;
        }
        let farthest = (0..of.len()).filter(|i| counts[of[*i] as usize] > 1).max_by(|a, b| d[*a].total_cmp(&d[*b]));
        if let Some(i) = farthest {
            counts[of[i] as usize] -= 1;
            (of[i], d[i], counts[empty]) = (empty as u32, 0.0, 1);
        }
    }
}

/// Centres among the rows, each drawn in proportion to its squared distance to those before it (Arthur & Vassilvitskii 2007).
#[must_use]
pub fn plus_plus(x: ArrayView2<'_, f64>, k: usize, rng: &mut Rng) -> Array2<f64> {
    let n = x.nrows();
    let x = x.as_standard_layout();
    let mut chosen = vec![rng.below(n)];
    let to = |i: usize, c: usize| {
        square_distance(x.row(i).as_slice().expect("in rows"), x.row(c).as_slice().expect("in rows"))
    };
    let mut d: Vec<f64> = (0..n).map(|i| to(i, chosen[0])).collect();
    while chosen.len() < k {
        let total: f64 = d.iter().sum();
        let mut left = rng.uniform() * total;
        let drawn = (0..n).find(|i| {
            left -= d[*i];
            left < 0.0
        });
        // Where all rows lie on centres already, one that is none yet.
        let next = drawn.filter(|i| d[*i] > 0.0).or_else(|| (0..n).find(|i| !chosen.contains(i))).unwrap_or(0);
        chosen.push(next);
        (0..n).for_each(|i| d[i] = d[i].min(to(i, next)));
    }
    x.select(ndarray::Axis(0), &chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heaps_are_found_and_every_group_has_a_row() {
        let mut rng = Rng::task(5, 0);
        let x = Array2::from_shape_fn((90, 2), |(i, _)| 10.0 * (i % 3) as f64 + rng.normal());
        let found = kmeans(x.view(), 3, 5, 100, 1, |_, _, _| true);
        assert!(found.settled && (0..90).all(|i| found.of[i] == found.of[i % 3]));
        let plain: f64 =
            (0..90).map(|i| (&x.row(i) - &found.centres.row(found.of[i] as usize)).mapv(|v| v * v).sum()).sum();
        assert!((plain - found.within).abs() < 1e-9 * plain);
        assert_eq!(par::install(2, || kmeans(x.view(), 3, 5, 100, 1, |_, _, _| true)).of, found.of);
        // More groups than places: none is empty as long as there are rows.
        let same = Array2::zeros((5, 2));
        let found = kmeans(same.view(), 3, 1, 10, 0, |_, _, _| true);
        assert!(found.within == 0.0 && found.centres.iter().all(|v| v.is_finite()));
    }
}
