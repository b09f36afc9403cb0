//! Isotonic regression: the closest sequence that never falls.

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

impl Pool {
    /// As [`increasing`]; gives the number of blocks, which is the number of different values.
    pub fn increasing(&mut self, values: &mut [f64], weights: Option<&[f64]>) -> usize {
        self.sum.clear();
        self.weight.clear();
        self.end.clear();
        for k in 0..values.len() {
            let mut weight = weights.map_or(1.0, |w| w[k]);
            let mut sum = weight * values[k];
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
            self.end.push(k + 1);
        }
        let mut start = 0;
        for ((sum, weight), &end) in self.sum.iter().zip(&self.weight).zip(&self.end) {
            values[start..end].fill(sum / weight);
            start = end;
        }
        self.end.len()
    }
    /// Where each block ends.
    #[must_use]
    pub fn ends(&self) -> &[usize] {
        &self.end
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
