//! Local distance metric learning (Yang et al.): the likelihood that each object chooses one of its own.

use ndarray::Array2;
use nearer_num::softmin::{self, Ask};

use crate::error::Error;
use crate::evidence::{Features, Pairs, Sorts};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::features::ground::{Ground, STANDARDISE};
use crate::method::features::groups::Groups;
use crate::method::features::nca::{Expected, NcaStart, Neighbours, RANK};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Linear;
use crate::settings::{configured, settable};
use crate::solve::Run;
use crate::solve::descent::{Limits, Objective as _, descend};

/// Local distance metric learning (Yang et al.).
///
/// ```text
/// max  Σ_i log ( Σ_{j like i} exp(-d²(i, j)) / Σ_{j judged with i} exp(-d²(i, j)) )      d² = |A x_i - A x_j|²
/// ```
///
/// The likelihood that every object chooses one that is like it. The sum within the logarithm lets each object be near to *some* of
/// its own: classes of several heaps need not be pulled into one, which is what makes the metric local. Where `nca` counts objects
/// that choose rightly, this one minds most those that hardly ever do.
///
/// # Takes
/// [`Features`] with classes ([`Sorts`]) or with [`Pairs`].
/// # Places
/// Anything with the same features ([`Linear`]).
/// # Cost
/// As `nca`: `O(n² rank)` an evaluation from classes, `O(m rank)` from `m` pairs.
/// # Fails
/// [`Error::Evidence`] where all objects are of one class, or none has both one like it and one unlike it.
/// # Reference
/// Yang, Jin, Sukthankar and Liu (2006), *An efficient algorithm for local distance metric learning*.
///
/// ```
/// use nearer::{Embed, method::LocalMetric, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, classes) = toy::classed(60, 3, 4, 1);
/// let fit = LocalMetric::new(2).fit((&features, &classes))?;
/// assert!(fit.report.objective > -20.0);                // the log-likelihood of 60 choices
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LocalMetric {
    dim: usize,
    rank: Option<usize>,
    max_iter: usize,
    eps: f64,
    standardise: bool,
}

configured!(LocalMetric { dim: "dim", rank: "rank", max_iter: "max-iter", eps: "eps", standardise: "unit-variance" });

pub(crate) static METHOD: Method = Method {
    name: "local-metric",
    aliases: &["ldm"],
    summary: "features with classes or pairs: the metric under which each object most likely chooses some one of its own",
    solves: "max Σ_i log(Σ_{like i} exp(-d²) / Σ_{judged with i} exp(-d²))",
    ways: &[way::<LocalMetric, (Features, Sorts)>(), way::<LocalMetric, (Features, Pairs)>()],
    parameters: &[
        DIM,
        RANK,
        Parameter::count("max-iter", 1..=1_000_000, 200).says("largest number of iterations"),
        Parameter::number("eps", Kind::Number { min: 0.0, max: 1.0 }, 1e-6)
            .says("ends when three iterations raise the objective by no more than this share"),
        STANDARDISE,
    ],
    places: "by features alone",
    cost: "O(n² r) time an evaluation for rank r, some 50 evaluations; 40 n q bytes, and 8 n² up to 4,096 objects",
    reference: "Yang et al. 2006",
    needs: |s, settings| {
        let r = settings.count("rank").or(settings.count("dim")).unwrap_or(2) as f64;
        let q = s.columns.max(1) as f64;
        let seconds = 60.0 * s.n() * (s.n() * (4e-9 + 4e-10 * r) + 2e-10 * q * r);
        Needs::new(1e-3 + seconds, 40.0 * s.n() * (q + r) + 2100.0 * s.n() + softmin::kept(s.objects))
    },
    again: again::<LocalMetric>,
};

impl LocalMetric {
    /// A map of `dim` dimensions, learned as such.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        LocalMetric { dim, rank: None, max_iter: 200, eps: 1e-6, standardise: false }
    }
    settable! {
        /// With a metric of this rank, of which the map shows the widest axes.
        rank: usize,
        /// With each feature divided by its standard deviation first.
        standardise: bool,
    }

    fn learned(&self, ground: &Ground<'_>, neighbours: Neighbours, run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        let rank = self.rank.unwrap_or(self.dim);
        ground.require("rank", rank)?;
        ground.require("dim", self.dim)?;
        let loss = Expected::new(&ground.values, neighbours, rank, NcaStart::Lda, Ask::Likelihood);
        let limits = Limits { max_iter: self.max_iter, eps: self.eps };
        let (best, _) = descend(&loss, Some(1), limits, run)?;
        let factor = Array2::from_shape_vec(loss.shape(), best.at).expect("as many numbers");
        let mut fit = ground.linear("local-metric", &factor, self.dim, run)?;
        let report = &mut fit.report;
        report.stop = best.stop;
        report.iterations = best.iterations;
        report.objective = -best.value;
        report.objective_is = "log-likelihood that each object chooses one of its own".into();
        report.became("rank", rank);
        report.by(self);
        Ok(fit)
    }
}

impl Embed<(&Features, &Sorts)> for LocalMetric {
    type Model = Linear;
    fn fit_with(&self, (features, sorts): (&Features, &Sorts), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        METHOD.afford(features, self, run, "give fewer features, or a smaller rank")?;
        order::features_by_label(features, |features| {
            let ground = Ground::of_features(features, self.standardise, false)?;
            let groups = Groups::of_classes(sorts, ground.objects(), 2)?;
            self.learned(&ground, Neighbours::Groups(groups), run)
        })
    }
}

impl Embed<(&Features, &Pairs)> for LocalMetric {
    type Model = Linear;
    fn fit_with(&self, (features, pairs): (&Features, &Pairs), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        METHOD.afford(features, self, run, "give fewer features, or a smaller rank")?;
        order::features_by_label(features, |features| {
            let ground = Ground::of_features(features, self.standardise, false)?;
            let neighbours = Neighbours::judged(pairs, ground.objects())?;
            self.learned(&ground, neighbours, run)
        })
    }
}
