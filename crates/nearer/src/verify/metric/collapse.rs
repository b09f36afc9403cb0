//! Classes collapsed to points.

use super::super::rounding::{Sum, roundings};
use super::Judged;
use super::points::Points;

impl Points<'_> {
    pub(super) fn collapse(&self, group: &[u32], trace: f64) -> Judged {
        let n = self.len();
        let size = |g: u32| group.iter().filter(|o| **o == g).count();
        let mut value = Sum::default();
        let (mut gradient, mut along) = (self.pile(trace), Sum::default());
        self.add_trace(&mut along, trace);
        // Of a sum over all others and the few operations on it, each as large as what goes in.
        let rounded = roundings(2 * n + 16);
        for i in (0..n).filter(|i| group[*i] != u32::MAX && size(group[*i]) > 1) {
            let squares: Vec<f64> = (0..n).map(|j| self.square(i as u32, j as u32)).collect();
            let others = || (0..n).filter(|j| *j != i);
            let least = others().map(|j| squares[j]).fold(f64::INFINITY, f64::min);
            let total: f64 = others().map(|j| (least - squares[j]).exp()).sum();
            let even = 1.0 / (size(group[i]) - 1) as f64;
            let same = |j: usize| group[j] == group[i];
            let mean: f64 = others().filter(|j| same(*j)).map(|j| even * squares[j]).sum();
            let sizes = mean + total.ln() + least + 1.0 - even.ln();
            value.add(mean + total.ln() - least + even.ln(), 2.0 * self.doubt + rounded * sizes);
            for j in others() {
                let w = (if same(j) { even } else { 0.0 }) - (least - squares[j]).exp() / total;
                if w.abs() > 1e-18 {
                    self.add(&mut gradient, i as u32, j as u32, w);
                    along.add(w * squares[j], w.abs() * self.doubt);
                }
            }
        }
        self.add_trace(&mut value, trace);
        // Any shares that sum to one prove something: those of rounded distances are as good as others, and are off by their sum
        // alone. The entropies that are put together of value and gradient are off by what each distance counts in both.
        let off = self.off(&gradient) + gradient.weight * 4.0 * self.reach * rounded;
        let apart = gradient.weight * self.doubt;
        let gradient = gradient.square();
        let below = (self.least(&gradient, trace) - off).min(0.0);
        let bound = value.lower() - along.upper() - apart - off * self.trace() + below * value.upper() / trace;
        Judged { primal: value.upper(), best: value.lower(), bound: bound.max(0.0), scale: n as f64 }
    }
}
