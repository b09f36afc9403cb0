//! Neighbours in a table of features.

use nearer_num::nearest;

use super::{GoOn, Neighbourhood, Rule, Search};
use crate::error::Error;
use crate::evidence::Features;
use crate::graph::union::Union;

/// Seconds on one core up to which neighbours are looked for exactly.
const PATIENCE: f64 = 60.0;
/// Objects whose neighbours are looked for exactly too, to say what an approximate search has found.
const TRIED: usize = 250;

/// The nearest of each object by the features, or those within the radius.
pub(super) fn graph(features: &Features, rule: &Rule, seed: u64, go_on: GoOn<'_>) -> Result<Neighbourhood, Error> {
    let n = features.len();
    let mut union = Union::new(n);
    features.duplicates().into_iter().for_each(|(i, first)| union.join(i, first));
    let (mut vertex, mut first) = union.vertices();
    let rows: Vec<f64> = first.iter().flat_map(|&i| features.row(i).to_vec()).collect();
    let (width, k) = (features.columns().len(), rule.neighbours.min(first.len().saturating_sub(1)));
    let about = rule.radius.0.is_none() && rule.is_approximate(first.len(), width);
    let mut ended = Ok(());
    let mut asked = |done: usize| {
        ended = go_on(done, first.len());
        ended.is_ok()
    };
    let found = match rule.radius.0 {
        Some(radius) => nearest::within(&rows, width, radius * radius, &mut asked),
        None if about => nearest::about(&rows, width, k, seed, &mut asked),
        None => nearest::neighbours_while(&rows, width, k, &mut asked),
    };
    ended?;
    let mut near = found.unwrap_or_default();
    let recall = about.then(|| nearest::recall(&rows, width, k, &near, TRIED));
    drop(rows);
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
    if let Some(recall) = recall {
        graph.search = Search::Approximate;
        graph.recall = Some(recall);
        let tried = TRIED.min(n);
        graph.warnings.push(format!(
            "neighbours were looked for approximately: of the nearest of {tried} objects, looked for exactly as well, {:.1} % were found",
            100.0 * recall
        ));
    }
    Ok(graph)
}

/// Seconds that an exact search takes on one core: by a tree, or by products of all rows with all.
pub(crate) fn exact_seconds(rows: f64, width: usize, k: f64) -> f64 {
    if nearest::is_narrow(width) { 5e-7 * rows * (k + 8.0) } else { 2e-10 * rows * rows * (width as f64 + 6.0) }
}

impl Rule {
    /// Whether so many rows of so many numbers are searched approximately.
    pub(crate) fn is_approximate(&self, rows: usize, width: usize) -> bool {
        match self.search {
            Search::Exact => false,
            Search::Approximate => true,
            // A tree is no slower.
            Search::Auto if nearest::is_narrow(width) => false,
            Search::Auto => exact_seconds(rows as f64, width, self.neighbours as f64) > PATIENCE,
        }
    }
}
