//! The cheapest answers to drop: an order of the nodes that few and light arcs run against (feedback arc set).

use std::collections::BinaryHeap;

use super::components::Knot;
use super::links::Links;
use super::ordering::Ordering;

/// Passes of moving nodes. Each pass lowers the weight; it is rare that more than a dozen do.
const PASSES: usize = 100;

/// Which arcs of a knot to keep so that no circle is left, the weight of the others being small.
///
/// The greedy order, improved by moving single nodes; then, heaviest first, every arc against the order is put
/// back that closes no circle, so that what is kept is maximal.
pub(super) fn cheapest(knot: &Knot) -> Vec<bool> {
    let mut order = greedy(knot);
    improve(knot, &mut order);
    let mut ordering = Ordering::new(order);
    let mut keep = vec![true; knot.arcs.len()];
    let mut against: Vec<usize> = Vec::new();
    for (k, &(from, to)) in knot.arcs.iter().enumerate() {
        if ordering.places()[from as usize] < ordering.places()[to as usize] {
            ordering.add(from, to);
        } else {
            against.push(k);
        }
    }
    against.sort_by(|&a, &b| knot.weights[b].total_cmp(&knot.weights[a])); // stable: equal ones by number
    for k in against {
        keep[k] = ordering.add(knot.arcs[k].0, knot.arcs[k].1);
    }
    keep
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

/// Moves one node after another to where the least weight runs against the order, until no move helps.
///
/// A place is a number, and a node is put halfway between two of its neighbours: only they decide what the move is worth,
/// so nothing else has to be shifted. Places are counted anew after each pass.
fn improve(knot: &Knot, order: &mut [u32]) {
    let n = knot.nodes;
    let (after, before) = (Links::forward(n, &knot.arcs), Links::backward(n, &knot.arcs));
    let mut place = vec![0.0f64; n];
    // For a node: each neighbour's place, and by how much the weight against the order grows when the node passes it.
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for _ in 0..PASSES {
        order.iter().enumerate().for_each(|(k, &v)| place[v as usize] = k as f64);
        let mut moves = 0;
        for k in 0..n {
            let v = order[k];
            steps.clear();
            steps.extend(after.of(v).iter().map(|&(w, arc)| (place[w as usize], knot.weights[arc as usize])));
            steps.extend(before.of(v).iter().map(|&(w, arc)| (place[w as usize], -knot.weights[arc as usize])));
            steps.sort_by(|a, b| a.0.total_cmp(&b.0));
            if let Some(better) = best_place(&steps, place[v as usize]) {
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
