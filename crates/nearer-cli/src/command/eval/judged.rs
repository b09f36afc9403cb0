//! A map against comparisons or pairs, and against judgements it was not made from.

use anyhow::{Result, bail};
use nearer::evaluate::{bootstrap_judgements, compare};
use nearer::io::Outbox;
use nearer::report::{DimensionAgreement, JudgementEvaluation, LineFigure, MeanShare, Procrustes, StabilitySummary};
use nearer::show::Seen;
use nearer::{Run, Step, Study};

use super::{Beside, Dimensions, Eval};
use crate::choose;
use crate::command::held_out::held;
use crate::command::plot::chosen;
use crate::command::tables;
use crate::context::{Context, Outcome};
use crate::input::MapFile;
use crate::output::{self, Output, Picture, Role};
use crate::progress::Watcher;

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
        let judged = study.main().map(|judged| Seen::from(map).agreement(judged, &context.run())).transpose()?;
        let Some(mut e) = judged.flatten() else { bail!("{} holds no judgements", self.files[0]) };
        if let Some(other) = other {
            e.procrustes = Some(Procrustes::from(&compare(&map.embedding, &other.embedding, true)?));
        }
        e.held_out = self.held_out.of(self.method.as_deref(), map, study, parameters, context)?;
        self.fitted_again(&mut e, map, study, parameters, context)?;
        let classes = self.classes_beside(map, study, parameters, context)?;
        let mut outbox = Outbox::new();
        for o in files {
            let bytes = match o.role {
                Role::Report => {
                    let mut text = Vec::new();
                    output::write_json(&mut text, &Beside { of: &e, classes: classes.as_ref() })?;
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
                output::json_to_stdout(&Beside { of: &e, classes: classes.as_ref() })
            } else {
                let text = tables::of_judgements(&e) + &classes.as_ref().map_or(String::new(), tables::of_classes);
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
        if let Some(Dimensions(dims)) = &self.dimensions {
            e.by_dimension = Some(self.held_out.by_dimension(dims, &chosen, (study, &suited), &run)?);
        }
        if let Some(replicates) = self.bootstrap {
            let fit = |s: &Study, run: &Run<'_>| chosen.fit(s, run);
            let stability = bootstrap_judgements(&suited, &map.embedding, fit, replicates as usize, &run)?;
            e.stability = Some(StabilitySummary::from(&stability));
        }
        Ok(())
    }

    /// The agreement against the number of dimensions.
    fn agreement_figure(&self, e: &JudgementEvaluation, picture: Picture) -> Result<Vec<u8>> {
        let points = e.by_dimension.as_deref().unwrap_or_default();
        // What was held out tells more than what was fitted.
        let likely = !points.is_empty() && points.iter().all(|p| p.log_likelihood.is_some());
        let (value, name): (fn(&DimensionAgreement) -> f64, &str) = if likely {
            (|p| p.log_likelihood.map_or(0.0, |l| l.mean), "log-likelihood held out")
        } else {
            (|p| p.held_out.map_or(p.agreement, |h| h.mean), "agreement")
        };
        let line = points.iter().map(|p| (p.dim as f64, value(p))).collect::<Vec<(f64, f64)>>();
        let figure = LineFigure::new(line).axis_names("dimensions", name).mark(e.dim as f64);
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
}

/// The agreement dimension by dimension.
fn by_dimension(e: &JudgementEvaluation) -> Result<Vec<u8>> {
    let mut w = csv::Writer::from_writer(Vec::new());
    w.write_record(["dim", "agreement", "held_out", "standard_error", "log_likelihood", "its_standard_error"])?;
    for p in e.by_dimension.iter().flatten() {
        let told = |v: Option<f64>| v.map_or_else(String::new, |v| v.to_string());
        let both = |m: Option<MeanShare>| [told(m.map(|m| m.mean)), told(m.and_then(|m| m.standard_error))];
        let cells = [p.dim.to_string(), p.agreement.to_string()].into_iter();
        w.write_record(cells.chain(both(p.held_out)).chain(both(p.log_likelihood)))?;
    }
    tables::finish(w)
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
    tables::finish(w)
}
