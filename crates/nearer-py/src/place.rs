//! New objects onto an old map, from arrays.

use std::sync::Arc;

use ndarray::{Array2, Axis, CowArray, Ix2};
use nearer::evidence::DistanceRows;
use nearer::model::{Model, PlacedByJudgements, Sureness};
use nearer::{Embedding, Error, Evidence, Features, Objects, Part, Place as _};
use nearer_num::rowpairs::{Over, Rows, across};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::{self, objects, owned};
use crate::error::Raised as _;
use crate::fit::Fit;
use crate::run::{Ask, watched};
use crate::study::Study;

/// Rows of distances held at once, as numbers.
const PIECE: usize = 1 << 20;

/// A table of features as Python gives it: name, values, labels, columns.
pub(crate) type Table<'py> = (Option<String>, PyReadonlyArray2<'py, f64>, Option<Vec<String>>, Vec<String>);
/// Objects, and where they lie.
pub(crate) type Placed<'py> = (Vec<String>, Bound<'py, PyArray2<f64>>);

/// The same, and of each how many judgements were used, how many do not hold, whether another place is as good, and how sure.
pub(crate) type Judged<'py> = (Vec<String>, Bound<'py, PyArray2<f64>>, Vec<(usize, usize, bool, String)>);

impl Fit {
    /// By distances to the old objects of the columns.
    pub(crate) fn by_rows<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'py, f64>,
        labels: Option<Vec<String>>,
        to: Vec<String>,
        ask: Ask,
    ) -> PyResult<Placed<'py>> {
        let objects = objects(labels, values.as_array().nrows())?;
        let rows = DistanceRows::new(objects, Objects::new(to).raised()?, owned(&values)).raised()?;
        let saved = Arc::clone(&self.saved);
        placed(py, watched(py, ask, None, move |run| run.install(|| saved.model.place(&rows)))?)
    }

    /// By features.
    pub(crate) fn by_features<'py>(&self, py: Python<'py>, tables: Vec<Table<'py>>, ask: Ask) -> PyResult<Placed<'py>> {
        let mut made = Vec::new();
        for (name, values, labels, columns) in tables {
            let objects = objects(labels, values.as_array().nrows())?;
            made.push((name, Features::new(objects, columns, owned(&values)).raised()?));
        }
        let saved = Arc::clone(&self.saved);
        let work = move |run: &nearer::Run<'_>| {
            let tables: Vec<(Option<&str>, &Features)> = made.iter().map(|(n, t)| (n.as_deref(), t)).collect();
            run.install(|| saved.model.place_tables(&tables))
        };
        placed(py, watched(py, ask, None, work)?)
    }

    /// By Euclidean distances between features of new objects and those of the old ones the map needs, in pieces: the
    /// distances are never all there. New objects have no names, so none of them is an old one.
    pub(crate) fn by_near<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'py, f64>,
        old: PyReadonlyArray2<'py, f64>,
        to: Vec<String>,
        ask: Ask,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (new, old) = (owned(&values), owned(&old));
        let to = Objects::new(to).raised()?;
        let saved = Arc::clone(&self.saved);
        let (map, raised) = watched(py, ask, None, move |run| run.install(|| near(&saved.model, &new, &old, &to)))?;
        raised.map_or(Ok(()), Err)?;
        Ok(arrays::points(py, &map.raised()?))
    }

    /// By judgements about new and old objects: labels, points, and for each object how many judgements were used, how many do
    /// not hold, and how sure its place is.
    pub(crate) fn by_judged<'py>(&self, py: Python<'py>, study: &Study, ask: Ask) -> PyResult<Judged<'py>> {
        let judged = study.inner.part(Part::Comparisons).or_else(|| study.inner.part(Part::Pairs)).cloned();
        let saved = Arc::clone(&self.saved);
        let (found, raised) = watched(py, ask, None, move |run| {
            let model = match &saved.model {
                Model::Ordinal(m) => m.clone(),
                other => other.ordinal(&saved.embedding),
            };
            run.install(|| match &judged {
                Some(Evidence::Comparisons(c)) => model.place_by_comparisons(c),
                Some(Evidence::Pairs(p)) => model.place_by_pairs(p),
                _ => Err(Error::Evidence {
                    what: "a map made of judgements places new objects by comparisons or pairs with the old ones"
                        .into(),
                    remedy: "give comparisons= or pairs=".into(),
                }),
            })
        })?;
        raised.map_or(Ok(()), Err)?;
        let found: PlacedByJudgements = found.raised()?;
        let each = (0..found.used.len()).map(|k| {
            let sure = match found.sureness[k] {
                Sureness::Undetermined => "undetermined",
                _ => "placed",
            };
            (found.used[k], found.violated[k], found.ambiguous[k], sure.to_owned())
        });
        let labels = found.embedding.objects().labels().to_vec();
        Ok((labels, arrays::points(py, found.embedding.points()), each.collect()))
    }
}

fn placed<'py>(py: Python<'py>, (map, raised): (Result<Embedding, Error>, Option<PyErr>)) -> PyResult<Placed<'py>> {
    raised.map_or(Ok(()), Err)?;
    let map = map.raised()?;
    Ok((map.objects().labels().to_vec(), arrays::points(py, map.points())))
}

/// Row by row: the answer does not depend on how rows are cut into pieces. Distances are those of `Features`, summed column after
/// column, of many landmarks at a time.
fn near(model: &Model, new: &Array2<f64>, old: &Array2<f64>, to: &Objects) -> Result<Array2<f64>, Error> {
    let (new, old) = (new.as_standard_layout(), old.as_standard_layout());
    let (Some(left), Some(right)) = (rows_of(&new), rows_of(&old)) else {
        return Err(Error::Numerical { what: "putting features in rows".into() });
    };
    let mut points = Array2::zeros((new.nrows(), model.dim()));
    let size = (PIECE / old.nrows().max(1)).max(1);
    for start in (0..new.nrows()).step_by(size) {
        let end = (start + size).min(new.nrows());
        let mut distances = Array2::zeros((end - start, old.nrows()));
        if let Some(flat) = distances.as_slice_mut() {
            across(left, start..end, right, Over::Squares, flat);
            flat.iter_mut().for_each(|d| *d = d.sqrt());
        }
        let names = Objects::new((start..end).map(|r| format!("\u{1}{r}")))?;
        let map = model.place(&DistanceRows::new(names, to.clone(), distances)?)?;
        points.slice_axis_mut(Axis(0), (start..end).into()).assign(map.points());
    }
    Ok(points)
}

fn rows_of<'a>(values: &'a CowArray<'_, f64, Ix2>) -> Option<Rows<'a>> {
    Some(Rows { values: values.as_slice()?, columns: values.ncols() })
}
