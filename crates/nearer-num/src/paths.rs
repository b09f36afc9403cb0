//! Shortest ways in a sparse graph with lengths: Dijkstra's search with a heap that knows where everything stands.

use crate::{packed, par};

/// Edges leaving each vertex, one after another: vertex `i` has `edges[starts[i]..starts[i + 1]]`.
#[derive(Debug, Clone, Copy)]
pub struct Edges<'a> {
    /// Where the edges of each vertex begin, and where the last ones end.
    pub starts: &'a [usize],
    /// The other end and the length of each, none of them negative.
    pub edges: &'a [(u32, f64)],
}

/// Children of an entry of the heap: four keep it flat.
const FAN: usize = 4;
const ABSENT: u32 = u32::MAX;
/// Sources that one piece of the work has.
const PIECE: usize = 16;

/// A search that can be run again and again without asking for memory.
#[derive(Debug, Clone)]
pub struct Search<'a> {
    graph: Edges<'a>,
    heap: Vec<(f64, u32)>,
    place: Vec<u32>,
}

impl<'a> Search<'a> {
    /// A search in this graph.
    #[must_use]
    pub fn new(graph: Edges<'a>) -> Self {
        Search { graph, heap: Vec::new(), place: vec![ABSENT; graph.starts.len().saturating_sub(1)] }
    }

    /// The lengths of the shortest ways to all vertices from the nearest of some, each with a way before it; infinite where there
    /// is none.
    pub fn from(&mut self, sources: &[(u32, f64)], length: &mut [f64]) {
        length.fill(f64::INFINITY);
        self.heap.clear();
        self.place.fill(ABSENT);
        for &(i, before) in sources {
            self.reach(i, before, length);
        }
        while let Some((so_far, i)) = self.pop() {
            let (from, to) = (self.graph.starts[i as usize], self.graph.starts[i as usize + 1]);
            for &(j, edge) in &self.graph.edges[from..to] {
                self.reach(j, so_far + edge, length);
            }
        }
    }

    /// Notes a way, if it is the shortest so far.
    #[inline]
    fn reach(&mut self, i: u32, way: f64, length: &mut [f64]) {
        let known = &mut length[i as usize];
        if way >= *known {
            return;
        }
        *known = way;
        let at = match self.place[i as usize] {
            ABSENT => {
                self.heap.push((way, i));
                self.heap.len() - 1
            }
            at => at as usize,
        };
        self.rise(at, (way, i));
    }

    fn rise(&mut self, mut at: usize, entry: (f64, u32)) {
        while at > 0 {
            let parent = (at - 1) / FAN;
            if self.heap[parent].0 <= entry.0 {
                break;
            }
            self.heap[at] = self.heap[parent];
            self.place[self.heap[at].1 as usize] = at as u32;
            at = parent;
        }
        self.heap[at] = entry;
        self.place[entry.1 as usize] = at as u32;
    }

    fn pop(&mut self) -> Option<(f64, u32)> {
        let first = *self.heap.first()?;
        self.place[first.1 as usize] = ABSENT;
        let entry = self.heap.pop()?;
        if self.heap.is_empty() {
            return Some(first);
        }
        let (mut at, count) = (0, self.heap.len());
        loop {
            let child = FAN * at + 1;
            if child >= count {
                break;
            }
            let mut least = child;
            for other in child + 1..(child + FAN).min(count) {
                if self.heap[other].0 < self.heap[least].0 {
                    least = other;
                }
            }
            if self.heap[least].0 >= entry.0 {
                break;
            }
            self.heap[at] = self.heap[least];
            self.place[self.heap[at].1 as usize] = at as u32;
            at = least;
        }
        self.heap[at] = entry;
        self.place[entry.1 as usize] = at as u32;
        Some(first)
    }
}

/// The shortest ways between all pairs of vertices, as a packed triangle: the way from the smaller number. `go_on` is asked
/// with the number of sources that are done; `None` once it says no.
pub fn all(graph: Edges<'_>, mut go_on: impl FnMut(usize) -> bool) -> Option<Vec<f64>> {
    /// Sources between two questions.
    const ROUND: usize = 128;
    let n = graph.starts.len() - 1;
    let mut out = vec![0.0; packed::len(n)];
    let mut rest = out.as_mut_slice();
    for round in par::ranges(n, ROUND) {
        if !go_on(round.start) {
            return None;
        }
        let mut parts = Vec::new();
        for piece in (round.start..round.end).step_by(PIECE) {
            let last = (piece + PIECE).min(round.end);
            let length = packed::row_start(n, last) - packed::row_start(n, piece);
            let (part, after) = rest.split_at_mut(length);
            rest = after;
            parts.push((piece, part));
        }
        par::each(parts, |_, (first, mut part)| {
            let mut search = Search::new(graph);
            let mut length = vec![0.0; n];
            let mut i = first;
            while !part.is_empty() {
                search.from(&[(i as u32, 0.0)], &mut length);
                let (row, after) = part.split_at_mut(n - 1 - i);
                row.copy_from_slice(&length[i + 1..]);
                part = after;
                i += 1;
            }
        });
    }
    Some(out)
}

/// The shortest ways from each of some vertices to all, one after another.
#[must_use]
pub fn from_each(graph: Edges<'_>, sources: &[usize]) -> Vec<Vec<f64>> {
    let ranges = par::ranges(sources.len(), PIECE);
    let pieces = par::map(ranges.len(), |piece| {
        let mut search = Search::new(graph);
        let one = |s: &usize| {
            let mut length = vec![0.0; graph.starts.len() - 1];
            search.from(&[(*s as u32, 0.0)], &mut length);
            length
        };
        sources[ranges[piece].clone()].iter().map(one).collect::<Vec<_>>()
    });
    pieces.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// A random graph, and all ways by Floyd and Warshall.
    #[allow(clippy::type_complexity)] // offsets, edges and the matrix of the same graph
    fn random(n: usize, edges: usize, seed: u64) -> (Vec<usize>, Vec<(u32, f64)>, Vec<Vec<f64>>) {
        let mut rng = Rng::task(seed, 0);
        let mut near: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
        let mut way = vec![vec![f64::INFINITY; n]; n];
        (0..n).for_each(|i| way[i][i] = 0.0);
        for _ in 0..edges {
            let (i, j, d) = (rng.below(n), rng.below(n), (rng.below(1000) as f64) / 64.0);
            if i != j {
                near[i].push((j as u32, d));
                near[j].push((i as u32, d));
                way[i][j] = way[i][j].min(d);
                way[j][i] = way[i][j];
            }
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    way[i][j] = way[i][j].min(way[i][k] + way[k][j]);
                }
            }
        }
        let mut starts = vec![0];
        near.iter().for_each(|list| starts.push(starts[starts.len() - 1] + list.len()));
        (starts, near.concat(), way)
    }

    #[test]
    fn ways_are_those_of_floyd_and_warshall() {
        for (n, edges, seed) in [(1, 0, 1), (2, 1, 2), (40, 60, 3), (60, 25, 4), (150, 700, 5)] {
            let (starts, edges, way) = random(n, edges, seed);
            let graph = Edges { starts: &starts, edges: &edges };
            // Multiples of 1/64: sums are exact, whatever their order.
            let sources: Vec<usize> = (0..n).collect();
            assert_eq!(from_each(graph, &sources), way);
            let packed = par::install(2, || all(graph, |_| true).unwrap());
            let expected = (0..n).flat_map(|i| way[i][i + 1..].to_vec()).collect::<Vec<_>>();
            assert_eq!(packed, expected);
            assert!(n < 2 || all(graph, |done| done > 0).is_none());
        }
    }

    #[test]
    fn several_sources_are_one_that_lies_before_them() {
        // 0 -1- 1 -1- 2 -1- 3
        let (starts, edges) = (vec![0, 1, 3, 5, 6], [(1, 1.0), (0, 1.0), (2, 1.0), (1, 1.0), (3, 1.0), (2, 1.0)]);
        let mut search = Search::new(Edges { starts: &starts, edges: &edges });
        let mut length = vec![0.0; 4];
        search.from(&[(0, 0.5), (3, 0.25)], &mut length);
        assert_eq!(length, [0.5, 1.5, 1.25, 0.25]);
    }
}
