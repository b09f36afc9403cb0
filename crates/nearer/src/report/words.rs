//! Words that the command and the page share, so that both say the same of the same number.

use crate::solve::Stop;

/// Kruskal's words for his own measure (1964), with what they mean for a reader of the map.
#[must_use]
pub fn gloss(stress1: f64) -> &'static str {
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
#[must_use]
pub fn stop_in_words(stop: Stop) -> &'static str {
    match stop {
        Stop::Converged => "converged",
        Stop::Stalled => "stalled in rounding, as good as converged,",
        Stop::IterationLimit => "ended at the iteration limit (allow more to go on)",
        Stop::TimeLimit => "ended at the time limit, best so far,",
        Stop::Cancelled => "cancelled, best so far,",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kruskals_thresholds() {
        let words: Vec<&str> = [0.0, 0.02, 0.04, 0.09, 0.15, 0.3].iter().map(|s| &gloss(*s)[..4]).collect();
        assert_eq!(words, ["perf", "exce", "good", "fair", "weak", "poor"]);
    }
}
