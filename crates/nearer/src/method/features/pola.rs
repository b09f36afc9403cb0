//! POLA: a metric learned online, one pair at a time.

use crate::error::Error;
use crate::evidence::{Features, Pairs};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::cost::Needs;
use crate::method::features::ground::{Ground, STANDARDISE};
use crate::method::features::groups::places;
use crate::method::features::online::Online;
use crate::method::table::{Method, Parameter, again, way};
use crate::model::Linear;
use crate::settings::{configured, settable};
use crate::solve::{Run, Step};

/// POLA over a file of pairs, in the order of its rows: see [`Online`].
///
/// ```text
/// (A, b) ← (A, b) + loss / (|v|⁴ + 1) · (-y v vᵗ, y),   A ⪰ 0,  b ≥ 1,      loss = [1 - y (b - vᵗ A v)]₊
/// ```
///
/// # Takes
/// [`Features`] with [`Pairs`]. `nearer learn` takes the pairs from a stream, and goes on where a model left off.
/// # Places
/// Anything with the same features ([`Linear`]).
/// # Cost
/// `O(q²)` a pair, `O(q³)` where a pair that is alike cost something; `O(q²)` memory.
/// # Fails
/// [`Error::Evidence`] where there is no pair, or nothing was learned.
/// # Reference
/// Shalev-Shwartz, Singer and Ng (2004), *Online and batch learning of pseudo-metrics*.
///
/// ```
/// use nearer::{Embed, method::Pola, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, classes) = toy::classed(60, 3, 2, 1);
/// let fit = Pola::new(2).fit((&features, &classes.pairs(1000, 1)?))?;
/// assert!(fit.report.figures.contains_key("mistakes"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pola {
    dim: usize,
    passes: usize,
    standardise: bool,
}

configured!(Pola { dim: "dim", passes: "passes", standardise: "unit-variance" });

pub(crate) static METHOD: Method = Method {
    name: "pola",
    aliases: &["pseudo-metric-online-learning"],
    summary: "features with pairs, one at a time: a metric and a threshold that each pair corrects, also from a stream",
    solves: "(A, b) ← (A, b) + loss/(|v|⁴+1) (-y v vᵗ, y), A ⪰ 0, b ≥ 1, loss = [1 - y (b - vᵗ A v)]₊",
    ways: &[way::<Pola, (Features, Pairs)>()],
    parameters: &[
        DIM,
        Parameter::count("passes", 1..=1_000_000, 1)
            .says("how often all pairs are gone through, in the order of their rows"),
        STANDARDISE,
    ],
    places: "by features alone",
    cost: "O(q²) time a pair, O(q³) where one that is alike costs something; 16 q² + 40 n q bytes",
    reference: "Shalev-Shwartz, Singer & Ng 2004",
    needs: |s, _| {
        let q = s.columns.max(1) as f64;
        Needs::new(
            1e-3 + s.m() * (1e-8 + 2e-9 * q * q + 2e-9 * q.powi(3)),
            60.0 * s.n() * q + 40.0 * q * q + 64.0 * s.m() + 1000.0 * s.n(),
        )
    },
    again: again::<Pola>,
};

impl Pola {
    /// A map of `dim` dimensions, after one pass.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Pola { dim, passes: 1, standardise: false }
    }
    settable! {
        /// With so many passes.
        passes: usize,
        /// With each feature divided by its standard deviation first.
        standardise: bool,
    }

    /// The fit with what the learner has to tell.
    pub(super) fn told(&self, learner: &Online, mut fit: Fit<Linear>) -> Result<Fit<Linear>, Error> {
        if learner.metric().iter().all(|v| *v == 0.0) {
            return Err(Error::Evidence {
                what: "the metric is zero: no pair that is not alike asked for a distance".into(),
                remedy: "give pairs of both kinds that differ in their features".into(),
            });
        }
        let report = &mut fit.report;
        report.iterations = self.passes;
        report.objective = learner.squared_losses();
        report.objective_is = "sum of squared losses on the way".into();
        report.by(self);
        *report = report
            .clone()
            .figure("threshold", learner.threshold())
            .figure("pairs", learner.pairs() as usize)
            .figure("mistakes", learner.mistakes() as usize);
        Ok(fit)
    }
}

impl Embed<(&Features, &Pairs)> for Pola {
    type Model = Linear;
    fn fit_with(&self, (features, pairs): (&Features, &Pairs), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        METHOD.afford(features, self, run, "give fewer features")?;
        let ground = Ground::of_features(features, self.standardise, false)?;
        ground.require("dim", self.dim)?;
        let at = places(pairs.objects(), ground.objects())?;
        if pairs.is_empty() {
            return Err(Error::Evidence {
                what: "there is no pair to learn from".into(),
                remedy: "give pairs that are alike or not".into(),
            });
        }
        pairs.plain("pola")?;
        let mut learner = Online::new(ground.width());
        let step = if pairs.is_mirrored() { 2 } else { 1 };
        let (clock, mut stop) = (run.clock(), None);
        'all: for pass in 1..=self.passes {
            for row in pairs.iter().step_by(step) {
                let v = &ground.values.row(at[row.from.index()]) - &ground.values.row(at[row.to.index()]);
                learner.learn(&v.to_vec(), row.similar);
                if learner.pairs().is_multiple_of(1000) {
                    stop =
                        clock.tick(&Step::new("learning", (0, 1), pass, Some(self.passes), learner.squared_losses()));
                    if stop.is_some() {
                        break 'all;
                    }
                }
            }
        }
        let mut fit = self.told(&learner, ground.linear("pola", &learner.factor()?, self.dim, run)?)?;
        fit.report.stop = stop.unwrap_or(fit.report.stop);
        Ok(fit)
    }
}
