//! A check of judgements as the page tells it.

use crate::check::{CheckReport, Found, OfJudgements, graded};
use crate::page::Story;

impl From<&CheckReport> for Story {
    fn from(r: &CheckReport) -> Self {
        let mut story = Story {
            kind: r.kind.to_string(),
            warnings: r.warnings.clone(),
            // A check is plain data; if it could not be written the page would only lack it in its JSON.
            data: serde_json::to_value(r).unwrap_or_default(),
            ..Story::default()
        };
        let mut say = |name: &str, what: String| story.facts.push((name.to_owned(), what));
        say("Rows", r.rows.to_string());
        if r.unseen > 0 {
            let more = if r.unseen > r.unseen_labels.len() { " …" } else { "" };
            say("Never shown", format!("{} objects: {}{more}", r.unseen, r.unseen_labels.join(", ")));
        }
        if let Found::Judgements(found) = &r.found {
            facts(found, &mut say);
            story.contradictions = found
                .contradictions
                .iter()
                .map(|c| format!("{}: {} say yes, {} no (sign test p = {:.3})", c.says, c.yes, c.no, c.p))
                .collect();
            let cycles = found.cycles.iter().flat_map(|c| &c.worst);
            story.circles = cycles
                .map(|cycle| {
                    let step = |told: &crate::check::Told| {
                        let who = match told.participants.as_slice() {
                            [] => String::new(),
                            names => format!(": {}", names.join(", ")),
                        };
                        let s = if told.answers == 1 { "" } else { "s" };
                        format!("{} ({} answer{s}{who})", told.says, told.answers)
                    };
                    cycle.way.iter().map(step).collect()
                })
                .collect();
            story.panel = found.panel.clone();
        }
        story
    }
}

fn facts(found: &OfJudgements, say: &mut impl FnMut(&str, String)) {
    if let Some(task) = found.task {
        say("Asked", task.name().to_owned());
    }
    say("Questions", format!("{} different ones, {} asked more than once", found.queries, found.repeated));
    if let Some(c) = found.comparisons {
        say("Comparisons", c.to_string());
    }
    if let (Some(alike), Some(not)) = (found.similar, found.dissimilar) {
        say("Answers", format!("{alike} alike, {not} not alike"));
    }
    if let Some(grades) = &found.grades {
        say("Answers", graded(grades));
    }
    if found.checks > 0 {
        let marked = match found.checks - found.selves {
            0 => String::new(),
            marked => format!(", {marked} are marked as checks"),
        };
        say("Not used", format!("{} rows: {} show an object twice{marked}", found.checks, found.selves));
    }
    say(
        "Contradictions",
        format!(
            "{} questions answered in more than one way, {} of them tied; {} answers on the losing side",
            found.contradictory, found.tied, found.minority
        ),
    );
    if let Some(chains) = found.broken_chains.filter(|c| *c > 0) {
        say("Chains", format!("{chains} pairs are not alike although a chain of alike pairs joins them"));
    }
    if let Some(c) = &found.cycles {
        say(
            "Circles",
            match c.components {
                0 => "none: the majority is consistent".into(),
                knots => format!("{} comparisons in {knots} knots, which no distances can satisfy together", c.edges),
            },
        );
    }
    if let Some(t) = &found.triads {
        say(
            "Triads",
            format!("{} triples of objects with all three questions answered, {} in a circle", t.complete, t.cyclic),
        );
    }
    if let Some(repair) = &found.repair {
        let or = |name: &str, count: Option<usize>| count.map_or(String::new(), |c| format!(", {name} {c}"));
        say(
            "Repair",
            format!(
                "would drop {} comparisons by vote, then: prune {}{}{}",
                repair.vote,
                repair.prune,
                or("random", repair.random),
                or("cheapest", repair.cheapest)
            ),
        );
    }
    if let (Some(o), Some(implied)) = (&found.order, found.implied) {
        say(
            "Order",
            format!("{} comparisons of {} pairs remain; {implied} of them follow from others", o.comparisons, o.pairs),
        );
    }
    if let Some(noise) = &found.noise {
        say(
            "Noise ceiling",
            format!(
                "no map in any number of dimensions satisfies more than {:.1} % of the answers; one with {:.1} % exists",
                100.0 * (1.0 - noise.floor),
                100.0 * (1.0 - noise.enough)
            ),
        );
    }
    if let Some(e) = &found.enough {
        say("Enough?", format!("{} questions, {} wanted for {} dimensions ({})", e.answered, e.wanted, e.dim, e.rule));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Answered, Evidence, Task, Trials};
    use crate::object::{Item, Objects};
    use crate::solve::Run;

    #[test]
    fn contradictions_circles_and_people_are_in_it() {
        let mut trials = Trials::new(Objects::new(["a", "b", "c"]).unwrap(), Task::Triplets);
        let who = [trials.add_participant("ann"), trials.add_participant("bob")];
        // a nearer b than c, b nearer c than a, c nearer a than b: a circle; and bob contradicts the first.
        for (k, items) in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2], [0, 2, 1]].iter().enumerate() {
            let answered = Answered { participant: Some(who[usize::from(k == 4)]), ..Answered::default() };
            trials.push(&items.map(Item), 0, answered).unwrap();
        }
        let report = crate::check::check(&Evidence::Comparisons(trials.comparisons()), &Run::default(), None).unwrap();
        let story = Story::from(&report);
        assert!(story.contradictions[0].contains("`a` is nearer to `b` than to `c`: 2 say yes, 1 no"), "{story:?}");
        assert_eq!(story.circles[0].len(), 3);
        assert!(story.circles[0].iter().any(|s| s.contains("answer") && s.contains("ann")), "{:?}", story.circles);
        assert_eq!(story.panel.as_ref().map(|p| p.participants.len()), Some(2));
        assert!(story.facts.iter().any(|(n, what)| n == "Noise ceiling" && what.contains('%')));
    }
}
