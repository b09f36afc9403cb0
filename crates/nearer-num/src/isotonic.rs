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
    blocks: Vec<Block>,
    /// The blocks of the pieces of a long sequence.
    pieces: Vec<Vec<Block>>,
}

/// Neighbours that share one value, their mean.
#[derive(Debug, Clone, Copy)]
struct Block {
    sum: f64,
    weight: f64,
    end: usize,
}

impl Block {
    /// Whether this block, standing before `next`, is not lower. Without dividing: weights are positive.
    #[inline(always)]
    fn not_below(&self, next: &Block) -> bool {
        self.sum * next.weight >= next.sum * self.weight
    }
    #[inline(always)]
    fn with(self, next: Block) -> Block {
        Block { sum: self.sum + next.sum, weight: self.weight + next.weight, end: next.end }
    }
}

/// A long sequence is pooled in pieces of this many values, whatever the number of threads, and then across them.
const PIECE: usize = 1 << 15;

impl Pool {
    /// As [`increasing`]; gives the number of blocks, which is the number of different values.
    pub fn increasing(&mut self, values: &mut [f64], weights: Option<&[f64]>) -> usize {
        self.blocks.clear();
        if values.len() <= PIECE {
            pool(&mut self.blocks, singles(values, weights, 0));
        } else {
            // The projection does not depend on the order of pooling: first inside each piece, then the blocks.
            let ranges = par::ranges(values.len(), PIECE);
            self.pieces.resize(ranges.len(), Vec::new());
            par::each(self.pieces.iter_mut().zip(&ranges).collect(), |_, (blocks, range)| {
                blocks.clear();
                pool(blocks, singles(&values[range.clone()], weights.map(|w| &w[range.clone()]), range.start));
            });
            pool(&mut self.blocks, self.pieces.iter().flatten().copied());
        }
        self.fill(values);
        self.blocks.len()
    }

    fn fill(&self, values: &mut [f64]) {
        let fill_piece = |offset: usize, piece: &mut [f64]| {
            let first = self.blocks.partition_point(|b| b.end <= offset);
            let mut start = 0;
            for block in &self.blocks[first..] {
                let end = (block.end - offset).min(piece.len());
                piece[start..end].fill(block.sum / block.weight);
                start = end;
                if start == piece.len() {
                    break;
                }
            }
        };
        if values.len() <= PIECE {
            fill_piece(0, values);
        } else {
            par::chunks(values, PIECE, fill_piece);
        }
    }
}

/// Each value as a block of its own.
fn singles<'a>(values: &'a [f64], weights: Option<&'a [f64]>, offset: usize) -> impl Iterator<Item = Block> + 'a {
    values.iter().enumerate().map(move |(k, v)| {
        let weight = weights.map_or(1.0, |w| w[k]);
        Block { sum: weight * v, weight, end: offset + k + 1 }
    })
}

/// Adds blocks at the end, one after another, each merged with those before it that are not lower.
fn pool(blocks: &mut Vec<Block>, next: impl Iterator<Item = Block>) {
    // The last block is kept outside the stack: most merges are with it alone.
    let mut last: Option<Block> = None;
    for block in next {
        let Some(before) = last else {
            last = Some(block);
            continue;
        };
        if before.not_below(&block) {
            let mut merged = before.with(block);
            while let Some(top) = blocks.last()
                && top.not_below(&merged)
            {
                merged = top.with(merged);
                blocks.pop();
            }
            last = Some(merged);
        } else {
            blocks.push(before);
            last = Some(block);
        }
    }
    blocks.extend(last);
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
        pool(&mut whole.blocks, singles(&raw, None, 0));
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
