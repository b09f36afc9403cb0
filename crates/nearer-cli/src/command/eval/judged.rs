//! A map against comparisons or pairs, and against judgements it was not made from.

use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;
use nearer::evaluate::{By, JudgementOptions, compare, held_out, held_out_objects, judgements, pair_judgements};
use nearer::io::Outbox;
use nearer::model::Model;
use nearer::report::{HeldOut, JudgementEvaluation, Procrustes};
use nearer::{Comparisons, Evidence, Place, Run, Step};

use super::Eval;
use crate::command::plot::chosen;
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
                output::to_stdout(|w| Ok(w.write_all(text.as_bytes())?))
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
        let Evidence::Comparisons(comparisons) = &read.evidence else {
            bail!("--held-out takes comparisons, and {} holds {}; leave it out", self.files[0], read.evidence.kind());
        };
        let chosen = chosen(self.method.as_deref(), map, read, parameters, context)?;
        let fit = |c: &Comparisons, run: &Run<'_>| {
            chosen.method.fit(&chosen.settings, &Evidence::Comparisons(c.clone()), run)
        };
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let (run, folds) = (context.run().watched(&watch), self.folds as usize);
        let by = match what {
            HoldOut::Rows => By::Rows,
            HoldOut::Queries => By::Queries,
            HoldOut::Participant => By::Participant,
            HoldOut::Object => {
                let place = |model: &Model, query: &Comparisons| model.place(query);
                let mut found = held_out_objects(comparisons, folds, fit, place, &run)?;
                found.method = Some(chosen.method.name.into());
                return Ok(found);
            }
        };
        let mut found = held_out(comparisons, by, folds, fit, &run)?;
        found.method = Some(chosen.method.name.into());
        Ok(found)
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
