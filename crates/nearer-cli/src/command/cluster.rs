//! `nearer cluster`: objects in groups by their features and by pairs; new objects put into groups that were found before.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use nearer::cluster::{Cluster as Asked, ClusterMethod, Clusters, MetricShape};
use nearer::evidence::ConvertOptions;
use nearer::io::Outbox;
use nearer::metadata::Metadata;
use nearer::method::table::find;
use nearer::text::counted;
use nearer::{Evidence, Features, Pairs, Part, Step, Stop, Study};

use super::page::{Material, More};
use super::tables;
use crate::context::{Context, Outcome};
use crate::input::{self, Reading};
use crate::output::{self, Output, Role};
use crate::progress::Watcher;

/// Objects in groups, by their features and by what is said of pairs
#[derive(Debug, Args)]
pub(crate) struct Cluster {
    /// A table of features, and perhaps pairs that are alike or not (or classes of some objects); with --model the features
    /// of new objects
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// How many groups
    #[arg(short, long = "groups", value_name = "K", required_unless_present = "model", value_parser = clap::value_parser!(u32).range(1..))]
    k: Option<u32>,
    /// The method: k-means takes no notice of pairs, cop-k-means keeps all of them, mpck-means may break them at a cost and learns
    /// metrics (default: k-means without pairs, mpck-means with them)
    #[arg(long, short, value_enum)]
    method: Option<Method>,
    /// The metrics that mpck-means learns
    #[arg(long, value_enum, default_value_t = Shape::Diagonal)]
    metric: Shape,
    /// What a broken pair costs in mpck-means, as a multiple of the cost of one object
    #[arg(long, default_value_t = 1.0)]
    weight: f64,
    /// How strongly the metrics of mpck-means are drawn to the plain one: as if so many more objects, as a share of all, varied alike
    /// along all features; 0 is the method as published
    #[arg(long, default_value_t = 0.1)]
    prior: f64,
    /// Starts, of which the best is kept
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    starts: u32,
    /// Passes over the objects at most
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    max_iter: u32,
    /// Divide each feature by its standard deviation first
    #[arg(long)]
    unit_variance: bool,
    /// Put the objects into the groups of this .json instead of looking for groups
    #[arg(long, value_name = "FILE")]
    model: Option<String>,
    /// Write to this file, by its extension: .csv who is in which group, .json everything, to put new objects into the groups with
    /// --model, .html a page; may be given several times
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// The centres of the groups, a row each, as .csv
    #[arg(long, value_name = "FILE")]
    centres: Option<PathBuf>,
    /// Exit with 1 when it did not settle
    #[arg(long)]
    converged: bool,
    /// A table with a row for each object, of which --classes names the column of classes: those of one are to be together
    #[arg(long, value_name = "FILE")]
    metadata: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[allow(clippy::enum_variant_names)] // they are the names of the methods
enum Method {
    KMeans,
    CopKMeans,
    MpckMeans,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shape {
    /// One weight for each feature
    Diagonal,
    /// A weight for each feature and group
    Diagonals,
    /// One full metric
    Single,
    /// A full metric for each group
    Full,
}

impl Cluster {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let files = self.outputs()?;
        if !(self.weight.is_finite() && self.weight > 0.0) {
            bail!("--weight is {}; give a number above 0", self.weight);
        }
        if !(self.prior.is_finite() && self.prior >= 0.0) {
            bail!("--prior is {}; give 0 or more", self.prior);
        }
        let read = input::read(&self.files, &self.reading.clone().of_features(), context)?;
        let read = input::classed(read, &self.reading, self.metadata.as_deref(), context)?;
        let [(_, features)] = read.study.features() else {
            bail!("{} tables of features are given; give one, and pairs if there are any", read.study.features().len());
        };
        if let Some(model) = &self.model {
            return self.assigned(model, features, &files, context);
        }
        let pairs = self.pairs(&read.study, context)?;
        let method = match self.method {
            Some(Method::KMeans) => ClusterMethod::KMeans,
            Some(Method::CopKMeans) => ClusterMethod::CopKMeans,
            Some(Method::MpckMeans) => ClusterMethod::MpckMeans,
            None if pairs.is_some() => ClusterMethod::MpckMeans,
            None => ClusterMethod::KMeans,
        };
        let shape = match self.metric {
            Shape::Diagonal => MetricShape::Diagonal,
            Shape::Diagonals => MetricShape::Diagonals,
            Shape::Single => MetricShape::Single,
            Shape::Full => MetricShape::Full,
        };
        let asked = Asked::new(method, self.k.unwrap_or(1) as usize)
            .shape(shape)
            .weight(self.weight)
            .prior(self.prior)
            .starts(self.starts as usize)
            .max_iter(self.max_iter as usize)
            .standardise(self.unit_variance);
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let found = asked.fit(features, pairs.as_ref(), &context.run().watched(&watch))?;
        context.notes(words(&found));
        let outbox = self.prepare(&files, &found, features, context)?;
        output::stdout_then_files(outbox, &files, context, || match (context.json, files.is_empty()) {
            (true, _) => output::json_to_stdout(&found.report),
            (false, true) => output::words_to_stdout(&String::from_utf8_lossy(&table(&rows_of(&found))?)),
            _ => Ok(()),
        })?;
        if self.converged && found.report.stop != Stop::Converged {
            context.note(&format!("not settled ({}), and --converged was asked for", found.report.stop));
            return Ok(Outcome::NotConverged);
        }
        Ok(Outcome::Good)
    }

    /// The pairs of the study, those that classes of some objects make among them.
    fn pairs(&self, study: &Study, context: &Context) -> Result<Option<Pairs>> {
        match study.main() {
            None => Ok(None),
            Some(Evidence::Pairs(_) | Evidence::Sorts(_) | Evidence::Taxonomy(_)) => {
                let options = ConvertOptions { seed: context.seed, ..ConvertOptions::default() };
                let (suited, notes) = study.suited("cluster", &[&[Part::Pairs][..]], &options)?;
                let of_features = |n: &&nearer::study::Note| !matches!(n, nearer::study::Note::Unused { .. });
                notes.iter().filter(of_features).for_each(|n| input::note(n, context));
                Ok(suited.pairs().cloned())
            }
            Some(other) => bail!("{} cannot guide a clustering; give pairs that are alike or not", other.kind()),
        }
    }

    /// New objects in old groups.
    fn assigned(&self, model: &str, features: &Features, files: &[Output], context: &Context) -> Result<Outcome> {
        let text = std::fs::read(model).map_err(|e| anyhow!("{model} cannot be read: {e}"))?;
        let found = Clusters::from_json(&text).map_err(|e| anyhow!("{model}: {e}"))?;
        let groups = found.assign(features)?;
        let labels = features.objects().labels().iter();
        let rows: Vec<Row> = labels.zip(groups).map(|(l, (g, d))| (l.clone(), g, d)).collect();
        let mut outbox = Outbox::new();
        for o in files {
            match o.role {
                Role::Map(nearer::io::Format::Csv) => output::put(&mut outbox, o, &table(&rows)?)?,
                _ => bail!("{}: new objects are written as .csv", o.path.display()),
            }
        }
        output::stdout_then_files(outbox, files, context, || match files.is_empty() {
            true => output::words_to_stdout(&String::from_utf8_lossy(&table(&rows)?)),
            false => Ok(()),
        })?;
        Ok(Outcome::Good)
    }

    fn outputs(&self) -> Result<Vec<Output>> {
        let all: Vec<PathBuf> = self.output.iter().chain(&self.centres).cloned().collect();
        let outputs = output::plan(&all)?;
        let able = |o: &&Output| {
            let csv = matches!(o.role, Role::Map(nearer::io::Format::Csv));
            csv || (self.centres.as_ref() != Some(&o.path) && matches!(o.role, Role::Report | Role::Page))
        };
        if let Some(other) = outputs.iter().find(|o| !able(o)) {
            bail!("{}: clusters are written as .csv, .json or .html, and --centres as .csv", other.path.display());
        }
        Ok(outputs)
    }

    fn prepare(&self, files: &[Output], found: &Clusters, features: &Features, context: &Context) -> Result<Outbox> {
        let mut outbox = Outbox::new();
        for o in files {
            let bytes = match o.role {
                Role::Report => found.to_json()?,
                Role::Page => self.page(found, features, context)?.into_bytes(),
                _ if self.centres.as_ref() == Some(&o.path) => centres(found)?,
                _ => table(&rows_of(found))?,
            };
            output::put(&mut outbox, o, &bytes)?;
        }
        Ok(outbox)
    }

    /// A page of the objects along the widest axes of what they are grouped by, coloured by group.
    fn page(&self, found: &Clusters, features: &Features, context: &Context) -> Result<String> {
        let standardise = if self.unit_variance { "yes" } else { "no" };
        let dim = features.columns().len().min(2).to_string();
        // Whitened within groups: what a linear map shows of them best.
        let rca = find("rca")?;
        let settings = rca.settings([("dim", dim.as_str()), ("unit-variance", standardise)])?;
        let metadata = Metadata { columns: vec![found.column()] };
        let sorts = found.column().classes(features.objects())?;
        let study = Study::from(features.clone()).with(sorts);
        let fit = rca.fit(&settings, &study, &context.run())?;
        let material = Material {
            map: &fit.embedding,
            model: None,
            report: None,
            evidence: None,
            metadata: &metadata,
            images: &[],
            steadiness: None,
            links: (&[], false),
            reference: false,
            more: More::default(),
            files: input::paths_of(&self.files),
            seconds: None,
            title: Some("Clusters"),
            colour_by: Some("cluster"),
            shape_by: None,
            layers: None,
        };
        material.html(context)
    }
}

/// A label, its group and how far it is from the centre.
type Row = (String, u32, f64);

fn rows_of(found: &Clusters) -> Vec<Row> {
    let all = found.labels().iter().zip(found.of()).zip(found.distances());
    all.map(|((l, g), d)| (l.clone(), *g, *d)).collect()
}

fn table(rows: &[Row]) -> Result<Vec<u8>> {
    let mut w = csv::Writer::from_writer(Vec::new());
    w.write_record(["label", "cluster", "distance"])?;
    for (label, group, distance) in rows {
        w.write_record([label.as_str(), &(group + 1).to_string(), &distance.to_string()])?;
    }
    tables::finish(w)
}

fn centres(found: &Clusters) -> Result<Vec<u8>> {
    let mut w = csv::Writer::from_writer(Vec::new());
    let (columns, centres) = found.centres();
    let weights = found.weights();
    let mut head = vec!["cluster".to_owned(), "objects".to_owned()];
    head.extend(columns.iter().cloned());
    if !weights.is_empty() {
        head.extend(columns.iter().map(|c| format!("weight of {c}")));
    }
    w.write_record(&head)?;
    for (k, centre) in centres.iter().enumerate() {
        let mut cells = vec![(k + 1).to_string(), found.report.sizes[k].to_string()];
        cells.extend(centre.iter().chain(weights.get(k).into_iter().flatten()).map(ToString::to_string));
        w.write_record(&cells)?;
    }
    tables::finish(w)
}

fn words(found: &Clusters) -> Vec<String> {
    let r = &found.report;
    let sizes: Vec<String> = r.sizes.iter().map(ToString::to_string).collect();
    let mut lines = vec![
        format!("{} objects in {} groups by {}, seed {}: {}", r.objects, r.k, r.method, r.seed, sizes.join(", ")),
        format!(
            "objective {:.6}, {} after {}",
            r.objective,
            r.stop,
            if r.passes == 1 { "1 pass".into() } else { format!("{} passes", r.passes) }
        ),
    ];
    if r.must_links.0 + r.cannot_links.0 > 0 {
        let side = |(pairs, broken): (usize, usize), of: &str, are: &str| {
            (pairs > 0).then(|| format!("of {} {of} {broken} {are}", counted(pairs, "pair")))
        };
        let sides = [
            side(r.must_links, "alike", if r.must_links.1 == 1 { "is in two groups" } else { "are in two groups" }),
            side(r.cannot_links, "not alike", if r.cannot_links.1 == 1 { "is in one" } else { "are in one" }),
        ];
        lines.push(sides.into_iter().flatten().collect::<Vec<_>>().join(", "));
    }
    lines.extend(r.warnings.iter().map(|w| format!("warning: {w}")));
    lines
}
