//! How well classes can be told from a map, in words.

use super::{Fact, percent};
use crate::report::{ClassEvaluation, ClassFigures, MeanError};
use crate::text::said_of;

/// What holds of the map, of the features beside it, and of objects it has not seen.
#[must_use]
pub fn classes(e: &ClassEvaluation) -> Vec<Fact> {
    let sizes: Vec<String> = e.classes.iter().take(12).map(|(name, n)| format!("{name} {n}")).collect();
    let more = if e.classes.len() > 12 { format!(", {} more", e.classes.len() - 12) } else { String::new() };
    let none = if e.unclassed > 0 {
        format!(
            "; {}",
            said_of(e.unclassed, "object has none and does not count", "objects have none and do not count")
        )
    } else {
        String::new()
    };
    let mut facts = vec![Fact::new("classes", format!("{}: {}{more}{none}", e.classes.len(), sizes.join(", ")))];
    facts.extend(figures("map", &e.map, e.neighbours));
    if let Some(features) = &e.features {
        facts.extend(figures(if e.unit_variance { "at unit variance" } else { "features" }, features, e.neighbours));
    }
    if let Some(h) = &e.held_out {
        let one = |m: &MeanError| format!("{} ± {}", percent(m.mean), percent(m.standard_error));
        facts.push(Fact::new(
            "held out",
            format!(
                "{} of the objects that {} did not see are classed wrongly by {} neighbours on the map, {} in the features {} ({} folds, mean ± standard error)",
                one(&h.map),
                h.method,
                e.neighbours,
                one(&h.features),
                if e.unit_variance { "at unit variance" } else { "as given" },
                h.folds
            ),
        ));
        facts.push(Fact::new("", format!("difference, fold by fold: {}", one(&h.difference))));
    }
    facts
}

fn figures(name: &'static str, f: &ClassFigures, neighbours: usize) -> Vec<Fact> {
    let (low, high) = f.interval;
    vec![
        Fact::new(
            name,
            format!(
                "{} classed wrongly by {neighbours} neighbours, each left out of its own vote (95 %: {} to {})",
                percent(f.knn_error),
                percent(low),
                percent(high)
            ),
        ),
        Fact::new(
            "",
            format!(
                "k-means against the classes: adjusted Rand index {:.3} (0 by chance, 1 the same), pairwise F {:.3}; silhouette of the classes {:.3}",
                f.adjusted_rand, f.pairwise_f, f.silhouette
            ),
        ),
    ]
}
