//! A map against comparisons or pairs, and against judgements it was not made from.

use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;
use nearer::evaluate::{
    By, HoldPairs, JudgementOptions, compare, held_out, held_out_objects, held_out_pairs, judgements, pair_judgements,
};
use nearer::evidence::Kernels;
use nearer::io::Outbox;
use nearer::model::Model;
use nearer::report::{HeldOut, JudgementEvaluation, Procrustes};
use nearer::{Comparisons, Error, Evidence, Objects, Pairs, Place, Run, Step};

use super::Eval;
use crate::choose::Chosen;
use crate::command::plot::chosen;
use crate::command::tune::{placed, placed_of_query};
use crate::command::words_of_judgements as words;
use crate::context::{Context, Outcome};
use crate::input::{MapFile, Read};
use crate::output::{self, Output, Role};
use crate::progress::Watcher;

/// What is held out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HoldOut {
    /// Answers as they come; the same question may be asked in training and in testing, as in published tables
    Rows,
    /// All answers to a question
    Queries,
    /// Everything a participant said
    Participant,
    /// Everything about an object, which is then placed from half of it
    Object,
}

impl HoldOut {
    /// What stays together, where it is answers; nothing for objects.
    fn by(self) -> Option<By> {
        match self {
            HoldOut::Rows => Some(By::Rows),
            HoldOut::Queries => Some(By::Queries),
            HoldOut::Participant => Some(By::Participant),
            HoldOut::Object => None,
        }
    }
}

impl Eval {
    /// The whole evaluation against judgements.
    pub(super) fn of_judgements(
        &self,
        files: &[Output],
        map: &MapFile,
        other: Option<&MapFile>,
        read: &Read,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<Outcome> {
        self.refuse_what_needs_distances(read)?;
        let (options, run) = (JudgementOptions::default(), context.run());
        let mut e = match &read.evidence {
            Evidence::Comparisons(c) => judgements(&map.embedding, c, &options, &run)?,
            Evidence::Pairs(pairs) => pair_judgements(&map.embedding, pairs, &options, &run)?,
            other => bail!("{} are no judgements", other.kind()),
        };
        e.method = map.report.as_ref().map(|report| report.method.clone());
        if let Some(other) = other {
            e.procrustes = Some(Procrustes::from(&compare(&map.embedding, &other.embedding, true)?));
        }
        if let Some(what) = self.held_out {
            e.held_out = Some(self.held_out(what, map, read, parameters, context)?);
        }
        let mut outbox = Outbox::new();
        for o in files {
            let bytes = match o.role {
                Role::Report => {
                    let mut text = Vec::new();
                    output::write_json(&mut text, &e)?;
                    text
                }
                _ => per_object(&e)?,
            };
            output::put(&mut outbox, o, &bytes)?;
        }
        output::stdout_then_files(outbox, files, context, || {
            if context.json {
                output::json_to_stdout(&e)
            } else {
                let text = words::of_judgements(&e);
                output::words_to_stdout(&text)
            }
        })?;
        Ok(Outcome::Good)
    }

    fn refuse_what_needs_distances(&self, read: &Read) -> Result<()> {
        let asked = [
            (self.ordinal, "--ordinal"),
            (self.dimensions.is_some(), "--dimensions"),
            (self.jackknife, "--jackknife"),
            (self.bootstrap.is_some(), "--bootstrap"),
            (!self.shepard.is_empty(), "--shepard"),
        ];
        if let Some((_, flag)) = asked.iter().find(|(given, _)| *given) {
            bail!("{flag} needs distances, and {} holds {}; leave it out", self.files[0], read.evidence.kind());
        }
        Ok(())
    }

    fn held_out(
        &self,
        what: HoldOut,
        map: &MapFile,
        read: &Read,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<HeldOut> {
        let kernels = if self.kernels.are_given(read) {
            Some(self.kernels.kernels(read.evidence.objects(), read, context)?)
        } else {
            None
        };
        let mut found = match &read.evidence {
            Evidence::Comparisons(c) => self.of_comparisons(what, c, kernels, map, read, parameters, context)?,
            Evidence::Pairs(p) => self.of_pairs(what, p, kernels, map, read, parameters, context)?,
            other => bail!("--held-out takes comparisons or pairs, and {} holds {}", self.files[0], other.kind()),
        };
        found.0.method = Some(found.1.into());
        Ok(found.0)
    }

    #[allow(clippy::too_many_arguments)]
    fn of_comparisons(
        &self,
        what: HoldOut,
        comparisons: &Comparisons,
        kernels: Option<Kernels>,
        map: &MapFile,
        read: &Read,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<(HeldOut, &'static str)> {
        let evidence = |c: &Comparisons| -> Result<Evidence, Error> {
            Ok(match &kernels {
                Some(k) => Evidence::KernelComparisons(k.restricted(c.objects())?, c.clone()),
                None => Evidence::Comparisons(c.clone()),
            })
        };
        let chosen = self.again(evidence(comparisons)?, map, read, parameters, context)?;
        let fit = |c: &Comparisons, run: &Run<'_>| chosen.method.fit(&chosen.settings, &evidence(c)?, run);
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let (run, folds) = (context.run().watched(&watch), self.folds as usize);
        let found = match what.by() {
            Some(by) => held_out(comparisons, by, folds, fit, &run)?,
            None => {
                let place = |model: &Model, query: &Comparisons| match &kernels {
                    Some(k) => placed_of_query(k, model, query),
                    None => model.place(query),
                };
                held_out_objects(comparisons, folds, fit, place, &run)?
            }
        };
        Ok((found, chosen.method.name))
    }

    #[allow(clippy::too_many_arguments)]
    fn of_pairs(
        &self,
        what: HoldOut,
        pairs: &Pairs,
        kernels: Option<Kernels>,
        map: &MapFile,
        read: &Read,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<(HeldOut, &'static str)> {
        let evidence = |p: &Pairs| -> Result<Evidence, Error> {
            Ok(match &kernels {
                Some(k) => Evidence::KernelPairs(k.restricted(p.objects())?, p.clone()),
                None => Evidence::Pairs(p.clone()),
            })
        };
        let chosen = self.again(evidence(pairs)?, map, read, parameters, context)?;
        let fit = |p: &Pairs, run: &Run<'_>| chosen.method.fit(&chosen.settings, &evidence(p)?, run);
        let place = |model: &Model, asked: &Objects| match &kernels {
            Some(k) => placed(k, model, asked),
            None => Err(Error::Evidence {
                what: "without features nothing is known about pairs held out with their objects".into(),
                remedy: "hold out rows, or give features with --kernel".into(),
            }),
        };
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let run = context.run().watched(&watch);
        let hold = what.by().map_or(HoldPairs::Object, HoldPairs::Rows);
        Ok((held_out_pairs(pairs, hold, self.folds as usize, fit, place, &run)?, chosen.method.name))
    }

    /// The method that fits again, chosen for the evidence as it will be fitted.
    fn again(
        &self,
        evidence: Evidence,
        map: &MapFile,
        read: &Read,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<Chosen> {
        let read = Read {
            evidence,
            measurements: None,
            features: Vec::new(),
            inputs: read.inputs.clone(),
            seconds: read.seconds,
        };
        chosen(self.method.as_deref(), map, &read, parameters, context)
    }
}

/// How the judgements about each object fare.
fn per_object(e: &JudgementEvaluation) -> Result<Vec<u8>> {
    let mut w = csv::Writer::from_writer(Vec::new());
    w.write_record(["label", "rows", "satisfied", "share"])?;
    for o in &e.per_object {
        let share = if o.rows > 0 { (o.satisfied as f64 / o.rows as f64).to_string() } else { String::new() };
        w.write_record([o.label.as_str(), &o.rows.to_string(), &o.satisfied.to_string(), &share])?;
    }
    w.into_inner().map_err(|e| anyhow!("a table could not be written: {e}"))
}
