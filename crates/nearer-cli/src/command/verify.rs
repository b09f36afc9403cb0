//! `nearer verify`: a written certificate, checked again by a path that shares nothing with what made it.

use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use nearer::evidence::Part;
use nearer::io::{InputFile, load_certificate};
use nearer::method::Chosen;
use nearer::method::table::{Method, find};
use nearer::program::{Sense, safe, value};
use nearer::verify::{AGREE, About, HOLDS, Verdict, verify};
use serde::Serialize;

use crate::choose;
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
        let file = load_certificate(&context.source(&self.certificate))?;
        let read = input::read_with(&self.files, &self.kernels.kernels, &self.reading, context)?;
        let read = input::classed(read, &self.reading, self.metadata.as_deref(), context)?;
        // Evidence that a method does not take as it is was turned with the seed of that run.
        let context = &context.with_seed(file.claim.seed);
        // Without the features that a map was made of there is nothing to suit: the check itself says what is missing.
        let spanned = |method: &Method| method.takes().iter().all(|way| way.contains(&Part::Kernels));
        let bare = !read.study.can_have_kernels();
        let study = match find(&file.claim.method) {
            Ok(method) if bare && spanned(method) => read.study,
            Ok(method) => choose::suited(&read.study, &Chosen::recorded(method, file.claim.settings.clone()), context)?,
            Err(_) => read.study,
        };
        let Some(about) = About::of(&study) else { bail!("no evidence is given") };
        let started = Instant::now();
        let verdict = verify(&file, about)?;
        let seconds = started.elapsed().as_secs_f64();
        let told = Told { verdict: &verdict, certificate: &self.certificate, inputs: &read.inputs, seconds };
        if verdict.accepted {
            context.notes(in_words(&self.certificate, &verdict));
        } else {
            // Also where nobody wants to hear of success: a failure has its reason.
            in_words(&self.certificate, &verdict).iter().for_each(|line| say(line));
        }
        if context.json {
            output::json_to_stdout(&told)?;
        }
        Ok(if verdict.accepted { Outcome::Good } else { Outcome::Refused })
    }
}

fn in_words(name: &str, verdict: &Verdict) -> Vec<String> {
    if !verdict.accepted {
        let reasons: Vec<&str> = verdict.reasons.iter().map(|r| r.what.as_str()).collect();
        return vec![format!("{name}: rejected: {}", reasons.join("; "))];
    }
    let mut lines = Vec::new();
    if let Some(found) = &verdict.found {
        let side = if verdict.claimed.sense == Sense::Minimise { "below" } else { "above" };
        let settings: Vec<String> = verdict.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let with = if settings.is_empty() { String::new() } else { format!(", {}", settings.join(", ")) };
        let of = if verdict.covered == verdict.objects {
            format!("{} objects", verdict.objects)
        } else {
            format!("{} of {} objects, those that hang together", verdict.covered, verdict.objects)
        };
        lines.push(format!(
            "{name}: accepted: {} of {of}{with}; {} has an objective {side} {}, the solution has {}, gap {:.1e}",
            verdict.method,
            verdict.about,
            safe(found.bound, verdict.claimed.sense),
            value(found.primal),
            found.gap
        ));
        lines.push(format!(
            "both were computed anew and agree with the claim to {AGREE:.0e} of their size; how and with which seed the claim was made is not checked"
        ));
        if !found.feasible {
            lines.push(format!(
                "note: the solution breaks a row that must hold by {:.1e}, less than {HOLDS:.0e} of the widest, and its objective \
                 is that of such a map",
                found.violation
            ));
        }
    }
    lines
}
