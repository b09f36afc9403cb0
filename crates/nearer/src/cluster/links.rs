//! Pairs as links between objects: what must stay together, what must not, and where they contradict each other.

use std::collections::VecDeque;

use crate::error::Error;
use crate::evidence::Pairs;
use crate::graph::union::Union;
use crate::object::Objects;

/// Links by object, each in both directions, with their weights.
pub(super) struct Links {
    pub(super) must: Vec<Vec<(u32, f64)>>,
    pub(super) cannot: Vec<Vec<(u32, f64)>>,
    /// The set that must-links join each object to; an object alone is a set of its own.
    pub(super) set: Vec<u32>,
    pub(super) sets: usize,
}

impl Links {
    pub(super) fn none(n: usize) -> Self {
        Links { must: vec![Vec::new(); n], cannot: vec![Vec::new(); n], set: (0..n as u32).collect(), sets: n }
    }
    /// The pairs of these objects; an answer in both directions is one link.
    pub(super) fn of(pairs: &Pairs, objects: &Objects) -> Result<Self, Error> {
        pairs.plain("cluster")?;
        let index = objects.index();
        let mut links = Links::none(objects.len());
        let mut sets = Union::new(objects.len());
        let step = if pairs.is_mirrored() { 2 } else { 1 };
        for row in pairs.iter().step_by(step) {
            let place = |item: crate::object::Item| {
                let label = pairs.objects().label(item);
                index.get(label).map(|i| i.index()).ok_or_else(|| Error::Evidence {
                    what: format!("`{label}` is linked and has no features"),
                    remedy: "give it a row of features, or leave its pairs out".into(),
                })
            };
            let (a, b) = (place(row.from)?, place(row.to)?);
            let list = if row.similar { &mut links.must } else { &mut links.cannot };
            list[a].push((b as u32, row.weight));
            list[b].push((a as u32, row.weight));
            if row.similar {
                sets.join(a, b);
            }
        }
        let (set, first) = sets.vertices();
        (links.set, links.sets) = (set, first.len());
        Ok(links)
    }
    /// How many there are of each kind.
    pub(super) fn counts(&self) -> (usize, usize) {
        let half = |lists: &[Vec<(u32, f64)>]| lists.iter().map(Vec::len).sum::<usize>() / 2;
        (half(&self.must), half(&self.cannot))
    }
    /// How many of each kind a grouping breaks.
    pub(super) fn broken(&self, of: &[u32]) -> (usize, usize) {
        let count = |lists: &[Vec<(u32, f64)>], together: bool| {
            let own = |(i, list): (usize, &Vec<(u32, f64)>)| {
                list.iter().filter(|(j, _)| (of[i] == of[*j as usize]) == together).count()
            };
            lists.iter().enumerate().map(own).sum::<usize>() / 2
        };
        (count(&self.must, false), count(&self.cannot, true))
    }
    /// A cannot-link whose ends must-links join, with a shortest chain of these.
    pub(super) fn contradiction(&self) -> Option<Vec<usize>> {
        for (a, list) in self.cannot.iter().enumerate() {
            for (b, _) in list {
                if self.set[a] == self.set[*b as usize] {
                    return Some(self.chain(a, *b as usize));
                }
            }
        }
        None
    }
    /// The shortest chain of must-links between two objects of one set.
    fn chain(&self, from: usize, to: usize) -> Vec<usize> {
        let mut before = vec![usize::MAX; self.must.len()];
        let mut queue = VecDeque::from([from]);
        before[from] = from;
        while let Some(i) = queue.pop_front() {
            if i == to {
                break;
            }
            for (j, _) in &self.must[i] {
                if before[*j as usize] == usize::MAX {
                    before[*j as usize] = i;
                    queue.push_back(*j as usize);
                }
            }
        }
        let mut chain = vec![to];
        while *chain.last().unwrap_or(&from) != from {
            chain.push(before[chain[chain.len() - 1]]);
        }
        chain.reverse();
        chain
    }
    /// The contradiction in words.
    pub(super) fn contradiction_in_words(&self, objects: &Objects) -> Option<String> {
        let chain = self.contradiction()?;
        let names: Vec<String> = chain.iter().map(|i| format!("`{}`", objects.labels()[*i])).collect();
        let (first, last) = (&names[0], &names[names.len() - 1]);
        Some(format!(
            "{first} and {last} are said not to be alike, and a chain of pairs that are joins them: {}",
            names.join(" – ")
        ))
    }
    /// # Fails
    /// Where pairs contradict each other.
    pub(super) fn consistent(&self, objects: &Objects) -> Result<(), Error> {
        match self.contradiction_in_words(objects) {
            None => Ok(()),
            Some(what) => Err(Error::Evidence {
                what,
                remedy: "take one of these pairs out, or take mpck-means, which may break pairs at a cost".into(),
            }),
        }
    }
    /// The objects of each set.
    pub(super) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.sets];
        self.set.iter().enumerate().for_each(|(i, s)| members[*s as usize].push(i));
        members
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Judged;
    use crate::object::Item;

    #[test]
    fn a_contradiction_is_named_by_a_shortest_chain() {
        let row = |a, b, similar| Judged::new(Item(a), Item(b), similar);
        let rows =
            vec![row(0, 1, true), row(1, 2, true), row(2, 3, true), row(0, 4, true), row(4, 3, true), row(0, 3, false)];
        let objects = Objects::new(["a", "b", "c", "d", "e", "f"]).unwrap();
        let links = Links::of(&Pairs::new(objects.clone(), rows).unwrap().both_ways(), &objects).unwrap();
        let e = links.consistent(&objects).unwrap_err().to_string();
        assert!(e.contains("`a` – `e` – `d`"), "{e}");
        assert_eq!((links.sets, links.counts()), (2, (5, 1)));
        assert_eq!(links.broken(&[0, 0, 0, 1, 0, 0]), (2, 0));
    }
}
