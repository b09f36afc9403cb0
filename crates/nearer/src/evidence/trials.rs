//! Trials: what people were asked and what they answered, row by row, before anything is concluded from it.

use std::sync::Arc;

use crate::error::Error;
use crate::evidence::answered::{Answered, Column, Known};
use crate::evidence::comparisons::{Comparison, Comparisons};
use crate::evidence::size;
use crate::evidence::trial::{Task, Trial};
use crate::object::{Item, Objects, Pair};

/// All trials of one task, self trials and checks included; what may be used is told apart, never dropped in silence.
///
/// ```
/// use nearer::evidence::{Answered, Task, Trials};
/// use nearer::{Item, Objects};
/// # fn main() -> Result<(), nearer::Error> {
/// let mut trials = Trials::new(Objects::new(["dog", "wolf", "cat"])?, Task::OddOneOut);
/// trials.push(&[Item(0), Item(1), Item(2)], 0, Answered::default())?;   // dog and wolf; the cat does not belong
/// trials.push(&[Item(2), Item(1), Item(0)], 0, Answered::default())?;   // someone else finds the dog odd
/// let tally = trials.tally();
/// assert_eq!((tally.queries, tally.repeated, tally.contradictory, tally.minority), (1, 1, 1, 1));
/// assert_eq!(trials.comparisons().len(), 4);                            // two a trial
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Trials {
    objects: Objects,
    task: Task,
    items: Vec<Item>,
    /// How many objects a trial has, and where those of each end once they differ.
    width: usize,
    ends: Vec<usize>,
    splits: Column<u32>,
    known: Known,
    participants: Vec<String>,
}

impl Trials {
    /// No trials yet, of these objects.
    #[must_use]
    pub fn new(objects: Objects, task: Task) -> Self {
        Trials {
            objects,
            task,
            items: Vec::new(),
            width: 0,
            ends: Vec::new(),
            splits: Column::of(0),
            known: Known::default(),
            participants: Vec::new(),
        }
    }

    /// Adds a participant and gives the index by which trials name them.
    pub fn add_participant(&mut self, name: impl Into<String>) -> u32 {
        self.participants.push(name.into());
        (self.participants.len() - 1) as u32
    }

    /// Adds a trial: its objects as [`Task`] orders them, and for choices and ranks how many were chosen or ranked.
    pub fn push(&mut self, items: &[Item], split: usize, answered: Answered) -> Result<(), Error> {
        let wrong = |what: String, remedy: &str| {
            let at = if answered.line > 0 { format!("line {}: ", answered.line) } else { String::new() };
            Err(Error::Evidence { what: format!("{at}{what}"), remedy: remedy.into() })
        };
        let (count, least) = (items.len(), self.task.least());
        if count < least || (self.task.exact() && count > least) {
            return wrong(
                format!("a trial of {} has {count} objects", self.task.name()),
                "give one row for each trial",
            );
        }
        if let Some(item) = items.iter().find(|i| i.index() >= self.objects.len()) {
            let n = self.objects.len();
            return wrong(format!("object number {} of {n} does not exist", item.0 + 1), "name all objects first");
        }
        if let Some(who) = answered.participant.filter(|&who| who as usize >= self.participants.len()) {
            return wrong(format!("participant number {} does not exist", who + 1), "add participants first");
        }
        if !size::is_weight(answered.weight) {
            let remedy = "give a number above 0, at most 1e30, or leave the row out; for the opposite answer exchange near and far";
            return wrong(format!("the weight is {}", size::shown(answered.weight)), remedy);
        }
        if !(size::is_usable(answered.margin) && answered.margin >= 0.0) {
            return wrong(format!("the margin is {}", size::shown(answered.margin)), "give a number from 0 to 1e60");
        }
        let ranked = matches!(self.task, Task::Choices | Task::Ranks);
        if ranked && !(1..count).contains(&split) {
            return wrong(format!("{split} of {} objects are chosen", count - 1), "choose one at least");
        }
        if let [a, b, c, d] = items
            && self.task == Task::Quadruplets
            && a != b
            && Pair::new(*a, *b) == Pair::new(*c, *d)
        {
            let (a, b) = (self.objects.label(*a), self.objects.label(*b));
            return wrong(format!("the pair `{a}`, `{b}` is compared with itself"), "remove the row");
        }
        self.push_checked(items, if ranked { split } else { 0 }, answered);
        Ok(())
    }

    /// Adds a trial that a reader has checked already, perhaps before all objects are known.
    pub(crate) fn push_checked(&mut self, items: &[Item], split: usize, answered: Answered) {
        let count = self.len();
        if count == 0 {
            self.width = items.len();
        }
        if self.ends.is_empty() && items.len() != self.width {
            self.ends = (1..=count).map(|k| k * self.width).collect();
        }
        self.items.extend_from_slice(items);
        if !self.ends.is_empty() {
            self.ends.push(self.items.len());
        }
        self.splits.push(count, split as u32);
        self.known.push(&answered);
    }

    /// The same trials of objects in another order: object k is now `to[k]`.
    pub(crate) fn renumbered(mut self, objects: Objects, to: &[Item]) -> Self {
        self.items.iter_mut().for_each(|item| *item = to[item.index()]);
        Trials { objects, ..self }
    }

    /// Some of the trials in this order, of participants that have other numbers now.
    pub(super) fn taken(&self, order: &[u32], who: impl Fn(u32) -> u32, participants: Vec<String>) -> Self {
        let mut items = Vec::with_capacity(order.len() * self.width);
        let mut ends = Vec::new();
        for &k in order {
            items.extend_from_slice(self.shown(k as usize));
            if !self.ends.is_empty() {
                ends.push(items.len());
            }
        }
        let (objects, splits) = (self.objects.clone(), self.splits.taken(order));
        Trials { objects, items, ends, splits, known: self.known.taken(order, who), participants, ..*self }
    }

    /// How many objects a trial has, where all have the same number.
    pub(crate) fn common_width(&self) -> Option<usize> {
        self.ends.is_empty().then_some(self.width)
    }

    /// The objects; more of them may exist than were ever shown.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// What was asked.
    #[must_use]
    pub fn task(&self) -> Task {
        self.task
    }
    /// How many trials there are, self trials and checks included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Who took part.
    #[must_use]
    pub fn participants(&self) -> &[String] {
        &self.participants
    }
    /// A trial.
    ///
    /// # Panics
    /// If there are not that many.
    #[must_use]
    pub fn get(&self, k: usize) -> Trial<'_> {
        let answered = self.known.get(k);
        Trial { task: self.task, items: self.shown(k), split: self.splits.get(k) as usize, answered }
    }
    /// The objects of a trial alone, as [`Task`] orders them.
    pub(crate) fn shown(&self, k: usize) -> &[Item] {
        let end =
            |k: usize| if self.ends.is_empty() { k * self.width } else { k.checked_sub(1).map_or(0, |k| self.ends[k]) };
        &self.items[end(k)..end(k + 1)]
    }
    /// All trials, in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Trial<'_>> {
        (0..self.len()).map(|k| self.get(k))
    }

    /// What the usable trials say, as comparisons of distances.
    ///
    /// | task | comparisons |
    /// |---|---|
    /// | triplets | `d(head, near) < d(head, far)` |
    /// | quadruplets | `d(a, b) < d(c, d)` |
    /// | odd-one-out | `d(x, y) < d(x, odd)` for all others x, y: two for three objects |
    /// | most-central | `d(centre, x) < d(x, y)` for all others x, y: two for three objects |
    /// | choices | `d(head, c) < d(head, r)` for each chosen c and each r of the rest: k (n - k) |
    /// | ranks | `d(head, r_i) < d(head, r_(i+1))` along the order, and the last ranked before each of the rest |
    ///
    /// What is lost: that comparisons of one trial are one answer (they stay linked by [`Comparisons::trial_of`]); the
    /// comparisons that follow along a ranking by transitivity are not written out.
    #[must_use]
    pub fn comparisons(self) -> Comparisons {
        let mut rows = Vec::with_capacity(self.len());
        // Which trial a row is from is only written down once it is not that of the same number.
        let mut from = Vec::new();
        for (k, trial) in self.iter().enumerate().filter(|(_, t)| t.is_usable()) {
            trial.conclude(|near, far| {
                let Answered { weight, margin, .. } = trial.answered;
                if from.is_empty() && k != rows.len() {
                    from.extend(0..rows.len() as u32);
                }
                if !from.is_empty() || k != rows.len() {
                    from.push(k as u32);
                }
                rows.push(Comparison { near, far, weight, margin });
            });
        }
        Comparisons::concluded(self.objects.clone(), rows, from, Arc::new(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(task: Task, rows: &[(&[u32], usize)]) -> Trials {
        let mut trials = Trials::new(Objects::numbered(6), task);
        for (items, split) in rows {
            let items: Vec<Item> = items.iter().map(|&i| Item(i)).collect();
            trials.push(&items, *split, Answered::default()).unwrap();
        }
        trials
    }

    fn said(task: Task, items: &[u32], split: usize) -> Vec<[u32; 4]> {
        let c = trials(task, &[(items, split)]).comparisons();
        c.iter().map(|r| [r.near.first().0, r.near.second().0, r.far.first().0, r.far.second().0]).collect()
    }

    #[test]
    fn each_task_says_what_its_table_says() {
        assert_eq!(said(Task::Triplets, &[2, 0, 1], 0), [[0, 2, 1, 2]]);
        assert_eq!(said(Task::Quadruplets, &[3, 0, 1, 2], 0), [[0, 3, 1, 2]]);
        assert_eq!(said(Task::OddOneOut, &[0, 1, 2], 0), [[0, 1, 0, 2], [0, 1, 1, 2]]);
        assert_eq!(said(Task::MostCentral, &[0, 1, 2], 0), [[0, 1, 1, 2], [0, 2, 1, 2]]);
        assert_eq!(said(Task::Choices, &[0, 1, 2, 3], 2), [[0, 1, 0, 3], [0, 2, 0, 3]]);
        assert_eq!(said(Task::Ranks, &[0, 3, 1, 2, 4], 2), [[0, 3, 0, 1], [0, 1, 0, 2], [0, 1, 0, 4]]);
    }

    #[test]
    fn questions_are_the_same_whatever_the_order_on_the_screen() {
        let t = trials(Task::Quadruplets, &[(&[0, 1, 2, 3], 0), (&[1, 0, 3, 2], 0), (&[3, 2, 1, 0], 0)]).tally();
        assert_eq!((t.queries, t.repeated, t.contradictory, t.minority), (1, 1, 1, 1));
        let t = trials(Task::Choices, &[(&[0, 1, 2, 3], 2), (&[0, 2, 1, 3], 2), (&[0, 1, 2, 3], 1)]).tally();
        assert_eq!((t.queries, t.repeated, t.contradictory), (2, 1, 0));
        let t = trials(Task::Triplets, &[(&[0, 1, 2], 0), (&[0, 2, 1], 0), (&[1, 0, 2], 0), (&[0, 1, 1], 0)]).tally();
        assert_eq!((t.rows, t.selves, t.checks, t.queries, t.minority, t.tied), (4, 1, 1, 2, 1, 1));
    }

    #[test]
    fn impossible_trials_are_refused_with_the_value() {
        let mut t = trials(Task::Quadruplets, &[]);
        let push = |t: &mut Trials, items: &[u32], a: Answered| {
            t.push(&items.iter().map(|&i| Item(i)).collect::<Vec<_>>(), 0, a).unwrap_err().to_string()
        };
        let line = Answered { line: 7, ..Answered::default() };
        let e = push(&mut t, &[0, 1, 1, 0], line);
        assert!(e.contains("line 7") && e.contains("`1`, `2`"), "{e}");
        assert!(push(&mut t, &[0, 1, 2], line).contains("3 objects"));
        assert!(push(&mut t, &[0, 1, 2, 9], line).contains("number 10 of 6"));
        assert!(push(&mut t, &[0, 1, 2, 3], Answered { weight: -1.0, ..line }).contains("weight is -1"));
        assert!(t.is_empty());
    }
}
