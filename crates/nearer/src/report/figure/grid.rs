//! Rectangles in bins, so that a label asks only its neighbours whether it is in their way.

use super::sheet::Rect;

/// Bins over a frame; what lies outside counts to the bins at its edge.
#[derive(Debug)]
pub(super) struct Grid {
    frame: Rect,
    cell: f64,
    columns: usize,
    rows: usize,
    bins: Vec<Vec<u32>>,
}

impl Grid {
    pub(super) fn new(frame: Rect, cell: f64) -> Self {
        let count = |length: f64| ((length / cell).ceil() as usize).clamp(1, 400);
        let (columns, rows) = (count(frame.width()), count(frame.height()));
        Grid { frame, cell, columns, rows, bins: vec![Vec::new(); columns * rows] }
    }

    pub(super) fn insert(&mut self, r: &Rect, id: usize) {
        for bin in self.bins_of(r) {
            self.bins[bin].push(id as u32);
        }
    }

    pub(super) fn remove(&mut self, r: &Rect, id: usize) {
        for bin in self.bins_of(r) {
            self.bins[bin].retain(|k| *k != id as u32);
        }
    }

    /// Everything that may touch `r`; what spans several bins is named several times.
    pub(super) fn near(&self, r: &Rect) -> impl Iterator<Item = usize> {
        self.bins_of(r).flat_map(|bin| self.bins[bin].iter().map(|id| *id as usize))
    }

    fn bins_of(&self, r: &Rect) -> impl Iterator<Item = usize> + use<> {
        let bin = |v: f64, start: f64, count: usize| (((v - start) / self.cell).max(0.0) as usize).min(count - 1);
        let across = bin(r.left, self.frame.left, self.columns)..=bin(r.right, self.frame.left, self.columns);
        let down = bin(r.top, self.frame.top, self.rows)..=bin(r.bottom, self.frame.top, self.rows);
        let columns = self.columns;
        down.flat_map(move |row| across.clone().map(move |column| row * columns + column))
    }
}

/// Whether the segment from `a` to `b` enters `r` (Liang and Barsky 1984).
pub(super) fn crosses(a: [f64; 2], b: [f64; 2], r: &Rect) -> bool {
    let (mut from, mut to) = (0.0f64, 1.0f64);
    let sides = [(a[0], b[0] - a[0], r.left, r.right), (a[1], b[1] - a[1], r.top, r.bottom)];
    for (start, step, low, high) in sides {
        if step == 0.0 {
            if start <= low || start >= high {
                return false;
            }
            continue;
        }
        let (t, u) = ((low - start) / step, (high - start) / step);
        from = from.max(t.min(u));
        to = to.min(t.max(u));
    }
    from < to
}

/// Whether two segments cross.
pub(super) fn meet([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> bool {
    let side = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Rect = Rect { left: 0.0, top: 0.0, right: 100.0, bottom: 50.0 };

    #[test]
    fn what_is_put_in_is_found_by_its_neighbours_only_and_gone_when_removed() {
        let mut grid = Grid::new(FRAME, 10.0);
        let r = Rect { left: 12.0, top: 12.0, right: 31.0, bottom: 14.0 };
        grid.insert(&r, 7);
        assert!(grid.near(&r.grown(1.0)).any(|id| id == 7));
        assert_eq!(grid.near(&Rect { left: 60.0, top: 0.0, right: 99.0, bottom: 49.0 }).count(), 0);
        grid.insert(&Rect { left: -50.0, top: 300.0, right: -40.0, bottom: 310.0 }, 8);
        grid.remove(&r, 7);
        assert_eq!(grid.near(&FRAME.grown(1e9)).collect::<Vec<_>>(), [8]);
    }

    #[test]
    fn segments_cross_boxes_and_each_other() {
        assert!(crosses([-5.0, 10.0], [5.0, 10.0], &FRAME) && crosses([1.0, 1.0], [2.0, 2.0], &FRAME));
        assert!(!crosses([-5.0, 10.0], [-1.0, 10.0], &FRAME) && !crosses([-5.0, 0.0], [5.0, -9.0], &FRAME));
        assert!(meet([[0.0, 0.0], [2.0, 2.0]], [[0.0, 2.0], [2.0, 0.0]]));
        assert!(!meet([[0.0, 0.0], [2.0, 2.0]], [[3.0, 2.0], [5.0, 0.0]]));
    }
}
