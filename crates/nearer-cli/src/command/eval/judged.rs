//! A map against comparisons or pairs, and against judgements it was not made from.

use anyhow::{Result, anyhow, bail};
use clap::ValueEnum;
use nearer::evaluate::{
    By, HoldPairs, JudgementOptions, agreement_by_dimension, bootstrap_judgements, compare, held_out, held_out_objects,
    held_out_pairs, judgements, pair_judgements,
};
use nearer::evidence::{ConvertOptions, Kernels};
use nearer::io::Outbox;
use nearer::method::{place_featured, place_queried};
use nearer::model::Model;
use nearer::report::{HeldOut, JudgementEvaluation, LineFigure, Procrustes, StabilitySummary};
use nearer::{Comparisons, Error, Evidence, Objects, Pairs, Place, Run, Step, Study};

use super::{Dimensions, Eval};
use crate::choose::{self, Chosen};
use crate::command::plot::chosen;
use crate::command::tables;
use crate::context::{Context, Outcome};
use crate::input::{self, MapFile};
use crate::output::{self, Output, Picture, Role};
use crate::progress::Watcher;

/// What is held out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HoldOut {
    /// Answers as they come; the same question may be asked in training and in testing, as in published tables
    Rows,
    /// All answers to a question
    #[value(alias = "questions")]
    Queries,
    /// Everything a participant said
    #[value(alias = "participants")]
    Participant,
    /// Everything about an object, which is then placed from half of it
    #[value(alias = "objects")]
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
        study: &Study,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<Outcome> {
        self.refuse_what_needs_distances(study)?;
        let (options, run) = (JudgementOptions::default(), context.run());
        let mut e = match study.main() {
            Some(Evidence::Comparisons(c)) => judgements(&map.embedding, c, &options, &run)?,
            Some(Evidence::Pairs(pairs)) => pair_judgements(&map.embedding, pairs, &options, &run)?,
            _ => bail!("{} holds no judgements", self.files[0]),
        };
        e.method = map.report.as_ref().map(|report| report.method.clone());
        if let Some(other) = other {
            e.procrustes = Some(Procrustes::from(&compare(&map.embedding, &other.embedding, true)?));
        }
        if let Some(what) = self.held_out {
            e.held_out = Some(self.held_out(what, map, study, parameters, context)?);
        }
        self.fitted_again(&mut e, map, study, parameters, context)?;
        let mut outbox = Outbox::new();
        for o in files {
            let bytes = match o.role {
                Role::Report => {
                    let mut text = Vec::new();
                    output::write_json(&mut text, &e)?;
                    text
                }
                Role::Figure(picture) => self.agreement_figure(&e, picture)?,
                _ if self.scree.contains(&o.path) => by_dimension(&e)?,
                _ => per_object(&e)?,
            };
            output::put(&mut outbox, o, &bytes)?;
        }
        output::stdout_then_files(outbox, files, context, || {
            if context.json {
                output::json_to_stdout(&e)
            } else {
                let text = tables::of_judgements(&e);
                output::words_to_stdout(&text)
            }
        })?;
        Ok(Outcome::Good)
    }

    /// What needs new fits of all the judgements: other dimensions, and judgements drawn anew.
    fn fitted_again(
        &self,
        e: &mut JudgementEvaluation,
        map: &MapFile,
        study: &Study,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<()> {
        if self.dimensions.is_none() && self.bootstrap.is_none() {
            return Ok(());
        }
        let chosen = chosen(self.method.as_deref(), map, study, parameters, context)?;
        let suited = choose::suited(study, &chosen, context)?;
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let run = context.run().watched(&watch);
        if let (Some(Dimensions(dims)), Some(judged)) = (&self.dimensions, study.main()) {
            let fit = |dim: usize, run: &Run<'_>| {
                let settings = chosen.settings.clone().with("dim", dim);
                chosen.method.fit(&settings, &suited, run)
            };
            let mut points = agreement_by_dimension(dims.iter().copied(), fit, judged, &run)?;
            // Of maps that are functions of features the folds need their kernels: held out at the dimension of the map alone.
            if let (Some(by), Evidence::Comparisons(c), []) =
                (self.held_out.and_then(HoldOut::by), judged, study.features())
            {
                for point in &mut points {
                    let settings = chosen.settings.clone().with("dim", point.dim);
                    let fit = |c: &Comparisons, run: &Run<'_>| {
                        chosen.method.fit(&settings, &settled(Study::from(c.clone()), &chosen)?, run)
                    };
                    point.held_out = Some(held_out(c, by, self.folds as usize, fit, &run)?.test);
                }
            }
            e.by_dimension = Some(points);
        }
        if let Some(replicates) = self.bootstrap {
            let fit = |s: &Study, run: &Run<'_>| chosen.method.fit(&chosen.settings, s, run);
            let stability = bootstrap_judgements(&suited, &map.embedding, fit, replicates as usize, &run)?;
            e.stability = Some(StabilitySummary::from(&stability));
        }
        Ok(())
    }

    /// The agreement against the number of dimensions.
    fn agreement_figure(&self, e: &JudgementEvaluation, picture: Picture) -> Result<Vec<u8>> {
        let points: Vec<(f64, f64)> = e.by_dimension.iter().flatten().map(|p| (p.dim as f64, p.agreement)).collect();
        let figure = LineFigure::new(points).axis_names("dimensions", "agreement").mark(e.dim as f64);
        Ok(match picture {
            Picture::Svg => figure.svg()?.into_bytes(),
            Picture::Png => figure.png(self.dpi)?,
            Picture::Pdf => figure.pdf()?,
        })
    }

    fn refuse_what_needs_distances(&self, study: &Study) -> Result<()> {
        let asked =
            [(self.ordinal, "--ordinal"), (self.jackknife, "--jackknife"), (!self.shepard.is_empty(), "--shepard")];
        if let Some((_, flag)) = asked.iter().find(|(given, _)| *given) {
            bail!("{flag} needs distances, and {} holds {}; leave it out", self.files[0], held(study));
        }
        Ok(())
    }

    fn held_out(
        &self,
        what: HoldOut,
        map: &MapFile,
        study: &Study,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<HeldOut> {
        let kernels = if study.features().is_empty() {
            None
        } else {
            let (kernels, notes) = study.kernels_of(&study.objects())?;
            notes.iter().for_each(|n| input::note(n, context));
            Some(kernels)
        };
        let mut found = match study.main() {
            Some(Evidence::Comparisons(c)) => self.of_comparisons(what, c, kernels, map, parameters, context)?,
            Some(Evidence::Pairs(p)) => self.of_pairs(what, p, kernels, map, parameters, context)?,
            _ => bail!("--held-out takes comparisons or pairs, and {} holds {}", self.files[0], held(study)),
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
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<(HeldOut, &'static str)> {
        let study = |c: &Comparisons| of_part(c.clone(), c.objects(), kernels.as_ref());
        let chosen = chosen(self.method.as_deref(), map, &study(comparisons)?, parameters, context)?;
        let fit =
            |c: &Comparisons, run: &Run<'_>| chosen.method.fit(&chosen.settings, &settled(study(c)?, &chosen)?, run);
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let (run, folds) = (context.run().watched(&watch), self.folds as usize);
        let found = match what.by() {
            Some(by) => held_out(comparisons, by, folds, fit, &run)?,
            None => {
                let place = |model: &Model, query: &Comparisons| match &kernels {
                    Some(k) => place_queried(k, model, query),
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
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<(HeldOut, &'static str)> {
        let study = |p: &Pairs| of_part(p.clone(), p.objects(), kernels.as_ref());
        let chosen = chosen(self.method.as_deref(), map, &study(pairs)?, parameters, context)?;
        let fit = |p: &Pairs, run: &Run<'_>| chosen.method.fit(&chosen.settings, &settled(study(p)?, &chosen)?, run);
        let place = |model: &Model, asked: &Objects| match &kernels {
            Some(k) => place_featured(k, model, asked),
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
}

/// The judgements of a fold as the method takes them: those that contradict each other settled.
fn settled(study: Study, Chosen { method, settings, .. }: &Chosen) -> Result<Study, Error> {
    Ok(study.suited(method.name, &method.takes_with(settings), &ConvertOptions::default())?.0)
}

/// What the files hold, in a word.
fn held(study: &Study) -> String {
    study.parts().first().map_or("nothing".into(), ToString::to_string)
}

/// Judgements of some objects, with the kernels of those.
fn of_part(part: impl Into<Evidence>, objects: &Objects, kernels: Option<&Kernels>) -> Result<Study, Error> {
    let study = Study::from(part.into());
    Ok(match kernels {
        Some(k) => study.with(k.restricted(objects)?),
        None => study,
    })
}

/// The agreement dimension by dimension.
fn by_dimension(e: &JudgementEvaluation) -> Result<Vec<u8>> {
    let mut w = csv::Writer::from_writer(Vec::new());
    w.write_record(["dim", "agreement", "held_out", "standard_error"])?;
    for p in e.by_dimension.iter().flatten() {
        let told = |v: Option<f64>| v.map_or_else(String::new, |v| v.to_string());
        let (held, error) = (p.held_out.map(|h| h.mean), p.held_out.and_then(|h| h.standard_error));
        w.write_record([p.dim.to_string(), p.agreement.to_string(), told(held), told(error)])?;
    }
    w.into_inner().map_err(|e| anyhow!("a table could not be written: {e}"))
}

/// How the judgements about each object fare.
fn per_object(e: &JudgementEvaluation) -> Result<Vec<u8>> {
    let mut w = csv::Writer::from_writer(Vec::new());
    let radii = e.pairs.is_some();
    let head = ["label", "rows", "satisfied", "share", "radius"];
    w.write_record(&head[..head.len() - usize::from(!radii)])?;
    for o in &e.per_object {
        let share = if o.rows > 0 { (o.satisfied as f64 / o.rows as f64).to_string() } else { String::new() };
        let mut cells = vec![o.label.clone(), o.rows.to_string(), o.satisfied.to_string(), share];
        cells.extend(radii.then(|| o.radius.map_or(String::new(), |r| r.to_string())));
        w.write_record(&cells)?;
    }
    w.into_inner().map_err(|e| anyhow!("a table could not be written: {e}"))
}
