//! The agreement of a map with judgements, in plain words.

use std::fmt::Write as _;

use nearer::report::{Agreement, Ceiling, Contradicted, HeldOut, Interval, JudgementEvaluation, PairAgreement, Unit};

/// What a person should know of a map and the judgements it is held against.
pub(super) fn of_judgements(e: &JudgementEvaluation) -> String {
    let mut lines = Lines(String::new());
    let method = e.method.as_ref().map_or(String::new(), |m| format!(", by {m}"));
    lines.add("objects", &format!("{} in {} dimensions{method}", e.objects, e.dim));
    if let Some(agreement) = &e.comparisons {
        comparisons(&mut lines, agreement);
    }
    if let Some(agreement) = &e.pairs {
        pairs(&mut lines, agreement);
    }
    ceiling(&mut lines, &e.ceiling);
    if let Some(found) = &e.held_out {
        held_out(&mut lines, found);
    }
    let mut objects: Vec<(f64, &str)> = e
        .per_object
        .iter()
        .filter(|o| o.satisfied < o.rows)
        .map(|o| (1.0 - o.satisfied as f64 / o.rows as f64, o.label.as_str()))
        .collect();
    objects.sort_by(|a, b| b.0.total_cmp(&a.0));
    let most: Vec<String> = objects.iter().take(5).map(|(share, l)| format!("{l} {:.1} %", 100.0 * share)).collect();
    if !most.is_empty() {
        lines.add("most contradicted", &most.join(", "));
    }
    for (k, worst) in e.worst.iter().take(5).enumerate() {
        lines.add(if k == 0 { "worst" } else { "" }, &contradicted(worst, e.pairs.is_some()));
    }
    if let Some(p) = &e.procrustes {
        lines.add(
            "other map",
            &format!("Procrustes correlation {:.4} (1 when they agree), rms distance {:.4}", p.correlation, p.rmse),
        );
    }
    for (k, p) in e.by_dimension.iter().flatten().enumerate() {
        let name = if k == 0 { "dimensions" } else { "" };
        lines.add(name, &format!("{}: {:.4} of the judgements hold", p.dim, p.agreement));
    }
    if let Some(s) = &e.stability {
        lines.add(
            "stability",
            &format!("{:.4} over {} replicates (1 when they are all alike)", s.stability, s.replicates),
        );
    }
    for warning in &e.warnings {
        lines.add("warning", warning);
    }
    lines.0
}

/// Names in a column, words beside them.
struct Lines(String);

impl Lines {
    fn add(&mut self, name: &str, what: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{name:<17} {what}");
    }
}

fn comparisons(lines: &mut Lines, a: &Agreement) {
    lines.add(
        "agreement",
        &format!("{:.4} of {} comparisons hold on the map{}", a.share, a.rows, interval(a.interval.as_ref())),
    );
    lines.add("", &format!("{} satisfied, {} tied, {} contradicted", a.satisfied, a.tied, a.violated));
    if let Some(share) = a.weighted_share {
        lines.add("", &format!("{share:.4} by weight"));
    }
    lines.add(
        "with margins",
        &format!("{:.4} hold with their margins, at the best size of the map", a.with_margin.share),
    );
    if let Some(whole) = a.answers {
        lines.add(
            "whole answers",
            &format!("{:.4} of {} hold with all they say (chance {:.4})", whole.share, whole.answers, whole.chance),
        );
    }
}

fn pairs(lines: &mut Lines, a: &PairAgreement) {
    lines.add(
        "agreement",
        &format!(
            "{:.4} of {} ordered pairs are on the right side of the best radii{}",
            a.share,
            a.rows,
            interval(a.interval.as_ref())
        ),
    );
    let touching = if a.touching > 0 { format!(" ({} of them touch their radius)", a.touching) } else { String::new() };
    lines.add("", &format!("{} satisfied{touching}, {} tied, {} contradicted", a.satisfied, a.tied, a.violated));
    if let Some(share) = a.weighted_share {
        lines.add("", &format!("{share:.4} by weight"));
    }
    lines.add("one radius", &format!("{:.4} at {:.4} for all objects", a.common.share, a.common.radius));
    lines.add("any map", &format!("{:.4} with radii around everything or nothing", a.baseline));
}

fn interval(interval: Option<&Interval>) -> String {
    interval.map_or(String::new(), |i| {
        let unit = match i.unit {
            Unit::Participants => "participants",
            Unit::Answers => "answers",
        };
        let level = 100.0 * i.level;
        format!(" ({level:.0} % interval {:.4} to {:.4}, {} {unit} drawn anew)", i.low, i.high, i.units)
    })
}

fn ceiling(lines: &mut Lines, c: &Ceiling) {
    let why = match c.minority {
        0 => "nobody contradicts the majority of an own question".to_owned(),
        1 => "1 answer is against the majority of its question".to_owned(),
        many => format!("{many} answers are against the majority of their question"),
    };
    let circles = match c.circles {
        0 => String::new(),
        more => format!(", and circles of answers cost {more} more at least"),
    };
    lines.add("ceiling", &format!("{:.4} is proved to be the most that any map can reach: {why}{circles}", c.share));
    if let Some(p) = c.people {
        lines.add(
            "people",
            &format!("{:.4} of {} answers agree with the majority of the others who were asked", p.share, p.answers),
        );
    }
}

fn held_out(lines: &mut Lines, h: &HeldOut) {
    let error = h.test.standard_error.map_or(String::new(), |e| format!(" ± {e:.4}"));
    let what = match h.by.as_str() {
        "rows" => "answers",
        "queries" => "questions",
        "participant" => "participants",
        _ => "objects",
    };
    let method = h.method.as_ref().map_or(String::new(), |m| format!(" by {m}"));
    lines.add(
        "held out",
        &format!(
            "{:.4}{error} on {what} not used, {} folds{method} ({:.4} on those used)",
            h.test.mean,
            h.folds.len(),
            h.train.mean
        ),
    );
    for warning in &h.warnings {
        lines.add("", warning);
    }
}

fn contradicted(worst: &Contradicted, pairs: bool) -> String {
    let mut said = Vec::new();
    if worst.times > 1 {
        said.push(format!("said {} times", worst.times));
    }
    said.extend(worst.line.map(|line| format!("line {line}")));
    said.extend(worst.participant.as_ref().map(|who| format!("by {who}")));
    let whence = if said.is_empty() { String::new() } else { format!(" ({})", said.join(", ")) };
    let what = if pairs { "distance and radius" } else { "distances" };
    format!("{}: {what} {:.4} and {:.4} on the map{whence}", worst.judgement, worst.near, worst.far)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer::evaluate::{JudgementOptions, judgements, pair_judgements};
    use nearer::evidence::{Answered, Judged, Task};
    use nearer::{Embedding, Item, Objects, Pairs, Run, Trials};

    #[test]
    fn comparisons_are_told_with_interval_ceiling_and_the_worst() {
        let objects = Objects::new(["cat", "lynx", "cod", "hake"]).unwrap();
        let mut trials = Trials::new(objects.clone(), Task::Triplets);
        let who = [trials.add_participant("ann"), trials.add_participant("bob")];
        for (k, items) in [[0, 1, 2], [0, 1, 2], [0, 2, 1], [2, 3, 0], [1, 3, 0], [1, 3, 0]].iter().enumerate() {
            let answered = Answered { participant: Some(who[k % 2]), line: k as u64 + 2, ..Answered::default() };
            trials.push(&items.map(Item), 0, answered).unwrap();
        }
        let points = nearer_points(&[0.0, 1.0, 8.0, 9.0]);
        let map = Embedding::new(objects, points).unwrap();
        let e = judgements(&map, &trials.comparisons(), &JudgementOptions::default(), &Run::default()).unwrap();
        let text = of_judgements(&e);
        for part in [
            "0.5000 of 6 comparisons hold on the map (95 % interval",
            "2 participants drawn anew",
            "3 satisfied, 0 tied, 3 contradicted",
            "0.8333 is proved to be the most that any map can reach: 1 answer is against",
            "`lynx` is nearer to `hake` than to `cat`: distances 8.0000 and 1.0000 on the map (said 2 times, line 6, by ann)",
        ] {
            assert!(text.contains(part), "`{part}` is not in\n{text}");
        }
    }

    #[test]
    fn pairs_are_told_with_their_radii() {
        let rows = vec![
            Judged::new(Item(0), Item(1), true),
            Judged::new(Item(0), Item(2), false),
            Judged::new(Item(0), Item(3), true),
        ];
        let pairs = Pairs::new(Objects::numbered(4), rows).unwrap();
        let map = Embedding::new(Objects::numbered(4), nearer_points(&[0.0, 1.0, 2.0, 7.0])).unwrap();
        let text =
            of_judgements(&pair_judgements(&map, &pairs, &JudgementOptions::default(), &Run::default()).unwrap());
        for part in ["0.6667 of 3 ordered pairs", "0.6667 with radii around everything or nothing", "`1` is like `4`"] {
            assert!(text.contains(part), "`{part}` is not in\n{text}");
        }
    }

    fn nearer_points(line: &[f64]) -> ndarray::Array2<f64> {
        ndarray::Array2::from_shape_fn((line.len(), 1), |(i, _)| line[i])
    }
}
