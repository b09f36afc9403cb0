//! One column of a parquet file: some rows of it at a time, cell by cell as text.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use ::parquet::data_type::DataType;
use ::parquet::errors::Result;
use ::parquet::file::metadata::ColumnChunkMetaData;
use ::parquet::schema::types::ColumnDescPtr;

use super::pages::{Pages, Tally};
use super::values::{self, Meaning};
use crate::io::source::Anywhere;

/// A column whose type is known only when the file is.
pub(super) trait Column: Send {
    /// Decodes the next rows, and says how many there were.
    fn decode(&mut self, rows: usize) -> Result<usize>;
    /// Writes the cell of one of them, rows in order; nothing where it is missing. What it cannot write it says.
    fn write(&mut self, row: usize, text: &mut Vec<u8>) -> std::result::Result<(), String>;
    /// Its name.
    fn name(&self) -> String;
}

/// Writes a value as text.
type Write<T> = fn(&T, Meaning, &mut Vec<u8>) -> std::result::Result<(), String>;

struct Typed<T: DataType> {
    reader: ColumnReaderImpl<T>,
    describes: ColumnDescPtr,
    meaning: Meaning,
    write: Write<T::T>,
    values: Vec<T::T>,
    levels: Vec<i16>,
    /// The next value: there is none for a row that has nothing.
    next: usize,
    fresh: Arc<AtomicU64>,
}

impl<T: DataType> Column for Typed<T>
where
    ColumnReaderImpl<T>: Send,
{
    fn decode(&mut self, rows: usize) -> Result<usize> {
        self.values.clear();
        self.levels.clear();
        self.next = 0;
        self.fresh.fetch_add(1, Ordering::Relaxed);
        self.reader.read_records(rows, Some(&mut self.levels), None, &mut self.values).map(|(records, ..)| records)
    }
    fn write(&mut self, row: usize, text: &mut Vec<u8>) -> std::result::Result<(), String> {
        let most = self.describes.max_def_level();
        if most > 0 && self.levels.get(row).is_none_or(|level| *level < most) {
            return Ok(());
        }
        let Some(value) = self.values.get(self.next) else { return Ok(()) };
        self.next += 1;
        (self.write)(value, self.meaning, text)
    }
    fn name(&self) -> String {
        self.describes.path().string()
    }
}

/// Opens a column of a group of so many rows.
pub(super) fn open(file: &Anywhere, tally: &Tally, meta: &ColumnChunkMetaData, rows: usize) -> Result<Box<dyn Column>> {
    let fresh = Arc::<AtomicU64>::default();
    let pages = Pages::new(file, tally, meta, rows, Arc::clone(&fresh))?;
    let describes = meta.column_descr_ptr();
    let meaning = Meaning::of(&describes);
    fn typed<T: DataType>(
        reader: ColumnReaderImpl<T>,
        write: Write<T::T>,
        (describes, meaning, fresh): (ColumnDescPtr, Meaning, Arc<AtomicU64>),
    ) -> Box<dyn Column>
    where
        ColumnReaderImpl<T>: Send,
    {
        let (values, levels) = (Vec::new(), Vec::new());
        Box::new(Typed { reader, describes, meaning, write, values, levels, next: 0, fresh })
    }
    let rest = (Arc::clone(&describes), meaning, fresh);
    Ok(match get_column_reader(describes, Box::new(pages)) {
        ColumnReader::BoolColumnReader(r) => typed(r, values::truth, rest),
        ColumnReader::Int32ColumnReader(r) => typed(r, |v, m, t| values::whole(i64::from(*v), 32, m, t), rest),
        ColumnReader::Int64ColumnReader(r) => typed(r, |v, m, t| values::whole(*v, 64, m, t), rest),
        ColumnReader::Int96ColumnReader(r) => {
            typed(r, |v, _, t| values::moment(i128::from(v.to_millis()), 1000, t), rest)
        }
        ColumnReader::FloatColumnReader(r) => typed(r, |v, _, t| values::number(f64::from(*v), t), rest),
        ColumnReader::DoubleColumnReader(r) => typed(r, |v, _, t| values::number(*v, t), rest),
        ColumnReader::ByteArrayColumnReader(r) => typed(r, |v, m, t| values::bytes(v.data(), m, t), rest),
        ColumnReader::FixedLenByteArrayColumnReader(r) => typed(r, |v, m, t| values::bytes(v.data(), m, t), rest),
    })
}

/// Text as a field of csv: in quotes where a reader that guesses might see something else in it.
pub(super) fn quoted(field: &str, text: &mut Vec<u8>) {
    let plain = |b: &u8| !matches!(b, b',' | b';' | b'"' | b' ' | b'\t' | b'\n' | b'\r');
    if field.as_bytes().iter().all(plain) && !field.starts_with('#') {
        text.extend_from_slice(field.as_bytes());
        return;
    }
    let _ = write!(text, "\"{}\"", field.replace('"', "\"\""));
}
