//! Files in: one file as it is, several files of distances as repeated measurements, of judgements one after the other.

use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use nearer::evidence::{Comparisons, Measurement, Pairs, Similarity, Sorts};
use nearer::io::{
    FileKind, Format, InputFile, Loaded, ReadOptions, Roles, load_model, looks_like_model, read_evidence, read_map,
    read_objects,
};
use nearer::model::Model;
use nearer::report::FitReport;
use nearer::{Bound, Distances, Embedding, Evidence, Features, Item, Measurements, Pair};

use crate::context::Context;

/// How files of evidence are to be read, where they do not say it themselves.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// What the file holds, where it cannot be recognised. Distances: matrix, lower, upper, condensed, long, phylip, rows.
    /// Judgements: triplets, quadruplets, odd-one-out, most-central, choices, ranks, pairs, classes, sorts. Trees:
    /// taxonomy (edges), paths, newick. Numbers for each object: features
    #[arg(long, value_name = "KIND")]
    kind: Option<FileKind>,
    /// How the file is written (csv, tsv, npy, phylip …), where the extension does not say
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// The values are similarities; turn them into distances by 1-s, max-s, sqrt(1-s), sqrt or -log(s)
    #[arg(long, value_name = "RULE", allow_hyphen_values = true)]
    similarity: Option<Similarity>,
    /// NaN means a missing distance (else it is refused; an empty cell or NA is always one)
    #[arg(long)]
    nan_missing: bool,
    /// Which column of judgements plays which part, by name or number: head=stim,near=pick,far=other,participant=subj.
    /// Roles: head, near, far; a, b, c, d; odd, central, shown, chosen, rank, rest; answer; from, to, label, value; object,
    /// class, path, parent, child; weight, votes, margin, participant, time, time_ms, left, right, check
    #[arg(long, value_name = "ROLE=COLUMN,…")]
    columns: Vec<Roles>,
    /// The objects of judgements, one label a line or the first column of a csv: unseen ones exist, others are refused
    #[arg(long, value_name = "FILE")]
    objects: Option<String>,
    /// Pairs keep their direction: a row says nothing the other way round
    #[arg(long)]
    directed: bool,
}

impl Reading {
    pub(crate) fn options(&self, context: &Context) -> Result<ReadOptions> {
        let mut columns = Roles::default();
        for (role, column) in self.columns.iter().flat_map(Roles::iter) {
            columns = columns.and(role, column)?;
        }
        let mut objects = None;
        if let Some(file) = &self.objects {
            let (list, assumed) = read_objects(&context.source(file))?;
            said(file, &assumed, context);
            objects = Some(list);
        }
        Ok(ReadOptions {
            kind: self.kind,
            format: self.format,
            similarity: self.similarity,
            nan_missing: self.nan_missing,
            columns,
            objects,
            directed: self.directed,
        })
    }
}

/// Evidence from files, and what was said about them.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) evidence: Evidence,
    pub(crate) measurements: Option<Measurements>,
    /// Tables of features that were given beside judgements, with their files.
    pub(crate) features: Vec<(String, Features)>,
    pub(crate) inputs: Vec<InputFile>,
    pub(crate) seconds: f64,
}

/// What was assumed about a file, on one line.
pub(crate) fn said(file: &str, assumptions: &[String], context: &Context) {
    if !assumptions.is_empty() {
        context.note(&format!("{file}: {}", assumptions.join("; ")));
    }
}

/// One file, with everything that was assumed about it said.
pub(crate) fn load(file: &str, options: &ReadOptions, context: &Context) -> Result<Loaded> {
    let loaded = read_evidence(&context.source(file), options)?;
    said(file, &loaded.assumptions, context);
    context.notes(loaded.warnings.iter().map(|w| format!("{file}: note: {w}")));
    Ok(loaded)
}

/// All files of one study.
pub(crate) fn read(files: &[String], reading: &Reading, context: &Context) -> Result<Read> {
    let started = Instant::now();
    if files.iter().filter(|f| *f == "-").count() > 1 {
        bail!("stdin (`-`) is given twice as an input; it can be read once");
    }
    let options = reading.options(context)?;
    let mut loaded = files.iter().map(|f| load(f, &options, context)).collect::<Result<Vec<_>>>()?;
    let features = features_beside(files, &mut loaded);
    let files: &[String] =
        &files.iter().filter(|f| !features.iter().any(|(g, _)| g == *f)).cloned().collect::<Vec<_>>();
    let (evidence, measurements) = match loaded.len() {
        1 => {
            let one = loaded.remove(0);
            (one.evidence, one.measurements)
        }
        _ => {
            let all = together(files, &loaded)?;
            let (count, objects) = (files.len(), all.0.objects().len());
            context.note(&match &all.0 {
                Evidence::Distances(_) => {
                    format!(
                        "{count} files of the same {objects} objects: taken as repeated measurements, one mean a pair"
                    )
                }
                other => format!("{count} files of {}: taken together, {objects} objects in all", other.kind()),
            });
            all
        }
    };
    Ok(Read {
        evidence,
        measurements,
        features,
        inputs: context.inputs(files)?,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// Takes the tables of features out where there are judgements beside them.
fn features_beside(files: &[String], loaded: &mut Vec<Loaded>) -> Vec<(String, Features)> {
    let judged = |one: &Loaded| {
        matches!(
            one.evidence,
            Evidence::Comparisons(_) | Evidence::Pairs(_) | Evidence::Sorts(_) | Evidence::Taxonomy(_)
        )
    };
    if !loaded.iter().any(judged) {
        return Vec::new();
    }
    let (mut taken, mut kept) = (Vec::new(), Vec::new());
    for (file, one) in files.iter().zip(loaded.drain(..)) {
        match one.evidence {
            Evidence::Features(f) => taken.push((file.clone(), f)),
            evidence => kept.push(Loaded { evidence, ..one }),
        }
    }
    *loaded = kept;
    taken
}

/// Several files of one study: distances as measurements, judgements one after the other over all their objects.
pub(crate) fn together(files: &[String], loaded: &[Loaded]) -> Result<(Evidence, Option<Measurements>)> {
    let kind = loaded.first().map(|one| one.evidence.kind());
    if let Some(k) = loaded.iter().position(|one| Some(one.evidence.kind()) != kind) {
        bail!(
            "{} holds {} and {} holds {}; files given together must be of one kind",
            files[0],
            loaded[0].evidence.kind(),
            files[k],
            loaded[k].evidence.kind()
        );
    }
    macro_rules! all {
        ($kind:ident) => {
            loaded.iter().filter_map(|one| if let Evidence::$kind(e) = &one.evidence { Some(e) } else { None })
        };
    }
    Ok(match loaded.first().map(|one| &one.evidence) {
        Some(Evidence::Comparisons(_)) => {
            (Evidence::Comparisons(Comparisons::joined(&all!(Comparisons).collect::<Vec<_>>())?), None)
        }
        Some(Evidence::Pairs(_)) => (Evidence::Pairs(Pairs::joined(&all!(Pairs).collect::<Vec<_>>())?), None),
        Some(Evidence::Sorts(_)) => (Evidence::Sorts(Sorts::joined(&all!(Sorts).collect::<Vec<_>>())?), None),
        Some(Evidence::Features(_)) => {
            bail!("{} files of features are given; join them into one table, a row for each object", files.len())
        }
        Some(Evidence::Taxonomy(_)) => bail!("{} files of trees are given; a tree comes in one file", files.len()),
        _ => {
            let all = measured_together(files, loaded)?;
            (Evidence::Distances(all.merged()?), Some(all))
        }
    })
}

/// Several files of the same objects as measurements, the file name as the source.
fn measured_together(files: &[String], loaded: &[Loaded]) -> Result<Measurements> {
    let mut all: Option<Measurements> = None;
    for (file, one) in files.iter().zip(loaded) {
        let Evidence::Distances(d) = &one.evidence else {
            bail!(
                "{file} holds rows of distances to a few columns; several files can be merged only when each holds distances between the same objects"
            );
        };
        let (sources, rows) = measured(file, d, one.measurements.as_ref());
        all = Some(match all {
            None => Measurements::new(d.objects().clone(), sources, rows),
            Some(before) => append(before, &files[0], file, d, sources, rows)?,
        });
    }
    match all {
        Some(all) => Ok(all),
        None => bail!("no file was given"),
    }
}

fn append(
    before: Measurements,
    first: &str,
    file: &str,
    d: &Distances,
    sources: Vec<String>,
    rows: Vec<Measurement>,
) -> Result<Measurements> {
    let index = before.objects().index();
    let strange = d.objects().labels().iter().find(|l| !index.contains_key(l.as_str()));
    if let Some(label) = strange {
        bail!("{file} has `{label}`, which {first} has not; files given together must hold the same objects");
    }
    if d.len() != before.objects().len() {
        bail!(
            "{file} has {} objects and {first} has {}; files given together must hold the same objects",
            d.len(),
            before.objects().len()
        );
    }
    let to: Vec<Item> = d.objects().labels().iter().map(|l| index[l.as_str()]).collect();
    let shift = before.sources().len() as u32;
    let moved = rows.into_iter().filter_map(|m| {
        let pair = Pair::new(to[m.pair.first().index()], to[m.pair.second().index()])?;
        Some(Measurement { pair, source: m.source + shift, ..m })
    });
    let all_rows = before.rows().iter().copied().chain(moved).collect();
    let all_sources = before.sources().iter().cloned().chain(sources).collect();
    Ok(Measurements::new(before.objects().clone(), all_sources, all_rows))
}

fn measured(file: &str, d: &Distances, measurements: Option<&Measurements>) -> (Vec<String>, Vec<Measurement>) {
    if let Some(m) = measurements.filter(|m| m.sources().len() > 1) {
        return (m.sources().iter().map(|s| format!("{file}:{s}")).collect(), m.rows().to_vec());
    }
    let pairs = (0..d.len() as u32).flat_map(|i| (i + 1..d.len() as u32).map(move |j| (Item(i), Item(j))));
    let rows = pairs
        .enumerate()
        .filter(|(k, _)| d.weight_at(*k) > 0.0)
        .filter_map(|(k, (a, b))| {
            Some(Measurement {
                pair: Pair::new(a, b)?,
                value: d.condensed()[k],
                weight: d.weight_at(k),
                bound: d.bounds().map_or(Bound::Exact, |b| b[k]),
                source: 0,
            })
        })
        .collect();
    (vec![file.to_owned()], rows)
}

/// A map from a file of coordinates, or from a model, which brings more.
#[derive(Debug)]
pub(crate) struct MapFile {
    pub(crate) embedding: Embedding,
    pub(crate) model: Option<Model>,
    pub(crate) report: Option<FitReport>,
}

/// Reads a map or a model, whichever the file is.
pub(crate) fn read_map_file(file: &str, context: &Context) -> Result<MapFile> {
    let source = context.source(file);
    if looks_like_model(&source) {
        let saved = load_model(&source)?;
        return Ok(MapFile { embedding: saved.embedding, model: Some(saved.model), report: Some(saved.report) });
    }
    let (embedding, assumed) = read_map(&source, None)?;
    said(file, &assumed, context);
    Ok(MapFile { embedding, model: None, report: None })
}
