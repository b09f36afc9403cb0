//! Solving with the factors: forward and back through the nodes, for several right-hand sides side by side, so that each
//! number of the factors is read once for all of them.

use super::structure::{Node, Structure};
use crate::simd::Kernel;

/// Solves in place: `x` holds the `K` numbers of the first unknown to go, then those of the next.
pub(super) struct Substitution<'a, const K: usize> {
    pub(super) structure: &'a Structure,
    pub(super) numbers: &'a [f64],
    pub(super) x: &'a mut [f64],
}

impl<const K: usize> Kernel for Substitution<'_, K> {
    #[inline(always)]
    fn run(self) {
        let part = |node: &Node| {
            let rows = &self.structure.rows[node.rows..][..node.height];
            Part { rows, numbers: &self.numbers[node.numbers..][..node.width * node.height], height: node.height }
        };
        for node in &self.structure.nodes {
            let part = part(node);
            for s in (0..node.width).step_by(4) {
                match node.width - s {
                    1 => part.forward::<1, K>(s, self.x),
                    2 => part.forward::<2, K>(s, self.x),
                    3 => part.forward::<3, K>(s, self.x),
                    _ => part.forward::<4, K>(s, self.x),
                }
            }
        }
        for node in self.structure.nodes.iter().rev() {
            let part = part(node);
            for s in (0..node.width).step_by(4).rev() {
                match node.width - s {
                    1 => part.back::<1, K>(s, self.x),
                    2 => part.back::<2, K>(s, self.x),
                    3 => part.back::<3, K>(s, self.x),
                    _ => part.back::<4, K>(s, self.x),
                }
            }
        }
    }
}

/// The numbers of one node.
struct Part<'a> {
    rows: &'a [u32],
    numbers: &'a [f64],
    height: usize,
}

impl Part<'_> {
    /// Columns `s` to `s + C` from the rows below them.
    #[inline(always)]
    fn forward<const C: usize, const K: usize>(&self, s: usize, x: &mut [f64]) {
        let mut own = self.own::<C, K>(s, x);
        for j in 0..C {
            for i in j + 1..C {
                let l = self.numbers[(s + j) * self.height + s + i];
                for k in 0..K {
                    own[i][k] -= l * own[j][k];
                }
            }
        }
        self.put(s, x, &own);
        let (columns, rows) = self.below::<C>(s);
        let mut i = 0;
        while i + 4 <= rows.len() {
            take::<C, K, 4>(&columns, rows, i, &own, x);
            i += 4;
        }
        while i < rows.len() {
            take::<C, K, 1>(&columns, rows, i, &own, x);
            i += 1;
        }
    }

    /// Divides by the pivots and takes the rows below from columns `s` to `s + C`.
    #[inline(always)]
    fn back<const C: usize, const K: usize>(&self, s: usize, x: &mut [f64]) {
        let mut own = self.own::<C, K>(s, x);
        for j in 0..C {
            let pivot = self.numbers[(s + j) * self.height + s + j];
            own[j].iter_mut().for_each(|v| *v /= pivot);
        }
        let (columns, rows) = self.below::<C>(s);
        let mut i = 0;
        if K == 1 && rows.len() >= 4 {
            // Four sums side by side, for one would wait for itself.
            let mut sums = [[0.0; 4]; C];
            while i + 4 <= rows.len() {
                let right: [f64; 4] = std::array::from_fn(|r| x[rows[i + r] as usize]);
                for j in 0..C {
                    let l = &columns[j][i..i + 4];
                    for r in 0..4 {
                        sums[j][r] += l[r] * right[r];
                    }
                }
                i += 4;
            }
            for j in 0..C {
                own[j][0] -= (sums[j][0] + sums[j][2]) + (sums[j][1] + sums[j][3]);
            }
        }
        while i < rows.len() {
            let right = &x[rows[i] as usize * K..][..K];
            for j in 0..C {
                for k in 0..K {
                    own[j][k] -= columns[j][i] * right[k];
                }
            }
            i += 1;
        }
        for j in (0..C).rev() {
            for i in j + 1..C {
                let l = self.numbers[(s + j) * self.height + s + i];
                for k in 0..K {
                    own[j][k] -= l * own[i][k];
                }
            }
        }
        self.put(s, x, &own);
    }

    #[inline(always)]
    fn own<const C: usize, const K: usize>(&self, s: usize, x: &[f64]) -> [[f64; K]; C] {
        let first = (self.rows[0] as usize + s) * K;
        let mut own = [[0.0; K]; C];
        for j in 0..C {
            own[j].copy_from_slice(&x[first + j * K..][..K]);
        }
        own
    }

    #[inline(always)]
    fn put<const C: usize, const K: usize>(&self, s: usize, x: &mut [f64], own: &[[f64; K]; C]) {
        let first = (self.rows[0] as usize + s) * K;
        for j in 0..C {
            x[first + j * K..][..K].copy_from_slice(&own[j]);
        }
    }

    /// The rows below columns `s` to `s + C`, and their numbers in each.
    #[inline(always)]
    fn below<const C: usize>(&self, s: usize) -> ([&[f64]; C], &[u32]) {
        let rows = &self.rows[s + C..];
        (std::array::from_fn(|j| &self.numbers[(s + j) * self.height + s + C..][..rows.len()]), rows)
    }
}

/// Takes columns from `R` of the rows below them.
#[inline(always)]
fn take<const C: usize, const K: usize, const R: usize>(
    columns: &[&[f64]; C],
    rows: &[u32],
    i: usize,
    own: &[[f64; K]; C],
    x: &mut [f64],
) {
    let mut sums = [[0.0; K]; R];
    for j in 0..C {
        let l = &columns[j][i..i + R];
        for r in 0..R {
            for k in 0..K {
                sums[r][k] += l[r] * own[j][k];
            }
        }
    }
    for r in 0..R {
        let to = &mut x[rows[i + r] as usize * K..][..K];
        for k in 0..K {
            to[k] -= sums[r][k];
        }
    }
}
