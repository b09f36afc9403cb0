//! `nearer plot`: a figure of a map, fit for a paper.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use nearer::evaluate::{Target, stress};
use nearer::io::Outbox;
use nearer::method::Chosen;
use nearer::method::table::find;
use nearer::{Evidence, Study};

use super::links::Behind;
use super::stability::{Ellipses, Steadiness};
use crate::choose;
use crate::context::{Context, Outcome};
use crate::figures::{Beside, Look, stress_in_corner, with_sides};
use crate::input::{self, MapFile, Reading};
use crate::output::{self, Role};

/// A figure of a map: svg, png or pdf
#[derive(Debug, Args)]
pub(crate) struct Plot {
    /// A map (.csv .tsv .npy) or a model (.nearer)
    #[arg(value_name = "MAP")]
    map: String,
    /// The figure: .svg, .png or .pdf; may be given several times
    #[arg(long, short, required = true, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// What the map was made of: distances for ellipses and the stress of a map without a model, distances or features for --links,
    /// features to colour by; may be given several times
    #[arg(long, value_name = "FILE")]
    evidence: Vec<String>,
    /// The method that makes the maps behind the ellipses (default: that of the model)
    #[arg(long, short, value_name = "METHOD")]
    method: Option<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    ellipses: Ellipses,
    #[command(flatten)]
    look: Look,
}

impl Plot {
    pub(crate) fn run(&self, context: &Context, parameters: &[(&'static str, String)]) -> Result<Outcome> {
        let outputs = output::plan(&self.output)?;
        for o in &outputs {
            output::picture(&o.path)?;
        }
        if self.ellipses.asked() && self.evidence.is_empty() {
            bail!("--ellipses needs the distances behind the map; give them by --evidence FILE");
        }
        let map = input::read_map_file(&self.map, context)?;
        self.look.fits(map.embedding.dim())?;
        let read = match self.evidence.is_empty() {
            true => None,
            false => Some(input::read(&self.evidence, &self.reading, context)?),
        };
        let study = read.as_ref().map(|r| &r.study);
        let mut metadata = self.look.columns.read(map.embedding.objects(), study, context)?;
        let rows = map.report.as_ref().filter(|r| r.method == "unfolding").and_then(|r| r.figures.get("rows")?.count());
        if let Some(rows) = rows {
            metadata = with_sides(metadata, rows, map.embedding.len());
        }
        let mut corner = stress_in_corner(map.report.as_ref().and_then(|r| r.stress1));
        let mut steadiness = None;
        let mut links = Vec::new();
        if self.look.layers.links {
            let behind = Behind { map: &map.embedding, model: map.model.as_ref(), report: map.report.as_ref(), study };
            links = behind.links(true, context)?;
        }
        if let Some(study) = study {
            if let (None, Some(d)) = (&corner, study.distances()) {
                corner = stress_in_corner(Some(stress(&map.embedding, d, Target::Data)?.stress1));
            }
            if self.ellipses.asked() {
                let chosen = chosen(self.method.as_deref(), &map, study, parameters, context)?;
                let study = choose::suited(study, &chosen, context)?;
                steadiness = self.ellipses.around(&chosen, &study, (&map).into(), self.look.axes, context)?;
            }
        }
        context.notes(steadiness.iter().map(Steadiness::in_words));
        let look = map.report.as_ref().map_or_else(|| self.look.clone(), |r| self.look.of_fit(r, &metadata));
        let mut outbox = Outbox::new();
        let beside = Beside { ellipses: steadiness.as_ref().map(Steadiness::ellipses), links: &links, corner };
        for o in &outputs {
            if let Role::Figure(picture) = o.role {
                let bytes = look.draw(&map.embedding, &metadata, &beside, picture, context)?;
                output::put(&mut outbox, o, &bytes)?;
            }
        }
        if let Some(path) = &self.look.figure_data {
            let data = look.data(&map.embedding, &metadata, context)?;
            output::put(&mut outbox, &output::Output::new(path)?, &data)?;
        }
        output::stdout_then_files(outbox, &outputs, context, || {
            if context.json {
                output::json_to_stdout(
                    &serde_json::json!({ "objects": map.embedding.len(), "dim": map.embedding.dim(), "stability": steadiness }),
                )
            } else {
                Ok(())
            }
        })?;
        Ok(Outcome::Good)
    }
}

/// The method asked for, else that of the model with its parameters, else the suggested one, in the dimension of the map.
pub(super) fn chosen(
    name: Option<&str>,
    map: &MapFile,
    study: &Study,
    parameters: &[(&'static str, String)],
    context: &Context,
) -> Result<Chosen> {
    match (name, &map.report) {
        (None, Some(report)) => {
            let method = find(&report.method)?;
            let given = parameters.iter().map(|(name, value)| (*name, value.as_str()));
            let settings = method.revised(report.recorded()?, given)?;
            Ok(Chosen { method, settings, given: parameters.iter().map(|(name, _)| *name).collect() })
        }
        _ => {
            let dim = ("dim", map.embedding.dim().to_string());
            let all: Vec<_> = [dim].into_iter().chain(parameters.iter().cloned()).collect();
            choose::choose(name, study, &all, context)
        }
    }
}

/// Trees and sorts as what the method makes of them, beside all else that is known; anything else as it is.
pub(super) fn as_taken(
    name: Option<&str>,
    map: &MapFile,
    study: Study,
    parameters: &[(&'static str, String)],
    context: &Context,
) -> Result<Study> {
    if !matches!(study.main(), Some(Evidence::Taxonomy(_) | Evidence::Sorts(_))) {
        return Ok(study);
    }
    let chosen = chosen(name, map, &study, parameters, context)?;
    let taken = choose::suited(&study, &chosen, context)?;
    Ok(match taken.main() {
        Some(main) => study.with_main(main.clone()),
        None => study,
    })
}
