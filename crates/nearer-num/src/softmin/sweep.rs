//! One sweep over some rows: from products of rows to how the value changes with every squared distance from this end.

use std::ops::Range;

use super::{Ask, Asked};
use crate::elementary::exp_below_zero;
use crate::simd::Kernel;
use crate::vectors::sum;

/// What sweeps add up: for each row the sum of its weights from both ends.
pub(super) struct Sweep<'a> {
    pub(super) rows: Range<usize>,
    /// Products of these rows with all, which become weights.
    pub(super) strip: &'a mut [f64],
    /// The square length of every row.
    pub(super) squares: &'a [f64],
    pub(super) asked: &'a Asked,
    /// The part of the value of each of these rows.
    pub(super) parts: &'a mut Vec<f64>,
    /// For every row of all, the sum of the weights between it and these.
    pub(super) degrees: &'a mut [f64],
}

impl Kernel for Sweep<'_> {
    #[inline(always)]
    fn run(self) {
        let groups = &self.asked.wide[..];
        for (i, row) in self.rows.zip(self.strip.chunks_exact_mut(groups.len())) {
            if self.asked.members[i] == 0 {
                row.fill(0.0);
                self.parts.push(0.0);
                continue;
            }
            let (square, group) = (self.squares[i], groups[i]);
            for (v, b) in row.iter_mut().zip(self.squares) {
                let d = square + b - 2.0 * *v;
                *v = if d > 0.0 { d } else { 0.0 };
            }
            let same = |v: f64, g: f64| if g == group { v } else { 0.0 };
            row[i] = 0.0;
            let far = if self.asked.ask == Ask::Divergence { sum(row, groups, same) } else { 0.0 };
            // Held against the nearest, so that no sum is lost however far away all others are.
            row[i] = f64::INFINITY;
            let nearest = least(row);
            for v in row.iter_mut() {
                *v = exp_below_zero(nearest - *v);
            }
            row[i] = 0.0;
            let total = sum(row, groups, |v, _| v);
            let own = sum(row, groups, same) / total;
            self.parts.push(self.asked.part(i, total.ln() - nearest, own, far));
            let [other, of_group, even] = self.asked.slopes(i, own);
            let (elsewhere, here) = (other / total, (other + of_group) / total);
            for ((v, g), degree) in row.iter_mut().zip(groups).zip(self.degrees.iter_mut()) {
                *v = if *g == group { *v * here + even } else { *v * elsewhere };
                *degree += *v;
            }
            // Itself is one of its group.
            self.degrees[i] -= row[i];
            row[i] = 0.0;
            self.degrees[i] += sum(row, groups, |v, _| v);
        }
    }
}

/// The least of some numbers, in eight strands.
#[inline(always)]
fn least(row: &[f64]) -> f64 {
    let mut strands = [f64::INFINITY; 8];
    for eight in row.chunks(8) {
        strands.iter_mut().zip(eight).for_each(|(a, v)| *a = if *v < *a { *v } else { *a });
    }
    strands.iter().copied().fold(f64::INFINITY, f64::min)
}
