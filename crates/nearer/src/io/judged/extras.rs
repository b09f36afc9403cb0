//! What a row says beside its answer: who, how long, how much it counts, and whether it is only a check.

use std::collections::HashMap;

use csv::ByteRecord;

use crate::error::{At, Error, Remedy};
use crate::evidence::{Answered, Side, size};
use crate::io::cell::{self, Cell, Numerals, shown};
use crate::io::judged::plan::Columns;
use crate::io::judged::roles::Role;
use crate::io::packing::LABEL_BYTES;

/// An answer given more often than this in one row is a weight, not votes.
const MOST_VOTES: f64 = 100_000.0;
/// Nobody thinks this long, in seconds, half of the time: such times are in milliseconds.
const SLOW: f64 = 200.0;

/// The columns that are no part of the answer, and what was gathered from them.
#[derive(Debug)]
pub(crate) struct Extras {
    participant: Option<usize>,
    /// The column, and what makes seconds of it.
    time: Option<(usize, f64)>,
    weight: Option<usize>,
    margin: Option<usize>,
    check: Option<usize>,
    sides: Option<(usize, usize)>,
    votes: Vec<usize>,
    numerals: Numerals,
    people: HashMap<Box<[u8]>, u32>,
    pub(crate) participants: Vec<String>,
    /// What their names take, in bytes.
    names: usize,
    pub(crate) checks: usize,
    no_times: usize,
    first_no_time: Option<(u64, String)>,
    slow: usize,
    timed: usize,
}

impl Extras {
    pub(crate) fn new(columns: &Columns, numerals: Numerals) -> Self {
        let seconds = columns.one(Role::Time).map(|k| (k, 1.0));
        Extras {
            participant: columns.one(Role::Participant),
            time: seconds.or(columns.one(Role::TimeMs).map(|k| (k, 1e-3))),
            weight: columns.one(Role::Weight),
            margin: columns.one(Role::Margin),
            check: columns.one(Role::Check),
            sides: columns.one(Role::Left).zip(columns.one(Role::Right)),
            votes: columns.all(Role::Votes),
            numerals: Numerals { signed: true, nan_missing: false, ..numerals },
            people: HashMap::new(),
            participants: Vec::new(),
            names: 0,
            checks: 0,
            no_times: 0,
            first_no_time: None,
            slow: 0,
            timed: 0,
        }
    }

    /// What the row says; `chosen` is the column of the object whose side counts.
    pub(crate) fn answered(
        &mut self,
        record: &ByteRecord,
        line: u64,
        chosen: Option<usize>,
        at: &At,
    ) -> Result<Answered, Error> {
        let field = |k: usize| record.get(k).unwrap_or_default().trim_ascii();
        let place = |k: usize| at.clone().line(line).column(k as u64 + 1);
        let mut answered = Answered { line, ..Answered::default() };
        if let Some(k) = self.participant {
            answered.participant = self.person(field(k), || place(k))?;
        }
        if let Some((k, unit)) = self.time {
            answered.seconds = self.seconds(field(k), unit, line);
        }
        if let Some(k) = self.weight {
            answered.weight = self.number(field(k)).filter(|w| size::is_weight(*w)).ok_or_else(|| Error::Value {
                at: place(k),
                what: format!("the weight `{}` is not a number above 0 and up to 1e30", shown(field(k))),
                remedy: "write 1 for an ordinary answer, take a row that should not count out, and exchange near and far for the opposite answer".into(),
            })?;
        }
        if let Some(k) = self.margin {
            answered.margin =
                self.number(field(k)).filter(|m| *m >= 0.0 && size::is_usable(*m)).ok_or_else(|| Error::Value {
                    at: place(k),
                    what: format!("the margin `{}` is not a number from 0 to 1e60", shown(field(k))),
                    remedy: "write 1 for an ordinary answer, or take the column out".into(),
                })?;
        }
        if let Some(k) = self.check {
            answered.check = truth(field(k)).ok_or_else(|| Error::Value {
                at: place(k),
                what: format!("`{}` does not say whether the row is a check", shown(field(k))),
                remedy: Remedy::from("write true or false, or name another column with ").setting("columns", "check=…"),
            })?;
            self.checks += usize::from(answered.check);
        }
        if let (Some((left, right)), Some(chosen)) = (self.sides, chosen) {
            let (left, right, chosen) = (field(left), field(right), field(chosen));
            answered.side = match (chosen == left, chosen == right) {
                (true, false) => Some(Side::Left),
                (false, true) => Some(Side::Right),
                _ => None,
            };
        }
        Ok(answered)
    }

    /// How often the answer was given, and the opposite one.
    pub(crate) fn votes(&self, record: &ByteRecord, line: u64, at: &At) -> Result<(usize, usize), Error> {
        let mut counts = [1, 0];
        for (count, &k) in counts.iter_mut().zip(&self.votes) {
            let field = record.get(k).unwrap_or_default();
            let number = self.number(field).filter(|v| *v >= 0.0 && v.fract() == 0.0 && *v <= MOST_VOTES);
            *count = number.ok_or_else(|| Error::Value {
                at: at.clone().line(line).column(k as u64 + 1),
                what: format!("`{}` is not a number of votes", shown(field)),
                remedy: format!("write a whole number up to {MOST_VOTES}, or call the column weight").into(),
            })? as usize;
        }
        Ok((counts[0], counts[1]))
    }

    fn number(&self, field: &[u8]) -> Option<f64> {
        match cell::parse(field, self.numerals) {
            Ok(Cell::Value(v)) => Some(v),
            _ => None,
        }
    }

    /// The index of a person; nobody where the cell is empty.
    fn person(&mut self, name: &[u8], at: impl Fn() -> At) -> Result<Option<u32>, Error> {
        if name.is_empty() {
            return Ok(None);
        }
        if let Some(k) = self.people.get(name) {
            return Ok(Some(*k));
        }
        let text = std::str::from_utf8(name).map_err(|_| Error::Value {
            at: at(),
            what: format!("the participant `{}` is not valid UTF-8", shown(name)),
            remedy: "save the file as UTF-8".into(),
        })?;
        let k = self.participants.len() as u32;
        self.names += 2 * name.len() + LABEL_BYTES;
        self.people.insert(name.into(), k);
        self.participants.push(text.to_string());
        Ok(Some(k))
    }

    /// A time that cannot be one is not known; it is no reason to refuse the answer.
    fn seconds(&mut self, field: &[u8], unit: f64, line: u64) -> Option<f64> {
        let time = self.number(field).filter(|t| *t >= 0.0).map(|t| t * unit);
        match time {
            Some(t) => {
                self.timed += 1;
                self.slow += usize::from(t > SLOW);
            }
            None if field.is_empty() => {}
            None => {
                self.no_times += 1;
                self.first_no_time.get_or_insert_with(|| (line, shown(field)));
            }
        }
        time
    }

    /// What the names of people take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.names
    }

    /// What deserves a look.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some((line, text)) = &self.first_no_time {
            let how_many = match self.no_times {
                1 => "one response time is no number of 0 or more and taken as unknown,".to_owned(),
                many => format!("{many} response times are no numbers of 0 or more and taken as unknown, the first"),
            };
            warnings.push(format!("{how_many} on line {line}: `{text}`"));
        }
        if 2 * self.slow > self.timed {
            warnings.push(format!(
                "most response times are above {SLOW} seconds; if they are milliseconds, say that the column is time_ms"
            ));
        }
        warnings
    }
}

/// Yes or no in the spellings of spreadsheets and programs; an empty cell is no.
pub(crate) fn truth(field: &[u8]) -> Option<bool> {
    let word = std::str::from_utf8(field).ok()?.to_ascii_lowercase();
    match word.as_str() {
        "true" | "t" | "yes" | "y" | "1" | "1.0" | "x" | "check" | "catch" => Some(true),
        "" | "false" | "f" | "no" | "n" | "0" | "0.0" | "na" => Some(false),
        _ => None,
    }
}
