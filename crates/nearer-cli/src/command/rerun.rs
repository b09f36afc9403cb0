//! `nearer rerun`: a fit repeated from what it recorded, and whether the map has the same bits.

use anyhow::{Context as _, Result, bail};
use clap::Args;
use nearer::Stop;
use nearer::io::{InputFile, Source, load_model, looks_like_model};
use nearer::method::table::find;
use nearer::report::FitReport;
use serde::Serialize;

use super::embed;
use crate::choose::Chosen;
use crate::context::{Context, Outcome};
use crate::{output, record};

/// Repeats a fit from what it recorded, and says whether the map has the same bits
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 the same bits, 1 other evidence or another map, 2 bad input or a fit that cannot be repeated."
)]
pub(crate) struct Rerun {
    /// What recorded the fit: a model (.nearer), or a report (.json)
    #[arg(value_name = "MODEL|REPORT")]
    fit: String,
    /// The evidence: the same files, in the same order
    #[arg(required = true, value_name = "EVIDENCE")]
    files: Vec<String>,
}

/// What came of it, as `--json` tells it.
#[derive(Debug, Serialize)]
struct Told<'a> {
    same: bool,
    method: &'a str,
    objects: usize,
    seed: u64,
    /// SHA-256 of the map that was recorded, and of the one that was made.
    recorded: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    made: Option<String>,
    /// Files with other bytes than those that were recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_files: Vec<String>,
}

impl Rerun {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let report = self.recorded()?;
        let method = find(&report.method)?;
        let settings = method.complete(report.recorded()?)?;
        self.repeatable(&report)?;
        if report.version != env!("CARGO_PKG_VERSION") {
            let own = env!("CARGO_PKG_VERSION");
            context.note(&format!("recorded by nearer {}, repeated by nearer {own}", report.version));
        }
        let context = &context.with_seed(report.seed);
        let embed = record::embed(&self.files, &report.reading)
            .map_err(|e| anyhow::anyhow!("{}: how its files were read is not understood: {}", self.fit, e.kind()))?;
        let (study, inputs) = embed.study(method, &settings, context)?;
        let mut told = Told {
            same: false,
            method: method.name,
            objects: report.objects,
            seed: report.seed,
            recorded: report.map.as_deref(),
            made: None,
            other_files: others(&report.inputs, &inputs),
        };
        if told.other_files.is_empty() {
            let (fit, _) = embed::fit(&Chosen { method, settings, given: Vec::new() }, &study, context)?;
            told.same = fit.report.map == report.map;
            told.made = fit.report.map;
            context.note(&if told.same {
                format!("{}: the same map, bit for bit, of {} objects by {}", self.fit, report.objects, method.name)
            } else {
                format!("{}: another map than was recorded, from the same files and settings", self.fit)
            });
        } else {
            let files = told.other_files.join(", ");
            context.note(&format!("{}: not repeated, for the evidence is other than was recorded: {files}", self.fit));
        }
        if context.json {
            output::json_to_stdout(&told)?;
        }
        Ok(if told.same { Outcome::Good } else { Outcome::Refused })
    }

    fn recorded(&self) -> Result<FitReport> {
        let source = Source::from(self.fit.as_str());
        if looks_like_model(&source) {
            return Ok(load_model(&source)?.report);
        }
        let text = std::fs::read(&self.fit).with_context(|| format!("cannot read {}", self.fit))?;
        serde_json::from_slice(&text).map_err(|e| {
            anyhow::anyhow!(
                "{}: neither a model nor a report of this version ({e}); give map.nearer or report.json",
                self.fit
            )
        })
    }

    /// Refuses what cannot come out the same.
    fn repeatable(&self, report: &FitReport) -> Result<()> {
        let file = &self.fit;
        if matches!(report.stop, Stop::TimeLimit | Stop::Cancelled) {
            bail!("{file}: the fit was ended from outside ({}), and that cannot be repeated; fit again", report.stop);
        }
        if report.inputs.is_empty() || report.map.is_none() {
            bail!(
                "{file}: its files or its map were not recorded, as of rows read in pieces; fit again with `nearer embed`"
            );
        }
        if report.tuning.is_some() {
            bail!("{file}: the kernels of this fit were tuned; give what was chosen to `nearer embed` as flags");
        }
        Ok(())
    }
}

/// The files whose bytes are not those that were recorded.
fn others(recorded: &[InputFile], read: &[InputFile]) -> Vec<String> {
    if recorded.len() != read.len() {
        return vec![format!("{} files were recorded, and {} were read", recorded.len(), read.len())];
    }
    let differs = |(old, new): &(&InputFile, &InputFile)| old.sha256 != new.sha256;
    let short = |hash: &str| hash.chars().take(12).collect::<String>();
    let told = |(old, new): (&InputFile, &InputFile)| {
        format!("{} (SHA-256 {}…, recorded {}…)", new.path, short(&new.sha256), short(&old.sha256))
    };
    recorded.iter().zip(read).filter(differs).map(told).collect()
}
