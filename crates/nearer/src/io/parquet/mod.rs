//! Parquet as text: the rows of a columnar file, some at a time, as the lines of a csv that every reader of tables understands.
//!
//! So features, tables, metadata, long distances and judgements are recognised, filtered and refused as they are in csv, and a line in
//! a message is the row plus one, for the names. Nothing is rounded on the way: numbers are written with as many digits as they need.

mod column;
mod pages;
mod values;

use std::io::{self, Read};
use std::sync::Arc;

use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use serde_json::Value;

use crate::error::{Error, Remedy};
use crate::io::layout::refuse;
use crate::io::source::{Anywhere, Bytes, Refused, Source};
use column::Column;
use pages::Tally;

// The decoder panics on some damaged files, which is told as an error only where a panic unwinds.
#[cfg(panic = "abort")]
compile_error!("parquet needs panics that unwind: build with the profile `unwinding`");

/// Rows that are decoded together, where there are few columns.
const BATCH: usize = 4096;

/// Cells that are decoded together.
const CELLS: usize = 1 << 17;

/// The lines of a parquet file, from the beginning.
pub(crate) fn open(source: &Source) -> Result<Bytes, Error> {
    let file = Anywhere::open(source)?;
    let read = quietly(|| ParquetMetaDataReader::new().parse_and_finish(&pages::Whole(file.clone())));
    let meta = read.map_err(|e| damaged(source, &e))?;
    let schema = meta.file_metadata().schema_descr();
    if let Some(list) = schema.columns().iter().find(|c| c.max_rep_level() > 0) {
        return Err(refuse(
            &source.at(),
            &format!("a cell of the column `{}` holds several values", list.path().string()),
            "give each value a column of its own",
        ));
    }
    if schema.num_columns() == 0 {
        return Err(refuse(&source.at(), "there is no column in it", "give a table with columns"));
    }
    let (order, names, counted) = columns(&meta);
    let mut text = Vec::new();
    for (k, name) in names.iter().enumerate() {
        // The name of rows that are only counted is none.
        separate(k + usize::from(counted.is_some()), &mut text);
        column::quoted(name, &mut text);
    }
    text.push(b'\n');
    let rows = meta.file_metadata().num_rows();
    let batch = (CELLS / order.len()).clamp(1, BATCH);
    let tally = Tally::new(source);
    Ok(Box::new(Lines {
        source: source.clone(),
        file,
        meta: Arc::new(meta),
        order,
        counted,
        columns: Vec::new(),
        tally,
        group: 0,
        left: 0,
        held: 0..0,
        batch,
        done: 0,
        rows,
        text,
        at: 0,
    }))
}

/// The order of the columns, and their names: pandas keeps the names of rows in the last columns, and csv has them in the first. Rows that
/// are counted have no column: the first and the step are noted, and are names where they are not those of every frame, 0 and 1.
fn columns(meta: &ParquetMetaData) -> (Vec<usize>, Vec<String>, Option<(i64, i64)>) {
    let file = meta.file_metadata();
    let names: Vec<String> = file.schema_descr().columns().iter().map(|c| c.path().string()).collect();
    let pandas = file.key_value_metadata().into_iter().flatten().find(|kv| kv.key == "pandas");
    let notes: Option<Value> = pandas.and_then(|kv| serde_json::from_str(kv.value.as_deref()?).ok());
    let index = || notes.as_ref().and_then(|v| v["index_columns"].as_array()).into_iter().flatten();
    let counted = index().find_map(|v| Some((v["start"].as_i64()?, v["step"].as_i64()?))).filter(|c| *c != (0, 1));
    let first: Vec<usize> =
        index().filter_map(|v| v.as_str()).filter_map(|name| names.iter().position(|n| n == name)).collect();
    let rest = (0..names.len()).filter(|k| !first.contains(k));
    let order: Vec<usize> = first.iter().copied().chain(rest).collect();
    let unnamed = |k: usize| first.contains(&k) && names[k].starts_with("__index_level_");
    let shown = order.iter().map(|k| if unnamed(*k) { String::new() } else { names[*k].clone() });
    let shown = shown.collect();
    (order, shown, counted)
}

/// The rows as text, one line at a time.
struct Lines {
    source: Source,
    file: Anywhere,
    meta: Arc<ParquetMetaData>,
    order: Vec<usize>,
    /// The first of rows that are counted, and the step.
    counted: Option<(i64, i64)>,
    columns: Vec<Box<dyn Column>>,
    tally: Tally,
    /// The next group of rows.
    group: usize,
    /// Rows of the group that are not decoded yet.
    left: usize,
    /// Rows that are decoded and not written yet.
    held: std::ops::Range<usize>,
    batch: usize,
    done: i64,
    rows: i64,
    text: Vec<u8>,
    at: usize,
}

impl Lines {
    /// The next row as a line; false at the end.
    fn line(&mut self) -> Result<bool, Error> {
        while self.held.is_empty() {
            if self.left == 0 && !self.next_group()? {
                return Ok(false);
            }
            self.decode()?;
        }
        let Some(row) = self.held.next() else { return Ok(false) };
        self.done += 1;
        self.at = 0;
        self.text.clear();
        if let Some((first, step)) = self.counted {
            let number = i128::from(first) + i128::from(step) * i128::from(self.done - 1);
            self.text.extend_from_slice(number.to_string().as_bytes());
        }
        for (k, column) in self.columns.iter_mut().enumerate() {
            separate(k + usize::from(self.counted.is_some()), &mut self.text);
            let line = self.done as u64 + 1;
            column.write(row, &mut self.text).map_err(|what| Error::Value {
                at: self.source.at().line(line).column(k as u64 + 1),
                what,
                remedy: "write it as a number or as text in UTF-8".into(),
            })?;
        }
        self.text.push(b'\n');
        Ok(true)
    }

    fn next_group(&mut self) -> Result<bool, Error> {
        if self.group == self.meta.num_row_groups() {
            return Ok(false);
        }
        let group = self.meta.row_group(self.group);
        self.columns.clear();
        self.tally.clear();
        self.left = usize::try_from(group.num_rows()).unwrap_or(0);
        for k in &self.order {
            let opened = quietly(|| column::open(&self.file, &self.tally, group.column(*k), self.left));
            self.columns.push(opened.map_err(|e| damaged(&self.source, &e))?);
        }
        self.group += 1;
        Ok(true)
    }

    fn decode(&mut self) -> Result<(), Error> {
        let rows = self.left.min(self.batch);
        for column in &mut self.columns {
            let got = quietly(|| column.decode(rows)).map_err(|e| damaged(&self.source, &e))?;
            if got != rows {
                let what = format!("column `{}` has fewer rows than it should", column.name());
                return Err(damaged(&self.source, &ParquetError::General(what)));
            }
        }
        (self.held, self.left) = (0..rows, self.left - rows);
        if self.rows > 0 {
            self.file.reached((self.done as f64 + rows as f64) / self.rows as f64);
        }
        Ok(())
    }
}

impl Read for Lines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() && !self.line().map_err(|e| io::Error::other(Refused(e)))? {
            self.text.clear();
            self.at = 0;
            return Ok(0);
        }
        let piece = (self.text.len() - self.at).min(into.len());
        into[..piece].copy_from_slice(&self.text[self.at..self.at + piece]);
        self.at += piece;
        Ok(piece)
    }
}

fn separate(k: usize, text: &mut Vec<u8>) {
    if k > 0 {
        text.push(b',');
    }
}

/// Calls the decoder, which answers some damaged files with a panic.
fn quietly<T>(what: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(what))
        .unwrap_or_else(|_| Err(ParquetError::General("its contents do not fit together".into())))
}

/// The error for a file that cannot be decoded; what a page would have taken comes out as it went in.
fn damaged(source: &Source, e: &ParquetError) -> Error {
    if let ParquetError::External(inner) = e
        && let Some(pages::TooLarge(bytes)) = inner.downcast_ref()
    {
        let available = source.memory().unwrap_or(0);
        return source.too_large("what is unpacked together of a parquet file", *bytes, available);
    }
    let what = e.to_string();
    let what = what.strip_prefix("Parquet error: ").unwrap_or(&what);
    match what.strip_prefix("Disabled feature at compile time: ") {
        Some(codec) => refuse(
            &source.at(),
            &format!("its columns are packed by {codec}, which is not read here"),
            "write it again with snappy, zstd or gzip, or without packing",
        ),
        None => refuse(
            &source.at(),
            &format!("the parquet file is cut off or damaged ({what})"),
            Remedy::from("write the file again"),
        ),
    }
}
