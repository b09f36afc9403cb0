//! `nearer report`: one file that shows a map and lets a reader argue with it.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use nearer::evaluate::{Target, stress_by_dimension};
use nearer::io::Outbox;
use nearer::method::Chosen;
use nearer::show::{Seen, held_against};
use nearer::{Distances, Evidence, Run, Step, Study};
use serde_json::json;

use super::eval::Dimensions;
use super::held_out::HeldOutFlags;
use super::links::Behind;
use super::page::{Images, Material, More};
use super::plot::{as_taken, chosen};
use super::stability::{Ellipses, Steadiness};
use crate::choose;
use crate::columns::Columns;
use crate::context::{Context, Outcome};
use crate::figures::Layers;
use crate::input::{self, MapFile, Reading};
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
    /// Fit again in these dimensions, for the diagram of stress, or of agreement, against dimensions: 1-6, or 1,2,5; with --held-out
    /// comparisons are held out in each
    #[arg(long, value_name = "FROM-TO", value_parser = super::eval::dimensions)]
    dimensions: Option<Dimensions>,
    /// The method that fits again (default: that of the model, or the one the evidence suggests)
    #[arg(long, short, value_name = "METHOD")]
    method: Option<String>,
    #[command(flatten)]
    held_out: HeldOutFlags,
    #[command(flatten)]
    columns: Columns,
    #[command(flatten)]
    layers: Layers,
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
        let again = self.ellipses.asked() || self.dimensions.is_some() || self.held_out.asked();
        if self.files.is_empty() && again {
            bail!("--ellipses, --dimensions and --held-out need what the map was made of; give its file after the map");
        }
        let map = input::read_map_file(&self.map, context)?;
        let study = if self.files.is_empty() { None } else { Some(self.evidence(&map, parameters, context)?) };
        let metadata = self.columns.read(map.embedding.objects(), study.as_ref(), context)?;
        let images = self.images.read(map.embedding.objects(), context)?;
        let held = study.as_ref().filter(|s| match s.main() {
            Some(main) => !matches!(main, Evidence::Sorts(_)),
            None => s.features().len() == 1,
        });
        let held = held.map(|s| held_against(s, &map.embedding, &context.run())).transpose()?;
        context.notes(held.iter().filter_map(|(_, said)| *said));
        let held = held.as_ref().map(|(evidence, _)| evidence.as_ref());
        let behind = Behind {
            map: &map.embedding,
            model: map.model.as_ref(),
            report: map.report.as_ref(),
            study: study.as_ref(),
        };
        let links = behind.links(self.layers.links, context)?;
        let (mut steadiness, mut more) = (None, More::default());
        if let Some(study) = study.as_ref().filter(|_| again) {
            let chosen = chosen(self.method.as_deref(), &map, study, parameters, context)?;
            let suited = &choose::suited(study, &chosen, context)?;
            steadiness = self.ellipses.around(&chosen, suited, (&map).into(), PLANE, context)?;
            let data = held.and_then(|e| e.try_into().ok()).or(suited.distances());
            more = self.by_dimension(&chosen, (study, suited), data, Seen::from(&map).target(false), context)?;
            more.held_out = self.held_out.of(self.method.as_deref(), &map, study, parameters, context)?;
        }
        context.notes(steadiness.iter().map(Steadiness::in_words));
        let paths = input::paths_of(&self.files);
        let files = [&self.map].into_iter().chain(&paths).cloned().chain(self.columns.file()).collect();
        let material = Material {
            map: &map.embedding,
            model: map.model.as_ref(),
            report: map.report.as_ref(),
            evidence: held,
            metadata: &metadata,
            images: &images,
            steadiness: steadiness.as_ref().map(|s| (s, PLANE)),
            links: (&links, self.layers.links),
            reference: true,
            more,
            files,
            seconds: None,
            title: self.title.as_deref(),
            colour_by: self.columns.colour_by.as_deref(),
            shape_by: self.columns.shape_by.as_deref(),
            layers: Some(&self.layers),
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
    fn evidence(&self, map: &MapFile, parameters: &[(&'static str, String)], context: &Context) -> Result<Study> {
        let study = input::read(&self.files, &self.reading, context)?.study;
        if let Some(Evidence::Rows(_)) = study.main() {
            bail!(
                "{} holds rows of distances to a few columns; a page needs distances between the objects of the map",
                self.files[0]
            );
        }
        let study = as_taken(self.method.as_deref(), map, study, parameters, context)?;
        if matches!(study.main(), Some(Evidence::Sorts(_))) {
            // A method that learns from classes takes them as they are.
            context
                .note("classes: a page holds no map against them; `nearer eval` says how often neighbours share one");
        }
        Ok(study)
    }

    fn by_dimension(
        &self,
        chosen: &Chosen,
        (study, suited): (&Study, &Study),
        data: Option<&Distances>,
        held: Target<'_>,
        context: &Context,
    ) -> Result<More> {
        let Some(Dimensions(dims)) = &self.dimensions else { return Ok(More::default()) };
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let run = context.run().watched(&watch);
        let Some(data) = data else {
            let agreement = Some(self.held_out.by_dimension(dims, chosen, (study, suited), &run)?);
            return Ok(More { agreement, ..More::default() });
        };
        let fit = |dim: usize, run: &Run<'_>| chosen.in_dimensions(dim).fit(suited, run);
        let stress = Some(stress_by_dimension(dims.iter().copied(), fit, data, held, &run)?);
        Ok(More { stress, ..More::default() })
    }
}
