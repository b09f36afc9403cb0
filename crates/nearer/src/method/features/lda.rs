//! Linear discriminants: the linear map that tells classes apart.

use std::collections::BTreeMap;

use ndarray::{Array1, Array2, Axis, s};
use nearer_num::dense::{self, Svd};

use crate::error::Error;
use crate::evidence::{Features, Sorts};
use crate::fit::{Embed, Fit, Place as _};
use crate::geometry::Spectrum;
use crate::method::common;
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::features::pca::nothing_varies;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Linear;
use crate::report::{FitReport, Input};
use crate::settings::configured;
use crate::solve::Run;
use crate::text::said_of;

/// Linear discriminant analysis (Fisher's discriminants).
///
/// The directions `w` with the largest ratio of the scatter between the classes to that within them, `wᵗ S_b w / wᵗ S_w w`,
/// each scaled so that the classes have unit variance along it (over n, as scikit-learn has it). At most one direction fewer than classes. Where the scatter
/// within classes is singular (constant features, more features than objects) directions without any are left out.
///
/// # Takes
/// [`Features`] with classes ([`Sorts`] of one assessor); objects without a class are placed and not learned from.
/// # Places
/// New objects by their features, linearly ([`Linear`]): old objects come back exactly.
/// # Cost
/// Two singular value decompositions, `O(n w min(n, w))` for `w` features.
/// # Fails
/// With fewer than two classes, or no class of two objects, or more dimensions than classes less one.
/// # Reference
/// Fisher (1936); Rao (1948).
///
/// ```
/// use ndarray::array;
/// use nearer::{Embed, Features, Objects, evidence::Sorts, method::Lda};
/// # fn main() -> Result<(), nearer::Error> {
/// let four = Objects::numbered(4);
/// // The classes differ in the second feature; the first varies more.
/// let x = Features::new(four.clone(), ["x", "y"], array![[0.0, 1.0], [9.0, 1.1], [1.0, 2.1], [8.0, 2.0]])?;
/// let class = ["a", "a", "b", "b"].map(|c| Some(c.to_owned())).to_vec();
/// let fit = Lda::new(1).fit((&x, &Sorts::new(four, vec!["class".into()], vec![class])?))?;
/// let y = fit.embedding.points();
/// assert!((y[(0, 0)] - y[(1, 0)]).abs() < (y[(0, 0)] - y[(2, 0)]).abs());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Lda {
    dim: Option<usize>,
}

configured!(Lda { dim: "dim" });

/// The dimensions of the map, of which two classes leave but one.
const DIM: Parameter = Parameter::auto("dim", Kind::Count { min: 1, max: 1000 })
    .says("dimensions of the map; auto: 2, or 1 where the classes differ in one direction only, as two classes do");

/// Singular values below this are those of directions that do not vary.
const RANK: f64 = 1e-4;

pub(crate) static METHOD: Method = Method {
    name: "lda",
    aliases: &["linear-discriminants", "linear-discriminant-analysis", "fisher"],
    summary: "linear discriminants: the linear map of the features that tells classes apart",
    solves: "max wᵗ S_b w / wᵗ S_w w: scatter between classes over that within them",
    ways: &[way::<Lda, (Features, Sorts)>()],
    parameters: &[DIM],
    places: "linear in the features; exact for old objects",
    cost: "O(n·w·min(n, w)) time for w features",
    reference: "Fisher 1936; Rao 1948",
    needs: |s, _| {
        let (n, w) = (s.n(), s.columns.max(1) as f64);
        Needs::new(1e-8 * n * w * n.min(w), 64.0 * n * w + 64.0 * n)
    },
    again: again::<Lda>,
};

impl Lda {
    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Lda { dim: Some(dim) }
    }

    /// A map of two dimensions, or of one where the classes differ in no more.
    #[must_use]
    pub fn auto() -> Self {
        Lda { dim: None }
    }

    /// `class` is that of each object, where it has one; `classes` how many there are.
    fn discriminants(
        &self,
        features: &Features,
        class: &[Option<usize>],
        classes: usize,
        run: &Run<'_>,
    ) -> Result<Fit<Linear>, Error> {
        let failed = |_| Error::Numerical { what: "the singular values of the scatter within classes".into() };
        let known: Vec<usize> = (0..features.len()).filter(|&i| class[i].is_some()).collect();
        let x = features.values().select(Axis(0), &known);
        let of: Vec<usize> = known.iter().filter_map(|&i| class[i]).collect();
        let (n, width) = (x.nrows() as f64, x.ncols());
        let mut means = Array2::<f64>::zeros((classes, width));
        let mut counts = vec![0.0; classes];
        for (row, &c) in x.rows().into_iter().zip(&of) {
            means.row_mut(c).zip_mut_with(&row, |m, v| *m += v);
            counts[c] += 1.0;
        }
        means.rows_mut().into_iter().zip(&counts).for_each(|(mut m, count)| m /= *count);
        let mean = x.mean_axis(Axis(0)).unwrap_or_default();
        let mut within = x;
        within.rows_mut().into_iter().zip(&of).for_each(|(mut row, &c)| row -= &means.row(c));
        // Features in the units of their scatter within classes, so that what counts as none of it hangs on no unit.
        let deviation: Array1<f64> =
            within.axis_iter(Axis(1)).map(|c| (c.dot(&c) / n).sqrt()).map(|d| if d > 0.0 { d } else { 1.0 }).collect();
        let per = (1.0 / n).sqrt();
        let scaled = within * &deviation.mapv(|d| per / d);
        let Svd { s, v, .. } = dense::svd(scaled.view()).map_err(failed)?;
        let rank = s.iter().filter(|v| **v > RANK).count();
        if rank == 0 {
            return Err(Error::Evidence {
                what: "no feature varies within a class".into(),
                remedy: "there is no scatter to hold the difference of classes against; use pca".into(),
            });
        }
        let mut whitening = v.slice(s![.., ..rank]).to_owned();
        for (k, mut column) in whitening.columns_mut().into_iter().enumerate() {
            column.zip_mut_with(&deviation, |w, d| *w /= d * s[k]);
        }
        let between = Array2::from_shape_fn((classes, width), |(c, j)| {
            (counts[c] / (classes as f64 - 1.0)).sqrt() * (means[(c, j)] - mean[j])
        });
        let Svd { s, v, .. } = dense::svd(between.dot(&whitening).view()).map_err(failed)?;
        let there = s.iter().filter(|v| **v > RANK * s[0] && **v > 0.0).count();
        if there == 0 {
            return Err(nothing_varies(features));
        }
        let most = there.min(classes - 1);
        let dim = self.dim.unwrap_or(most.min(2));
        if dim > most {
            return Err(Error::Parameter {
                name: "dim".into(),
                value: dim.to_string(),
                expected: format!("1 to {most}: {classes} classes differ in {most} directions"),
            });
        }
        let mut axes = whitening.dot(&v.slice(s![.., ..dim]));
        common::sign_columns(&(features.values() - &mean).dot(&axes), &mut axes);
        let model = common::linear(features, axes, mean)?;
        let embedding = model.place(features)?;
        // Variances without bias, as in an analysis of variance.
        let freedom = (n - classes as f64) / n;
        let ratios: Vec<f64> = s.iter().take(there).map(|v| v * v * freedom).collect();
        let mut report = FitReport::new("lda", features.len(), dim, run.seed())
            .figure("classes", classes)
            .figure("separation-share", ratios.iter().take(dim).sum::<f64>() / ratios.iter().sum::<f64>());
        report.became("dim", dim);
        report.by(self);
        report.objective = ratios.iter().take(dim).sum();
        report.objective_is = "variance between classes over that within them, summed over the axes of the map".into();
        report.input = Input { pairs: features.len() * (features.len() - 1) / 2, ..Input::default() };
        if rank < width.min(known.len() - classes) {
            report
                .warnings
                .push(format!("the features vary within classes in {rank} directions only; the others are left out"));
        }
        if known.len() < features.len() {
            report.warnings.push(format!(
                "{} on the map, and nothing was learned from what has none",
                said_of(features.len() - known.len(), "object has no class: it is", "objects have no class: they are")
            ));
        }
        report.spectrum = Some(Spectrum::complete(ratios));
        Ok(Fit::new(embedding, model, report))
    }
}

impl Embed<(&Features, &Sorts)> for Lda {
    type Model = Linear;
    fn fit_with(&self, (features, sorts): (&Features, &Sorts), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        common::require_dim(features.len(), self.dim.unwrap_or(1))?;
        METHOD.afford(features, self, run, "map fewer objects, or choose fewer features")?;
        let refuse = |what: String, remedy: &str| Err(Error::Evidence { what, remedy: remedy.into() });
        if sorts.assessors().len() != 1 {
            return refuse(
                format!("{} people sorted the objects, and lda takes one class an object", sorts.assessors().len()),
                "give one column of classes",
            );
        }
        let index = sorts.objects().index();
        let name = |label: &String| index.get(label.as_str()).and_then(|i| sorts.group(0, i.index()));
        let names: Vec<Option<&str>> = features.objects().labels().iter().map(name).collect();
        let mut classes: BTreeMap<&str, usize> = names.iter().flatten().map(|c| (*c, 0)).collect();
        classes.values_mut().enumerate().for_each(|(k, number)| *number = k);
        let known = names.iter().flatten().count();
        if classes.len() < 2 {
            return refuse(
                format!("there are {} classes among the {known} objects that have one", classes.len()),
                "give two classes at least",
            );
        }
        if known <= classes.len() {
            return refuse(
                format!("{known} objects are in {} classes: nothing varies within them", classes.len()),
                "give several objects of a class",
            );
        }
        run.install(|| {
            order::features_by_label(features, |features| {
                let class: Vec<Option<usize>> =
                    features.objects().labels().iter().map(|l| name(l).map(|c| classes[c])).collect();
                self.discriminants(features, &class, classes.len(), run)
            })
        })
    }
}
