//! Passes over a list of pairs of points in any order: the points are few and stay in the cache, the list is read from
//! front to back. For work that must follow an order of the pairs, this is quicker than gathering from a packed array.

use crate::par;

/// Pairs of indices, in some order.
#[derive(Debug, Clone, Default)]
pub struct PairList(Vec<(u32, u32)>);

/// The list is worked on in pieces of this many pairs, whatever the number of threads.
const PIECE: usize = 1 << 15;

/// Points side by side: the coordinates of one after those of another.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// All coordinates.
    pub values: &'a [f64],
    /// How many a point has.
    pub dim: usize,
}

impl PairList {
    /// A list of pairs; both indices must be below the number of points they are used with.
    #[must_use]
    pub fn new(pairs: Vec<(u32, u32)>) -> Self {
        PairList(pairs)
    }
    /// The pairs.
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.0
    }
    /// The pairs, to be put into another order.
    pub fn pairs_mut(&mut self) -> &mut [(u32, u32)] {
        &mut self.0
    }

    /// The distances of the pairs, in their order.
    pub fn distances(&self, points: Rows<'_>, out: &mut [f64]) {
        assert_eq!(out.len(), self.0.len(), "one distance for each pair");
        par::chunks(out, PIECE, |start, out| {
            let pairs = &self.0[start..start + out.len()];
            match points.dim {
                1 => piece_distances::<1>(points, pairs, out),
                2 => piece_distances::<2>(points, pairs, out),
                3 => piece_distances::<3>(points, pairs, out),
                _ => piece_distances::<0>(points, pairs, out),
            }
        });
    }

    /// For each point `Σ w (1 - t/d)(xᵢ - xⱼ)` over its pairs, `d` the distance and `t` the target of a pair: half the
    /// gradient of `Σ w (d - t)²`. `target` is multiplied by `stretch` on the way.
    #[must_use]
    pub fn pull(
        &self,
        points: Rows<'_>,
        distances: &[f64],
        target: &[f64],
        stretch: f64,
        weights: Option<&[f64]>,
    ) -> Vec<f64> {
        let ranges = par::ranges(self.0.len(), PIECE);
        let parts = par::map(ranges.len(), |k| {
            let range = ranges[k].clone();
            let mut pull = vec![0.0; points.values.len()];
            let list = &self.0[range.clone()];
            let factor = |s: usize| {
                let (d, t) = (distances[range.start + s], stretch * target[range.start + s]);
                let w = weights.map_or(1.0, |w| w[range.start + s]);
                if d > 0.0 { w * (d - t) / d } else { 0.0 }
            };
            match points.dim {
                1 => piece_pull::<1>(points, list, factor, &mut pull),
                2 => piece_pull::<2>(points, list, factor, &mut pull),
                3 => piece_pull::<3>(points, list, factor, &mut pull),
                _ => piece_pull::<0>(points, list, factor, &mut pull),
            }
            pull
        });
        let mut total = vec![0.0; points.values.len()];
        for part in parts {
            total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
        }
        total
    }
}

/// `P` is the number of coordinates where it is known to the compiler, 0 where it is not.
fn piece_distances<const P: usize>(points: Rows<'_>, pairs: &[(u32, u32)], out: &mut [f64]) {
    let p = if P > 0 { P } else { points.dim };
    for (out, &(i, j)) in out.iter_mut().zip(pairs) {
        let a = &points.values[i as usize * p..][..p];
        let b = &points.values[j as usize * p..][..p];
        *out = (0..p).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum();
    }
    // Apart, so that four roots are taken at once.
    out.iter_mut().for_each(|d2| *d2 = d2.sqrt());
}

fn piece_pull<const P: usize>(points: Rows<'_>, pairs: &[(u32, u32)], factor: impl Fn(usize) -> f64, pull: &mut [f64]) {
    let p = if P > 0 { P } else { points.dim };
    for (s, &(i, j)) in pairs.iter().enumerate() {
        let factor = factor(s);
        let (i, j) = (i as usize * p, j as usize * p);
        for k in 0..p {
            let step = factor * (points.values[i + k] - points.values[j + k]);
            pull[i + k] += step;
            pull[j + k] -= step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::{self, Points};
    use crate::rng::Rng;
    use ndarray::Array2;

    #[test]
    fn a_list_of_all_pairs_gives_what_the_packed_pass_gives() {
        for (n, p) in [(9, 1), (300, 2), (12, 3), (13, 5)] {
            let mut rng = Rng::task(2, n as u64);
            let x = Array2::from_shape_simple_fn((n, p), || rng.normal());
            let t: Vec<f64> = (0..packed::len(n)).map(|_| rng.uniform()).collect();
            let w: Vec<f64> = (0..packed::len(n)).map(|_| rng.uniform()).collect();
            let list = PairList::new(
                (0..packed::len(n)).map(|k| packed::pair(n, k)).map(|(i, j)| (i as u32, j as u32)).collect(),
            );
            let rows = Rows { values: x.as_slice().unwrap(), dim: p };
            let mut d = vec![0.0; t.len()];
            list.distances(rows, &mut d);
            let mut expected = vec![0.0; t.len()];
            packed::distances(&Points::from_rows(&x), &mut expected);
            assert!(d.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-14));
            let pull = list.pull(rows, &d, &t, 0.5, Some(&w));
            let half: Vec<f64> = t.iter().map(|t| 0.5 * t).collect();
            let whole = packed::descend(&Points::from_rows(&x), &half, Some(&w)).pull.to_rows();
            assert!(pull.iter().zip(&whole).all(|(a, b)| (a - b).abs() < 1e-10));
        }
    }
}
