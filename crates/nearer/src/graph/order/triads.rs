//! Circular triads: the smallest question a set of triplets can be asked about its own consistency.

use super::ConstraintGraph;
use crate::object::{Item, Pair};

/// Sets of three objects whose three triplet questions are all answered.
///
/// Answers `d(ij) < d(ik)`, `d(ik) < d(jk)` and `d(jk) < d(ij)` go in a circle. Where answers are thrown coins, a quarter
/// of the complete sets does.
///
/// # Reference
/// Kendall and Babington Smith (1940), *On the method of paired comparisons*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Triads {
    /// Sets of three objects of which all three questions have an answer by majority.
    pub complete: usize,
    /// Those of them that go in a circle.
    pub cyclic: usize,
}

impl ConstraintGraph {
    /// Counts complete and circular triads; a tied question counts as not answered. `O(E log E)`.
    #[must_use]
    pub fn triads(&self) -> Triads {
        let mut triads = Triads::default();
        // Each set once: from the question about its two lower nodes.
        for e in &self.edges {
            let (low, high) = (e.near.min(e.far), e.near.max(e.far));
            let Some(other) = self.third(e.near, e.far).filter(|&v| v > high) else { continue };
            if e.near == high && self.edge(low, high).is_some() {
                continue; // asked from the opposite edge
            }
            let answers = (self.before(low, high), self.before(high, other), self.before(other, low));
            if let (Some(a), Some(b), Some(c)) = answers {
                triads.complete += 1;
                triads.cyclic += usize::from(a == b && b == c);
            }
        }
        triads
    }

    /// Of two pairs with an object in common, the node of the third pair of these three objects.
    fn third(&self, near: u32, far: u32) -> Option<u32> {
        let ends = |v: u32| [self.nodes[v as usize].first(), self.nodes[v as usize].second()];
        let only = |a: [Item; 2], b: [Item; 2]| a.into_iter().find(|i| !b.contains(i));
        let (a, b) = (only(ends(near), ends(far))?, only(ends(far), ends(near))?);
        let shared = ends(near).into_iter().any(|i| ends(far).contains(&i));
        self.node(Pair::new(a, b).filter(|_| shared)?)
    }

    /// Whether by majority the first pair is nearer; `None` without an answer and in a tie.
    fn before(&self, a: u32, b: u32) -> Option<bool> {
        let weight = |a, b| self.edge(a, b).map_or(0.0, |e| self.edges[e].weight);
        let (yes, no) = (weight(a, b), weight(b, a));
        (!super::conflict::tie(yes, no)).then_some(yes > no)
    }
}
