//! `nearer distances`: how unlike the rows of a table are, as a matrix, written some rows at a time.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use nearer::evidence::MEASURES;
use nearer::io::{Filter, Format, Outbox, read_table, write_distances};
use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::input::{self, MeasureFlags};
use crate::output::{self, Output, Role};
use crate::progress::Watcher;

/// Distances between the rows of a table, by any of some forty measures
#[derive(Debug, Args)]
pub(crate) struct Distances {
    /// A table with a row for each object: csv, tsv, or .npy; numbers, and for gower and hamming also words
    #[arg(value_name = "TABLE", required_unless_present = "list")]
    file: Option<String>,
    /// Write to this file, by its extension: .csv and .tsv with labels, .npy without (any number of objects in little memory)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Distances of the rows of TABLE to those of this one, whose columns also say what is standardised by: rows for
    /// `nearer place`
    #[arg(long, value_name = "TABLE")]
    to: Option<String>,
    /// Explain every measure
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    measuring: MeasureFlags,
    /// Only rows with such values: column=value, !=, <, <=, >, >=, or 'column in a,b'; may be given several times
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    only: Vec<Filter>,
}

/// What was done, for `--json`.
#[derive(Debug, Serialize)]
struct Told {
    measure: String,
    standardise: Vec<String>,
    rows: usize,
    columns: usize,
    features: usize,
    missing: usize,
}

impl Distances {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let Some(file) = self.file.as_ref().filter(|_| !self.list) else { return explain(context) };
        let target = self.output.as_deref().map(Output::new).transpose()?;
        let format = match target.as_ref().map(|o| o.role) {
            None => Format::Csv,
            Some(Role::Map(format)) => format,
            Some(_) => bail!(
                "{}: distances are written as .csv, .tsv or .npy",
                target.as_ref().map_or_else(String::new, |o| o.path.display().to_string())
            ),
        };
        let how = self.measuring.asked(None)?.ok_or_else(|| {
            anyhow!("say by which --measure, for instance euclidean, bray-curtis or gower; `nearer distances --list` explains each")
        })?;
        let read = |file: &str| -> Result<_> {
            let read = read_table(&context.source(file).only(self.only.clone()))?;
            input::said(file, &read.assumptions, context);
            Ok(read.table)
        };
        let table = read(file)?;
        let mut told = Told {
            measure: how.measure.to_string(),
            standardise: how.standardise.iter().map(ToString::to_string).collect(),
            rows: table.len(),
            columns: table.len(),
            features: table.columns().len(),
            missing: table.missing(),
        };
        context.note(&how.in_words());
        let prepared = match &self.to {
            Some(old) => how.prepared(read(old)?, Some(table))?,
            None => how.prepared(table, None)?,
        };
        told.columns = prepared.objects().len();
        let watcher = Watcher::new(context);
        let rows = prepared.from().len();
        let mut stopped = false;
        let mut progress = |done: usize| stopped |= watcher.count("distances", done, Some(rows)).is_break();
        let threads = context.run();
        match &target {
            None => threads.install(|| {
                let mut bytes = Vec::new();
                write_distances(&mut bytes, &prepared, format, &mut |_| {})?;
                output::to_stdout(|w| Ok(w.write_all(&bytes)?))
            })?,
            Some(target) => {
                let mut outbox = Outbox::new();
                threads
                    .install(|| outbox.file(&target.path, |w| write_distances(w, &prepared, format, &mut progress)))?;
                if stopped {
                    bail!("cancelled; nothing written");
                }
                output::stdout_then_files(outbox, std::slice::from_ref(target), context, || {
                    if context.json { output::json_to_stdout(&told) } else { Ok(()) }
                })?;
            }
        }
        Ok(Outcome::Good)
    }
}

/// Every measure with its formula.
fn explain(context: &Context) -> Result<Outcome> {
    if context.json {
        let all: Vec<_> = MEASURES
            .iter()
            .map(|m| serde_json::json!({ "name": m.name, "aliases": m.aliases, "formula": m.formula }))
            .collect();
        output::json_to_stdout(&all)?;
        return Ok(Outcome::Good);
    }
    let mut text = String::new();
    for m in MEASURES {
        let also = if m.aliases.is_empty() { String::new() } else { format!(" (also {})", m.aliases.join(", ")) };
        text += &format!("{:<24}{}{also}\n", m.name, m.formula);
    }
    text += "\nx and y are the numbers of two rows; of presence, a columns are above 0 in both, b and c in one, d in neither.\n";
    output::words_to_stdout(&text)?;
    Ok(Outcome::Good)
}
