//! The rows of a table in two heaps, byte for byte: those that are kept, and those that are not, with the reason.

use std::collections::HashMap;
use std::io::Cursor;
use std::ops::Range;

use crate::error::Error;
use crate::io::head;
use crate::io::judged::plan;
use crate::io::kinds::{FileKind, Format, ReadOptions};
use crate::io::layout::{self, refuse};
use crate::io::source::{self, Source};

/// A table in two parts. Both have its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The rows that are kept, with everything that stood before the first row.
    pub kept: Vec<u8>,
    /// The others, with a column `reason` at the end.
    pub dropped: Vec<u8>,
}

/// Copies the rows of a text table: those whose line is in `dropped` go to the second part with the reason that stands
/// there, all others to the first. No byte of a row changes, whatever columns the file has. Gzip is undone.
///
/// The options are those the file was read with. A line that is not the line of a row is refused. Memory: two times the
/// text.
///
/// ```
/// use std::collections::HashMap;
/// use nearer::io::{ReadOptions, Source, split_rows};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("t.csv");
/// std::fs::write(&path, "head,near,far,note\na,b,c,\"x, y\"\na,c,b,\n")?;
/// let reasons = HashMap::from([(3, "contradicts line 2".to_string())]);
/// let split = split_rows(&Source::from(path), &ReadOptions::default(), &reasons)?;
/// assert_eq!(split.kept, b"head,near,far,note\na,b,c,\"x, y\"\n");
/// assert_eq!(split.dropped, b"head,near,far,note,reason\na,c,b,,contradicts line 2\n");
/// # Ok(()) }
/// ```
pub fn split_rows(source: &Source, options: &ReadOptions, dropped: &HashMap<u64, String>) -> Result<Split, Error> {
    let at = source.at();
    let (is_npy, bytes) = crate::io::read::peek(source, source::open(source)?)?;
    let format = options.format.or_else(|| source.path().and_then(Format::of));
    if is_npy || format == Some(Format::Newick) || options.kind == Some(FileKind::Newick) {
        return Err(refuse(&at, "this is no table of text", "give csv or tsv, plain or gzipped"));
    }
    let text = source::read_all(source, bytes, 3, "the text")?;
    let whole = options.kind == Some(FileKind::Paths);
    let (head, _) = head::open_lines(source, Box::new(Cursor::new(text.clone())), format, whole)?;
    let sample = head.sample(source)?;
    let complete = head.is_all(source, sample.len())?;
    let header = match plan::plan(&sample, complete, options, &at)? {
        Some(plan) => plan.header,
        None => layout::recognise(&sample, complete, options.kind, &at)?.header,
    };
    let start = head.start as usize;
    let records = match head.delimiter.byte() {
        Some(b) => delimited(&text, start, head.skipped, b),
        None => lines(&text, start, head.skipped),
    };
    let mut split = Split { kept: text[..start].to_vec(), dropped: Vec::new() };
    let delimiter = head.delimiter.byte().unwrap_or(b' ');
    let mut found = 0;
    for (k, (range, line)) in records.iter().enumerate() {
        let row = &text[range.clone()];
        if header && k == 0 {
            split.kept.extend_from_slice(row);
            push_with(&mut split.dropped, row, delimiter, "reason");
        } else if let Some(reason) = dropped.get(line) {
            push_with(&mut split.dropped, row, delimiter, reason);
            found += 1;
        } else {
            split.kept.extend_from_slice(row);
        }
    }
    if found < dropped.len() {
        let known: std::collections::HashSet<u64> =
            records.iter().skip(usize::from(header)).map(|(_, line)| *line).collect();
        let strange = dropped.keys().filter(|line| !known.contains(line)).min().copied().unwrap_or(0);
        return Err(refuse(
            &at,
            &format!("line {strange} is not the line of a row"),
            "read the file again, it may have changed",
        ));
    }
    Ok(split)
}

/// Where each record stands, with the blank lines before it, and its line.
fn delimited(text: &[u8], start: usize, skipped: u64, delimiter: u8) -> Vec<(Range<usize>, u64)> {
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(&text[start..]);
    let mut record = csv::ByteRecord::new();
    let mut starts = Vec::new();
    // Reading bytes from memory does not fail.
    while let Ok(true) = reader.read_byte_record(&mut record) {
        let from = start + record.position().map_or(0, |p| p.byte() as usize);
        // Of a line end of two bytes the second is read with the next record, and belongs to the one before.
        let second = text.get(from) == Some(&b'\n') && from > start && text[from - 1] == b'\r';
        starts.push(from + usize::from(second));
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let (mut line, mut counted) = (skipped + 1, start);
    let ranges: Vec<Range<usize>> = starts.iter().copied().zip(ends).map(|(from, to)| from..to).collect();
    ranges
        .into_iter()
        .map(|range| {
            let blank = text[range.clone()].iter().position(|b| !matches!(b, b'\n' | b'\r')).unwrap_or(0);
            line += line_ends(&text[counted..range.start + blank]);
            counted = range.start + blank;
            (range, line)
        })
        .collect()
}

/// How many lines end in these bytes, by `\n`, `\r\n` or `\r`.
fn line_ends(bytes: &[u8]) -> u64 {
    let ends =
        bytes.iter().enumerate().filter(|(k, b)| **b == b'\n' || (**b == b'\r' && bytes.get(k + 1) != Some(&b'\n')));
    ends.count() as u64
}

/// The same for fields between blanks: a record is a line.
fn lines(text: &[u8], start: usize, skipped: u64) -> Vec<(Range<usize>, u64)> {
    let mut records = Vec::new();
    let (mut from, mut line) = (start, skipped);
    while from < text.len() {
        let mark = text[from..].iter().position(|b| matches!(b, b'\n' | b'\r')).map_or(text.len(), |k| from + k);
        let crlf = text[mark..].starts_with(b"\r\n");
        let end = (mark + 1 + usize::from(crlf)).min(text.len());
        line += 1;
        if !text[from..end].trim_ascii().is_empty() {
            records.push((from..end, line));
        }
        from = end;
    }
    records
}

/// A row with one field more; blank lines around it are left out.
fn push_with(out: &mut Vec<u8>, row: &[u8], delimiter: u8, field: &str) {
    let is_end = |b: &u8| *b == b'\n' || *b == b'\r';
    let from = row.iter().position(|b| !is_end(b)).unwrap_or(row.len());
    let to = row.iter().rposition(|b| !is_end(b)).map_or(from, |k| k + 1);
    let end: &[u8] = if row[to..].starts_with(b"\r\n") { b"\r\n" } else { b"\n" };
    out.extend_from_slice(&row[from..to]);
    out.push(delimiter);
    let special = |b: u8| b == delimiter || b"\"\n\r\t".contains(&b);
    if field.is_empty() || field.bytes().any(special) {
        let quoted = if delimiter == b' ' { field.replace('"', "'") } else { field.replace('"', "\"\"") };
        out.extend_from_slice(format!("\"{quoted}\"").as_bytes());
    } else {
        out.extend_from_slice(field.as_bytes());
    }
    out.extend_from_slice(end);
}
