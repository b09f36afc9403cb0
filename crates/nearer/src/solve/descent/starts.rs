//! Where descents on distances start.

use ndarray::Array2;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::Distances;
use crate::graph::KnownPairs;
use crate::solve::{Clock, spectral};
use crate::transform::Shift;

/// What fills a dimension that the classical start leaves empty, as a share of the size of the map.
const FILLED: f64 = 0.01;
/// The spread of a random start along an axis, as a share of the largest distance: two points of a plane are then half of
/// it apart on average.
const SPREAD: f64 = 0.3;

/// How many starts are worth it: descents on few objects cost nothing and end in many places.
pub(crate) fn worthwhile(n: usize) -> usize {
    match n {
        0..=100 => 20,
        101..=300 => 5,
        _ => 1,
    }
}

/// The classical start, numbered 0, or a random one of the size of the data.
pub(crate) fn start(
    d: &Distances,
    dim: usize,
    number: usize,
    rng: &mut Rng,
    clock: &Clock<'_>,
) -> Result<Vec<f64>, Error> {
    if number == 0 { Ok(classical(d, dim, rng, clock)?.into_iter().collect()) } else { Ok(random(d, dim, rng)) }
}

/// Classical scaling of the distances, missing ones replaced by the shortest way through known ones. Dimensions it leaves
/// empty are filled with a little noise, since a descent could not leave them by itself.
fn classical(d: &Distances, dim: usize, rng: &mut Rng, clock: &Clock<'_>) -> Result<Array2<f64>, Error> {
    let filled;
    let values = if d.missing() == 0 {
        d.condensed()
    } else {
        filled = KnownPairs::new(d).all();
        &filled
    };
    let scaling = spectral::scale(d.len(), values, Shift::None, dim, d.len() <= spectral::WHOLE, clock)?;
    let mut points = scaling.points(dim);
    let positive = scaling.positive(dim);
    let size = scaling.values[0].max(0.0).sqrt() / (d.len() as f64).sqrt();
    for mut column in points.columns_mut().into_iter().skip(positive) {
        column.mapv_inplace(|_| FILLED * size * rng.normal());
    }
    Ok(points)
}

fn random(d: &Distances, dim: usize, rng: &mut Rng) -> Vec<f64> {
    let largest = d.condensed().iter().fold(0.0, |m: f64, v| m.max(*v));
    (0..d.len() * dim).map(|_| SPREAD * largest * rng.normal()).collect()
}
