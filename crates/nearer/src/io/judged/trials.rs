//! Tables of trials: one answer a row, of any task.

use csv::ByteRecord;

use crate::error::{At, Error};
use crate::evidence::{Evidence, Task, Trials};
use crate::io::cell::{Numerals, shown};
use crate::io::judged::extras::Extras;
use crate::io::judged::labels::Labels;
use crate::io::judged::plan::{Columns, Plan};
use crate::io::judged::roles::Role;
use crate::io::kinds::{Loaded, ReadOptions};
use crate::io::layout::refuse;
use crate::io::source::Source;
use crate::io::text::Table;
use crate::object::{Item, Objects, Pair};
use crate::text::{counted, said_of};

/// Bytes of one trial in memory beside its objects, its comparison included: for the estimate that a limit is held against.
const TRIAL_BYTES: u64 = 112;

/// Reads all trials of a table.
pub(crate) fn read(
    table: &mut Table,
    plan: Plan,
    task: Task,
    numerals: Numerals,
    options: &ReadOptions,
) -> Result<Loaded, Error> {
    let at = table.at.clone();
    let mut rows = Rows::new(&plan, task, numerals, options, &table.source);
    let mut header = plan.header;
    let mut width = None;
    while let Some((record, line)) = table.next()? {
        if std::mem::take(&mut header) || record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        check_width(record, &mut width, task == Task::Ranks && !plan.header, &plan, &at, line)?;
        rows.add(record, line, &at)?;
    }
    rows.finish(plan, &at)
}

/// Refuses a row that has not as many fields as the first one.
pub(crate) fn check_width(
    record: &ByteRecord,
    width: &mut Option<usize>,
    ragged: bool,
    plan: &Plan,
    at: &At,
    line: u64,
) -> Result<(), Error> {
    let first = *width.get_or_insert(if plan.names.is_empty() { record.len() } else { plan.names.len() });
    let least = plan.columns.least();
    if (record.len() == first && first >= least) || (ragged && (3..=least).contains(&record.len())) {
        return Ok(());
    }
    if record.len() == first || ragged {
        return Err(Error::Value {
            at: at.clone().line(line),
            what: format!("{} fields in this row, where {least} have a part", record.len()),
            remedy: "give every row the same number of fields, or quote those that hold the delimiter".into(),
        });
    }
    let header = if plan.names.is_empty() { "the first row" } else { "the header" };
    Err(Error::Value {
        at: at.clone().line(line),
        what: format!("{} fields in this row, and {first} in {header}", record.len()),
        remedy: "give every row the same number of fields, or quote those that hold the delimiter".into(),
    })
}

/// Trials under way.
#[derive(Debug)]
pub(crate) struct Rows {
    task: Task,
    /// The head, the odd one or the central one.
    main: usize,
    /// Near and far, a to d, the chosen or the ranked.
    parts: Vec<usize>,
    shown: Vec<usize>,
    /// The odd or central one is named by its label, and stands among those shown as well.
    by_label: bool,
    rest: Vec<usize>,
    answer: Option<usize>,
    sides: Option<(usize, usize)>,
    pub(crate) labels: Labels,
    extras: Extras,
    pub(crate) trials: Trials,
    items: Vec<Item>,
    selves: usize,
    source: Source,
}

impl Rows {
    pub(crate) fn new(plan: &Plan, task: Task, numerals: Numerals, options: &ReadOptions, source: &Source) -> Self {
        let columns = &plan.columns;
        let one = |role| columns.one(role);
        let (main, parts) = match task {
            Task::Triplets => (one(Role::Head), [Role::Near, Role::Far].into_iter().filter_map(one).collect()),
            Task::Quadruplets => (None, [Role::A, Role::B, Role::C, Role::D].into_iter().filter_map(one).collect()),
            Task::OddOneOut => (one(Role::Odd), Vec::new()),
            Task::MostCentral => (one(Role::Central), Vec::new()),
            Task::Choices => (one(Role::Head), columns.all(Role::Chosen)),
            Task::Ranks => (one(Role::Head), columns.all(Role::Rank)),
        };
        Rows {
            task,
            main: main.unwrap_or(0),
            parts,
            by_label: columns.all(Role::Shown).len() >= 3 && !columns.all(Role::Shown).iter().any(|k| Some(*k) == main),
            shown: others(columns, main),
            rest: columns.all(Role::Rest),
            answer: one(Role::Answer),
            sides: one(Role::Left).zip(one(Role::Right)),
            labels: Labels::new(options.objects.as_ref()),
            extras: Extras::new(columns, numerals),
            trials: Trials::new(Objects::numbered(0), task),
            items: Vec::new(),
            selves: 0,
            source: source.clone(),
        }
    }

    /// Adds the trial of a row.
    pub(crate) fn add(&mut self, record: &ByteRecord, line: u64, at: &At) -> Result<(), Error> {
        self.items.clear();
        let split = match self.task {
            Task::Triplets => self.triplet(record, line, at)?,
            Task::Quadruplets => self.quadruplet(record, line, at)?,
            Task::OddOneOut | Task::MostCentral => self.marked(record, line, at)?,
            Task::Choices | Task::Ranks => self.picked(record, line, at)?,
        };
        let chosen = match self.task {
            Task::Triplets => Some(self.parts[0]),
            Task::Choices | Task::Ranks => self.parts.first().copied(),
            _ => Some(self.main),
        };
        let mut answered = self.extras.answered(record, line, chosen, at)?;
        let (yes, no) = self.extras.votes(record, line, at)?;
        let count = (self.trials.len() + yes + no) as u64;
        let each = TRIAL_BYTES + 8 * self.items.len() as u64;
        self.source.holds("the answers", count * each + (self.labels.bytes() + self.extras.bytes()) as u64)?;
        let turned = match self.answer {
            None => false,
            Some(k) => is_turned(record.get(k).unwrap_or_default(), || place(at, line, k))?,
        };
        if turned {
            self.turn();
            // The side of the near column is that of the object that was not chosen.
            answered.side = None;
        }
        for _ in 0..yes {
            self.push(split, answered);
        }
        if no > 0 {
            self.turn();
            answered.side = None;
            (0..no).for_each(|_| self.push(split, answered));
        }
        Ok(())
    }

    /// Whether a column holds an object.
    pub(crate) fn is_object(&self, column: usize) -> bool {
        let main = self.task != Task::Quadruplets && column == self.main;
        main || [&self.parts, &self.shown, &self.rest].iter().any(|all| all.contains(&column))
    }

    fn push(&mut self, split: usize, answered: crate::evidence::Answered) {
        self.trials.push_checked(&self.items, split, answered);
        self.selves += usize::from(self.trials.get(self.trials.len() - 1).is_self());
    }

    /// The opposite answer.
    fn turn(&mut self) {
        match self.items.as_mut_slice() {
            [_, near, far] => std::mem::swap(near, far),
            all => all.rotate_left(all.len() / 2),
        }
    }

    fn item(&mut self, record: &ByteRecord, line: u64, column: usize, at: &At) -> Result<Item, Error> {
        self.labels.item(record.get(column).unwrap_or_default(), at, line, column)
    }

    fn triplet(&mut self, record: &ByteRecord, line: u64, at: &At) -> Result<usize, Error> {
        let head = self.item(record, line, self.main, at)?;
        let near = self.item(record, line, self.parts[0], at)?;
        let far = match (self.parts.get(1), self.sides) {
            (Some(&k), _) => self.item(record, line, k, at)?,
            (None, sides) => {
                let (left, right) = sides.unwrap_or((self.main, self.main));
                let both = [self.item(record, line, left, at)?, self.item(record, line, right, at)?];
                if !both.contains(&near) {
                    let what = format!(
                        "`{}` is neither `{}` nor `{}`",
                        self.labels.label(near),
                        self.labels.label(both[0]),
                        self.labels.label(both[1])
                    );
                    let remedy = "the near one is one of those shown left and right".into();
                    return Err(Error::Value { at: place(at, line, self.parts[0]), what, remedy });
                }
                if near == both[0] { both[1] } else { both[0] }
            }
        };
        self.items.extend([head, near, far]);
        Ok(0)
    }

    fn quadruplet(&mut self, record: &ByteRecord, line: u64, at: &At) -> Result<usize, Error> {
        for k in 0..self.parts.len() {
            let item = self.item(record, line, self.parts[k], at)?;
            self.items.push(item);
        }
        if let [a, b, c, d] = self.items[..]
            && a != b
            && Pair::new(a, b) == Pair::new(c, d)
        {
            let (a, b) = (self.labels.label(a), self.labels.label(b));
            return Err(Error::Value {
                at: at.clone().line(line),
                what: format!("the pair `{a}`, `{b}` is compared with itself"),
                remedy: "take the row out".into(),
            });
        }
        Ok(0)
    }

    /// The odd or central one, by its column or by its label among those shown.
    fn marked(&mut self, record: &ByteRecord, line: u64, at: &At) -> Result<usize, Error> {
        let marked = self.item(record, line, self.main, at)?;
        for k in 0..self.shown.len() {
            let item = self.item(record, line, self.shown[k], at)?;
            self.items.push(item);
        }
        if self.by_label {
            let Some(k) = self.items.iter().position(|i| *i == marked) else {
                let all: Vec<String> = self.items.iter().map(|i| format!("`{}`", self.labels.label(*i))).collect();
                return Err(Error::Value {
                    at: place(at, line, self.main),
                    what: format!("`{}` is not among those shown, {}", self.labels.label(marked), all.join(", ")),
                    remedy: "name one of them by its label; a column that holds one more object is itself `shown`"
                        .into(),
                });
            };
            self.items.remove(k);
        }
        let place = if self.task == Task::OddOneOut { self.items.len() } else { 0 };
        self.items.insert(place, marked);
        Ok(0)
    }

    /// The head, the chosen or ranked, and the rest.
    fn picked(&mut self, record: &ByteRecord, line: u64, at: &At) -> Result<usize, Error> {
        let head = self.item(record, line, self.main, at)?;
        self.items.push(head);
        let filled = |k: usize| record.get(k).is_some_and(|f| !f.trim_ascii().is_empty());
        for k in 0..self.parts.len() {
            if filled(self.parts[k]) {
                let item = self.item(record, line, self.parts[k], at)?;
                self.items.push(item);
            }
        }
        let split = self.items.len() - 1;
        let mut left = vec![true; split];
        for k in 0..self.shown.len() {
            if filled(self.shown[k]) {
                let item = self.item(record, line, self.shown[k], at)?;
                match (0..split).find(|&p| left[p] && self.items[p + 1] == item) {
                    Some(p) => left[p] = false,
                    None => self.items.push(item),
                }
            }
        }
        if let (false, Some(p)) = (self.shown.is_empty(), left.iter().position(|l| *l)) {
            return Err(Error::Value {
                at: at.clone().line(line),
                what: format!("`{}` is not among those shown", self.labels.label(self.items[p + 1])),
                remedy: "name one of them by its label".into(),
            });
        }
        for k in 0..self.rest.len() {
            if filled(self.rest[k]) {
                let item = self.item(record, line, self.rest[k], at)?;
                self.items.push(item);
            }
        }
        let rest = self.items.len() - 1 - split;
        let enough = match self.task {
            Task::Choices => split >= 1 && rest >= 1,
            _ => split >= 1 && split + rest >= 2,
        };
        if !enough {
            return Err(Error::Value {
                at: at.clone().line(line),
                what: format!("{split} objects picked and {rest} left over, which compares nothing"),
                remedy: "give one that was picked and one that comes after it".into(),
            });
        }
        Ok(split)
    }

    /// The trials as evidence, their objects in order.
    pub(crate) fn finish(self, plan: Plan, at: &At) -> Result<Loaded, Error> {
        if self.trials.is_empty() {
            return Err(refuse(at, "there is no row with an answer", "give a file with judgements in it"));
        }
        if self.trials.len() > u32::MAX as usize {
            return Err(refuse(at, "more than 4 billion answers", "give a part of the rows"));
        }
        let mut warnings = self.labels.warnings();
        warnings.extend(self.extras.warnings());
        let mut assumptions = plan.said;
        let objects = self.labels.len();
        assumptions.push(match self.extras.participants.len() {
            0 => format!("{} about {}", counted(self.trials.len(), "answer"), counted(objects, "object")),
            people => format!(
                "{} by {} about {}",
                counted(self.trials.len(), "answer"),
                counted(people, "participant"),
                counted(objects, "object")
            ),
        });
        for (count, one, several) in [
            (self.selves, "answer shows an object twice: a check,", "answers show an object twice: checks,"),
            (self.extras.checks, "answer is marked as a check:", "answers are marked as checks:"),
        ] {
            if count > 0 {
                assumptions.push(format!("{} counted and not used", said_of(count, one, several)));
            }
        }
        let (objects, to) = self.labels.finish()?;
        let mut trials = self.trials.renumbered(objects, &to);
        for name in self.extras.participants {
            trials.add_participant(name);
        }
        Ok(Loaded {
            evidence: Evidence::Comparisons(trials.comparisons()),
            measurements: None,
            kind: plan.kind,
            assumptions,
            warnings,
        })
    }
}

fn place(at: &At, line: u64, column: usize) -> At {
    at.clone().line(line).column(column as u64 + 1)
}

/// The columns of what was shown, without that of the marked one.
fn others(columns: &Columns, main: Option<usize>) -> Vec<usize> {
    columns.all(Role::Shown).into_iter().filter(|k| Some(*k) != main).collect()
}

/// Whether the answer is the other way round.
fn is_turned(field: &[u8], at: impl Fn() -> At) -> Result<bool, Error> {
    match field.trim_ascii() {
        b"1" | b"1.0" | b"+1" | b"true" | b"True" | b"TRUE" => Ok(false),
        b"0" | b"-1" | b"0.0" | b"-1.0" | b"false" | b"False" | b"FALSE" => Ok(true),
        other => Err(Error::Value {
            at: at(),
            what: format!("`{}` is not an answer", shown(other)),
            remedy: "write 1 for an answer as the columns say it, and 0 or -1 for the opposite one".into(),
        }),
    }
}
