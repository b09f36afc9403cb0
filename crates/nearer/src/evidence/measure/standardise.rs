//! What is done to a table before it is measured: by rows, by columns, or by both.

use std::fmt;
use std::str::FromStr;

use ndarray::{Array2, Axis, s};

use crate::error::{Error, nearest};

/// A standardising of the numbers of a table, by vegan's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standardise {
    /// Each row over its sum: shares.
    Total,
    /// Each column over its sum.
    ColumnTotal,
    /// Each column over its largest.
    Max,
    /// Each row over its largest.
    RowMax,
    /// Each row to length 1.
    Normalise,
    /// Each column to 0 … 1.
    Range,
    /// Each column to mean 0 and standard deviation 1.
    ZScore,
    /// The roots of shares.
    Hellinger,
    /// Each column over its largest, then each row over its sum.
    Wisconsin,
    /// Shares, each column over the root of its share of all.
    ChiSquare,
    /// 1 what is above 0.
    Presence,
    /// Roots.
    Sqrt,
    /// `ln(1 + x)`.
    Log1p,
}

const NAMES: [(Standardise, &str, &[&str]); 13] = [
    (Standardise::Total, "total", &["shares", "relative"]),
    (Standardise::ColumnTotal, "column-total", &[]),
    (Standardise::Max, "max", &[]),
    (Standardise::RowMax, "row-max", &[]),
    (Standardise::Normalise, "normalise", &["normalize", "norm"]),
    (Standardise::Range, "range", &["min-max"]),
    (Standardise::ZScore, "z-score", &["standardise", "standardize", "scale", "zscore"]),
    (Standardise::Hellinger, "hellinger", &[]),
    (Standardise::Wisconsin, "wisconsin", &["double"]),
    (Standardise::ChiSquare, "chi-square", &["chi.square"]),
    (Standardise::Presence, "presence", &["pa", "binary"]),
    (Standardise::Sqrt, "sqrt", &["root"]),
    (Standardise::Log1p, "log1p", &["log"]),
];

impl Standardise {
    /// Whether numbers below 0 make no sense to it.
    fn refuses_negative(self) -> bool {
        use Standardise::{Normalise, Range, ZScore};
        !matches!(self, Range | ZScore | Normalise)
    }
    /// The numbers standardised, what is said of columns being that of the first `frame` rows; NaN stays where it is.
    pub(super) fn apply(self, values: &mut Array2<f64>, frame: usize) -> Result<(), String> {
        if self.refuses_negative()
            && let Some(((i, j), v)) = values.indexed_iter().find(|(_, v)| **v < 0.0)
        {
            return Err(format!(
                "the number {v} in row {}, column {} is negative, and {self} is for none below 0",
                i + 1,
                j + 1
            ));
        }
        match self {
            Standardise::Total => over_rows(values, |row| row.filter(|v| !v.is_nan()).sum()),
            Standardise::RowMax => over_rows(values, |row| row.fold(0.0, f64::max)),
            Standardise::Normalise => {
                over_rows(values, |row| row.filter(|v| !v.is_nan()).map(|v| v * v).sum::<f64>().sqrt())
            }
            Standardise::ColumnTotal => over_columns(values, frame, |c| (0.0, c.iter().sum())),
            Standardise::Max => over_columns(values, frame, |c| (0.0, c.iter().copied().fold(0.0, f64::max))),
            Standardise::Range => over_columns(values, frame, |c| {
                let least = c.iter().copied().fold(f64::INFINITY, f64::min);
                (least, c.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least)
            }),
            Standardise::ZScore => over_columns(values, frame, |c| {
                let mean = c.iter().sum::<f64>() / c.len() as f64;
                let square: f64 = c.iter().map(|v| (v - mean) * (v - mean)).sum();
                (mean, (square / (c.len() as f64 - 1.0)).sqrt())
            }),
            Standardise::Hellinger => {
                Standardise::Total.apply(values, frame)?;
                values.mapv_inplace(f64::sqrt);
            }
            Standardise::Wisconsin => {
                Standardise::Max.apply(values, frame)?;
                Standardise::Total.apply(values, frame)?;
            }
            Standardise::ChiSquare => {
                let of_frame = values.slice(s![..frame, ..]);
                let sums: Vec<f64> =
                    of_frame.axis_iter(Axis(1)).map(|c| c.iter().filter(|v| !v.is_nan()).sum()).collect();
                let all: f64 = sums.iter().sum();
                Standardise::Total.apply(values, frame)?;
                for (mut column, sum) in values.columns_mut().into_iter().zip(sums) {
                    // A column that is 0 throughout says nothing, and would be 0/0.
                    let factor = if sum > 0.0 { (all / sum).sqrt() } else { 0.0 };
                    column.mapv_inplace(|v| v * factor);
                }
            }
            Standardise::Presence => values.mapv_inplace(|v| if v.is_nan() { v } else { f64::from(u8::from(v > 0.0)) }),
            Standardise::Sqrt => values.mapv_inplace(f64::sqrt),
            Standardise::Log1p => values.mapv_inplace(f64::ln_1p),
        }
        Ok(())
    }
}

fn over_rows(values: &mut Array2<f64>, by: impl Fn(&mut dyn Iterator<Item = f64>) -> f64) {
    for mut row in values.rows_mut() {
        let by = by(&mut row.iter().copied());
        if by != 0.0 {
            row.mapv_inplace(|v| v / by);
        }
    }
}

fn over_columns(values: &mut Array2<f64>, frame: usize, of: impl Fn(&[f64]) -> (f64, f64)) {
    for mut column in values.columns_mut() {
        let known: Vec<f64> = column.iter().take(frame).copied().filter(|v| !v.is_nan()).collect();
        if known.is_empty() {
            continue;
        }
        let (from, by) = of(&known);
        // A column of one value tells no row from another: it becomes 0.
        column.mapv_inplace(|v| if by > 0.0 { (v - from) / by } else { v - from });
    }
}

impl fmt::Display for Standardise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES.iter().find(|(s, ..)| s == self).map_or("", |(_, name, _)| name))
    }
}

impl FromStr for Standardise {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let asked = text.trim().to_lowercase();
        let found = NAMES.iter().find(|(_, name, other)| *name == asked || other.contains(&asked.as_str()));
        found.map(|(s, ..)| *s).ok_or_else(|| {
            let near = nearest(text, NAMES.iter().map(|(_, n, _)| *n)).map(|n| format!("; perhaps `{n}`"));
            Error::Parameter {
                name: "standardise".into(),
                value: text.into(),
                expected: format!("one of {}{}", NAMES.map(|(_, n, _)| n).join(", "), near.unwrap_or_default()),
            }
        })
    }
}
