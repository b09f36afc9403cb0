//! The bootstrap of judgements: the map made again from other people, or from other answers.

use std::collections::BTreeMap;

use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evaluate::StabilityKind;
use crate::evaluate::replicate::{Halt, replicates};
use crate::evaluate::stability::{Stability, gather};
use crate::evidence::{Comparisons, Evidence, Pairs};
use crate::fit::Fit;
use crate::geometry::Embedding;
use crate::solve::Run;
use crate::study::Study;

/// Keeps the random numbers of resampling apart from those of the fits, which use the seed itself.
const STREAM: u64 = 0xB007_57AE;

/// Makes the map again from comparisons or pairs drawn anew with replacement, lays each replicate over `map` at its best
/// size, and gives for every object the positions and their 95 % ellipse.
///
/// Where several people are named, people are drawn, each with all that they said: the spread is that of asking other
/// people. Else answers are drawn, each with all comparisons that follow from it. [`Stability::kind`] says which it was.
/// Kernels and features of the study stay as they are.
///
/// # Fails
/// [`Error::Evidence`] where the study has neither comparisons nor pairs; when every fit fails; with [`Error::Cancelled`]
/// before the first replicate.
/// # Reference
/// Efron and Tibshirani (1993), chapter 8: units that belong together are drawn together.
///
/// ```
/// use nearer::evaluate::{StabilityKind, bootstrap_judgements};
/// use nearer::{Embed, Run, Study, method::Gnmds, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let answers = toy::answers(8, 2, 200, 0.05, 1);
/// let map = Gnmds::new(2).fit(&answers)?.embedding;
/// let fit = |s: &Study, run: &Run<'_>| Gnmds::new(2).fit_with(s.comparisons().expect("they are there"), run);
/// let s = bootstrap_judgements(&Study::from(answers), &map, fit, 10, &Run::seeded(1))?;
/// assert_eq!((s.kind, s.replicates), (StabilityKind::Answers, 10));
/// # Ok(()) }
/// ```
pub fn bootstrap_judgements<M>(
    study: &Study,
    map: &Embedding,
    fit: impl Fn(&Study, &Run<'_>) -> Result<Fit<M>, Error> + Sync,
    count: usize,
    run: &Run<'_>,
) -> Result<Stability, Error> {
    let (part, units, people): (Part<'_>, _, _) = match study.main() {
        Some(Evidence::Comparisons(c)) => {
            let (units, people) =
                units(c.len(), |k| c.answered(k).and_then(|a| a.participant), |k| c.trial_of(k).unwrap_or(k));
            (Part::Comparisons(c), units, people)
        }
        Some(Evidence::Pairs(p)) => {
            let (units, people) = units(p.len(), |k| p.rows()[k].participant, |k| k / p.per_answer());
            (Part::Pairs(p), units, people)
        }
        _ => {
            return Err(Error::Evidence {
                what: "there are no judgements to draw anew".into(),
                remedy: "give comparisons or pairs; the measurements of distances are drawn by `bootstrap`".into(),
            });
        }
    };
    let draw = |k: usize| {
        let mut rng = Rng::task(run.seed() ^ STREAM, k as u64);
        let rows: Vec<usize> = (0..units.len()).flat_map(|_| units[rng.below(units.len())].iter().copied()).collect();
        Ok(match part {
            Part::Comparisons(c) => study.clone().with(c.subset(&rows)),
            Part::Pairs(p) => study.clone().with(p.subset(&rows)),
        })
    };
    let halt = Halt::new("bootstrap", count, run);
    let maps = replicates(&halt, 0, draw, fit, run)?;
    gather(if people { StabilityKind::People } else { StabilityKind::Answers }, map.clone(), maps, true)
}

#[derive(Clone, Copy)]
enum Part<'a> {
    Comparisons(&'a Comparisons),
    Pairs(&'a Pairs),
}

/// The rows that are drawn together: of a person, where several are named, else of an answer.
fn units(
    rows: usize,
    person: impl Fn(usize) -> Option<u32>,
    answer: impl Fn(usize) -> usize,
) -> (Vec<Vec<usize>>, bool) {
    let group = |key: &dyn Fn(usize) -> usize| {
        let mut units: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        (0..rows).for_each(|k| units.entry(key(k)).or_default().push(k));
        units.into_values().collect::<Vec<_>>()
    };
    // An answer of nobody is a person of its own only where nobody is named.
    let by_person = group(&|k| person(k).map_or(usize::MAX, |p| p as usize));
    let people = by_person.len() > 1 && (0..rows).all(|k| person(k).is_some());
    (if people { by_person } else { group(&|k| answer(k)) }, people)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_drawn_whole_and_answers_where_nobody_is_named() {
        let who = [Some(1), Some(0), Some(1), Some(0)];
        assert_eq!(units(4, |k| who[k], |k| k / 2), (vec![vec![1, 3], vec![0, 2]], true));
        assert_eq!(units(4, |_| Some(7), |k| k / 2), (vec![vec![0, 1], vec![2, 3]], false));
        assert_eq!(units(2, |k| [Some(1), None][k], |k| k), (vec![vec![0], vec![1]], false));
    }
}
