//! A metric from comparisons by a support-vector program: weights of features, or of kernel columns.

use ndarray::Array2;

use crate::error::{Error, Remedy};
use crate::evidence::{Comparisons, Features, Kernels};
use crate::fit::{Embed, Fit};
use crate::method::common::{self, DIM};
use crate::method::comparisons::gnmds::positive;
use crate::method::convex::GAP;
use crate::method::cost::Size;
use crate::method::features::weighted::{self, Asked, Columns};
use crate::method::features::weighted_table::Table;
use crate::method::spanned;
use crate::method::spanning::{self, BASIS, BASIS_BY, PROJECTION, Spanning};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::{KernelMap, Linear};
use crate::program::{DiagonalProgram, Sense};
use crate::report::Input;
use crate::settings::{configured, settable, words};
use crate::solve::Run;

/// The support-vector metric of Schultz and Joachims.
///
/// ```text
/// min  wᵗ L w + slack Σ v_t [margin_t + d²(near_t) - d²(far_t)]₊    d²(i, j) = Σ_p w_p (f_p(i) - f_p(j))²,   w ≥ 0
/// ```
///
/// Over kernels the columns `f_p` are those of the training objects, `f_p(x) = k(x, x_p)`, and `L = K ∘ K`: a large weight makes
/// its object a landmark. Several kernels lie side by side, each with weights of its own. Over features `f_p` is a feature and
/// `L = I`: the weights say what the comparisons go by. [`Form::Trace`] has `Σ w_p K_pp` (over features `Σ w_p`) for the quadratic
/// term, which makes a linear program with few weights, as McFee's survey suggests.
///
/// The default slack of the quadratic form is that of SVM-light, the inverse of the mean squared length of what is compared
/// (in the metric of the diagonal of `L`). That of the trace form is [`SvmMetric::NOISE`] times the least at which answers given
/// at random would give some column a weight.
///
/// # Takes
/// [`Kernels`] or [`Features`] with [`Comparisons`], contradictory or not.
/// # Places
/// New objects by their features: those of a table through [`Linear`], which holds nothing of the training objects; those behind
/// kernels, or kernel values against the training objects, through [`KernelMap`].
/// # Cost
/// Some forty steps of an interior-point method with all `N` comparisons: `O(q² p + q N)` each for `q` weights and `p` pairs of
/// objects; memory `O(q² + n q + N)`. Over a table of features there is nothing else; kernels are n x n each. Where there are too many pairs, with those comparisons that matter.
/// # Certificate
/// Weak duality of the linear rows with rounding counted; the gap is a share of the best
/// ([`Certificate`](crate::program::Certificate)).
/// # Fails
/// [`Error::Evidence`] without a comparison, for objects without features, and over features of kernels that are not linear.
/// # Reference
/// Schultz and Joachims (2004), *Learning a distance metric from relative comparisons*; the trace form: McFee, *Distance metric
/// learning from pairwise proximities* (survey), note to Algorithm 4.1.
///
/// ```
/// use nearer::{Embed, method::SvmMetric, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// // The answers follow the first two of five features.
/// let (features, answers) = toy::featured_answers(20, 3, 600, 0.0, 1);
/// let fit = SvmMetric::new(2).fit((&features, &answers))?.certified(1e-4)?;
/// let weights = &fit.report.kernels.as_ref().expect("a kernel method").kernels[0].weights;
/// assert!(weights[0].min(weights[1]) > 10.0 * weights[2].max(weights[3]).max(weights[4]));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SvmMetric {
    dim: usize,
    form: Form,
    over: Over,
    slack: Option<f64>,
    spanning: Spanning,
    gap: f64,
}

/// What weights cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// `wᵗ L w`: many weights, all of them small.
    #[default]
    Quadratic,
    /// `Σ w_p K_pp`: few weights.
    Trace,
}

/// What has weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Over {
    /// Kernel columns of the training objects.
    #[default]
    Kernels,
    /// The features behind linear kernels.
    Features,
}

words!(Form { "qp" => Form::Quadratic, "trace" => Form::Trace });
words!(Over { "kernels" => Over::Kernels, "features" => Over::Features });
configured!(SvmMetric [spanning] { dim: "dim", form: "form", over: "over", slack: "slack", gap: "gap" });
spanning::setters!(SvmMetric);

pub(crate) static METHOD: Method = Method {
    name: "svm-metric",
    aliases: &["svm", "schultz-joachims"],
    summary: "comparisons of objects with features: a weight for each feature, or for each landmark of each kernel, with a proof",
    solves: "min wᵗ (K∘K) w + slack Σ v [margin + d²(near) - d²(far)]₊, d² = Σ w_p (K_ip - K_jp)², w ≥ 0",
    ways: &[
        way::<SvmMetric, (Kernels, Comparisons)>(),
        way::<SvmMetric, (Features, Comparisons)>().when("over", "features"),
    ],
    parameters: &[
        DIM,
        Parameter::choice::<Form>("form", "qp")
            .says("what weights cost: a quadratic form, or their trace, which leaves few of them"),
        Parameter::choice::<Over>("over", "kernels")
            .says("what has weights: the kernel columns of the training objects, or the features: of a table, or behind linear kernels"),
        Parameter::auto("slack", Kind::PRICE)
            .says("what a broken comparison costs; auto takes it from the size of what is compared"),
        BASIS,
        BASIS_BY,
        PROJECTION,
        GAP,
    ],
    places: "by features or kernel values alone",
    cost: "O(q² p + q m) time per step for q weights, m comparisons and p pairs in them; 24 q² + 24 n q bytes and 100 a comparison, q = n a kernel",
    reference: "Schultz & Joachims 2004",
    needs: |s, settings| {
        let rows = s.comparisons() + 100.0 * s.m();
        if settings.word("over") == Some("features") && s.columns > 0 {
            return weighted::needs(s, s.columns as f64, s.kernels as f64, rows);
        }
        let columns = settings.count("basis").unwrap_or(s.objects).min(s.objects);
        weighted::needs(s, columns as f64 * s.k(), s.k(), rows)
    },
    again: again::<SvmMetric>,
};

impl SvmMetric {
    /// The default slack of the trace form is this many times the scale of the noise.
    pub const NOISE: f64 = 4.0;

    /// A map of `dim` dimensions, with the quadratic form and weights of kernel columns.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        SvmMetric {
            dim,
            form: Form::Quadratic,
            over: Over::Kernels,
            slack: None,
            spanning: Spanning::default(),
            gap: 1e-5,
        }
    }
    settable! {
        /// With this cost of weights.
        form: Form,
        /// With weights of these; of [`Features`] given as such it is always the features.
        over: Over,
        /// With this slack: what a broken comparison of weight 1 costs.
        slack: f64,
        /// Ends when the weights are proved to be within this share of the best possible; 1e-5 by default.
        gap: f64,
    }

    /// Refuses what cannot be fitted, or not in the memory of the run.
    fn possible(&self, c: &Comparisons, size: impl Into<Size>, run: &Run<'_>) -> Result<(), Error> {
        common::require_dim(c.objects().len(), self.dim)?;
        common::require_comparisons(c)?;
        if let Some(slack) = self.slack.filter(|s| !(s.is_finite() && *s > 0.0)) {
            return Err(positive("slack", slack));
        }
        let remedy = match self.over {
            Over::Kernels => Remedy::from("give a smaller ").any("basis").and(", or a sample of the comparisons"),
            Over::Features => "give fewer features, or a sample of the comparisons".into(),
        };
        METHOD.afford(size, self, run, remedy)
    }

    /// The program of these comparisons, with its slack.
    fn compared(&self, program: DiagonalProgram, c: &Comparisons) -> Result<(DiagonalProgram, f64), Error> {
        let slack = self.slack.unwrap_or_else(|| match self.form {
            Form::Quadratic => program.mean_square_slack(c),
            Form::Trace => Self::NOISE * program.noise_slack(c),
        });
        Ok((program.compared(c, slack).checked()?, slack))
    }

    fn asked<'a>(&self, comparisons: &'a Comparisons) -> Asked<'a> {
        Asked { method: "svm-metric", comparisons, dim: self.dim, gap: self.gap, axes: self.spanning.axes }
    }

    /// What every report says.
    fn told<M>(&self, mut fit: Fit<M>, slack: f64) -> Fit<M> {
        let report = &mut fit.report;
        report.became("slack", slack);
        report.by(self);
        report.objective_is = match self.form {
            Form::Quadratic => "wᵗ L w + slack Σ v [margin + d²(near) - d²(far)]₊".into(),
            Form::Trace => "Σ w_p K_pp + slack Σ v [margin + d²(near) - d²(far)]₊".into(),
        };
        let n = fit.embedding.len();
        report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
        fit
    }

    fn of_table(&self, features: &Features, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        self.possible(c, (features, c), run)?;
        run.install(|| {
            let table = Table::of(features, c.objects())?;
            let count = table.values.ncols();
            let program = DiagonalProgram::new(table.values.clone(), Sense::Minimise);
            let program = match self.form {
                Form::Trace => program.cost(vec![1.0; count]),
                Form::Quadratic => program.squared(vec![2.0; count]),
            };
            let (program, slack) = self.compared(program, c)?;
            let mut fit = table.fit(&self.asked(c), &program, run)?;
            // Nothing is spanned by objects: every feature has its weight.
            fit.report.became("basis", count);
            Ok(self.told(fit, slack))
        })
    }

    fn of_kernels(&self, kernels: &Kernels, c: &Comparisons, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        spanned::same_objects(kernels, c.objects())?;
        self.possible(c, (kernels, c), run)?;
        let objects = spanning::columns(kernels, self.spanning, run);
        run.install(|| {
            let columns = match self.over {
                Over::Kernels => Columns::of_kernels(kernels, &objects),
                Over::Features => Columns::of_features(kernels)?,
            };
            let program = DiagonalProgram::new(columns.values.clone(), Sense::Minimise);
            let program = match (self.form, self.over) {
                (Form::Trace, _) => program.cost(columns.size.clone()),
                (Form::Quadratic, Over::Features) => program.squared(vec![2.0; columns.size.len()]),
                (Form::Quadratic, Over::Kernels) => program.blocks(squared(kernels, &objects)),
            };
            let (program, slack) = self.compared(program, c)?;
            let mut fit = columns.fit(&self.asked(c), kernels, &program, run)?;
            fit.report.became("basis", objects.len());
            Ok(self.told(fit, slack))
        })
    }
}

/// `2 K ∘ K` among the objects of the basis, kernel by kernel: `wᵗ L w` is half of it.
fn squared(kernels: &Kernels, objects: &[usize]) -> Vec<Array2<f64>> {
    let b = objects.len();
    (0..kernels.len())
        .map(|k| {
            let m = kernels.matrix(k);
            // The same number on both sides of the diagonal, where rounding made two of one.
            Array2::from_shape_fn((b, b), |(i, j)| {
                let (x, y) = (m[(objects[i], objects[j])], m[(objects[j], objects[i])]);
                x * x + y * y
            })
        })
        .collect()
}

impl Embed<(&Kernels, &Comparisons)> for SvmMetric {
    type Model = KernelMap;
    fn fit_with(&self, (kernels, c): (&Kernels, &Comparisons), run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        self.of_kernels(kernels, c, run)
    }
}

impl Embed<(&Features, &Comparisons)> for SvmMetric {
    type Model = Linear;
    fn fit_with(&self, (features, c): (&Features, &Comparisons), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        self.clone().over(Over::Features).of_table(features, c, run)
    }
}
