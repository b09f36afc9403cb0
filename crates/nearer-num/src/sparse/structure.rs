//! All that the factors of a pattern need to know beforehand: the order of elimination, the rows of each node, where the
//! values of a matrix go, and where what a node leaves for its parent lies in the meantime.

use super::elimination::{NONE, Tree, inverse};
use super::graph::{Graph, Groups};
use super::nodes::Nodes;
use super::{Ordering, Pattern, degree};

/// One dense block of the factors: its own columns, `height` rows each, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The first of its columns, and how many there are.
    pub(super) first: usize,
    pub(super) width: usize,
    /// Its rows, of which the first `width` are its own columns: in `rows` and `targets` from here.
    pub(super) height: usize,
    pub(super) rows: usize,
    /// Where its numbers begin among those of the factors.
    pub(super) numbers: usize,
    /// Where the values of the matrix that belong to it are listed.
    pub(super) values: (usize, usize),
    /// On which of two stacks, and from where, it leaves its square for the parent.
    pub(super) stack: usize,
    pub(super) square: usize,
    /// The nodes that leave something for it.
    pub(super) children: (usize, usize),
}

impl Node {
    /// How many rows it has that are not its own columns.
    pub(super) fn below(&self) -> usize {
        self.height - self.width
    }
}

/// See above.
#[derive(Debug, Clone)]
pub(super) struct Structure {
    /// The k-th unknown to go.
    pub(super) order: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    /// The rows of every node, rising.
    pub(super) rows: Vec<u32>,
    /// For every row of a node below its own columns, which row of the parent it is.
    pub(super) targets: Vec<u32>,
    /// Which value of the matrix goes to which number of its node.
    pub(super) values: Vec<(u32, u32)>,
    /// The numbers of the nodes' children.
    pub(super) children: Vec<u32>,
    /// How long the two stacks get, and how many numbers the factors have.
    pub(super) stacks: [usize; 2],
    pub(super) len: usize,
}

impl Structure {
    pub(super) fn new(pattern: &Pattern, ordering: Ordering<'_>) -> Self {
        let (groups, members) = grouped(pattern, ordering);
        let size = groups.size;
        let order: Vec<u32> = members.iter().step_by(size).map(|v| groups.of[*v as usize]).collect();
        let nodes = Nodes::new(&Tree::new(&groups.graph, &order), size);
        let (starts, rows) = all_rows(&groups.graph, &nodes);
        let mut structure = Structure {
            order: ungrouped(&nodes.order, &members, &groups, &order),
            nodes: Vec::with_capacity(nodes.parent.len()),
            rows: Vec::with_capacity(rows.len() * size),
            targets: vec![0; rows.len() * size],
            values: Vec::new(),
            children: Vec::with_capacity(nodes.parent.len()),
            stacks: [0; 2],
            len: 0,
        };
        for &row in &rows {
            structure.rows.extend((0..size as u32).map(|k| row * size as u32 + k));
        }
        structure.lay_out(&nodes, &starts, size);
        structure.place_targets(&nodes);
        structure.place_values(pattern);
        structure
    }

    /// What a child left on its stack, the rows of its parent that it belongs to, and how many of them are among the parent's
    /// own columns.
    #[inline(always)]
    pub(super) fn left_by<'a>(&'a self, child: u32, width: usize, stack: &'a [f64]) -> (&'a [f64], &'a [u32], usize) {
        let child = &self.nodes[child as usize];
        let below = child.below();
        let targets = &self.targets[child.rows + child.width..child.rows + child.height];
        let split = targets.iter().take_while(|t| (**t as usize) < width).count();
        (&stack[child.square..][..below * below], targets, split)
    }

    fn lay_out(&mut self, nodes: &Nodes, starts: &[usize], size: usize) {
        for s in 0..nodes.parent.len() {
            let (first, end) = (nodes.starts[s] as usize * size, nodes.starts[s + 1] as usize * size);
            let (rows, height) = (starts[s] * size, (starts[s + 1] - starts[s]) * size);
            let (width, numbers) = (end - first, self.len);
            self.len += width * height;
            let none = (0, 0);
            let node = Node { first, width, height, rows, numbers, values: none, stack: 0, square: 0, children: none };
            self.nodes.push(node);
        }
        self.list_children(&nodes.parent);
        self.stack_squares(&nodes.parent);
    }

    fn list_children(&mut self, parent: &[u32]) {
        for &p in parent.iter().filter(|p| **p != NONE) {
            self.nodes[p as usize].children.1 += 1;
        }
        let mut at = 0;
        for node in &mut self.nodes {
            let count = node.children.1;
            node.children = (at, at);
            at += count;
        }
        self.children.resize(at, 0);
        for (s, &p) in parent.iter().enumerate().filter(|(_, p)| **p != NONE) {
            let end = &mut self.nodes[p as usize].children.1;
            self.children[*end] = s as u32;
            *end += 1;
        }
    }

    /// Parents and children use different stacks, so that one is read while the other grows.
    fn stack_squares(&mut self, parent: &[u32]) {
        for s in (0..parent.len()).rev() {
            self.nodes[s].stack = if parent[s] == NONE { 0 } else { 1 - self.nodes[parent[s] as usize].stack };
        }
        let mut tops = [0; 2];
        for s in 0..parent.len() {
            let (node, own) = (&self.nodes[s], self.nodes[s].stack);
            if let Some(&child) = self.children[node.children.0..node.children.1].first() {
                tops[1 - own] = self.nodes[child as usize].square;
            }
            let below = node.below();
            self.nodes[s].square = tops[own];
            tops[own] += below * below;
            self.stacks[own] = self.stacks[own].max(tops[own]);
        }
    }

    fn place_targets(&mut self, nodes: &Nodes) {
        for s in 0..self.nodes.len() {
            if nodes.parent[s] == NONE {
                continue;
            }
            let (node, above) = (&self.nodes[s], &self.nodes[nodes.parent[s] as usize]);
            let rows = &self.rows[above.rows..above.rows + above.height];
            let mut at = 0;
            for k in node.rows + node.width..node.rows + node.height {
                while rows[at] < self.rows[k] {
                    at += 1;
                }
                self.targets[k] = at as u32;
            }
        }
    }

    fn place_values(&mut self, pattern: &Pattern) {
        let n = pattern.size();
        let place = inverse(&self.order);
        let mut node = vec![0u32; n];
        for (s, own) in self.nodes.iter().enumerate() {
            node[own.first..own.first + own.width].fill(s as u32);
        }
        let (starts, rows) = pattern.parts();
        let mut ends = vec![0; self.nodes.len() + 1];
        for j in 0..n {
            for &i in &rows[starts[j]..starts[j + 1]] {
                ends[node[place[i].min(place[j]) as usize] as usize + 1] += 1;
            }
        }
        (0..self.nodes.len()).for_each(|s| ends[s + 1] += ends[s]);
        let mut cells = vec![(0, 0, 0); rows.len()];
        for j in 0..n {
            for k in starts[j]..starts[j + 1] {
                let (a, b) = (place[rows[k]], place[j]);
                let at = &mut ends[node[a.min(b) as usize] as usize];
                cells[*at] = (k as u32, a.max(b), a.min(b));
                *at += 1;
            }
        }
        self.values.reserve_exact(rows.len());
        let mut local = vec![0; n];
        for (s, node) in self.nodes.iter_mut().enumerate() {
            for (k, &row) in self.rows[node.rows..node.rows + node.height].iter().enumerate() {
                local[row as usize] = k;
            }
            node.values = (self.values.len(), ends[s]);
            let target = |row: u32, column: u32| (column as usize - node.first) * node.height + local[row as usize];
            let placed =
                cells[node.values.0..node.values.1].iter().map(|&(k, row, column)| (k, target(row, column) as u32));
            self.values.extend(placed);
        }
    }
}

/// The groups of a pattern, and the unknowns in an order of elimination where those of a group follow one another.
fn grouped(pattern: &Pattern, ordering: Ordering<'_>) -> (Groups, Vec<u32>) {
    let groups = Groups::of_pattern(pattern);
    let size = groups.size;
    match ordering {
        Ordering::MinimumDegree => {
            let mut next: Vec<usize> = (0..groups.graph.len()).map(|g| g * size).collect();
            let mut listed = vec![0; groups.of.len()];
            for (v, &g) in groups.of.iter().enumerate() {
                listed[next[g as usize]] = v as u32;
                next[g as usize] += 1;
            }
            let order = degree::minimum_degree(&groups.graph);
            let members = order.iter().flat_map(|&g| &listed[g as usize * size..][..size]).copied().collect();
            (groups, members)
        }
        Ordering::Given(order) => {
            let members = order.iter().map(|v| *v as u32).collect();
            let together = |chunk: &[usize]| chunk.iter().all(|v| groups.of[*v] == groups.of[chunk[0]]);
            let fits = order.chunks(size).all(together);
            (if fits { groups } else { Groups::single(pattern) }, members)
        }
    }
}

/// The order of the unknowns that belongs to an order of their groups.
fn ungrouped(order: &[u32], members: &[u32], groups: &Groups, before: &[u32]) -> Vec<u32> {
    let place = inverse(before);
    let chunk = |g: &u32| &members[place[*g as usize] as usize * groups.size..][..groups.size];
    order.iter().flat_map(chunk).copied().collect()
}

/// The rows of every node, its own columns first, and where they begin.
fn all_rows(graph: &Graph, nodes: &Nodes) -> (Vec<usize>, Vec<u32>) {
    let place = inverse(&nodes.order);
    let count = nodes.parent.len();
    let total: u32 = nodes.below.iter().sum::<u32>() + nodes.order.len() as u32;
    let (mut starts, mut rows) = (Vec::with_capacity(count + 1), Vec::with_capacity(total as usize));
    let mut seen = vec![NONE; nodes.order.len()];
    // The last child of each node that was met, and the one before each child.
    let (mut last, mut before) = (vec![NONE; count], vec![NONE; count]);
    for s in 0..count {
        let (first, end) = (nodes.starts[s], nodes.starts[s + 1]);
        let start = rows.len();
        starts.push(start);
        rows.extend(first..end);
        let mut see = |row: u32, rows: &mut Vec<u32>| {
            if row >= end && seen[row as usize] != s as u32 {
                seen[row as usize] = s as u32;
                rows.push(row);
            }
        };
        for k in first..end {
            let near = graph.near(nodes.order[k as usize] as usize);
            near.iter().for_each(|v| see(place[*v as usize], &mut rows));
        }
        let mut child = last[s];
        while child != NONE {
            let c = child as usize;
            let own = (nodes.starts[c + 1] - nodes.starts[c]) as usize;
            (starts[c] + own..starts[c + 1]).for_each(|k| see(rows[k], &mut rows));
            child = before[c];
        }
        rows[start + (end - first) as usize..].sort_unstable();
        if nodes.parent[s] != NONE {
            before[s] = std::mem::replace(&mut last[nodes.parent[s] as usize], s as u32);
        }
    }
    starts.push(rows.len());
    (starts, rows)
}
