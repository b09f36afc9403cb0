//! A square matrix taken in row by row and kept as its triangle: half the memory, and symmetry checked on the way.

use nearer_num::packed;

use crate::error::{At, Error, Remedy};
use crate::evidence::{Bound, Distances, SYMMETRY_TOLERANCE, Similarity};
use crate::io::packing::{check_memory, convert, from_values};
use crate::io::source::Source;
use crate::object::{Item, Objects};

/// The triangle under construction.
#[derive(Debug)]
pub(crate) struct Square {
    n: usize,
    /// The upper triangle row by row, as far as rows have come; `NaN` is missing.
    values: Vec<f64>,
    bounds: Option<Vec<Bound>>,
    diagonal: Vec<f64>,
    seen: Vec<bool>,
    /// How many rows came in order, one after the other from the first, before any that did not.
    in_order: usize,
    /// Whether the entry of a pair that came first, or the one that came second, was ever other than blank or 0.
    filled: [bool; 2],
    /// Whether the entry that came first, or second, was ever other than blank.
    present: [bool; 2],
    /// The first pair with 0 on one side only: fine if that whole triangle is 0, an error otherwise.
    lopsided: Option<Clash>,
    /// Whether only one triangle was to be given, so that the other is blank needs no word.
    one_triangle: bool,
}

/// Two mirror entries that differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clash {
    pub(crate) row: usize,
    pub(crate) column: usize,
    here: f64,
    there: f64,
    line: Option<u64>,
}

/// What is wrong with a row.
#[derive(Debug)]
pub(crate) enum Fault {
    Diagonal(f64),
    Clash(Clash),
}

impl Square {
    pub(crate) fn new(n: usize, source: &Source) -> Result<Self, Error> {
        check_memory(n, source)?;
        let mut values = Vec::new();
        values.try_reserve_exact(packed::len(n)).map_err(|_| Error::Memory {
            what: format!("{}: the matrix of {n} objects", source.at()),
            needed: 8 * packed::len(n) as u64,
            available: 0,
            remedy: Remedy::from("map it from the distances to some landmarks with ").setting("method", "landmark-mds"),
        })?;
        Ok(Square {
            n,
            values,
            bounds: None,
            diagonal: vec![f64::NAN; n],
            seen: vec![false; n],
            in_order: 0,
            filled: [false; 2],
            present: [false; 2],
            lopsided: None,
            one_triangle: false,
        })
    }

    /// Only one triangle was to be given.
    pub(crate) fn of_one_triangle(&mut self) {
        self.one_triangle = true;
    }

    /// Takes in the row of object `i`: all `n` entries, `NaN` for missing. `zero_diagonal`: refuse any other.
    pub(crate) fn row(
        &mut self,
        i: usize,
        row: &[f64],
        bounds: Option<&[Bound]>,
        zero_diagonal: bool,
        line: Option<u64>,
    ) -> Result<(), Fault> {
        debug_assert_eq!(row.len(), self.n);
        if zero_diagonal && row[i] != 0.0 && !row[i].is_nan() {
            return Err(Fault::Diagonal(row[i]));
        }
        self.diagonal[i] = row[i];
        let end = packed::row_start(self.n, i + 1).min(packed::len(self.n));
        if self.values.len() < end {
            self.values.resize(end, f64::NAN);
        }
        if bounds.is_none() && self.bounds.is_none() && i == self.in_order {
            self.in_order += 1;
            self.seen[i] = true;
            return self.next_row(i, row, line);
        }
        for j in 0..self.n {
            if j == i {
                continue;
            }
            let k = packed::index(self.n, i.min(j), i.max(j));
            if k >= self.values.len() {
                self.values.resize(k + 1, f64::NAN);
            }
            let (value, bound) = (row[j], bounds.map_or(Bound::Exact, |b| b[j]));
            let second = self.seen[j];
            self.filled[usize::from(second)] |= value != 0.0 && !value.is_nan();
            self.present[usize::from(second)] |= !value.is_nan();
            if !second {
                self.put(k, value, bound);
            } else if !value.is_nan() {
                self.mirror(k, Clash { row: i, column: j, here: value, there: self.values[k], line }, bound)?;
            }
        }
        self.seen[i] = true;
        Ok(())
    }

    /// The same for the row after the last, without bounds: the usual case, and the fast one.
    fn next_row(&mut self, i: usize, row: &[f64], line: Option<u64>) -> Result<(), Fault> {
        let mut k = i.wrapping_sub(1);
        for (j, &value) in row[..i].iter().enumerate() {
            let there = self.values[k];
            if value != there && !value.is_nan() {
                self.mirror(k, Clash { row: i, column: j, here: value, there, line }, Bound::Exact)?;
            }
            k += self.n - 2 - j;
        }
        let start = packed::row_start(self.n, i);
        self.values[start..start + self.n - i - 1].copy_from_slice(&row[i + 1..]);
        for (side, part) in [(0, &row[i + 1..]), (1, &row[..i])] {
            self.filled[side] = self.filled[side] || part.iter().any(|v| *v != 0.0 && !v.is_nan());
            self.present[side] = self.present[side] || part.iter().any(|v| !v.is_nan());
        }
        Ok(())
    }

    fn put(&mut self, k: usize, value: f64, bound: Bound) {
        self.values[k] = value;
        if bound != Bound::Exact {
            let len = packed::len(self.n);
            self.bounds.get_or_insert_with(|| vec![Bound::Exact; len])[k] = bound;
        } else if let Some(bounds) = &mut self.bounds {
            bounds[k] = bound;
        }
    }

    fn mirror(&mut self, k: usize, clash: Clash, bound: Bound) -> Result<(), Fault> {
        let (a, b) = (clash.there, clash.here);
        let stored = self.bounds.as_ref().map_or(Bound::Exact, |bounds| bounds[k]);
        if a.is_nan() {
            self.put(k, b, bound);
        } else if stored == bound && (a - b).abs() <= SYMMETRY_TOLERANCE * a.abs().max(b.abs()) {
            self.values[k] = a + (b - a) / 2.0;
        } else if a == 0.0 || b == 0.0 {
            self.lopsided.get_or_insert(clash);
            if a == 0.0 {
                self.put(k, b, bound);
            }
        } else {
            return Err(Fault::Clash(clash));
        }
        Ok(())
    }

    /// The distances, once all rows have come.
    pub(crate) fn finish(
        mut self,
        objects: Objects,
        similarity: Option<Similarity>,
        at: &At,
        assumptions: &mut Vec<String>,
    ) -> Result<Distances, Error> {
        if let Some(clash) = self.lopsided.filter(|_| self.filled == [true; 2]) {
            return Err(clash_error(&objects, clash, at));
        }
        if self.lopsided.is_some() || (self.present[0] != self.present[1] && !self.one_triangle) {
            let empty = if self.lopsided.is_some() { "all 0" } else { "blank" };
            let side = if self.filled[0] { "lower" } else { "upper" };
            assumptions.push(format!("the {side} triangle is {empty}, so the other one holds the distances"));
        }
        self.values.resize(packed::len(self.n), f64::NAN);
        if let Some(rule) = similarity {
            convert(&mut self.values, self.bounds.as_deref_mut(), &self.diagonal, rule, &objects, at)?;
            assumptions.push(rule.said());
        }
        from_values(objects, self.values, self.bounds, at)
    }
}

/// The error for mirror entries that differ.
pub(crate) fn clash_error(objects: &Objects, clash: Clash, at: &At) -> Error {
    let label = |k: usize| objects.label(Item(k as u32));
    let at = At { line: clash.line.or(at.line), ..at.clone() };
    Error::Value {
        at,
        what: format!(
            "the matrix is not symmetric: `{}` to `{}` is {}, and back it is {} (more than {SYMMETRY_TOLERANCE:e} of the larger apart, or a bound on one side only)",
            label(clash.column),
            label(clash.row),
            clash.there,
            clash.here
        ),
        remedy: Remedy::from("average the two with ")
            .setting("symmetrise", "mean")
            .and(", keep one triangle with ")
            .setting("kind", "upper")
            .and(" or ")
            .setting("kind", "lower")
            .and(", or, where they are meant to differ, map both by asymmetric-mds with ")
            .setting("kind", "rows"),
    }
}

/// The error for a diagonal entry that is not zero.
pub(crate) fn diagonal_error(label: &str, value: f64, at: At) -> Error {
    Error::Value {
        at,
        what: format!("the diagonal entry of `{label}` is {value}, and the distance of an object to itself is 0"),
        remedy: Remedy::from("if the numbers are similarities, say how to turn them into distances with ")
            .any("similarity")
            .and(" (1-s, max-s, sqrt …)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(rows: &[[f64; 3]]) -> Result<(Distances, Vec<String>), String> {
        let at = At::file("m.csv");
        let mut square = Square::new(3, &Source::from("m.csv")).unwrap();
        for (i, row) in rows.iter().enumerate() {
            square.row(i, row, None, true, Some(i as u64 + 1)).map_err(|f| format!("{f:?}"))?;
        }
        let mut said = Vec::new();
        let d = square.finish(Objects::numbered(3), None, &at, &mut said).map_err(|e| e.to_string())?;
        Ok((d, said))
    }

    #[test]
    fn a_triangle_of_zeros_is_no_triangle_of_distances() {
        for rows in [[[0., 1., 2.], [0., 0., 3.], [0., 0., 0.]], [[0., 0., 0.], [1., 0., 0.], [2., 3., 0.]]] {
            let (d, said) = square(&rows).unwrap();
            assert_eq!(d.condensed(), [1.0, 2.0, 3.0]);
            assert!(said[0].contains("triangle is all 0"), "{said:?}");
        }
    }

    #[test]
    fn one_zero_against_a_number_is_an_asymmetry() {
        let e = square(&[[0., 0., 2.], [1., 0., 3.], [2., 3., 0.]]).unwrap_err();
        assert!(e.contains("`1` to `2` is 0, and back it is 1") && e.contains("line 2"), "{e}");
    }

    #[test]
    fn memory_is_refused_with_the_estimate() {
        let e = Square::new(1000, &Source::from("m.csv").within(1000)).unwrap_err().to_string();
        assert!(e.contains("3.8 MiB") && e.contains("landmark"), "{e}");
        assert!(Square::new(usize::MAX >> 33, &Source::from("m.csv")).is_err());
    }
}
