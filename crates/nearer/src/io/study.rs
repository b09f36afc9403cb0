//! Several files as one study: each part by itself, files of one kind together, kernels over tables of features.

use crate::error::Error;
use crate::evidence::{
    Bound, Comparisons, Distances, Evidence, Features, KernelSpec, Measurement, Measurements, Pairs, Part, Sorts,
};
use crate::io::kinds::{FileKind, Loaded, ReadOptions};
use crate::io::metadata::read_metadata;
use crate::io::read::read_evidence;
use crate::io::source::Source;
use crate::object::{Item, Pair};
use crate::study::{Note, Study};

/// A file of a study, and how it is to be read where it does not say so itself.
#[derive(Debug, Clone)]
pub struct StudyFile {
    /// Its name, by which notes, and kernels over a table of features, speak of it.
    pub path: String,
    /// Where it is read from.
    pub source: Source,
    /// What is known about it.
    pub options: ReadOptions,
}

impl StudyFile {
    /// A table of features, read as one whatever else it could be.
    #[must_use]
    pub fn of_features(path: &str, source: Source) -> Self {
        let options = ReadOptions { kind: Some(FileKind::Features), ..ReadOptions::default() };
        StudyFile { path: path.into(), source, options }
    }
    /// The tables that kernels are asked for over, beside the files that are given.
    #[must_use]
    pub fn tables(given: &[String], kernels: &[KernelSpec], open: impl Fn(&str) -> Source) -> Vec<Self> {
        let mut tables: Vec<StudyFile> = Vec::new();
        for path in kernels.iter().filter_map(KernelSpec::file) {
            if !given.iter().any(|g| g == path) && !tables.iter().any(|t| t.path == path) {
                tables.push(StudyFile::of_features(path, open(path)));
            }
        }
        tables
    }
    /// A file by its path; `-` is stdin.
    #[must_use]
    pub fn new(path: &str, options: ReadOptions) -> Self {
        StudyFile { path: path.into(), source: Source::from(path), options }
    }
}

/// Reads the files of a study, and the tables of features that kernels are asked for over.
///
/// Files of one kind are taken together: distances of the same objects as repeated measurements, judgements one after the
/// other over all their objects. Files of several kinds are the parts of the study. `note` hears what was assumed, as it
/// happens.
///
/// ```
/// use nearer::evidence::Part;
/// use nearer::io::{ReadOptions, StudyFile, read_study};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let path = |name: &str| dir.path().join(name).display().to_string();
/// std::fs::write(path("d.csv"), "label,a,b,c\na,0,3,4\nb,3,0,5\nc,4,5,0\n")?;
/// std::fs::write(path("t.csv"), "head,near,far\na,b,c\n")?;
/// let file = |name| StudyFile::new(&path(name), ReadOptions::default());
/// let study = read_study(&[file("d.csv"), file("t.csv")], &[], &[], &mut |_| {})?;
/// assert_eq!(study.parts(), [Part::Distances, Part::Comparisons]);
/// # Ok(()) }
/// ```
pub fn read_study(
    files: &[StudyFile],
    tables: &[StudyFile],
    kernels: &[KernelSpec],
    note: &mut dyn FnMut(Note),
) -> Result<Study, Error> {
    if files.iter().filter(|f| f.path == "-").count() > 1 {
        return Err(Error::Evidence {
            what: "stdin (`-`) is given twice as an input".into(),
            remedy: "it can be read once; save it to a file first".into(),
        });
    }
    let mut said = Alike { held: None, note };
    let loaded = files.iter().map(|f| Ok((f.path.as_str(), load(f, &mut |n| said.hear(n))?)));
    let loaded = loaded.collect::<Result<Vec<_>, Error>>();
    said.end();
    let loaded = loaded?;
    let mut classed = None;
    for (file, (_, one)) in files.iter().zip(&loaded) {
        if let Evidence::Features(f) = &one.evidence {
            classed = classed.or(classes(file, f)?);
        }
    }
    let mut study = joined(loaded, note)?.with_kernels(kernels.iter().cloned());
    if let Some(classes) = classed {
        study = study.with(classes);
    }
    for table in tables {
        study = study.with_features(&table.path, read_features(table, note)?);
    }
    Ok(study)
}

/// Files about which the same was assumed, said together: sixteen matrices are one line, not sixteen.
struct Alike<'n> {
    held: Option<(String, usize, Vec<String>)>,
    note: &'n mut dyn FnMut(Note),
}

impl Alike<'_> {
    fn hear(&mut self, note: Note) {
        match (&mut self.held, note) {
            (Some((_, more, held)), Note::Assumed { what, .. }) if *held == what => *more += 1,
            (_, Note::Assumed { file, what }) => {
                self.end();
                self.held = Some((file, 0, what));
            }
            (_, other) => {
                self.end();
                (self.note)(other);
            }
        }
    }
    fn end(&mut self) {
        let Some((file, more, what)) = self.held.take() else { return };
        let file = if more == 0 { file } else { format!("{file} and {more} more") };
        (self.note)(Note::Assumed { file, what });
    }
}

/// A table of features.
pub fn read_features(file: &StudyFile, note: &mut dyn FnMut(Note)) -> Result<Features, Error> {
    match load(file, note)?.evidence {
        Evidence::Features(f) => Ok(f),
        other => Err(Error::Evidence {
            what: format!("{} holds {}, and features are wanted", file.path, other.kind()),
            remedy: "give a table with a row of numbers for each object".into(),
        }),
    }
}

/// One file, with everything that was assumed about it said.
pub fn load(file: &StudyFile, note: &mut dyn FnMut(Note)) -> Result<Loaded, Error> {
    let loaded = read_evidence(&file.source, &file.options)?;
    if !loaded.assumptions.is_empty() {
        note(Note::Assumed { file: file.path.clone(), what: loaded.assumptions.clone() });
    }
    loaded.warnings.iter().for_each(|w| note(Note::Look { file: file.path.clone(), what: w.clone() }));
    Ok(loaded)
}

/// The classes that a column of a table of features holds.
fn classes(file: &StudyFile, features: &Features) -> Result<Option<Sorts>, Error> {
    let Some(name) = &file.options.classes else { return Ok(None) };
    let (table, _) = read_metadata(&file.source, features.objects())?;
    table.column(name).map(|column| column.classes(features.objects())).transpose()
}

/// Files that were read, by name, as the parts of a study.
pub fn joined(loaded: Vec<(&str, Loaded)>, note: &mut dyn FnMut(Note)) -> Result<Study, Error> {
    let mut groups: Vec<(Part, Vec<(&str, Loaded)>)> = Vec::new();
    for one in loaded {
        let kind = one.1.evidence.kind();
        match groups.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, group)) => group.push(one),
            None => groups.push((kind, vec![one])),
        }
    }
    let mut study = Study::default();
    for (kind, mut group) in groups {
        if kind != Part::Features && group.len() > 1 {
            study = together(study, kind, &group)?;
            let objects = study.part(kind).map_or(0, |e| e.objects().len());
            note(Note::Together { files: group.len(), part: kind, objects });
            continue;
        }
        for (file, one) in group.drain(..) {
            study = match one.evidence {
                Evidence::Features(f) => study.with_features(file, f),
                other => study.with(other),
            };
            if one.measurements.is_some() {
                study = study.with_measurements(one.measurements);
            }
        }
    }
    Ok(study)
}

/// Several files of one kind: distances as measurements, judgements one after the other over all their objects.
fn together(study: Study, kind: Part, loaded: &[(&str, Loaded)]) -> Result<Study, Error> {
    fn all<'l, T>(loaded: &'l [(&str, Loaded)]) -> Vec<&'l T>
    where
        &'l T: TryFrom<&'l Evidence>,
    {
        loaded.iter().filter_map(|(_, one)| <&T>::try_from(&one.evidence).ok()).collect()
    }
    Ok(match kind {
        Part::Comparisons => study.with(Comparisons::joined(&all(loaded))?),
        Part::Pairs => study.with(Pairs::joined(&all(loaded))?),
        Part::Sorts => study.with(Sorts::joined(&all(loaded))?),
        Part::Distances => {
            let all = measured_together(loaded)?;
            study.with(all.merged()?).with_measurements(Some(all))
        }
        _ => {
            return Err(Error::Evidence {
                what: format!("{} files of {kind} are given", loaded.len()),
                remedy: match kind {
                    Part::Taxonomy => "a tree comes in one file; join them under one root".into(),
                    _ => "several files can be merged only when each holds distances between the same objects, or judgements; give one of them".into(),
                },
            });
        }
    })
}

/// Several files of the same objects as measurements, the file name as the source.
fn measured_together(loaded: &[(&str, Loaded)]) -> Result<Measurements, Error> {
    let mut all: Option<Measurements> = None;
    for (file, one) in loaded {
        let Evidence::Distances(d) = &one.evidence else { continue };
        let (sources, rows) = measured(file, d, one.measurements.as_ref());
        all = Some(match all {
            None => Measurements::new(d.objects().clone(), sources, rows),
            Some(before) => append(before, loaded[0].0, file, d, sources, rows)?,
        });
    }
    all.ok_or_else(|| Error::Evidence { what: "no file was given".into(), remedy: "give one at least".into() })
}

fn append(
    before: Measurements,
    first: &str,
    file: &str,
    d: &Distances,
    sources: Vec<String>,
    rows: Vec<Measurement>,
) -> Result<Measurements, Error> {
    let same = "files given together must hold the same objects";
    let index = before.objects().index();
    let strange = d.objects().labels().iter().find(|l| !index.contains_key(l.as_str()));
    if let Some(label) = strange {
        let what = format!("{file} has `{label}`, which {first} has not");
        return Err(Error::Evidence { what, remedy: same.into() });
    }
    if d.len() != before.objects().len() {
        let what = format!("{file} has {} objects and {first} has {}", d.len(), before.objects().len());
        return Err(Error::Evidence { what, remedy: same.into() });
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
