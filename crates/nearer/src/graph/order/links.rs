//! Plain directed graphs: who follows whom, strongly connected parts, and topological order.

/// For each node the arcs from it (or, reversed, to it) in the order of the arcs.
#[derive(Debug, Clone)]
pub(super) struct Links {
    starts: Vec<u32>,
    /// The other end, and the number of the arc.
    list: Vec<(u32, u32)>,
}

impl Links {
    /// The arcs by where they come from.
    pub(super) fn forward(n: usize, arcs: &[(u32, u32)]) -> Self {
        Self::by(n, arcs, |(from, to)| (from, to))
    }
    /// The arcs by where they go to.
    pub(super) fn backward(n: usize, arcs: &[(u32, u32)]) -> Self {
        Self::by(n, arcs, |(from, to)| (to, from))
    }
    fn by(n: usize, arcs: &[(u32, u32)], ends: impl Fn((u32, u32)) -> (u32, u32)) -> Self {
        let mut starts = vec![0u32; n + 1];
        for &arc in arcs {
            starts[ends(arc).0 as usize + 1] += 1;
        }
        for v in 0..n {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut list = vec![(0, 0); arcs.len()];
        for (k, &arc) in arcs.iter().enumerate() {
            let (here, there) = ends(arc);
            list[next[here as usize] as usize] = (there, k as u32);
            next[here as usize] += 1;
        }
        Links { starts, list }
    }
    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }
    /// The other ends and the numbers of the arcs of a node.
    pub(super) fn of(&self, v: u32) -> &[(u32, u32)] {
        &self.list[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }

    /// The strongly connected part of each node, and how many there are; arcs between parts lead to smaller numbers.
    /// Tarjan's search with a stack of its own: a chain of a million answers is no reason to run out of the system's.
    pub(super) fn strong(&self) -> (Vec<u32>, usize) {
        const NEW: u32 = u32::MAX;
        let n = self.len();
        let (mut part, mut parts) = (vec![NEW; n], 0u32);
        let (mut seen, mut low) = (vec![NEW; n], vec![0u32; n]);
        let (mut open, mut trail): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
        let mut clock = 0;
        for root in 0..n as u32 {
            if seen[root as usize] != NEW {
                continue;
            }
            trail.push((root, 0));
            while let Some((v, step)) = trail.pop() {
                let vi = v as usize;
                if step == 0 {
                    (seen[vi], low[vi]) = (clock, clock);
                    clock += 1;
                    open.push(v);
                } else {
                    // Back from the arc before this step.
                    low[vi] = low[vi].min(low[self.of(v)[step - 1].0 as usize]);
                }
                let mut deeper = None;
                for (k, &(w, _)) in self.of(v).iter().enumerate().skip(step) {
                    if seen[w as usize] == NEW {
                        deeper = Some((k + 1, w));
                        break;
                    }
                    if part[w as usize] == NEW {
                        low[vi] = low[vi].min(seen[w as usize]);
                    }
                }
                if let Some((step, w)) = deeper {
                    trail.push((v, step));
                    trail.push((w, 0));
                } else if low[vi] == seen[vi] {
                    while let Some(w) = open.pop() {
                        part[w as usize] = parts;
                        // Larger than any time of discovery, so that closed nodes lower nothing.
                        low[w as usize] = NEW;
                        if w == v {
                            break;
                        }
                    }
                    parts += 1;
                }
            }
        }
        (part, parts as usize)
    }

    /// The nodes so that every arc leads to a later one, or `None` if some go in a circle. The smallest number goes
    /// first wherever there is a choice of the moment (a queue, not the smallest of all orders).
    pub(super) fn topological(&self) -> Option<Vec<u32>> {
        let mut waits = vec![0u32; self.len()];
        self.list.iter().for_each(|&(w, _)| waits[w as usize] += 1);
        let mut order: Vec<u32> = (0..self.len() as u32).filter(|&v| waits[v as usize] == 0).collect();
        let mut next = 0;
        while next < order.len() {
            for &(w, _) in self.of(order[next]) {
                waits[w as usize] -= 1;
                if waits[w as usize] == 0 {
                    order.push(w);
                }
            }
            next += 1;
        }
        (order.len() == self.len()).then_some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

    #[test]
    fn strong_parts_are_those_of_mutual_reach() {
        for seed in 0..200 {
            let mut rng = Rng::task(seed, 0);
            let n = 1 + rng.below(12);
            let arcs: Vec<(u32, u32)> =
                (0..rng.below(3 * n)).map(|_| (rng.below(n) as u32, rng.below(n) as u32)).collect();
            let mut reach = vec![vec![false; n]; n];
            (0..n).for_each(|v| reach[v][v] = true);
            for _ in 0..n {
                for &(a, b) in &arcs {
                    for s in 0..n {
                        reach[s][b as usize] |= reach[s][a as usize];
                    }
                }
            }
            let (part, parts) = Links::forward(n, &arcs).strong();
            assert!(part.iter().all(|&p| (p as usize) < parts));
            for a in 0..n {
                for b in 0..n {
                    assert_eq!(part[a] == part[b], reach[a][b] && reach[b][a], "seed {seed}: {a} {b} {arcs:?}");
                    assert!(!reach[a][b] || part[b] <= part[a], "seed {seed}: parts are numbered against the arcs");
                }
            }
        }
    }

    #[test]
    fn a_chain_of_a_million_does_not_overflow() {
        let arcs: Vec<(u32, u32)> = (0..1_000_000).map(|k| (k, k + 1)).collect();
        let links = Links::forward(1_000_001, &arcs);
        assert_eq!(links.strong().1, 1_000_001);
        assert_eq!(links.topological().unwrap()[1_000_000], 1_000_000);
    }
}
