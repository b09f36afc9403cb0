//! A fit: made, shown, saved, loaded and checked again.

use std::sync::Arc;
use std::time::Instant;

use nearer::check::choose;
use nearer::io::{CertificateFile, Outbox, Saved, Source, load_certificate, load_model, save_certificate, save_model};
use nearer::metadata::Metadata;
use nearer::method::{as_claimed, table};
use nearer::model::Model;
use nearer::page::Page;
use nearer::program::Certificate;
use nearer::show::{Findings, Seen, held_against, made_of};
use nearer::study::Note;
use nearer::text::{self, MethodWords};
use nearer::verify::{About, Limits, claim_of, upheld, verify_study};
use nearer::{Error, Evidence, Run, Step};
use numpy::{PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays;
use crate::error::{Raised as _, json, raise};
use crate::place::{Judged, Placed, Table};
use crate::reading::note;
use crate::run::{Ask, watched};
use crate::study::{Origin, Study};

/// A map, what places new objects on it, and how it came about.
#[pyclass(module = "nearer._core", frozen)]
#[derive(Debug)]
pub(crate) struct Fit {
    pub(crate) saved: Arc<Saved>,
    /// As it was given and as the method took it; nothing where the fit was loaded.
    given: Option<nearer::Study>,
    suited: Option<nearer::Study>,
    /// Or why there is none; nothing where the fit was loaded.
    certificate: Option<Result<CertificateFile, Error>>,
    seconds: Option<f64>,
    notes: Vec<Note>,
}

/// Fits a method to a study. Gives the fit, and what a signal raised meanwhile.
#[pyfunction]
#[pyo3(signature = (study, method, settings, ask, progress=None))]
pub(crate) fn fit(
    py: Python<'_>,
    study: &Study,
    method: Option<&str>,
    settings: Vec<(String, String)>,
    ask: Ask,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Option<Fit>, Option<Py<PyAny>>)> {
    let given = study.inner.clone();
    let (mut notes, origin) = (study.notes.clone(), study.origin.clone());
    let pairs: Vec<(&str, &str)> = settings.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    let (chosen, why) = py.detach(|| choose(&given, method, &pairs, &ask.run(), ask.memory())).raised()?;
    notes.extend(why);
    let work = move |run: &Run<'_>| {
        let (suited, more) = chosen.suited(&given, run.seed())?;
        notes.extend(more);
        let started = Instant::now();
        let mut fit = chosen.fit(&suited, run)?;
        let seconds = started.elapsed().as_secs_f64();
        fit.report.map = Some(fit.embedding.sha256());
        // Without Python's words for them: the file is that of the command.
        fit.report.notes = notes.iter().map(Note::to_string).collect();
        if let Some(Origin { inputs, reading }) = origin {
            (fit.report.inputs, fit.report.reading) = (inputs, reading);
        }
        let certificate = About::of(&suited).map(|about| claim_of(&fit, about));
        let saved = Arc::new(Saved { embedding: fit.embedding, model: fit.model, report: fit.report });
        Ok(Fit { saved, given: Some(given), suited: Some(suited), certificate, seconds: Some(seconds), notes })
    };
    let (result, raised) = watched(py, ask, progress.as_ref(), work)?;
    let raised = raised.map(|e| e.into_value(py).into_any());
    match (result, raised) {
        // What was raised says more than that the fit had to end.
        (Err(Error::Cancelled), Some(raised)) => Ok((None, Some(raised))),
        (Err(e), _) => Err(raise(&e)),
        (Ok(fit), raised) => Ok((Some(fit), raised)),
    }
}

/// A fit from a model file.
#[pyfunction]
pub(crate) fn load(path: &str) -> PyResult<Fit> {
    Ok(Fit::of(load_model(&Source::from(path)).raised()?))
}

/// A fit from the bytes of a model file.
#[pyfunction]
pub(crate) fn load_bytes(bytes: Vec<u8>) -> PyResult<Fit> {
    Ok(Fit::of(load_model(&Source::of_bytes("model.nearer", bytes)).raised()?))
}

/// Checks a certificate again; the verdict as JSON, and in words.
#[pyfunction]
pub(crate) fn verify(py: Python<'_>, path: &str, study: &Study, ask: Ask) -> PyResult<(String, Vec<String>)> {
    let (path, given) = (path.to_owned(), study.inner.clone());
    let memory = ask.memory();
    let (verdict, raised) = watched(py, ask, None, move |run| {
        let clock = run.clock();
        let late = || clock.tick(&Step::new("checking", (0, 1), 1, None, 0.0)).is_some();
        let limits = Limits::default().until(&late);
        let limits = memory.map_or(limits, |bytes| limits.memory(bytes));
        let file = load_certificate(&Source::from(path.as_str()))?;
        let claim = &file.claim;
        verify_study(&file, &as_claimed(&given, &claim.method, &claim.settings, claim.seed)?.0, limits)
    })?;
    raised.map_or(Ok(()), Err)?;
    let verdict = verdict.raised()?;
    Ok((json(&verdict)?, verdict.lines()))
}

fn seen(saved: &Saved) -> Seen<'_> {
    Seen { map: &saved.embedding, model: Some(&saved.model), report: Some(&saved.report) }
}

impl Fit {
    fn of(saved: Saved) -> Self {
        let saved = Arc::new(saved);
        Fit { saved, given: None, suited: None, certificate: None, seconds: None, notes: Vec::new() }
    }
    /// What is known beside the evidence of the objects on the map, which may be fewer than those of the study, or more.
    fn metadata(&self, study: &nearer::Study) -> Metadata {
        study.metadata().subset(&self.saved.embedding.objects().among(&study.objects()))
    }
    /// What a page and an evaluation hold the map against.
    fn evidence(&self) -> Option<&Evidence> {
        made_of(self.given.as_ref()?, self.suited.as_ref()?)
    }
}

#[pymethods]
impl Fit {
    /// The coordinates, a row for each object.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        arrays::points(py, self.saved.embedding.points())
    }
    /// The labels of the objects.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.saved.embedding.objects().labels().to_vec()
    }
    /// The report as JSON.
    #[getter]
    fn report(&self) -> PyResult<String> {
        json(&self.saved.report)
    }
    /// What there is to say about it, line by line.
    #[getter]
    fn lines(&self) -> Vec<String> {
        text::fit(&self.saved.report)
    }
    /// What was assumed and done on the way.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.iter().map(note).collect()
    }
    /// How long the fit took, in seconds.
    #[getter]
    fn seconds(&self) -> Option<f64> {
        self.seconds
    }
    /// Whether the map comes with a bound, and the gap to it.
    #[getter]
    fn gap(&self) -> Option<f64> {
        self.saved.report.certificate.as_ref().map(Certificate::gap)
    }
    /// What it places new objects by: `distances`, `judgements` or `features`.
    #[getter]
    fn places_by(&self) -> &'static str {
        match &self.saved.model {
            m if m.takes_features() => "features",
            Model::Ordinal(_) => "judgements",
            _ => "distances",
        }
    }
    /// The old objects that a new one is held against.
    #[getter]
    fn anchors(&self) -> Option<Vec<String>> {
        self.saved.model.anchors().map(|o| o.labels().to_vec())
    }
    /// The linear map of a model that is one, a row for each dimension and a column for each feature, and the mean it is
    /// taken from.
    #[getter]
    #[allow(clippy::type_complexity)]
    fn linear<'py>(&self, py: Python<'py>) -> Option<(Bound<'py, PyArray2<f64>>, Vec<f64>)> {
        match &self.saved.model {
            Model::Linear(m) => Some((arrays::points(py, m.map()), m.mean().to_vec())),
            _ => None,
        }
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::new();
        save_model(&mut bytes, &self.saved).raised()?;
        Ok(PyBytes::new(py, &bytes))
    }
    /// Writes the model file.
    fn save(&self, path: &str) -> PyResult<()> {
        let mut outbox = Outbox::new();
        outbox.file(path, |w| save_model(w, &self.saved)).and_then(|()| outbox.commit()).raised()
    }
    /// Writes text or bytes as one file or not at all.
    fn write(&self, path: &str, bytes: Vec<u8>) -> PyResult<()> {
        let mut outbox = Outbox::new();
        let fail = |source| Error::File { action: "write", path: path.into(), source };
        outbox.file(path, |w| w.write_all(&bytes).map_err(fail)).and_then(|()| outbox.commit()).raised()
    }
    /// Writes what `verify` checks again, once it was checked.
    fn save_certificate(&self, py: Python<'_>, path: &str) -> PyResult<()> {
        let file = match &self.certificate {
            Some(Ok(file)) => file.clone(),
            Some(Err(e)) => return Err(raise(e)),
            None => {
                return Err(raise(&Error::Evidence {
                    what: "the fit was loaded, and a model holds no certificate".into(),
                    remedy: "fit again in this session".into(),
                }));
            }
        };
        let about = self.suited.as_ref().and_then(About::of);
        let checked = py.detach(|| about.map_or_else(|| Ok(file.clone()), |about| upheld(file.clone(), about)));
        let file = checked.raised()?;
        let mut outbox = Outbox::new();
        outbox.file(path, |w| save_certificate(w, &file)).and_then(|()| outbox.commit()).raised()
    }

    /// New objects by their distances to the old objects of the columns.
    fn place_rows<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'py, f64>,
        labels: Option<Vec<String>>,
        to: Vec<String>,
        ask: Ask,
    ) -> PyResult<Placed<'py>> {
        self.by_rows(py, values, labels, to, ask)
    }
    /// New objects by their features.
    fn place_features<'py>(&self, py: Python<'py>, tables: Vec<Table<'py>>, ask: Ask) -> PyResult<Placed<'py>> {
        self.by_features(py, tables, ask)
    }
    /// New objects by Euclidean distances between their features and those of the old ones.
    fn place_near<'py>(
        &self,
        py: Python<'py>,
        values: PyReadonlyArray2<'py, f64>,
        old: PyReadonlyArray2<'py, f64>,
        to: Vec<String>,
        ask: Ask,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.by_near(py, values, old, to, ask)
    }
    /// New objects by judgements about them and old ones.
    fn place_judged<'py>(&self, py: Python<'py>, study: &Study, ask: Ask) -> PyResult<Judged<'py>> {
        self.by_judged(py, study, ask)
    }

    /// The page.
    #[pyo3(signature = (title, colour_by, shape_by, reference, ask))]
    fn page(
        &self,
        py: Python<'_>,
        title: Option<String>,
        colour_by: Option<String>,
        shape_by: Option<String>,
        reference: bool,
        ask: Ask,
    ) -> PyResult<String> {
        let saved = Arc::clone(&self.saved);
        let evidence = self.evidence().cloned();
        let metadata = self.given.as_ref().map(|s| self.metadata(s)).unwrap_or_default();
        let seconds = self.seconds;
        let (html, raised) = watched(py, ask, None, move |run| {
            let (map, report) = (&saved.embedding, &saved.report);
            let found = match &evidence {
                Some(e) => Findings::of(seen(&saved), e, reference, run, ask.memory())?,
                None => Findings::default(),
            };
            let mut page = Page::new(map).metadata(&metadata).report(report);
            if let Ok(m) = table::find(&report.method) {
                page = page.method(MethodWords { reference: m.reference });
            }
            page = title.into_iter().fold(page, Page::title);
            page = colour_by.into_iter().fold(page, Page::colour_by);
            page = shape_by.into_iter().fold(page, Page::shape_by);
            page = seconds.into_iter().fold(page, Page::seconds);
            found.on(page).html()
        })?;
        raised.map_or(Ok(()), Err)?;
        html.raised()
    }

    /// How good the map is, held against a study or what it was made of, as JSON.
    #[pyo3(signature = (study, neighbours, ordinal, reference, ask))]
    fn evaluate(
        &self,
        py: Python<'_>,
        study: Option<&Study>,
        neighbours: usize,
        ordinal: bool,
        reference: Option<usize>,
        ask: Ask,
    ) -> PyResult<String> {
        let held = match (study, self.evidence()) {
            (Some(study), _) => study.inner.clone(),
            (None, Some(evidence)) => nearer::Study::from(evidence.clone()),
            (None, None) => self.given.clone().unwrap_or_default(),
        };
        let saved = Arc::clone(&self.saved);
        let (told, raised) = watched(py, ask, None, move |run| {
            let seen = seen(&saved);
            let (held, _) = held_against(&held, seen.map, run)?;
            let Evidence::Distances(d) = held.as_ref() else { return Ok(json(&seen.agreement(&held, run)?)) };
            let mut e = seen.evaluation(d, ordinal, neighbours, run)?;
            e.reference = seen.stress_reference(reference, &e, d, ordinal, run)?;
            Ok(json(&e))
        })?;
        raised.map_or(Ok(()), Err)?;
        told.raised()?
    }
}
