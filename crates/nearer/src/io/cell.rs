//! One cell of a table as a number: a value, a bound, or nothing; zero is a value, and infinity is none of them.

use std::collections::BTreeSet;

use csv::ByteRecord;

use crate::error::{At, Error, Remedy};
use crate::evidence::{Bound, size};

/// What a cell says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    Value(f64),
    Bound(Bound, f64),
    Missing,
}

/// Why a cell says nothing usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    Text,
    Infinite,
    /// Finite, and too large to be computed with.
    Large,
    Nan,
}

/// How the numbers of a file are written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Numerals {
    /// `0,5` is a half.
    pub(crate) decimal_comma: bool,
    /// Negative numbers are allowed: similarities, coordinates.
    pub(crate) signed: bool,
    /// `NaN` is a missing value.
    pub(crate) nan_missing: bool,
    /// Any finite number will do: a map is read back as it was written, and nothing is computed from it yet.
    pub(crate) of_any_size: bool,
}

/// The spellings of a missing value, apart from nothing at all.
const MISSING: [&str; 6] = ["na", "<na>", "-", ".", "*", "?"];

/// Reads one cell.
#[inline]
pub(crate) fn parse(bytes: &[u8], numerals: Numerals) -> Result<Cell, Wrong> {
    // Nearly every cell of a large file: a number as it is.
    if bytes.first().is_some_and(u8::is_ascii_digit)
        && let Ok(v) = fast_float2::parse(bytes)
        && size::is_usable(v)
    {
        return Ok(Cell::Value(v));
    }
    any(bytes.trim_ascii(), numerals)
}

fn any(bytes: &[u8], numerals: Numerals) -> Result<Cell, Wrong> {
    let Some(first) = bytes.first() else { return Ok(Cell::Missing) };
    if !first.is_ascii_digit() {
        if bytes.len() <= 4 && MISSING.iter().any(|m| bytes.eq_ignore_ascii_case(m.as_bytes())) {
            return Ok(Cell::Missing);
        }
        if bytes.eq_ignore_ascii_case(b"nan") {
            return if numerals.nan_missing { Ok(Cell::Missing) } else { Err(Wrong::Nan) };
        }
        for (sign, bound) in [
            ("<=", Bound::AtMost),
            ("≤", Bound::AtMost),
            ("<", Bound::AtMost),
            (">=", Bound::AtLeast),
            ("≥", Bound::AtLeast),
            (">", Bound::AtLeast),
        ] {
            if let Some(rest) = bytes.strip_prefix(sign.as_bytes()) {
                return number(rest.trim_ascii(), numerals).map(|v| Cell::Bound(bound, v));
            }
        }
    }
    number(bytes, numerals).map(Cell::Value)
}

fn number(bytes: &[u8], numerals: Numerals) -> Result<f64, Wrong> {
    let parsed = match fast_float2::parse(bytes) {
        Err(_) if numerals.decimal_comma => with_point(bytes).ok_or(Wrong::Text).and_then(|with| {
            let parsed: Result<f64, _> = fast_float2::parse(with);
            parsed.map_err(|_| Wrong::Text)
        }),
        other => other.map_err(|_| Wrong::Text),
    };
    match parsed {
        Ok(v) if size::is_usable(v) || (numerals.of_any_size && v.is_finite()) => Ok(v),
        Ok(v) if v.is_finite() => Err(Wrong::Large),
        Ok(v) if v.is_nan() => Err(Wrong::Text),
        Ok(_) => Err(Wrong::Infinite),
        Err(why) => Err(why),
    }
}

/// A number with one comma and no point, with a point instead.
fn with_point(bytes: &[u8]) -> Option<Vec<u8>> {
    let comma = bytes.iter().position(|b| *b == b',')?;
    let mut with = bytes.to_vec();
    with[comma] = b'.';
    (with.iter().filter(|b| matches!(b, b',' | b'.')).count() == 1).then_some(with)
}

/// Whether a cell could be a number: what tells labels from data. Nothing, and the marks of a missing value, could be.
pub(crate) fn could_be_number(text: &str) -> bool {
    let numerals = Numerals { decimal_comma: true, signed: true, nan_missing: true, of_any_size: true };
    !matches!(parse(text.as_bytes(), numerals), Err(Wrong::Text))
}

/// Whether a cell is a whole number.
pub(crate) fn is_integer(text: &str) -> bool {
    text.trim().parse::<i64>().is_ok()
}

/// The error for a cell that is not a number.
pub(crate) fn wrong(at: At, bytes: &[u8], why: Wrong) -> Error {
    let text = shown(bytes);
    let (what, remedy) = match why {
        Wrong::Text => (
            format!("`{text}` is not a number"),
            "write a number, or leave the cell empty for what was not measured".into(),
        ),
        Wrong::Nan => (
            format!("`{text}` is not a number"),
            Remedy::from("find out what made it; if it means that nothing was measured, say so with ")
                .any("nan-missing")
                .and(", or leave the cell empty"),
        ),
        Wrong::Large => (
            format!("`{text}` is too large to compute with: its powers are no finite numbers"),
            format!("give all numbers in a larger unit, so that they are at most {:e}", size::LARGEST).into(),
        ),
        Wrong::Infinite => (
            format!("`{text}` is not a finite number"),
            "write a finite number, a bound such as >80, or leave the cell empty for a missing distance".into(),
        ),
    };
    Error::Value { at, what, remedy }
}

/// The error for a negative distance.
pub(crate) fn negative(at: At, v: f64) -> Error {
    Error::Value {
        at,
        what: format!("the distance {v} is negative"),
        remedy: Remedy::from(
            "a distance is 0 or more; if the numbers are similarities, say how to turn them into distances with ",
        )
        .any("similarity")
        .and(", and if they are coordinates, they are a map already"),
    }
}

/// Bytes for a message: readable, and not too many.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut short: String =
        text.trim().chars().take(40).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    if text.trim().chars().nth(40).is_some() {
        short.push('…');
    }
    short
}

/// The numbers of one row, and the marks of missing values met so far.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) numerals: Numerals,
    /// `NaN` is missing.
    pub(crate) values: Vec<f64>,
    /// One a value where any of the row is a bound, else none.
    pub(crate) bounds: Vec<Bound>,
    /// Whether any of the row is a bound.
    pub(crate) bounded: bool,
    marks: BTreeSet<String>,
}

impl Numbers {
    pub(crate) fn new(numerals: Numerals) -> Self {
        Numbers { numerals, ..Numbers::default() }
    }

    /// Reads the fields of a record from `skip` on; `at` names the file.
    pub(crate) fn fill(&mut self, record: &ByteRecord, skip: usize, line: u64, at: &At) -> Result<(), Error> {
        self.clear();
        for (k, field) in record.iter().enumerate().skip(skip) {
            self.push(field, || at.clone().line(line).column(k as u64 + 1))?;
        }
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.bounds.clear();
        self.bounded = false;
    }

    #[inline]
    pub(crate) fn push(&mut self, bytes: &[u8], at: impl Fn() -> At) -> Result<(), Error> {
        let (value, bound) = match parse(bytes, self.numerals) {
            Ok(Cell::Value(v)) => (v, Bound::Exact),
            Ok(Cell::Bound(bound, v)) => {
                self.bounded = true;
                self.bounds.resize(self.values.len(), Bound::Exact);
                (v, bound)
            }
            Ok(Cell::Missing) => {
                self.note_missing(bytes);
                (f64::NAN, Bound::Exact)
            }
            Err(why) => return Err(wrong(at(), bytes, why)),
        };
        if value < 0.0 && !self.numerals.signed {
            return Err(negative(at(), value));
        }
        self.values.push(value);
        if self.bounded {
            self.bounds.push(bound);
        }
        Ok(())
    }

    pub(crate) fn note_missing(&mut self, bytes: &[u8]) {
        let mark = bytes.trim_ascii();
        if !self.marks.iter().any(|m| m.as_bytes() == mark) {
            self.marks.insert(String::from_utf8_lossy(mark).into_owned());
        }
    }

    /// The bounds of the row, if it has any.
    pub(crate) fn some_bounds(&self) -> Option<&[Bound]> {
        self.bounded.then_some(&self.bounds)
    }

    /// What was taken as missing, in words.
    pub(crate) fn assumption(&self) -> Option<String> {
        let marks: Vec<String> = self
            .marks
            .iter()
            .map(|m| if m.is_empty() { "empty cells".to_string() } else { format!("`{m}`") })
            .collect();
        match marks.as_slice() {
            [] => None,
            [one] if one.starts_with('`') => Some(format!("{one} is a missing distance, not a distance of 0")),
            _ => Some(format!("{} are missing distances, not distances of 0", marks.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_bounds_and_gaps() {
        let read = |t: &str| parse(t.as_bytes(), Numerals::default());
        assert_eq!(read(" 0 "), Ok(Cell::Value(0.0)));
        assert_eq!(read("-1.5e1"), Ok(Cell::Value(-15.0)));
        for gap in ["", " ", "NA", "-", ".", "*", "?", "<NA>"] {
            assert_eq!(read(gap), Ok(Cell::Missing), "{gap}");
        }
        let loose = Numerals { nan_missing: true, ..Numerals::default() };
        for nan in ["nan", "NaN"] {
            assert_eq!((read(nan), parse(nan.as_bytes(), loose)), (Err(Wrong::Nan), Ok(Cell::Missing)));
        }
        for bound in ["<10", "<=10", "≤ 10"] {
            assert_eq!(read(bound), Ok(Cell::Bound(Bound::AtMost, 10.0)), "{bound}");
        }
        for bound in [">80", ">=80", "≥80"] {
            assert_eq!(read(bound), Ok(Cell::Bound(Bound::AtLeast, 80.0)), "{bound}");
        }
        for infinite in ["inf", "-Inf", "Infinity", "1e999"] {
            assert_eq!(read(infinite), Err(Wrong::Infinite), "{infinite}");
        }
        for text in ["abc", "1_000", "none", "<", "1,5", "--", "-nan"] {
            assert_eq!(read(text), Err(Wrong::Text), "{text}");
        }
        assert_eq!(parse(b"1,5", Numerals { decimal_comma: true, ..Numerals::default() }), Ok(Cell::Value(1.5)));
    }

    /// The numbers of Rust's own parser, to the last bit, and nothing else.
    #[test]
    fn numbers_are_those_of_the_standard_library() {
        let loose = Numerals { signed: true, of_any_size: true, ..Numerals::default() };
        let same = |text: &str| match text.parse::<f64>() {
            Ok(v) if v.is_finite() => {
                assert!(matches!(number(text.as_bytes(), loose), Ok(w) if w.to_bits() == v.to_bits()), "{text}")
            }
            Ok(_) => assert!(number(text.as_bytes(), loose).is_err(), "{text}"),
            Err(_) => assert_eq!(number(text.as_bytes(), loose), Err(Wrong::Text), "{text}"),
        };
        for text in [
            "5.",
            ".5",
            "+1",
            "-0",
            ".",
            "1e",
            "0x10",
            "1e+05",
            "iNfinity",
            "1_0",
            "9007199254740993",
            "4.9e-324",
            "1e23",
        ] {
            same(text);
        }
        let mut rng = nearer_num::rng::Rng::task(3, 0);
        for _ in 0..20_000 {
            let some: String =
                (0..1 + rng.below(24)).map(|_| b"01234567890123456789.eE+-"[rng.below(25)] as char).collect();
            same(&some);
            same(&format!("{:e}", f64::from_bits(rng.below(usize::MAX) as u64)));
        }
    }
}
