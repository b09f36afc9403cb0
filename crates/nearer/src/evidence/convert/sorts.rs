//! Sorts and class labels as pairs, as distances, and as triplets.

use std::collections::HashMap;

use nearer_num::packed;

use crate::error::Error;
use crate::evidence::convert::{locate, sample};
use crate::evidence::{Answered, Distances, Judged, Pairs, Repeats, Sorts, Task, Trials};
use crate::object::Item;

impl Sorts {
    /// Pairs that an assessor put together are similar, the others dissimilar; both directions, one answer a pair and an
    /// assessor. Where there are more than `cap` answers a sample of that many, the same for the same seed.
    ///
    /// What is lost: that the answers of one assessor are one partition, and the names of the groups.
    ///
    /// ```
    /// use nearer::evidence::Sorts;
    /// use nearer::Objects;
    /// # fn main() -> Result<(), nearer::Error> {
    /// let piles = ["red", "red", "white"].map(|p| Some(p.to_owned())).to_vec();
    /// let sorts = Sorts::new(Objects::numbered(3), vec!["Ann".into()], vec![piles])?;
    /// let pairs = sorts.pairs(1_000_000, 0)?;
    /// assert_eq!(pairs.iter().filter(|p| p.similar).count(), 2);       // 1 and 2, in both directions
    /// # Ok(()) }
    /// ```
    pub fn pairs(&self, cap: usize, seed: u64) -> Result<Pairs, Error> {
        let total: u64 = self.sorted().iter().map(|s| s.len() as u64 * (s.len() as u64).saturating_sub(1) / 2).sum();
        let mut wanted = sample(std::slice::from_ref(&(0..total)), cap, seed).into_iter().peekable();
        let (mut rows, mut at) = (Vec::new(), 0u64);
        for (who, sorted) in self.sorted().iter().enumerate() {
            for (k, (a, mine)) in sorted.iter().enumerate() {
                for (b, other) in &sorted[k + 1..] {
                    if wanted.next_if_eq(&at).is_some() {
                        let said = Judged::new(*a, *b, mine == other);
                        rows.push(Judged { participant: Some(who as u32), ..said });
                    }
                    at += 1;
                }
            }
        }
        Ok(Pairs::new(self.objects().clone(), rows)?.described(self.assessors().to_vec(), 0).both_ways())
    }

    /// The distance of two objects is the share of assessors that did not put them together, among those who sorted
    /// both; its weight is how many those are, and the distance is missing where there are none.
    ///
    /// What is lost: who sorted how, and that each assessor made a partition.
    ///
    /// ```
    /// use nearer::evidence::Sorts;
    /// use nearer::Objects;
    /// # fn main() -> Result<(), nearer::Error> {
    /// let sort = |piles: [&str; 3]| piles.map(|p| Some(p.to_owned())).to_vec();
    /// let sorts = Sorts::new(Objects::numbered(3), vec!["A".into(), "B".into()], vec![sort(["x", "x", "y"]), sort(["x", "y", "y"])])?;
    /// assert_eq!(sorts.distances()?.condensed(), [0.5, 1.0, 0.5]);
    /// # Ok(()) }
    /// ```
    pub fn distances(&self) -> Result<Distances, Error> {
        let n = self.objects().len();
        let (mut apart, mut both) = (vec![0.0; packed::len(n)], vec![0.0; packed::len(n)]);
        for sorted in self.sorted() {
            for (k, (a, mine)) in sorted.iter().enumerate() {
                for (b, other) in &sorted[k + 1..] {
                    let at = packed::index(n, a.index(), b.index());
                    both[at] += 1.0;
                    apart[at] += f64::from(u8::from(mine != other));
                }
            }
        }
        apart.iter_mut().zip(&both).for_each(|(a, b)| *a = if *b > 0.0 { *a / b } else { 0.0 });
        let even = both.windows(2).all(|w| w[0] == w[1]) && both.first().is_none_or(|b| *b > 0.0);
        Distances::from_parts(self.objects().clone(), apart, (!even).then_some(both), None, Repeats::default())
    }

    /// Triplets, an assessor at a time: an object is nearer to one of its own pile than to one of another. Where there are
    /// more than `cap` of them a sample of that many, the same for the same seed.
    ///
    /// What is lost: the partition, and comparisons of pairs that share no object (piles of one assessor may differ in
    /// how loose they are).
    ///
    /// ```
    /// use nearer::evidence::Sorts;
    /// use nearer::Objects;
    /// # fn main() -> Result<(), nearer::Error> {
    /// let piles = ["red", "red", "white"].map(|p| Some(p.to_owned())).to_vec();
    /// let sorts = Sorts::new(Objects::numbered(3), vec!["Ann".into()], vec![piles])?;
    /// let c = sorts.triplets(1_000_000, 0)?.comparisons();
    /// assert_eq!((c.len(), c.participant(0)), (2, Some("Ann")));
    /// # Ok(()) }
    /// ```
    pub fn triplets(&self, cap: usize, seed: u64) -> Result<Trials, Error> {
        let mut trials = Trials::new(self.objects().clone(), Task::Triplets);
        let mut piles: Vec<(u32, Vec<Item>, Vec<Item>)> = Vec::new();
        for (who, sorted) in self.sorted().into_iter().enumerate() {
            trials.add_participant(self.assessors()[who].clone());
            for pile in 0..sorted.iter().map(|(_, g)| g + 1).max().unwrap_or(0) {
                let (own, others) = sorted.iter().copied().partition::<Vec<_>, _>(|(_, g)| *g == pile);
                let items = |list: Vec<(Item, u32)>| list.into_iter().map(|(item, _)| item).collect();
                piles.push((who as u32, items(own), items(others)));
            }
        }
        let ends: Vec<u64> = piles
            .iter()
            .scan(0u64, |end, (_, own, others)| {
                *end += (own.len() * (own.len() - 1)) as u64 * others.len() as u64;
                Some(*end)
            })
            .collect();
        let total = ends.last().copied().unwrap_or(0);
        for k in sample(std::slice::from_ref(&(0..total)), cap, seed) {
            let (pile, k) = locate(&ends, k);
            let (who, own, others) = &piles[pile];
            let (far, k) = (others[k as usize % others.len()], k as usize / others.len());
            let (head, mate) = (k / (own.len() - 1), k % (own.len() - 1));
            let mate = if mate < head { mate } else { mate + 1 };
            let answered = Answered { participant: Some(*who), ..Answered::default() };
            trials.push(&[own[head], own[mate], far], 0, answered)?;
        }
        Ok(trials)
    }

    /// For each assessor the objects that were sorted, with the number of their pile.
    fn sorted(&self) -> Vec<Vec<(Item, u32)>> {
        (0..self.assessors().len())
            .map(|who| {
                let mut piles: HashMap<&str, u32> = HashMap::new();
                (0..self.objects().len())
                    .filter_map(|k| {
                        let next = piles.len() as u32;
                        let pile = *piles.entry(self.group(who, k)?).or_insert(next);
                        Some((Item(k as u32), pile))
                    })
                    .collect()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Objects;
    use nearer_num::rng::Rng;

    fn random(n: usize, assessors: usize, seed: u64) -> Sorts {
        let mut rng = Rng::task(seed, 0);
        let groups = (0..assessors)
            .map(|_| (0..n).map(|_| Some(rng.below(4)).filter(|k| *k > 0).map(|k| format!("pile {k}"))).collect())
            .collect();
        let names = (0..assessors).map(|k| format!("assessor {k}")).collect();
        Sorts::new(Objects::numbered(n), names, groups).unwrap()
    }

    #[test]
    fn pairs_distances_and_triplets_say_what_together_says() {
        let (n, people) = (7, 5);
        let sorts = random(n, people, 3);
        let pairs = sorts.pairs(usize::MAX >> 1, 0).unwrap();
        let d = sorts.distances().unwrap();
        let mut answers = 0;
        for a in 0..n {
            for b in a + 1..n {
                let said: Vec<bool> = (0..people).filter_map(|w| sorts.together(w, a, b)).collect();
                answers += said.len();
                let apart = said.iter().filter(|t| !**t).count();
                match d.between(a, b) {
                    None => assert!(said.is_empty()),
                    Some(v) => assert_eq!(v, apart as f64 / said.len() as f64),
                }
                assert_eq!(d.weight_at(packed::index(n, a, b)), said.len() as f64);
            }
        }
        assert_eq!(pairs.len(), 2 * answers);
        for row in pairs.iter() {
            let who = row.participant.unwrap() as usize;
            assert_eq!(sorts.together(who, row.from.index(), row.to.index()), Some(row.similar));
        }
        let mut expected = Vec::new();
        for who in 0..people {
            for i in 0..n {
                for j in 0..n {
                    for k in 0..n {
                        let near = i != j && sorts.together(who, i, j) == Some(true);
                        if near && sorts.together(who, i, k) == Some(false) {
                            expected.push((who as u32, [i, j, k].map(|k| Item(k as u32))));
                        }
                    }
                }
            }
        }
        let trials = sorts.triplets(usize::MAX >> 1, 0).unwrap();
        let mut said: Vec<(u32, [Item; 3])> =
            trials.iter().map(|t| (t.answered.participant.unwrap(), [t.items[0], t.items[1], t.items[2]])).collect();
        said.sort();
        expected.sort();
        assert_eq!(said, expected);
        assert_eq!((sorts.triplets(10, 1).unwrap().len(), sorts.pairs(10, 1).unwrap().len()), (10, 20));
    }
}
