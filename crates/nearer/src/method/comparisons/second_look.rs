//! A second look at those whose answers the common map does not explain: checks, and a map of their own.
//!
//! Somebody who sees the objects another way looks like somebody who does not look at all, as long as the common map is the only
//! witness. So each of them is asked again: were questions with a known answer answered right, and does a map made of some of their answers
//! predict the others as it does for people with as many answers whom the common map explains?

use std::collections::BTreeMap;

use nearer_num::binomial;
use nearer_num::rng::Rng;

use crate::evaluate::{By, held_out, participants};
use crate::evidence::{Comparison, Comparisons};
use crate::fit::Embed as _;
use crate::geometry::Embedding;
use crate::method::comparisons::axis_weights::AxisWeights;
use crate::method::comparisons::choice::{ChoiceLink, ChoiceModel, Lapses};
use crate::object::Pair;
use crate::report::{Checks, Lapsed, OwnMap, Panel, ParticipantLapse, Worth};
use crate::solve::Run;

/// Folds that somebody's own answers are dealt into.
const FOLDS: usize = 5;
/// Fewer own answers than this tell nothing of a map of their own.
const LEAST: usize = 20;
/// People whom the common map explains, each asked for as many answers: what a map of one person can be expected to predict.
const OTHERS: usize = 5;
/// Something is said of somebody where chance would say it of one of all who are looked at with this probability.
const LEVEL: f64 = 0.01;
/// What chance reaches more often than this is within its noise.
const NOISE: f64 = 0.05;
/// Checks are failed where somebody who passes this share of them would hardly have failed as many.
const PASSED: f64 = 0.97;
/// Of what a map of one person can predict beyond chance an own map has to predict this share, to be a rule that is followed.
const A_RULE: f64 = 1.0 / 3.0;
/// Axes that a common map has beyond those of the fit, for people to weigh in their own way.
const MORE_AXES: usize = 3;
/// Keeps the random numbers of the samples apart from those of fits and folds.
const STREAM: u64 = 0x5EC0_2D10;

/// How a map is made of some answers.
pub(super) struct How {
    pub(super) dim: usize,
    pub(super) link: ChoiceLink,
    pub(super) precision: f64,
}

/// Fills in what is known of those beside the common map, and the verdict that follows.
pub(super) fn taken(lapsed: &mut Lapsed, c: &Comparisons, how: &How, run: &Run<'_>) {
    let Some(panel) = participants(c) else { return };
    for p in &mut lapsed.participants {
        p.checks = checks(&panel, &p.participant);
    }
    let asked: Vec<usize> =
        (0..lapsed.participants.len()).filter(|k| lapsed.participants[*k].verdict == Worth::TooFew).collect();
    if asked.is_empty() || run.is_repeated() {
        return;
    }
    let level = LEVEL / asked.len() as f64;
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    (0..c.len()).for_each(|k| c.participant(k).into_iter().for_each(|who| rows.entry(who).or_default().push(k)));
    let of = |who: &str| rows.get(who).map_or(&[][..], Vec::as_slice);
    // Those with most answers first: they can stand beside anybody.
    let mut usable: Vec<&str> = lapsed.those(Worth::Usable).map(|p| p.participant.as_str()).collect();
    usable.sort_by_key(|who| std::cmp::Reverse(of(who).len()));
    let usable: Vec<&[usize]> = usable.into_iter().map(of).collect();
    let look = Look { c, how, run, halves: Halves::of(c, how, run), chance: chance(c), usable };
    let mut known: BTreeMap<usize, [Option<f64>; 2]> = BTreeMap::new();
    for k in asked {
        if run.clock().late() {
            return;
        }
        let p = &mut lapsed.participants[k];
        let own = of(&p.participant);
        if own.len() >= LEAST {
            let [weights, map] = *known.entry(about(own.len())).or_insert_with(|| look.others(about(own.len())));
            p.weighted = look.weighted(own).map(|found| look.told(found, weights));
            p.own = look.alone(own).map(|found| look.told(found, map));
        }
        p.verdict = verdict(p, level, look.chance);
    }
}

/// Careless by failed checks; another rule by own weights or an own map that predict; careless where neither predicts more than chance, nor
/// does the common map, and for others with as many answers one of them does; else nothing is said.
fn verdict(p: &ParticipantLapse, level: f64, chance: f64) -> Worth {
    let at_least = |right: usize, of: usize| {
        1.0 - if right > 0 { binomial::at_most(right as u64 - 1, of as u64, chance) } else { 0.0 }
    };
    let failed = |c: Checks| binomial::at_most(c.passed as u64, (c.passed + c.failed) as u64, PASSED) < level;
    if p.checks.is_some_and(failed) {
        return Worth::Careless;
    }
    let witnesses = || p.weighted.iter().chain(&p.own);
    let predicts = |w: &OwnMap| {
        let enough = chance + A_RULE * (w.others.unwrap_or(chance) - chance).max(0.0);
        at_least(w.right, w.answers) < level && w.share() > enough
    };
    if witnesses().any(predicts) {
        return Worth::AnotherRule;
    }
    // Whoever passes checks, or follows the common map, as nobody does by chance is attentive, whatever else is found.
    let passes = p.checks.is_some_and(|c| at_least(c.passed, c.passed + c.failed) < level);
    let holding = (p.agreement * p.answers as f64).round() as usize;
    let attentive = passes || at_least(holding, p.answers) < LEVEL;
    let noise = |w: &OwnMap| at_least(w.right, w.answers) > NOISE;
    let would_tell =
        |w: &OwnMap| w.others.is_some_and(|others| binomial::at_most(w.right as u64, w.answers as u64, others) < level);
    let nothing = witnesses().all(noise) && witnesses().any(would_tell);
    if nothing && !attentive { Worth::Careless } else { Worth::TooFew }
}

fn checks(panel: &Panel, who: &str) -> Option<Checks> {
    let one = panel.participants.iter().find(|p| p.name == who)?;
    (one.passed + one.failed > 0).then_some(Checks { passed: one.passed, failed: one.failed })
}

/// What chance reaches, at the mean of all questions.
fn chance(c: &Comparisons) -> f64 {
    let all: Vec<f64> = c
        .trials()
        .into_iter()
        .flat_map(|t| t.iter().filter(|t| t.is_usable()).map(|t| t.chance()).collect::<Vec<_>>())
        .collect();
    if all.is_empty() { 0.5 } else { all.iter().sum::<f64>() / all.len() as f64 }
}

/// So many answers, or up to a fifth more: those who gave about as many are held against the same.
fn about(answers: usize) -> usize {
    1.2f64.powi((answers.max(1) as f64).ln().div_euclid(1.2f64.ln()) as i32) as usize
}

/// Answers that were held out and predicted rightly, of how many.
type Found = (usize, usize);

struct Look<'a> {
    c: &'a Comparisons,
    how: &'a How,
    run: &'a Run<'a>,
    halves: Option<Halves>,
    chance: f64,
    /// The answers of those whom the common map explains, the most first.
    usable: Vec<&'a [usize]>,
}

impl Look<'_> {
    fn told(&self, (right, answers): Found, others: Option<f64>) -> OwnMap {
        OwnMap { answers, right, chance: self.chance, others }
    }
    /// What a map of these answers alone predicts, in folds of whole questions.
    fn alone(&self, own: &[usize]) -> Option<Found> {
        let How { dim, link, precision } = *self.how;
        let fit = |c: &Comparisons, run: &Run<'_>| {
            ChoiceModel::new(dim).link(link).precision(precision).lapses(Lapses::None).fit_with(c, run)
        };
        let found = held_out(&self.c.subset(own), By::Queries, FOLDS, fit, &self.run.repeated()).ok()?;
        let right: f64 = found.folds.iter().map(|f| f.test * f.test_rows as f64).sum();
        Some((right.round() as usize, found.folds.iter().map(|f| f.test_rows).sum()))
    }
    /// What own weights on the axes of a richer common map predict: of one half of all answers each, held against the other.
    fn weighted(&self, own: &[usize]) -> Option<Found> {
        let halves = self.halves.as_ref()?;
        let mut found = (0, 0);
        for half in 0..2 {
            let (train, test): (Vec<usize>, Vec<usize>) = own.iter().partition(|row| halves.of[**row] == half);
            let weights = AxisWeights::of(&halves.maps[usize::from(half)], train.iter().map(|row| self.c.rows()[*row]));
            found.0 += test.iter().filter(|row| weights.holds(&self.c.rows()[**row])).count();
            found.1 += test.len();
        }
        Some(found)
    }
    /// What own weights and own maps predict for people whom the common map explains, from so many answers of each; `None` where nobody gave
    /// as many.
    fn others(&self, answers: usize) -> [Option<f64>; 2] {
        let mut sums = [(0, 0); 2];
        for (k, list) in self.usable.iter().filter(|l| l.len() >= answers).take(OTHERS).enumerate() {
            let mut order = Rng::task(self.run.seed() ^ STREAM, k as u64).permutation(list.len());
            order.truncate(answers);
            order.sort_unstable();
            let rows: Vec<usize> = order.into_iter().map(|at| list[at]).collect();
            for (sum, found) in sums.iter_mut().zip([self.weighted(&rows), self.alone(&rows)]) {
                let (right, all) = found.unwrap_or_default();
                *sum = (sum.0 + right, sum.1 + all);
            }
        }
        sums.map(|(right, all)| (all > 0).then(|| right as f64 / all as f64))
    }
}

/// Two maps with more axes, each of one half of the questions.
struct Halves {
    /// Which half an answer belongs to.
    of: Vec<u8>,
    maps: [Embedding; 2],
}

impl Halves {
    fn of(c: &Comparisons, how: &How, run: &Run<'_>) -> Option<Self> {
        let dim = (how.dim + MORE_AXES).min(c.objects().len().saturating_sub(1)).max(1);
        let mut rng = Rng::task(run.seed() ^ STREAM, u64::MAX);
        // A question and its repetitions stay together.
        let mut side: BTreeMap<(Pair, Pair), u8> = BTreeMap::new();
        let mut half = |row: &Comparison| {
            let key = if row.near < row.far { (row.near, row.far) } else { (row.far, row.near) };
            *side.entry(key).or_insert_with(|| rng.below(2) as u8)
        };
        let of: Vec<u8> = c.iter().map(&mut half).collect();
        let map = |which: u8| {
            let rows: Vec<usize> = (0..c.len()).filter(|k| of[*k] == which).collect();
            let method = ChoiceModel::new(dim).link(ChoiceLink::Squared).precision(how.precision.max(STEADY));
            Some(method.fit_with(&c.subset(&rows), &run.repeated()).ok()?.embedding)
        };
        let maps = [map(0)?, map(1)?];
        Some(Halves { of, maps })
    }
}

/// A little precision keeps axes that few answers speak of from running away.
const STEADY: f64 = 0.02;

#[cfg(test)]
mod tests {
    use super::*;

    fn person(agreement: f64, own: Option<OwnMap>, checks: Option<(usize, usize)>) -> ParticipantLapse {
        ParticipantLapse {
            participant: "ann".into(),
            answers: 100,
            lapse: 0.9,
            low: 0.7,
            high: 1.0,
            agreement,
            weighted: None,
            own,
            checks: checks.map(|(passed, failed)| Checks { passed, failed }),
            verdict: Worth::TooFew,
        }
    }

    #[test]
    fn two_witnesses_are_heard_before_anybody_is_called_careless() {
        let own = |right: usize, others: f64| Some(OwnMap { answers: 100, right, chance: 0.5, others: Some(others) });
        let said = |agreement, own, checks| verdict(&person(agreement, own, checks), LEVEL, 0.5);
        // One's own map predicts: another rule, whatever the common map says.
        assert_eq!(said(0.5, own(78, 0.8), None), Worth::AnotherRule);
        assert_eq!(said(0.5, own(78, 0.8), Some((54, 0))), Worth::AnotherRule);
        // It predicts nothing where others' do.
        assert_eq!(said(0.5, own(52, 0.8), None), Worth::Careless);
        // Others' do not predict either, from so few answers; or nobody gave as many.
        assert_eq!(said(0.5, own(52, 0.55), None), Worth::TooFew);
        assert_eq!(said(0.5, Some(OwnMap { others: None, ..own(52, 0.0).unwrap() }), None), Worth::TooFew);
        assert_eq!(said(0.5, None, None), Worth::TooFew);
        // Beyond the noise of chance, and not enough to be a rule.
        assert_eq!(said(0.5, own(59, 0.8), None), Worth::TooFew);
        // The common map explains some of it: that is no chance.
        assert_eq!(said(0.65, own(52, 0.8), None), Worth::TooFew);
        // Checks that were failed are a witness by themselves, and those that were passed speak for somebody.
        assert_eq!(said(0.5, None, Some((20, 20))), Worth::Careless);
        assert_eq!(said(0.5, own(52, 0.8), Some((54, 0))), Worth::TooFew);
        assert_eq!(said(0.5, own(52, 0.8), Some((45, 11))), Worth::Careless);
    }

    #[test]
    fn about_as_many_is_up_to_a_fifth_more() {
        for answers in [20usize, 33, 100, 4000] {
            let about = about(answers);
            assert!(about <= answers && answers as f64 <= 1.25 * about as f64 + 1.0, "{answers} {about}");
        }
    }
}
