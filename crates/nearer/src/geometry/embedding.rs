//! A map: one row of coordinates for each object.

use ndarray::{Array1, Array2, ArrayView1, Axis};
use nearer_num::dense;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::object::Objects;

/// No coordinate is larger: squares of squares of distances on a map are numbers too. Evidence ends somewhat below it, at 1e60, so that
/// what is made of it has room.
pub(crate) const LARGEST: f64 = 1e62;

/// Coordinates of labelled objects, one row each.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    objects: Objects,
    points: Array2<f64>,
}

/// The motion that brings a map into canonical pose: `y ↦ (y - centre) · axes`.
#[derive(Debug, Clone, PartialEq)]
pub struct Pose {
    /// The mean of the points.
    pub centre: Array1<f64>,
    /// The principal axes in the columns, widest first, signs fixed.
    pub axes: Array2<f64>,
}

impl Pose {
    /// The motion applied to rows of coordinates.
    #[must_use]
    pub fn apply(&self, points: &Array2<f64>) -> Array2<f64> {
        (points - &self.centre).dot(&self.axes)
    }
}

impl Embedding {
    /// The mean of the squared distances between all pairs; 0 for fewer than two objects.
    pub(crate) fn mean_square(&self) -> f64 {
        let n = self.points.nrows();
        let Some(mean) = self.points.mean_axis(ndarray::Axis(0)).filter(|_| n > 1) else { return 0.0 };
        2.0 * (&self.points - &mean).iter().map(|v| v * v).sum::<f64>() / (n - 1) as f64
    }
    /// One row of finite coordinates for each object.
    pub fn new(objects: Objects, points: Array2<f64>) -> Result<Self, Error> {
        if points.nrows() != objects.len() {
            return Err(Error::Evidence {
                what: format!("{} rows of coordinates for {} objects", points.nrows(), objects.len()),
                remedy: "give one row for each object".into(),
            });
        }
        if let Some(((i, k), v)) = points.indexed_iter().find(|(_, v)| v.is_nan() || v.abs() > LARGEST) {
            let (what, remedy) = if v.is_finite() {
                (format!("{v:e}, and the most is {LARGEST:e}"), "use a larger unit")
            } else {
                (v.to_string(), "coordinates are finite numbers")
            };
            return Err(Error::Evidence {
                what: format!("coordinate {} of `{}` is {what}", k + 1, objects.labels()[i]),
                remedy: remedy.into(),
            });
        }
        Ok(Embedding { objects, points })
    }
    /// The objects.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// The coordinates, one row for each object.
    #[must_use]
    pub fn points(&self) -> &Array2<f64> {
        &self.points
    }
    /// The coordinates of the k-th object.
    #[must_use]
    pub fn point(&self, k: usize) -> ArrayView1<'_, f64> {
        self.points.row(k)
    }
    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.objects.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
    /// The number of coordinates.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.points.ncols()
    }
    /// The distance on the map between two objects.
    #[must_use]
    pub fn distance(&self, i: usize, j: usize) -> f64 {
        self.point(i).iter().zip(self.point(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    /// SHA-256 of the labels and coordinates, bit by bit: the same for the same map alone.
    #[must_use]
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        hash.update((self.dim() as u64).to_le_bytes());
        for label in self.objects.labels() {
            hash.update((label.len() as u64).to_le_bytes());
            hash.update(label.as_bytes());
        }
        self.points.iter().for_each(|v| hash.update(v.to_bits().to_le_bytes()));
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The motion into canonical pose: centred, principal axes widest first, and on every axis the coordinate of
    /// largest size positive (the first such object where several tie).
    pub fn pose(&self) -> Result<Pose, Error> {
        let p = self.dim();
        let centre = self.points.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(p));
        let centred = &self.points - &centre;
        let (_, mut axes) = dense::eigh(centred.t().dot(&centred).view())
            .map_err(|_| Error::Numerical { what: "the eigen-decomposition of the scatter of a map".into() })?;
        let turned = centred.dot(&axes);
        for (k, column) in turned.axis_iter(Axis(1)).enumerate() {
            let largest = column.iter().fold(0.0, |best: f64, v| if v.abs() > best.abs() { *v } else { best });
            if largest < 0.0 {
                axes.column_mut(k).mapv_inplace(|v| -v);
            }
        }
        Ok(Pose { centre, axes })
    }

    /// The same map in canonical pose.
    pub fn canonical(self) -> Result<Embedding, Error> {
        let points = self.pose()?.apply(&self.points);
        Ok(Embedding { objects: self.objects, points })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn canonical_pose_is_centred_widest_first_and_signed() {
        let e = Embedding::new(Objects::numbered(3), array![[0.0, 0.0], [1.0, 4.0], [-1.0, -7.0]]).unwrap();
        let c = e.clone().canonical().unwrap();
        let spread = |k: usize| c.points().column(k).iter().map(|v| v * v).sum::<f64>();
        assert!(c.points().mean_axis(Axis(0)).unwrap().iter().all(|m| m.abs() < 1e-14));
        assert!(spread(0) > spread(1));
        assert!((e.distance(0, 2) - c.distance(0, 2)).abs() < 1e-14);
        let again = c.clone().canonical().unwrap();
        assert!((again.points() - c.points()).iter().all(|d| d.abs() < 1e-13));
    }
}
