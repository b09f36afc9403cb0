//! Distance metric learning with side information (Xing et al.): those unlike each other far apart, those alike within a bound.

use crate::error::Error;
use crate::evidence::{Features, Pairs, Sorts, sampled_pairs};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::cost::Needs;
use crate::method::features::ground::{Ground, STANDARDISE};
use crate::method::features::groups::{Groups, places};
use crate::method::features::lmnn::variance;
use crate::method::features::solved::{self, GAP, MAX_ITER};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Linear;
use crate::program::{MetricAsk, MetricProgram};
use crate::settings::{Value, Worded as _, configured, words};
use crate::solve::Run;

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

/// How many pairs are drawn from classes.
pub(crate) const PAIRS: Parameter = Parameter {
    name: "pairs",
    kind: Kind::Count { min: 1, max: 100_000_000 },
    or: &["auto"],
    default: Value::Auto,
    doc: "from classes, pairs of each kind that are drawn by the seed; auto takes ten an object, or all there are",
};

/// Pairs of each kind, an object, that `auto` draws.
pub(crate) const PAIRS_AN_OBJECT: usize = 10;

pub(crate) static METHOD: Method = Method {
    name: "mmc",
    aliases: &["xing"],
    summary: "features with pairs or classes: those not alike as far apart as can be while those alike stay within a bound, with a proof",
    solves: "max Σ_dissimilar d, Σ_similar d² + ridge tr M ≤ 1, M ⪰ 0 (or diagonal)",
    ways: &[way::<Mmc, (Features, Pairs)>(), way::<Mmc, (Features, Sorts)>()],
    parameters: &[
        DIM,
        Parameter {
            name: "form",
            kind: Kind::Choice(MmcForm::WORDS),
            or: &[],
            default: Value::of_word("full"),
            doc: "a full metric, or a weight for each feature",
        },
        PAIRS,
        Parameter {
            name: "ridge",
            kind: Kind::POSITIVE,
            or: &[],
            default: Value::Number(Mmc::RIDGE),
            doc: "the weight of tr M, as a share of the mean variance of similar pairs",
        },
        GAP,
        MAX_ITER,
        STANDARDISE,
    ],
    places: "by features alone",
    cost: "O(m q r + n q r) time an evaluation for m pairs and rank r, some hundred; 60 n q bytes and 40 a pair",
    reference: "Xing et al. 2002",
    needs: |s, settings| {
        let q = s.columns.max(1) as f64;
        let r = q.min(100.0);
        let m = s.m().max(settings.count("pairs").unwrap_or(PAIRS_AN_OBJECT * s.objects) as f64);
        let seconds = 1e-3 + 150.0 * (2e-9 * m * r + 4e-10 * s.n() * q * r) + 2e-8 * q.powi(3);
        Needs::new(seconds, 60.0 * s.n() * q + 64.0 * q * q + 40.0 * m + 1000.0 * s.n())
    },
    again: again::<Mmc>,
};

impl Mmc {
    /// The default ridge, as a share of the mean variance of similar pairs.
    pub const RIDGE: f64 = 0.01;

    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Mmc { dim, form: MmcForm::Full, pairs: None, ridge: Self::RIDGE, gap: 1e-3, max_iter: 2000, standardise: false }
    }
    /// Which metrics are meant.
    #[must_use]
    pub fn form(mut self, form: MmcForm) -> Self {
        self.form = form;
        self
    }
    /// With so many pairs of each kind, drawn from classes.
    #[must_use]
    pub fn pairs(mut self, count: usize) -> Self {
        self.pairs = Some(count);
        self
    }
    /// With this weight of the trace, as a share of the mean variance of similar pairs.
    #[must_use]
    pub fn ridge(mut self, share: f64) -> Self {
        self.ridge = share;
        self
    }
    /// Ends when the metric is proved to be within this share of the best; 1e-3 by default.
    #[must_use]
    pub fn gap(mut self, gap: f64) -> Self {
        self.gap = gap;
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
        apart: &Sided,
        drawn: Option<usize>,
        run: &Run<'_>,
    ) -> Result<Fit<Linear>, Error> {
        METHOD.afford(features, self, run, "give fewer features or pairs")?;
        let diagonal = self.form == MmcForm::Diagonal;
        let ground = Ground::of_features(features, self.standardise, diagonal)?;
        ground.require("dim", self.dim)?;
        let (similar, all) = apart;
        let differ = |p: &&(u32, u32, f64)| ground.values.row(p.0 as usize) != ground.values.row(p.1 as usize);
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
        let program = MetricProgram { values: ground.values.clone(), ask };
        let answer = solved::solved(&program, self.gap, self.max_iter, run)?;
        let mut fit = ground.linear("mmc", &answer.candidate.factor, self.dim, run)?;
        let report = &mut fit.report;
        answer.tell(report, self.gap);
        report.objective_is = "Σ d over dissimilar pairs".into();
        if left_out > 0 {
            report.warnings.push(format!(
                "{left_out} pairs that are not alike have the same features: no metric tells them apart, and they do not count"
            ));
        }
        if let Some(count) = drawn {
            report.became("pairs", count);
        } else if self.pairs.is_none() {
            report.became("pairs", counts.0 + counts.1);
        }
        report.by(self);
        report.became("weight", ridge);
        *report = report.clone().figure("similar", counts.0).figure("dissimilar", counts.1);
        Ok(ground.witnessed(fit, program, answer))
    }
}

/// Pairs alike and pairs not alike, by row, with weights.
pub(crate) type Sided = (Vec<(u32, u32, f64)>, Vec<(u32, u32, f64)>);

/// The pairs as they were given, each answer once.
pub(crate) fn given(pairs: &Pairs, at: &[usize]) -> Sided {
    let step = if pairs.is_mirrored() { 2 } else { 1 };
    let (mut similar, mut dissimilar) = (Vec::new(), Vec::new());
    for row in pairs.iter().step_by(step) {
        let (a, b) = (at[row.from.index()] as u32, at[row.to.index()] as u32);
        let list = if row.similar { &mut similar } else { &mut dissimilar };
        list.push((a.min(b), a.max(b), row.weight));
    }
    (similar, dissimilar)
}

/// Pairs drawn from classes, and how many of each kind at most.
pub(crate) fn drawn(groups: &Groups, asked: Option<usize>, seed: u64) -> (Sided, usize) {
    let count = asked.unwrap_or(PAIRS_AN_OBJECT * groups.of.len());
    let (similar, dissimilar) = sampled_pairs(&groups.of, count, seed);
    let weighted = |list: Vec<(u32, u32)>| list.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
    ((weighted(similar), weighted(dissimilar)), count)
}

impl Embed<(&Features, &Pairs)> for Mmc {
    type Model = Linear;
    fn fit_with(&self, (features, pairs): (&Features, &Pairs), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        let at = places(pairs.objects(), features.objects())?;
        self.fitted(features, &given(pairs, &at), None, run)
    }
}

impl Embed<(&Features, &Sorts)> for Mmc {
    type Model = Linear;
    fn fit_with(&self, (features, sorts): (&Features, &Sorts), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        let groups = Groups::of_classes(sorts, features.objects(), 2)?;
        let (pairs, count) = drawn(&groups, self.pairs, run.seed());
        self.fitted(features, &pairs, Some(count), run)
    }
}
