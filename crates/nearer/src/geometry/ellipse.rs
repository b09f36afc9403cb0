//! Confidence ellipses: where a point lies when the map is made again and again.

use serde::{Deserialize, Serialize};

/// An ellipse in the plane of two axes of a map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ellipse {
    /// Its centre.
    pub centre: [f64; 2],
    /// Its half axes, the longer first.
    pub half_axes: [f64; 2],
    /// The direction of the longer one, in radians from the first coordinate.
    pub angle: f64,
}

impl Ellipse {
    /// The ellipse that holds the share `level` of a normal distribution with the mean and covariance of `points`;
    /// `None` for fewer than three points.
    #[must_use]
    pub fn of_points(points: &[[f64; 2]], level: f64) -> Option<Ellipse> {
        if points.len() < 3 {
            return None;
        }
        let n = points.len() as f64;
        let mean = [0, 1].map(|k| points.iter().map(|p| p[k]).sum::<f64>() / n);
        let moment =
            |a: usize, b: usize| points.iter().map(|p| (p[a] - mean[a]) * (p[b] - mean[b])).sum::<f64>() / (n - 1.0);
        Some(Ellipse::of_covariance(mean, [moment(0, 0), moment(1, 1), moment(0, 1)], level))
    }

    /// The ellipse that holds the share `level` of a normal distribution with this mean, variances and covariance.
    #[must_use]
    pub fn of_covariance(centre: [f64; 2], [xx, yy, xy]: [f64; 3], level: f64) -> Ellipse {
        let middle = (xx + yy) / 2.0;
        let half = (((xx - yy) / 2.0).powi(2) + xy * xy).sqrt();
        // The chi-square quantile with two degrees of freedom has a closed form.
        let size = (-2.0 * (1.0 - level).ln()).sqrt();
        let half_axes = [middle + half, (middle - half).max(0.0)].map(|v| size * v.sqrt());
        Ellipse { centre, half_axes, angle: 0.5 * (2.0 * xy).atan2(xx - yy) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretched_cloud_has_a_stretched_ellipse_along_it() {
        let points: Vec<[f64; 2]> = (-50..=50).map(|k| [f64::from(k), f64::from(k) + f64::from(k % 3)]).collect();
        let e = Ellipse::of_points(&points, 0.95).unwrap();
        assert!((e.angle - std::f64::consts::FRAC_PI_4).abs() < 0.02 && e.half_axes[0] > 20.0 * e.half_axes[1]);
    }
}
