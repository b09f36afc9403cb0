//! What is to be labelled, and where each label could stand: beside its point, or further off at the end of a thin line.

use super::grid::{crosses, meet};
use super::sheet::{Anchor, Rect};
use super::text::Extent;

/// What is to be labelled.
#[derive(Debug)]
pub(super) struct Job<'a> {
    pub(super) points: &'a [[f64; 2]],
    /// The size of each label; `None` where there is nothing to write.
    pub(super) labels: &'a [Option<Extent>],
    /// Of the markers.
    pub(super) radius: f64,
    /// What labels must not leave.
    pub(super) frame: Rect,
    /// Whether the points lie on a line.
    pub(super) line: bool,
    /// Whether a label that fits nowhere is written over something instead of left out.
    pub(super) all: bool,
}

impl Job<'_> {
    /// What the marker of a point covers, the tips of triangles and stars nearly included.
    pub(super) fn marker(&self, k: usize) -> Rect {
        let [x, y] = self.points[k];
        Rect { left: x, top: y, right: x, bottom: y }.grown((1.35 * self.radius).min(self.radius + 0.9))
    }
}

/// Clear space around a label.
pub(super) const CLEAR: f64 = 0.6;
/// Clear space between two labels side by side: less would read as one name.
pub(super) const BETWEEN: f64 = 2.5;

/// A place for a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spot {
    /// What the text covers.
    pub(super) area: Rect,
    /// Where the text starts, is centred or ends, on its baseline.
    pub(super) at: [f64; 2],
    pub(super) anchor: Anchor,
    /// The line to its point, where the label does not stand beside it.
    pub(super) leader: Option<[[f64; 2]; 2]>,
    /// How much one would rather not.
    pub(super) cost: f64,
}

impl Spot {
    /// What the label and its line lie within.
    pub(super) fn bounds(&self) -> Rect {
        let Some(line) = self.leader else { return self.area };
        line.iter().fold(self.area, |r, p| Rect {
            left: r.left.min(p[0]),
            top: r.top.min(p[1]),
            right: r.right.max(p[0]),
            bottom: r.bottom.max(p[1]),
        })
    }

    /// Whether two labels, or their lines, are in each other's way.
    pub(super) fn collides(&self, other: &Spot) -> bool {
        let mut padded = other.area.grown(CLEAR);
        padded.left = other.area.left - BETWEEN;
        padded.right = other.area.right + BETWEEN;
        self.area.overlaps(&padded)
            || self.leader.is_some_and(|[p, q]| crosses(p, q, &other.area.grown(CLEAR)))
            || other.leader.is_some_and(|[p, q]| crosses(p, q, &self.area.grown(CLEAR)))
            || matches!((self.leader, other.leader), (Some(p), Some(q)) if meet(p, q))
    }

    /// Moves it into the frame, as far as the frame is wide enough.
    pub(super) fn slide_into(&mut self, frame: &Rect) {
        let into = |low: f64, high: f64, from: f64, to: f64| (from - low).max(0.0) + (to - high).min(0.0);
        let a = self.area;
        let x = into(a.left, a.right, frame.left, frame.right);
        let y = into(a.top, a.bottom, frame.top, frame.bottom);
        self.area = Rect { left: a.left + x, right: a.right + x, top: a.top + y, bottom: a.bottom + y };
        self.at = [self.at[0] + x, self.at[1] + y];
        if let Some([_, tip]) = &mut self.leader {
            *tip = [tip[0].clamp(a.left + x, a.right + x), tip[1].clamp(a.top + y, a.bottom + y)];
        }
    }

    fn new(area: Rect, extent: &Extent, lean: f64) -> Spot {
        let baseline = area.bottom - extent.bottom;
        let (x, anchor) = match lean {
            l if l > 0.5 => (area.left, Anchor::Start),
            l if l < -0.5 => (area.right, Anchor::End),
            _ => ((area.left + area.right) / 2.0, Anchor::Middle),
        };
        Spot { area, at: [x, baseline], anchor, leader: None, cost: 0.0 }
    }
}

/// Sixteen directions in the order in which they are liked: right, then left, then above and below.
const DIRECTIONS: [f64; 16] =
    [0.0, 45.0, -45.0, 180.0, 135.0, -135.0, 90.0, -90.0, 22.5, -22.5, 157.5, -157.5, 67.5, -67.5, 112.5, -112.5];

/// Places around a point of a plane, at growing distances; the nearest stand beside the marker of radius `radius`.
pub(super) fn around(point: [f64; 2], extent: &Extent, radius: f64, rings: usize) -> Vec<Spot> {
    let beside = radius + 1.3;
    let step = 0.85 * extent.height();
    let mut spots = Vec::with_capacity(32 * (rings + 1));
    for ring in 0..=rings {
        let distance = beside + step * ring as f64;
        // Further out there is room for directions between the sixteen.
        let turns: &[f64] = if ring > 2 { &[0.0, 11.25] } else { &[0.0] };
        for (turn, (rank, direction)) in turns.iter().flat_map(|t| DIRECTIONS.iter().enumerate().map(move |d| (t, d))) {
            let (sin, cos) = (direction + turn).to_radians().sin_cos();
            // Past 42 degrees the corner of the label points at the marker, below it the middle of a side.
            let lean = [(1.5 * cos).clamp(-1.0, 1.0), (-1.5 * sin).clamp(-1.0, 1.0)];
            let tip = [point[0] + distance * cos, point[1] - distance * sin];
            let middle = [tip[0] + lean[0] * extent.width / 2.0, tip[1] + lean[1] * extent.height() / 2.0];
            let mut spot = Spot::new(centred(middle, extent), extent, lean[0]);
            spot.cost = 0.08 * rank as f64 + 1.5 * ring as f64;
            if ring > 0 {
                spot.leader = Some([[point[0] + radius * cos, point[1] - radius * sin], tip]);
            }
            spots.push(spot);
        }
    }
    spots
}

/// Places above and below a point of a line, in `rows` rows on each side: centred, or beginning or ending at the point.
pub(super) fn along(point: [f64; 2], extent: &Extent, radius: f64, rows: usize) -> Vec<Spot> {
    const PLACES: [(f64, f64); 6] = [(-1.0, 0.0), (1.0, 0.0), (-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    let beside = radius + 2.0;
    let reach = (extent.width / 2.0 - 3.0).max(0.0);
    let mut spots = Vec::with_capacity(6 * rows);
    for row in 0..rows {
        for (rank, (side, shift)) in PLACES.into_iter().enumerate() {
            let tip = [point[0], point[1] + side * (beside + 1.2 * extent.height() * row as f64)];
            let middle = [tip[0] + shift * reach, tip[1] + side * extent.height() / 2.0];
            let mut spot = Spot::new(centred(middle, extent), extent, shift);
            spot.cost = 0.15 * rank as f64 + row as f64;
            if row > 0 {
                spot.leader = Some([[point[0], point[1] + side * radius], tip]);
            }
            spots.push(spot);
        }
    }
    spots
}

fn centred(middle: [f64; 2], extent: &Extent) -> Rect {
    let (w, h) = (extent.width / 2.0, extent.height() / 2.0);
    Rect { left: middle[0] - w, top: middle[1] - h, right: middle[0] + w, bottom: middle[1] + h }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENT: Extent = Extent { width: 30.0, top: 6.0, bottom: 2.0 };

    #[test]
    fn no_place_covers_its_own_point() {
        let marker = Rect { left: -2.0, top: -2.0, right: 2.0, bottom: 2.0 };
        for spot in around([0.0, 0.0], &EXTENT, 2.0, 4).iter().chain(&along([0.0, 0.0], &EXTENT, 2.0, 4)) {
            assert!(!spot.area.overlaps(&marker), "{spot:?}");
            assert!((spot.area.width() - 30.0).abs() < 1e-9 && (spot.area.bottom - spot.at[1] - 2.0).abs() < 1e-9);
        }
    }

    #[test]
    fn the_first_place_is_to_the_right() {
        let first = around([0.0, 0.0], &EXTENT, 2.0, 0)[0];
        assert_eq!((first.anchor, first.leader), (Anchor::Start, None));
        assert!(first.area.left > 2.0 && first.area.left < 4.0);
    }
}
