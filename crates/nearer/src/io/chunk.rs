//! Some rows of a rectangle: taken from text or from an array, with only the columns that are kept.

use crate::error::{At, Error};
use crate::io::cell::{Numbers, shown};
use crate::io::kinds::ReadOptions;
use crate::io::layout::Layout;
use crate::io::matrix::{check_numbers, ragged, twice};
use crate::io::npy::Npy;
use crate::io::text::Table;

/// Numbers decoded at a time from an array of which only some columns are kept.
const BLOCK: usize = 1 << 20;

/// Rows under way.
#[derive(Default)]
pub(crate) struct Chunk {
    pub(crate) labels: Vec<String>,
    pub(crate) values: Vec<f64>,
    pub(crate) lines: Vec<u64>,
}

impl Chunk {
    pub(crate) fn numbered(before: usize, rows: usize) -> Chunk {
        Chunk { labels: (before + 1..=before + rows).map(|k| k.to_string()).collect(), ..Chunk::default() }
    }
}

pub(crate) fn text_chunk(
    table: &mut Table,
    layout: &Layout,
    numbers: &mut Numbers,
    width: usize,
    pick: Option<&[usize]>,
    max_rows: usize,
    before: usize,
) -> Result<Chunk, Error> {
    let at = table.at.clone();
    let skip = usize::from(layout.labelled);
    let mut chunk = Chunk::default();
    numbers.clear();
    while chunk.labels.len() < max_rows {
        let Some((record, line)) = table.next()? else { break };
        if layout.labelled && record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        if record.len() != width + skip {
            return Err(ragged(record.len().saturating_sub(skip), width, at.line(line)));
        }
        chunk.labels.push(if layout.labelled {
            Table::label(&at, &record[0], line, 0)?
        } else {
            (before + chunk.labels.len() + 1).to_string()
        });
        chunk.lines.push(line);
        let mut push = |k: usize| {
            let place = || at.clone().line(line).column((k + skip) as u64 + 1);
            numbers.push(&record[k + skip], place)?;
            if numbers.bounded {
                return Err(Error::Value {
                    at: place(),
                    what: format!("`{}` is a bound, and rows of distances hold values only", shown(&record[k + skip])),
                    remedy: "write a value, or leave the cell empty for a missing distance".into(),
                });
            }
            Ok(())
        };
        match pick {
            None => (0..width).try_for_each(&mut push)?,
            Some(pick) => pick.iter().copied().try_for_each(&mut push)?,
        }
    }
    numbers.bounds.clear();
    chunk.values = std::mem::take(&mut numbers.values);
    Ok(chunk)
}

pub(crate) fn array_chunk(
    npy: &mut Npy,
    rows: usize,
    pick: Option<&[usize]>,
    before: usize,
    options: &ReadOptions,
) -> Result<Chunk, Error> {
    let width = npy.shape[1];
    let at = npy.at();
    let mut chunk = Chunk::default();
    let mut block = Vec::new();
    let mut done = 0;
    while done < rows {
        let now = (BLOCK / width).clamp(1, rows - done);
        block.clear();
        npy.take(now * width, &mut block)?;
        check_block(&block, width, before + done, options, &at)?;
        match pick {
            None => chunk.values.extend_from_slice(&block),
            Some(_) => chunk.values.extend(picked(&block, width, pick)),
        }
        done += now;
    }
    chunk.labels = Chunk::numbered(before, rows).labels;
    Ok(chunk)
}

pub(crate) fn check_block(
    block: &[f64],
    width: usize,
    before: usize,
    options: &ReadOptions,
    at: &At,
) -> Result<(), Error> {
    let place = |k: usize| at.clone().line((before + k / width) as u64 + 1).column((k % width) as u64 + 1);
    check_numbers(block, options, place)
}

pub(crate) fn picked(block: &[f64], width: usize, pick: Option<&[usize]>) -> Vec<f64> {
    match pick {
        None => block.to_vec(),
        Some(pick) => block.chunks_exact(width).flat_map(|row| pick.iter().map(|&k| row[k])).collect(),
    }
}

pub(crate) fn repeated(labels: &[String], lines: &[u64], at: &At) -> Option<Error> {
    let mut seen = std::collections::HashMap::new();
    labels.iter().enumerate().find_map(|(k, label)| {
        let first = seen.insert(label, k)?;
        Some(match (lines.get(k), lines.get(first)) {
            (Some(line), Some(first)) => twice(label, &format!("line {first}"), at.clone().line(*line).column(1)),
            _ => twice(label, &format!("row {}", first + 1), at.clone()),
        })
    })
}
