//! The gradient over the pairs that are followed, point by point.

use super::by_dimension;
use crate::par;
use crate::simd::{self, Kernel};

/// Writes `Σ_j 2 w (xᵢ - xⱼ)` over the pairs that are followed.
pub(super) fn pull_some(
    x: &[f64],
    r: usize,
    (around, neighbours): (&[u32], &[(u32, u32)]),
    weights: &[f64],
    gradient: &mut [f64],
) {
    par::chunks(gradient, 256 * r, |start, out| {
        simd::run(Pull { x, r, around, neighbours, weights, first: start / r, out });
    });
}

/// The pulls at some points one after another.
struct Pull<'a> {
    x: &'a [f64],
    r: usize,
    around: &'a [u32],
    neighbours: &'a [(u32, u32)],
    weights: &'a [f64],
    first: usize,
    out: &'a mut [f64],
}

impl Kernel for Pull<'_> {
    #[inline(always)]
    fn run(self) {
        by_dimension!(self)
    }
}

impl Pull<'_> {
    #[inline(always)]
    fn of<const R: usize>(self) {
        let x = self.x.as_chunks::<R>().0;
        for (s, out) in self.out.as_chunks_mut::<R>().0.iter_mut().enumerate() {
            let i = self.first + s;
            let (here, mut sum) = (x[i], [0.0; R]);
            for &(j, p) in &self.neighbours[self.around[i] as usize..self.around[i + 1] as usize] {
                let (w, there) = (2.0 * self.weights[p as usize], &x[j as usize]);
                (0..R).for_each(|k| sum[k] += w * (here[k] - there[k]));
            }
            *out = sum;
        }
    }

    #[inline(always)]
    fn of_any(self) {
        let r = self.r;
        for (s, out) in self.out.chunks_exact_mut(r).enumerate() {
            let i = self.first + s;
            out.fill(0.0);
            let here = &self.x[i * r..][..r];
            for &(j, p) in &self.neighbours[self.around[i] as usize..self.around[i + 1] as usize] {
                let w = 2.0 * self.weights[p as usize];
                // A settled pair pulls at nothing.
                if w != 0.0 {
                    let there = &self.x[j as usize * r..][..r];
                    out.iter_mut().zip(here.iter().zip(there)).for_each(|(o, (a, b))| *o += w * (a - b));
                }
            }
        }
    }
}

/// For each point its neighbours and the pairs they make.
pub(super) fn adjacency(n: usize, pairs: &[(u32, u32)]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut around = vec![0u32; n + 1];
    for &(i, j) in pairs {
        around[i as usize + 1] += 1;
        around[j as usize + 1] += 1;
    }
    (1..=n).for_each(|i| around[i] += around[i - 1]);
    let mut next = around.clone();
    let mut neighbours = vec![(0, 0); 2 * pairs.len()];
    for (p, &(i, j)) in pairs.iter().enumerate() {
        for (a, b) in [(i, j), (j, i)] {
            neighbours[next[a as usize] as usize] = (b, p as u32);
            next[a as usize] += 1;
        }
    }
    (around, neighbours)
}
