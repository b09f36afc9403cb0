//! From answers as they came to a set that can be mapped: vote, repair, reduction, and the fate of every row.

use std::collections::HashMap;

use crate::error::Error;
use crate::evidence::{Comparisons, Pairs};
use crate::graph::order::{ConstraintGraph, Repair, Why};
use crate::object::{Item, Pair};

/// What to do with a set of judgements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cleaning {
    /// Settle contradictions by majority; ties go.
    pub vote: bool,
    /// With a level, a majority counts only when the exact two-sided sign test is below it.
    pub level: Option<f64>,
    /// How circles are broken; `None` leaves them.
    pub repair: Option<Repair>,
    /// Drop what follows from the rest.
    pub reduce: bool,
    /// For [`Repair::Random`].
    pub seed: u64,
}

impl Default for Cleaning {
    fn default() -> Self {
        Cleaning { vote: true, level: None, repair: Some(Repair::Cheapest), reduce: false, seed: 0 }
    }
}

/// What became of judgements.
#[derive(Debug, Clone)]
pub struct Cleaned<K> {
    /// What is left, equal answers merged.
    pub kept: K,
    /// For each row why it was dropped; `None` where it was kept.
    pub fates: Vec<Option<Why>>,
}

/// Cleans comparisons: vote, then repair, then reduction, each if asked for.
///
/// ```
/// use nearer::graph::{Cleaning, clean};
/// use nearer::{Comparison, Comparisons, Item, Objects, Pair};
/// # fn main() -> Result<(), nearer::Error> {
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let yes = Comparison::new(pair(0, 1), pair(0, 2));
/// let no = Comparison::new(pair(0, 2), pair(0, 1));
/// let answers = Comparisons::new(Objects::numbered(3), vec![yes, no, yes])?;
/// let cleaned = clean(&answers, &Cleaning::default())?;
/// assert_eq!(cleaned.kept.edges().len(), 1);
/// assert!(cleaned.fates[1].is_some() && cleaned.fates[0].is_none());
/// # Ok(()) }
/// ```
pub fn clean(c: &Comparisons, how: &Cleaning) -> Result<Cleaned<ConstraintGraph>, Error> {
    let mut kept = ConstraintGraph::new(c);
    let mut why: HashMap<(Pair, Pair), Why> = HashMap::new();
    let mut note = |dropped: Vec<super::order::Dropped>| why.extend(dropped.iter().map(|d| ((d.near, d.far), d.why)));
    if how.vote {
        let (left, dropped) = kept.voted(how.level);
        kept = left;
        note(dropped);
    }
    if let Some(repair) = how.repair {
        let (left, dropped) = kept.acyclic(repair, how.seed);
        kept = left;
        note(dropped);
    }
    if how.reduce {
        let (left, dropped) = kept.reduced()?;
        kept = left;
        note(dropped);
    }
    let fates = c.iter().map(|row| why.get(&(row.near, row.far)).copied()).collect();
    Ok(Cleaned { kept, fates })
}

/// Cleans pairs: the majority by weight of each question stays, ties go. An answer in grades stays where it is with the
/// majority at every level: the median.
#[must_use]
pub fn clean_pairs(pairs: &Pairs) -> Cleaned<Pairs> {
    let question = |from: Item, to: Item| if pairs.is_mirrored() && from > to { (to, from) } else { (from, to) };
    let mut votes: HashMap<((Item, Item), u16), [f64; 2]> = HashMap::new();
    for row in pairs.iter() {
        votes.entry((question(row.from, row.to), row.level)).or_default()[usize::from(row.similar)] += row.weight;
    }
    let fate = |row: &crate::evidence::Judged| {
        let [no, yes] = votes[&(question(row.from, row.to), row.level)];
        let (mine, other) = if row.similar { (yes, no) } else { (no, yes) };
        match mine.total_cmp(&other) {
            std::cmp::Ordering::Greater => None,
            std::cmp::Ordering::Equal => Some(Why::Tie),
            std::cmp::Ordering::Less => Some(Why::Minority),
        }
    };
    let whole = |own: &[crate::evidence::Judged]| {
        let fates: Vec<Option<Why>> = own.iter().map(fate).collect();
        let worst = fates.iter().find(|f| **f == Some(Why::Minority)).or_else(|| fates.iter().find(|f| f.is_some()));
        let worst = worst.copied().flatten();
        std::iter::repeat_n(worst, own.len())
    };
    let fates: Vec<Option<Why>> = pairs.rows().chunks(pairs.per_answer()).flat_map(whole).collect();
    let left: Vec<usize> = (0..pairs.len()).filter(|&k| fates[k].is_none()).collect();
    Cleaned { kept: pairs.subset(&left), fates }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Judged;
    use crate::object::Objects;

    #[test]
    fn of_grades_the_median_stays() {
        let row = |to, grade| (Judged::new(Item(0), Item(to), true), grade);
        let said = vec![row(1, 1), row(1, 2), row(1, 4), row(2, 1), row(2, 3), row(3, 4)];
        let pairs = Pairs::graded(Objects::numbered(4), said, 4).unwrap().both_ways();
        let cleaned = clean_pairs(&pairs);
        // Of 1, 2 and 4 the second; of 1 and 3 neither; of one answer it.
        assert_eq!(cleaned.kept.grades().collect::<Vec<_>>(), [2, 4]);
        assert_eq!(cleaned.fates[18], Some(Why::Tie));
        assert_eq!(pairs.tally().contradictory, 2);
    }

    #[test]
    fn a_pair_is_settled_by_weight_and_a_tie_goes() {
        let row = |a, b, similar, weight| Judged { weight, ..Judged::new(Item(a), Item(b), similar) };
        let rows = vec![row(0, 1, true, 1.0), row(1, 0, false, 3.0), row(1, 2, true, 1.0), row(2, 1, false, 1.0)];
        let directed = Pairs::new(Objects::numbered(3), rows).unwrap();
        assert!(clean_pairs(&directed).fates.iter().all(Option::is_none));
        let cleaned = clean_pairs(&directed.both_ways());
        assert_eq!(cleaned.kept.len(), 2);
        assert!(cleaned.kept.iter().all(|r| !r.similar));
        let tie = Some(Why::Tie);
        assert_eq!(cleaned.fates, [Some(Why::Minority), Some(Why::Minority), None, None, tie, tie, tie, tie]);
    }
}
