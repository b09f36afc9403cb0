//! An order of nodes that is kept topological while arcs are added, and that refuses the arc which would close a circle.

/// Nodes in a topological order of the arcs added so far.
///
/// An arc that agrees with the order costs nothing. For one against it, the nodes after its head and those before its
/// tail are searched in turn, a step here and a step there, and only inside the stretch of the order between the two: if
/// the searches meet, the arc closes a circle; if one of them ends, what it found is moved past the rest of the stretch.
/// Searching from both ends is what makes dense graphs cheap, where a circle exists and the two searches soon meet.
///
/// # Reference
/// Pearce and Kelly (2006), *A dynamic topological sort algorithm for directed acyclic graphs*; the move is that of
/// Marchetti-Spaccamela, Nanni and Rohnert (1996).
#[derive(Debug)]
pub(super) struct Ordering {
    place: Vec<u32>,
    nodes: Vec<u32>,
    after: Chains,
    before: Chains,
    /// The search by which a node was last met.
    met: Vec<u32>,
    search: u32,
    ahead: Front,
    behind: Front,
    moved: Vec<u32>,
}

/// For each node its arcs so far, as a linked list.
#[derive(Debug)]
struct Chains {
    first: Vec<u32>,
    /// The other end of a link, and the next link.
    links: Vec<(u32, u32)>,
}

/// One of the two searches: what was met, and how far that was followed up.
#[derive(Debug, Default)]
struct Front {
    met: Vec<u32>,
    next: usize,
}

const END: u32 = u32::MAX;

impl Ordering {
    /// No arcs yet. The nodes stand in the given order: the more of the arcs to come agree with it, the better.
    pub(super) fn new(nodes: Vec<u32>) -> Self {
        let n = nodes.len();
        let mut place = vec![0; n];
        nodes.iter().zip(0..).for_each(|(&v, k)| place[v as usize] = k);
        Ordering {
            place,
            nodes,
            after: Chains::new(n),
            before: Chains::new(n),
            met: vec![0; n],
            search: 0,
            ahead: Front::default(),
            behind: Front::default(),
            moved: Vec::new(),
        }
    }

    /// The place of each node in the order.
    pub(super) fn places(&self) -> &[u32] {
        &self.place
    }

    /// Adds an arc, unless it closes a circle: then nothing changes, and the answer is false.
    pub(super) fn add(&mut self, from: u32, to: u32) -> bool {
        if from == to || (self.place[from as usize] > self.place[to as usize] && !self.make_way(from, to)) {
            return false;
        }
        self.after.push(from, to);
        self.before.push(to, from);
        true
    }

    /// Changes the order so that `from` stands before `to`, unless `to` leads to `from`.
    fn make_way(&mut self, from: u32, to: u32) -> bool {
        let (low, high) = (self.place[to as usize], self.place[from as usize]);
        if self.search >= u32::MAX - 2 {
            self.met.fill(0);
            self.search = 0;
        }
        self.search += 2;
        let (is_ahead, is_behind) = (self.search, self.search + 1);
        self.met[to as usize] = is_ahead;
        self.met[from as usize] = is_behind;
        self.ahead.begin(to);
        self.behind.begin(from);
        loop {
            let within = |v: u32| (low..=high).contains(&self.place[v as usize]);
            match self.ahead.step(&self.after, &mut self.met, is_ahead, is_behind, within) {
                Step::Met => return false,
                Step::Done => break self.shift(low, high, is_ahead, true),
                Step::On => {}
            }
            match self.behind.step(&self.before, &mut self.met, is_behind, is_ahead, within) {
                Step::Met => return false,
                Step::Done => break self.shift(low, high, is_behind, false),
                Step::On => {}
            }
        }
        true
    }

    /// Moves the nodes met by a search to the end of a stretch, or to its beginning; the rest keeps its order.
    fn shift(&mut self, low: u32, high: u32, met: u32, to_the_end: bool) {
        let stretch = low as usize..=high as usize;
        self.moved.clear();
        let first = |v: &u32| (self.met[*v as usize] == met) != to_the_end;
        self.moved.extend(self.nodes[stretch.clone()].iter().copied().filter(|v| first(v)));
        self.moved.extend(self.nodes[stretch.clone()].iter().copied().filter(|v| !first(v)));
        self.nodes[stretch].copy_from_slice(&self.moved);
        for (k, &v) in (low..).zip(&self.moved) {
            self.place[v as usize] = k;
        }
    }
}

enum Step {
    On,
    Met,
    Done,
}

impl Front {
    fn begin(&mut self, v: u32) {
        self.met.clear();
        self.met.push(v);
        self.next = 0;
    }
    /// Follows up one node.
    fn step(&mut self, arcs: &Chains, met: &mut [u32], us: u32, them: u32, within: impl Fn(u32) -> bool) -> Step {
        let Some(&v) = self.met.get(self.next) else { return Step::Done };
        self.next += 1;
        let mut link = arcs.first[v as usize];
        while link != END {
            let (w, next) = arcs.links[link as usize];
            if met[w as usize] == them {
                return Step::Met;
            }
            if met[w as usize] != us && within(w) {
                met[w as usize] = us;
                self.met.push(w);
            }
            link = next;
        }
        Step::On
    }
}

impl Chains {
    fn new(n: usize) -> Self {
        Chains { first: vec![END; n], links: Vec::new() }
    }
    fn push(&mut self, at: u32, other: u32) {
        self.links.push((other, self.first[at as usize]));
        self.first[at as usize] = (self.links.len() - 1) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

    #[test]
    fn an_arc_is_refused_just_if_it_closes_a_circle() {
        for seed in 0..300 {
            let mut rng = Rng::task(seed, 0);
            let n = 2 + rng.below(14);
            let start = rng.permutation(n).into_iter().map(|v| v as u32).collect();
            let mut order = Ordering::new(start);
            let mut reach = vec![vec![false; n]; n]; // by one arc or more
            for _ in 0..6 * n {
                let (a, b) = (rng.below(n), rng.below(n));
                let closes = a == b || reach[b][a];
                assert_eq!(order.add(a as u32, b as u32), !closes, "seed {seed}");
                if !closes {
                    for s in (0..n).filter(|&s| s == a || reach[s][a]).collect::<Vec<_>>() {
                        for t in 0..n {
                            reach[s][t] |= t == b || reach[b][t];
                        }
                    }
                }
                let place = order.places();
                for s in 0..n {
                    assert_eq!(order.nodes[place[s] as usize] as usize, s);
                    assert!((0..n).all(|t| !reach[s][t] || place[s] < place[t]), "seed {seed}");
                }
            }
        }
    }
}
