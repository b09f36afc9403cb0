//! `nearer demo`: a finished map from built-in data, and the commands that make the same.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use nearer::evaluate::{Options, evaluation};
use nearer::io::{Outbox, save_model};
use nearer::method::table::find;
use nearer::report::Figure;
use nearer::text;
use nearer::{Distances, Evidence, Step, Study, toy};
use serde_json::json;

use super::embed::saved;
use super::page::{Material, NEIGHBOURS};
use super::stability::target;
use crate::context::{Context, Outcome};
use crate::figures::stress_in_corner;
use crate::output::{self, Output, Picture, Role};
use crate::progress::Watcher;

/// A finished map from built-in data, in seconds
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// The folder to write to; made if it is not there
    #[arg(long, short, value_name = "DIR", default_value = "nearer-demo")]
    output: PathBuf,
}

const METHOD: &str = "metric-mds";

impl Demo {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let folder = &self.output;
        if folder.exists() && !folder.is_dir() {
            bail!("cannot write to {}: it is a file; give the name of a folder by -o", folder.display());
        }
        std::fs::create_dir_all(folder).map_err(|e| anyhow!("cannot make the folder {}: {e}", folder.display()))?;
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
        let held = target(Some(&fit.model), Some(&fit.report), false);
        let mut e = evaluation(
            &fit.embedding,
            &cities,
            &Options { target: held, neighbours: NEIGHBOURS, ..Options::default() },
        )?;
        e.method = Some(fit.report.method.clone());
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
                        by_dimension: None,
                        reference: false,
                        files: Vec::new(),
                        seconds: None,
                        title: Some("European cities by road"),
                        colour_by: None,
                        shape_by: None,
                    };
                    output::put(&mut outbox, o, material.html(context)?.as_bytes())?;
                }
                Role::Report | Role::Certificate | Role::Weights | Role::WeightsFigure(_) => {}
            }
        }
        outbox.commit()?;
        let told: Vec<&str> = files.iter().map(|(name, _)| *name).chain(names).collect();
        if context.json {
            output::json_to_stdout(&json!({ "folder": folder, "files": told, "report": fit.report, "evaluation": e }))?;
        } else {
            let mut lines = vec!["Road distances between 21 European cities, turned into a map:".to_owned()];
            lines.extend(text::fit(&fit.report).iter().map(|l| format!("  {l}")));
            lines.extend(commands(folder));
            let text = lines.join("\n");
            output::to_stdout(|w| Ok(writeln!(w, "{text}")?))?;
        }
        Ok(Outcome::Good)
    }
}

fn commands(folder: &Path) -> Vec<String> {
    let at = |name: &str| {
        let path = folder.join(name).display().to_string();
        if path.contains(char::is_whitespace) { format!("'{path}'") } else { path }
    };
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
        "`nearer methods` lists the methods; `nearer place` puts new objects on the map.".into(),
    ]
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
    w.into_inner().map_err(|e| anyhow!("a table could not be written: {e}"))
}
