//! A fit in plain words.

use nearer::Stop;
use nearer::report::FitReport;

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
    if let Some((all, positive)) = report.spectrum.as_ref().and_then(|s| s.goodness(report.dim)) {
        lines.push(format!(
            "the map carries {:.1} % of what the eigenvalues hold ({:.1} % of the positive part)",
            100.0 * all,
            100.0 * positive
        ));
    }
    if report.iterations > 0 || report.stop != Stop::Converged {
        let s = if report.iterations == 1 { "" } else { "s" };
        lines.push(format!("{} after {} iteration{s}", stop_in_words(report.stop), report.iterations));
    }
    if let Some(starts) = &report.starts
        && starts.tried > 1
    {
        lines.push(format!("this map was found {} times out of {}", starts.found, starts.tried));
    }
    lines.extend(report.warnings.iter().map(|w| format!("warning: {w}")));
    lines
}

/// Kruskal's words for his own measure (1964), with what they mean for a reader of the map.
pub(crate) fn gloss(stress1: f64) -> &'static str {
    match stress1 {
        s if s < 1e-6 => "perfect, the map keeps every distance",
        s if s < 0.025 => "excellent, distances on the map can be taken at face value",
        s if s < 0.05 => "good, distances on the map are close to the data",
        s if s < 0.1 => "fair, trust the broad arrangement and check close pairs",
        s if s < 0.2 => "weak, trust large distances only and try one more dimension",
        _ => "poor, more dimensions or another method are needed before anything is read off this map",
    }
}

/// Why an iteration ended, for a person.
pub(crate) fn stop_in_words(stop: Stop) -> &'static str {
    match stop {
        Stop::Converged => "converged",
        Stop::Stalled => "stalled in rounding, as good as converged,",
        Stop::IterationLimit => "ended at the iteration limit (allow more to go on)",
        Stop::TimeLimit => "ended at the time limit, best so far,",
        Stop::Cancelled => "cancelled, best so far,",
        _ => "ended",
    }
}
