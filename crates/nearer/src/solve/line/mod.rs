//! Can comparisons hold on a line? Yes with coordinates, no with a small set that cannot, or not known within the budget.

mod question;
mod search;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::evidence::Comparison;
use crate::graph::{ConstraintGraph, Edge};
use crate::object::Item;
use crate::solve::{Clock, Stop};
use question::Question;
use search::{Budget, Found, Search};

/// Whether comparisons can hold in one dimension.
#[derive(Debug, Clone, PartialEq)]
pub enum OnLine {
    /// They can.
    Yes {
        /// A coordinate for each object. Groups that share no comparison lie over each other, and objects that are never
        /// compared in their middle.
        coordinates: Vec<f64>,
        /// Partial orders that were looked at.
        nodes: usize,
    },
    /// They cannot.
    No {
        /// Comparisons that cannot hold on a line together.
        subset: Vec<Comparison>,
        /// Whether any of them may be dropped and the rest can.
        minimal: bool,
    },
    /// The search ended before it was done.
    Unknown {
        /// Why.
        stop: Stop,
        /// Partial orders that were looked at.
        nodes: usize,
    },
}

/// The most objects hanging together by comparisons that the search takes.
pub(crate) const MOST: usize = Search::MOST;

/// Decides whether the comparisons of a graph can hold on a line, looking at no more than `nodes` partial orders; as many
/// again may be looked at to make a *no* readable.
///
/// Objects that hang together by comparisons are put on the line one by one, the one with the fewest possible places
/// first, at each of its places in turn. A place is impossible where a far pair would lie within its near pair, or where no
/// gaps between neighbours satisfy the comparisons among the objects placed so far: those are linear in the gaps once the
/// order is known, and are decided exactly ([`nearer_num::exact`]). All comparisons that follow by transitivity take part. A
/// *no* is therefore proved by exhaustion, and a *yes* is checked against the comparisons themselves.
pub(crate) fn on_a_line(graph: &ConstraintGraph, nodes: usize, clock: &Clock<'_>) -> OnLine {
    let mut budget = Budget::new(nodes, clock);
    let mut coordinates = vec![0.0; graph.objects().len()];
    let mut group_of: HashMap<Item, usize> = HashMap::new();
    let groups = graph.groups();
    for (k, group) in groups.iter().enumerate() {
        group_of.extend(group.iter().map(|item| (*item, k)));
    }
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); groups.len()];
    for e in graph.edges() {
        edges[group_of[&graph.nodes()[e.near as usize].first()]].push(*e);
    }
    let mut unknown = None;
    for edges in &edges {
        let question = Question::new(edges.iter().map(|e| said(graph, e)));
        match question.quick_no(clock).unwrap_or_else(|| question.answer(&mut budget)) {
            Found::Place(place) => {
                // The leftmost object is at 0.
                let middle = place.iter().fold(0.0, |m: f64, x| m.max(*x)) / 2.0;
                question.items().iter().zip(place).for_each(|(i, x)| coordinates[i.index()] = x - middle);
            }
            Found::Nowhere(used) => {
                let (subset, minimal) = question.part(&used).smallest(&mut Budget::new(nodes, clock));
                return OnLine::No { subset, minimal };
            }
            // Another group may still be impossible.
            Found::Unknown(stop) => unknown = unknown.or(Some(stop)),
        }
    }
    match unknown {
        Some(stop) => OnLine::Unknown { stop, nodes: budget.used() },
        None => OnLine::Yes { coordinates, nodes: budget.used() },
    }
}

fn said(graph: &ConstraintGraph, e: &Edge) -> Comparison {
    let pair = |node: u32| graph.nodes()[node as usize];
    Comparison { near: pair(e.near), far: pair(e.far), weight: e.weight, margin: e.margin }
}
