//! The elimination tree and how many numbers each column of the factors has, in almost as many steps as the matrix has
//! places (Liu 1986; Gilbert, Ng and Peyton 1994).

use super::graph::Graph;

/// The parent of a root.
pub(super) const NONE: u32 = u32::MAX;

/// Vertices in an order of elimination in which every subtree is contiguous, and ends with its root.
pub(super) struct Tree {
    /// The k-th vertex to go.
    pub(super) order: Vec<u32>,
    /// When each vertex goes: the inverse of the order.
    pub(super) place: Vec<u32>,
    /// The parent of each place, later than it.
    pub(super) parent: Vec<u32>,
    /// How many numbers the factor has in the column of each place, with the diagonal.
    pub(super) counts: Vec<u32>,
}

impl Tree {
    /// The tree of a graph; the order given is changed into one that is equivalent, with the same fill.
    pub(super) fn new(graph: &Graph, order: &[u32]) -> Self {
        let parent = parents(graph, order, &inverse(order));
        let sizes = subtree_sums(&parent, vec![1; order.len()]);
        let to = subtree_ends(&parent, &sizes).iter().map(|end| end - 1).collect::<Vec<_>>();
        let mut tree = Tree {
            order: vec![0; order.len()],
            place: Vec::new(),
            parent: vec![NONE; order.len()],
            counts: Vec::new(),
        };
        for (old, &new) in to.iter().enumerate() {
            tree.order[new as usize] = order[old];
            tree.parent[new as usize] = if parent[old] == NONE { NONE } else { to[parent[old] as usize] };
        }
        tree.place = inverse(&tree.order);
        tree.counts = tree.counts(graph);
        tree
    }

    /// A column's count is the number of subtrees of rows that it lies in: each row's subtree is told by its leaves and where
    /// their paths meet.
    fn counts(&self, graph: &Graph) -> Vec<u32> {
        let n = self.order.len();
        let sizes = subtree_sums(&self.parent, vec![1; n]);
        let mut change: Vec<i32> = sizes.iter().map(|s| i32::from(*s == 1)).collect();
        let mut set: Vec<u32> = (0..n as u32).collect();
        // Of each row: one more than the first descendant of its last leaf, and that leaf.
        let mut reached = vec![0; n];
        let mut leaf = vec![NONE; n];
        for j in 0..n {
            let first = j as u32 + 1 - sizes[j];
            if self.parent[j] != NONE {
                change[self.parent[j] as usize] -= 1;
            }
            for &u in graph.near(self.order[j] as usize) {
                let i = self.place[u as usize] as usize;
                if i <= j || first < reached[i] {
                    continue;
                }
                change[j] += 1;
                if leaf[i] != NONE {
                    change[representative(&mut set, leaf[i]) as usize] -= 1;
                }
                (reached[i], leaf[i]) = (first + 1, j as u32);
            }
            if self.parent[j] != NONE {
                set[j] = self.parent[j];
            }
        }
        for j in 0..n {
            if self.parent[j] != NONE {
                change[self.parent[j] as usize] += change[j];
            }
        }
        change.iter().map(|c| *c as u32).collect()
    }
}

/// Each value added up over its subtree. Parents come after their children.
pub(super) fn subtree_sums(parent: &[u32], mut values: Vec<u32>) -> Vec<u32> {
    for j in 0..parent.len() {
        if parent[j] != NONE {
            values[parent[j] as usize] += values[j];
        }
    }
    values
}

/// Where each subtree ends if all are laid out one after the other, children in their order and before what is left of `sizes`
/// for the parent itself.
pub(super) fn subtree_ends(parent: &[u32], sizes: &[u32]) -> Vec<u32> {
    let mut ends = vec![0; parent.len()];
    // Where the next child of each, from the last to the first, has to end.
    let mut room = vec![0; parent.len()];
    let mut roots: u32 = (0..parent.len()).filter(|j| parent[*j] == NONE).map(|j| sizes[j]).sum();
    let own = own_sizes(parent, sizes);
    for j in (0..parent.len()).rev() {
        let end = if parent[j] == NONE { &mut roots } else { &mut room[parent[j] as usize] };
        ends[j] = *end;
        *end -= sizes[j];
        room[j] = ends[j] - own[j];
    }
    ends
}

fn own_sizes(parent: &[u32], sizes: &[u32]) -> Vec<u32> {
    let mut own = sizes.to_vec();
    for j in 0..parent.len() {
        if parent[j] != NONE {
            own[parent[j] as usize] -= sizes[j];
        }
    }
    own
}

/// The inverse of a permutation.
pub(super) fn inverse(order: &[u32]) -> Vec<u32> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &v)| place[v as usize] = k as u32);
    place
}

fn parents(graph: &Graph, order: &[u32], place: &[u32]) -> Vec<u32> {
    let mut parent = vec![NONE; order.len()];
    // An ancestor of each, the last one known: paths are walked once.
    let mut above = vec![NONE; order.len()];
    for (j, &v) in order.iter().enumerate() {
        let j = j as u32;
        for &u in graph.near(v as usize) {
            let mut i = place[u as usize];
            while i < j {
                let next = std::mem::replace(&mut above[i as usize], j);
                if next == NONE {
                    parent[i as usize] = j;
                }
                i = next;
            }
        }
    }
    parent
}

/// The root of the part of the tree joined so far that holds `v`; halves the path to it.
fn representative(set: &mut [u32], mut v: u32) -> u32 {
    while set[v as usize] != v {
        let above = set[set[v as usize] as usize];
        set[v as usize] = above;
        v = above;
    }
    v
}

#[cfg(test)]
mod tests {
    use super::super::Pattern;
    use super::super::graph::Groups;
    use super::*;

    /// Counts by elimination of the graph itself.
    #[test]
    fn counts_are_those_of_elimination() {
        let edges = [(0, 3), (0, 5), (1, 4), (1, 7), (2, 3), (2, 8), (5, 8), (6, 7), (6, 9), (4, 9), (3, 9)];
        let graph = Groups::single(&Pattern::of_graph(11, &edges)).graph;
        let tree = Tree::new(&graph, &[3, 7, 0, 1, 10, 2, 9, 4, 8, 5, 6]);
        let mut joined = [[false; 11]; 11];
        for &(a, b) in &edges {
            let (a, b) = (tree.place[a as usize] as usize, tree.place[b as usize] as usize);
            joined[a.min(b)][a.max(b)] = true;
        }
        for j in 0..11 {
            let below: Vec<usize> = (j + 1..11).filter(|i| joined[j][*i]).collect();
            assert_eq!(tree.counts[j] as usize, below.len() + 1, "{j}");
            assert_eq!(tree.parent[j], below.first().map_or(NONE, |i| *i as u32));
            for (k, &a) in below.iter().enumerate() {
                below[k + 1..].iter().for_each(|&b| joined[a][b] = true);
            }
        }
        let sizes = subtree_sums(&tree.parent, vec![1; 11]);
        for j in 0..10 {
            assert!(tree.parent[j] == NONE || tree.parent[j] as usize - j <= sizes[tree.parent[j] as usize] as usize);
        }
    }
}
