//! Disparities: what the data say a distance on the map should be, given the map. Each rule projects the distances of
//! the map onto what the data allow, which is the best the rule can do for that map.

use ndarray::{Array1, Array2};
use nearer_num::{least_squares, spline};

use crate::evidence::{Bound, Distances};
use crate::solve::ordinal::OrdinalRule;
use crate::transform::Transform;

/// The rule from distances on the map to disparities.
#[derive(Debug)]
pub(crate) enum Disparity<'a> {
    /// The data themselves.
    Identity,
    /// The data, but bounds pull only from the wrong side.
    Bounded(&'a Distances),
    /// A rising spline of the data with the best coefficients.
    Spline(Box<SplineRule>),
    /// Any rising function of the data.
    Ordinal(Box<OrdinalRule>),
}

impl<'a> Disparity<'a> {
    pub(crate) fn bounded(d: &'a Distances) -> Self {
        if d.censored() > 0 { Disparity::Bounded(d) } else { Disparity::Identity }
    }
    /// Whether disparities may be scaled at will, so that stress must be taken relative to the size of the map.
    pub(crate) fn is_free(&self) -> bool {
        matches!(self, Disparity::Spline(_) | Disparity::Ordinal(_))
    }
    /// Replaces the distances of the map by their disparities. Returns `false` where the disparities are the data
    /// themselves and nothing was written.
    pub(crate) fn project(&mut self, values: &mut [f64]) -> bool {
        match self {
            Disparity::Identity => return false,
            Disparity::Bounded(d) => {
                let bounds = d.bounds().unwrap_or_default();
                for ((v, data), bound) in values.iter_mut().zip(d.condensed()).zip(bounds) {
                    *v = match bound {
                        Bound::Exact => *data,
                        Bound::AtMost => v.min(*data),
                        Bound::AtLeast => v.max(*data),
                    };
                }
            }
            Disparity::Spline(rule) => rule.project(values),
            // An order works on a list of its own: see `OrdinalRule::fit`.
            Disparity::Ordinal(_) => return false,
        }
        true
    }
    /// The rule as it stands after the last projection, to be used on new data; `scale` multiplies the disparities.
    pub(crate) fn transform(&self, scale: f64) -> Transform {
        match self {
            Disparity::Identity | Disparity::Bounded(_) => Transform::Identity,
            Disparity::Spline(rule) => Transform::Spline {
                degree: rule.degree,
                knots: rule.knots.clone(),
                weights: rule.weights.iter().map(|w| w * scale).collect(),
            },
            Disparity::Ordinal(rule) => rule.transform(scale),
        }
    }
}

/// Monotone splines: non-negative least squares on a few rising functions of the data, computed once.
#[derive(Debug)]
pub(crate) struct SplineRule {
    degree: usize,
    knots: Vec<f64>,
    known: Vec<u32>,
    pair_weights: Vec<f64>,
    /// One row of basis values for each known pair.
    basis: Array2<f64>,
    normal: Array2<f64>,
    weights: Array1<f64>,
}

impl SplineRule {
    /// A spline of this degree with `inner` inner knots at quantiles of the data.
    pub(crate) fn new(d: &Distances, degree: usize, inner: usize) -> Self {
        let known: Vec<u32> = (0..d.pairs() as u32).filter(|&k| d.weight_at(k as usize) > 0.0).collect();
        let mut sorted: Vec<f64> = known.iter().map(|&k| d.condensed()[k as usize]).collect();
        sorted.sort_by(f64::total_cmp);
        let quantile = |t: f64| sorted[((sorted.len() - 1) as f64 * t).round() as usize];
        let mut knots: Vec<f64> = (0..=inner + 1).map(|k| quantile(k as f64 / (inner + 1) as f64)).collect();
        knots.dedup();
        if knots.len() < 2 {
            // All data are equal: any width will do.
            knots.push(knots[0] + 1.0);
        }
        let width = spline::count(degree, &knots) + 1;
        let mut basis = Array2::zeros((known.len(), width));
        for (row, &k) in known.iter().enumerate() {
            basis.row_mut(row).assign(&Array1::from(spline::basis(degree, &knots, d.condensed()[k as usize])));
        }
        let pair_weights: Vec<f64> = known.iter().map(|&k| d.weight_at(k as usize)).collect();
        let weighted = &basis * &Array1::from(pair_weights.clone()).insert_axis(ndarray::Axis(1));
        let normal = weighted.t().dot(&basis);
        SplineRule { degree, knots, known, pair_weights, basis, normal, weights: Array1::zeros(width) }
    }

    fn project(&mut self, values: &mut [f64]) {
        let wanted = Array1::from_iter(self.known.iter().zip(&self.pair_weights).map(|(&k, w)| w * values[k as usize]));
        self.weights = least_squares::nonnegative(&self.normal, &self.basis.t().dot(&wanted));
        let fitted = self.basis.dot(&self.weights);
        for (&k, v) in self.known.iter().zip(&fitted) {
            values[k as usize] = *v;
        }
    }
}
