//! Objects in groups: a column of classes, or a table of free sorts with an assessor a column.

use std::collections::HashMap;

use crate::error::{At, Error};
use crate::evidence::{Evidence, Sorts};
use crate::io::judged::nearest::suggestion;
use crate::io::judged::plan::Plan;
use crate::io::judged::roles::Role;
use crate::io::judged::trials::check_width;
use crate::io::kinds::{FileKind, Loaded, ReadOptions};
use crate::io::layout::refuse;
use crate::io::packing::LABEL_BYTES;
use crate::io::text::Table;
use crate::object::{Objects, label_order};

/// Reads the groups: of the class column, or of all columns but that of the labels.
pub(crate) fn read(table: &mut Table, plan: Plan, options: &ReadOptions) -> Result<Loaded, Error> {
    let at = table.at.clone();
    let object = plan.columns.one(Role::Object).unwrap_or(0);
    let (mut labels, mut lines, mut cells) = (Vec::new(), Vec::new(), Vec::<Vec<Option<String>>>::new());
    let mut seen: HashMap<String, u64> = HashMap::new();
    let (mut header, mut width, mut bytes) = (plan.header, None, 0);
    let class = plan.columns.one(Role::Class);
    while let Some((record, line)) = table.next()? {
        if std::mem::take(&mut header) || record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        check_width(record, &mut width, false, &plan, &at, line)?;
        let label = Table::label(&at, &record[object], line, object)?;
        if let Some(before) = seen.insert(label.clone(), line) {
            return Err(Error::Value {
                at: at.line(line).column(object as u64 + 1),
                what: format!("the label `{label}` stands on line {before} already"),
                remedy: "give every object one row".into(),
            });
        }
        labels.push(label);
        lines.push(line);
        let columns: Vec<usize> = match class {
            Some(k) => vec![k],
            None => (0..record.len()).filter(|k| *k != object).collect(),
        };
        cells.push(columns.into_iter().map(|k| group(&record[k], &at, line, k)).collect::<Result<_, _>>()?);
        // The groups are held a row each, and then an assessor each.
        bytes += 2 * record.as_slice().len() + 80 * record.len() + LABEL_BYTES;
        table.holds("the groups", bytes as u64)?;
    }
    if labels.is_empty() {
        return Err(refuse(&at, "there is no row with an object", "give one object a row, with its group"));
    }
    let count = cells[0].len();
    if count == 0 {
        return Err(refuse(&at, "there is no column with groups", "give the objects down, and an assessor a column"));
    }
    let mut assumptions = plan.said;
    let assessors: Vec<String> = match class {
        Some(k) => vec![plan.names.get(k).filter(|n| !n.is_empty()).cloned().unwrap_or_else(|| "class".into())],
        None if plan.header => {
            plan.names.iter().enumerate().filter(|(k, _)| *k != object).map(|(_, n)| n.clone()).collect()
        }
        None => (1..=count).map(|k| k.to_string()).collect(),
    };
    if class.is_none() {
        assumptions.push(format!(
            "the rows are {} objects, the columns {count} assessors; equal cells are one group, empty ones are not sorted",
            labels.len()
        ));
    }
    let (objects, order) = arrange(labels, &lines, options, &at)?;
    let groups =
        (0..count).map(|a| order.iter().map(|row| row.and_then(|r: usize| cells[r][a].clone())).collect()).collect();
    let sorts = Sorts::new(objects, assessors, groups)?;
    Ok(Loaded { evidence: Evidence::Sorts(sorts), measurements: None, kind: plan.kind, assumptions, warnings: vec![] })
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
