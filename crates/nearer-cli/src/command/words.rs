//! An evaluation in plain words, and as tables for others to draw from.

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use nearer::evaluate::ShepardPair;
use nearer::report::Evaluation;
use nearer::{Bound, Distances};

use crate::summary::gloss;

/// What a person should know of a map.
pub(super) fn of_evaluation(e: &Evaluation) -> String {
    let mut text = String::new();
    let mut line = |name: &str, what: String| {
        let _ = writeln!(text, "{name:<17} {what}");
    };
    let method = e.method.as_ref().map_or(String::new(), |m| format!(", by {m}"));
    line("objects", format!("{} in {} dimensions{method}", e.objects, e.dim));
    line("stress-1", format!("{:.4} against the {}: {}", e.stress1, against(&e.target), gloss(e.stress1)));
    line("raw stress", format!("{}; normalised {:.6}", e.raw_stress, e.normalized_stress));
    if e.input.missing + e.input.censored > 0 {
        line("pairs", format!("{}, {} missing, {} known by a bound", e.input.pairs, e.input.missing, e.input.censored));
    }
    if let (Some(t), Some(c), Some(k)) = (e.trustworthiness, e.continuity, e.neighbours) {
        line("trustworthiness", format!("{t:.4}: {k} neighbours on the map are neighbours in the data (1 is perfect)"));
        line("continuity", format!("{c:.4}: {k} neighbours in the data are neighbours on the map (1 is perfect)"));
    }
    if let Some(dims) = e.dims95 {
        line("spectrum", format!("{dims} dimensions carry 95 %"));
    }
    let mut objects: Vec<_> = e.per_object.iter().collect();
    objects.sort_by(|a, b| b.percent.total_cmp(&a.percent));
    let most: Vec<String> = objects.iter().take(5).map(|o| format!("{} {:.1} %", o.label, o.percent)).collect();
    line("most stress", most.join(", "));
    for (k, p) in e.worst_pairs.iter().take(5).enumerate() {
        let which = if p.residual > 0.0 { "too near" } else { "too far apart" };
        let what = format!(
            "{} and {}: {} in the data, {:.4} on the map, {which} by {:.4}",
            p.a,
            p.b,
            p.data,
            p.distance,
            p.residual.abs()
        );
        line(if k == 0 { "worst pairs" } else { "" }, what);
    }
    if let Some(p) = &e.procrustes {
        line(
            "other map",
            format!("Procrustes correlation {:.4} (1 when they agree), rms distance {:.4}", p.correlation, p.rmse),
        );
    }
    for (k, p) in e.by_dimension.iter().flatten().enumerate() {
        line(if k == 0 { "dimensions" } else { "" }, format!("{}: stress-1 {:.4} ({})", p.dim, p.stress1, p.stop));
    }
    if let Some(s) = &e.stability {
        line(
            "stability",
            format!("{:.4} over {} replicates ({}; 1 is perfectly steady)", s.stability, s.replicates, s.kind),
        );
        let mut spread: Vec<_> = s.per_object.iter().collect();
        spread.sort_by(|a, b| b.spread.total_cmp(&a.spread));
        let most: Vec<String> = spread.iter().take(5).map(|o| format!("{} {:.4}", o.label, o.spread)).collect();
        line("least steady", most.join(", "));
    }
    for warning in &e.warnings {
        line("warning", warning.clone());
    }
    text
}

fn against(target: &str) -> &str {
    match target {
        "ordinal" => "order of the data",
        "transform" => "data as the model transforms them",
        _ => "data",
    }
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
    w.write_record(["dim", "stress1", "raw_stress", "normalized_stress", "stop"])?;
    for p in e.by_dimension.iter().flatten() {
        let numbers = [p.stress1, p.raw_stress, p.normalized_stress].map(|v| v.to_string());
        let [stress1, raw, normalized] = numbers.each_ref().map(String::as_str);
        w.write_record([&p.dim.to_string(), stress1, raw, normalized, &p.stop.to_string()])?;
    }
    finish(w)
}

fn finish(w: csv::Writer<Vec<u8>>) -> Result<Vec<u8>> {
    w.into_inner().map_err(|e| anyhow!("a table could not be written: {e}"))
}
