//! Neighbours in a table of features.

use nearer_num::nearest;

use super::{Neighbourhood, Rule, Search};
use crate::evidence::Features;
use crate::graph::union::Union;

/// Products of numbers up to which neighbours are looked for exactly: 200,000 objects of 50 features.
const EXACT: f64 = 2e12;

/// The nearest of each object by the features, or those within the radius.
pub(super) fn graph(features: &Features, rule: &Rule, seed: u64) -> Neighbourhood {
    let n = features.len();
    let mut union = Union::new(n);
    features.duplicates().into_iter().for_each(|(i, first)| union.join(i, first));
    let (mut vertex, mut first) = union.vertices();
    let rows: Vec<f64> = first.iter().flat_map(|&i| features.row(i).to_vec()).collect();
    let (width, k) = (features.columns().len(), rule.neighbours.min(first.len().saturating_sub(1)));
    let about = rule.radius.0.is_none() && rule.is_approximate(first.len(), width);
    let mut near = match rule.radius.0 {
        Some(radius) => nearest::within(&rows, width, radius * radius),
        None if about => nearest::about(&rows, width, k, seed),
        None => nearest::neighbours(&rows, width, k),
    };
    // Nearest first, however they were found.
    near.iter_mut().for_each(|list| list.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))));
    // Features that differ by less than can be squared are equal too.
    if near.iter().flatten().any(|(_, squared)| *squared == 0.0) {
        let mut again = Union::new(first.len());
        for (v, list) in near.iter().enumerate() {
            list.iter().filter(|(_, squared)| *squared == 0.0).for_each(|(w, _)| again.join(v, *w as usize));
        }
        let (merged, firsts) = again.vertices();
        vertex.iter_mut().for_each(|v| *v = merged[*v as usize]);
        let mut lists = vec![Vec::new(); firsts.len()];
        for (v, list) in near.iter().enumerate() {
            let own = merged[v];
            let others = list.iter().map(|&(w, squared)| (merged[w as usize], squared)).filter(|(w, _)| *w != own);
            lists[own as usize].extend(others);
        }
        near = lists;
        first = firsts;
    }
    let said = match rule.radius.0 {
        Some(radius) => (format!("the objects whose features are within {radius} of each other"), None),
        None => (rule.said(" by its features"), Some(rule.neighbours)),
    };
    let mut graph = Neighbourhood::new(vertex, first.len(), &near, rule, said);
    if about {
        graph.search = Search::Approximate;
        graph.warnings.push("neighbours were looked for approximately: most of them, not all, are the nearest".into());
    }
    graph
}

impl Rule {
    /// Whether so many rows of so many numbers are searched approximately.
    fn is_approximate(&self, rows: usize, width: usize) -> bool {
        match self.search {
            Search::Exact => false,
            Search::Approximate => true,
            // A tree needs no products.
            Search::Auto => width > 12 && (rows as f64).powi(2) * width as f64 > EXACT,
        }
    }
}
