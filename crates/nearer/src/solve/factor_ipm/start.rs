//! Where unfolding starts: landmark Isomap of the edges, from a few objects to all.

use ndarray::Array2;
use nearer_num::rng::Rng;

use super::question::Edges;
use crate::error::Error;
use crate::solve::Run;
use crate::solve::geodesic::Ways;

/// From how many objects ways are followed.
const SOURCES: usize = 50;

/// Points in `r` dimensions whose distances are about those along the edges, with a little noise in every dimension: a
/// dimension that is exactly flat would stay so.
pub(super) fn unrolled(edges: &Edges, r: usize, seed: u64) -> Result<Array2<f64>, Error> {
    // A start is short; the clock of the run is asked by the iterations.
    let clock = Run::default().clock();
    let ways = Ways::spread(&edges.graph(), SOURCES, &clock)?;
    let (_, scaling) = ways.scaled(r, &clock)?;
    let (_, _, mut points) = ways.triangulated(&scaling, r);
    let largest = scaling.values[0].max(f64::MIN_POSITIVE);
    let noise = 1e-3 * (largest / ways.sources.len() as f64).sqrt();
    let mut rng = Rng::task(seed, 0x756e_666f);
    for k in 0..r {
        // What is hardly there would only carry the rounding of the ways.
        let usable = scaling.values.get(k).is_some_and(|v| *v > 1e-6 * largest);
        points.column_mut(k).mapv_inplace(|v| if usable { v } else { 0.0 } + noise * rng.normal());
    }
    Ok(points)
}
