//! What a broken comparison might cost, where nobody says: from the size of what is compared.

use nearer_num::par;

use super::DiagonalProgram;
use crate::evidence::Comparisons;

/// Comparisons that one piece works on.
const PIECE: usize = 256;

impl DiagonalProgram {
    /// The inverse of the mean of `Σ_p (Z_far - Z_near)_p² / P_pp` over the comparisons, by weight: the default of SVM-light.
    #[must_use]
    pub(crate) fn mean_square_slack(&self, c: &Comparisons) -> f64 {
        let diagonal = self.curvature.diagonal(self.columns());
        let squares = self.differences(c);
        let weights: f64 = c.iter().map(|row| row.weight).sum();
        let sum: f64 = squares.iter().zip(&diagonal).filter(|(_, p)| **p > 0.0).map(|(s, p)| s.0 / p).sum();
        if sum > 0.0 { weights / sum } else { 1.0 }
    }

    /// The least slack at which answers given at random would make some weight worth its cost:
    /// `1 / max_p (√Σ v_t² (Z_far - Z_near)_p² / c_p)`.
    #[must_use]
    pub(crate) fn noise_slack(&self, c: &Comparisons) -> f64 {
        let squares = self.differences(c);
        let of = |(s, c): (&(f64, f64), &f64)| s.1.sqrt() / c;
        let largest = squares.iter().zip(&self.cost).filter(|(_, c)| **c > 0.0).map(of).fold(0.0, f64::max);
        if largest > 0.0 { 1.0 / largest } else { 1.0 }
    }

    /// For each column `Σ_t v_t (Z_far - Z_near)²` and `Σ_t v_t² (Z_far - Z_near)²`.
    fn differences(&self, c: &Comparisons) -> Vec<(f64, f64)> {
        let q = self.columns();
        let parts = par::ranges(c.len(), PIECE);
        let sums = par::map(parts.len(), |k| {
            let mut sum = vec![(0.0, 0.0); q];
            let mut row = vec![0.0; q];
            for t in parts[k].clone() {
                let said = &c.rows()[t];
                row.fill(0.0);
                let pair = |p: crate::object::Pair| (p.first().0, p.second().0);
                self.squares.add_row(pair(said.far), 1.0, &mut row);
                self.squares.add_row(pair(said.near), -1.0, &mut row);
                for (sum, v) in sum.iter_mut().zip(&row) {
                    sum.0 += said.weight * v * v;
                    sum.1 += said.weight * said.weight * v * v;
                }
            }
            sum
        });
        let mut out = vec![(0.0, 0.0); q];
        for sum in sums {
            out.iter_mut().zip(sum).for_each(|(o, s)| *o = (o.0 + s.0, o.1 + s.1));
        }
        out
    }
}
