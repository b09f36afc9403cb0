//! `nearer demo`: finished maps from built-in data, and the commands that make the same.

mod colours;

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use nearer::io::{Outbox, save_model};
use nearer::method::table::find;
use nearer::report::Figure;
use nearer::show::{NEIGHBOURS, Seen};
use nearer::text;
use nearer::{Distances, Evidence, Step, Study, toy};
use serde_json::{Value, json};

use crate::command::page::{Material, More};
use crate::command::results::saved;
use crate::command::tables;
use crate::context::{Context, Outcome};
use crate::figures::stress_in_corner;
use crate::output::{self, Output, Picture, Role};
use crate::progress::Watcher;

/// Finished maps from built-in data, in seconds
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Which of them (default: both): cities by road, or colours judged by people
    #[arg(value_enum, value_name = "WHICH")]
    which: Option<Which>,
    /// The folder to write to; made if it is not there
    #[arg(long, short, value_name = "DIR", default_value = "nearer-demo")]
    output: PathBuf,
}

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    Cities,
    Colours,
}

const METHOD: &str = "metric-mds";

impl Demo {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let folder = &self.output;
        if folder.exists() && !folder.is_dir() {
            bail!("cannot write to {}: it is a file; give the name of a folder by -o", folder.display());
        }
        std::fs::create_dir_all(folder).map_err(|e| anyhow!("cannot make the folder {}: {e}", folder.display()))?;
        let mut told = Vec::new();
        if self.which != Some(Which::Colours) {
            told.push(cities(folder, context)?);
        }
        if self.which != Some(Which::Cities) {
            told.push(colours::shown(folder, context)?);
        }
        if context.json {
            // One demo is told as ever; two as a list.
            let all: Vec<Value> = told.into_iter().map(|t| t.json).collect();
            output::json_to_stdout(&if let [one] = all.as_slice() { one.clone() } else { json!(all) })?;
        } else {
            let text = told.into_iter().map(|t| t.words.join("\n")).collect::<Vec<_>>().join("\n\n");
            output::to_stdout(|w| {
                writeln!(w, "{text}")?;
                Ok(writeln!(w, "`nearer methods` lists the methods; `nearer place` puts new objects on the map.")?)
            })?;
        }
        Ok(Outcome::Good)
    }
}

/// What a part of the demo says.
pub(super) struct Shown {
    pub(super) json: Value,
    pub(super) words: Vec<String>,
}

/// Cities by road.
fn cities(folder: &Path, context: &Context) -> Result<Shown> {
    let names = ["map.csv", "map.nearer", "map.svg", "map.png", "map.pdf", "page.html"];
    let paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    let outputs = output::plan(&paths)?;
    let cities = toy::cities();
    let evidence = Evidence::Distances(cities.clone());
    let method = find(METHOD)?;
    let fit = {
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        method.fit(&method.settings([])?, &Study::from(cities.clone()), &context.run().watched(&watch))?
    };
    let e = Seen::from(&fit).evaluation(&cities, false, NEIGHBOURS, &context.run())?;
    let mut outbox = Outbox::new();
    let files = [("cities.csv", square_csv(&cities)?), ("evaluation.json", serde_json::to_vec_pretty(&e)?)];
    for (name, bytes) in &files {
        output::put(&mut outbox, &Output { path: folder.join(name), role: Role::Report }, bytes)?;
    }
    let corner = stress_in_corner(fit.report.stress1).unwrap_or_default();
    let figure = Figure::new(&fit.embedding).title("European cities by road").corner(corner);
    for o in &outputs {
        match o.role {
            Role::Map(format) => output::put_map(&mut outbox, o, &fit.embedding, format)?,
            Role::Model => outbox.file(&o.path, |w| save_model(w, &saved(&fit)))?,
            Role::Figure(Picture::Svg) => output::put(&mut outbox, o, figure.svg()?.as_bytes())?,
            Role::Figure(Picture::Png) => output::put(&mut outbox, o, &figure.png(300.0)?)?,
            Role::Figure(Picture::Pdf) => output::put(&mut outbox, o, &figure.pdf()?)?,
            Role::Page => {
                let material = Material {
                    map: &fit.embedding,
                    model: Some(&fit.model),
                    report: Some(&fit.report),
                    evidence: Some(&evidence),
                    metadata: &nearer::metadata::Metadata::default(),
                    images: &[],
                    steadiness: None,
                    links: (&[], false),
                    reference: false,
                    more: More::default(),
                    files: Vec::new(),
                    seconds: None,
                    title: Some("European cities by road"),
                    colour_by: None,
                    shape_by: None,
                    layers: None,
                };
                output::put(&mut outbox, o, material.html(context)?.as_bytes())?;
            }
            Role::Report
            | Role::Certificate
            | Role::Weights
            | Role::WeightsFigure(_)
            | Role::Ellipses
            | Role::People
            | Role::Maps => {}
        }
    }
    outbox.commit()?;
    let told: Vec<&str> = files.iter().map(|(name, _)| *name).chain(names).collect();
    let mut words = vec!["Road distances between 21 European cities, turned into a map:".to_owned()];
    words.extend(text::fit(&fit.report).iter().map(|l| format!("  {l}")));
    words.extend(commands(folder));
    let json = json!({ "folder": folder, "files": told, "report": fit.report, "evaluation": e });
    Ok(Shown { json, words })
}

fn commands(folder: &Path) -> Vec<String> {
    let at = |name: &str| typed(folder, name);
    let (cities, model, map) = (at("cities.csv"), at("map.nearer"), at("map.csv"));
    vec![
        String::new(),
        format!(
            "Open {} in a browser (a double click will do): the map, how good it is, and how sure.",
            at("page.html")
        ),
        "The same by hand, and then with your own distances in place of the cities:".into(),
        format!("  nearer check {cities}"),
        format!("  nearer embed {cities} --method {METHOD} -o {map} -o {model} -o {}", at("map.svg")),
        format!("  nearer eval {model} {cities}"),
        format!("  nearer report {model} {cities} -o {} --title 'European cities by road'", at("page.html")),
        format!("  nearer plot {model} -o {} --title 'European cities by road'", at("map.pdf")),
    ]
}

/// A file of the folder as it is typed.
pub(super) fn typed(folder: &Path, name: &str) -> String {
    let path = folder.join(name).display().to_string();
    if path.contains(char::is_whitespace) { format!("'{path}'") } else { path }
}

/// The distances as people hold them: a square with labels above and beside.
fn square_csv(d: &Distances) -> Result<Vec<u8>> {
    let labels = d.objects().labels();
    let mut w = csv::Writer::from_writer(Vec::new());
    w.write_record([""].into_iter().chain(labels.iter().map(String::as_str)))?;
    for (i, label) in labels.iter().enumerate() {
        let row = (0..d.len()).map(|j| d.between(i, j).map_or(String::new(), |v| v.to_string()));
        w.write_record([label.clone()].into_iter().chain(row))?;
    }
    tables::finish(w)
}
