//! Numbers and words side by side, with gaps: Gower's coefficient, and the share of columns that differ.

use std::ops::Range;

use nearer_num::rowpairs::{Over, Rows, across, among};

use crate::evidence::table::{Cells, TableColumn};

/// Columns of numbers over their ranges and columns of words as numbers, each row by row, NaN what is missing.
#[derive(Debug, Clone)]
pub(super) struct Mixed {
    numbers: Vec<f64>,
    words: Vec<f64>,
    widths: (usize, usize),
    complete: bool,
}

impl Mixed {
    /// For Gower's coefficient: numbers over the range they have in the first `frame` rows.
    pub(super) fn gower(columns: &[TableColumn], frame: usize) -> Mixed {
        let scaled = |values: &[f64]| {
            let known = || values[..frame].iter().copied().filter(|v| !v.is_nan());
            let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
            // A column of one value adds 0 to every sum, and counts.
            let range = if most > least { most - least } else { 1.0 };
            values.iter().map(|v| v / range).collect::<Vec<_>>()
        };
        let numbers = columns.iter().filter_map(|c| match &c.cells {
            Cells::Numbers(v) => Some(scaled(v)),
            Cells::Words { .. } => None,
        });
        let words = columns.iter().filter(|c| !c.is_numbers()).map(coded);
        Mixed::new(numbers.collect(), words.collect())
    }
    /// For the share of columns that differ: whatever a cell holds is a word.
    pub(super) fn words(columns: &[TableColumn]) -> Mixed {
        Mixed::new(Vec::new(), columns.iter().map(coded).collect())
    }

    fn new(numbers: Vec<Vec<f64>>, words: Vec<Vec<f64>>) -> Mixed {
        let widths = (numbers.len(), words.len());
        let (numbers, words) = (by_rows(&numbers), by_rows(&words));
        let complete = numbers.iter().chain(&words).all(|v| !v.is_nan());
        Mixed { numbers, words, widths, complete }
    }

    /// The mean over the known columns, `each` filling a buffer with one sum for all pairs.
    fn mean(&self, out: &mut [f64], each: impl Fn(Rows<'_>, Over, &mut [f64])) {
        let (numbers, words) = (
            Rows { values: &self.numbers, columns: self.widths.0 },
            Rows { values: &self.words, columns: self.widths.1 },
        );
        let parts = [(numbers, Over::KnownDifferences), (words, Over::KnownUnlike)];
        let parts = || parts.into_iter().filter(|(rows, _)| rows.columns > 0);
        let mut one = vec![0.0; out.len()];
        let mut counts = vec![0.0; if self.complete { 0 } else { out.len() }];
        out.fill(0.0);
        for (rows, what) in parts() {
            each(rows, what, &mut one);
            out.iter_mut().zip(&one).for_each(|(o, v)| *o += v);
            if !self.complete {
                each(rows, Over::KnownCount, &mut one);
                counts.iter_mut().zip(&one).for_each(|(c, v)| *c += v);
            }
        }
        let all = (self.widths.0 + self.widths.1) as f64;
        match self.complete {
            true => out.iter_mut().for_each(|o| *o /= all),
            false => out.iter_mut().zip(counts).for_each(|(o, c)| *o /= c),
        }
    }

    pub(super) fn among(&self, frame: usize, out: &mut [f64]) {
        self.mean(out, |rows, what, out| among(first(rows, frame), what, out));
    }

    pub(super) fn across(&self, which: Range<usize>, frame: usize, out: &mut [f64]) {
        self.mean(out, |rows, what, out| across(rows, which.clone(), first(rows, frame), what, out));
    }
}

/// The first rows.
pub(super) fn first(rows: Rows<'_>, count: usize) -> Rows<'_> {
    Rows { values: &rows.values[..count * rows.columns], columns: rows.columns }
}

/// A column as numbers that are equal where its cells are.
fn coded(column: &TableColumn) -> Vec<f64> {
    match &column.cells {
        Cells::Numbers(v) => v.clone(),
        Cells::Words { of, .. } => of.iter().map(|k| k.map_or(f64::NAN, f64::from)).collect(),
    }
}

fn by_rows(columns: &[Vec<f64>]) -> Vec<f64> {
    let n = columns.first().map_or(0, Vec::len);
    (0..n).flat_map(|i| columns.iter().map(move |c| c[i])).collect()
}
