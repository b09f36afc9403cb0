//! Points moved by as little as it takes for some of their distances to be what they should be.

use ndarray::{Array1, Array2};
use nearer_num::dense;

use crate::solve::factor_ipm::Edges;

/// Steps of Gauss and Newton: each squares what is left.
const STEPS: usize = 6;
/// Shares of the largest number on the diagonal that are added to it, until it can be factorised: edges may say the same.
const RIDGES: [f64; 3] = [1e-14, 1e-12, 1e-10];
/// Distances are what they should be within this share of their mean.
const EXACT: f64 = 1e-13;

/// The points with the held edges at their lengths; `None` where that is not possible near where they are.
///
/// With `J` the derivative of the held squared distances, a step is `Jᵗ (J Jᵗ)⁻¹ (D - d)`, the least that there is. `O(m³)` for `m` edges held.
pub(super) fn brought(points: &Array2<f64>, edges: &Edges, held: &[usize]) -> Option<Array2<f64>> {
    if held.is_empty() || held.len() >= points.len() {
        return None;
    }
    let mut at_vertex: Vec<Vec<(usize, f64)>> = vec![Vec::new(); points.nrows()];
    for (k, e) in held.iter().enumerate() {
        let (i, j) = edges.pairs[*e];
        at_vertex[i as usize].push((k, 1.0));
        at_vertex[j as usize].push((k, -1.0));
    }
    let mean = held.iter().map(|e| edges.squared[*e]).sum::<f64>() / held.len() as f64;
    let mut points = points.clone();
    for _ in 0..STEPS {
        let along: Vec<Array1<f64>> = held
            .iter()
            .map(|e| {
                let (i, j) = edges.pairs[*e];
                &points.row(i as usize) - &points.row(j as usize)
            })
            .collect();
        let short: Vec<f64> = held.iter().zip(&along).map(|(e, z)| 0.5 * (edges.squared[*e] - z.dot(z))).collect();
        if short.iter().all(|r| r.abs() <= EXACT * mean) {
            return Some(points);
        }
        let mut system = Array2::<f64>::zeros((held.len(), held.len()));
        for meeting in &at_vertex {
            for (k, a) in meeting {
                for (l, b) in meeting {
                    system[(*k, *l)] += a * b * along[*k].dot(&along[*l]);
                }
            }
        }
        let largest = system.diag().iter().fold(0.0, |m: f64, v| m.max(*v));
        let pull = RIDGES.iter().find_map(|ridge| {
            let mut system = system.clone();
            system.diag_mut().mapv_inplace(|v| v + ridge * largest);
            dense::solve_definite(system, &short)
        })?;
        for ((e, z), a) in held.iter().zip(&along).zip(&pull) {
            let (i, j) = edges.pairs[*e];
            points.row_mut(i as usize).scaled_add(*a, z);
            points.row_mut(j as usize).scaled_add(-a, z);
        }
        if points.iter().any(|v| !v.is_finite()) {
            return None;
        }
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

    /// A ring with spokes, shaken: the edges have their lengths again, and nothing has moved further than it was shaken.
    #[test]
    fn edges_come_back_to_their_lengths() {
        let n = 24_u32;
        let mut rng = Rng::task(4, 0);
        let at = |i: u32| f64::from(i) * std::f64::consts::TAU / f64::from(n);
        let ring = Array2::from_shape_fn(
            (n as usize, 2),
            |(i, k)| if k == 0 { at(i as u32).cos() } else { at(i as u32).sin() },
        );
        let pairs: Vec<(u32, u32)> = (0..n).map(|i| (i, (i + 1) % n)).collect();
        let square = |p: &Array2<f64>, (i, j): (u32, u32)| -> f64 {
            p.row(i as usize).iter().zip(p.row(j as usize)).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let squared: Vec<f64> = pairs.iter().map(|p| square(&ring, *p)).collect();
        let edges = Edges { n: n as usize, pairs, squared };
        let shaken = ring.mapv(|v| v + 1e-3 * rng.normal());
        let held: Vec<usize> = (0..20).collect();
        let back = brought(&shaken, &edges, &held).unwrap();
        for e in &held {
            assert!((square(&back, edges.pairs[*e]) - edges.squared[*e]).abs() < 1e-13, "edge {e}");
        }
        let moved = (&back - &shaken).mapv(|v| v * v).sum();
        assert!(moved <= (&ring - &shaken).mapv(|v| v * v).sum() * 1.01 && moved > 0.0, "{moved}");
        assert!(brought(&shaken, &edges, &[]).is_none());
    }
}
