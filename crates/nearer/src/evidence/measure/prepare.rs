//! A table made ready for a measure, and the distances that it then has.

use std::borrow::Cow;
use std::ops::Range;

use ndarray::{Array2, Axis};
use nearer_num::packed;
use nearer_num::rowpairs::{Over, Rows, across, among};

use super::gower::{Mixed, first};
use super::names::Asks;
use super::sums::ready;
use super::{Measure, Standardise};
use crate::error::{Error, Remedy};
use crate::evidence::table::{Cells, TableColumn};
use crate::evidence::{Distances, Repeats, Table};
use crate::object::{Item, Objects};

/// A table whose rows can be measured against each other, or against those of another table.
#[derive(Debug, Clone)]
pub struct Prepared {
    pub(super) measure: Measure,
    /// The rows that columns are standardised by, and others are measured to.
    frame: Objects,
    /// New rows, below them.
    new: Option<Objects>,
    pub(super) form: Form,
    gaps: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Form {
    /// One sum over the columns of a matrix, and two numbers of each row to end with.
    Sum {
        values: Array2<f64>,
        over: Over,
        sums: Vec<f64>,
        other: Vec<f64>,
    },
    Mixed(Mixed),
}

impl Prepared {
    /// Checks the table, standardises it in this order, and makes it ready; `new` rows are standardised as the old ones were.
    pub fn new(measure: Measure, by: &[Standardise], table: &Table, new: Option<&Table>) -> Result<Prepared, Error> {
        let mut columns: Cow<'_, [TableColumn]> = match new {
            Some(new) => table.above(new)?.into(),
            None => table.columns().into(),
        };
        let (n, frame) = (table.len() + new.map_or(0, Table::len), table.len());
        let place = |i: usize| match new {
            Some(new) if i >= frame => new.objects().label(Item((i - frame) as u32)).to_string(),
            _ => table.objects().label(Item(i as u32)).to_string(),
        };
        let gaps = table.missing() + new.map_or(0, Table::missing) > 0;
        let mixed = matches!(measure, Measure::Gower | Measure::Hamming);
        if !mixed || !by.is_empty() {
            refuse_words(&columns, if mixed { "standardising" } else { measure.named().name })?;
        }
        let mut values = Array2::zeros((0, 0));
        if !mixed || !by.is_empty() {
            values = matrix(&columns, n);
            let asks = measure.named().asks;
            for ((i, j), v) in values.indexed_iter() {
                let whole = asks != Asks::Counts || v.fract() == 0.0 || v.is_nan();
                if *v < 0.0 && matches!(asks, Asks::NotNegative | Asks::Counts) || !whole {
                    let (row, column) = (place(i), columns[j].name());
                    let what = format!("`{column}` of `{row}` is {v}, and {measure} is a measure of ");
                    return Err(Error::Evidence {
                        what: what + if whole { "numbers from 0 on" } else { "counts" },
                        remedy: if whole {
                            Remedy::from("leave the column out, or choose ").setting("measure", "euclidean")
                        } else {
                            Remedy::from("give whole numbers, or choose ").setting("measure", "horn")
                        },
                    });
                }
                if v.is_nan() && !bears_gaps(measure) {
                    let (row, column) = (place(i), columns[j].name());
                    return Err(Error::Evidence {
                        what: format!("`{column}` of `{row}` is missing, and {measure} needs every cell"),
                        remedy: Remedy::from("fill the gap, leave out the row or the column, or choose ")
                            .setting("measure", "gower"),
                    });
                }
            }
            for one in by {
                one.apply(&mut values, frame).map_err(|what| Error::Evidence {
                    what,
                    remedy: Remedy::from("leave the column out, or choose ").setting("standardise", "z-score"),
                })?;
            }
        }
        if mixed && !by.is_empty() {
            for (column, now) in columns.to_mut().iter_mut().zip(values.columns()) {
                column.cells = Cells::Numbers(now.to_vec());
            }
        }
        let form = match measure {
            Measure::Gower => Form::Mixed(Mixed::gower(&columns, frame)),
            Measure::Hamming => Form::Mixed(Mixed::words(&columns)),
            _ => {
                let (over, sums, other) = ready(measure, &mut values, frame, gaps, &place)?;
                let values =
                    if values.is_standard_layout() { values } else { values.as_standard_layout().into_owned() };
                Form::Sum { values, over, sums, other }
            }
        };
        let frame = table.objects().clone();
        Ok(Prepared { measure, frame, new: new.map(|t| t.objects().clone()), form, gaps })
    }
    /// The objects that distances are to: the columns of a matrix of them.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.frame
    }
    /// The objects that distances are from: the rows; the new ones where there are.
    #[must_use]
    pub fn from(&self) -> &Objects {
        self.new.as_ref().unwrap_or(&self.frame)
    }
    /// Whether the rows are measured against each other, and not against those of another table.
    #[must_use]
    pub fn is_among_itself(&self) -> bool {
        self.new.is_none()
    }
    /// The distances of every pair of the table. A pair that has no column known in both is missing.
    pub fn distances(&self) -> Result<Distances, Error> {
        let mut out = self.triangle()?;
        let gaps = out.iter().any(|v| v.is_nan());
        let weights = gaps.then(|| out.iter().map(|v| f64::from(u8::from(!v.is_nan()))).collect());
        out.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = 0.0);
        Distances::from_parts(self.frame.clone(), out, weights, None, Repeats::default())
    }
    /// The same as a packed triangle, `NaN` where nothing is known in both.
    pub(crate) fn triangle(&self) -> Result<Vec<f64>, Error> {
        let n = self.frame.len();
        let mut out = vec![0.0; packed::len(n)];
        match &self.form {
            Form::Mixed(mixed) => mixed.among(n, &mut out),
            Form::Sum { values, over, .. } => {
                among(first(rows(values), n), *over, &mut out);
                let mut parts = Vec::with_capacity(n);
                let mut rest = out.as_mut_slice();
                for i in 0..n {
                    let (part, later) = rest.split_at_mut(n - i - 1);
                    parts.push(part);
                    rest = later;
                }
                nearer_num::par::each(parts, |i, part| self.end(i, i + 1, part));
            }
        }
        if let Some(k) = out.iter().position(|v| v.is_nan()).filter(|_| !self.gaps) {
            let (i, j) = packed::pair(n, k);
            return Err(self.undefined(i, j));
        }
        Ok(out)
    }
    /// The distances from some of the rows to every object, row after row; `NaN` where nothing is known in both.
    pub fn rows(&self, which: Range<usize>) -> Result<Array2<f64>, Error> {
        let n = self.frame.len();
        let shift = if self.new.is_some() { n } else { 0 };
        let at = which.start + shift..which.end + shift;
        let mut out = vec![0.0; which.len() * n];
        match &self.form {
            Form::Mixed(mixed) => mixed.across(at.clone(), n, &mut out),
            Form::Sum { values, over, .. } => {
                across(rows(values), at.clone(), first(rows(values), n), *over, &mut out);
                nearer_num::par::chunks(&mut out, n.max(1), |start, part| {
                    let i = at.start + start / n;
                    self.end(i, 0, part);
                    if i < n {
                        part[i] = 0.0;
                    }
                });
            }
        }
        if let Some(k) = out.iter().position(|v| v.is_nan()).filter(|_| !self.gaps) {
            return Err(self.undefined(at.start + k / n, k % n));
        }
        Ok(Array2::from_shape_vec((which.len(), n), out).expect("a number for each pair"))
    }

    fn undefined(&self, i: usize, j: usize) -> Error {
        let label = |i: usize| match &self.new {
            Some(new) if i >= self.frame.len() => new.label(Item((i - self.frame.len()) as u32)),
            _ => self.frame.label(Item(i as u32)),
        };
        Error::Evidence {
            what: format!(
                "{} of `{}` and `{}` is 0/0: there is nothing in the rows that it could go by",
                self.measure,
                label(i),
                label(j)
            ),
            remedy: Remedy::from("leave out empty rows, or choose ").setting("measure", "euclidean"),
        }
    }
}

fn rows(values: &Array2<f64>) -> Rows<'_> {
    Rows { values: values.as_slice().expect("rows one after another"), columns: values.ncols() }
}

/// Whether a measure can do without a cell.
fn bears_gaps(measure: Measure) -> bool {
    use Measure::{
        Chebyshev, Euclidean, Gower, Hamming, Manhattan, Minkowski, SquaredEuclidean, StandardisedEuclidean,
    };
    matches!(
        measure,
        Gower | Hamming | Euclidean | SquaredEuclidean | StandardisedEuclidean | Manhattan | Chebyshev | Minkowski(_)
    )
}

fn refuse_words(columns: &[TableColumn], what: &str) -> Result<(), Error> {
    match columns.iter().find(|c| !c.is_numbers()) {
        None => Ok(()),
        Some(column) => Err(Error::Evidence {
            what: format!("the column `{}` holds words, and {what} is for numbers", column.name()),
            remedy: Remedy::from("leave it out, or choose ").setting("measure", "gower"),
        }),
    }
}

/// Rows of a table that are turned together.
const ROWS: usize = 64;

/// The numbers by rows; a missing cell is NaN.
fn matrix(columns: &[TableColumn], n: usize) -> Array2<f64> {
    let mut out = Array2::zeros((n, columns.len()));
    // Some rows at a time, which stay in the cache while they are filled.
    for (mut rows, start) in out.axis_chunks_iter_mut(Axis(0), ROWS).zip((0..n).step_by(ROWS)) {
        for (column, mut to) in columns.iter().zip(rows.columns_mut()) {
            if let Cells::Numbers(values) = &column.cells {
                to.iter_mut().zip(&values[start..]).for_each(|(t, v)| *t = *v);
            }
        }
    }
    out
}
