//! The page of a map: what `report`, `embed` and `demo` have in common.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use nearer::evaluate;
use nearer::io::{InputFile, read_images};
use nearer::metadata::Metadata;
use nearer::method::table::find;
use nearer::model::Model;
use nearer::page::Page;
use nearer::report::{DimensionAgreement, DimensionPoint, FitReport, HeldOut, StabilitySummary};
use nearer::show::{Findings, Seen};
use nearer::text::MethodWords;
use nearer::{Embedding, Evidence, Objects};

use super::stability::Steadiness;
use crate::context::Context;
use crate::figures::Layers;
use crate::input;

/// More objects than this no browser shows with pleasure.
const MOST_OBJECTS: usize = 1_000_000;

/// How many shuffles the p-values of arrows come from where nobody says.
const ARROW_SHUFFLES: usize = 999;

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
    /// What the page opens with beside the points.
    pub(super) layers: Option<&'a Layers>,
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
                page = page.method(MethodWords { reference: m.reference });
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
        let permutations = self.layers.map_or(ARROW_SHUFFLES, |l| l.arrow_permutations);
        let (arrows, permutations) = evaluate::fitted(self.map, self.metadata, permutations, &context.run())?;
        page = page.arrows(&arrows, permutations);
        if let Some(layers) = self.layers {
            page = page.opening(layers.opening(self.metadata));
        }
        Ok(found.on(page).html()?)
    }

    /// What the evidence says, with what further fits said.
    fn findings(&self, context: &Context) -> Result<Findings> {
        let Some(evidence) = self.evidence else { return Ok(Findings::default()) };
        let seen = Seen { map: self.map, model: self.model, report: self.report };
        let mut found = Findings::of(seen, evidence, self.reference, &context.run(), context.memory)?;
        let stability = || self.steadiness.map(|(s, _)| StabilitySummary::clone(s.summary()));
        if let Some(e) = &mut found.judgements {
            e.held_out.clone_from(&self.more.held_out);
            e.by_dimension.clone_from(&self.more.agreement);
            e.stability = stability();
        }
        if let Some(e) = &mut found.evaluation {
            e.by_dimension.clone_from(&self.more.stress);
            e.stability = stability();
        }
        Ok(found)
    }
}
