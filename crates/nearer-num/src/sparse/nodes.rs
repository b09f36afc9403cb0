//! Neighbouring columns of the factors with the same rows are one node, computed as one dense block; small nodes join their
//! parents even at the price of some zeros, where that costs less than a node by itself (Ashcraft and Grimes 1989).

use super::elimination::{NONE, Tree, subtree_ends, subtree_sums};

/// Nodes in the order of elimination, children before parents, subtrees contiguous.
pub(super) struct Nodes {
    /// The k-th vertex to go; equivalent to the order of the tree.
    pub(super) order: Vec<u32>,
    /// Where each node's columns begin, and one more: their number.
    pub(super) starts: Vec<u32>,
    /// The parent of each node.
    pub(super) parent: Vec<u32>,
    /// How many rows each node has below its own columns.
    pub(super) below: Vec<u32>,
}

impl Nodes {
    /// The nodes of a tree each of whose vertices stands for `size` unknowns.
    pub(super) fn new(tree: &Tree, size: usize) -> Self {
        let strict = Strict::new(tree);
        let joined = strict.joined(size);
        let count = joined.len();
        // The node that each strict node is part of, by its last part, and how many columns it has.
        let mut whole: Vec<u32> = (0..count as u32).collect();
        let mut widths = vec![0; count];
        for c in (0..count).rev() {
            if joined[c] {
                whole[c] = whole[strict.parent[c] as usize];
            }
            widths[whole[c] as usize] += strict.width(c);
        }
        let parent: Vec<u32> = (0..count)
            .map(|c| if strict.parent[c] == NONE { NONE } else { whole[strict.parent[c] as usize] })
            .collect();
        let heads: Vec<usize> = (0..count).filter(|c| !joined[*c]).collect();
        let mut number = vec![NONE; count];
        heads.iter().enumerate().for_each(|(k, &c)| number[c] = k as u32);
        let up: Vec<u32> =
            heads.iter().map(|&c| if parent[c] == NONE { NONE } else { number[parent[c] as usize] }).collect();
        let own: Vec<u32> = heads.iter().map(|&c| widths[c]).collect();
        let ends = subtree_ends(&up, &subtree_sums(&up, own.clone()));
        let mut sorted: Vec<u32> = (0..heads.len() as u32).collect();
        sorted.sort_unstable_by_key(|k| ends[*k as usize]);
        let mut rank = vec![0; heads.len()];
        sorted.iter().enumerate().for_each(|(s, &k)| rank[k as usize] = s as u32);

        let mut starts: Vec<u32> = sorted.iter().map(|&k| ends[k as usize] - own[k as usize]).collect();
        let mut next: Vec<u32> = (0..heads.len()).map(|k| ends[k] - own[k]).collect();
        starts.push(tree.order.len() as u32);
        let mut order = vec![0; tree.order.len()];
        for c in 0..count {
            let k = number[whole[c] as usize] as usize;
            let columns = &tree.order[strict.starts[c] as usize..strict.starts[c + 1] as usize];
            order[next[k] as usize..][..columns.len()].copy_from_slice(columns);
            next[k] += columns.len() as u32;
        }
        let parent = sorted.iter().map(|&k| up[k as usize]).map(|p| if p == NONE { NONE } else { rank[p as usize] });
        let below = sorted.iter().map(|&k| strict.below[heads[k as usize]]).collect();
        Nodes { order, starts, parent: parent.collect(), below }
    }
}

/// Nodes whose columns have the same rows exactly.
struct Strict {
    starts: Vec<u32>,
    parent: Vec<u32>,
    below: Vec<u32>,
}

impl Strict {
    fn new(tree: &Tree) -> Self {
        let n = tree.order.len();
        let mut starts = Vec::new();
        let mut node = vec![0; n];
        for j in 0..n {
            let follows = j > 0 && tree.parent[j - 1] == j as u32 && tree.counts[j - 1] == tree.counts[j] + 1;
            if !follows {
                starts.push(j as u32);
            }
            node[j] = starts.len() as u32 - 1;
        }
        starts.push(n as u32);
        let last = |s: &[u32]| s[1] as usize - 1;
        let up = |p: u32| if p == NONE { NONE } else { node[p as usize] };
        let parent = starts.windows(2).map(|s| up(tree.parent[last(s)])).collect();
        let below = starts.windows(2).map(|s| tree.counts[last(s)] - 1).collect();
        Strict { starts, parent, below }
    }

    fn width(&self, c: usize) -> u32 {
        self.starts[c + 1] - self.starts[c]
    }

    /// Which nodes become parts of their parents.
    fn joined(&self, size: usize) -> Vec<bool> {
        let count = self.parent.len();
        let mut widths: Vec<f64> = (0..count).map(|c| f64::from(self.width(c)) * size as f64).collect();
        let mut zeros = vec![0.0; count];
        let mut joined = vec![false; count];
        for c in 0..count {
            if self.parent[c] == NONE {
                continue;
            }
            let p = self.parent[c] as usize;
            let (rows, own) = (f64::from(self.below[p]) * size as f64, f64::from(self.below[c]) * size as f64);
            let width = widths[c] + widths[p];
            let with = zeros[c] + zeros[p] + widths[c] * (widths[p] + rows - own);
            let numbers = width * (0.5 * (width + 1.0) + rows);
            if worth_it(width, with, numbers) {
                joined[c] = true;
                (widths[p], zeros[p]) = (width, with);
            }
        }
        joined
    }
}

/// Whether a node this wide is better than two, with so many zeros among its numbers. By experiment.
fn worth_it(width: f64, zeros: f64, numbers: f64) -> bool {
    let share = match width {
        ..=4.0 => 0.6,
        ..=16.0 => 0.25,
        ..=48.0 => 0.1,
        _ => 0.05,
    };
    zeros <= share * numbers
}
