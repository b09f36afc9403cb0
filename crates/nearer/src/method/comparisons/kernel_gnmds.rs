//! Generalised non-metric scaling in the span of kernels: a map of features learned from comparisons.

use crate::error::Error;
use crate::evidence::{Comparisons, Kernels};
use crate::fit::{Embed, Fit};
use crate::method::common::{self, DIM};
use crate::method::comparisons::gnmds::positive;
use crate::method::convex::{self, Convex, ENGINE, GAP, REFINE};
use crate::method::cost::Needs;
use crate::method::spanned::{self, Spans};
use crate::method::spanning::{self, BASIS, BASIS_BY, PROJECTION, Spanning};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::KernelMap;
use crate::program::{self, Span};
use crate::report::Input;
use crate::settings::{configured, settable};
use crate::solve::Run;

/// Kernel generalised non-metric scaling: [`Gnmds`](crate::method::Gnmds) with points that are functions of features.
///
/// ```text
/// min  Σ_k tr(Q_k K_k) + slack Σ w_t [margin_t + d²(near_t) - d²(far_t)]₊,   G = Σ_k K_k Q_k K_kᵗ,   Q_k psd
/// ```
///
/// `tr(Q K)` is the squared norm of the map in the feature space of the kernel: smooth functions of the features are cheap.
/// Contradictory answers are paid for. The default slack is [`KernelGnmds::NOISE`] times the inverse of the norm that the same
/// answers would have with random signs, in the span of the kernels. Swept on six public sets (`bench/kernel_gnmds_slack.py`): held-out
/// error in the plane goes on falling slowly with the multiple (2.6, 2.0, 2.4 and 1.7 % at 4, 8, 16 and 32 on one half, 1.8, 1.3,
/// 1.2 and 0.8 % on the other), and so grow rank and time; above 16 some are not solved in twenty seconds.
///
/// # Takes
/// [`Kernels`] with [`Comparisons`], contradictory or not.
/// # Places
/// New objects by their features, or by kernel values against the training objects ([`KernelMap`]).
/// # Cost
/// `O(n q r + N)` a step for `N` comparisons and `q` directions of the basis; memory `O(n² + N)`.
/// # Certificate
/// `Σ y margin / max(1, 1 - λ_min)` of `Φᵗ L(y) Φ` in the principal components of the kernel; the gap is a share of the
/// objective.
/// # Fails
/// [`Error::Evidence`] without a comparison, and for objects without features.
/// # Reference
/// Agarwal, Wills, Cayton, Lanckriet, Kriegman and Belongie (2007), *Generalized non-metric multidimensional scaling*; McFee's
/// survey gives the kernel form as untested.
///
/// ```
/// use nearer::evidence::{KernelKind, KernelSpec, Kernels};
/// use nearer::{Embed, Features, method::KernelGnmds, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, answers) = toy::featured_answers(20, 3, 600, 0.0, 1);
/// let kernels = Kernels::new(answers.objects(), &[(KernelSpec::new("x", KernelKind::Linear), Some(&features))])?;
/// let fit = KernelGnmds::new(2).fit((&kernels, &answers))?.certified(1e-4)?;
/// assert!(fit.report.agreement > Some(0.9));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KernelGnmds {
    convex: Convex,
    slack: Option<f64>,
    spanning: Spanning,
}

configured!(KernelGnmds [convex, spanning] { slack: "slack" });
convex::setters!(KernelGnmds);
spanning::setters!(KernelGnmds);

pub(crate) static METHOD: Method = Method {
    name: "kernel-gnmds",
    aliases: &["kgnmds"],
    summary: "comparisons of objects with features: where an object lies is learned as a function of its features, with a proof",
    solves: "min tr(QK) + slack Σ w [margin + d²(near) - d²(far)]₊, G = K Q Kᵗ, Q psd",
    ways: &[way::<KernelGnmds, (Kernels, Comparisons)>()],
    parameters: &[
        DIM,
        Parameter::auto("slack", Kind::PRICE)
            .says("what a broken comparison costs; auto measures the scale of the noise and takes a multiple of it"),
        BASIS,
        BASIS_BY,
        PROJECTION,
        GAP,
        ENGINE,
        REFINE,
    ],
    places: "by features or kernel values alone",
    cost: "O(n q r + N) time per step for N comparisons, q directions of the basis; 88 n² bytes, 8 n² a kernel and 150 a comparison",
    reference: "Agarwal, Wills, Cayton, Lanckriet, Kriegman & Belongie 2007",
    needs: |s, _| {
        // A kernel of few features still takes as many steps as one of some hundred directions.
        let span = s.r().max(200.0).min(s.n());
        let seconds = 1e-4 * s.m() + 6e-8 * s.n().powi(2) * span * s.k();
        Needs::new(seconds, (88.0 + 8.0 * s.k()) * s.n().powi(2) + 4000.0 * s.n() + s.comparisons() + 150.0 * s.m())
    },
    again: again::<KernelGnmds>,
};

impl KernelGnmds {
    /// The default slack is this many times the scale of the noise.
    pub const NOISE: f64 = 16.0;

    /// A map of `dim` dimensions in the span of all training objects, with the slack measured from the answers.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        KernelGnmds { convex: Convex::new(dim, true), slack: None, spanning: Spanning::default() }
    }
    settable! {
        /// With this slack: what a broken comparison of weight 1 costs.
        slack: f64,
    }
    fn fitted(&self, kernels: &Kernels, c: &Comparisons, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        let n = c.objects().len();
        common::require_dim(n, self.convex.dim)?;
        common::require_comparisons(c)?;
        spanned::same_objects(kernels, c.objects())?;
        METHOD.afford((kernels, c), self, run, "map fewer objects, or a sample of the comparisons")?;
        run.install(|| {
            let columns = spanning::columns(kernels, self.spanning, run);
            let spans =
                Spans::new(kernels, columns, self.spanning.axes, |k, at| Span::principal_of(kernels, k, at, 1.0))?;
            let slack = match self.slack {
                Some(slack) if slack.is_finite() && slack > 0.0 => slack,
                Some(slack) => return Err(positive("slack", slack)),
                None => Self::NOISE * program::kernel_noise_slack(c, 1.0, &spans.all, run.seed()),
            };
            let program = program::kernel_gnmds(c, slack, 1.0, &spans.all)?;
            let mut fit = spans.fit_compared("kernel-gnmds", program, &self.convex, c, run)?;
            let report = &mut fit.report;
            report.became("slack", slack);
            report.by(self);
            common::warn_line(report, self.convex.dim);
            report.objective_is = "tr(QK) + slack Σ w [margin + d²(near) - d²(far)]₊".into();
            report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
            Ok(fit)
        })
    }
}

impl Embed<(&Kernels, &Comparisons)> for KernelGnmds {
    type Model = KernelMap;
    fn fit_with(&self, (kernels, c): (&Kernels, &Comparisons), run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        self.fitted(kernels, c, run)
    }
}
