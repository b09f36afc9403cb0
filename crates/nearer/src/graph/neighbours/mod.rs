//! One neighbourhood graph for all methods that begin with neighbours: equal objects taken as one, then the nearest of each or
//! all within a radius, then what hangs together.

mod far;
mod joined;
mod of_distances;
mod of_features;
mod rule;
#[cfg(test)]
mod tests;

pub(crate) use of_features::exact_seconds;
pub use rule::{Components, Join, Rule, Search};

use crate::error::{Error, Remedy, show_components};
use crate::evidence::{Distances, Features};
use crate::graph::KnownPairs;
use crate::object::Objects;

/// What is said where so many objects lie where another one does.
pub(crate) fn merged_in_words(count: usize) -> String {
    match count {
        1 => "1 object is at distance 0 from an earlier one and shares its point".into(),
        n => format!("{n} objects are at distance 0 from an earlier one and share its point"),
    }
}

/// Edges between objects, equal ones merged.
#[derive(Debug, Clone)]
pub(crate) struct Neighbourhood {
    /// For each object of the evidence which vertex it is; `None` for those left out.
    pub vertex: Vec<Option<u32>>,
    /// How many vertices.
    pub vertices: usize,
    /// The edges, each once, the smaller vertex first.
    pub pairs: Vec<(u32, u32)>,
    /// Their squared lengths, none of them 0.
    pub squared: Vec<f64>,
    /// For each vertex those that it chose itself: its nearest, which need not have chosen it.
    pub chosen: Vec<Vec<u32>>,
    /// How the edges were chosen, in words.
    pub rule: String,
    /// How many neighbours each object was asked for; `None` where a radius or the known pairs say it.
    pub asked: Option<usize>,
    /// How neighbours were looked for.
    pub search: Search,
    /// The share of the nearest that an approximate search found, as far as that was tried.
    pub recall: Option<f64>,
    /// What was done that a reader should know.
    pub warnings: Vec<String>,
}

/// Asked now and then while neighbours are looked for, and told how many objects are done and of how many; an error ends it.
pub(crate) type GoOn<'a> = &'a dyn Fn(usize, usize) -> Result<(), Error>;

/// What a graph is made of.
#[derive(Clone, Copy)]
pub(crate) enum Among<'a> {
    Distances(&'a Distances),
    Features(&'a Features),
}

impl Among<'_> {
    pub(crate) fn objects(&self) -> &Objects {
        match self {
            Among::Distances(d) => d.objects(),
            Among::Features(f) => f.objects(),
        }
    }
    /// The squared distance of two objects, where it is known.
    pub(crate) fn squared(&self, i: usize, j: usize) -> Option<f64> {
        match self {
            Among::Distances(d) => d.between(i, j).map(|v| v * v),
            Among::Features(f) => Some(f.squared_distance(i, j)),
        }
    }
}

impl Neighbourhood {
    /// The graph of this evidence by this rule, with its parts treated as the rule says. `seed` is that of an approximate search.
    pub(crate) fn of(seen: Among<'_>, rule: &Rule, seed: u64, go_on: GoOn<'_>) -> Result<Self, Error> {
        let mut graph = Self::as_it_is(seen, rule, seed, go_on)?;
        let all = seen.objects().len();
        match rule.components {
            Components::Refuse => graph.require_connected(seen.objects(), rule)?,
            Components::Joined => joined::join(&mut graph, seen)?,
            Components::Largest => {
                let left = graph.largest_part();
                if left > 0 {
                    graph.warnings.push(format!(
                        "{left} of {all} objects are not connected to the largest part of the graph and were left out"
                    ));
                }
            }
        }
        let merged = graph.kept().len() - graph.vertices;
        if merged > 0 {
            graph.warnings.push(merged_in_words(merged));
        }
        graph.warnings.extend(far::off(&graph, seen.objects()));
        Ok(graph)
    }

    /// The graph in as many parts as it has.
    pub(crate) fn as_it_is(seen: Among<'_>, rule: &Rule, seed: u64, go_on: GoOn<'_>) -> Result<Self, Error> {
        match seen {
            Among::Distances(d) => Ok(of_distances::graph(d, rule)),
            Among::Features(f) => of_features::graph(f, rule, seed, go_on),
        }
    }

    /// `chosen` are, for each vertex, those it chose with their squared lengths.
    fn new(
        vertex: Vec<u32>,
        vertices: usize,
        chosen: &[Vec<(u32, f64)>],
        rule: &Rule,
        said: (String, Option<usize>),
    ) -> Self {
        let both = |a: u32, b: u32| chosen[b as usize].iter().any(|(c, _)| *c == a);
        let mutual = rule.join == Join::Mutual && said.1.is_some();
        let mut edges = Vec::new();
        for (a, list) in chosen.iter().enumerate() {
            let a = a as u32;
            // Of several lengths the least, which comes first: positive numbers are ordered as their bits.
            let kept = list.iter().filter(|(b, _)| !mutual || both(a, *b));
            edges.extend(kept.map(|&(b, squared)| (a.min(b), a.max(b), squared.to_bits())));
        }
        edges.sort_unstable();
        let (mut pairs, mut squared): (Vec<(u32, u32)>, Vec<f64>) = (Vec::new(), Vec::new());
        for (a, b, bits) in edges {
            if pairs.last() != Some(&(a, b)) && f64::from_bits(bits) > 0.0 {
                pairs.push((a, b));
                squared.push(f64::from_bits(bits));
            }
        }
        let names = |list: &Vec<(u32, f64)>| list.iter().map(|(b, _)| *b).collect();
        Neighbourhood {
            vertex: vertex.into_iter().map(Some).collect(),
            vertices,
            pairs,
            squared,
            chosen: chosen.iter().map(names).collect(),
            rule: said.0,
            asked: said.1,
            search: Search::Exact,
            recall: None,
            warnings: Vec::new(),
        }
    }

    /// The objects that were not left out.
    pub(crate) fn kept(&self) -> Vec<usize> {
        (0..self.vertex.len()).filter(|&i| self.vertex[i].is_some()).collect()
    }

    /// The first object of each vertex.
    pub(crate) fn first(&self) -> Vec<usize> {
        let mut first = vec![0; self.vertices];
        let named = self.vertex.iter().enumerate().rev().filter_map(|(i, v)| Some((i, (*v)?)));
        named.for_each(|(i, v)| first[v as usize] = i);
        first
    }

    /// The vertex of each kept object.
    pub(crate) fn places(&self) -> Vec<usize> {
        self.vertex.iter().flatten().map(|v| *v as usize).collect()
    }

    /// The graph with plain lengths, to follow ways in.
    pub(crate) fn lengths(&self) -> KnownPairs {
        KnownPairs::of_edges(self.vertices, &self.pairs, |e| self.squared[e].sqrt())
    }

    /// The connected parts of the vertices, largest first.
    fn parts(&self) -> Vec<Vec<usize>> {
        self.lengths().components()
    }

    /// The part of each vertex, largest first.
    fn part_of(&self) -> (Vec<usize>, usize) {
        let parts = self.parts();
        let mut part = vec![0; self.vertices];
        parts.iter().enumerate().for_each(|(p, list)| list.iter().for_each(|&v| part[v] = p));
        (part, parts.len())
    }

    /// Refuses a graph in several parts, naming them and saying what to do.
    fn require_connected(&self, objects: &Objects, rule: &Rule) -> Result<(), Error> {
        let (part, count) = self.part_of();
        if count <= 1 {
            return Ok(());
        }
        let mut labels = vec![Vec::new(); count];
        for (i, v) in self.vertex.iter().enumerate() {
            if let Some(v) = v {
                labels[part[*v as usize]].push(objects.labels()[i].clone());
            }
        }
        let remedy = match (self.asked, rule.radius.0) {
            (Some(k), _) => Remedy::from("raise ").any("neighbours").and(format!(" above {k}")),
            (None, Some(radius)) => Remedy::from("raise ").any("radius").and(format!(" above {radius}")),
            (None, None) => "measure pairs between them".into(),
        };
        // Where the known pairs are the links, there is none between parts.
        let joined = |remedy: Remedy| match (self.asked, rule.radius.0) {
            (None, None) => remedy,
            _ => remedy.and(", or link each part where it is nearest to another with ").setting("components", "joined"),
        };
        Err(Error::Evidence {
            what: format!(
                "the graph of {} falls into {count} separate parts ({}), and nothing says how far apart they are",
                self.rule,
                show_components(&labels)
            ),
            remedy: joined(remedy.and(", or map the largest part alone with ").setting("components", "largest")),
        })
    }

    /// The largest part alone; how many objects were left out.
    fn largest_part(&mut self) -> usize {
        let parts = self.parts();
        if parts.len() <= 1 {
            return 0;
        }
        let mut now = vec![None; self.vertices];
        parts[0].iter().enumerate().for_each(|(k, &v)| now[v] = Some(k as u32));
        let before = self.vertex.iter().flatten().count();
        self.vertex.iter_mut().for_each(|v| *v = v.and_then(|v| now[v as usize]));
        let kept: Vec<usize> = (0..self.pairs.len()).filter(|&e| now[self.pairs[e].0 as usize].is_some()).collect();
        let renamed = |v: u32| now[v as usize].unwrap_or_default();
        self.squared = kept.iter().map(|&e| self.squared[e]).collect();
        self.pairs = kept.iter().map(|&e| (renamed(self.pairs[e].0), renamed(self.pairs[e].1))).collect();
        let chosen = parts[0].iter().map(|&v| self.chosen[v].iter().filter_map(|b| now[*b as usize]).collect());
        self.chosen = chosen.collect();
        self.vertices = parts[0].len();
        before - self.vertex.iter().flatten().count()
    }
}
