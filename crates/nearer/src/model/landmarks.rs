//! Placing by landmarks: a new point is linear in its squared distances to them.
//!
//! Classical scaling, landmark MDS, MetricMap and FastMap all place a new object by one affine map of its squared
//! distances to some old objects (Bengio et al. 2004; Platt 2005): the Nyström extension of the eigenvectors. They
//! differ in which objects those are and how the map was made, so one model serves them all.

use ndarray::{Array1, Array2};

use crate::error::Error;
use crate::evidence::DistanceRows;
use crate::fit::{Place, place_rows};
use crate::geometry::{Embedding, Pose};
use crate::model::Parts;
use crate::object::Objects;
use crate::transform::Shift;

/// `y = offset + Σₖ δₖ² basisₖ` over the landmarks `k`.
#[derive(Debug, Clone)]
pub struct Landmarks {
    landmarks: Objects,
    basis: Array2<f64>,
    offset: Array1<f64>,
    shift: Shift,
}

impl Landmarks {
    /// The affine map: one row of `basis` for each landmark.
    #[must_use]
    pub fn new(landmarks: Objects, basis: Array2<f64>, offset: Array1<f64>, shift: Shift) -> Self {
        debug_assert_eq!((landmarks.len(), offset.len()), basis.dim());
        // Row after row, as placing reads it.
        Landmarks { landmarks, basis: basis.as_standard_layout().into_owned(), offset, shift }
    }
    /// The old objects a new row needs distances to.
    #[must_use]
    pub fn landmarks(&self) -> &Objects {
        &self.landmarks
    }
    /// Dimensions of the map.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.offset.len()
    }
    /// The same model after the map was moved into its pose.
    #[must_use]
    pub fn posed(self, pose: &Pose) -> Self {
        let offset = (&self.offset - &pose.centre).dot(&pose.axes);
        Landmarks::new(self.landmarks, self.basis.dot(&pose.axes), offset, self.shift)
    }

    /// The point of an object from its distances to the landmarks. `own` is the index of the landmark that the object
    /// itself is, if it is one: the correction shifts distances between different objects only.
    #[must_use]
    pub fn point(&self, distances: impl Iterator<Item = f64>, own: Option<usize>) -> Vec<f64> {
        let mut y = self.offset.to_vec();
        let basis = self.basis.as_slice().unwrap_or_default().chunks_exact(y.len().max(1));
        for (k, (d, basis)) in distances.zip(basis).enumerate() {
            let square = if own == Some(k) { d * d } else { self.shift.square(d) };
            for (y, b) in y.iter_mut().zip(basis) {
                *y += square * b;
            }
        }
        y
    }

    pub(crate) fn to_parts(&self) -> Parts {
        let mut parts = Parts::new("landmarks");
        parts.arrays.insert("basis".into(), self.basis.clone().into_dyn());
        parts.arrays.insert("offset".into(), self.offset.clone().into_dyn());
        parts.labels.insert("landmarks".into(), self.landmarks.labels().to_vec());
        parts.settings.insert("shift".into(), serde_json::json!(self.shift));
        parts
    }
    pub(crate) fn from_parts(parts: &Parts) -> Result<Self, Error> {
        let (landmarks, basis, offset) = (parts.objects("landmarks")?, parts.matrix("basis")?, parts.vector("offset")?);
        if basis.dim() != (landmarks.len(), offset.len()) {
            return Err(parts.defect("its arrays do not fit together"));
        }
        Ok(Landmarks::new(landmarks, basis, offset, parts.setting("shift")?))
    }
}

impl Place<DistanceRows> for Landmarks {
    fn place(&self, query: &DistanceRows) -> Result<Embedding, Error> {
        let columns = query.columns_of(&self.landmarks)?;
        let index = self.landmarks.index();
        place_rows(query.objects(), self.dim(), |r| {
            let row = query.row(r);
            if let Some(&gap) = columns.iter().find(|c| row[**c].is_nan()) {
                return Err(Error::Evidence {
                    what: format!("`{}` has no distance to `{}`", query.objects().labels()[r], query.to().labels()[gap]),
                    remedy: "this kind of map places an object from all its landmark distances: measure it, or map with metric-mds".into(),
                });
            }
            let own = index.get(query.objects().labels()[r].as_str()).map(|item| item.index());
            Ok(self.point(columns.iter().map(|c| row[*c]), own))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_shift_spares_the_object_itself() {
        let m =
            Landmarks::new(Objects::new(["a", "b"]).unwrap(), array![[1.0], [10.0]], array![0.5], Shift::Squared(2.0));
        assert_eq!(m.point([3.0, 1.0].into_iter(), None), [0.5 + 11.0 + 30.0]);
        assert_eq!(m.point([0.0, 1.0].into_iter(), Some(0)), [0.5 + 0.0 + 30.0]);
    }
}
