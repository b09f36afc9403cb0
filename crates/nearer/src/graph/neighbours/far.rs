//! Objects far from all others: their links are long, and methods that go by links alone would not show it.

use super::Neighbourhood;
use super::joined::median;
use crate::object::Objects;

/// Links so many times as long as a usual one are worth a word: a slip in the units or in the decimal point, seldom the data.
const FAR: f64 = 100.0;

/// A warning about the objects most of whose links are far longer than a usual link.
pub(super) fn off(graph: &Neighbourhood, objects: &Objects) -> Option<String> {
    let usual = median(&graph.squared);
    let long = |squared: f64| squared > FAR * FAR * usual;
    // Nearly always there is none, and that takes one look at each edge.
    if !graph.squared.iter().any(|s| long(*s)) {
        return None;
    }
    let mut links = vec![(0_usize, 0_usize, f64::INFINITY); graph.vertices];
    for (&(a, b), &squared) in graph.pairs.iter().zip(&graph.squared) {
        for v in [a, b] {
            let (all, far, shortest) = &mut links[v as usize];
            *all += 1;
            if long(squared) {
                *far += 1;
                *shortest = shortest.min(squared);
            }
        }
    }
    let is_off = |v: &&Option<u32>| v.is_some_and(|v| 2 * links[v as usize].1 > links[v as usize].0);
    let count = graph.vertex.iter().filter(is_off).count();
    let first = graph.vertex.iter().position(|v| is_off(&v))?;
    let length = links[graph.vertex[first]? as usize].2.sqrt();
    let who = if count == 1 { String::new() } else { format!("and {} others ", count - 1) };
    Some(format!(
        "`{}` {who}lie{} far from all the rest, with links of {length:.4e} where a usual one is {:.4e}: the map of the rest may hang on \
         that; check the row{}, or leave {} out",
        objects.labels()[first],
        if count == 1 { "s" } else { "" },
        usual.sqrt(),
        if count == 1 { "" } else { "s" },
        if count == 1 { "it" } else { "them" },
    ))
}
