//! Features beside judgements: `--kernel`, and what tunes it.

use anyhow::Result;
use clap::{Args, ValueEnum};
use nearer::evaluate::By;
use nearer::evidence::KernelSpec;
use nearer::method::{Chosen, TuneBy, Tuner};
use nearer::report::Tuning;
use nearer::{Settings, Step, Study};

use crate::context::Context;
use crate::progress::Watcher;

/// What is known about the objects themselves.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Features")]
pub(crate) struct KernelFlags {
    /// A kernel over features, for methods that learn a map as a function of them: [NAME=]KIND[,PARAMETER=VALUE…]:FILE[#COLUMNS].
    /// KIND: linear, polynomial (degree, scale, offset), rbf, laplacian, chi-square (width, as 2 or 0.5median), cosine,
    /// intersection, precomputed (clip); each takes centre (yes unless no), normalise, standardise. NAME=sum:A+B and
    /// NAME=product:A*B join kernels named before. May be given several times
    #[arg(long = "kernel", value_name = "KERNEL")]
    pub(crate) kernels: Vec<KernelSpec>,
}

/// How settings are chosen.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Features")]
pub(crate) struct TuneFlags {
    /// Choose settings, as far as not given, by what they predict or how few dimensions they need: kernel width, slack and trace with
    /// features; without them slack, link, precision, alpha and mu, as far as the method has them
    #[arg(long, value_name = "BY", value_enum)]
    tune: Option<Tune>,
    /// How many times something is held out to tune
    #[arg(long, default_value_t = 3, value_name = "N", requires = "tune", value_parser = clap::value_parser!(u32).range(2..))]
    folds: u32,
}

/// What settings are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Tune {
    /// Agreement with answers held out as they come
    Rows,
    /// Agreement with all answers to questions held out
    Queries,
    /// Agreement with people held out
    Participant,
    /// Agreement about objects held out and placed by their features
    Object,
    /// The share of the variance in the dimensions of the map
    Spectrum,
}

impl TuneFlags {
    /// Chooses what is to be chosen by the evidence, and takes it: a study with other kernels, and other settings.
    pub(crate) fn tuned(
        &self,
        given: &Study,
        suited: &mut Study,
        chosen: &mut Chosen,
        context: &Context,
    ) -> Result<Option<Tuning>> {
        let Some(by) = self.tune else { return Ok(None) };
        let tuner = Tuner {
            chosen: chosen.clone(),
            study: suited,
            asked: suited.kernels().is_some().then_some(given),
            by: by.into(),
            folds: self.folds as usize,
        };
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let tuned = tuner.tuned(&context.run().watched(&watch), &mut |line| context.note(line))?;
        chosen.settings = tuned.settings;
        *suited = tuned.study;
        let best = &tuned.tuning.tried[tuned.tuning.taken];
        context.note(&format!(
            "tuned: {} ({} {:.4}, the best of {}; that figure is chosen, so a little too good)",
            in_words(&best.settings),
            tuned.tuning.score_is,
            best.score,
            tuned.tuning.tried.len()
        ));
        Ok(Some(tuned.tuning))
    }
}

/// What was tuned; a width is a factor.
fn in_words(settings: &Settings) -> String {
    let one =
        |(name, value): (&str, &nearer::Value)| format!("{name} {value}{}", if name == "width" { " x" } else { "" });
    settings.iter().map(one).collect::<Vec<_>>().join(", ")
}

impl From<Tune> for TuneBy {
    fn from(by: Tune) -> Self {
        match by {
            Tune::Rows => TuneBy::HeldOut(By::Rows),
            Tune::Queries => TuneBy::HeldOut(By::Queries),
            Tune::Participant => TuneBy::HeldOut(By::Participant),
            Tune::Object => TuneBy::Object,
            Tune::Spectrum => TuneBy::Spectrum,
        }
    }
}
