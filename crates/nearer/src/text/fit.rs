//! A fit in plain words.

use super::lapses::lapses;
use super::paper::{counted, times};
use super::stop::ended;
use crate::program::{Sense, safe, value};
use crate::report::{FeatureReading, FeatureShare, FitReport};
use crate::settings::Value;
use crate::solve::Stop;
use nearer_num::order;

/// A stress with what it must be compared at: more objects raise it, more dimensions lower it.
#[must_use]
pub fn stress(stress1: f64, objects: usize, dim: usize) -> String {
    format!("{stress1:.4} with {} in {}", counted(objects, "object"), counted(dim, "dimension"))
}

/// The lines that a person should read after a fit.
#[must_use]
pub fn fit(report: &FitReport) -> Vec<String> {
    let mut lines = Vec::new();
    lines.push(format!(
        "{} in {} by {}, seed {}",
        counted(report.objects, "object"),
        counted(report.dim, "dimension"),
        report.method,
        report.seed
    ));
    let input = &report.input;
    let counts = [(input.missing, "missing"), (input.censored, "known only by a bound"), (input.repeated, "repeated")];
    if counts.iter().any(|(count, _)| *count > 0) {
        let words: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        lines.push(format!("of {} pairs {}", input.pairs, words.join(", ")));
    }
    if let Some(stress1) = report.stress1 {
        lines.push(format!("stress-1 {}", stress(stress1, report.objects, report.dim)));
    }
    if let Some(share) = report.agreement {
        lines.push(format!("{:.1} % of the judgements hold on the map", 100.0 * share));
    }
    if let Some(lapsed) = &report.lapses {
        lines.push(lapses(lapsed));
    }
    if let Some(tuning) = &report.tuning
        && report.kernels.is_none()
    {
        let best = &tuning.tried[tuning.taken];
        let settings: Vec<String> = best.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
        lines.push(format!(
            "{} chosen among {} by the {}, {:.4}",
            settings.join(", "),
            tuning.tried.len(),
            tuning.score_is,
            best.score
        ));
    }
    if let Some(reading) = &report.kernels {
        let percent = |v: f64| format!("{:.0} %", 100.0 * v);
        let each: Vec<String> = reading
            .kernels
            .iter()
            .map(|k| match k.native {
                Some(native) => format!("{} {} (alone, unlearned, {} hold)", k.name, percent(k.share), percent(native)),
                None => format!("{} {}", k.name, percent(k.share)),
            })
            .collect();
        lines.push(format!("share of the kernels in the distances: {}", each.join(", ")));
        if let (Some(native), Some(learned)) = (reading.native, reading.learned) {
            lines.push(format!(
                "of the comparisons {:.1} % hold before learning, {:.1} % in all dimensions of the solution",
                100.0 * native,
                100.0 * learned
            ));
        }
    }
    if let Some(reading) = &report.features {
        lines.push(features(reading));
    }
    let count = |name: &str| report.figures.get(name).and_then(Value::number).map(|v| v as usize);
    if let (Some(alike), Some(not)) = (count("similar"), count("dissimilar")) {
        let drawn = if report.figures.contains_key("drawn") { ", drawn from the classes by the seed" } else { "" };
        lines.push(format!("learned from {} alike and {not} not alike{drawn}", counted(alike, "pair")));
    }
    if let Some((all, positive)) = report.spectrum.as_ref().and_then(|s| s.goodness(report.dim)) {
        lines.push(carried(report.dim, all, positive));
    }
    if let Some(share) = report.spectrum.as_ref().and_then(|s| s.share(report.dim)) {
        lines.push(format!("the map carries {:.1} % of the sum of all eigenvalues", 100.0 * share));
    }
    if report.iterations > 0 || report.stop != Stop::Converged {
        lines.push(ended(report));
    }
    if let Some(certificate) = &report.certificate {
        lines.push(format!("proved: {certificate}"));
    }
    let figure = |name: &str| report.figures.get(name).and_then(Value::number);
    if let (Some(from), never) = (figure("order-fits-from"), figure("order-never-fits-below")) {
        let never =
            never.map_or(String::new(), |b| format!(", and in none below {} (proved)", safe(b, Sense::Minimise)));
        lines.push(format!("the order fits in a bound of {}{never}", safe(from, Sense::Maximise)));
    }
    if let Some(within) = report.refined.as_ref().and_then(|r| r.within) {
        lines.push(format!(
            "the map in {} has an objective of {}, which differs from that bound by {:.2} % of the larger",
            counted(report.dim, "dimension"),
            value(report.objective),
            100.0 * within
        ));
    }
    if let Some(starts) = &report.starts
        && starts.tried > 1
    {
        lines.push(format!("this map was found {} out of {}", times(starts.found), starts.tried));
    }
    lines.extend(report.warnings.iter().map(|w| format!("warning: {w}")));
    lines
}

/// The features that a learned metric goes by, the weightiest first.
fn features(reading: &FeatureReading) -> String {
    const FEW: usize = 5;
    let mut order: Vec<&FeatureShare> = reading.features.iter().collect();
    order::by(&mut order, &|a, b| b.share.abs().total_cmp(&a.share.abs()));
    let words: Vec<String> = order.iter().take(FEW).map(|f| format!("{} {:.0} %", f.name, 100.0 * f.share)).collect();
    let rest = if order.len() > FEW { format!(", {} more", order.len() - FEW) } else { String::new() };
    format!(
        "a metric of rank {}; share of the features in its squared distances: {}{rest}",
        reading.rank,
        words.join(", ")
    )
}

/// How much of the spectrum the axes of a map hold. Where no eigenvalue is negative both shares are one.
fn carried(dim: usize, all: f64, positive: f64) -> String {
    let said = format!(
        "{} {:.1} % of the sum of the positive eigenvalues",
        if dim == 1 { "the axis of the map carries".to_owned() } else { format!("the {dim} axes of the map carry") },
        100.0 * positive
    );
    if (all - positive).abs() < 5e-4 {
        return said;
    }
    format!("{said}, {:.1} % of the sum of the sizes of all", 100.0 * all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stress_is_given_with_objects_and_dimensions_and_no_mark() {
        let mut report = FitReport::new("nonmetric-mds", 30, 1, 7);
        report.stress1 = Some(0.1);
        let lines = fit(&report).join("\n");
        assert!(lines.contains("30 objects in 1 dimension by nonmetric-mds, seed 7"), "{lines}");
        assert!(lines.contains("stress-1 0.1000 with 30 objects in 1 dimension"), "{lines}");
        for mark in ["excellent", "good", "fair", "weak", "poor"] {
            assert!(!lines.contains(mark), "{lines}");
        }
    }

    #[test]
    fn one_share_is_said_once() {
        assert_eq!(
            carried(2, 0.136, 0.136),
            "the 2 axes of the map carry 13.6 % of the sum of the positive eigenvalues"
        );
        assert!(carried(3, 0.5, 0.6).contains("the 3 axes of the map carry 60.0 %"));
        assert!(carried(1, 0.5, 0.6).contains("50.0 % of the sum of the sizes of all"));
    }
}
