//! What becomes of measured distances on their way to a map: a fit finds it, and its model takes new rows the same way.

mod own_curve;

pub use own_curve::OwnCurve;
pub(crate) use own_curve::Price;

use serde::{Deserialize, Serialize};

/// The additive correction that was applied to the training distances, and is applied to a new row alike.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shift {
    /// None.
    None,
    /// `δ² + c` (Lingoes, constant shift).
    Squared(f64),
    /// `(δ + c)²` (Cailliez).
    Plain(f64),
}

impl Shift {
    /// The number that is added; 0 for none.
    #[must_use]
    pub fn constant(self) -> f64 {
        match self {
            Shift::None => 0.0,
            Shift::Squared(c) | Shift::Plain(c) => c,
        }
    }
    /// The squared distance after the correction.
    #[must_use]
    pub fn square(self, distance: f64) -> f64 {
        match self {
            Shift::None => distance * distance,
            Shift::Squared(c) => distance * distance + c,
            Shift::Plain(c) => (distance + c) * (distance + c),
        }
    }
}

/// From a distance as measured to the distance it stands for on the map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transform {
    /// The distance itself.
    Identity,
    /// A broken line through increasing knots, level beyond its ends; made from monotone regression.
    Steps {
        /// Data values, increasing.
        x: Vec<f64>,
        /// Their disparities, not decreasing.
        y: Vec<f64>,
    },
    /// `offset + Σ weight_k I_k(x)` over the monotone splines of `nearer_num::spline`; beyond its ends it goes on as a line.
    Spline {
        /// Polynomial degree.
        degree: usize,
        /// All knots: the ends and the interior ones, increasing.
        knots: Vec<f64>,
        /// The constant and one weight for each spline, none negative.
        weights: Vec<f64>,
    },
}

impl Transform {
    /// The disparity of a distance.
    #[must_use]
    pub fn apply(&self, x: f64) -> f64 {
        match self {
            Transform::Identity => x,
            Transform::Steps { x: xs, y: ys } => interpolate(xs, ys, x),
            Transform::Spline { degree, knots, weights } => nearer_num::spline::evaluate(*degree, knots, weights, x),
        }
    }
}

fn interpolate(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let k = xs.partition_point(|v| *v < x);
    match (k.checked_sub(1), xs.get(k)) {
        (_, Some(&right)) if right == x => ys[k],
        (Some(left), Some(&right)) => {
            let t = (x - xs[left]) / (right - xs[left]);
            ys[left] + t * (ys[k] - ys[left])
        }
        (None, Some(_)) => ys[0],
        (Some(left), None) => ys[left],
        (None, None) => x,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_line_goes_through_its_knots_and_is_level_outside() {
        let t = Transform::Steps { x: vec![1.0, 2.0, 4.0], y: vec![0.0, 3.0, 5.0] };
        let at = [0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0].map(|x| t.apply(x));
        assert_eq!(at, [0.0, 0.0, 1.5, 3.0, 4.0, 5.0, 5.0]);
    }
}
