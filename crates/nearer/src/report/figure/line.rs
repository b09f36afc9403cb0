//! A line through a few points: stress against dimensions, accuracy against answers, eigenvalues.

use super::chart::{Chart, check, marks};
use super::colour::PALETTE;
use super::render;
use super::svg::pair;
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

impl LineFigure {
    /// The diagram of these points, joined in the order given, 90 mm by 75 mm.
    #[must_use]
    pub fn new(points: impl Into<Vec<(f64, f64)>>) -> Self {
        LineFigure { points: points.into(), marked: None, chart: Chart { inset: 9.0, ..Chart::new("", "") } }
    }

    /// A title above the diagram.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.chart.title = title.into();
        self
    }

    /// A short text above the right corner.
    #[must_use]
    pub fn corner(mut self, text: impl Into<String>) -> Self {
        self.chart.corner = text.into();
        self
    }

    /// What the axes are called.
    #[must_use]
    pub fn axis_names(mut self, x: impl Into<String>, y: impl Into<String>) -> Self {
        self.chart.axes = [x.into(), y.into()];
        self
    }

    /// Draws a thin line at this `x`, such as the number of dimensions that was chosen.
    #[must_use]
    pub fn mark(mut self, x: f64) -> Self {
        self.marked = Some(x);
        self
    }

    /// The size of the whole figure in millimetres, from 20 to 2000 each way.
    #[must_use]
    pub fn size(mut self, width_mm: f64, height_mm: f64) -> Self {
        self.chart.size = (width_mm, height_mm);
        self
    }

    /// The figure as svg.
    pub fn svg(&self) -> Result<String, Error> {
        check(self.points.iter().flat_map(|(x, y)| [x, y]).chain(&self.marked), "a line")?;
        let x = x_marks(self.points.iter().map(|p| p.0).chain(self.marked).collect());
        let y = marks(self.points.iter().map(|p| p.1), 5);
        let bottom = y[0];
        let top = y[y.len() - 1];
        let description = format!("{} points joined by a line", self.points.len());
        self.chart.svg(&description, [x, y], |svg, to_sheet| {
            if let Some(x) = self.marked {
                let d = format!("M{}L{}", pair(to_sheet([x, bottom])), pair(to_sheet([x, top])));
                svg.path(&d, "stroke=\"#909090\" stroke-width=\"0.6\" stroke-dasharray=\"2 2\"");
            }
            let places: Vec<[f64; 2]> = self.points.iter().map(|(x, y)| to_sheet([*x, *y])).collect();
            let step = |(k, p): (usize, &[f64; 2])| format!("{}{}", if k == 0 { "M" } else { "L" }, pair(*p));
            let line: String = places.iter().enumerate().map(step).collect();
            let colour = PALETTE[0].hex();
            if places.len() > 1 {
                svg.path(&line, &format!("stroke=\"{colour}\" stroke-width=\"1.2\" stroke-linejoin=\"round\""));
            }
            if places.len() <= 200 {
                let dots: String = places.iter().map(|p| format!("M{}h0", pair(*p))).collect();
                svg.path(&dots, "stroke=\"#ffffff\" stroke-width=\"6.6\" stroke-linecap=\"round\"");
                svg.path(&dots, &format!("stroke=\"{colour}\" stroke-width=\"4.4\" stroke-linecap=\"round\""));
            }
        })
    }

    /// The figure as png with `dpi` dots an inch.
    pub fn png(&self, dpi: f64) -> Result<Vec<u8>, Error> {
        render::png(&self.svg()?, dpi)
    }

    /// The figure as a pdf of one page of its size.
    pub fn pdf(&self) -> Result<Vec<u8>, Error> {
        render::pdf(&self.svg()?)
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
