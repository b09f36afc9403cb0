//! `nearer embed` for rows too many to hold: a pass for the landmarks, a fit of those, a pass that places everything.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use nearer::io::{RowStream, shape};
use nearer::method::Chosen;
use nearer::method::table::{METHODS, Method, find};
use nearer::model::Model;
use nearer::text::counted;
use nearer::{Embedding, Error, Fit, Part, Step, Study};

use super::embed::{Embed, outcome};
use super::placing::{Placed, piece, place_all};
use super::results::{Results, Seconds};
use crate::choose;
use crate::context::{Context, Outcome};
use crate::input;
use crate::output::Output;
use crate::progress::Watcher;

/// A rectangle with more rows than this is read in pieces without being asked to.
const MANY_ROWS: u64 = 200_000;

/// Whether to read in pieces from the start: asked for, or a tall rectangle by its header.
pub(super) fn wanted(embed: &Embed, context: &Context) -> Result<bool> {
    if embed.stream {
        return Ok(true);
    }
    let [file] = embed.files.as_slice() else { return Ok(false) };
    let tall = able(embed)
        && shape(Path::new(input::path_of(file))).is_some_and(|(rows, columns)| rows > MANY_ROWS && rows > 2 * columns);
    if tall {
        context.note(&format!("{file}: more than {MANY_ROWS} rows, read in pieces"));
    }
    Ok(tall)
}

/// The complaint about a file that was too large to read whole and can be read in pieces: a matrix, not judgements.
pub(super) fn instead(embed: &Embed, error: &anyhow::Error) -> Option<String> {
    let able = embed.files.len() == 1 && able(embed);
    let error: &Error = error.downcast_ref().filter(|_| able)?;
    match error {
        Error::Memory { remedy, .. } if remedy.names("method") => Some(error.complaint()),
        _ => None,
    }
}

/// Whether the method, if one is named, works from rows.
fn able(embed: &Embed) -> bool {
    embed.method.as_deref().is_none_or(|name| find(name).is_ok_and(takes_rows))
}

fn takes_rows(method: &'static Method) -> bool {
    // Those of landmarks: the others need all rows at once.
    method.takes_alone(Part::Rows) && method.takes_alone(Part::Distances)
}

/// Fits the landmarks and places every row.
pub(super) fn run(
    embed: &Embed,
    context: &Context,
    parameters: &[(&'static str, String)],
    outputs: &[Output],
) -> Result<Outcome> {
    if embed.files.len() != 1 {
        bail!("{} files to be read in pieces; give one file", embed.files.len());
    }
    let method = find(embed.method.as_deref().unwrap_or("landmark-mds"))?;
    if !takes_rows(method) {
        let able: Vec<&str> = METHODS.iter().copied().filter(|m| takes_rows(m)).map(|m| m.name).collect();
        bail!("{} needs all distances at once; reading in pieces works with {}", method.name, able.join(", "));
    }
    if embed.ellipses.asked() {
        bail!("--ellipses needs distances between all objects at once; leave it out, or map fewer objects");
    }
    let given = parameters.iter().map(|(name, _)| *name).collect();
    let chosen = Chosen { method, settings: choose::settings(method, parameters)?, given };
    let started = Instant::now();
    let asked = embed.reading.files(&embed.files, context)?.remove(0);
    let file = &asked.path;
    let mut rows = RowStream::open(&asked.source, &asked.options)?;
    input::said(file, rows.assumptions(), context);
    if let Some(columns) = chosen.landmark_columns(rows.to().len(), context.seed) {
        let (wanted, all) = (columns.len(), rows.to().len());
        context.note(&format!("{wanted} of the {all} columns are the landmarks, chosen by the seed"));
        let landmarks = rows.to().subset(&columns);
        rows = rows.with_columns(&landmarks)?;
    }
    let at_a_time = piece(rows.to().len());
    let (landmarks, count) = rows.landmarks(at_a_time)?;
    let mut seconds = Seconds { read: started.elapsed().as_secs_f64(), ..Seconds::default() };
    let started = Instant::now();
    let mut fit = {
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        chosen.fit(&Study::from(landmarks), &context.run().watched(&watch))?
    };
    seconds.fit = started.elapsed().as_secs_f64();
    context.note(&format!("{} from {} landmarks; placing {count} rows", method.name, fit.embedding.len()));
    let mut placed = Placed::default();
    let mut rows = rows.reopen()?;
    place_all(&fit.model, &mut rows, &mut placed, context)?;
    let rate = placed.rate();
    if let Some(rate) = rate {
        context.note(&format!("{} placed, {rate:.0} a second", counted(placed.len(), "object")));
    }
    if let Some(stop) = placed.stop {
        fit.report.stop = stop;
        fit.report.warnings.push(format!("only {} of {count} rows were placed before the end ({stop})", placed.len()));
    }
    fit.report.objects = placed.len();
    let map = posed(placed.map(fit.model.dim())?, &mut fit)?;
    let metadata = embed.look.columns.read(map.objects(), None, context)?;
    let images = embed.images.read(map.objects(), context)?;
    fit.report.notes = context.kept();
    fit.report.inputs = context.inputs(&input::paths_of(&embed.files))?;
    let results = Results {
        fit: &fit,
        look: &embed.look,
        map: &map,
        evidence: None,
        metadata: &metadata,
        images: &images,
        steadiness: None,
        links: &[],
        certificate: None,
        objects_per_second: rate,
        seconds,
    };
    embed.write(outputs, &results, context)?;
    Ok(outcome(embed.converged, fit.report.stop, context))
}

/// The whole map in its own pose, as if it had been fitted at once, and the model with it.
fn posed(map: Embedding, fit: &mut Fit<Model>) -> Result<Embedding> {
    let Model::Landmarks(landmarks) = &fit.model else {
        fit.report.warnings.push("the axes and the centre of the map are those of the landmarks".into());
        return Ok(map);
    };
    let pose = map.pose()?;
    fit.model = Model::Landmarks(landmarks.clone().posed(&pose));
    fit.embedding = Embedding::new(fit.embedding.objects().clone(), pose.apply(fit.embedding.points()))?;
    Ok(Embedding::new(map.objects().clone(), pose.apply(map.points()))?)
}
