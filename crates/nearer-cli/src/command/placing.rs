//! Rows of distances put on a map piece by piece, in memory that does not grow with the distances.

use std::time::Instant;

use anyhow::{Result, bail};
use ndarray::Array2;
use nearer::geometry::Ellipse;
use nearer::io::{FileKind, RowStream};
use nearer::model::{Model, Ordinal, Sureness};
use nearer::{Embedding, Evidence, Features, Objects, Place as _, Stop};
use serde::Serialize;

use crate::context::Context;
use crate::input::{self, Reading};
use crate::progress::Watcher;

/// Distances held at once.
const PIECE: usize = 1 << 21;

/// Coordinates of what was placed so far.
#[derive(Debug, Default)]
pub(super) struct Placed {
    labels: Vec<String>,
    points: Vec<f64>,
    pub(super) seconds: f64,
    pub(super) stop: Option<Stop>,
    /// How sure each place is, where the map was made by a likelihood.
    pub(super) sureness: Vec<Sure>,
}

/// How sure the place of a new object is, as `--json` tells it.
#[derive(Debug, Serialize)]
pub(super) struct Sure {
    label: String,
    /// Its judgements leave it anywhere on the map.
    undetermined: bool,
    /// The 95 % ellipse along the first two axes.
    #[serde(skip_serializing_if = "Option::is_none")]
    ellipse: Option<Ellipse>,
    /// On a line: the standard deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<f64>,
}

impl Sure {
    fn new(label: &str, sure: Sureness) -> Option<Self> {
        let (ellipse, deviation) = match sure {
            Sureness::Within(ellipse) => (Some(ellipse), None),
            Sureness::OnLine { deviation } => (None, Some(deviation)),
            Sureness::Undetermined => (None, None),
            _ => return None,
        };
        Some(Sure { label: label.into(), undetermined: sure == Sureness::Undetermined, ellipse, deviation })
    }
}

impl Placed {
    /// How many objects were placed.
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }
    /// How many a second.
    pub(super) fn rate(&self) -> Option<f64> {
        (self.seconds > 0.0).then(|| self.len() as f64 / self.seconds)
    }
    /// The labels so far.
    pub(super) fn labels(&self) -> &[String] {
        &self.labels
    }
    /// Takes the points of a map in, those that `keep` wants.
    pub(super) fn take(&mut self, map: &Embedding, keep: impl Fn(&str) -> bool) {
        for (label, point) in map.objects().labels().iter().zip(map.points().rows()) {
            if keep(label) {
                self.labels.push(label.clone());
                self.points.extend(point);
            }
        }
    }
    /// The coordinates as a map.
    pub(super) fn map(self, dim: usize) -> Result<Embedding> {
        let rows = self.labels.len();
        let points = Array2::from_shape_vec((rows, dim), self.points)?;
        Ok(Embedding::new(Objects::new(self.labels)?, points)?)
    }
}

/// How many rows of so many columns are held at once.
pub(super) fn piece(columns: usize) -> usize {
    (PIECE / columns.max(1)).clamp(16, 1 << 16)
}

/// Places the rest of a stream; Ctrl-C and the time limit end it with what is there.
pub(super) fn place_all(model: &Model, rows: &mut RowStream, placed: &mut Placed, context: &Context) -> Result<()> {
    let started = Instant::now();
    let watcher = Watcher::new(context);
    let run = context.run();
    let clock = run.clock();
    let size = piece(rows.to().len());
    while let Some(chunk) = rows.next_chunk(size)? {
        let map = run.install(|| model.place(&chunk))?;
        placed.take(&map, |_| true);
        if watcher.count("placing", placed.len(), None).is_break() {
            placed.stop = Some(Stop::Cancelled);
            break;
        }
        if clock.late() {
            placed.stop = Some(Stop::TimeLimit);
            break;
        }
    }
    placed.seconds += started.elapsed().as_secs_f64();
    Ok(())
}

/// Places new objects by their features.
pub(super) fn place_featured(
    model: &Model,
    files: &[String],
    named: &[(String, String)],
    reading: &Reading,
    placed: &mut Placed,
    context: &Context,
) -> Result<()> {
    let reading = reading.clone().of_kind(FileKind::Features);
    let all = files.iter().map(|f| (None, f)).chain(named.iter().map(|(name, f)| (Some(name.as_str()), f)));
    let tables = all
        .map(|(name, f)| {
            let file = reading.files(std::slice::from_ref(f), context)?.remove(0);
            Ok((name, nearer::io::read_features(&file, &mut |n| input::note(&n, context))?))
        })
        .collect::<Result<Vec<_>>>()?;
    let tables: Vec<(Option<&str>, &Features)> = tables.iter().map(|(name, t)| (*name, t)).collect();
    let started = Instant::now();
    let map = context.run().install(|| model.place_tables(&tables))?;
    placed.take(&map, |_| true);
    placed.seconds += started.elapsed().as_secs_f64();
    Ok(())
}

/// Places the new objects of a file of judgements, and says what could not be used.
pub(super) fn place_judged(
    model: &Ordinal,
    file: &str,
    reading: &Reading,
    placed: &mut Placed,
    context: &Context,
) -> Result<()> {
    let file = &reading.files(std::slice::from_ref(&file.to_owned()), context)?.remove(0);
    let wants = "a map made of judgements places new objects by comparisons or pairs with the old ones";
    let loaded = match input::load(file, context) {
        // A few rows of distances are no evidence for a map, and what they lack is not what matters here.
        Err(_) if RowStream::open(&file.source, &file.options).is_ok() => bail!("{} holds rows; {wants}", file.path),
        other => other?,
    };
    let started = Instant::now();
    let found = context.run().install(|| match &loaded.evidence {
        Evidence::Comparisons(c) => Ok(model.place_by_comparisons(c)?),
        Evidence::Pairs(pairs) => Ok(model.place_by_pairs(pairs)?),
        other => bail!("{} holds {}; {wants}", file.path, other.kind()),
    })?;
    for (k, label) in found.embedding.objects().labels().iter().enumerate() {
        placed.sureness.extend(Sure::new(label, found.sureness[k]));
        let unclear = if found.ambiguous[k] { "; another place is as good, give more judgements" } else { "" };
        if found.sureness[k] == Sureness::Undetermined {
            context.note(&format!(
                "`{label}`: undetermined, its {} judgements leave it anywhere on the map; give more",
                found.used[k]
            ));
        } else if found.violated[k] > 0 || found.ambiguous[k] {
            context.note(&format!(
                "`{label}`: {} of {} judgements do not hold{unclear}",
                found.violated[k], found.used[k]
            ));
        }
    }
    if found.between_new + found.between_old > 0 {
        context.note(&format!(
            "{}: not used, since each object is placed by itself: {} judgements between new objects, {} between old ones",
            file.path, found.between_new, found.between_old
        ));
    }
    placed.take(&found.embedding, |_| true);
    placed.seconds += started.elapsed().as_secs_f64();
    Ok(())
}
