//! Several files of one study: the same kind of judgement, over the union of their objects.

use std::collections::HashMap;

use crate::error::Error;
use crate::evidence::features::unfeatured;
use crate::evidence::{Comparisons, Evidence, Judged, Pairs, Sorts, Trials};
use crate::object::{Item, Objects, Pair, label_order};

/// All objects, and for each list the place of its objects among them: as they are spelled, or as they count.
pub(crate) fn union(lists: &[&Objects]) -> (Objects, Vec<Vec<Item>>) {
    if let [first, rest @ ..] = lists
        && rest.iter().all(|o| o == first)
    {
        let same: Vec<Item> = (0..first.len() as u32).map(Item).collect();
        return ((*first).clone(), vec![same; lists.len()]);
    }
    let mut labels: Vec<&str> = Vec::new();
    let mut index: HashMap<&str, usize> = HashMap::new();
    for label in lists.iter().flat_map(|o| o.labels()) {
        index.entry(label).or_insert_with(|| {
            labels.push(label);
            labels.len() - 1
        });
    }
    labels = label_order(&labels).into_iter().map(|k| labels[k]).collect();
    index = labels.iter().enumerate().map(|(k, l)| (*l, k)).collect();
    let places = lists.iter().map(|o| o.labels().iter().map(|l| Item(index[l.as_str()] as u32)).collect()).collect();
    (Objects::new(labels).expect("each label once"), places)
}

/// Judgements as judgements of these objects, some of which may never be judged.
///
/// # Fails
/// [`Error::Evidence`] where one is judged that is not among them.
pub(crate) fn over(evidence: &Evidence, objects: &Objects) -> Result<Evidence, Error> {
    if evidence.objects() == objects {
        return Ok(evidence.clone());
    }
    let index = objects.index();
    let place = |label: &String| index.get(label.as_str()).copied().ok_or_else(|| unfeatured(label));
    let to = evidence.objects().labels().iter().map(place).collect::<Result<Vec<Item>, Error>>()?;
    let pair = |p: Pair| Pair::new(to[p.first().index()], to[p.second().index()]).expect("two objects");
    Ok(match evidence {
        Evidence::Sorts(sorts) => {
            let mut groups = vec![vec![None; objects.len()]; sorts.assessors().len()];
            for (who, own) in groups.iter_mut().enumerate() {
                to.iter().enumerate().for_each(|(k, at)| own[at.index()] = sorts.group(who, k).map(str::to_owned));
            }
            Sorts::new(objects.clone(), sorts.assessors().to_vec(), groups)?.into()
        }
        Evidence::Pairs(pairs) => {
            let step = if pairs.is_mirrored() { 2 } else { 1 };
            let moved = |row: &Judged| Judged { from: to[row.from.index()], to: to[row.to.index()], ..*row };
            let rows = pairs.iter().step_by(step).map(moved).collect();
            let moved =
                Pairs::new(objects.clone(), rows)?.described(pairs.participants().to_vec(), pairs.tally().selves);
            if pairs.is_mirrored() { moved.both_ways() } else { moved }.into()
        }
        Evidence::Comparisons(c) => match c.trials() {
            Some(trials) => trials.clone().renumbered(objects.clone(), &to).comparisons().into(),
            None => {
                let rows = c.iter().map(|r| crate::evidence::Comparison { near: pair(r.near), far: pair(r.far), ..*r });
                Comparisons::new(objects.clone(), rows.collect())?.into()
            }
        },
        other => other.clone(),
    })
}

/// Numbers for names, the same name always the same number.
#[derive(Default)]
struct People(HashMap<String, u32>, Vec<String>);

impl People {
    fn numbers(&mut self, names: &[String]) -> Vec<u32> {
        let mut number = |name: &String| {
            *self.0.entry(name.clone()).or_insert_with(|| {
                self.1.push(name.clone());
                self.1.len() as u32 - 1
            })
        };
        names.iter().map(&mut number).collect()
    }
}

impl Trials {
    /// The trials of several files one after the other, over the union of their objects. A participant of the same name is
    /// the same person. Trials of different tasks are refused.
    pub fn joined(parts: &[&Trials]) -> Result<Trials, Error> {
        let Some(first) = parts.first() else {
            return Err(Error::Evidence { what: "no trials to join".into(), remedy: "give one file at least".into() });
        };
        if let Some(other) = parts.iter().find(|p| p.task() != first.task()) {
            return Err(Error::Evidence {
                what: format!("{} and {} are different questions", first.task().name(), other.task().name()),
                remedy: "give files of one kind together".into(),
            });
        }
        let (objects, places) = union(&parts.iter().map(|p| p.objects()).collect::<Vec<_>>());
        let mut people = People::default();
        let mut all = Trials::new(objects, first.task());
        let mut items = Vec::new();
        for (part, to) in parts.iter().zip(&places) {
            let who = people.numbers(part.participants());
            for trial in part.iter() {
                items.clear();
                items.extend(trial.items.iter().map(|i| to[i.index()]));
                let mut answered = trial.answered;
                answered.participant = answered.participant.map(|p| who[p as usize]);
                all.push_checked(&items, trial.split, answered);
            }
        }
        for name in people.1 {
            all.add_participant(name);
        }
        Ok(all)
    }
}

impl Comparisons {
    /// What the trials of several files say together: see [`Trials::joined`]. Comparisons that did not come from trials are
    /// refused.
    pub fn joined(parts: &[&Comparisons]) -> Result<Comparisons, Error> {
        let trials: Option<Vec<&Trials>> = parts.iter().map(|c| c.trials()).collect();
        let trials = trials.ok_or_else(|| Error::Evidence {
            what: "comparisons without the trials they were concluded from cannot be joined".into(),
            remedy: "join the trials".into(),
        })?;
        Ok(Trials::joined(&trials)?.comparisons())
    }
}

impl Pairs {
    /// The answers of several files over the union of their objects. Files with and without direction are refused
    /// together.
    pub fn joined(parts: &[&Pairs]) -> Result<Pairs, Error> {
        let mirrored = parts.first().is_some_and(|p| p.is_mirrored());
        if parts.iter().any(|p| p.is_mirrored() != mirrored) {
            return Err(Error::Evidence {
                what: "some of the pairs have a direction and some have not".into(),
                remedy: "read all files the same way".into(),
            });
        }
        let levels = parts.first().map_or(1, |p| p.levels());
        if let Some(other) = parts.iter().find(|p| p.levels() != levels) {
            return Err(Error::Evidence {
                what: format!("some of the pairs are in {} grades and some in {}", levels + 1, other.levels() + 1),
                remedy: "give files with the same grades".into(),
            });
        }
        let (objects, places) = union(&parts.iter().map(|p| p.objects()).collect::<Vec<_>>());
        let mut people = People::default();
        let (mut rows, mut selves) = (Vec::new(), 0);
        for (part, to) in parts.iter().zip(&places) {
            let who = people.numbers(part.participants());
            selves += part.tally().selves;
            rows.extend(part.iter().step_by(if mirrored { 2 } else { 1 }).map(|row| Judged {
                from: to[row.from.index()],
                to: to[row.to.index()],
                participant: row.participant.map(|p| who[p as usize]),
                ..*row
            }));
        }
        let all = Pairs::new(objects, rows)?.described(people.1, selves);
        Ok(if mirrored { all.both_ways() } else { all })
    }
}

impl Sorts {
    /// The assessors of several files, over the union of their objects; what somebody was not shown is not sorted.
    pub fn joined(parts: &[&Sorts]) -> Result<Sorts, Error> {
        let (objects, places) = union(&parts.iter().map(|p| p.objects()).collect::<Vec<_>>());
        let (mut assessors, mut groups) = (Vec::new(), Vec::new());
        for (part, to) in parts.iter().zip(&places) {
            for (a, name) in part.assessors().iter().enumerate() {
                let mut own = vec![None; objects.len()];
                (0..to.len()).for_each(|k| own[to[k].index()] = part.group(a, k).map(str::to_string));
                assessors.push(name.clone());
                groups.push(own);
            }
        }
        Sorts::new(objects, assessors, groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Answered, Task};

    fn trials(labels: &[&str], people: &[&str], rows: &[([u32; 3], u32)]) -> Trials {
        let mut trials = Trials::new(Objects::new(labels.iter().copied()).unwrap(), Task::Triplets);
        people.iter().for_each(|p| {
            trials.add_participant(*p);
        });
        for (items, who) in rows {
            let answered = Answered { participant: Some(*who), ..Answered::default() };
            trials.push(&items.map(Item), 0, answered).unwrap();
        }
        trials
    }

    #[test]
    fn joined_files_have_all_objects_and_each_person_once() {
        let one = trials(&["a", "b", "c"], &["Ann", "Bob"], &[([0, 1, 2], 1)]);
        let two = trials(&["d", "b", "a"], &["Bob"], &[([2, 1, 0], 0)]);
        let all = Comparisons::joined(&[&one.comparisons(), &two.comparisons()]).unwrap();
        assert_eq!(all.objects().labels(), ["a", "b", "c", "d"]);
        assert_eq!(all.in_words(0), "`a` is nearer to `b` than to `c`");
        assert_eq!(all.in_words(1), "`a` is nearer to `b` than to `d`");
        assert_eq!((all.participant(0), all.participant(1)), (Some("Bob"), Some("Bob")));
        assert_eq!(all.trials().unwrap().participants(), ["Ann", "Bob"]);
    }

    #[test]
    fn numbers_count_across_files() {
        let one = trials(&["2", "10", "11"], &["p"], &[([0, 1, 2], 0)]);
        let two = trials(&["1", "3", "10"], &["p"], &[([0, 1, 2], 0)]);
        let all = Trials::joined(&[&one, &two]).unwrap();
        assert_eq!(all.objects().labels(), ["1", "2", "3", "10", "11"]);
        assert_eq!(all.get(1).items, [Item(0), Item(2), Item(3)]);
    }

    #[test]
    fn different_questions_are_not_joined() {
        let one = trials(&["a", "b", "c"], &["p"], &[]);
        let e = Trials::joined(&[&one, &Trials::new(Objects::numbered(3), Task::OddOneOut)]).unwrap_err().to_string();
        assert!(e.contains("triplets and odd-one-out"), "{e}");
    }

    #[test]
    fn pairs_and_sorts_are_joined() {
        let pairs = |labels: [&str; 2]| {
            let rows = vec![Judged::new(Item(0), Item(1), true)];
            Pairs::new(Objects::new(labels).unwrap(), rows).unwrap().described(vec![], 1).both_ways()
        };
        let all = Pairs::joined(&[&pairs(["a", "b"]), &pairs(["b", "a"]), &pairs(["c", "a"])]).unwrap();
        let t = all.tally();
        assert_eq!((t.rows, t.selves, t.queries, t.repeated), (6, 3, 2, 1));
        let sorts = |labels: [&str; 2], who: &str| {
            let groups = vec![vec![Some("x".to_string()), Some("y".to_string())]];
            Sorts::new(Objects::new(labels).unwrap(), vec![who.into()], groups).unwrap()
        };
        let all = Sorts::joined(&[&sorts(["a", "b"], "Ann"), &sorts(["b", "c"], "Bob")]).unwrap();
        assert_eq!((all.group(0, 1), all.group(1, 1), all.group(0, 2)), (Some("y"), Some("x"), None));
    }
}
