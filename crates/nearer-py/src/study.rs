//! A study, built part by part from arrays, tables and files.

use nearer::check::{CheckReport, check as checked};
use nearer::evidence::{Answered, Bound, Judged, Measurement, Similarity};
use nearer::io::{InputFile, Source, StudyFile, joined, load, read_study};
use nearer::metadata::{Column, Metadata};
use nearer::study::Note;
use nearer::{DistanceRows, Distances, Error, Evidence, Features, Item, Measurements, Objects, Pair, Pairs, Trials};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use serde::Serialize;

use crate::arrays::{objects, owned};
use crate::error::{Raised as _, json};
use crate::parts::{distances, item, of_similarities, weighed};
use crate::reading::{Reading, note};
use crate::run::{Ask, watched};

/// The objects and what is known about them.
#[pyclass(module = "nearer._core")]
#[derive(Debug, Clone, Default)]
pub(crate) struct Study {
    pub(crate) inner: nearer::Study,
    pub(crate) notes: Vec<Note>,
    /// The files that all of it was read from; nothing where more is known than they say.
    pub(crate) origin: Option<Origin>,
}

/// The files of a study, and how they were read, as the command would be told.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) inputs: Vec<InputFile>,
    pub(crate) reading: Vec<String>,
}

#[pymethods]
impl Study {
    #[new]
    fn new() -> Self {
        Study::default()
    }

    /// A square matrix of distances; NaN is missing where that is said.
    #[pyo3(signature = (values, labels=None, similarity=None, nan_missing=false, weights=None))]
    fn matrix(
        &mut self,
        values: PyReadonlyArray2<'_, f64>,
        labels: Option<Vec<String>>,
        similarity: Option<&str>,
        nan_missing: bool,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<()> {
        let rule = similarity.map(str::parse::<Similarity>).transpose().raised()?;
        let objects = objects(labels, values.as_array().nrows())?;
        let d = match rule {
            Some(rule) => of_similarities(objects, values.as_array(), rule, nan_missing),
            None => distances(objects, values.as_array(), nan_missing),
        };
        self.put(weighed(d.raised()?, weights.as_ref()).raised()?);
        Ok(())
    }

    /// The upper triangle row by row, as SciPy's `pdist` gives it.
    #[pyo3(signature = (values, labels=None, weights=None))]
    fn condensed(
        &mut self,
        values: PyReadonlyArray1<'_, f64>,
        labels: Option<Vec<String>>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<()> {
        let values: Vec<f64> = values.as_array().to_vec();
        let n = ((1.0 + (1.0 + 8.0 * values.len() as f64).sqrt()) / 2.0).round() as usize;
        let n = labels.as_ref().map_or(n, Vec::len);
        let d = Distances::from_condensed(objects(labels, n)?, values).raised()?;
        self.put(weighed(d, weights.as_ref()).raised()?);
        Ok(())
    }

    /// One measurement a row, by the numbers of the objects; repeated ones are merged.
    #[pyo3(signature = (labels, ends, values, weights=None, sources=None, source_of=None))]
    fn measured(
        &mut self,
        labels: Vec<String>,
        ends: PyReadonlyArray2<'_, i64>,
        values: PyReadonlyArray1<'_, f64>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        sources: Option<Vec<String>>,
        source_of: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<()> {
        let objects = Objects::new(labels).raised()?;
        let (ends, values) = (ends.as_array(), values.as_array());
        let weights = weights.as_ref().map(PyReadonlyArray1::as_array);
        let source_of = source_of.as_ref().map(PyReadonlyArray1::as_array);
        let mut rows = Vec::with_capacity(values.len());
        for (k, &value) in values.iter().enumerate() {
            let (a, b) = (item(&objects, ends[(k, 0)])?, item(&objects, ends[(k, 1)])?);
            let Some(pair) = Pair::new(a, b) else {
                if value == 0.0 {
                    continue;
                }
                return Err(Error::Evidence {
                    what: format!("the distance of `{}` to itself is {value}", objects.label(a)),
                    remedy: "it is 0; leave such rows out".into(),
                })
                .raised();
            };
            let weight = weights.map_or(1.0, |w| w[k]);
            let source = source_of.map_or(0, |s| s[k] as u32);
            rows.push(Measurement { pair, value, weight, bound: Bound::Exact, source });
        }
        let several = sources.as_ref().is_some_and(|s| s.len() > 1);
        let all = Measurements::new(objects, sources.unwrap_or_else(|| vec!["input".into()]), rows);
        self.put(all.merged().raised()?);
        if several || all.merged().is_ok_and(|d| d.repeats().pairs > 0) {
            self.change(|study| study.with_measurements(Some(all)));
        }
        Ok(())
    }

    /// Distances of the objects of the rows to those of the columns.
    #[pyo3(signature = (values, labels, to))]
    fn rows(
        &mut self,
        values: PyReadonlyArray2<'_, f64>,
        labels: Option<Vec<String>>,
        to: Vec<String>,
    ) -> PyResult<()> {
        let objects = objects(labels, values.as_array().nrows())?;
        let to = Objects::new(to).raised()?;
        self.put(DistanceRows::new(objects, to, owned(&values)).raised()?);
        Ok(())
    }

    /// A table of features.
    #[pyo3(signature = (name, values, labels, columns))]
    fn features(
        &mut self,
        name: &str,
        values: PyReadonlyArray2<'_, f64>,
        labels: Option<Vec<String>>,
        columns: Vec<String>,
    ) -> PyResult<()> {
        let objects = objects(labels, values.as_array().nrows())?;
        let table = Features::new(objects, columns, owned(&values)).raised()?;
        self.change(|study| study.with_features(name, table));
        Ok(())
    }

    /// Kernels over the tables of features: `rbf:features`, `a=linear,centre=no:features`.
    fn kernels(&mut self, specs: Vec<String>) -> PyResult<()> {
        let specs = specs.iter().map(|s| s.parse()).collect::<Result<Vec<_>, Error>>().raised()?;
        self.change(|study| study.with_kernels(specs));
        Ok(())
    }

    /// Trials of a task by the numbers of the objects, a row each; of choices and ranks `split` are chosen or ranked.
    #[pyo3(signature = (task, labels, items, split=0, weights=None, people=None, person_of=None))]
    #[allow(clippy::too_many_arguments)]
    fn trials(
        &mut self,
        task: &str,
        labels: Vec<String>,
        items: PyReadonlyArray2<'_, i64>,
        split: usize,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        people: Option<Vec<String>>,
        person_of: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<()> {
        let task = crate::parts::task(task)?;
        let objects = Objects::new(labels).raised()?;
        let mut trials = Trials::new(objects.clone(), task);
        for name in people.unwrap_or_default() {
            trials.add_participant(name);
        }
        let weights = weights.as_ref().map(PyReadonlyArray1::as_array);
        let person_of = person_of.as_ref().map(PyReadonlyArray1::as_array);
        for (k, row) in items.as_array().rows().into_iter().enumerate() {
            let row = row.iter().map(|&i| item(&objects, i)).collect::<PyResult<Vec<Item>>>()?;
            let mut answered = Answered { line: k as u64 + 1, ..Answered::default() };
            if let Some(w) = weights {
                answered.weight = w[k];
            }
            answered.participant = person_of.map(|p| p[k] as u32);
            trials.push(&row, split, answered).raised()?;
        }
        self.put(trials.comparisons());
        Ok(())
    }

    /// Pairs by the numbers of the objects, alike or not; in both directions where that is said.
    #[pyo3(signature = (labels, ends, alike, both_ways, weights=None, people=None, person_of=None))]
    #[allow(clippy::too_many_arguments)]
    fn pairs(
        &mut self,
        labels: Vec<String>,
        ends: PyReadonlyArray2<'_, i64>,
        alike: PyReadonlyArray1<'_, bool>,
        both_ways: bool,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        people: Option<Vec<String>>,
        person_of: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<()> {
        let objects = Objects::new(labels).raised()?;
        let (ends, alike) = (ends.as_array(), alike.as_array());
        let weights = weights.as_ref().map(PyReadonlyArray1::as_array);
        let person_of = person_of.as_ref().map(PyReadonlyArray1::as_array);
        let mut rows = Vec::with_capacity(alike.len());
        for (k, &similar) in alike.iter().enumerate() {
            let mut row = Judged::new(item(&objects, ends[(k, 0)])?, item(&objects, ends[(k, 1)])?, similar);
            if let Some(w) = weights {
                row.weight = w[k];
            }
            row.participant = person_of.map(|p| p[k] as u32);
            rows.push(row);
        }
        let pairs = Pairs::new(objects, rows).raised()?.described(people.unwrap_or_default(), 0);
        self.put(if both_ways { pairs.both_ways() } else { pairs });
        Ok(())
    }

    /// What the text of a table holds, read as a file of that name would be.
    fn table(&mut self, name: &str, text: Vec<u8>, reading: Reading) -> PyResult<()> {
        let file =
            StudyFile { path: name.into(), source: Source::of_bytes(name, text), options: reading.options().raised()? };
        let mut notes = Vec::new();
        let loaded = load(&file, &mut |n| notes.push(n)).raised()?;
        let study = joined(vec![(name, loaded)], &mut |_| {}).raised()?;
        self.change(|known| known.and(study));
        self.notes.extend(notes);
        Ok(())
    }

    /// What files hold, as the command reads them.
    #[staticmethod]
    fn read(py: Python<'_>, paths: Vec<String>, reading: Reading, kernels: Vec<String>) -> PyResult<Study> {
        let options = reading.options().raised()?;
        let memory = nearer::io::available_memory();
        let open = |path: &str| memory.map_or(Source::from(path), |bytes| Source::from(path).within(bytes));
        let file = |p: &String| StudyFile { path: p.clone(), source: open(p), options: options.clone() };
        let files: Vec<StudyFile> = paths.iter().map(file).collect();
        let specs =
            kernels.iter().map(|s| s.parse()).collect::<Result<Vec<nearer::evidence::KernelSpec>, Error>>().raised()?;
        let tables = StudyFile::tables(&paths, &specs, open);
        let mut notes = Vec::new();
        let inner = py.detach(|| read_study(&files, &tables, &specs, &mut |n| notes.push(n))).raised()?;
        let read = || files.iter().chain(&tables).map(|f| f.source.file()).collect::<Result<Vec<_>, Error>>();
        let reading =
            reading.recorded().map(|said| said.into_iter().chain(kernels.iter().map(|k| format!("--kernel={k}"))));
        let origin = match reading {
            Some(said) => Some(Origin { inputs: py.detach(read).raised()?, reading: said.collect() }),
            None => None,
        };
        Ok(Study { inner, notes, origin })
    }

    /// Data to try things on.
    #[staticmethod]
    #[pyo3(signature = (name, objects=20, dim=2, count=2000, wrong=0.1, seed=1))]
    fn toy(name: &str, objects: usize, dim: usize, count: usize, wrong: f64, seed: u64) -> Study {
        let inner = match name {
            "cities" => nearer::Study::from(Evidence::from(nearer::toy::cities())),
            _ => nearer::Study::from(Evidence::from(nearer::toy::answers(objects, dim, count, wrong, seed))),
        };
        Study { inner, ..Study::default() }
    }

    /// What another study knows, its parts in place of those of the same kind.
    fn join(&mut self, other: &Study) {
        let origin = other.origin.clone().filter(|_| self.inner.is_empty());
        self.change(|known| known.and(other.inner.clone()));
        self.origin = origin;
        self.notes.extend(other.notes.iter().cloned());
    }

    /// Columns about the objects, by label.
    fn metadata(&mut self, labels: Vec<String>, columns: Vec<(String, Vec<Option<String>>)>) -> PyResult<()> {
        let objects = self.inner.objects();
        let given = Objects::new(labels).raised()?;
        let (at, known) = (given.index(), objects.index());
        if let Some(label) = given.labels().iter().find(|l| !known.contains_key(l.as_str())) {
            return Err(Error::UnknownLabel {
                label: label.clone(),
                place: "metadata".into(),
                objects: objects.len(),
                remedy: "leave the row out, or give the object evidence".into(),
            })
            .raised();
        }
        let of = |values: &[Option<String>]| {
            objects.labels().iter().map(|l| at.get(l.as_str()).and_then(|k| values[k.index()].clone())).collect()
        };
        let columns = columns.iter().map(|(name, values)| Column { name: name.clone(), values: of(values) }).collect();
        self.inner = std::mem::take(&mut self.inner).with_metadata(Metadata { columns });
        Ok(())
    }

    /// The kinds of its parts.
    #[getter]
    fn parts(&self) -> Vec<String> {
        self.inner.parts().iter().map(|p| p.to_string()).collect()
    }
    /// The labels of its objects.
    #[getter]
    fn objects(&self) -> Vec<String> {
        self.inner.objects().labels().to_vec()
    }
    /// What was assumed.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.iter().map(note).collect()
    }
}

impl Study {
    fn put(&mut self, part: impl Into<Evidence>) {
        self.change(|study| study.with(part));
    }
    /// With more than its files say, where it was read from some.
    fn change(&mut self, change: impl FnOnce(nearer::Study) -> nearer::Study) {
        self.origin = None;
        self.inner = change(std::mem::take(&mut self.inner));
    }
}

/// What was found in one part of a study, and the same in words.
#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    report: CheckReport,
    lines: Vec<String>,
}

impl From<CheckReport> for Told {
    fn from(report: CheckReport) -> Self {
        let lines = report.in_words(None).lines().map(str::to_owned).collect();
        Told { report, lines }
    }
}

/// What is in each part of a study, as JSON: `[{kind, objects, ..., lines}]`.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, study: &Study, ask: Ask) -> PyResult<String> {
    let inner = study.inner.clone();
    let (found, raised) = watched(py, ask, None, move |run| {
        let mut all = Vec::new();
        for part in inner.parts() {
            if let Some(evidence) = inner.part(part) {
                all.push(Told::from(checked(evidence, run, ask.memory())?));
            }
        }
        for (_, table) in inner.features() {
            all.push(Told::from(checked(&Evidence::from(table.clone()), run, ask.memory())?));
        }
        Ok(all)
    })?;
    raised.map_or(Ok(()), Err)?;
    json(&found.raised()?)
}
