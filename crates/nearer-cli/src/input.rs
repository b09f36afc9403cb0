//! Files in: what is said about how to read them, for all or for each, and the study they make together.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use nearer::evidence::{Confusion, Formula, KernelSpec, Measure, Proximity, Similarity, Standardise, Symmetrise};
use nearer::io::{
    FileKind, Filter, Format, InputFile, Loaded, Measuring, ReadOptions, Role, Roles, Source, StudyFile, load_model,
    looks_like_model, read_map, read_metadata, read_objects,
};
use nearer::model::Model;
use nearer::report::FitReport;
use nearer::study::Note;
use nearer::{Embedding, Study};

use crate::context::Context;

/// How files of evidence are to be read, where they do not say it themselves. All of it holds for every file; for one alone it
/// stands behind its name: `FILE::kind=features`, `FILE::columns=head=stim,near=pick`.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// What the file holds, where it cannot be recognised (of one file among several: FILE::kind=KIND; likewise format,
    /// similarity, columns, nan-missing=yes, directed=yes). Distances: matrix, lower, upper, condensed, long, phylip, rows.
    /// Judgements: triplets, quadruplets, odd-one-out, most-central, choices, ranks, clicks, pairs, classes, sorts. Trees:
    /// taxonomy (edges), paths, newick. Numbers for each object: features
    #[arg(long, value_name = "KIND")]
    kind: Option<FileKind>,
    /// How the file is written (csv, tsv, npy, phylip …), where the extension does not say
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// The values are similarities; turn them into distances by 1-s, max-s, sqrt(1-s), sqrt, -log(s), or any formula of s
    #[arg(long, value_name = "RULE", allow_hyphen_values = true)]
    similarity: Option<Similarity>,
    /// Each distance d becomes this: sqrt(d), log(1+d), d^2/(1+d^2) … (+ - * / ^, sqrt, log, log2, log10, exp, abs)
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, conflicts_with = "similarity")]
    formula: Option<Formula>,
    /// NaN means a missing distance (else it is refused; an empty cell or NA is always one)
    #[arg(long)]
    nan_missing: bool,
    /// Which column of judgements plays which part, by name or number: head=stim,near=pick,far=other,participant=subj.
    /// Roles: head, near, far; a, b, c, d; odd, central, shown, chosen, rank, rest; answer; from, to, label, value; object,
    /// class, path, parent, child; session, opened; weight, votes, margin, participant, time, time_ms, left, right, check
    #[arg(long, value_name = "ROLE=COLUMN,…")]
    columns: Vec<Roles>,
    /// The objects of judgements, one label a line or the first column of a csv: unseen ones exist, others are refused
    #[arg(long, value_name = "FILE")]
    objects: Option<String>,
    /// Pairs keep their direction: a row says nothing the other way round
    #[arg(long)]
    directed: bool,
    /// The column of the features, or of --metadata, that holds the class of each object: those of one class are alike
    #[arg(long, value_name = "COLUMN")]
    pub(crate) classes: Option<String>,
    #[command(flatten)]
    pub(crate) measuring: MeasureFlags,
    #[command(flatten)]
    square: SquareFlags,
    #[arg(skip)]
    features_first: bool,
    /// Only rows with such values: column=value, !=, <, <=, >, >=, or 'column in a,b'; may be given several times (of one file:
    /// FILE::where=column=value)
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    only: Vec<Filter>,
}

/// How the rows of a table become distances.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct MeasureFlags {
    /// The file is a table, and this is how unlike two of its rows are: euclidean, bray-curtis, jaccard, gower, aitchison …
    /// (`nearer distances --list` explains each)
    #[arg(long, value_name = "MEASURE")]
    pub(crate) measure: Option<Measure>,
    /// What is done to the table before it is measured, in this order: total, column-total, max, row-max, normalise, range,
    /// z-score, hellinger, wisconsin, chi-square, presence, sqrt, log1p
    #[arg(long, visible_alias = "standardize", value_name = "HOW,…", value_delimiter = ',')]
    standardise: Vec<Standardise>,
    /// Measure these columns of the table only
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    take: Vec<String>,
    /// Leave these columns of the table out
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    leave: Vec<String>,
}

impl MeasureFlags {
    /// The measuring that is asked for, by `default` where no measure is named.
    pub(crate) fn asked(&self, default: Option<Measure>) -> Result<Option<Measuring>> {
        let Some(measure) = self.measure.or(default) else {
            let stray = [
                (!self.standardise.is_empty(), "standardise"),
                (!self.take.is_empty(), "take"),
                (!self.leave.is_empty(), "leave"),
            ];
            if let Some((_, flag)) = stray.iter().find(|(given, _)| *given) {
                bail!("--{flag} is for tables that are measured; say by which --measure");
            }
            return Ok(None);
        };
        let (standardise, take, leave) = (self.standardise.clone(), self.take.clone(), self.leave.clone());
        Ok(Some(Measuring { measure, standardise, take, leave }))
    }
}

/// What is to be made of a square matrix whose sides differ.
#[derive(Debug, Clone, Args)]
struct SquareFlags {
    /// The two sides of a matrix become one: mean, min, max or geometric
    #[arg(long, visible_alias = "symmetrize", value_name = "HOW")]
    symmetrise: Option<Symmetrise>,
    /// The matrix counts confusions (rows shown, columns answered); to distances by luce, shepard, overlap or complement;
    /// luce:0.5 adds 0.5 to every count first
    #[arg(long, value_name = "RULE", value_parser = confusion)]
    confusion: Option<(Confusion, f64)>,
    /// The diagonal of the matrix says nothing
    #[arg(long)]
    ignore_diagonal: bool,
}

fn confusion(text: &str) -> Result<(Confusion, f64), nearer::Error> {
    Confusion::parse(text)
}

impl Reading {
    /// Of this kind, unless another was said.
    pub(crate) fn of_kind(mut self, kind: FileKind) -> Self {
        self.kind = self.kind.or(Some(kind));
        self
    }
    /// Features are wanted: a table that could be a map holds some.
    pub(crate) fn of_features(mut self) -> Self {
        self.features_first = true;
        self
    }
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
            similarity: self.formula.map(Similarity::Formula).or(self.similarity),
            nan_missing: self.nan_missing,
            columns,
            objects,
            directed: self.directed,
            classes: self.classes.clone(),
            coordinates_are_features: self.features_first,
            measure: self.measuring.asked(None)?,
            proximity: Proximity {
                symmetrise: self.square.symmetrise,
                confusion: self.square.confusion,
                ignore_diagonal: self.square.ignore_diagonal,
            },
        })
    }

    /// The files, each with how it is to be read.
    pub(crate) fn files(&self, files: &[String], context: &Context) -> Result<Vec<StudyFile>> {
        let options = self.options(context)?;
        files.iter().map(|file| of_file(file, &options, &self.only, context)).collect()
    }
}

/// The path of a file that may have something said behind it.
pub(crate) fn path_of(file: &str) -> &str {
    match file.split_once("::") {
        Some((path, _)) if !Path::new(file).exists() => path,
        _ => file,
    }
}

/// The paths of files that may have something said behind them.
pub(crate) fn paths_of(files: &[String]) -> Vec<String> {
    files.iter().map(|f| path_of(f).to_owned()).collect()
}

/// A table about the objects, `FILE` or `FILE::where=column=value`: what passes is read, and an object without a row has no values.
pub(crate) fn about_objects(file: &str, context: &Context) -> Result<Source> {
    let path = path_of(file);
    let said = file[path.len()..].trim_start_matches("::");
    if said.is_empty() {
        return Ok(context.source(path));
    }
    let Some(filters) = said.strip_prefix("where=") else {
        bail!("{file}: of a table about the objects only `where` can be said, as {path}::where=column=value");
    };
    // A list may have commas of its own.
    let only = filters.split(",where=").map(str::parse).collect::<Result<Vec<Filter>, _>>()?;
    let kept: Vec<String> = only.iter().map(ToString::to_string).collect();
    let note = format!("{path}: only rows with {}", kept.join(" and "));
    context.note(&note);
    context.keep(note);
    Ok(context.source(path).only(only))
}

/// One file with what is said behind its name, or else for all files.
fn of_file(file: &str, for_all: &ReadOptions, only: &[Filter], context: &Context) -> Result<StudyFile> {
    let path = path_of(file);
    let mut only = only.to_vec();
    let mut options = for_all.clone();
    let said = file[path.len()..].trim_start_matches("::");
    for item in said.split(',').filter(|item| !item.is_empty()) {
        let Some((name, value)) = item.split_once('=') else {
            bail!("{file}: `{item}` says nothing; write FILE::kind=features, or FILE::columns=head=stim,near=pick");
        };
        let yes = || match value {
            "yes" => Ok(true),
            "no" => Ok(false),
            _ => bail!("{file}: {name} is `{value}`; write {name}=yes or {name}=no"),
        };
        match name {
            "kind" => options.kind = Some(value.parse()?),
            "format" => options.format = Some(value.parse()?),
            "similarity" | "formula" => options.similarity = Some(value.parse()?),
            "nan-missing" => options.nan_missing = yes()?,
            "directed" => options.directed = yes()?,
            "measure" => options.measure = Some(value.parse::<Measure>()?.into()),
            "where" => only.push(value.parse()?),
            "columns" => {
                let roles: Roles = value.parse()?;
                options.columns =
                    roles.iter().try_fold(options.columns, |all, (role, column)| all.and(role, column))?;
            }
            role => match role.parse::<Role>() {
                Ok(role) => options.columns = options.columns.and(role, value)?,
                Err(_) => bail!(
                    "{file}: `{role}` cannot be said of a file; kind, format, similarity, formula, measure, where, columns, nan-missing and directed can"
                ),
            },
        }
    }
    if options.kind == Some(FileKind::Features) && for_all.kind != options.kind {
        // A list of objects is one of those that are judged.
        options.objects = None;
    }
    if !only.is_empty() {
        let kept: Vec<String> = only.iter().map(ToString::to_string).collect();
        let note = format!("{path}: only rows with {}", kept.join(" and "));
        context.note(&note);
        context.keep(note);
    }
    Ok(StudyFile { path: path.to_owned(), source: context.source(path).only(only), options })
}

/// A study from files, and which they were.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) study: Study,
    pub(crate) inputs: Vec<InputFile>,
    pub(crate) seconds: f64,
}

/// What was assumed about a file, on one line.
pub(crate) fn said(file: &str, assumptions: &[String], context: &Context) {
    if !assumptions.is_empty() {
        context.note(&format!("{file}: {}", assumptions.join("; ")));
    }
}

/// A note of the library in the words of the command.
pub(crate) fn note(note: &Note, context: &Context) {
    context.keep(note.to_string());
    context.note(&match note {
        Note::Chosen { .. } => format!("{note} (--method chooses another)"),
        Note::Kernel { .. } => {
            format!("{note} (--kernel chooses another; standardise=yes where columns have different units)")
        }
        Note::OnlyFeatures { .. } => format!("{note}; `nearer place` puts them on the map"),
        _ => note.to_string(),
    });
}

/// One file, with everything that was assumed about it said.
pub(crate) fn load(file: &StudyFile, context: &Context) -> Result<Loaded> {
    Ok(nearer::io::load(file, &mut |n| note(&n, context))?)
}

/// All files of one study.
pub(crate) fn read(files: &[String], reading: &Reading, context: &Context) -> Result<Read> {
    read_with(files, &[], reading, context)
}

/// All files of one study, and the tables of the kernels that are asked for.
pub(crate) fn read_with(
    files: &[String],
    kernels: &[KernelSpec],
    reading: &Reading,
    context: &Context,
) -> Result<Read> {
    let started = Instant::now();
    let mut all = paths_of(files);
    let tables = StudyFile::tables(&all, kernels, |file| context.source(file));
    all.extend(tables.iter().map(|t| t.path.clone()));
    let files = reading.files(files, context)?;
    let study = nearer::io::read_study(&files, &tables, kernels, &mut |n| note(&n, context))?;
    all.extend(reading.objects.clone());
    Ok(Read { study, inputs: context.inputs(&all)?, seconds: started.elapsed().as_secs_f64() })
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

/// With the classes that a column of the metadata holds, where none of the features does.
pub(crate) fn classed(mut read: Read, reading: &Reading, metadata: Option<&str>, context: &Context) -> Result<Read> {
    let Some(name) = reading.classes.as_ref().filter(|_| read.study.sorts().is_none()) else {
        return Ok(read);
    };
    let objects = read.study.objects();
    let mut found = None;
    if let Some(file) = metadata {
        let (table, assumed) = read_metadata(&about_objects(file, context)?, &objects)?;
        said(file, &assumed, context);
        read.inputs.extend(context.inputs(&[path_of(file).to_owned()])?);
        found = table.column(name).map(|column| column.classes(&objects)).transpose()?;
    }
    let Some(classes) = found else {
        bail!("--classes {name}: neither the features nor the --metadata have a column of that name");
    };
    read.study = read.study.with(classes);
    Ok(read)
}
