//! `nearer embed`: from evidence to a map, a model, figures and a report, all written together at the end.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use nearer::io::{CertificateFile, Format, InputFile, Outbox, Saved, save_certificate, save_model, write_map};
use nearer::metadata::Metadata;
use nearer::model::Model;
use nearer::report::{FitReport, Tuning};
use nearer::solve::estimate;
use nearer::verify;
use nearer::{Embedding, Evidence, Fit, Step, Stop};
use serde::Serialize;

use super::page::{Images, Material};
use super::stability::{Ellipses, Steadiness};
use super::stream;
use super::tune::{TuneBy, Tuner};
use crate::choose::{self, Chosen};
use crate::context::{Context, Outcome};
use crate::figures::{Look, stress_in_corner};
use crate::input::{self, Read, Reading};
use crate::kernels::KernelFlags;
use crate::output::{self, Output, Role};
use crate::progress::Watcher;
use crate::summary;

/// A map from distances, judgements or features
#[derive(Debug, Args)]
pub(crate) struct Embed {
    /// Files of distances, judgements or features; several files of distances of the same objects are repeated measurements;
    /// a file of features beside judgements makes the map a function of them; `-` is stdin
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<String>,
    /// The method; `nearer methods` lists them (default: the evidence decides, and it is said)
    #[arg(long, short, value_name = "METHOD")]
    pub(super) method: Option<String>,
    /// Write to this file, by its extension: map .csv .tsv .npy, model .nearer, figure .svg .png .pdf, page .html,
    /// report .json, certificate .cert (for `nearer verify`); may be given several times
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Vec<PathBuf>,
    /// Exit with 1 when the fit did not converge (everything is written all the same)
    #[arg(long)]
    pub(super) converged: bool,
    /// Exit with 1 when the solution is not proved to be within this share of the best (everything is written all the same)
    #[arg(long, value_name = "GAP", value_parser = share)]
    pub(super) certified: Option<f64>,
    /// Read rows in pieces, twice, in little memory (landmark-mds; by itself for what is too large)
    #[arg(long)]
    pub(super) stream: bool,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) kernels: KernelFlags,
    /// Choose kernel width, slack and trace, as far as not given, by what they predict or how few dimensions they need
    #[arg(long, value_name = "BY", value_enum, help_heading = "Features")]
    pub(super) tune: Option<TuneBy>,
    /// How many times something is held out to tune
    #[arg(long, default_value_t = 3, value_name = "N", requires = "tune", value_parser = clap::value_parser!(u32).range(2..), help_heading = "Features")]
    pub(super) folds: u32,
    #[command(flatten)]
    pub(super) ellipses: Ellipses,
    #[command(flatten)]
    pub(super) look: Look,
    #[command(flatten)]
    pub(super) images: Images,
}

/// The report of a fit, as `--json` and `.json` tell it.
#[derive(Debug, Serialize)]
pub(super) struct Told<'a> {
    #[serde(flatten)]
    pub(super) report: &'a FitReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) goodness: Option<(f64, f64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stability: Option<&'a Steadiness>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) objects_per_second: Option<f64>,
    pub(super) inputs: &'a [InputFile],
    pub(super) seconds: Seconds,
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
    /// The map to be written: that of the fit, or a larger one placed by it.
    pub(super) map: &'a Embedding,
    /// What the map was made of, where it is at hand as a whole.
    pub(super) evidence: Option<&'a Evidence>,
    pub(super) metadata: &'a Metadata,
    pub(super) images: &'a [Option<String>],
    pub(super) steadiness: Option<&'a Steadiness>,
    /// What others can check, where it is to be written.
    pub(super) certificate: Option<&'a CertificateFile>,
    pub(super) objects_per_second: Option<f64>,
    pub(super) inputs: &'a [InputFile],
    pub(super) seconds: Seconds,
}

impl Embed {
    pub(crate) fn run(&self, context: &Context, parameters: &[(&'static str, String)]) -> Result<Outcome> {
        let outputs = output::plan(&self.output)?;
        // A wrong method or parameter is refused before a large file is read.
        if let Some(name) = &self.method {
            choose::settings(nearer::method::table::find(name)?, parameters)?;
        }
        if stream::wanted(self, context)? {
            self.provable("a fit of rows read in pieces", &outputs)?;
            return stream::run(self, context, parameters, &outputs);
        }
        let mut read = match input::read(&self.files, &self.reading, context) {
            Err(e) if stream::instead(self, &e) => {
                self.provable("a fit of rows read in pieces", &outputs)?;
                context.note(&format!("{e}"));
                return stream::run(self, context, parameters, &outputs);
            }
            other => other?,
        };
        if self.kernels.are_given(&read) {
            let method = self.method.as_deref().map(nearer::method::table::find).transpose()?;
            self.kernels.beside(&mut read, method, context)?;
        } else if self.tune.is_some() {
            bail!("--tune chooses the parameters of kernels, and there are none; give --kernel or a file of features");
        }
        let mut chosen = choose::choose(self.method.as_deref(), &read.evidence, parameters, context)?;
        let tuning = self.tuned(&mut chosen, &mut read, context)?;
        // A page speaks of pairs as they were given, not of the comparisons that a method makes of them.
        let given = match &read.evidence {
            Evidence::Pairs(p) if outputs.iter().any(|o| o.role == Role::Page) => Some(Evidence::Pairs(p.clone())),
            Evidence::KernelPairs(_, p) => Some(Evidence::Pairs(p.clone())),
            Evidence::KernelComparisons(_, c) => Some(Evidence::Comparisons(c.clone())),
            _ => None,
        };
        read.evidence = choose::fitting(read.evidence, chosen.method, context)?;
        if !verify::CHECKED.contains(&chosen.method.name) {
            self.provable(chosen.method.name, &outputs)?;
        }
        let metadata = self.look.metadata(read.evidence.objects(), context)?;
        let images = self.images.read(read.evidence.objects(), context)?;
        self.ellipses.possible(&read)?;
        let (mut fit, seconds) = fit(&chosen, &read, context)?;
        fit.report.tuning = tuning;
        if outputs.iter().any(|o| matches!(o.role, Role::Figure(_))) {
            self.look.fits(fit.embedding.dim())?;
        }
        let steadiness = self.ellipses.compute(&chosen, &read, &fit, self.look.axes, context)?;
        let certificate = if outputs.iter().any(|o| o.role == Role::Certificate) {
            Some(verify::certificate_of(&fit, &read.evidence)?)
        } else {
            None
        };
        let seconds = Seconds { read: read.seconds, fit: seconds, write: 0.0 };
        let results = Results {
            fit: &fit,
            map: &fit.embedding,
            evidence: Some(given.as_ref().unwrap_or(&read.evidence)),
            metadata: &metadata,
            images: &images,
            steadiness: steadiness.as_ref(),
            certificate: certificate.as_ref(),
            objects_per_second: None,
            inputs: &read.inputs,
            seconds,
        };
        self.write(&outputs, &results, context)?;
        let outcome = outcome(self.converged, fit.report.stop, context);
        Ok(if outcome == Outcome::Good { self.certain(&fit.report, context) } else { outcome })
    }

    /// Chooses what is to be chosen by the evidence, and takes it.
    fn tuned(&self, chosen: &mut Chosen, read: &mut Read, context: &Context) -> Result<Option<Tuning>> {
        let Some(by) = self.tune else { return Ok(None) };
        let specs = self.kernels.specs(read, context)?;
        let tables = self.kernels.tables(&specs, read, context)?;
        let tuner = Tuner {
            method: chosen.method,
            settings: chosen.settings.clone(),
            given: chosen.given.clone(),
            specs,
            tables,
            evidence: &read.evidence,
            by,
            folds: self.folds as usize,
            context,
        };
        let tuned = tuner.tuned()?;
        chosen.settings = tuned.settings;
        read.evidence = match &read.evidence {
            Evidence::KernelPairs(_, p) => Evidence::KernelPairs(tuned.kernels, p.clone()),
            Evidence::KernelComparisons(_, c) => Evidence::KernelComparisons(tuned.kernels, c.clone()),
            _ => Evidence::Kernels(tuned.kernels),
        };
        let best = &tuned.tuning.tried[tuned.tuning.taken];
        let words: Vec<String> = best.settings.iter().map(|(n, v)| told(n, v)).collect();
        context.note(&format!(
            "tuned: {} ({} {:.4}, the best of {}; that figure is chosen, so a little too good)",
            words.join(", "),
            tuned.tuning.score_is,
            best.score,
            tuned.tuning.tried.len()
        ));
        Ok(Some(tuned.tuning))
    }

    /// Refuses to ask for a certificate of what gives none, before any work is done.
    fn provable(&self, what: &str, outputs: &[Output]) -> Result<()> {
        let file = outputs.iter().find(|o| o.role == Role::Certificate).map(|o| o.path.display().to_string());
        match file.or_else(|| self.certified.map(|_| "--certified".to_owned())) {
            Some(asked) => {
                bail!("{what} gives no certificate; choose one of {}, or leave {asked} out", verify::CHECKED.join(", "))
            }
            None => Ok(()),
        }
    }

    /// The exit that the gap deserves.
    fn certain(&self, report: &FitReport, context: &Context) -> Outcome {
        let (Some(asked), Some(c)) = (self.certified, &report.certificate) else { return Outcome::Good };
        if c.gap <= asked {
            return Outcome::Good;
        }
        context.note(&format!("the gap is {:.1e}, and --certified {asked:e} was asked for", c.gap));
        Outcome::NotConverged
    }

    /// Everything out: words, stdout, files.
    pub(super) fn write(&self, outputs: &[Output], results: &Results<'_>, context: &Context) -> Result<()> {
        let (outbox, seconds) = self.prepare(outputs, results, context)?;
        context.notes(summary::of_fit(&results.fit.report));
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
        let corner = stress_in_corner(fit.report.stress1);
        output::note_formulas(outputs, results.map, context);
        for o in outputs {
            match o.role {
                Role::Map(format) => output::put_map(&mut outbox, o, results.map, format)?,
                Role::Model => outbox.file(&o.path, |w| save_model(w, &saved(fit)))?,
                Role::Figure(picture) => {
                    let ellipses = results.steadiness.map(Steadiness::ellipses);
                    let bytes =
                        self.look.draw(results.map, results.metadata, ellipses, corner.as_deref(), picture, context)?;
                    output::put(&mut outbox, o, &bytes)?;
                }
                Role::Page => output::put(&mut outbox, o, self.page(results, context)?.as_bytes())?,
                Role::Certificate => {
                    if let Some(file) = results.certificate {
                        outbox.file(&o.path, |w| save_certificate(w, file))?;
                    }
                }
                Role::Report => {}
            }
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
            by_dimension: None,
            files: self.files.iter().chain(&self.look.columns.metadata).cloned().collect(),
            seconds: Some(results.seconds.fit),
            title: self.look.title.as_deref(),
            colour_by: self.look.columns.colour_by.as_deref(),
            shape_by: self.look.columns.shape_by.as_deref(),
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
            inputs: self.inputs,
            seconds,
        }
    }
}

/// Fits, watched, and says how long it took.
pub(super) fn fit(chosen: &Chosen, read: &Read, context: &Context) -> Result<(Fit<Model>, f64)> {
    let rows = match &read.evidence {
        Evidence::Comparisons(c) => c.len(),
        Evidence::Pairs(p) => p.len(),
        other => other.objects().len(),
    };
    if let Some(s) = estimate::seconds(chosen.method.name, read.evidence.objects().len(), rows).filter(|s| *s > 10.0) {
        context.note(&format!("this will take {} (an order of magnitude)", estimate::in_words(s)));
    }
    let started = Instant::now();
    let watcher = Watcher::new(context);
    let watch = |step: &Step| watcher.see(step);
    let fit = chosen.method.fit(&chosen.settings, &read.evidence, &context.run().watched(&watch))?;
    Ok((fit, started.elapsed().as_secs_f64()))
}

/// One setting that was tuned; a width is a factor.
fn told(name: &str, value: &nearer::Value) -> String {
    format!("{name} {value}{}", if name == "width" { " x" } else { "" })
}

/// R's two figures, where the method computed all eigenvalues.
pub(super) fn goodness(report: &FitReport) -> Option<(f64, f64)> {
    report.spectrum.as_ref().and_then(|s| s.goodness(report.dim))
}

/// A fit as a model file holds it.
pub(super) fn saved(fit: &Fit<Model>) -> Saved {
    Saved { embedding: fit.embedding.clone(), model: fit.model.clone(), report: fit.report.clone() }
}

/// The exit that a stop deserves.
pub(super) fn outcome(asked: bool, stop: Stop, context: &Context) -> Outcome {
    if asked && stop != Stop::Converged {
        context.note(&format!("not converged ({stop}), and --converged was asked for"));
        return Outcome::NotConverged;
    }
    Outcome::Good
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(gap) if gap > 0.0 && gap.is_finite() => Ok(gap),
        _ => Err("write a gap as a number above 0, for instance 1e-5".into()),
    }
}
