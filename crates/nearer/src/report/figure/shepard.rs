//! The Shepard diagram: what the data say of each pair against how far apart the map puts them.

use nearer_num::order;
use std::fmt::Write;

use nearer_num::rng::Rng;

use super::chart::{Chart, charted, check, marks};
use super::colour::PALETTE;
use super::draw::INK;
use super::sheet::{Paint, Path, Sheet, Stroke};
use crate::error::Error;

/// One pair of objects in a Shepard diagram.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShepardPoint {
    /// What was measured.
    pub data: f64,
    /// The distance on the map.
    pub distance: f64,
    /// The distance the map was to reach: the data after the transformation the method fits.
    pub disparity: f64,
}

/// Map distances of all pairs against the data, and the disparities as a line through them. Beyond 20,000 pairs a random
/// choice of them (always the same) is drawn, and the figure says so.
#[derive(Debug, Clone)]
pub struct ShepardFigure {
    points: Vec<ShepardPoint>,
    chart: Chart,
}

const MOST: usize = 20_000;

charted!(ShepardFigure);

impl ShepardFigure {
    /// The diagram of these pairs, 90 mm by 75 mm.
    #[must_use]
    pub fn new(points: impl Into<Vec<ShepardPoint>>) -> Self {
        ShepardFigure { points: points.into(), chart: Chart::new("dissimilarity", "distance on the map") }
    }

    fn sheet(&self) -> Result<Sheet, Error> {
        let all = &self.points;
        check(all.iter().flat_map(|p| [&p.data, &p.distance, &p.disparity]), "a Shepard diagram")?;
        let x = marks(all.iter().map(|p| p.data), 5);
        let y = marks(all.iter().flat_map(|p| [p.distance, p.disparity]), 5);
        let order = Rng::task(0, 0).permutation(all.len());
        let shown = &order[..all.len().min(MOST)];
        let mut chart = self.chart.clone();
        let mut description = format!("{} pairs", all.len());
        if shown.len() < all.len() {
            let _ = write!(description, ", {MOST} of them drawn");
            let gap = if chart.corner.is_empty() { "" } else { ", " };
            let _ = write!(chart.corner, "{gap}{MOST} of {} pairs drawn", all.len());
        }
        chart.sheet(&description, [x, y], |sheet, to_sheet| {
            let (radius, opacity) = match shown.len() {
                0..=300 => (1.4, 0.75),
                301..=3000 => (1.0, 0.5),
                _ => (0.7, 0.3),
            };
            for batch in shown.chunks(500) {
                let path = Path::dots(batch.iter().map(|k| to_sheet([all[*k].data, all[*k].distance])));
                sheet.path(path, Paint::stroke(Stroke::new(PALETTE[0], 2.0 * radius).faint(opacity).round()));
            }
            let line = fitted(all.iter().map(|p| to_sheet([p.data, p.disparity])).collect());
            if line.len() > 1 {
                sheet.path(Path::lines(&line), Paint::stroke(Stroke::new(INK, 1.1).round()));
            }
        })
    }
}

/// The line through places on the sheet from left to right, without those that do not bend it.
fn fitted(mut places: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    for p in &mut places {
        *p = p.map(|v| (v * 20.0).round() / 20.0);
    }
    order::by(&mut places, &|a, b| a[0].total_cmp(&b[0]).then(b[1].total_cmp(&a[1])));
    places.dedup();
    let mut kept: Vec<[f64; 2]> = Vec::new();
    for p in places {
        if let [.., a, b] = kept[..] {
            let bend = (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
            if bend.abs() < 1e-6 {
                kept.pop();
            }
        }
        kept.push(p);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_has_two_ends_and_steps_keep_their_corners() {
        assert_eq!(fitted((0..9).map(|k| [f64::from(k), f64::from(k)]).collect()), [[0.0, 0.0], [8.0, 8.0]]);
        let steps = vec![[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [2.0, 3.0], [4.0, 3.0]];
        assert_eq!(fitted(steps), [[0.0, 5.0], [2.0, 5.0], [2.0, 3.0], [4.0, 3.0]]);
        assert_eq!(fitted(vec![[1.0, 1.0]; 4]).len(), 1);
    }

    #[test]
    fn many_pairs_are_thinned_and_the_figure_says_so() {
        let point =
            |k: i32| ShepardPoint { data: f64::from(k), distance: f64::from(k % 97), disparity: f64::from(k) / 900.0 };
        let svg = ShepardFigure::new((0..50_000).map(point).collect::<Vec<_>>()).svg().unwrap();
        assert!(svg.contains("20000 of 50000 pairs drawn") && svg.len() < 600_000);
    }

    #[test]
    fn no_pairs_one_pair_and_what_is_not_a_number() {
        let one = ShepardPoint { data: 1e30, distance: 0.0, disparity: 0.0 };
        for points in [vec![], vec![one], vec![one; 3]] {
            assert!(ShepardFigure::new(points).title("x").pdf().unwrap().starts_with(b"%PDF"));
        }
        let e = ShepardFigure::new([ShepardPoint { data: f64::NAN, ..one }]).svg().unwrap_err();
        assert!(e.to_string().contains("NaN"), "{e}");
    }
}
