//! `nearer check`: what is in a file, before anything is made of it.

use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use nearer::EvidenceKind;
use nearer::check::{CheckReport, check};
use nearer::error::bytes;
use nearer::io::{FileKind, Loaded};
use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::input::{self, Reading};
use crate::output;

/// What is in a file, what contradicts what, and what it will cost; changes nothing
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Files of distances; `-` is stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    #[command(flatten)]
    reading: Reading,
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

impl Check {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let options = self.reading.options(context)?;
        let mut files = Vec::new();
        let mut loaded: Vec<Loaded> = Vec::new();
        for file in &self.files {
            let one = input::load(file, &options, context)?;
            let mut report = check(&one.evidence, &context.run(), context.memory)?;
            report.warnings.extend(one.warnings.iter().cloned());
            files.push(Checked {
                file: file.clone(),
                layout: Some(one.kind).map(|k: FileKind| k.to_string()),
                report,
                assumptions: one.assumptions.clone(),
            });
            loaded.push(one);
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
            let text: String = files.iter().chain(&together).map(in_words).collect::<Vec<_>>().join("\n");
            output::to_stdout(|w| Ok(w.write_all(text.as_bytes())?))?;
        }
        Ok(Outcome::Good)
    }

    /// The files as `embed` would take them; `None`, said, when they are not of the same objects.
    fn together(&self, loaded: &[Loaded], context: &Context) -> Result<Option<Checked>> {
        match input::together(&self.files, loaded) {
            Ok((evidence, _)) => {
                let report = check(&evidence, &context.run(), context.memory)?;
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

fn in_words(checked: &Checked) -> String {
    let r = &checked.report;
    let mut text = match &checked.layout {
        Some(layout) => format!("{}: {} ({layout})\n", checked.file, r.kind),
        None => format!("{}: {}\n", checked.file, r.kind),
    };
    let mut line = |name: &str, what: String| {
        let _ = writeln!(text, "  {name:<12} {what}");
    };
    line("objects", r.objects.to_string());
    if let Some(columns) = r.columns {
        line("columns", format!("{columns}, of which {} have a row of their own", r.landmarks.unwrap_or(0)));
    }
    let share = if r.pairs > 0 { 100.0 * r.missing as f64 / r.pairs as f64 } else { 0.0 };
    let cells = if r.kind == EvidenceKind::Rows { "cells" } else { "pairs" };
    line(cells, format!("{}, {} missing ({share:.1} %)", r.pairs, r.missing));
    for (name, count) in [("censored", r.censored), ("repeated", r.repeated)] {
        if let Some(count) = count.filter(|c| *c > 0) {
            line(name, format!("{count} pairs"));
        }
    }
    if r.unseen > 0 {
        line("unseen", format!("{} objects without a distance: {}", r.unseen, r.unseen_labels.join(", ")));
    }
    if let Some([a, b]) = &r.zero {
        line("zeros", format!("{} between different objects, as `{a}` and `{b}`", r.zeros));
    }
    for (name, named) in [("smallest", &r.smallest), ("largest", &r.largest)] {
        if let Some(n) = named {
            line(name, format!("{}, `{}` to `{}`", n.distance, n.between[0], n.between[1]));
        }
    }
    if let Some(t) = &r.triangles {
        let tried = if t.exact { format!("all {}", t.tried) } else { format!("a sample of {}", t.tried) };
        line("triangles", format!("{} of {tried} have a side longer than the other two together", t.violations));
        if let Some(w) = &t.worst {
            let [a, b] = &w.between;
            line("", format!("worst: `{a}` to `{b}` is {}, but {} through `{}`", w.direct, w.detour, w.through));
        }
    }
    if let Some(e) = &r.euclidean {
        line(
            "Euclidean",
            if e.holds {
                format!("yes; {} dimensions carry 95 %", e.dims95)
            } else {
                format!(
                    "no: {} negative eigenvalues, the least {:.3} of the largest; {} dimensions carry 95 % of the rest",
                    e.negative, e.least_share, e.dims95
                )
            },
        );
    }
    for (k, group) in r.groups.iter().take(5).enumerate() {
        let name = if k == 0 { "groups apart" } else { "" };
        line(name, format!("{} objects: {} …", group.objects, group.first.join(", ")));
    }
    for (k, cost) in r.methods.iter().enumerate() {
        let fits = if cost.fits == Some(false) { "TOO MUCH, " } else { "" };
        line(
            if k == 0 { "cost" } else { "" },
            format!("{:<15} {fits}{} of memory; {}", cost.method, bytes(cost.memory), cost.cost),
        );
    }
    if let Some(s) = &r.suggested {
        line("begin with", format!("{}: {}", s.method, s.why));
    }
    for warning in &r.warnings {
        line("warning", warning.clone());
    }
    text
}
