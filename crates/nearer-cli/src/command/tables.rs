//! An evaluation in columns of words for the terminal, and as tables for others to draw from.

use anyhow::{Result, anyhow, bail};
use nearer::evaluate::ShepardPair;
use nearer::io::{write_maps, write_people};
use nearer::report::{ClassEvaluation, Evaluation, FitReport, JudgementEvaluation, PersonReading, Procrustes};
use nearer::text::{self, Fact};
use nearer::{Bound, Distances, Objects};

use super::stability::Steadiness;
use crate::output::{Output, Role};

/// What a person should know of a map and the distances it is held against.
pub(super) fn of_evaluation(e: &Evaluation) -> String {
    let facts = [text::evaluation(e), text::each_of_evaluation(e)].concat();
    in_words(e.objects, e.dim, e.method.as_deref(), facts, e.procrustes.as_ref(), &e.warnings)
}

/// What a person should know of a map and the judgements it is held against.
pub(super) fn of_judgements(e: &JudgementEvaluation) -> String {
    let facts = [text::judgements(e), text::each_of_judgements(e)].concat();
    in_words(e.objects, e.dim, e.method.as_deref(), facts, e.procrustes.as_ref(), &e.warnings)
}

/// What a person should know of a map and the classes it is held against.
pub(super) fn of_classes(e: &ClassEvaluation) -> String {
    in_words(e.objects, e.dim, e.method.as_deref(), text::classes(e), None, &e.warnings)
}

fn in_words(
    objects: usize,
    dim: usize,
    method: Option<&str>,
    facts: Vec<Fact>,
    other: Option<&Procrustes>,
    warnings: &[String],
) -> String {
    let fact = |name, words: String| Fact { name, words };
    let method = method.map_or(String::new(), |m| format!(", by {m}"));
    let mut all = vec![fact(
        "objects",
        format!("{objects} in {dim} {}{method}", if dim == 1 { "dimension" } else { "dimensions" }),
    )];
    all.extend(facts);
    all.extend(other.map(|p| {
        let words =
            format!("Procrustes correlation {:.4} (1 when they agree), rms distance {:.4}", p.correlation, p.rmse);
        fact("other map", words)
    }));
    all.extend(warnings.iter().map(|w| fact("warning", w.clone())));
    text::in_columns(&all)
}

/// A table that a fit makes beside its map, by the role of its file.
pub(super) fn of_fit(
    file: &Output,
    objects: &Objects,
    report: &FitReport,
    steadiness: Option<&Steadiness>,
) -> Result<Vec<u8>> {
    let (path, mut table) = (file.path.display(), Vec::new());
    if let (Role::Maps, Some(maps)) = (file.role, &report.maps) {
        write_maps(&mut table, objects, maps)?;
        return Ok(table);
    }
    if let (Role::People, Some(people)) = (file.role, &report.people) {
        return weights_csv(people);
    }
    match (file.role, &report.lapses, steadiness) {
        (Role::People, Some(lapsed), _) if !lapsed.participants.is_empty() => write_people(&mut table, lapsed)?,
        (Role::Ellipses, _, Some(steadiness)) => return steadiness.table(),
        (Role::People, ..) => bail!(
            "no participant has a rate of lapses, so {path} cannot be written; name the column of participants, and leave --lapses at auto"
        ),
        _ => bail!("there are no ellipses, so {path} cannot be written; ask for them by --ellipses"),
    }
    Ok(table)
}

/// Weights, stress and scale of each person on a common map; a matrix takes a row for each of its own.
fn weights_csv(people: &[PersonReading]) -> Result<Vec<u8>> {
    let mut w = csv::Writer::from_writer(Vec::new());
    let axes = people.first().map_or(0, |p| p.weights[0].len());
    let names = (1..=axes).map(|k| format!("axis {k}"));
    w.write_record(["person".to_owned()].into_iter().chain(names).chain(["stress1".to_owned(), "scale".to_owned()]))?;
    for p in people {
        for weights in &p.weights {
            let numbers = weights.iter().chain([&p.stress1, &p.scale]).map(|v| format!("{v:?}"));
            w.write_record([p.person.clone()].into_iter().chain(numbers))?;
        }
    }
    finish(w)
}

/// Every known pair: data, disparity, distance.
pub(super) fn pairs_csv(pairs: &[ShepardPair], data: &Distances) -> Result<Vec<u8>> {
    let labels = data.objects().labels();
    let mut w = csv::Writer::from_writer(Vec::new());
    w.write_record(["from", "to", "data", "bound", "disparity", "distance", "weight", "residual"])?;
    for p in pairs {
        let bound = match p.bound {
            Bound::Exact => "",
            Bound::AtMost => "at-most",
            Bound::AtLeast => "at-least",
        };
        let numbers = [p.data, p.disparity, p.distance, p.weight, p.residual].map(|v| v.to_string());
        let [value, disparity, distance, weight, residual] = numbers.each_ref().map(String::as_str);
        let (a, b) = (&labels[p.pair.first().index()], &labels[p.pair.second().index()]);
        w.write_record([a, b, value, bound, disparity, distance, weight, residual])?;
    }
    finish(w)
}

/// The share of each object in the stress.
pub(super) fn objects_csv(e: &Evaluation) -> Result<Vec<u8>> {
    let mut w = csv::Writer::from_writer(Vec::new());
    w.write_record(["label", "percent"])?;
    for o in &e.per_object {
        w.write_record([o.label.as_str(), &o.percent.to_string()])?;
    }
    finish(w)
}

/// The stress in each number of dimensions.
pub(super) fn dimensions_csv(e: &Evaluation) -> Result<Vec<u8>> {
    let mut w = csv::Writer::from_writer(Vec::new());
    let names = [
        "dim",
        "stress1",
        "raw_stress",
        "normalized_stress",
        "residual_variance",
        "trustworthiness",
        "continuity",
        "stop",
    ];
    w.write_record(names)?;
    for p in e.by_dimension.iter().flatten() {
        let numbers = [p.stress1, p.raw_stress, p.normalized_stress].map(|v| v.to_string());
        let [stress1, raw, normalized] = numbers.each_ref().map(String::as_str);
        let known =
            [p.residual_variance, p.trustworthiness, p.continuity].map(|v| v.map_or(String::new(), |v| v.to_string()));
        let [residual, trust, continuity] = known.each_ref().map(String::as_str);
        w.write_record([
            &p.dim.to_string(),
            stress1,
            raw,
            normalized,
            residual,
            trust,
            continuity,
            &p.stop.to_string(),
        ])?;
    }
    finish(w)
}

/// The bytes of a table.
pub(super) fn finish(w: csv::Writer<Vec<u8>>) -> Result<Vec<u8>> {
    w.into_inner().map_err(|e| anyhow!("a table could not be written: {e}"))
}
