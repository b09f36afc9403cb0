//! Neighbours in given distances; few known pairs are a graph that is given.

use nearer_num::packed;

use super::{Neighbourhood, Rule};
use crate::evidence::Distances;
use crate::graph::union::Union;

/// The known pairs if at least half of all are missing, else the nearest of each object among them, or those within the radius.
pub(super) fn graph(d: &Distances, rule: &Rule) -> Neighbourhood {
    let n = d.len();
    let mut union = Union::new(n);
    for (k, _) in d.condensed().iter().enumerate().filter(|(k, v)| *v * *v == 0.0 && d.weight_at(*k) > 0.0) {
        let (i, j) = packed::pair(n, k);
        union.join(i, j);
    }
    let local = 2 * d.missing() >= d.pairs();
    let (vertex, first) = union.vertices();
    // Of merged objects the first speaks; where few pairs are known, all do.
    let speaks = |i: usize| local || first[vertex[i] as usize] == i;
    let mut chosen = vec![Vec::new(); first.len()];
    for i in (0..n).filter(|i| speaks(*i)) {
        let own = vertex[i];
        let mut near: Vec<(f64, u32)> = Vec::with_capacity(n);
        let others = d.known_from(i).filter(|(j, _)| vertex[*j] != own && speaks(*j));
        others.for_each(|(j, length)| near.push((length, vertex[j])));
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        match rule.radius.0 {
            _ if local => {}
            Some(radius) => near.retain(|(length, _)| *length <= radius),
            None if near.len() > rule.neighbours => {
                near.select_nth_unstable_by(rule.neighbours - 1, order);
                near.truncate(rule.neighbours);
            }
            None => {}
        }
        near.sort_unstable_by(order);
        chosen[own as usize].extend(near.iter().map(|&(length, w)| (w, length * length)));
    }
    let said = match (local, rule.radius.0) {
        (true, _) => ("the known pairs".to_owned(), None),
        (false, Some(radius)) => (format!("the objects within {radius} of each other"), None),
        (false, None) => (rule.said(""), Some(rule.neighbours)),
    };
    Neighbourhood::new(vertex, first.len(), &chosen, rule, said)
}

impl Rule {
    /// The nearest of each object, in words.
    pub(super) fn said(&self, how: &str) -> String {
        let mutual = if self.join == super::Join::Mutual { ", where each is one of the other's" } else { "" };
        format!("the {} nearest neighbours of each object{how}{mutual}", self.neighbours)
    }
}
