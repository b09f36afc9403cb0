//! An order of nodes that is kept topological while arcs are added, and that refuses the arc which would close a circle.

/// Nodes in a topological order of the arcs added so far.
///
/// An arc that agrees with the order costs nothing. For one against it, the nodes after its head and those before its
/// tail are searched in turn, a step here and a step there, and only inside the stretch of the order between the two: if
/// the searches meet, the arc closes a circle; if one of them ends, what it found is moved past the other end of the
/// arc. Searching from both ends is what makes dense graphs cheap, where a circle exists and the two searches soon
/// meet; a linked list with sparse labels makes a move as cheap as its search; and nodes that much passes through answer
/// many questions without one.
///
/// # Reference
/// Pearce and Kelly (2006), *A dynamic topological sort algorithm for directed acyclic graphs*; the two searches are those
/// of Alpern, Hoover, Rosen, Sweeney and Zadeck (1990).
#[derive(Debug)]
pub(super) struct Ordering {
    /// Grows along the order. The last entry is no node: it is where the list begins and ends.
    label: Vec<u64>,
    next: Vec<u32>,
    last: Vec<u32>,
    after: Arcs,
    before: Arcs,
    /// The search by which a node was last met.
    met: Vec<u32>,
    search: u32,
    ahead: Front,
    behind: Front,
    /// The hubs that a node leads to, and those that lead to it, when they were last looked up: one bit each.
    hubs_after: Vec<u64>,
    hubs_before: Vec<u64>,
    /// How many nodes were followed up since then.
    followed: usize,
}

/// For each node its arcs so far, with room for all that may come.
#[derive(Debug)]
struct Arcs {
    starts: Vec<u32>,
    ends: Vec<u32>,
    others: Vec<u32>,
}

/// One of the two searches: what was met, and how far that was followed up.
#[derive(Debug, Default)]
struct Front {
    met: Vec<u32>,
    next: usize,
}

impl Ordering {
    /// No arcs yet; those to come are among these. The nodes stand in the given order: the more of the arcs agree with
    /// it, the better.
    pub(super) fn new(nodes: &[u32], arcs: &[(u32, u32)]) -> Self {
        let n = nodes.len();
        let (mut next, mut last) = (vec![0; n + 1], vec![0; n + 1]);
        let mut at = n as u32;
        for &v in nodes.iter().chain(&[n as u32]) {
            next[at as usize] = v;
            last[v as usize] = at;
            at = v;
        }
        let mut order = Ordering {
            label: vec![0; n + 1],
            next,
            last,
            after: Arcs::new(n, arcs.iter().map(|a| a.0)),
            before: Arcs::new(n, arcs.iter().map(|a| a.1)),
            met: vec![0; n],
            search: 0,
            ahead: Front::default(),
            behind: Front::default(),
            hubs_after: vec![0; n],
            hubs_before: vec![0; n],
            followed: 0,
        };
        order.count_anew();
        order
    }

    /// Whether a node stands before another.
    pub(super) fn is_before(&self, a: u32, b: u32) -> bool {
        self.label[a as usize] < self.label[b as usize]
    }

    /// Adds an arc, unless it closes a circle: then nothing changes, and the answer is false.
    pub(super) fn add(&mut self, from: u32, to: u32) -> bool {
        if from == to || (self.is_before(to, from) && !self.make_way(from, to)) {
            return false;
        }
        self.after.push(from, to);
        self.before.push(to, from);
        true
    }

    /// Changes the order so that `from` stands before `to`, unless `to` leads to `from`.
    fn make_way(&mut self, from: u32, to: u32) -> bool {
        if self.hubs_after[to as usize] & self.hubs_before[from as usize] != 0 {
            return false;
        }
        if self.followed > 2 * self.met.len() {
            self.look_up_hubs();
        }
        let (low, high) = (self.label[to as usize], self.label[from as usize]);
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
            self.followed += 2;
            let within = |v: u32| (low..=high).contains(&self.label[v as usize]);
            match self.ahead.step(&self.after, &mut self.met, is_ahead, is_behind, within) {
                Step::Met => return false,
                Step::Done => {
                    let found = std::mem::take(&mut self.ahead.met);
                    self.ahead.met = self.put_after(from, found);
                    return true;
                }
                Step::On => {}
            }
            match self.behind.step(&self.before, &mut self.met, is_behind, is_ahead, within) {
                Step::Met => return false,
                Step::Done => {
                    let found = std::mem::take(&mut self.behind.met);
                    self.behind.met = self.put_after(self.last[to as usize], found);
                    return true;
                }
                Step::On => {}
            }
        }
    }

    /// Moves some nodes, in their order, to the place right after another; gives the emptied list back.
    fn put_after(&mut self, anchor: u32, mut moved: Vec<u32>) -> Vec<u32> {
        moved.sort_unstable_by_key(|&v| self.label[v as usize]);
        for &v in &moved {
            let (a, b) = (self.last[v as usize], self.next[v as usize]);
            self.next[a as usize] = b;
            self.last[b as usize] = a;
        }
        let follower = self.next[anchor as usize];
        let begin = self.label[anchor as usize];
        let end = if follower as usize == self.met.len() { u64::MAX } else { self.label[follower as usize] };
        let gap = (end - begin) / (moved.len() as u64 + 1);
        let mut at = anchor;
        for (&v, k) in moved.iter().zip(1..) {
            self.next[at as usize] = v;
            self.last[v as usize] = at;
            self.label[v as usize] = begin + gap * k;
            at = v;
        }
        self.next[at as usize] = follower;
        self.last[follower as usize] = at;
        if gap == 0 {
            self.count_anew();
        }
        moved.clear();
        moved
    }

    /// Looks up who leads to 64 hubs and whom they lead to. Arcs are only ever added, so what led there once always will:
    /// where many searches meet, most of the later ones are answered by two words.
    fn look_up_hubs(&mut self) {
        let n = self.met.len();
        let mut order = Vec::with_capacity(n);
        let mut v = self.next[n];
        while v as usize != n {
            order.push(v);
            v = self.next[v as usize];
        }
        self.hubs_after.fill(0);
        self.hubs_before.fill(0);
        let ways = |v: &&u32| self.after.of(**v).len() * self.before.of(**v).len();
        for (k, stretch) in order.chunks(n.div_ceil(64)).enumerate() {
            if let Some(&hub) = stretch.iter().max_by_key(ways) {
                self.hubs_after[hub as usize] |= 1 << k;
                self.hubs_before[hub as usize] |= 1 << k;
            }
        }
        for &v in order.iter().rev() {
            let after = self.after.of(v).iter().fold(0, |bits, &w| bits | self.hubs_after[w as usize]);
            self.hubs_after[v as usize] |= after;
        }
        for &v in &order {
            let before = self.before.of(v).iter().fold(0, |bits, &w| bits | self.hubs_before[w as usize]);
            self.hubs_before[v as usize] |= before;
        }
        self.followed = 0;
    }

    /// Spreads the labels evenly again.
    fn count_anew(&mut self) {
        let n = self.met.len();
        let gap = u64::MAX / (n as u64 + 1);
        let (mut v, mut label) = (self.next[n] as usize, 0);
        while v != n {
            label += gap;
            self.label[v] = label;
            v = self.next[v] as usize;
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
    fn step(&mut self, arcs: &Arcs, met: &mut [u32], us: u32, them: u32, within: impl Fn(u32) -> bool) -> Step {
        let Some(&v) = self.met.get(self.next) else { return Step::Done };
        self.next += 1;
        for &w in arcs.of(v) {
            if met[w as usize] == them {
                return Step::Met;
            }
            if met[w as usize] != us && within(w) {
                met[w as usize] = us;
                self.met.push(w);
            }
        }
        Step::On
    }
}

impl Arcs {
    fn new(n: usize, to_come: impl Iterator<Item = u32>) -> Self {
        let mut starts = vec![0u32; n + 1];
        to_come.for_each(|v| starts[v as usize + 1] += 1);
        for v in 0..n {
            starts[v + 1] += starts[v];
        }
        let others = vec![0; starts[n] as usize];
        starts.pop();
        Arcs { ends: starts.clone(), starts, others }
    }
    fn of(&self, v: u32) -> &[u32] {
        &self.others[self.starts[v as usize] as usize..self.ends[v as usize] as usize]
    }
    fn push(&mut self, at: u32, other: u32) {
        self.others[self.ends[at as usize] as usize] = other;
        self.ends[at as usize] += 1;
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
            let start: Vec<u32> = rng.permutation(n).into_iter().map(|v| v as u32).collect();
            let arcs: Vec<(u32, u32)> = (0..6 * n).map(|_| (rng.below(n) as u32, rng.below(n) as u32)).collect();
            let mut order = Ordering::new(&start, &arcs);
            let mut reach = vec![vec![false; n]; n]; // by one arc or more
            for (a, b) in arcs.into_iter().map(|(a, b)| (a as usize, b as usize)) {
                let closes = a == b || reach[b][a];
                assert_eq!(order.add(a as u32, b as u32), !closes, "seed {seed}");
                if !closes {
                    for s in (0..n).filter(|&s| s == a || reach[s][a]).collect::<Vec<_>>() {
                        for t in 0..n {
                            reach[s][t] |= t == b || reach[b][t];
                        }
                    }
                }
                for s in 0..n {
                    assert!((0..n).all(|t| !reach[s][t] || order.is_before(s as u32, t as u32)), "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn labels_that_run_out_are_counted_anew() {
        // Each arc puts one more node right after the last one, where the room halves every time.
        let n = 300u32;
        let arcs: Vec<(u32, u32)> = (0..n - 1).map(|v| (n - 1, v)).collect();
        let mut order = Ordering::new(&(0..n).collect::<Vec<_>>(), &arcs);
        for (k, &(from, to)) in arcs.iter().enumerate() {
            assert!(order.add(from, to));
            let place = |v: u32| (0..n).filter(|&w| order.is_before(w, v)).count();
            // The untouched ones in their order, then the last, then those moved, the latest first.
            assert_eq!((place(n - 1), place(to)), (n as usize - 2 - k, n as usize - 1 - k));
            assert_eq!(place(0), n as usize - 1);
        }
    }
}
