//! Rectangles of distances, rows to columns, read in chunks of bounded memory: for placing, and for landmarks.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use ndarray::Array2;

use crate::error::{At, Error};
use crate::evidence::{DistanceRows, Similarity};
use crate::io::cell::{Numbers, Numerals};
use crate::io::chunk::{Chunk, array_chunk, check_block, picked, repeated, text_chunk};
use crate::io::head;
use crate::io::kinds::{FileKind, ReadOptions};
use crate::io::layout::{self, Layout, refuse};
use crate::io::matrix::check_labels;
use crate::io::npy::{self, Npy};
use crate::io::packing::{LABEL_BYTES, check_bytes, distance};
use crate::io::source::{self, Bytes, Source};
use crate::io::text::Table;
use crate::object::Objects;

/// Rows of distances, some at a time: csv, tsv or blanks, `.npy` in C order, plain or gzipped.
///
/// Memory is that of one chunk, however long the file. Labels are checked for repeats within a chunk.
#[derive(Debug)]
pub struct RowStream {
    source: Source,
    options: ReadOptions,
    body: Body,
    /// The columns of the file.
    columns: Objects,
    /// The columns that are kept, and which of the file they are.
    to: Objects,
    pick: Option<Vec<usize>>,
    rows: usize,
    assumptions: Vec<String>,
}

#[derive(Debug)]
enum Body {
    Text {
        table: Box<Table>,
        layout: Box<Layout>,
        numbers: Numbers,
    },
    Npy(Npy),
    /// An array whose columns came first, turned round.
    Turned(Vec<f64>),
}

impl RowStream {
    /// Opens a rectangle, or a square of which some columns are wanted.
    pub fn open(source: &Source, options: &ReadOptions) -> Result<Self, Error> {
        if matches!(options.similarity, Some(Similarity::FromMax | Similarity::Gram)) {
            return Err(refuse(
                &source.at(),
                "the rules max-s and sqrt need the whole square matrix, and this is read row by row",
                "give a rule that stands alone: 1-s (any number for 1), sqrt(1-s) or -log(s)",
            ));
        }
        let (is_npy, bytes) = super::read::peek(source, source::open(source)?)?;
        if is_npy { RowStream::array(source, bytes, options) } else { RowStream::text(source, bytes, options) }
    }

    fn text(source: &Source, bytes: Bytes, options: &ReadOptions) -> Result<Self, Error> {
        let at = source.at();
        let format = options.format.or_else(|| source.path().and_then(super::Format::of));
        let (head, mut table) = head::open(source, bytes, format)?;
        let sample = head.sample(source)?;
        let complete = head.is_all(source, sample.len())?;
        // What could be several things is rows here: that is what was asked for.
        let seen = match layout::recognise(&sample, complete, options.kind, &at) {
            Err(Error::Format { .. }) if sample.len() > 1 => None,
            other => Some(other?),
        };
        if seen.as_ref().is_some_and(|l| l.kind == FileKind::Long) {
            return Err(refuse(
                &at,
                "the file is a long table, one measurement a row",
                "give a rectangle: a row for each new object, a column for each old one",
            ));
        }
        let layout = layout::recognise(&sample, complete, Some(FileKind::Rows), &at)?;
        let skip = usize::from(layout.labelled);
        let mut assumptions = vec![head.delimiter.words().to_string()];
        if head.decimal_comma {
            assumptions.push("a comma in a number is the decimal point".into());
        }
        assumptions.extend(layout.assumptions.iter().cloned());
        let columns = if layout.header {
            let width = layout.columns.as_ref().map_or(0, Vec::len);
            let Some((record, line)) = table.next()? else { return Err(empty(&at)) };
            let labels = check_labels(record, record.len() - width.min(record.len()), line, &at)?;
            Objects::new(labels)?
        } else {
            let width = sample.first().map_or(0, Vec::len).saturating_sub(skip);
            assumptions.push(format!("the columns have no labels: they are the objects 1 to {width}"));
            Objects::numbered(width)
        };
        let numerals = Numerals {
            decimal_comma: head.decimal_comma,
            signed: options.similarity.is_some(),
            nan_missing: options.nan_missing,
            of_any_size: false,
        };
        let body = Body::Text { table: Box::new(table), layout: Box::new(layout), numbers: Numbers::new(numerals) };
        RowStream::new(source, options, body, columns, assumptions)
    }

    fn array(source: &Source, bytes: Bytes, options: &ReadOptions) -> Result<Self, Error> {
        let mut npy = Npy::open(source, bytes)?;
        let &[rows, columns] = npy.shape.as_slice() else {
            let what = format!("an array of shape {:?}, and rows of distances need two dimensions", npy.shape);
            return Err(npy::defect(source, &what));
        };
        let mut assumptions = vec![format!("the columns have no labels: they are the objects 1 to {columns}")];
        let body = if npy.fortran && rows != columns && rows > 1 && columns > 1 {
            let within = source.clone().within(source.memory().unwrap_or(1 << 30));
            let needed = 16 * (rows as u64).saturating_mul(columns as u64);
            check_bytes(needed, "turning an array in Fortran order round", &within)?;
            let mut values = Vec::new();
            npy.take(rows * columns, &mut values)?;
            assumptions.push("the array is in Fortran order and was turned round".into());
            let turned = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).map(|(i, j)| values[j * rows + i]);
            Body::Turned(turned.collect())
        } else {
            Body::Npy(npy)
        };
        let columns = if (columns as u64) < u64::from(u32::MAX) && columns < 1 << 26 {
            Objects::numbered(columns)
        } else {
            return Err(npy::defect(source, &format!("its header claims {columns} columns")));
        };
        RowStream::new(source, options, body, columns, assumptions)
    }

    fn new(
        source: &Source,
        options: &ReadOptions,
        body: Body,
        columns: Objects,
        assumptions: Vec<String>,
    ) -> Result<Self, Error> {
        if columns.is_empty() {
            return Err(empty(&source.at()));
        }
        let (source, options, to) = (source.clone(), options.clone(), columns.clone());
        Ok(RowStream { source, options, body, columns, to, pick: None, rows: 0, assumptions })
    }

    /// The same stream, keeping only the columns of these objects, in their order.
    pub fn with_columns(mut self, wanted: &Objects) -> Result<Self, Error> {
        let index = self.columns.index();
        let pick: Result<Vec<usize>, Error> = wanted
            .labels()
            .iter()
            .map(|label| {
                index.get(label.as_str()).map(|item| item.index()).ok_or_else(|| Error::Evidence {
                    what: format!("{} has no column for `{label}`", self.source),
                    remedy: "give a column (it may be empty where nothing was measured) for each object that is needed"
                        .into(),
                })
            })
            .collect();
        self.pick = Some(pick?);
        self.to = wanted.clone();
        Ok(self)
    }

    /// The objects of the columns that are kept.
    #[must_use]
    pub fn to(&self) -> &Objects {
        &self.to
    }
    /// What was assumed about the file, in plain words.
    #[must_use]
    pub fn assumptions(&self) -> &[String] {
        &self.assumptions
    }

    /// The rows of those objects that have a column too, in the order of the columns, and how many rows there are in all; they are read
    /// so many at a time.
    ///
    /// # Fails
    /// [`Error::Evidence`] where a column has no row.
    pub fn landmarks(&mut self, at_a_time: usize) -> Result<(DistanceRows, usize), Error> {
        let to = self.to.clone();
        let index = to.index();
        let mut found: Vec<Option<Vec<f64>>> = vec![None; to.len()];
        let mut count = 0;
        while let Some(chunk) = self.next_chunk(at_a_time)? {
            for (r, label) in chunk.objects().labels().iter().enumerate() {
                if let Some(item) = index.get(label.as_str()) {
                    found[item.index()] = Some(chunk.row(r).to_vec());
                }
            }
            count += chunk.objects().len();
        }
        let mut values = Vec::with_capacity(to.len() * to.len());
        for (label, row) in to.labels().iter().zip(found) {
            values.extend(row.ok_or_else(|| Error::Evidence {
                what: format!("{}: the column `{label}` has no row of its own", self.source),
                remedy: "landmarks need the distances among themselves, so give each column label a row".into(),
            })?);
        }
        let values = Array2::from_shape_vec((to.len(), to.len()), values).map_err(|_| empty(&self.source.at()))?;
        Ok((DistanceRows::new(to.clone(), to, values)?, count))
    }

    /// The same rows from the beginning.
    pub fn reopen(&self) -> Result<RowStream, Error> {
        let again = RowStream::open(&self.source, &self.options)?;
        if self.pick.is_some() { again.with_columns(&self.to) } else { Ok(again) }
    }

    /// The next rows, at most so many; `None` at the end.
    pub fn next_chunk(&mut self, max_rows: usize) -> Result<Option<DistanceRows>, Error> {
        let at = self.source.at();
        let before = self.rows;
        let chunk = match &mut self.body {
            Body::Text { table, layout, numbers } => {
                text_chunk(table, layout, numbers, self.columns.len(), self.pick.as_deref(), max_rows.max(1), before)?
            }
            Body::Npy(npy) => {
                let rows = (npy.shape[0] - before).min(max_rows.max(1));
                array_chunk(npy, rows, self.pick.as_deref(), before, &self.options)?
            }
            Body::Turned(values) => {
                let width = self.columns.len();
                let rows = (values.len() / width - before).min(max_rows.max(1));
                let block = &values[before * width..(before + rows) * width];
                check_block(block, width, before, &self.options, &at)?;
                Chunk { values: picked(block, width, self.pick.as_deref()), ..Chunk::numbered(before, rows) }
            }
        };
        self.rows += chunk.labels.len();
        if chunk.labels.is_empty() {
            return Ok(None);
        }
        let Chunk { labels, mut values, lines } = chunk;
        let objects = Objects::new(labels.iter().cloned()).map_err(|e| repeated(&labels, &lines, &at).unwrap_or(e))?;
        if let Some(rule) = self.options.similarity {
            let width = self.to.len();
            for (k, v) in values.iter_mut().enumerate().filter(|(_, v)| !v.is_nan()) {
                let names = || (objects.labels()[k / width].as_str(), self.to.labels()[k % width].as_str());
                *v = distance(rule, *v, (0.0, 0.0), f64::NAN, names, &at)?;
            }
        }
        let shape = (objects.len(), self.to.len());
        let values = Array2::from_shape_vec(shape, values).map_err(|_| empty(&at))?;
        DistanceRows::new(objects, self.to.clone(), values).map(Some)
    }
}

/// Reads a rectangle whole: rows are new objects, columns old ones. The second part is what was assumed.
pub fn read_rows(source: &Source, options: &ReadOptions) -> Result<(DistanceRows, Vec<String>), Error> {
    collect(RowStream::open(source, options)?)
}

/// Rows and columns of a rectangle by the start of a plain file: exact for `.npy`, an estimate for text; nothing for what is packed or
/// is no file.
#[must_use]
pub fn shape(path: &Path) -> Option<(u64, u64)> {
    // Asked before it is opened: a pipe can be opened only once.
    let bytes = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
    let mut start = BufReader::new(File::open(path).ok()?);
    let magic = start.fill_buf().ok()?;
    if magic.starts_with(npy::MAGIC) {
        let npy = Npy::open(&Source::from(path), Box::new(start)).ok()?;
        return Some((*npy.shape.first()? as u64, *npy.shape.get(1)? as u64));
    }
    if magic.starts_with(&[0x1f, 0x8b]) {
        return None;
    }
    let mut lines = start.take(1 << 22).lines().map_while(Result::ok);
    let second = lines.nth(1)?;
    let columns = second.split([',', '\t', ';', ' ']).filter(|f| !f.trim().is_empty()).count() as u64;
    // A long table has few fields a line, and is no rectangle of landmarks.
    (columns > 5).then(|| (bytes / (second.len() as u64 + 1), columns))
}

/// Numbers taken at a time.
const CHUNK: usize = 1 << 20;

/// All rows of a stream.
pub(crate) fn collect(mut stream: RowStream) -> Result<(DistanceRows, Vec<String>), Error> {
    let at = stream.source.at();
    let mut labels: Vec<String> = Vec::new();
    let mut values: Vec<f64> = Vec::new();
    let what = "the rows of distances";
    if let Body::Npy(npy) = &stream.body {
        check_bytes((npy.shape[0] as u64).saturating_mul(8 * npy.shape[1] as u64), what, &stream.source)?;
    }
    let mut text = 0;
    let rows = (CHUNK / stream.to.len().max(1)).clamp(1, 4096);
    while let Some(chunk) = stream.next_chunk(rows)? {
        labels.extend(chunk.objects().labels().iter().cloned());
        (0..chunk.objects().len()).for_each(|r| values.extend(chunk.row(r)));
        text += chunk.objects().labels().iter().map(|l| 2 * l.len() + LABEL_BYTES).sum::<usize>();
        stream.source.holds(what, (8 * values.len() + text) as u64)?;
    }
    if labels.is_empty() {
        return Err(empty(&at));
    }
    let objects = Objects::new(labels.iter().cloned()).map_err(|e| repeated(&labels, &[], &at).unwrap_or(e))?;
    let mut said = stream.assumptions;
    if let Body::Text { numbers, .. } = &stream.body {
        said.extend(numbers.assumption());
    }
    let shape = (objects.len(), stream.to.len());
    let values = Array2::from_shape_vec(shape, values).map_err(|_| empty(&at))?;
    Ok((DistanceRows::new(objects, stream.to, values)?, said))
}

fn empty(at: &At) -> Error {
    refuse(at, "there is no row of distances", "give a file with distances in it")
}
