//! Disparities: what the data ask of the distances on the map, by multiple, by order, or by a transformation.

use nearer_num::isotonic;

use crate::error::Error;
use crate::evaluate::join;
use crate::evaluate::multiple::best_multiple;
use crate::evidence::{Bound, Distances};
use crate::geometry::Embedding;
use crate::model::Transform;
use crate::report::Against;
use crate::solve::ordinal::Ties;

/// What a map is held against: how a distance `δ` of the data becomes the disparity `d̂` that the distance `d` on the
/// map should have. A bound is one-sided: `d̂ = min(d, limit)` for "at most", `max(d, limit)` for "at least".
///
/// ```
/// use nearer::evaluate::{Target, Ties};
/// let target = Target::Ordinal(Ties::Primary);      // what nonmetric-mds is held against
/// assert!(target.free_scale() && !Target::Data.free_scale());
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub enum Target<'a> {
    /// The best multiple of the data: `d̂ = b δ` with the `b` that makes `Σ w (bδ - d)²` least.
    #[default]
    Data,
    /// Their order alone: `d̂` is the monotone regression of `d` on the order of `δ` (Kruskal 1964). A bound asks for no
    /// more than the order says: "at most `u`" to stay below the disparities of exact values from `u` on, "at least
    /// `l`" above those up to `l`.
    Ordinal(Ties),
    /// The transformation that a fit found, `d̂ = t(δ)`, taken as it is.
    Transform(&'a Transform),
}

impl Target<'_> {
    /// Whether the data say nothing of the size of the map, so that maps are compared after scaling.
    #[must_use]
    pub fn free_scale(&self) -> bool {
        matches!(self, Target::Ordinal(_))
    }
    /// What reports call it.
    #[must_use]
    pub fn against(&self) -> Against {
        match self {
            Target::Data => Against::Data,
            Target::Ordinal(_) => Against::Ordinal,
            Target::Transform(_) => Against::Transform,
        }
    }
}

/// Distances on the map and their disparities, pair by pair in the order of the data. At a missing pair they mean nothing.
#[derive(Debug, Clone)]
pub(super) struct Disparities {
    /// `d`.
    pub(super) distance: Vec<f64>,
    /// What a bound (or value) asks for, before one side of a bound is let go; infinite where it asks for nothing.
    pub(super) limit: Vec<f64>,
    /// The multiple `b` of [`Target::Data`], else 1.
    pub(super) scale: f64,
}

impl Disparities {
    /// The disparity of the k-th pair.
    pub(super) fn at(&self, data: &Distances, k: usize) -> f64 {
        one_sided(bound_at(data, k), self.distance[k], self.limit[k])
    }
}

/// The disparities of a map under a target. `O(pairs)`, with a sort for an order or for bounds.
pub(super) fn disparities(map: &Embedding, data: &Distances, target: Target<'_>) -> Result<Disparities, Error> {
    let rows = join::rows(map, data)?;
    if data.missing() == data.pairs() {
        return Err(Error::Evidence {
            what: format!("none of the {} pairs has a distance", data.pairs()),
            remedy: "a map is judged by what was measured; give at least one distance".into(),
        });
    }
    let distance = join::map_distances(map, &rows);
    in_range("distance on the map", distance.iter().copied())?;
    in_range("distance of the data", known(data).map(|k| data.condensed()[k]))?;
    let (limit, scale) = match target {
        Target::Data => {
            let scale = best_multiple(data, &distance);
            (data.condensed().iter().map(|v| scale * v).collect(), scale)
        }
        Target::Ordinal(ties) => (monotone(data, &distance, ties), 1.0),
        Target::Transform(t) => {
            let mut limit = vec![0.0; data.pairs()];
            known(data).for_each(|k| limit[k] = t.apply(data.condensed()[k]));
            in_range("transformed distance", limit.iter().map(|v| v.abs()))?;
            (limit, 1.0)
        }
    };
    Ok(Disparities { distance, limit, scale })
}

/// The pairs that have a distance or a bound.
pub(super) fn known(data: &Distances) -> impl Iterator<Item = usize> + '_ {
    (0..data.pairs()).filter(|&k| data.weight_at(k) > 0.0)
}

/// What the k-th value says.
pub(super) fn bound_at(data: &Distances, k: usize) -> Bound {
    data.bounds().map_or(Bound::Exact, |b| b[k])
}

/// The disparity that a limit leaves of a distance.
pub(super) fn one_sided(bound: Bound, distance: f64, limit: f64) -> f64 {
    match bound {
        Bound::Exact => limit,
        Bound::AtMost => distance.min(limit),
        Bound::AtLeast => distance.max(limit),
    }
}

/// Sums of squares must neither overflow nor vanish.
fn in_range(what: &str, values: impl Iterator<Item = f64>) -> Result<(), Error> {
    let largest = values.fold(0.0, f64::max);
    if largest == 0.0 || (1e-140..1e140).contains(&largest) {
        return Ok(());
    }
    Err(Error::Evidence {
        what: format!("the largest {what} is {largest:e}, whose square is out of the range of numbers"),
        remedy: "use another unit, so that distances are nearer to 1".into(),
    })
}

/// Monotone regression of the distances on the order of the data.
fn monotone(data: &Distances, distance: &[f64], ties: Ties) -> Vec<f64> {
    let delta = data.condensed();
    let mut order: Vec<usize> = known(data).filter(|&k| bound_at(data, k) == Bound::Exact).collect();
    let within = |a: usize, b: usize| match ties {
        Ties::Primary => distance[a].total_cmp(&distance[b]),
        Ties::Secondary | Ties::Tertiary => std::cmp::Ordering::Equal,
    };
    // `partial_cmp` and not `total_cmp`: 0 and -0 are one value.
    let by_data = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal);
    order.sort_unstable_by(|&a, &b| by_data(delta[a], delta[b]).then_with(|| within(a, b)).then(a.cmp(&b)));
    // Groups share a level: single pairs, or ties.
    let mut ends: Vec<usize> = (1..=order.len()).collect();
    if ties != Ties::Primary {
        ends.retain(|&e| e == order.len() || delta[order[e]] != delta[order[e - 1]]);
    }
    let (mut means, mut weights) = (Vec::with_capacity(ends.len()), Vec::with_capacity(ends.len()));
    let mut start = 0;
    for &end in &ends {
        let group = &order[start..end];
        let weight: f64 = group.iter().map(|&k| data.weight_at(k)).sum();
        means.push(match group {
            [one] => distance[*one],
            _ => group.iter().map(|&k| data.weight_at(k) * distance[k]).sum::<f64>() / weight,
        });
        weights.push(weight);
        start = end;
    }
    let mut levels = means.clone();
    isotonic::increasing(&mut levels, Some(&weights));
    let mut limit = vec![0.0; data.pairs()];
    start = 0;
    for (g, &end) in ends.iter().enumerate() {
        for &k in &order[start..end] {
            limit[k] = if ties == Ties::Tertiary { distance[k] - means[g] + levels[g] } else { levels[g] };
        }
        start = end;
    }
    for k in known(data) {
        match bound_at(data, k) {
            Bound::Exact => {}
            Bound::AtMost => {
                let group = ends.partition_point(|&e| delta[order[e - 1]] < delta[k]);
                limit[k] = levels.get(group).copied().unwrap_or(f64::INFINITY);
            }
            Bound::AtLeast => {
                let group = ends.partition_point(|&e| delta[order[e - 1]] <= delta[k]);
                limit[k] = group.checked_sub(1).map_or(f64::NEG_INFINITY, |g| levels[g]);
            }
        }
    }
    limit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Repeats;
    use crate::object::Objects;
    use ndarray::Array2;

    fn line(x: &[f64]) -> Embedding {
        Embedding::new(Objects::numbered(x.len()), Array2::from_shape_vec((x.len(), 1), x.to_vec()).unwrap()).unwrap()
    }
    fn censored(values: &[f64], bounds: &[Bound]) -> Distances {
        let n = (2..9).find(|n| n * (n - 1) / 2 == values.len()).unwrap();
        let bounds = Some(bounds.to_vec());
        Distances::from_parts(Objects::numbered(n), values.to_vec(), None, bounds, Repeats::default()).unwrap()
    }

    #[test]
    fn ties_are_free_equal_or_equal_on_average() {
        let map = line(&[0.0, 1.0, 4.0]); // distances 1, 4, 3
        let data = Distances::from_condensed(Objects::numbered(3), vec![2.0, 2.0, 1.0]).unwrap();
        let limit = |ties| disparities(&map, &data, Target::Ordinal(ties)).unwrap().limit;
        assert_eq!(limit(Ties::Primary), [2.0, 4.0, 2.0]);
        let m = 8.0 / 3.0;
        assert!(limit(Ties::Secondary).iter().all(|v| (v - m).abs() < 1e-15));
        let tertiary = limit(Ties::Tertiary);
        assert!((tertiary[1] - tertiary[0] - 3.0).abs() < 1e-15 && (tertiary[2] - m).abs() < 1e-15);
    }

    #[test]
    fn a_bound_asks_for_its_place_in_the_order_only() {
        use Bound::{AtLeast, AtMost, Exact};
        let map = line(&[0.0, 1.0, 4.0]); // distances 1, 4, 3
        let at = |bounds, values: [f64; 3]| {
            let data = censored(&values, bounds);
            let d = disparities(&map, &data, Target::Ordinal(Ties::Primary)).unwrap();
            [0, 1, 2].map(|k| d.at(&data, k))
        };
        assert_eq!(at(&[Exact, AtMost, Exact], [1.0, 1.5, 2.0]), [1.0, 3.0, 3.0]);
        assert_eq!(at(&[Exact, AtMost, Exact], [1.0, 9.0, 2.0]), [1.0, 4.0, 3.0]);
        assert_eq!(at(&[AtLeast, Exact, Exact], [8.0, 5.0, 2.0]), [4.0, 4.0, 3.0]);
    }
}
