//! The first lines of a text: its encoding, its comments, and what separates its fields.

use std::io::{self, Cursor, Read};
use std::sync::Arc;

use crate::error::Error;
use crate::io::kinds::Format;
use crate::io::source::{self, Bytes, Source, longest, read_error};
use crate::io::text::{Table, format_error};

/// What stands between two fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiter {
    Byte(u8),
    /// Any run of blanks and tabs.
    Blanks,
    /// Nothing: a line is one field.
    Lines,
    /// Commas, between what were columns of a parquet file.
    Columns,
}

impl Delimiter {
    /// The one byte, where it is one.
    pub(crate) fn byte(self) -> Option<u8> {
        match self {
            Delimiter::Byte(b) => Some(b),
            Delimiter::Columns => Some(b','),
            Delimiter::Blanks | Delimiter::Lines => None,
        }
    }
    /// The assumption, in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Delimiter::Byte(b'\t') => "fields are separated by tabs",
            Delimiter::Byte(b';') => "fields are separated by semicolons",
            Delimiter::Byte(_) => "fields are separated by commas",
            Delimiter::Blanks => "fields are separated by blanks",
            Delimiter::Lines => "a line is one field",
            Delimiter::Columns => "a parquet file, its rows read as the lines of a csv",
        }
    }
}

/// The first lines of a text, by which it is recognised.
#[derive(Debug)]
pub(crate) struct Head {
    bytes: Arc<[u8]>,
    /// Whether this is all there is.
    complete: bool,
    /// Lines before the first record.
    pub(crate) skipped: u64,
    /// Bytes before the first record.
    pub(crate) start: u64,
    pub(crate) delimiter: Delimiter,
    pub(crate) decimal_comma: bool,
    /// The first line began with `#` and is a header all the same.
    pub(crate) hash_header: bool,
}

/// The most that is looked at before the first lines must have ended, where memory allows.
const HEAD_LIMIT: usize = 1 << 28;

/// Bytes for the first lines that no limit forbids: without them there is no telling what a file is.
const ALWAYS: u64 = 1 << 22;

/// What a field of the first lines takes as text of its own.
const FIELD_BYTES: u64 = 56;

/// What a reader may hold in all while the first lines are there, which may be all that a table of a million columns has: the lines,
/// once more by the reader of another kind that is tried, with half of them as evidence; and one of them as names of columns, as labels and
/// in indices of these.
fn in_all(lines: u64, widest: u64) -> u64 {
    5 * lines / 2 + 5 * widest
}

/// How many lines decide what a file is.
const HEAD_LINES: usize = 24;

/// Opens a text: looks at its first lines, then hands out its records from the first one that is no comment.
pub(crate) fn open(source: &Source, bytes: Bytes, format: Option<Format>) -> Result<(Head, Table), Error> {
    open_lines(source, bytes, format, false)
}

/// The same; with `whole`, blanks do not separate fields.
pub(crate) fn open_lines(
    source: &Source,
    mut bytes: Bytes,
    format: Option<Format>,
    whole: bool,
) -> Result<(Head, Table), Error> {
    let mut head = Vec::new();
    let mut complete = false;
    let limit = HEAD_LIMIT.min(usize::try_from(longest(source)).unwrap_or(usize::MAX));
    while head.len() < limit {
        let before = head.len();
        let step = (before.max(1 << 16)) as u64;
        (&mut bytes).take(step).read_to_end(&mut head).map_err(|e| read_error(source, e))?;
        if ((head.len() - before) as u64) < step {
            complete = true;
            break;
        }
        if head.iter().filter(|b| **b == b'\n' || **b == b'\r').count() > HEAD_LINES {
            break;
        }
    }
    let mut head = Head::new(source, head, complete, format)?;
    if source.is_parquet() {
        (head.delimiter, head.decimal_comma) = (Delimiter::Columns, false);
    }
    if whole && head.delimiter == Delimiter::Blanks {
        head.delimiter = Delimiter::Lines;
    }
    let all: Bytes = Box::new(Cursor::new(Arc::clone(&head.bytes)).chain(bytes));
    let table = Table::new(source, all, head.delimiter, head.skipped);
    Ok((head, table))
}

impl Head {
    fn new(source: &Source, mut bytes: Vec<u8>, complete: bool, format: Option<Format>) -> Result<Self, Error> {
        let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        bytes.drain(..mark);
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(format_error(source, "the text is written in UTF-16", "save it as UTF-8"));
        }
        if let Some(k) = bytes.iter().position(|b| *b == 0) {
            let line = 1 + bytes[..k].iter().filter(|b| **b == b'\n').count() as u64;
            return Err(Error::Format {
                at: source.at().line(line),
                what: format!("byte {} is a NUL, so this is not text", k + 1),
                remedy: "give csv, tsv, PHYLIP or .npy, plain or gzipped".into(),
            });
        }
        let (mut skipped, mut start) = (0, 0);
        let mut last_comment: Option<(usize, u64)> = None;
        for (from, to) in lines(&bytes) {
            let line = bytes[from..to].trim_ascii();
            if line.starts_with(b"#") {
                last_comment = Some((from, skipped));
            } else if !line.is_empty() {
                break;
            }
            skipped += 1;
            start = to;
        }
        let body = &bytes[start..];
        let (delimiter, decimal_comma) = delimiter_of(body, format);
        // `#SampleID<tab>…` is a header and not a comment: it has as many fields as the line below it. Neither is filtered.
        let whole = source.clone().only(Vec::new());
        let hash_header = last_comment.filter(|(from, _)| {
            let width = |b: &[u8]| {
                let mut table = Table::new(&whole, Box::new(Cursor::new(b.to_vec())), delimiter, 0);
                table.next().ok().flatten().map_or(0, |(record, _)| record.len())
            };
            let first_line = |b: &[u8]| lines(b).next().map_or(Vec::new(), |(f, t)| b[f..t].to_vec());
            let (comment, below) = (width(&first_line(&bytes[*from..])), width(&first_line(body)));
            comment > 2 && comment == below && !bytes[*from..].starts_with(b"# ")
        });
        let (start, skipped) = hash_header.unwrap_or((start, skipped));
        bytes.drain(..start);
        let start = (mark + start) as u64;
        Ok(Head {
            bytes: bytes.into(),
            complete,
            skipped,
            start,
            delimiter,
            decimal_comma,
            hash_header: hash_header.is_some(),
        })
    }

    /// All records of the file, from the first that is no comment.
    pub(crate) fn body(&self, source: &Source) -> Result<Table, Error> {
        let mut bytes = source::open(source)?;
        let skipped = io::copy(&mut (&mut bytes).take(self.start), &mut io::sink());
        skipped.map_err(|e| read_error(source, e))?;
        Ok(Table::new(source, bytes, self.delimiter, self.skipped))
    }

    /// The records that a file is recognised by, and whether the last of them cannot be cut off. Rows that pass a filter may
    /// come as late as they like, so where there is one they are looked for in all of the file.
    fn records(&self, source: &Source) -> Result<(Table, bool), Error> {
        if !source.filters().is_empty() {
            return Ok((self.body(source)?, true));
        }
        let head = Box::new(Cursor::new(Arc::clone(&self.bytes)));
        Ok((Table::new(source, head, self.delimiter, self.skipped), self.complete))
    }

    /// The first records as text, without one that may be cut off.
    pub(crate) fn sample(&self, source: &Source) -> Result<Vec<Vec<String>>, Error> {
        let (mut table, complete) = self.records(source)?;
        let mut rows: Vec<Vec<String>> = Vec::new();
        let (mut cells, mut text, mut widest) = (0, 0, 0);
        let whole = loop {
            if rows.len() >= HEAD_LINES && cells > 4096 {
                break true;
            }
            let Some((record, _)) = table.next()? else { break complete };
            cells += record.len();
            text += record.as_slice().len() as u64;
            widest = widest.max(record.as_slice().len() as u64 + FIELD_BYTES * record.len() as u64);
            let held = text + FIELD_BYTES * cells as u64;
            if held > ALWAYS {
                source.holds("the fields of the first lines", in_all(held, widest))?;
            }
            rows.push(record.iter().map(|f| String::from_utf8_lossy(f).trim().to_string()).collect());
        };
        if !whole {
            rows.pop();
        }
        Ok(rows)
    }

    /// Whether the sample, so many rows of it, is the whole file.
    pub(crate) fn is_all(&self, source: &Source, rows: usize) -> Result<bool, Error> {
        let (mut table, complete) = self.records(source)?;
        if !complete {
            return Ok(false);
        }
        for _ in 0..rows {
            table.next()?;
        }
        Ok(table.next()?.is_none())
    }
}

/// The lines of bytes as ranges; the end of a line belongs to it.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(from..).filter(|r| !r.is_empty())?;
        let end = rest.iter().position(|b| *b == b'\n' || *b == b'\r').unwrap_or(rest.len() - 1);
        let crlf = rest[end] == b'\r' && rest.get(end + 1) == Some(&b'\n');
        let range = (from, from + end + 1 + usize::from(crlf));
        from = range.1;
        Some(range)
    })
}

/// The delimiter that the first lines show, and whether their numbers have decimal commas.
fn delimiter_of(body: &[u8], format: Option<Format>) -> (Delimiter, bool) {
    let mut counts = [0usize; 3];
    let (mut blanks, mut comma_number) = (0, false);
    for (from, to) in lines(body).take(HEAD_LINES) {
        let mut quoted = false;
        for b in body[from..to].trim_ascii_end() {
            match b {
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'\t' => counts[0] += 1,
                b';' => counts[1] += 1,
                b',' => counts[2] += 1,
                b' ' => blanks += 1,
                _ => {}
            }
        }
        comma_number |= body[from..to].split(|b| matches!(b, b'\t' | b';' | b' ' | b'\r' | b'\n')).any(is_comma_number);
    }
    let delimiter = match format {
        Some(Format::Tsv) if counts[0] > 0 || blanks == 0 => Delimiter::Byte(b'\t'),
        Some(Format::Csv) if counts[1] > 0 && (counts[2] == 0 || comma_number) => Delimiter::Byte(b';'),
        Some(Format::Csv) if counts[2] > 0 || counts[0] + blanks == 0 => Delimiter::Byte(b','),
        _ if counts[0] > 0 => Delimiter::Byte(b'\t'),
        _ if counts[1] > 0 => Delimiter::Byte(b';'),
        _ if counts[2] > 0 => Delimiter::Byte(b','),
        _ if blanks > 0 => Delimiter::Blanks,
        _ => Delimiter::Byte(b','),
    };
    (delimiter, comma_number && delimiter != Delimiter::Byte(b','))
}

fn is_comma_number(field: &[u8]) -> bool {
    let text = String::from_utf8_lossy(field);
    let text = text.trim_matches(|c| c == '"' || c == ' ').trim_start_matches('-');
    text.split_once(',')
        .is_some_and(|(a, b)| !a.is_empty() && !b.is_empty() && a.bytes().chain(b.bytes()).all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::testing::file;

    fn read(text: &str) -> (Head, Vec<(Vec<String>, u64)>) {
        let (_dir, source) = file("t.txt", text.as_bytes());
        let (head, mut table) = open(&source, crate::io::source::open(&source).unwrap(), None).unwrap();
        let mut rows = Vec::new();
        while let Some((record, line)) = table.next().unwrap() {
            rows.push((record.iter().map(|f| String::from_utf8(f.to_vec()).unwrap()).collect(), line));
        }
        (head, rows)
    }

    #[test]
    fn comments_and_blank_lines_keep_line_numbers_right() {
        let (_, rows) = read("# a comment\n\n\ta\tb\na\t0\t1\n");
        assert_eq!(rows[0], (vec![String::new(), "a".into(), "b".into()], 3));
        assert_eq!(rows[1].1, 4);
        for end in ["\n", "\r\n", "\r"] {
            let (_, rows) = read(&"a,b\n\n\n1,2\n3,\"4\n\n5\"\n\n6,7".replace('\n', end));
            let lines: Vec<u64> = rows.iter().map(|(_, line)| *line).collect();
            assert_eq!(lines, [1, 4, 5, 9], "{end:?}");
            let (_, rows) = read(&"# c\na b\n\n1 2\n".replace('\n', end));
            assert_eq!((rows[0].1, rows[1].1), (2, 4), "{end:?}");
        }
    }

    #[test]
    fn delimiters_are_seen() {
        for (text, delimiter, comma) in [
            ("a,b\n1,2", Delimiter::Byte(b','), false),
            ("a;b\n1,5;2", Delimiter::Byte(b';'), true),
            ("\"a b\"\t1,5\n", Delimiter::Byte(b'\t'), true),
            ("a b\n1 2", Delimiter::Blanks, false),
            ("\"a;b\",c\n1,2", Delimiter::Byte(b','), false),
        ] {
            let (head, _) = read(text);
            assert_eq!((head.delimiter, head.decimal_comma), (delimiter, comma), "{text}");
        }
    }

    #[test]
    fn a_header_may_begin_with_a_hash() {
        let (head, rows) = read("# made by hand\n#SampleID\tsite\tph\ns1\tA\t7\n");
        assert!(head.hash_header);
        assert_eq!((rows[0].0[0].as_str(), rows[0].1), ("#SampleID", 2));
    }

    #[test]
    fn quoted_blanks_stay_together() {
        let (_, rows) = read("\"New York\" 0 1\n\"Rome\" 1 0\n");
        assert_eq!(rows[0].0, ["New York", "0", "1"]);
    }
}
