//! Who is next to whom in a pattern, with unknowns that have the same neighbours taken together. A pattern of full `r x r`
//! blocks is analysed as the graph of its blocks, with `r²` times fewer places.

use super::Pattern;

/// The neighbours of each vertex, rising, without itself.
pub(super) struct Graph {
    starts: Vec<usize>,
    near: Vec<u32>,
}

/// Unknowns that have the same neighbours and one another, in groups that are all of one size.
pub(super) struct Groups {
    /// How many unknowns each group has.
    pub(super) size: usize,
    /// The group of each unknown, in the order of their first unknowns.
    pub(super) of: Vec<u32>,
    /// Which places join the groups.
    pub(super) graph: Graph,
}

impl Graph {
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }
    pub(super) fn near(&self, v: usize) -> &[u32] {
        &self.near[self.starts[v]..self.starts[v + 1]]
    }

    /// The graph of the unknowns that have a name; names rise with the unknowns and are below `n`.
    fn named(pattern: &Pattern, n: usize, name: impl Fn(usize) -> Option<u32>) -> Self {
        let (columns, rows) = pattern.parts();
        let mut edges = Vec::with_capacity(rows.len());
        let mut starts = vec![0; n + 1];
        for j in 0..pattern.size() {
            let Some(b) = name(j) else { continue };
            for &i in &rows[columns[j]..columns[j + 1] - 1] {
                let Some(a) = name(i) else { continue };
                edges.push((a, b));
                starts[a as usize + 1] += 1;
                starts[b as usize + 1] += 1;
            }
        }
        (0..n).for_each(|v| starts[v + 1] += starts[v]);
        let mut next = starts.clone();
        let mut near = vec![0; 2 * edges.len()];
        for &(a, b) in &edges {
            for (from, to) in [(a, b), (b, a)] {
                near[next[from as usize]] = to;
                next[from as usize] += 1;
            }
        }
        Graph { starts, near }
    }
}

impl Groups {
    /// The largest groups of one size that hold all unknowns; every unknown by itself if there are no others.
    pub(super) fn of_pattern(pattern: &Pattern) -> Self {
        twins(pattern).unwrap_or_else(|| Self::single(pattern))
    }

    /// Every unknown by itself.
    pub(super) fn single(pattern: &Pattern) -> Self {
        let n = pattern.size();
        let graph = Graph::named(pattern, n, |v| Some(v as u32));
        Groups { size: 1, of: (0..n as u32).collect(), graph }
    }
}

/// Groups of more than one, found by sums of hashes and then proved by a count: as many places as full blocks would have.
fn twins(pattern: &Pattern) -> Option<Groups> {
    let n = pattern.size();
    let (columns, rows) = pattern.parts();
    let mut sums: Vec<u64> = (0..n).map(mixed).collect();
    for j in 0..n {
        for &i in &rows[columns[j]..columns[j + 1] - 1] {
            sums[j] = sums[j].wrapping_add(mixed(i));
            sums[i] = sums[i].wrapping_add(mixed(j));
        }
    }
    // The first unknown of those that are alike, and how many of them there are, there.
    let (mut first, mut counts) = (vec![0; n], vec![0; n]);
    for j in 0..n {
        let twin = rows[columns[j]..columns[j + 1] - 1].iter().find(|&&i| sums[i] == sums[j]);
        first[j] = twin.map_or(j, |&i| first[i]);
        counts[first[j]] += 1;
    }
    let size = counts.iter().fold(0, |a, b| common_divisor(a, *b));
    if size < 2 {
        return None;
    }
    let (mut of, mut leads, mut groups) = (vec![0; n], vec![false; n], 0);
    // How many are in the last group of those that are alike, and which group that is.
    let mut last = vec![(size, 0); n];
    for j in 0..n {
        let (members, group) = &mut last[first[j]];
        if *members == size {
            (*members, *group) = (0, groups as u32);
            leads[j] = true;
            groups += 1;
        }
        *members += 1;
        of[j] = *group;
    }
    let graph = Graph::named(pattern, groups, |v| leads[v].then_some(of[v]));
    let full = graph.near.len() / 2 * size * size + graph.len() * size * (size + 1) / 2;
    (full == pattern.len()).then_some(Groups { size, of, graph })
}

fn common_divisor(mut a: usize, mut b: usize) -> usize {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A number that looks random (the finaliser of splitmix64, Steele, Lea and Flood 2014).
fn mixed(v: usize) -> u64 {
    let mut z = (v as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_and_only_where_all_are_alike() {
        let path = Pattern::of_graph(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]);
        let groups = Groups::of_pattern(&path.expanded(3));
        assert_eq!((groups.size, groups.graph.len()), (3, 5));
        assert_eq!(groups.graph.near(2), [1, 3]);
        assert_eq!(groups.of[5], 1);
        // The two ends of a triangle are alike, so there are groups of three and of six.
        let tail = Pattern::of_graph(4, &[(0, 1), (1, 2), (2, 3), (1, 3)]);
        let groups = Groups::of_pattern(&tail.expanded(3));
        assert_eq!((groups.size, groups.graph.len()), (3, 4));
        assert_eq!(groups.graph.near(3), [1, 2]);
        let ends = Groups::of_pattern(&Pattern::of_graph(4, &[(0, 1), (1, 2), (2, 3), (1, 3)]));
        assert_eq!((ends.size, ends.graph.len()), (1, 4));
        assert_eq!(ends.graph.near(1), [0, 2, 3]);
        assert_eq!(Groups::of_pattern(&Pattern::of_graph(0, &[])).graph.len(), 0);
    }
}
