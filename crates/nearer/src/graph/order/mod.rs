//! The constraint graph: what comparisons say taken together.
//!
//! Its nodes are unordered pairs of objects and its edges go from the pair that is nearer to the pair that is farther
//! apart. What one answer says of another is then a matter of paths: two answers contradict each other where both
//! directions were given, answers go in a circle inside a strongly connected component, and a comparison follows from
//! others where a path leads the same way.

mod cheapest;
mod closure;
mod components;
mod conflict;
mod cycles;
mod dropped;
mod floor;
mod groups;
mod length;
mod links;
mod margins;
mod ordering;
mod reduction;
mod repair;
mod triads;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use crate::evidence::{Comparison, Comparisons, in_words};
use crate::object::{Objects, Pair};

pub use closure::Closure;
pub use components::Component;
pub use conflict::{Conflict, sign_test};
pub use dropped::{Dropped, Why};
pub use floor::NoiseFloor;
pub use margins::Margins;
pub use repair::Repair;
pub use triads::Triads;

/// Comparisons as a directed graph over pairs of objects; see the parts of its API below.
///
/// Nodes are sorted by the labels of their objects and edges by their nodes, so that nothing that is computed here
/// depends on the order of the objects or of the answers. Nodes stay when edges are dropped: a node has the same number
/// in a graph and in what voting, repair and reduction make of it.
///
/// | question | answer |
/// |---|---|
/// | who contradicts whom? | [`conflicts`](Self::conflicts), [`voted`](Self::voted) |
/// | what goes in a circle? | [`components`](Self::components), [`shortest_cycles`](Self::shortest_cycles), [`triads`](Self::triads) |
/// | what is a consistent set? | [`acyclic`](Self::acyclic) |
/// | what follows from the rest? | [`reduced`](Self::reduced), [`implies`](Self::implies), [`closure`](Self::closure) |
/// | how deep does the order go? | [`depth`](Self::depth), [`length`](Self::length), [`diameter`](Self::diameter) |
/// | what can no map satisfy? | [`noise_floor`](Self::noise_floor) |
/// | what was never compared? | [`unseen`](Self::unseen), [`groups`](Self::groups) |
///
/// ```
/// use nearer::evidence::{Comparison, Comparisons};
/// use nearer::graph::{ConstraintGraph, Repair};
/// use nearer::{Item, Objects, Pair};
/// # fn main() -> Result<(), nearer::Error> {
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let (ab, ac, bc) = (pair(0, 1), pair(0, 2), pair(1, 2));
/// let answers = [(ab, ac), (ac, bc), (ab, bc), (ab, ac)].map(|(near, far)| Comparison::new(near, far));
/// let graph = ConstraintGraph::new(&Comparisons::new(Objects::new(["a", "b", "c"])?, answers.to_vec())?);
/// assert_eq!((graph.nodes().len(), graph.edges().len()), (3, 3)); // one answer was given twice
/// assert!(graph.is_acyclic() && graph.implies(ab, bc));
/// // Margins are 1: the way round has 2 and says more than the direct answer.
/// let (graph, dropped) = graph.reduced()?;
/// assert_eq!(graph.edges().len(), 2);
/// assert_eq!(dropped[0].in_words(graph.objects()), "`b` is nearer to `a` than to `c`");
/// # Ok(()) }
/// ```
///
/// # Cost
/// Building takes `O(N log N)` for `N` comparisons and 40 bytes an edge.
///
/// # Reference
/// McFee and Lanckriet (2009), *Partial order embedding with multiple kernels*, section 2.
#[derive(Debug, Clone)]
pub struct ConstraintGraph {
    objects: Objects,
    /// The place of each object among the sorted labels.
    rank: Arc<[u32]>,
    nodes: Arc<[Pair]>,
    edges: Vec<Edge>,
    /// The edges from node `v` are `starts[v]..starts[v + 1]`.
    starts: Vec<u32>,
}

/// All answers that one pair is nearer than another: `d²(near) + margin <= d²(far)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The node of the nearer pair.
    pub near: u32,
    /// The node of the pair that is farther apart.
    pub far: u32,
    /// The weights of the answers, added up.
    pub weight: f64,
    /// The largest margin among the answers.
    pub margin: f64,
    /// How many answers say so.
    pub answers: u32,
}

impl ConstraintGraph {
    /// The graph of these comparisons. Equal ones become one edge: weights add up, answers are counted, and the largest
    /// margin is kept.
    ///
    /// # Panics
    /// With more than 2³¹ comparisons.
    #[must_use]
    pub fn new(c: &Comparisons) -> Self {
        assert!(c.len() <= 1 << 31, "edges are counted in 32 bits");
        let objects = c.objects().clone();
        let rank = ranks(&objects);
        let mut ends: Vec<(u64, u32)> = Vec::with_capacity(2 * c.len());
        for (k, row) in c.iter().enumerate() {
            ends.push((key(&rank, row.near), 2 * k as u32));
            ends.push((key(&rank, row.far), 2 * k as u32 + 1));
        }
        ends.sort_unstable();
        let (mut nodes, mut node_of) = (Vec::new(), vec![0u32; ends.len()]);
        for same in ends.chunk_by(|a, b| a.0 == b.0) {
            let row = c.rows()[same[0].1 as usize / 2];
            for &(_, end) in same {
                node_of[end as usize] = nodes.len() as u32;
            }
            nodes.push(if same[0].1 % 2 == 0 { row.near } else { row.far });
        }
        drop(ends);
        let mut answers: Vec<Edge> = c
            .iter()
            .zip(node_of.chunks_exact(2))
            .map(|(row, end)| Edge { near: end[0], far: end[1], weight: row.weight, margin: row.margin, answers: 1 })
            .collect();
        // Equal answers are added from the lightest on, so that the sum does not depend on the order of the rows.
        answers
            .sort_unstable_by(|a, b| (a.near, a.far).cmp(&(b.near, b.far)).then_with(|| a.weight.total_cmp(&b.weight)));
        let edges = answers
            .chunk_by(|a, b| (a.near, a.far) == (b.near, b.far))
            .map(|same| Edge {
                weight: same.iter().map(|a| a.weight).sum(),
                margin: same.iter().map(|a| a.margin).fold(0.0, f64::max),
                answers: same.len() as u32,
                ..same[0]
            })
            .collect();
        ConstraintGraph { objects, rank, nodes: nodes.into(), edges: Vec::new(), starts: Vec::new() }.with_edges(edges)
    }

    /// The objects; more of them may exist than are ever compared.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// The pairs that were compared when the graph was made, by the labels of their objects.
    #[must_use]
    pub fn nodes(&self) -> &[Pair] {
        &self.nodes
    }
    /// The edges, sorted by their nodes.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }
    /// The number of a pair; `None` if it was never compared.
    #[must_use]
    pub fn node(&self, p: Pair) -> Option<u32> {
        if p.second().index() >= self.objects.len() {
            return None;
        }
        let wanted = key(&self.rank, p);
        self.nodes.binary_search_by_key(&wanted, |&p| key(&self.rank, p)).ok().map(|v| v as u32)
    }
    /// An edge as a sentence.
    #[must_use]
    pub fn in_words(&self, e: &Edge) -> String {
        in_words(&self.objects, self.nodes[e.near as usize], self.nodes[e.far as usize])
    }

    /// The edges as comparisons, one row each, weights and margins kept.
    #[must_use]
    pub fn comparisons(&self) -> Comparisons {
        let rows = self.edges.iter().map(|e| Comparison {
            near: self.nodes[e.near as usize],
            far: self.nodes[e.far as usize],
            weight: e.weight,
            margin: e.margin,
        });
        Comparisons::new(self.objects.clone(), rows.collect()).expect("edges were comparisons, and sums stay above 0")
    }

    /// The indices of the edges from a node.
    fn from(&self, node: u32) -> Range<usize> {
        self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize
    }
    /// The index of the edge between two nodes.
    fn edge(&self, near: u32, far: u32) -> Option<usize> {
        let from = self.from(near);
        self.edges[from.clone()].binary_search_by_key(&far, |e| e.far).ok().map(|k| from.start + k)
    }
    /// Near and far node of each edge.
    fn arcs(&self) -> Vec<(u32, u32)> {
        self.edges.iter().map(|e| (e.near, e.far)).collect()
    }

    /// The same nodes with these edges, which are sorted.
    fn with_edges(mut self, edges: Vec<Edge>) -> Self {
        self.starts = vec![0; self.nodes.len() + 1];
        for e in &edges {
            self.starts[e.near as usize + 1] += 1;
        }
        for v in 0..self.nodes.len() {
            self.starts[v + 1] += self.starts[v];
        }
        self.edges = edges;
        self
    }
    /// Without the edges for which there is a reason to drop them.
    fn without(self, why: impl Fn(usize) -> Option<Why>) -> (Self, Vec<Dropped>) {
        let (mut kept, mut dropped) = (Vec::with_capacity(self.edges.len()), Vec::new());
        for (k, e) in self.edges.iter().enumerate() {
            match why(k) {
                None => kept.push(*e),
                Some(why) => dropped.push(Dropped {
                    near: self.nodes[e.near as usize],
                    far: self.nodes[e.far as usize],
                    weight: e.weight,
                    margin: e.margin,
                    answers: e.answers,
                    why,
                }),
            }
        }
        (self.with_edges(kept), dropped)
    }
}

/// The place of each object among the sorted labels.
fn ranks(objects: &Objects) -> Arc<[u32]> {
    let mut order: Vec<usize> = (0..objects.len()).collect();
    order.sort_by_key(|&k| &objects.labels()[k]);
    let mut rank = vec![0; order.len()];
    order.into_iter().zip(0..).for_each(|(k, place)| rank[k] = place);
    rank.into()
}

/// By what pairs are sorted: the places of their two labels.
fn key(rank: &[u32], p: Pair) -> u64 {
    let (a, b) = (rank[p.first().index()], rank[p.second().index()]);
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}
