//! The shapes a point can have, as paths of about the same area.

use super::sheet::Path;

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Shape {
    Circle,
    Square,
    Up,
    Diamond,
    Down,
    Plus,
    Cross,
    Star,
}

impl Shape {
    /// In the order in which they are given to groups.
    pub(crate) const ALL: [Shape; 8] =
        [Shape::Circle, Shape::Square, Shape::Up, Shape::Diamond, Shape::Down, Shape::Plus, Shape::Cross, Shape::Star];

    /// The path of a marker as large as a circle of radius `r`.
    pub(in crate::report::figure) fn path(self, at: [f64; 2], r: f64) -> Path {
        if self == Shape::Circle {
            return Path::ellipse(at, [r, r], 0.0);
        }
        let corners: Vec<[f64; 2]> = self.corners().iter().map(|c| [at[0] + c[0] * r, at[1] + c[1] * r]).collect();
        Path::polygon(&corners)
    }

    /// The corners for radius 1, `y` downwards; none for the circle.
    fn corners(self) -> Vec<[f64; 2]> {
        let around = |n: usize, radius: fn(usize) -> f64, start: f64| -> Vec<[f64; 2]> {
            (0..n)
                .map(|k| {
                    let angle = (start + 360.0 * k as f64 / n as f64).to_radians();
                    [radius(k) * angle.cos(), radius(k) * angle.sin()]
                })
                .collect()
        };
        const PLUS: [[f64; 2]; 12] = [
            [-0.38, -1.15],
            [0.38, -1.15],
            [0.38, -0.38],
            [1.15, -0.38],
            [1.15, 0.38],
            [0.38, 0.38],
            [0.38, 1.15],
            [-0.38, 1.15],
            [-0.38, 0.38],
            [-1.15, 0.38],
            [-1.15, -0.38],
            [-0.38, -0.38],
        ];
        match self {
            Shape::Circle => Vec::new(),
            Shape::Square => around(4, |_| 1.25, 45.0),
            Shape::Up => around(3, |_| 1.45, -90.0),
            Shape::Diamond => around(4, |_| 1.3, 0.0),
            Shape::Down => around(3, |_| 1.45, 90.0),
            Shape::Plus => PLUS.to_vec(),
            Shape::Cross => {
                let h = std::f64::consts::FRAC_1_SQRT_2;
                PLUS.iter().map(|[x, y]| [h * (x - y), h * (x + y)]).collect()
            }
            Shape::Star => around(10, |k| if k % 2 == 0 { 1.5 } else { 0.65 }, -90.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_about_as_large_as_the_circle() {
        for shape in Shape::ALL.into_iter().skip(1) {
            let c = shape.corners();
            let area: f64 =
                (0..c.len()).map(|i| (c[i], c[(i + 1) % c.len()])).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum::<f64>()
                    / 2.0;
            assert!((2.2..=3.5).contains(&area.abs()), "{shape:?} {area}");
        }
    }
}
