//! Relevant component analysis: what varies among those that belong together is made small.

use ndarray::{Array2, s};

use crate::error::Error;
use crate::evidence::{Features, Kernels, Pairs, Sorts};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::features::ground::{Ground, Over, STANDARDISE, directions};
use crate::method::features::groups::{Groups, whitening};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::{KernelMap, Linear};
use crate::object::Objects;
use crate::settings::{configured, settable, words};
use crate::solve::Run;

/// Relevant component analysis (Bar-Hillel et al.): features in which those that belong together lie round.
///
/// ```text
/// C = 1/N Σ_groups Σ_i (x_i - m)(x_i - m)ᵗ        y = (C + ridge · tr C / q · I)^(-1/2) (x - mean)
/// ```
///
/// Groups (*chunklets*) are the classes, or what chains of pairs said to be alike join. The default whitens the scatter within
/// groups and sees the result along the axes of largest remaining variance. [`RcaForm::Literal`] is Algorithm 3.1 of the survey as
/// printed, which keeps the directions of *largest* scatter within groups: the noisiest.
///
/// # Takes
/// [`Features`] with classes ([`Sorts`]; objects without a class are in no group) or with [`Pairs`], of which only those alike
/// count; kernels instead of features learn the same in their span.
/// # Places
/// Anything with the same features ([`Linear`]).
/// # Cost
/// `O(n q² + q³)` for `q` dimensions that the objects span.
/// # Fails
/// [`Error::Evidence`] where no two objects belong together, or features do not vary.
/// # Reference
/// Bar-Hillel, Hertz, Shental and Weinshall (2005), *Learning a Mahalanobis metric from equivalence constraints*.
///
/// ```
/// use nearer::{Embed, method::Rca, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, classes) = toy::classed(60, 3, 4, 1);
/// let fit = Rca::new(2).fit((&features, &classes))?;
/// assert_eq!(fit.embedding.dim(), 2);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Rca {
    dim: usize,
    form: RcaForm,
    ridge: f64,
    standardise: bool,
}

/// Which directions are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RcaForm {
    /// Those that vary most after whitening.
    #[default]
    Whiten,
    /// Those that varied most within groups before it, as the algorithm is printed.
    Literal,
}

words!(RcaForm { "whiten" => RcaForm::Whiten, "literal" => RcaForm::Literal });
configured!(Rca { dim: "dim", form: "form", ridge: "ridge", standardise: "unit-variance" });

pub(crate) static METHOD: Method = Method {
    name: "rca",
    aliases: &["relevant-component-analysis"],
    summary: "features with classes or pairs: a metric in which those that belong together lie round, in closed form",
    solves: "y = (C + ridge tr C/q I)^(-1/2) (x - mean), C the scatter within classes or chains of similar pairs",
    ways: &[
        way::<Rca, (Features, Sorts)>(),
        way::<Rca, (Features, Pairs)>(),
        way::<Rca, (Kernels, Sorts)>(),
        way::<Rca, (Kernels, Pairs)>(),
    ],
    parameters: &[
        DIM,
        Parameter::choice::<RcaForm>("form", "whiten")
            .says("keep what varies most after whitening, or literally what varied most within groups"),
        Parameter::number("ridge", Kind::POSITIVE, Rca::RIDGE)
            .says("what is added to the scatter within groups, as a share of its mean variance"),
        STANDARDISE,
    ],
    places: "by features alone",
    cost: "O(n q² + q³) time for q features, 16 n q bytes",
    reference: "Bar-Hillel et al. 2005",
    needs: |s, _| {
        let q = s.columns.max(1) as f64;
        let w = directions(s);
        Needs::new(1e-4 + 2e-9 * s.n() * q * w + 1e-8 * w.powi(3), 60.0 * s.n() * q + 32.0 * w * w + 100.0 * s.n())
    },
    again: again::<Rca>,
};

impl Rca {
    /// The default ridge, as a share of the mean variance within groups.
    pub const RIDGE: f64 = 0.01;

    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Rca { dim, form: RcaForm::Whiten, ridge: Self::RIDGE, standardise: false }
    }
    settable! {
        /// Which directions are kept.
        form: RcaForm,
        /// With this much added to the scatter, as a share of its mean variance.
        ridge: f64,
        /// With each feature divided by its standard deviation first.
        standardise: bool,
    }

    /// The factor of the metric, and the scatter it was made of.
    fn factor(&self, ground: &Ground<'_>, groups: &Groups) -> Result<Array2<f64>, Error> {
        ground.require("dim", self.dim)?;
        let (scatter, within) = groups.scatter(&ground.values);
        if within == 0 {
            return Err(Error::Evidence {
                what: "no two objects are said to belong together".into(),
                remedy: "give pairs that are alike, or classes of two objects or more".into(),
            });
        }
        // Where all that belong together are the same, the ridge is of the variance of all.
        let all = ground.values.iter().map(|v| v * v).sum::<f64>() / ground.values.nrows() as f64;
        let size = if scatter.diag().sum() > 0.0 { scatter.diag().sum() } else { all } / ground.width() as f64;
        let (_, factor) = whitening(&scatter, self.ridge * size)?;
        Ok(match self.form {
            RcaForm::Whiten => factor,
            RcaForm::Literal => factor.slice(s![.., ..self.dim]).to_owned(),
        })
    }

    fn learned<O: Over>(
        &self,
        over: &O,
        groups: impl FnOnce(&Objects) -> Result<Groups, Error>,
        run: &Run<'_>,
    ) -> Result<Fit<O::Model>, Error> {
        METHOD.afford(over.size(), self, run, "give fewer features, or fewer objects where they are kernels")?;
        let ground = over.ground(self.standardise)?;
        let groups = groups(ground.objects())?;
        let factor = self.factor(&ground, &groups)?;
        Ok(self.told(O::fitted(&ground, "rca", &factor, self.dim, run)?, &groups))
    }

    fn told<M>(&self, mut fit: Fit<M>, groups: &Groups) -> Fit<M> {
        let sizes = groups.sizes();
        let report = &mut fit.report;
        report.objective_is = "closed form".into();
        report.by(self);
        let several = sizes.iter().filter(|s| **s > 1).count();
        *report =
            report.clone().figure("groups", several).figure("grouped", sizes.iter().filter(|s| **s > 1).sum::<usize>());
        fit
    }
}

impl Embed<(&Features, &Sorts)> for Rca {
    type Model = Linear;
    fn fit_with(&self, (features, sorts): (&Features, &Sorts), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        order::features_by_label(features, |f| self.learned(f, |objects| Groups::of_classes(sorts, objects, 1), run))
    }
}

impl Embed<(&Kernels, &Sorts)> for Rca {
    type Model = KernelMap;
    fn fit_with(&self, (kernels, sorts): (&Kernels, &Sorts), run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        self.learned(kernels, |objects| Groups::of_classes(sorts, objects, 1), run)
    }
}

impl Embed<(&Features, &Pairs)> for Rca {
    type Model = Linear;
    fn fit_with(&self, (features, pairs): (&Features, &Pairs), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        order::features_by_label(features, |f| {
            self.learned(f, |objects| Groups::linked(pairs.plain("rca")?, objects), run)
        })
    }
}

impl Embed<(&Kernels, &Pairs)> for Rca {
    type Model = KernelMap;
    fn fit_with(&self, (kernels, pairs): (&Kernels, &Pairs), run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        self.learned(kernels, |objects| Groups::linked(pairs.plain("rca")?, objects), run)
    }
}
