//! How sure places are, in words: by maps made anew, or by the curvature of the likelihood.

use super::percent;
use crate::report::{StabilityKind, StabilitySummary};

/// How many objects are named in a sentence.
const NAMED: usize = 10;

/// What ellipses mean. Of a Laplace approximation also which objects have none, and what a new answer may be expected to be.
#[must_use]
pub fn sureness(s: &StabilitySummary) -> String {
    if s.kind != StabilityKind::Laplace {
        return resampled(s);
    }
    let mut said = vec![
        "Laplace approximation: ellipses hold the place of an object with a probability of 95 %, by the curvature of the likelihood, link, precision and lapses taken as known"
            .to_owned(),
    ];
    if s.together == Some(false) {
        said.push("each by itself with the others held still, for their curvature together is too large to hold: they are too small by what the others are unsure".into());
    }
    let open = &s.undetermined;
    if !open.is_empty() {
        let more = open.len().saturating_sub(NAMED);
        let named: Vec<String> = open.iter().take(NAMED).map(|l| format!("`{l}`")).collect();
        let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
        said.push(format!(
            "undetermined, their answers leaving them as wide open as the map: {}{tail}",
            named.join(", ")
        ));
    }
    if let Some(share) = s.expected_accuracy {
        said.push(format!(
            "a new answer to a question like these is expected to be the one that the map says in {}",
            percent(share)
        ));
    }
    said.join("; ")
}

fn resampled(s: &StabilitySummary) -> String {
    let meaning = match s.kind {
        StabilityKind::Jackknife => {
            "ellipses show the spread when one object is left out, which is no confidence region"
        }
        _ => "ellipses hold 95 % of the replicates",
    };
    let failed = if s.failed > 0 { format!(", {} failed", s.failed) } else { String::new() };
    format!(
        "{}, {} replicates{failed}: stability {:.3} (1 is perfectly steady); {meaning}",
        s.kind, s.replicates, s.stability
    )
}

/// How steady a map is, as a figure among others.
pub(super) fn steadiness(s: &StabilitySummary) -> String {
    match s.replicates {
        0 => format!("{:.4} by the {} (1 when every place is certain)", s.stability, s.kind),
        many => format!("{:.4} over {many} maps made anew ({}; 1 when all are the same)", s.stability, s.kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::Stop;

    #[test]
    fn what_is_undetermined_is_named() {
        let mut s = StabilitySummary {
            kind: StabilityKind::Laplace,
            replicates: 0,
            stability: 0.9,
            cross_validity: 1.0,
            dispersion: 0.1,
            stress1: None,
            per_object: Vec::new(),
            failed: 0,
            stop: Stop::Converged,
            expected_accuracy: Some(0.875),
            undetermined: vec!["cod".into()],
            together: Some(true),
        };
        let words = sureness(&s);
        assert!(words.contains("wide open as the map: `cod`; a new answer") && words.ends_with("in 87.5 %"), "{words}");
        s.together = Some(false);
        assert!(sureness(&s).contains("held still"));
    }
}
