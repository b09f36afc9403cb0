//! The nearest rows by a tree of halves: quick where rows have few numbers.

use super::{Lists, Near, insert, pieces};

/// Rows that are not divided further.
const LEAF: usize = 12;
/// Rows that one piece of the work has.
const PIECE: usize = 256;

/// Rows divided again and again at the middle of their widest column.
struct Tree<'a> {
    width: usize,
    values: &'a [f64],
    order: Vec<u32>,
    /// In the order of the tree.
    rows: Vec<f64>,
    nodes: Vec<Node>,
}

#[derive(Clone, Copy)]
struct Node {
    start: u32,
    end: u32,
    /// The two halves, and the column and value that part them; no halves for a leaf.
    halves: Option<(u32, u32, u32, f64)>,
}

/// As [`super::neighbours_while`].
pub(super) fn neighbours(
    values: &[f64],
    width: usize,
    k: usize,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Option<Lists> {
    let n = values.len() / width;
    let tree = Tree::new(values, width);
    // In the order of the tree the next row looks where the last one did.
    let found = pieces(n, PIECE, go_on, |range| range.map(|at| tree.nearest(tree.order[at], k)).collect())?;
    let mut out = vec![Vec::new(); n];
    for (at, near) in found.into_iter().enumerate() {
        out[tree.order[at] as usize] = near;
    }
    Some(out)
}

impl<'a> Tree<'a> {
    fn new(values: &'a [f64], width: usize) -> Self {
        let n = values.len() / width;
        let mut tree = Tree { width, values, order: (0..n as u32).collect(), rows: Vec::new(), nodes: Vec::new() };
        tree.divide(0, n);
        tree.rows = tree.order.iter().flat_map(|&i| &values[i as usize * width..][..width]).copied().collect();
        tree
    }

    fn divide(&mut self, start: usize, end: usize) -> u32 {
        let number = self.nodes.len();
        self.nodes.push(Node { start: start as u32, end: end as u32, halves: None });
        if end - start > LEAF {
            let (width, values) = (self.width, self.values);
            let of = |i: u32, c: usize| values[i as usize * width + c];
            let spread = |c: usize| {
                let column = self.order[start..end].iter().map(|&i| of(i, c));
                let (low, high) = column.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
                high - low
            };
            let mut widest = (0, spread(0));
            for c in 1..width {
                let s = spread(c);
                if s > widest.1 {
                    widest = (c, s);
                }
            }
            if widest.1 > 0.0 {
                let (c, half) = (widest.0, (end - start) / 2);
                self.order[start..end].select_nth_unstable_by(half, |a, b| of(*a, c).total_cmp(&of(*b, c)));
                let value = of(self.order[start + half], c);
                let low = self.divide(start, start + half);
                let high = self.divide(start + half, end);
                self.nodes[number].halves = Some((low, high, c as u32, value));
            }
        }
        number as u32
    }

    fn nearest(&self, i: u32, k: usize) -> Vec<(u32, f64)> {
        let own = &self.values[i as usize * self.width..][..self.width];
        let mut near = Vec::with_capacity(k + 1);
        self.look(0, i, own, k, &mut near);
        near.into_iter().map(|Near(squared, j)| (j, squared)).collect()
    }

    fn look(&self, node: u32, i: u32, own: &[f64], k: usize, near: &mut Vec<Near>) {
        let Node { start, end, halves } = self.nodes[node as usize];
        let Some((low, high, column, value)) = halves else {
            for at in start as usize..end as usize {
                let j = self.order[at];
                if j != i {
                    let other = &self.rows[at * self.width..][..self.width];
                    insert(near, k, Near(super::squared(own, other), j));
                }
            }
            return;
        };
        let past = own[column as usize] - value;
        let (first, second) = if past < 0.0 { (low, high) } else { (high, low) };
        self.look(first, i, own, k, near);
        // Where equal, another row may be as near and have a smaller number.
        if near.len() < k || past * past <= near[near.len() - 1].0 {
            self.look(second, i, own, k, near);
        }
    }
}
