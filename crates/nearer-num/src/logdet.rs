//! Bregman projections of a positive matrix under the LogDet divergence onto bounds of quadratic forms, one after another.

use ndarray::Array2;

/// One bound on `zᵗ A z`, soft: it may give way at the price of moving the bound itself.
#[derive(Debug, Clone)]
pub struct Bound {
    /// The direction.
    pub z: Vec<f64>,
    /// The bound.
    pub at: f64,
    /// Whether the form may be at most this; otherwise at least.
    pub above: bool,
}

/// How projections ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// Sweeps over all bounds.
    pub sweeps: usize,
    /// The change of all multipliers in the last one, as a share of their sum.
    pub change: f64,
    /// Whether that was below the tolerance.
    pub settled: bool,
}

/// Sweeps over the bounds in their order until the multipliers change by less than `tolerance` of their sum (Davis et al. 2007,
/// algorithm 1). `slack` is the price of moving a bound. Bounds of directions without length are left alone.
pub fn project(
    a: &mut Array2<f64>,
    bounds: &[Bound],
    slack: f64,
    tolerance: f64,
    sweeps: usize,
    mut go_on: impl FnMut(usize, f64) -> bool,
) -> Ended {
    let d = a.nrows();
    let matrix = a.as_slice_mut().expect("in rows");
    let mut multipliers = vec![0.0f64; bounds.len()];
    let mut at: Vec<f64> = bounds.iter().map(|b| b.at).collect();
    let mut image = vec![0.0; d];
    let mut ended = Ended { sweeps: 0, change: f64::INFINITY, settled: false };
    while ended.sweeps < sweeps {
        ended.sweeps += 1;
        let mut moved = 0.0;
        for (k, bound) in bounds.iter().enumerate() {
            for (row, v) in matrix.chunks_exact(d).zip(&mut image) {
                *v = crate::vectors::dot(row, &bound.z);
            }
            let p = crate::vectors::dot(&bound.z, &image);
            if p <= 0.0 {
                continue;
            }
            let sign = if bound.above { 1.0 } else { -1.0 };
            let step = multipliers[k].min(sign * slack / (slack + 1.0) * (1.0 / p - 1.0 / at[k]));
            if step == 0.0 {
                continue;
            }
            multipliers[k] -= step;
            moved += step.abs();
            let beta = sign * step / (1.0 - sign * step * p);
            at[k] = 1.0 / (1.0 / at[k] + sign * step / slack);
            for (row, v) in matrix.chunks_exact_mut(d).zip(&image) {
                crate::vectors::add_multiple(beta * v, &image, row);
            }
        }
        let total: f64 = multipliers.iter().map(|m| m.abs()).sum();
        ended.change = if total > 0.0 { moved / total } else { 0.0 };
        ended.settled = ended.change < tolerance;
        if ended.settled || !go_on(ended.sweeps, ended.change) {
            break;
        }
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// With one bound the projection is a rank-one change that meets the bound halfway between it and where it was, as the price
    /// of moving it says: for a price of one the two share the way in the reciprocals.
    #[test]
    fn one_bound_is_met_as_its_price_says() {
        for (above, at) in [(true, 1.0), (false, 9.0)] {
            let mut a = Array2::eye(2);
            let bound = Bound { z: vec![2.0, 0.0], at, above };
            let ended = project(&mut a, &[bound], 1.0, 1e-12, 1000, |_, _| true);
            assert!(ended.settled);
            let reciprocal = 1.0 / (4.0 * a[(0, 0)]);
            // 1/p moves from 1/4 and 1/at from itself towards each other by the same step.
            assert!((reciprocal - 0.5 * (0.25 + 1.0 / at)).abs() < 1e-9, "{a}");
            assert_eq!((a[(1, 1)], a[(0, 1)]), (1.0, 0.0));
        }
        // A bound that holds changes nothing.
        let mut a = array![[1.0, 0.2], [0.2, 1.0]];
        let before = a.clone();
        project(&mut a, &[Bound { z: vec![1.0, 1.0], at: 5.0, above: true }], 1.0, 1e-9, 10, |_, _| true);
        assert_eq!(a, before);
    }
}
