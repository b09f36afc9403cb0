//! Lapses in plain words, and what is said of the people behind them.

use super::paper::counted;
use crate::report::{Lapsed, OwnMap, ParticipantLapse, Worth};

/// How many people are named in a sentence.
const NAMED: usize = 10;

/// How many answers are lapses, in one sentence.
#[must_use]
pub fn lapses(lapsed: &Lapsed) -> String {
    let percent = |v: f64| format!("{:.1} %", 100.0 * v);
    let worst = lapsed.participants.iter().max_by(|a, b| a.lapse.total_cmp(&b.lapse));
    let more = match (worst, lapsed.low, lapsed.high) {
        (Some(worst), ..) => format!(
            " (a rate for each of {}, the most {} for `{}`)",
            counted(lapsed.participants.len(), "participant"),
            percent(worst.lapse),
            worst.participant
        ),
        (None, Some(low), Some(high)) => format!(" (95 % CI {} to {})", percent(low), percent(high)),
        _ => String::new(),
    };
    format!("{} of the answers are lapses: this map does not explain them{more}", percent(lapsed.mean))
}

/// What is said of the people whom the common map does not explain: a sentence for each verdict.
pub(crate) fn doubtful(lapsed: &Lapsed) -> Vec<String> {
    let named = |verdict: Worth, beginning: &str, end: &str| {
        let list: Vec<String> =
            lapsed.those(verdict).map(|p| format!("`{}` ({})", p.participant, figures(p))).collect();
        let more = list.len().saturating_sub(NAMED);
        let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!list.is_empty()).then(|| format!("{beginning}: {}{tail}{end}", list[..list.len() - more].join(", ")))
    };
    [
        named(Worth::Careless, "careless, by two witnesses", ""),
        named(Worth::Reversed, "key reversed", "; were near and far taken for each other?"),
        named(Worth::AnotherRule, "following another rule than most, and not careless", ""),
        named(Worth::TooFew, "not explained by the common map, too few answers to say why", ""),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Why somebody's answers are left out; nothing where they are kept.
#[must_use]
pub fn lapsed(p: &ParticipantLapse) -> Option<String> {
    match p.verdict {
        Worth::Careless => Some(format!("careless participant: {}", figures(p))),
        Worth::Reversed => Some(format!("participant with the key reversed: {}", figures(p))),
        _ => None,
    }
}

/// Why somebody whom the common map does not explain is kept all the same; nothing of others.
#[must_use]
pub fn kept(p: &ParticipantLapse) -> Option<String> {
    match p.verdict {
        Worth::AnotherRule => Some(format!("`{}` is kept, following another rule: {}", p.participant, figures(p))),
        Worth::TooFew => Some(format!("`{}` is kept, with too few answers to say: {}", p.participant, figures(p))),
        _ => None,
    }
}

/// The figures behind a verdict.
fn figures(p: &ParticipantLapse) -> String {
    let percent = |v: f64| format!("{:.0} %", 100.0 * v);
    let held = format!("{} of {} hold on the common map", percent(p.agreement), counted(p.answers, "answer"));
    let told = |what: &str, own: Option<OwnMap>| {
        own.map(|own| {
            let others = own.others.map_or(String::new(), |others| format!(", others' {}", percent(others)));
            format!("{what} {}{others}", percent(own.share()))
        })
    };
    let own = [told("own weights predict", p.weighted), told("an own map", p.own)];
    let checks = p.checks.map(|c| format!("{} of {} passed", c.passed, counted(c.passed + c.failed, "check")));
    let own = own.into_iter().filter(|_| p.verdict != Worth::Reversed);
    [Some(held)].into_iter().chain(own).chain([checks]).flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Checks;

    #[test]
    fn people_are_named_with_their_figures() {
        let one = |participant: &str, lapse: f64, verdict| ParticipantLapse {
            participant: participant.into(),
            answers: 80,
            lapse,
            low: lapse - 0.1,
            high: 1.0,
            agreement: 1.0 - lapse / 2.0,
            weighted: None,
            own: Some(OwnMap { answers: 80, right: 62, chance: 0.5, others: Some(0.8) }),
            checks: Some(Checks { passed: 9, failed: 0 }),
            verdict,
        };
        let participants = vec![one("ann", 0.1, Worth::Usable), one("bob", 0.9, Worth::AnotherRule)];
        let lapsed = Lapsed { mean: 0.5, low: None, high: None, participants };
        let said = lapses(&lapsed);
        assert!(said.ends_with("(a rate for each of 2 participants, the most 90.0 % for `bob`)"), "{said}");
        assert_eq!(
            doubtful(&lapsed),
            [
                "following another rule than most, and not careless: `bob` (55 % of 80 answers hold on the common map, an own map \
              78 %, others' 80 %, 9 of 9 checks passed)"
            ]
        );
        assert!(super::lapsed(&lapsed.participants[1]).is_none() && kept(&lapsed.participants[1]).is_some());
    }
}
