//! A study as a method takes it: the parts of one of its ways, as they are or made out of others.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::evidence::{ConvertOptions, Evidence, Pairs, Part, over};
use crate::graph::{Why, clean_pairs};
use crate::object::Item;
use crate::study::{Note, Study};

impl Study {
    /// The parts of one of these ways and nothing else, with what was done to get them: a way with kernels where these are given
    /// or asked for; else one with the features themselves, or with kernels of them, where they stand beside judgements; else the
    /// one that needs least conversion, else that of what was given first.
    ///
    /// Judgements beside features become judgements of all objects that have features.
    ///
    /// Pairs that were answered both ways count for the majority. Judgements stand in an order of their own, whatever that of the file.
    ///
    /// # Fails
    /// [`Error::Evidence`] where no way can be had; it names what the method takes.
    pub fn suited(
        &self,
        method: &str,
        ways: &[&'static [Part]],
        options: &ConvertOptions,
    ) -> Result<(Study, Vec<Note>), Error> {
        let way = self.way(ways).ok_or_else(|| self.refusal(method, ways))?;
        let mut suited = Study { measurements: self.measurements.clone(), ..Study::default() };
        suited.metadata = self.metadata.clone();
        let (mut notes, mut used) = (Vec::new(), vec![]);
        for part in way.iter().filter(|p| !matches!(p, Part::Features | Part::Kernels)) {
            let from = self.source(*part).ok_or_else(|| self.refusal(method, ways))?;
            used.push(from.kind());
            if let (Evidence::Sorts(sorts), Part::Distances) = (from, part) {
                suited.sorted = Some(sorts.clone());
            }
            suited = suited.with(made(from, *part, method, options, &mut notes)?);
        }
        if way.contains(&Part::Features) {
            suited.features = self.features.clone();
            used.push(Part::Features);
            if let [(_, features)] = self.features.as_slice() {
                let all = suited.evidence.iter().map(|e| over(e, features.objects()));
                suited.evidence = all.collect::<Result<_, Error>>()?;
            }
        }
        if way.contains(&Part::Kernels) {
            let objects = if suited.evidence.is_empty() { self.objects_of_features() } else { suited.objects() };
            let (kernels, more) = self.kernels_of(&objects)?;
            suited.kernels = Some(kernels);
            notes.extend(more);
            used.extend([Part::Features, Part::Kernels]);
        }
        let parts: Vec<Part> = self.parts().into_iter().filter(|p| !used.contains(p)).collect();
        if !parts.is_empty() {
            notes.push(Note::Unused { method: method.into(), parts });
        }
        Ok((suited, notes))
    }

    /// The way to take.
    fn way(&self, ways: &[&'static [Part]]) -> Option<&'static [Part]> {
        let meant = self.kernels.is_some() || !self.specs.is_empty();
        let cost = |way: &[Part]| -> Option<(u32, u32, usize)> {
            if way == [Part::Kernels] && !meant {
                // What judgements beside features suggest is a kernel for the judgements.
                return None;
            }
            let dear = way.iter().map(|p| self.cost(*p)).sum::<Option<u32>>()?;
            let rank = match (way.contains(&Part::Kernels), way.contains(&Part::Features) && way.len() > 1) {
                (true, _) if meant => 0,
                (_, true) => 1,
                (true, _) => 2,
                _ => 3,
            };
            // Of equals what was given first, as it decides the method.
            let first = self.evidence.iter().position(|e| way.contains(&e.kind())).unwrap_or(usize::MAX);
            Some((rank, dear, first))
        };
        ways.iter().filter_map(|way| Some((cost(way)?, *way))).min_by_key(|(cost, _)| *cost).map(|(_, way)| way)
    }

    /// How far a part is from what is there: 0 where it is there; `None` where nothing leads to it.
    fn cost(&self, part: Part) -> Option<u32> {
        match part {
            Part::Kernels => self.can_have_kernels().then_some(0),
            Part::Features => (self.features.len() == 1).then_some(0),
            _ => self.evidence.iter().filter_map(|e| distance(e.kind(), part)).min(),
        }
    }

    /// The part that is nearest to one of this kind, the first of equals.
    fn source(&self, part: Part) -> Option<&Evidence> {
        self.evidence.iter().filter(|e| distance(e.kind(), part).is_some()).min_by_key(|e| distance(e.kind(), part))
    }

    fn objects_of_features(&self) -> crate::object::Objects {
        Study { evidence: Vec::new(), ..self.clone() }.objects()
    }

    fn refusal(&self, method: &str, ways: &[&'static [Part]]) -> Error {
        let has = self.parts().iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
        if self.features.len() > 1 && ways.contains(&&[Part::Features][..]) {
            return Error::Evidence {
                what: format!("{} tables of features are given", self.features.len()),
                remedy: "join them into one table, a row for each object".into(),
            };
        }
        let learns = |way: &&[Part]| way.contains(&Part::Features) && way.contains(&Part::Sorts);
        if self.evidence.is_empty() && self.features.len() == 1 && ways.iter().any(learns) {
            return Error::Evidence {
                what: format!(
                    "{method} learns from classes, and none are given: what is known about objects beside their features is shown, and never learned from unasked"
                ),
                remedy: crate::error::Remedy::from("say with ")
                    .any("classes")
                    .and(" which column holds the class of each object, or give other judgements; ")
                    .command("methods")
                    .and(format!(" lists what takes {has} alone")),
            };
        }
        Error::Evidence {
            what: format!("{method} does not take {has}"),
            remedy: crate::error::Remedy::from(format!(
                "it takes {}; ",
                ways.iter().map(|way| Part::together(way)).collect::<Vec<_>>().join(" or ")
            ))
            .command("methods")
            .and(format!(" lists what takes {has}")),
        }
    }
}

/// How much is lost from one kind to another, in ranks; `None` where there is no way.
fn distance(from: Part, to: Part) -> Option<u32> {
    match (from, to) {
        _ if from == to => Some(0),
        (Part::Sorts, Part::Distances) => Some(1),
        (Part::Sorts, Part::Pairs) => Some(2),
        (Part::Pairs | Part::Distances | Part::Taxonomy | Part::Sorts, Part::Comparisons) => Some(3),
        (Part::Taxonomy, Part::Pairs) => Some(4),
        _ => None,
    }
}

/// The part of that kind, out of this one.
fn made(
    from: &Evidence,
    to: Part,
    method: &str,
    options: &ConvertOptions,
    notes: &mut Vec<Note>,
) -> Result<Evidence, Error> {
    let (part, how): (Evidence, Vec<String>) = match (from, to) {
        (Evidence::Pairs(pairs), Part::Pairs) => return Ok(settled(pairs, notes).in_order().into()),
        (Evidence::Comparisons(comparisons), Part::Comparisons) => return Ok(comparisons.in_order().into()),
        _ if from.kind() == to => return Ok(from.clone()),
        (Evidence::Sorts(sorts), Part::Distances) => {
            let how = "the distance of two objects is the share of assessors that did not put them together";
            (sorts.distances()?.into(), vec![how.to_owned()])
        }
        (_, Part::Pairs) => {
            let pairs = from.to_pairs(options)?;
            (pairs.evidence.into(), pairs.said)
        }
        _ => {
            let comparisons = from.to_comparisons(options)?;
            (comparisons.evidence.into(), comparisons.said)
        }
    };
    notes.push(Note::Converted { from: from.kind(), to, method: method.into(), how });
    Ok(match part {
        Evidence::Pairs(pairs) => settled(&pairs, notes).in_order().into(),
        Evidence::Comparisons(comparisons) => comparisons.in_order().into(),
        other => other,
    })
}

/// Pairs with each question answered one way: by the majority, and not at all where both sides weigh the same.
fn settled(pairs: &Pairs, notes: &mut Vec<Note>) -> Pairs {
    if pairs.tally().contradictory == 0 {
        return pairs.clone();
    }
    let cleaned = clean_pairs(pairs);
    let question = |k: usize| {
        let row = &pairs.rows()[k];
        if pairs.is_mirrored() && row.from > row.to { (row.to, row.from) } else { (row.from, row.to) }
    };
    let lost = |why: Why| -> BTreeSet<(Item, Item)> {
        let lost = cleaned.fates.iter().enumerate().filter(|(_, fate)| **fate == Some(why));
        lost.map(|(k, _)| question(k)).collect()
    };
    let (outvoted, tied) = (lost(Why::Minority), lost(Why::Tie));
    if let Some((from, to)) = outvoted.union(&tied).next() {
        let label = |item: &Item| pairs.objects().label(*item).to_owned();
        let first = (label(from), label(to));
        notes.push(Note::Settled { outvoted: outvoted.len(), tied: tied.len(), first });
    }
    cleaned.kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Judged, Taxonomy};
    use crate::object::{Item, Objects};
    use crate::toy;

    const DISTANCES: &[Part] = &[Part::Distances];
    const PAIRS: &[Part] = &[Part::Pairs];
    const COMPARISONS: &[Part] = &[Part::Comparisons];

    #[test]
    fn what_is_there_is_taken_before_what_can_be_made() {
        let both = Study::from(toy::cities()).with(toy::answers(5, 2, 20, 0.0, 1));
        let (study, notes) = both.suited("m", &[COMPARISONS], &ConvertOptions::default()).unwrap();
        assert_eq!(study.comparisons().unwrap().len(), 20);
        assert_eq!(notes, [Note::Unused { method: "m".into(), parts: vec![Part::Distances] }]);
        let (study, notes) = both.suited("m", &[DISTANCES, COMPARISONS], &ConvertOptions::default()).unwrap();
        assert_eq!((study.parts(), notes.len()), (vec![Part::Distances], 1));
    }

    #[test]
    fn a_tree_is_comparisons_before_it_is_pairs() {
        let tree = Taxonomy::from_edges([("r", "a"), ("r", "z"), ("a", "x"), ("a", "y")]).unwrap();
        let (study, notes) =
            Study::from(tree.clone()).suited("m", &[PAIRS, COMPARISONS], &ConvertOptions::default()).unwrap();
        assert_eq!(study.parts(), [Part::Comparisons]);
        assert!(notes[0].to_string().starts_with("taxonomy taken as comparisons for m: 2 comparisons"), "{}", notes[0]);
        let e = Study::from(tree).suited("m", &[DISTANCES], &ConvertOptions::default()).unwrap_err().to_string();
        assert_eq!(e, "m does not take taxonomy; it takes distances; `methods` lists what takes taxonomy");
    }

    #[test]
    fn contradictory_pairs_are_settled_and_said() {
        let row = |a, b, similar| Judged::new(Item(a), Item(b), similar);
        let rows = vec![row(0, 1, true), row(0, 1, false), row(1, 2, true), row(1, 2, true), row(1, 2, false)];
        let pairs = Pairs::new(Objects::numbered(3), rows).unwrap().both_ways();
        let (study, notes) = Study::from(pairs).suited("m", &[PAIRS], &ConvertOptions::default()).unwrap();
        assert_eq!(notes, [Note::Settled { outvoted: 1, tied: 1, first: ("1".into(), "2".into()) }]);
        assert!(study.pairs().unwrap().iter().all(|r| r.similar && r.from != Item(0) && r.to != Item(0)));
    }
}
