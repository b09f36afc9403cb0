//! Pairwise semidefinite embedding in the span of a kernel: a map of features learned from pairs.

use crate::error::Error;
use crate::evaluate;
use crate::evidence::{Kernels, Pairs};
use crate::fit::{Embed, Fit};
use crate::method::common::{self, DIM};
use crate::method::comparisons::gnmds::positive;
use crate::method::convex::{self, Convex, ENGINE, GAP, MAY_REFINE};
use crate::method::cost::Needs;
use crate::method::spanned::{self, Spans};
use crate::method::spanning::{self, BASIS, BASIS_BY, PROJECTION, Spanning, TRACE};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::KernelMap;
use crate::program::{self, Span};
use crate::report::Input;
use crate::settings::{configured, settable};
use crate::solve::Run;

/// Kernel pairwise semidefinite embedding: [`Psde`](crate::method::Psde) with points that are functions of features.
///
/// ```text
/// min  Σ_similar w d² / W_s - Σ_dissimilar w d² / W_d + trace tr(Q K) + slack Σ w ξ
/// s.t. d²(i, j) ≤ b_i + ξ for j similar to i,  d²(i, j) ≥ b_i - ξ for j dissimilar,  G = K_r Q K_rᵗ,  tr G ≤ 1,  Q psd
/// ```
///
/// `K_r` are the columns of the kernel for the objects of the basis: all, or `r` of them drawn at random. The position of an
/// object is linear in its kernel values, so objects that nobody judged are placed by their features. A kernel reaches only
/// some maps, so broken answers are always paid for. By default one row counts [`Kpsde::SLACK_SCALE`] times its share of the rows.
///
/// With several kernels every one has a `Q` of its own and their maps stand side by side.
///
/// To find the number of dimensions first, fit [`Psde`](crate::method::Psde) to the answers alone and look at its spectrum; then
/// fit this method in that many.
///
/// # Takes
/// [`Kernels`] with [`Pairs`].
/// # Places
/// New objects by their features, or by kernel values against the training objects ([`KernelMap`]).
/// # Cost
/// `O(n q r)` a step for `q` directions of the basis, `O(n² r)` a scan; memory `O(n²)`.
/// # Certificate
/// `λ_min(Φᵗ S(y) Φ + P)` in an orthonormal basis `Φ` of the columns; the gap is a share of the best
/// ([`Certificate`](crate::program::Certificate)).
/// # Fails
/// [`Error::Evidence`] for contradictory answers, and for objects without features.
/// # Reference
/// Globerson and Roweis (2007), *Visualizing pairwise similarity via semidefinite programming*, section 4.
///
/// ```
/// use nearer::evidence::{Judged, KernelKind, KernelSpec, Kernels, Pairs, Width};
/// use nearer::{Embed, Features, Item, Objects, Place, method::Kpsde};
/// use ndarray::Array2;
/// # fn main() -> Result<(), nearer::Error> {
/// // Twelve objects on a ring, each like its two neighbours; the features are the angle in disguise.
/// let angle = |i: f64| std::f64::consts::TAU * i / 12.0;
/// let row = |i: f64| [angle(i).cos(), angle(i).sin(), 0.3 * (2.0 * angle(i)).cos()];
/// let values = Array2::from_shape_fn((12, 3), |(i, k)| row(i as f64)[k]);
/// let features = Features::new(Objects::numbered(12), ["a", "b", "c"], values)?;
/// let near = |i: u32, j: u32| matches!((12 + i - j) % 12, 1 | 11);
/// let all = (0..12u32).flat_map(|i| (0..12u32).filter(move |j| *j != i).map(move |j| (i, j)));
/// let pairs = Pairs::new(Objects::numbered(12), all.map(|(i, j)| Judged::new(Item(i), Item(j), near(i, j))).collect())?;
/// let kernel = KernelSpec::new("ring", KernelKind::Rbf { width: Width::default() });
/// let kernels = Kernels::new(pairs.objects(), &[(kernel, Some(&features))])?;
/// let fit = Kpsde::new(2).fit((&kernels, &pairs))?.certified(1e-4)?;
/// assert!(fit.report.agreement > Some(0.95));
/// // Somebody half way between the first and the second lands there.
/// let half = Array2::from_shape_fn((1, 3), |(_, k)| row(0.5)[k]);
/// let new = fit.model.place(&Features::new(Objects::new(["new"])?, ["a", "b", "c"], half)?)?;
/// let to = |i: usize| (&fit.embedding.point(i) - &new.point(0)).mapv(|v| v * v).sum();
/// assert!(to(0) < to(3) && to(1) < to(3));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Kpsde {
    convex: Convex,
    slack: Option<f64>,
    trace: f64,
    spanning: Spanning,
}

configured!(Kpsde [convex, spanning] { slack: "slack", trace: "trace" });
convex::setters!(Kpsde);
spanning::setters!(Kpsde);

pub(crate) static METHOD: Method = Method {
    name: "kpsde",
    aliases: &["kernel-psde"],
    summary: "pairs of objects with features: where an object lies is learned as a function of its features, with a proof",
    solves: "min mean d²(similar) - mean d²(dissimilar) + trace tr(QK) + slack Σ ξ, G = K Q Kᵗ, tr G ≤ 1, Q psd",
    ways: &[way::<Kpsde, (Kernels, Pairs)>()],
    parameters: &[
        DIM,
        Parameter::auto("slack", Kind::PRICE).says(
            "what a broken answer costs, for each unit of its excess; auto takes a multiple of its share of the rows",
        ),
        TRACE,
        BASIS,
        BASIS_BY,
        PROJECTION,
        GAP,
        ENGINE,
        MAY_REFINE,
    ],
    places: "by features or kernel values alone",
    cost: "O(n q r) time per step for q directions of the basis; 88 n² bytes and 8 n² a kernel",
    reference: "Globerson & Roweis 2007",
    needs: |s, _| {
        let seconds = 4e-6 * s.n().powi(2) * s.k() * s.steps();
        Needs::new(seconds, (88.0 + 8.0 * s.k()) * s.n().powi(2) + 4000.0 * s.n() + s.balls())
    },
    again: again::<Kpsde>,
};

impl Kpsde {
    /// By default a unit of excess of one row costs this many times one over the number of rows.
    pub const SLACK_SCALE: f64 = 10.0;

    /// A map of `dim` dimensions in the span of all training objects.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Kpsde { convex: Convex::new(dim, false), slack: None, trace: 0.0, spanning: Spanning::default() }
    }
    settable! {
        /// Broken answers cost this for each unit of their excess.
        slack: f64,
        /// `tr(Q K)` costs this.
        trace: f64,
    }
    fn fitted(&self, kernels: &Kernels, pairs: &Pairs, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        let n = pairs.objects().len();
        common::require_dim(n, self.convex.dim)?;
        spanned::same_objects(kernels, pairs.objects())?;
        if pairs.is_empty() {
            return Err(Error::Evidence {
                what: format!("nothing is said about the {n} objects"),
                remedy: "give pairs that are alike or not".into(),
            });
        }
        if let Some(slack) = self.slack.filter(|s| !(s.is_finite() && *s > 0.0)) {
            return Err(positive("slack", slack));
        }
        if !(self.trace.is_finite() && self.trace >= 0.0) {
            return Err(positive("trace", self.trace));
        }
        METHOD.afford((kernels, pairs), self, run, "map fewer objects")?;
        run.install(|| {
            let slack = self.slack.unwrap_or(Self::SLACK_SCALE / pairs.len() as f64);
            let columns = spanning::columns(kernels, self.spanning, run);
            let spans = Spans::new(kernels, columns, self.spanning.axes, |k, at| {
                Span::orthonormal_of(kernels, k, at, self.trace)
            })?;
            let program = program::kernel_psde(pairs, slack, &spans.all)?;
            let mut fit = spans.fit("kpsde", program, &self.convex, run)?;
            let report = &mut fit.report;
            report.became("slack", slack);
            report.by(self);
            report.objective_is =
                "mean d²(similar) - mean d²(dissimilar) at trace 1, with what tr(QK) and broken answers cost".into();
            report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
            report.agreement = Some(evaluate::pair_agreement(&fit.embedding, pairs)?.share);
            Ok(fit)
        })
    }
}

impl Embed<(&Kernels, &Pairs)> for Kpsde {
    type Model = KernelMap;
    fn fit_with(&self, (kernels, pairs): (&Kernels, &Pairs), run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        self.fitted(kernels, pairs, run)
    }
}
