//! `nearer learn`: a metric learned online from a stream of pairs; the model is written as it goes, and taken up where it was left.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use nearer::io::{FileKind, Outbox, Saved, load_model, save_model};
use nearer::method::Online;
use nearer::model::Model;
use nearer::{Features, Fit};

use crate::context::{Context, Outcome};
use crate::input::{self, Reading};
use crate::{interrupt, output};

/// A metric learned online, pair by pair, by POLA: from a file or a stream of `from,to,label` rows
#[derive(Debug, Args)]
pub(crate) struct Learn {
    /// The table of features
    #[arg(value_name = "FEATURES")]
    file: String,
    /// Rows `from,to,label`, the label 1, yes, alike or similar, or 0, -1, no, unlike or dissimilar; `-` is stdin
    #[arg(value_name = "PAIRS", default_value = "-")]
    evidence: String,
    /// Write the model to this .nearer file
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Write it also after every so many pairs
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Go on with the metric of this model, which an earlier run wrote; it may be the one that is written
    #[arg(long, value_name = "MODEL")]
    resume: Option<String>,
    /// Divide each feature by its standard deviation in the table first
    #[arg(long)]
    unit_variance: bool,
    #[command(flatten)]
    reading: Reading,
}

impl Learn {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        if output::plan(std::slice::from_ref(&self.output))?[0].role != output::Role::Model {
            bail!("{}: the model is written as .nearer", self.output.display());
        }
        let reading = self.reading.clone().of_kind(FileKind::Features);
        let read = input::read(std::slice::from_ref(&self.file), &reading, context)?;
        let [(_, features)] = read.study.features() else {
            bail!("{} holds no table of features", self.file);
        };
        let mut learner = self.learner(features, context)?;
        let pairs: Box<dyn Read> = match self.evidence.as_str() {
            "-" => Box::new(std::io::stdin()),
            path => Box::new(std::fs::File::open(path).map_err(|e| anyhow!("{path} cannot be read: {e}"))?),
        };
        let index = features.objects().index();
        let rows = learner.scaled(features);
        let known = |label: &str| index.get(label).map(|i| i.index());
        for (k, line) in BufReader::new(pairs).lines().enumerate() {
            let line = line.map_err(|e| anyhow!("line {}: {e}", k + 1))?;
            let Some(row) = Row::parsed(&line, k)? else { continue };
            let ends = (known(&row.from), known(&row.to));
            let Some(alike) = row.alike else {
                // The first row may name the columns, unless it names objects.
                if k == 0 && ends == (None, None) {
                    continue;
                }
                bail!("line {}: the label is `{}`; write 1 or 0, alike or unlike", k + 1, row.label);
            };
            let (Some(a), Some(b)) = ends else {
                let label = if ends.0.is_none() { &row.from } else { &row.to };
                bail!(
                    "line {}: `{label}` has no features; give it a row of {}, or leave the pair out",
                    k + 1,
                    self.file
                );
            };
            let v: Vec<f64> = rows.row(a).iter().zip(rows.row(b)).map(|(x, y)| x - y).collect();
            learner.learn(&v, alike);
            // Before the first pair that is not alike there is nothing to write.
            if learner.pairs() % self.every == 0 && learner.metric().iter().any(|v| *v != 0.0) {
                let _ = self.write(&learner, features, context)?;
                context.note(&told(&learner));
            }
            if interrupt::seen() {
                break;
            }
        }
        if learner.pairs() == 0 {
            let from = if self.evidence == "-" { "stdin" } else { &self.evidence };
            bail!("{from} holds no pair; write rows of from,to,label");
        }
        let fit = self.write(&learner, features, context)?;
        if learner.pairs() % self.every != 0 {
            context.note(&told(&learner));
        }
        context.note(&format!("wrote {}", self.output.display()));
        if context.json {
            output::json_to_stdout(&fit.report)?;
        }
        Ok(Outcome::Good)
    }

    /// A new learner, or one that goes on.
    fn learner(&self, features: &Features, context: &Context) -> Result<Online> {
        let Some(file) = &self.resume else { return Ok(Online::over(features, self.unit_variance)) };
        let saved = load_model(&context.source(file))?;
        let Model::Linear(model) = &saved.model else {
            bail!("{file} holds no metric; give a model that `nearer learn` wrote");
        };
        Online::resumed(model, &saved.report, features, self.unit_variance).map_err(|e| anyhow!("{file}: {e}"))
    }

    /// Writes the model, whole or not at all.
    fn write(&self, learner: &Online, features: &Features, context: &Context) -> Result<Fit<nearer::model::Linear>> {
        let fit = learner.fit(features, &context.run())?;
        let saved = Saved {
            embedding: fit.embedding.clone(),
            model: Model::Linear(fit.model.clone()),
            report: fit.report.clone(),
        };
        let mut outbox = Outbox::new();
        outbox.file(Path::new(&self.output), |w| save_model(w, &saved))?;
        outbox.commit()?;
        Ok(fit)
    }
}

fn told(learner: &Online) -> String {
    format!(
        "{} pairs, {} of them on the wrong side when they came, threshold {:.4}",
        learner.pairs(),
        learner.mistakes(),
        learner.threshold()
    )
}

/// A row of the stream.
struct Row {
    from: String,
    to: String,
    label: String,
    /// What the label says, where it is one.
    alike: Option<bool>,
}

impl Row {
    /// One line, of commas or of tabs; nothing for an empty one.
    fn parsed(line: &str, k: usize) -> Result<Option<Row>> {
        if line.trim().is_empty() {
            return Ok(None);
        }
        let delimiter = if line.contains('\t') && !line.contains(',') { b'\t' } else { b',' };
        let mut table = csv::ReaderBuilder::new();
        table.has_headers(false).trim(csv::Trim::All).delimiter(delimiter);
        let record = table.from_reader(line.as_bytes()).records().next().transpose();
        let record = record.map_err(|e| anyhow!("line {}: {e}", k + 1))?;
        let Some(record) = record.filter(|r| r.len() >= 3) else {
            bail!("line {}: `{line}` is no row of from,to,label", k + 1);
        };
        let alike = match record[2].to_ascii_lowercase().as_str() {
            "1" | "yes" | "true" | "alike" | "similar" | "must-link" => Some(true),
            "0" | "-1" | "no" | "false" | "unlike" | "dissimilar" | "cannot-link" => Some(false),
            _ => None,
        };
        let [from, to, label] = [0, 1, 2].map(|c| record[c].to_owned());
        Ok(Some(Row { from, to, label, alike }))
    }
}
