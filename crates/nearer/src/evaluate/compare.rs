//! Two maps of the same objects: how far they agree once one is laid over the other, and where they do not.

use crate::error::Error;
use crate::evaluate::arrows::agreement_by_chance;
use crate::evaluate::join;
use crate::geometry::{Embedding, align};
use crate::object::Objects;
use crate::solve::Run;

/// One map laid over another.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Overlay {
    /// `Σ |a - moved b|² / Σ |a - its mean|²` over the common objects: 0 when they agree. With scaling it is between 0
    /// and 1, the same from `b` to `a`, and what SciPy's `procrustes` gives.
    pub disparity: f64,
    /// Procrustes correlation `sqrt(1 - m²)`, `m²` the disparity with scaling allowed: 1 when they agree, whether or not
    /// scaling was. vegan's `protest` reports it.
    pub correlation: f64,
    /// The factor by which `b` was scaled; 1 where scaling was not allowed.
    pub scale: f64,
    /// The objects both maps have, in the order of `a`.
    pub common: Objects,
    /// How far apart the two positions of each common object are, after the alignment.
    pub residuals: Vec<f64>,
    /// The root of the mean square of `residuals`.
    pub rmse: f64,
    /// All objects of `b`, laid over `a`.
    pub aligned: Embedding,
    /// Labels that only `a` has.
    pub only_a: Vec<String>,
    /// Labels that only `b` has.
    pub only_b: Vec<String>,
}

/// Lays the map `b` over the map `a` by moving, turning, mirroring and, if `scaling`, scaling it (Procrustes), matching
/// objects by label. A map in fewer dimensions is taken as flat in the larger space.
///
/// When all common points of one map coincide and those of the other do not, nothing agrees: disparity 1, correlation 0.
/// `O(n p²)`.
///
/// # Fails
/// When the maps have fewer than two objects in common.
///
/// # Reference
/// Gower (1975), *Psychometrika* 40; Peres-Neto and Jackson (2001) for the correlation.
///
/// ```
/// use nearer::{Embedding, Objects, evaluate::compare};
/// # fn main() -> Result<(), nearer::Error> {
/// let a = Embedding::new(Objects::new(["x", "y", "z"])?, ndarray::array![[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])?;
/// let b = Embedding::new(Objects::new(["z", "x", "y"])?, ndarray::array![[-4.0, 1.0], [0.0, 1.0], [0.0, 3.0]])?;
/// let c = compare(&a, &b, true)?;                  // turned and twice the size
/// assert!(c.disparity < 1e-12 && (c.scale - 0.5).abs() < 1e-12);
/// # Ok(()) }
/// ```
pub fn compare(a: &Embedding, b: &Embedding, scaling: bool) -> Result<Overlay, Error> {
    let (in_a, in_b) = join::common(a.objects(), b.objects());
    if in_a.len() < 2 {
        return Err(Error::TooFew {
            found: in_a.len(),
            needed: 2,
            remedy: "two maps are compared by the objects whose labels both have".into(),
        });
    }
    let dim = a.dim().max(b.dim());
    let target = join::select(a.points(), &in_a, dim);
    let points = join::select(b.points(), &in_b, dim);
    let motion = align(&points, &target, scaling)?;
    let moved = motion.apply(&points);
    let residuals: Vec<f64> = (&moved - &target).rows().into_iter().map(|r| r.dot(&r).sqrt()).collect();
    let spread = |m: &ndarray::Array2<f64>| (0..m.nrows()).any(|i| m.row(i) != m.row(0));
    let (disparity, correlation) = match (spread(&target), spread(&points)) {
        (true, true) => {
            let free = if scaling { motion.disparity } else { align(&points, &target, true)?.disparity };
            (motion.disparity, (1.0 - free).clamp(0.0, 1.0).sqrt())
        }
        (false, false) => (0.0, 1.0),
        _ => (1.0, 0.0),
    };
    let everything: Vec<usize> = (0..b.len()).collect();
    let aligned = motion.apply(&join::select(b.points(), &everything, dim));
    Ok(Overlay {
        disparity,
        correlation,
        scale: motion.scale,
        common: a.objects().subset(&in_a),
        rmse: (residuals.iter().map(|r| r * r).sum::<f64>() / residuals.len() as f64).sqrt(),
        residuals,
        aligned: Embedding::new(b.objects().clone(), aligned)?,
        only_a: join::only_in(a.objects(), b.objects()),
        only_b: join::only_in(b.objects(), a.objects()),
    })
}

impl Overlay {
    /// The share of shuffles of the objects after which two maps agree as well as these do; vegan's `protest`.
    pub fn by_chance(&self, a: &Embedding, permutations: usize, run: &Run<'_>) -> Result<f64, Error> {
        let (in_a, in_b) = join::common(a.objects(), self.aligned.objects());
        let dim = a.dim().max(self.aligned.dim());
        let (target, points) = (join::select(a.points(), &in_a, dim), join::select(self.aligned.points(), &in_b, dim));
        agreement_by_chance(&points, &target, permutations, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn map(labels: &[&str], points: Array2<f64>) -> Embedding {
        Embedding::new(Objects::new(labels.iter().copied()).unwrap(), points).unwrap()
    }

    #[test]
    fn a_flat_map_fits_into_a_deeper_one_and_strangers_are_listed() {
        let a = map(&["p", "q", "r", "s"], array![[0.0, 0.0, 1.0], [3.0, 0.0, 1.0], [0.0, 1.0, 1.0], [9.0, 9.0, 9.0]]);
        let b = map(&["r", "t", "p", "q"], array![[0.0, 1.0], [5.0, 5.0], [0.0, 0.0], [3.0, 0.0]]);
        let c = compare(&a, &b, false).unwrap();
        assert!(c.disparity < 1e-20 && (c.correlation - 1.0).abs() < 1e-12 && c.rmse < 1e-12);
        assert_eq!((c.only_a, c.only_b), (vec!["s".to_owned()], vec!["t".to_owned()]));
        assert_eq!(c.common.labels(), ["p", "q", "r"]);
        assert_eq!(c.aligned.points().dim(), (4, 3));
    }

    #[test]
    fn heaps_of_points_have_finite_figures() {
        let heap = map(&["p", "q", "r"], Array2::from_elem((3, 2), 4.0));
        let some = map(&["p", "q", "r"], array![[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]);
        for scaling in [true, false] {
            for (a, b, wanted) in [(&heap, &some, 1.0), (&some, &heap, 1.0), (&heap, &heap, 0.0)] {
                let c = compare(a, b, scaling).unwrap();
                assert_eq!((c.disparity, c.correlation), (wanted, 1.0 - wanted));
                assert!(c.residuals.iter().all(|r| r.is_finite()) && c.scale.is_finite());
            }
        }
        let e = compare(&some, &map(&["z"], array![[0.0, 0.0]]), true).unwrap_err().to_string();
        assert!(e.contains("0 objects"), "{e}");
    }
}
