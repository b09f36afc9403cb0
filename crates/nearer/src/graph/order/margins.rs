//! Margins that grow with the depth of an order: what is farther up is to be farther apart by more.

use super::{ConstraintGraph, Repair};
use crate::error::{Error, Remedy};
use crate::evidence::{Comparison, Comparisons};

/// How the margins of comparisons come about.
///
/// The depth of a pair is the number of comparisons on a longest chain of nearer pairs below it; that of the far pair decides. In
/// a taxonomy it is the height of the least common ancestor, and [`Margins::Doubling`] the margins that the paper takes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Margins {
    /// As the comparisons have them.
    #[default]
    Given,
    /// The depth of the far pair.
    Linear,
    /// `2^(depth - 1)` (McFee and Lanckriet 2009, section 4.2).
    Doubling,
}

/// Deeper, doubling margins differ by more than numbers can tell apart in one sum.
const DEEPEST: u32 = 40;

impl Margins {
    /// The comparisons with these margins. Where they go in circles, depths are those of what is left when circles are pruned.
    ///
    /// # Errors
    /// [`Error::Evidence`] where the order is too deep for margins that double.
    pub fn applied(self, c: &Comparisons, seed: u64) -> Result<Comparisons, Error> {
        if self == Margins::Given {
            return Ok(c.clone());
        }
        let (order, _) = ConstraintGraph::new(c).acyclic(Repair::Prune, seed);
        let depth = order.depth()?;
        let deepest = depth.iter().copied().max().unwrap_or(0);
        if self == Margins::Doubling && deepest > DEEPEST {
            return Err(Error::Evidence {
                what: format!(
                    "the order is {deepest} comparisons deep, and margins that double are told apart up to {DEEPEST}"
                ),
                remedy: Remedy::from("let them grow linearly with ").setting("margins", "linear"),
            });
        }
        let of = |row: &Comparison| {
            let depth = order.node(row.far).map_or(1, |v| depth[v as usize]).max(1);
            match self {
                Margins::Given => row.margin,
                Margins::Linear => f64::from(depth),
                Margins::Doubling => f64::from(depth - 1).exp2(),
            }
        };
        Comparisons::new(c.objects().clone(), c.iter().map(|row| Comparison { margin: of(row), ..*row }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{ComparisonSet, Taxonomy, TaxonomyOrder};
    use crate::object::{Item, Objects, Pair};

    /// On a taxonomy the depth of the far pair is that of the tree, and the margins are those that its conversion has.
    #[test]
    fn on_a_taxonomy_they_are_the_margins_of_the_paper() {
        let edges = [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")];
        let leaves = ["c", "d", "e", "f"].iter().flat_map(|p| ["1", "2", "3"].map(|k| (*p, format!("{p}{k}"))));
        let all: Vec<(String, String)> = edges
            .iter()
            .map(|(a, b)| ((*a).into(), (*b).into()))
            .chain(leaves.map(|(a, b)| (a.to_string(), b)))
            .collect();
        let tree = Taxonomy::from_edges(all.iter().map(|(a, b)| (a.as_str(), b.as_str()))).unwrap();
        let c = TaxonomyOrder::new(&tree).unwrap().comparisons(usize::MAX >> 1, 0).unwrap();
        let plain = c.iter().map(|row| Comparison { margin: 1.0, ..*row }).collect();
        let plain = Comparisons::new(c.objects().clone(), plain).unwrap();
        let grown = Margins::Doubling.applied(&plain, 0).unwrap();
        assert!(c.iter().any(|row| row.margin > 1.0));
        assert!(c.iter().zip(grown.iter()).all(|(a, b)| a.margin == b.margin));
    }

    #[test]
    fn a_chain_grows_step_by_step_and_a_deep_one_is_refused() {
        let n = 50;
        let pair = |k: u32| Pair::new(Item(0), Item(k)).unwrap();
        let rows = (1..n as u32 - 1).map(|k| Comparison::new(pair(k), pair(k + 1))).collect();
        let c = Comparisons::new(Objects::numbered(n), rows).unwrap();
        let margins: Vec<f64> = Margins::Linear.applied(&c, 0).unwrap().iter().map(|row| row.margin).collect();
        assert_eq!(margins, (1..n - 1).map(|k| k as f64).collect::<Vec<_>>());
        let e = Margins::Doubling.applied(&c, 0).unwrap_err().to_string();
        assert!(e.contains("48 comparisons deep") && e.contains("linear"), "{e}");
        assert_eq!(Margins::Given.applied(&c, 0).unwrap().rows(), c.rows());
    }

    /// Answers that go in a circle have no depth of their own.
    #[test]
    fn circles_do_not_stop_it() {
        let pair = |a, b| Pair::new(Item(a), Item(b)).unwrap();
        let rows = vec![
            Comparison::new(pair(0, 1), pair(0, 2)),
            Comparison::new(pair(0, 2), pair(0, 1)),
            Comparison::new(pair(0, 2), pair(1, 2)),
        ];
        let c = Comparisons::new(Objects::numbered(3), rows).unwrap();
        assert!(Margins::Doubling.applied(&c, 0).unwrap().iter().all(|row| row.margin >= 1.0));
    }
}
