//! Which answers belong to the same question, and which of those say the same.

use crate::evidence::comparisons::Comparisons;
use crate::evidence::pairs::Pairs;
use crate::evidence::trial::{Task, Trial};
use crate::evidence::trials::Trials;

/// Counts over trials. A *query* is a distinct question among the usable rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// All rows.
    pub rows: usize,
    /// Rows that repeat an object.
    pub selves: usize,
    /// Those, and rows marked as checks.
    pub checks: usize,
    /// Distinct questions among the rest.
    pub queries: usize,
    /// Questions asked more than once.
    pub repeated: usize,
    /// Questions with more than one answer.
    pub contradictory: usize,
    /// Answers that are not the most frequent one to their question.
    pub minority: usize,
    /// Questions whose most frequent answer is not alone.
    pub tied: usize,
}

/// Answers brought together by question.
///
/// Questions are numbered from 0, and so are the distinct answers; the answers to one question have numbers in a row.
#[derive(Debug, Clone)]
pub(crate) struct Questions {
    /// The question of each answer.
    pub(crate) question: Vec<u32>,
    /// What was answered: equal numbers are equal answers to one question.
    pub(crate) answer: Vec<u32>,
    /// The first answer number of each question, and after the last question how many there are.
    first: Vec<u32>,
}

impl Questions {
    /// The usable trials, and the questions they asked. `O(N log N)`.
    pub(crate) fn of_trials(trials: &Trials) -> (Vec<usize>, Questions) {
        let usable: Vec<usize> = (0..trials.len()).filter(|&k| trials.get(k).is_usable()).collect();
        let (mut keys, mut ends) = (Vec::new(), vec![0usize]);
        for &k in &usable {
            trials.get(k).write_keys(&mut keys);
            ends.push(keys.len());
        }
        // A key is the question followed by the answer, both of one length, so keys of other lengths stand elsewhere.
        let key = |k: usize| (ends[k + 1] - ends[k], &keys[ends[k]..ends[k + 1]]);
        let asked = |key: &(usize, &[u32])| key.0 / 2;
        let questions =
            Questions::sorted((0..usable.len()).map(key), |a, b| a.0 == b.0 && a.1[..asked(a)] == b.1[..asked(b)]);
        (usable, questions)
    }

    /// Every row as an answer to *which of these two pairs is nearer?*
    pub(crate) fn of_rows(comparisons: &Comparisons) -> Questions {
        let keys = comparisons.iter().map(|r| (r.near.min(r.far), r.near.max(r.far), r.near < r.far));
        Questions::sorted(keys, |a, b| (a.0, a.1) == (b.0, b.1))
    }

    /// Every ordered row as an answer to *is this one like that one?*
    pub(crate) fn of_pairs(pairs: &Pairs) -> Questions {
        let keys = pairs.iter().map(|r| (r.from, r.to, r.level, r.similar));
        Questions::sorted(keys, |a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2))
    }

    /// Equal keys are equal answers; keys of one question, the `same`, stand together when sorted.
    fn sorted<K: Ord>(keys: impl Iterator<Item = K>, same: impl Fn(&K, &K) -> bool) -> Questions {
        // Keys and places side by side: looking keys up while sorting takes several times as long.
        let mut order: Vec<(K, u32)> = keys.enumerate().map(|(k, key)| (key, k as u32)).collect();
        order.sort_unstable();
        let mut q = Questions { question: vec![0; order.len()], answer: vec![0; order.len()], first: Vec::new() };
        let mut answers = 0;
        for (asked, together) in order.chunk_by(|a, b| same(&a.0, &b.0)).enumerate() {
            q.first.push(answers);
            for equal in together.chunk_by(|a, b| a.0 == b.0) {
                for (_, k) in equal {
                    (q.question[*k as usize], q.answer[*k as usize]) = (asked as u32, answers);
                }
                answers += 1;
            }
        }
        q.first.push(answers);
        q
    }

    /// How many questions there are.
    pub(crate) fn len(&self) -> usize {
        self.first.len() - 1
    }
    /// The numbers of the distinct answers to a question.
    pub(crate) fn answers_to(&self, question: usize) -> std::ops::Range<usize> {
        self.first[question] as usize..self.first[question + 1] as usize
    }
    /// How many distinct answers there are to all questions.
    pub(crate) fn distinct_answers(&self) -> usize {
        self.first[self.len()] as usize
    }
    /// The sum of `value` over those who gave each distinct answer, in the order of the answers.
    pub(crate) fn sum(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.distinct_answers()];
        self.answer.iter().enumerate().for_each(|(k, &a)| sums[a as usize] += value(k));
        sums
    }
}

impl Trials {
    /// How many questions there are, and how many have more than one answer. `O(N log N)`.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let (usable, questions) = Questions::of_trials(self);
        let mut tally = Tally {
            rows: self.len(),
            selves: self.iter().filter(Trial::is_self).count(),
            checks: self.len() - usable.len(),
            queries: questions.len(),
            ..Tally::default()
        };
        let given = questions.sum(|_| 1.0);
        for question in 0..questions.len() {
            let counts = &given[questions.answers_to(question)];
            let (all, most) = (counts.iter().sum::<f64>(), counts.iter().fold(0.0, |m: f64, c| m.max(*c)));
            tally.repeated += usize::from(all > 1.0);
            tally.contradictory += usize::from(counts.len() > 1);
            tally.minority += (all - most) as usize;
            tally.tied += usize::from(counts.iter().filter(|c| **c == most).count() > 1);
        }
        tally
    }
}

impl Trial<'_> {
    /// The share of right answers of somebody who answers by chance: one over the number of possible answers.
    pub(crate) fn chance(&self) -> f64 {
        let shown = self.items.len();
        let from_top = |count: usize| (0..count).map(|k| (shown - 1 - k) as f64).product::<f64>();
        match self.task {
            Task::Triplets | Task::Quadruplets => 0.5,
            Task::OddOneOut | Task::MostCentral => 1.0 / shown as f64,
            Task::Choices => (1..=self.split).map(|k| k as f64).product::<f64>() / from_top(self.split),
            Task::Ranks => 1.0 / from_top(self.split),
        }
    }

    /// Whether a trial that shows an object twice was answered as it must be; `None` where no answer is the right one.
    ///
    /// An object is nearest to itself: a triplet, a choice and a ranking must choose the head where it is offered, a
    /// quadruplet the pair of an object with itself; the odd one is not one of two that are the same, and of three the central
    /// one is.
    #[must_use]
    pub fn is_right(&self) -> Option<bool> {
        let items = self.items;
        let twice = |k: usize| items.iter().enumerate().any(|(other, item)| other != k && *item == items[k]);
        let count = items.len();
        let doubles = (0..count).filter(|&k| twice(k)).count();
        match self.task {
            Task::Quadruplets => match (items[0] == items[1], items[2] == items[3]) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                _ => None,
            },
            Task::OddOneOut | Task::MostCentral if doubles == 0 || doubles == count => None,
            Task::OddOneOut => Some(!twice(count - 1)),
            // Among four or more, another object may lie nearer to all of them than the two that are the same.
            Task::MostCentral => (count == 3).then(|| twice(0)),
            Task::Triplets | Task::Choices | Task::Ranks => {
                let split = if self.task == Task::Choices { self.split } else { 1 };
                let is_head = |item: &crate::object::Item| *item == items[0];
                let (chosen, rest) = (&items[1..=split], &items[split + 1..]);
                let passed_over = rest.iter().any(is_head) && !chosen.iter().all(is_head);
                if passed_over { Some(false) } else { chosen.iter().any(is_head).then_some(true) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Answered;
    use crate::object::{Item, Objects};

    fn trials(task: Task, rows: &[(&[u32], usize)]) -> Trials {
        let mut trials = Trials::new(Objects::numbered(6), task);
        for (items, split) in rows {
            let items: Vec<Item> = items.iter().map(|&i| Item(i)).collect();
            trials.push(&items, *split, Answered::default()).unwrap();
        }
        trials
    }

    #[test]
    fn answers_meet_in_their_question() {
        let rows: [(&[u32], usize); 6] =
            [(&[0, 1, 2], 0), (&[3, 1, 2], 0), (&[0, 2, 1], 0), (&[0, 0, 1], 0), (&[0, 1, 2], 0), (&[0, 2, 3], 0)];
        let t = trials(Task::Triplets, &rows);
        let (usable, q) = Questions::of_trials(&t);
        assert_eq!(usable, [0, 1, 2, 4, 5]);
        assert_eq!((q.len(), q.distinct_answers()), (3, 4));
        assert_eq!((q.question[0], q.answer[0]), (q.question[3], q.answer[3]));
        assert_eq!(q.question[0], q.question[2]);
        assert_ne!(q.answer[0], q.answer[2]);
        let of_first = q.answers_to(q.question[0] as usize);
        assert!(of_first.len() == 2 && of_first.contains(&(q.answer[2] as usize)));
        // The same from the comparisons.
        let rows = Questions::of_rows(&t.comparisons());
        assert_eq!((rows.len(), rows.distinct_answers()), (3, 4));
        let mut sums = rows.sum(|_| 1.0);
        sums.sort_by(f64::total_cmp);
        assert_eq!(sums, [1.0, 1.0, 1.0, 2.0]);
    }

    #[test]
    fn chance_is_one_over_the_number_of_answers() {
        let chance = |task, items: &[u32], split| trials(task, &[(items, split)]).get(0).chance();
        assert_eq!(chance(Task::Triplets, &[0, 1, 2], 0), 0.5);
        assert_eq!(chance(Task::OddOneOut, &[0, 1, 2], 0), 1.0 / 3.0);
        assert_eq!(chance(Task::Choices, &[0, 1, 2, 3, 4], 2), 1.0 / 6.0);
        assert_eq!(chance(Task::Ranks, &[0, 1, 2, 3, 4], 2), 1.0 / 12.0);
    }

    #[test]
    fn an_object_is_nearest_to_itself() {
        let right = |task, items: &[u32], split| trials(task, &[(items, split)]).get(0).is_right();
        assert_eq!(right(Task::Triplets, &[0, 0, 1], 0), Some(true));
        assert_eq!(right(Task::Triplets, &[0, 1, 0], 0), Some(false));
        assert_eq!(right(Task::Triplets, &[0, 1, 1], 0), None);
        assert_eq!(right(Task::Quadruplets, &[0, 0, 1, 2], 0), Some(true));
        assert_eq!(right(Task::Quadruplets, &[0, 1, 2, 2], 0), Some(false));
        assert_eq!(right(Task::OddOneOut, &[0, 0, 1], 0), Some(true));
        assert_eq!(right(Task::OddOneOut, &[0, 1, 0], 0), Some(false));
        assert_eq!(right(Task::MostCentral, &[0, 0, 1], 0), Some(true));
        assert_eq!(right(Task::MostCentral, &[1, 0, 0], 0), Some(false));
        assert_eq!(right(Task::MostCentral, &[1, 0, 0, 2], 0), None);
        assert_eq!(right(Task::Choices, &[0, 0, 1, 2], 2), Some(true));
        assert_eq!(right(Task::Choices, &[0, 2, 1, 0], 2), Some(false));
        assert_eq!(right(Task::Ranks, &[0, 1, 0, 2], 3), Some(false));
        assert_eq!(right(Task::Ranks, &[0, 1, 2, 3], 3), None);
    }
}
