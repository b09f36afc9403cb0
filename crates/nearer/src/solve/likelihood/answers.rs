//! Answers as a likelihood sees them: whole trials, each a chain of choices among pairs.

use nearer_num::choices::Choices;
use nearer_num::rng::Rng;

use crate::evidence::{Comparisons, Task, Trial};
use crate::object::{Item, Pair};

/// The trials behind comparisons.
///
/// | task | the answer takes | possible answers |
/// |---|---|---|
/// | triplets, quadruplets | the near pair, not the far one | 2 |
/// | odd-one-out | the pairs among the others, not those among all but another one | as many as objects |
/// | most-central | the pairs of the centre, not those of another one | as many as objects |
/// | choices, k of n | the k chosen, not another k; beyond [`SETS`] such sets each chosen one, not one of the rest | n over k |
/// | ranks | the first ranked, not one of the others; then the second, not one of those left; and so on | n!/(n-k)! |
#[derive(Debug, Clone, Default)]
pub(crate) struct Answers {
    pub choices: Choices,
    /// Who gave each; empty where nobody is named. Those of nobody belong to the number after the last.
    pub who: Vec<u32>,
    /// Who is named.
    pub people: Vec<String>,
    /// The margin of each; empty where all are 1.
    pub margins: Vec<f64>,
    /// A row of the comparisons that each was concluded from.
    pub row: Vec<u32>,
}

/// The random stream of which answers are taken of many.
const STREAM: u64 = 0x000a_9e11;
/// Up to so many sets to choose from are written out.
const SETS: usize = 256;

impl Answers {
    pub(crate) fn of(c: &Comparisons) -> Self {
        let mut answers = Answers::default();
        if let Some(trials) = c.trials() {
            answers.people = trials.participants().to_vec();
        }
        let mut row = 0;
        while row < c.len() {
            let end = c
                .trial_of(row)
                .map_or(row + 1, |t| (row..c.len()).find(|&r| c.trial_of(r) != Some(t)).unwrap_or(c.len()));
            answers.take(c, row, end);
            row = end;
        }
        answers
    }

    /// So many of them, one at random of each stretch; `None` where there are not twice as many.
    pub(crate) fn thinned(&self, count: usize) -> Option<Self> {
        let all = self.choices.len();
        if all <= 2 * count {
            return None;
        }
        let mut rng = Rng::task(STREAM, all as u64);
        let one = |k: usize| {
            let (from, to) = (k * all / count, (k + 1) * all / count);
            from + rng.below(to - from)
        };
        Some(self.subset(&(0..count).map(one).collect::<Vec<_>>()))
    }

    /// The rows of one trial. Where some of them are missing, each that is there counts for itself.
    fn take(&mut self, c: &Comparisons, row: usize, end: usize) {
        let first = &c.rows()[row];
        if let (Some(trials), Some(k)) = (c.trials(), c.trial_of(row)) {
            let trial = trials.get(k);
            let mut concluded = 0;
            trial.conclude(|_, _| concluded += 1);
            if concluded > 0 && (end - row).is_multiple_of(concluded) {
                let weight = first.weight * ((end - row) / concluded) as f64;
                whole(&trial, weight, &mut self.choices);
                return self.note(c, row);
            }
        }
        for r in row..end {
            let ends = |p: Pair| [p.first().0, p.second().0];
            let one = &c.rows()[r];
            self.choices.push_pair(one.weight, ends(one.near), ends(one.far));
            self.note(c, r);
        }
    }

    fn note(&mut self, c: &Comparisons, row: usize) {
        if !self.people.is_empty() {
            let who = c.answered(row).and_then(|a| a.participant);
            self.who.push(who.unwrap_or(self.people.len() as u32));
        }
        let margin = c.rows()[row].margin;
        if self.margins.is_empty() && margin != 1.0 {
            self.margins = vec![1.0; self.row.len()];
        }
        if !self.margins.is_empty() || margin != 1.0 {
            self.margins.push(margin);
        }
        self.row.push(row as u32);
    }

    /// Some of the trials.
    pub(crate) fn subset(&self, trials: &[usize]) -> Self {
        let some = |of: &[u32]| if of.is_empty() { Vec::new() } else { trials.iter().map(|&t| of[t]).collect() };
        Answers {
            choices: self.choices.subset(trials),
            who: some(&self.who),
            people: self.people.clone(),
            margins: if self.margins.is_empty() {
                Vec::new()
            } else {
                trials.iter().map(|&t| self.margins[t]).collect()
            },
            row: some(&self.row),
        }
    }
}

/// A trial with all that was concluded from it.
fn whole(trial: &Trial<'_>, weight: f64, into: &mut Choices) {
    if let (Task::Triplets, &[head, near, far]) = (trial.task, trial.items) {
        return into.push_pair(weight, [head.0, near.0], [head.0, far.0]);
    }
    let items: Vec<u32> = trial.items.iter().map(|i: &Item| i.0).collect();
    let (head, others) = (items[0], &items[1..]);
    let from_head = |list: &[u32]| list.iter().map(|&o| [head, o]).collect::<Vec<[u32; 2]>>();
    match trial.task {
        Task::Triplets => into.push_pair(weight, [head, items[1]], [head, items[2]]),
        Task::Quadruplets => into.push_pair(weight, [head, items[1]], [items[2], items[3]]),
        Task::OddOneOut => {
            let without = |odd: u32| among(items.iter().copied().filter(|&i| i != odd).collect());
            let options: Vec<Vec<[u32; 2]>> = items.iter().rev().map(|&odd| without(odd)).collect();
            into.push(weight, items.len() as f64, [(&options.concat()[..], options[0].len())]);
        }
        Task::MostCentral => {
            let of = |centre: u32| items.iter().filter(move |&&i| i != centre).map(move |&i| [centre, i]);
            let pairs: Vec<[u32; 2]> = items.iter().flat_map(|&centre| of(centre)).collect();
            into.push(weight, items.len() as f64, [(&pairs[..], items.len() - 1)]);
        }
        Task::Choices => {
            let (chosen, rest) = others.split_at(trial.split);
            let sets = (0..chosen.len()).fold(1.0, |c, k| c * (others.len() - k) as f64 / (k + 1) as f64);
            if sets <= SETS as f64 {
                let pairs: Vec<[u32; 2]> = subsets(others, chosen.len()).iter().flat_map(|s| from_head(s)).collect();
                into.push(weight, sets, [(&pairs[..], chosen.len())]);
            } else {
                let each: Vec<Vec<[u32; 2]>> = chosen.iter().map(|&c| from_head(&[&[c], rest].concat())).collect();
                into.push(weight, sets, each.iter().map(|pairs| (&pairs[..], 1)));
            }
        }
        Task::Ranks => {
            let left = |k: usize| others.len() - k;
            let stages: Vec<Vec<[u32; 2]>> =
                (0..trial.split).filter(|&k| left(k) > 1).map(|k| from_head(&others[k..])).collect();
            let answers = stages.iter().map(|s| s.len() as f64).product();
            into.push(weight, answers, stages.iter().map(|pairs| (&pairs[..], 1)));
        }
    }
}

/// All pairs of some objects.
fn among(items: Vec<u32>) -> Vec<[u32; 2]> {
    items.iter().enumerate().flat_map(|(k, &a)| items[k + 1..].iter().map(move |&b| [a, b])).collect()
}

/// All subsets of this size, that of the first ones first.
fn subsets(items: &[u32], size: usize) -> Vec<Vec<u32>> {
    match (size, items) {
        (0, _) => vec![Vec::new()],
        (_, [first, rest @ ..]) if items.len() >= size => {
            let with = subsets(rest, size - 1).into_iter().map(|s| [&[*first], &s[..]].concat());
            with.chain(subsets(rest, size)).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Answered, Trials};
    use crate::object::Objects;
    use nearer_num::choices::Link;
    use nearer_num::pairs::Rows;

    fn answers(task: Task, list: &[(&[u32], usize)]) -> Answers {
        let mut trials = Trials::new(Objects::numbered(6), task);
        for (items, split) in list {
            let items: Vec<Item> = items.iter().map(|&i| Item(i)).collect();
            trials.push(&items, *split, Answered::default()).unwrap();
        }
        Answers::of(&trials.comparisons())
    }

    /// Every possible answer to a question is given once: their probabilities sum to one, and there are as many as a lapse
    /// guesses among.
    #[test]
    fn the_probabilities_of_all_answers_sum_to_one() {
        let odd = [[1, 2, 3, 0], [0, 2, 3, 1], [0, 1, 3, 2], [0, 1, 2, 3]].map(|i| (i.to_vec(), 0));
        let central = [[0, 1, 2, 3], [1, 0, 2, 3], [2, 0, 1, 3], [3, 0, 1, 2]].map(|i| (i.to_vec(), 0));
        let three = [[0, 1, 2], [1, 2, 0], [0, 2, 1]].map(|i| (i.to_vec(), 0));
        type Given = Vec<(Vec<u32>, usize)>;
        let two_of_four: Given = subsets(&[1, 2, 3, 4], 2)
            .into_iter()
            .map(|s| {
                let rest = (1..5).filter(|i| !s.contains(i));
                (std::iter::once(0).chain(s.clone()).chain(rest).collect(), 2)
            })
            .collect();
        let ranked: Given = (1..5u32)
            .flat_map(|a| (1..5).filter(move |b| *b != a).map(move |b| (a, b)))
            .map(|(a, b)| ([0, a, b].into_iter().chain((1..5).filter(|i| *i != a && *i != b)).collect(), 2))
            .collect();
        let points = [0.3, -1.0, 0.8, 0.1, -0.4, 1.2, 0.9, 0.2, -0.7, 0.6, 0.0, 0.0];
        let cases: [(Task, Given); 5] = [
            (Task::OddOneOut, odd.to_vec()),
            (Task::OddOneOut, three.to_vec()),
            (Task::MostCentral, central.to_vec()),
            (Task::Choices, two_of_four),
            (Task::Ranks, ranked),
        ];
        for (task, list) in cases {
            let list: Vec<(&[u32], usize)> = list.iter().map(|(i, s)| (i.as_slice(), *s)).collect();
            let a = answers(task, &list);
            let p = a.choices.log_probability(Rows { values: &points, dim: 2 }, Link::Distance);
            assert!((p.iter().map(|p| p.exp()).sum::<f64>() - 1.0).abs() < 1e-12, "{task:?}");
            assert!((a.choices.guess(0) - 1.0 / list.len() as f64).abs() < 1e-12, "{task:?} {}", a.choices.guess(0));
        }
    }

    /// Of a trial that lost a row, the rows that are left count for themselves; one drawn twice counts twice.
    #[test]
    fn trials_are_whole_or_rows() {
        let mut trials = Trials::new(Objects::numbered(6), Task::OddOneOut);
        let who = trials.add_participant("ann");
        for items in [[0, 1, 2], [3, 4, 5]] {
            let given = Answered { participant: Some(who), ..Answered::default() };
            trials.push(&items.map(Item), 0, given).unwrap();
        }
        let c = trials.comparisons();
        let a = Answers::of(&c);
        assert_eq!((a.choices.len(), a.choices.guess(0), a.who.len(), a.people.len()), (2, 1.0 / 3.0, 2, 1));
        let a = Answers::of(&c.subset(&[0, 2, 3]));
        assert_eq!((a.choices.len(), a.choices.guess(0), a.choices.guess(1), a.row), (2, 0.5, 1.0 / 3.0, vec![0, 1]));
        let a = Answers::of(&c.subset(&[0, 1, 0, 1, 2, 3]));
        assert_eq!((a.choices.len(), a.choices.weight(0), a.choices.weight(1)), (2, 2.0, 1.0));
    }
}
