//! The best multiple of data some of which are only bounds: a convex function of one number, minimised exactly.

use crate::evaluate::disparity::{bound_at, known};
use crate::evidence::{Bound, Distances};

/// The `b` that minimises the one-sided `Σ w (bδ - d)²`; the one nearest to 1 where several do.
pub(super) fn best_multiple(data: &Distances, distance: &[f64]) -> f64 {
    let delta = data.condensed();
    // The sums of `w δ d` and `w δ²` over the pairs with a residual at `b`; half the slope there is `b · second - first`.
    let sums = |b: f64| {
        let mut sums = (0.0, 0.0);
        for k in known(data) {
            let wd = data.weight_at(k) * delta[k];
            let active = match bound_at(data, k) {
                Bound::Exact => true,
                Bound::AtMost => b * delta[k] < distance[k],
                Bound::AtLeast => b * delta[k] > distance[k],
            };
            if active {
                sums.0 += wd * distance[k];
                sums.1 += wd * delta[k];
            }
        }
        sums
    };
    let slope = |b: f64| {
        let (first, second) = sums(b);
        b * second - first
    };
    let ratio = |(first, second): (f64, f64)| if second > 0.0 { first / second } else { 1.0 };
    if data.censored() == 0 {
        return ratio(sums(1.0));
    }
    // With bounds the slope is piecewise linear and never falls; it bends where a bound is met exactly.
    let bends = |k: &usize| bound_at(data, *k) != Bound::Exact && delta[*k] > 0.0;
    let mut bend: Vec<f64> = known(data).filter(bends).map(|k| distance[k] / delta[k]).collect();
    bend.sort_unstable_by(f64::total_cmp);
    let at_one = slope(1.0);
    if at_one == 0.0 {
        return 1.0;
    }
    let left = match at_one < 0.0 {
        true => bend.partition_point(|&b| slope(b) < 0.0),
        false => bend.partition_point(|&b| slope(b) <= 0.0),
    };
    let low = left.checked_sub(1).map_or(0.0, |k| bend[k]);
    let high = bend.get(left).copied().unwrap_or(f64::INFINITY);
    let inside = if high.is_finite() { 0.5 * (low + high) } else { low + 1.0 };
    match sums(inside) {
        (_, 0.0) => {
            if at_one < 0.0 {
                low.max(1.0)
            } else {
                high.min(1.0)
            }
        }
        sums => ratio(sums).clamp(low, high),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::disparity::one_sided;
    use crate::evidence::Repeats;
    use crate::object::Objects;

    #[test]
    fn with_bounds_it_is_no_worse_than_any_other() {
        let kinds = [Bound::Exact, Bound::AtMost, Bound::AtLeast];
        let distance = [1.0, 2.5, 7.0, 1.5, 6.0, 4.5];
        let values = [0.7, 3.0, 5.0, 2.0, 4.0, 3.5];
        for code in 0..729usize {
            let bounds: Vec<Bound> = (0..6).map(|k| kinds[code / 3usize.pow(k) % 3]).collect();
            let objects = Objects::numbered(4);
            let data = Distances::from_parts(objects, values.to_vec(), None, Some(bounds.clone()), Repeats::default())
                .unwrap();
            let scale = best_multiple(&data, &distance);
            let left = |k: usize, b: f64| one_sided(bounds[k], distance[k], b * values[k]) - distance[k];
            let loss = |b: f64| (0..6).map(|k| left(k, b).powi(2)).sum::<f64>();
            for step in 0..400 {
                let b = 0.02 * f64::from(step);
                assert!(
                    loss(scale) <= loss(b) + 1e-12,
                    "{bounds:?}: {scale} gives {}, {b} gives {}",
                    loss(scale),
                    loss(b)
                );
            }
        }
    }
}
