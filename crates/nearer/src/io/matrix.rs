//! Square matrices in text and in `.npy`, streamed into their triangle.

use std::collections::HashMap;

use csv::ByteRecord;

use crate::error::{At, Error, Remedy};
use crate::evidence::{Distances, size};
use crate::io::cell::{self, Numbers, Numerals, Wrong, negative};
use crate::io::kinds::{FileKind, ReadOptions};
use crate::io::layout::{Layout, refuse};
use crate::io::npy::Npy;
use crate::io::packing::{check_bytes, check_objects};
use crate::io::square::{Fault, Square, clash_error, diagonal_error};
use crate::io::text::Table;
use crate::object::Objects;

/// What a table that looked square turned out to be.
pub(crate) enum Outcome {
    Square(Distances, Vec<String>),
    /// It is a rectangle after all: read it again as rows.
    Rectangle,
}

/// Reads a square table. `certain`: the caller knows that it is square, and anything else is an error.
pub(crate) fn read(
    table: &mut Table,
    layout: &Layout,
    numerals: Numerals,
    options: &ReadOptions,
    certain: bool,
) -> Result<Outcome, Error> {
    let (at, source) = (table.at.clone(), table.source.clone());
    let mut said = layout.assumptions.clone();
    let mut numbers = Numbers::new(numerals);
    let mut names = Names::new(layout);
    if layout.header {
        let (record, line) = match table.next()? {
            Some(found) => found,
            None => return Err(refuse(&at, "the file is empty", "give a file with a header and rows in it")),
        };
        names.check_header(record, line, &at)?;
    }
    let mut square: Option<Square> = None;
    let (mut rows, mut n) = (0, 0);
    while let Some((record, line)) = table.next()? {
        if layout.labelled && record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        let skip = usize::from(layout.labelled);
        if square.is_none() {
            n = layout.columns.as_ref().map_or(record.len().saturating_sub(skip), Vec::len);
            check_objects(n)?;
        }
        if record.len() != n + skip {
            return Err(ragged(record.len().saturating_sub(skip), n, at.clone().line(line)));
        }
        let row = match names.row(record, line, &at, rows)? {
            Some(row) if row < n => row,
            None if !certain => return Ok(Outcome::Rectangle),
            None => return Err(foreign(record, layout, at.clone().line(line))),
            Some(_) if !certain => return Ok(Outcome::Rectangle),
            Some(_) => return Err(too_many(n, at.clone().line(line))),
        };
        let filled = numbers.fill(record, skip, line, &at);
        if square.is_none() {
            square = Some(Square::new(n, &source)?);
        }
        let Some(building) = &mut square else { continue };
        let fault = match filled {
            Ok(()) => {
                let zero = options.similarity.is_none();
                building.row(row, &numbers.values, numbers.some_bounds(), zero, Some(line)).err()
            }
            Err(e) => return Err(e),
        };
        rows += 1;
        if let Some(fault) = fault {
            // Without labels on both sides only the number of rows tells a square from a rectangle.
            if !certain && !names.both() && rows + count(table)? != n {
                return Ok(Outcome::Rectangle);
            }
            return Err(match fault {
                Fault::Diagonal(v) => {
                    let place = at.clone().line(line).column((row + skip) as u64 + 1);
                    diagonal_error(&names.label(row), v, place)
                }
                Fault::Clash(clash) => {
                    let place = at.clone().line(line).column((clash.column + skip) as u64 + 1);
                    clash_error(&names.objects(n)?, clash, &place)
                }
            });
        }
    }
    let Some(square) = square else {
        return Err(refuse(&at, "there is no row of distances", "give a file with distances in it"));
    };
    if rows != n {
        if !certain && rows > n {
            return Ok(Outcome::Rectangle);
        }
        let missing = names.first_missing(n).map_or(String::new(), |l| format!(" (the first without a row is `{l}`)"));
        return Err(refuse(
            &at,
            &format!("{rows} rows of {n} distances are no square matrix{missing}"),
            landmarks("give every object a row and a column"),
        ));
    }
    if names.reordered {
        said.push("the rows stand in another order than the columns; they were matched by label".into());
    }
    let objects = names.objects(n)?;
    if layout.columns.is_none() && !layout.labelled {
        said.push(format!("the objects have no labels: they are numbered 1 to {n}"));
    }
    let distances = square.finish(objects, options.similarity, &at, &mut said)?;
    said.extend(numbers.assumption());
    Ok(Outcome::Square(distances, said))
}

/// Reads a square array; in Fortran order its columns come first, which by symmetry are its rows.
pub(crate) fn read_npy(mut npy: Npy, options: &ReadOptions) -> Result<(Distances, Vec<String>), Error> {
    let (n, at) = (npy.shape[0], npy.at());
    check_objects(n)?;
    let mut square = Square::new(n, &npy.source)?;
    let mut row = Vec::new();
    let objects = |n: usize| Objects::numbered(n);
    let triangle = one_triangle(&mut npy, options)?;
    for i in 0..n {
        row.clear();
        match &triangle {
            Some(rows) => row.extend_from_slice(&rows[i * n..(i + 1) * n]),
            None => npy.take(n, &mut row)?,
        }
        check_numbers(&row, options, |j| at.clone().line(i as u64 + 1).column(j as u64 + 1))?;
        let zero = options.similarity.is_none();
        let place = |j: usize| at.clone().line(i as u64 + 1).column(j as u64 + 1);
        square.row(i, &row, None, zero, Some(i as u64 + 1)).map_err(|fault| match fault {
            Fault::Diagonal(v) => diagonal_error(&(i + 1).to_string(), v, place(i)),
            Fault::Clash(clash) => clash_error(&objects(n), clash, &place(clash.column)),
        })?;
    }
    npy.end()?;
    let mut said = vec![format!("the objects have no labels: they are numbered 1 to {n}")];
    if triangle.is_some() {
        said.push("of the square only one triangle is taken".into());
    }
    let distances = square.finish(objects(n), options.similarity, &at, &mut said)?;
    if distances.missing() > 0 {
        said.push("NaN is a missing distance, not a distance of 0".into());
    }
    Ok((distances, said))
}

/// The rows of an array with one triangle mirrored into the other, where one triangle is asked for.
fn one_triangle(npy: &mut Npy, options: &ReadOptions) -> Result<Option<Vec<f64>>, Error> {
    let upper = match options.kind {
        Some(FileKind::Upper) => !npy.fortran,
        Some(FileKind::Lower) => npy.fortran,
        _ => return Ok(None),
    };
    let n = npy.shape[0];
    check_bytes(8 * (n as u64).saturating_mul(n as u64), &format!("{}: the square", npy.at()), &npy.source)?;
    let mut rows = Vec::new();
    npy.take(n * n, &mut rows)?;
    for i in 0..n {
        for j in 0..i {
            let (low, high) = (i * n + j, j * n + i);
            if upper { rows[low] = rows[high] } else { rows[high] = rows[low] }
        }
    }
    Ok(Some(rows))
}

/// Refuses infinite, undefined and, without a similarity rule, negative numbers of an array.
pub(crate) fn check_numbers(row: &[f64], options: &ReadOptions, place: impl Fn(usize) -> At) -> Result<(), Error> {
    for (j, v) in row.iter().enumerate() {
        if !v.is_nan() && !size::is_usable(*v) {
            let why = if v.is_finite() { Wrong::Large } else { Wrong::Infinite };
            return Err(cell::wrong(place(j), format!("{v:e}").as_bytes(), why));
        }
        if v.is_nan() && !options.nan_missing {
            return Err(cell::wrong(place(j), b"NaN", Wrong::Nan));
        }
        if *v < 0.0 && options.similarity.is_none() {
            return Err(negative(place(j), *v));
        }
    }
    Ok(())
}

/// The error for a row of the wrong length.
pub(crate) fn ragged(found: usize, expected: usize, at: At) -> Error {
    Error::Value {
        at,
        what: format!("{found} values in this row, expected {expected}"),
        remedy: "give every row the same number of fields; leave a cell empty for a missing distance".into(),
    }
}

/// What to do, or else to say what a rectangle is.
pub(crate) fn landmarks(else_do: &str) -> Remedy {
    Remedy::from(format!("{else_do}, or say ")).setting("kind", "rows").and(" if the columns are landmarks")
}

fn too_many(n: usize, at: At) -> Error {
    Error::Value {
        at,
        what: format!("row {} of a matrix with {n} columns", n + 1),
        remedy: landmarks("give a square matrix"),
    }
}

fn foreign(record: &ByteRecord, layout: &Layout, at: At) -> Error {
    let columns = layout.columns.as_ref().map_or(0, Vec::len);
    Error::Value {
        at: at.column(1),
        what: format!("`{}` has a row, but is not among the {columns} columns", crate::io::cell::shown(&record[0])),
        remedy: landmarks("label rows and columns alike"),
    }
}

fn count(table: &mut Table) -> Result<usize, Error> {
    let mut rows = 0;
    while table.next()?.is_some() {
        rows += 1;
    }
    Ok(rows)
}

/// The labels of rows and columns, as they become known.
struct Names {
    columns: Option<HashMap<String, usize>>,
    labelled: bool,
    labels: Vec<String>,
    rows: HashMap<String, u64>,
    reordered: bool,
}

impl Names {
    fn new(layout: &Layout) -> Self {
        let columns = layout.columns.as_ref();
        Names {
            columns: columns.map(|c| c.iter().enumerate().map(|(k, l)| (l.clone(), k)).collect()),
            labelled: layout.labelled,
            labels: columns.cloned().unwrap_or_default(),
            rows: HashMap::new(),
            reordered: false,
        }
    }
    fn both(&self) -> bool {
        self.labelled && self.columns.is_some()
    }
    /// Refuses empty and repeated labels in the header.
    fn check_header(&self, header: &ByteRecord, line: u64, at: &At) -> Result<(), Error> {
        check_labels(header, header.len() - self.labels.len().min(header.len()), line, at).map(drop)
    }
    /// Which object the row is of: by label where there are labels on both sides, by order elsewhere. `None`: of none.
    fn row(&mut self, record: &ByteRecord, line: u64, at: &At, next: usize) -> Result<Option<usize>, Error> {
        if !self.labelled {
            return Ok(Some(next));
        }
        let label = Table::label(at, &record[0], line, 0)?;
        let found = match &self.columns {
            None => Some(next),
            Some(columns) => columns.get(&label).copied(),
        };
        let Some(row) = found else { return Ok(None) };
        if let Some(first) = self.rows.insert(label.clone(), line) {
            return Err(twice(&label, &format!("line {first}"), at.clone().line(line).column(1)));
        }
        if self.columns.is_none() {
            self.labels.push(label);
        }
        self.reordered |= row != next;
        Ok(Some(row))
    }
    fn label(&self, row: usize) -> String {
        self.labels.get(row).cloned().unwrap_or_else(|| (row + 1).to_string())
    }
    /// All objects; rows that have not come yet are numbered, which only messages see.
    fn objects(&self, n: usize) -> Result<Objects, Error> {
        if self.labels.is_empty() {
            return Ok(Objects::numbered(n));
        }
        let mut labels = self.labels.clone();
        for k in labels.len()..n {
            labels.push(format!("row {}", k + 1));
        }
        Objects::new(labels)
    }
    fn first_missing(&self, n: usize) -> Option<String> {
        let columns = self.columns.as_ref().filter(|_| self.labelled)?;
        (0..n).map(|k| self.label(k)).find(|l| columns.contains_key(l) && !self.rows.contains_key(l))
    }
}

/// Refuses empty, repeated and unreadable labels in the fields from `skip` on.
pub(crate) fn check_labels(header: &ByteRecord, skip: usize, line: u64, at: &At) -> Result<Vec<String>, Error> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut labels = Vec::with_capacity(header.len().saturating_sub(skip));
    for k in skip..header.len() {
        let label = Table::label(at, &header[k], line, k)?;
        if let Some(first) = seen.insert(label.clone(), k) {
            return Err(twice(&label, &format!("column {}", first + 1), at.clone().line(line).column(k as u64 + 1)));
        }
        labels.push(label);
    }
    Ok(labels)
}

/// The error for a label that stands twice.
pub(crate) fn twice(label: &str, first: &str, at: At) -> Error {
    Error::Value {
        at,
        what: format!("label `{label}` already stands for the object of {first}"),
        remedy: "give every object its own label".into(),
    }
}
