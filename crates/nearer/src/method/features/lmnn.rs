//! Large margin nearest neighbours: those of one class are drawn together, others pushed beyond a margin.

use crate::error::Error;
use crate::evidence::{Comparisons, Features, Kernels, Sorts};
use crate::fit::{Embed, Fit};
use crate::graph::class_neighbours;
use crate::method::common::DIM;
use crate::method::cost::{Needs, Size};
use crate::method::features::compared::{agreement, compared};
use crate::method::features::ground::{Ground, Over, STANDARDISE, directions};
use crate::method::features::groups::Groups;
use crate::method::features::solved::{self, MAX_ITER};
use crate::method::proof;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::{KernelMap, Linear};
use crate::program::{MetricAsk, MetricCandidate, MetricProgram};
use crate::settings::{configured, settable};
use crate::solve::{Run, Solved};

/// Large margin nearest neighbours (Weinberger and Saul), as a convex program with its proof.
///
/// ```text
/// min  (1 - push) Σ d²(i, target) + push Σ [1 + d²(i, target) - d²(i, other)]₊ + ridge tr M      d² = (x - x')ᵗ M (x - x'),  M ⪰ 0
/// ```
///
/// Targets are the `targets` nearest of the same class in the features as given, chosen once; others are of any other class. From
/// comparisons, the near pairs are targets and each comparison is a row of its own, with its weight and margin. The `ridge` keeps
/// the question well posed in directions that no target varies in; it is a share of the mean variance of the
/// targets, and part of what is certified.
///
/// The factor of the metric descends on hinges that are rounded off less and less, and the slopes of the hinges are the
/// multipliers of the proof: with `C` what targets cost and `A` what multipliers add to it, `s Σ a` is a bound as soon as `C + s A` is
/// positive. The map shows the metric along its widest axes.
///
/// # Takes
/// [`Features`] with classes ([`Sorts`]) or with [`Comparisons`]; kernels instead of features learn the same in their span.
/// # Places
/// Anything with the same features ([`Linear`]).
/// # Cost
/// `O(n q r)` an evaluation for a factor of `r ≤ q` columns and `O(r)` for each hinge that is nearly open, some hundred of them;
/// `O(n² r)` every now and then, to list these; memory `O(n (q + r))` and 16 bytes for each hinge that is open.
/// # Certificate
/// Bound, gap and file; `verify` states the question again.
/// # Fails
/// [`Error::Evidence`] where all objects are of one class, no class has two, or there is no comparison.
/// # Reference
/// Weinberger and Saul (2009), *Distance metric learning for large margin nearest neighbor classification*.
///
/// ```
/// use nearer::{Embed, method::Lmnn, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, classes) = toy::classed(60, 3, 4, 1);
/// let fit = Lmnn::new(2).gap(1e-3).fit((&features, &classes))?.certified(1e-3)?;
/// assert_eq!(fit.embedding.len(), 60);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Lmnn {
    dim: usize,
    targets: usize,
    push: f64,
    ridge: f64,
    gap: f64,
    max_iter: usize,
    standardise: bool,
}

configured!(Lmnn {
    dim: "dim",
    targets: "targets",
    push: "push",
    ridge: "ridge",
    gap: "gap",
    max_iter: "max-iter",
    standardise: "unit-variance",
});

/// What keeps a question well posed.
pub(crate) const RIDGE: Parameter = Parameter::number("ridge", Kind::POSITIVE, Lmnn::RIDGE)
    .says("the weight of tr M, as a share of the mean variance of pairs that belong together");

pub(crate) static METHOD: Method = Method {
    name: "lmnn",
    aliases: &["large-margin-nearest-neighbours", "large-margin-nearest-neighbors"],
    summary: "features with classes or comparisons: nearest neighbours of one class drawn in, others pushed beyond a margin, with a proof",
    solves: "min (1-push) Σ d²(target) + push Σ [1 + d²(target) - d²(other class)]₊ + ridge tr M, M ⪰ 0",
    ways: &[
        way::<Lmnn, (Features, Sorts)>(),
        way::<Lmnn, (Features, Comparisons)>(),
        way::<Lmnn, (Kernels, Sorts)>(),
        way::<Lmnn, (Kernels, Comparisons)>(),
    ],
    parameters: &[
        DIM,
        Parameter::count("targets", 1..=1000, 3)
            .says("how many of its class each object is drawn to: the nearest in the features as given"),
        Parameter::number("push", Kind::Number { min: 1e-6, max: 1.0 - 1e-6 }, 0.5)
            .says("the weight of what is pushed; one less it is that of what is pulled"),
        RIDGE,
        solved::gap(Lmnn::GAP),
        MAX_ITER,
        STANDARDISE,
    ],
    places: "by features alone",
    cost: "O(n q r) time an evaluation for rank r, some hundred; O(n² r) at times; 60 n q bytes and 100 an open hinge",
    reference: "Weinberger & Saul 2009",
    needs: |s, _| {
        let q = s.columns.max(1) as f64;
        let w = directions(s);
        let r = w.min(100.0);
        let seconds = 1e-3 + 200.0 * s.n() * (s.n() * (3e-9 + 2e-10 * r) + 4e-10 * w * r) + 2e-9 * s.n() * q * w;
        Needs::new(
            seconds + 2e-8 * w.powi(3) + 1e-6 * s.m(),
            60.0 * s.n() * q + 64.0 * w * w + 8000.0 * s.n() + 100.0 * s.m(),
        )
    },
    again: again::<Lmnn>,
};

impl Lmnn {
    /// The default ridge, as a share of the mean variance of targets.
    pub const RIDGE: f64 = 1e-3;
    /// The default gap: neighbours are the same under metrics that are proved to be nearer to the best.
    pub const GAP: f64 = 0.01;

    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Lmnn { dim, targets: 3, push: 0.5, ridge: Self::RIDGE, gap: Self::GAP, max_iter: 10_000, standardise: false }
    }
    settable! {
        /// Each object is drawn to so many of its class.
        targets: usize,
        /// With this weight of what is pushed, between 0 and 1.
        push: f64,
        /// With this weight of the trace, as a share of the mean variance of targets.
        ridge: f64,
        /// Ends when the metric is proved to be within this share of the best; [`Lmnn::GAP`] by default.
        gap: f64,
        /// With at most so many iterations.
        max_iter: usize,
        /// With each feature divided by its standard deviation first.
        standardise: bool,
    }

    /// The question of classes.
    fn of_classes(&self, ground: &Ground<'_>, sorts: &Sorts, run: &Run<'_>) -> Result<MetricProgram, Error> {
        ground.require("dim", self.dim)?;
        let groups = Groups::of_classes(sorts, ground.objects(), 2)?;
        let coordinates = ground.coordinates()?;
        let targets = run.install(|| class_neighbours(&coordinates, &ground.scale(), &groups.of, self.targets));
        let near = targets.iter().map(|(i, j)| (*i, *j, 1.0 - self.push));
        let ridge = self.ridge * variance(ground, near);
        let ask = MetricAsk::Neighbours { group: groups.of, targets, push: self.push, ridge };
        Ok(MetricProgram { values: ground.values.clone(), ask, spanned: ground.is_spanned() })
    }

    /// The question of comparisons.
    fn of_comparisons(&self, ground: &Ground<'_>, c: &Comparisons) -> Result<MetricProgram, Error> {
        ground.require("dim", self.dim)?;
        let rows = compared(ground, c)?;
        let near = rows.iter().map(|r| (r.0[0], r.0[1], (1.0 - self.push) * r.2));
        let ridge = self.ridge * variance(ground, near);
        Ok(MetricProgram {
            values: ground.values.clone(),
            ask: MetricAsk::Compared { rows, push: self.push, ridge },
            spanned: ground.is_spanned(),
        })
    }

    fn learned<O: Over>(
        &self,
        ground: &Ground<'_>,
        program: MetricProgram,
        run: &Run<'_>,
    ) -> Result<Fit<O::Model>, Error> {
        let answer = solved::solved(&program, self.gap, self.max_iter, run)?;
        let fit = O::fitted(ground, "lmnn", &answer.candidate.factor, self.dim, run)?;
        Ok(ground.witnessed(self.told(fit, &program, &answer), program, answer.candidate))
    }

    fn by_classes<O: Over>(&self, over: &O, sorts: &Sorts, run: &Run<'_>) -> Result<Fit<O::Model>, Error> {
        METHOD.afford(over.size(), self, run, "give fewer objects or features")?;
        let ground = over.ground(self.standardise)?;
        self.learned::<O>(&ground, self.of_classes(&ground, sorts, run)?, run)
    }

    fn by_comparisons<O: Over>(&self, over: &O, c: &Comparisons, run: &Run<'_>) -> Result<Fit<O::Model>, Error> {
        METHOD.afford(Size { rows: c.len(), ..over.size() }, self, run, "give fewer comparisons or features")?;
        let ground = over.ground(self.standardise)?;
        let mut fit = self.learned::<O>(&ground, self.of_comparisons(&ground, c)?, run)?;
        fit.report.agreement = Some(agreement(&fit.embedding, &ground, c)?);
        Ok(fit)
    }

    fn told<M>(&self, mut fit: Fit<M>, program: &MetricProgram, answer: &Solved<MetricCandidate>) -> Fit<M> {
        let report = &mut fit.report;
        proof::proved(report, answer, self.gap);
        report.objective_is = "(1 - push) Σ d²(target) + push Σ [1 + d²(target) - d²(other)]₊ + ridge tr M".into();
        report.by(self);
        let (rows, ridge) = match &program.ask {
            MetricAsk::Neighbours { targets, ridge, .. } => (targets.len(), *ridge),
            MetricAsk::Compared { rows, ridge, .. } => (rows.len(), *ridge),
            _ => (0, 0.0),
        };
        let open = answer.candidate.multipliers.len();
        report.became("weight", ridge);
        *report = report.clone().figure("targets", rows).figure("open-hinges", open);
        fit
    }
}

/// The mean variance of some pairs along a direction, times how many they are; that of all objects where the pairs coincide.
pub(crate) fn variance(ground: &Ground<'_>, pairs: impl Iterator<Item = (u32, u32, f64)>) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for (i, j, w) in pairs {
        let off = &ground.values.row(i as usize) - &ground.values.row(j as usize);
        sum += w * off.dot(&off);
        weight += w;
    }
    if sum <= 0.0 {
        sum = weight.max(1.0) * ground.values.iter().map(|v| v * v).sum::<f64>() / ground.values.nrows() as f64;
    }
    sum / ground.width() as f64
}

impl Embed<(&Features, &Sorts)> for Lmnn {
    type Model = Linear;
    fn fit_with(&self, (features, sorts): (&Features, &Sorts), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        self.by_classes(features, sorts, run)
    }
}

impl Embed<(&Kernels, &Sorts)> for Lmnn {
    type Model = KernelMap;
    fn fit_with(&self, (kernels, sorts): (&Kernels, &Sorts), run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        self.by_classes(kernels, sorts, run)
    }
}

impl Embed<(&Features, &Comparisons)> for Lmnn {
    type Model = Linear;
    fn fit_with(
        &self,
        (features, comparisons): (&Features, &Comparisons),
        run: &Run<'_>,
    ) -> Result<Fit<Linear>, Error> {
        self.by_comparisons(features, comparisons, run)
    }
}

impl Embed<(&Kernels, &Comparisons)> for Lmnn {
    type Model = KernelMap;
    fn fit_with(
        &self,
        (kernels, comparisons): (&Kernels, &Comparisons),
        run: &Run<'_>,
    ) -> Result<Fit<KernelMap>, Error> {
        self.by_comparisons(kernels, comparisons, run)
    }
}
