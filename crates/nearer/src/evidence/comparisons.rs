//! Comparisons: one pair of objects is nearer than another pair.

use std::sync::Arc;

use crate::error::Error;
use crate::evidence::answered::Answered;
use crate::evidence::size;
use crate::evidence::trials::Trials;
use crate::object::{Objects, Pair};

/// One comparison, `d²(near) + margin <= d²(far)`. A triplet is a comparison whose pairs share an object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The pair that is nearer.
    pub near: Pair,
    /// The pair that is farther apart.
    pub far: Pair,
    /// How much it counts: above 0.
    pub weight: f64,
    /// By how much the far squared distance should exceed the near one: 0 or more.
    pub margin: f64,
}

impl Comparison {
    /// A comparison of weight 1 and margin 1.
    #[must_use]
    pub fn new(near: Pair, far: Pair) -> Self {
        Comparison { near, far, weight: 1.0, margin: 1.0 }
    }
}

/// Comparisons between pairs of objects, repeats and contradictions included, with who said them where that is known.
///
/// ```
/// use nearer::evidence::{Comparison, Comparisons};
/// use nearer::{Item, Objects, Pair};
/// # fn main() -> Result<(), nearer::Error> {
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let c = Comparisons::new(Objects::numbered(3), vec![Comparison::new(pair(0, 1), pair(0, 2))])?;
/// assert_eq!(c.in_words(0), "`1` is nearer to `2` than to `3`");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Comparisons {
    objects: Objects,
    rows: Vec<Comparison>,
    /// For each row the trial it was concluded from; empty where that is the trial of the same number.
    from: Vec<u32>,
    trials: Option<Arc<Trials>>,
}

impl Comparisons {
    /// Comparisons of these objects. Weights are above 0, margins 0 or more, and no pair is compared with itself.
    pub fn new(objects: Objects, rows: Vec<Comparison>) -> Result<Self, Error> {
        for (k, row) in rows.iter().enumerate() {
            let wrong = |what: String, remedy: &str| {
                Err(Error::Evidence { what: format!("comparison {}: {what}", k + 1), remedy: remedy.into() })
            };
            if let Some(item) = [row.near.second(), row.far.second()].iter().find(|i| i.index() >= objects.len()) {
                let n = objects.len();
                return wrong(format!("object number {} of {n} does not exist", item.0 + 1), "name all objects first");
            }
            if row.near == row.far {
                let (a, b) = (objects.label(row.near.first()), objects.label(row.near.second()));
                return wrong(format!("the pair `{a}`, `{b}` is compared with itself"), "remove it");
            }
            if !size::is_weight(row.weight) {
                return wrong(
                    format!("the weight is {}", size::shown(row.weight)),
                    "give a number above 0, at most 1e30, or leave it out",
                );
            }
            if !(size::is_usable(row.margin) && row.margin >= 0.0) {
                return wrong(format!("the margin is {}", size::shown(row.margin)), "give a number from 0 to 1e60");
            }
        }
        Ok(Comparisons { objects, rows, from: Vec::new(), trials: None })
    }

    /// What trials say; the rows were checked when the trials were made.
    pub(crate) fn concluded(objects: Objects, rows: Vec<Comparison>, from: Vec<u32>, trials: Arc<Trials>) -> Self {
        Comparisons { objects, rows, from, trials: Some(trials) }
    }

    /// The objects; more of them may exist than are ever compared.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// How many comparisons there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// All comparisons.
    #[must_use]
    pub fn rows(&self) -> &[Comparison] {
        &self.rows
    }
    /// All comparisons, one by one.
    pub fn iter(&self) -> std::slice::Iter<'_, Comparison> {
        self.rows.iter()
    }
    /// The trials they were concluded from, checks and self trials included.
    #[must_use]
    pub fn trials(&self) -> Option<&Trials> {
        self.trials.as_deref()
    }
    /// The trial that a row was concluded from.
    #[must_use]
    pub fn trial_of(&self, row: usize) -> Option<usize> {
        self.trials.as_ref()?;
        Some(self.from.get(row).map_or(row, |k| *k as usize))
    }
    /// Whether every row is what the trial of the same number says, and there are no other trials.
    pub(super) fn is_one_a_trial(&self) -> bool {
        self.from.is_empty() && self.trials.as_ref().is_some_and(|t| t.len() == self.len())
    }
    /// What is known about the answer behind a row.
    #[must_use]
    pub fn answered(&self, row: usize) -> Option<Answered> {
        let trials = self.trials.as_deref()?;
        Some(trials.get(self.trial_of(row)?).answered)
    }
    /// Who said a row.
    #[must_use]
    pub fn participant(&self, row: usize) -> Option<&str> {
        let who = self.answered(row)?.participant?;
        self.trials.as_deref()?.participants().get(who as usize).map(String::as_str)
    }

    /// The same objects with some of the rows, as a fold needs them.
    ///
    /// # Panics
    /// If a row does not exist.
    #[must_use]
    pub fn subset(&self, rows: &[usize]) -> Self {
        let from = rows.iter().filter_map(|&r| self.trial_of(r)).map(|t| t as u32).collect();
        Comparisons {
            objects: self.objects.clone(),
            rows: rows.iter().map(|&r| self.rows[r]).collect(),
            from,
            trials: self.trials.clone(),
        }
    }

    /// A row as a sentence.
    ///
    /// # Panics
    /// If the row does not exist.
    #[must_use]
    pub fn in_words(&self, row: usize) -> String {
        in_words(&self.objects, self.rows[row].near, self.rows[row].far)
    }
}

/// A comparison as a sentence; with a shared object as *a is nearer to b than to c*.
pub(crate) fn in_words(objects: &Objects, near: Pair, far: Pair) -> String {
    let ends = |p: Pair| [p.first(), p.second()];
    let label = |i| objects.label(i);
    let shared = ends(near).into_iter().find(|i| ends(far).contains(i));
    match shared {
        Some(head) => {
            let other = |p: Pair| if p.first() == head { p.second() } else { p.first() };
            format!("`{}` is nearer to `{}` than to `{}`", label(head), label(other(near)), label(other(far)))
        }
        None => {
            let [a, b] = ends(near);
            let [c, d] = ends(far);
            format!("`{}` and `{}` are nearer than `{}` and `{}`", label(a), label(b), label(c), label(d))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Item;

    fn pair(a: u32, b: u32) -> Pair {
        Pair::new(Item(a), Item(b)).unwrap()
    }

    #[test]
    fn impossible_comparisons_are_refused() {
        let refused = |row: Comparison| Comparisons::new(Objects::numbered(4), vec![row]).unwrap_err().to_string();
        let good = Comparison::new(pair(0, 1), pair(2, 3));
        assert!(refused(Comparison { far: pair(0, 1), ..good }).contains("`1`, `2` is compared with itself"));
        assert!(refused(Comparison { far: pair(0, 7), ..good }).contains("number 8 of 4"));
        assert!(refused(Comparison { weight: 0.0, ..good }).contains("weight is 0"));
        assert!(refused(Comparison { margin: f64::NAN, ..good }).contains("margin is NaN"));
    }

    #[test]
    fn a_fold_keeps_all_objects() {
        let rows = vec![Comparison::new(pair(0, 1), pair(2, 3)), Comparison::new(pair(0, 1), pair(0, 2))];
        let fold = Comparisons::new(Objects::numbered(5), rows).unwrap().subset(&[1]);
        assert_eq!((fold.objects().len(), fold.len()), (5, 1));
        assert_eq!(fold.in_words(0), "`1` is nearer to `2` than to `3`");
    }
}
