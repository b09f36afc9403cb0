//! Stochastic triplet embedding over Gram matrices: a likelihood whose best map is proved to be the best.

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::fit::{Embed, Fit};
use crate::method::common::{self, DIM};
use crate::method::comparisons::gnmds::positive;
use crate::method::convex::{Convex, GAP, REFINE};
use crate::method::cost::Needs;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Ordinal;
use crate::program;
use crate::report::Input;
use crate::settings::{configured, settable};
use crate::solve::{Engine, Run};

/// Stochastic triplet embedding as a convex program.
///
/// ```text
/// min  trace ⟨H, G⟩ + Σ w_t ln(1 + exp(d²(near_t) - d²(far_t)))     over positive semidefinite G
/// ```
///
/// In the squared distances the likelihood of [`Ste`](crate::method::Ste) is convex; the prior of the coordinates, `⟨H, G⟩`, is their
/// sum of squares about the centre. So there are no false optima, and multipliers between 0 and `w_t` prove how near to the best
/// the solution is: `Σ w_t h(y_t / w_t)`, with `h` the entropy of a coin, is below every value where `trace H + Σ y_t (L(near_t) -
/// L(far_t))` has no negative eigenvalue. The solution has as many dimensions as the answers want; the map is its leading ones,
/// by default refined in their own number, with the distance from the bound in the report. Each comparison counts for itself: an odd-one-out is two.
///
/// The usual trace is a half of the norm that the same answers would have with random signs, divided by [`ConvexSte::NOISE`]: at
/// once that, answers at random make no direction.
///
/// # Takes
/// [`Comparisons`], contradictory or not. Margins are left out.
/// # Places
/// New objects by their own comparisons with old ones ([`Ordinal`]).
/// # Cost
/// One pass over the comparisons and the columns of the solution a step, some hundreds to thousands; a dense eigenproblem of `n²`
/// numbers, 88 n² bytes, a round.
/// # Fails
/// [`Error::Evidence`] without a comparison.
/// # Reference
/// van der Maaten and Weinberger (2012), *Stochastic triplet embedding*, there over kernels by projected gradients; the proof is ours.
///
/// ```
/// use nearer::{Embed, method::ConvexSte, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = ConvexSte::new(2).fit(&toy::answers(12, 2, 300, 0.1, 1))?;
/// assert!(fit.report.certificate.expect("proved").is_within(1e-5));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexSte {
    dim: usize,
    trace: Option<f64>,
    gap: f64,
    refine: bool,
}

configured!(ConvexSte { dim: "dim", trace: "trace", gap: "gap", refine: "refine" });

pub(crate) static METHOD: Method = Method {
    name: "convex-ste",
    aliases: &["ste-k", "convex-stochastic-triplet-embedding"],
    summary: "ste in squared distances, where it is convex: the likeliest solution, and a proof that there is none better",
    solves: "min trace ⟨H, G⟩ + Σ w ln(1 + exp(d²(near) - d²(far))), G psd",
    ways: &[way::<ConvexSte, Comparisons>()],
    parameters: &[
        DIM,
        Parameter::auto("trace", Kind::POSITIVE)
            .says("what the sum of squares of the coordinates costs; auto measures the scale of the noise"),
        GAP,
        REFINE,
    ],
    places: "by descent on the object's own comparisons, old points fixed",
    cost: "O(N r) time per step for N comparisons, rank r, and O(n³) a round; 88 n² bytes and 150 a comparison",
    reference: "van der Maaten & Weinberger 2012",
    needs: |s, _| {
        let bytes = 88.0 * s.n().powi(2) + 4000.0 * s.n() + s.comparisons() + 150.0 * s.m();
        Needs::new(2e-9 * s.n().powi(3) + 1e-4 * s.m(), bytes)
    },
    again: again::<ConvexSte>,
};

impl ConvexSte {
    /// The usual trace is the scale of the noise divided by this.
    pub const NOISE: f64 = 2.0;

    /// A map of `dim` dimensions, the trace measured from the answers.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        ConvexSte { dim, trace: None, gap: 1e-5, refine: true }
    }
    settable! {
        /// With this cost of the sum of squares of the coordinates.
        trace: f64,
        /// Ends when the solution is proved to be within this share of the best possible; 1e-5 by default.
        gap: f64,
        /// Whether to descend from the leading axes of the solution in the dimensions of the map.
        refine: bool,
    }
}

impl Embed<&Comparisons> for ConvexSte {
    type Model = Ordinal;
    fn fit_with(&self, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        let n = c.objects().len();
        common::require_dim(n, self.dim)?;
        common::require_comparisons(c)?;
        METHOD.afford(c, self, run, "map fewer objects, or a sample of the comparisons")?;
        run.install(|| {
            let trace = match self.trace {
                Some(trace) if trace.is_finite() && trace > 0.0 => trace,
                Some(trace) => return Err(positive("trace", trace)),
                // At points in one place every answer pulls with half of its weight.
                None => 0.5 / (Self::NOISE * program::noise_slack(c, run.seed())),
            };
            let program = program::ste(c, trace)?;
            let convex = Convex { dim: self.dim, gap: self.gap, engine: Engine::Auto, refine: self.refine };
            let mapped = convex.map("convex-ste", &program, c.objects(), None, run)?;
            let mut report = mapped.report;
            report.became("trace", trace);
            report.by(self);
            common::warn_line(&mut report, self.dim);
            if c.iter().any(|row| row.margin != 1.0) {
                report
                    .warnings
                    .push("convex-ste asks only which pair is nearer: the margins of the answers are left out".into());
            }
            report.objective_is = "trace ⟨H, G⟩ + Σ w ln(1 + exp(d²(near) - d²(far)))".into();
            report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
            report.agreement = Some(common::holding(&mapped.embedding, c) as f64 / c.len() as f64);
            let model = Ordinal::new(mapped.embedding.clone()).with_usual_margin(common::usual_margin(c));
            Ok(Fit::new(mapped.embedding, model, report).witnessed(mapped.witness))
        })
    }
}
