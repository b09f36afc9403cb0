//! What no map can exceed: people who are asked the same contradict each other, and themselves.

use crate::error::Error;
use crate::evaluate::others::others;
use crate::evidence::questions::Questions;
use crate::evidence::{Comparison, Comparisons, Pairs};
use crate::graph::{ConstraintGraph, NoiseFloor};
use crate::report::{Ceiling, People};

/// The largest share of comparisons that any map could satisfy, and how well people predict each other.
///
/// Of the answers to *which of these two pairs is nearer?* a map can satisfy one side, so the minority of every question is
/// lost; and no map satisfies a circle of answers whole, so circles that share no answer lose one answer each
/// ([`ConstraintGraph::noise_floor`]). It is the same figure that [`check`](crate::check::check) gives, and it holds in any number of dimensions.
/// [`Ceiling::people`] holds every participant against the majority of the others, which is what a map competes with.
/// The cost is that of the noise floor.
///
/// # Fails
/// When there are no comparisons.
///
/// ```
/// use nearer::{Comparison, Comparisons, Item, Objects, Pair, evaluate::ceiling};
/// # fn main() -> Result<(), nearer::Error> {
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let (one, other) = (Comparison::new(pair(0, 1), pair(0, 2)), Comparison::new(pair(0, 2), pair(0, 1)));
/// let answers = Comparisons::new(Objects::numbered(3), vec![one, one, other, one])?;
/// assert_eq!(ceiling(&answers)?.share, 0.75);
/// # Ok(()) }
/// ```
pub fn ceiling(comparisons: &Comparisons) -> Result<Ceiling, Error> {
    let mut found = of_contradictions(comparisons)?;
    let rows = comparisons.rows();
    let one_each = rows.iter().map(|row| Comparison { weight: 1.0, ..*row }).collect();
    let lost = floor(&Comparisons::new(comparisons.objects().clone(), one_each)?).lower;
    // Each answer counts as one, so what circles cost is a whole number but for rounding.
    found.circles = ((lost + 1e-6).floor() as usize).saturating_sub(found.minority);
    found.share = 1.0 - (found.minority + found.circles) as f64 / rows.len() as f64;
    if let Some(share) = &mut found.weighted_share {
        *share = share.min(1.0 - floor(comparisons).lower_share());
    }
    Ok(found)
}

fn floor(comparisons: &Comparisons) -> NoiseFloor {
    ConstraintGraph::new(comparisons).noise_floor()
}

/// What contradictions alone say.
fn of_contradictions(comparisons: &Comparisons) -> Result<Ceiling, Error> {
    let who: Vec<Option<u32>> =
        (0..comparisons.len()).map(|row| comparisons.answered(row).and_then(|a| a.participant)).collect();
    let participants = comparisons.trials().map_or(0, |t| t.participants().len());
    let weight = |row: usize| comparisons.rows()[row].weight;
    of_questions(&Questions::of_rows(comparisons), &who, participants, weight)
}

/// The same for pairs: of the answers to *is this one like that one?* a map can satisfy one side.
pub fn pair_ceiling(pairs: &Pairs) -> Result<Ceiling, Error> {
    let who: Vec<Option<u32>> = pairs.iter().map(|row| row.participant).collect();
    let participants = who.iter().flatten().max().map_or(0, |most| *most as usize + 1);
    of_questions(&Questions::of_pairs(pairs), &who, participants, |row| pairs.rows()[row].weight)
}

fn of_questions(
    questions: &Questions,
    who: &[Option<u32>],
    participants: usize,
    weight: impl Fn(usize) -> f64,
) -> Result<Ceiling, Error> {
    let rows = who.len();
    if rows == 0 {
        return Err(Error::Evidence {
            what: "there are no judgements".into(),
            remedy: "give at least one that is not a check and shows no object twice".into(),
        });
    }
    let majority = |sums: &[f64]| -> f64 {
        (0..questions.len()).map(|q| sums[questions.answers_to(q)].iter().copied().fold(0.0, f64::max)).sum()
    };
    let kept = majority(&questions.sum(|_| 1.0)) as usize;
    let even = (0..rows).all(|k| weight(k) == weight(0));
    let all: f64 = (0..rows).map(&weight).sum();
    let found = others(questions, who, participants).agrees;
    let answers = found.iter().flatten().count();
    let agreeing = found.iter().flatten().filter(|agrees| **agrees).count();
    Ok(Ceiling {
        rows,
        questions: questions.len(),
        minority: rows - kept,
        circles: 0,
        share: kept as f64 / rows as f64,
        weighted_share: (!even).then(|| majority(&questions.sum(&weight)) / all),
        people: (answers > 0).then(|| People { answers, agreeing, share: agreeing as f64 / answers as f64 }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Answered, Judged, Task, Trials};
    use crate::object::{Item, Objects};

    #[test]
    fn people_are_held_against_the_others_and_never_against_themselves() {
        let mut trials = Trials::new(Objects::numbered(4), Task::Triplets);
        let names: Vec<u32> = ["ann", "bob", "cy"].iter().map(|n| trials.add_participant(*n)).collect();
        let mut say = |who: u32, items: [u32; 3]| {
            let answered = Answered { participant: Some(who), ..Answered::default() };
            trials.push(&items.map(Item), 0, answered).unwrap();
        };
        // Two against one; a question that one person answered three times; two who disagree.
        say(names[0], [0, 1, 2]);
        say(names[1], [0, 1, 2]);
        say(names[2], [0, 2, 1]);
        (0..3).for_each(|_| say(names[0], [1, 2, 3]));
        say(names[0], [2, 0, 1]);
        say(names[1], [2, 1, 0]);
        let found = ceiling(&trials.comparisons()).unwrap();
        assert_eq!((found.rows, found.questions, found.minority), (8, 3, 2));
        // Ann and Bob each face a tie of the other two in the first question; Cy faces both and loses. In the last
        // question each faces the other and loses.
        let people = found.people.unwrap();
        assert_eq!((people.answers, people.agreeing), (3, 0));
    }

    /// Three answers in a circle, one of them given twice, and one against another question: of six, a map keeps four.
    #[test]
    fn a_circle_costs_its_lightest_answer() {
        let mut trials = Trials::new(Objects::numbered(4), Task::Triplets);
        for items in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2], [3, 0, 1], [3, 1, 0]] {
            trials.push(&items.map(Item), 0, Answered::default()).unwrap();
        }
        let found = ceiling(&trials.comparisons()).unwrap();
        assert_eq!((found.rows, found.minority, found.circles), (6, 1, 1));
        assert!((found.share - 4.0 / 6.0).abs() < 1e-15 && found.weighted_share.is_none());
    }

    #[test]
    fn pairs_have_a_ceiling_too() {
        let says = |similar, weight| Judged { weight, ..Judged::new(Item(0), Item(1), similar) };
        let rows = vec![says(true, 1.0), says(true, 1.0), says(false, 5.0), Judged::new(Item(1), Item(0), false)];
        let found = pair_ceiling(&Pairs::new(Objects::numbered(2), rows).unwrap()).unwrap();
        assert_eq!((found.share, found.weighted_share), (0.75, Some(6.0 / 8.0)));
        assert!(found.people.is_none());
        assert!(pair_ceiling(&Pairs::new(Objects::numbered(2), vec![]).unwrap()).is_err());
    }
}
