//! When two distances of a map count as the same: the one tolerance behind every count of what holds on a map.

use ndarray::{Array2, Axis};

/// Squared distances that differ by no more than this share of the mean squared distance of their map touch.
///
/// The best answer to a question with rows that must hold lies on the boundary of some of them, and a solver comes as near
/// to it as its gap allows. What differs by less is rounding, and no figure shows it: two objects coincide within a
/// thousandth of the size of the map, and distances of that size are told apart from their sixth digit on.
pub const TOUCH: f64 = 1e-6;

/// How near squared distances of one map have to be to touch.
///
/// A comparison holds where `d(near) < d(far)` by more than that; where they touch it is tied. A pair holds where it lies on
/// its side of the radius or touches it, unless it is said to be unlike and the two coincide.
///
/// ```
/// use nearer::{Embedding, Objects, geometry::Touch};
/// # fn main() -> Result<(), nearer::Error> {
/// let map = Embedding::new(Objects::numbered(3), ndarray::array![[0.0], [1.0], [3.0]])?;
/// let touch = Touch::of(&map);
/// assert!(touch.nearer(1.0, 4.0) && !touch.nearer(1.0, 1.0 + 1e-7) && touch.same(1.0, 1.0 + 1e-7));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// The largest difference of two squared distances that touch.
    pub within: f64,
}

impl Touch {
    /// That of a map.
    #[must_use]
    pub fn of(map: &crate::geometry::Embedding) -> Touch {
        Touch::of_points(map.points())
    }
    /// That of points: `1e-6 · 2 Σ|yᵢ - ȳ|² / (n - 1)`, the mean being over all pairs.
    pub(crate) fn of_points(points: &Array2<f64>) -> Touch {
        let centre = points.mean_axis(Axis(0)).unwrap_or_default();
        let off = points.rows().into_iter().flat_map(|row| row.into_iter().zip(&centre)).map(|(v, c)| (v - c).powi(2));
        Touch { within: TOUCH * 2.0 * off.sum::<f64>() / points.nrows().saturating_sub(1).max(1) as f64 }
    }
    /// Whether the first squared distance is smaller, and not by touching.
    #[must_use]
    pub fn nearer(&self, near: f64, far: f64) -> bool {
        far - near > self.within
    }
    /// Whether two squared distances touch.
    #[must_use]
    pub fn same(&self, a: f64, b: f64) -> bool {
        (a - b).abs() <= self.within
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_unit_is_the_mean_squared_distance() {
        // 3, 4 and 5 apart: the mean square is 50 / 3.
        let right = array![[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]];
        assert!((Touch::of_points(&right).within / TOUCH - 50.0 / 3.0).abs() < 1e-12);
        assert_eq!(Touch::of_points(&Array2::zeros((4, 2))).within, 0.0);
    }
}
