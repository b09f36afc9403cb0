//! The intrinsic dimension of features: by three estimators that look at different neighbourhoods, and by the spectrum.

use nearer_num::{nearest, principal};
use serde::{Deserialize, Serialize};

use crate::evidence::Features;

/// Above this many different objects a sample of them is looked at, each so-many-th: a dimension does not hang on how many there are.
const LOOKED_AT: usize = 3000;
/// Fewest different objects that say anything.
const LEAST: usize = 30;
/// Neighbours of the maximum likelihood estimate.
const NEIGHBOURS: usize = 10;
/// Neighbours whose median distances are the two radii of the correlation dimension.
const RADII: [usize; 2] = [10, 20];
/// The share of the largest ratios that the two nearest neighbours leave out (Facco et al.).
const DISCARDED: f64 = 0.1;
/// The share of the variance from which on as many principal axes as there are dimensions show most of what there is.
const LINEAR: f64 = 0.8;
/// Estimates further apart than this share of their median disagree.
const APART: f64 = 0.3;

/// In how many dimensions objects vary by their features, nearby.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IntrinsicDimension {
    /// By the ratio of the distances to the second and the nearest neighbour (Facco et al. 2017): the finest look, so noise counts as
    /// dimensions.
    pub two_nn: Estimate,
    /// By the distances to ten neighbours, pooled as inverses (Levina and Bickel 2005; MacKay and Ghahramani 2005).
    pub likelihood: Estimate,
    /// By how the share of pairs within a radius grows (Grassberger and Procaccia 1983): falls short above four dimensions or so.
    pub correlation: Estimate,
    /// How many principal axes carry 95 % of the variance: of the whole table, so what is bent counts more than once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub axes95: Option<usize>,
    /// The share of the variance along the first principal axes, one after another.
    pub shares: Vec<f64>,
    /// How many objects were looked at.
    pub objects: usize,
    /// What the figures say together.
    pub meaning: String,
}

/// A figure and where it may lie with a confidence of 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The low end.
    pub low: f64,
    /// The high end.
    pub high: f64,
}

impl Estimate {
    /// With a standard error relative to the value.
    fn within(value: f64, error: f64) -> Self {
        let half = 1.96 * error;
        Estimate { value, low: (value * (1.0 - half)).max(0.0), high: value * (1.0 + half) }
    }
}

impl IntrinsicDimension {
    /// The median of the three estimates.
    #[must_use]
    pub fn typical(&self) -> f64 {
        let mut all = [self.two_nn.value, self.likelihood.value, self.correlation.value];
        all.sort_by(f64::total_cmp);
        all[1]
    }
    /// The share of the variance along the first `dim` principal axes.
    #[must_use]
    pub fn share(&self, dim: usize) -> f64 {
        self.shares.iter().take(dim).sum()
    }
}

/// How many principal axes are told.
const AXES: usize = 10;

/// The intrinsic dimension, where there are enough different objects that vary.
///
/// ```
/// use nearer::{check::intrinsic_dimension, toy};
/// let (roll, _) = toy::swiss_roll(1000, 1);
/// let found = intrinsic_dimension(&roll).unwrap();
/// assert!((found.likelihood.value - 2.0).abs() < 0.3 && found.axes95 == Some(3));   // a sheet, rolled up in space
/// ```
#[must_use]
pub fn intrinsic_dimension(features: &Features) -> Option<IntrinsicDimension> {
    let sample = different(features)?;
    let (n, width) = (sample.len(), sample.columns().len());
    let rows: Vec<f64> = sample.values().iter().copied().collect();
    let near = nearest::neighbours(&rows, width, RADII[1]);
    let distance = |i: usize, k: usize| near[i][k - 1].1.sqrt();
    // Features that differ by less than can be squared say nothing about ratios.
    if (0..n).any(|i| distance(i, 1) <= 0.0) {
        return None;
    }
    let two_nn = two_nearest((0..n).map(|i| distance(i, 2) / distance(i, 1)).collect())?;
    let inverse = |i: usize| {
        let far = distance(i, NEIGHBOURS);
        (1..NEIGHBOURS).map(|k| (far / distance(i, k)).ln()).sum::<f64>() / (NEIGHBOURS - 1) as f64
    };
    let mean = (0..n).map(inverse).sum::<f64>() / n as f64;
    // Neighbourhoods overlap: no more is claimed than one ratio an object would give.
    let likelihood = Estimate::within(1.0 / mean, 1.0 / (n as f64).sqrt());
    let correlation = correlation(&rows, width, n, &RADII.map(|k| median((0..n).map(|i| distance(i, k)).collect())))?;
    let found = principal::principal(spectrum_of(&sample).values().view(), AXES, || true).ok()?;
    let shares: Vec<f64> = found.squares.iter().map(|s| s / found.total).collect();
    let carry = |upto: &usize| shares.iter().take(*upto).sum::<f64>() >= 0.95;
    let axes95 = (1..=shares.len()).find(carry);
    let shares: Vec<f64> = shares.into_iter().take(AXES).collect();
    let finite = [two_nn, likelihood, correlation].iter().all(|e| e.value.is_finite() && e.value > 0.0);
    finite.then(|| {
        let meaning = meaning(two_nn, likelihood, correlation, &shares);
        IntrinsicDimension { two_nn, likelihood, correlation, axes95, shares, objects: n, meaning }
    })
}

/// The different objects, or a sample of them; `None` where they are too few.
fn different(features: &Features) -> Option<Features> {
    let twice: std::collections::HashSet<usize> = features.duplicates().into_iter().map(|(i, _)| i).collect();
    let order = features.objects().label_order().unwrap_or_else(|| (0..features.len()).collect());
    let once: Vec<usize> = order.into_iter().filter(|i| !twice.contains(i)).collect();
    if once.len() < LEAST {
        return None;
    }
    let step = once.len().div_ceil(LOOKED_AT);
    Some(features.subset(&once.into_iter().step_by(step).collect::<Vec<_>>()))
}

/// Of many features and objects fewer objects, so that their products are small.
fn spectrum_of(sample: &Features) -> Features {
    const FEW: usize = 1000;
    let step = if sample.columns().len() > FEW { sample.len().div_ceil(FEW) } else { 1 };
    sample.subset(&(0..sample.len()).step_by(step).collect::<Vec<_>>())
}

/// The line through the origin of `-ln(1 - F)` against the logarithm of the ratios, the largest left out.
fn two_nearest(mut ratios: Vec<f64>) -> Option<Estimate> {
    ratios.sort_by(f64::total_cmp);
    let n = ratios.len();
    let kept = (n as f64 * (1.0 - DISCARDED)) as usize;
    let (mut cross, mut square) = (0.0, 0.0);
    for (i, ratio) in ratios.iter().take(kept).enumerate() {
        let (x, y) = (ratio.ln(), -(1.0 - (i + 1) as f64 / n as f64).ln());
        cross += x * y;
        square += x * x;
    }
    (square > 0.0).then(|| Estimate::within(cross / square, 1.0 / (kept as f64).sqrt()))
}

/// The slope of the share of pairs within a radius between two radii, both as logarithms.
fn correlation(rows: &[f64], width: usize, n: usize, radii: &[f64; 2]) -> Option<Estimate> {
    let [small, large] = *radii;
    if !(small > 0.0 && large > small) {
        return None;
    }
    let counts: Vec<[f64; 2]> = nearest::within(rows, width, large * large, &mut |_| true)?
        .iter()
        .map(|list| [list.iter().filter(|(_, s)| *s < small * small).count() as f64, list.len() as f64])
        .collect();
    let total = counts.iter().fold([0.0, 0.0], |t, c| [t[0] + c[0], t[1] + c[1]]);
    if total[0] == 0.0 {
        return None;
    }
    let value = (total[1] / total[0]).ln() / (large / small).ln();
    // By the delta method over objects; every pair counts for both.
    let off = counts.iter().map(|c| (c[1] / total[1] - c[0] / total[0]).powi(2)).sum::<f64>();
    let error = (2.0 * off * n as f64 / (n as f64 - 1.0)).sqrt() / (large / small).ln();
    Some(Estimate::within(value, error / value))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { 0.5 * (values[half - 1] + values[half]) }
}

fn meaning(two: Estimate, likelihood: Estimate, correlation: Estimate, shares: &[f64]) -> String {
    let mut all = [two.value, likelihood.value, correlation.value];
    all.sort_by(f64::total_cmp);
    let typical = all[1];
    let about = typical.round().max(1.0);
    let mut said = format!("nearby the objects vary in about {about:.0} dimensions");
    let carried: f64 = shares.iter().take(about as usize).sum();
    said.push_str(&format!(", and as many principal axes carry {:.0} % of the variance: ", 100.0 * carried));
    said.push_str(match carried < LINEAR {
        true => "the sheet is bent, or noise is spread over many features; a manifold method may show more than a linear one",
        false => "a linear map shows most of it",
    });
    if all[2] - all[0] > APART * typical {
        said.push_str(if two.value > likelihood.value.max(correlation.value) {
            "; the estimates disagree, the finest being the largest, as noise makes it"
        } else if correlation.value < two.value.min(likelihood.value) && typical > 4.0 {
            "; the correlation dimension falls short, as it does above four dimensions"
        } else {
            "; the estimates disagree: the dimension hangs on the scale, or on where one looks"
        });
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Objects;
    use ndarray::Array2;
    use nearer_num::rng::Rng;

    /// A Gaussian of `dim` dimensions, turned in twelve.
    fn gaussian(n: usize, dim: usize, seed: u64) -> Features {
        let mut rng = Rng::task(seed, dim as u64);
        let x = Array2::from_shape_fn((n, dim), |_| rng.normal());
        let turn = Array2::from_shape_fn((12, 12), |_| rng.normal());
        let (_, axes) = nearer_num::dense::eigh((&turn + &turn.t()).view()).unwrap();
        let columns = (0..12).map(|k| format!("x{k}"));
        let values = x.dot(&axes.slice(ndarray::s![..dim, ..]));
        Features::new(Objects::numbered(n), columns, values).unwrap()
    }

    #[test]
    fn planted_dimensions_are_found() {
        for dim in 1..=6 {
            let found = intrinsic_dimension(&gaussian(1500, dim, 2)).unwrap();
            let off = |e: Estimate| (e.value - dim as f64).abs();
            assert!(off(found.two_nn) < 0.5 && off(found.likelihood) < 0.5, "{dim}: {found:?}");
            assert!(dim > 4 || off(found.correlation) < 0.5, "{dim}: {found:?}");
            for e in [found.two_nn, found.likelihood, found.correlation] {
                assert!(e.low < e.value && e.value < e.high && e.high - e.low < e.value, "{e:?}");
            }
            assert_eq!(found.axes95, Some(dim));
            assert!(found.meaning.contains(&format!("about {dim} dimensions")), "{}", found.meaning);
        }
    }

    #[test]
    fn neither_copies_nor_few_objects_nor_units_matter() {
        let plain = gaussian(300, 2, 3);
        let once = intrinsic_dimension(&plain).unwrap();
        let twice = Features::new(
            Objects::numbered(600),
            plain.columns().to_vec(),
            Array2::from_shape_fn((600, 12), |(i, j)| 8.0 * plain.values()[(i % 300, j)]),
        );
        let again = intrinsic_dimension(&twice.unwrap()).unwrap();
        assert!((again.likelihood.value - once.likelihood.value).abs() < 1e-9 && again.objects == 300);
        assert!(intrinsic_dimension(&gaussian(20, 2, 3)).is_none());
        let flat = Features::new(Objects::numbered(50), ["a"], Array2::ones((50, 1))).unwrap();
        assert!(intrinsic_dimension(&flat).is_none());
    }
}
