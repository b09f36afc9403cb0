//! Consistent sets of answers: what to drop so that nothing goes in a circle.

use nearer_num::par;
use nearer_num::rng::Rng;

use super::cheapest::{cheapest, greedy};
use super::components::{Component, Knot};
use super::ordering::Ordering;
use super::{ConstraintGraph, Dropped, Why};

/// How answers that go in a circle are made consistent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// Drops every edge inside a strongly connected component: pairs that cannot be told apart are not compared.
    Prune,
    /// Takes the edges of a component in random order and keeps each that closes no circle with those kept before.
    Random,
    /// Drops edges of small weight in all: a heuristic for the minimum feedback arc set.
    Cheapest,
}

impl Repair {
    /// The name, as the command takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Repair::Prune => "prune",
            Repair::Random => "random",
            Repair::Cheapest => "cheapest",
        }
    }
}

impl ConstraintGraph {
    /// A consistent set of these comparisons, and what was dropped for it.
    ///
    /// Edges outside of strongly connected components are always kept. `Random` and `Cheapest` are maximal: each dropped
    /// edge closes a circle with kept ones. The seed matters for `Random` alone. Contradictions are circles too; but
    /// [`voted`](Self::voted) first makes the majority decide.
    ///
    /// # Cost
    /// `Prune`: `O(V + E)`. `Cheapest`: `O(E log E)` a pass, a dozen passes. `Random`: a search for each edge that runs
    /// against a greedy order, which two searches that meet keep short. Components are treated at once on several threads.
    ///
    /// # Reference
    /// McFee and Lanckriet (2009), sections 2.3 (`Prune`) and 4.1 (`Random`); Eades, Lin and Smyth (1993) (`Cheapest`).
    #[must_use]
    pub fn acyclic(self, how: Repair, seed: u64) -> (Self, Vec<Dropped>) {
        let components = self.components();
        let kept = self.kept(&components, how, seed);
        let mut drop = vec![false; self.edges.len()];
        for (component, kept) in components.iter().zip(kept) {
            for (&e, kept) in component.edges.iter().zip(kept) {
                drop[e as usize] = !kept;
            }
        }
        self.without(|e| drop[e].then_some(Why::Cycle))
    }

    /// For each component, which of its edges are kept.
    pub(super) fn kept(&self, components: &[Component], how: Repair, seed: u64) -> Vec<Vec<bool>> {
        par::map(components.len(), |k| match how {
            Repair::Prune => vec![false; components[k].edges.len()],
            Repair::Random => random(&Knot::new(self, &components[k]), Rng::task(seed, k as u64)),
            Repair::Cheapest => cheapest(&Knot::new(self, &components[k])),
        })
    }
}

/// A random maximal set of arcs without a circle. Where the ordering starts decides the cost, never the result.
fn random(knot: &Knot, mut rng: Rng) -> Vec<bool> {
    let mut ordering = Ordering::new(&greedy(knot), &knot.arcs);
    let mut keep = vec![false; knot.arcs.len()];
    for k in rng.permutation(knot.arcs.len()) {
        keep[k] = ordering.add(knot.arcs[k].0, knot.arcs[k].1);
    }
    keep
}
