//! What follows from the rest: the transitive reduction, with margins.

use std::ops::Range;

use nearer_num::par;

use super::links::Links;
use super::{ConstraintGraph, Dropped, Why};
use crate::error::Error;

impl ConstraintGraph {
    /// Only what does not follow from the rest, and what was dropped because it does.
    ///
    /// An edge `u → v` of margin `m` follows if another path from `u` to `v` has margins that sum to `m` at least. Since
    /// the edges of that path span less of the order, all edges that follow may be dropped at once, and what is left is
    /// the one smallest set of the same meaning. With slack, a method that weighs each violated comparison has another
    /// objective on the reduced set.
    ///
    /// # Cost
    /// First reachability, for 512 far pairs at a time, through those nodes only that lead to one of them; then, where
    /// a path exists but margins differ by more than twofold, longest paths, for 8 far pairs at a time. At worst
    /// `V E / 64` operations for the first and `V E` for the second; 80 bytes a node and thread.
    ///
    /// # Errors
    /// If answers go in a circle; the error spells it out.
    ///
    /// # Reference
    /// Aho, Garey and Ullman (1972), *The transitive reduction of a directed graph*.
    pub fn reduced(self) -> Result<(Self, Vec<Dropped>), Error> {
        let order = self.topological_order()?;
        let dag = Dag::new(&self, &order);
        let least = self.edges.iter().map(|e| e.margin).fold(f64::INFINITY, f64::min);
        let by_path = dag.sweep::<Reach>(&vec![true; self.edges.len()]);
        // Another path has two edges or more, so twice the least margin is always reached.
        let open: Vec<bool> = self.edges.iter().zip(&by_path).map(|(e, &p)| p && e.margin > 2.0 * least).collect();
        let by_margin = if open.contains(&true) { dag.sweep::<Longest>(&open) } else { Vec::new() };
        let implied = |e: usize| if open[e] { by_margin[e] } else { by_path[e] };
        let implied: Vec<bool> = (0..self.edges.len()).map(implied).collect();
        Ok(self.without(|e| implied[e].then_some(Why::Implied)))
    }
}

/// What is known of the ways from one node to each node of a block.
trait Ways: Copy {
    /// How many nodes there are in a block.
    const LANES: usize;
    /// No way to any.
    const NONE: Self;
    /// These ways, and those that begin with an edge of this margin and go on like that.
    fn through(&mut self, margin: f64, on: &Self);
    /// Whether some way to the node of this lane has at least this margin.
    fn reaches(&self, lane: usize, margin: f64) -> bool;
    /// Adds the edge itself.
    fn direct(&mut self, lane: usize, margin: f64);
}

/// Whether there is a way.
#[derive(Clone, Copy)]
struct Reach([u64; 8]);

impl Ways for Reach {
    const LANES: usize = 512;
    const NONE: Self = Reach([0; 8]);
    fn through(&mut self, _: f64, on: &Self) {
        self.0.iter_mut().zip(&on.0).for_each(|(a, b)| *a |= b);
    }
    fn reaches(&self, lane: usize, _: f64) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }
    fn direct(&mut self, lane: usize, _: f64) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }
}

/// The largest sum of margins.
#[derive(Clone, Copy)]
struct Longest([f64; 8]);

impl Ways for Longest {
    const LANES: usize = 8;
    const NONE: Self = Longest([f64::NEG_INFINITY; 8]);
    fn through(&mut self, margin: f64, on: &Self) {
        self.0.iter_mut().zip(&on.0).for_each(|(a, b)| *a = if *a < margin + b { margin + b } else { *a });
    }
    fn reaches(&self, lane: usize, margin: f64) -> bool {
        self.0[lane] >= margin
    }
    fn direct(&mut self, lane: usize, margin: f64) {
        self.0[lane] = self.0[lane].max(margin);
    }
}

/// The graph with its nodes numbered in topological order.
struct Dag {
    arcs: Vec<(u32, u32)>,
    margins: Vec<f64>,
    after: Links,
    before: Links,
}

const NOWHERE: u32 = u32::MAX;

impl Dag {
    fn new(graph: &ConstraintGraph, order: &[u32]) -> Self {
        let mut place = vec![0u32; order.len()];
        order.iter().zip(0..).for_each(|(&v, k)| place[v as usize] = k);
        let arcs: Vec<(u32, u32)> =
            graph.edges.iter().map(|e| (place[e.near as usize], place[e.far as usize])).collect();
        Dag {
            margins: graph.edges.iter().map(|e| e.margin).collect(),
            after: Links::forward(order.len(), &arcs),
            before: Links::backward(order.len(), &arcs),
            arcs,
        }
    }

    /// For each asked arc, whether another path says at least as much.
    fn sweep<W: Ways>(&self, asked: &[bool]) -> Vec<bool> {
        let n = self.after.len();
        // Only an arc that is neither alone in leaving nor alone in arriving can have another path beside it.
        let can = |(from, to): (u32, u32)| self.after.of(from).len() > 1 && self.before.of(to).len() > 1;
        let targets: Vec<u32> = (0..n as u32)
            .filter(|&v| self.before.of(v).iter().any(|&(u, arc)| asked[arc as usize] && can((u, v))))
            .collect();
        // A few dozen pieces whatever the number of threads; each allocates its tables once for all its blocks.
        let blocks = targets.len().div_ceil(W::LANES);
        let pieces = par::ranges(blocks, blocks.div_ceil(48));
        let found = par::map(pieces.len(), |k| self.sweep_blocks::<W>(&targets, pieces[k].clone(), asked));
        let mut implied = vec![false; self.arcs.len()];
        found.into_iter().flatten().for_each(|arc| implied[arc as usize] = true);
        implied
    }

    fn sweep_blocks<W: Ways>(&self, targets: &[u32], blocks: Range<usize>, asked: &[bool]) -> Vec<u32> {
        let n = self.after.len();
        // The ways of a node, kept for those only from which the block can be reached.
        let mut slot = vec![NOWHERE; n];
        let mut lane = vec![NOWHERE; n];
        let (mut upstream, mut ways): (Vec<u32>, Vec<W>) = (Vec::new(), Vec::new());
        let mut implied = Vec::new();
        for block in blocks {
            let block = &targets[block * W::LANES..((block + 1) * W::LANES).min(targets.len())];
            block.iter().zip(0..).for_each(|(&v, k)| lane[v as usize] = k);
            upstream.clear();
            for &v in block {
                self.before.of(v).iter().for_each(|&(u, _)| meet(u, &mut slot, &mut upstream));
            }
            let mut next = 0;
            while next < upstream.len() {
                self.before.of(upstream[next]).iter().for_each(|&(u, _)| meet(u, &mut slot, &mut upstream));
                next += 1;
            }
            // Last first: when a node's turn comes, all that follow it are done.
            upstream.sort_unstable_by(|a, b| b.cmp(a));
            upstream.iter().zip(0..).for_each(|(&v, k)| slot[v as usize] = k);
            ways.clear();
            for &u in &upstream {
                let mut here = W::NONE;
                for &(v, arc) in self.after.of(u) {
                    if slot[v as usize] != NOWHERE {
                        here.through(self.margins[arc as usize], &ways[slot[v as usize] as usize]);
                    }
                }
                let ends = || self.after.of(u).iter().filter(|(v, _)| lane[*v as usize] != NOWHERE);
                for &(v, arc) in ends() {
                    let margin = self.margins[arc as usize];
                    if asked[arc as usize] && here.reaches(lane[v as usize] as usize, margin) {
                        implied.push(arc);
                    }
                }
                ends().for_each(|&(v, arc)| here.direct(lane[v as usize] as usize, self.margins[arc as usize]));
                ways.push(here);
            }
            upstream.iter().for_each(|&v| slot[v as usize] = NOWHERE);
            block.iter().for_each(|&v| lane[v as usize] = NOWHERE);
        }
        implied
    }
}

fn meet(u: u32, slot: &mut [u32], upstream: &mut Vec<u32>) {
    if slot[u as usize] == NOWHERE {
        slot[u as usize] = 0;
        upstream.push(u);
    }
}
