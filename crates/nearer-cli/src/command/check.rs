//! `nearer check`: what is in a file, before anything is made of it.

use anyhow::Result;
use clap::Args;
use nearer::check::{CheckReport, alone, check, together};
use nearer::io::{FileKind, Loaded, joined};
use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::input::{self, Reading};
use crate::kernels::KernelFlags;
use crate::output;

/// What is in a file, what contradicts what, and what it will cost; changes nothing
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Files of distances or judgements; `-` is stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    kernels: KernelFlags,
}

/// One file, as `--json` tells it.
#[derive(Debug, Serialize)]
struct Checked {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    layout: Option<String>,
    #[serde(flatten)]
    report: CheckReport,
    assumptions: Vec<String>,
}

impl Checked {
    fn in_words(&self) -> String {
        format!("{}: {}", self.file, self.report.in_words(self.layout.as_deref()))
    }
}

impl Check {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let mut files = Vec::new();
        let mut loaded: Vec<Loaded> = Vec::new();
        for file in &self.reading.files(&self.files, context)? {
            let one = input::load(file, context)?;
            let mut report = check(&one.evidence, &context.run(), context.memory)?;
            report.warnings.extend(one.warnings.iter().cloned());
            files.push(Checked {
                file: file.path.clone(),
                layout: Some(one.kind).map(|k: FileKind| k.to_string()),
                report,
                assumptions: one.assumptions.clone(),
            });
            loaded.push(one);
        }
        let kinds = loaded.iter().map(|one| one.evidence.kind());
        let beside = !self.kernels.kernels.is_empty() || self.reading.classes.is_some();
        if beside || kinds.clone().any(|kind| kind != loaded[0].evidence.kind()) {
            return self.parts(&files, loaded, context);
        }
        let together = match loaded.len() {
            1 => None,
            _ => self.together(&loaded, context)?,
        };
        if context.json {
            match (files.as_slice(), &together) {
                ([one], _) => output::json_to_stdout(one)?,
                (many, None) => output::json_to_stdout(&serde_json::json!({ "files": many }))?,
                (many, Some(all)) => output::json_to_stdout(&serde_json::json!({ "files": many, "together": all }))?,
            }
        } else {
            let text: String = files.iter().chain(&together).map(Checked::in_words).collect::<Vec<_>>().join("\n");
            output::words_to_stdout(&text)?;
        }
        Ok(Outcome::Good)
    }

    /// Evidence of several kinds: each by itself, and what the methods cost that take them together.
    fn parts(&self, files: &[Checked], loaded: Vec<Loaded>, context: &Context) -> Result<Outcome> {
        let study = if self.kernels.kernels.is_empty() && self.reading.classes.is_none() {
            joined(self.files.iter().map(|f| input::path_of(f)).zip(loaded).collect(), &mut |_| {})?
        } else {
            input::read_with(&self.files, &self.kernels.kernels, &self.reading, &context.quietly())?.study
        };
        let all = together(&study, context.memory);
        if context.json {
            output::json_to_stdout(&serde_json::json!({ "files": files, "together": all }))?;
        } else {
            let each = files.iter().map(Checked::in_words).chain([all.in_words()]);
            output::words_to_stdout(&each.collect::<Vec<_>>().join("\n"))?;
        }
        Ok(Outcome::Good)
    }

    /// The files as `embed` would take them; `None`, said, when they are not of the same objects.
    fn together(&self, loaded: &[Loaded], context: &Context) -> Result<Option<Checked>> {
        let files: Vec<(&str, Loaded)> =
            self.files.iter().map(|f| input::path_of(f)).zip(loaded.iter().cloned()).collect();
        match joined(files, &mut |_| {}) {
            Ok(study) => {
                let Some(evidence) = study.main() else { return Ok(None) };
                let mut report = check(evidence, &context.run(), context.memory)?;
                report.methods = alone(&study, context.memory);
                let file = format!("all {} files together", loaded.len());
                Ok(Some(Checked { file, layout: None, report, assumptions: Vec::new() }))
            }
            Err(e) => {
                context.note(&format!("the files cannot be mapped together: {e}"));
                Ok(None)
            }
        }
    }
}
