//! One half of a matrix: triangles in text, and condensed vectors in text or `.npy`.

use std::collections::HashMap;

use nearer_num::packed;

use crate::error::{At, Error, Remedy};
use crate::evidence::{Bound, Distances};
use crate::io::cell::{Numbers, Numerals};
use crate::io::kinds::{FileKind, ReadOptions};
use crate::io::layout::{Layout, refuse};
use crate::io::matrix::{check_labels, check_numbers, ragged, twice};
use crate::io::npy::Npy;
use crate::io::packing::{LABEL_BYTES, check_memory, check_objects, convert, from_values};
use crate::io::source::Source;
use crate::io::square::diagonal_error;
use crate::io::text::Table;
use crate::object::Objects;

/// The entries of a triangle in the order of the file, rows of any length.
#[derive(Debug, Default)]
struct Entries {
    values: Vec<f64>,
    /// Bounds and where they belong; few, or none.
    bounds: HashMap<usize, Bound>,
    /// Lines of the rows.
    lines: Vec<u64>,
    labels: Vec<String>,
}

/// Reads a lower or upper triangle, with or without its diagonal.
pub(crate) fn read(
    table: &mut Table,
    layout: &Layout,
    numerals: Numerals,
    options: &ReadOptions,
) -> Result<(Distances, Vec<String>), Error> {
    let at = table.at.clone();
    let mut said = layout.assumptions.clone();
    let lower = layout.kind == FileKind::Lower;
    let mut numbers = Numbers::new(numerals);
    let mut columns = None;
    if layout.header
        && let Some((record, line)) = table.next()?
    {
        let width = layout.columns.as_ref().map_or(0, Vec::len).min(record.len());
        columns = Some(check_labels(record, record.len() - width, line, &at)?);
    }
    let mut entries = Entries::default();
    let mut seen: HashMap<String, u64> = HashMap::new();
    let (mut first, mut rows, mut text, mut whole) = (0, 0, 0, false);
    let skip = usize::from(layout.labelled);
    while let Some((record, line)) = table.next()? {
        if record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        let found = record.len().saturating_sub(skip);
        if rows == 0 {
            first = found;
        }
        // Of a whole square one triangle is wanted, and the other is not looked at.
        whole |= first > 1 && (lower || (rows == 1 && found == first));
        let expected = if whole {
            first
        } else if lower {
            first + rows
        } else {
            first.saturating_sub(rows)
        };
        if found != expected || (whole && rows == first) {
            return Err(ragged(found, if rows == first { 0 } else { expected }, at.clone().line(line)));
        }
        if layout.labelled {
            let label = Table::label(&at, &record[0], line, 0)?;
            if let Some(before) = seen.insert(label.clone(), line) {
                return Err(twice(&label, &format!("line {before}"), at.clone().line(line).column(1)));
            }
            entries.labels.push(label);
        }
        numbers.fill(record, skip, line, &at)?;
        let wanted = match (whole, lower) {
            (false, _) => 0..numbers.values.len(),
            (true, true) => 0..rows + 1,
            (true, false) => rows..numbers.values.len(),
        };
        for k in wanted.clone().filter(|k| numbers.bounds.get(*k).is_some_and(|b| *b != Bound::Exact)) {
            entries.bounds.insert(entries.values.len() + k - wanted.start, numbers.bounds[k]);
        }
        entries.values.extend_from_slice(&numbers.values[wanted]);
        entries.lines.push(line);
        rows += 1;
        text += record.as_slice().len();
        // The entries as they came, and then in their order.
        table.holds("the triangle", (16 * entries.values.len() + text + LABEL_BYTES * entries.labels.len()) as u64)?;
    }
    said.extend(numbers.assumption());
    let shape = if whole {
        if rows != first {
            let what = format!("{rows} rows of {first} distances are no square matrix");
            return Err(refuse(&at, &what, "give every object a row and a column, or only one triangle"));
        }
        said.push("of the square only this triangle is taken".into());
        Shape { n: rows, lower, diagonal: true, bare: false }
    } else {
        Shape::of(&entries, lower, first, layout.labelled, &mut said)
    };
    let labels = match (layout.labelled, columns) {
        (true, _) => Some(entries.labels.clone()),
        (false, columns) => columns,
    };
    let objects = match labels {
        Some(labels) if labels.len() == shape.n => Objects::new(labels)?,
        Some(labels) => {
            let what = format!("{} labels for a triangle of {} objects", labels.len(), shape.n);
            return Err(refuse(&at, &what, "give every object a label"));
        }
        None => {
            said.push(format!("the objects have no labels: they are numbered 1 to {}", shape.n));
            Objects::numbered(shape.n)
        }
    };
    let distances = shape.distances(&entries, objects, options, &table.source, &mut said)?;
    Ok((distances, said))
}

/// How the entries of a file make a triangle.
#[derive(Debug)]
struct Shape {
    n: usize,
    lower: bool,
    diagonal: bool,
    /// A strict triangle without an empty line for the first (or last) object.
    bare: bool,
}

impl Shape {
    fn of(entries: &Entries, lower: bool, first: usize, labelled: bool, said: &mut Vec<String>) -> Shape {
        let rows = entries.lines.len();
        // Labelled rows are all there, so their first length tells; without labels the strict triangle has one row
        // less, and a diagonal shows by being all 0 (or blank).
        let (diagonal, bare) = if labelled {
            (if lower { first == 1 } else { first == rows }, false)
        } else {
            let own = |r: usize| if lower { r * (r + 3) / 2 } else { r * first - r * r.saturating_sub(1) / 2 };
            let zeros = (0..rows).all(|r| entries.values.get(own(r)).is_none_or(|v| *v == 0.0 || v.is_nan()));
            (zeros, !zeros)
        };
        said.push(format!("the triangle comes {} its diagonal", if diagonal { "with" } else { "without" }));
        Shape { n: rows + usize::from(bare), lower, diagonal, bare }
    }

    fn distances(
        &self,
        entries: &Entries,
        objects: Objects,
        options: &ReadOptions,
        source: &Source,
        said: &mut Vec<String>,
    ) -> Result<Distances, Error> {
        let (n, at) = (self.n, &source.at());
        check_objects(n)?;
        check_memory(n, source)?;
        let mut values = vec![f64::NAN; packed::len(n)];
        let mut bounds = (!entries.bounds.is_empty()).then(|| vec![Bound::Exact; values.len()]);
        let mut own = vec![f64::NAN; n];
        let mut k = 0;
        for row in 0..entries.lines.len() {
            let i = row + usize::from(self.bare && self.lower);
            let columns = match (self.lower, self.diagonal) {
                (true, true) => 0..i + 1,
                (true, false) => 0..i,
                (false, true) => i..n,
                (false, false) => i + 1..n,
            };
            for j in columns {
                let Some(&v) = entries.values.get(k) else { break };
                if i == j {
                    if options.similarity.is_none() && v != 0.0 && !v.is_nan() {
                        return Err(diagonal_error(&objects.labels()[i], v, at.clone().line(entries.lines[row])));
                    }
                    own[i] = v;
                } else {
                    let to = packed::index(n, i.min(j), i.max(j));
                    values[to] = v;
                    if let (Some(bounds), Some(b)) = (&mut bounds, entries.bounds.get(&k)) {
                        bounds[to] = *b;
                    }
                }
                k += 1;
            }
        }
        if let Some(rule) = options.similarity {
            convert(&mut values, bounds.as_deref_mut(), &own, rule, &objects, at)?;
            said.push(rule.said());
        }
        from_values(objects, values, bounds, at)
    }
}

/// Reads a condensed vector from text: one value a line, or all in one.
pub(crate) fn read_condensed(
    table: &mut Table,
    layout: &Layout,
    numerals: Numerals,
    options: &ReadOptions,
) -> Result<(Distances, Vec<String>), Error> {
    let at = table.at.clone();
    let mut numbers = Numbers::new(numerals);
    let mut header = layout.header;
    while let Some((record, line)) = table.next()? {
        if std::mem::take(&mut header) {
            continue;
        }
        for (k, field) in record.iter().enumerate() {
            numbers.push(field, || at.clone().line(line).column(k as u64 + 1))?;
        }
        table.holds("the values", 9 * numbers.values.len() as u64)?;
    }
    let words = numbers.assumption();
    let bounds = numbers.bounded.then_some(numbers.bounds);
    let (distances, mut said) = condensed(numbers.values, bounds, options, &at)?;
    said.extend(words);
    Ok((distances, said))
}

/// Reads a condensed vector from an array.
pub(crate) fn read_condensed_npy(mut npy: Npy, options: &ReadOptions) -> Result<(Distances, Vec<String>), Error> {
    let (len, at) = (npy.shape.iter().product::<usize>(), npy.at());
    check_memory(objects_of(len, &at)?, &npy.source)?;
    let mut values = Vec::new();
    npy.take(len, &mut values)?;
    npy.end()?;
    check_numbers(&values, options, |k| at.clone().column(k as u64 + 1))?;
    condensed(values, None, options, &at)
}

fn condensed(
    mut values: Vec<f64>,
    mut bounds: Option<Vec<Bound>>,
    options: &ReadOptions,
    at: &At,
) -> Result<(Distances, Vec<String>), Error> {
    let n = objects_of(values.len(), at)?;
    let objects = Objects::numbered(n);
    let mut said = vec![format!(
        "{} values are the upper triangle of {n} objects, row by row: (1,2), (1,3) …; the objects are numbered 1 to {n}",
        values.len()
    )];
    if let Some(rule) = options.similarity {
        convert(&mut values, bounds.as_deref_mut(), &vec![f64::NAN; n], rule, &objects, at)?;
        said.push(rule.said());
    }
    Ok((from_values(objects, values, bounds, at)?, said))
}

/// How many objects have so many pairs.
fn objects_of(len: usize, at: &At) -> Result<usize, Error> {
    let n = (1.0 + (1.0 + 8.0 * len as f64).sqrt()) / 2.0;
    let n = n.round() as usize;
    if len == 0 || packed::len(n) != len {
        return Err(refuse(
            at,
            &format!("{len} values are not the pairs of any number of objects (1, 3, 6, 10, 15 …)"),
            Remedy::from("give one value for each pair, or say what the file is with ").any("kind"),
        ));
    }
    Ok(n)
}
