//! Is it implied already? One question by search, many with labels that answer most of them at once.

use nearer_num::rng::Rng;

use super::ConstraintGraph;
use super::links::Links;
use crate::object::Pair;

/// How many labels a node has: more answer more questions at once, and cost memory.
const LABELS: usize = 3;

/// The transitive closure, as questions may be put to it: two numbers a label and node instead of `n²` bits.
///
/// Nodes are labelled by intervals of random depth-first searches so that where `v` follows from `u`, the interval of
/// `v` lies within that of `u`, in every label. Most questions end there; the others search, and pass over all
/// nodes whose intervals tell that they lead nowhere.
///
/// # Reference
/// Yildirim, Chaoji and Zaki (2010), *GRAIL: scalable reachability index for large graphs*.
#[derive(Debug, Clone)]
pub struct Closure<'a> {
    graph: &'a ConstraintGraph,
    /// The strongly connected part of each node, numbered against the edges.
    part: Vec<u32>,
    /// Whether a part has more than one node.
    circular: Vec<bool>,
    /// From part to part.
    links: Links,
    /// For each part its intervals.
    labels: Vec<[(u32, u32); LABELS]>,
}

impl ConstraintGraph {
    /// Whether comparisons lead from one pair to the other, be it directly or by others: whether `near` must be nearer
    /// than `far`. Margins do not matter. One search, `O(V + E)`; for many questions see [`closure`](Self::closure).
    #[must_use]
    pub fn implies(&self, near: Pair, far: Pair) -> bool {
        let (Some(near), Some(far)) = (self.node(near), self.node(far)) else { return false };
        let mut met = vec![false; self.nodes.len()];
        let mut stack = vec![near];
        while let Some(v) = stack.pop() {
            for e in &self.edges[self.from(v)] {
                if e.far == far {
                    return true;
                }
                if !std::mem::replace(&mut met[e.far as usize], true) {
                    stack.push(e.far);
                }
            }
        }
        false
    }

    /// Labels for many questions of what is implied. `O(V + E)` time and memory.
    #[must_use]
    pub fn closure(&self) -> Closure<'_> {
        let (part, parts) = Links::forward(self.nodes.len(), &self.arcs()).strong();
        let mut size = vec![0u32; parts];
        part.iter().for_each(|&p| size[p as usize] += 1);
        let mut arcs: Vec<(u32, u32)> =
            self.edges.iter().map(|e| (part[e.near as usize], part[e.far as usize])).filter(|(a, b)| a != b).collect();
        arcs.sort_unstable();
        arcs.dedup();
        let links = Links::forward(parts, &arcs);
        let mut labels = vec![[(0, 0); LABELS]; parts];
        for k in 0..LABELS {
            label(&links, &mut labels, k);
        }
        Closure { graph: self, part, circular: size.iter().map(|&s| s > 1).collect(), links, labels }
    }
}

impl Closure<'_> {
    /// Whether comparisons lead from one pair to the other, as [`ConstraintGraph::implies`] says.
    #[must_use]
    pub fn implies(&self, near: Pair, far: Pair) -> bool {
        let (Some(near), Some(far)) = (self.graph.node(near), self.graph.node(far)) else { return false };
        let (start, end) = (self.part[near as usize], self.part[far as usize]);
        if start == end {
            return self.circular[start as usize];
        }
        let mut met = std::collections::HashSet::new();
        let mut stack = vec![start];
        while let Some(v) = stack.pop() {
            for &(w, _) in self.links.of(v) {
                if w == end {
                    return true;
                }
                if self.may_lead(w, end) && met.insert(w) {
                    stack.push(w);
                }
            }
        }
        false
    }

    fn may_lead(&self, from: u32, to: u32) -> bool {
        // Numbers run against the edges.
        from > to
            && self.labels[from as usize].iter().zip(&self.labels[to as usize]).all(|(a, b)| a.0 <= b.0 && b.1 <= a.1)
    }
}

/// Label number `k`: the time at which a random depth-first search leaves a node, and the least such time of all that
/// follow it.
fn label(links: &Links, labels: &mut [[(u32, u32); LABELS]], k: usize) {
    let n = links.len();
    let mut rng = Rng::task(0, k as u64);
    let (mut met, mut clock) = (vec![false; n], 0u32);
    let mut trail: Vec<(u32, u32, u32)> = Vec::new(); // node, where in its links to begin, steps done
    for root in rng.permutation(n) {
        if std::mem::replace(&mut met[root], true) {
            continue;
        }
        trail.push((root as u32, 0, 0));
        while let Some((v, shift, step)) = trail.pop() {
            let list = links.of(v);
            let shift = if step == 0 && !list.is_empty() { rng.below(list.len()) as u32 } else { shift };
            let mut deeper = None;
            for s in step..list.len() as u32 {
                let w = list[(s + shift) as usize % list.len()].0;
                if !std::mem::replace(&mut met[w as usize], true) {
                    deeper = Some((s + 1, w));
                    break;
                }
            }
            if let Some((step, w)) = deeper {
                trail.push((v, shift, step));
                trail.push((w, 0, 0));
            } else {
                let least = list.iter().map(|(w, _)| labels[*w as usize][k].0).min().unwrap_or(clock);
                labels[v as usize][k] = (least.min(clock), clock);
                clock += 1;
            }
        }
    }
}
