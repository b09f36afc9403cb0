//! Who is whose neighbour: equal objects taken as one, then the nearest of each, then what hangs together.

use std::collections::BTreeSet;

use nearer_num::nearest;

use crate::error::{Error, Remedy, show_components};
use crate::evidence::{Distances, Features};
use crate::graph::KnownPairs;
use crate::graph::union::Union;
use crate::object::Objects;

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
    /// How the edges were chosen, in words.
    pub rule: String,
    /// How many neighbours each object was asked for; `None` where the known pairs are the edges.
    pub asked: Option<usize>,
}

impl Neighbourhood {
    /// The known pairs if at least half of all are missing, else the `k` nearest of each object among them.
    pub(crate) fn of_distances(d: &Distances, k: usize) -> Self {
        let n = d.len();
        let known = |i: usize| (0..n).filter(move |j| *j != i).filter_map(move |j| Some((j, d.between(i, j)?)));
        let mut union = Union::new(n);
        for i in 0..n {
            known(i).filter(|(_, length)| length * length == 0.0).for_each(|(j, _)| union.join(i, j));
        }
        let local = 2 * d.missing() >= d.pairs();
        let (vertex, first) = union.vertices();
        let mut edges = BTreeSet::new();
        // Of merged objects the first speaks; where few pairs are known, all do.
        let speaks = |i: usize| local || first[vertex[i] as usize] == i;
        for i in (0..n).filter(|i| speaks(*i)) {
            let own = vertex[i];
            let others = known(i).filter(|(j, _)| vertex[*j] != own && speaks(*j));
            let mut near: Vec<(f64, u32)> = others.map(|(j, length)| (length, vertex[j])).collect();
            if !local && near.len() > k {
                near.select_nth_unstable_by(k - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                near.truncate(k);
            }
            edges.extend(near.iter().map(|&(length, w)| (own.min(w), own.max(w), (length * length).to_bits())));
        }
        let (rule, asked) = if local {
            ("the known pairs".to_string(), None)
        } else {
            (format!("the {k} nearest neighbours of each object"), Some(k))
        };
        Neighbourhood::new(vertex, first.len(), edges, rule, asked)
    }

    /// The `k` nearest of each object by the features.
    pub(crate) fn of_features(features: &Features, k: usize) -> Self {
        let n = features.len();
        let mut union = Union::new(n);
        features.duplicates().into_iter().for_each(|(i, first)| union.join(i, first));
        let (mut vertex, mut first) = union.vertices();
        let rows: Vec<f64> = first.iter().flat_map(|&i| features.row(i).to_vec()).collect();
        let near = nearest::neighbours(&rows, features.columns().len(), k.min(first.len().saturating_sub(1)));
        let mut edges = BTreeSet::new();
        let mut again = Union::new(first.len());
        for (v, list) in near.iter().enumerate() {
            for &(w, squared) in list {
                edges.insert(((v as u32).min(w), (v as u32).max(w), squared.to_bits()));
                if squared == 0.0 {
                    again.join(v, w as usize);
                }
            }
        }
        // Features that differ by less than can be squared are equal too.
        if edges.iter().any(|e| e.2 == 0.0f64.to_bits()) {
            let (merged, firsts) = again.vertices();
            vertex.iter_mut().for_each(|v| *v = merged[*v as usize]);
            edges = edges
                .into_iter()
                .map(|(a, b, s)| (merged[a as usize], merged[b as usize], s))
                .filter(|(a, b, _)| a != b)
                .map(|(a, b, s)| (a.min(b), a.max(b), s))
                .collect();
            first = firsts;
        }
        let rule = format!("the {k} nearest neighbours of each object by its features");
        Neighbourhood::new(vertex, first.len(), edges, rule, Some(k))
    }

    fn new(
        vertex: Vec<u32>,
        vertices: usize,
        edges: BTreeSet<(u32, u32, u64)>,
        rule: String,
        asked: Option<usize>,
    ) -> Self {
        let (mut pairs, mut squared): (Vec<(u32, u32)>, Vec<f64>) = (Vec::new(), Vec::new());
        for (a, b, bits) in edges {
            // Of several lengths the least, which comes first: positive numbers are ordered as their bits.
            if pairs.last() != Some(&(a, b)) && f64::from_bits(bits) > 0.0 {
                pairs.push((a, b));
                squared.push(f64::from_bits(bits));
            }
        }
        Neighbourhood { vertex: vertex.into_iter().map(Some).collect(), vertices, pairs, squared, rule, asked }
    }

    /// The connected parts of the vertices, largest first.
    fn parts(&self) -> Vec<Vec<usize>> {
        KnownPairs::of_edges(self.vertices, &self.pairs, |e| self.squared[e]).components()
    }

    /// Refuses a graph in several parts, naming them and saying what to do.
    pub(crate) fn require_connected(&self, objects: &Objects) -> Result<(), Error> {
        let parts = self.parts();
        if parts.len() <= 1 {
            return Ok(());
        }
        let mut part = vec![0; self.vertices];
        parts.iter().enumerate().for_each(|(p, list)| list.iter().for_each(|&v| part[v] = p));
        let mut labels = vec![Vec::new(); parts.len()];
        for (i, v) in self.vertex.iter().enumerate() {
            if let Some(v) = v {
                labels[part[*v as usize]].push(objects.labels()[i].clone());
            }
        }
        let remedy = match self.asked {
            Some(k) => Remedy::from("raise ").any("neighbours").and(format!(" above {k}")),
            None => "measure pairs between them".into(),
        };
        Err(Error::Evidence {
            what: format!(
                "the graph of {} falls into {} separate parts ({}), and nothing says how far apart they are",
                self.rule,
                parts.len(),
                show_components(&labels)
            ),
            remedy: remedy.and(", or map the largest part alone with ").setting("components", "largest"),
        })
    }

    /// The largest part alone; how many objects were left out.
    pub(crate) fn largest_part(&mut self) -> usize {
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
        self.vertices = parts[0].len();
        before - self.vertex.iter().flatten().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn equal_objects_are_one_and_parts_are_named() {
        let x = array![[0.0], [1.0], [1.0], [2.5], [100.0], [101.5], [103.0]];
        let features = Features::new(Objects::numbered(7), ["x"], x).unwrap();
        let mut g = Neighbourhood::of_features(&features, 1);
        assert_eq!(g.vertex, [0, 1, 1, 2, 3, 4, 5].map(Some));
        assert_eq!(g.pairs, [(0, 1), (1, 2), (3, 4), (4, 5)]);
        assert_eq!(g.squared, [1.0, 2.25, 2.25, 2.25]);
        let e = g.require_connected(features.objects()).unwrap_err().to_string();
        assert!(
            e.contains("2 separate parts") && e.contains("`1`, `2`, `3` and 1 more") && e.contains("above 1"),
            "{e}"
        );
        assert_eq!((g.largest_part(), g.vertices, g.vertex[4]), (3, 3, None));
        assert!(g.require_connected(features.objects()).is_ok());
        assert_eq!(g.squared, [1.0, 2.25]);
    }

    #[test]
    fn few_known_pairs_are_the_edges() {
        let x = f64::NAN;
        let m = array![[0.0, 2.0, x, x], [2.0, 0.0, 0.0, x], [x, 0.0, 0.0, 3.0], [x, x, 3.0, 0.0]];
        let d = Distances::from_square(Objects::numbered(4), m.view()).unwrap();
        let g = Neighbourhood::of_distances(&d, 1);
        assert_eq!((g.pairs, g.squared, g.asked), (vec![(0, 1), (1, 2)], vec![4.0, 9.0], None));
    }
}
