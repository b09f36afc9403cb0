//! Judgements that a map was not made from: what `eval` and `report` hold out, and in how many dimensions.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use nearer::evaluate::{Beside, By, Folds, Hold, HoldOut, agreement_by_dimension};
use nearer::method::table::{Method, find};
use nearer::method::{Chosen, at_unit_variance};
use nearer::report::{DimensionAgreement, Fold, HeldOut, HeldOutFold};
use nearer::{Evidence, Run, Step, Study};

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
    held_out: Option<HeldOutOf>,
    /// How many times: each judgement is held out once; 5, or as many as there are to hold out where these are fewer
    #[arg(long, value_name = "N", requires = "held_out", value_parser = clap::value_parser!(u32).range(2..))]
    folds: Option<u32>,
}

/// What is held out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HeldOutOf {
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

impl From<HeldOutOf> for Hold {
    fn from(what: HeldOutOf) -> Self {
        match what {
            HeldOutOf::Rows => Hold::Rows(By::Rows),
            HeldOutOf::Queries => Hold::Rows(By::Queries),
            HeldOutOf::Participant => Hold::Rows(By::Participant),
            HeldOutOf::Object => Hold::Object,
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
        self.held_out == Some(HeldOutOf::Object)
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
        let ways = named.map(find).transpose()?.map_or(Vec::new(), Method::takes);
        let Some(judged @ (Evidence::Comparisons(_) | Evidence::Pairs(_))) = study.main() else {
            bail!("--held-out takes comparisons or pairs, and there are {}", held(study));
        };
        let (beside, notes) = Beside::of(study, &ways)?;
        notes.iter().for_each(|n| input::note(n, context));
        let chosen = chosen(method, map, &beside.with(judged.clone())?, parameters, context)?;
        let unit_variance = at_unit_variance(&chosen.settings);
        let hold = HoldOut { what: what.into(), folds: self.folds(), beside: &beside, unit_variance };
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let run = context.run().watched(&watch);
        let mut found = hold.tested(judged, |part, run| chosen.fit_part(part, run), &run)?;
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
        let what = self.held_out.filter(|what| *what != HeldOutOf::Object);
        if let (Some(what), Evidence::Comparisons(_), []) = (what, judged, study.features()) {
            let what = what.into();
            let hold = HoldOut { what, folds: self.folds(), beside: &Beside::Nothing, unit_variance: false };
            for point in &mut points {
                let chosen = chosen.in_dimensions(point.dim);
                let found = hold.tested(judged, |part, run| chosen.fit_part(part, run), run)?;
                (point.held_out, point.log_likelihood) = (Some(found.test), found.log_likelihood);
                let fold = |f: &Fold| HeldOutFold { agreement: f.test, log_likelihood: f.log_likelihood };
                point.folds = found.folds.iter().map(fold).collect();
            }
        }
        Ok(points)
    }
}

/// What the files hold, in a word.
pub(super) fn held(study: &Study) -> String {
    study.parts().first().map_or("nothing".into(), ToString::to_string)
}
