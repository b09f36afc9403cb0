//! Text as records of fields with their line numbers, whatever separates the fields.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use csv::ByteRecord;

use crate::error::{At, Error};
use crate::io::cell::{could_be_number, shown};
use crate::io::filter::Passing;
use crate::io::head::Delimiter;
use crate::io::source::{Bytes, Guarded, Source, read_error};

/// Records of a text, one at a time.
pub(crate) struct Table {
    reader: Fields,
    pub(crate) source: Source,
    pub(crate) at: At,
    record: ByteRecord,
    skipped: u64,
    line: u64,
    /// The line after the last record, of what is not skipped.
    ended: u64,
    /// Bytes read since the last record.
    since: Arc<AtomicU64>,
    filters: Passing,
}

enum Fields {
    Csv(Box<csv::Reader<Bytes>>),
    Blanks { lines: BufReader<Bytes>, line: Vec<u8>, number: u64, whole: bool },
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({}, line {})", self.source, self.line)
    }
}

impl Table {
    pub(crate) fn new(source: &Source, bytes: Bytes, delimiter: Delimiter, skipped: u64) -> Self {
        let (guarded, since) = Guarded::new(source, bytes);
        let bytes: Bytes = Box::new(Newlines::new(Box::new(guarded)));
        let reader = match delimiter.byte() {
            Some(b) => Fields::Csv(Box::new(
                csv::ReaderBuilder::new()
                    .delimiter(b)
                    .has_headers(false)
                    .flexible(true)
                    .buffer_capacity(1 << 18)
                    .from_reader(bytes),
            )),
            None => Fields::Blanks {
                lines: BufReader::with_capacity(1 << 18, bytes),
                line: Vec::new(),
                number: 0,
                whole: delimiter == Delimiter::Lines,
            },
        };
        Table {
            reader,
            source: source.clone(),
            at: source.at(),
            record: ByteRecord::new(),
            skipped,
            line: 0,
            ended: 1,
            since,
            filters: Passing::new(source.filters()),
        }
    }

    /// The next record that passes the filters, and its line; empty lines are passed over.
    pub(crate) fn next(&mut self) -> Result<Option<(&ByteRecord, u64)>, Error> {
        loop {
            if !self.advance()? {
                self.filters.end(&self.at)?;
                return Ok(None);
            }
            if self.filters.pass(&self.record, self.line, &self.at)? {
                return Ok(Some((&self.record, self.line)));
            }
        }
    }

    /// Reads the next record; false at the end.
    fn advance(&mut self) -> Result<bool, Error> {
        self.since.store(0, Ordering::Relaxed);
        let found = match &mut self.reader {
            Fields::Csv(reader) => match reader.read_byte_record(&mut self.record) {
                Ok(found) => {
                    // Every record ends with one line end, and those inside it stand in its fields: of a record that took one line
                    // there are none, and they are not looked for.
                    let (before, after) = (self.ended, reader.position().line());
                    let lines_inside = || self.record.as_slice().iter().filter(|b| **b == b'\n').count() as u64;
                    let inside = if after > before + 1 { lines_inside() } else { 0 };
                    self.line = self.skipped + after.saturating_sub(1 + inside);
                    self.ended = after;
                    found
                }
                Err(e) => {
                    let text = e.to_string();
                    return Err(match e.into_kind() {
                        csv::ErrorKind::Io(e) => read_error(&self.source, e),
                        _ => format_error(&self.source, &text, "check the quotation marks"),
                    });
                }
            },
            Fields::Blanks { lines, line, number, whole } => loop {
                line.clear();
                let got = lines.read_until(b'\n', line).map_err(|e| read_error(&self.source, e))?;
                if got == 0 {
                    break false;
                }
                *number += 1;
                if *whole {
                    self.record.clear();
                    Some(line.trim_ascii())
                        .filter(|l| !l.is_empty())
                        .into_iter()
                        .for_each(|l| self.record.push_field(l));
                } else {
                    split_blanks(line, &mut self.record);
                }
                if !self.record.is_empty() {
                    self.line = self.skipped + *number;
                    break true;
                }
            },
        };
        Ok(found)
    }

    /// Refuses what a reader holds of the table if that is more than may be used.
    pub(crate) fn holds(&self, what: &str, bytes: u64) -> Result<(), Error> {
        self.source.holds(what, bytes)
    }

    /// A label of the current kind of record, as text.
    pub(crate) fn label(at: &At, bytes: &[u8], line: u64, column: usize) -> Result<String, Error> {
        let place = || at.clone().line(line).column(column as u64 + 1);
        let text = std::str::from_utf8(bytes).map_err(|_| Error::Value {
            at: place(),
            what: format!("the label `{}` is not valid UTF-8", shown(bytes)),
            remedy: "save the file as UTF-8".into(),
        })?;
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::Value {
                at: place(),
                what: "the label is empty".into(),
                remedy: "give every object its own label".into(),
            });
        }
        if text.contains('\0') {
            return Err(Error::Value {
                at: place(),
                what: format!("the label `{}` holds a NUL byte", shown(bytes)),
                remedy: "check that the file is text".into(),
            });
        }
        Ok(text.to_string())
    }
}

/// A text whose every line ends with one `\n`, the last one too: only so can lines be counted where records are read.
struct Newlines {
    bytes: Bytes,
    /// The last byte was a `\r`, given out as `\n`.
    after_cr: bool,
    last: u8,
    ended: bool,
}

impl Newlines {
    fn new(bytes: Bytes) -> Self {
        Newlines { bytes, after_cr: false, last: b'\n', ended: false }
    }
}

impl Read for Newlines {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() || self.ended {
            return Ok(0);
        }
        loop {
            let got = self.bytes.read(into)?;
            if got == 0 {
                self.ended = true;
                if self.last == b'\n' {
                    return Ok(0);
                }
                into[0] = b'\n';
                return Ok(1);
            }
            let mut kept = got;
            if self.after_cr || into[..got].contains(&b'\r') {
                kept = 0;
                for k in 0..got {
                    let b = into[k];
                    if !(b == b'\n' && self.after_cr) {
                        into[kept] = if b == b'\r' { b'\n' } else { b };
                        kept += 1;
                    }
                    self.after_cr = b == b'\r';
                }
            }
            if kept > 0 {
                self.last = into[kept - 1];
                return Ok(kept);
            }
        }
    }
}

/// Splits a line at runs of blanks; a field in double quotes may hold blanks.
fn split_blanks(line: &[u8], record: &mut ByteRecord) {
    record.clear();
    let mut rest = line.trim_ascii();
    while !rest.is_empty() {
        let closing = rest.strip_prefix(b"\"").and_then(|inner| {
            let end = inner.iter().position(|b| *b == b'"')?;
            inner.get(end + 1).is_none_or(u8::is_ascii_whitespace).then_some((&inner[..end], &inner[end + 1..]))
        });
        let (field, after) = closing.unwrap_or_else(|| {
            let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            (&rest[..end], &rest[end..])
        });
        record.push_field(field);
        rest = after.trim_ascii_start();
    }
}

/// The error for a text that is not what it should be.
pub(crate) fn format_error(source: &Source, what: &str, remedy: &str) -> Error {
    Error::Format { at: source.at(), what: what.into(), remedy: remedy.into() }
}

/// Whether a row of text holds a word where a number could stand.
pub(crate) fn has_word(row: &[String]) -> bool {
    row.iter().any(|cell| !could_be_number(cell))
}
