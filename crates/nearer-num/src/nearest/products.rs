//! The nearest rows by products of blocks: where rows have many numbers.
//!
//! `|a - b|² = |a|² + |b|² - 2 a·b` is one matrix product, and rounds more than the sum of squared differences. So it only names
//! those that can be among the nearest, with all its rounding on their side, and those are measured again.

use ndarray::s;

use super::{Lists, Near, insert, pieces};
use crate::linear::{add_product, columns, columns_mut};

/// Rows whose neighbours are looked for at once, and rows that they are multiplied with at once: their products stay in the fast
/// memory of a core.
const PIECE: usize = 64;
const BLOCK: usize = 1024;
/// Products that are held against a bound at once.
const LANES: usize = 8;

/// As [`super::neighbours_while`].
pub(super) fn neighbours(
    values: &[f64],
    width: usize,
    k: usize,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Option<Lists> {
    let n = values.len() / width;
    // About the middle of the rows their products are small, and so is what they lose.
    let mut middle = vec![0.0; width];
    values.chunks(width).for_each(|row| middle.iter_mut().zip(row).for_each(|(m, v)| *m += v / n as f64));
    let centred: Vec<f64> = values.chunks(width).flat_map(|row| row.iter().zip(&middle).map(|(v, m)| v - m)).collect();
    let squares: Vec<f64> = centred.chunks(width).map(|row| row.iter().map(|v| v * v).sum()).collect();
    let largest = squares.iter().fold(0.0, |m: f64, v| m.max(*v));
    let all = columns(&centred, width, n);
    pieces(n, PIECE, go_on, |range| {
        // Products, squares and the shift to the middle each lose a few units a number.
        let lost = |i: usize| 8.0 * f64::EPSILON * (width + 4) as f64 * (squares[i] + largest);
        let mut looking: Vec<Looking> = range.clone().map(|i| Looking::new(k, 2.0 * lost(i))).collect();
        let mut products = vec![0.0; BLOCK * range.len()];
        for from in (0..n).step_by(BLOCK) {
            let many = BLOCK.min(n - from);
            let products = &mut products[..many * range.len()];
            let (block, own) = (all.slice(s![.., from..from + many]), all.slice(s![.., range.clone()]));
            add_product(columns_mut(products, many, range.len()), 0.0, 1.0, block.reversed_axes(), own);
            for ((i, looking), products) in range.clone().zip(&mut looking).zip(products.chunks(many)) {
                looking.see(i, from, products, &squares[from..][..many]);
            }
        }
        let row = |i: usize| &values[i * width..][..width];
        range.zip(looking).map(|(i, looking)| looking.nearest(|j| super::squared(row(i), row(j)))).collect()
    })
}

/// One row that looks for its neighbours.
struct Looking {
    k: usize,
    /// What a product may be off, twice.
    lost: f64,
    /// The nearest so far by their products.
    near: Vec<Near>,
    /// What can still be among the nearest has no more than this.
    bound: f64,
    /// Those that could when they were seen.
    able: Vec<Near>,
    /// When there are so many, those that no longer can are dropped.
    full: usize,
}

impl Looking {
    fn new(k: usize, lost: f64) -> Self {
        Looking { k, lost, near: Vec::with_capacity(k + 1), bound: f64::INFINITY, able: Vec::new(), full: 4 * k + 64 }
    }

    /// Sees the products of row `i` with the rows that begin with `from`.
    fn see(&mut self, i: usize, from: usize, products: &[f64], squares: &[f64]) {
        for (at, (p, s)) in products.chunks(LANES).zip(squares.chunks(LANES)).enumerate() {
            // Most have nobody near among them, which is seen without a branch for each.
            let mut about = [f64::INFINITY; LANES];
            about.iter_mut().zip(p.iter().zip(s)).for_each(|(a, (p, s))| *a = s - 2.0 * p);
            if about.iter().fold(f64::INFINITY, |m, v| if *v < m { *v } else { m }) <= self.bound {
                let first = from + at * LANES;
                let others = about[..p.len()].iter().enumerate().filter(|(lane, _)| first + lane != i);
                others.for_each(|(lane, v)| self.meet(Near(*v, (first + lane) as u32)));
            }
        }
    }

    fn meet(&mut self, one: Near) {
        if one.0 > self.bound || self.k == 0 {
            return;
        }
        self.able.push(one);
        insert(&mut self.near, self.k, one);
        if self.near.len() == self.k {
            self.bound = self.near[self.k - 1].0 + self.lost;
        }
        if self.able.len() >= self.full {
            self.able.retain(|one| one.0 <= self.bound);
            // Many may be as near as each other: not again before there are twice as many.
            self.full = self.full.max(2 * self.able.len());
        }
    }

    /// The nearest of those that can be, measured.
    fn nearest(mut self, squared: impl Fn(usize) -> f64) -> Vec<(u32, f64)> {
        self.near.clear();
        for one in self.able.iter().filter(|one| one.0 <= self.bound) {
            insert(&mut self.near, self.k, Near(squared(one.1 as usize), one.1));
        }
        self.near.iter().map(|&Near(squared, j)| (j, squared)).collect()
    }
}
