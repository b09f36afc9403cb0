//! `nearer embed`: from evidence to a map, a model, figures and a report, all written together at the end.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use nearer::io::InputFile;
use nearer::method::{Chosen, cost};
use nearer::model::Model;
use nearer::report::FitReport;
use nearer::show::made_of;
use nearer::verify::{self, About, Limits};
use nearer::{Fit, Step, Stop, Study};

use super::links::Behind;
use super::page::Images;
use super::refused::weighed;
use super::results::{Results, Seconds};
use super::stability::Ellipses;
use super::stream;
use crate::choose;
use crate::context::{Context, Outcome};
use crate::figures::{Look, with_sides};
use crate::input::{self, Reading};
use crate::kernels::{KernelFlags, TuneFlags};
use crate::output::{self, Output, Role};
use crate::pose::PoseFlags;
use crate::progress::Watcher;
use crate::record;

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
    /// Write to this file, by its extension: map .csv .tsv .npy, weights of landmarks .weights.csv .weights.svg, ellipses
    /// .ellipses.csv (with --ellipses), participants .people.csv (of choice and indscal), model .nearer, figure .svg .png
    /// .pdf, page .html, report .json, certificate .cert (for `nearer verify`); may be given several times
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
    #[command(flatten)]
    pub(super) tune: TuneFlags,
    #[command(flatten)]
    pub(super) ellipses: Ellipses,
    #[command(flatten)]
    pub(super) look: Look,
    #[command(flatten)]
    pub(super) images: Images,
    #[command(flatten)]
    pub(super) pose: PoseFlags,
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
        let read = match input::read_with(&self.files, &self.kernels.kernels, &self.reading, context) {
            Err(e) => match stream::instead(self, &e) {
                Some(complaint) => {
                    self.provable("a fit of rows read in pieces", &outputs)?;
                    context.note(&format!("{complaint}: it is read in pieces"));
                    return stream::run(self, context, parameters, &outputs);
                }
                None => return Err(e),
            },
            Ok(read) => read,
        };
        let read = input::classed(read, &self.reading, self.look.columns.metadata.as_deref(), context)?;
        let mut chosen = choose::choose(self.method.as_deref(), &read.study, parameters, context)?;
        let mut study = choose::suited(&read.study, &chosen, context)?;
        let tuning = self.tune.tuned(&read.study, &mut study, &mut chosen, context)?;
        self.provable(chosen.method.name, &outputs)?;
        weighed(chosen.method.name, &study, &outputs)?;
        self.tabled(chosen.method, &outputs)?;
        let objects = match (chosen.method.name, study.rows()) {
            ("unfolding", Some(rows)) => rows.together()?,
            _ => study.objects(),
        };
        let mut metadata = self.look.columns.read(&objects, Some(&read.study), context)?;
        if let ("unfolding", Some(rows)) = (chosen.method.name, study.rows()) {
            metadata = with_sides(metadata, rows.objects().len(), objects.len());
        }
        let images = self.images.read(&objects, context)?;
        self.ellipses.possible(&study)?;
        let (fit, seconds) = fit(&chosen, &study, context)?;
        let mut fit = self.pose.posed(fit, context)?;
        // A method that chooses by itself has told so already.
        fit.report.tuning = tuning.or(fit.report.tuning);
        fit.report.notes = context.kept();
        fit.report.reading = record::with_files(&context.reading, &self.files);
        fit.report.inputs = [read.inputs, self.pose.input(context)?].concat();
        if outputs.iter().any(|o| matches!(o.role, Role::Figure(_))) {
            self.look.fits(fit.embedding.dim())?;
        }
        let steadiness = self.ellipses.around(&chosen, &study, (&fit).into(), self.look.axes, context)?;
        // A method may leave some of the objects out, or map columns beside rows.
        let among = fit.embedding.objects().among(&objects);
        let metadata = metadata.subset(&among);
        let images = if images.is_empty() { images } else { among.iter().map(|i| images[(*i)?].clone()).collect() };
        let links = self.links(&outputs, &fit, &read.study, context)?;
        let certificate = match About::of(&study) {
            Some(about) if outputs.iter().any(|o| o.role == Role::Certificate) => {
                // The clock of the fit does not end what is done with its answer.
                let limits = context.memory.map_or_else(Limits::default, |bytes| Limits::default().memory(bytes));
                Some(verify::certificate_of(&fit, about.within(limits))?)
            }
            _ => None,
        };
        let seconds = Seconds { read: read.seconds, fit: seconds, write: 0.0 };
        let look = self.look.of_fit(&fit.report, &metadata);
        let results = Results {
            fit: &fit,
            look: &look,
            map: &fit.embedding,
            evidence: made_of(&read.study, &study),
            metadata: &metadata,
            images: &images,
            steadiness: steadiness.as_ref(),
            links: &links,
            certificate: certificate.as_ref(),
            objects_per_second: None,
            seconds,
        };
        self.write(&outputs, &results, context)?;
        let outcome = outcome(self.converged, fit.report.stop, context);
        Ok(if outcome == Outcome::Good { self.certain(&fit.report, context) } else { outcome })
    }

    /// The study as it was read for a fit by this method, its kernels so many times as wide as they were asked for, and the files
    /// that say what the map is.
    pub(super) fn study(
        &self,
        chosen: &Chosen,
        width: Option<f64>,
        context: &Context,
    ) -> Result<(Study, Vec<InputFile>)> {
        let read = input::read_with(&self.files, &self.kernels.kernels, &self.reading, context)?;
        let read = input::classed(read, &self.reading, self.look.columns.metadata.as_deref(), context)?;
        let mut study = choose::suited(&read.study, chosen, context)?;
        if let Some(width) = width {
            study = study.clone().with(read.study.kernels_widened(&study.objects(), width)?);
        }
        Ok((study, [read.inputs, self.pose.input(context)?].concat()))
    }

    /// The exit that the gap deserves.
    fn certain(&self, report: &FitReport, context: &Context) -> Outcome {
        let (Some(asked), Some(c)) = (self.certified, &report.certificate) else { return Outcome::Good };
        if c.is_within(asked) {
            return Outcome::Good;
        }
        let far = match c.broken {
            Some(by) => format!("the solution breaks a row that must hold by {by:.2e}"),
            None => format!("the gap is {:.1e}", c.gap()),
        };
        context.note(&format!("{far}, and --certified {asked:e} was asked for"));
        Outcome::NotConverged
    }

    /// The links behind the map, where a figure is to show them or a page can.
    fn links(&self, outputs: &[Output], fit: &Fit<Model>, study: &Study, context: &Context) -> Result<Vec<[u32; 2]>> {
        let page = outputs.iter().any(|o| o.role == Role::Page);
        if !page && !self.look.layers.links {
            return Ok(Vec::new());
        }
        let (map, model, report) = (&fit.embedding, Some(&fit.model), Some(&fit.report));
        Behind { map, model, report, study: Some(study) }.links(self.look.layers.links, context)
    }
}

/// Bytes that are told before a fit asks for them.
const MUCH: u64 = 1 << 28;

/// Fits, watched, and says how long it took.
pub(super) fn fit(chosen: &Chosen, study: &Study, context: &Context) -> Result<(Fit<Model>, f64)> {
    let needs = chosen.method.needs(study, &chosen.settings);
    let seconds = needs.seconds;
    let memory = || nearer::error::bytes(needs.bytes);
    match seconds.filter(|s| *s > 10.0) {
        Some(s) => context.note(&format!(
            "this will take {} and about {} of memory (orders of magnitude)",
            cost::in_words(s),
            memory()
        )),
        None if needs.bytes > MUCH => context.note(&format!("this will take about {} of memory", memory())),
        None => {}
    }
    let started = Instant::now();
    let watcher = Watcher::new(context).expecting(seconds);
    let watch = |step: &Step| watcher.see(step);
    let mut fit = chosen.fit(study, &context.run().watched(&watch))?;
    fit.report.map = Some(fit.embedding.sha256());
    Ok((fit, started.elapsed().as_secs_f64()))
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
