//! Distances: with absolute errors, and of neighbours that are unfolded.

use std::collections::BTreeMap;

use super::said::Said;
use super::{DualMend, Mend, Question, Row, Trouble, Two, all_pairs, other_question, place};
use crate::evidence::{Distances, Evidence};
use crate::object::Objects;
use crate::program::Sense;
use crate::verify::dual::least_on_the_rest;
use crate::verify::limits::Limits;

/// `min Σ w |δ² - d|` over the known pairs.
pub(super) fn robust(d: &Distances, limits: &Limits<'_>) -> Result<Question, Trouble> {
    let n = d.objects().len();
    let mut rows = Vec::new();
    let (mut edges, mut weights) = (Vec::new(), Vec::new());
    for (i, j) in all_pairs(n) {
        let k = place(n, i, j);
        let (weight, value) = (d.weight_at(k), d.condensed()[k]);
        if weight > 0.0 && value.is_finite() {
            let pair = (i as u32, j as u32);
            rows.push(Row { plus: None, minus: Some(pair), constant: value * value, low: -weight, high: weight });
            edges.push(pair);
            weights.push(weight);
        }
    }
    let room = held_together(n, &edges, &weights, limits)?;
    Ok(Question {
        objects: d.objects().clone(),
        sense: Sense::Minimise,
        spread: 0.0,
        costs: Vec::new(),
        scale: rows.iter().map(|r| r.high * r.constant).sum(),
        rows,
        balls: None,
        curvature: 0.0,
        entropy: false,
        most_spread: None,
        mend: Mend::Told,
        dual_mend: DualMend::Rows(weights.iter().map(|w| -w).collect(), room),
        made: Vec::new(),
        named: Vec::new(),
        spanned: None,
        left_out: 0,
    })
}

/// The neighbours that an unfolding holds, by the numbers of the objects that were mapped.
pub(super) struct Held {
    /// The objects of the evidence that were mapped.
    pub(super) kept: Vec<usize>,
    pub(super) edges: Vec<(Two, f64)>,
}

/// `max spread`, the squared distances `D` of neighbours held: `d ≤ D`, or `w |d - D|` or `w (d - D)²` paid.
pub(super) fn unfold(evidence: &Evidence, said: &Said<'_>, limits: &Limits<'_>) -> Result<(Question, Held), Trouble> {
    let form = said.word("form", &["at-most", "soft", "penalised"])?;
    let components = said.word("components", &["refuse", "largest", "joined"])?;
    let local = matches!(evidence, Evidence::Distances(d) if 2 * d.missing() >= d.pairs());
    let known = |i: usize, j: usize| apart(evidence, i, j);
    // Of known pairs nobody asks for neighbours, and within a radius nobody counts them.
    let radius = if local { None } else { said.number_or_none("radius")? };
    let counted = !local && radius.is_none();
    let nearest = if counted { Some(said.count("neighbours")?.ok_or_else(|| absent("neighbours"))?) } else { None };
    let rule = Rule {
        nearest,
        // Features tell nearness by squares, distances by themselves.
        within: radius.map(|r| if matches!(evidence, Evidence::Features(_)) { r * r } else { r }),
        mutual: counted && said.word("join", &["union", "mutual"])? == "mutual",
        joined: components == "joined",
        all: local,
    };
    let (kept, edges, squared, left_out) = neighbours(evidence.objects(), &known, &rule);
    let objects = evidence.objects().subset(&kept);
    let n = objects.len();
    let needed = || said.needed("weight");
    let all = f64::INFINITY;
    let (low, high, curvature) = match form {
        "at-most" => (0.0, all, 0.0),
        "soft" => (-needed()?, needed()?, 0.0),
        _ => (-all, all, 1.0 / (2.0 * needed()?)),
    };
    let (mend, dual_mend) = match form {
        "at-most" => (Mend::Shrink, DualMend::Grow),
        "soft" => {
            let apart = held_together(n, &edges, &vec![1.0; edges.len()], limits)?;
            (Mend::Told, DualMend::Rows(vec![high; edges.len()], (high * apart - 1.0) * (1.0 - 1e-12)))
        }
        _ => (Mend::Told, DualMend::Grow),
    };
    let held = Held { kept, edges: edges.iter().copied().zip(squared.iter().copied()).collect() };
    let question = Question {
        objects,
        sense: Sense::Maximise,
        spread: -1.0,
        costs: Vec::new(),
        rows: edges
            .iter()
            .zip(&squared)
            .map(|(edge, d)| Row { plus: Some(*edge), minus: None, constant: -d, low, high })
            .collect(),
        balls: None,
        curvature,
        entropy: false,
        most_spread: None,
        scale: squared.iter().sum(),
        mend,
        dual_mend,
        made: Vec::new(),
        named: Vec::new(),
        spanned: None,
        left_out,
    };
    Ok((question, held))
}

/// How far two objects are apart: by what nearness is told, and squared.
pub(super) fn apart(evidence: &Evidence, i: usize, j: usize) -> Option<(f64, f64)> {
    match evidence {
        Evidence::Distances(d) => d.between(i, j).map(|length| (length, length * length)),
        Evidence::Features(f) => Some((f.squared_distance(i, j), f.squared_distance(i, j))),
        Evidence::Kernels(k) => {
            // A centred kernel is symmetric but for its last bits.
            let length = k.squared_distance(i.min(j), i.max(j)).sqrt();
            Some((length, length * length))
        }
        _ => None,
    }
}

fn absent(name: &str) -> Trouble {
    Trouble::Claim("settings", format!("it does not say what its setting `{name}` is"))
}

/// Which pairs a neighbourhood holds.
struct Rule {
    /// So many nearest of each object.
    nearest: Option<usize>,
    /// Those within a distance, by what nearness is told.
    within: Option<f64>,
    /// Only where each is among the nearest of the other.
    mutual: bool,
    /// Parts are linked by the shortest distances between them.
    joined: bool,
    /// All that are known, of all objects, those at one place too.
    all: bool,
}

/// Which pairs are held: objects at distance 0 are one, by the name of the first of them; then all known pairs, or the
/// nearest of each, among equals those that come first, or those within a distance; then links between parts, if they are asked for. What does not hang together with the most is left out, and counted.
fn neighbours(
    objects: &Objects,
    known: &dyn Fn(usize, usize) -> Option<(f64, f64)>,
    rule: &Rule,
) -> (Vec<usize>, Vec<Two>, Vec<f64>, usize) {
    let n = objects.len();
    let mut first: Vec<usize> = (0..n).collect();
    // Zero distances are followed until nothing moves: equal to an equal is equal.
    let mut moved = true;
    while moved {
        moved = false;
        for i in 0..n {
            let equal = (0..n).filter(|j| *j != i && known(i, *j).is_some_and(|d| d.1 == 0.0));
            let least = equal.map(|j| first[j]).min().unwrap_or(i);
            if least < first[i] {
                (first[i], moved) = (least, true);
            }
        }
    }
    let mut held: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let mut said: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for i in (0..n).filter(|i| rule.all || first[*i] == *i) {
        let mut near: Vec<(f64, usize, f64)> = (0..n)
            .filter(|j| first[*j] != first[i] && (rule.all || first[*j] == *j))
            .filter_map(|j| known(i, j).map(|(length, squared)| (length, first[j], squared)))
            .filter(|(length, _, _)| rule.within.is_none_or(|most| *length <= most))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for &(_, j, squared) in near.iter().take(rule.nearest.unwrap_or(n)) {
            let pair = (first[i].min(j), first[i].max(j));
            *said.entry(pair).or_insert(0) += 1;
            let least = held.entry(pair).or_insert(squared);
            *least = least.min(squared);
        }
    }
    if rule.mutual && rule.nearest.is_some() {
        held.retain(|pair, _| said[pair] > 1);
    }
    let mut part = first.clone();
    if rule.joined {
        // Kruskal's: pairs by length, each that links what nothing links yet; what is held already comes first.
        let names: Vec<usize> = (0..n).filter(|i| first[*i] == *i).collect();
        let mut links: Vec<(bool, f64, usize, usize)> = Vec::new();
        for &i in &names {
            for &j in names.iter().filter(|j| **j > i) {
                let free = !held.contains_key(&(i, j));
                links.extend(known(i, j).map(|d| (free, d.1, i, j)));
            }
        }
        links.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then((a.2, a.3).cmp(&(b.2, b.3))));
        let mut group = first.clone();
        for (free, squared, i, j) in links {
            if group[i] != group[j] {
                let (kept, gone) = (group[i], group[j]);
                group.iter_mut().filter(|g| **g == gone).for_each(|g| *g = kept);
                if free {
                    held.insert((i, j), squared);
                }
            }
        }
    }
    moved = true;
    while moved {
        moved = false;
        for &(i, j) in held.keys().filter(|(i, j)| part[*i] != part[*j]).collect::<Vec<_>>() {
            let least = part[i].min(part[j]);
            (part[i], part[j], moved) = (least, least, true);
        }
    }
    let names: Vec<usize> = (0..n).filter(|i| first[*i] == *i).collect();
    let size = |p: usize| names.iter().filter(|i| part[**i] == p).count();
    let largest = names.iter().map(|i| part[*i]).max_by_key(|p| (size(*p), n - p)).unwrap_or(0);
    let kept: Vec<usize> = names.into_iter().filter(|i| part[*i] == largest).collect();
    let place = |i: usize| kept.binary_search(&i).ok().map(|p| p as u32);
    let both = held.into_iter().filter_map(|((i, j), d)| Some(((place(i)?, place(j)?), d)));
    let (edges, squared) = both.unzip();
    // Of objects at one place all are mapped where the first is.
    let left_out = (0..n).filter(|i| place(first[*i]).is_none()).count();
    (kept, edges, squared, left_out)
}

/// The least eigenvalue, constant vector aside, of the Laplacian of a graph with these weights.
fn held_together(n: usize, edges: &[Two], weights: &[f64], limits: &Limits<'_>) -> Result<f64, Trouble> {
    let terms = edges.iter().zip(weights).map(|(e, w)| (*e, *w));
    let least = least_on_the_rest(n, 0.0, terms, limits);
    if least > 0.0 {
        return Ok(least);
    }
    Err(other_question("the known distances do not hold all objects together"))
}
