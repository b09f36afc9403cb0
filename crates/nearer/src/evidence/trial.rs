//! One trial: what was asked of a person, what they answered, and what follows from it.

use crate::evidence::answered::Answered;
use crate::object::{Item, Pair};

/// What was asked in each trial of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Task {
    /// *Is the head nearer to this one or to that one?* Items: head, near, far.
    Triplets,
    /// *Which two are nearer to each other, a and b or c and d?* Items: a, b (the near pair), c, d (the far pair).
    Quadruplets,
    /// *Which one does not belong?* Items: the others, then the odd one.
    OddOneOut,
    /// *Which one lies between the others?* Items: the central one, then the others.
    MostCentral,
    /// *Which k of these are nearest to the head?* Items: head, the chosen, the rest.
    Choices,
    /// *Order these by their nearness to the head.* Items: head, then the ranked, nearest first, then the rest, all of
    /// them farther than the last that was ranked.
    Ranks,
}

/// One trial: the objects in the order of the answer (see [`Task`]).
#[derive(Debug, Clone, Copy)]
pub struct Trial<'a> {
    /// What was asked.
    pub task: Task,
    /// The objects, as [`Task`] orders them.
    pub items: &'a [Item],
    /// For choices, how many were chosen; for ranks, how many were ranked; 0 for other tasks.
    pub split: usize,
    /// Everything else.
    pub answered: Answered,
}

impl Task {
    /// The fewest objects in a trial.
    pub(super) fn least(self) -> usize {
        if self == Task::Quadruplets { 4 } else { 3 }
    }
    /// Whether a trial has just that many.
    pub(super) fn exact(self) -> bool {
        matches!(self, Task::Triplets | Task::Quadruplets)
    }
    /// The name, as `--kind` takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Task::Triplets => "triplets",
            Task::Quadruplets => "quadruplets",
            Task::OddOneOut => "odd-one-out",
            Task::MostCentral => "most-central",
            Task::Choices => "choices",
            Task::Ranks => "ranks",
        }
    }
}

impl Trial<'_> {
    /// Whether an object is shown twice, as in a check of attention: nothing can be learned from it.
    #[must_use]
    pub fn is_self(&self) -> bool {
        if self.task == Task::Quadruplets {
            return self.items[0] == self.items[1] || self.items[2] == self.items[3];
        }
        self.items.iter().enumerate().any(|(k, item)| self.items[..k].contains(item))
    }

    /// Whether it may be used: no self trial and not marked as a check.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        !self.answered.check && !self.is_self()
    }

    /// Calls `each` with the near and the far pair of every comparison the answer makes.
    pub fn conclude(&self, mut each: impl FnMut(Pair, Pair)) {
        let mut say = |a: Item, b: Item, c: Item, d: Item| {
            if let (Some(near), Some(far)) = (Pair::new(a, b), Pair::new(c, d)) {
                each(near, far);
            }
        };
        let items = self.items;
        match self.task {
            Task::Triplets => say(items[0], items[1], items[0], items[2]),
            Task::Quadruplets => say(items[0], items[1], items[2], items[3]),
            Task::OddOneOut => {
                let (odd, others) = (items[items.len() - 1], &items[..items.len() - 1]);
                ordered(others, |x, y| say(x, y, x, odd));
            }
            Task::MostCentral => ordered(&items[1..], |x, y| say(items[0], x, x, y)),
            Task::Choices => {
                let (head, chosen, rest) = (items[0], &items[1..=self.split], &items[self.split + 1..]);
                chosen.iter().for_each(|&c| rest.iter().for_each(|&r| say(head, c, head, r)));
            }
            Task::Ranks => {
                let (head, ranked, rest) = (items[0], &items[1..=self.split], &items[self.split + 1..]);
                ranked.windows(2).for_each(|w| say(head, w[0], head, w[1]));
                rest.iter().for_each(|&r| say(head, ranked[ranked.len() - 1], head, r));
            }
        }
    }

    /// The question (what was shown, in a fixed order) and then the answer, both as long as the items.
    pub(super) fn write_keys(&self, keys: &mut Vec<u32>) {
        let (start, count) = (keys.len(), self.items.len());
        let put = |keys: &mut Vec<u32>| keys.extend(self.items.iter().map(|i| i.0));
        put(keys);
        put(keys);
        let (question, answer) = keys[start..].split_at_mut(count);
        match self.task {
            Task::Triplets => question[1..].sort_unstable(),
            Task::Quadruplets => {
                answer[..2].sort_unstable();
                answer[2..].sort_unstable();
                question.copy_from_slice(answer);
                if question[..2] > question[2..] {
                    question.rotate_left(2);
                }
            }
            Task::OddOneOut => {
                question.sort_unstable();
                answer[..count - 1].sort_unstable();
            }
            Task::MostCentral => {
                question.sort_unstable();
                answer[1..].sort_unstable();
            }
            Task::Choices | Task::Ranks => {
                question[1..].sort_unstable();
                if self.task == Task::Choices {
                    answer[1..=self.split].sort_unstable();
                }
                answer[self.split + 1..].sort_unstable();
                // How many were asked for is part of the question.
                keys.insert(start, self.split as u32);
                keys.insert(start + count + 1, self.split as u32);
            }
        }
    }
}

/// All ordered pairs of different positions.
fn ordered(items: &[Item], mut each: impl FnMut(Item, Item)) {
    for (a, &x) in items.iter().enumerate() {
        for (b, &y) in items.iter().enumerate() {
            if a != b {
                each(x, y);
            }
        }
    }
}
