//! The page of a map: what `report`, `embed` and `demo` have in common.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use nearer::check::check;
use nearer::evaluate::{
    JudgementOptions, Options, evaluation, judged_comparisons, judged_pairs, judgements, pair_judgements, shepard,
};
use nearer::io::{InputFile, read_images};
use nearer::metadata::Metadata;
use nearer::method::table::find;
use nearer::model::Model;
use nearer::page::{DrawnPair, JudgedRow, Page, Story};
use nearer::report::{
    DimensionAgreement, DimensionPoint, Evaluation, FitReport, HeldOut, JudgementEvaluation, StabilitySummary,
};
use nearer::text::{MethodWords, NEIGHBOURS_ONLY};
use nearer::{Distances, Embedding, Evidence, Objects};

use super::stability::{Steadiness, target};
use crate::context::Context;
use crate::input;

/// More objects than this no browser shows with pleasure.
const MOST_OBJECTS: usize = 1_000_000;
/// How many neighbours make a neighbourhood, as in `nearer eval`.
pub(super) const NEIGHBOURS: usize = 10;

/// Pictures for a page.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Page")]
pub(crate) struct Images {
    /// A folder with a picture of each object, named by its label (.png .jpg .jpeg .gif .svg .webp), for a page
    #[arg(long, value_name = "DIR")]
    images: Option<PathBuf>,
}

impl Images {
    /// The pictures, one or none for each object; none at all where no folder is given.
    pub(crate) fn read(&self, objects: &Objects, context: &Context) -> Result<Vec<Option<String>>> {
        let Some(folder) = &self.images else { return Ok(Vec::new()) };
        let (images, said) = read_images(folder, objects)?;
        input::said(&folder.display().to_string(), &said, context);
        Ok(images)
    }
}

/// What a page is made of.
pub(super) struct Material<'a> {
    pub(super) map: &'a Embedding,
    pub(super) model: Option<&'a Model>,
    pub(super) report: Option<&'a FitReport>,
    pub(super) evidence: Option<&'a Evidence>,
    pub(super) metadata: &'a Metadata,
    pub(super) images: &'a [Option<String>],
    pub(super) steadiness: Option<(&'a Steadiness, (usize, usize))>,
    /// The links of the neighbourhood graph, and whether the page opens with them.
    pub(super) links: (&'a [[u32; 2]], bool),
    /// Whether the stress is held against that of random numbers.
    pub(super) reference: bool,
    pub(super) more: More,
    /// The files behind it, to be named with their hashes.
    pub(super) files: Vec<String>,
    pub(super) seconds: Option<f64>,
    pub(super) title: Option<&'a str>,
    pub(super) colour_by: Option<&'a str>,
    pub(super) shape_by: Option<&'a str>,
}

/// What further fits say.
#[derive(Debug, Clone, Default)]
pub(super) struct More {
    /// Stress in other numbers of dimensions.
    pub(super) stress: Option<Vec<DimensionPoint>>,
    /// Agreement with judgements in other numbers of dimensions.
    pub(super) agreement: Option<Vec<DimensionAgreement>>,
    /// Judgements that were held out.
    pub(super) held_out: Option<HeldOut>,
}

/// What the evidence says of the map.
#[derive(Default)]
struct Findings {
    evaluation: Option<Evaluation>,
    pairs: Option<(Objects, Vec<DrawnPair>)>,
    judgements: Option<(JudgementEvaluation, Vec<JudgedRow>)>,
    story: Option<Story>,
}

impl Material<'_> {
    /// The page as the text of a file.
    pub(super) fn html(&self, context: &Context) -> Result<String> {
        if self.map.len() > MOST_OBJECTS {
            bail!(
                "a page shows {MOST_OBJECTS} objects at most, and the map has {}; `nearer plot` draws them all",
                self.map.len()
            );
        }
        let found = self.findings(context)?;
        // The name alone: where a file lies on somebody's disk is nobody else's business.
        let named = |file: InputFile| InputFile { path: file.name().to_owned(), ..file };
        let inputs = context.inputs(&self.files)?.into_iter().map(named).collect();
        let mut page = Page::new(self.map).metadata(self.metadata).images(self.images).inputs(inputs);
        if let Some(title) = self.title {
            page = page.title(title);
        }
        if let Some(report) = self.report {
            page = page.report(report);
            if let Ok(m) = find(&report.method) {
                page = page.method(MethodWords { solves: m.solves, reference: m.reference });
            }
        }
        if let Some(seconds) = self.seconds {
            page = page.seconds(seconds);
        }
        if let Some((steadiness, axes)) = self.steadiness {
            page = page.ellipses(steadiness.ellipses(), axes, steadiness.in_words());
        }
        if !self.links.0.is_empty() {
            page = page.links(self.links.0, self.links.1);
        }
        if let Some(name) = self.colour_by {
            page = page.colour_by(name);
        }
        if let Some(name) = self.shape_by {
            page = page.shape_by(name);
        }
        if let Some(e) = &found.evaluation {
            page = page.evaluation(e);
        }
        if let Some((objects, pairs)) = &found.pairs {
            page = page.pairs(objects, pairs);
        }
        if let Some((e, rows)) = &found.judgements {
            page = page.judgements(e, rows);
        }
        if let Some(story) = &found.story {
            page = page.story(story);
        }
        Ok(page.html()?)
    }

    fn findings(&self, context: &Context) -> Result<Findings> {
        let (options, run) = (JudgementOptions::default(), context.run());
        let method = self.report.map(|r| r.method.clone());
        let mut found = Findings::default();
        match self.evidence {
            Some(Evidence::Distances(d)) => found = self.of_distances(d, context)?,
            Some(Evidence::Comparisons(c)) => {
                found.judgements = Some((judgements(self.map, c, &options, &run)?, judged_comparisons(self.map, c)?));
            }
            Some(Evidence::Pairs(p)) => {
                found.judgements = Some((pair_judgements(self.map, p, &options, &run)?, judged_pairs(self.map, p)?));
            }
            Some(_) | None => {}
        }
        if let Some((e, _)) = &mut found.judgements {
            e.method = method;
            e.held_out.clone_from(&self.more.held_out);
            e.by_dimension.clone_from(&self.more.agreement);
            e.stability = self.steadiness.map(|(s, _)| StabilitySummary::clone(s.summary()));
        }
        if let (Some(evidence), Some(_)) = (self.evidence, &found.judgements) {
            found.story = Some(Story::from(&check(evidence, &run, context.memory)?));
        }
        Ok(found)
    }

    fn of_distances(&self, d: &Distances, context: &Context) -> Result<Findings> {
        let held = target(self.model, self.report, false);
        let options = Options { target: held, neighbours: NEIGHBOURS, ..Options::default() };
        let mut e = context.run().install(|| evaluation(self.map, d, &options))?;
        if let Some(report) = self.report {
            e.method = Some(report.method.clone());
            if report.is_of_neighbours() {
                e.warnings.push(NEIGHBOURS_ONLY.into());
            }
            if let Some(spectrum) = &report.spectrum {
                e = e.with_spectrum(spectrum.clone());
            }
        }
        if self.reference {
            e.reference = super::eval::reference(None, &e, d, held, context)?;
        }
        e.by_dimension.clone_from(&self.more.stress);
        e.stability = self.steadiness.map(|(s, _)| StabilitySummary::clone(s.summary()));
        let pairs = context.run().install(|| shepard(self.map, d, held))?;
        let pairs = pairs.iter().map(DrawnPair::from).collect();
        Ok(Findings { evaluation: Some(e), pairs: Some((d.objects().clone(), pairs)), ..Findings::default() })
    }
}
