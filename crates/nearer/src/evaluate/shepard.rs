//! The Shepard diagram: data against distances on the map, pair by pair, and the pairs that fit worst.

use crate::error::Error;
use crate::evaluate::disparity::{Disparities, Target, bound_at, disparities, known};
use crate::evaluate::stress::ends;
use crate::evidence::{Bound, Distances};
use crate::geometry::Embedding;
use crate::object::{Item, Pair};
use nearer_num::order;

/// One point of a Shepard diagram.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ShepardPair {
    /// The pair, as indices into the objects of the data.
    pub pair: Pair,
    /// The distance `δ` of the data, or its bound.
    pub data: f64,
    /// Whether `data` is a bound.
    pub bound: Bound,
    /// What the data ask for, `d̂`.
    pub disparity: f64,
    /// The distance `d` on the map.
    pub distance: f64,
    /// The weight `w`.
    pub weight: f64,
    /// `d̂ - d`: positive where the map draws the two too near each other.
    pub residual: f64,
}

/// Every known pair of the data with its disparity and its distance on the map, in the order of the data.
///
/// `O(n² p)` time and `O(n²)` memory; fails as [`stress`](crate::evaluate::stress) does.
///
/// # Reference
/// Shepard (1962), *Psychometrika* 27; Borg and Groenen (2005), section 3.3.
///
/// ```
/// use nearer::{Distances, Embedding, Objects, evaluate::{shepard, worst_pairs, Target, Ties}};
/// # fn main() -> Result<(), nearer::Error> {
/// let data = Distances::from_condensed(Objects::numbered(3), vec![1.0, 2.0, 1.0])?;
/// let map = Embedding::new(Objects::numbered(3), ndarray::array![[0.0], [1.0], [3.0]])?;
/// let pairs = shepard(&map, &data, Target::Ordinal(Ties::Primary))?;
/// assert_eq!(pairs.len(), 3);
/// assert_eq!(pairs[1].distance, 3.0);
/// assert!(worst_pairs(&pairs, 1)[0].residual.abs() < 1e-12);   // the order is kept
/// # Ok(()) }
/// ```
pub fn shepard(map: &Embedding, data: &Distances, target: Target<'_>) -> Result<Vec<ShepardPair>, Error> {
    let d = disparities(map, data, target)?;
    Ok(known(data).filter_map(|k| point(data, &d, k)).collect())
}

/// The `k` pairs with the largest `w (d̂ - d)²`, worst first; of equals the earlier pair. All of them where there are
/// fewer. `O(m log m)` in the number of points.
///
/// ```
/// use nearer::{Distances, Embedding, Objects, evaluate::{shepard, worst_pairs, Target}};
/// # fn main() -> Result<(), nearer::Error> {
/// let data = Distances::from_condensed(Objects::numbered(3), vec![1.0, 9.0, 1.0])?;
/// let map = Embedding::new(Objects::numbered(3), ndarray::array![[0.0], [1.0], [2.0]])?;
/// let worst = worst_pairs(&shepard(&map, &data, Target::Data)?, 2);
/// assert!(worst[0].residual.abs() >= worst[1].residual.abs());
/// # Ok(()) }
/// ```
#[must_use]
pub fn worst_pairs(shepard: &[ShepardPair], k: usize) -> Vec<ShepardPair> {
    let size = |p: &ShepardPair| p.weight * p.residual * p.residual;
    let mut order: Vec<usize> = (0..shepard.len()).collect();
    order::by(&mut order, &|&a, &b| size(&shepard[b]).total_cmp(&size(&shepard[a])).then(a.cmp(&b)));
    order.into_iter().take(k).map(|i| shepard[i]).collect()
}

/// The k-th pair of the data; `None` never happens for `k` below the number of pairs.
pub(super) fn point(data: &Distances, d: &Disparities, k: usize) -> Option<ShepardPair> {
    let (i, j) = ends(data, k);
    let (disparity, distance) = (d.at(data, k), d.distance[k]);
    Some(ShepardPair {
        pair: Pair::new(Item(i as u32), Item(j as u32))?,
        data: data.condensed()[k],
        bound: bound_at(data, k),
        disparity,
        distance,
        weight: data.weight_at(k),
        residual: disparity - distance,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::stress::worst;
    use crate::object::Objects;
    use crate::toy;
    use ndarray::Array2;

    #[test]
    fn both_ways_to_the_worst_pairs_agree() {
        let data = toy::noisy(12, 3, 0.3, 1);
        let points = Array2::from_shape_fn((12, 2), |(i, k)| ((3 * i + k) as f64).sin());
        let map = Embedding::new(Objects::numbered(12), points).unwrap();
        let d = disparities(&map, &data, Target::Data).unwrap();
        let all = shepard(&map, &data, Target::Data).unwrap();
        for k in [0, 1, 5, 66, 100] {
            let short: Vec<_> = worst(&data, &d, k).into_iter().filter_map(|k| point(&data, &d, k)).collect();
            assert_eq!(short, worst_pairs(&all, k));
            assert_eq!(short.len(), k.min(66));
        }
    }
}
