//! Parts of a study out of arrays, with what is wrong said in the words of a file.

use ndarray::{Array2, ArrayView2};
use nearer::evidence::{SYMMETRY_TOLERANCE, Similarity, Task};
use nearer::io::FileKind;
use nearer::{Distances, Error, Item, Objects};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::error::Raised as _;

/// Distances with their labels in what is said of them.
pub(crate) fn distances(objects: Objects, square: ArrayView2<'_, f64>, nan_missing: bool) -> Result<Distances, Error> {
    if !nan_missing && square.dim() == (objects.len(), objects.len()) {
        let gap = square.indexed_iter().find(|((i, j), v)| i != j && v.is_nan());
        if let Some(((i, j), _)) = gap {
            let name = |k: usize| objects.label(Item(k as u32));
            return Err(Error::Evidence {
                what: format!("the distance between `{}` and `{}` is NaN", name(i), name(j)),
                remedy: nearer::error::Remedy::from("if it marks a missing distance, say ").any("nan-missing"),
            });
        }
    }
    Distances::from_square(objects, square)
}

/// Distances out of similarities, by the rule that was said; mirror entries are averaged first, as a file's are.
pub(crate) fn of_similarities(
    objects: Objects,
    square: ArrayView2<'_, f64>,
    rule: Similarity,
    nan_missing: bool,
) -> Result<Distances, Error> {
    if square.nrows() != square.ncols() {
        return Distances::from_square(objects, square);
    }
    let most = square.iter().copied().filter(|v| !v.is_nan()).fold(f64::NEG_INFINITY, f64::max);
    let mut d = Array2::zeros(square.dim());
    for ((i, j), &s) in square.indexed_iter().filter(|((i, j), _)| i != j) {
        let back = square[(j, i)];
        let s = if (s - back).abs() <= SYMMETRY_TOLERANCE * s.abs().max(back.abs()) {
            let (a, b) = if i < j { (s, back) } else { (back, s) };
            a + (b - a) / 2.0
        } else {
            s
        };
        d[(i, j)] = rule.distance(s, square[(i, i)], square[(j, j)], most);
    }
    distances(objects, d.view(), nan_missing)
}

/// Distances of which each known one counts as much as is said, pair by pair above the diagonal.
pub(crate) fn weighed(d: Distances, weights: Option<&PyReadonlyArray1<'_, f64>>) -> Result<Distances, Error> {
    let Some(weights) = weights else { return Ok(d) };
    let said = weights.as_array();
    let each = said.iter().enumerate().map(|(k, w)| if k < d.pairs() && d.weight_at(k) == 0.0 { 0.0 } else { *w });
    let (weights, bounds) = (Some(each.collect()), d.bounds().map(<[_]>::to_vec));
    Distances::from_parts(d.objects().clone(), d.condensed().to_vec(), weights, bounds, d.repeats())
}

pub(crate) fn item(objects: &Objects, number: i64) -> PyResult<Item> {
    match u32::try_from(number) {
        Ok(k) if (k as usize) < objects.len() => Ok(Item(k)),
        _ => Err(Error::UnknownLabel {
            label: number.to_string(),
            place: "a row".into(),
            objects: objects.len(),
            remedy: nearer::error::Remedy::from("name all objects with ").any("objects"),
        })
        .raised(),
    }
}

pub(crate) fn task(name: &str) -> PyResult<Task> {
    let kind: FileKind = name.parse().raised()?;
    kind.task()
        .ok_or_else(|| Error::Parameter {
            name: "kind".into(),
            value: name.into(),
            expected: "triplets, quadruplets, odd-one-out, most-central, choices or ranks".into(),
        })
        .raised()
}
