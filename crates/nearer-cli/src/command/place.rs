//! `nearer place`: new objects onto an old map; old points do not move.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use nearer::io::{Format, Outbox, RowStream, load_model, write_map};
use nearer::model::Model;
use nearer::text::counted;
use nearer::{Embedding, Objects, Stop};
use serde::Serialize;

use super::placing::{Placed, Sure, place_all, place_featured, place_judged};
use crate::context::{Context, Outcome};
use crate::figures::{Beside, Look, stress_in_corner};
use crate::input::{self, Reading};
use crate::output::{self, Output, Role};

/// New objects onto an old map; old points do not move
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The model that `nearer embed -o map.nearer` wrote
    model: String,
    /// Files with one row for each new object and one column for each old one, or, for a map made of judgements, with
    /// judgements about new and old objects, or, for a map that is a function of features, with their features; `-` is stdin
    #[arg(required_unless_present = "kernel", value_name = "NEW")]
    files: Vec<String>,
    /// The features of the new objects for one kernel of the map, where kernels have files of their own: NAME=FILE
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    kernel: Vec<(String, String)>,
    /// Write the coordinates (.csv .tsv .npy) or a figure (.svg .png .pdf) to this file; may be given several times
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Write the old objects too, before the new ones
    #[arg(long)]
    with_old: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    look: Look,
}

/// What was placed, as `--json` tells it.
#[derive(Debug, Serialize)]
struct Told {
    method: String,
    placed: usize,
    objects: usize,
    dim: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<Stop>,
    again: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    objects_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sureness: Vec<Sure>,
    seconds: f64,
}

impl Place {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let outputs = output::plan(&self.output)?;
        if let Some(o) = outputs.iter().find(|o| !matches!(o.role, Role::Map(_) | Role::Figure(_))) {
            bail!(
                "{}: placing writes coordinates and figures; use .csv, .tsv, .npy, .svg, .png or .pdf",
                o.path.display()
            );
        }
        let saved = load_model(&context.source(&self.model))?;
        let mut placed = Placed::default();
        if saved.model.takes_features() {
            place_featured(&saved.model, &self.files, &self.kernel, &self.reading, &mut placed, context)?;
        } else if !self.kernel.is_empty() {
            bail!("--kernel is for maps that are functions of features, and {} places otherwise", self.model);
        }
        for file in self.files.iter().filter(|_| !saved.model.takes_features()) {
            if let Model::Ordinal(model) = &saved.model {
                place_judged(model, file, &self.reading, &mut placed, context)?;
                continue;
            }
            let asked = self.reading.files(std::slice::from_ref(file), context)?.remove(0);
            let file = &asked.path;
            let mut rows = RowStream::open(&asked.source, &asked.options)?;
            input::said(file, rows.assumptions(), context);
            if let Some(anchors) = saved.model.anchors() {
                columns_are_there(file, rows.to(), anchors)?;
            }
            place_all(&saved.model, &mut rows, &mut placed, context)?;
            if placed.stop.is_some() {
                break;
            }
        }
        let old = saved.embedding.objects().index();
        let again: Vec<String> = placed.labels().iter().filter(|l| old.contains_key(l.as_str())).cloned().collect();
        let told = Told {
            method: saved.report.method.clone(),
            placed: placed.len(),
            objects: saved.embedding.len() + placed.len() - again.len(),
            dim: saved.model.dim(),
            stop: placed.stop,
            objects_per_second: placed.rate(),
            sureness: std::mem::take(&mut placed.sureness),
            seconds: placed.seconds,
            again,
        };
        self.say(&told, context);
        let map = self.map(&saved.embedding, placed, told.dim)?;
        let outbox = self.prepare(&outputs, &map, saved.report.stress1, context)?;
        output::stdout_then_files(outbox, &outputs, context, || {
            if context.json {
                output::json_to_stdout(&told)
            } else if outputs.is_empty() {
                output::to_stdout(|w| Ok(write_map(w, &map, Format::Csv)?))
            } else {
                Ok(())
            }
        })?;
        Ok(Outcome::Good)
    }

    fn map(&self, old: &Embedding, new: Placed, dim: usize) -> Result<Embedding> {
        if !self.with_old {
            return new.map(dim);
        }
        let index = old.objects().index();
        let mut all = Placed::default();
        all.take(old, |_| true);
        all.take(&new.map(dim)?, |label| !index.contains_key(label));
        all.map(dim)
    }

    fn prepare(&self, outputs: &[Output], map: &Embedding, stress1: Option<f64>, context: &Context) -> Result<Outbox> {
        let mut outbox = Outbox::new();
        output::note_labels(outputs, map, context);
        let pictures = outputs.iter().any(|o| matches!(o.role, Role::Figure(_)));
        let metadata =
            if pictures { self.look.columns.read(map.objects(), None, context)? } else { Default::default() };
        // The stress is that of the old map: it says nothing when only new objects are drawn.
        let beside = Beside { corner: stress_in_corner(stress1.filter(|_| self.with_old)), ..Beside::default() };
        if pictures && self.look.layers.links {
            bail!(
                "--links draws who is near whom among the objects that a map was made of: `nearer plot MODEL --links`"
            );
        }
        for o in outputs {
            match o.role {
                Role::Map(format) => output::put_map(&mut outbox, o, map, format)?,
                Role::Figure(picture) => {
                    let bytes = self.look.draw(map, &metadata, &beside, picture, context)?;
                    output::put(&mut outbox, o, &bytes)?;
                }
                Role::Model
                | Role::Report
                | Role::Page
                | Role::Certificate
                | Role::Weights
                | Role::WeightsFigure(_)
                | Role::Ellipses
                | Role::People
                | Role::Maps => {}
            }
        }
        Ok(outbox)
    }

    fn say(&self, told: &Told, context: &Context) {
        let rate = told.objects_per_second.map_or(String::new(), |r| format!(", {r:.0} a second"));
        context.note(&format!("{} placed on a {} map{rate}", counted(told.placed, "object"), told.method));
        if let Some(stop) = told.stop {
            context.note(&format!("{stop}: the rest was not placed"));
        }
        if !told.again.is_empty() {
            let few: Vec<String> = told.again.iter().take(5).map(|l| format!("`{l}`")).collect();
            let dots = if told.again.len() > 5 { " …" } else { "" };
            let kept = if self.with_old { "; with --with-old their old points are the ones written" } else { "" };
            context.note(&format!(
                "{} of them are on the old map already and were placed again: {}{dots}{kept}",
                told.again.len(),
                few.join(", ")
            ));
        }
    }
}

fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.into(), file.into())),
        _ => Err("write the name of a kernel and the file of its features as NAME=FILE".into()),
    }
}

/// A file of new rows needs a column for each object the map places by.
fn columns_are_there(file: &str, have: &Objects, need: &Objects) -> Result<()> {
    let index = have.index();
    let missing: Vec<&String> = need.labels().iter().filter(|l| !index.contains_key(l.as_str())).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let few: Vec<String> = missing.iter().take(5).map(|l| format!("`{l}`")).collect();
    let dots = if missing.len() > 5 { " …" } else { "" };
    bail!(
        "{file}: {} of the {} old objects the map needs have no column: {}{dots}; rows are new objects and columns old labels, empty where nothing was measured",
        missing.len(),
        need.len(),
        few.join(", ")
    )
}
