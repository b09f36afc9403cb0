//! `nearer embed` for rows too many to hold: a pass for the landmarks, a fit of those, a pass that places everything.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use ndarray::Array2;
use nearer::io::RowStream;
use nearer::method::table::{METHODS, Method, find};
use nearer::model::Model;
use nearer::{DistanceRows, Embedding, Error, Fit, Part, Settings, Step, Study};

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

/// With more columns than this not all of them are landmarks unless that is asked for.
const MANY_COLUMNS: usize = 1000;

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
    let settings = choose::settings(method, parameters)?;
    let started = Instant::now();
    let asked = embed.reading.files(&embed.files, context)?.remove(0);
    let file = &asked.path;
    let mut rows = RowStream::open(&asked.source, &asked.options)?;
    input::said(file, rows.assumptions(), context);
    if let Some(wanted) = fewer(rows.to().len(), &settings, parameters) {
        let chosen = spread(rows.to().len(), wanted, context.seed);
        context.note(&format!("{wanted} of the {} columns are the landmarks, chosen by the seed", rows.to().len()));
        let landmarks = rows.to().subset(&chosen);
        rows = rows.with_columns(&landmarks)?;
    }
    let (landmarks, count) = landmark_rows(file, &mut rows)?;
    let mut seconds = Seconds { read: started.elapsed().as_secs_f64(), ..Seconds::default() };
    let started = Instant::now();
    let mut fit = {
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        method.fit(&settings, &Study::from(landmarks), &context.run().watched(&watch))?
    };
    seconds.fit = started.elapsed().as_secs_f64();
    context.note(&format!("{} from {} landmarks; placing {count} rows", method.name, fit.embedding.len()));
    let mut placed = Placed::default();
    let mut rows = rows.reopen()?;
    place_all(&fit.model, &mut rows, &mut placed, context)?;
    let rate = placed.rate();
    if let Some(rate) = rate {
        context.note(&format!("{} objects placed, {rate:.0} a second", placed.len()));
    }
    if let Some(stop) = placed.stop {
        fit.report.stop = stop;
        fit.report.warnings.push(format!("only {} of {count} rows were placed before the end ({stop})", placed.len()));
    }
    fit.report.objects = placed.len();
    let map = posed(placed.map(fit.model.dim())?, &mut fit)?;
    let metadata = embed.look.columns.read(map.objects(), None, context)?;
    let images = embed.images.read(map.objects(), context)?;
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

/// The first pass: the rows of the landmarks, in the order of the columns, and how many rows there are.
fn landmark_rows(file: &str, rows: &mut RowStream) -> Result<(DistanceRows, usize)> {
    let to = rows.to().clone();
    let index = to.index();
    let mut found: HashMap<usize, Vec<f64>> = HashMap::new();
    let mut count = 0;
    let size = piece(to.len());
    while let Some(chunk) = rows.next_chunk(size)? {
        for (r, label) in chunk.objects().labels().iter().enumerate() {
            if let Some(item) = index.get(label.as_str()) {
                let row = (0..to.len()).map(|c| chunk.get(r, c).unwrap_or(f64::NAN)).collect();
                found.insert(item.index(), row);
            }
        }
        count += chunk.objects().len();
    }
    if let Some(gap) = (0..to.len()).find(|k| !found.contains_key(k)) {
        bail!(
            "{file}: the column `{}` has no row of its own; landmarks need the distances among themselves, so give each column label a row",
            to.labels()[gap]
        );
    }
    let values = Array2::from_shape_fn((to.len(), to.len()), |(i, j)| found[&i][j]);
    Ok((DistanceRows::new(to.clone(), to, values)?, count))
}

/// How many of so many columns are enough, where not all are to be landmarks: by the flag, or when all would be a burden.
fn fewer(columns: usize, settings: &Settings, parameters: &[(&'static str, String)]) -> Option<usize> {
    let given = parameters.iter().any(|(name, _)| *name == "landmarks");
    settings.count("landmarks").filter(|count| (given || columns > MANY_COLUMNS) && columns > *count)
}

/// `count` of `n` columns, one from each of `count` equal stretches, where in it by the seed.
fn spread(n: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut state = seed;
    (0..count)
        .map(|k| {
            let (from, to) = (k * n / count, (k + 1) * n / count);
            // splitmix64: the library's streams are not part of its public face.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            from + ((z ^ (z >> 31)) % (to - from).max(1) as u64) as usize
        })
        .collect()
}

/// Rows and columns from the first lines of a plain file: exact for `.npy`, an estimate for text.
fn shape(path: &Path) -> Option<(u64, u64)> {
    // Asked before it is opened: a pipe can be opened only once.
    let bytes = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
    let file = File::open(path).ok()?;
    let mut start = BufReader::new(file);
    let mut magic = [0; 6];
    start.read_exact(&mut magic).ok()?;
    if &magic == b"\x93NUMPY" {
        let mut header = [0; 256];
        let length = start.read(&mut header).ok()?;
        let header = String::from_utf8_lossy(&header[..length]).into_owned();
        let inside = header.split_once("'shape': (")?.1.split_once(')')?.0;
        let mut sides = inside.split(',').filter_map(|s| s.trim().parse::<u64>().ok());
        return Some((sides.next()?, sides.next()?));
    }
    if magic[..2] == [0x1f, 0x8b] {
        return None;
    }
    let mut lines = start.take(1 << 22).lines().map_while(Result::ok);
    lines.next()?;
    let second = lines.next()?;
    let columns = second.split([',', '\t', ';', ' ']).filter(|f| !f.trim().is_empty()).count() as u64;
    // A long table has few fields a line, and is no rectangle of landmarks.
    (columns > 5).then(|| (bytes / (second.len() as u64 + 1), columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn landmarks_are_spread_and_repeat_by_seed() {
        let chosen = spread(1000, 10, 7);
        assert_eq!(chosen, spread(1000, 10, 7));
        assert_ne!(chosen, spread(1000, 10, 8));
        assert!(chosen.windows(2).all(|w| w[0] < w[1]) && chosen[9] < 1000);
    }
}
