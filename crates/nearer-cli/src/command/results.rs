//! What `nearer embed` leaves: the words, the table or report for stdout, and every file, put in place together.

use std::time::Instant;

use anyhow::{Result, bail};
use nearer::io::{CertificateFile, Format, Outbox, Saved, save_certificate, save_model, write_map, write_weights};
use nearer::metadata::Metadata;
use nearer::model::Model;
use nearer::report::FitReport;
use nearer::text;
use nearer::{Embedding, Evidence, Fit};
use serde::Serialize;

use super::embed::Embed;
use super::page::{Material, More};
use super::refused::no_weights;
use super::stability::Steadiness;
use super::tables;
use crate::context::Context;
use crate::figures::{Beside, Look, stress_in_corner};
use crate::input;
use crate::output::{self, Output, Role};

/// The report of a fit, as `--json` and `.json` tell it.
#[derive(Debug, Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    report: &'a FitReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    goodness: Option<(f64, f64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<&'a Steadiness>,
    #[serde(skip_serializing_if = "Option::is_none")]
    objects_per_second: Option<f64>,
    seconds: Seconds,
}

/// Where the time went.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct Seconds {
    pub(super) read: f64,
    pub(super) fit: f64,
    pub(super) write: f64,
}

/// Everything that is there to be written.
pub(super) struct Results<'a> {
    pub(super) fit: &'a Fit<Model>,
    pub(super) look: &'a Look,
    /// The map to be written: that of the fit, or a larger one placed by it.
    pub(super) map: &'a Embedding,
    /// What the map was made of, where it is at hand as a whole.
    pub(super) evidence: Option<&'a Evidence>,
    pub(super) metadata: &'a Metadata,
    pub(super) images: &'a [Option<String>],
    pub(super) steadiness: Option<&'a Steadiness>,
    /// The links of the neighbourhood graph.
    pub(super) links: &'a [[u32; 2]],
    /// What others can check, where it is to be written.
    pub(super) certificate: Option<&'a CertificateFile>,
    pub(super) objects_per_second: Option<f64>,
    pub(super) seconds: Seconds,
}

impl Embed {
    /// Everything out: words, stdout, files.
    pub(super) fn write(&self, outputs: &[Output], results: &Results<'_>, context: &Context) -> Result<()> {
        let (outbox, seconds) = self.prepare(outputs, results, context)?;
        context.notes(text::fit(&results.fit.report));
        context.notes(results.steadiness.iter().map(|s| s.in_words()));
        output::stdout_then_files(outbox, outputs, context, || {
            if context.json {
                output::json_to_stdout(&results.told(seconds))
            } else if outputs.is_empty() {
                output::to_stdout(|w| Ok(write_map(w, results.map, Format::Csv)?))
            } else {
                Ok(())
            }
        })
    }

    /// Everything for files, written beside and not yet in place.
    fn prepare(&self, outputs: &[Output], results: &Results<'_>, context: &Context) -> Result<(Outbox, Seconds)> {
        let started = Instant::now();
        let fit = results.fit;
        let mut outbox = Outbox::new();
        let beside = Beside {
            ellipses: results.steadiness.map(Steadiness::ellipses),
            links: results.links,
            corner: stress_in_corner(fit.report.stress1),
        };
        output::note_labels(outputs, results.map, context);
        for o in outputs {
            match o.role {
                Role::Map(format) => output::put_map(&mut outbox, o, results.map, format)?,
                Role::Model => outbox.file(&o.path, |w| save_model(w, &saved(fit)))?,
                Role::Figure(picture) => {
                    let bytes = results.look.draw(results.map, results.metadata, &beside, picture, context)?;
                    output::put(&mut outbox, o, &bytes)?;
                }
                Role::Page => output::put(&mut outbox, o, self.page(results, context)?.as_bytes())?,
                Role::Certificate => {
                    if let Some(file) = results.certificate {
                        outbox.file(&o.path, |w| save_certificate(w, file))?;
                    }
                }
                Role::Weights | Role::WeightsFigure(_) => {
                    let Some(reading) = &fit.report.kernels else { bail!(no_weights(&fit.report.method, &o.path)) };
                    let mut bytes = Vec::new();
                    match o.role {
                        Role::WeightsFigure(picture) => bytes = self.look.heat(reading, picture)?,
                        _ => write_weights(&mut bytes, reading)?,
                    }
                    output::put(&mut outbox, o, &bytes)?;
                }
                Role::Ellipses | Role::People | Role::Maps => {
                    let objects = results.map.objects();
                    output::put(&mut outbox, o, &tables::of_fit(o, objects, &fit.report, results.steadiness)?)?;
                }
                Role::Report => {}
            }
        }
        if let Some(path) = &results.look.figure_data {
            let data = results.look.data(results.map, results.metadata, context)?;
            output::put(&mut outbox, &Output::new(path)?, &data)?;
        }
        let seconds = Seconds { write: started.elapsed().as_secs_f64(), ..results.seconds };
        for o in outputs.iter().filter(|o| o.role == Role::Report) {
            let mut text = Vec::new();
            output::write_json(&mut text, &results.told(seconds))?;
            output::put(&mut outbox, o, &text)?;
        }
        Ok((outbox, seconds))
    }

    /// The page of the map.
    fn page(&self, results: &Results<'_>, context: &Context) -> Result<String> {
        let material = Material {
            map: results.map,
            model: Some(&results.fit.model),
            report: Some(&results.fit.report),
            evidence: results.evidence,
            metadata: results.metadata,
            images: results.images,
            steadiness: results.steadiness.map(|s| (s, self.look.axes)),
            links: (results.links, self.look.layers.links),
            reference: false,
            more: More::default(),
            files: input::paths_of(&self.files).into_iter().chain(self.look.columns.file()).collect(),
            seconds: Some(results.seconds.fit),
            title: self.look.title.as_deref(),
            colour_by: results.look.columns.colour_by.as_deref(),
            shape_by: self.look.columns.shape_by.as_deref(),
            layers: Some(&self.look.layers),
        };
        material.html(context)
    }
}

impl Results<'_> {
    fn told(&self, seconds: Seconds) -> Told<'_> {
        Told {
            report: &self.fit.report,
            goodness: goodness(&self.fit.report),
            stability: self.steadiness,
            objects_per_second: self.objects_per_second,
            seconds,
        }
    }
}

/// R's two figures, where the method computed all eigenvalues.
fn goodness(report: &FitReport) -> Option<(f64, f64)> {
    report.spectrum.as_ref().and_then(|s| s.goodness(report.dim))
}

/// A fit as a model file holds it.
pub(super) fn saved(fit: &Fit<Model>) -> Saved {
    Saved { embedding: fit.embedding.clone(), model: fit.model.clone(), report: fit.report.clone() }
}
