//! A square matrix taken in row by row and kept as its triangle: half the memory, and symmetry checked on the way.

use nearer_num::packed;

use crate::error::{At, Error};
use crate::evidence::{Bound, Distances, Repeats, SYMMETRY_TOLERANCE, Similarity};
use crate::io::kinds::ReadOptions;
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
    /// Whether the entry of a pair that came first, or the one that came second, was ever other than blank or 0.
    filled: [bool; 2],
    /// Whether the entry that came first, or second, was ever other than blank.
    present: [bool; 2],
    /// The first pair with 0 on one side only: fine if that whole triangle is 0, an error otherwise.
    lopsided: Option<Clash>,
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

/// Refuses a triangle that does not fit, before any of it is read.
pub(crate) fn check_memory(n: usize, options: &ReadOptions, at: &At) -> Result<(), Error> {
    let needed = (n as u64).saturating_mul((n as u64).saturating_sub(1)) / 2;
    check_bytes(needed.saturating_mul(8), &format!("{at}: the matrix of {n} objects"), options)
}

/// Refuses so many bytes if they do not fit.
pub(crate) fn check_bytes(needed: u64, what: &str, options: &ReadOptions) -> Result<(), Error> {
    let refuse = |available| Error::Memory {
        what: what.to_string(),
        needed,
        available,
        remedy: "map it from the distances to some landmarks with --method landmark-mds, or allow more with --memory"
            .into(),
    };
    match options.memory {
        Some(available) if needed > isize::MAX as u64 => Err(refuse(available)),
        Some(available) if needed > available => Err(refuse(available)),
        Some(_) => Ok(()),
        // Asking the system for it and giving it back tells whether it could ever be had.
        None => {
            let mut probe: Vec<u8> = Vec::new();
            let asked = usize::try_from(needed).unwrap_or(usize::MAX);
            probe.try_reserve_exact(asked).map_err(|_| refuse(0)).map(|()| drop(probe))
        }
    }
}

impl Square {
    pub(crate) fn new(n: usize, options: &ReadOptions, at: &At) -> Result<Self, Error> {
        check_memory(n, options, at)?;
        let mut values = Vec::new();
        values.try_reserve_exact(packed::len(n)).map_err(|_| Error::Memory {
            what: format!("{at}: the matrix of {n} objects"),
            needed: 8 * packed::len(n) as u64,
            available: 0,
            remedy: "map it from the distances to some landmarks with --method landmark-mds".into(),
        })?;
        Ok(Square {
            n,
            values,
            bounds: None,
            diagonal: vec![f64::NAN; n],
            seen: vec![false; n],
            filled: [false; 2],
            present: [false; 2],
            lopsided: None,
        })
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
        if self.lopsided.is_some() || self.present[0] != self.present[1] {
            let empty = if self.lopsided.is_some() { "all 0" } else { "blank" };
            let side = if self.filled[0] { "lower" } else { "upper" };
            assumptions.push(format!("the {side} triangle is {empty}, so the other one holds the distances"));
        }
        self.values.resize(packed::len(self.n), f64::NAN);
        if let Some(rule) = similarity {
            convert(&mut self.values, self.bounds.as_deref_mut(), &self.diagonal, rule, &objects, at)?;
            assumptions.push(format!("the numbers are similarities s; the distance is {rule}"));
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
        remedy: "average the two, or keep one triangle, before mapping".into(),
    }
}

/// The error for a diagonal entry that is not zero.
pub(crate) fn diagonal_error(label: &str, value: f64, at: At) -> Error {
    Error::Value {
        at,
        what: format!("the diagonal entry of `{label}` is {value}, and the distance of an object to itself is 0"),
        remedy:
            "if the numbers are similarities, say how to turn them into distances with --similarity (1-s, max-s, sqrt …)"
                .into(),
    }
}

/// Distances from a packed triangle in which `NaN` is missing.
pub(crate) fn from_values(
    objects: Objects,
    mut values: Vec<f64>,
    bounds: Option<Vec<Bound>>,
    at: &At,
) -> Result<Distances, Error> {
    check_objects(objects.len())?;
    let missing = values.iter().filter(|v| v.is_nan()).count();
    if missing == values.len() {
        return Err(all_missing(at));
    }
    let weights = (missing > 0).then(|| values.iter().map(|v| f64::from(u8::from(!v.is_nan()))).collect());
    values.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = 0.0);
    Distances::from_parts(objects, values, weights, bounds, Repeats::default())
}

/// The error for a file in which nothing is known.
pub(crate) fn all_missing(at: &At) -> Error {
    Error::Format {
        at: at.clone(),
        what: "every distance is missing".into(),
        remedy: "give at least the distances that tie the objects together".into(),
    }
}

/// Refuses fewer than two objects.
pub(crate) fn check_objects(n: usize) -> Result<(), Error> {
    if n < 2 {
        return Err(Error::TooFew { found: n, needed: 2, remedy: "give a file with more objects".into() });
    }
    Ok(())
}

/// Turns packed similarities into distances in place; a bound changes sides, for more alike is nearer.
pub(crate) fn convert(
    values: &mut [f64],
    bounds: Option<&mut [Bound]>,
    diagonal: &[f64],
    rule: Similarity,
    objects: &Objects,
    at: &At,
) -> Result<(), Error> {
    let n = objects.len();
    let max = values.iter().chain(diagonal).copied().fold(f64::NEG_INFINITY, f64::max);
    for k in 0..values.len() {
        if values[k].is_nan() {
            continue;
        }
        let (i, j) = packed::pair(n, k);
        let labels = || (objects.label(Item(i as u32)), objects.label(Item(j as u32)));
        values[k] = distance(rule, values[k], (diagonal[i], diagonal[j]), max, labels, at)?;
    }
    if let Some(bounds) = bounds {
        bounds.iter_mut().for_each(|b| *b = flipped(*b));
    }
    Ok(())
}

/// The bound on a distance that a bound on a similarity is.
pub(crate) fn flipped(bound: Bound) -> Bound {
    match bound {
        Bound::Exact => Bound::Exact,
        Bound::AtMost => Bound::AtLeast,
        Bound::AtLeast => Bound::AtMost,
    }
}

/// The distance of one pair by the rule, or an error that names pair, value and rule.
pub(crate) fn distance<'a>(
    rule: Similarity,
    s: f64,
    own: (f64, f64),
    max: f64,
    labels: impl Fn() -> (&'a str, &'a str),
    at: &At,
) -> Result<f64, Error> {
    let d = rule.distance(s, own.0, own.1, max);
    if d.is_finite() && d >= 0.0 {
        return Ok(d);
    }
    let (a, b) = labels();
    let what = if rule.needs_diagonal() && (own.0.is_nan() || own.1.is_nan()) {
        format!("the rule {rule} reads the diagonal, and it has no entry for `{}`", if own.0.is_nan() { a } else { b })
    } else if rule.needs_diagonal() {
        format!(
            "the similarity {s} of `{a}` and `{b}`, whose own are {} and {}, gives no distance by the rule {rule}",
            own.0, own.1
        )
    } else {
        format!("the similarity {s} of `{a}` and `{b}` gives the distance {d} by the rule {rule}")
    };
    Err(Error::Value {
        at: at.clone(),
        what,
        remedy:
            "choose a rule that fits the range of the numbers: 1-s (any number for 1), max-s, sqrt(1-s), sqrt, -log(s)"
                .into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(rows: &[[f64; 3]]) -> Result<(Distances, Vec<String>), String> {
        let at = At::file("m.csv");
        let mut square = Square::new(3, &ReadOptions::default(), &at).unwrap();
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
        let options = ReadOptions { memory: Some(1000), ..ReadOptions::default() };
        let e = Square::new(1000, &options, &At::file("m.csv")).unwrap_err().to_string();
        assert!(e.contains("3.8 MiB") && e.contains("landmark"), "{e}");
        assert!(Square::new(usize::MAX >> 33, &ReadOptions::default(), &At::default()).is_err());
    }
}
