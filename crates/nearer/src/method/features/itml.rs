//! Information-theoretic metric learning: as near to the plain metric as the pairs allow.

use ndarray::Array2;
use nearer_num::dense;
use nearer_num::logdet::{self, Bound};

use crate::error::Error;
use crate::evidence::{Features, Pairs, Sorts};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::cost::Needs;
use crate::method::features::ground::{Ground, STANDARDISE};
use crate::method::features::groups::{Groups, places};
use crate::method::features::mmc::{PAIRS, PAIRS_AN_OBJECT, Sided, drawn, given};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Linear;
use crate::settings::{Value, configured};
use crate::solve::{Run, Step, Stop};

/// Information-theoretic metric learning (Davis et al.).
///
/// ```text
/// min  tr M - log det M      d²(i, j) ≤ near for similar pairs, d²(i, j) ≥ far for dissimilar ones, each bound soft at the price `slack`
/// ```
///
/// Bregman projections onto one bound after another, in the order of the pairs. `near` and `far` are the 5th and the 95th
/// percentile of the squared distances of all pairs that are given. A pair of identical objects has no direction, and is left alone.
///
/// # Takes
/// [`Features`] with [`Pairs`], or with classes ([`Sorts`]), of which `pairs` of each kind are drawn by the seed and counted.
/// # Places
/// Anything with the same features ([`Linear`]).
/// # Cost
/// `O(q²)` a pair and sweep; memory `O(m q)` for `m` pairs.
/// # Fails
/// [`Error::Evidence`] where there is no pair, or all pairs are of identical objects.
/// # Reference
/// Davis, Kulis, Jain, Sra and Dhillon (2007), *Information-theoretic metric learning*.
///
/// ```
/// use nearer::{Embed, method::Itml, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, classes) = toy::classed(60, 3, 4, 1);
/// let fit = Itml::new(2).fit((&features, &classes))?;
/// // A limit that was reached is told by `fit.report.stop`, with the best metric so far.
/// assert_eq!((fit.embedding.len(), fit.embedding.dim()), (60, 2));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Itml {
    dim: usize,
    pairs: Option<usize>,
    slack: f64,
    tolerance: f64,
    max_iter: usize,
    standardise: bool,
}

configured!(Itml {
    dim: "dim",
    pairs: "pairs",
    slack: "slack",
    tolerance: "tolerance",
    max_iter: "max-iter",
    standardise: "unit-variance",
});

pub(crate) static METHOD: Method = Method {
    name: "itml",
    aliases: &["information-theoretic-metric-learning"],
    summary: "features with pairs or classes: the metric nearest to the plain one under which those alike are near and the others far",
    solves: "min tr M - log det M, d² ≤ near for similar pairs, d² ≥ far for dissimilar ones, soft",
    ways: &[way::<Itml, (Features, Pairs)>(), way::<Itml, (Features, Sorts)>()],
    parameters: &[
        DIM,
        PAIRS,
        Parameter {
            name: "slack",
            kind: Kind::POSITIVE,
            or: &[],
            default: Value::Number(1.0),
            doc: "the price of moving a bound",
        },
        Parameter {
            name: "tolerance",
            kind: Kind::Number { min: 0.0, max: 1.0 },
            or: &[],
            default: Value::Number(1e-3),
            doc: "a sweep that changes all multipliers together by less than this share of their sum is the last",
        },
        Parameter {
            name: "max-iter",
            kind: Kind::Count { min: 1, max: 1_000_000 },
            or: &[],
            default: Value::Count(1000),
            doc: "largest number of sweeps",
        },
        STANDARDISE,
    ],
    places: "by features alone",
    cost: "O(m q²) time a sweep for m pairs, some hundred; 8 m q + 40 n q bytes",
    reference: "Davis et al. 2007",
    needs: |s, settings| {
        let q = s.columns.max(1) as f64;
        let m = 2.0 * s.m().max(settings.count("pairs").unwrap_or(PAIRS_AN_OBJECT * s.objects) as f64);
        Needs::new(1e-3 + 100.0 * m * (2e-8 + 1e-9 * q * q), 9.0 * m * q + 60.0 * m + 40.0 * s.n() * q + 1000.0 * s.n())
    },
    again: again::<Itml>,
};

impl Itml {
    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Itml { dim, pairs: None, slack: 1.0, tolerance: 1e-3, max_iter: 1000, standardise: false }
    }
    /// With so many pairs of each kind, drawn from classes.
    #[must_use]
    pub fn pairs(mut self, count: usize) -> Self {
        self.pairs = Some(count);
        self
    }
    /// With this price of moving a bound.
    #[must_use]
    pub fn slack(mut self, price: f64) -> Self {
        self.slack = price;
        self
    }
    /// With each feature divided by its standard deviation first.
    #[must_use]
    pub fn standardise(mut self, yes: bool) -> Self {
        self.standardise = yes;
        self
    }

    fn fitted(
        &self,
        features: &Features,
        sided: &Sided,
        drawn: Option<usize>,
        run: &Run<'_>,
    ) -> Result<Fit<Linear>, Error> {
        METHOD.afford(features, self, run, "give fewer features or pairs")?;
        let ground = Ground::of_features(features, self.standardise, false)?;
        ground.require("dim", self.dim)?;
        let (similar, dissimilar) = sided;
        let off = |p: &(u32, u32, f64)| (&ground.values.row(p.0 as usize) - &ground.values.row(p.1 as usize)).to_vec();
        let square = |z: &Vec<f64>| z.iter().map(|v| v * v).sum::<f64>();
        let all: Vec<(Vec<f64>, bool)> = similar
            .iter()
            .map(|p| (off(p), true))
            .chain(dissimilar.iter().map(|p| (off(p), false)))
            .filter(|(z, _)| square(z) > 0.0)
            .collect();
        if all.is_empty() {
            return Err(Error::Evidence {
                what: "there is no pair of objects that differ in their features".into(),
                remedy: "give pairs, and features in which they differ".into(),
            });
        }
        let mut squares: Vec<f64> = all.iter().map(|(z, _)| square(z)).collect();
        squares.sort_by(f64::total_cmp);
        let at = |share: f64| squares[(share * (squares.len() - 1) as f64).round() as usize];
        let (near, far) = (at(0.05), at(0.95));
        let bounds: Vec<Bound> =
            all.into_iter().map(|(z, above)| Bound { z, at: if above { near } else { far }, above }).collect();
        let mut metric = Array2::eye(ground.width());
        let (clock, mut stop) = (run.clock(), None);
        let ended =
            logdet::project(&mut metric, &bounds, self.slack, self.tolerance, self.max_iter, |sweep, change| {
                stop = clock.tick(&Step::new("projecting", (0, 1), sweep, Some(self.max_iter), change));
                stop.is_none()
            });
        let (values, vectors) =
            dense::eigh(metric.view()).map_err(|_| Error::Numerical { what: "the axes of a metric".into() })?;
        let factor = &vectors * &values.mapv(|v| v.max(0.0).sqrt());
        let mut fit = ground.linear("itml", &factor, self.dim, run)?;
        let report = &mut fit.report;
        report.iterations = ended.sweeps;
        report.stop = stop.unwrap_or(if ended.settled { Stop::Converged } else { Stop::IterationLimit });
        report.objective = metric.diag().sum() - values.iter().map(|v| v.max(f64::MIN_POSITIVE).ln()).sum::<f64>();
        report.objective_is = "tr M - log det M".into();
        if self.pairs.is_none() {
            report.became("pairs", drawn.unwrap_or(similar.len() + dissimilar.len()));
        }
        report.by(self);
        *report = report
            .clone()
            .figure("similar", similar.len())
            .figure("dissimilar", dissimilar.len())
            .figure("near", near)
            .figure("far", far);
        Ok(fit)
    }
}

impl Embed<(&Features, &Pairs)> for Itml {
    type Model = Linear;
    fn fit_with(&self, (features, pairs): (&Features, &Pairs), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        let at = places(pairs.objects(), features.objects())?;
        self.fitted(features, &given(pairs, &at), None, run)
    }
}

impl Embed<(&Features, &Sorts)> for Itml {
    type Model = Linear;
    fn fit_with(&self, (features, sorts): (&Features, &Sorts), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        let groups = Groups::of_classes(sorts, features.objects(), 2)?;
        let (pairs, count) = drawn(&groups, self.pairs, run.seed());
        self.fitted(features, &pairs, Some(count), run)
    }
}
