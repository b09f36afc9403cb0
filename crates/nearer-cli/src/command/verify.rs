//! `nearer verify`: a written certificate, checked again by a path that shares nothing with what made it.

use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use nearer::io::{InputFile, load_certificate};
use nearer::method::as_claimed;
use nearer::verify::{Limits, Verdict, verify_study};
use serde::Serialize;

use crate::context::{Context, Outcome, say};
use crate::input::{self, Reading};
use crate::kernels::KernelFlags;
use crate::output;

/// Checks a certificate again, against the evidence and by an independent slow path
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 accepted, 1 rejected (the reasons are on stderr), 2 bad input.")]
pub(crate) struct Verify {
    /// The certificate, as `nearer embed … -o proof.cert` wrote it
    #[arg(value_name = "CERT")]
    certificate: String,
    /// The evidence it is about: the same files, read in the same way
    #[arg(required = true, value_name = "EVIDENCE")]
    files: Vec<String>,
    /// A table with a row for each object, of which --classes names the column of classes, where the map was made with it
    #[arg(long, value_name = "FILE")]
    metadata: Option<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    kernels: KernelFlags,
}

/// What a check comes to, as `--json` tells it.
#[derive(Debug, Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    verdict: &'a Verdict,
    certificate: &'a str,
    inputs: &'a [InputFile],
    seconds: f64,
}

impl Verify {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        if self.certificate == "-" && self.files.iter().any(|f| f == "-") {
            bail!("stdin (`-`) is given for the certificate and for the evidence; it can be read once");
        }
        // The clock of the limit runs from here: reading is part of the check.
        let clock = context.run().clock();
        let late = || clock.late();
        let limits = Limits::default().until(&late);
        let limits = context.memory.map_or(limits, |bytes| limits.memory(bytes));
        let file = load_certificate(&context.source(&self.certificate))?;
        let read = input::read_with(&self.files, &self.kernels.kernels, &self.reading, context)?;
        let read = input::classed(read, &self.reading, self.metadata.as_deref(), context)?;
        let claim = &file.claim;
        let (study, notes) = as_claimed(&read.study, &claim.method, &claim.settings, claim.seed)?;
        notes.iter().for_each(|n| input::note(n, context));
        let started = Instant::now();
        let verdict = verify_study(&file, &study, limits)?;
        let seconds = started.elapsed().as_secs_f64();
        let told = Told { verdict: &verdict, certificate: &self.certificate, inputs: &read.inputs, seconds };
        for (k, line) in verdict.lines().iter().enumerate() {
            let line = if k == 0 { format!("{}: {line}", self.certificate) } else { line.clone() };
            // Also where nobody wants to hear of success: a failure has its reason.
            if verdict.accepted { context.note(&line) } else { say(&line) }
        }
        if context.json {
            output::json_to_stdout(&told)?;
        }
        Ok(if verdict.accepted { Outcome::Good } else { Outcome::Refused })
    }
}
