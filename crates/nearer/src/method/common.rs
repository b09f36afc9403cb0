//! What the methods share: the conditions on evidence, corrections, pose, words, and the figures every report carries.

use ndarray::{Array1, Array2};
use nearer_num::packed::{self, Points};

use crate::error::Error;
use crate::evidence::{Comparisons, Distances, Features};
use crate::geometry::{Embedding, Pose, Touch};
use crate::method::table::Parameter;
use crate::model::{Landmarks, Linear, Shift};
use crate::object::Objects;
use crate::report::FitReport;
use crate::solve::Clock;
use crate::solve::spectral::{self, Scaling};

/// The dimensions of the map: the parameter every method has.
pub(crate) const DIM: Parameter = Parameter::count("dim", 1..=1000, 2).says("dimensions of the map");

/// Refuses evidence no map can be made of: too few objects, too many dimensions, nothing known, nothing apart.
pub(crate) fn require(d: &Distances, dim: usize, method: &str) -> Result<(), Error> {
    require_dim(d.len(), dim)?;
    if d.missing() == d.pairs() {
        return Err(Error::Evidence {
            what: format!("none of the {} pairs has a distance", d.pairs()),
            remedy: format!("{method} needs at least one measured distance for each object").into(),
        });
    }
    let largest = d.largest();
    if largest == 0.0 {
        return Err(Error::Evidence {
            what: "every distance is 0, so all objects lie at one place".into(),
            remedy: "there is nothing to map; check the column or the units".into(),
        });
    }
    if !REPRESENTABLE.contains(&largest) {
        return Err(Error::Evidence {
            what: format!("the largest distance is {largest:e}, and a map needs sums of fourth powers"),
            remedy: "give the distances in other units, so that the largest is between 1e-70 and 1e70".into(),
        });
    }
    Ok(())
}

/// Largest distances whose fourth powers, summed over all pairs, are normal numbers with digits to spare.
const REPRESENTABLE: std::ops::RangeInclusive<f64> = 1e-70..=1e70;

/// Refuses fewer than two objects, and as many dimensions as objects.
pub(crate) fn require_dim(n: usize, dim: usize) -> Result<(), Error> {
    if n < 2 {
        return Err(Error::TooFew { found: n, needed: 2, remedy: "a map needs something to lie apart from".into() });
    }
    if dim == 0 || dim >= n {
        return Err(Error::Parameter {
            name: "dim".into(),
            value: dim.to_string(),
            expected: format!("1 to n - 1 = {} for {n} objects", n - 1),
        });
    }
    Ok(())
}

/// Refuses an empty set of comparisons.
pub(crate) fn require_comparisons(c: &Comparisons) -> Result<(), Error> {
    if c.is_empty() {
        return Err(Error::Evidence {
            what: format!("there is no comparison of the {} objects", c.objects().len()),
            remedy: "give answers that compare them; checks and trials that repeat an object do not".into(),
        });
    }
    Ok(())
}

/// The mean of the margins.
pub(crate) fn usual_margin(c: &Comparisons) -> f64 {
    c.iter().map(|row| row.margin).sum::<f64>() / c.len().max(1) as f64
}

/// How many comparisons hold on a map, `d(near) < d(far)` by more than touching.
pub(crate) fn holding(map: &Embedding, c: &Comparisons) -> usize {
    let touch = Touch::of(map);
    let d = |p: crate::object::Pair| map.distance(p.first().index(), p.second().index()).powi(2);
    c.iter().filter(|row| touch.nearer(d(row.near), d(row.far))).count()
}

/// The least constant on squared distances that makes them Euclidean (Lingoes 1971): `-2 λ_min(B)`.
pub(crate) fn lingoes(n: usize, values: &[f64], clock: &Clock<'_>) -> Result<Shift, Error> {
    let (least, _) = spectral::least(n, values, Shift::None, clock)?;
    Ok(Shift::Squared((-2.0 * least).max(0.0)))
}

/// The least constant on distances that makes them Euclidean (Cailliez 1983): the largest `c` at which `λ_min` of
/// `B(c) = B + 2c B₁ + c²/2 H` is zero, `B₁ = -½ H D H`.
///
/// Cailliez writes it as an eigenvalue of a 2n x 2n matrix. Here `c` is found by Newton steps on `λ_min(B(c)) = 0` inside
/// a bracket, each with one least eigenpair `v` and the slope `2 vᵗ B₁ v + c`: nothing of size n x n is made.
pub(crate) fn cailliez(n: usize, values: &[f64], clock: &Clock<'_>) -> Result<Shift, Error> {
    let least = |c: f64| spectral::least(n, values, Shift::Plain(c), clock);
    let (start, _) = least(0.0)?;
    let largest = values.iter().fold(0.0, |m: f64, v| m.max(*v));
    if start >= -1e-14 * largest * largest * n as f64 {
        return Ok(Shift::Plain(0.0));
    }
    let (mut low, mut high) = (0.0, largest);
    while least(high)?.0 < 0.0 && !clock.late() {
        (low, high) = (high, 2.0 * high);
    }
    let mut linear = packed::Centred::new(n, values, |d| d);
    let mut c = high;
    for _ in 0..100 {
        let (value, vector) = least(c)?;
        if value < 0.0 {
            low = c
        } else {
            high = c
        }
        let column = vector.clone().insert_axis(ndarray::Axis(1));
        let slope = 2.0 * vector.dot(&linear.apply(&column).column(0)) + c;
        let newton = c - value / slope;
        let next = if slope > 0.0 && newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - c).abs() <= 1e-13 * high || high - low <= 1e-13 * high || clock.late() {
            c = next;
            break;
        }
        c = next;
    }
    Ok(Shift::Plain(c))
}

/// Seconds for every eigenvalue of `n` objects, where so many are few enough for all of them.
pub(crate) fn spectrum(n: f64) -> f64 {
    if n <= spectral::WHOLE as f64 { 4e-10 * n.powi(3) } else { 0.0 }
}

/// What places new objects by their distances to the scaled ones.
pub(crate) fn landmarks(scaling: &Scaling, objects: &Objects, dim: usize) -> Landmarks {
    let (basis, offset) = scaling.extension(dim);
    Landmarks::new(objects.clone(), basis, offset, scaling.shift)
}

/// A map in canonical pose, and the motion that brought it there.
pub(crate) fn posed(map: Embedding) -> Result<(Embedding, Pose), Error> {
    let pose = map.pose()?;
    let points = pose.apply(map.points());
    Ok((Embedding::new(map.objects().clone(), points)?, pose))
}

/// Turns axes so that on each the coordinate of largest size is positive, where the axes themselves mean something.
pub(crate) fn sign_columns(coordinates: &Array2<f64>, axes: &mut Array2<f64>) {
    for (column, mut axis) in coordinates.columns().into_iter().zip(axes.columns_mut()) {
        let largest = column.iter().fold(0.0, |best: f64, v| if v.abs() > best.abs() { *v } else { best });
        if largest < 0.0 {
            axis.mapv_inplace(|v| -v);
        }
    }
}

/// A linear model of all columns of one table.
pub(crate) fn linear(features: &Features, map: Array2<f64>, mean: Array1<f64>) -> Result<Linear, Error> {
    Linear::new([("features", features.columns().to_vec())], map, mean)
}

/// Stress-1 against the best multiple of the known, exact data: `√(1 - (Σ w δ d)² / (Σ w δ² · Σ w d²))`.
pub(crate) fn stress1(map: &Embedding, d: &Distances) -> f64 {
    let data = packed::square_sum(d.condensed(), d.weights());
    // The loss at the best common size: with c = Σ w δ d / Σ w d², Σ w (δ - c d)² over Σ w δ².
    let pass = packed::descend(&Points::from_rows(map.points()), d.condensed(), d.weights());
    let cross = 0.5 * (data + pass.square - pass.loss);
    let scale = if pass.square > 0.0 { cross / pass.square } else { 0.0 };
    let best = packed::descend(&Points::from_rows(&(map.points() * scale)), d.condensed(), d.weights());
    (best.loss / data).min(1.0).sqrt()
}

/// `Σ w d²` over the known pairs of a map.
pub(crate) fn square(map: &Embedding, d: &Distances) -> f64 {
    packed::descend(&Points::from_rows(map.points()), d.condensed(), d.weights()).square
}

/// Refuses bounds where a method has no use for them.
pub(crate) fn refuse_bounds(d: &Distances, who: &str) -> Result<(), Error> {
    match d.censored() {
        0 => Ok(()),
        count => Err(Error::Evidence {
            what: format!("{who} cannot use bounds, and {count} pairs are known only by one"),
            remedy: "use metric-mds with the ratio transform, or leave those pairs out".into(),
        }),
    }
}

/// Says so when a non-metric map is degenerate: so few different disparities that almost any order of the data fits, or
/// nearly all pairs on one step.
pub(crate) fn warn_degenerate(report: &mut FitReport, map: &Embedding, d: &Distances, levels: usize, largest: f64) {
    let heaps = heaps(map);
    let few = levels <= 3.max(d.pairs() / 50);
    if (few || largest > 0.8) && report.stress1.is_some_and(|s| s < 0.05) || heaps * 2 <= map.len() {
        report.warnings.push(format!(
            "degenerate solution: {levels} different disparities for {} pairs, {:.0} % of the pairs on one step, {heaps} different places for {} objects; the low stress says little about the data. Use metric-mds, fewer dimensions, or ties secondary",
            d.pairs(),
            100.0 * largest,
            map.len()
        ));
    } else if report.stress1.is_some_and(|s| s < 1e-3) {
        report.warnings.push(
            "stress is practically zero: the order of the data is fitted perfectly, and other maps may fit it as well; compare with metric-mds".into(),
        );
    }
}

/// How many different places the points take, to a hundredth of the size of the map.
fn heaps(map: &Embedding) -> usize {
    let n = map.len();
    let spread = (map.points().iter().map(|v| v * v).sum::<f64>() / n as f64).sqrt();
    let mut seen: Vec<usize> = Vec::new();
    for i in 0..n {
        // Beyond this many places the map is not degenerate, and looking further would cost n².
        if seen.len() > 200 {
            return n;
        }
        if seen.iter().all(|&j| map.distance(i, j) > 0.01 * spread) {
            seen.push(i);
        }
    }
    seen.len()
}

/// Says that a descent in one dimension may fold: objects on a line cannot pass each other without breaking answers.
pub(crate) fn warn_line(report: &mut FitReport, dim: usize) {
    if dim == 1 {
        report.warnings.push(
            "in one dimension a descent cannot carry an object past another, so this scale may be folded and better ones may exist; compare the agreement with that of two dimensions, and `line` decides whether one line can hold all answers".into(),
        );
    }
}

/// Says what the spectrum says against a map.
pub(crate) fn warn_spectrum(report: &mut FitReport, scaling: &Scaling, dim: usize) {
    let positive = scaling.positive(dim);
    if positive < dim {
        report.warnings.push(format!(
            "only {positive} of {dim} dimensions have a positive eigenvalue; the others are zero: a map of {positive} dimensions says as much"
        ));
    }
    if let Some(below) = scaling.spectrum.at_most
        && -below > 0.1 * scaling.values[0]
    {
        report.warnings.push(format!(
            "the distances are not Euclidean: an eigenvalue is {below:.4} or less, and the largest is {:.4}; metric-mds or a correction may serve better, and the whole spectrum says more",
            scaling.values[0]
        ));
    }
    if let (Some(negative), Some(least)) = (scaling.spectrum.negative, scaling.spectrum.least)
        && negative > 0
    {
        let share = -scaling.spectrum.eigenvalues.iter().filter(|v| **v < 0.0).sum::<f64>()
            / scaling.spectrum.absolute.unwrap_or(1.0);
        if share > 0.1 {
            report.warnings.push(format!(
                "the distances are not Euclidean: {negative} negative eigenvalues, the least {least:.4}, carry {:.0} % of the spectrum; metric-mds or a correction may serve better",
                100.0 * share
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::Run;
    use crate::toy;
    use nearer_num::dense;

    /// What the constant is for: with it the distances are Euclidean, with a millionth less they are not.
    #[test]
    fn the_cailliez_constant_is_the_least_that_makes_distances_euclidean() {
        let d = toy::cities();
        let n = d.len();
        let Shift::Plain(c) = cailliez(n, d.condensed(), &Run::default().clock()).unwrap() else {
            panic!("a plain shift")
        };
        let least = |c: f64| {
            let moved = |i: usize, j: usize| if i == j { 0.0 } else { d.between(i, j).unwrap() + c };
            let mut m = Array2::from_shape_fn((n, n), |(i, j)| moved(i, j) * moved(i, j));
            spectral::double_centre(&mut m);
            let values = dense::eigvalsh(m.view()).unwrap();
            values[n - 1] / values[0]
        };
        assert!(c > 0.0 && least(c * (1.0 + 1e-6)) > -1e-12, "{c} {}", least(c));
        assert!(least(c * (1.0 - 1e-6)) < -1e-9, "{c} {}", least(c * (1.0 - 1e-6)));
    }
}
