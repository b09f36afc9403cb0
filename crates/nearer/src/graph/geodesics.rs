//! The graph of the known pairs: its connected parts, and its shortest paths.

use nearer_num::order;
use nearer_num::paths;

use crate::error::Error;
use crate::evidence::Distances;

/// The known pairs of a set of distances as a graph: for each object its neighbours and their distances.
#[derive(Debug, Clone)]
pub struct KnownPairs {
    starts: Vec<usize>,
    edges: Vec<(u32, f64)>,
}

impl KnownPairs {
    /// The graph of the pairs that have a distance (a bound counts as one).
    #[must_use]
    pub fn new(d: &Distances) -> Self {
        let n = d.len();
        let mut degree = vec![0usize; n + 1];
        let known = |k: usize| d.weight_at(k) > 0.0;
        let pairs = || (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)));
        for (k, (i, j)) in pairs().enumerate() {
            if known(k) {
                degree[i + 1] += 1;
                degree[j + 1] += 1;
            }
        }
        for i in 0..n {
            degree[i + 1] += degree[i];
        }
        let mut edges = vec![(0u32, 0.0); degree[n]];
        let mut next = degree.clone();
        for (k, (i, j)) in pairs().enumerate() {
            if known(k) {
                edges[next[i]] = (j as u32, d.condensed()[k]);
                edges[next[j]] = (i as u32, d.condensed()[k]);
                next[i] += 1;
                next[j] += 1;
            }
        }
        KnownPairs { starts: degree, edges }
    }
    /// The graph of these pairs of `n` objects with their lengths.
    #[must_use]
    pub fn of_edges(n: usize, pairs: &[(u32, u32)], lengths: impl Fn(usize) -> f64) -> Self {
        let mut starts = vec![0usize; n + 1];
        for &(i, j) in pairs {
            starts[i as usize + 1] += 1;
            starts[j as usize + 1] += 1;
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let mut edges = vec![(0u32, 0.0); starts[n]];
        let mut next = starts.clone();
        for (e, &(i, j)) in pairs.iter().enumerate() {
            for (a, b) in [(i, j), (j, i)] {
                edges[next[a as usize]] = (b, lengths(e));
                next[a as usize] += 1;
            }
        }
        KnownPairs { starts, edges }
    }
    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The neighbours of an object, with their distances.
    #[must_use]
    pub fn neighbours(&self, i: usize) -> &[(u32, f64)] {
        &self.edges[self.starts[i]..self.starts[i + 1]]
    }

    /// The connected parts, largest first (then by first object), each in the order of the objects.
    #[must_use]
    pub fn components(&self) -> Vec<Vec<usize>> {
        let mut part = vec![usize::MAX; self.len()];
        let mut components: Vec<Vec<usize>> = Vec::new();
        for seed in 0..self.len() {
            if part[seed] != usize::MAX {
                continue;
            }
            let (id, mut stack, mut members) = (components.len(), vec![seed], Vec::new());
            part[seed] = id;
            while let Some(i) = stack.pop() {
                members.push(i);
                for &(j, _) in self.neighbours(i) {
                    if part[j as usize] == usize::MAX {
                        part[j as usize] = id;
                        stack.push(j as usize);
                    }
                }
            }
            members.sort_unstable();
            components.push(members);
        }
        order::by_key(&mut components, &|c| (std::cmp::Reverse(c.len()), c[0]));
        components
    }

    /// Refuses a graph in several parts, naming them.
    pub fn require_connected(&self, d: &Distances) -> Result<(), Error> {
        let components = self.components();
        if components.len() <= 1 {
            return Ok(());
        }
        let named = |c: &Vec<usize>| c.iter().map(|&i| d.objects().labels()[i].clone()).collect();
        Err(Error::Disconnected { components: components.iter().map(named).collect() })
    }

    /// The edges as a search along them takes them.
    pub(crate) fn edges(&self) -> paths::Edges<'_> {
        paths::Edges { starts: &self.starts, edges: &self.edges }
    }
    /// Every edge once, from the smaller number.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        (0..self.len() as u32).flat_map(|i| {
            let larger = self.neighbours(i as usize).iter().filter(move |(j, _)| *j > i);
            larger.map(move |&(j, length)| (i, j, length))
        })
    }

    /// The lengths of the shortest ways from one object to all others (Dijkstra); infinite where there is none.
    #[must_use]
    pub fn from(&self, source: usize) -> Vec<f64> {
        paths::from_each(self.edges(), &[source]).remove(0)
    }

    /// The shortest ways between all pairs, packed. `O(n · edges · log n)`, one object after another on all threads.
    #[must_use]
    pub fn all(&self) -> Vec<f64> {
        paths::all(self.edges(), |_| true).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Objects;
    use ndarray::array;

    /// ```text
    ///   1 ──1── 2 ──1── 3      4 ──2── 5
    ///   └───────5───────┘
    /// ```
    fn two_parts() -> Distances {
        let x = f64::NAN;
        let m = array![
            [0.0, 1.0, 5.0, x, x],
            [1.0, 0.0, 1.0, x, x],
            [5.0, 1.0, 0.0, x, x],
            [x, x, x, 0.0, 2.0],
            [x, x, x, 2.0, 0.0]
        ];
        Distances::from_square(Objects::numbered(5), m.view()).unwrap()
    }

    #[test]
    fn parts_are_named_and_ways_are_short() {
        let d = two_parts();
        let graph = KnownPairs::new(&d);
        assert_eq!(graph.components(), vec![vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(graph.from(0), [0.0, 1.0, 2.0, f64::INFINITY, f64::INFINITY]);
        let e = graph.require_connected(&d).unwrap_err().to_string();
        assert!(e.contains("2 separate groups") && e.contains("`4`, `5`"), "{e}");
    }
}
