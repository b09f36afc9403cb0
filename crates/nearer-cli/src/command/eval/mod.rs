//! `nearer eval`: how good a map is, in words or as JSON, with the data behind the diagrams.

mod classed;
mod judged;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use nearer::evaluate::{ShepardPair, Target, compare, shepard, stress_by_dimension};
use nearer::io::Outbox;
use nearer::method::table::{METHODS, Method};
use nearer::report::{
    ClassEvaluation, Evaluation, LineFigure, Procrustes, ShepardFigure, ShepardPoint, StabilitySummary,
};
use nearer::show::{Seen, held_against};
use nearer::{Distances, Evidence, Run, Step, Study};
use serde::Serialize;

use super::held_out::HeldOutFlags;
use super::plot::{as_taken, chosen};
use super::stability::Again;
use super::tables;
use crate::choose;
use crate::context::{Context, Outcome};
use crate::figures::stress_in_corner;
use crate::input::{self, MapFile, Reading};
use crate::kernels::KernelFlags;
use crate::output::{self, Output, Picture, Role};
use crate::progress::Watcher;

/// How good a map is: stress, or agreement with judgements; what fits worst; another map; what new fits say
#[derive(Debug, Args)]
pub(crate) struct Eval {
    /// A map (.csv .tsv .npy) or a model (.nearer)
    #[arg(value_name = "MAP")]
    map: String,
    /// What the map is held against: distances (several files are repeated measurements), comparisons or pairs; with classes the
    /// features that were learned from, or nothing
    #[arg(value_name = "EVIDENCE")]
    files: Vec<String>,
    /// A table with a row for each object, of which --classes names the column of classes: can these be told from the map?
    #[arg(long, value_name = "FILE")]
    metadata: Option<String>,
    /// How many neighbours vote on the class of an object
    #[arg(long, default_value_t = 3, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    knn: u32,
    /// Another map of the same objects, laid over the first
    #[arg(long, value_name = "MAP2")]
    other: Option<String>,
    /// How many neighbours make a neighbourhood
    #[arg(long, default_value_t = 10, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    neighbourhood: u32,
    /// Hold the map against the order of the distances only (a nonmetric model does so by itself)
    #[arg(long)]
    ordinal: bool,
    /// Fit again in these dimensions: 1-6, or 1,2,5; with --held-out comparisons are held out in each, their likelihood is
    /// told beside their agreement, and the fewest dimensions within one standard error of the best are named
    #[arg(long, value_name = "FROM-TO", value_parser = dimensions)]
    dimensions: Option<Dimensions>,
    /// Fit again without each object in turn
    #[arg(long)]
    jackknife: bool,
    /// Fit again from measurements or judgements drawn anew, this often
    #[arg(long, value_name = "N", conflicts_with = "jackknife", value_parser = clap::value_parser!(u32).range(3..=100_000))]
    bootstrap: Option<u32>,
    #[command(flatten)]
    held_out: HeldOutFlags,
    /// The method that fits again (default: that of the model, or the one the evidence suggests)
    #[arg(long, short, value_name = "METHOD")]
    method: Option<String>,
    /// Write the evaluation to this .json file
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// The Shepard diagram: .svg .png .pdf, or .csv for the data pair by pair; may be given several times
    #[arg(long, value_name = "FILE")]
    shepard: Vec<PathBuf>,
    /// The stress, or the agreement, against the number of dimensions (of --dimensions): .svg .png .pdf or .csv
    #[arg(long, value_name = "FILE", requires = "dimensions")]
    scree: Vec<PathBuf>,
    /// The share of each object in the stress, or how its judgements fare, as .csv
    #[arg(long, value_name = "FILE")]
    per_object: Option<PathBuf>,
    /// Dots per inch of a png
    #[arg(long, default_value_t = 300.0)]
    dpi: f64,
    #[command(flatten)]
    kernels: KernelFlags,
    /// Hold the stress against that of so many random matrices and as many shuffles of the distances; 0 against none (default:
    /// 100 up to 60 objects, 20 up to 200, else none)
    #[arg(long, value_name = "N")]
    reference: Option<usize>,
    #[command(flatten)]
    reading: Reading,
}

/// An evaluation, and that by classes where they are asked for besides.
#[derive(Debug, Serialize)]
struct Beside<'a, T: Serialize> {
    #[serde(flatten)]
    of: &'a T,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<&'a ClassEvaluation>,
}

/// Numbers of dimensions, increasing.
#[derive(Debug, Clone)]
pub(in crate::command) struct Dimensions(pub(in crate::command) Vec<usize>);

impl Eval {
    /// `--neighbours` is a parameter of methods that fit again; it was the neighbourhood once.
    fn not_by_its_old_name(&self, parameters: &[(&'static str, String)]) -> Result<()> {
        let again = self.dimensions.is_some() || self.jackknife || self.bootstrap.is_some() || self.held_out.asked();
        if !again && parameters.iter().any(|(name, _)| *name == "neighbours") {
            let has = |m: &&&Method| m.parameters.iter().any(|p| p.name == "neighbours");
            let owners: Vec<&str> = METHODS.iter().filter(has).map(|m| m.name).collect();
            bail!(
                "--neighbours is a parameter of {}, and nothing is fitted here; the neighbourhood is --neighbourhood",
                owners.join(", ")
            );
        }
        Ok(())
    }

    pub(crate) fn run(&self, context: &Context, parameters: &[(&'static str, String)]) -> Result<Outcome> {
        self.not_by_its_old_name(parameters)?;
        let files = self.outputs()?;
        let map = input::read_map_file(&self.map, context)?;
        let other = self.other.as_ref().map(|o| input::read_map_file(o, context)).transpose()?;
        if self.files.is_empty() && self.reading.classes.is_none() {
            bail!(
                "nothing to hold the map against; give distances or judgements, or --metadata FILE and --classes COLUMN"
            );
        }
        let read = input::read_with(&self.files, &self.kernels.kernels, &self.reading, context)?;
        let study = &match read.study.main() {
            // Classes are what a map is held against, and not judgements of one person.
            Some(Evidence::Sorts(s)) if self.reading.classes.is_some() || s.assessors().len() == 1 => read.study,
            _ => as_taken(self.method.as_deref(), &map, read.study, parameters, context)?,
        };
        let classes = self.reading.classes.is_some() || study.sorts().is_some();
        if classes && matches!(study.main(), None | Some(Evidence::Sorts(_))) {
            return self.of_classes(&files, &map, study, parameters, context);
        }
        let (evidence, said) = held_against(study, &map.embedding, &context.run())?;
        context.notes(said);
        let Evidence::Distances(data) = evidence.as_ref() else {
            return self.of_judgements(&files, &map, other.as_ref(), study, parameters, context);
        };
        if self.held_out.asked() {
            bail!(
                "--held-out takes comparisons, and {} holds distances; --jackknife and --bootstrap are for these",
                self.files[0]
            );
        }
        let seen = Seen::from(&map);
        let held = seen.target(self.ordinal);
        let mut e = seen.evaluation(data, self.ordinal, self.neighbourhood as usize, &context.run())?;
        if let Some(other) = &other {
            let c = compare(&map.embedding, &other.embedding, true)?;
            e.procrustes = Some(Procrustes::from(&c));
        }
        e.reference = seen.stress_reference(self.reference, &e, data, self.ordinal, &context.run())?;
        self.fit_again(&mut e, &map, study, data, held, parameters, context)?;
        let pairs = if self.shepard.is_empty() { Vec::new() } else { shepard(&map.embedding, data, held)? };
        let classes = self.classes_beside(&map, study, parameters, context)?;
        let outbox = self.prepare(&files, &e, classes.as_ref(), &pairs, data)?;
        output::stdout_then_files(outbox, &files, context, || {
            if context.json {
                output::json_to_stdout(&Beside { of: &e, classes: classes.as_ref() })
            } else {
                let text = tables::of_evaluation(&e) + &classes.as_ref().map_or(String::new(), tables::of_classes);
                output::words_to_stdout(&text)
            }
        })?;
        Ok(Outcome::Good)
    }

    /// What needs new fits.
    #[allow(clippy::too_many_arguments)]
    fn fit_again(
        &self,
        e: &mut Evaluation,
        map: &MapFile,
        study: &Study,
        data: &Distances,
        held: Target<'_>,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<()> {
        if self.dimensions.is_none() && !self.jackknife && self.bootstrap.is_none() {
            return Ok(());
        }
        let chosen = chosen(self.method.as_deref(), map, study, parameters, context)?;
        let study = &choose::suited(study, &chosen, context)?;
        if let Some(Dimensions(dims)) = &self.dimensions {
            let fit = |dim: usize, run: &Run<'_>| chosen.in_dimensions(dim).fit(study, run);
            let watcher = Watcher::new(context);
            let watch = |step: &Step| watcher.see(step);
            let run = context.run().watched(&watch);
            e.by_dimension = Some(stress_by_dimension(dims.iter().copied(), fit, data, held, &run)?);
        }
        let again = Again { chosen: &chosen, study, data, map: &map.embedding, target: held };
        let stability = match (self.bootstrap, self.jackknife) {
            (Some(n), _) => Some(again.bootstrap(n as usize, context)?),
            (None, true) => Some(again.jackknife(context)?),
            (None, false) => None,
        };
        e.stability = stability.as_ref().map(StabilitySummary::from);
        Ok(())
    }

    /// All files, checked before any work.
    fn outputs(&self) -> Result<Vec<Output>> {
        let all: Vec<PathBuf> =
            self.output.iter().chain(&self.shepard).chain(&self.scree).chain(&self.per_object).cloned().collect();
        let outputs = output::plan(&all)?;
        for o in &outputs {
            let table = matches!(o.role, Role::Map(nearer::io::Format::Csv));
            let good = if self.output.contains(&o.path) {
                o.role == Role::Report
            } else if self.per_object.as_ref() == Some(&o.path) {
                table
            } else {
                table || matches!(o.role, Role::Figure(_))
            };
            if !good {
                bail!(
                    "{}: -o writes .json, --per-object .csv, --shepard and --scree .svg, .png, .pdf or .csv",
                    o.path.display()
                );
            }
        }
        Ok(outputs)
    }

    fn prepare(
        &self,
        files: &[Output],
        e: &Evaluation,
        classes: Option<&ClassEvaluation>,
        pairs: &[ShepardPair],
        data: &Distances,
    ) -> Result<Outbox> {
        let mut outbox = Outbox::new();
        for o in files {
            let bytes = match o.role {
                Role::Report => {
                    let mut text = Vec::new();
                    output::write_json(&mut text, &Beside { of: e, classes })?;
                    text
                }
                Role::Figure(picture) if self.shepard.contains(&o.path) => self.shepard_figure(pairs, e, picture)?,
                Role::Figure(picture) => self.scree_figure(e, picture)?,
                _ if self.shepard.contains(&o.path) => tables::pairs_csv(pairs, data)?,
                _ if self.scree.contains(&o.path) => tables::dimensions_csv(e)?,
                _ => tables::objects_csv(e)?,
            };
            output::put(&mut outbox, o, &bytes)?;
        }
        Ok(outbox)
    }

    fn shepard_figure(&self, pairs: &[ShepardPair], e: &Evaluation, picture: Picture) -> Result<Vec<u8>> {
        let points: Vec<ShepardPoint> =
            pairs.iter().map(|p| ShepardPoint { data: p.data, distance: p.distance, disparity: p.disparity }).collect();
        let figure = ShepardFigure::new(points).corner(stress_in_corner(Some(e.stress1)).unwrap_or_default());
        Ok(match picture {
            Picture::Svg => figure.svg()?.into_bytes(),
            Picture::Png => figure.png(self.dpi)?,
            Picture::Pdf => figure.pdf()?,
        })
    }

    fn scree_figure(&self, e: &Evaluation, picture: Picture) -> Result<Vec<u8>> {
        let points: Vec<(f64, f64)> = e.by_dimension.iter().flatten().map(|p| (p.dim as f64, p.stress1)).collect();
        let figure = LineFigure::new(points).axis_names("dimensions", "stress-1").mark(e.dim as f64);
        Ok(match picture {
            Picture::Svg => figure.svg()?.into_bytes(),
            Picture::Png => figure.png(self.dpi)?,
            Picture::Pdf => figure.pdf()?,
        })
    }
}

pub(in crate::command) fn dimensions(text: &str) -> Result<Dimensions, String> {
    let wrong = || "write dimensions as 1-6 or 1,2,5, each from 1 to 100".to_owned();
    let number = |t: &str| t.trim().parse::<usize>().ok().filter(|d| (1..=100).contains(d)).ok_or_else(wrong);
    let mut dims: Vec<usize> = match text.split_once('-') {
        Some((from, to)) => (number(from)?..=number(to)?).collect(),
        None => text.split(',').map(number).collect::<Result<_, _>>()?,
    };
    dims.sort_unstable();
    dims.dedup();
    if dims.is_empty() { Err(wrong()) } else { Ok(Dimensions(dims)) }
}
