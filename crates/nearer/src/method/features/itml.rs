//! Information-theoretic metric learning: as near to the plain metric as the pairs allow.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};
use nearer_num::rng::Rng;
use nearer_num::{dense, gemm, hinges};

use crate::error::Error;
use crate::evidence::{Comparisons, Features, Pairs, Sorts};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::features::compared::{agreement, compared};
use crate::method::features::ground::{Ground, STANDARDISE, directions};
use crate::method::features::lmnn::variance;
use crate::method::features::sided::{PAIRS, PAIRS_AN_OBJECT, Sided, Weighted};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Linear;
use crate::program::Triple;
use crate::settings::{configured, settable};
use crate::solve::descent::{Limits, Objective, Scale, descend};
use crate::solve::{Clock, Run};

/// Information-theoretic metric learning (Davis et al.).
///
/// ```text
/// min  tr M - log det M      d²(i, j) ≤ near for similar pairs, d²(i, j) ≥ far for dissimilar ones, each bound soft at the price `slack`
/// ```
///
/// Where a bound is moved to, the price is the same divergence: `ratio - log ratio - 1`. `near` and `far` are the 5th and the 95th
/// percentile of the squared distances of all pairs that are given. A pair of identical objects has no direction, and is left alone.
/// From comparisons, `d²(near) + margin ≤ d²(far)` is asked instead, in units of the mean squared distance of the near
/// pairs; what is lacking costs its square up to one unit and grows in proportion beyond.
///
/// The paper projects onto one bound after another, which needs a thousand sweeps where pairs are many and repeat each other.
/// The best slack for a metric has a closed form, so what is left is one smooth convex function of the metric: a factor of it descends.
///
/// # Takes
/// [`Features`] with [`Pairs`], with [`Comparisons`], or with classes ([`Sorts`]), of which `pairs` of each kind are drawn by the seed
/// and counted.
/// # Places
/// Anything with the same features ([`Linear`]).
/// # Cost
/// `O(m q + n q² + q³)` an evaluation for `m` pairs, some hundred; memory `O(m + n q)`.
/// # Fails
/// [`Error::Evidence`] where there is no pair or comparison, or all pairs are of identical objects.
/// # Reference
/// Davis, Kulis, Jain, Sra and Dhillon (2007), *Information-theoretic metric learning*.
///
/// ```
/// use nearer::{Embed, Stop, method::Itml, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, classes) = toy::classed(60, 3, 4, 1);
/// let fit = Itml::new(2).fit((&features, &classes))?;
/// assert_eq!((fit.report.stop, fit.embedding.dim()), (Stop::Converged, 2));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Itml {
    dim: usize,
    pairs: Option<usize>,
    slack: f64,
    eps: f64,
    max_iter: usize,
    standardise: bool,
}

configured!(Itml {
    dim: "dim",
    pairs: "pairs",
    slack: "slack",
    eps: "eps",
    max_iter: "max-iter",
    standardise: "unit-variance",
});

pub(crate) static METHOD: Method = Method {
    name: "itml",
    aliases: &["information-theoretic-metric-learning"],
    summary: "features with pairs, classes or comparisons: the metric nearest to the plain one under which those alike are near and the others far",
    solves: "min tr M - log det M, d² ≤ near for similar pairs, d² ≥ far for dissimilar ones, soft",
    ways: &[way::<Itml, (Features, Pairs)>(), way::<Itml, (Features, Sorts)>(), way::<Itml, (Features, Comparisons)>()],
    parameters: &[
        DIM,
        PAIRS,
        Parameter::number("slack", Kind::POSITIVE, Itml::SLACK).says("the price of moving a bound"),
        Parameter::number("eps", Kind::Number { min: 0.0, max: 1.0 }, 1e-7)
            .says("ends when three iterations lower the objective by no more than this share"),
        Parameter::count("max-iter", 1..=1_000_000, 1000).says("largest number of iterations"),
        STANDARDISE,
    ],
    places: "by features alone",
    cost: "O(m q + n q² + q³) time an evaluation for m pairs, some hundred; 60 n q + 60 q² bytes and 40 a pair",
    reference: "Davis et al. 2007",
    needs: |s, settings| {
        let q = s.columns.max(1) as f64;
        let m = 2.0 * s.m().max(settings.count("pairs").unwrap_or(PAIRS_AN_OBJECT * s.objects) as f64);
        let w = directions(s);
        let each = 2e-9 * m * w + 4e-10 * s.n() * w * w + 2e-9 * w.powi(3);
        let seconds = 1e-3 + 2e-9 * s.n() * q * w + 150.0 * each;
        Needs::new(seconds, 60.0 * s.n() * q + 100.0 * w * w + 60.0 * m + 1000.0 * s.n())
    },
    again: again::<Itml>,
};

impl Itml {
    /// The default price of moving a bound: a pair alone should not outweigh the plain metric (on digits 1 makes neighbours worse
    /// than they were, on sets with few features it makes no difference).
    pub const SLACK: f64 = 0.03;

    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Itml { dim, pairs: None, slack: Self::SLACK, eps: 1e-7, max_iter: 1000, standardise: false }
    }
    settable! {
        /// With so many pairs of each kind, drawn from classes.
        pairs: usize,
        /// With this price of moving a bound.
        slack: f64,
        /// Ends when three iterations lower the objective by no more than this share.
        eps: f64,
        /// With each feature divided by its standard deviation first.
        standardise: bool,
    }

    fn ground<'a>(&self, features: &'a Features, run: &Run<'_>) -> Result<Ground<'a>, Error> {
        METHOD.afford(features, self, run, "give fewer features or pairs")?;
        let ground = Ground::of_features(features, self.standardise, false)?;
        ground.require("dim", self.dim)?;
        Ok(ground)
    }

    /// The metric nearest to the plain one, for what is asked of distances.
    fn solved(&self, ground: &Ground<'_>, asked: Asked, run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        let loss = Divergence { values: &ground.values, asked, slack: self.slack };
        let limits = Limits { max_iter: self.max_iter, eps: self.eps };
        let (best, _) = descend(&loss, Some(1), limits, run)?;
        let factor = Array2::from_shape_vec(loss.shape(), best.at).expect("as many numbers");
        let mut fit = ground.linear("itml", &factor, self.dim, run)?;
        let report = &mut fit.report;
        (report.iterations, report.stop, report.objective) = (best.iterations, best.stop, best.value);
        report.objective_is = "tr M - log det M - q + slack Σ of what bounds are moved by".into();
        report.by(self);
        Ok(fit)
    }

    fn of_pairs(&self, features: &Features, sided: &Sided, run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        let ground = self.ground(features, run)?;
        let square = |p: &Weighted| {
            let off = &ground.values.row(p.0 as usize) - &ground.values.row(p.1 as usize);
            off.dot(&off)
        };
        let mut squares: Vec<f64> =
            sided.similar.iter().chain(&sided.dissimilar).map(square).filter(|s| *s > 0.0).collect();
        if squares.is_empty() {
            return Err(Error::Evidence {
                what: "there is no pair of objects that differ in their features".into(),
                remedy: "give pairs, and features in which they differ".into(),
            });
        }
        squares.sort_by(f64::total_cmp);
        let at = |share: f64| squares[(share * (squares.len() - 1) as f64).round() as usize];
        let (near, far) = (at(0.05), at(0.95));
        let differ = |p: &&Weighted| square(p) > 0.0;
        let bounds = |list: &[Weighted]| list.iter().filter(differ).copied().collect::<Vec<_>>();
        let asked = Asked::Bounds { near, similar: bounds(&sided.similar), far, dissimilar: bounds(&sided.dissimilar) };
        let mut fit = self.solved(&ground, asked, run)?;
        let report = &mut fit.report;
        sided.tell(report, self.pairs, (sided.similar.len(), sided.dissimilar.len()));
        *report = report.clone().figure("near", near).figure("far", far);
        Ok(fit)
    }
}

/// What is asked of distances.
enum Asked {
    /// `d² ≤ near` of similar pairs, `d² ≥ far` of dissimilar ones.
    Bounds { near: f64, similar: Vec<Weighted>, far: f64, dissimilar: Vec<Weighted> },
    /// `d²(near) + margin ≤ d²(far)`, margins in units of a squared distance.
    Compared { rows: Vec<Triple>, unit: f64 },
}

/// How far a metric `A Aᵗ` is from the plain one, and what is asked from holding.
struct Divergence<'a> {
    values: &'a Array2<f64>,
    asked: Asked,
    slack: f64,
}

impl Divergence<'_> {
    /// What bounds are moved by, and `Λ Y` of its derivatives.
    fn moved(&self, y: ArrayView2<'_, f64>) -> (f64, Array2<f64>) {
        match &self.asked {
            Asked::Bounds { near, similar, far, dissimilar } => {
                let all = similar.iter().chain(dissimilar).map(|p| (p.0, p.1));
                // The divergence of a bound moved from `at` to `at · ratio`, for bounds that do not hold.
                hinges::over(y, all, |k, square| {
                    let (at, above, weight) = match k.checked_sub(similar.len()) {
                        None => (*near, true, similar[k].2),
                        Some(k) => (*far, false, dissimilar[k].2),
                    };
                    let ratio = (square / at).max(f64::MIN_POSITIVE);
                    let holds = if above { ratio <= 1.0 } else { ratio >= 1.0 };
                    if holds {
                        return (0.0, 0.0);
                    }
                    (weight * (ratio - ratio.ln() - 1.0), weight * (1.0 - 1.0 / ratio) / at)
                })
            }
            Asked::Compared { rows, unit } => {
                let (found, _) = hinges::listed(y, rows, *unit);
                (found.value / unit, found.moved / *unit)
            }
        }
    }
}

impl Objective for Divergence<'_> {
    type State = ();
    fn state(&self) {}
    fn shape(&self) -> (usize, usize) {
        (self.values.ncols(), self.values.ncols())
    }
    fn value(&self, at: &[f64], gradient: &mut [f64], (): &mut ()) -> f64 {
        let a = ArrayView2::from_shape(self.shape(), at).expect("as many numbers");
        let (n, q) = self.values.dim();
        let (mut metric, mut y) = (Array2::zeros((q, q)), Array2::zeros((n, q)));
        gemm::into(a, a.t(), metric.view_mut());
        let Some((inverse, log_det)) = dense::inverse_and_log_det(metric.view()) else { return f64::INFINITY };
        gemm::into(self.values.view(), a, y.view_mut());
        let (paid, moved) = self.moved(y.view());
        let mut back = Array2::zeros((q, q));
        gemm::into(inverse.view(), a, back.view_mut());
        let out = ArrayViewMut2::from_shape((q, q), gradient).expect("as many numbers");
        gemm::into(self.values.t(), moved.view(), out);
        for ((g, a), b) in gradient.iter_mut().zip(at).zip(&back) {
            *g = 2.0 * (self.slack * *g + a - b);
        }
        metric.diag().sum() - log_det - q as f64 + self.slack * paid
    }
    fn start(&self, _: usize, _: &mut Rng, _: &Clock<'_>) -> Result<Vec<f64>, Error> {
        Ok(Array2::eye(self.values.ncols()).into_iter().collect())
    }
    fn starts(&self) -> usize {
        1
    }
    fn scale(&self) -> Scale {
        Scale { flat: 0.0, first_step: None }
    }
}

impl Embed<(&Features, &Pairs)> for Itml {
    type Model = Linear;
    fn fit_with(&self, (features, pairs): (&Features, &Pairs), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        order::features_by_label(features, |f| self.of_pairs(f, &Sided::given(pairs, f)?, run))
    }
}

impl Embed<(&Features, &Sorts)> for Itml {
    type Model = Linear;
    fn fit_with(&self, (features, sorts): (&Features, &Sorts), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        order::features_by_label(features, |f| self.of_pairs(f, &Sided::drawn(sorts, f, self.pairs, run.seed())?, run))
    }
}

impl Embed<(&Features, &Comparisons)> for Itml {
    type Model = Linear;
    fn fit_with(&self, (features, c): (&Features, &Comparisons), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        let ground = self.ground(features, run)?;
        let mut rows = compared(&ground, c)?;
        let near = rows.iter().map(|r| (r.0[0], r.0[1], 1.0));
        let unit = variance(&ground, near) * ground.width() as f64 / rows.len() as f64;
        rows.iter_mut().for_each(|r| r.3 *= unit);
        let mut fit = self.solved(&ground, Asked::Compared { rows, unit }, run)?;
        let agreement = agreement(&fit.embedding, &ground, c)?;
        fit.report.agreement = Some(agreement);
        fit.report = fit.report.clone().figure("unit", unit);
        if self.pairs.is_none() {
            fit.report.became("pairs", c.len());
        }
        Ok(fit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::descent::assert_gradient;

    fn loss(values: &Array2<f64>, asked: Asked) -> Divergence<'_> {
        Divergence { values, asked, slack: 1.0 }
    }

    #[test]
    fn the_derivative_is_that_of_the_formula() {
        let mut rng = Rng::task(3, 0);
        let values = Array2::from_shape_simple_fn((20, 3), || rng.normal());
        let pairs = |from: u32| (0..8).map(|k| (from + k, 19 - k, 1.0 + 0.1 * f64::from(k))).collect::<Vec<_>>();
        let rows = (0..9u32).map(|k| ([k, k + 1], [k + 5, k + 9], 0.7, 1.0)).collect();
        for asked in [
            Asked::Bounds { near: 0.5, similar: pairs(0), far: 9.0, dissimilar: pairs(3) },
            Asked::Compared { rows, unit: 2.0 },
        ] {
            let loss = loss(&values, asked);
            let at: Vec<f64> = (0..9).map(|k| f64::from(u8::from(k % 4 == 0)) + 0.2 * rng.normal()).collect();
            assert_gradient(&loss, &at);
        }
    }

    /// With one bound and a price of one, the reciprocals of the squared distance and of the bound meet halfway (Davis et al.,
    /// algorithm 1: each projection shares the way by the price).
    #[test]
    fn one_bound_is_met_as_its_price_says() {
        let values = ndarray::array![[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]];
        for (near, far) in [(1.0, 100.0), (0.01, 9.0)] {
            let above = near == 1.0;
            let one = vec![(0, 1, 1.0)];
            let (similar, dissimilar) = if above { (one, vec![]) } else { (vec![], one) };
            let loss = loss(&values, Asked::Bounds { near, similar, far, dissimilar });
            let (best, _) = descend(&loss, Some(1), Limits { max_iter: 500, eps: 1e-15 }, &Run::default()).unwrap();
            let a = Array2::from_shape_vec((2, 2), best.at).unwrap();
            let metric = a.dot(&a.t());
            let bound = if above { near } else { far };
            let reciprocal = 1.0 / (4.0 * metric[(0, 0)]);
            assert!((reciprocal - 0.5 * (0.25 + 1.0 / bound)).abs() < 1e-6, "{metric}");
            assert!((metric[(1, 1)] - 1.0).abs() < 1e-6 && metric[(0, 1)].abs() < 1e-6);
        }
    }
}
