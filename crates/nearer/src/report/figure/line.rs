//! A line through a few points: stress against dimensions, accuracy against answers, eigenvalues.

use super::chart::{Chart, charted, check, marks};
use super::colour::{PALETTE, Rgb};
use super::draw::LEADER;
use super::sheet::{Paint, Path, Sheet, Stroke};
use crate::error::Error;

/// Points joined by a line between two axes with titles.
///
/// ```
/// # use nearer::report::LineFigure;
/// # fn main() -> Result<(), nearer::Error> {
/// let scree = LineFigure::new([(1.0, 0.31), (2.0, 0.12), (3.0, 0.09)]).axis_names("dimensions", "stress-1");
/// # assert!(
/// scree.svg()?
/// # .contains("dimensions"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct LineFigure {
    points: Vec<(f64, f64)>,
    marked: Option<f64>,
    chart: Chart,
}

charted!(LineFigure);

impl LineFigure {
    /// The diagram of these points, joined in the order given, 90 mm by 75 mm.
    #[must_use]
    pub fn new(points: impl Into<Vec<(f64, f64)>>) -> Self {
        LineFigure { points: points.into(), marked: None, chart: Chart { inset: 9.0, ..Chart::new("", "") } }
    }

    /// Draws a thin line at this `x`, such as the number of dimensions that was chosen.
    #[must_use]
    pub fn mark(mut self, x: f64) -> Self {
        self.marked = Some(x);
        self
    }

    fn sheet(&self) -> Result<Sheet, Error> {
        check(self.points.iter().flat_map(|(x, y)| [x, y]).chain(&self.marked), "a line")?;
        let x = x_marks(self.points.iter().map(|p| p.0).chain(self.marked).collect());
        let y = marks(self.points.iter().map(|p| p.1), 5);
        let bottom = y[0];
        let top = y[y.len() - 1];
        let description = format!("{} points joined by a line", self.points.len());
        self.chart.sheet(&description, [x, y], |sheet, to_sheet| {
            if let Some(x) = self.marked {
                let stroke = Stroke::new(LEADER, 0.6).dashed(&[2.0, 2.0]);
                sheet.line(to_sheet([x, bottom]), to_sheet([x, top]), stroke);
            }
            let places: Vec<[f64; 2]> = self.points.iter().map(|(x, y)| to_sheet([*x, *y])).collect();
            if places.len() > 1 {
                sheet.path(Path::lines(&places), Paint::stroke(Stroke::new(PALETTE[0], 1.2).round()));
            }
            if places.len() <= 200 {
                let dots = Path::dots(places);
                sheet.path(dots.clone(), Paint::stroke(Stroke::new(Rgb::WHITE, 6.6).round()));
                sheet.path(dots, Paint::stroke(Stroke::new(PALETTE[0], 4.4).round()));
            }
        })
    }
}

/// A few whole numbers are marked each, with half a step before and after: there is no half dimension.
fn x_marks(values: Vec<f64>) -> Vec<f64> {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    if values.iter().all(|v| v.fract() == 0.0) && high > low && high - low <= 12.0 {
        return (0..=(high - low) as usize).map(|k| low + k as f64).collect();
    }
    marks(values.into_iter(), 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_are_marked_one_by_one() {
        assert_eq!(x_marks(vec![1.0, 2.0, 4.0]), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(x_marks(vec![0.0, 50.0, 100.0])[0], 0.0);
    }

    #[test]
    fn none_one_and_equal_points_are_drawn() {
        for points in [vec![], vec![(1.0, 0.2)], vec![(3.0, 3.0); 5]] {
            assert!(LineFigure::new(points).mark(2.0).png(72.0).unwrap().starts_with(b"\x89PNG"));
        }
        assert!(LineFigure::new([(1.0, f64::INFINITY)]).svg().is_err());
        assert!(LineFigure::new([(1.0, 1.0)]).size(5.0, 50.0).svg().is_err());
    }
}
