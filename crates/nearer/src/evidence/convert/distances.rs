//! The order of distances, without their sizes.

use crate::evidence::convert::{ComparisonSet, locate};
use crate::evidence::{Bound, Comparison, Distances};
use crate::object::{Item, Objects, Pair};
use nearer_num::order;

/// How pairs of equal distance are written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tied {
    /// Every pair of a level is nearer than every pair of the next: all that the data say about neighbouring levels.
    #[default]
    All,
    /// Only the first pair of a level is held against all of the next, and all of a level against the first of the
    /// next: linear in the number of pairs. Two pairs of neighbouring levels, neither of them the first, are then not
    /// compared; pairs two levels apart still are, through the first pair between them.
    Chain,
}

/// The comparisons that a distance matrix implies: pairs of one level of equal distances are nearer than those of the next.
///
/// Levels further apart follow by transitivity and are not written out. Missing pairs and bounds are in no comparison.
///
/// What is lost: all sizes (`1, 2, 100` and `1, 2, 3` have one order), and ties, since a comparison cannot say *equal*;
/// but [`naive-order`](crate::method::NaiveOrder) of the result has the ties of the data again.
///
/// ```
/// use nearer::evidence::{ComparisonSet, DistanceOrder, Tied};
/// use nearer::{Distances, Objects};
/// # fn main() -> Result<(), nearer::Error> {
/// let d = Distances::from_condensed(Objects::new(["a", "b", "c"])?, vec![3.0, 5.0, 3.0])?;
/// let order = DistanceOrder::new(&d, Tied::All);
/// assert_eq!((order.levels(), order.count()), (2, 2));          // a-b and b-c are both nearer than a-c
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct DistanceOrder {
    objects: Objects,
    /// Pairs with their weights, nearest first.
    pairs: Vec<(Pair, f64)>,
    /// Where in `pairs` each level begins, and the last ends.
    starts: Vec<usize>,
    ends: Vec<u64>,
    tied: Tied,
}

impl DistanceOrder {
    /// Sorts the known pairs. `O(n² log n)`.
    #[must_use]
    pub fn new(d: &Distances, tied: Tied) -> Self {
        let exact = |k: usize| d.weight_at(k) > 0.0 && d.bounds().is_none_or(|b| b[k] == Bound::Exact);
        let n = d.len() as u32;
        let mut known: Vec<(f64, Pair, f64)> = (0..n)
            .flat_map(|i| (i + 1..n).filter_map(move |j| Pair::new(Item(i), Item(j))))
            .enumerate()
            .filter(|(k, _)| exact(*k))
            .map(|(k, pair)| (d.condensed()[k], pair, d.weight_at(k)))
            .collect();
        order::by(&mut known, &|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut starts = vec![0];
        for level in known.chunk_by(|a, b| a.0 == b.0) {
            starts.push(starts[starts.len() - 1] + level.len());
        }
        let size = |l: usize| (starts[l + 1] - starts[l]) as u64;
        let ends = (0..(starts.len() - 1).saturating_sub(1))
            .scan(0u64, |end, l| {
                *end += match tied {
                    Tied::All => size(l) * size(l + 1),
                    Tied::Chain => size(l) + size(l + 1) - 1,
                };
                Some(*end)
            })
            .collect();
        let pairs = known.into_iter().map(|(_, pair, weight)| (pair, weight)).collect();
        DistanceOrder { objects: d.objects().clone(), pairs, starts, ends, tied }
    }
    /// How many different distances there are.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.starts.len() - 1
    }
}

impl ComparisonSet for DistanceOrder {
    fn objects(&self) -> &Objects {
        &self.objects
    }
    fn count(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }
    fn get(&self, k: u64) -> Comparison {
        let (level, k) = locate(&self.ends, k);
        let (here, next, after) = (self.starts[level], self.starts[level + 1], self.starts[level + 2]);
        let (k, wide) = (k as usize, after - next);
        let (a, b) = match self.tied {
            Tied::All => (k / wide, k % wide),
            // The first of this level with all of the next, then the others of this level with the first of the next.
            Tied::Chain if k < wide => (0, k),
            Tied::Chain => (k - wide + 1, 0),
        };
        let ((near, w), (far, v)) = (self.pairs[here + a], self.pairs[next + b]);
        Comparison { near, far, weight: w.min(v), margin: 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

    fn tied_data(n: usize, levels: usize, seed: u64) -> Distances {
        let mut rng = Rng::task(seed, 0);
        let values = (0..n * (n - 1) / 2).map(|_| rng.below(levels) as f64).collect();
        Distances::from_condensed(Objects::numbered(n), values).unwrap()
    }

    #[test]
    fn all_neighbouring_levels_are_compared_and_nothing_else() {
        for seed in 0..10 {
            let d = tied_data(6, 4, seed);
            let value = |p: Pair| d.get(p).unwrap();
            let pairs: Vec<Pair> =
                (0..6).flat_map(|i| (0..i).map(move |j| Pair::new(Item(i), Item(j)).unwrap())).collect();
            let next = |v: f64| pairs.iter().map(|p| value(*p)).filter(|w| *w > v).fold(f64::INFINITY, f64::min);
            let mut expected: Vec<(Pair, Pair)> = pairs
                .iter()
                .flat_map(|a| pairs.iter().map(move |b| (*a, *b)))
                .filter(|(a, b)| value(*b) == next(value(*a)))
                .collect();
            let mut all: Vec<(Pair, Pair)> =
                DistanceOrder::new(&d, Tied::All).iter().map(|c| (c.near, c.far)).collect();
            expected.sort();
            all.sort();
            assert_eq!(all, expected);
        }
    }

    #[test]
    fn a_chain_is_linear_part_of_all_and_missing_pairs_are_in_none() {
        let d = tied_data(9, 3, 1);
        let (all, chain) = (DistanceOrder::new(&d, Tied::All), DistanceOrder::new(&d, Tied::Chain));
        let full: Vec<Comparison> = all.iter().collect();
        assert!(chain.iter().all(|c| full.contains(&c)));
        assert!(chain.count() < 2 * 36 && chain.count() < all.count());
        let square = ndarray::array![[0.0, 1.0, f64::NAN], [1.0, 0.0, 2.0], [f64::NAN, 2.0, 0.0]];
        let gap = Distances::from_square(Objects::numbered(3), square.view()).unwrap();
        assert_eq!(DistanceOrder::new(&gap, Tied::All).count(), 1);
        let none = Distances::from_condensed(Objects::numbered(1), vec![]).unwrap();
        assert_eq!(DistanceOrder::new(&none, Tied::All).count(), 0);
    }
}
