//! Tables of numbers and words with gaps, squares whose sides differ, and distances written as a matrix, row by row.

use std::io::{self, Write};
use std::ops::Range;

use ndarray::Array2;

use crate::error::{Error, Remedy};
use crate::evidence::{Evidence, Prepared, Table, TableColumn};
use crate::io::cell::{self, Cell, Numerals, could_be_number};
use crate::io::chunk::repeated;
use crate::io::head::{self, Head};
use crate::io::kinds::{FileKind, Format, Loaded, Measuring, ReadOptions};
use crate::io::layout::{is_label_name, refuse};
use crate::io::matrix::ragged;
use crate::io::npy::{self, Npy};
use crate::io::packing::LABEL_BYTES;
use crate::io::source::{self, Source};
use crate::io::text;
use crate::io::{features, read};
use crate::object::Objects;
use crate::text::said_of;

/// A table, and what was assumed about its file.
#[derive(Debug, Clone)]
pub struct TableFile {
    /// The table.
    pub table: Table,
    /// What was assumed.
    pub assumptions: Vec<String>,
}

/// Reads a table: csv, tsv or text with a row for each object, or a two-dimensional `.npy`. A column is of numbers where every
/// cell of it is one or is missing (nothing, `NA`), and else of words.
///
/// ```
/// use nearer::io::{Source, read_table};
/// let file = Source::of_bytes("t.csv", b"id,legs,lives in\nant,6,soil\nbee,6,hive\ncod,NA,sea\n".to_vec());
/// let table = read_table(&file)?.table;
/// assert_eq!((table.len(), table.missing(), table.columns()[1].is_numbers()), (3, 1, false));
/// # Ok::<(), nearer::Error>(())
/// ```
pub fn read_table(source: &Source) -> Result<TableFile, Error> {
    let at = source.at();
    let (is_npy, bytes) = read::peek(source, source::open(source)?)?;
    if is_npy {
        let loaded = features::read_npy(Npy::open(source, bytes)?, source)?;
        return match loaded.evidence {
            Evidence::Features(f) => Ok(TableFile { table: f.into(), assumptions: loaded.assumptions }),
            _ => Err(refuse(&at, "this is no table", "give a row for each object")),
        };
    }
    let format = source.path().and_then(Format::of);
    let (head, first) = head::open(source, bytes, format)?;
    let shape = Shape::of(source, &head, first)?;
    let (_, again) = head::open(source, source::open(source)?, format)?;
    shape.read(source, &head, again)
}

/// What a first reading found: where the labels are, and which columns hold numbers.
struct Shape {
    header: Option<Vec<String>>,
    labelled: bool,
    numbers: Vec<bool>,
    rows: usize,
    said: Vec<String>,
}

/// What a column takes beside its cells: its name, twice, in a list, and in the index by which it is chosen.
const COLUMN_BYTES: u64 = 360;

/// What a cell with a number takes: as it may be missing, and in the numbers that are measured.
const CELL_BYTES: u64 = 24;

fn numerals(head: &Head) -> Numerals {
    Numerals { decimal_comma: head.decimal_comma, signed: true, nan_missing: true, of_any_size: false }
}

impl Shape {
    fn of(source: &Source, head: &Head, mut table: text::Table) -> Result<Shape, Error> {
        let at = source.at();
        let words = |f: &[u8]| String::from_utf8_lossy(f).trim().to_string();
        let mut header: Option<Vec<String>> = None;
        let (mut numbers, mut seen) = (Vec::new(), std::collections::HashSet::new());
        let (mut width, mut distinct, mut rows) = (0, true, 0_u64);
        while let Some((record, line)) = table.next()? {
            if record.iter().all(|f| f.trim_ascii().is_empty()) {
                continue;
            }
            if width == 0 {
                width = record.len();
                source.needs("the columns", width as u64 * COLUMN_BYTES)?;
                numbers = vec![true; width];
                if record.iter().any(|f| !could_be_number(&words(f)) || f.trim_ascii().is_empty()) {
                    header = Some(record.iter().map(words).collect());
                    continue;
                }
            }
            // R writes a header without a name for the labels.
            if rows == 0 && record.len() == width + 1 && header.is_some() {
                header.as_mut().into_iter().for_each(|h| h.insert(0, String::new()));
                (width, numbers) = (width + 1, vec![true; width + 1]);
            }
            if record.len() != width {
                return Err(ragged(record.len(), width, at.line(line)));
            }
            rows += 1;
            for (is, field) in numbers.iter_mut().zip(record.iter()) {
                *is = *is && matches!(cell::parse(field, numerals(head)), Ok(Cell::Value(_) | Cell::Missing));
            }
            distinct = distinct && seen.insert(record[0].to_vec());
        }
        source.needs("the table", width as u64 * (COLUMN_BYTES + CELL_BYTES * rows))?;
        if rows == 0 {
            return Err(refuse(&at, "there is no row of a table", "give a header and a row for each object"));
        }
        let named = header.as_ref().is_some_and(|h| h[0].is_empty() || is_label_name(&h[0]));
        let labelled = distinct && width > 1 && (named || !numbers[0]);
        let mut said = vec![head.delimiter.words().to_string()];
        said.push(match &header {
            Some(_) => "the first line holds the names of the columns".into(),
            None => format!("the columns have no names: they are 1 to {}", width - usize::from(labelled)),
        });
        said.push(match labelled {
            true => "the first field of a row is its label".into(),
            false => format!("rows have no labels: they are the objects 1 to {rows}"),
        });
        Ok(Shape { header, labelled, numbers, rows: rows as usize, said })
    }

    fn read(mut self, source: &Source, head: &Head, mut table: text::Table) -> Result<TableFile, Error> {
        enum Column {
            Numbers(Vec<Option<f64>>),
            Words(Vec<Option<String>>),
        }
        let at = source.at();
        let skip = usize::from(self.labelled);
        let mut columns: Vec<Column> = self.numbers[skip..]
            .iter()
            .map(|n| match n {
                true => Column::Numbers(Vec::with_capacity(self.rows)),
                false => Column::Words(Vec::with_capacity(self.rows)),
            })
            .collect();
        let (mut labels, mut lines, mut held, mut missing) = (Vec::new(), Vec::new(), 0, 0);
        let mut header = self.header.is_some();
        while let Some((record, line)) = table.next()? {
            if std::mem::take(&mut header) || record.iter().all(|f| f.trim_ascii().is_empty()) {
                continue;
            }
            labels.push(match self.labelled {
                true => text::Table::label(&at, &record[0], line, 0)?,
                false => (labels.len() + 1).to_string(),
            });
            lines.push(line);
            held += 2 * labels.last().map_or(0, String::len) + LABEL_BYTES;
            for (k, column) in columns.iter_mut().enumerate() {
                let field = &record[k + skip];
                match column {
                    Column::Numbers(values) => {
                        let value = match cell::parse(field, numerals(head)) {
                            Ok(Cell::Value(v)) => Some(v),
                            _ => None,
                        };
                        missing += usize::from(value.is_none());
                        values.push(value);
                        held += CELL_BYTES as usize;
                    }
                    Column::Words(values) => {
                        let text = String::from_utf8_lossy(field).trim().to_string();
                        let value = Some(text).filter(|t| !t.is_empty() && t != "NA");
                        missing += usize::from(value.is_none());
                        held += 40 + value.as_ref().map_or(0, String::len);
                        values.push(value);
                    }
                }
            }
            table.holds("the table", held as u64)?;
        }
        let objects = Objects::new(labels.iter().cloned()).map_err(|e| repeated(&labels, &lines, &at).unwrap_or(e))?;
        let name = |k: usize| match &self.header {
            Some(h) if !h[k + skip].is_empty() => h[k + skip].clone(),
            _ => (k + 1).to_string(),
        };
        let worded: Vec<String> =
            (0..columns.len()).filter(|k| matches!(columns[*k], Column::Words(_))).map(&name).collect();
        if !worded.is_empty() {
            self.said.push(format!("of words: {}", worded.join(", ")));
        }
        if missing > 0 {
            self.said.push(said_of(missing, "cell is missing", "cells are missing"));
        }
        let columns = columns.into_iter().enumerate().map(|(k, column)| match column {
            Column::Numbers(values) => TableColumn::numbers(name(k), values),
            Column::Words(values) => TableColumn::words(name(k), values),
        });
        Ok(TableFile { table: Table::new(objects, columns.collect())?, assumptions: self.said })
    }
}

impl Measuring {
    /// The table made ready, and new rows with it.
    pub fn prepared(&self, table: Table, new: Option<Table>) -> Result<Prepared, Error> {
        let chosen = |t: Table| t.chosen(&self.take, true)?.chosen(&self.leave, false);
        let new = new.map(chosen).transpose()?;
        Prepared::new(self.measure, &self.standardise, &chosen(table)?, new.as_ref())
    }
    /// What is done, in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        let before: Vec<String> = self.standardise.iter().map(ToString::to_string).collect();
        let after = if before.is_empty() { String::new() } else { format!(" after {}", before.join(", ")) };
        format!("distances by {}{after}: {}", self.measure, self.measure.named().formula)
    }
}

/// The distances between the rows of a table.
pub(crate) fn measured(source: &Source, options: &ReadOptions, how: &Measuring) -> Result<Loaded, Error> {
    let asked = options.kind.filter(|k| *k != FileKind::Features);
    if let Some(kind) = asked {
        return Err(refuse(
            &source.at(),
            &format!("a measure is taken of a table, and the kind {kind} was asked for"),
            Remedy::from("take ").any("measure").and(" away, or say ").setting("kind", "features"),
        ));
    }
    let file = read_table(source)?;
    let n = file.table.len() as u64;
    source.holds("the distances between all rows", 8 * n * n.saturating_sub(1) / 2)?;
    let prepared = how.prepared(file.table, None)?;
    let mut assumptions = file.assumptions;
    assumptions.push(how.in_words());
    let distances = prepared.distances()?;
    let mut warnings = Vec::new();
    if distances.missing() > 0 {
        warnings
            .push(format!("{} pairs have no column known in both: their distances are missing", distances.missing()));
    }
    Ok(Loaded {
        evidence: Evidence::Distances(distances),
        measurements: None,
        kind: FileKind::Features,
        assumptions,
        warnings,
    })
}

/// Distances from a square whose sides may differ, or that counts confusions.
pub(crate) fn square(source: &Source, options: &ReadOptions) -> Result<Loaded, Error> {
    let (objects, square, mut assumptions) = read_square(source)?;
    let by = options.proximity;
    if let Some((rule, add)) = by.confusion {
        let added = if add > 0.0 { format!(", {add} added to every count") } else { String::new() };
        assumptions.push(format!("counts of confusions, rows shown and columns answered, by the rule {rule}{added}"));
    }
    if let Some(rule) = by.symmetrise {
        assumptions.push(format!("the two sides of a pair become their {rule}"));
    }
    if by.ignore_diagonal {
        assumptions.push("the diagonal is left out of account".into());
    }
    let distances = by.distances(objects, square, options.similarity)?;
    Ok(Loaded {
        evidence: Evidence::Distances(distances),
        measurements: None,
        kind: FileKind::Matrix,
        assumptions,
        warnings: Vec::new(),
    })
}

/// A square of numbers with its two sides apart, `NaN` what is missing: rows in the order of the file, columns in that of rows.
pub fn read_square(source: &Source) -> Result<(Objects, Array2<f64>, Vec<String>), Error> {
    let at = source.at();
    let TableFile { table, assumptions } = read_table(source)?;
    let (n, m) = (table.len(), table.columns().len());
    let whole = Remedy::from("give as many columns as rows, with the same names");
    if n != m {
        return Err(refuse(&at, &format!("{n} rows and {m} columns are no square"), whole));
    }
    let index = table.objects().index();
    let named: Option<Vec<usize>> =
        table.columns().iter().map(|c| index.get(c.name()).map(|item| item.index())).collect();
    // Columns that R numbered, V1 …, stand in the order of the rows.
    let known = table.columns().iter().filter(|c| index.contains_key(c.name())).count();
    let order = match named {
        Some(order) => order,
        None if known == 0 => (0..n).collect(),
        None => {
            let strange = table.columns().iter().find(|c| !index.contains_key(c.name())).map_or("", |c| c.name());
            return Err(refuse(&at, &format!("the column `{strange}` is none of the rows"), whole));
        }
    };
    let mut square = Array2::zeros((n, n));
    for (column, to) in table.columns().iter().zip(order) {
        let Some(values) = column.as_numbers() else {
            return Err(refuse(&at, &format!("the column `{}` holds words", column.name()), "give numbers"));
        };
        square.column_mut(to).iter_mut().zip(values).for_each(|(s, v)| *s = *v);
    }
    Ok((table.objects().clone(), square, assumptions))
}

/// As much of a matrix as is held to compute each pair once.
const HELD: usize = 1 << 29;

/// Writes distances as a matrix, some rows at a time: csv and tsv with labels, `.npy` without; `progress` hears the rows done.
pub fn write_distances(
    w: &mut dyn Write,
    prepared: &Prepared,
    format: Format,
    progress: &mut (dyn FnMut(usize) + Send),
) -> Result<(), Error> {
    let (rows, n) = (prepared.from().len(), prepared.objects().len());
    let failed = |source: io::Error| Error::File { action: "write", path: "the distances".into(), source };
    // Some megabytes at a time.
    let block = ((1 << 21) / n.max(1)).clamp(64, 1024);
    let delimiter = if format == Format::Tsv { b'\t' } else { b',' };
    let pieces = nearer_num::par::ranges(rows, block);
    // Each pair once where half the matrix can be held; else each row by itself, which takes twice the time.
    let half = match 8 * nearer_num::packed::len(n) <= HELD && prepared.is_among_itself() {
        true => Some(prepared.triangle()?),
        false => None,
    };
    // What one piece was written from is filled with the next: the system clears every page that is asked for anew.
    let rows_of = |piece: Range<usize>, last: Option<Array2<f64>>| {
        let mut held = last.map_or_else(Vec::new, |rows| rows.into_raw_vec_and_offset().0);
        let Some(half) = &half else {
            drop(held);
            return prepared.rows(piece);
        };
        held.resize(piece.len() * n, 0.0);
        nearer_num::packed::rows_of_square(n, half, piece.clone(), &mut held);
        Ok(Array2::from_shape_vec((piece.len(), n), held).expect("a number for each pair"))
    };
    if format == Format::Npy {
        npy::write_header(w, (rows, n)).map_err(failed)?;
        let mut rows = None;
        for piece in pieces {
            let end = piece.end;
            let now = rows_of(piece, rows)?;
            npy::write_numbers(w, now.view()).map_err(failed)?;
            rows = Some(now);
            progress(end);
        }
        return Ok(());
    }
    let mut out = csv::WriterBuilder::new().delimiter(delimiter).from_writer(w);
    let csv_failed = |e: csv::Error| failed(e.into());
    let header = std::iter::once("label").chain(prepared.objects().labels().iter().map(String::as_str));
    out.write_record(header).map_err(csv_failed)?;
    for piece in pieces {
        let (start, end) = (piece.start, piece.end);
        for (k, row) in rows_of(piece, None)?.outer_iter().enumerate() {
            out.write_field(&prepared.from().labels()[start + k]).map_err(csv_failed)?;
            for v in row {
                out.write_field(if v.is_nan() { String::new() } else { format!("{v:?}") }).map_err(csv_failed)?;
            }
            out.write_record(None::<&[u8]>).map_err(csv_failed)?;
        }
        progress(end);
    }
    out.flush().map_err(failed)
}
