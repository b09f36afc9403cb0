//! The sheet of a diagram with two marked axes: what the Shepard diagram and the line of a scree have in common.

use super::draw::{INK, QUIET};
use super::number::{show, ticks};
use super::scene::{MARGIN, SMALL, TITLE};
use super::sheet::{Anchor, POINTS_PER_MM, Rect, Sheet, Stroke, Type};
use super::spelling::Spelling;
use super::text::{Weight, Words, clean, extent};
use crate::error::Error;

/// What every diagram can be told.
#[derive(Debug, Clone)]
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) corner: String,
    pub(super) axes: [String; 2],
    pub(super) size: (f64, f64),
    /// Clear space between the axes and the first and last mark, in points.
    pub(super) inset: f64,
}

/// What every figure that is a [`Chart`] can be told and gives; its field is called `chart`, and its `sheet` draws it.
macro_rules! charted {
    ($figure:ty) => {
        impl $figure {
            /// A title above the diagram.
            #[must_use]
            pub fn title(mut self, title: impl Into<String>) -> Self {
                self.chart.title = title.into();
                self
            }
            /// A short text above the right corner, such as `stress-1 = 0.12`.
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
            /// The size of the whole figure in millimetres, from 20 to 2000 each way.
            #[must_use]
            pub fn size(mut self, width_mm: f64, height_mm: f64) -> Self {
                self.chart.size = (width_mm, height_mm);
                self
            }
            /// The figure as svg.
            pub fn svg(&self) -> Result<String, Error> {
                Ok(super::svg::svg(&self.sheet()?))
            }
            /// The figure as png with `dpi` dots an inch.
            pub fn png(&self, dpi: f64) -> Result<Vec<u8>, Error> {
                super::png::png(&self.sheet()?, dpi)
            }
            /// The figure as a pdf of one page of its size.
            pub fn pdf(&self) -> Result<Vec<u8>, Error> {
                super::pdf::pdf(&self.sheet()?)
            }
            /// The texts that the built-in font cannot write, each with the letters that stand for it in a png or pdf.
            pub fn spelled(&self) -> Vec<(String, String)> {
                self.chart.spelling().list()
            }
        }
    };
}
pub(super) use charted;

impl Chart {
    pub(super) fn new(x: &str, y: &str) -> Self {
        Chart {
            title: String::new(),
            corner: String::new(),
            axes: [x.into(), y.into()],
            size: (90.0, 75.0),
            inset: 0.0,
        }
    }

    /// Axes, ticks and texts; `draw` then draws into the panel with a function from values to the sheet.
    pub(super) fn sheet(
        &self,
        description: &str,
        marks: [Vec<f64>; 2],
        draw: impl FnOnce(&mut Sheet, &dyn Fn([f64; 2]) -> [f64; 2]),
    ) -> Result<Sheet, Error> {
        fits(self.size)?;
        let (width, height) = (self.size.0 * POINTS_PER_MM, self.size.1 * POINTS_PER_MM);
        let name = if self.title.is_empty() { "Diagram".into() } else { clean(&self.title) };
        let mut sheet = Sheet::new([width, height], &name, description);
        let spelling = self.spelling();
        let small = Type::new(SMALL, QUIET, Anchor::Start);
        let widest = marks[1].iter().map(|v| extent(&show(*v), SMALL, Weight::Regular).width).fold(0.0, f64::max);
        let head = if self.title.is_empty() && self.corner.is_empty() { 0.0 } else { TITLE + 5.0 };
        let panel = Rect {
            left: MARGIN + SMALL + 9.0 + widest,
            top: MARGIN + head + 2.0,
            right: width - MARGIN - 4.0,
            bottom: height - MARGIN - 2.0 * SMALL - 9.0,
        };
        let corner = spelling.fit(&self.corner, SMALL, Weight::Regular, 0.5 * width);
        let taken = corner.extent(SMALL, Weight::Regular).width;
        sheet.text([panel.right, MARGIN + 0.8 * TITLE], small.anchored(Anchor::End), corner);
        let title = spelling.fit(&self.title, TITLE, Weight::Bold, panel.width() - taken - 8.0);
        sheet.text([panel.left, MARGIN + 0.8 * TITLE], Type::new(TITLE, INK, Anchor::Start).bold(), title);

        let range = |m: &[f64]| (m[0], m[m.len() - 1]);
        let ((x0, x1), (y0, y1)) = (range(&marks[0]), range(&marks[1]));
        let inset = self.inset;
        let to_sheet = move |p: [f64; 2]| {
            [
                panel.left + inset + super::encode::share(p[0], x0, x1) * (panel.width() - 2.0 * inset),
                panel.bottom - super::encode::share(p[1], y0, y1) * panel.height(),
            ]
        };
        for v in &marks[0] {
            let [x, _] = to_sheet([*v, y0]);
            sheet.line([x, panel.bottom], [x, panel.bottom + 2.5], Stroke::new(QUIET, 0.5));
            let below = [x, panel.bottom + 4.5 + 0.8 * SMALL];
            sheet.text(below, small.anchored(Anchor::Middle), Words::plain(show(*v)));
        }
        for v in &marks[1] {
            let [_, y] = to_sheet([x0, *v]);
            sheet.line([panel.left - 2.5, y], [panel.left, y], Stroke::new(QUIET, 0.5));
            sheet.text([panel.left - 4.5, y + 0.36 * SMALL], small.anchored(Anchor::End), Words::plain(show(*v)));
        }
        let axis = Type::new(SMALL + 0.5, INK, Anchor::Middle);
        let x_name = spelling.fit(&self.axes[0], axis.size, Weight::Regular, panel.width());
        let y_name = spelling.fit(&self.axes[1], axis.size, Weight::Regular, panel.height());
        sheet.text([(panel.left + panel.right) / 2.0, height - MARGIN - 1.0], axis, x_name);
        sheet.upright_text([MARGIN + 0.8 * SMALL, (panel.top + panel.bottom) / 2.0], axis, y_name);
        draw(&mut sheet, &to_sheet);
        sheet.line([panel.left, panel.top], [panel.left, panel.bottom], Stroke::new(QUIET, 0.6));
        sheet.line([panel.left, panel.bottom], [panel.right, panel.bottom], Stroke::new(QUIET, 0.6));
        Ok(sheet)
    }

    /// How its texts are spelled where the built-in font lacks letters.
    pub(super) fn spelling(&self) -> Spelling {
        Spelling::new([&self.title, &self.corner, &self.axes[0], &self.axes[1]].map(String::as_str))
    }
}

/// Marks for an axis over these values; from 0 where they are not negative and 0 is not far below them.
pub(super) fn marks(values: impl Iterator<Item = f64>, count: usize) -> Vec<f64> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return vec![0.0, 1.0];
    }
    let low = if low >= 0.0 && low < 0.6 * high { 0.0 } else { low };
    ticks(low, high, count)
}

/// Refuses a sheet that nobody prints.
pub(super) fn fits((width, height): (f64, f64)) -> Result<(), Error> {
    if [width, height].iter().all(|mm| (20.0..=2000.0).contains(mm)) {
        return Ok(());
    }
    Err(Error::Parameter {
        name: "size".into(),
        value: format!("{width} mm x {height} mm"),
        expected: "20 mm to 2000 mm each way".into(),
    })
}

/// A diagram is drawn of finite numbers.
pub(super) fn check<'a>(values: impl IntoIterator<Item = &'a f64>, what: &str) -> Result<(), Error> {
    match values.into_iter().find(|v| !v.is_finite()) {
        None => Ok(()),
        Some(v) => Err(Error::Evidence {
            what: format!("{what} holds the value {v}"),
            remedy: "leave out what is not a finite number".into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_starts_at_nought_unless_that_is_far_away() {
        assert_eq!(marks([1.0, 8.0].into_iter(), 4)[0], 0.0);
        assert!(marks([90.0, 98.0].into_iter(), 4)[0] >= 80.0);
        assert_eq!(marks(std::iter::empty(), 4), [0.0, 1.0]);
        assert!(check(&[1.0, f64::NAN], "a line").is_err());
    }
}
