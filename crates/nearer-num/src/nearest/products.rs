//! The nearest rows by products of blocks: where rows have many numbers.
//!
//! `|a - b|² = |a|² + |b|² - 2 a·b` is one matrix product, and rounds more than the sum of squared differences. So it only names
//! those that can be among the nearest, with all its rounding on their side, and those are measured again.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::{Near, insert};
use crate::par;

/// Rows that are multiplied with all others at once.
const PIECE: usize = 24;

/// As [`super::neighbours`].
pub(super) fn neighbours(values: &[f64], width: usize, k: usize) -> Vec<Vec<(u32, f64)>> {
    let n = values.len() / width;
    // About the middle of the rows their products are small, and so is what they lose.
    let mut middle = vec![0.0; width];
    values.chunks(width).for_each(|row| middle.iter_mut().zip(row).for_each(|(m, v)| *m += v / n as f64));
    let centred: Vec<f64> = values.chunks(width).flat_map(|row| row.iter().zip(&middle).map(|(v, m)| v - m)).collect();
    let squares: Vec<f64> = centred.chunks(width).map(|row| row.iter().map(|v| v * v).sum()).collect();
    let largest = squares.iter().fold(0.0, |m: f64, v| m.max(*v));
    let all = MatRef::from_column_major_slice(&centred, width, n);
    let ranges = par::ranges(n, PIECE);
    let pieces = par::map(ranges.len(), |piece| {
        let range = ranges[piece].clone();
        let mut products = vec![0.0; n * range.len()];
        let out = MatMut::from_column_major_slice_mut(&mut products, n, range.len());
        matmul(out, Accum::Replace, all.transpose(), all.subcols(range.start, range.len()), 1.0, Par::Seq);
        let mut near: Vec<Near> = Vec::with_capacity(k + 1);
        range
            .zip(products.chunks_mut(n))
            .map(|(i, about)| {
                about.iter_mut().zip(&squares).for_each(|(p, s)| *p = s - 2.0 * *p);
                about[i] = f64::INFINITY;
                near.clear();
                for (j, v) in about.iter().enumerate() {
                    if near.len() < k || *v < near[k - 1].0 {
                        insert(&mut near, k, Near(*v, j as u32));
                    }
                }
                // Products, squares and the shift to the middle each lose a few units a number.
                let lost = 8.0 * f64::EPSILON * (width + 4) as f64 * (squares[i] + largest);
                let limit = near.last().map_or(f64::INFINITY, |last| last.0) + 2.0 * lost;
                let own = &values[i * width..][..width];
                near.clear();
                for (j, v) in about.iter().enumerate().filter(|(j, v)| **v <= limit && *j != i) {
                    debug_assert!(!v.is_nan());
                    insert(&mut near, k, Near(super::squared(own, &values[j * width..][..width]), j as u32));
                }
                near.iter().map(|&Near(squared, j)| (j, squared)).collect::<Vec<(u32, f64)>>()
            })
            .collect::<Vec<_>>()
    });
    pieces.into_iter().flatten().collect()
}
