//! The cheapest answers to drop: an order of the nodes that few and light arcs run against (feedback arc set).

use std::collections::BinaryHeap;

use nearer_num::rng::Rng;

use super::components::Knot;
use super::links::Links;
use super::ordering::Ordering;

/// Knots of so few nodes are solved exactly: half a million operations.
const EXACT: usize = 12;
/// Arcs that may be looked at in passes of moving nodes. Each pass lowers the weight, the first few by far the most.
const PASSES: usize = 10_000_000;
/// Arcs that may be looked at again after the first descent, and how often at most it begins again from a changed order.
const AGAIN: (usize, usize) = (300_000, 100);

/// Which arcs of a knot to keep so that no circle is left, the weight of the others being small: the least where
/// there are at most 12 nodes.
///
/// Of an order of the nodes all arcs that agree with it are kept; then, heaviest first, every other arc is put back that
/// closes no circle, so that what is kept is maximal.
pub(super) fn cheapest(knot: &Knot) -> Vec<bool> {
    let order = if knot.nodes <= EXACT { exact(knot) } else { descent(knot) };
    let mut ordering = Ordering::new(&order, &knot.arcs);
    let mut keep = vec![true; knot.arcs.len()];
    let (with, mut against): (Vec<usize>, Vec<usize>) =
        (0..knot.arcs.len()).partition(|&k| ordering.is_before(knot.arcs[k].0, knot.arcs[k].1));
    with.into_iter().for_each(|k| keep[k] = ordering.add(knot.arcs[k].0, knot.arcs[k].1));
    against.sort_by(|&a, &b| knot.weights[b].total_cmp(&knot.weights[a])); // stable: equal ones by number
    against.into_iter().for_each(|k| keep[k] = ordering.add(knot.arcs[k].0, knot.arcs[k].1));
    keep
}

/// An order that the least weight runs against. For every set of nodes that may stand first, the least weight against
/// the order within it: `O(2^n n^2)`.
fn exact(knot: &Knot) -> Vec<u32> {
    let n = knot.nodes;
    let mut table = vec![0.0; n * n];
    for (&(from, to), w) in knot.arcs.iter().zip(&knot.weights) {
        table[from as usize * n + to as usize] += w;
    }
    // The least weight, and the last node of the set.
    let mut least = vec![(f64::INFINITY, 0usize); 1 << n];
    least[0].0 = 0.0;
    for first in 0..1usize << n {
        for next in (0..n).filter(|v| first >> v & 1 == 0) {
            let against: f64 = (0..n).filter(|v| first >> v & 1 == 1).map(|v| table[next * n + v]).sum();
            let cost = least[first].0 + against;
            let with = first | 1 << next;
            if cost < least[with].0 {
                least[with] = (cost, next);
            }
        }
    }
    let mut order = vec![0; n];
    let mut set = (1usize << n) - 1;
    for place in order.iter_mut().rev() {
        *place = least[set].1 as u32;
        set ^= 1 << least[set].1;
    }
    order
}

/// The greedy order, improved by moving single nodes; then, where that costs little, again and again with a stretch of
/// the order shuffled, as long as it helps.
pub(super) fn descent(knot: &Knot) -> Vec<u32> {
    let mut moves = Moves::new(knot);
    let mut best = greedy(knot);
    moves.improve(&mut best);
    let mut least = moves.weight_against(&best);
    let n = knot.nodes;
    let mut rng = Rng::task(0, n as u64);
    for _ in 0..(AGAIN.0 / knot.arcs.len().max(1)).min(AGAIN.1) {
        let mut order = best.clone();
        let length = 2 + rng.below(n.clamp(3, 12) - 2);
        let start = rng.below(n.saturating_sub(length) + 1);
        let stretch = &mut order[start..(start + length).min(n)];
        let before = stretch.to_vec();
        rng.permutation(before.len()).into_iter().zip(stretch).for_each(|(k, v)| *v = before[k]);
        moves.improve(&mut order);
        let weight = moves.weight_against(&order);
        // Equal ones too: the next shuffle then begins elsewhere.
        if weight <= least {
            (best, least) = (order, weight);
        }
    }
    best
}

/// An order by taking away nodes: sinks go last, sources first, and when there are none, the node whose outgoing weight
/// exceeds its incoming weight most goes first. `O(E log E)`.
///
/// # Reference
/// Eades, Lin and Smyth (1993), *A fast and effective heuristic for the feedback arc set problem*, by weight.
pub(super) fn greedy(knot: &Knot) -> Vec<u32> {
    let n = knot.nodes;
    let (after, before) = (Links::forward(n, &knot.arcs), Links::backward(n, &knot.arcs));
    let mut excess = vec![0.0f64; n];
    let (mut outgoing, mut incoming) = (vec![0u32; n], vec![0u32; n]);
    for (&(from, to), &w) in knot.arcs.iter().zip(&knot.weights) {
        excess[from as usize] += w;
        excess[to as usize] -= w;
        outgoing[from as usize] += 1;
        incoming[to as usize] += 1;
    }
    let mut gone = vec![false; n];
    let (mut sinks, mut sources) = (Vec::new(), Vec::new());
    for v in 0..n as u32 {
        if outgoing[v as usize] == 0 {
            sinks.push(v);
        } else if incoming[v as usize] == 0 {
            sources.push(v);
        }
    }
    // Outdated entries stay in the heap and are passed over; equal ones by the smaller number.
    let entry = |excess: f64, v: u32| (sortable(excess), std::cmp::Reverse(v));
    let mut heap: BinaryHeap<_> = (0..n as u32).map(|v| entry(excess[v as usize], v)).collect();
    let (mut head, mut tail) = (Vec::with_capacity(n), Vec::new());
    while head.len() + tail.len() < n {
        let v = if let Some(v) = sinks.pop() {
            if gone[v as usize] {
                continue;
            }
            tail.push(v);
            v
        } else if let Some(v) = sources.pop() {
            if gone[v as usize] {
                continue;
            }
            head.push(v);
            v
        } else {
            let Some((at, std::cmp::Reverse(v))) = heap.pop() else { break };
            if gone[v as usize] || at != sortable(excess[v as usize]) {
                continue;
            }
            head.push(v);
            v
        };
        gone[v as usize] = true;
        for &(w, arc) in after.of(v) {
            if !gone[w as usize] {
                excess[w as usize] += knot.weights[arc as usize];
                incoming[w as usize] -= 1;
                if incoming[w as usize] == 0 {
                    sources.push(w);
                }
                heap.push(entry(excess[w as usize], w));
            }
        }
        for &(w, arc) in before.of(v) {
            if !gone[w as usize] {
                excess[w as usize] -= knot.weights[arc as usize];
                outgoing[w as usize] -= 1;
                if outgoing[w as usize] == 0 {
                    sinks.push(w);
                }
                heap.push(entry(excess[w as usize], w));
            }
        }
    }
    head.extend(tail.into_iter().rev());
    head
}

/// The moves of single nodes.
struct Moves<'a> {
    knot: &'a Knot,
    after: Links,
    before: Links,
    place: Vec<f64>,
    /// For a node: each neighbour's place, and by how much the weight against the order grows when the node passes it.
    steps: Vec<(f64, f64)>,
}

impl<'a> Moves<'a> {
    fn new(knot: &'a Knot) -> Self {
        let (after, before) = (Links::forward(knot.nodes, &knot.arcs), Links::backward(knot.nodes, &knot.arcs));
        Moves { knot, after, before, place: vec![0.0; knot.nodes], steps: Vec::new() }
    }

    /// Moves one node after another to where the least weight runs against the order, until no move helps.
    ///
    /// A place is a number, and a node is put halfway between two of its neighbours: only they decide what the move is
    /// worth, so nothing else has to be shifted. Places are counted anew after each pass.
    fn improve(&mut self, order: &mut [u32]) {
        let (place, steps, weights) = (&mut self.place, &mut self.steps, &self.knot.weights);
        for _ in 0..(PASSES / weights.len().max(1)).clamp(8, 100) {
            order.iter().enumerate().for_each(|(k, &v)| place[v as usize] = k as f64);
            let mut moves = 0;
            for &v in order.iter() {
                steps.clear();
                steps.extend(self.after.of(v).iter().map(|&(w, arc)| (place[w as usize], weights[arc as usize])));
                steps.extend(self.before.of(v).iter().map(|&(w, arc)| (place[w as usize], -weights[arc as usize])));
                steps.sort_by(|a, b| a.0.total_cmp(&b.0));
                if let Some(better) = best_place(steps, place[v as usize]) {
                    place[v as usize] = better;
                    moves += 1;
                }
            }
            order.sort_by(|&a, &b| place[a as usize].total_cmp(&place[b as usize])); // stable
            if moves == 0 {
                break;
            }
        }
    }

    fn weight_against(&mut self, order: &[u32]) -> f64 {
        order.iter().enumerate().for_each(|(k, &v)| self.place[v as usize] = k as f64);
        let against = |&(from, to): &(u32, u32)| self.place[from as usize] > self.place[to as usize];
        self.knot.arcs.iter().zip(&self.knot.weights).filter(|(arc, _)| against(arc)).map(|(_, w)| w).sum()
    }
}

/// The place between neighbours with the least weight against the order, if it beats the present one.
fn best_place(steps: &[(f64, f64)], now: f64) -> Option<f64> {
    let scale: f64 = steps.iter().map(|s| s.1.abs()).sum();
    let present: f64 = steps.iter().take_while(|s| s.0 < now).map(|s| s.1).sum();
    // Rounding must not look like a gain, or two nodes would change places for ever.
    let mut best = (present - 1e-9 * scale, None);
    let mut cost = 0.0;
    for k in 0..=steps.len() {
        let low = if k == 0 { f64::NEG_INFINITY } else { steps[k - 1].0 };
        let high = steps.get(k).map_or(f64::INFINITY, |s| s.0);
        let middle = if k == 0 {
            high - 1.0
        } else if high.is_infinite() {
            low + 1.0
        } else {
            0.5 * (low + high)
        };
        if cost < best.0 && low < middle && middle < high {
            best = (cost, Some(middle));
        }
        cost += steps.get(k).map_or(0.0, |s| s.1);
    }
    best.1
}

/// A whole number that sorts as the float does.
fn sortable(x: f64) -> i64 {
    let bits = (x + 0.0).to_bits() as i64; // + 0.0: no negative zero
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}
