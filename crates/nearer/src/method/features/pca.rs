//! Principal components: the linear map that keeps most of the variance.

use ndarray::{Array1, Array2, Axis, s};
use nearer_num::principal;

use crate::error::Error;
use crate::evidence::Features;
use crate::fit::{Embed, Fit};
use crate::geometry::Spectrum;
use crate::method::common::{self, DIM};
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::table::{Method, Parameter, again, way};
use crate::model::Linear;
use crate::report::{FitReport, Input};
use crate::settings::{configured, settable};
use crate::solve::{Run, Stop};

/// Principal component analysis.
///
/// `y = Vᵗ (x - mean)` with `V` the leading eigenvectors of the covariance of the features: of all linear maps into `dim`
/// dimensions with orthonormal rows, the one that keeps most of the variance; classical scaling of the Euclidean distances
/// gives the same points. Features in different units are worth [`standardise`](Pca::standardise): the widest unit wins else.
///
/// # Takes
/// [`Features`].
/// # Places
/// New objects by their features, linearly ([`Linear`]): old objects come back exactly.
/// # Cost
/// `O(n w min(n, w))` time for `w` features; above 1500 of both, a pass over the table for each Lanczos step.
/// # Fails
/// If no feature varies.
/// # Reference
/// Pearson (1901); Hotelling (1933); Jolliffe (2002).
///
/// ```
/// use nearer::{Embed, method::Pca, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (roll, _) = toy::swiss_roll(200, 1);
/// let fit = Pca::new(2).fit(&roll)?;
/// let share = fit.report.figures["variance-share"].number().unwrap();
/// assert!(share > 0.6 && share < 0.9);                 // a roll does not lie flat
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pca {
    dim: usize,
    standardise: bool,
    whiten: bool,
}

configured!(Pca { dim: "dim", standardise: "standardise", whiten: "whiten" });

/// Whether features are brought to one size first.
pub(crate) const STANDARDISE: Parameter = Parameter::flag("standardise", false)
    .says("divide every feature by its standard deviation first: for features in different units");

pub(crate) static METHOD: Method = Method {
    name: "pca",
    aliases: &["principal-components", "principal-component-analysis", "prcomp"],
    summary: "principal components: the linear map of the features that keeps most of their variance",
    solves: "max tr(Vᵗ C V), VᵗV = I, C the covariance of the features; y = Vᵗ (x - mean)",
    ways: &[way::<Pca, Features>()],
    parameters: &[
        DIM,
        STANDARDISE,
        Parameter::flag("whiten", false).says("divide every axis of the map by its standard deviation"),
    ],
    places: "linear in the features; exact for old objects",
    cost: "O(n·w·min(n, w)) time for w features; above 1500 of both, passes over the table",
    reference: "Pearson 1901; Hotelling 1933; Jolliffe 2002",
    needs: |s, _| {
        let (n, w) = (s.n(), s.columns.max(1) as f64);
        let least = n.min(w);
        Needs::new(
            2e-9 * n * w * least.min(200.0) + 1e-9 * least.min(1500.0).powi(3),
            24.0 * n * w + 64.0 * n + 24.0 * least.min(1500.0).powi(2),
        )
    },
    again: again::<Pca>,
};

impl Pca {
    /// A map of `dim` dimensions, features and axes as they are.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Pca { dim, standardise: false, whiten: false }
    }
    settable! {
        /// With every feature divided by its standard deviation first, or not.
        standardise: bool,
        /// With every axis of the map divided by its standard deviation, or not.
        whiten: bool,
    }

    fn axes(&self, features: &Features, run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        let (n, clock) = (features.len(), run.clock());
        let scale = if self.standardise { deviations(features) } else { Array1::ones(features.columns().len()) };
        let scaled;
        let x = if self.standardise {
            scaled = features.values() / &scale;
            &scaled
        } else {
            features.values()
        };
        let found = principal::principal(x.view(), self.dim, || !clock.late()).map_err(|_| Error::Numerical {
            what: "the eigen-decomposition of the covariance of the features".into(),
        })?;
        let there = found.axes.ncols();
        if there == 0 {
            return Err(nothing_varies(features));
        }
        let mut axes = Array2::zeros((x.ncols(), self.dim));
        axes.slice_mut(s![.., ..there]).assign(&found.axes);
        common::sign_columns(&(x - &found.mean).dot(&axes), &mut axes);
        let per = (n as f64 - 1.0).max(1.0);
        for (k, mut axis) in axes.columns_mut().into_iter().enumerate().take(there) {
            let deviation = if self.whiten { (found.squares[k] / per).sqrt() } else { 1.0 };
            axis.zip_mut_with(&scale, |a, s| *a /= s * deviation);
        }
        let model = common::linear(features, axes, &found.mean * &scale)?;
        let embedding = crate::fit::Place::place(&model, features)?;
        let share = found.squares.iter().take(self.dim).sum::<f64>() / found.total;
        let mut report = FitReport::new("pca", n, self.dim, run.seed()).figure("variance-share", share);
        report.by(self);
        report.objective = found.squares.iter().take(self.dim).sum::<f64>() / per;
        report.objective_is = "variance along the axes of the map".into();
        report.stop = if clock.late() && !found.complete { Stop::TimeLimit } else { Stop::Converged };
        report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
        report.spectrum = Some(match found.complete {
            true => Spectrum::complete(found.squares),
            false => Spectrum::leading(found.squares, found.total, 0.0),
        });
        if there < self.dim {
            report.warnings.push(format!(
                "the features vary in {there} directions only: {} of the {} dimensions of the map are zero",
                self.dim - there,
                self.dim
            ));
        }
        Ok(Fit::new(embedding, model, report))
    }
}

/// Standard deviations of the columns, 1 for one that does not vary.
pub(crate) fn deviations(features: &Features) -> Array1<f64> {
    let n = features.len() as f64;
    let one = |column: ndarray::ArrayView1<'_, f64>| {
        let mean = column.sum() / n;
        let square = column.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0).max(1.0);
        // What is left of equal numbers after rounding is no deviation.
        let size = column.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if square.sqrt() > 1e-13 * size { square.sqrt() } else { 1.0 }
    };
    features.values().axis_iter(Axis(1)).map(one).collect()
}

/// The refusal of features that tell nothing apart.
pub(crate) fn nothing_varies(features: &Features) -> Error {
    Error::Evidence {
        what: format!(
            "none of the {} features varies, so all {} objects lie at one place",
            features.columns().len(),
            features.len()
        ),
        remedy: "there is nothing to map; check the columns or the units".into(),
    }
}

impl Embed<&Features> for Pca {
    type Model = Linear;
    fn fit_with(&self, features: &Features, run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        common::require_dim(features.len(), self.dim)?;
        METHOD.afford(features, self, run, "map fewer objects, or choose fewer features")?;
        run.install(|| order::features_by_label(features, |features| self.axes(features, run)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::ClassicalMds;
    use crate::object::Objects;
    use crate::{Distances, toy};

    #[test]
    fn it_is_classical_scaling_of_the_distances() {
        let (roll, _) = toy::swiss_roll(60, 2);
        let square = Array2::from_shape_fn((60, 60), |(i, j)| roll.squared_distance(i, j).sqrt());
        let d = Distances::from_square(roll.objects().clone(), square.view()).unwrap();
        let (a, b) = (Pca::new(3).fit(&roll).unwrap(), ClassicalMds::new(3).fit(&d).unwrap());
        assert!((a.embedding.points() - b.embedding.points()).iter().all(|e| e.abs() < 1e-8));
        let whitened = Pca::new(2).whiten(true).fit(&roll).unwrap();
        for c in whitened.embedding.points().columns() {
            assert!((c.dot(&c) / 59.0 - 1.0).abs() < 1e-10);
        }
    }

    #[test]
    fn constant_features_and_one_feature_are_told() {
        let x = Array2::from_shape_fn((6, 2), |(i, j)| if j == 0 { 3.0 } else { i as f64 });
        let f = Features::new(Objects::numbered(6), ["a", "b"], x).unwrap();
        for standardise in [false, true] {
            let fit = Pca::new(2).standardise(standardise).fit(&f).unwrap();
            assert!(fit.report.warnings[0].contains("1 directions only"), "{:?}", fit.report.warnings);
            assert!(fit.embedding.points().column(1).iter().all(|v| *v == 0.0));
        }
        let flat = Features::new(Objects::numbered(6), ["a"], Array2::ones((6, 1))).unwrap();
        assert!(Pca::new(1).fit(&flat).unwrap_err().to_string().contains("none of the 1 features varies"));
    }
}
