//! Click logs: what a reader opened of a list, and what was passed over.

use crate::error::Error;
use crate::evidence::answered::Answered;
use crate::evidence::trial::Task;
use crate::evidence::trials::Trials;
use crate::object::{Item, Objects};

/// One list that was shown to somebody.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    /// What was opened.
    pub opened: Vec<Item>,
    /// What was shown and not opened: only what was seen, as far as that is known.
    pub passed: Vec<Item>,
    /// Who it was shown to, an index into the participants.
    pub participant: Option<u32>,
    /// The line of a file that it comes from; 0: none.
    pub line: u64,
}

impl Trials {
    /// Trials from a click log: an opened result is nearer to the others opened than to one passed over. Each opened
    /// result is the head of one [`Task::Choices`] trial, the other opened ones are its choice.
    ///
    /// What is lost: the order of the list, of the clicks, and the query. What is taken for granted: that an opened
    /// result was what was looked for. A session with fewer than two opened results, or none passed over, compares
    /// nothing and makes no trial.
    ///
    /// # Reference
    /// Schultz and Joachims (2004).
    ///
    /// ```
    /// use nearer::evidence::{Session, Trials};
    /// use nearer::{Item, Objects};
    /// # fn main() -> Result<(), nearer::Error> {
    /// let session = Session { opened: vec![Item(0), Item(2)], passed: vec![Item(1)], ..Session::default() };
    /// let trials = Trials::from_clicks(Objects::new(["a", "b", "c"])?, vec![], [session])?;
    /// let c = trials.comparisons();
    /// assert_eq!(c.in_words(0), "`a` is nearer to `c` than to `b`");
    /// assert_eq!(c.in_words(1), "`c` is nearer to `a` than to `b`");
    /// # Ok(()) }
    /// ```
    pub fn from_clicks(
        objects: Objects,
        participants: Vec<String>,
        sessions: impl IntoIterator<Item = Session>,
    ) -> Result<Self, Error> {
        let mut trials = Trials::new(objects, Task::Choices);
        for name in participants {
            trials.add_participant(name);
        }
        for session in sessions {
            if session.opened.len() < 2 || session.passed.is_empty() {
                continue;
            }
            let answered = Answered { line: session.line, participant: session.participant, ..Answered::default() };
            for (k, head) in session.opened.iter().enumerate() {
                let others = session.opened.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, item)| item);
                let items: Vec<Item> = [head].into_iter().chain(others).chain(&session.passed).copied().collect();
                trials.push(&items, session.opened.len() - 1, answered)?;
            }
        }
        Ok(trials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Pair;

    #[test]
    fn every_two_opened_are_nearer_than_one_of_them_and_one_passed_over() {
        let items = |list: &[u32]| list.iter().map(|k| Item(*k)).collect::<Vec<_>>();
        let session = Session { opened: items(&[3, 0, 4]), passed: items(&[1, 2]), participant: Some(0), line: 0 };
        let silent = Session { opened: items(&[1]), passed: items(&[0]), ..Session::default() };
        let trials = Trials::from_clicks(Objects::numbered(5), vec!["Ann".into()], [silent, session.clone()]).unwrap();
        assert_eq!(trials.len(), 3);
        let mut all: Vec<(Pair, Pair)> = trials.comparisons().iter().map(|c| (c.near, c.far)).collect();
        let mut expected = Vec::new();
        for &i in &session.opened {
            for &j in session.opened.iter().filter(|j| **j != i) {
                for &k in &session.passed {
                    expected.push((Pair::new(i, j).unwrap(), Pair::new(i, k).unwrap()));
                }
            }
        }
        all.sort();
        expected.sort();
        assert_eq!(all, expected);
    }
}
