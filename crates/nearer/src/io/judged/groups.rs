//! Objects in groups: a column of classes, or free sorts: an assessor a column, or a row a person and object.

use std::collections::{BTreeMap, HashMap};

use crate::error::{At, Error, Remedy};
use crate::evidence::{Evidence, Judged, Pairs, Sorts};
use crate::io::judged::headers::CHUNKLETS;
use crate::io::judged::nearest::suggestion;
use crate::io::judged::plan::Plan;
use crate::io::judged::roles::Role;
use crate::io::judged::trials::check_width;
use crate::io::kinds::{FileKind, Loaded, ReadOptions};
use crate::io::layout::refuse;
use crate::io::packing::LABEL_BYTES;
use crate::io::text::Table;
use crate::object::{Item, Objects, label_order};

/// Reads the groups: of the class column, one for all or one a person, or of all columns but that of the labels.
pub(crate) fn read(table: &mut Table, plan: Plan, options: &ReadOptions) -> Result<Loaded, Error> {
    let at = table.at.clone();
    let object = plan.columns.one(Role::Object).unwrap_or(0);
    let mut kept = Kept::default();
    let (mut header, mut width, mut bytes) = (plan.header, None, 0);
    let (class, who) = (plan.columns.one(Role::Class), plan.columns.one(Role::Participant));
    while let Some((record, line)) = table.next()? {
        if std::mem::take(&mut header) || record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        check_width(record, &mut width, false, &plan, &at, line)?;
        let label = Table::label(&at, &record[object], line, object)?;
        let columns: Vec<usize> = match class {
            Some(k) => vec![k],
            None => (0..record.len()).filter(|k| *k != object).collect(),
        };
        let groups = columns.into_iter().map(|k| group(&record[k], &at, line, k)).collect::<Result<Vec<_>, _>>()?;
        let person = who.filter(|_| class.is_some()).map(|k| Table::label(&at, &record[k], line, k)).transpose()?;
        let before = match person {
            Some(person) => kept.by_person(label.clone(), person, groups, line),
            None => kept.by_row(label.clone(), groups, line),
        };
        if let Some(before) = before {
            let remedy = if who.is_some() && class.is_some() {
                "give every person and object one row".into()
            } else {
                Remedy::from("give every object one row, or, where several people sorted, say who with ")
                    .setting("columns", "object=…,class=…,participant=…")
            };
            return Err(Error::Value {
                at: at.line(line).column(object as u64 + 1),
                what: format!("the label `{label}` stands on line {before} already"),
                remedy,
            });
        }
        // The groups are held a row each, and then an assessor each.
        bytes += 2 * record.as_slice().len() + 80 * record.len() + LABEL_BYTES;
        table.holds("the groups", bytes as u64)?;
    }
    let Kept { labels, lines, cells, people, .. } = kept;
    if labels.is_empty() {
        return Err(refuse(&at, "there is no row with an object", "give one object a row, with its group"));
    }
    let count = if people.is_empty() { cells[0].len() } else { people.len() };
    if count == 0 {
        return Err(refuse(&at, "there is no column with groups", "give the objects down, and an assessor a column"));
    }
    let mut assumptions = plan.said;
    let assessors: Vec<String> = match class {
        Some(_) if !people.is_empty() => people,
        Some(k) => vec![plan.names.get(k).filter(|n| !n.is_empty()).cloned().unwrap_or_else(|| "class".into())],
        None if plan.header => {
            plan.names.iter().enumerate().filter(|(k, _)| *k != object).map(|(_, n)| n.clone()).collect()
        }
        None => (1..=count).map(|k| k.to_string()).collect(),
    };
    let rows = labels.len();
    if class.is_none() {
        assumptions.push(format!(
            "the rows are {rows} objects, the columns {count} assessors; equal cells are one group, empty ones are not sorted"
        ));
    } else if count > 1 {
        assumptions.push(format!(
            "{rows} objects sorted by {count} people, a row each; equal groups of a person are one, empty ones are not sorted"
        ));
    }
    let (objects, order) = arrange(labels, &lines, options, &at)?;
    let cell = |row: Option<usize>, a: usize| row.and_then(|r| cells[r].get(a).cloned().flatten());
    let groups: Vec<Vec<Option<String>>> =
        (0..count).map(|a| order.iter().map(|row| cell(*row, a)).collect()).collect();
    if let (Some(_), [name], [groups]) = (class, assessors.as_slice(), groups.as_slice())
        && CHUNKLETS.contains(&name.to_lowercase().as_str())
    {
        let pairs = chunklets(objects, groups, |pairs| table.holds("the pairs of each chunklet", pairs * PAIR_BYTES))?;
        assumptions.push(format!(
            "objects of one {name} belong together, and of two nothing is said: {}",
            match pairs.len() / 2 {
                1 => "1 pair alike".to_owned(),
                n => format!("{n} pairs alike"),
            }
        ));
        return Ok(Loaded {
            evidence: Evidence::Pairs(pairs),
            measurements: None,
            kind: plan.kind,
            assumptions,
            warnings: vec![],
        });
    }
    let sorts = Sorts::new(objects, assessors, groups)?;
    Ok(Loaded { evidence: Evidence::Sorts(sorts), measurements: None, kind: plan.kind, assumptions, warnings: vec![] })
}

/// What a pair takes, both ways.
const PAIR_BYTES: u64 = 2 * size_of::<Judged>() as u64;

/// Every two objects of a group, alike.
fn chunklets(
    objects: Objects,
    groups: &[Option<String>],
    afford: impl FnOnce(u64) -> Result<(), Error>,
) -> Result<Pairs, Error> {
    let mut members: BTreeMap<&str, Vec<Item>> = BTreeMap::new();
    for (i, group) in groups.iter().enumerate() {
        if let Some(group) = group {
            members.entry(group).or_default().push(Item(i as u32));
        }
    }
    afford(members.values().map(|m| (m.len() * (m.len() - 1) / 2) as u64).sum())?;
    let pairs = members
        .values()
        .flat_map(|m| m.iter().enumerate().flat_map(|(k, a)| m[k + 1..].iter().map(|b| Judged::new(*a, *b, true))));
    Ok(Pairs::new(objects, pairs.collect())?.both_ways())
}

/// The objects met so far and their groups, an assessor each.
#[derive(Default)]
struct Kept {
    labels: Vec<String>,
    /// Where each object was met first.
    lines: Vec<u64>,
    cells: Vec<Vec<Option<String>>>,
    people: Vec<String>,
    rows: HashMap<String, usize>,
    numbers: HashMap<String, usize>,
    /// The line of each object and person.
    said: HashMap<(usize, usize), u64>,
}

impl Kept {
    fn row(&mut self, label: String, line: u64) -> usize {
        *self.rows.entry(label).or_insert_with_key(|label| {
            self.labels.push(label.clone());
            self.lines.push(line);
            self.cells.push(Vec::new());
            self.labels.len() - 1
        })
    }

    /// All groups of an object at once; the line it stands on already, if it does.
    fn by_row(&mut self, label: String, groups: Vec<Option<String>>, line: u64) -> Option<u64> {
        let known = self.labels.len();
        let row = self.row(label, line);
        if row < known {
            return Some(self.lines[row]);
        }
        self.cells[row] = groups;
        None
    }

    /// The group that a person put an object into; the line on which they did so already, if there is one.
    fn by_person(&mut self, label: String, person: String, groups: Vec<Option<String>>, line: u64) -> Option<u64> {
        let row = self.row(label, line);
        let who = *self.numbers.entry(person).or_insert_with_key(|person| {
            self.people.push(person.clone());
            self.people.len() - 1
        });
        if let Some(before) = self.said.insert((row, who), line) {
            return Some(before);
        }
        let cells = &mut self.cells[row];
        if cells.len() <= who {
            cells.resize(who + 1, None);
        }
        cells[who] = groups.into_iter().next().flatten();
        None
    }
}

/// The kind of a table of groups.
pub(crate) fn is_groups(kind: FileKind) -> bool {
    matches!(kind, FileKind::Classes | FileKind::Sorts)
}

fn group(cell: &[u8], at: &At, line: u64, column: usize) -> Result<Option<String>, Error> {
    let cell = cell.trim_ascii();
    if cell.is_empty() || cell.eq_ignore_ascii_case(b"na") {
        return Ok(None);
    }
    Table::label(at, cell, line, column).map(Some)
}

/// The objects in order, and the row of each.
fn arrange(
    mut labels: Vec<String>,
    lines: &[u64],
    options: &ReadOptions,
    at: &At,
) -> Result<(Objects, Vec<Option<usize>>), Error> {
    let Some(objects) = &options.objects else {
        let order = label_order(&labels);
        let sorted: Vec<String> = order.iter().map(|&k| std::mem::take(&mut labels[k])).collect();
        return Ok((Objects::new(sorted)?, order.into_iter().map(Some).collect()));
    };
    let index = objects.index();
    let mut rows = vec![None; objects.len()];
    for (row, label) in labels.iter().enumerate() {
        let Some(item) = index.get(label.as_str()) else {
            let meant = suggestion(label, objects.labels().iter().map(String::as_str));
            return Err(Error::UnknownLabel {
                label: label.clone(),
                place: at.clone().line(lines[row]).to_string(),
                objects: objects.len(),
                remedy: format!("{meant}correct the label, or add it to the objects").into(),
            });
        };
        rows[item.index()] = Some(row);
    }
    Ok((objects.clone(), rows))
}
