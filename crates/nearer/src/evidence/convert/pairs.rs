//! Pairs said to be alike or not, as comparisons: what is alike is nearer than what is not.

use std::collections::BTreeMap;

use crate::evidence::convert::{ComparisonSet, locate};
use crate::evidence::{Comparison, Pairs};
use crate::object::{Item, Objects, Pair};

/// Which pairs are held against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Every similar pair is nearer than every dissimilar pair: `C₊ × C₋`. It takes for granted that all people, and all
    /// objects, mean the same by *alike*.
    #[default]
    Everywhere,
    /// For each object, those like it are nearer to it than those unlike it: one ball an object, as in PSDE. Nothing is
    /// said about pairs that share no object.
    PerObject,
}

/// The comparisons that similar and dissimilar pairs imply.
///
/// Repeated answers about a pair are counted first: the side of greater weight wins, with the difference as its weight,
/// and a draw says nothing. A comparison weighs as much as the lighter of its two pairs, and its margin is 1. Of pairs in grades
/// each level is held against itself: two pairs that are `k` grades apart make `k` comparisons.
///
/// What is lost: who said it; how strongly a pair was contested; and everything about pairs when all answers are alike
/// (without a dissimilar pair there is no comparison at all). Measured on 1,416 pairs of 60 objects (`bench/reduction.py`), held-out pairs
/// are as often on the right side as with the pairs themselves where *alike* means one distance (0.98 and 1.00), half a point
/// less often where each object has its own (0.894 for 0.898), and the rows are some three hundred times as many.
///
/// ```
/// use nearer::evidence::{ComparisonSet, Judged, PairOrder, Pairs, Scope};
/// use nearer::{Item, Objects};
/// # fn main() -> Result<(), nearer::Error> {
/// let say = |a, b, alike| Judged::new(Item(a), Item(b), alike);
/// let rows = vec![say(0, 1, true), say(2, 3, true), say(0, 2, false), say(1, 3, false)];
/// let pairs = Pairs::new(Objects::numbered(4), rows)?.both_ways();
/// assert_eq!(PairOrder::new(&pairs, Scope::Everywhere).count(), 4);      // 2 x 2
/// assert_eq!(PairOrder::new(&pairs, Scope::PerObject).count(), 4);       // one at each object
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct PairOrder {
    objects: Objects,
    blocks: Vec<Block>,
    ends: Vec<u64>,
    outvoted: usize,
    drawn: usize,
}

#[derive(Debug, Clone, Default)]
struct Block {
    similar: Vec<(Pair, f64)>,
    dissimilar: Vec<(Pair, f64)>,
}

impl PairOrder {
    /// Counts the answers and sorts the pairs. `O(N log N)`.
    #[must_use]
    pub fn new(pairs: &Pairs, scope: Scope) -> Self {
        // Both directions of one answer are one vote about the unordered pair.
        let step = if scope == Scope::Everywhere && pairs.is_mirrored() { 2 } else { 1 };
        let mut votes: BTreeMap<(u16, Option<Item>, Pair), [f64; 2]> = BTreeMap::new();
        for row in pairs.rows().iter().step_by(step) {
            let Some(pair) = Pair::new(row.from, row.to) else { continue };
            let head = (scope == Scope::PerObject).then_some(row.from);
            votes.entry((row.level, head, pair)).or_default()[usize::from(row.similar)] += row.weight;
        }
        let (mut outvoted, mut drawn) = (0, 0);
        let mut heads: BTreeMap<(u16, Option<Item>), Block> = BTreeMap::new();
        for ((level, head, pair), [no, yes]) in votes {
            outvoted += usize::from(no.min(yes) > 0.0 && no != yes);
            drawn += usize::from(no == yes);
            let block = heads.entry((level, head)).or_default();
            if yes > no {
                block.similar.push((pair, yes - no));
            } else if no > yes {
                block.dissimilar.push((pair, no - yes));
            }
        }
        let blocks: Vec<Block> = heads.into_values().collect();
        let ends = blocks
            .iter()
            .scan(0u64, |end, b| {
                *end += b.similar.len() as u64 * b.dissimilar.len() as u64;
                Some(*end)
            })
            .collect();
        PairOrder { objects: pairs.objects().clone(), blocks, ends, outvoted, drawn }
    }
    /// Pairs answered both ways of which one side has the greater weight.
    #[must_use]
    pub fn outvoted(&self) -> usize {
        self.outvoted
    }
    /// Pairs answered both ways with equal weight, which say nothing.
    #[must_use]
    pub fn drawn(&self) -> usize {
        self.drawn
    }
}

impl ComparisonSet for PairOrder {
    fn objects(&self) -> &Objects {
        &self.objects
    }
    fn count(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }
    fn get(&self, k: u64) -> Comparison {
        let (block, k) = locate(&self.ends, k);
        let Block { similar, dissimilar } = &self.blocks[block];
        let (near, w) = similar[(k / dissimilar.len() as u64) as usize];
        let (far, v) = dissimilar[(k % dissimilar.len() as u64) as usize];
        Comparison { near, far, weight: w.min(v), margin: 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Judged;
    use nearer_num::rng::Rng;
    use std::collections::HashSet;

    fn random(n: u32, rows: usize, seed: u64) -> Pairs {
        let mut rng = Rng::task(seed, 0);
        let mut item = || Item(rng.below(n as usize) as u32);
        let mut judged = Vec::new();
        while judged.len() < rows {
            let (from, to) = (item(), item());
            if from != to {
                let alike = !(from.0 + to.0 + judged.len() as u32).is_multiple_of(3);
                judged.push(Judged { weight: 1.0 + f64::from(from.0), ..Judged::new(from, to, alike) });
            }
        }
        Pairs::new(Objects::numbered(n as usize), judged).unwrap()
    }

    type Said = HashSet<(Pair, Pair)>;

    /// All four-tuples of objects, looked at one by one.
    fn brute_force(pairs: &Pairs, scope: Scope) -> Said {
        let n = pairs.objects().len() as u32;
        let net = |a: u32, b: u32, directed: bool| -> f64 {
            let sign = |alike| if alike { 1.0 } else { -1.0 };
            let is = |r: &&Judged| (r.from.0, r.to.0) == (a, b) || !directed && (r.to.0, r.from.0) == (a, b);
            pairs.iter().filter(is).map(|r| r.weight * sign(r.similar)).sum()
        };
        let mut said = Said::new();
        let pair = |a, b| Pair::new(Item(a), Item(b)).unwrap();
        for a in 0..n {
            for b in (0..n).filter(|b| *b != a) {
                for c in 0..n {
                    for d in (0..n).filter(|d| *d != c) {
                        let nearer = match scope {
                            Scope::Everywhere => net(a, b, false) > 0.0 && net(c, d, false) < 0.0,
                            Scope::PerObject => a == c && net(a, b, true) > 0.0 && net(c, d, true) < 0.0,
                        };
                        if nearer {
                            said.insert((pair(a, b), pair(c, d)));
                        }
                    }
                }
            }
        }
        said
    }

    #[test]
    fn the_products_are_those_of_the_definition() {
        for seed in 0..20 {
            let pairs = random(6, 25, seed);
            for scope in [Scope::Everywhere, Scope::PerObject] {
                let order = PairOrder::new(&pairs, scope);
                let all: Vec<(Pair, Pair)> = order.iter().map(|c| (c.near, c.far)).collect();
                assert_eq!(all.len() as u64, order.count());
                assert_eq!(all.into_iter().collect::<Said>(), brute_force(&pairs, scope), "{scope:?} {seed}");
            }
        }
    }

    #[test]
    fn mirrored_answers_are_one_vote_and_draws_say_nothing() {
        let rows = |list: &[(u32, u32, bool)]| {
            list.iter().map(|&(a, b, s)| Judged::new(Item(a), Item(b), s)).collect::<Vec<_>>()
        };
        let pairs = Pairs::new(Objects::numbered(3), rows(&[(0, 1, true), (1, 0, false), (1, 2, false), (0, 2, true)]));
        let order = PairOrder::new(&pairs.unwrap().both_ways(), Scope::Everywhere);
        assert_eq!((order.count(), order.drawn(), order.outvoted()), (1, 1, 0));
        let pairs = Pairs::new(Objects::numbered(3), rows(&[(0, 1, true), (0, 1, true), (0, 1, false), (0, 2, false)]));
        let order = PairOrder::new(&pairs.unwrap(), Scope::PerObject);
        assert_eq!((order.count(), order.drawn(), order.outvoted(), order.get(0).weight), (1, 0, 1, 1.0));
    }

    #[test]
    fn a_large_product_is_counted_and_sampled_without_being_written() {
        let n = 2000u32;
        let rows = (0..n - 1).map(|k| Judged::new(Item(k), Item(k + 1), k % 2 == 0)).collect();
        let order = PairOrder::new(&Pairs::new(Objects::numbered(n as usize), rows).unwrap(), Scope::Everywhere);
        assert_eq!(order.count(), 1000 * 999);
        let some = order.comparisons(50, 3).unwrap();
        assert_eq!(some.len(), 50);
        assert!(some.iter().all(|c| c.near.first().0 % 2 == 0 && c.far.first().0 % 2 == 1));
    }
}
