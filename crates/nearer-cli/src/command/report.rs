//! `nearer report`: one file that shows a map and lets a reader argue with it.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use nearer::evaluate::{Target, stress_by_dimension};
use nearer::evidence::ConvertOptions;
use nearer::io::Outbox;
use nearer::report::DimensionPoint;
use nearer::{Evidence, Run, Step};
use serde_json::json;

use super::eval::Dimensions;
use super::page::{Images, Material};
use super::plot::chosen;
use super::stability::{Ellipses, Steadiness, target};
use crate::choose::Chosen;
use crate::context::{Context, Outcome};
use crate::figures::Columns;
use crate::input::{self, Read, Reading};
use crate::output::{self, Role};
use crate::progress::Watcher;

/// A page: one html file that opens offline and holds the map, how good it is, and how sure that is
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// A map (.csv .tsv .npy) or a model (.nearer)
    #[arg(value_name = "MAP")]
    map: String,
    /// What the map is held against: distances, comparisons, pairs … (without it the page shows the map alone)
    #[arg(value_name = "EVIDENCE")]
    files: Vec<String>,
    /// The page: .html
    #[arg(long, short, required = true, value_name = "FILE")]
    output: PathBuf,
    /// A title
    #[arg(long)]
    title: Option<String>,
    /// Fit again in these dimensions, for the diagram of stress against dimensions: 1-6, or 1,2,5
    #[arg(long, value_name = "FROM-TO", value_parser = super::eval::dimensions)]
    dimensions: Option<Dimensions>,
    /// The method that fits again (default: that of the model, or the one the evidence suggests)
    #[arg(long, short, value_name = "METHOD")]
    method: Option<String>,
    #[command(flatten)]
    columns: Columns,
    #[command(flatten)]
    images: Images,
    #[command(flatten)]
    ellipses: Ellipses,
    #[command(flatten)]
    reading: Reading,
}

/// The plane that ellipses are computed in.
const PLANE: (usize, usize) = (0, 1);

impl Report {
    pub(crate) fn run(&self, context: &Context, parameters: &[(&'static str, String)]) -> Result<Outcome> {
        let outputs = output::plan(std::slice::from_ref(&self.output))?;
        if outputs.iter().any(|o| o.role != Role::Page) {
            bail!("{} is not a page; name it .html", self.output.display());
        }
        if self.files.is_empty() && (self.ellipses.asked() || self.dimensions.is_some()) {
            bail!(
                "--ellipses and --dimensions fit again, which needs the distances behind the map; give their file after the map"
            );
        }
        let map = input::read_map_file(&self.map, context)?;
        let metadata = self.columns.read(map.embedding.objects(), context)?;
        let images = self.images.read(map.embedding.objects(), context)?;
        let read = if self.files.is_empty() { None } else { Some(self.evidence(context)?) };
        let (mut steadiness, mut by_dimension) = (None, None);
        if let Some(read) = read.as_ref().filter(|_| self.ellipses.asked() || self.dimensions.is_some()) {
            let chosen = chosen(self.method.as_deref(), &map, read, parameters, context)?;
            let held = target(map.model.as_ref(), map.report.as_ref(), false);
            steadiness = self.ellipses.around(&chosen, read, &map.embedding, held, PLANE, context)?;
            by_dimension = self.by_dimension(&chosen, read, held, context)?;
        }
        context.notes(steadiness.iter().map(Steadiness::in_words));
        let files = [&self.map].into_iter().chain(&self.files).chain(&self.columns.metadata).cloned().collect();
        let material = Material {
            map: &map.embedding,
            model: map.model.as_ref(),
            report: map.report.as_ref(),
            evidence: read.as_ref().map(|r| &r.evidence),
            metadata: &metadata,
            images: &images,
            steadiness: steadiness.as_ref().map(|s| (s, PLANE)),
            by_dimension,
            files,
            seconds: None,
            title: self.title.as_deref(),
            colour_by: self.columns.colour_by.as_deref(),
            shape_by: self.columns.shape_by.as_deref(),
        };
        let html = material.html(context)?;
        let mut outbox = Outbox::new();
        output::put(&mut outbox, &outputs[0], html.as_bytes())?;
        output::stdout_then_files(outbox, &outputs, context, || {
            if !context.json {
                return Ok(());
            }
            let (objects, dim) = (map.embedding.len(), map.embedding.dim());
            output::json_to_stdout(&json!({ "page": self.output, "bytes": html.len(), "objects": objects, "dim": dim }))
        })?;
        Ok(Outcome::Good)
    }

    /// The evidence as a page can hold it against the map.
    fn evidence(&self, context: &Context) -> Result<Read> {
        let mut read = input::read(&self.files, &self.reading, context)?;
        match &read.evidence {
            Evidence::Rows(_) => bail!(
                "{} holds rows of distances to a few columns; a page needs distances between the objects of the map",
                self.files[0]
            ),
            Evidence::Sorts(_) | Evidence::Taxonomy(_) => {
                let options = ConvertOptions { seed: context.run().seed(), ..ConvertOptions::default() };
                let made = read.evidence.to_comparisons(&options)?;
                context.note(&format!("{} taken as comparisons: {}", read.evidence.kind(), made.said.join("; ")));
                read.evidence = Evidence::Comparisons(made.evidence);
            }
            _ => {}
        }
        if self.dimensions.is_some() && !matches!(read.evidence, Evidence::Distances(_)) {
            bail!("--dimensions needs distances, and {} holds {}; leave it out", self.files[0], read.evidence.kind());
        }
        Ok(read)
    }

    fn by_dimension(
        &self,
        chosen: &Chosen,
        read: &Read,
        held: Target<'_>,
        context: &Context,
    ) -> Result<Option<Vec<DimensionPoint>>> {
        let (Some(Dimensions(dims)), Evidence::Distances(data)) = (&self.dimensions, &read.evidence) else {
            return Ok(None);
        };
        let fit = |dim: usize, run: &Run<'_>| {
            chosen.method.fit(&chosen.settings.clone().with("dim", dim), &read.evidence, run)
        };
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        // A transformation belongs to its own map; the maps of other dimensions are held against the data.
        let held = if matches!(held, Target::Transform(_)) { Target::Data } else { held };
        Ok(Some(stress_by_dimension(dims.iter().copied(), fit, data, held, &context.run().watched(&watch))?))
    }
}
