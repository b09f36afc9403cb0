//! Comparisons of objects that have features, by row.

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::geometry::Embedding;
use crate::method::common;
use crate::method::features::ground::Ground;
use crate::method::features::groups::places;
use crate::object::Pair;
use crate::program::Triple;

/// The comparisons by row of the features, with weights and margins.
///
/// # Fails
/// Where there is none, or one of an object without features.
pub(crate) fn compared(ground: &Ground<'_>, c: &Comparisons) -> Result<Vec<Triple>, Error> {
    common::require_comparisons(c)?;
    let at = places(c.objects(), ground.objects())?;
    let place = |p: Pair| [at[p.first().index()] as u32, at[p.second().index()] as u32];
    Ok(c.iter().map(|r| (place(r.near), place(r.far), r.weight, r.margin)).collect())
}

/// The share of comparisons that a map of the rows keeps.
pub(crate) fn agreement(map: &Embedding, ground: &Ground<'_>, c: &Comparisons) -> Result<f64, Error> {
    let at = places(c.objects(), ground.objects())?;
    let d = |p: Pair| map.distance(at[p.first().index()], at[p.second().index()]);
    Ok(c.iter().filter(|r| d(r.near) < d(r.far)).count() as f64 / c.len() as f64)
}
