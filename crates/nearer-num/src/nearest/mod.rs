//! The nearest rows of a table to each of its rows: exactly, by a tree or by products of blocks, or nearly, by random halves.

mod forest;
mod products;
mod tree;

pub use forest::about;

use crate::par;

/// Up to this many rows each is held against all others, which needs no preparation.
const FEW: usize = 400;
/// Up to this many numbers a row, and neighbours, a tree leaves most rows unseen.
const NARROW: usize = 12;
/// Rows that one piece of the work has.
const PIECE: usize = 64;

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
pub fn neighbours(values: &[f64], width: usize, k: usize) -> Vec<Vec<(u32, f64)>> {
    let n = values.len().checked_div(width).unwrap_or(0);
    let k = k.min(n.saturating_sub(1));
    if n <= FEW || k * 4 > n {
        return by_looking_at_all(values, width, k);
    }
    if width <= NARROW { tree::neighbours(values, width, k) } else { products::neighbours(values, width, k) }
}

/// For each row the other rows within a distance, with their squared distances, in the order of their numbers.
#[must_use]
pub fn within(values: &[f64], width: usize, squared_radius: f64) -> Vec<Vec<(u32, f64)>> {
    let n = values.len().checked_div(width).unwrap_or(0);
    pieces(n, |i| {
        let own = &values[i * width..][..width];
        let others = (0..n).filter(|j| *j != i).map(|j| (j as u32, squared(own, &values[j * width..][..width])));
        others.filter(|(_, squared)| *squared <= squared_radius).collect()
    })
}

fn by_looking_at_all(values: &[f64], width: usize, k: usize) -> Vec<Vec<(u32, f64)>> {
    let n = values.len().checked_div(width).unwrap_or(0);
    pieces(n, |i| {
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
    })
}

fn pieces<T: Send>(n: usize, one: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    let ranges = par::ranges(n, PIECE);
    let pieces = par::map(ranges.len(), |piece| ranges[piece].clone().map(&one).collect::<Vec<_>>());
    pieces.into_iter().flatten().collect()
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
        assert_eq!(within(&[0.0, 1.0, 3.0, 7.0], 1, 9.0)[1], [(0, 1.0), (2, 4.0)]);
    }

    /// Points on a grid are full of ties, those far from the origin of cancellation.
    #[test]
    fn every_search_finds_the_same_to_the_bit() {
        let mut rng = Rng::task(1, 2);
        for (n, width, k) in [(500, 1, 3), (700, 2, 10), (600, 3, 1), (450, 20, 7)] {
            for offset in [0.0, 1e6] {
                let grid: Vec<f64> = (0..n * width).map(|_| offset + rng.below(12) as f64).collect();
                let plain: Vec<f64> = (0..n * width).map(|_| offset + rng.normal()).collect();
                for values in [&grid, &plain] {
                    let all = by_looking_at_all(values, width, k);
                    assert!(tree::neighbours(values, width, k) == all, "{n} {width} {offset}");
                    assert!(products::neighbours(values, width, k) == all, "{n} {width} {offset}");
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
            let (exact, found) = (neighbours(&values, width, k), about(&values, width, k, 7));
            let hit = |i: usize| found[i].iter().filter(|(j, _)| exact[i].iter().any(|e| e.0 == *j)).count();
            let recall = (0..n).map(hit).sum::<usize>() as f64 / (n * k) as f64;
            assert!(recall > least, "{k} of {dim} dimensions: {recall}");
            assert!(par::install(2, || about(&values, width, k, 7)) == found);
        }
    }
}
