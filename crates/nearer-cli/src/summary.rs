//! A fit in plain words.

use nearer::Stop;
pub(crate) use nearer::report::gloss;
use nearer::report::{FitReport, ended};

/// The lines that a person should read after a fit.
pub(crate) fn of_fit(report: &FitReport) -> Vec<String> {
    let mut lines = Vec::new();
    let dims = if report.dim == 1 { "dimension" } else { "dimensions" };
    lines.push(format!(
        "{} objects in {} {dims} by {}, seed {}",
        report.objects, report.dim, report.method, report.seed
    ));
    let input = &report.input;
    let counts = [(input.missing, "missing"), (input.censored, "known only by a bound"), (input.repeated, "repeated")];
    if counts.iter().any(|(count, _)| *count > 0) {
        let words: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        lines.push(format!("of {} pairs {}", input.pairs, words.join(", ")));
    }
    if let Some(stress) = report.stress1 {
        lines.push(format!("stress-1 {stress:.4}: {}", gloss(stress)));
    }
    if let Some(share) = report.agreement {
        lines.push(format!("{:.1} % of the judgements hold on the map", 100.0 * share));
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
    if let Some((all, positive)) = report.spectrum.as_ref().and_then(|s| s.goodness(report.dim)) {
        lines.push(format!(
            "the map carries {:.1} % of what the eigenvalues hold ({:.1} % of the positive part)",
            100.0 * all,
            100.0 * positive
        ));
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
    if let Some(within) = report.refined.as_ref().and_then(|r| r.within) {
        lines.push(format!(
            "this map has an objective of {:.9}, within {:.2} % of that bound",
            report.objective,
            100.0 * within
        ));
    }
    if let Some(starts) = &report.starts
        && starts.tried > 1
    {
        lines.push(format!("this map was found {} times out of {}", starts.found, starts.tried));
    }
    lines.extend(report.warnings.iter().map(|w| format!("warning: {w}")));
    lines
}
