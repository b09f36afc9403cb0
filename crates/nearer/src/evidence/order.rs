//! Judgements in one order, whatever order they were given in.
//!
//! Starts, folds, random signs and the rounding of sums go by the number of an answer. The order of the rows of a file says
//! nothing, so on the way to a method answers are brought into an order of their own: by the objects they are about, then by what
//! was answered, then by who answered and how much it counts. Answers that are equal in all of that may be exchanged.

use std::cmp::Ordering;

use crate::evidence::{Answered, Comparison, Comparisons, Judged, Pairs, Trials};
use crate::object::{Pair, label_order};

impl Comparisons {
    /// The same comparisons in an order that does not depend on that of the file, their trials with them. `O(N log N)`.
    #[must_use]
    pub fn in_order(&self) -> Self {
        let Some(trials) = self.trials() else {
            let mut rows = self.rows().to_vec();
            rows.sort_by(by_content);
            return Comparisons::new(self.objects().clone(), rows).expect("the rows were checked before");
        };
        let order = trials.order();
        if order.is_sorted() && label_order(trials.participants()).is_sorted() {
            return self.clone();
        }
        let (kept, from) = if self.is_one_a_trial() {
            (order.iter().map(|&k| self.rows()[k as usize]).collect(), Vec::new())
        } else {
            self.rows_by(&order)
        };
        Comparisons::concluded(self.objects().clone(), kept, from, trials.in_this_order(&order).into())
    }

    /// The rows by the place of their trials in an order of all trials, and that place.
    fn rows_by(&self, order: &[u32]) -> (Vec<Comparison>, Vec<u32>) {
        let mut place = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(at, &k)| place[k as usize] = at as u32);
        let trial = |row: usize| self.trial_of(row).map_or(0, |k| place[k]);
        let mut rows: Vec<(u32, u32)> = (0..self.len()).map(|row| (trial(row), row as u32)).collect();
        rows.sort_unstable();
        let kept = rows.iter().map(|(_, row)| self.rows()[*row as usize]).collect();
        (kept, rows.into_iter().map(|(trial, _)| trial).collect())
    }
}

impl Trials {
    /// The numbers of the trials in the order of what they are.
    fn order(&self) -> Vec<u32> {
        let bits = usize::BITS - self.objects().len().leading_zeros();
        let mut order: Vec<u32> = match self.common_width() {
            // The objects of a trial in one number, compared at once.
            Some(width) if width as u32 * bits <= u64::BITS => {
                let packed = |k: u32| self.shown(k as usize).iter().fold(0, |key: u64, i| key << bits | u64::from(i.0));
                let mut keys: Vec<(u64, u32)> = (0..self.len() as u32).map(|k| (packed(k), k)).collect();
                keys.sort_unstable();
                keys.into_iter().map(|(_, k)| k).collect()
            }
            _ => {
                let mut order: Vec<u32> = (0..self.len() as u32).collect();
                order.sort_by(|&a, &b| self.shown(a as usize).cmp(self.shown(b as usize)));
                order
            }
        };
        let people = places(self.participants());
        let who = |a: &Answered| a.participant.map(|p| people[p as usize]);
        let finer = |&a: &u32, &b: &u32| {
            let (one, other) = (self.get(a as usize), self.get(b as usize));
            let (x, y) = (&one.answered, &other.answered);
            (one.split, who(x), x.check, x.side.map(|s| s as u8))
                .cmp(&(other.split, who(y), y.check, y.side.map(|s| s as u8)))
                .then(x.weight.total_cmp(&y.weight))
                .then(x.margin.total_cmp(&y.margin))
                .then_with(|| x.seconds.unwrap_or(-1.0).total_cmp(&y.seconds.unwrap_or(-1.0)))
        };
        let same = |a: &u32, b: &u32| self.shown(*a as usize) == self.shown(*b as usize);
        order.chunk_by_mut(same).filter(|run| run.len() > 1).for_each(|run| run.sort_by(finer));
        order
    }

    /// The same trials in this order, participants in that of their names.
    fn in_this_order(&self, order: &[u32]) -> Trials {
        let (people, names) = (places(self.participants()), label_order(self.participants()));
        let names = names.into_iter().map(|k| self.participants()[k].clone()).collect();
        self.taken(order, |who| people[who as usize], names)
    }
}

impl Pairs {
    /// The same answers in an order that does not depend on that of the file; of unordered pairs the object that comes first among the
    /// objects is named first. `O(N log N)`.
    #[must_use]
    pub fn in_order(&self) -> Self {
        let people = places(self.participants());
        let step = self.per_answer();
        let mut rows = self.rows().to_vec();
        for row in &mut rows {
            row.participant = row.participant.map(|p| people[p as usize]);
        }
        if self.is_mirrored() {
            let turned = rows.chunks_mut(step).filter(|a| a[0].from > a[0].to);
            turned.for_each(|answer| answer.chunks_exact_mut(2).for_each(|both| both.swap(0, 1)));
        }
        let answer = |k: u32| &rows[k as usize * step..][..step];
        // The two objects in one number, compared at once; few answers have the same.
        let packed = |k: u32| u64::from(answer(k)[0].from.0) << 32 | u64::from(answer(k)[0].to.0);
        let mut order: Vec<(u64, u32)> = (0..(rows.len() / step) as u32).map(|k| (packed(k), k)).collect();
        order.sort_unstable();
        let key = |r: &Judged| (r.from, r.to, r.level, r.similar, r.participant);
        for same in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
            same.sort_by(|&(_, a), &(_, b)| {
                let (a, b) = (answer(a), answer(b));
                a.iter().map(key).cmp(b.iter().map(key)).then_with(|| a[0].weight.total_cmp(&b[0].weight))
            });
        }
        let sorted = order.iter().flat_map(|&(_, k)| answer(k)).copied().collect();
        let participants =
            label_order(self.participants()).into_iter().map(|k| self.participants()[k].clone()).collect();
        self.with_rows(sorted, participants)
    }
}

/// The place of each name among all of them in order.
fn places(names: &[String]) -> Vec<u32> {
    let mut place = vec![0; names.len()];
    label_order(names).into_iter().enumerate().for_each(|(at, k)| place[k] = at as u32);
    place
}

fn by_content(a: &Comparison, b: &Comparison) -> Ordering {
    let ends = |p: Pair| (p.first(), p.second());
    (ends(a.near), ends(a.far))
        .cmp(&(ends(b.near), ends(b.far)))
        .then(a.weight.total_cmp(&b.weight))
        .then(a.margin.total_cmp(&b.margin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Task;
    use crate::object::{Item, Objects};

    /// Answers of two people about five objects, some of them repeated, in the order of `seed`.
    fn answers(seed: usize) -> Comparisons {
        let mut trials = Trials::new(Objects::numbered(5), Task::OddOneOut);
        let people = if seed.is_multiple_of(2) { ["ann", "bob"] } else { ["bob", "ann"] };
        for name in people {
            trials.add_participant(name);
        }
        let mut all: Vec<([u32; 3], &str, f64)> = Vec::new();
        for k in 0..40u32 {
            all.push((
                [k % 5, (k + 1 + k / 20) % 5, (k + 3) % 5],
                ["ann", "bob"][(k / 3 % 2) as usize],
                1.0 + f64::from(k % 2),
            ));
        }
        let count = all.len();
        for k in 0..count {
            let (items, name, weight) = all[(k * (2 * seed + 1) * 3 + seed) % count];
            let participant = people.iter().position(|p| *p == name).map(|p| p as u32);
            trials.push(&items.map(Item), 0, Answered { participant, weight, ..Answered::default() }).unwrap();
        }
        trials.comparisons()
    }

    #[test]
    fn any_order_of_answers_becomes_one() {
        let told = |c: &Comparisons| -> Vec<String> {
            (0..c.len()).map(|k| format!("{} {:?} {}", c.in_words(k), c.participant(k), c.rows()[k].weight)).collect()
        };
        let first = answers(0).in_order();
        // 3 and 7 have no factor in common with 40, so these orders hold every answer once.
        for seed in [1, 3, 4] {
            let other = answers(seed);
            assert_ne!(told(&other), told(&answers(0)));
            assert_eq!(told(&other.in_order()), told(&first));
            assert_eq!(other.in_order().trials().unwrap().participants(), ["ann", "bob"]);
        }
        let mut before = told(&answers(0));
        let mut after = told(&first);
        before.sort();
        after.sort();
        assert_eq!(before, after, "nothing is lost");
        // Rows stay with the trials they were concluded from.
        for k in 0..first.len() {
            let mut said = Vec::new();
            first.trials().unwrap().get(first.trial_of(k).unwrap()).conclude(|near, far| said.push((near, far)));
            assert!(said.contains(&(first.rows()[k].near, first.rows()[k].far)));
        }
    }

    #[test]
    fn unordered_pairs_lose_their_direction() {
        let row = |a, b, similar| Judged::new(Item(a), Item(b), similar);
        let pairs = |rows: Vec<Judged>| Pairs::new(Objects::numbered(4), rows).unwrap().both_ways().in_order();
        let one = pairs(vec![row(0, 1, true), row(2, 1, false), row(3, 0, true)]);
        let other = pairs(vec![row(3, 0, true), row(1, 0, true), row(1, 2, false)]);
        assert_eq!(one.rows(), other.rows());
        assert_eq!((one.rows()[0].from, one.rows()[1].from), (Item(0), Item(1)));
    }

    #[test]
    fn directed_pairs_keep_it() {
        let row = |a, b| Judged::new(Item(a), Item(b), true);
        let pairs = Pairs::new(Objects::numbered(3), vec![row(2, 1), row(0, 2)]).unwrap().in_order();
        assert_eq!(pairs.rows(), [row(0, 2), row(2, 1)]);
    }
}
