//! The bootstrap: the map made again from measurements drawn anew.

use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evaluate::StabilityKind;
use crate::evaluate::disparity::{Disparities, Target, bound_at, disparities, known};
use crate::evaluate::replicate::{Halt, replicates};
use crate::evaluate::stability::{Stability, gather};
use crate::evidence::{Bound, Distances, Measurements, Sorts};
use crate::fit::Fit;
use crate::geometry::Embedding;
use crate::solve::Run;

/// Keeps the random numbers of resampling apart from those of the fits, which use the seed itself.
const STREAM: u64 = 0xB007_57A9;

/// Makes the map again from resampled data, lays each replicate over `map`, and gives for every object the positions and
/// their 95 % ellipse.
///
/// With measurements from several sources (participants), the sources are drawn anew with replacement: the spread is that
/// of asking other people. Otherwise the residuals `d̂ - d` of the known pairs are drawn anew and added to the distances of
/// the map (centred, weighted by `√w`, and enlarged by `sqrt(m / (m - f))` for the `f` coordinates that `m` pairs were fitted
/// with; never below 0): the spread is that of measuring again with errors of the same size, if the map is right.
/// [`Stability::kind`] says which it was. Bounds stay as they are.
///
/// The alignment may scale where the target leaves the size of the map free. Replicate `k` depends on the seed and `k`
/// alone. `count` fits, on as many threads as the run has; a run that is cancelled gives those that finished.
///
/// # Fails
/// When `count` is 0, when every fit fails, or with [`Error::Cancelled`] before the first replicate.
///
/// # Reference
/// Efron and Tibshirani (1993); Jacoby and Armstrong (2014) and smacof's `bootmds` for scaling.
///
/// ```
/// use nearer::{Embed, Run, evaluate::{bootstrap, StabilityKind, Target}, method::ClassicalMds, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let cities = toy::cities();
/// let method = ClassicalMds::new(2);
/// let map = method.fit(&cities)?.embedding;
/// let s = bootstrap(None, &cities, &map, |d, run| method.fit_with(d, run), Target::Data, 50, &Run::seeded(1))?;
/// assert_eq!((s.kind, s.replicates), (StabilityKind::Residuals, 50));    // one table: nobody to draw anew
/// assert!(s.ellipses.iter().all(Option::is_some) && s.stability > 0.9);
/// # Ok(()) }
/// ```
pub fn bootstrap<M>(
    measurements: Option<&Measurements>,
    data: &Distances,
    map: &Embedding,
    fit: impl Fn(&Distances, &Run<'_>) -> Result<Fit<M>, Error> + Sync,
    target: Target<'_>,
    count: usize,
    run: &Run<'_>,
) -> Result<Stability, Error> {
    some(count)?;
    let stream = |k: usize| Rng::task(run.seed() ^ STREAM, k as u64);
    let scaling = target.free_scale();
    let halt = Halt::new("bootstrap", count, run);
    if let Some(rows) = measurements.filter(|m| several_sources(m)) {
        let maps = replicates(&halt, 0, |k| rows.resampled(&mut stream(k)), fit, run)?;
        return gather(StabilityKind::Sources, map.clone(), maps, scaling);
    }
    let residuals = Residuals::of(map, data, target)?;
    let maps = replicates(&halt, 0, |k| residuals.resampled(data, &mut stream(k)), fit, run)?;
    gather(StabilityKind::Residuals, map.clone(), maps, scaling)
}

/// The same of sorts, whose assessors are drawn anew with replacement: distances are shares of assessors, and it is asking other people
/// that would change them. `fit` makes a map of the distances of the assessors that were drawn.
///
/// # Fails
/// As [`bootstrap`] does.
///
/// ```
/// use nearer::{Embed, Objects, Run, Sorts, evaluate::{bootstrap_sorts, StabilityKind, Target}, method::ClassicalMds};
/// # fn main() -> Result<(), nearer::Error> {
/// let sort = |piles: [&str; 4]| piles.map(|p| Some(p.to_owned())).to_vec();
/// let piles = [["x", "x", "y", "y"], ["x", "x", "y", "z"], ["x", "y", "z", "z"], ["x", "x", "x", "y"]].map(sort);
/// let people = ["ann", "bob", "cy", "dee"].map(String::from);
/// let sorts = Sorts::new(Objects::numbered(4), people.to_vec(), piles.to_vec())?;
/// let method = ClassicalMds::new(2);
/// let map = method.fit(&sorts.distances()?)?.embedding;
/// let s = bootstrap_sorts(&sorts, &map, |d, run| method.fit_with(d, run), Target::Data, 20, &Run::seeded(1))?;
/// assert_eq!(s.kind, StabilityKind::Sources);
/// # Ok(()) }
/// ```
pub fn bootstrap_sorts<M>(
    sorts: &Sorts,
    map: &Embedding,
    fit: impl Fn(&Distances, &Run<'_>) -> Result<Fit<M>, Error> + Sync,
    target: Target<'_>,
    count: usize,
    run: &Run<'_>,
) -> Result<Stability, Error> {
    some(count)?;
    let halt = Halt::new("bootstrap", count, run);
    let draw = |k: usize| sorts.resampled(&mut Rng::task(run.seed() ^ STREAM, k as u64)).distances();
    let maps = replicates(&halt, 0, draw, fit, run)?;
    gather(StabilityKind::Sources, map.clone(), maps, target.free_scale())
}

/// Refuses to draw nothing.
fn some(count: usize) -> Result<(), Error> {
    if count > 0 {
        return Ok(());
    }
    Err(Error::Parameter { name: "replicates".into(), value: "0".into(), expected: "a whole number, 1 or more".into() })
}

fn several_sources(rows: &Measurements) -> bool {
    let first = rows.rows().first().map(|m| m.source);
    rows.rows().iter().any(|m| Some(m.source) != first)
}

/// The map as a model of the data: distances, and errors of weight 1 to be drawn.
struct Residuals {
    fitted: Disparities,
    errors: Vec<f64>,
    largest: f64,
}

impl Residuals {
    fn of(map: &Embedding, data: &Distances, target: Target<'_>) -> Result<Residuals, Error> {
        let fitted = disparities(map, data, target)?;
        if matches!(target, Target::Data) && fitted.scale == 0.0 {
            return Err(Error::Evidence {
                what: "all points of the map coincide".into(),
                remedy: "a bootstrap of residuals starts from a map with distances".into(),
            });
        }
        let exact = |k: &usize| bound_at(data, *k) == Bound::Exact;
        let mut errors: Vec<f64> = known(data)
            .filter(exact)
            .map(|k| data.weight_at(k).sqrt() * (fitted.limit[k] - fitted.distance[k]))
            .collect();
        let m = errors.len() as f64;
        if errors.is_empty() {
            return Err(Error::Evidence {
                what: "every known distance is a bound".into(),
                remedy: "a bootstrap of residuals needs exact distances".into(),
            });
        }
        let (n, p) = (data.len() as f64, map.dim() as f64);
        let free = (n * p - p * (p + 1.0) / 2.0).max(0.0);
        let enlarge = if m > free { (m / (m - free)).sqrt() } else { 1.0 };
        let mean = errors.iter().sum::<f64>() / m;
        errors.iter_mut().for_each(|e| *e = enlarge * (*e - mean));
        let largest = known(data).filter(exact).map(|k| fitted.distance[k].max(fitted.limit[k])).fold(0.0, f64::max);
        Ok(Residuals { fitted, errors, largest })
    }

    /// New data: what the map says, with errors drawn anew, on the scale of the data.
    fn resampled(&self, data: &Distances, rng: &mut Rng) -> Result<Distances, Error> {
        let f = &self.fitted;
        let mut values = vec![0.0; data.pairs()];
        for k in known(data) {
            let value = match bound_at(data, k) {
                Bound::Exact => f.distance[k] + self.errors[rng.below(self.errors.len())] / data.weight_at(k).sqrt(),
                // A bound that asks for nothing goes on asking for nothing.
                _ if f.limit[k] == f64::INFINITY => 2.0 * self.largest,
                _ => f.limit[k],
            };
            values[k] = value.max(0.0) / f.scale;
        }
        data.with_values(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;
    use ndarray::Array2;

    #[test]
    fn resampled_data_scatter_about_the_map_on_the_scale_of_the_data() {
        let exact = toy::gaussian(30, 2, 4);
        let data = toy::noisy(30, 2, 0.1, 4);
        // The map of the exact distances is not at hand: any three-point frame would do; take the generator's points.
        let mut rng = Rng::task(4, 0);
        let points = Array2::from_shape_simple_fn((30, 2), || 7.0 * rng.normal());
        let map = Embedding::new(data.objects().clone(), points).unwrap();
        let r = Residuals::of(&map, &data, Target::Data).unwrap();
        let drawn = r.resampled(&data, &mut Rng::task(0, 0)).unwrap();
        let mean = |d: &Distances| d.condensed().iter().sum::<f64>() / d.pairs() as f64;
        assert!((mean(&drawn) / mean(&exact) - 1.0).abs() < 0.05, "{} {}", mean(&drawn), mean(&exact));
        assert_ne!(drawn, r.resampled(&data, &mut Rng::task(0, 1)).unwrap());
    }
}
