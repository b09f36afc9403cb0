//! Disparities: what the data say a distance on the map should be, given the map. Each rule projects the distances of
//! the map onto what the data allow, which is the best the rule can do for that map.

use ndarray::{Array1, Array2};
use nearer_num::isotonic::Pool;
use nearer_num::{least_squares, packed, spline};

use crate::evidence::{Bound, Distances};
use crate::model::Transform;

/// How ties in the data are treated by monotone regression (Kruskal 1964; de Leeuw 1977).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// Equal data may become different disparities, in whatever order suits the map.
    #[default]
    Primary,
    /// Equal data become equal disparities.
    Secondary,
    /// Only the means of equal data are kept in order.
    Tertiary,
}

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
            Disparity::Ordinal(rule) => rule.project(values),
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
    /// Bytes needed for this many pairs.
    pub(crate) fn memory(pairs: u64, degree: u64, inner: u64) -> u64 {
        pairs * (8 * (degree + inner + 1) * 2 + 12)
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

/// Monotone regression: the known pairs sorted once by their data, the rest in linear time a projection.
#[derive(Debug)]
pub(crate) struct OrdinalRule {
    ties: Ties,
    /// Known pairs, by increasing data.
    order: Vec<u32>,
    /// Ends of the runs of equal data in `order`; empty where no two are equal.
    runs: Vec<u32>,
    /// The data in that order.
    data: Vec<f64>,
    weights: Option<Vec<f64>>,
    sorted: Vec<f64>,
    /// Weights of the runs, where runs are regressed as one.
    pool: Pool,
    blocks: usize,
}

impl OrdinalRule {
    pub(crate) fn new(d: &Distances, ties: Ties) -> Self {
        let values = d.condensed();
        let mut order: Vec<u32> = (0..d.pairs() as u32).filter(|&k| d.weight_at(k as usize) > 0.0).collect();
        order.sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]).then(a.cmp(&b)));
        let data: Vec<f64> = order.iter().map(|&k| values[k as usize]).collect();
        let mut runs: Vec<u32> =
            (1..=data.len()).filter(|&e| e == data.len() || data[e] != data[e - 1]).map(|e| e as u32).collect();
        if runs.len() == data.len() {
            runs = Vec::new();
        }
        let weights = d.weights().map(|w| order.iter().map(|&k| w[k as usize]).collect());
        OrdinalRule {
            ties,
            sorted: vec![0.0; order.len()],
            order,
            runs,
            data,
            weights,
            pool: Pool::default(),
            blocks: 0,
        }
    }

    fn project(&mut self, values: &mut [f64]) {
        if self.ties == Ties::Primary || self.runs.is_empty() {
            if !self.runs.is_empty() {
                self.sort_runs(values);
            }
            let weights = self.ordered_weights();
            for (s, &k) in self.sorted.iter_mut().zip(&self.order) {
                *s = values[k as usize];
            }
            self.blocks = self.pool.increasing(&mut self.sorted, weights.as_deref());
            for (s, &k) in self.sorted.iter().zip(&self.order) {
                values[k as usize] = *s;
            }
            self.weights = weights;
        } else {
            self.project_runs(values);
        }
    }

    /// Puts the pairs of a run of equal data into the order of their distances on the map, weights along with them.
    fn sort_runs(&mut self, values: &[f64]) {
        let mut start = 0;
        for &end in &self.runs {
            let end = end as usize;
            if end - start > 1 {
                let by_distance = |a: &u32, b: &u32| values[*a as usize].total_cmp(&values[*b as usize]).then(a.cmp(b));
                match &mut self.weights {
                    None => self.order[start..end].sort_unstable_by(by_distance),
                    Some(weights) => {
                        let mut both: Vec<(u32, f64)> =
                            self.order[start..end].iter().copied().zip(weights[start..end].iter().copied()).collect();
                        both.sort_unstable_by(|a, b| by_distance(&a.0, &b.0));
                        for (k, (o, w)) in both.into_iter().enumerate() {
                            self.order[start + k] = o;
                            weights[start + k] = w;
                        }
                    }
                }
            }
            start = end;
        }
    }

    fn ordered_weights(&mut self) -> Option<Vec<f64>> {
        self.weights.take()
    }

    /// Secondary and tertiary: the means of the runs are regressed.
    fn project_runs(&mut self, values: &mut [f64]) {
        let mut start = 0;
        let (mut means, mut run_weights) = (Vec::with_capacity(self.runs.len()), Vec::with_capacity(self.runs.len()));
        for &end in &self.runs {
            let (mut sum, mut weight) = (0.0, 0.0);
            for s in start..end as usize {
                let w = self.weights.as_ref().map_or(1.0, |w| w[s]);
                sum += w * values[self.order[s] as usize];
                weight += w;
            }
            means.push(sum / weight);
            run_weights.push(weight);
            start = end as usize;
        }
        let mut fitted = means.clone();
        self.blocks = self.pool.increasing(&mut fitted, Some(&run_weights));
        start = 0;
        for ((&end, fit), mean) in self.runs.iter().zip(&fitted).zip(&means) {
            for s in start..end as usize {
                let value = &mut values[self.order[s] as usize];
                *value = if self.ties == Ties::Secondary { *fit } else { *value + (fit - mean) };
                self.sorted[s] = *fit;
            }
            start = end as usize;
        }
    }

    /// The regression as a broken line through the ends of its steps.
    fn transform(&self, scale: f64) -> Transform {
        let (mut x, mut y): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        for (k, (data, fit)) in self.data.iter().zip(&self.sorted).enumerate() {
            let inside = k > 0 && k + 1 < self.data.len() && self.sorted[k - 1] == *fit && self.sorted[k + 1] == *fit;
            if inside {
                continue;
            }
            match x.last() {
                // Equal data with different disparities (primary ties): their middle.
                Some(last) if last == data => {
                    if let Some(y) = y.last_mut() {
                        *y = 0.5 * (*y + fit * scale);
                    }
                }
                _ => {
                    x.push(*data);
                    y.push(fit * scale);
                }
            }
        }
        Transform::Steps { x, y }
    }

    /// How many different disparities the last projection had, and the share of pairs in the largest step.
    pub(crate) fn steps(&self) -> (usize, f64) {
        let (mut largest, mut start) = (0, 0);
        for end in 1..=self.sorted.len() {
            if end == self.sorted.len() || self.sorted[end] != self.sorted[start] {
                largest = largest.max(end - start);
                start = end;
            }
        }
        (self.blocks, largest as f64 / self.sorted.len().max(1) as f64)
    }
    /// Bytes needed for `n` objects beside the data.
    pub(crate) fn memory(n: u64) -> u64 {
        packed::len(n as usize) as u64 * 36
    }
}
