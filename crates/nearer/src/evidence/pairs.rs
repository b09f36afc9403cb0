//! Pairs said to be alike or not.

use crate::error::{Error, Remedy};
use crate::evidence::size;
use crate::object::{Item, Objects};

/// One answer about an ordered pair: `to` is, or is not, among those like `from`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// The object that was asked about.
    pub from: Item,
    /// The other.
    pub to: Item,
    /// Alike, or not; of pairs in grades: alike enough for this [`level`](Judged::level), or not.
    pub similar: bool,
    /// Which step of likeness is meant, from 0, the strictest; always 0 where pairs are alike or not.
    pub level: u16,
    /// How much it counts: above 0.
    pub weight: f64,
    /// Who said it, an index into [`Pairs::participants`].
    pub participant: Option<u32>,
    /// The line of the file, from 1; 0 where there is no file.
    pub line: u64,
}

impl Judged {
    /// An answer of weight 1.
    #[must_use]
    pub fn new(from: Item, to: Item, similar: bool) -> Self {
        Judged { from, to, similar, level: 0, weight: 1.0, participant: None, line: 0 }
    }
    /// The same answer in the other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        Judged { from: self.to, to: self.from, ..self }
    }
}

/// Ordered pairs said to be alike or not, repeats and contradictions included.
///
/// Pairs are ordered because *to is among the neighbours of from* need not hold the other way round; a file of unordered
/// pairs is read as both directions.
///
/// ```
/// use nearer::evidence::{Judged, Pairs};
/// use nearer::{Item, Objects};
/// # fn main() -> Result<(), nearer::Error> {
/// let rows = vec![Judged::new(Item(0), Item(1), true), Judged::new(Item(0), Item(2), false)];
/// let pairs = Pairs::new(Objects::numbered(3), rows)?.both_ways();
/// assert_eq!((pairs.len(), pairs.tally().queries), (4, 2));    // two questions, each answered both ways round
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Pairs {
    objects: Objects,
    rows: Vec<Judged>,
    participants: Vec<String>,
    selves: usize,
    mirrored: bool,
    levels: usize,
}

/// Counts over answers about pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairTally {
    /// Rows as they were given: of an unordered file each counts once, self pairs included.
    pub rows: usize,
    /// Rows of an object with itself, which say nothing.
    pub selves: usize,
    /// Distinct questions: ordered pairs, or unordered ones where both directions were written from one row.
    pub queries: usize,
    /// Questions asked more than once.
    pub repeated: usize,
    /// Questions answered both ways.
    pub contradictory: usize,
    /// Of these, those with as many answers on either side.
    pub tied: usize,
    /// Answers on the losing side.
    pub minority: usize,
}

impl Pairs {
    /// Answers about these objects. Weights are above 0; an object with itself is refused.
    pub fn new(objects: Objects, rows: Vec<Judged>) -> Result<Self, Error> {
        for (k, row) in rows.iter().enumerate() {
            let wrong = |what: String, remedy: &str| {
                let place = if row.line > 0 { format!("line {}", row.line) } else { format!("pair {}", k + 1) };
                Err(Error::Evidence { what: format!("{place}: {what}"), remedy: remedy.into() })
            };
            if let Some(item) = [row.from, row.to].iter().find(|i| i.index() >= objects.len()) {
                let n = objects.len();
                return wrong(format!("object number {} of {n} does not exist", item.0 + 1), "name all objects first");
            }
            if row.from == row.to {
                let label = objects.label(row.from);
                return wrong(format!("`{label}` is paired with itself"), "remove the row: it says nothing");
            }
            if !size::is_weight(row.weight) {
                return wrong(
                    format!("the weight is {}", size::shown(row.weight)),
                    "give a number above 0, at most 1e30, or leave the row out",
                );
            }
        }
        let levels = 1 + rows.iter().map(|r| usize::from(r.level)).max().unwrap_or(0);
        Ok(Pairs { objects, rows, participants: Vec::new(), selves: 0, mirrored: false, levels })
    }

    /// Answers in grades, from 1, the most alike, to the number of grades: each becomes one row for every
    /// [`level`](Judged::level) between two grades, side by side. An answer of grade `g` is alike at level `g - 1` and above.
    ///
    /// ```
    /// use nearer::evidence::{Judged, Pairs};
    /// use nearer::{Item, Objects};
    /// # fn main() -> Result<(), nearer::Error> {
    /// let says = |a, b, grade| (Judged::new(Item(a), Item(b), true), grade);
    /// let pairs = Pairs::graded(Objects::numbered(3), vec![says(0, 1, 1), says(0, 2, 3), says(1, 2, 2)], 3)?;
    /// assert_eq!((pairs.levels(), pairs.len(), pairs.per_answer()), (2, 6, 2));
    /// assert_eq!(pairs.grades().collect::<Vec<_>>(), [1, 3, 2]);
    /// # Ok(()) }
    /// ```
    pub fn graded(objects: Objects, answers: Vec<(Judged, u16)>, grades: u16) -> Result<Self, Error> {
        if let Some((row, grade)) = answers.iter().find(|(_, g)| !(1..=grades).contains(g)) {
            let place = if row.line > 0 { format!("line {}: ", row.line) } else { String::new() };
            return Err(Error::Evidence {
                what: format!("{place}a pair of grade {grade}, and there are {grades}"),
                remedy: "give whole numbers from 1, the most alike".into(),
            });
        }
        let levels = grades.saturating_sub(1).max(1);
        let each = |(row, grade): (Judged, u16)| {
            (0..levels).map(move |level| Judged { similar: grade <= level + 1, level, ..row })
        };
        Ok(Pairs { levels: usize::from(levels), ..Pairs::new(objects, answers.into_iter().flat_map(each).collect())? })
    }

    /// With the names of the participants, and the number of self pairs that were left out.
    #[must_use]
    pub fn described(self, participants: Vec<String>, selves: usize) -> Self {
        Pairs { participants, selves, ..self }
    }

    /// Every answer in both directions, as unordered files mean it. Rows `2k` and `2k + 1` then come from one answer.
    #[must_use]
    pub fn both_ways(mut self) -> Self {
        if !self.mirrored {
            self.rows = self.rows.iter().flat_map(|row| [*row, row.reversed()]).collect();
            self.mirrored = true;
        }
        self
    }

    /// The objects; more of them may exist than are ever judged.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// How many ordered rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// How many steps of likeness there are: 1 where pairs are alike or not, one less than the grades where they are graded.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels
    }
    /// How many rows one answer makes: both directions where there is none, at every level.
    #[must_use]
    pub fn per_answer(&self) -> usize {
        self.levels * if self.mirrored { 2 } else { 1 }
    }
    /// The grade of each answer, from 1, the most alike; alike or not are grades 1 and 2.
    pub fn grades(&self) -> impl Iterator<Item = usize> {
        let step = self.per_answer() / self.levels;
        self.rows.chunks(self.per_answer()).map(move |own| 1 + own.iter().step_by(step).filter(|r| !r.similar).count())
    }
    /// Refuses pairs in grades, for a method that takes alike or not.
    pub(crate) fn plain(&self, method: &str) -> Result<&Self, Error> {
        if self.levels == 1 {
            return Ok(self);
        }
        Err(Error::Evidence {
            what: format!(
                "the pairs are in {} grades, and `{method}` takes pairs that are alike or not",
                self.levels + 1
            ),
            remedy: Remedy::from("use ")
                .setting("method", "psde")
                .and(", or say 1 for alike and 0 for not in a column `similar`"),
        })
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// All ordered rows.
    #[must_use]
    pub fn rows(&self) -> &[Judged] {
        &self.rows
    }
    /// All ordered rows, one by one.
    pub fn iter(&self) -> std::slice::Iter<'_, Judged> {
        self.rows.iter()
    }
    /// Who took part.
    #[must_use]
    pub fn participants(&self) -> &[String] {
        &self.participants
    }
    /// Whether each answer stands in both directions.
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        self.mirrored
    }

    /// The same objects with some of the rows, as a fold needs them.
    ///
    /// # Panics
    /// If a row does not exist.
    #[must_use]
    pub fn subset(&self, rows: &[usize]) -> Self {
        Pairs {
            objects: self.objects.clone(),
            rows: rows.iter().map(|&r| self.rows[r]).collect(),
            participants: self.participants.clone(),
            selves: 0,
            // Both directions of an answer stay one answer as long as both are taken.
            mirrored: self.mirrored && rows.chunks(2).all(|c| matches!(c, [a, b] if a % 2 == 0 && *b == a + 1)),
            levels: self.levels,
        }
    }

    /// The same objects and levels with other rows, whole answers as before, and their participants.
    pub(super) fn with_rows(&self, rows: Vec<Judged>, participants: Vec<String>) -> Self {
        Pairs { rows, participants, ..self.clone() }
    }

    /// How many questions there are, and how many were answered both ways.
    #[must_use]
    pub fn tally(&self) -> PairTally {
        let step = if self.mirrored { 2 } else { 1 };
        // Sorted, and not in a table: a table of a list for every pair is most of the time of a fit of millions.
        let question = |row: &Judged| {
            let (a, b) = if self.mirrored { (row.from.min(row.to), row.from.max(row.to)) } else { (row.from, row.to) };
            u64::from(a.0) << 32 | u64::from(b.0)
        };
        let said = |row: &Judged| (question(row), row.level, row.similar);
        let mut said: Vec<(u64, u16, bool)> = self.rows.iter().step_by(step).map(said).collect();
        said.sort_unstable();
        let mut tally = PairTally {
            rows: self.rows.len() / step / self.levels + self.selves,
            selves: self.selves,
            ..PairTally::default()
        };
        for asked in said.chunk_by(|a, b| a.0 == b.0) {
            let levels = || asked.chunk_by(|a, b| a.1 == b.1);
            // Of grades those are in the minority that lose at some level.
            let lost = |level: &[(u64, u16, bool)]| {
                let yes = level.iter().filter(|(_, _, similar)| *similar).count();
                yes.min(level.len() - yes)
            };
            let losing = levels().map(lost).max().unwrap_or(0);
            let even = |level: &[(u64, u16, bool)]| lost(level) > 0 && 2 * lost(level) == level.len();
            tally.tied += usize::from(levels().any(even));
            tally.queries += 1;
            tally.repeated += usize::from(levels().any(|level| level.len() > 1));
            tally.contradictory += usize::from(losing > 0);
            tally.minority += losing;
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirrored_answer_counts_once() {
        let rows = vec![
            Judged::new(Item(0), Item(1), true),
            Judged::new(Item(1), Item(0), false),
            Judged::new(Item(1), Item(2), true),
        ];
        let ordered = Pairs::new(Objects::numbered(3), rows).unwrap();
        let t = ordered.tally();
        assert_eq!((t.rows, t.queries, t.contradictory), (3, 3, 0));
        let t = ordered.both_ways().tally();
        assert_eq!((t.rows, t.queries, t.repeated, t.contradictory, t.minority), (3, 2, 1, 1, 1));
    }

    #[test]
    fn impossible_pairs_are_refused() {
        let refused = |row: Judged| Pairs::new(Objects::numbered(2), vec![row]).unwrap_err().to_string();
        assert!(refused(Judged::new(Item(1), Item(1), true)).contains("`2` is paired with itself"));
        let row = Judged { weight: f64::INFINITY, line: 4, ..Judged::new(Item(0), Item(1), true) };
        assert!(refused(row).contains("line 4: the weight is inf"));
    }
}
