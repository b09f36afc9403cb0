//! The nearest rows of a table to each of its rows: exactly, by a tree or by products of blocks, or nearly, by random halves.

mod forest;
mod products;
mod tree;

pub use forest::about;

use std::ops::Range;

use crate::par;

/// For each row some others with their squared distances.
pub type Lists = Vec<Vec<(u32, f64)>>;

/// Up to this many rows each is held against all others, which needs no preparation.
const FEW: usize = 400;
/// Up to this many numbers a row, and neighbours, a tree leaves most rows unseen.
const NARROW: usize = 12;
/// Rows that one piece of the work has.
const PIECE: usize = 64;
/// Rows that are done between two questions whether to go on.
const ROUND: usize = 2048;

/// A squared distance and whose it is; the nearer is the less, and of two as near the smaller number.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Near(f64, u32);

impl Near {
    #[inline]
    fn before(self, other: Near) -> bool {
        self.0 < other.0 || (self.0 == other.0 && self.1 < other.1)
    }
}

/// Puts a row among the `k` nearest so far, which stand in order.
#[inline]
fn insert(near: &mut Vec<Near>, k: usize, one: Near) {
    if k == 0 || (near.len() == k && !one.before(near[k - 1])) {
        return;
    }
    let at = near.partition_point(|other| other.before(one));
    if near.len() == k {
        near.pop();
    }
    near.insert(at, one);
}

/// The sum of squared differences, one after another: the same number whichever search asks.
#[inline]
fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// For each row of `width` numbers the `k` nearest other rows with their squared distances, nearest first, the smaller
/// number first where two are equally near. Exact; `O(rows log rows)` for few numbers a row, else `O(rows² width)`.
#[must_use]
pub fn neighbours(values: &[f64], width: usize, k: usize) -> Lists {
    neighbours_while(values, width, k, &mut |_| true).unwrap_or_default()
}

/// As [`neighbours`]; `go_on` (no type parameter, so that the search is compiled here, with optimisation) is told now and then how many rows are done, and ends it with nothing.
pub fn neighbours_while(values: &[f64], width: usize, k: usize, go_on: &mut dyn FnMut(usize) -> bool) -> Option<Lists> {
    let n = values.len().checked_div(width).unwrap_or(0);
    let k = k.min(n.saturating_sub(1));
    if n <= FEW || k * 4 > n {
        return one_by_one(n, go_on, |i| by_looking_at_all(values, width, k, i));
    }
    if is_narrow(width) {
        tree::neighbours(values, width, k, go_on)
    } else {
        products::neighbours(values, width, k, go_on)
    }
}

/// Whether rows have so few numbers that a tree leaves most of the others unseen.
#[must_use]
pub fn is_narrow(width: usize) -> bool {
    width <= NARROW
}

/// For each row the other rows within a distance, with their squared distances, in the order of their numbers; ended as
/// [`neighbours_while`] is.
pub fn within(
    values: &[f64],
    width: usize,
    squared_radius: f64,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Option<Lists> {
    let n = values.len().checked_div(width).unwrap_or(0);
    one_by_one(n, go_on, |i| {
        let own = &values[i * width..][..width];
        let others = (0..n).filter(|j| *j != i).map(|j| (j as u32, squared(own, &values[j * width..][..width])));
        others.filter(|(_, squared)| *squared <= squared_radius).collect()
    })
}

/// What share of the `k` nearest of some rows a list has, of `sample` rows at even steps: one as near as the last of the nearest is
/// one of them. `O(sample rows width)`.
#[must_use]
pub fn recall(values: &[f64], width: usize, k: usize, found: &Lists, sample: usize) -> f64 {
    let n = values.len().checked_div(width).unwrap_or(0);
    let k = k.min(n.saturating_sub(1));
    let rows: Vec<usize> = (0..n).step_by(n.div_ceil(sample.max(1)).max(1)).collect();
    let hits = par::map(rows.len(), |r| {
        let last = by_looking_at_all(values, width, k, rows[r]).last().map_or(0.0, |one| one.1);
        found[rows[r]].iter().filter(|one| one.1 <= last).count().min(k)
    });
    let all = rows.len() * k;
    if all == 0 { 1.0 } else { hits.iter().sum::<usize>() as f64 / all as f64 }
}

fn by_looking_at_all(values: &[f64], width: usize, k: usize, i: usize) -> Vec<(u32, f64)> {
    let n = values.len().checked_div(width).unwrap_or(0);
    let own = &values[i * width..][..width];
    let others = (0..n).filter(|j| *j != i);
    let mut all: Vec<Near> = others.map(|j| Near(squared(own, &values[j * width..][..width]), j as u32)).collect();
    let order = |a: &Near, b: &Near| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if k > 0 && k < all.len() {
        all.select_nth_unstable_by(k - 1, order);
    }
    all.truncate(k);
    all.sort_unstable_by(order);
    all.into_iter().map(|Near(squared, j)| (j, squared)).collect()
}

fn one_by_one<T: Send>(
    n: usize,
    go_on: &mut dyn FnMut(usize) -> bool,
    one: impl Fn(usize) -> T + Sync + Send,
) -> Option<Vec<T>> {
    pieces(n, PIECE, go_on, |range| range.map(&one).collect())
}

/// What each piece of `size` rows gives, one after another; `None` where `go_on` says no.
fn pieces<T: Send>(
    n: usize,
    size: usize,
    go_on: &mut dyn FnMut(usize) -> bool,
    piece: impl Fn(Range<usize>) -> Vec<T> + Sync + Send,
) -> Option<Vec<T>> {
    let mut all = Vec::with_capacity(n);
    for round in par::ranges(n, ROUND) {
        if !go_on(round.start) {
            return None;
        }
        let ranges = par::ranges(round.len(), size);
        let done = par::map(ranges.len(), |k| piece(round.start + ranges[k].start..round.start + ranges[k].end));
        done.into_iter().for_each(|part| all.extend(part));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn points_on_a_line() {
        let near = neighbours(&[0.0, 1.0, 3.0, 7.0], 1, 2);
        assert_eq!(near[0], [(1, 1.0), (2, 9.0)]);
        assert_eq!(near[3], [(2, 16.0), (1, 36.0)]);
        assert!(neighbours(&[1.0, 2.0], 2, 3)[0].is_empty());
        assert_eq!(
            par::install(2, || neighbours(&[0.0, 1.0, 3.0, 7.0], 1, 3)),
            neighbours(&[0.0, 1.0, 3.0, 7.0], 1, 3)
        );
        assert_eq!(within(&[0.0, 1.0, 3.0, 7.0], 1, 9.0, &mut |_| true).unwrap()[1], [(0, 1.0), (2, 4.0)]);
    }

    /// Points on a grid are full of ties, those far from the origin of cancellation.
    #[test]
    fn every_search_finds_the_same_to_the_bit() {
        let mut rng = Rng::task(1, 2);
        for (n, width, k) in [(500, 1, 3), (700, 2, 10), (600, 3, 1), (450, 20, 7), (2500, 13, 12)] {
            for offset in [0.0, 1e6] {
                let grid: Vec<f64> = (0..n * width).map(|_| offset + rng.below(12) as f64).collect();
                let plain: Vec<f64> = (0..n * width).map(|_| offset + rng.normal()).collect();
                for values in [&grid, &plain] {
                    let all: Lists = (0..n).map(|i| by_looking_at_all(values, width, k, i)).collect();
                    assert!(tree::neighbours(values, width, k, &mut |_| true).unwrap() == all, "{n} {width} {offset}");
                    assert!(
                        products::neighbours(values, width, k, &mut |_| true).unwrap() == all,
                        "{n} {width} {offset}"
                    );
                    assert!(par::install(2, || neighbours(values, width, k)) == all);
                }
            }
        }
    }

    /// What [`about`] says of itself.
    #[test]
    fn random_halves_find_nearly_all() {
        let mut rng = Rng::task(5, 2);
        let (n, width) = (3000, 30);
        // Sheets of a few dimensions in thirty, as tables of features are.
        for (dim, k, least) in [(2, 10, 0.99), (5, 10, 0.98), (8, 10, 0.95), (5, 5, 0.95), (5, 20, 0.98)] {
            let loads: Vec<f64> = (0..dim * width).map(|_| rng.normal()).collect();
            let mut values = Vec::new();
            for _ in 0..n {
                let at: Vec<f64> = (0..dim).map(|_| rng.normal()).collect();
                values.extend((0..width).map(|c| (0..dim).map(|d| at[d] * loads[d * width + c]).sum::<f64>()));
            }
            let (exact, found) = (neighbours(&values, width, k), about(&values, width, k, 7, &mut |_| true).unwrap());
            let hit = |i: usize| found[i].iter().filter(|(j, _)| exact[i].iter().any(|e| e.0 == *j)).count();
            let recall = (0..n).map(hit).sum::<usize>() as f64 / (n * k) as f64;
            assert!(recall > least, "{k} of {dim} dimensions: {recall}");
            assert!(par::install(2, || about(&values, width, k, 7, &mut |_| true)).unwrap() == found);
            // Of all rows it is the share above, of some of them nearly.
            assert!((super::recall(&values, width, k, &found, n) - recall).abs() < 1e-12);
            assert!((super::recall(&values, width, k, &found, 300) - recall).abs() < 0.02);
        }
    }

    #[test]
    fn every_search_ends_when_it_is_told() {
        let mut rng = Rng::task(9, 2);
        let values: Vec<f64> = (0..5000 * 13).map(|_| rng.normal()).collect();
        let mut asked = 0;
        let mut twice = |_| {
            asked += 1;
            asked <= 2
        };
        assert!(neighbours_while(&values, 13, 3, &mut twice).is_none());
        assert!(neighbours_while(&values[..5000], 1, 3, &mut |done| done < 4000).is_none());
        assert!(about(&values, 13, 3, 1, &mut |_| false).is_none());
        assert!(within(&values[..5000], 1, 1e-9, &mut |_| false).is_none());
        assert_eq!(asked, 3);
    }
}
