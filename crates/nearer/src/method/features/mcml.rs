//! Maximally collapsing metric learning: every class as near to one point as the others are far.

use nearer_num::softmin;

use crate::error::Error;
use crate::evidence::{Features, Sorts};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::features::ground::{Ground, STANDARDISE, directions};
use crate::method::features::groups::Groups;
use crate::method::features::solved::{self, GAP, MAX_ITER};
use crate::method::proof;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Linear;
use crate::program::{MetricAsk, MetricProgram};
use crate::settings::{configured, settable};
use crate::solve::Run;

/// Maximally collapsing metric learning (Globerson and Roweis): a convex program with its proof.
///
/// ```text
/// min  Σ_i KL(even over the class of i ‖ p_i) + trace · n v tr M       p_ij = exp(-d²(i, j)) / Σ_{k ≠ i} exp(-d²(i, k)),  M ⪰ 0
/// ```
///
/// `v` is the mean variance of the features, so that `trace` does not depend on their units. Without it the best metric need not
/// exist: separable classes would be driven apart for ever.
///
/// # Takes
/// [`Features`] with classes ([`Sorts`]).
/// # Places
/// Anything with the same features ([`Linear`]).
/// # Cost
/// `O(n² r + n q r)` an evaluation for a factor of `r ≤ q` columns, some hundred; `O(n (q + r))` memory and a square
/// of all pairs up to 4,096 objects.
/// # Certificate
/// With the gradient `g` at `M`: `F - <g, M> + min(0, λ_min g) F / trace`. Bound, gap and file; `verify` states the question again.
/// # Fails
/// [`Error::Evidence`] where all objects are of one class, or no class has two.
/// # Reference
/// Globerson and Roweis (2005), *Metric learning by collapsing classes*.
///
/// ```
/// use nearer::{Embed, method::Mcml, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, classes) = toy::classed(60, 3, 4, 1);
/// let fit = Mcml::new(2).fit((&features, &classes))?.certified(1e-3)?;
/// assert_eq!(fit.embedding.dim(), 2);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mcml {
    dim: usize,
    trace: f64,
    gap: f64,
    max_iter: usize,
    standardise: bool,
}

configured!(Mcml { dim: "dim", trace: "trace", gap: "gap", max_iter: "max-iter", standardise: "unit-variance" });

pub(crate) static METHOD: Method = Method {
    name: "mcml",
    aliases: &["maximally-collapsing-metric-learning"],
    summary: "features with classes: each class collapsed to one point and kept from the others, with a proof",
    solves: "min Σ_i KL(even over the class of i ‖ softmin of d²(i, ·)) + trace n v tr M, M ⪰ 0",
    ways: &[way::<Mcml, (Features, Sorts)>()],
    parameters: &[
        DIM,
        Parameter::number("trace", Kind::POSITIVE, Mcml::TRACE)
            .says("the weight of tr M, an object and unit of mean variance"),
        GAP,
        MAX_ITER,
        STANDARDISE,
    ],
    places: "by features alone",
    cost: "O(n² r) time an evaluation for rank r, some hundred; 60 n q bytes, and 8 n² up to 4,096 objects",
    reference: "Globerson & Roweis 2005",
    needs: |s, _| {
        let q = s.columns.max(1) as f64;
        let w = directions(s);
        let r = w.min(100.0);
        let each = s.n() * (s.n() * (8e-9 + 4e-10 * r) + 4e-10 * w * r);
        let seconds = 1e-3 + 2e-9 * s.n() * q * w + 200.0 * each + 2e-8 * w.powi(3);
        Needs::new(seconds, 60.0 * s.n() * q + 64.0 * w * w + 3000.0 * s.n() + softmin::kept(s.objects))
    },
    again: again::<Mcml>,
};

impl Mcml {
    /// The default weight of the trace.
    pub const TRACE: f64 = 1e-3;

    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Mcml { dim, trace: Self::TRACE, gap: 1e-3, max_iter: 10_000, standardise: false }
    }
    settable! {
        /// With this weight of the trace, an object and unit of mean variance.
        trace: f64,
        /// Ends when the metric is proved to be within this share of the best; 1e-3 by default.
        gap: f64,
        /// With each feature divided by its standard deviation first.
        standardise: bool,
    }
}

impl Embed<(&Features, &Sorts)> for Mcml {
    type Model = Linear;
    fn fit_with(&self, (features, sorts): (&Features, &Sorts), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        METHOD.afford(features, self, run, "give fewer objects or features")?;
        order::metric_by_label(features, |features| self.learned(features, sorts, run))
    }
}

impl Mcml {
    fn learned(&self, features: &Features, sorts: &Sorts, run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        let ground = Ground::of_features(features, self.standardise, false)?;
        ground.require("dim", self.dim)?;
        let groups = Groups::of_classes(sorts, ground.objects(), 2)?;
        // The sum of squares is n times the variance of all features together.
        let trace = self.trace * ground.values.iter().map(|v| v * v).sum::<f64>() / ground.width() as f64;
        let program = MetricProgram {
            values: ground.values.clone(),
            ask: MetricAsk::Collapse { group: groups.of, trace },
            spanned: false,
        };
        let answer = solved::solved(&program, self.gap, self.max_iter, run)?;
        let mut fit = ground.linear("mcml", &answer.candidate.factor, self.dim, run)?;
        proof::proved(&mut fit.report, &answer, self.gap);
        fit.report.objective_is = "Σ KL(class ‖ neighbours) + trace n v tr M".into();
        fit.report.by(self);
        fit.report.became("weight", trace);
        Ok(ground.witnessed(fit, program, answer.candidate))
    }
}
