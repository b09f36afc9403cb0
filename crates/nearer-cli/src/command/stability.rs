//! How steady a map is: made again from other data of the same kind, and drawn as ellipses.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use nearer::evaluate::{
    Laplace, Stability, Target, bootstrap, bootstrap_judgements, bootstrap_sorts, jackknife, laplace,
};
use nearer::geometry::Ellipse;
use nearer::method::Chosen;
use nearer::model::Model;
use nearer::report::StabilitySummary;
use nearer::show::Seen;
use nearer::text;
use nearer::{Distances, Embedding, Error, Fit, Part, Run, Step, Study};
use serde::Serialize;

use super::tables;
use crate::context::Context;
use crate::input::MapFile;
use crate::progress::Watcher;

/// The share of a normal cloud of replicates that an ellipse holds.
const LEVEL: f64 = 0.95;

/// Ellipses around the points.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Stability")]
pub(crate) struct Ellipses {
    /// Draw how sure the places are. laplace: by the curvature of the likelihood, at once (maps of comparisons by choice, ste, t-ste,
    /// ckl). Or where the objects lie when the map is made again: bootstrap draws the measurements (sources or assessors where there are
    /// several, else residuals) or the judgements (people where several are named, else answers) anew, jackknife leaves out one object at a time
    #[arg(long, value_enum, value_name = "HOW")]
    ellipses: Option<How>,
    /// How often the bootstrap makes the map again
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(3..=100_000))]
    replicates: u32,
}

/// What is varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum How {
    Laplace,
    Bootstrap,
    Jackknife,
}

impl<'a> From<&'a MapFile> for Seen<'a> {
    fn from(file: &'a MapFile) -> Self {
        Seen { map: &file.embedding, model: file.model.as_ref(), report: file.report.as_ref() }
    }
}

/// How steady a map is, as `--json` tells it, with the ellipses in the plane that is drawn.
#[derive(Debug, Serialize)]
pub(crate) struct Steadiness {
    #[serde(flatten)]
    summary: StabilitySummary,
    /// What was done and what the ellipses mean, in a sentence.
    #[serde(skip)]
    ellipses: Vec<Option<Ellipse>>,
}

impl Ellipses {
    /// Whether any are to be drawn.
    pub(crate) fn asked(&self) -> bool {
        self.ellipses.is_some()
    }

    /// Refuses, before the fit, what cannot be made again.
    pub(crate) fn possible(&self, study: &Study) -> Result<()> {
        let able = [Part::Distances, Part::Comparisons, Part::Pairs];
        if self.asked() && !able.iter().any(|part| study.has(*part)) {
            let held = study.parts().iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
            bail!(
                "--ellipses needs distances between all objects, comparisons or pairs, and there are {held}; leave --ellipses out"
            );
        }
        if self.ellipses == Some(How::Laplace) && !study.has(Part::Comparisons) {
            bail!(
                "--ellipses laplace needs comparisons, whose likelihood it is about; --ellipses bootstrap draws anew what there is"
            );
        }
        if self.ellipses == Some(How::Jackknife) && !study.has(Part::Distances) {
            bail!(
                "--ellipses jackknife needs distances between all objects; --ellipses bootstrap draws judgements anew"
            );
        }
        Ok(())
    }

    /// The ellipses of a map.
    pub(crate) fn around(
        &self,
        chosen: &Chosen,
        study: &Study,
        seen: Seen<'_>,
        axes: (usize, usize),
        context: &Context,
    ) -> Result<Option<Steadiness>> {
        self.possible(study)?;
        let Some(how) = self.ellipses else { return Ok(None) };
        if how == How::Laplace {
            return Ok(Some(Steadiness::by_curvature(&curved(study, seen, context)?, axes)));
        }
        let map = seen.map;
        let Some(data) = study.distances() else {
            let stability = judged(chosen, study, map, self.replicates as usize, context)?;
            return Ok(Some(Steadiness::new(&stability, axes)));
        };
        let again = Again { chosen, study, data, map, target: seen.target(false) };
        let stability = match how {
            How::Jackknife => again.jackknife(context)?,
            _ => again.bootstrap(self.replicates as usize, context)?,
        };
        Ok(Some(Steadiness::new(&stability, axes)))
    }
}

/// By the curvature of the likelihood that made the map.
fn curved(study: &Study, seen: Seen<'_>, context: &Context) -> Result<Laplace> {
    let (Some(model), Some(comparisons)) = (seen.model, study.comparisons()) else {
        bail!("--ellipses laplace needs the model of the map; give its .nearer file in place of the coordinates");
    };
    let lapses = seen.report.and_then(|r| r.lapses.as_ref());
    Ok(laplace(seen.map, model, lapses, comparisons, &context.run())?)
}

/// A map to be made again.
pub(super) struct Again<'a> {
    pub(super) chosen: &'a Chosen,
    pub(super) study: &'a Study,
    pub(super) data: &'a Distances,
    pub(super) map: &'a Embedding,
    pub(super) target: Target<'a>,
}

impl Again<'_> {
    fn fit(&self, data: &Distances, run: &Run<'_>) -> Result<Fit<Model>, Error> {
        self.chosen.method.fit(&self.chosen.settings, &Study::from(data.clone()), run)
    }
    /// From measurements drawn anew.
    pub(super) fn bootstrap(&self, replicates: usize, context: &Context) -> Result<Stability> {
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let (measurements, run) = (self.study.measurements(), context.run().watched(&watch));
        let fit = |d: &Distances, run: &Run<'_>| self.fit(d, run);
        if let Some(sorts) = self.study.sorts_behind() {
            return Ok(bootstrap_sorts(sorts, self.map, fit, self.target, replicates, &run)?);
        }
        Ok(bootstrap(measurements, self.data, self.map, fit, self.target, replicates, &run)?)
    }
    /// Without each object in turn.
    pub(super) fn jackknife(&self, context: &Context) -> Result<Stability> {
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let fit = |d: &Distances, run: &Run<'_>| self.fit(d, run);
        Ok(jackknife(self.data, fit, self.target, &context.run().watched(&watch))?)
    }
}

/// From judgements drawn anew: people where several are named, else answers.
fn judged(chosen: &Chosen, study: &Study, map: &Embedding, replicates: usize, context: &Context) -> Result<Stability> {
    let watcher = Watcher::new(context);
    let watch = |step: &Step| watcher.see(step);
    let run = context.run().watched(&watch);
    // In the dimensions of the map, also where these were chosen.
    let settings = chosen.settings.clone().with("dim", map.dim());
    let fit = |study: &Study, run: &Run<'_>| chosen.method.fit(&settings, study, run);
    Ok(bootstrap_judgements(study, map, fit, replicates, &run)?)
}

impl Steadiness {
    /// The figures of a stability, the ellipses in the plane of the axes that are drawn.
    fn new(s: &Stability, (x, y): (usize, usize)) -> Self {
        let flat = |positions: &[Vec<f64>]| {
            positions.iter().map(|p| Some([*p.get(x)?, *p.get(y)?])).collect::<Option<Vec<[f64; 2]>>>()
        };
        let ellipses: Vec<Option<Ellipse>> = s.points.iter().map(|p| Ellipse::of_points(&flat(p)?, LEVEL)).collect();
        Steadiness { summary: s.into(), ellipses }
    }

    /// The figures of a Laplace approximation.
    pub(super) fn by_curvature(s: &Laplace, axes: (usize, usize)) -> Self {
        Steadiness { summary: s.summary(), ellipses: s.ellipses(axes) }
    }

    /// The figures without the ellipses.
    pub(super) fn summary(&self) -> &StabilitySummary {
        &self.summary
    }

    /// One for each object of the map.
    pub(crate) fn ellipses(&self) -> &[Option<Ellipse>] {
        &self.ellipses
    }

    /// A sentence for a person.
    pub(crate) fn in_words(&self) -> String {
        text::sureness(&self.summary)
    }

    /// Where each object may lie, as a table: its ellipse in the plane that is drawn, and how far it strays in all.
    pub(crate) fn table(&self) -> Result<Vec<u8>> {
        let mut w = csv::Writer::from_writer(Vec::new());
        w.write_record(["label", "x", "y", "half_axis_1", "half_axis_2", "angle", "spread", "undetermined"])?;
        for (o, e) in self.summary.per_object.iter().zip(&self.ellipses) {
            let ellipse = e.map(|e| [e.centre[0], e.centre[1], e.half_axes[0], e.half_axes[1], e.angle.to_degrees()]);
            let mut cells = vec![o.label.clone()];
            cells.extend((0..5).map(|k| ellipse.map_or(String::new(), |e| e[k].to_string())));
            let open = self.summary.undetermined.contains(&o.label);
            cells.push(if open { String::new() } else { o.spread.to_string() });
            cells.push(if open { "yes" } else { "no" }.into());
            w.write_record(&cells)?;
        }
        tables::finish(w)
    }
}
