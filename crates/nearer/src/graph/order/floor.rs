//! The noise floor: how much of the answers no map whatever can satisfy.

use super::components::Knot;
use super::links::Links;
use super::{ConstraintGraph, Repair};

/// The least weight of answers that any map must leave unsatisfied, between two proven bounds.
///
/// # Lower bound
/// A map satisfies no circle of answers whole. Circles are taken one after another, and each takes as much weight as its
/// lightest answer has left from all its answers; no weight is used twice, so the weights taken add up to a lower bound
/// (a packing of circles, the dual of the minimum feedback arc set). A contradiction is a circle of two.
///
/// # Upper bound
/// What [`Repair::Cheapest`] drops: the rest is consistent, and any consistent set is satisfied by some map in `n − 1`
/// dimensions (McFee and Lanckriet 2009, Lemma 2.1). Fewer dimensions may do worse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseFloor {
    /// The weight of all answers; their number where none has a weight.
    pub total: f64,
    /// The weight on the lighter side of contradictions, a part of the lower bound.
    pub contradictions: f64,
    /// Every map leaves at least this weight unsatisfied.
    pub lower: f64,
    /// Some map leaves no more than this weight unsatisfied.
    pub upper: f64,
}

impl NoiseFloor {
    /// The lower bound as a share of all answers.
    #[must_use]
    pub fn lower_share(&self) -> f64 {
        if self.total > 0.0 { self.lower / self.total } else { 0.0 }
    }
    /// The upper bound as a share of all answers.
    #[must_use]
    pub fn upper_share(&self) -> f64 {
        if self.total > 0.0 { self.upper / self.total } else { 0.0 }
    }
}

/// Arcs that may be looked at for each knot: so many, and so many for each of its arcs. It bounds the time; a bound that
/// is proven stays proven however early the search ends.
const PATIENCE: (usize, usize) = (20_000_000, 40);

impl ConstraintGraph {
    /// Bounds on the weight that every map leaves unsatisfied. Ask it of all answers, before voting. The cost is that of
    /// the cheapest repair and a bounded number of searches.
    #[must_use]
    pub fn noise_floor(&self) -> NoiseFloor {
        let components = self.components();
        let kept = self.kept(&components, Repair::Cheapest, 0);
        let bounds = nearer_num::par::map(components.len(), |k| {
            let knot = Knot::new(self, &components[k]);
            let dropped: f64 = (0..knot.arcs.len()).filter(|&a| !kept[k][a]).map(|a| knot.weights[a]).sum();
            (packed(&knot, &kept[k]).min(dropped), dropped)
        });
        // From 0 on: the sum of nothing is -0 otherwise.
        let sum = |parts: &mut dyn Iterator<Item = f64>| parts.fold(0.0, |a, b| a + b);
        let contradictions = sum(&mut self.conflicts().iter().map(|c| c.weight_against));
        NoiseFloor {
            total: sum(&mut self.edges.iter().map(|e| e.weight)),
            contradictions,
            lower: sum(&mut bounds.iter().map(|b| b.0)).max(contradictions),
            upper: sum(&mut bounds.iter().map(|b| b.1)),
        }
    }
}

/// The weight of a packing of circles. Every circle has a dropped arc; those with just one are looked for, since only they
/// can close the gap between the bounds: a dropped arc, and a path of kept ones from its head to its tail.
fn packed(knot: &Knot, keep: &[bool]) -> f64 {
    let n = knot.nodes;
    let inner: Vec<usize> = (0..knot.arcs.len()).filter(|&a| keep[a]).collect();
    let arcs: Vec<(u32, u32)> = inner.iter().map(|&a| knot.arcs[a]).collect();
    let links = Links::forward(n, &arcs);
    let mut place = vec![0u32; n];
    let order = links.topological().expect("what a repair keeps has no circle");
    order.iter().zip(0..).for_each(|(&v, k)| place[v as usize] = k);
    let mut left: Vec<f64> = inner.iter().map(|&a| knot.weights[a]).collect();
    let mut open: Vec<(usize, f64)> =
        (0..knot.arcs.len()).filter(|&a| !keep[a]).map(|a| (a, knot.weights[a])).collect();
    let mut search = Search { came: vec![0; n], round: 0, patience: PATIENCE.0 + PATIENCE.1 * knot.arcs.len() };
    let mut sum = 0.0;
    // Short circles first: they use up the least.
    for longest in [1, 2, 3, 4, 6, 10, usize::MAX] {
        for (a, need) in &mut open {
            let (from, to) = knot.arcs[*a];
            while *need > 0.0 {
                let Some(path) = search.path(&links, &left, &place, (to, from), longest) else { break };
                let take = path.iter().map(|&k| left[k as usize]).fold(*need, f64::min);
                path.iter().for_each(|&k| left[k as usize] -= take);
                *need -= take;
                sum += take;
            }
        }
        open.retain(|o| o.1 > 0.0);
    }
    sum
}

struct Search {
    /// In which search a node was last met.
    came: Vec<u32>,
    round: u32,
    patience: usize,
}

impl Search {
    /// The links of a shortest path on which weight is left, if it has no more links than that.
    fn path(
        &mut self,
        links: &Links,
        left: &[f64],
        place: &[u32],
        (start, end): (u32, u32),
        longest: usize,
    ) -> Option<Vec<u32>> {
        self.round += 1;
        // Nodes met, each with the position of the one it was met from.
        let mut met: Vec<(u32, u32, u32)> = vec![(start, u32::MAX, 0)];
        let (mut next, mut level_end, mut level) = (0, 1, 0);
        while next < met.len() && self.patience > 0 {
            if next == level_end {
                (level, level_end) = (level + 1, met.len());
            }
            if level >= longest {
                return None;
            }
            for &(w, link) in links.of(met[next].0) {
                self.patience = self.patience.saturating_sub(1);
                if left[link as usize] <= 0.0 {
                    continue;
                }
                if w == end {
                    let (mut path, mut at) = (vec![link], next);
                    while met[at].1 != u32::MAX {
                        path.push(met[at].2);
                        at = met[at].1 as usize;
                    }
                    return Some(path);
                }
                if place[w as usize] < place[end as usize] && self.came[w as usize] != self.round {
                    self.came[w as usize] = self.round;
                    met.push((w, next as u32, link));
                }
            }
            next += 1;
        }
        None
    }
}
