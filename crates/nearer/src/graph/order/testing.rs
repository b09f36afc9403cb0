//! Graphs for tests, and slow second ways to what the module computes.

use nearer_num::rng::Rng;

use super::ConstraintGraph;
use crate::evidence::{Comparison, Comparisons};
use crate::object::{Item, Objects, Pair};

pub(super) fn pair(a: u32, b: u32) -> Pair {
    Pair::new(Item(a), Item(b)).unwrap()
}

/// A near pair, a far pair, and how often that was said.
pub(super) type Said = ((u32, u32), (u32, u32), usize);

/// The graph of answers, each said so many times.
pub(super) fn graph(n: usize, said: &[Said]) -> ConstraintGraph {
    let rows = said.iter().flat_map(|&(near, far, times)| {
        std::iter::repeat_n(Comparison::new(pair(near.0, near.1), pair(far.0, far.1)), times)
    });
    ConstraintGraph::new(&Comparisons::new(Objects::numbered(n), rows.collect()).unwrap())
}

/// Random comparisons of any two pairs, of few objects, with weights and margins of 1 to 4.
pub(super) fn random(n: usize, count: usize, seed: u64) -> Comparisons {
    let mut rng = Rng::task(seed, 77);
    let any = |rng: &mut Rng| loop {
        if let Some(p) = Pair::new(Item(rng.below(n) as u32), Item(rng.below(n) as u32)) {
            return p;
        }
    };
    let mut rows = Vec::new();
    while rows.len() < count {
        let (near, far) = (any(&mut rng), any(&mut rng));
        let (weight, margin) = (1.0 + rng.below(4) as f64, 1.0 + rng.below(4) as f64);
        if near != far {
            rows.push(Comparison { near, far, weight, margin });
        }
    }
    Comparisons::new(Objects::numbered(n), rows).unwrap()
}

/// The largest sum of margins along a path of one edge or more, for all nodes, by relaxing every edge over and over.
/// `None` where there is no path. The graph has no circle.
pub(super) fn longest(g: &ConstraintGraph) -> Vec<Vec<Option<f64>>> {
    let n = g.nodes().len();
    let mut far: Vec<Vec<Option<f64>>> = vec![vec![None; n]; n];
    let mut changed = true;
    while changed {
        changed = false;
        for e in g.edges() {
            for s in 0..n {
                let so_far = if s == e.near as usize { Some(0.0) } else { far[s][e.near as usize] };
                let Some(now) = so_far.map(|d| d + e.margin) else { continue };
                if far[s][e.far as usize].is_none_or(|d| d < now) {
                    far[s][e.far as usize] = Some(now);
                    changed = true;
                }
            }
        }
    }
    far
}

/// Who follows whom, by Warshall's three loops over a table of bits.
pub(super) fn reach(n: usize, arcs: &[(u32, u32)]) -> Vec<Vec<bool>> {
    let mut rows = vec![vec![0u64; n.div_ceil(64)]; n];
    let bit = |row: &[u64], v: usize| row[v / 64] >> (v % 64) & 1 == 1;
    arcs.iter().for_each(|&(a, b)| rows[a as usize][b as usize / 64] |= 1 << (b % 64));
    for k in 0..n {
        let through = rows[k].clone();
        for row in rows.iter_mut().filter(|row| bit(row, k)) {
            row.iter_mut().zip(&through).for_each(|(a, b)| *a |= b);
        }
    }
    rows.iter().map(|row| (0..n).map(|v| bit(row, v)).collect()).collect()
}
