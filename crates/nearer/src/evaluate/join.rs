//! Objects of data and of maps, brought together by their labels.

use ndarray::{Array2, Axis, s};
use nearer_num::{packed, par};

use crate::error::Error;
use crate::evidence::Distances;
use crate::geometry::Embedding;
use crate::object::{Item, Objects};

/// The row on the map of every object of the data.
pub(super) fn rows(map: &Embedding, data: &Distances) -> Result<Vec<usize>, Error> {
    if data.len() < 2 {
        return Err(Error::TooFew {
            found: data.len(),
            needed: 2,
            remedy: "a map is judged by the distances between objects".into(),
        });
    }
    if map.objects() == data.objects() {
        return Ok((0..data.len()).collect());
    }
    let index = map.objects().index();
    let row = |label: &String| {
        index.get(label.as_str()).map(|item| item.index()).ok_or_else(|| Error::UnknownLabel {
            label: label.clone(),
            place: "the data".into(),
            objects: map.len(),
            remedy: "the objects must be those of the map: map this one too, or leave it out of the data".into(),
        })
    };
    data.objects().labels().iter().map(row).collect()
}

/// The row on the map of every object that is judged; an object that no judgement names need not be on the map.
pub(super) fn judged_rows(
    map: &Embedding,
    objects: &Objects,
    judged: impl Iterator<Item = Item>,
) -> Result<Vec<Option<usize>>, Error> {
    let mut named = vec![false; objects.len()];
    judged.for_each(|item| named[item.index()] = true);
    let index = map.objects().index();
    let rows: Vec<Option<usize>> =
        objects.labels().iter().map(|label| index.get(label.as_str()).map(|item| item.index())).collect();
    let missing: Vec<&String> =
        (0..objects.len()).filter(|&k| named[k] && rows[k].is_none()).map(|k| &objects.labels()[k]).collect();
    if missing.is_empty() {
        return Ok(rows);
    }
    let shown: Vec<String> = missing.iter().take(5).map(|label| format!("`{label}`")).collect();
    let more = if missing.len() > 5 { format!(" and {} more", missing.len() - 5) } else { String::new() };
    let verb = if missing.len() == 1 { "is" } else { "are" };
    Err(Error::Evidence {
        what: format!("{}{more} {verb} judged, but not on the map of {} objects", shown.join(", "), map.len()),
        remedy: "map these objects too, or leave their judgements out".into(),
    })
}

/// The labels of `of` that `other` does not have, in order.
pub(super) fn only_in(of: &Objects, other: &Objects) -> Vec<String> {
    let index = other.index();
    of.labels().iter().filter(|label| !index.contains_key(label.as_str())).cloned().collect()
}

/// For every label that both have, its row in each, in the order of `a`.
pub(super) fn common(a: &Objects, b: &Objects) -> (Vec<usize>, Vec<usize>) {
    let index = b.index();
    let found = |(i, label): (usize, &String)| index.get(label.as_str()).map(|item| (i, item.index()));
    a.labels().iter().enumerate().filter_map(found).unzip()
}

/// Some rows of a map, with columns of zeros up to `dim`: a flat map is a map in more dimensions too.
pub(super) fn select(points: &Array2<f64>, rows: &[usize], dim: usize) -> Array2<f64> {
    let mut out = Array2::zeros((rows.len(), dim.max(points.ncols())));
    out.slice_mut(s![.., ..points.ncols()]).assign(&points.select(Axis(0), rows));
    out
}

/// The distances on the map between the objects at these rows, in the order of condensed data.
pub(super) fn map_distances(map: &Embedding, rows: &[usize]) -> Vec<f64> {
    let n = rows.len();
    let pieces = par::map(n, |i| (i + 1..n).map(|j| map.distance(rows[i], rows[j])).collect::<Vec<f64>>());
    let mut all = Vec::with_capacity(packed::len(n));
    pieces.iter().for_each(|piece| all.extend_from_slice(piece));
    all
}
