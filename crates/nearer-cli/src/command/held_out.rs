//! Judgements that a map was not made from: what `eval` and `report` hold out, and in how many dimensions.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use nearer::evaluate::{
    AsGiven, By, Folds, HoldPairs, Radii, agreement_by_dimension, held_out, held_out_objects, held_out_pairs,
    held_out_scored, log_likelihood,
};
use nearer::evidence::{Features, Kernels, Part};
use nearer::method::table::{Method, find};
use nearer::method::{Chosen, at_unit_variance, place_featured, place_queried};
use nearer::model::Model;
use nearer::report::{DimensionAgreement, HeldOut, HeldOutFold};
use nearer::{Comparisons, Error, Evidence, Fit, Objects, Pairs, Place, Run, Step, Study};

use super::plot::chosen;
use crate::context::Context;
use crate::input::{self, MapFile};
use crate::progress::Watcher;

/// What is left out of a fit to test it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Held out")]
pub(crate) struct HeldOutFlags {
    /// Fit without some of the judgements, and test on those: answers as they come, all answers to a question together,
    /// people, or objects that are then placed
    #[arg(long, value_name = "WHAT", value_enum)]
    held_out: Option<HoldOut>,
    /// How many times: each judgement is held out once; 5, or as many as there are to hold out where these are fewer
    #[arg(long, value_name = "N", requires = "held_out", value_parser = clap::value_parser!(u32).range(2..))]
    folds: Option<u32>,
}

/// What is held out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum HoldOut {
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

impl HeldOutFlags {
    /// Whether anything is to be held out.
    pub(crate) fn asked(&self) -> bool {
        self.held_out.is_some()
    }
    /// Whether it is objects, which learners of features are tested on.
    pub(super) fn objects(&self) -> bool {
        self.held_out == Some(HoldOut::Object)
    }
    /// How many times.
    pub(super) fn folds(&self) -> Folds {
        self.folds.map_or_else(Folds::default, |count| Folds::Exactly(count as usize))
    }

    /// What a fit of the rest says of what is held out, by the method asked for or that of the map.
    pub(super) fn of(
        &self,
        method: Option<&str>,
        map: &MapFile,
        study: &Study,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<Option<HeldOut>> {
        let Some(what) = self.held_out else { return Ok(None) };
        let named = method.or_else(|| map.report.as_ref().map(|r| r.method.as_str()));
        let beside = Beside::of(study, named.map(find).transpose()?, context)?;
        let folding = Folding { what, folds: self.folds(), beside, context };
        let chosen = chosen(method, map, &folding.known(study)?, parameters, context)?;
        let mut found = match study.main() {
            Some(Evidence::Comparisons(c)) => folding.comparisons(c, &chosen)?,
            Some(Evidence::Pairs(p)) => folding.pairs(p, &chosen)?,
            _ => bail!("--held-out takes comparisons or pairs, and there are {}", held(study)),
        };
        found.method = Some(chosen.method.name.into());
        Ok(Some(found))
    }

    /// The agreement in each number of dimensions, and that with comparisons held out where it is asked.
    pub(super) fn by_dimension(
        &self,
        dims: &[usize],
        chosen: &Chosen,
        (study, suited): (&Study, &Study),
        run: &Run<'_>,
    ) -> Result<Vec<DimensionAgreement>> {
        let Some(judged) = study.main() else { return Ok(Vec::new()) };
        let fit = |dim: usize, run: &Run<'_>| chosen.in_dimensions(dim).fit(suited, run);
        let mut points = agreement_by_dimension(dims.iter().copied(), fit, judged, run)?;
        // Of maps that are functions of features the folds need their kernels: held out at the dimension of the map alone.
        if let (Some(by), Evidence::Comparisons(c), []) =
            (self.held_out.and_then(HoldOut::by), judged, study.features())
        {
            for point in &mut points {
                let chosen = chosen.in_dimensions(point.dim);
                let fit =
                    |c: &Comparisons, run: &Run<'_>| chosen.fit(&settled(Study::from(c.clone()), &chosen, run)?, run);
                let found = held_out_scored(c, by, self.folds(), fit, likelihood, run)?;
                (point.held_out, point.log_likelihood) = (Some(found.test), found.log_likelihood);
                let fold =
                    |f: &nearer::report::Fold| HeldOutFold { agreement: f.test, log_likelihood: f.log_likelihood };
                point.folds = found.folds.iter().map(fold).collect();
            }
        }
        Ok(points)
    }
}

/// How something is held out.
struct Folding<'a> {
    what: HoldOut,
    folds: Folds,
    beside: Beside,
    context: &'a Context,
}

impl Folding<'_> {
    /// The judgements with what stands beside them, as the folds have them.
    fn known(&self, study: &Study) -> Result<Study> {
        Ok(match (study.main(), &self.beside) {
            (Some(main), Beside::Nothing) => Study::from(main.clone()),
            (Some(main), beside) => beside.with_part(main.clone(), &study.objects())?,
            (None, _) => study.clone(),
        })
    }

    fn comparisons(&self, comparisons: &Comparisons, chosen: &Chosen) -> Result<HeldOut> {
        let study = |c: &Comparisons| self.beside.with_part(c.clone(), c.objects());
        let fit = |c: &Comparisons, run: &Run<'_>| {
            self.beside.chosen(chosen, c.objects())?.fit(&settled(study(c)?, chosen, run)?, run)
        };
        let watcher = Watcher::new(self.context);
        let watch = |step: &Step| watcher.see(step);
        let run = self.context.run().watched(&watch);
        let mut found = match self.what.by() {
            Some(by) => held_out_scored(comparisons, by, self.folds, fit, likelihood, &run)?,
            None => {
                let place = |model: &Model, query: &Comparisons| match &self.beside {
                    Beside::Nothing => model.place(query),
                    Beside::Kernels(k) => place_queried(k, model, query),
                    Beside::Features(f) => model.place_tables(&[(None, &rows_of(f, query.objects())?)]),
                };
                held_out_objects(comparisons, self.folds, fit, place, &run)?
            }
        };
        if let Beside::Features(table) = &self.beside {
            let unit = at_unit_variance(&chosen.settings);
            let fit = |c: &Comparisons, _: &Run<'_>| AsGiven::fit(&rows_of(table, c.objects())?, unit);
            let place = |model: &AsGiven, query: &Comparisons| model.place(&rows_of(table, query.objects())?);
            let run = self.context.run();
            let beside = match self.what.by() {
                Some(by) => held_out(comparisons, by, self.folds, fit, &run)?,
                None => held_out_objects(comparisons, self.folds, fit, place, &run)?,
            };
            found.features = Some(beside.test);
        }
        Ok(found)
    }

    fn pairs(&self, pairs: &Pairs, chosen: &Chosen) -> Result<HeldOut> {
        let study = |p: &Pairs| self.beside.with_part(p.clone(), p.objects());
        let fit = |p: &Pairs, run: &Run<'_>| {
            self.beside.chosen(chosen, p.objects())?.fit(&settled(study(p)?, chosen, run)?, run)
        };
        let place = |model: &Model, asked: &Objects| match &self.beside {
            Beside::Kernels(k) => place_featured(k, model, asked),
            Beside::Features(f) => model.place_tables(&[(None, &rows_of(f, asked)?)]),
            Beside::Nothing => Err(Error::Evidence {
                what: "without features nothing is known about pairs held out with their objects".into(),
                remedy: "hold out rows, or give features with --kernel".into(),
            }),
        };
        let watcher = Watcher::new(self.context);
        let watch = |step: &Step| watcher.see(step);
        let run = self.context.run().watched(&watch);
        let hold = self.what.by().map_or(HoldPairs::Object, HoldPairs::Rows);
        let Beside::Features(table) = &self.beside else {
            return Ok(held_out_pairs(pairs, (hold, Radii::Own), self.folds, fit, place, &run)?);
        };
        let mut found = held_out_pairs(pairs, (hold, Radii::One), self.folds, fit, place, &run)?;
        let unit = at_unit_variance(&chosen.settings);
        let fit = |p: &Pairs, _: &Run<'_>| AsGiven::fit(&rows_of(table, p.objects())?, unit);
        let place = |model: &AsGiven, asked: &Objects| model.place(&rows_of(table, asked)?);
        let run = self.context.run();
        found.features = Some(held_out_pairs(pairs, (hold, Radii::One), self.folds, fit, place, &run)?.test);
        Ok(found)
    }
}

/// The likelihood of answers under a fit that did not see them.
fn likelihood(fit: &Fit<Model>, test: &Comparisons) -> Result<Option<f64>, Error> {
    log_likelihood(&fit.embedding, &fit.model, &fit.report, test)
}

/// The judgements of a fold as the method takes them: those that contradict each other settled.
fn settled(study: Study, chosen: &Chosen, run: &Run<'_>) -> Result<Study, Error> {
    Ok(chosen.suited(&study, run.seed())?.0)
}

/// What the files hold, in a word.
pub(super) fn held(study: &Study) -> String {
    study.parts().first().map_or("nothing".into(), ToString::to_string)
}

/// What is known of the objects beside their judgements: nothing, a table that the method learns from as it is, or kernels.
enum Beside {
    Nothing,
    Features(Features),
    Kernels(Kernels),
}

impl Beside {
    /// A table stays a table for a method that takes judgements with features, unless kernels are asked for.
    fn of(study: &Study, method: Option<&Method>, context: &Context) -> Result<Self> {
        let Some(main) = study.main().map(Evidence::kind).filter(|_| !study.features().is_empty()) else {
            return Ok(Beside::Nothing);
        };
        let learns = |m: &Method| m.ways.iter().any(|way| way.parts == [main, Part::Features]);
        if let ([(_, table)], [], true) = (study.features(), study.kernel_specs(), method.is_some_and(learns)) {
            return Ok(Beside::Features(table.clone()));
        }
        let (kernels, notes) = study.kernels_of(&study.objects())?;
        notes.iter().for_each(|n| input::note(n, context));
        Ok(Beside::Kernels(kernels))
    }
    /// The method for a fit to some objects.
    fn chosen(&self, chosen: &Chosen, objects: &Objects) -> Result<Chosen, Error> {
        match self {
            Beside::Features(table) => chosen.within(&rows_of(table, objects)?),
            Beside::Nothing | Beside::Kernels(_) => Ok(chosen.clone()),
        }
    }
    /// Judgements of some objects, with what is known of those.
    fn with_part(&self, part: impl Into<Evidence>, objects: &Objects) -> Result<Study, Error> {
        let study = Study::from(part.into());
        Ok(match self {
            Beside::Nothing => study,
            Beside::Features(table) => study.with(rows_of(table, objects)?),
            Beside::Kernels(k) => study.with(k.restricted(objects)?),
        })
    }
}

/// The rows of a table for some objects.
fn rows_of(table: &Features, objects: &Objects) -> Result<Features, Error> {
    let index = table.objects().index();
    let row = |label: &String| {
        index.get(label.as_str()).map(|i| i.index()).ok_or_else(|| Error::Evidence {
            what: format!("`{label}` is judged and has no features"),
            remedy: "give it a row of features, or leave its judgements out".into(),
        })
    };
    Ok(table.subset(&objects.labels().iter().map(row).collect::<Result<Vec<_>, _>>()?))
}
