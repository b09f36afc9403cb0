//! Rows that come one after another, from a file or from somebody who is still writing.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use anyhow::{Result, anyhow, bail};

/// The most that one line may take: a row of three labels is short, and a stream without an end of line would fill the memory.
const LONGEST: u64 = 1 << 20;
/// Lines that are read ahead.
const AHEAD: usize = 1024;

/// The lines of a stream, read on a thread of their own: who waits for one can look up meanwhile.
pub(super) fn lines(from: Box<dyn Read + Send>) -> Receiver<io::Result<String>> {
    let (send, receive) = sync_channel(AHEAD);
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        while let Some(line) = next(&mut from).transpose() {
            // After a line that cannot be read nothing is looked for: it may have no end.
            let last = line.is_err();
            if send.send(line).is_err() || last {
                break;
            }
        }
    });
    receive
}

fn next(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if from.take(LONGEST + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 > LONGEST {
        return Err(io::Error::other(format!("more than {LONGEST} bytes without an end; rows are from,to,label")));
    }
    let text = String::from_utf8(line).map_err(|_| io::Error::other("this is no text; rows are from,to,label"))?;
    Ok(Some(text.trim_end_matches(['\n', '\r']).to_owned()))
}

/// A row of the stream.
pub(super) struct Row {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) label: String,
    /// What the label says, where it is one.
    pub(super) alike: Option<bool>,
}

impl Row {
    /// One line, of commas or of tabs; nothing for an empty one.
    pub(super) fn parsed(line: &str, k: usize) -> Result<Option<Row>> {
        if line.trim().is_empty() {
            return Ok(None);
        }
        let delimiter = if line.contains('\t') && !line.contains(',') { b'\t' } else { b',' };
        let mut table = csv::ReaderBuilder::new();
        table.has_headers(false).trim(csv::Trim::All).delimiter(delimiter);
        let record = table.from_reader(line.as_bytes()).records().next().transpose();
        let record = record.map_err(|e| anyhow!("line {}: {e}", k + 1))?;
        let Some(record) = record.filter(|r| r.len() >= 3) else {
            bail!("line {}: `{line}` is no row of from,to,label", k + 1);
        };
        let alike = match record[2].to_ascii_lowercase().as_str() {
            "1" | "yes" | "true" | "alike" | "similar" | "must-link" => Some(true),
            "0" | "-1" | "no" | "false" | "unlike" | "dissimilar" | "cannot-link" => Some(false),
            _ => None,
        };
        let [from, to, label] = [0, 1, 2].map(|c| record[c].to_owned());
        Ok(Some(Row { from, to, label, alike }))
    }
}
