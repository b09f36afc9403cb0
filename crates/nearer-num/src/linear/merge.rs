//! What dividing and conquering has in common for eigenvalues and singular values: poles that come too near to one another
//! or carry no weight are set aside, and the bases of two halves are multiplied by the vectors of the problem that is left.
//! Columns of one half are zero in the other, and take no part in products there: half of `2 n k²` operations.

use std::ops::Range;

use super::kernels::rotate;
use super::product::add_product;
use super::secular::{Poles, exact_weights, root};
use super::storage::{part, part_mut, two_columns};

/// In which of two halves a column is not zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Top,
    Both,
    Bottom,
}

/// Room for packed columns, for products, and for vectors of the small problem; each for the whole matrix.
pub(crate) struct Room {
    pub(crate) packed: Vec<f64>,
    pub(crate) products: Vec<f64>,
    pub(crate) vectors: Vec<f64>,
}

impl Room {
    pub(crate) fn new(n: usize) -> Self {
        Self { packed: vec![0.0; n * n], products: vec![0.0; n * n], vectors: vec![0.0; n * n] }
    }
}

/// The columns that take part, by rising pole, and those set aside; both count from the first column of the two halves.
#[derive(Default)]
pub(crate) struct Split {
    pub(crate) kept: Vec<usize>,
    pub(crate) aside: Vec<usize>,
}

impl Split {
    /// Where each kept column stands when those of the top come first and those of the bottom last, and how many there are
    /// of each side.
    pub(crate) fn places(&self, sides: &[Side]) -> (Vec<usize>, [usize; 3]) {
        let mut counts = [0; 3];
        self.kept.iter().for_each(|&column| counts[sides[column] as usize] += 1);
        let mut next = [0, counts[0], counts[0] + counts[1]];
        let place = |&column: &usize| {
            let next = &mut next[sides[column] as usize];
            *next += 1;
            *next - 1
        };
        (self.kept.iter().map(place).collect(), counts)
    }

    /// The order that sorts the values of the kept columns followed by those set aside.
    pub(crate) fn order(&self, found: &[f64], before: &[f64]) -> (Vec<usize>, Vec<f64>) {
        let all: Vec<f64> = found.iter().copied().chain(self.aside.iter().map(|&column| before[column])).collect();
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|&i, &j| all[i].total_cmp(&all[j]));
        let sorted = order.iter().map(|&i| all[i]).collect();
        (order, sorted)
    }
}

/// All roots, as the pole next to each and the distance from there, and the weights for which they are exact. The columns of
/// `differences` become pole less root.
pub(crate) fn roots(
    poles: &Poles<'_>,
    z: &[f64],
    constant: f64,
    differences: &mut [f64],
) -> (Vec<(usize, f64)>, Vec<f64>) {
    let k = z.len();
    let found = (0..k).map(|i| root(poles, z, constant, i, &mut differences[i * k..(i + 1) * k])).collect();
    (found, exact_weights(poles, z, constant, &differences[..k * k]))
}

/// Puts `v`, made of unit length, into `column`, entry `j` at `places[j]`.
pub(crate) fn put_unit(v: &[f64], places: &[usize], column: &mut [f64]) {
    let scale = 1.0 / v.iter().map(|v| v * v).sum::<f64>().sqrt();
    v.iter().zip(places).for_each(|(v, &place)| column[place] = v * scale);
}

/// The columns of a basis of two halves: their length, and the rows of the halves.
pub(crate) struct Halves {
    pub(crate) ld: usize,
    pub(crate) top: Range<usize>,
    pub(crate) bottom: Range<usize>,
}

impl Halves {
    /// Replaces the kept columns of `q` by their products with `vectors`, whose rows stand as `places` says, and brings all
    /// columns into the order given.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn recombine(
        &self,
        q: &mut [f64],
        split: &Split,
        (places, counts): &(Vec<usize>, [usize; 3]),
        vectors: &[f64],
        order: &[usize],
        packed: &mut [f64],
        products: &mut [f64],
    ) {
        let (k, n1, n2) = (split.kept.len(), self.top.len(), self.bottom.len());
        let (in_top, only_top) = (counts[0] + counts[1], counts[0]);
        let (upper, lower) = packed.split_at_mut(n1 * in_top);
        for (&column, &place) in split.kept.iter().zip(places) {
            let from = &q[column * self.ld..(column + 1) * self.ld];
            if place < in_top {
                upper[place * n1..(place + 1) * n1].copy_from_slice(&from[self.top.clone()]);
            }
            if place >= only_top {
                let place = place - only_top;
                lower[place * n2..(place + 1) * n2].copy_from_slice(&from[self.bottom.clone()]);
            }
        }
        let rows = n1 + n2;
        for (column, to) in split.aside.iter().zip(products[k * rows..].chunks_exact_mut(rows)) {
            to.copy_from_slice(&q[column * self.ld..][self.top.start..self.bottom.end]);
        }
        if k > 0 {
            let above = part(upper, n1, 0..n1, 0..in_top);
            add_product(part_mut(products, rows, 0..n1, 0..k), 0.0, 1.0, above, part(vectors, k, 0..in_top, 0..k));
            let below = part(lower, n2, 0..n2, 0..k - only_top);
            add_product(part_mut(products, rows, n1..rows, 0..k), 0.0, 1.0, below, part(vectors, k, only_top..k, 0..k));
        }
        for (to, &from) in q.chunks_exact_mut(self.ld).zip(order) {
            to[self.top.start..self.bottom.end].copy_from_slice(&products[from * rows..(from + 1) * rows]);
        }
    }
}

/// Rotates columns `i` and `j` of a basis: `(q_i, q_j) = (c q_i + s q_j, c q_j - s q_i)`.
pub(crate) fn rotate_columns(q: &mut [f64], halves: &Halves, i: usize, j: usize, c: f64, s: f64) {
    let rows = halves.top.start..halves.bottom.end;
    let (first, second) = two_columns(q, halves.ld, i.min(j), i.max(j));
    let (x, y) = if i < j { (first, second) } else { (second, first) };
    rotate(&mut x[rows.clone()], &mut y[rows], c, s);
}
