//! `nearer learn`: a metric learned online from a stream of pairs; the model is written as it goes, and taken up where it was left.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use nearer::io::{FileKind, Outbox, Saved, load_model, save_model};
use nearer::method::Online;
use nearer::model::Model;
use nearer::text::counted;
use nearer::{Features, Fit};

use crate::command::online_rows::{self, Row};
use crate::context::{Context, Outcome};
use crate::input::{self, Reading};
use crate::output;
use crate::progress::Watcher;

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
        let pairs: Box<dyn Read + Send> = match self.evidence.as_str() {
            "-" => Box::new(std::io::stdin()),
            path => Box::new(std::fs::File::open(path).map_err(|e| anyhow!("{path} cannot be read: {e}"))?),
        };
        let before = learner.pairs();
        let ended = self.listen(&mut learner, features, pairs, context);
        let came = learner.pairs() - before;
        let Ended { why } = match ended {
            Ok(ended) => ended,
            Err(error) if came > 0 && something(&learner) => {
                // What came before the row that cannot be read was learned.
                let _ = self.write(&learner, features, context)?;
                context.note(&format!(
                    "wrote {} with the {} before a row that cannot be read",
                    self.output.display(),
                    counted(came as usize, "pair")
                ));
                return Err(error);
            }
            Err(error) => return Err(error),
        };
        if learner.pairs() == 0 {
            let from = if self.evidence == "-" { "stdin" } else { &self.evidence };
            bail!("{from} holds no pair{why}; write rows of from,to,label");
        }
        let fit = self.write(&learner, features, context)?;
        if !learner.pairs().is_multiple_of(self.every) {
            context.note(&told(&learner));
        }
        context.note(&format!("wrote {}{why}", self.output.display()));
        if context.json {
            output::json_to_stdout(&fit.report)?;
        }
        Ok(Outcome::Good)
    }

    /// Learns from pairs as they come, until there are no more, somebody says stop, or the time is over.
    fn listen(
        &self,
        learner: &mut Online,
        features: &Features,
        pairs: Box<dyn Read + Send>,
        context: &Context,
    ) -> Result<Ended> {
        let watcher = Watcher::new(context);
        let over = context.time_limit().map(|limit| Instant::now() + limit);
        let index = features.objects().index();
        let rows = learner.scaled(features);
        let known = |label: &str| index.get(label).map(|i| i.index());
        let lines = online_rows::lines(pairs);
        let mut k = 0;
        loop {
            if watcher.count("learning", learner.pairs() as usize, None) == ControlFlow::Break(()) {
                return Ok(Ended { why: ", interrupted" });
            }
            if over.is_some_and(|over| Instant::now() >= over) {
                return Ok(Ended { why: ", ended by the time limit" });
            }
            let line = match lines.recv_timeout(GLANCE) {
                Ok(line) => line.map_err(|e| anyhow!("line {}: {e}", k + 1))?,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(Ended { why: "" }),
            };
            k += 1;
            let Some(row) = Row::parsed(&line, k - 1)? else { continue };
            let ends = (known(&row.from), known(&row.to));
            let Some(alike) = row.alike else {
                // The first row may name the columns, unless it names objects.
                if k == 1 && ends == (None, None) {
                    continue;
                }
                bail!("line {k}: the label is `{}`; write 1 or 0, alike or unlike", row.label);
            };
            let (Some(a), Some(b)) = ends else {
                let label = if ends.0.is_none() { &row.from } else { &row.to };
                bail!("line {k}: `{label}` has no features; give it a row of {}, or leave the pair out", self.file);
            };
            let v: Vec<f64> = rows.row(a).iter().zip(rows.row(b)).map(|(x, y)| x - y).collect();
            learner.learn(&v, alike);
            if learner.pairs().is_multiple_of(self.every) && something(learner) {
                let _ = self.write(learner, features, context)?;
                context.note(&told(learner));
            }
        }
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

/// How a stream ended, as the end of a sentence.
struct Ended {
    why: &'static str,
}

/// Who waits for a row looks up this often.
const GLANCE: Duration = Duration::from_millis(100);

/// Before the first pair that is not alike there is nothing to write.
fn something(learner: &Online) -> bool {
    learner.metric().iter().any(|v| *v != 0.0)
}

fn told(learner: &Online) -> String {
    format!(
        "{}, {} of them on the wrong side when they came, threshold {:.4}",
        counted(learner.pairs() as usize, "pair"),
        learner.mistakes(),
        learner.threshold()
    )
}
