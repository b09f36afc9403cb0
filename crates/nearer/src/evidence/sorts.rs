//! Objects put into groups: by classes that are given, or by people who sort freely.

use nearer_num::rng::Rng;

use crate::error::Error;
use crate::object::Objects;

/// Groups of objects, one grouping an assessor: *put what belongs together on one pile*. One assessor is a column of class
/// labels.
///
/// ```
/// use nearer::evidence::Sorts;
/// use nearer::Objects;
/// # fn main() -> Result<(), nearer::Error> {
/// let wines = Objects::new(["a", "b", "c"])?;
/// let sorts = Sorts::new(wines, vec!["Ann".into()], vec![vec![Some("red".into()), Some("red".into()), None]])?;
/// assert_eq!(sorts.together(0, 0, 1), Some(true));
/// assert_eq!(sorts.together(0, 0, 2), None);             // Ann did not sort c
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sorts {
    objects: Objects,
    assessors: Vec<String>,
    groups: Vec<Vec<Option<String>>>,
}

impl Sorts {
    /// For each assessor the group of each object; `None` where it was not sorted.
    pub fn new(objects: Objects, assessors: Vec<String>, groups: Vec<Vec<Option<String>>>) -> Result<Self, Error> {
        let bad = groups.iter().position(|g| g.len() != objects.len());
        if let Some(who) = bad.or((groups.len() != assessors.len()).then_some(0)) {
            return Err(Error::Evidence {
                what: format!(
                    "{} assessors with {} groupings, and grouping {} is of {} objects where there are {}",
                    assessors.len(),
                    groups.len(),
                    who + 1,
                    groups.get(who).map_or(0, Vec::len),
                    objects.len()
                ),
                remedy: "give every assessor one group for each object".into(),
            });
        }
        Ok(Sorts { objects, assessors, groups })
    }

    /// The objects.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// Who sorted.
    #[must_use]
    pub fn assessors(&self) -> &[String] {
        &self.assessors
    }
    /// The sorts of as many assessors, drawn anew with replacement.
    #[must_use]
    pub fn resampled(&self, rng: &mut Rng) -> Self {
        let drawn: Vec<usize> = (0..self.assessors.len()).map(|_| rng.below(self.assessors.len())).collect();
        Sorts {
            objects: self.objects.clone(),
            assessors: drawn.iter().map(|k| self.assessors[*k].clone()).collect(),
            groups: drawn.iter().map(|k| self.groups[*k].clone()).collect(),
        }
    }
    /// The group that an assessor put an object in.
    #[must_use]
    pub fn group(&self, assessor: usize, object: usize) -> Option<&str> {
        self.groups[assessor][object].as_deref()
    }
    /// Whether an assessor put two objects together; `None` where one of them was not sorted.
    #[must_use]
    pub fn together(&self, assessor: usize, a: usize, b: usize) -> Option<bool> {
        Some(self.group(assessor, a)? == self.group(assessor, b)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_grouping_is_refused() {
        let e = Sorts::new(Objects::numbered(2), vec!["A".into()], vec![vec![None]]).unwrap_err().to_string();
        assert!(e.contains("grouping 1 is of 1 objects where there are 2"), "{e}");
    }
}
