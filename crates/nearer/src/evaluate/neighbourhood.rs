//! Neighbourhoods: whether the neighbours on the map are neighbours in the data, and the other way round.

use nearer_num::{packed, par};

use crate::error::Error;
use crate::evaluate::join;
use crate::evidence::Distances;
use crate::geometry::Embedding;
use crate::object::Item;

/// How well neighbourhoods are kept; 1 is perfect.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Neighbourhood {
    /// The number of neighbours looked at.
    pub k: usize,
    /// Low when strangers were drawn into neighbourhoods: what looks near on the map is not.
    pub trustworthiness: f64,
    /// Low when neighbours were torn apart: what is near in the data does not look it.
    pub continuity: f64,
    /// The mean share of the `k` nearest of an object in the data that are among its `k` nearest on the map.
    pub overlap: f64,
}

/// Trustworthiness, continuity and overlap of the `k` nearest neighbours.
///
/// With `r(i, j)` the rank of `j` among the neighbours of `i` in the data, and `U` the neighbours on the map that are none
/// in the data, trustworthiness is `1 - 2 / (n k (2n - 3k - 1)) Σᵢ Σ_{j ∈ Uᵢ} (r(i, j) - k)`; continuity is the same with data
/// and map changed over. scikit-learn's `trustworthiness` is this. Of equally far objects the earlier one counts as nearer.
///
/// `O(n²)` time for a good map and `O(n² k)` for a bad one, shared over rows; `O(n)` memory for each thread.
///
/// # Fails
/// When `k` is 0 or not below `n / 2`, or when a distance is missing or only a bound.
///
/// # Reference
/// Venna and Kaski (2001, 2006).
///
/// ```
/// use nearer::{Distances, Embedding, Objects, evaluate::neighbourhood};
/// # fn main() -> Result<(), nearer::Error> {
/// let data = Distances::from_condensed(Objects::numbered(4), vec![1.0, 5.0, 7.0, 4.0, 6.0, 2.0])?;
/// let map = Embedding::new(Objects::numbered(4), ndarray::array![[0.0], [1.0], [5.0], [7.0]])?;
/// let kept = neighbourhood(&data, &map, 1)?;
/// assert_eq!((kept.trustworthiness, kept.continuity, kept.overlap), (1.0, 1.0, 1.0));
/// # Ok(()) }
/// ```
pub fn neighbourhood(data: &Distances, map: &Embedding, k: usize) -> Result<Neighbourhood, Error> {
    let rows = join::rows(map, data)?;
    let n = data.len();
    if k == 0 || 2 * k >= n {
        return Err(Error::Parameter {
            name: "neighbours".into(),
            value: k.to_string(),
            expected: format!("at least 1 and less than half of the {n} objects"),
        });
    }
    complete(data)?;
    let counts = par::map(n, |i| row(data, map, &rows, i, k));
    // Whole numbers: their sum has no order to mind.
    let (strangers, torn, shared) =
        counts.into_iter().fold((0, 0, 0), |sum: (u64, u64, u64), c| (sum.0 + c.0, sum.1 + c.1, sum.2 + c.2));
    let (nf, kf) = (n as f64, k as f64);
    let share = |penalty: u64| 1.0 - penalty as f64 * (2.0 / (nf * kf * (2.0 * nf - 3.0 * kf - 1.0)));
    Ok(Neighbourhood {
        k,
        trustworthiness: share(strangers),
        continuity: share(torn),
        overlap: shared as f64 / (nf * kf),
    })
}

/// For one object: how far beyond `k` the ranks of its neighbours on the map are in the data, the same the other way
/// round, and how many neighbours they share.
fn row(data: &Distances, map: &Embedding, rows: &[usize], i: usize, k: usize) -> (u64, u64, u64) {
    let n = rows.len();
    let in_data = Row::new(n, i, |j| data.condensed()[packed::index(n, i.min(j), i.max(j))]);
    let on_map = Row::new(n, i, |j| map.distance(rows[i], rows[j]));
    let (near, drawn) = (in_data.nearest(k), on_map.nearest(k));
    let beyond = |row: &Row, of: &[u32], but: &[u32]| {
        of.iter().filter(|j| but.binary_search(j).is_err()).map(|j| (row.rank(*j) - k) as u64).sum()
    };
    let shared = near.iter().filter(|j| drawn.binary_search(j).is_ok()).count();
    (beyond(&in_data, &drawn, &near), beyond(&on_map, &near, &drawn), shared as u64)
}

/// The distances from one object to all, itself infinitely far.
struct Row(Vec<f64>);

impl Row {
    fn new(n: usize, i: usize, distance: impl Fn(usize) -> f64) -> Row {
        // Adding 0 makes -0 of it 0: the two orders below must agree.
        Row((0..n).map(|j| if j == i { f64::INFINITY } else { distance(j) + 0.0 }).collect())
    }
    /// The `k` nearest, sorted by index.
    fn nearest(&self, k: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.0.len() as u32).collect();
        let at = |j: u32| self.0[j as usize];
        order.select_nth_unstable_by(k, |&a, &b| at(a).total_cmp(&at(b)).then(a.cmp(&b)));
        order.truncate(k);
        order.sort_unstable();
        order
    }
    /// Its place by nearness, from 1. Only strangers are asked for theirs, so counting beats sorting the row.
    fn rank(&self, j: u32) -> usize {
        let (j, d) = (j as usize, self.0[j as usize]);
        let before = self.0[..j].iter().filter(|v| **v <= d).count();
        1 + before + self.0[j + 1..].iter().filter(|v| **v < d).count()
    }
}

fn complete(data: &Distances) -> Result<(), Error> {
    if data.missing() == 0 && data.censored() == 0 {
        return Ok(());
    }
    let exact = |k: &usize| data.weight_at(*k) > 0.0 && super::disparity::bound_at(data, *k) == crate::Bound::Exact;
    let (a, b) = packed::pair(data.len(), (0..data.pairs()).find(|k| !exact(k)).unwrap_or(0));
    let label = |i: usize| data.objects().label(Item(i as u32));
    Err(Error::Evidence {
        what: format!(
            "neighbours need every distance, and there is none, or only a bound, between `{}` and `{}`",
            label(a),
            label(b)
        ),
        remedy: "judge the map by its stress, which works with what is known".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Objects;
    use crate::toy;
    use ndarray::Array2;

    #[test]
    fn minus_zero_is_zero() {
        let data = Distances::from_condensed(Objects::numbered(4), vec![0.0, 0.0, -0.0, 1.0, 1.0, 1.0]).unwrap();
        let map = Embedding::new(Objects::numbered(4), ndarray::array![[0.0], [3.0], [2.0], [1.0]]).unwrap();
        assert!(neighbourhood(&data, &map, 1).unwrap().trustworthiness.is_finite());
    }

    #[test]
    fn too_many_neighbours_and_gaps_are_refused() {
        let map = Embedding::new(Objects::numbered(6), Array2::zeros((6, 2))).unwrap();
        let data = toy::gaussian(6, 2, 0);
        for k in [0, 3, 6, 100] {
            assert!(matches!(neighbourhood(&data, &map, k), Err(Error::Parameter { .. })));
        }
        let kept = neighbourhood(&data, &map, 2).unwrap();
        assert!([kept.trustworthiness, kept.continuity, kept.overlap].iter().all(|v| (0.0..=1.0).contains(v)));
        let two = Distances::from_condensed(Objects::numbered(2), vec![1.0]).unwrap();
        assert!(neighbourhood(&two, &map, 1).is_err());
        let mut square = Array2::from_elem((6, 6), 1.0);
        square.diag_mut().fill(0.0);
        (square[(2, 4)], square[(4, 2)]) = (f64::NAN, f64::NAN);
        let gap = Distances::from_square(Objects::numbered(6), square.view()).unwrap();
        assert!(neighbourhood(&gap, &map, 2).unwrap_err().to_string().contains("`3` and `5`"));
    }
}
