//! Individual differences: one map for all people, which each person stretches along its axes.

use std::collections::HashSet;
use std::path::Path;

use ndarray::{Array2, Axis};
use nearer_num::{dense, order, packed};

use crate::error::Error;
use crate::evidence::{Distances, Measurements};
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::method::common::{self, DIM};
use crate::method::cost::Needs;
use crate::method::distances::descents::{self, Descents, EPS, MAX_ITER, STARTS};
use crate::method::table::{Method, Parameter, again, way};
use crate::model::{Anchors, Loss, Transform};
use crate::report::{FitReport, Input, PersonReading};
use crate::settings::{configured, settable, words};
use crate::solve::Run;
use crate::solve::people::{Person, Stretched};
use crate::study::{ByPeople, People};

/// Scaling of several people's distances (three-way scaling) by least squares.
///
/// Minimises `Σₖ Σ w (δₖᵢⱼ - |Wₖ (xᵢ - xⱼ)|)²` over one map `x` and a matrix `Wₖ` a person: diagonal ([`IndscalForm::Indscal`], a weight a
/// person and axis), any ([`IndscalForm::Idioscal`]) or the identity ([`IndscalForm::Identity`], all people alike). Each person's distances are brought
/// to the same sum of squares first, so that nobody counts more for using larger numbers. The map is scaled so that the mean over people of
/// `WₖᵗWₖ` is the identity: its distances are those of the root mean square of all people. The axes of `indscal` are
/// those of the data and are not turned; a weight of 0 is an axis that a person does not use.
///
/// # Takes
/// [`Distances`] with the measurements behind them: one matrix a person, as several files or as a column of participants. Without any,
/// there is one person. Cells may be missing.
/// # Places
/// New objects on the common map, by distances on the scale of the people's mean, old points fixed.
/// # Cost
/// A pass over the pairs of every person an iteration; the general form is descended from the best map with weights as well.
/// # Fails
/// [`Error::Disconnected`] where the known pairs of all people together fall apart.
/// # Reference
/// Carroll and Chang (1970); de Leeuw and Heiser (1980); Borg and Groenen (2005), chapter 22.
///
/// ```
/// use ndarray::array;
/// use nearer::{Distances, Embed, Objects, method::Indscal};
/// # fn main() -> Result<(), nearer::Error> {
/// let names = Objects::new(["a", "b", "c", "d"])?;
/// let square = |x: f64, y: f64| {
///     let points = [[0.0, 0.0], [x, 0.0], [0.0, y], [x, y]];
///     let d = |i: usize, j: usize| f64::hypot(points[i][0] - points[j][0], points[i][1] - points[j][1]);
///     Distances::from_square(names.clone(), ndarray::Array2::from_shape_fn((4, 4), |(i, j)| d(i, j)).view())
/// };
/// // One person sees twice as much of a difference along the second axis as the other does.
/// let people = [("Ann".to_owned(), square(2.0, 1.0)?), ("Bob".to_owned(), square(2.0, 2.0)?)];
/// let fit = Indscal::new(2).fit(people.as_slice())?;
/// assert!(fit.report.stress1.unwrap() < 1e-3 && fit.report.people.unwrap()[1].person == "Bob");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Indscal {
    descents: Descents,
    form: IndscalForm,
}

/// What people do to the common map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndscalForm {
    /// A weight a person and axis.
    Indscal,
    /// Any matrix a person.
    Idioscal,
    /// Nothing.
    Identity,
}
words!(IndscalForm { "indscal" => IndscalForm::Indscal, "idioscal" => IndscalForm::Idioscal, "identity" => IndscalForm::Identity });
configured!(Indscal [descents] { form: "form" });

pub(crate) static METHOD: Method = Method {
    name: "indscal",
    aliases: &["idioscal", "smacof-inddiff", "three-way"],
    summary: "several people's distances: one map, and a weight for each person and axis",
    solves: "min Σₖ Σ w (δₖ - |Wₖ(xᵢ - xⱼ)|)², Wₖ diagonal, any, or the identity",
    ways: &[way::<Indscal, People>()],
    parameters: &[
        DIM,
        Parameter::choice::<IndscalForm>("form", "indscal")
            .says("a weight a person and axis, any matrix a person, or all people alike"),
        STARTS,
        MAX_ITER,
        EPS,
    ],
    places: "the new point's own stress on the common map is minimised, old points fixed",
    cost: "O(n²) time per person and iteration",
    reference: "Carroll & Chang 1970; de Leeuw & Heiser 1980",
    needs: |s, settings| {
        let needs = descents::needs(s, settings, 2e-6, 16.0);
        // A triangle of distances and one of weights for each person.
        Needs { bytes: needs.bytes + 25 * s.measurements as u64, ..needs }
    },
    again: again::<Indscal>,
};

impl Indscal {
    /// A map of `dim` dimensions with a weight for each person and axis.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Indscal { descents: Descents::new(dim), form: IndscalForm::Indscal }
    }
    settable! {
        /// In another form.
        form: IndscalForm,
    }
}

descents::setters!(Indscal);

impl Embed<ByPeople<'_>> for Indscal {
    type Model = Anchors;
    fn fit_with(&self, seen: ByPeople<'_>, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let people = match seen.measurements.filter(|m| m.sources().len() > 1) {
            Some(m) => by_person(m)?,
            None => vec![("all".to_owned(), seen.distances.clone())],
        };
        self.fit_with(people.as_slice(), run)
    }
}

/// The distances of each person; who measured nothing is left out. A person known by a file has its name without folder and ending,
/// where these tell all apart.
fn by_person(m: &Measurements) -> Result<Vec<(String, Distances)>, Error> {
    let stem = |s: &String| Path::new(s).file_stem().map_or_else(|| s.clone(), |f| f.to_string_lossy().into_owned());
    let stems: Vec<String> = m.sources().iter().map(stem).collect();
    let apart = stems.iter().collect::<HashSet<_>>().len() == stems.len();
    let names = if apart { stems } else { m.sources().to_vec() };
    let mut people = Vec::with_capacity(names.len());
    for (k, name) in names.into_iter().enumerate() {
        let d = m.of_source(k)?;
        if d.missing() < d.pairs() {
            people.push((name, d));
        }
    }
    Ok(people)
}

impl Embed<&[(String, Distances)]> for Indscal {
    type Model = Anchors;
    fn fit_with(&self, people: &[(String, Distances)], run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let Some((_, first)) = people.first() else {
            return Err(Error::TooFew {
                found: 0,
                needed: 1,
                remedy: "give the distances of at least one person".into(),
            });
        };
        let objects = first.objects().clone();
        if let Some((name, _)) = people.iter().find(|(_, d)| d.objects() != &objects) {
            return Err(Error::Evidence {
                what: format!("`{name}` has other objects, or in another order, than `{}`", people[0].0),
                remedy: "give every person the same objects; what was not measured is left empty".into(),
            });
        }
        people.iter().try_for_each(|(_, d)| common::refuse_bounds(d, "indscal"))?;
        // People and objects by their labels: what goes by number inside must not hang on the order of a file.
        let order = objects.label_order().unwrap_or_else(|| (0..objects.len()).collect());
        let mut sorted: Vec<(String, Distances)> = people.iter().map(|(n, d)| (n.clone(), d.subset(&order))).collect();
        order::by(&mut sorted, &|a, b| a.0.cmp(&b.0));
        let mut fit = self.in_order(&sorted, run)?;
        let mut points = Array2::zeros(fit.embedding.points().dim());
        order.iter().enumerate().for_each(|(from, &to)| points.row_mut(to).assign(&fit.embedding.points().row(from)));
        fit.embedding = Embedding::new(objects, points)?;
        if let Some(read) = &mut fit.report.people {
            order::by_key(read, &|p| people.iter().position(|(name, _)| *name == p.person));
        }
        Ok(fit)
    }
}

impl Indscal {
    fn in_order(&self, people: &[(String, Distances)], run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let (dim, objects) = (self.descents.dim, people[0].1.objects());
        let (persons, mean) = Person::of(people)?;
        descents::require(&mean, dim, "indscal")?;
        // One matrix has nothing that people could differ in.
        let form = if people.len() == 1 { IndscalForm::Identity } else { self.form };
        let rows = match form {
            IndscalForm::Indscal => 1,
            IndscalForm::Idioscal => dim,
            IndscalForm::Identity => 0,
        };
        let mut loss = Stretched { people: &persons, mean: &mean, dim, rows, first: None };
        if form == IndscalForm::Idioscal {
            // Weights are matrices too: from their best map the general form never ends above them.
            let weighted = Stretched { people: &persons, mean: &mean, dim, rows: 1, first: None };
            let (best, _) = self.descents.best("indscal", &weighted, run)?;
            loss.first = Some(weighted.widened(&best.at));
        }
        let (best, mut report) = self.descents.best("indscal", &loss, run)?;
        report.by(self);
        report.objects = objects.len();
        report.input = Input::from(&mean);
        let (points, weights) = loss.apart(&best.at);
        let (points, weights) = settled(form, points, weights)?;
        report.objective_is = "Σₖ Σ w (δₖ - |Wₖ(xᵢ - xⱼ)|)², each person's distances of the same size".into();
        let read = self.read(people, &persons, &points, &weights);
        let (off, size) =
            read.iter().zip(&persons).fold((0.0, 0.0), |(o, t), (r, p)| (o + r.stress1.powi(2) * p.size, t + p.size));
        report.stress1 = Some((off / size).sqrt());
        if people.len() == 1 && self.form != IndscalForm::Identity {
            report.warnings.push("there is one matrix, and nobody to differ from: this is metric-mds".into());
        }
        let embedding = Embedding::new(objects.clone(), points)?;
        let mut report: FitReport = report.figure("people", people.len());
        report.people = Some(read);
        let model = Anchors::new(embedding.clone(), Loss::Stress, Transform::Identity, dim);
        Ok(Fit::new(embedding, model, report))
    }

    fn read(
        &self,
        people: &[(String, Distances)],
        persons: &[Person],
        points: &Array2<f64>,
        weights: &[Array2<f64>],
    ) -> Vec<PersonReading> {
        let one = |((name, d), (person, w)): (&(String, Distances), (&Person, &Array2<f64>))| {
            let own = points.dot(&w.t());
            let pass = packed::descend(&packed::Points::from_rows(&own), &person.values, d.weights());
            let weights = match self.form {
                IndscalForm::Idioscal => w.t().dot(w).outer_iter().map(|r| r.to_vec()).collect(),
                _ => vec![w.diag().to_vec()],
            };
            PersonReading {
                person: name.clone(),
                weights,
                stress1: (pass.loss / person.size).sqrt(),
                scale: person.scale,
            }
        };
        people.iter().zip(persons.iter().zip(weights)).map(one).collect()
    }
}

/// The map centred, the mean of `WᵗW` the identity, axes in the order of what they carry, with fixed signs. A direction that nobody
/// uses is taken out of the map and out of the matrices: what anybody sees stays as it is.
fn settled(
    form: IndscalForm,
    points: Array2<f64>,
    mut weights: Vec<Array2<f64>>,
) -> Result<(Array2<f64>, Vec<Array2<f64>>), Error> {
    let mut points = &points - &points.mean_axis(Axis(0)).unwrap_or_default();
    let (dim, count) = (points.ncols(), weights.len() as f64);
    match form {
        IndscalForm::Indscal => {
            for axis in 0..dim {
                let size = (weights.iter().map(|w| w[(axis, axis)].powi(2)).sum::<f64>() / count).sqrt();
                if size > 0.0 {
                    points.column_mut(axis).mapv_inplace(|v| v * size);
                    weights.iter_mut().for_each(|w| w[(axis, axis)] = w[(axis, axis)].abs() / size);
                }
            }
            let carried = |a: usize| points.column(a).dot(&points.column(a));
            let mut axes: Vec<usize> = (0..dim).collect();
            order::by(&mut axes, &|a, b| carried(*b).total_cmp(&carried(*a)).then(a.cmp(b)));
            let turned = points.select(Axis(1), &axes);
            let mut signs = Array2::eye(dim);
            common::sign_columns(&turned, &mut signs);
            let weights = weights.iter().map(|w| w.select(Axis(0), &axes).select(Axis(1), &axes)).collect();
            Ok((turned.dot(&signs), weights))
        }
        IndscalForm::Identity => {
            let pose = Embedding::new(crate::object::Objects::numbered(points.nrows()), points.clone())?.pose()?;
            Ok((pose.apply(&points), weights))
        }
        IndscalForm::Idioscal => {
            let mean = weights.iter().fold(Array2::zeros((dim, dim)), |sum, w| sum + w.t().dot(w)) / count;
            let (there, back) = roots(&mean)?;
            points = points.dot(&there);
            let pose = Embedding::new(crate::object::Objects::numbered(points.nrows()), points.clone())?.pose()?;
            // With M = L Lᵗ, WᵗW becomes Rᵗ L⁻¹ WᵗW L⁻ᵗ R; only that is meant, so W is taken as W L⁻ᵗ R.
            let back = back.dot(&pose.axes);
            let weights = weights.iter().map(|w| w.dot(&back)).collect();
            Ok((pose.apply(&points), weights))
        }
    }
}

/// For a matrix `M = U Λ Uᵗ` that is not negative `U √Λ`, and `U /√Λ`, which has 0 in place of what cannot be inverted.
fn roots(m: &Array2<f64>) -> Result<(Array2<f64>, Array2<f64>), Error> {
    /// Eigenvalues below this share of the largest are rounding.
    const TINY: f64 = 1e-12;
    let (values, vectors) =
        dense::eigh(m.view()).map_err(|_| Error::Numerical { what: "what people do to the map on average".into() })?;
    let least = TINY * values.iter().copied().fold(0.0, f64::max);
    let (mut there, mut back) = (vectors.clone(), vectors);
    for (k, v) in values.iter().enumerate() {
        let root = if *v > least { v.sqrt() } else { 0.0 };
        there.column_mut(k).mapv_inplace(|x| x * root);
        back.column_mut(k).mapv_inplace(|x| if root > 0.0 { x / root } else { 0.0 });
    }
    Ok((there, back))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_direction_that_nobody_uses_leaves_the_map_and_what_is_seen_stays() {
        let points = array![[0.0, 3.0], [1.0, -2.0], [4.0, 5.0], [-2.0, 1.0]];
        // Both people look along one direction only, the same for both.
        let weights = vec![array![[2.0, 1.0], [4.0, 2.0]], array![[0.2, 0.1], [0.0, 0.0]]];
        let seen = |p: &Array2<f64>, w: &Array2<f64>| {
            let own = p.dot(&w.t());
            let d = |i: usize, j: usize| (&own.row(i) - &own.row(j)).mapv(|v| v * v).sum().sqrt();
            (0..4).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| d(i, j)).collect::<Vec<f64>>()
        };
        let before: Vec<Vec<f64>> = weights.iter().map(|w| seen(&points, w)).collect();
        let (map, settled) = settled(IndscalForm::Idioscal, points, weights).unwrap();
        for (w, before) in settled.iter().zip(before) {
            assert!(seen(&map, w).iter().zip(&before).all(|(a, b)| (a - b).abs() < 1e-12));
        }
        // Its distances are the root mean square of what people see: the map has its scale, and one dimension.
        let common = seen(&map, &Array2::eye(2));
        for (k, d) in common.iter().enumerate() {
            let square: f64 = settled.iter().map(|w| seen(&map, w)[k].powi(2)).sum::<f64>() / 2.0;
            assert!((d - square.sqrt()).abs() < 1e-12);
        }
        assert!(map.column(1).iter().all(|v| v.abs() < 1e-12));
    }
}
