//! From comparisons to numbers: a dissimilarity that has the order of a consistent set.

use nearer_num::order;
use nearer_num::packed;

use crate::error::Error;
use crate::evidence::Distances;
use crate::graph::ConstraintGraph;

/// What a pair gets that is in no comparison. Any value between that of the nearest and that of the farthest compared
/// pair will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unconstrained {
    /// As near as the nearest: 1.
    #[default]
    Nearest,
    /// Half way: `1 + diam / 2`.
    Middle,
    /// As far as the farthest: `1 + diam`.
    Farthest,
}

impl ConstraintGraph {
    /// A dissimilarity with the order of the comparisons (McFee and Lanckriet 2009, Algorithm 1): in topological order a
    /// pair that nothing is nearer than gets 1, every other the largest `Δ(near) + margin` over its comparisons.
    ///
    /// These `Δ` are *squared* dissimilarities: margins are between squared distances. What is given back are their square
    /// roots, since [`Distances`] are plain and every method squares them where it works on squares; so they are never
    /// squared twice. A margin of 0 would make a tie of a comparison; it is taken as the smallest one above 0, or 1 where
    /// there is none.
    ///
    /// What is lost: which pairs were compared at all (`unconstrained` ones get a value too), and weights.
    ///
    /// # Errors
    /// If the comparisons go in a circle; the error spells one out.
    ///
    /// # Cost
    /// `O(n² + E)` time and `n (n - 1) / 2` numbers.
    ///
    /// ```
    /// use nearer::evidence::{Comparison, Comparisons};
    /// use nearer::graph::{ConstraintGraph, Unconstrained};
    /// use nearer::{Item, Objects, Pair};
    /// # fn main() -> Result<(), nearer::Error> {
    /// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
    /// let rows = vec![Comparison::new(pair(0, 1), pair(0, 2)), Comparison::new(pair(0, 2), pair(1, 2))];
    /// let graph = ConstraintGraph::new(&Comparisons::new(Objects::numbered(3), rows)?);
    /// let d = graph.dissimilarities(Unconstrained::Nearest)?;
    /// assert_eq!(d.condensed(), [1.0, 2f64.sqrt(), 3f64.sqrt()]);
    /// # Ok(()) }
    /// ```
    pub fn dissimilarities(&self, unconstrained: Unconstrained) -> Result<Distances, Error> {
        let depth = self.strict_depth()?;
        let diameter = depth.iter().copied().fold(0.0, f64::max);
        let free = match unconstrained {
            Unconstrained::Nearest => 1.0,
            Unconstrained::Middle => 1.0 + diameter / 2.0,
            Unconstrained::Farthest => 1.0 + diameter,
        };
        let n = self.objects().len();
        let mut values = vec![f64::sqrt(free); packed::len(n)];
        for (pair, depth) in self.nodes().iter().zip(depth) {
            values[packed::index(n, pair.first().index(), pair.second().index())] = (1.0 + depth).sqrt();
        }
        Distances::from_condensed(self.objects().clone(), values)
    }

    /// The largest sum of margins along a path to each node, no margin 0.
    fn strict_depth(&self) -> Result<Vec<f64>, Error> {
        let smallest = self.edges().iter().map(|e| e.margin).filter(|m| *m > 0.0).fold(f64::INFINITY, f64::min);
        let least = if smallest.is_finite() { smallest } else { 1.0 };
        let mut rank = vec![0u32; self.nodes().len()];
        self.topological_order()?.into_iter().zip(0..).for_each(|(node, k)| rank[node as usize] = k);
        let mut edges: Vec<usize> = (0..self.edges().len()).collect();
        order::by_key(&mut edges, &|&e| rank[self.edges()[e].near as usize]);
        let mut depth = vec![0.0; self.nodes().len()];
        for e in edges.into_iter().map(|e| self.edges()[e]) {
            let margin = if e.margin > 0.0 { e.margin } else { least };
            depth[e.far as usize] = f64::max(depth[e.far as usize], depth[e.near as usize] + margin);
        }
        Ok(depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Comparison, ComparisonSet, Comparisons, DistanceOrder, Tied};
    use crate::object::{Item, Objects, Pair};
    use nearer_num::rng::Rng;

    fn pair(a: u32, b: u32) -> Pair {
        Pair::new(Item(a), Item(b)).unwrap()
    }

    /// Levels in, levels out: the dissimilarity of a pair is the number of its level, ties included.
    #[test]
    fn the_order_of_distances_comes_back_with_its_ties() {
        for seed in 0..10 {
            let mut rng = Rng::task(seed, 0);
            let values: Vec<f64> = (0..28).map(|_| rng.below(9) as f64).collect();
            let d = Distances::from_condensed(Objects::numbered(8), values.clone()).unwrap();
            let mut levels = values.clone();
            levels.sort_by(f64::total_cmp);
            levels.dedup();
            for tied in [Tied::All, Tied::Chain] {
                let c = DistanceOrder::new(&d, tied).comparisons(usize::MAX >> 1, 0).unwrap();
                let back = ConstraintGraph::new(&c).dissimilarities(Unconstrained::Farthest).unwrap();
                for (v, b) in values.iter().zip(back.condensed()) {
                    let level = levels.iter().position(|l| l == v).unwrap();
                    assert_eq!(*b, (1.0 + level as f64).sqrt(), "{tied:?} {seed}");
                }
            }
        }
    }

    #[test]
    fn margins_add_up_and_free_pairs_get_what_was_chosen() {
        let say = |near, far, margin| Comparison { margin, ..Comparison::new(near, far) };
        let rows =
            vec![say(pair(0, 1), pair(0, 2), 4.0), say(pair(0, 2), pair(1, 2), 0.0), say(pair(0, 1), pair(1, 2), 0.5)];
        let graph = ConstraintGraph::new(&Comparisons::new(Objects::numbered(4), rows).unwrap());
        let squares = |u| graph.dissimilarities(u).unwrap().condensed().iter().map(|d| d * d).collect::<Vec<f64>>();
        for (u, free) in [(Unconstrained::Nearest, 1.0), (Unconstrained::Middle, 3.25), (Unconstrained::Farthest, 5.5)]
        {
            for (found, expected) in squares(u).iter().zip([1.0, 5.0, free, 5.5, free, free]) {
                assert!((found - expected).abs() < 1e-14, "{u:?} {found} {expected}");
            }
        }
    }

    #[test]
    fn a_circle_is_an_error() {
        let rows = vec![Comparison::new(pair(0, 1), pair(0, 2)), Comparison::new(pair(0, 2), pair(0, 1))];
        let graph = ConstraintGraph::new(&Comparisons::new(Objects::numbered(3), rows).unwrap());
        let e = graph.dissimilarities(Unconstrained::Nearest).unwrap_err().to_string();
        assert!(e.contains("circle") && e.contains("`1` is nearer to `2` than to `3`"), "{e}");
    }
}
