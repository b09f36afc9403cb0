//! Isotonic regression: the closest sequence that never falls.

use crate::par;

/// Replaces `values` by the non-decreasing sequence `x` that minimises `Σ w (x - value)²` (pool adjacent violators,
/// one pass, `O(n)`). Weights are positive; without any they are all 1.
pub fn increasing(values: &mut [f64], weights: Option<&[f64]>) {
    Pool::default().increasing(values, weights);
}

/// The blocks of a pooled sequence, kept to be used again without asking for memory.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    sum: Vec<f64>,
    weight: Vec<f64>,
    end: Vec<usize>,
}

/// A long sequence is pooled in pieces of this many values, whatever the number of threads, and then across them.
const PIECE: usize = 1 << 15;

impl Pool {
    /// As [`increasing`]; gives the number of blocks, which is the number of different values.
    pub fn increasing(&mut self, values: &mut [f64], weights: Option<&[f64]>) -> usize {
        if values.len() <= PIECE {
            self.clear();
            self.pool(values, weights, 0);
        } else {
            // The projection does not depend on the order of pooling: first inside each piece, then the blocks.
            let ranges = par::ranges(values.len(), PIECE);
            let pieces: Vec<Pool> = par::map(ranges.len(), |k| {
                let mut pool = Pool::default();
                pool.pool(&values[ranges[k].clone()], weights.map(|w| &w[k * PIECE..]), k * PIECE);
                pool
            });
            self.clear();
            for piece in pieces {
                for ((sum, weight), end) in piece.sum.into_iter().zip(piece.weight).zip(piece.end) {
                    self.push(sum, weight, end);
                }
            }
        }
        self.fill(values);
        self.end.len()
    }

    fn clear(&mut self) {
        self.sum.clear();
        self.weight.clear();
        self.end.clear();
    }

    fn pool(&mut self, values: &[f64], weights: Option<&[f64]>, offset: usize) {
        match weights {
            None => values.iter().enumerate().for_each(|(k, v)| self.push(*v, 1.0, offset + k + 1)),
            Some(w) => values.iter().zip(w).enumerate().for_each(|(k, (v, w))| self.push(w * v, *w, offset + k + 1)),
        }
    }

    /// Adds a block at the end and merges while the one before it is not lower.
    #[inline]
    fn push(&mut self, mut sum: f64, mut weight: f64, end: usize) {
        // mean of the last block >= mean of this one, without dividing: the weights are positive.
        while let (Some(&s), Some(&w)) = (self.sum.last(), self.weight.last())
            && s * weight >= sum * w
        {
            sum += s;
            weight += w;
            self.sum.pop();
            self.weight.pop();
            self.end.pop();
        }
        self.sum.push(sum);
        self.weight.push(weight);
        self.end.push(end);
    }

    fn fill(&self, values: &mut [f64]) {
        let fill_piece = |offset: usize, piece: &mut [f64]| {
            let mut block = self.end.partition_point(|&end| end <= offset);
            let mut start = 0;
            while start < piece.len() {
                let end = (self.end[block] - offset).min(piece.len());
                piece[start..end].fill(self.sum[block] / self.weight[block]);
                start = end;
                block += 1;
            }
        };
        if values.len() <= PIECE {
            fill_piece(0, values);
        } else {
            par::chunks(values, PIECE, fill_piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_textbook_example() {
        let mut x = [1.0, 2.0, 6.0, 2.0, 5.0, 4.0, 8.0];
        increasing(&mut x, None);
        assert_eq!(x, [1.0, 2.0, 4.0, 4.0, 4.5, 4.5, 8.0]);
    }

    #[test]
    fn pieces_and_the_whole_give_the_same_projection() {
        let mut rng = crate::rng::Rng::task(8, 0);
        let raw: Vec<f64> = (0..3 * PIECE + 17).map(|k| rng.normal() + 1e-5 * k as f64).collect();
        let mut whole = Pool::default();
        whole.pool(&raw, None, 0);
        let mut expected = raw.clone();
        whole.fill(&mut expected);
        let mut got = raw;
        increasing(&mut got, None);
        assert!(got.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    proptest! {
        /// The optimality conditions of the projection: it does not fall, blocks keep their mean, and no start of a
        /// block has a mean above it.
        #[test]
        fn it_is_the_projection(data in prop::collection::vec((-5.0..5.0f64, 0.1..3.0f64), 1..40)) {
            let (raw, w): (Vec<f64>, Vec<f64>) = data.into_iter().unzip();
            let mut x = raw.clone();
            increasing(&mut x, Some(&w));
            prop_assert!(x.windows(2).all(|p| p[0] <= p[1]));
            let mut start = 0;
            for end in 1..=x.len() {
                if end == x.len() || x[end] != x[start] {
                    let mut sums = (0.0, 0.0);
                    for k in start..end {
                        sums.0 += w[k] * (raw[k] - x[k]);
                        sums.1 += w[k];
                        prop_assert!(sums.0 >= -1e-9);
                    }
                    prop_assert!(sums.0.abs() < 1e-9);
                    start = end;
                }
            }
        }
    }
}
