//! Colours judged by twenty people, two of whom answer at random: the map, who they are, and what it predicts.

use std::path::Path;

use anyhow::Result;
use nearer::evaluate::{By, held_out_scored, laplace, log_likelihood};
use nearer::geometry::align;
use nearer::io::{Outbox, write_people};
use nearer::metadata::Metadata;
use nearer::method::table::find;
use nearer::report::{Figure, Worth};
use nearer::text;
use nearer::{Comparisons, Evidence, Fit, Run, Step, Study, toy};
use serde_json::json;

use super::{Shown, typed};
use crate::command::page::{Material, More};
use crate::command::results::saved;
use crate::command::stability::Steadiness;
use crate::command::tables;
use crate::context::Context;
use crate::output::{self, Output, Role};
use crate::progress::Watcher;

/// Answers of each person, and the seed of the made-up answers.
const EACH: usize = 150;
const SEED: u64 = 1;
const TITLE: &str = "Colours judged by twenty people";
const FOLDS: usize = 5;

/// Makes it all, writes it, and says what came of it.
pub(super) fn shown(folder: &Path, context: &Context) -> Result<Shown> {
    let judged = toy::judged_colours(EACH, SEED);
    let method = find("choice")?;
    let settings = method.settings([])?;
    let watcher = Watcher::new(context);
    let watch = |step: &Step| watcher.see(step);
    let run = context.run().watched(&watch);
    let fitted = |c: &Comparisons, run: &Run<'_>| method.fit(&settings, &Study::from(c.clone()), run);
    let fit = fitted(&judged.answers, &run)?;
    let score = |fit: &Fit<_>, c: &Comparisons| log_likelihood(&fit.embedding, &fit.model, &fit.report, c);
    let mut held = held_out_scored(&judged.answers, By::Rows, FOLDS, fitted, score, &run)?;
    held.method = Some(method.name.into());
    let lapses = fit.report.lapses.as_ref();
    let sure = laplace(&fit.embedding, &fit.model, lapses, &judged.answers, &run)?;
    let steadiness = Steadiness::by_curvature(&sure, (0, 1));
    let truth = align(judged.truth.points(), fit.embedding.points(), true)?;
    let column = &judged.metadata.columns[0];
    let figure = Figure::new(&fit.embedding).title(TITLE).colour_by(column).ellipses(steadiness.ellipses());
    let evidence = Evidence::Comparisons(judged.answers.clone());
    let material = Material {
        map: &fit.embedding,
        model: Some(&fit.model),
        report: Some(&fit.report),
        evidence: Some(&evidence),
        metadata: &judged.metadata,
        images: &[],
        steadiness: Some((&steadiness, (0, 1))),
        links: (&[], false),
        reference: false,
        more: More { held_out: Some(held.clone()), ..More::default() },
        files: Vec::new(),
        seconds: None,
        title: Some(TITLE),
        colour_by: Some("colour"),
        shape_by: None,
        layers: None,
    };
    let mut people = Vec::new();
    if let Some(lapses) = lapses {
        write_people(&mut people, lapses)?;
    }
    let mut outbox = Outbox::new();
    let files = [
        ("colours.csv", answers_csv(&judged.answers)?),
        ("colours-meta.csv", meta_csv(&judged.answers, &judged.metadata)?),
        ("colours.people.csv", people),
        ("colours.ellipses.csv", steadiness.table()?),
        ("colours.svg", figure.svg()?.into_bytes()),
        ("colours.png", figure.png(300.0)?),
        ("colours.html", material.html(context)?.into_bytes()),
    ];
    for (name, bytes) in &files {
        output::put(&mut outbox, &Output { path: folder.join(name), role: Role::Report }, bytes)?;
    }
    outbox.file(folder.join("colours.nearer"), |w| nearer::io::save_model(w, &saved(&fit)))?;
    outbox.commit()?;
    let found: Vec<&str> = lapses
        .iter()
        .flat_map(|l| l.participants.iter())
        .filter(|p| p.verdict != Worth::Usable)
        .map(|p| p.participant.as_str())
        .collect();
    let mut words = vec![format!(
        "{} colours of one lightness, judged by twenty people of whom two answer at random:",
        judged.truth.len()
    )];
    words.extend(text::fit(&fit.report).iter().map(|l| format!("  {l}")));
    words.push(format!(
        "  found to answer at random: {}; who really did: {}",
        if found.is_empty() { "nobody".into() } else { found.join(", ") },
        judged.careless.join(", ")
    ));
    words.push(format!(
        "  of answers held out {:.1} % hold, and the true colours lie {:.1} % of the size of the map beside it",
        100.0 * held.test.mean,
        100.0 * truth.disparity.sqrt()
    ));
    words.extend(commands(folder));
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).chain(["colours.nearer"]).collect();
    let json = json!({
        "folder": folder, "files": names, "report": fit.report, "held_out": held, "stability": steadiness,
        "careless": judged.careless, "found": found, "disparity": truth.disparity,
    });
    Ok(Shown { json, words })
}

fn commands(folder: &Path) -> Vec<String> {
    let at = |name: &str| typed(folder, name);
    let (answers, model, meta) = (at("colours.csv"), at("colours.nearer"), at("colours-meta.csv"));
    vec![
        String::new(),
        format!(
            "Open {} in a browser: the map in its own colours, who lapsed, and how sure each place is.",
            at("colours.html")
        ),
        "The same by hand, and then with your own answers in place of these:".into(),
        format!("  nearer embed {answers} -o {model} -o {} --ellipses laplace", at("colours.ellipses.csv")),
        format!("  nearer eval {model} {answers} --held-out rows --dimensions 1-4"),
        format!("  nearer clean {answers} --drop-lapsed --repair none --no-vote -o {}", at("colours-kept.csv")),
        format!(
            "  nearer report {model} {answers} --metadata {meta} --colour-by colour --ellipses laplace --held-out rows -o {}",
            at("colours.html")
        ),
    ]
}

/// The answers as people hold them.
fn answers_csv(answers: &Comparisons) -> Result<Vec<u8>> {
    let Some(trials) = answers.trials() else { return Ok(Vec::new()) };
    let mut w = csv::Writer::from_writer(Vec::new());
    w.write_record(["head", "near", "far", "participant"])?;
    for trial in trials.iter() {
        let label = |k: usize| trials.objects().labels()[trial.items[k].index()].as_str();
        let who = trial.answered.participant.map_or("", |w| trials.participants()[w as usize].as_str());
        w.write_record([label(0), label(1), label(2), who])?;
    }
    tables::finish(w)
}

/// The colours themselves.
fn meta_csv(answers: &Comparisons, metadata: &Metadata) -> Result<Vec<u8>> {
    let mut w = csv::Writer::from_writer(Vec::new());
    w.write_record(["label", "colour"])?;
    for (label, colour) in answers.objects().labels().iter().zip(&metadata.columns[0].values) {
        w.write_record([label.as_str(), colour.as_deref().unwrap_or_default()])?;
    }
    tables::finish(w)
}
