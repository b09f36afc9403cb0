//! A set of comparisons as the search takes it, and the smallest part of it that cannot hold.

use std::collections::{BTreeMap, VecDeque};

use super::search::{Budget, Found, Search};
use crate::evidence::Comparison;
use crate::object::{Item, Pair};
use crate::solve::{Clock, Stop};

/// Beyond these sizes only the comparisons themselves take part, not what follows from them.
const CLOSURE_STEPS: usize = 50_000_000;
const CLOSURE_SIZE: usize = 60_000;
/// How many objects are looked at by themselves first, and for how long.
const HANDFUL: usize = 10;
const HANDFUL_NODES: usize = 500;

/// Comparisons, their objects counted from 0, and the pairs they are between.
#[derive(Debug, Clone)]
pub(super) struct Question {
    said: Vec<Comparison>,
    items: Vec<Item>,
    /// Each pair that occurs, as objects.
    pairs: Vec<[usize; 2]>,
    /// Near and far pair of each comparison.
    arcs: Vec<(usize, usize)>,
}

impl Question {
    pub(super) fn new(said: impl IntoIterator<Item = Comparison>) -> Self {
        let said: Vec<Comparison> = said.into_iter().collect();
        let ends = said.iter().flat_map(|c| [c.near, c.far]);
        let mut items: Vec<Item> = ends.clone().flat_map(|p| [p.first(), p.second()]).collect();
        items.sort_unstable();
        items.dedup();
        let number: BTreeMap<Item, usize> = items.iter().copied().zip(0..).collect();
        let mut node: BTreeMap<Pair, usize> = ends.map(|p| (p, 0)).collect();
        node.values_mut().zip(0..).for_each(|(v, k)| *v = k);
        let pairs = node.keys().map(|p| [number[&p.first()], number[&p.second()]]).collect();
        let arcs = said.iter().map(|c| (node[&c.near], node[&c.far])).collect();
        Question { said, items, pairs, arcs }
    }
    /// The objects, in the order of their coordinates.
    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }
    /// Some of the comparisons, by number.
    pub(super) fn part(&self, which: &[usize]) -> Question {
        Question::new(which.iter().map(|&k| self.said[k]))
    }

    /// A *no* that some few of the objects give by themselves, if one is found: around each object as many of the others
    /// as are compared most often with those before. What cannot hold on a line mostly cannot for a handful of objects,
    /// and this finds it long before a search through all of them would.
    pub(super) fn quick_no(&self, clock: &Clock<'_>) -> Option<Found> {
        let n = self.items.len();
        if n <= HANDFUL {
            return None;
        }
        let objects: Vec<[usize; 4]> = self
            .arcs
            .iter()
            .map(|&(near, far)| [self.pairs[near][0], self.pairs[near][1], self.pairs[far][0], self.pairs[far][1]])
            .collect();
        for first in 0..n {
            let mut chosen = vec![false; n];
            chosen[first] = true;
            for _ in 1..HANDFUL {
                // How many comparisons each object would add, those that lack one object more counting little.
                let mut gain = vec![0usize; n];
                for c in &objects {
                    let mut lacking: Vec<usize> = c.iter().copied().filter(|&o| !chosen[o]).collect();
                    lacking.sort_unstable();
                    lacking.dedup();
                    match lacking.as_slice() {
                        [one] => gain[*one] += 1000,
                        [one, other] => [*one, *other].iter().for_each(|&o| gain[o] += 1),
                        _ => {}
                    }
                }
                let best = (0..n).filter(|&o| !chosen[o]).max_by_key(|&o| (gain[o], std::cmp::Reverse(o)))?;
                chosen[best] = true;
            }
            let inside: Vec<usize> = (0..objects.len()).filter(|&k| objects[k].iter().all(|&o| chosen[o])).collect();
            let answer = self.part(&inside).answer(&mut Budget::new(HANDFUL_NODES, clock));
            if let Found::Nowhere(used) = answer {
                return Some(Found::Nowhere(used.into_iter().map(|k| inside[k]).collect()));
            }
        }
        None
    }

    /// Whether they can hold: coordinates, or the numbers of comparisons that cannot hold together.
    pub(super) fn answer(&self, budget: &mut Budget<'_>) -> Found {
        if self.items.len() > Search::MOST {
            return Found::Unknown(Stop::Stalled);
        }
        let implied = match self.closure() {
            Ok(implied) => implied,
            Err(cycle) => return Found::Nowhere(cycle),
        };
        let objects: Vec<[usize; 4]> = implied
            .iter()
            .map(|&(near, far)| [self.pairs[near][0], self.pairs[near][1], self.pairs[far][0], self.pairs[far][1]])
            .collect();
        match Search::new(self.items.len(), &objects, budget).run() {
            Found::Nowhere(used) => Found::Nowhere(self.behind(used.into_iter().map(|k| implied[k]))),
            other => other,
        }
    }

    /// Comparisons none of which can be left out, as far as the budget lasts, and whether it did. They cannot hold
    /// together before, and cannot after: objects are left out one by one, then single comparisons.
    pub(super) fn smallest(self, budget: &mut Budget<'_>) -> (Vec<Comparison>, bool) {
        let mut now = self;
        let mut k = 0;
        while k < now.items.len() {
            let item = now.items[k];
            let has = |p: Pair| p.first() == item || p.second() == item;
            let rest = Question::new(now.said.iter().copied().filter(|c| !has(c.near) && !has(c.far)));
            match rest.answer(budget) {
                Found::Nowhere(used) => {
                    now = rest.part(&used);
                    k = now.items.partition_point(|i| *i <= item);
                }
                _ => k += 1,
            }
        }
        let (mut k, mut minimal) = (0, true);
        while k < now.said.len() {
            let without: Vec<usize> = (0..now.said.len()).filter(|j| *j != k).collect();
            let rest = now.part(&without);
            match rest.answer(budget) {
                // Those before k are needed, so they are among the used ones, and the order is kept.
                Found::Nowhere(used) => now = rest.part(&used),
                Found::Place(_) => k += 1,
                Found::Unknown(_) => (k, minimal) = (k + 1, false),
            }
        }
        (now.said, minimal)
    }

    /// The comparisons and all that follow from them, as pairs of nodes; or the numbers of some that go in a circle.
    fn closure(&self) -> Result<Vec<(usize, usize)>, Vec<usize>> {
        if let Some(cycle) = self.cycle() {
            return Err(cycle);
        }
        let mut plain = self.arcs.clone();
        plain.sort_unstable();
        plain.dedup();
        if self.pairs.len() * self.arcs.len() > CLOSURE_STEPS {
            return Ok(plain);
        }
        let next = self.next();
        let mut all = Vec::new();
        for start in 0..self.pairs.len() {
            let (mut seen, mut stack) = (vec![false; self.pairs.len()], vec![start]);
            while let Some(node) = stack.pop() {
                for &(far, _) in &next[node] {
                    if !std::mem::replace(&mut seen[far], true) {
                        stack.push(far);
                        all.push((start, far));
                    }
                }
            }
            if all.len() > CLOSURE_SIZE {
                return Ok(plain);
            }
        }
        Ok(all)
    }

    /// From each node, the nodes that are farther, and by which comparison.
    fn next(&self) -> Vec<Vec<(usize, usize)>> {
        let mut next = vec![Vec::new(); self.pairs.len()];
        self.arcs.iter().enumerate().for_each(|(k, (near, far))| next[*near].push((*far, k)));
        next
    }

    /// The comparisons that some implied ones follow from, each by a shortest chain.
    fn behind(&self, implied: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
        let next = self.next();
        let mut ends: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        implied.for_each(|(from, to)| ends.entry(from).or_default().push(to));
        let mut which: Vec<usize> = ends
            .into_iter()
            .flat_map(|(from, ends)| {
                let came = ways(&next, from);
                ends.into_iter().flat_map(|to| chain(&came, from, to)).collect::<Vec<usize>>()
            })
            .collect();
        which.sort_unstable();
        which.dedup();
        which
    }

    /// Comparisons that go in a circle, if any do.
    fn cycle(&self) -> Option<Vec<usize>> {
        let next = self.next();
        let mut before = vec![0usize; self.pairs.len()];
        self.arcs.iter().for_each(|(_, far)| before[*far] += 1);
        let mut ready: Vec<usize> = (0..before.len()).filter(|&v| before[v] == 0).collect();
        while let Some(node) = ready.pop() {
            for &(far, _) in &next[node] {
                before[far] -= 1;
                if before[far] == 0 {
                    ready.push(far);
                }
            }
        }
        let circle = |v: usize| Some(chain(&ways(&next, v), v, v)).filter(|c| !c.is_empty());
        (0..before.len()).filter(|&v| before[v] > 0).find_map(circle)
    }
}

/// For each node that can be reached from one, the node before it on a shortest way and the comparison between.
fn ways(next: &[Vec<(usize, usize)>], from: usize) -> Vec<Option<(usize, usize)>> {
    let mut came = vec![None; next.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        for &(far, k) in &next[node] {
            if came[far].is_none() {
                came[far] = Some((node, k));
                queue.push_back(far);
            }
        }
    }
    came
}

/// The comparisons along the way to a node; none where there is no way.
fn chain(came: &[Option<(usize, usize)>], from: usize, to: usize) -> Vec<usize> {
    let (mut chain, mut node) = (Vec::new(), to);
    while let Some((before, k)) = came[node] {
        chain.push(k);
        if before == from {
            return chain;
        }
        node = before;
    }
    Vec::new()
}
