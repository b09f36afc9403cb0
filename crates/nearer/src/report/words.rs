//! Words that the command and the page share, so that both say the same of the same number.

use crate::report::FitReport;
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

/// How a fit ended, for a person: after how many steps, and what it means where it did not converge.
#[must_use]
pub fn ended(report: &FitReport) -> String {
    let steps = match report.iterations {
        1 => "1 iteration".to_owned(),
        n => format!("{n} iterations"),
    };
    match unfinished(report) {
        None => format!("converged after {steps}"),
        Some(meaning) => format!("not converged after {steps}: {meaning}"),
    }
}

/// What it means for a reader of the map that the iteration did not converge.
fn unfinished(report: &FitReport) -> Option<String> {
    let why = match report.stop {
        Stop::Converged => return None,
        Stop::Stalled => "rounding allows no further step",
        Stop::IterationLimit => "the iterations were used up",
        Stop::TimeLimit => "the time was up",
        Stop::Cancelled => "it was cancelled",
    };
    let so = match report.certificate.as_ref().map(|c| c.gap) {
        Some(Some(gap)) if gap <= 1e-3 => {
            format!("the solution is proved to be within {:.4} % of the best", 100.0 * gap)
        }
        Some(Some(gap)) if gap <= 0.1 => format!(
            "the solution may be {:.2} % from the best: look at the broad arrangement only, or allow more",
            100.0 * gap
        ),
        Some(Some(gap)) => {
            format!("the solution may be {:.0} % from the best: do not read anything off this map", 100.0 * gap)
        }
        Some(None) => "nothing is proved of the solution: do not read anything off this map".into(),
        None if report.stop == Stop::Stalled => {
            "it is a stationary point to the last digits, as good as converged".into()
        }
        None => "the map is the best so far and may still move: allow more before reading it closely".into(),
    };
    Some(format!("{why}; {so}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_says_what_it_means() {
        let mut report = FitReport::new("gnmds", 5, 2, 1);
        report.stop = Stop::Converged;
        assert_eq!(unfinished(&report), None);
        report.stop = Stop::Stalled;
        assert!(ended(&report).ends_with("as good as converged"));
        let proved = |gap: Option<f64>| -> Option<crate::Certificate> {
            let told = serde_json::json!({"sense": "minimise", "primal": 1.0, "gap": gap, "violation": 0.0, "rank": 2,
                "proof": "cholesky"});
            Some(serde_json::from_value(told).unwrap())
        };
        for (gap, words) in
            [(None, "nothing is proved"), (Some(1.0), "may be 100 % from the best"), (Some(1e-5), "proved")]
        {
            report.certificate = proved(gap);
            assert!(ended(&report).contains(words), "{}", ended(&report));
        }
    }

    #[test]
    fn kruskals_thresholds() {
        let words: Vec<&str> = [0.0, 0.02, 0.04, 0.09, 0.15, 0.3].iter().map(|s| &gloss(*s)[..4]).collect();
        assert_eq!(words, ["perf", "exce", "good", "fair", "weak", "poor"]);
    }
}
