//! Partial order embedding in the span of one or several kernels.

use crate::error::Error;
use crate::evidence::{Comparisons, Kernels};
use crate::fit::{Embed, Fit};
use crate::graph::{ConstraintGraph, Margins, Repair};
use crate::method::common::{self, DIM};
use crate::method::comparisons::gnmds::positive;
use crate::method::convex::{self, Convex, ENGINE, GAP, MAY_REFINE};
use crate::method::cost::Needs;
use crate::method::features::weighted::{self, Asked, Columns};
use crate::method::spanned::{self, Spans};
use crate::method::spanning::{self, BASIS, BASIS_BY, PROJECTION, Spanning};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::KernelMap;
use crate::program::{self, DiagonalProgram, Sense, Span};
use crate::report::Input;
use crate::settings::{configured, settable, words};
use crate::solve::Run;

/// Partial order embedding with multiple kernels: [`PartialOrder`](crate::method::PartialOrder) with points that are functions
/// of features.
///
/// ```text
/// max  Σ d² - slack Σ w ξ - trace Σ_k tr(Q_k K_k)
/// s.t. d² ≤ B,   d²(near) + margin - ξ ≤ d²(far),   d² = Σ_k (k_k(i) - k_k(j))ᵗ Q_k (k_k(i) - k_k(j)),   Q_k psd
/// ```
///
/// Every kernel has a metric of its own, so what one kind of features does not show another may: the sum of the kernels, one
/// metric for all of them side by side, cannot do that. Comparisons that go in circles are paid for like others. `B` is
/// `(4n + 1)(diam + 1)` unless given, with `diam` the longest chain of margins (of what is left when circles are pruned).
///
/// With [`Metric::Diagonal`] every `Q_k` is a diagonal, and the program a linear one: few weights are above zero, and those name
/// the objects that serve as landmarks for the features of a kernel. With [`Metric::Kernel`] a kernel has one weight, `d² = Σ_k a_k
/// d_k²` of its own distances and the cost `a_k` times its mean `K_ii`: the baseline that a metric has to beat. Engine and
/// refinement have no meaning for both.
///
/// # Takes
/// [`Kernels`] with [`Comparisons`]; those of a taxonomy come with margins `2^(depth - 1)`.
/// # Places
/// New objects by their features, or by kernel values against the training objects ([`KernelMap`]).
/// # Cost
/// `O(n² r + N)` a step for `N` comparisons; memory `O(n² + N)`.
/// # Certificate
/// `λ_min(Φ_kᵗ S(y) Φ_k + P_k)` kernel by kernel; the gap is a share of the best
/// ([`Certificate`](crate::program::Certificate)).
/// # Fails
/// [`Error::Evidence`] without a comparison, and for objects without features.
/// # Reference
/// McFee and Lanckriet (2009), *Partial order embedding with multiple kernels*, Algorithm 3.
///
/// ```
/// use nearer::evidence::{KernelKind, KernelSpec, Kernels};
/// use nearer::{Embed, method::KernelPartialOrder, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// // The answers follow the first two features only; a kernel of each kind lets the method find out.
/// let (features, answers) = toy::featured_answers(16, 3, 300, 0.0, 1);
/// let (seen, other) = (features.chosen(&["1-2".into()])?, features.chosen(&["3-5".into()])?);
/// let linear = |name: &str| KernelSpec::new(name, KernelKind::Linear);
/// let kernels = Kernels::new(answers.objects(), &[(linear("seen"), Some(&seen)), (linear("other"), Some(&other))])?;
/// let fit = KernelPartialOrder::new(2).fit((&kernels, &answers))?.certified(1e-4)?;
/// let shares = &fit.report.kernels.as_ref().expect("a kernel method").kernels;
/// assert!(shares[0].share > 0.9);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KernelPartialOrder {
    convex: Convex,
    slack: Option<f64>,
    trace: Option<f64>,
    bound: Option<f64>,
    metric: Metric,
    margins: Margins,
    spanning: Spanning,
}

/// What the metric of a kernel may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// Any positive semidefinite matrix: a semidefinite program.
    #[default]
    Full,
    /// A diagonal: one weight for each training object in each kernel, few of them above zero. A linear program.
    Diagonal,
    /// One weight for each kernel: their weighted sum. A linear program of as many unknowns as there are kernels.
    Kernel,
}

/// How margins come about.
pub(super) const MARGINS: Parameter = Parameter::choice::<Margins>("margins", "given").says(
    "by how much a far pair is to be farther: as said, or growing with its depth in the order, step by step or doubling",
);

words!(Metric { "full" => Metric::Full, "diagonal" => Metric::Diagonal, "kernel" => Metric::Kernel });
words!(Margins { "given" => Margins::Given, "linear" => Margins::Linear, "doubling" => Margins::Doubling });
configured!(KernelPartialOrder [convex, spanning] {
    slack: "slack",
    trace: "trace",
    bound: "bound",
    metric: "weights",
    margins: "margins",
});
convex::setters!(KernelPartialOrder);
spanning::setters!(KernelPartialOrder);

pub(crate) static METHOD: Method = Method {
    name: "kernel-partial-order",
    aliases: &["mkpoe"],
    summary: "comparisons of objects with one or several kinds of features: a metric for each kernel, as the comparisons need it",
    solves: "max Σ d² - slack Σ w ξ - trace Σ tr(QK), d²(near) + margin - ξ ≤ d²(far), d² ≤ B, Q psd",
    ways: &[way::<KernelPartialOrder, (Kernels, Comparisons)>()],
    parameters: &[
        DIM,
        Parameter::auto("slack", Kind::PRICE)
            .says("what a broken comparison costs; auto makes all comparisons together as dear as a multiple of all distances"),
        Parameter::auto("trace", Kind::Number { min: 0.0, max: 1e100 })
            .says("the weight of tr(QK) in the objective; auto takes a tenth of n (n - 1)"),
        Parameter::auto("bound", Kind::POSITIVE)
            .says("the largest squared distance; auto takes that of the paper, (4n + 1)(diam + 1)"),
        Parameter::choice::<Metric>("weights", "full")
            .says("a whole matrix for each kernel; a weight for each object in each kernel, which is quicker and names landmarks; or one weight for each kernel"),
        MARGINS,
        BASIS,
        BASIS_BY,
        PROJECTION,
        GAP,
        ENGINE,
        MAY_REFINE,
    ],
    places: "by features or kernel values alone",
    cost: "O(n² r + N) time per step for N comparisons; 248 n² bytes, 8 n² a kernel and 150 a comparison",
    reference: "McFee & Lanckriet 2009, Algorithm 3",
    needs: |s, settings| {
        let n = s.n();
        let rows = s.comparisons() + 150.0 * s.m();
        match settings.word("weights") {
            Some("diagonal") => {
                let columns = settings.count("basis").unwrap_or(s.objects).min(s.objects);
                return weighted::needs(s, columns as f64 * s.k(), s.k(), rows);
            }
            Some("kernel") => return weighted::needs(s, s.k(), s.k(), rows),
            _ => {}
        }
        let seconds = s.k() * (n * n * (3e-6 + 5.6e-9 * s.r().powf(1.5)) + 2e-4 * s.m());
        Needs::new(seconds, (248.0 + 8.0 * s.k()) * n * n + 4000.0 * n + rows)
    },
    again: again::<KernelPartialOrder>,
};

impl KernelPartialOrder {
    /// By default all comparisons together cost, for each unit of excess, this many times what all distances together bring.
    pub const SLACK_SCALE: f64 = 200.0;

    /// A map of `dim` dimensions in the span of all training objects.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        let convex = Convex::new(dim, false);
        let (metric, margins, spanning) = (Metric::Full, Margins::Given, Spanning::default());
        KernelPartialOrder { convex, slack: None, trace: None, bound: None, metric, margins, spanning }
    }
    settable! {
        /// With this slack: what a broken comparison of weight 1 costs.
        slack: f64,
        /// `tr(Q K)` costs this. Without it every distance grows to the bound where the kernels can: a dented simplex, of full rank
        /// and slow to find.
        trace: f64,
        /// With no squared distance above this.
        bound: f64,
        /// With margins that come about in this way.
        margins: Margins,
        /// With metrics of this form.
        weights: Metric => metric,
    }

    /// Slack, trace and bound as given, or as the comparisons suggest.
    fn scales(&self, c: &Comparisons, seed: u64) -> Result<[f64; 3], Error> {
        let n = c.objects().len() as f64;
        let weights: f64 = c.iter().map(|row| row.weight).sum();
        let slack = self.slack.unwrap_or(Self::SLACK_SCALE * 0.5 * n * (n - 1.0) / weights.max(f64::MIN_POSITIVE));
        let bound = match self.bound {
            Some(bound) => bound,
            None => {
                let (order, _) = ConstraintGraph::new(c).acyclic(Repair::Prune, seed);
                (4.0 * n + 1.0) * (order.diameter()? + 1.0)
            }
        };
        let trace = self.trace.unwrap_or(0.1 * n * (n - 1.0));
        for (name, value, least) in
            [("slack", slack, f64::MIN_POSITIVE), ("trace", trace, 0.0), ("bound", bound, f64::MIN_POSITIVE)]
        {
            if !(value.is_finite() && value >= least) {
                return Err(positive(name, value));
            }
        }
        Ok([slack, trace, bound])
    }

    fn fitted(&self, kernels: &Kernels, c: &Comparisons, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        let n = c.objects().len();
        common::require_dim(n, self.convex.dim)?;
        common::require_comparisons(c)?;
        spanned::same_objects(kernels, c.objects())?;
        METHOD.afford((kernels, c), self, run, "map fewer objects, or a sample of the comparisons")?;
        run.install(|| {
            let c = &self.margins.applied(c, run.seed())?;
            let [slack, trace, bound] = self.scales(c, run.seed())?;
            let columns = spanning::columns(kernels, self.spanning, run);
            let mut fit = match self.metric {
                Metric::Full => self.full(kernels, c, columns, [slack, trace, bound], run)?,
                Metric::Diagonal => self.diagonal(kernels, c, &columns, [slack, trace, bound], run)?,
                Metric::Kernel => self.whole(kernels, c, [slack, trace, bound], run)?,
            };
            let report = &mut fit.report;
            for (name, value) in [("slack", slack), ("trace", trace), ("bound", bound)] {
                report.became(name, value);
            }
            report.by(self);
            report.objective_is = "Σ d² over all pairs, less what broken comparisons and tr(QK) cost".into();
            report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
            Ok(fit)
        })
    }
}

impl KernelPartialOrder {
    /// A matrix for each kernel.
    fn full(
        &self,
        kernels: &Kernels,
        c: &Comparisons,
        columns: Vec<usize>,
        [slack, trace, bound]: [f64; 3],
        run: &Run<'_>,
    ) -> Result<Fit<KernelMap>, Error> {
        let spans =
            Spans::new(kernels, columns, self.spanning.axes, |k, at| Span::orthonormal_of(kernels, k, at, trace))?;
        let program = program::kernel_partial_order(c, slack, bound, &spans.all)?;
        spans.fit_compared("kernel-partial-order", program, &self.convex, c, run)
    }

    /// A weight for each training object in each kernel.
    fn diagonal(
        &self,
        kernels: &Kernels,
        c: &Comparisons,
        columns: &[usize],
        [slack, trace, bound]: [f64; 3],
        run: &Run<'_>,
    ) -> Result<Fit<KernelMap>, Error> {
        let weighed = Columns::of_kernels(kernels, columns);
        let program = DiagonalProgram::new(weighed.values.clone(), Sense::Maximise)
            .cost(weighed.size.iter().map(|k| trace * k).collect())
            .spread(-1.0)
            .bound(bound)
            .compared(c, slack)
            .checked()?;
        let asked = Asked {
            method: "kernel-partial-order",
            comparisons: c,
            dim: self.convex.dim,
            gap: self.convex.gap,
            axes: self.spanning.axes,
        };
        let mut fit = weighed.fit(&asked, kernels, &program, run)?;
        fit.report.became("basis", columns.len());
        Ok(fit)
    }

    /// A weight for each kernel.
    fn whole(
        &self,
        kernels: &Kernels,
        c: &Comparisons,
        [slack, trace, bound]: [f64; 3],
        run: &Run<'_>,
    ) -> Result<Fit<KernelMap>, Error> {
        let n = c.objects().len();
        let mean = |k: usize| kernels.matrix(k).diag().mean().unwrap_or(0.0);
        let program = DiagonalProgram::of_distances(n, weighted::distances_of(kernels), Sense::Maximise)
            .cost((0..kernels.len()).map(|k| trace * mean(k)).collect())
            .spread(-1.0)
            .bound(bound)
            .compared(c, slack)
            .checked()?;
        let (dim, gap, axes) = (self.convex.dim, self.convex.gap, self.spanning.axes);
        Asked { method: "kernel-partial-order", comparisons: c, dim, gap, axes }.fit_whole(kernels, &program, run)
    }
}

impl Embed<(&Kernels, &Comparisons)> for KernelPartialOrder {
    type Model = KernelMap;
    fn fit_with(&self, (kernels, c): (&Kernels, &Comparisons), run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        self.fitted(kernels, c, run)
    }
}
