//! Tables of pairs: `from,to,label`, alike or not, in the codes that people use; `from,to,grade`, alike in grades.

use std::collections::BTreeSet;

use crate::error::{At, Error};
use crate::evidence::{Evidence, Judged, Pairs};
use crate::io::cell::{Numerals, shown};
use crate::io::judged::extras::Extras;
use crate::io::judged::labels::Labels;
use crate::io::judged::plan::Plan;
use crate::io::judged::roles::Role;
use crate::io::judged::trials::check_width;
use crate::io::kinds::{FileKind, Loaded, ReadOptions};
use crate::io::layout::refuse;
use crate::io::text::Table;
use crate::text::said_of;

/// Bytes of one answer in memory, both directions.
const PAIR_BYTES: u64 = 96;

/// The codes of alike and not alike; those of one row belong together.
const CODES: [(&[&str], &[&str]); 10] = [
    (&["1", "1.0", "+1"], &["0", "0.0"]),
    (&["1", "1.0", "+1"], &["-1", "-1.0"]),
    (&["similar"], &["dissimilar", "not similar"]),
    (&["same"], &["different"]),
    (&["alike", "like"], &["unlike", "unalike", "not alike", "different", "dissimilar"]),
    (&["yes", "y"], &["no", "n"]),
    (&["true", "t"], &["false", "f"]),
    (
        &["must-link", "must_link", "must link", "mustlink", "ml"],
        &["cannot-link", "cannot_link", "cannot link", "cannotlink", "cl"],
    ),
    (&["match"], &["non-match", "no match", "mismatch"]),
    (&["positive"], &["negative"]),
];

/// Whether a cell is one of the words for alike or not alike; numbers are no words.
pub(crate) fn is_pair_word(cell: &str) -> bool {
    let word = cell.trim().to_lowercase();
    CODES[2..].iter().any(|(yes, no)| yes.contains(&word.as_str()) || no.contains(&word.as_str()))
}

/// Whether all cells are words of one code.
pub(crate) fn are_one_code<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    let words: BTreeSet<String> = cells.map(|c| c.trim().to_lowercase()).collect();
    CODES[2..].iter().any(|(yes, no)| words.iter().all(|w| yes.contains(&w.as_str()) || no.contains(&w.as_str())))
}

/// Reads all pairs of a table.
pub(crate) fn read(table: &mut Table, plan: Plan, numerals: Numerals, options: &ReadOptions) -> Result<Loaded, Error> {
    let (at, source) = (table.at.clone(), table.source.clone());
    let column = |role| plan.columns.one(role).unwrap_or(0);
    let role = [Role::Grade, Role::Likeness].into_iter().find(|r| plan.columns.has(*r));
    let (from, to, label) = (column(Role::From), column(Role::To), column(role.unwrap_or(Role::Label)));
    let mut labels = Labels::new(options.objects.as_ref());
    let mut extras = Extras::new(&plan.columns, numerals);
    let (mut code, mut grades) = (Code::default(), Vec::new());
    let (mut rows, mut selves, mut header, mut width) = (Vec::new(), 0, plan.header, None);
    while let Some((record, line)) = table.next()? {
        if std::mem::take(&mut header) || record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        check_width(record, &mut width, false, &plan, &at, line)?;
        let a = labels.item(&record[from], &at, line, from)?;
        let b = labels.item(&record[to], &at, line, to)?;
        let here = || at.clone().line(line).column(label as u64 + 1);
        let (similar, grade) = match role {
            None => (code.read(&record[label], line, here)?, 0),
            Some(_) => (true, grade(&record[label], here)?),
        };
        let answered = extras.answered(record, line, None, &at)?;
        let (yes, no) = extras.votes(record, line, &at)?;
        let names = (labels.bytes() + extras.bytes()) as u64;
        source.holds("the pairs", (rows.len() + yes + no) as u64 * PAIR_BYTES + names)?;
        if a == b {
            selves += yes + no;
        } else if !answered.check {
            let participant = answered.participant;
            let row = Judged { from: a, to: b, similar, level: 0, weight: answered.weight, participant, line };
            rows.extend(std::iter::repeat_n(row, yes));
            rows.extend(std::iter::repeat_n(Judged { similar: !similar, ..row }, no));
            if role.is_some() {
                opposed(no, here)?;
                grades.resize(rows.len(), grade);
            }
        }
    }
    if rows.is_empty() {
        return Err(refuse(&at, "there is no row with two objects", "give a file with pairs in it"));
    }
    let mut assumptions = plan.said;
    assumptions.extend(role.is_none().then(|| code.words()));
    assumptions.push(if options.directed {
        "a row says nothing the other way round".into()
    } else {
        "pairs have no direction: each row counts both ways (unless it is said that they are directed)".to_string()
    });
    for (count, one, several) in [
        (selves, "row pairs an object with itself and is left out", "rows pair an object with itself and are left out"),
        (extras.checks, "row is marked as a check and left out", "rows are marked as checks and left out"),
    ] {
        if count > 0 {
            assumptions.push(said_of(count, one, several));
        }
    }
    let mut warnings = labels.warnings();
    warnings.extend(extras.warnings());
    let (objects, place) = labels.finish()?;
    for row in &mut rows {
        (row.from, row.to) = (place[row.from.index()], place[row.to.index()]);
    }
    let pairs = match role {
        None => Pairs::new(objects, rows)?,
        Some(role) => {
            let steps = Steps::of(&grades, role == Role::Likeness, &at)?;
            assumptions.push(steps.words());
            // An answer in grades is one at every step of likeness.
            let rows_made = rows.len() as u64 * (steps.0.len() as u64).saturating_sub(1).max(1);
            source.holds("the pairs at every step between their grades", rows_made * PAIR_BYTES)?;
            let answers = rows.into_iter().zip(grades.iter().map(|g| steps.grade(*g))).collect();
            Pairs::graded(objects, answers, steps.0.len() as u16)?
        }
    };
    let pairs = pairs.described(extras.participants, selves);
    let pairs = if options.directed { pairs } else { pairs.both_ways() };
    Ok(Loaded { evidence: Evidence::Pairs(pairs), measurements: None, kind: FileKind::Pairs, assumptions, warnings })
}

/// How alike a cell says two are.
fn grade(cell: &[u8], at: impl Fn() -> At) -> Result<i64, Error> {
    let word = String::from_utf8_lossy(cell.trim_ascii());
    word.parse().ok().filter(|g: &i64| g.abs() <= FARTHEST).ok_or_else(|| Error::Value {
        at: at(),
        what: format!("`{}` is no grade", shown(cell)),
        remedy: "write whole numbers, as many different ones as there are grades".into(),
    })
}

/// The largest number that a grade may have, to tell it from a measurement.
const FARTHEST: i64 = 1000;

/// Refuses votes for the opposite of a grade: there is none.
fn opposed(votes: usize, at: impl Fn() -> At) -> Result<(), Error> {
    match votes {
        0 => Ok(()),
        _ => Err(Error::Value {
            at: at(),
            what: "votes against a grade do not say which other one is meant".into(),
            remedy: "give one column of votes, and a row for each grade".into(),
        }),
    }
}

/// The numbers that occur as grades, the most alike first: what is not said by anybody is no step.
struct Steps(Vec<i64>);

impl Steps {
    fn of(grades: &[i64], largest_first: bool, at: &At) -> Result<Steps, Error> {
        let mut all: Vec<i64> = grades.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        if largest_first {
            all.reverse();
        }
        if all.len() < 2 {
            return Err(refuse(
                at,
                "all pairs are of one grade",
                "give pairs of two grades at least: one grade says nothing",
            ));
        }
        Ok(Steps(all))
    }
    /// From 1, the most alike.
    fn grade(&self, number: i64) -> u16 {
        self.0.iter().position(|g| *g == number).map_or(0, |k| k as u16 + 1)
    }
    fn words(&self) -> String {
        let all: Vec<String> = self.0.iter().map(i64::to_string).collect();
        format!("{} grades, the most alike first: {}", all.len(), all.join(", "))
    }
}

/// The codes met so far, and the line where each was first met.
#[derive(Debug, Default)]
struct Code {
    /// The rows of [`CODES`] that are still possible, as bits; 0 before the first cell.
    possible: u32,
    begun: bool,
    yes: BTreeSet<String>,
    no: BTreeSet<String>,
}

impl Code {
    fn read(&mut self, cell: &[u8], line: u64, at: impl Fn() -> At) -> Result<bool, Error> {
        let word = String::from_utf8_lossy(cell.trim_ascii());
        // Cells repeat, so most are found without making a new string.
        if self.yes.contains(word.as_ref()) {
            return Ok(true);
        }
        if self.no.contains(word.as_ref()) {
            return Ok(false);
        }
        let lower = word.to_lowercase();
        let (mut yes, mut no) = (0u32, 0u32);
        for (k, (alike, not)) in CODES.iter().enumerate() {
            yes |= u32::from(alike.contains(&lower.as_str())) << k;
            no |= u32::from(not.contains(&lower.as_str())) << k;
        }
        let possible = if self.begun { self.possible & (yes | no) } else { yes | no };
        if yes | no == 0 {
            return Err(Error::Value {
                at: at(),
                what: format!("`{}` does not say whether the two are alike", shown(cell)),
                remedy: "write 1 and 0, 1 and -1, similar and dissimilar, same and different, yes and no, or must-link and cannot-link; if the column holds distances, call it `distance`, and if grades, `grade` (1 the most alike) or `likeness` (the largest the most alike)".into(),
            });
        }
        if possible == 0 {
            let before: Vec<String> = self.yes.iter().chain(&self.no).map(|w| format!("`{w}`")).collect();
            return Err(Error::Value {
                at: at(),
                what: format!(
                    "`{}` belongs to another code than {}, met above line {line}",
                    shown(cell),
                    before.join(", ")
                ),
                remedy: "use one pair of words, or of numbers, throughout".into(),
            });
        }
        (self.possible, self.begun) = (possible, true);
        let similar = yes != 0;
        if similar { &mut self.yes } else { &mut self.no }.insert(word.into_owned());
        Ok(similar)
    }

    fn words(&self) -> String {
        let all = |words: &BTreeSet<String>| words.iter().cloned().collect::<Vec<_>>().join(", ");
        match (self.yes.is_empty(), self.no.is_empty()) {
            (_, true) => format!("{} means alike; no pair is said to be unlike", all(&self.yes)),
            (true, _) => format!("{} means not alike; no pair is said to be alike", all(&self.no)),
            _ => format!("{} means alike, {} not alike", all(&self.yes), all(&self.no)),
        }
    }
}
