//! A tree whose leaves are the objects: what belongs together, and at which level.

use nearer_num::order;
use std::collections::HashMap;

use crate::error::Error;
use crate::object::{Item, Objects};

/// A rooted tree. Its leaves are the objects, in the order in which they were first named.
///
/// ```
/// use nearer::evidence::Taxonomy;
/// # fn main() -> Result<(), nearer::Error> {
/// let tree = Taxonomy::from_edges([("animal", "dog"), ("animal", "cat"), ("thing", "animal"), ("thing", "cup")])?;
/// assert_eq!(tree.objects().labels(), ["dog", "cat", "cup"]);
/// let (dog, cat, cup) = (nearer::Item(0), nearer::Item(1), nearer::Item(2));
/// assert_eq!(tree.name(tree.common_ancestor(dog, cat)), "animal");
/// assert_eq!(tree.depth(tree.common_ancestor(dog, cup)), 0);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Taxonomy {
    objects: Objects,
    names: Vec<String>,
    /// The parent of each node; the root is its own.
    parents: Vec<u32>,
    depths: Vec<u32>,
    /// The node of each object.
    leaves: Vec<u32>,
}

impl Taxonomy {
    /// A tree from `(parent, child)` edges between named nodes. Two parents, a cycle or two roots are refused by name.
    pub fn from_edges<S: AsRef<str>>(edges: impl IntoIterator<Item = (S, S)>) -> Result<Self, Error> {
        let mut names: Vec<String> = Vec::new();
        let mut index: HashMap<String, u32> = HashMap::new();
        let mut parents: Vec<Option<u32>> = Vec::new();
        let mut node = |name: &str, parents: &mut Vec<Option<u32>>| {
            *index.entry(name.to_owned()).or_insert_with(|| {
                names.push(name.to_owned());
                parents.push(None);
                (names.len() - 1) as u32
            })
        };
        let mut twice = None;
        for (parent, child) in edges {
            let (p, c) = (node(parent.as_ref(), &mut parents), node(child.as_ref(), &mut parents));
            match parents[c as usize] {
                None => parents[c as usize] = Some(p),
                Some(other) if other != p => twice = twice.or(Some((c, other, p))),
                Some(_) => {}
            }
        }
        if let Some((c, first, second)) = twice {
            let name = |k: u32| &names[k as usize];
            return Err(Error::Evidence {
                what: format!("`{}` has two parents, `{}` and `{}`", name(c), name(first), name(second)),
                remedy: "a taxonomy is a tree: keep one of them".into(),
            });
        }
        let tree: Vec<u32> = parents.iter().enumerate().map(|(k, p)| p.unwrap_or(k as u32)).collect();
        Self::from_parents(names, tree)
    }

    /// A tree from names and the parent of each node, the root its own parent. Names of inner nodes may repeat.
    pub fn from_parents(names: Vec<String>, parents: Vec<u32>) -> Result<Self, Error> {
        let refuse = |what: String, remedy: &str| Err(Error::Evidence { what, remedy: remedy.into() });
        let roots: Vec<usize> = (0..parents.len()).filter(|&k| parents[k] as usize == k).collect();
        let depths = match depths(&parents) {
            Ok(depths) => depths,
            Err(cycle) => {
                let way: Vec<String> = cycle.iter().map(|&k| format!("`{}`", names[k as usize])).collect();
                return refuse(
                    format!("the taxonomy goes round in a circle: {}", way.join(" under ")),
                    "a tree has none",
                );
            }
        };
        match roots.as_slice() {
            [] => return refuse("the taxonomy is empty".into(), "give one node at least"),
            [_] => {}
            [first, second, ..] => {
                let what = format!("{} nodes have no parent: `{}`, `{}`", roots.len(), names[*first], names[*second]);
                return refuse(what, "put them under one root");
            }
        }
        let mut inner = vec![false; parents.len()];
        parents.iter().enumerate().filter(|(k, p)| **p as usize != *k).for_each(|(_, p)| inner[*p as usize] = true);
        let leaves: Vec<u32> = (0..parents.len() as u32).filter(|&k| !inner[k as usize]).collect();
        let objects = Objects::new(leaves.iter().map(|&k| names[k as usize].clone()))?;
        Ok(Taxonomy { objects, names, parents, depths, leaves })
    }

    /// The leaves.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// How many nodes there are, leaves and root included.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.names.len()
    }
    /// The name of a node.
    #[must_use]
    pub fn name(&self, node: u32) -> &str {
        &self.names[node as usize]
    }
    /// Edges from the root to a node.
    #[must_use]
    pub fn depth(&self, node: u32) -> u32 {
        self.depths[node as usize]
    }
    /// The depth of the deepest leaf.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.depths.iter().copied().max().unwrap_or(0)
    }
    /// The parent of a node; the root is its own.
    #[must_use]
    pub fn parent(&self, node: u32) -> u32 {
        self.parents[node as usize]
    }
    /// The node of an object.
    #[must_use]
    pub fn leaf(&self, item: Item) -> u32 {
        self.leaves[item.index()]
    }
    /// The deepest node above both objects. `O(height)`.
    #[must_use]
    pub fn common_ancestor(&self, a: Item, b: Item) -> u32 {
        let (mut a, mut b) = (self.leaf(a), self.leaf(b));
        while a != b {
            if self.depth(a) >= self.depth(b) {
                a = self.parent(a);
            } else {
                b = self.parent(b);
            }
        }
        a
    }

    /// How many triplets follow: for each node the ordered `(i, j)` within one child and `k` in another, `O(nodes)`.
    ///
    /// `sum over nodes S and children C of |C| (|C| - 1) (|S| - |C|)`
    #[must_use]
    pub fn triplets(&self) -> u64 {
        let mut sizes = vec![0u64; self.nodes()];
        self.leaves.iter().for_each(|&leaf| sizes[leaf as usize] = 1);
        let mut order: Vec<u32> = (0..self.nodes() as u32).collect();
        order::by_key(&mut order, &|&k| std::cmp::Reverse(self.depth(k)));
        for &node in order.iter().filter(|&&k| self.parent(k) != k) {
            sizes[self.parent(node) as usize] += sizes[node as usize];
        }
        let below = order.iter().filter(|&&k| self.parent(k) != k);
        below.map(|&k| (sizes[k as usize], sizes[self.parent(k) as usize])).map(|(c, s)| c * (c - 1) * (s - c)).sum()
    }
}

/// The depth of every node, or the nodes of a cycle.
fn depths(parents: &[u32]) -> Result<Vec<u32>, Vec<u32>> {
    const UNKNOWN: u32 = u32::MAX;
    let mut depths = vec![UNKNOWN; parents.len()];
    for start in 0..parents.len() as u32 {
        let (mut path, mut node) = (Vec::new(), start);
        while depths[node as usize] == UNKNOWN && parents[node as usize] != node {
            // A path longer than the tree has nodes goes round.
            if path.len() > parents.len() {
                let from = path.iter().rposition(|&k| k == node).unwrap_or(0);
                return Err(path[from..].to_vec());
            }
            path.push(node);
            node = parents[node as usize];
        }
        if depths[node as usize] == UNKNOWN {
            depths[node as usize] = 0;
        }
        let mut depth = depths[node as usize];
        for &k in path.iter().rev() {
            depth += 1;
            depths[k as usize] = depth;
        }
    }
    Ok(depths)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(edges: &[(&str, &str)]) -> String {
        Taxonomy::from_edges(edges.iter().copied()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_tree_is_refused_by_name() {
        let e = refused(&[("a", "c"), ("b", "c"), ("r", "a"), ("r", "b")]);
        assert!(e.contains("`c` has two parents, `a` and `b`"), "{e}");
        let e = refused(&[("a", "b"), ("b", "a")]);
        assert!(e.contains("circle") && e.contains("`a`") && e.contains("`b`"), "{e}");
        let e = refused(&[("a", "b"), ("c", "d")]);
        assert!(e.contains("2 nodes have no parent: `a`, `c`"), "{e}");
        assert!(refused(&[]).contains("empty"));
    }

    #[test]
    fn ancestors_by_climbing_are_those_by_paths() {
        let edges = [("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "x"), ("c", "y"), ("b", "z")];
        let tree = Taxonomy::from_edges(edges).unwrap();
        let path = |item: Item| {
            let mut way = vec![tree.leaf(item)];
            while *way.last().unwrap() != tree.parent(*way.last().unwrap()) {
                way.push(tree.parent(*way.last().unwrap()));
            }
            way
        };
        for a in (0..4).map(Item) {
            for b in (0..4).map(Item).filter(|b| *b != a) {
                let other = path(b);
                let expected = *path(a).iter().find(|k| other.contains(k)).unwrap();
                assert_eq!(tree.common_ancestor(a, b), expected);
                assert_eq!(
                    tree.depth(expected) as usize,
                    path(a).len() - 1 - path(a).iter().position(|k| *k == expected).unwrap()
                );
            }
        }
        assert_eq!(tree.height(), 3);
        let (mut triplets, all) = (0, || (0..4).map(Item));
        for i in all() {
            for j in all().filter(|j| *j != i) {
                for k in all().filter(|k| *k != i && *k != j) {
                    let (near, far) = (tree.common_ancestor(i, j), tree.common_ancestor(i, k));
                    triplets += u64::from(tree.depth(near) > tree.depth(far));
                }
            }
        }
        assert_eq!(tree.triplets(), triplets);
    }
}
