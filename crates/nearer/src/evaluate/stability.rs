//! Stability: where each object lies when the map is made again and again from other data of the same kind.

use crate::error::Error;
use crate::evaluate::join;
use crate::evaluate::replicate::Replicates;
use crate::geometry::{Ellipse, Embedding, align};
use crate::report::StabilityKind;
use crate::solve::Stop;

/// The share of replicates that an [`Ellipse`] of [`Stability`] holds if they are normal.
pub(super) const LEVEL: f64 = 0.95;

/// A map and its replicates, each laid over it by Procrustes.
///
/// With `y` the replicate positions of all objects, `ȳ` their mean object by object, `x` the map and `c` its centre:
/// `stability = 1 - Σ|y - ȳ|² / Σ|y - c|²`, `cross_validity = 1 - Σ|x - ȳ|² / Σ|y - c|²`, and
/// `dispersion = 2 - (stability + cross_validity) = Σ|y - x|² / Σ|y - c|²` (de Leeuw and Meulman 1986; as smacof's
/// `jackmds` prints them, but with sums of squares where it takes R's `norm`, the largest column sum).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Stability {
    /// What was varied.
    pub kind: StabilityKind,
    /// The map the replicates were laid over.
    pub map: Embedding,
    /// How many replicates there are.
    pub replicates: usize,
    /// For each object of `map` its position in every replicate that has it (a jackknife leaves each object out once).
    pub points: Vec<Vec<Vec<f64>>>,
    /// For each object the 95 % ellipse of its positions along the first two axes; `None` in one dimension, with fewer
    /// than three replicates, and for a jackknife, whose spread is that of leaving out one object and no confidence.
    pub ellipses: Vec<Option<Ellipse>>,
    /// For each object the root mean square distance of its positions from the map; 0 where there are none.
    pub spread: Vec<f64>,
    /// How alike the replicates are; 1 when they are the same.
    pub stability: f64,
    /// How well the map agrees with their mean; 1 when it is the mean.
    pub cross_validity: f64,
    /// How far the replicates scatter about the map; 0 when they do not.
    pub dispersion: f64,
    /// The middle 95 % of the stress-1 that the replicates' fits report, for a bootstrap.
    pub stress1: Option<[f64; 2]>,
    /// Fits that failed and were left out.
    pub failed: usize,
    /// Why the first of those failed.
    pub failure: Option<String>,
    /// [`Stop::Converged`] when all replicates were run.
    pub stop: Stop,
}

/// Lays the replicates over the map and sums them up.
pub(super) fn gather(
    kind: StabilityKind,
    map: Embedding,
    replicates: Replicates,
    scaling: bool,
) -> Result<Stability, Error> {
    let n = map.len();
    let mut points: Vec<Vec<Vec<f64>>> = vec![Vec::with_capacity(replicates.maps.len()); n];
    for (replicate, _) in &replicates.maps {
        let (at, from) = join::common(map.objects(), replicate.objects());
        let dim = map.dim().max(replicate.dim());
        let target = join::select(map.points(), &at, dim);
        let moved = join::select(replicate.points(), &from, dim);
        let moved = align(&moved, &target, scaling)?.apply(&moved);
        for (row, &i) in moved.rows().into_iter().zip(&at) {
            points[i].push(row.iter().copied().take(map.dim()).collect());
        }
    }
    let centre = map.points().mean_axis(ndarray::Axis(0)).map(|c| c.to_vec()).unwrap_or_default();
    let (mut within, mut beside, mut total) = (0.0, 0.0, 0.0);
    let mut spread = Vec::with_capacity(n);
    for (i, positions) in points.iter().enumerate() {
        let count = positions.len().max(1) as f64;
        let place = map.point(i).to_vec();
        let mean: Vec<f64> = (0..map.dim()).map(|k| positions.iter().map(|y| y[k]).sum::<f64>() / count).collect();
        let from = |to: &[f64]| positions.iter().map(|y| square(y, to)).sum::<f64>();
        within += from(&mean);
        total += from(&centre);
        beside += positions.len() as f64 * square(&place, &mean);
        spread.push((from(&place) / count).sqrt());
    }
    // Replicates that are all at the centre are alike; the map then agrees with them only if it is there too.
    let share = |part: f64| if total > 0.0 { part / total } else { f64::from(u8::from(part > 0.0)) };
    let stress: Vec<f64> = replicates.maps.iter().filter_map(|(_, s)| *s).collect();
    Ok(Stability {
        kind,
        replicates: replicates.maps.len(),
        ellipses: points.iter().map(|p| ellipse(kind, p)).collect(),
        spread,
        stability: 1.0 - share(within),
        cross_validity: 1.0 - share(beside),
        dispersion: share(within) + share(beside),
        stress1: (kind != StabilityKind::Jackknife).then(|| interval(stress)).flatten(),
        failed: replicates.failed.0,
        failure: replicates.failed.1,
        stop: replicates.stop,
        points,
        map,
    })
}

fn ellipse(kind: StabilityKind, positions: &[Vec<f64>]) -> Option<Ellipse> {
    if kind == StabilityKind::Jackknife {
        return None;
    }
    let flat: Option<Vec<[f64; 2]>> = positions.iter().map(|y| Some([*y.first()?, *y.get(1)?])).collect();
    Ellipse::of_points(&flat?, LEVEL)
}

fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// The middle 95 %, between neighbours on a line (R's quantile of type 7).
fn interval(mut values: Vec<f64>) -> Option<[f64; 2]> {
    values.sort_unstable_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let at = |share: f64| {
        let place = share * last as f64;
        let low = place.floor() as usize;
        values[low] + (place - low as f64) * (values[(low + 1).min(last)] - values[low])
    };
    Some([(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0].map(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!(interval(vec![]), None);
        assert_eq!(interval(vec![3.0]), Some([3.0, 3.0]));
        let q = interval((0..=100).map(f64::from).collect()).unwrap();
        assert!((q[0] - 2.5).abs() < 1e-12 && (q[1] - 97.5).abs() < 1e-12);
    }
}
