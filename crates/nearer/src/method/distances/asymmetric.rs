//! Squares whose two sides differ: a map of what they share, and what is left over as drift, planes or a slide.

use ndarray::{Array1, Array2, Axis, s};
use nearer_num::{dense, packed};

use crate::error::Error;
use crate::evidence::{DistanceRows, Distances, Repeats};
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::method::common::{self, DIM};
use crate::method::distances::descents::{self, Descents, EPS, MAX_ITER, STARTS};
use crate::method::distances::metric_mds::MetricMds;
use crate::method::table::{Method, Parameter, again, way};
use crate::model::{Anchors, Loss, Transform};
use crate::object::Objects;
use crate::report::FitReport;
use crate::settings::{configured, settable, words};
use crate::solve::Run;
use crate::solve::slide::Slide;

/// Scaling of a square `M` whose two sides differ, `M = S + A` with `S` symmetric and `A` skew.
///
/// - [`AsymmetryForm::Drift`]: [`MetricMds`] of `S`, and at each object the mean of `aᵢⱼ uᵢⱼ` over the others, `uᵢⱼ` the unit vector
///   from `i` to `j` on the map: where an arrow points, the data are larger there than back. `flow` is the squared
///   correlation between `aᵢⱼ` and what the arrows say of it, `uᵢⱼ·(bᵢ + bⱼ)`.
/// - [`AsymmetryForm::Gower`]: the canonical analysis of `A`. Its singular values come in pairs, each a plane on which
///   `aᵢⱼ = xᵢ yⱼ - yᵢ xⱼ`, twice the area between two objects and the origin. `flow` is `Σ σ²` of the planes kept over that of all:
///   what they explain of `Σ a²`. The map is one of `A` alone; its distances are not those of the data.
/// - [`AsymmetryForm::Slide`]: minimises `Σ (mᵢⱼ - |xᵢ - xⱼ + z|)²` over the map and one vector `z`, the slide. `flow` is
///   `1 - Σ (a - â)² / Σ a²`.
///
/// `asymmetry` is `Σ a² / Σ m²` off the diagonal, which is not used.
///
/// # Takes
/// [`DistanceRows`] with the same objects as rows and as columns, in any order.
/// # Places
/// `drift` by symmetrised distances, old points fixed; `slide` by the distances from the new object to the old; not in the form
/// `gower`.
/// # Cost
/// As [`MetricMds`]; `gower` one singular value decomposition.
/// # Fails
/// [`Error::Evidence`] where rows and columns are not the same objects; `gower` needs an even number of dimensions and every cell.
/// # Reference
/// Constantine and Gower (1978); Borg and Groenen (2005), chapter 23; Zielman and Heiser (1993) for the slide.
///
/// ```
/// use ndarray::array;
/// use nearer::{DistanceRows, Embed, Objects, method::{AsymmetricMds, AsymmetryForm}};
/// # fn main() -> Result<(), nearer::Error> {
/// let towns = Objects::new(["a", "b", "c", "d"])?;
/// let there = array![[0.0, 3.0, 5.0, 4.0], [2.0, 0.0, 4.0, 5.0], [4.0, 5.0, 0.0, 3.0], [5.0, 4.0, 2.0, 0.0]];
/// let rows = DistanceRows::new(towns.clone(), towns, there)?;
/// let fit = AsymmetricMds::new(2).fit(&rows)?;
/// assert_eq!(fit.report.drift.unwrap().len(), 4);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AsymmetricMds {
    descents: Descents,
    form: AsymmetryForm,
}

/// What is made of the difference between two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsymmetryForm {
    /// An arrow an object on the map of the symmetric part.
    Drift,
    /// Planes of the skew part.
    Gower,
    /// One vector for all.
    Slide,
}
words!(AsymmetryForm { "drift" => AsymmetryForm::Drift, "gower" => AsymmetryForm::Gower, "slide" => AsymmetryForm::Slide });
configured!(AsymmetricMds [descents] { form: "form" });

pub(crate) static METHOD: Method = Method {
    name: "asymmetric-mds",
    aliases: &["drift-vectors", "slide-vector", "skew-symmetric"],
    summary: "squares whose two sides differ: a map with drift arrows, the planes of the skew part, or one slide vector",
    solves: "drift: min Σ (s - d)², arrows Σ a u / (n - 1); gower: leading planes of A; slide: min Σ (m - |xᵢ - xⱼ + z|)²",
    ways: &[way::<AsymmetricMds, DistanceRows>()],
    parameters: &[
        DIM,
        Parameter::choice::<AsymmetryForm>("form", "drift")
            .says("arrows on the map of the symmetric part, planes of the skew part, or one vector that all differences share"),
        STARTS,
        MAX_ITER,
        EPS,
    ],
    places: "drift, slide: the new point's own stress is minimised, old points fixed; gower: no",
    cost: "O(n²) time per iteration; gower O(n³) once",
    reference: "Constantine & Gower 1978; Borg & Groenen 2005; Zielman & Heiser 1993",
    needs: |s, settings| descents::needs(s, settings, 4e-7, 24.0),
    again: again::<AsymmetricMds>,
};

impl AsymmetricMds {
    /// A map of `dim` dimensions with drift arrows.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        AsymmetricMds { descents: Descents::new(dim), form: AsymmetryForm::Drift }
    }
    settable! {
        /// In another form.
        form: AsymmetryForm,
    }
}

descents::setters!(AsymmetricMds);

impl Embed<&DistanceRows> for AsymmetricMds {
    type Model = Anchors;
    fn fit_with(&self, rows: &DistanceRows, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let columns = same_objects(rows)?;
        let n = rows.objects().len();
        run.afford("asymmetric-mds", 80 * packed::len(n) as u64, "take a part of the objects")?;
        common::require_dim(n, self.descents.dim)?;
        let order = rows.objects().label_order().unwrap_or_else(|| (0..n).collect());
        let columns: Vec<usize> = order.iter().map(|&k| columns[k]).collect();
        let split = Split::new(&rows.subset(&order, &columns))?;
        let mut fit = match self.form {
            AsymmetryForm::Drift => self.drift(&split, run)?,
            AsymmetryForm::Gower => self.gower(&split, run)?,
            AsymmetryForm::Slide => self.slide(&split, run)?,
        };
        fit.report.by(self);
        fit.report = fit.report.figure("asymmetry", split.asymmetry());
        let back = |at: &Array2<f64>| {
            let mut out = Array2::zeros(at.dim());
            order.iter().enumerate().for_each(|(from, &to)| out.row_mut(to).assign(&at.row(from)));
            out
        };
        fit.embedding = Embedding::new(rows.objects().clone(), back(fit.embedding.points()))?;
        if let Some(drift) = &mut fit.report.drift {
            let arrows = back(&Array2::from_shape_fn((n, fit.embedding.dim()), |(i, k)| drift[i][k]));
            *drift = arrows.outer_iter().map(|a| a.to_vec()).collect();
        }
        Ok(fit)
    }
}

/// The column of each row's object.
fn same_objects(rows: &DistanceRows) -> Result<Vec<usize>, Error> {
    let refused = |what: String| Error::Evidence {
        what,
        remedy: "asymmetric-mds takes a square: the same objects as rows and as columns; unfolding takes others".into(),
    };
    if rows.objects().len() != rows.to().len() {
        return Err(refused(format!("{} rows and {} columns", rows.objects().len(), rows.to().len())));
    }
    rows.columns_of(rows.objects()).map_err(|_| {
        let index = rows.to().index();
        let lost = rows.objects().labels().iter().find(|l| !index.contains_key(l.as_str()));
        refused(format!("`{}` is a row and no column", lost.map_or("", String::as_str)))
    })
}

/// A square in its two parts.
struct Split {
    objects: Objects,
    /// What is known, `NaN` what is not; the diagonal is 0.
    square: Array2<f64>,
    symmetric: Distances,
}

impl Split {
    fn new(rows: &DistanceRows) -> Result<Self, Error> {
        let n = rows.objects().len();
        let cell = |i: usize, j: usize| if i == j { Some(0.0) } else { rows.get(i, j) };
        let square = Array2::from_shape_fn((n, n), |(i, j)| cell(i, j).unwrap_or(f64::NAN));
        let (mut values, mut weights) = (vec![0.0; packed::len(n)], vec![0.0; packed::len(n)]);
        for i in 0..n {
            for j in i + 1..n {
                let mean = 0.5 * (square[(i, j)] + square[(j, i)]);
                if !mean.is_nan() {
                    let k = packed::index(n, i, j);
                    (values[k], weights[k]) = (mean, 1.0);
                }
            }
        }
        let weights = weights.contains(&0.0).then_some(weights);
        let symmetric = Distances::from_parts(rows.objects().clone(), values, weights, None, Repeats::default())?;
        Ok(Split { objects: rows.objects().clone(), square, symmetric })
    }
    /// Half the difference of the two sides, where both are known.
    fn skew(&self, i: usize, j: usize) -> Option<f64> {
        Some(0.5 * (self.square[(i, j)] - self.square[(j, i)])).filter(|a| !a.is_nan())
    }
    fn pairs(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let n = self.objects.len();
        let all = (0..n).flat_map(move |i| (0..n).filter(move |j| *j != i).map(move |j| (i, j)));
        all.filter_map(|(i, j)| Some((i, j, self.skew(i, j)?)))
    }
    fn asymmetry(&self) -> f64 {
        let (a, m) = self.pairs().fold((0.0, 0.0), |(a, m), (i, j, v)| (a + v * v, m + self.square[(i, j)].powi(2)));
        if m > 0.0 { a / m } else { 0.0 }
    }
}

impl AsymmetricMds {
    fn drift(&self, split: &Split, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let mut method =
            MetricMds::new(self.descents.dim).max_iter(self.descents.limits.max_iter).eps(self.descents.limits.eps);
        if let Some(starts) = self.descents.starts {
            method = method.starts(starts);
        }
        let Fit { embedding, model, report, .. } = method.fit_with(&split.symmetric, run)?;
        let (n, points) = (embedding.len(), embedding.points());
        let unit = |i: usize, j: usize| -> Array1<f64> {
            let way = &points.row(j) - &points.row(i);
            let length = way.dot(&way).sqrt();
            if length > 0.0 { way / length } else { way }
        };
        let mut arrows = Array2::<f64>::zeros(points.dim());
        let mut count = vec![0.0f64; n];
        for (i, j, a) in split.pairs() {
            arrows.row_mut(i).scaled_add(a, &unit(i, j));
            count[i] += 1.0;
        }
        arrows.outer_iter_mut().zip(&count).for_each(|(mut a, c)| a /= c.max(1.0));
        let (mut cross, mut told, mut all) = (0.0, 0.0, 0.0);
        for (i, j, a) in split.pairs() {
            let says = unit(i, j).dot(&(&arrows.row(i) + &arrows.row(j)));
            (cross, told, all) = (cross + a * says, told + says * says, all + a * a);
        }
        let flow = if told * all > 0.0 { cross * cross / (told * all) } else { 0.0 };
        let mut report = FitReport { method: "asymmetric-mds".into(), ..report }.figure("flow", flow);
        report.drift = Some(arrows.outer_iter().map(|a| a.to_vec()).collect());
        Ok(Fit::new(embedding, model, report))
    }

    fn gower(&self, split: &Split, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let (n, dim) = (split.objects.len(), self.descents.dim);
        if dim % 2 == 1 {
            return Err(Error::Parameter {
                name: "dim".into(),
                value: dim.to_string(),
                expected: "an even number: the form gower has planes".into(),
            });
        }
        if let Some((i, j)) = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).find(|c| split.skew(c.0, c.1).is_none())
        {
            let (a, b) = (&split.objects.labels()[i], &split.objects.labels()[j]);
            return Err(Error::Evidence {
                what: format!("what lies between `{a}` and `{b}` is not known both ways"),
                remedy: "the form gower needs every cell; use the form drift or slide".into(),
            });
        }
        let skew = Array2::from_shape_fn((n, n), |(i, j)| split.skew(i, j).unwrap_or(0.0));
        let svd = dense::svd(skew.view()).map_err(|_| Error::Evidence {
            what: "the singular values of the skew part were not found".into(),
            remedy: "check the numbers for extremes".into(),
        })?;
        let total: f64 = skew.iter().map(|v| v * v).sum();
        let mut points = Array2::<f64>::zeros((n, dim));
        let mut kept = 0.0;
        let mut found: Vec<Array1<f64>> = Vec::new();
        for plane in 0..dim / 2 {
            // A u = σ v, A v = -σ u: one vector of a pair gives the other, and the next vector is the first that is none of them.
            let u = (0..n).find_map(|k| {
                let mut u = svd.u.column(k).to_owned();
                for f in &found {
                    let along = f.dot(&u);
                    u.scaled_add(-along, f);
                }
                let length = u.dot(&u).sqrt();
                (length > 0.5).then(|| u / length)
            });
            let Some(u) = u else { break };
            let image = skew.dot(&u);
            let sigma = image.dot(&image).sqrt();
            if sigma <= 1e-12 * total.sqrt() {
                break;
            }
            let v = image / sigma;
            kept += 2.0 * sigma * sigma;
            // aᵢⱼ = σ (vᵢ uⱼ - uᵢ vⱼ); turned in the plane so that the first axis carries most, which changes no area.
            let turned = turned(&v, &u);
            points.slice_mut(s![.., 2 * plane..2 * plane + 2]).assign(&(turned * sigma.sqrt()));
            found.extend([u, v]);
        }
        let embedding = Embedding::new(split.objects.clone(), points)?;
        let mut report = FitReport::new("asymmetric-mds", n, dim, run.seed());
        report.objective = if total > 0.0 { kept / total } else { 0.0 };
        report.objective_is = "share of Σ a² in the planes".into();
        report.warnings.push("this is a map of the differences between the two sides alone: areas about the origin mean something, distances do not".into());
        let report = report.figure("flow", if total > 0.0 { kept / total } else { 0.0 });
        let model = Anchors::new(embedding.clone(), Loss::Stress, Transform::Identity, dim)
            .unplaceable("a map of the skew part has no place for distances; the forms drift and slide have");
        Ok(Fit::new(embedding, model, report))
    }

    fn slide(&self, split: &Split, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let (n, dim) = (split.objects.len(), self.descents.dim);
        descents::require(&split.symmetric, dim, "asymmetric-mds")?;
        let loss = Slide { square: &split.square, symmetric: &split.symmetric, dim };
        let (best, mut report) = self.descents.best("asymmetric-mds", &loss, run)?;
        report.objects = n;
        let all = Array2::from_shape_vec((n + 1, dim), best.at.clone()).unwrap_or_default();
        let (points, slide) = (all.slice(s![..n, ..]).to_owned(), all.row(n).to_owned());
        let map = Embedding::new(split.objects.clone(), points)?;
        let pose = map.pose()?;
        let embedding = Embedding::new(split.objects.clone(), pose.apply(map.points()))?;
        let slide = slide.dot(&pose.axes);
        let size: f64 = split.square.iter().filter(|v| !v.is_nan()).map(|v| v * v).sum();
        report.objective_is = "Σ (m - |xᵢ - xⱼ + z|)²".into();
        report.stress1 = Some((best.value / size).sqrt());
        let far = |i: usize, j: usize| {
            let way = &embedding.point(i) - &embedding.point(j) + &slide;
            way.dot(&way).sqrt()
        };
        let (mut off, mut total) = (0.0, 0.0);
        for (i, j, a) in split.pairs() {
            off += (a - 0.5 * (far(i, j) - far(j, i))).powi(2);
            total += a * a;
        }
        let mut report = report.figure("flow", if total > 0.0 { 1.0 - off / total } else { 0.0 });
        // The way from i is shorter by as much as the slide takes off it, so the data grow against it.
        report.drift = Some(vec![slide.to_vec(); n]);
        // |y - xⱼ + z| of a new object is its distance to xⱼ - z.
        let moved = embedding.points() - &slide.clone().insert_axis(Axis(0));
        let model = Anchors::new(Embedding::new(split.objects.clone(), moved)?, Loss::Stress, Transform::Identity, dim);
        Ok(Fit::new(embedding, model, report))
    }
}

/// Two coordinates, turned about the origin so that the first carries most, the largest of it positive.
fn turned(x: &Array1<f64>, y: &Array1<f64>) -> Array2<f64> {
    let angle = 0.5 * (2.0 * x.dot(y)).atan2(x.dot(x) - y.dot(y));
    let (c, s) = (angle.cos(), angle.sin());
    let (mut a, mut b) = (x * c + y * s, y * c - x * s);
    let largest = a.iter().fold(0.0, |best: f64, v| if v.abs() > best.abs() + 1e-12 { *v } else { best });
    if largest < 0.0 {
        (a, b) = (-a, -b);
    }
    ndarray::stack![Axis(1), a, b]
}
