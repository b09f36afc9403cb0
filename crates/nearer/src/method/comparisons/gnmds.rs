//! Generalised non-metric scaling: comparisons as a convex program.

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::fit::{Embed, Fit};
use crate::method::common::{self, DIM};
use crate::method::convex::{self, Convex, ENGINE, GAP, REFINE};
use crate::method::cost::Needs;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Ordinal;
use crate::program;
use crate::report::Input;
use crate::settings::{configured, settable};
use crate::solve::Run;

/// Generalised non-metric multidimensional scaling.
///
/// ```text
/// min  ⟨H, G⟩ + slack Σ w_t [margin_t + d²(near_t) - d²(far_t)]₊     over positive semidefinite G
/// ```
///
/// `⟨H, G⟩` is the sum of squares of the points about their centre; small it favours few dimensions. Contradictory answers
/// are paid for, not forbidden. The weight of that decides whether there is a map at all: far above the scale of the noise every
/// answer makes a direction of its own, far below it all points fall together. The default is the inverse of the norm that the
/// same answers would have with random signs (`noise_slack`), times [`Gnmds::NOISE`]. At once that
/// scale, noise just makes no direction; above it the rank of the solution and the time grow fast, and the map of few
/// dimensions, which is refined in its own, hardly predicts better. The multiple was chosen on half of six public sets as the
/// least whose held-out error in the plane is within a standard error of the best (`bench/gnmds_slack.py`):
///
/// | times the noise | 1 | 2 | 4 | 8 | 16 |
/// |---|---|---|---|---|---|
/// | error, sets it was chosen on | 0.244 | 0.224 | 0.222 | 0.225 | 0.222 |
/// | error, the others | 0.273 | 0.266 | 0.261 | 0.257 | 0.265 |
/// | rank, musicians (399 objects) | 10 | 16 | 22 | 28 | 29 |
/// | rank, materials (100 objects) | 4 | 14 | 32 | 47 | 60 |
/// | seconds, planted, 500 objects, 100,000 answers | 5 | 5 | 26 | gap 3.3e-01 after 40 | gap 5.1e-01 after 40 |
///
/// # Takes
/// [`Comparisons`], contradictory or not.
/// # Places
/// New objects by their own comparisons with old ones ([`Ordinal`]).
/// # Cost
/// Rounds of minimisations in a factor of few columns: `O(n² r + N)` a step for `N` comparisons, of which settled ones are left
/// out; memory `O(n² + N)`.
/// # Certificate
/// `Σ y margin / max(1, 1 - λ_min(S(y)))`; the gap is a share of the objective.
/// # Fails
/// [`Error::Evidence`] without a comparison.
/// # Reference
/// Agarwal, Wills, Cayton, Lanckriet, Kriegman and Belongie (2007), *Generalized non-metric multidimensional scaling*.
///
/// ```
/// use nearer::{Embed, method::Gnmds, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// // Nobody errs here, so a broken answer may be dear.
/// let fit = Gnmds::new(2).slack(1.0).fit(&toy::answers(12, 2, 400, 0.0, 1))?.certified(1e-4)?;
/// assert!(fit.report.agreement > Some(0.9));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Gnmds {
    convex: Convex,
    slack: Option<f64>,
}

convex::setters!(Gnmds);

configured!(Gnmds [convex] { slack: "slack" });

pub(crate) static METHOD: Method = Method {
    name: "gnmds",
    aliases: &["generalized-nmds", "generalised-nmds"],
    summary: "comparisons as a convex program: contradictions are paid for, and the answer is proved to be the best",
    solves: "min ⟨H, G⟩ + slack Σ w [margin + d²(near) - d²(far)]₊, G psd",
    ways: &[way::<Gnmds, Comparisons>()],
    parameters: &[
        DIM,
        Parameter::auto("slack", Kind::PRICE)
            .says("what a broken comparison costs; auto measures the scale of the noise and takes a multiple of it"),
        GAP,
        ENGINE,
        REFINE,
    ],
    places: "by descent on the object's own comparisons, old points fixed",
    cost: "O(n² r + N) time per step for N comparisons, rank r; 88 n² bytes and 150 a comparison",
    reference: "Agarwal, Wills, Cayton, Lanckriet, Kriegman & Belongie 2007",
    needs: |s, _| {
        Needs::new(compared(s.n(), s.m()), 88.0 * s.n().powi(2) + 4000.0 * s.n() + s.comparisons() + 150.0 * s.m())
    },
    again: again::<Gnmds>,
};

impl Gnmds {
    /// The default slack is this many times the scale of the noise.
    pub const NOISE: f64 = 2.0;

    /// A map of `dim` dimensions, with the slack measured from the answers.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Gnmds { convex: Convex::new(dim, true), slack: None }
    }
    settable! {
        /// With this slack: what a broken comparison of weight 1 costs.
        slack: f64,
    }
}

impl Embed<&Comparisons> for Gnmds {
    type Model = Ordinal;
    fn fit_with(&self, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        let n = c.objects().len();
        common::require_dim(n, self.convex.dim)?;
        common::require_comparisons(c)?;
        METHOD.afford(c, self, run, "map fewer objects, or a sample of the comparisons")?;
        run.install(|| {
            let slack = match self.slack {
                Some(slack) if slack.is_finite() && slack > 0.0 => slack,
                Some(slack) => return Err(positive("slack", slack)),
                None => Self::NOISE * program::noise_slack(c, run.seed()),
            };
            let program = program::gnmds(c, slack)?;
            let mapped = self.convex.map("gnmds", &program, c.objects(), None, run)?;
            let mut report = mapped.report;
            report.became("slack", slack);
            report.by(self);
            common::warn_line(&mut report, self.convex.dim);
            report.objective_is = "⟨H, G⟩ + slack Σ w [margin + d²(near) - d²(far)]₊".into();
            report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
            report.agreement = Some(common::holding(&mapped.embedding, c) as f64 / c.len() as f64);
            let model = Ordinal::new(mapped.embedding.clone()).with_usual_margin(common::usual_margin(c));
            Ok(Fit::new(mapped.embedding, model, report).witnessed(mapped.witness))
        })
    }
}

/// Seconds for `rows` comparisons of `n` objects, at the default slack: answers are seen in every step, and the factor is
/// orthogonalised now and then.
pub(crate) fn compared(n: f64, rows: f64) -> f64 {
    1.2e-5 * n * n + 4e-5 * rows
}

/// A parameter that must be a positive number.
pub(crate) fn positive(name: &str, value: f64) -> Error {
    Error::Parameter { name: name.into(), value: value.to_string(), expected: "a finite number above 0".into() }
}
