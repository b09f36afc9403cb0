//! Parts of a graph linked where they are nearest to each other.

use nearer_num::order;
use nearer_num::par;

use super::{Among, Neighbourhood};
use crate::error::Error;
use crate::graph::union::Union;

/// Adds the shortest link from each part but the largest to another one, until all hang together: those of the minimum spanning
/// tree of the parts. Of equal links the one between the smaller numbers.
pub(super) fn join(graph: &mut Neighbourhood, seen: Among<'_>) -> Result<(), Error> {
    let first = graph.first();
    let (mut part, count) = graph.part_of();
    if count <= 1 {
        return Ok(());
    }
    let (n, mut longest, mut added) = (graph.vertices, 0.0f64, Vec::new());
    let mut parts = count;
    while parts > 1 {
        // The nearest vertex of another part, for each vertex outside the largest.
        let outside: Vec<usize> = (0..n).filter(|&v| part[v] != 0).collect();
        let links = par::map(outside.len(), |k| {
            let v = outside[k];
            let others = (0..n).filter(|&w| part[w] != part[v]);
            let known = others.filter_map(|w| Some((seen.squared(first[v], first[w])?, v.min(w), v.max(w))));
            known.min_by(order)
        });
        let mut best: Vec<Option<(f64, usize, usize)>> = vec![None; parts];
        for (&v, link) in outside.iter().zip(links) {
            let own = &mut best[part[v]];
            *own = own.take().into_iter().chain(link).min_by(order);
        }
        let mut union = Union::new(parts);
        let mut fresh = 0;
        for (a, b, squared) in best.into_iter().flatten().map(|(s, a, b)| (a, b, s)) {
            if union.find(part[a]) != union.find(part[b]) {
                union.join(part[a], part[b]);
                added.push(((a as u32, b as u32), squared));
                longest = longest.max(squared);
                fresh += 1;
            }
        }
        if fresh == 0 {
            return Err(Error::Evidence {
                what: format!(
                    "the graph of {} falls into {parts} parts with no known distance between them",
                    graph.rule
                ),
                remedy: "measure pairs between them".into(),
            });
        }
        let (number, firsts) = union.vertices();
        part.iter_mut().for_each(|p| *p = number[*p] as usize);
        parts = firsts.len();
    }
    let usual = median(&graph.squared).sqrt();
    graph.warnings.push(format!(
        "the graph of {} falls into {count} parts; they were joined by {} links between the nearest of them, the longest {:.4} (a usual edge is {usual:.4}): how far parts lie from each other on the map hangs on those links",
        graph.rule,
        added.len(),
        longest.sqrt()
    ));
    let mut all: Vec<((u32, u32), f64)> = graph.pairs.drain(..).zip(graph.squared.drain(..)).chain(added).collect();
    order::by_key(&mut all, &|(pair, _)| *pair);
    (graph.pairs, graph.squared) = all.into_iter().unzip();
    Ok(())
}

fn order(x: &(f64, usize, usize), y: &(f64, usize, usize)) -> std::cmp::Ordering {
    x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2)))
}

pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}
