//! `nearer rerun`: a fit repeated from what it recorded, and whether the map has the same bits.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use nearer::Stop;
use nearer::io::{InputFile, Source, load_model, looks_like_model};
use nearer::method::Chosen;
use nearer::method::table::find;
use nearer::report::{FitReport, Tuning};
use nearer::text::counted;
use serde::Serialize;

use super::embed;
use crate::context::{Context, Outcome};
use crate::input::path_of;
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
        if report.figures.contains_key("regression") {
            bail!("{}: a regression onto a map, which `nearer regress` makes again", self.fit);
        }
        let method = find(&report.method)?;
        let chosen = Chosen::recorded(method, method.complete(report.recorded()?)?);
        self.repeatable(&report)?;
        if report.version != env!("CARGO_PKG_VERSION") {
            let own = env!("CARGO_PKG_VERSION");
            context.note(&format!("recorded by nearer {}, repeated by nearer {own}", report.version));
        }
        if context.seed != 0 && context.seed != report.seed {
            bail!(
                "{}: the fit has its seed, {}; leave --seed out, or fit again with `nearer embed`",
                self.fit,
                report.seed
            );
        }
        let context = &context.with_seed(report.seed);
        let reading = record::moved(&report.reading, &report.inputs, path_of(&self.files[0]));
        let embed = record::embed(&self.files, &reading)
            .map_err(|e| anyhow!("{}: how its files were read is not understood: {}", self.fit, e.kind()))?;
        let width = report.tuning.as_ref().and_then(Tuning::width);
        let (study, inputs) = embed.study(&chosen, width, context)?;
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
            let (fit, _) = embed::fit(&chosen, &study, context)?;
            self.ended(fit.report.stop)?;
            let fit = embed.pose.posed(fit, context)?;
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
        if Path::new(&self.fit).extension().is_some_and(|e| e == "cert") {
            bail!("{}: a certificate holds a proof and not the fit; give map.nearer or report.json", self.fit);
        }
        if looks_like_model(&source) {
            return Ok(load_model(&source)?.report);
        }
        let text = std::fs::read(&self.fit).with_context(|| format!("cannot read {}", self.fit))?;
        let what = "neither a model nor a report; give map.nearer or report.json";
        let told: serde_json::Value = serde_json::from_slice(&text).map_err(|_| anyhow!("{}: {what}", self.fit))?;
        match told["schema"].as_u64() {
            Some(schema) if schema == u64::from(FitReport::SCHEMA) => {
                serde_json::from_value(told).map_err(|e| anyhow!("{}: not a report of a fit ({e})", self.fit))
            }
            Some(schema) => bail!(
                "{}: a report of schema {schema}, and this version repeats those of schema {}; fit again with `nearer embed`",
                self.fit,
                FitReport::SCHEMA
            ),
            None => bail!("{}: {what}", self.fit),
        }
    }

    /// Refuses what cannot come out the same.
    fn repeatable(&self, report: &FitReport) -> Result<()> {
        let file = &self.fit;
        if matches!(report.stop, Stop::TimeLimit | Stop::Cancelled) {
            bail!("{file}: the fit was ended from outside ({}), and that cannot be repeated; fit again", report.stop);
        }
        if report.map.is_none() {
            bail!("{file}: its map was not recorded, as of rows read in pieces; fit again with `nearer embed`");
        }
        if report.inputs.is_empty() {
            bail!(
                "{file}: it was not made of files alone, as Python makes maps of arrays; fit again where it was made"
            );
        }
        Ok(())
    }

    /// Refuses a repetition that did not come to its end.
    fn ended(&self, stop: Stop) -> Result<()> {
        if matches!(stop, Stop::TimeLimit | Stop::Cancelled) {
            bail!("{}: the repetition was ended from outside ({stop}) and says nothing; allow more time", self.fit);
        }
        Ok(())
    }
}

/// The files whose bytes are not those that were recorded.
fn others(recorded: &[InputFile], read: &[InputFile]) -> Vec<String> {
    if recorded.len() != read.len() {
        return vec![format!("{} recorded, {} read", counted(recorded.len(), "file"), read.len())];
    }
    let differs = |(old, new): &(&InputFile, &InputFile)| old.sha256 != new.sha256;
    let short = |hash: &str| hash.chars().take(12).collect::<String>();
    let told = |(old, new): (&InputFile, &InputFile)| {
        format!("{} (SHA-256 {}…, recorded {}…)", new.path, short(&new.sha256), short(&old.sha256))
    };
    recorded.iter().zip(read).filter(differs).map(told).collect()
}
