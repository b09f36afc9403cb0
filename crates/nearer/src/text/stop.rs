//! How a fit ended, and what that means for a reader of the map.

use super::counted;
use crate::report::FitReport;
use crate::solve::Stop;

/// How a fit ended, for a person: after how many steps, and what it means where it did not converge.
#[must_use]
pub fn ended(report: &FitReport) -> String {
    let steps = counted(report.iterations, "iteration");
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
    if let Some(by) = report.certificate.as_ref().and_then(|c| c.broken) {
        return Some(format!(
            "{why}; the solution breaks a row that must hold by {by:.2e}, so nothing is known of how near the best it is: do not read anything off this map"
        ));
    }
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
        report.certificate = proved(Some(0.01)).map(|c| c.of_broken(0.36));
        let said = ended(&report);
        assert!(said.contains("breaks a row that must hold by 3.60e-1") && !said.contains("from the best"), "{said}");
    }
}
