//! The agreement of a map with judgements, in words.

use super::sureness::steadiness;
use super::{Fact, counted, percent};
use crate::report::{
    Agreement, Ceiling, Contradicted, DimensionAgreement, HeldOut, Interval, JudgementEvaluation, MeanShare,
    PairAgreement, Unit,
};
use nearer_num::order;

/// What holds of the map as a whole.
#[must_use]
pub fn judgements(e: &JudgementEvaluation) -> Vec<Fact> {
    let mut facts = vec![Fact::new("agreement", agreement(e))];
    if let Some(a) = &e.comparisons {
        comparisons(&mut facts, a);
    }
    if let Some(a) = &e.pairs {
        pairs(&mut facts, a);
    }
    // Of pairs a judgement is one object's about another; of comparisons it is an answer.
    ceiling(&mut facts, &e.ceiling, if e.pairs.is_some() { "judgement" } else { "answer" });
    if let Some(found) = &e.held_out {
        held_out(&mut facts, found);
    }
    for (k, p) in e.by_dimension.iter().flatten().enumerate() {
        let name = if k == 0 { "dimensions" } else { "" };
        let held = p.held_out.map_or_else(String::new, |h| {
            let error = h.standard_error.map_or_else(String::new, |e| format!(" ± {}", percent(e)));
            format!(", {}{error} of those held out", percent(h.mean))
        });
        let likely = p.log_likelihood.map_or_else(String::new, |l| format!(", log-likelihood {}", likelihood(&l)));
        facts
            .push(Fact::new(name, format!("{}: {} of the judgements hold{held}{likely}", p.dim, percent(p.agreement))));
    }
    if let Some(points) = e.by_dimension.as_deref()
        && let Some(dim) = DimensionAgreement::fewest(points)
    {
        let by = if DimensionAgreement::by_likelihood(points) { "likelihood" } else { "agreement" };
        let words =
            format!("{dim} is the fewest within one standard error of the best, by the {by} of what was held out");
        facts.push(Fact::new("", words));
    }
    if let Some(s) = &e.stability {
        facts.push(Fact::new("stability", steadiness(s)));
    }
    facts
}

/// Object by object and judgement by judgement, the worst of each.
#[must_use]
pub fn of_each(e: &JudgementEvaluation) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut objects: Vec<(f64, &str)> = e
        .per_object
        .iter()
        .filter(|o| o.satisfied < o.rows)
        .map(|o| (1.0 - o.satisfied as f64 / o.rows as f64, o.label.as_str()))
        .collect();
    order::by(&mut objects, &|a, b| b.0.total_cmp(&a.0));
    let most: Vec<String> = objects.iter().take(5).map(|(share, l)| format!("{l} {}", percent(*share))).collect();
    if !most.is_empty() {
        facts.push(Fact::new("most contradicted", most.join(", ")));
    }
    for (k, worst) in e.worst.iter().take(5).enumerate() {
        facts.push(Fact::new(if k == 0 { "worst" } else { "" }, contradicted(worst)));
    }
    facts
}

/// The agreement, with its interval.
pub(crate) fn agreement(e: &JudgementEvaluation) -> String {
    let (rows, what, i) = match (&e.comparisons, &e.pairs) {
        (Some(a), _) => (a.rows, "comparisons hold on the map".to_owned(), a.interval.as_ref()),
        (None, Some(a)) => {
            let mut what = "judgements of one object about another".to_owned();
            if a.answers.is_some_and(|answers| answers < a.rows) {
                what += &format!(" ({}, each counted for both)", counted(a.answers.unwrap_or(0), "answer"));
            }
            what += " are on the right side of a radius chosen for each object";
            (a.rows, what, a.interval.as_ref())
        }
        (None, None) => (0, "judgements hold on the map".to_owned(), None),
    };
    format!("{} of {rows} {what}{}", percent(e.agreement), interval(i))
}

fn comparisons(facts: &mut Vec<Fact>, a: &Agreement) {
    facts.push(Fact::new("", fates(a.satisfied, a.tied, a.violated)));
    facts.extend(a.weighted_share.map(|share| Fact::new("", format!("{} by weight", percent(share)))));
    facts.push(Fact::new(
        "with margins",
        format!(
            "{} have the far pair further by the margin too, the map being scaled as suits the margins best",
            percent(a.with_margin.share)
        ),
    ));
    if let Some(whole) = a.answers {
        let words = format!(
            "{} of {} answers hold with every comparison that follows from them ({} by chance)",
            percent(whole.share),
            whole.answers,
            percent(whole.chance)
        );
        facts.push(Fact::new("whole answers", words));
    }
}

fn pairs(facts: &mut Vec<Fact>, a: &PairAgreement) {
    let touching = if a.touching > 0 { format!(" ({} of them touch their radius)", a.touching) } else { String::new() };
    let (satisfied, tied, violated) = (a.satisfied, a.tied, a.violated);
    facts.push(Fact::new("", format!("{satisfied} satisfied{touching}, {tied} tied, {violated} contradicted")));
    facts.extend(a.weighted_share.map(|share| Fact::new("", format!("{} by weight", percent(share)))));
    let words = format!("{} with the radius {:.4} for every object", percent(a.common.share), a.common.radius);
    facts.push(Fact::new("one radius", words));
    let words = format!(
        "{} is reached without a map, by calling all others alike or none, whichever an object's answers say more often",
        percent(a.baseline)
    );
    facts.push(Fact::new("baseline", words));
}

fn fates(satisfied: usize, tied: usize, violated: usize) -> String {
    format!("{satisfied} satisfied, {tied} tied, {violated} contradicted")
}

fn interval(interval: Option<&Interval>) -> String {
    interval.map_or(String::new(), |i| {
        let unit = match i.unit {
            Unit::Participants => "participant",
            Unit::Answers => "answer",
        };
        let (level, units) = (100.0 * i.level, counted(i.units, unit));
        format!(" ({level:.0} % interval {} to {}, {units} drawn anew)", percent(i.low), percent(i.high))
    })
}

fn ceiling(facts: &mut Vec<Fact>, c: &Ceiling, what: &str) {
    let why = match c.minority {
        0 => "no question was answered in more than one way".to_owned(),
        1 => format!("1 {what} is against the majority of its own question"),
        many => format!("{many} {what}s are against the majority of their own question"),
    };
    let circles = match c.circles {
        0 => String::new(),
        more => format!(", and circles of answers cost {more} more at least"),
    };
    facts.push(Fact::new("ceiling", format!("at most {}, proved of any map: {why}{circles}", percent(c.share))));
    if let Some(p) = c.people {
        let words = format!(
            "{} of {} agree with the majority of the others who were asked the same",
            percent(p.share),
            counted(p.answers, what)
        );
        facts.push(Fact::new("people", words));
    }
}

fn held_out(facts: &mut Vec<Fact>, h: &HeldOut) {
    let error = h.test.standard_error.map_or(String::new(), |e| format!(" ± {:.1}", 100.0 * e));
    let what = match h.by.as_str() {
        "rows" => "answers",
        "queries" => "questions",
        "participant" => "participants",
        _ => "objects",
    };
    let method = h.method.as_ref().map_or(String::new(), |m| format!(" by {m}"));
    let words = format!(
        "{:.1}{error} % of the judgements hold for {what} that were left out, {} folds{method}; {} for those fitted to",
        100.0 * h.test.mean,
        h.folds.len(),
        percent(h.train.mean)
    );
    facts.push(Fact::new("held out", words));
    facts.extend(h.features.map(|f| {
        let error = f.standard_error.map_or(String::new(), |e| format!(" ± {:.1}", 100.0 * e));
        let words =
            format!("{:.1}{error} % in the features that the metric was learned from, untouched", 100.0 * f.mean);
        Fact::new("", words)
    }));
    facts.extend(h.log_likelihood.map(|l| {
        Fact::new("", format!("their mean log-likelihood is {} (a coin's between two: -0.6931)", likelihood(&l)))
    }));
    facts.extend(h.warnings.iter().map(|w| Fact::new("", w.as_str())));
}

fn likelihood(l: &MeanShare) -> String {
    let error = l.standard_error.map_or_else(String::new, |e| format!(" ± {e:.4}"));
    format!("{:.4}{error}", l.mean)
}

fn contradicted(worst: &Contradicted) -> String {
    let mut said = Vec::new();
    if worst.times > 1 {
        said.push(format!("said {} times", worst.times));
    }
    said.extend(worst.line.map(|line| format!("line {line}")));
    said.extend(worst.participant.as_ref().map(|who| format!("by {who}")));
    let whence = if said.is_empty() { String::new() } else { format!(" ({})", said.join(", ")) };
    let (near, far) = (worst.near, worst.far);
    match worst.radius {
        Some(radius) => {
            let distance = if near == radius { far } else { near };
            format!("{}: distance {distance:.4}, radius {radius:.4} on the map{whence}", worst.judgement)
        }
        None => format!("{}: distances {near:.4} and {far:.4} on the map{whence}", worst.judgement),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{JudgementOptions, judgements as evaluated, pair_judgements};
    use crate::evidence::{Answered, Judged, Pairs, Task, Trials};
    use crate::geometry::Embedding;
    use crate::object::{Item, Objects};
    use crate::solve::Run;
    use crate::text::in_columns;

    fn said(e: &JudgementEvaluation) -> String {
        in_columns(&[judgements(e), of_each(e)].concat())
    }

    #[test]
    fn comparisons_are_told_with_interval_ceiling_and_the_worst() {
        let objects = Objects::new(["cat", "lynx", "cod", "hake"]).unwrap();
        let mut trials = Trials::new(objects.clone(), Task::Triplets);
        let who = [trials.add_participant("ann"), trials.add_participant("bob")];
        for (k, items) in [[0, 1, 2], [0, 1, 2], [0, 2, 1], [2, 3, 0], [1, 3, 0], [1, 3, 0]].iter().enumerate() {
            let answered = Answered { participant: Some(who[k % 2]), line: k as u64 + 2, ..Answered::default() };
            trials.push(&items.map(Item), 0, answered).unwrap();
        }
        let points = points(&[0.0, 1.0, 8.0, 9.0]);
        let map = Embedding::new(objects, points).unwrap();
        let e = evaluated(&map, &trials.comparisons(), &JudgementOptions::default(), &Run::default()).unwrap();
        let text = said(&e);
        for part in [
            "50.0 % of 6 comparisons hold on the map (95 % interval",
            "2 participants drawn anew",
            "3 satisfied, 0 tied, 3 contradicted",
            "at most 83.3 %, proved of any map: 1 answer is against the majority of its own question",
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
        let map = Embedding::new(Objects::numbered(4), points(&[0.0, 1.0, 2.0, 7.0])).unwrap();
        let text = said(&pair_judgements(&map, &pairs, &JudgementOptions::default(), &Run::default()).unwrap());
        for part in ["66.7 % of 3 judgements of one object", "66.7 % is reached without a map", "`1` is like `4`"] {
            assert!(text.contains(part), "`{part}` is not in\n{text}");
        }
    }

    fn points(line: &[f64]) -> ndarray::Array2<f64> {
        ndarray::Array2::from_shape_fn((line.len(), 1), |(i, _)| line[i])
    }
}
