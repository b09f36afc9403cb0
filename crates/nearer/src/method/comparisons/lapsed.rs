//! Who lapsed, how often, and how sure that is.

use nearer_num::binomial;

use crate::report::{Lapsed, ParticipantLapse, Worth};
use crate::solve::likelihood::{Lapsing, Rates, Turns};

/// Rates at which the likelihood is looked at.
const GRID: usize = 200;
/// Answers of about the same probability count as one where there are more than this many.
const BINS: usize = 512;
/// Somebody is said to answer the wrong way round where chance would do so for one of all participants with this probability.
const LEVEL: f64 = 0.01;

/// The rates with their intervals, where there are lapses. An interval that leaves out the same share at either end would leave
/// out a rate of none; it is drawn out to the rate that it is told with.
pub(super) fn told(turns: &Turns<'_>, at: &[f64], rates: &Rates) -> Option<Lapsed> {
    if turns.by == Lapsing::None {
        return None;
    }
    let (answers, choices) = (turns.answers, &turns.answers.choices);
    let log = choices.log_probability(turns.rows(at), turns.link);
    // lapse/K + (1 - lapse) P is lapse + (1 - lapse) K P up to a factor.
    let ratio = |t: usize| (choices.weight(t), log[t].exp() / choices.guess(t));
    let mut lapsed = Lapsed { mean: rates.mean, low: None, high: None, participants: Vec::new() };
    if turns.by == Lapsing::One {
        let (low, high) = interval((0..choices.len()).map(ratio).collect());
        (lapsed.low, lapsed.high) = (Some(low.min(rates.mean)), Some(high.max(rates.mean)));
    }
    if turns.by == Lapsing::Each {
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); answers.people.len() + 1];
        answers.who.iter().enumerate().for_each(|(t, who)| of[*who as usize].push(t));
        let asked = of[..answers.people.len()].iter().filter(|list| !list.is_empty()).count();
        for (who, list) in of.iter().enumerate().take(answers.people.len()).filter(|(_, list)| !list.is_empty()) {
            // Of their own answers alone: the prior that steadies the rate would hold everybody to be like the others.
            let (low, high) = interval(list.iter().map(|t| ratio(*t)).collect());
            let right = list.iter().filter(|t| choices.nearest(turns.rows(at), turns.link, **t)).count();
            let chance = list.iter().map(|t| choices.guess(*t)).sum::<f64>() / list.len() as f64;
            let by_chance = binomial::at_most(right as u64, list.len() as u64, chance);
            let verdict = if by_chance < LEVEL / asked as f64 {
                Worth::Reversed
            } else if low > 0.5 {
                // What it means is for a second look to say.
                Worth::TooFew
            } else {
                Worth::Usable
            };
            lapsed.participants.push(ParticipantLapse {
                participant: answers.people[who].clone(),
                answers: list.len(),
                lapse: rates.each[who],
                low: low.min(rates.each[who]),
                high: high.max(rates.each[who]),
                agreement: right as f64 / list.len() as f64,
                weighted: None,
                own: None,
                checks: None,
                verdict,
            });
        }
    }
    Some(lapsed)
}

/// The middle 95 % of the likelihood of a rate, of answers with these weights and `K P`.
fn interval(terms: Vec<(f64, f64)>) -> (f64, f64) {
    let terms = if terms.len() > BINS { binned(&terms) } else { terms };
    let log = |rate: f64| terms.iter().map(|(w, r)| w * (rate + (1.0 - rate) * r).ln()).sum::<f64>();
    let rates: Vec<f64> = (0..GRID).map(|k| (k as f64 + 0.5) / GRID as f64).collect();
    let logs: Vec<f64> = rates.iter().map(|r| log(*r)).collect();
    let most = logs.iter().fold(f64::NEG_INFINITY, |m: f64, v| m.max(*v));
    let mass: Vec<f64> = logs.iter().map(|l| (l - most).exp()).collect();
    let total: f64 = mass.iter().sum();
    let mut sum = 0.0;
    let upto: Vec<f64> = mass
        .iter()
        .map(|m| {
            sum += m / total;
            sum
        })
        .collect();
    // Within the cell where the sum passes the share, as if its mass were spread evenly.
    let quantile = |share: f64| {
        let k = upto.iter().position(|u| *u >= share).unwrap_or(GRID - 1);
        let before = if k == 0 { 0.0 } else { upto[k - 1] };
        (k as f64 + (share - before) / (upto[k] - before).max(f64::MIN_POSITIVE)) / GRID as f64
    };
    (quantile(0.025), quantile(0.975))
}

/// The same weight in fewer terms.
fn binned(terms: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut bins = vec![(0.0, 0.0); BINS];
    for (w, r) in terms {
        let bin = &mut bins[((r / (1.0 + r) * BINS as f64) as usize).min(BINS - 1)];
        bin.0 += w;
        bin.1 += w * r;
    }
    bins.into_iter().filter(|b| b.0 > 0.0).map(|(w, sum)| (w, sum / w)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of answers that are sure where they are no lapses, the wrong half of the lapses is seen: their rate is a binomial one.
    #[test]
    fn intervals_are_those_of_a_proportion() {
        // 40 of 200 wrong: a share of 0.2 with an exact interval of 0.147 to 0.262, twice that in lapses.
        let terms: Vec<(f64, f64)> = (0..200).map(|k| (1.0, if k < 40 { 0.0 } else { 2.0 })).collect();
        let (low, high) = interval(terms.clone());
        assert!((low - 0.30).abs() < 0.01 && (high - 0.525).abs() < 0.01, "{low} {high}");
        let many: Vec<(f64, f64)> = terms.iter().cycle().take(2000).copied().collect();
        let (low, high) = interval(many.clone());
        let few: Vec<(f64, f64)> = terms.iter().map(|(w, r)| (10.0 * w, *r)).collect();
        let (l, h) = interval(few);
        assert!((low - l).abs() < 1e-9 && (high - h).abs() < 1e-9 && high - low < 0.08, "{low} {high}");
    }
}
