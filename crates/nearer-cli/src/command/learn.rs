//! `nearer learn`: a metric learned online from a stream of pairs; the model is written as it goes, and taken up where it was left.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use nearer::io::{Outbox, Saved, load_model, save_model};
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
    /// Go on with the metric of this model, which an earlier run wrote
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
        let read = input::read(std::slice::from_ref(&self.file), &self.reading, context)?;
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
        for (k, line) in BufReader::new(pairs).lines().enumerate() {
            let line = line.map_err(|e| anyhow!("line {}: {e}", k + 1))?;
            let Some((from, to, alike)) = parsed(&line, k)? else { continue };
            let place = |label: &str| {
                index.get(label).map(|i| i.index()).ok_or_else(|| anyhow!("line {}: `{label}` has no features", k + 1))
            };
            let (a, b) = (place(&from)?, place(&to)?);
            let v: Vec<f64> = rows.row(a).iter().zip(rows.row(b)).map(|(x, y)| x - y).collect();
            learner.learn(&v, alike);
            if learner.pairs() % self.every == 0 {
                let _ = self.write(&learner, features, context)?;
                context.note(&told(&learner));
            }
            if interrupt::seen() {
                break;
            }
        }
        if learner.pairs() == 0 {
            bail!("{} holds no pair; write rows of from,to,label", self.evidence);
        }
        let fit = self.write(&learner, features, context)?;
        context.note(&told(&learner));
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

/// One row; nothing for an empty one and for a header.
fn parsed(line: &str, k: usize) -> Result<Option<(String, String, bool)>> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let mut table = csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_reader(line.as_bytes());
    let record = table.records().next().transpose().map_err(|e| anyhow!("line {}: {e}", k + 1))?;
    let Some(record) = record.filter(|r| r.len() >= 3) else {
        bail!("line {}: `{line}` is no row of from,to,label", k + 1);
    };
    let alike = match record[2].to_ascii_lowercase().as_str() {
        "1" | "yes" | "true" | "alike" | "similar" | "must-link" => true,
        "0" | "-1" | "no" | "false" | "unlike" | "dissimilar" | "cannot-link" => false,
        _ if k == 0 => return Ok(None),
        other => bail!("line {}: the label is `{other}`; write 1 or 0, alike or unlike", k + 1),
    };
    Ok(Some((record[0].to_owned(), record[1].to_owned(), alike)))
}
