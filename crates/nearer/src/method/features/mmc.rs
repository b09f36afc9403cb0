//! Distance metric learning with side information (Xing et al.): those unlike each other far apart, those alike within a bound.

use crate::error::Error;
use crate::evidence::{Features, Pairs, Sorts};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::features::ground::{Ground, STANDARDISE, directions};
use crate::method::features::lmnn::variance;
use crate::method::features::sided::{PAIRS, PAIRS_AN_OBJECT, Sided};
use crate::method::features::solved::{self, GAP, MAX_ITER};
use crate::method::proof;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Linear;
use crate::program::{MetricAsk, MetricProgram};
use crate::settings::{configured, settable, words};
use crate::solve::Run;
use crate::text::said_of;

/// The metric of Xing et al. (*MMC*): a concave program with its proof.
///
/// ```text
/// max  Σ_dissimilar d(i, j)      Σ_similar d²(i, j) + ridge tr M ≤ 1,      d² = (x - x')ᵗ M (x - x'),  M ⪰ 0
/// ```
///
/// Without the `ridge` the program is unbounded as soon as a dissimilar difference leaves the span of the similar ones; it is a
/// share of the mean variance of the similar pairs, and part of what is certified. Coordinates in which the bounded form is a
/// trace turn the paper's alternating projections into one smooth ascent; for any numbers `e` the objective is at most
/// `Σ e/2 + Σ d²/(2e)`, which is linear in `M`: that is the proof.
///
/// # Takes
/// [`Features`] with [`Pairs`] of both kinds, or with classes ([`Sorts`]), of which `pairs` of each kind are drawn by the seed
/// and counted in the report.
/// # Places
/// Anything with the same features ([`Linear`]).
/// # Cost
/// `O(m q)` an evaluation for `m` pairs and a factor of full rank times its columns; some hundred.
/// # Certificate
/// Bound, gap and file; `verify` states the question again.
/// # Fails
/// [`Error::Evidence`] without a pair of each kind, or where all dissimilar pairs have the same features.
/// # Reference
/// Xing, Ng, Jordan and Russell (2002), *Distance metric learning, with application to clustering with side-information*.
///
/// ```
/// use nearer::{Embed, method::Mmc, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, classes) = toy::classed(60, 3, 4, 1);
/// let fit = Mmc::new(2).fit((&features, &classes))?.certified(1e-3)?;
/// assert!(fit.report.certificate.expect("it is convex").bound() >= fit.report.objective);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mmc {
    dim: usize,
    form: MmcForm,
    pairs: Option<usize>,
    ridge: f64,
    gap: f64,
    max_iter: usize,
    standardise: bool,
}

/// Which metrics are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MmcForm {
    /// All of them.
    #[default]
    Full,
    /// A weight for each feature.
    Diagonal,
}

words!(MmcForm { "full" => MmcForm::Full, "diagonal" => MmcForm::Diagonal });
configured!(Mmc {
    dim: "dim",
    form: "form",
    pairs: "pairs",
    ridge: "ridge",
    gap: "gap",
    max_iter: "max-iter",
    standardise: "unit-variance",
});

pub(crate) static METHOD: Method = Method {
    name: "mmc",
    aliases: &["xing"],
    summary: "features with pairs or classes: those not alike as far apart as can be while those alike stay within a bound, with a proof",
    solves: "max Σ_dissimilar d, Σ_similar d² + ridge tr M ≤ 1, M ⪰ 0 (or diagonal)",
    ways: &[way::<Mmc, (Features, Pairs)>(), way::<Mmc, (Features, Sorts)>()],
    parameters: &[
        DIM,
        Parameter::choice::<MmcForm>("form", "full").says("a full metric, or a weight for each feature"),
        PAIRS,
        Parameter::number("ridge", Kind::POSITIVE, Mmc::RIDGE)
            .says("the weight of tr M, as a share of the mean variance of similar pairs"),
        GAP,
        MAX_ITER,
        STANDARDISE,
    ],
    places: "by features alone",
    cost: "O(m q r + n q r) time an evaluation for m pairs and rank r, some hundred; 60 n q bytes and 40 a pair",
    reference: "Xing et al. 2002",
    needs: |s, settings| {
        let q = s.columns.max(1) as f64;
        let w = directions(s);
        let r = w.min(100.0);
        let m = s.m().max(settings.count("pairs").unwrap_or(PAIRS_AN_OBJECT * s.objects) as f64);
        let seconds = 1e-3 + 150.0 * (2e-9 * m * r + 4e-10 * s.n() * w * r) + 2e-9 * s.n() * q * w + 2e-8 * w.powi(3);
        Needs::new(seconds, 60.0 * s.n() * q + 64.0 * w * w + 40.0 * m + 1000.0 * s.n())
    },
    again: again::<Mmc>,
};

impl Mmc {
    /// The default ridge, as a share of the mean variance of similar pairs.
    pub const RIDGE: f64 = 0.01;

    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Mmc {
            dim,
            form: MmcForm::Full,
            pairs: None,
            ridge: Self::RIDGE,
            gap: 1e-3,
            max_iter: 10_000,
            standardise: false,
        }
    }
    settable! {
        /// Which metrics are meant.
        form: MmcForm,
        /// With so many pairs of each kind, drawn from classes.
        pairs: usize,
        /// With this weight of the trace, as a share of the mean variance of similar pairs.
        ridge: f64,
        /// Ends when the metric is proved to be within this share of the best; 1e-3 by default.
        gap: f64,
        /// With each feature divided by its standard deviation first.
        standardise: bool,
    }

    fn fitted(&self, features: &Features, sided: &Sided, run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        METHOD.afford(features, self, run, "give fewer features or pairs")?;
        let diagonal = self.form == MmcForm::Diagonal;
        let ground = Ground::of_features(features, self.standardise, diagonal)?;
        ground.require("dim", self.dim)?;
        let (similar, all) = (&sided.similar, &sided.dissimilar);
        let differ = |p: &&(u32, u32, f64)| ground.values.row(p.0 as usize) != ground.values.row(p.1 as usize);
        if let Some(pair) = all.iter().find(|p| !differ(p) && features.row(p.0 as usize) != features.row(p.1 as usize))
        {
            return Err(swallowed(features, pair.0 as usize, pair.1 as usize));
        }
        let dissimilar: Vec<_> = all.iter().filter(differ).copied().collect();
        for (kind, some, what) in [
            ("alike", similar.is_empty(), "rca needs pairs that are alike alone, and mmc both kinds"),
            ("not alike", all.is_empty(), "mmc needs pairs of both kinds; rca is content with those alike"),
        ] {
            if some {
                return Err(Error::Evidence { what: format!("no pair is said to be {kind}"), remedy: what.into() });
            }
        }
        if dissimilar.is_empty() {
            return Err(Error::Evidence {
                what: "the features of every pair that is not alike are the same, so no metric tells them apart".into(),
                remedy: "give features in which they differ".into(),
            });
        }
        let ridge = self.ridge * variance(&ground, similar.iter().copied());
        let left_out = all.len() - dissimilar.len();
        let counts = (similar.len(), dissimilar.len());
        let ask = MetricAsk::Apart { similar: similar.clone(), dissimilar, ridge, diagonal };
        let program = MetricProgram { values: ground.values.clone(), ask, spanned: false };
        let answer = solved::solved(&program, self.gap, self.max_iter, run)?;
        let mut fit = ground.linear("mmc", &answer.candidate.factor, self.dim, run)?;
        let report = &mut fit.report;
        proof::proved(report, &answer, self.gap);
        report.objective_is = "Σ d over dissimilar pairs".into();
        if left_out > 0 {
            let pairs = said_of(left_out, "pair that is not alike has", "pairs that are not alike have");
            report
                .warnings
                .push(format!("{pairs} the same features: no metric tells them apart, and that does not count"));
        }
        report.by(self);
        report.became("weight", ridge);
        sided.tell(report, self.pairs, counts);
        Ok(ground.witnessed(fit, program, answer.candidate))
    }
}

/// Two objects that are not alike, whose difference is lost beside the mean of a feature.
fn swallowed(features: &Features, a: usize, b: usize) -> Error {
    let differs = |k: &usize| features.values()[(a, *k)] != features.values()[(b, *k)];
    let k = (0..features.columns().len()).find(differs).unwrap_or(0);
    let (mean, name) = (features.spreads()[k].0, |i: usize| &features.objects().labels()[i]);
    Error::Evidence {
        what: format!(
            "in the feature `{}` the objects `{}` and `{}`, which are not alike, differ by {:e}, which is nothing beside its mean of {mean:e}",
            features.columns()[k],
            name(a),
            name(b),
            (features.values()[(a, k)] - features.values()[(b, k)]).abs()
        ),
        remedy: "leave out the objects that are so far away, or give the logarithm of the feature".into(),
    }
}

impl Embed<(&Features, &Pairs)> for Mmc {
    type Model = Linear;
    fn fit_with(&self, (features, pairs): (&Features, &Pairs), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        order::metric_by_label(features, |f| self.fitted(f, &Sided::given(pairs, f)?, run))
    }
}

impl Embed<(&Features, &Sorts)> for Mmc {
    type Model = Linear;
    fn fit_with(&self, (features, sorts): (&Features, &Sorts), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        order::metric_by_label(features, |f| self.fitted(f, &Sided::drawn(sorts, f, self.pairs, run.seed())?, run))
    }
}
