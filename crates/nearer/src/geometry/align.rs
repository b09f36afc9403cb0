//! One map laid over another: Procrustes.

use ndarray::{Array1, Array2, Axis};
use nearer_num::dense;

use crate::error::Error;

/// The motion (and scaling, if allowed) that brings one set of points closest to another:
/// `x ↦ scale · (x - from) · rotation + to`.
#[derive(Debug, Clone)]
pub struct Alignment {
    /// Mean of the moved points, before.
    pub from: Array1<f64>,
    /// Mean of the target.
    pub to: Array1<f64>,
    /// A rotation, or rotation with reflection.
    pub rotation: Array2<f64>,
    /// 1 where scaling is not allowed.
    pub scale: f64,
    /// What is left: `Σ |target - moved|² / Σ |target - its mean|²`, 0 for a perfect match.
    pub disparity: f64,
}

impl Alignment {
    /// The motion applied to rows of coordinates.
    #[must_use]
    pub fn apply(&self, points: &Array2<f64>) -> Array2<f64> {
        (points - &self.from).dot(&self.rotation) * self.scale + &self.to
    }
}

/// The closest match of `points` to `target` (same rows, same number of columns): with `UΣVᵗ` the singular values of
/// `pointsᵗ target`, both centred, the rotation is `U Vᵗ` and the scale `tr Σ / |points|²` (Schönemann 1966; Gower 1975).
pub fn align(points: &Array2<f64>, target: &Array2<f64>, scaling: bool) -> Result<Alignment, Error> {
    if points.dim() != target.dim() || points.nrows() == 0 {
        return Err(Error::Evidence {
            what: format!(
                "maps of {} x {} and {} x {} coordinates",
                points.nrows(),
                points.ncols(),
                target.nrows(),
                target.ncols()
            ),
            remedy: "compare maps of the same objects in the same number of dimensions".into(),
        });
    }
    let mean = |m: &Array2<f64>| m.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(m.ncols()));
    let (from, to) = (mean(points), mean(target));
    let (x, y) = (points - &from, target - &to);
    let dense::Svd { u, s, v } = dense::svd(x.t().dot(&y).view())
        .map_err(|_| Error::Numerical { what: "the singular values of a Procrustes alignment".into() })?;
    let square = |m: &Array2<f64>| m.iter().map(|v| v * v).sum::<f64>();
    let (xx, yy) = (square(&x), square(&y));
    let scale = if scaling && xx > 0.0 { s.sum() / xx } else { 1.0 };
    let rotation = u.dot(&v.t());
    let left = square(&(x.dot(&rotation) * scale - &y));
    let disparity = if yy > 0.0 { left / yy } else { left };
    Ok(Alignment { from, to, rotation, scale, disparity })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_turned_moved_scaled_mirrored_map_matches_itself() {
        let x = array![[0.0, 0.0], [2.0, 0.0], [0.0, 1.0], [3.0, 5.0]];
        let turn = array![[0.6, 0.8], [0.8, -0.6]];
        let y = x.dot(&turn) * 2.5 + &array![4.0, -1.0];
        let a = align(&x, &y, true).unwrap();
        assert!(a.disparity < 1e-28 && (a.scale - 2.5).abs() < 1e-13);
        assert!((a.apply(&x) - &y).iter().all(|e| e.abs() < 1e-12));
        assert!(align(&x, &y, false).unwrap().disparity > 0.1);
    }
}
