//! Circles of answers that a person can read: short ones.

use std::collections::VecDeque;

use super::ConstraintGraph;
use super::components::{Component, Knot};
use super::links::Links;

/// Arcs that may be looked at in search of one circle. Where answers are dense, a short circle is found long before; where
/// they are thin, the search from one node is cheap. The bound is for what lies between.
const PATIENCE: usize = 20_000_000;

impl ConstraintGraph {
    /// Up to `limit` short circles, each as the indices of its edges in order: a shortest one of each of the largest
    /// components, then further ones of the largest that share no edge with those before.
    ///
    /// Shortest among all as long as the search, `O(V E)` where no circle is short, stays within a fixed number of
    /// steps; else the shortest that was met.
    #[must_use]
    pub fn shortest_cycles(&self, limit: usize) -> Vec<Vec<u32>> {
        let mut components = self.components();
        components.truncate(limit);
        let mut searches: Vec<Search<'_>> = components.iter().map(|c| Search::new(self, c)).collect();
        let mut cycles: Vec<Vec<u32>> = searches.iter_mut().filter_map(Search::next).collect();
        for search in &mut searches {
            while cycles.len() < limit {
                let Some(cycle) = search.next() else { break };
                cycles.push(cycle);
            }
        }
        cycles
    }
}

/// The circles of one component, shortest first, each without the edges of those before.
struct Search<'a> {
    component: &'a Component,
    knot: Knot,
    links: Links,
    used: Vec<bool>,
    /// No circle is shorter: 2 arcs where there are contradictions, else 3.
    least: usize,
    /// In which search a node was last met, and by which arc.
    came: Vec<(u32, u32)>,
    round: u32,
}

impl<'a> Search<'a> {
    fn new(graph: &ConstraintGraph, component: &'a Component) -> Self {
        let knot = Knot::new(graph, component);
        let links = Links::forward(knot.nodes, &knot.arcs);
        let opposite = |&(a, b): &(u32, u32)| links.of(b).iter().any(|&(c, _)| c == a);
        let least = if knot.arcs.iter().any(opposite) { 2 } else { 3 };
        let (used, came) = (vec![false; knot.arcs.len()], vec![(0, 0); knot.nodes]);
        Search { component, knot, links, used, least, came, round: 0 }
    }

    fn next(&mut self) -> Option<Vec<u32>> {
        let mut best: Option<Vec<u32>> = None;
        let mut patience = PATIENCE;
        for start in 0..self.links.len() as u32 {
            let shorter_than = best.as_ref().map_or(usize::MAX, Vec::len);
            if shorter_than <= self.least || patience == 0 {
                break;
            }
            best = self.through(start, shorter_than, &mut patience).or(best);
        }
        let arcs = best?;
        arcs.iter().for_each(|&a| self.used[a as usize] = true);
        Some(arcs.into_iter().map(|a| self.component.edges[a as usize]).collect())
    }

    /// A shortest circle through a node, if it has fewer arcs than that.
    fn through(&mut self, start: u32, shorter_than: usize, patience: &mut usize) -> Option<Vec<u32>> {
        self.round += 1;
        let mut from = vec![];
        let mut queue = VecDeque::from([(start, 0usize)]);
        while let Some((v, steps)) = queue.pop_front() {
            if steps + 1 >= shorter_than {
                return None;
            }
            for &(w, arc) in self.links.of(v) {
                if self.used[arc as usize] {
                    continue;
                }
                *patience = patience.saturating_sub(1);
                if w == start {
                    from.push(arc);
                    let mut at = v;
                    while at != start {
                        let arc = self.came[at as usize].1;
                        from.push(arc);
                        at = self.knot.arcs[arc as usize].0;
                    }
                    from.reverse();
                    return Some(from);
                }
                if self.came[w as usize].0 != self.round {
                    self.came[w as usize] = (self.round, arc);
                    queue.push_back((w, steps + 1));
                }
            }
            if *patience == 0 {
                return None;
            }
        }
        None
    }
}
