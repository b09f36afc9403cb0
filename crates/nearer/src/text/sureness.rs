//! How sure places are by the curvature of the likelihood, in words.

use super::percent;
use crate::report::StabilitySummary;

/// How many objects are named in a sentence.
const NAMED: usize = 10;

/// What the ellipses of a Laplace approximation mean, which objects have none, and what a new answer may be expected to be.
#[must_use]
pub fn sureness(s: &StabilitySummary) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::Stop;

    #[test]
    fn what_is_undetermined_is_named() {
        let mut s = StabilitySummary {
            kind: "laplace".into(),
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
