//! The order of least fill, as far as it can be had quickly: approximate minimum degree (Amestoy, Davis and Duff 1996).
//!
//! The vertex of least degree goes first, again and again. What it leaves behind, all its neighbours joined to one another, is not
//! written out but kept as one element that lists them: a vertex then has vertices and elements beside it, and the list of an
//! element takes no more room than the lists it was made of. The degree of a vertex is not counted but bounded, by its elements as
//! if they shared nothing outside of the newest one. Vertices with the same neighbours are one from then on.

use super::graph::Graph;

/// No vertex.
const NONE: u32 = u32::MAX;

/// The order of elimination: the k-th vertex to go.
pub(super) fn minimum_degree(graph: &Graph) -> Vec<u32> {
    let mut quotient = Quotient::new(graph);
    let mut order = Vec::with_capacity(graph.len());
    while let Some(pivot) = quotient.degrees.least() {
        quotient.eliminate(pivot);
        order.append(&mut quotient.group[pivot]);
    }
    order.append(&mut quotient.crowded);
    order
}

/// The graph of what has not gone yet. Elements have the number of the vertex that they came from.
struct Quotient {
    /// Vertices beside each, as far as no element says so.
    vertices: Vec<Vec<u32>>,
    elements: Vec<Vec<u32>>,
    /// The vertices of each element, some of which may have gone; none where it has become part of another.
    listed: Vec<Vec<u32>>,
    /// How many vertices of the graph those of an element stand for.
    size: Vec<u32>,
    /// How many vertices of the graph each stands for; none where it has gone.
    weight: Vec<u32>,
    /// Those it stands for.
    group: Vec<Vec<u32>>,
    degrees: Degrees,
    /// Neighbours of a good part of all, which go last: they would only be in the way.
    crowded: Vec<u32>,
    left: u32,
    /// Of each element, what it lists outside of the newest one.
    outside: Vec<u32>,
    /// Which vertices are in the newest element, and which have been seen in a comparison.
    marks: Vec<u64>,
    mark: u64,
}

impl Quotient {
    fn new(graph: &Graph) -> Self {
        let n = graph.len();
        let most = (10.0 * (n as f64).sqrt()).max(16.0) as usize;
        let is_crowded = |v: u32| graph.near(v as usize).len() > most;
        let crowded: Vec<u32> = (0..n as u32).filter(|v| is_crowded(*v)).collect();
        let mut quotient = Quotient {
            vertices: (0..n).map(|v| graph.near(v).iter().copied().filter(|u| !is_crowded(*u)).collect()).collect(),
            elements: vec![Vec::new(); n],
            listed: vec![Vec::new(); n],
            size: vec![0; n],
            weight: vec![1; n],
            group: (0..n as u32).map(|v| vec![v]).collect(),
            degrees: Degrees::new(n),
            left: (n - crowded.len()) as u32,
            crowded: Vec::new(),
            outside: vec![NONE; n],
            marks: vec![0; n],
            mark: 0,
        };
        crowded.iter().for_each(|v| quotient.weight[*v as usize] = 0);
        for v in (0..n).rev().filter(|v| quotient.weight[*v] > 0) {
            quotient.degrees.insert(v, quotient.vertices[v].len() as u32);
        }
        quotient.crowded = crowded;
        quotient
    }

    fn is_left(&self, v: u32) -> bool {
        self.weight[v as usize] > 0
    }

    /// Takes a vertex out, and with it those that would follow without any more fill.
    fn eliminate(&mut self, pivot: usize) {
        let mut near = self.joined(pivot);
        self.left -= self.weight[pivot];
        self.weight[pivot] = 0;
        near.iter().for_each(|v| self.degrees.remove(*v as usize));
        let met = self.measure(&near);
        for &v in &near {
            self.update(v as usize, pivot);
        }
        met.iter().for_each(|e| self.outside[*e as usize] = NONE);
        self.mass(pivot, &near);
        near.retain(|v| self.is_left(*v));
        self.merge_alike(&near);
        near.retain(|v| self.is_left(*v));
        let total: u32 = near.iter().map(|v| self.weight[*v as usize]).sum();
        for &v in &near {
            let (v, own) = (v as usize, self.weight[v as usize]);
            // What it had, or what was counted without the newest element: in either case with it.
            let degree = (self.degrees.of[v] + total - own).min(self.left - own);
            self.degrees.insert(v, degree);
        }
        (self.size[pivot], self.listed[pivot]) = (total, near);
    }

    /// The neighbours of a vertex, marked; its elements become part of the one that it leaves.
    fn joined(&mut self, pivot: usize) -> Vec<u32> {
        self.mark += 1;
        self.marks[pivot] = self.mark;
        let mut near = std::mem::take(&mut self.vertices[pivot]);
        for e in std::mem::take(&mut self.elements[pivot]) {
            near.append(&mut self.listed[e as usize]);
        }
        near.retain(|v| {
            self.weight[*v as usize] > 0 && std::mem::replace(&mut self.marks[*v as usize], self.mark) != self.mark
        });
        near
    }

    /// For all elements beside these vertices, which they are given back, what they list besides.
    fn measure(&mut self, near: &[u32]) -> Vec<u32> {
        let mut met = Vec::new();
        for &v in near {
            for &e in &self.elements[v as usize] {
                let (e, own) = (e as usize, self.weight[v as usize]);
                // One that has become part of another lists nothing, and no vertex of it either.
                if self.listed[e].is_empty() {
                    continue;
                }
                if self.outside[e] == NONE {
                    self.outside[e] = self.size[e];
                    met.push(e as u32);
                }
                self.outside[e] -= own;
            }
        }
        met
    }

    /// What is beside a vertex of the newest element, without what that already says, and a bound on its degree without it.
    fn update(&mut self, v: usize, pivot: usize) {
        let mut degree = 0;
        let mut elements = std::mem::take(&mut self.elements[v]);
        elements.retain(|e| {
            let outside = self.outside[*e as usize];
            if outside == 0 {
                // All that it lists, the newest one lists too.
                self.listed[*e as usize].clear();
            }
            let kept = outside != 0 && outside != NONE;
            degree += if kept { outside } else { 0 };
            kept
        });
        elements.push(pivot as u32);
        self.elements[v] = elements;
        let mut vertices = std::mem::take(&mut self.vertices[v]);
        vertices.retain(|u| self.is_left(*u) && self.marks[*u as usize] != self.mark);
        degree += vertices.iter().map(|u| self.weight[*u as usize]).sum::<u32>();
        self.vertices[v] = vertices;
        self.degrees.of[v] = degree.min(self.degrees.of[v]);
    }

    /// Vertices with nothing beside them but the newest element go together with the one it came from.
    fn mass(&mut self, pivot: usize, near: &[u32]) {
        for &v in near {
            let v = v as usize;
            if self.vertices[v].is_empty() && self.elements[v].len() == 1 {
                self.left -= self.weight[v];
                self.absorb(v, pivot);
            }
        }
    }

    fn absorb(&mut self, v: usize, into: usize) {
        let mut group = std::mem::take(&mut self.group[v]);
        self.group[into].append(&mut group);
        self.weight[v] = 0;
        self.vertices[v] = Vec::new();
        self.elements[v] = Vec::new();
    }

    /// Vertices of the newest element that have the same beside them become one.
    fn merge_alike(&mut self, near: &[u32]) {
        let hash = |v: u32| {
            let beside = self.vertices[v as usize].iter().chain(&self.elements[v as usize]);
            beside.fold(0u32, |sum, u| sum.wrapping_add(*u))
        };
        let mut hashed: Vec<(u32, u32)> = near.iter().map(|v| (hash(*v), *v)).collect();
        hashed.sort_unstable();
        for alike in hashed.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            for (k, &(_, first)) in alike.iter().enumerate() {
                if self.is_left(first) && k + 1 < alike.len() {
                    self.merge_into(first as usize, &alike[k + 1..]);
                }
            }
        }
    }

    fn merge_into(&mut self, first: usize, others: &[(u32, u32)]) {
        self.mark += 1;
        let (vertices, elements) = (&self.vertices[first], &self.elements[first]);
        vertices.iter().chain(elements).for_each(|u| self.marks[*u as usize] = self.mark);
        let sizes = (vertices.len(), elements.len());
        for &(_, v) in others {
            let v = v as usize;
            // One that has gone has nothing beside it.
            let same = (self.vertices[v].len(), self.elements[v].len()) == sizes
                && self.vertices[v].iter().chain(&self.elements[v]).all(|u| self.marks[*u as usize] == self.mark);
            if same {
                self.weight[first] += self.weight[v];
                self.absorb(v, first);
            }
        }
    }
}

/// Vertices by their degrees: the last that came to a degree is the first of it.
struct Degrees {
    of: Vec<u32>,
    first: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
    least: usize,
}

impl Degrees {
    fn new(n: usize) -> Self {
        Degrees { of: vec![0; n], first: vec![NONE; n], next: vec![NONE; n], before: vec![NONE; n], least: 0 }
    }

    fn insert(&mut self, v: usize, degree: u32) {
        let after = std::mem::replace(&mut self.first[degree as usize], v as u32);
        (self.of[v], self.next[v], self.before[v]) = (degree, after, NONE);
        if after != NONE {
            self.before[after as usize] = v as u32;
        }
        self.least = self.least.min(degree as usize);
    }

    fn remove(&mut self, v: usize) {
        let (before, next) = (self.before[v], self.next[v]);
        match before {
            NONE => self.first[self.of[v] as usize] = next,
            before => self.next[before as usize] = next,
        }
        if next != NONE {
            self.before[next as usize] = before;
        }
    }

    /// One of least degree, which is taken out.
    fn least(&mut self) -> Option<usize> {
        let at = (self.least..self.first.len()).find(|d| self.first[*d] != NONE)?;
        self.least = at;
        let v = self.first[at] as usize;
        self.remove(v);
        Some(v)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Pattern;
    use super::super::elimination::Tree;
    use super::super::graph::Groups;
    use super::*;

    /// How many numbers the factor has below and on the diagonal, in the order found and in the one given.
    fn numbers(n: usize, edges: &[(u32, u32)]) -> (u64, u64) {
        let graph = Groups::single(&Pattern::of_graph(n, edges)).graph;
        let order = minimum_degree(&graph);
        let mut seen = order.clone();
        seen.sort_unstable();
        assert!(seen.iter().enumerate().all(|(k, v)| k as u32 == *v) && seen.len() == n, "every vertex once");
        let count = |order: &[u32]| Tree::new(&graph, order).counts.iter().map(|c| u64::from(*c)).sum();
        (count(&order), count(&(0..n as u32).collect::<Vec<_>>()))
    }

    #[test]
    fn trees_and_what_is_joined_fully_have_no_fill() {
        for n in [0u32, 1, 2, 9, 400] {
            let tree: Vec<(u32, u32)> = (1..n).map(|k| (k.wrapping_mul(2_654_435_761) / 128 % k, k)).collect();
            assert_eq!(numbers(n as usize, &tree).0, u64::from(n + n.saturating_sub(1)), "{n}");
            let star: Vec<(u32, u32)> = (1..n).map(|k| (0, k)).collect();
            assert_eq!(numbers(n as usize, &star).0, u64::from(n + n.saturating_sub(1)), "{n}");
        }
        let full: Vec<(u32, u32)> = (0..60).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        assert_eq!(numbers(60, &full).0, 60 * 61 / 2);
    }

    /// Chordal graphs have an order without fill; one of least degrees is not always it, but here it is: bands.
    #[test]
    fn bands_have_no_fill_beyond_them() {
        let band: Vec<(u32, u32)> =
            (0..300).flat_map(|i| (1..4).map(move |k| (i, i + k))).filter(|e| e.1 < 300).collect();
        let (found, given) = numbers(300, &band);
        assert_eq!(found, given);
    }

    #[test]
    fn a_square_grid_has_a_fraction_of_the_fill_of_its_rows() {
        let side = 60;
        let at = |i: u32, j: u32| i * side + j;
        let right = (0..side).flat_map(|i| (1..side).map(move |j| (at(i, j - 1), at(i, j))));
        let down = (1..side).flat_map(|i| (0..side).map(move |j| (at(i - 1, j), at(i, j))));
        let (found, given) = numbers((side * side) as usize, &right.chain(down).collect::<Vec<_>>());
        assert!(given > 200_000 && found < given * 3 / 10, "{found} {given}");
    }
}
