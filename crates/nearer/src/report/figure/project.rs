//! From the coordinates of a map to the sheet: one scale for both axes, whatever the size of the numbers.

use super::sheet::Rect;
use crate::geometry::Ellipse;

/// `x ↦ centre + scale · (x / unit - middle)`, the second axis turned upwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Projection {
    /// The largest coordinate: dividing by it first keeps squares and differences within range.
    unit: f64,
    low: [f64; 2],
    high: [f64; 2],
    scale: f64,
    centre: [f64; 2],
}

/// Clear space between the outermost points and the frame, in points.
const PADDING: f64 = 13.0;
/// How far an ellipse may push the frame out, as a share of the extent of the points: one object that could be anywhere
/// must not shrink the map of all others to a dot.
const MOST_ROOM: f64 = 0.6;

impl Projection {
    pub(super) fn new(coordinates: &[[f64; 2]]) -> Projection {
        let largest = coordinates.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let bound =
            |k: usize, pick: fn(f64, f64) -> f64| coordinates.iter().map(|p| p[k] / unit).reduce(pick).unwrap_or(0.0);
        let low = [0, 1].map(|k| bound(k, f64::min));
        let high = [0, 1].map(|k| bound(k, f64::max));
        Projection { unit, low, high, scale: 1.0, centre: [0.0; 2] }
    }

    /// Widens what is shown, within bounds, so that ellipses are seen whole.
    pub(super) fn make_room<'a>(&mut self, ellipses: impl Iterator<Item = &'a Ellipse>) {
        let range = (self.high[0] - self.low[0]).max(self.high[1] - self.low[1]);
        let room = if range > 0.0 { MOST_ROOM * range } else { f64::INFINITY };
        let (floor, ceiling) = (self.low.map(|v| v - room), self.high.map(|v| v + room));
        for e in ellipses {
            let (sin, cos) = e.angle.sin_cos();
            let [a, b] = e.half_axes.map(|v| v / self.unit);
            let reach = [(a * cos).hypot(b * sin), (a * sin).hypot(b * cos)];
            for k in [0, 1] {
                let middle = e.centre[k] / self.unit;
                self.low[k] = self.low[k].min((middle - reach[k]).max(floor[k]));
                self.high[k] = self.high[k].max((middle + reach[k]).min(ceiling[k]));
            }
        }
    }

    /// Height over width of what is shown.
    pub(super) fn aspect(&self) -> f64 {
        let [w, h] = self.range();
        if w > 0.0 {
            h / w
        } else if h > 0.0 {
            f64::MAX
        } else {
            0.75
        }
    }

    /// Fills a panel, in its middle.
    pub(super) fn fit(&mut self, panel: Rect) {
        let padding = PADDING.min(0.12 * panel.width()).min(0.12 * panel.height());
        let [w, h] = self.range();
        let room = panel.grown(-padding);
        let scale = (room.width() / w).min(room.height() / h);
        self.scale = if scale.is_finite() { scale } else { 1.0 };
        self.centre = [(panel.left + panel.right) / 2.0, (panel.top + panel.bottom) / 2.0];
    }

    /// A point on the sheet.
    pub(super) fn place(&self, p: [f64; 2]) -> [f64; 2] {
        let from = |k: usize| (p[k] / self.unit - (self.low[k] + self.high[k]) / 2.0) * self.scale;
        [self.centre[0] + from(0), self.centre[1] - from(1)]
    }

    /// A length on the sheet.
    pub(super) fn length(&self, v: f64) -> f64 {
        v / self.unit * self.scale
    }

    /// How much of the data's unit a point (1/72 inch) of the sheet is; `None` where all points are one.
    pub(super) fn per_point(&self) -> Option<f64> {
        let [w, h] = self.range();
        if w.max(h) > 0.0 { Some(self.unit / self.scale) } else { None }
    }

    /// A coordinate in units of the largest.
    pub(super) fn normal(&self, p: [f64; 2]) -> [f64; 2] {
        p.map(|v| v / self.unit)
    }

    /// An ellipse back from units of the largest coordinate.
    pub(super) fn denormal(&self, e: Ellipse) -> Ellipse {
        let back = |v: f64| v * self.unit;
        Ellipse { centre: e.centre.map(back), half_axes: e.half_axes.map(back), angle: e.angle }
    }

    fn range(&self) -> [f64; 2] {
        [self.high[0] - self.low[0], self.high[1] - self.low[1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANEL: Rect = Rect { left: 10.0, top: 20.0, right: 210.0, bottom: 120.0 };

    #[test]
    fn a_unit_is_as_long_one_way_as_the_other_at_every_scale() {
        for size in [1e-300, 1e-30, 1.0, 1e30, 1e300] {
            let points = [[0.0, 0.0], [3.0, 1.0], [-1.0, 2.0]].map(|p: [f64; 2]| p.map(|v| v * size));
            let mut p = Projection::new(&points);
            p.fit(PANEL);
            let [a, b, c] = points.map(|q| p.place(q));
            assert!(((b[0] - a[0]) / 3.0 - (a[1] - b[1])).abs() < 1e-9 && (a[0] - c[0] - (a[1] - b[1])).abs() < 1e-9);
            assert!([a, b, c].iter().all(|q| q[0] > 10.0 && q[0] < 210.0 && q[1] > 20.0 && q[1] < 120.0));
            assert!((p.length(3.0 * size) - (b[0] - a[0])).abs() < 1e-9);
        }
    }

    #[test]
    fn one_point_stands_in_the_middle() {
        let mut p = Projection::new(&[[7.0, 7.0], [7.0, 7.0]]);
        p.fit(PANEL);
        assert_eq!((p.place([7.0, 7.0]), p.per_point()), ([110.0, 70.0], None));
        assert_eq!(Projection::new(&[]).per_point(), None);
    }

    #[test]
    fn a_boundless_ellipse_does_not_shrink_the_map_to_a_dot() {
        let mut p = Projection::new(&[[0.0, 0.0], [1.0, 1.0]]);
        p.make_room([Ellipse { centre: [0.0, 0.0], half_axes: [1e6, 1e6], angle: 0.0 }].iter());
        p.fit(PANEL);
        assert!(p.length(1.0) > 30.0);
    }
}
