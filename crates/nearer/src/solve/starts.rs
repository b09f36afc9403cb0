//! Where descents start, and what several of them came to.

use ndarray::Array2;
use nearer_num::par;

use crate::error::Error;
use crate::evidence::Distances;
use crate::geometry::align;
use crate::graph::KnownPairs;
use crate::model::Shift;
use crate::report::Starts;
use crate::solve::descent::Ended;
use crate::solve::{Clock, spectral};

/// Two ends whose objectives differ by less than this share, and whose maps by less after Procrustes, are one.
const SAME_VALUE: f64 = 1e-4;
const SAME_MAP: f64 = 1e-3;

/// Runs `descend` from each of `count` starts, possibly at once, and keeps the lowest end; the first start always runs,
/// later ones only while there is time.
pub(crate) fn best_of(
    count: usize,
    clock: &Clock<'_>,
    descend: impl Fn(usize) -> Result<Ended, Error> + Sync + Send,
) -> Result<(Ended, Option<Starts>), Error> {
    let ends = par::map(count, |k| if k > 0 && clock.late() { None } else { Some(descend(k)) });
    let ends: Vec<Ended> = ends.into_iter().flatten().collect::<Result<_, _>>()?;
    let best = (0..ends.len()).min_by(|&a, &b| ends[a].value.total_cmp(&ends[b].value)).ok_or(Error::Cancelled)?;
    let starts = (count > 1).then(|| Starts {
        tried: ends.len(),
        found: ends.iter().filter(|end| same(end, &ends[best])).count(),
        objectives: ends.iter().map(|end| end.value).collect(),
    });
    let best = ends.into_iter().nth(best).ok_or(Error::Cancelled)?;
    Ok((best, starts))
}

fn same(a: &Ended, b: &Ended) -> bool {
    let close = (a.value - b.value).abs() <= SAME_VALUE * b.value.abs() + 1e-12;
    close && align(&a.points, &b.points, true).is_ok_and(|a| a.disparity <= SAME_MAP)
}

/// The classical start: classical scaling of the distances, missing ones replaced by the shortest way through known
/// ones. Dimensions it leaves empty are filled with a little noise, since a descent could not leave them by itself.
pub(crate) fn classical(d: &Distances, dim: usize, seed: u64) -> Result<Array2<f64>, Error> {
    let filled;
    let values = if d.missing() == 0 {
        d.condensed()
    } else {
        filled = KnownPairs::new(d).all();
        &filled
    };
    let scaling = spectral::scale(d.len(), values, Shift::None, dim, d.len() <= 100)?;
    let mut points = scaling.points(dim);
    let positive = scaling.positive(dim);
    let size = scaling.values[0].max(0.0).sqrt() / (d.len() as f64).sqrt();
    let mut rng = nearer_num::rng::Rng::task(seed, u64::MAX);
    for mut column in points.columns_mut().into_iter().skip(positive) {
        column.mapv_inplace(|_| 0.01 * size * rng.normal());
    }
    Ok(points)
}

/// A random start of the size of the data, the same for the same seed and number.
pub(crate) fn random(d: &Distances, dim: usize, seed: u64, number: usize) -> Array2<f64> {
    let mut rng = nearer_num::rng::Rng::task(seed, number as u64);
    let largest = d.condensed().iter().fold(0.0, |m: f64, v| m.max(*v));
    Array2::from_shape_simple_fn((d.len(), dim), || 0.3 * largest * rng.normal())
}
