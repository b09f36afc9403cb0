//! Who took part: how far each agrees with the others, and who does not seem to have looked.

use nearer_num::binomial;
use nearer_num::rng::Rng;

use crate::evaluate::others::{Others, others};
use crate::evidence::questions::Questions;
use crate::evidence::{Comparisons, Side, Trials};
use crate::report::{Flag, Panel, Participant, Sides, WithOthers};

/// A median response time below this share of the panel's is too fast.
const FAST_SHARE: f64 = 1.0 / 3.0;
/// And so is one below this, in seconds, whatever the panel does.
const FAST_SECONDS: f64 = 0.3;
/// How unlikely one side must be, over all participants together.
const SIDE_LEVEL: f64 = 0.001;
/// How unlikely chance must be to count as better than chance; and, over all participants together, how unlikely a usual person must
/// be to count as chance.
const CHANCE_LEVEL: f64 = 0.05;
/// How many shared answers are needed to say that somebody answers by chance.
const LEAST_SHARED: usize = 20;
/// Random halvings of the panel.
const HALVINGS: usize = 20;
/// Stream of the halvings; they take no seed, since a panel has one description.
const STREAM: u64 = 0x5011_7A1F;

/// Everybody who answered, held against the others; `None` where it is not known who answered.
///
/// Answers are compared as they were given, whole trials, within a question (what was shown). Somebody's *agreement with the others*
/// is the share of their answers that are the single most frequent one among the answers of all others to the same question; answers
/// whose question nobody else answered, or on which the others have no single favourite, do not count. *Pairwise agreement* is over all
/// pairs of an own answer and one of somebody else to the same question. Self trials and checks count only as checks.
///
/// A participant is flagged
/// - too fast: the median response time is below a third of the panel's median of medians, or below 0.3 s;
/// - always left or right: the exact two-sided sign test of the sides has `p < 0.001 / participants`;
/// - at chance: with 20 shared answers or more, chance would agree with the others as often with a probability above 5 %
///   (the upper tail of the binomial; where trials differ in the number of possible answers, with their mean chance, which
///   is cautious by Hoeffding, 1956), and somebody who agrees as the panel usually does (the median share) would agree as rarely
///   with a probability below 5 % / participants. The first alone says only that there are too few answers to tell.
///
/// `O(N log N)` for `N` answers, however many participants there are.
///
/// ```
/// use nearer::evaluate::participants;
/// use nearer::evidence::{Answered, Task, Trials};
/// use nearer::{Item, Objects};
/// # fn main() -> Result<(), nearer::Error> {
/// let mut trials = Trials::new(Objects::numbered(3), Task::Triplets);
/// for (name, far) in [("ann", 2), ("bob", 2), ("cy", 1)] {
///     let who = trials.add_participant(name);
///     let answered = Answered { participant: Some(who), ..Answered::default() };
///     trials.push(&[Item(0), Item(3 - far), Item(far)], 0, answered)?;
/// }
/// let panel = participants(&trials.comparisons()).expect("it is known who answered");
/// assert_eq!(panel.pairwise_agreement, Some(1.0 / 3.0));
/// assert_eq!(panel.participants[2].others.map(|o| o.share), Some(0.0));    // cy, against ann and bob
/// # Ok(()) }
/// ```
#[must_use]
pub fn participants(comparisons: &Comparisons) -> Option<Panel> {
    of_trials(comparisons.trials()?)
}

fn of_trials(trials: &Trials) -> Option<Panel> {
    let count = trials.participants().len();
    if trials.iter().all(|t| t.answered.participant.is_none()) {
        return None;
    }
    let (usable, questions) = Questions::of_trials(trials);
    let who: Vec<Option<u32>> = usable.iter().map(|&k| trials.get(k).answered.participant).collect();
    let found = others(&questions, &who, count);
    let mut people = vec![Tallied::default(); count];
    for (k, &trial) in usable.iter().enumerate() {
        let Some(person) = who[k].map(|w| w as usize) else { continue };
        let trial = trials.get(trial);
        people[person].add(&trial.answered, found.agrees[k], trial.chance());
    }
    for trial in trials.iter().filter(|t| !t.is_usable()) {
        let Some(person) = trial.answered.participant.map(|w| w as usize) else { continue };
        people[person].checks += 1;
        // A row that is only marked as a check does not say which answer would be right.
        match trial.is_self().then(|| trial.is_right()).flatten() {
            Some(true) => people[person].passed += 1,
            Some(false) => people[person].failed += 1,
            None => {}
        }
    }
    let medians: Vec<Option<f64>> = people.iter_mut().map(|p| median(&mut p.seconds)).collect();
    let median_seconds = median(&mut medians.iter().flatten().copied().collect::<Vec<_>>());
    let enough = people.iter().filter(|p| p.shared >= LEAST_SHARED);
    let usual = median(&mut enough.map(|p| p.agreeing as f64 / p.shared as f64).collect::<Vec<_>>());
    let panel = Usual { seconds: median_seconds, agreement: usual.unwrap_or(1.0), count };
    let named = trials.participants().iter();
    let participants: Vec<Participant> = named
        .zip(people.iter().zip(medians))
        .enumerate()
        .map(|(k, (name, (tallied, median)))| tallied.told(name, k, median, &found, &panel))
        .collect();
    let sum =
        |of: fn(&WithOthers) -> usize| participants.iter().filter_map(|p| p.others.as_ref().map(of)).sum::<usize>();
    let (shared, agreeing) = (sum(|o| o.shared), sum(|o| o.agreeing));
    let [pairs, equal] = found.pairs.iter().fold([0, 0], |sum, p| [sum[0] + p[0], sum[1] + p[1]]);
    Some(Panel {
        answers: who.iter().flatten().count(),
        shared_questions: found.shared,
        pairwise_agreement: (pairs > 0).then(|| equal as f64 / pairs as f64),
        agreement_with_others: (shared > 0).then(|| agreeing as f64 / shared as f64),
        split_half: split_half(&questions, &who, count),
        median_seconds,
        rules: rules(count),
        participants,
    })
}

/// What the panel usually does.
struct Usual {
    seconds: Option<f64>,
    agreement: f64,
    /// How many people there are.
    count: usize,
}

/// What is counted of one participant.
#[derive(Debug, Clone, Default)]
struct Tallied {
    answers: usize,
    shared: usize,
    agreeing: usize,
    chance: f64,
    sides: [usize; 2],
    seconds: Vec<f64>,
    checks: usize,
    passed: usize,
    failed: usize,
}

impl Tallied {
    fn add(&mut self, answered: &crate::evidence::Answered, agrees: Option<bool>, chance: f64) {
        self.answers += 1;
        if let Some(agrees) = agrees {
            self.shared += 1;
            self.agreeing += usize::from(agrees);
            self.chance += chance;
        }
        if let Some(side) = answered.side {
            self.sides[usize::from(side == Side::Right)] += 1;
        }
        self.seconds.extend(answered.seconds.filter(|s| s.is_finite()));
    }

    fn told(
        &self,
        name: &str,
        number: usize,
        median_seconds: Option<f64>,
        found: &Others,
        panel: &Usual,
    ) -> Participant {
        let [pairs, equal] = found.pairs[number];
        let mut told = Participant {
            name: name.into(),
            answers: self.answers,
            others: self.with_others(),
            pairwise_agreement: (pairs > 0).then(|| equal as f64 / pairs as f64),
            sides: self.sides(),
            median_seconds,
            checks: self.checks,
            passed: self.passed,
            failed: self.failed,
            repeated: found.repeated[number],
            contradicted: found.contradicted[number],
            flags: Vec::new(),
        };
        let fast = |own: f64| own < FAST_SECONDS || panel.seconds.is_some_and(|panel| own < FAST_SHARE * panel);
        if median_seconds.is_some_and(fast) {
            told.flags.push(Flag::TooFast);
        }
        if let Some(sides) = told.sides.filter(|s| s.p_value < SIDE_LEVEL / panel.count as f64) {
            told.flags.push(if sides.share > 0.5 { Flag::AlwaysLeft } else { Flag::AlwaysRight });
        }
        let rare = |o: &WithOthers| binomial::at_most(o.agreeing as u64, o.shared as u64, panel.agreement);
        let by_chance = |o: &WithOthers| {
            o.shared >= LEAST_SHARED && o.p_value > CHANCE_LEVEL && rare(o) < CHANCE_LEVEL / panel.count as f64
        };
        if told.others.as_ref().is_some_and(by_chance) {
            told.flags.push(Flag::AtChance);
        }
        told
    }

    fn with_others(&self) -> Option<WithOthers> {
        let (shared, agreeing) = (self.shared, self.agreeing);
        (shared > 0).then(|| {
            let chance = self.chance / shared as f64;
            let p_value = binomial::at_least(agreeing as u64, shared as u64, chance);
            WithOthers { shared, agreeing, share: agreeing as f64 / shared as f64, chance, p_value }
        })
    }

    fn sides(&self) -> Option<Sides> {
        let [left, right] = self.sides;
        let known = left + right;
        (known > 0).then(|| {
            let p_value = binomial::sign_test(left as u64, known as u64);
            Sides { known, left, share: left as f64 / known as f64, p_value }
        })
    }
}

fn rules(count: usize) -> Vec<String> {
    vec![
        format!("too fast: a median response time below a third of the panel's, or below {FAST_SECONDS} s"),
        format!("one side: the sign test of left against right has p below {SIDE_LEVEL} / {count} participants"),
        format!(
            "at chance: {LEAST_SHARED} answers or more that others gave too, chance would agree with their majority as often (p above {CHANCE_LEVEL}), and a usual participant would not agree as rarely (p below {CHANCE_LEVEL} / {count} participants)"
        ),
    ]
}

/// The middle of some values, the mean of the two middle ones where their number is even.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// How often the majorities of two random halves of the panel agree, over the questions on which both have one.
fn split_half(questions: &Questions, who: &[Option<u32>], count: usize) -> Option<f64> {
    let (mut both, mut equal) = (0usize, 0usize);
    for halving in 0..HALVINGS {
        let order = Rng::task(STREAM, halving as u64).permutation(count);
        let mut first = vec![false; count];
        order[..count / 2].iter().for_each(|&p| first[p] = true);
        let mut counts = vec![[0u32; 2]; questions.distinct_answers()];
        for (k, person) in who.iter().enumerate() {
            if let Some(person) = person {
                counts[questions.answer[k] as usize][usize::from(first[*person as usize])] += 1;
            }
        }
        for q in 0..questions.len() {
            let of_question = &counts[questions.answers_to(q)];
            if let (Some(a), Some(b)) = (favourite(of_question, 0), favourite(of_question, 1)) {
                both += 1;
                equal += usize::from(a == b);
            }
        }
    }
    (both > 0).then(|| equal as f64 / both as f64)
}

/// The answer that is alone the most frequent in one half.
fn favourite(counts: &[[u32; 2]], half: usize) -> Option<usize> {
    let most = counts.iter().map(|c| c[half]).max().filter(|most| *most > 0)?;
    let mut those = counts.iter().enumerate().filter(|(_, c)| c[half] == most).map(|(a, _)| a);
    let first = those.next();
    if those.next().is_some() { None } else { first }
}

#[cfg(test)]
mod tests;
