//! What any triangle of numbers goes through on its way to distances: the memory check, similarities, and gaps.

use nearer_num::packed;

use crate::error::{At, Error, Remedy};
use crate::evidence::{Bound, Distances, Repeats, Similarity};
use crate::io::source::Source;
use crate::object::{Item, Objects};

/// What a label takes beside its bytes: as text, and in an index that finds it again.
pub(crate) const LABEL_BYTES: usize = 120;

/// Refuses a triangle that does not fit, before any of it is read.
pub(crate) fn check_memory(n: usize, source: &Source) -> Result<(), Error> {
    let needed = (n as u64).saturating_mul((n as u64).saturating_sub(1)) / 2;
    check_bytes(needed.saturating_mul(8), &format!("the matrix of {n} objects"), source)
}

/// Refuses so many bytes if they do not fit.
pub(crate) fn check_bytes(needed: u64, what: &str, source: &Source) -> Result<(), Error> {
    let refuse = |available| Error::Memory {
        what: format!("{}: {what}", source.at()),
        needed,
        available,
        remedy: Remedy::from("map it from the distances to some landmarks with ")
            .setting("method", "landmark-mds")
            .and(", or allow more with ")
            .any("memory"),
    };
    match source.memory() {
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
