//! Stress: how far the distances on a map are from what the data ask for, in all and object by object.

use nearer_num::packed;

use crate::error::Error;
use crate::evaluate::disparity::{Disparities, Target, bound_at, disparities, known, one_sided};
use crate::evidence::Distances;
use crate::geometry::Embedding;

/// The stress of a map.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StressReport {
    /// `Σ w (δ - d)²` against the data, `Σ w (d̂ - d)²` otherwise.
    pub raw: f64,
    /// `Σ w (d̂ - d)² / Σ w d̂²`. Against the data, `d̂` is here the data themselves (`b = 1`), as metric scaling minimises
    /// it: at such a minimum this is the square of `stress1`.
    pub normalized: f64,
    /// Kruskal's stress-1, `sqrt(Σ w (d̂ - d)² / Σ w d²)`.
    pub stress1: f64,
    /// The share of each object of the data in `Σ w (d̂ - d)²`, in percent, half of a pair to either; they sum to 100, or
    /// are all 0 where nothing is left over. R's smacof calls it `spp`.
    pub per_object: Vec<f64>,
    /// The multiple `b` of the data that makes `stress1` least; 1 for the other targets.
    pub scale: f64,
    /// How many pairs were known, bounds included.
    pub pairs: usize,
}

/// The stress of a map against data: missing pairs are left out, bounds count on one side, weights weigh.
///
/// A map whose points all coincide explains nothing and has stress-1 = 1, unless the data are all 0 too.
/// `O(n² p)` time, `O(n²)` memory.
///
/// # Fails
/// When an object of the data is not on the map, when nothing is known, or when squares overflow.
///
/// # Reference
/// Kruskal (1964), *Psychometrika* 29; Borg and Groenen (2005), chapter 3 and section 11.2.
///
/// ```
/// use nearer::{Distances, Embedding, Objects, evaluate::{stress, Target}};
/// # fn main() -> Result<(), nearer::Error> {
/// let objects = Objects::new(["a", "b", "c"])?;
/// let data = Distances::from_condensed(objects.clone(), vec![3.0, 4.0, 5.0])?;
/// let map = Embedding::new(objects, ndarray::array![[0.0, 0.0], [6.0, 0.0], [0.0, 8.0]])?;
/// let report = stress(&map, &data, Target::Data)?;
/// assert!(report.stress1 < 1e-12 && report.scale == 2.0);      // the right shape, twice the size
/// assert_eq!(report.raw, 9.0 + 16.0 + 25.0);
/// # Ok(()) }
/// ```
pub fn stress(map: &Embedding, data: &Distances, target: Target<'_>) -> Result<StressReport, Error> {
    Ok(report(data, target, &disparities(map, data, target)?))
}

pub(super) fn report(data: &Distances, target: Target<'_>, d: &Disparities) -> StressReport {
    let n = data.len();
    let (mut raw, mut left, mut distances, mut disparities, mut own) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let (mut pairs, mut asks) = (0, false);
    let mut per_object = vec![0.0; n];
    let mut k = 0;
    for i in 0..n {
        for j in i + 1..n {
            let w = data.weight_at(k);
            if w > 0.0 {
                let value = one_sided(bound_at(data, k), d.distance[k], data.condensed()[k]);
                let disparity = d.at(data, k);
                let square = w * (disparity - d.distance[k]).powi(2);
                raw += w * (value - d.distance[k]).powi(2);
                left += square;
                distances += w * d.distance[k].powi(2);
                disparities += w * disparity.powi(2);
                own += w * value.powi(2);
                per_object[i] += square;
                per_object[j] += square;
                pairs += 1;
                asks |= value > 0.0;
            }
            k += 1;
        }
    }
    let stress1 = match distances > 0.0 {
        true => (left / distances).sqrt(),
        false => f64::from(u8::from(asks)),
    };
    let (raw, normalized) = match target {
        Target::Data => (raw, ratio(raw, own)),
        Target::Ordinal(_) | Target::Transform(_) => (left, ratio(left, disparities)),
    };
    let total: f64 = per_object.iter().sum();
    per_object.iter_mut().for_each(|v| *v = if total > 0.0 { 100.0 * *v / total } else { 0.0 });
    StressReport { raw, normalized, stress1, per_object, scale: d.scale, pairs }
}

/// Something left over where nothing was asked for counts as all of it.
fn ratio(left: f64, whole: f64) -> f64 {
    if whole > 0.0 { left / whole } else { f64::from(u8::from(left > 0.0)) }
}

/// The objects of the k-th pair.
pub(super) fn ends(data: &Distances, k: usize) -> (usize, usize) {
    packed::pair(data.len(), k)
}

/// The known pairs, largest `w (d̂ - d)²` first, at most `count`.
pub(super) fn worst(data: &Distances, d: &Disparities, count: usize) -> Vec<usize> {
    let size = |k: usize| data.weight_at(k) * (d.at(data, k) - d.distance[k]).powi(2);
    let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let mut kept: Vec<(f64, usize)> = Vec::with_capacity(2 * count.min(data.pairs()) + 1);
    for k in known(data) {
        kept.push((size(k), k));
        // Only the worst are held: the whole list would be as large as the data twice over.
        if kept.len() > 2 * count {
            kept.sort_unstable_by(order);
            kept.truncate(count);
        }
    }
    kept.sort_unstable_by(order);
    kept.truncate(count);
    kept.into_iter().map(|(_, k)| k).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Ties;
    use crate::evidence::{Bound, Repeats};
    use crate::model::Transform;
    use crate::object::Objects;
    use crate::toy;
    use ndarray::{Array2, array};

    const TARGETS: [Target<'static>; 3] =
        [Target::Data, Target::Ordinal(Ties::Primary), Target::Transform(&Transform::Identity)];

    fn map(points: Array2<f64>) -> Embedding {
        Embedding::new(Objects::numbered(points.nrows()), points).unwrap()
    }

    #[test]
    fn the_identity_transform_is_raw_stress() {
        let data = toy::noisy(8, 2, 0.2, 3);
        let e = map(Array2::from_shape_fn((8, 2), |(i, k)| (1.3 * i as f64 + k as f64).sin()));
        let r = stress(&e, &data, Target::Transform(&Transform::Identity)).unwrap();
        let sum: f64 = data.condensed().iter().map(|v| v * v).sum();
        assert!((r.normalized - r.raw / sum).abs() < 1e-14);
        assert!((r.per_object.iter().sum::<f64>() - 100.0).abs() < 1e-10);
    }

    #[test]
    fn degenerate_maps_and_data_have_finite_figures() {
        let zero = Distances::from_condensed(Objects::numbered(3), vec![0.0; 3]).unwrap();
        let some = Distances::from_condensed(Objects::numbered(3), vec![1.0, 2.0, 2.0]).unwrap();
        let heap = map(Array2::zeros((3, 2)));
        let spread = map(array![[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]]);
        for target in TARGETS {
            assert_eq!(stress(&heap, &zero, target).unwrap().stress1, 0.0);
            assert_eq!(stress(&heap, &some, target).unwrap().stress1, 1.0);
            for (e, d) in [(&heap, &zero), (&heap, &some), (&spread, &zero), (&spread, &some)] {
                let r = stress(e, d, target).unwrap();
                let all = [r.raw, r.normalized, r.stress1, r.scale];
                assert!(all.iter().chain(&r.per_object).all(|v| v.is_finite()), "{r:?}");
            }
        }
        let two = Distances::from_condensed(Objects::numbered(2), vec![5.0]).unwrap();
        assert_eq!(stress(&map(array![[0.0], [1.0]]), &two, Target::Data).unwrap().stress1, 0.0);
    }

    #[test]
    fn nothing_known_one_object_and_huge_numbers_are_refused() {
        let nothing = Distances::from_parts(
            Objects::numbered(3),
            vec![0.0; 3],
            Some(vec![0.0; 3]),
            None::<Vec<Bound>>,
            Repeats::default(),
        );
        let e = map(array![[0.0], [1.0], [2.0]]);
        let text = stress(&e, &nothing.unwrap(), Target::Data).unwrap_err().to_string();
        assert!(text.contains("none of the 3 pairs"), "{text}");
        let one = Distances::from_condensed(Objects::numbered(1), vec![]).unwrap();
        assert!(matches!(stress(&e, &one, Target::Data), Err(Error::TooFew { .. })));
        let huge = Distances::from_condensed(Objects::numbered(3), vec![1e200, 1.0, 1.0]);
        assert!(huge.unwrap_err().to_string().contains("1e200"));
    }

    #[test]
    fn objects_are_joined_by_label() {
        let data = Distances::from_condensed(Objects::new(["c", "a"]).unwrap(), vec![2.0]).unwrap();
        let e = Embedding::new(Objects::new(["a", "b", "c"]).unwrap(), array![[0.0], [9.0], [2.0]]).unwrap();
        assert_eq!(stress(&e, &data, Target::Data).unwrap().raw, 0.0);
        let other = Distances::from_condensed(Objects::new(["a", "z"]).unwrap(), vec![2.0]).unwrap();
        assert!(stress(&e, &other, Target::Data).unwrap_err().to_string().contains("`z`"));
    }
}
