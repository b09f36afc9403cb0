//! What a taxonomy says about nearness: those of one branch are nearer to each other than to those of another.

use nearer_num::order;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::Error;
use crate::evidence::convert::{ComparisonSet, locate, of_each};
use crate::evidence::{Comparison, Comparisons, Sorts, Taxonomy};
use crate::object::{Item, Objects, Pair};

/// The comparisons of a taxonomy: for each inner node `S` all `(i, j, i, k)` with `LCA(i, j)` below `S` and
/// `LCA(i, k) = S`, LCA being the least common ancestor.
///
/// The margin of a comparison is `2^(depth - 1)`, where `depth` is that of its far pair in the constraint graph of all
/// of them: the longest chain of comparisons that ends at the pair. Margins so grow with the size of the groups: tight
/// clusters within wide ones. A sample takes equally many comparisons of each depth, since the top of a tree alone has
/// nearly all of them.
///
/// There are `Σ_S Σ_c |c| (|c| - 1) (|S| - |c|)` comparisons, `c` the children of `S`; they are counted and drawn
/// without being written out, in memory `O(leaves · height)`.
///
/// What is lost: the names of inner nodes, nodes with a single child, branch lengths, and how levels of different branches
/// compare (pairs that share no leaf are never compared directly).
///
/// # Reference
/// McFee and Lanckriet (2009), section 4.2.
///
/// ```
/// use nearer::evidence::{ComparisonSet, Taxonomy, TaxonomyOrder};
/// # fn main() -> Result<(), nearer::Error> {
/// let tree = Taxonomy::from_edges([("animal", "dog"), ("animal", "cat"), ("thing", "animal"), ("thing", "cup")])?;
/// let order = TaxonomyOrder::new(&tree)?;
/// let c = order.comparisons(100, 0)?;
/// assert_eq!(c.len(), 2);
/// assert_eq!(c.in_words(0), "`dog` is nearer to `cat` than to `cup`");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct TaxonomyOrder {
    objects: Objects,
    /// Leaves, those of any node next to each other.
    leaves: Vec<Item>,
    /// Positions in `leaves`, grouped by node and by the depth of what lies below.
    lists: Vec<Vec<u32>>,
    blocks: Vec<Block>,
    ends: Vec<u64>,
}

/// Comparisons whose head is one of some leaves of a child, and whose far object is one of some leaves beside the child.
#[derive(Debug, Clone)]
struct Block {
    depth: u32,
    /// The leaves of the child.
    child: Range<u32>,
    /// The heads: a stretch of a list.
    heads: (u32, Range<u32>),
    /// The far objects: a list without the stretch that lies in the child.
    fars: (u32, Range<u32>),
}

impl TaxonomyOrder {
    /// Counts the comparisons of a taxonomy. `O(leaves · height)`, more where many depths meet at one node.
    pub fn new(tree: &Taxonomy) -> Result<Self, Error> {
        let shape = Shape::new(tree);
        let mut order = TaxonomyOrder {
            objects: tree.objects().clone(),
            leaves: shape.leaves,
            lists: Vec::new(),
            blocks: Vec::new(),
            ends: Vec::new(),
        };
        // For each leaf the depth of the deepest pair it is in, among the nodes done so far; -1 while there is none.
        let mut below = vec![-1i32; order.leaves.len()];
        for &node in shape.top_down.iter().rev() {
            if shape.children[node].len() > 1 {
                order.add(&shape.children[node], &shape.ranges, &mut below);
            }
        }
        order::by_key(&mut order.blocks, &|b| b.depth);
        let deepest = order.blocks.last().map_or(0, |b| b.depth);
        if deepest > 1000 {
            return Err(Error::Evidence {
                what: format!(
                    "the taxonomy is {deepest} comparisons deep, and a margin of 2^{} is no number",
                    deepest - 1
                ),
                remedy: "cut the taxonomy: 1000 levels are the most".into(),
            });
        }
        order.ends = order
            .blocks
            .iter()
            .scan(0, |end, b| {
                *end += order.size(b);
                Some(*end)
            })
            .collect();
        Ok(order)
    }

    /// How many comparisons there are of each depth, from 1.
    #[must_use]
    pub fn by_depth(&self) -> BTreeMap<u32, u64> {
        let mut counts = BTreeMap::new();
        self.blocks.iter().for_each(|b| *counts.entry(b.depth).or_default() += self.size(b));
        counts
    }

    /// This many comparisons of each depth, drawn without repetition, all of those depths that have fewer (the paper's section 4.2). The
    /// same seed gives the same sample.
    ///
    /// # Fails
    /// As [`Comparisons::new`].
    pub fn of_each_depth(&self, each: usize, seed: u64) -> Result<Comparisons, Error> {
        let strata = self.strata();
        let quotas: Vec<u64> = strata.iter().map(|r| (r.end - r.start).min(each as u64)).collect();
        let rows = of_each(&strata, &quotas, seed).into_iter().map(|k| self.get(k)).collect();
        Comparisons::new(self.objects.clone(), rows)
    }

    fn size(&self, b: &Block) -> u64 {
        let heads = u64::from(b.heads.1.end - b.heads.1.start);
        heads * u64::from(b.child.end - b.child.start - 1) * self.fars(b)
    }
    fn fars(&self, b: &Block) -> u64 {
        self.lists[b.fars.0 as usize].len() as u64 - u64::from(b.fars.1.end - b.fars.1.start)
    }

    /// The comparisons of one node, and for its leaves the depth of their deepest pair.
    ///
    /// A pair `i, k` with ancestor `S` comes after the pairs of `i` and the pairs of `k` that lie below `S`, and after
    /// no others, so its depth is one more than the larger of `below[i]` and `below[k]`.
    fn add(&mut self, children: &[usize], ranges: &[Range<u32>], below: &mut [i32]) {
        let whole = ranges[children[0]].start..ranges[children[children.len() - 1]].end;
        let mut lists: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
        whole.clone().for_each(|p| lists.entry(below[p as usize]).or_default().push(p));
        let first = self.lists.len() as u32;
        let values: Vec<i32> = lists.keys().copied().collect();
        self.lists.extend(lists.into_values());
        let deepest = |range: Range<u32>| range.map(|p| below[p as usize]).max().unwrap_or(-1);
        let tops: Vec<i32> = children.iter().map(|c| deepest(ranges[*c].clone())).collect();
        let mut next = Vec::with_capacity((whole.end - whole.start) as usize);
        for (c, &child) in children.iter().enumerate() {
            let child = ranges[child].clone();
            let stretch = |list: u32| {
                let list = &self.lists[list as usize];
                list.partition_point(|p| *p < child.start) as u32..list.partition_point(|p| *p < child.end) as u32
            };
            let inside: Vec<Range<u32>> = (0..values.len() as u32).map(|v| stretch(first + v)).collect();
            let beside = tops.iter().enumerate().filter(|(k, _)| *k != c).map(|(_, t)| *t).max().unwrap_or(-1);
            next.extend(child.clone().map(|p| 1 + below[p as usize].max(beside)));
            if child.end - child.start < 2 {
                continue;
            }
            for (a, heads) in inside.iter().enumerate().filter(|(_, r)| !r.is_empty()) {
                for (b, cut) in inside.iter().enumerate() {
                    let block = Block {
                        depth: (1 + values[a].max(values[b])) as u32,
                        child: child.clone(),
                        heads: (first + a as u32, heads.clone()),
                        fars: (first + b as u32, cut.clone()),
                    };
                    if self.fars(&block) > 0 {
                        self.blocks.push(block);
                    }
                }
            }
        }
        below[whole.start as usize..whole.end as usize].copy_from_slice(&next);
    }
}

impl ComparisonSet for TaxonomyOrder {
    fn objects(&self) -> &Objects {
        &self.objects
    }
    fn count(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }
    fn get(&self, k: u64) -> Comparison {
        let (block, k) = locate(&self.ends, k);
        let b = &self.blocks[block];
        let (fars, mates) = (self.fars(b), u64::from(b.child.end - b.child.start - 1));
        let head = self.lists[b.heads.0 as usize][(u64::from(b.heads.1.start) + k / (fars * mates)) as usize];
        let mate = b.child.start + (k / fars % mates) as u32;
        let mate = if mate < head { mate } else { mate + 1 };
        let far = (k % fars) as u32;
        let far = if far < b.fars.1.start { far } else { far + b.fars.1.end - b.fars.1.start };
        let far = self.lists[b.fars.0 as usize][far as usize];
        let pair = |a: u32, b: u32| {
            Pair::new(self.leaves[a as usize], self.leaves[b as usize]).expect("leaves at different places differ")
        };
        let margin = 2f64.powi(b.depth as i32 - 1);
        Comparison { near: pair(head, mate), far: pair(head, far), weight: 1.0, margin }
    }
    fn strata(&self) -> Vec<Range<u64>> {
        let mut strata: Vec<Range<u64>> = Vec::new();
        for (depth, count) in self.by_depth() {
            debug_assert!(depth > 0 && count > 0);
            let start = strata.last().map_or(0, |r| r.end);
            strata.push(start..start + count);
        }
        strata
    }
}

impl Taxonomy {
    /// The lowest level alone, as class labels: those of one parent are one class.
    ///
    /// What is lost: every higher level.
    #[must_use]
    pub fn classes(&self) -> Sorts {
        let parent = |k: u32| self.parent(self.leaf(Item(k)));
        // Names of inner nodes may repeat; their numbers do not.
        let groups = (0..self.objects().len() as u32).map(|k| Some(format!("{} {}", parent(k), self.name(parent(k)))));
        Sorts::new(self.objects().clone(), vec!["taxonomy".into()], vec![groups.collect()])
            .expect("one class for each leaf")
    }
}

/// A tree with its leaves in a row.
struct Shape {
    /// The children of each node that have leaves below them (all have).
    children: Vec<Vec<usize>>,
    /// Nodes, parents first.
    top_down: Vec<usize>,
    leaves: Vec<Item>,
    /// Where in the row the leaves of each node stand.
    ranges: Vec<Range<u32>>,
}

impl Shape {
    fn new(tree: &Taxonomy) -> Self {
        let count = tree.nodes();
        let mut children = vec![Vec::new(); count];
        let mut root = 0;
        for node in 0..count {
            match tree.parent(node as u32) as usize {
                parent if parent == node => root = node,
                parent => children[parent].push(node),
            }
        }
        let item: BTreeMap<usize, Item> =
            (0..tree.objects().len() as u32).map(|k| (tree.leaf(Item(k)) as usize, Item(k))).collect();
        let (mut top_down, mut leaves) = (Vec::with_capacity(count), Vec::new());
        let mut ranges = vec![0..0; count];
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            top_down.push(node);
            ranges[node].start = leaves.len() as u32;
            leaves.extend(item.get(&node));
            ranges[node].end = leaves.len() as u32;
            stack.extend(children[node].iter().rev());
        }
        for &node in top_down.iter().rev() {
            if let Some(&last) = children[node].last() {
                ranges[node].end = ranges[last].end;
            }
        }
        Shape { children, top_down, leaves, ranges }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;
    use std::collections::HashMap;

    fn random_tree(nodes: usize, seed: u64) -> Taxonomy {
        let mut rng = Rng::task(seed, 0);
        let parents = (0..nodes).map(|k| if k == 0 { 0 } else { rng.below(k) as u32 }).collect();
        Taxonomy::from_parents((0..nodes).map(|k| format!("node {k}")).collect(), parents).unwrap()
    }

    /// The definition, word by word: over all inner nodes and all triples of leaves.
    fn by_definition(tree: &Taxonomy) -> Vec<(Pair, Pair)> {
        let n = tree.objects().len() as u32;
        let under = |k: u32, s: u32| {
            let mut node = tree.leaf(Item(k));
            while node != s && tree.parent(node) != node {
                node = tree.parent(node);
            }
            node == s
        };
        let mut said = Vec::new();
        for s in 0..tree.nodes() as u32 {
            for i in (0..n).filter(|k| under(*k, s)) {
                for j in (0..n).filter(|k| *k != i && under(*k, s)) {
                    for k in (0..n).filter(|k| *k != i && *k != j && under(*k, s)) {
                        let lca = |a, b| tree.common_ancestor(Item(a), Item(b));
                        if lca(i, j) != s && lca(i, k) == s {
                            let pair = |a, b| Pair::new(Item(a), Item(b)).unwrap();
                            said.push((pair(i, j), pair(i, k)));
                        }
                    }
                }
            }
        }
        said.sort();
        said
    }

    /// As many of each depth as are asked for, each once, with the margins of their depth.
    #[test]
    fn each_depth_gives_equally_many() {
        let order = TaxonomyOrder::new(&random_tree(60, 3)).unwrap();
        let c = order.of_each_depth(7, 2).unwrap();
        assert_eq!(c.rows(), order.of_each_depth(7, 2).unwrap().rows());
        assert_ne!(c.rows(), order.of_each_depth(7, 3).unwrap().rows());
        for (depth, all) in order.by_depth() {
            let margin = 2f64.powi(depth as i32 - 1);
            let of_it: std::collections::HashSet<_> =
                c.iter().filter(|row| row.margin == margin).map(|row| (row.near, row.far)).collect();
            let rows = c.iter().filter(|row| row.margin == margin).count();
            assert_eq!(rows as u64, all.min(7), "depth {depth}");
            assert!(of_it.len() <= rows && !of_it.is_empty());
        }
    }

    /// The longest chain of comparisons to each pair, by relaxing all of them until nothing changes.
    fn depths(said: &[(Pair, Pair)]) -> HashMap<Pair, u32> {
        let mut depth: HashMap<Pair, u32> = HashMap::new();
        loop {
            let mut changed = false;
            for (near, far) in said {
                let least = depth.get(near).copied().unwrap_or(0) + 1;
                let now = depth.entry(*far).or_insert(0);
                changed |= *now < least;
                *now = least.max(*now);
            }
            if !changed {
                return depth;
            }
        }
    }

    #[test]
    fn comparisons_and_margins_are_those_of_the_definition() {
        for seed in 0..40 {
            let tree = random_tree(14 + seed as usize % 9, seed);
            let order = TaxonomyOrder::new(&tree).unwrap();
            let expected = by_definition(&tree);
            let all: Vec<Comparison> = order.iter().collect();
            let mut pairs: Vec<(Pair, Pair)> = all.iter().map(|c| (c.near, c.far)).collect();
            pairs.sort();
            assert_eq!(pairs, expected, "{seed}");
            let depth = depths(&expected);
            for c in &all {
                assert_eq!(c.margin, 2f64.powi(depth[&c.far] as i32 - 1), "{seed} {c:?}");
            }
            let mut counted: BTreeMap<u32, u64> = BTreeMap::new();
            expected.iter().for_each(|(_, far)| *counted.entry(depth[far]).or_default() += 1);
            assert_eq!(order.by_depth(), counted);
        }
    }

    #[test]
    fn a_sample_takes_equally_many_of_each_depth() {
        let tree = random_tree(300, 5);
        let order = TaxonomyOrder::new(&tree).unwrap();
        let sample = order.comparisons(600, 1).unwrap();
        assert_eq!(sample.len(), 600);
        let mut taken: BTreeMap<u64, u64> = BTreeMap::new();
        sample.iter().for_each(|c| *taken.entry(c.margin.log2() as u64 + 1).or_default() += 1);
        let most = *taken.values().max().unwrap();
        for (depth, count) in order.by_depth() {
            let here = taken.get(&u64::from(depth)).copied().unwrap_or(0);
            assert!(here == count || most - here <= 1, "depth {depth}: {here} of {count}, most {most}");
        }
        let distinct: std::collections::HashSet<_> = sample.iter().map(|c| (c.near, c.far)).collect();
        assert!(distinct.len() >= 590, "{}", distinct.len());
    }

    #[test]
    fn a_large_tree_is_counted_without_writing_it_out() {
        let mut edges = Vec::new();
        for a in 0..20 {
            edges.push(("root".to_owned(), format!("a{a}")));
            for b in 0..100 {
                edges.push((format!("a{a}"), format!("a{a}b{b}")));
            }
        }
        let order = TaxonomyOrder::new(&Taxonomy::from_edges(edges).unwrap()).unwrap();
        assert_eq!(order.count(), 20 * 100 * 99 * 1900);
        assert_eq!(order.by_depth(), BTreeMap::from([(1, 20 * 100 * 99 * 1900)]));
    }

    #[test]
    fn the_lowest_level_alone_is_a_column_of_classes() {
        let edges = [("r", "a"), ("r", "b"), ("a", "x"), ("a", "y"), ("b", "z")];
        let sorts = Taxonomy::from_edges(edges).unwrap().classes();
        assert_eq!((sorts.together(0, 0, 1), sorts.together(0, 0, 2)), (Some(true), Some(false)));
    }
}
