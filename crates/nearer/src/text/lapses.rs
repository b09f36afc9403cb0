//! Lapses in plain words.

use super::paper::counted;
use crate::report::{Lapsed, ParticipantLapse, Worth};

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
        (None, Some(low), Some(high)) => format!(" ({} to {})", percent(low), percent(high)),
        _ => String::new(),
    };
    format!("{} of the answers are lapses, given without a look{more}", percent(lapsed.mean))
}

/// Whose answers carry nothing, or stand the wrong way round.
pub(crate) fn doubtful(lapsed: &Lapsed) -> Vec<String> {
    let named = |verdict: Worth, told: &dyn Fn(&ParticipantLapse) -> String| {
        let list: Vec<String> = lapsed.those(verdict).map(told).collect();
        let more = list.len().saturating_sub(NAMED);
        let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!list.is_empty()).then(|| format!("{}{tail}", list[..list.len() - more].join(", ")))
    };
    let told = |p: &ParticipantLapse| format!("`{}` ({})", p.participant, figures(p));
    let lost = named(Worth::CarriesNothing, &told);
    let reversed = named(Worth::Reversed, &told);
    let lost = lost.map(|who| format!("answers that carry nothing: {who}"));
    let reversed =
        reversed.map(|who| format!("answers the wrong way round: {who}; were near and far taken for each other?"));
    lost.into_iter().chain(reversed).collect()
}

/// Why somebody's answers are left out; nothing where they are of use.
#[must_use]
pub fn lapsed(p: &ParticipantLapse) -> Option<String> {
    match p.verdict {
        Worth::Usable => None,
        Worth::CarriesNothing => Some(format!("participant's answers carry nothing: {}", figures(p))),
        Worth::Reversed => Some(format!("participant answers the wrong way round: {}", figures(p))),
    }
}

/// The figures behind a verdict.
fn figures(p: &ParticipantLapse) -> String {
    match p.verdict {
        Worth::Reversed => format!("{:.0} % of {} hold", 100.0 * p.agreement, counted(p.answers, "answer")),
        _ => format!("{:.0} % lapses, {:.0} % at least", 100.0 * p.lapse, 100.0 * p.low),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_named_with_their_figures() {
        let one = |participant: &str, lapse: f64, verdict| ParticipantLapse {
            participant: participant.into(),
            answers: 80,
            lapse,
            low: lapse - 0.1,
            high: 1.0,
            agreement: 1.0 - lapse / 2.0,
            verdict,
        };
        let participants = vec![one("ann", 0.1, Worth::Usable), one("bob", 0.9, Worth::CarriesNothing)];
        let lapsed = Lapsed { mean: 0.5, low: None, high: None, participants };
        let said = lapses(&lapsed);
        assert!(said.ends_with("(a rate for each of 2 participants, the most 90.0 % for `bob`)"), "{said}");
        assert_eq!(doubtful(&lapsed), ["answers that carry nothing: `bob` (90 % lapses, 80 % at least)"]);
    }
}
