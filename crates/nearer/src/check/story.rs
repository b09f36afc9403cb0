//! A check of judgements as the page tells it.

use crate::check::{CheckReport, Contradiction, Found, Told, facts};
use crate::page::Story;

impl From<&CheckReport> for Story {
    fn from(r: &CheckReport) -> Self {
        let mut story = Story {
            kind: Some(r.kind),
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
            if let Some(task) = found.task {
                say("Asked", task.name().to_owned());
            }
            facts(found).into_iter().for_each(|fact| say(&capital(fact.name), fact.words));
            story.contradictions = found.contradictions.iter().map(Contradiction::told).collect();
            let cycles = found.cycles.iter().flat_map(|c| &c.worst);
            story.circles = cycles.map(|cycle| cycle.way.iter().map(Told::told).collect()).collect();
            story.panel = found.panel.clone();
        }
        story
    }
}

/// A name as a page writes it.
fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
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
