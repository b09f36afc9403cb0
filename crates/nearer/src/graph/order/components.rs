//! Where answers go in a circle: the strongly connected components of the graph.

use super::ConstraintGraph;
use super::links::Links;
use crate::error::Error;
use nearer_num::order;

/// A strongly connected component of two nodes or more: from each of its pairs answers lead to each other one and back,
/// so not all of them can be satisfied.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    /// The nodes, in order.
    pub nodes: Vec<u32>,
    /// The edges among them, in order.
    pub edges: Vec<u32>,
    /// The weight of these edges.
    pub weight: f64,
}

impl ConstraintGraph {
    /// The strongly connected components of two nodes or more: largest first, then by their first node. `O(V + E)`.
    ///
    /// # Reference
    /// Tarjan (1972), *Depth-first search and linear graph algorithms*.
    #[must_use]
    pub fn components(&self) -> Vec<Component> {
        let (part, parts) = Links::forward(self.nodes.len(), &self.arcs()).strong();
        let mut size = vec![0usize; parts];
        part.iter().for_each(|&p| size[p as usize] += 1);
        let mut place = vec![usize::MAX; parts];
        let mut components: Vec<Component> = Vec::new();
        for (v, &p) in part.iter().enumerate() {
            let p = p as usize;
            if size[p] > 1 {
                if place[p] == usize::MAX {
                    place[p] = components.len();
                    components.push(Component { nodes: Vec::with_capacity(size[p]), edges: Vec::new(), weight: 0.0 });
                }
                components[place[p]].nodes.push(v as u32);
            }
        }
        for (k, e) in self.edges.iter().enumerate() {
            let (p, q) = (part[e.near as usize] as usize, part[e.far as usize] as usize);
            if p == q && size[p] > 1 {
                components[place[p]].edges.push(k as u32);
                components[place[p]].weight += e.weight;
            }
        }
        order::by_key(&mut components, &|c| std::cmp::Reverse(c.nodes.len())); // stable: equal ones by their first node
        components
    }

    /// Whether no answers go in a circle, so that some map satisfies all of them.
    #[must_use]
    pub fn is_acyclic(&self) -> bool {
        Links::forward(self.nodes.len(), &self.arcs()).topological().is_some()
    }

    /// The nodes so that every edge leads to a later one; an error that spells out a circle if there is none.
    pub fn topological_order(&self) -> Result<Vec<u32>, Error> {
        Links::forward(self.nodes.len(), &self.arcs()).topological().ok_or_else(|| self.circular())
    }

    /// The error that names a circle of answers.
    fn circular(&self) -> Error {
        let cycle = self.shortest_cycles(1).into_iter().next().unwrap_or_default();
        let mut words: Vec<String> = cycle.iter().take(4).map(|&e| self.in_words(&self.edges[e as usize])).collect();
        if cycle.len() > 4 {
            words.push(format!("and {} more", cycle.len() - 4));
        }
        Error::Evidence {
            what: format!("the comparisons go in a circle: {}", words.join(", ")),
            remedy: "repair them first: vote on the contradictions, then drop what closes a circle".into(),
        }
    }
}

/// A component as a graph of its own: nodes counted from 0, arcs in the order of the edges.
#[derive(Debug)]
pub(super) struct Knot {
    pub(super) nodes: usize,
    pub(super) arcs: Vec<(u32, u32)>,
    pub(super) weights: Vec<f64>,
}

impl Knot {
    pub(super) fn new(graph: &ConstraintGraph, c: &Component) -> Self {
        // Nodes are in order, so their place in the list is found by search: no table over all nodes for each knot.
        let place = |v: u32| c.nodes.binary_search(&v).expect("both ends of an inner edge are in the component") as u32;
        let edges = || c.edges.iter().map(|&e| &graph.edges[e as usize]);
        Knot {
            nodes: c.nodes.len(),
            arcs: edges().map(|e| (place(e.near), place(e.far))).collect(),
            weights: edges().map(|e| e.weight).collect(),
        }
    }
}
