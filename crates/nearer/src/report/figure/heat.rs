//! Weights as a picture: a row for each kernel, a column for each landmark, the darker the heavier.

use super::colour::{PALETTE, Rgb};
use super::draw::{INK, QUIET};
use super::number::show;
use super::scene::{MARGIN, SMALL, TITLE};
use super::sheet::{Anchor, POINTS_PER_MM, Paint, Path, Rect, Sheet, Stroke, Type};
use super::spelling::Spelling;
use super::text::{Weight, Words, clean};
use super::{pdf, png, svg};
use crate::error::Error;
use crate::report::KernelReading;

/// The weights that a metric gives the landmarks of each kernel (McFee and Lanckriet 2009, figure 3c).
///
/// ```
/// # use nearer::evidence::{KernelKind, KernelSpec, Kernels};
/// # use nearer::{Embed, method::{KernelPartialOrder, Metric}, report::HeatFigure, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// # let (features, answers) = toy::featured_answers(12, 1, 100, 0.0, 1);
/// # let linear = KernelSpec::new("linear", KernelKind::Linear);
/// # let kernels = Kernels::new(answers.objects(), &[(linear, Some(&features))])?;
/// let fit = KernelPartialOrder::new(2).weights(Metric::Diagonal).fit((&kernels, &answers))?;
/// let reading = fit.report.kernels.as_ref().expect("a kernel method");
/// # assert!(
/// HeatFigure::new(reading).svg()?
/// # .contains("landmarks"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct HeatFigure {
    rows: Vec<(String, Vec<f64>)>,
    columns: Vec<String>,
    title: String,
    size: (f64, f64),
}

impl HeatFigure {
    /// The picture of these weights, 180 mm wide.
    #[must_use]
    pub fn new(reading: &KernelReading) -> Self {
        let rows: Vec<_> = reading.kernels.iter().map(|k| (k.name.clone(), k.weights.clone())).collect();
        let height = (26.0 + 8.0 * rows.len() as f64).min(2000.0);
        HeatFigure { rows, columns: reading.landmarks.clone(), title: String::new(), size: (180.0, height) }
    }

    /// A title above it.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The size of the whole figure in millimetres, from 20 to 2000 each way.
    #[must_use]
    pub fn size(mut self, width_mm: f64, height_mm: f64) -> Self {
        self.size = (width_mm, height_mm);
        self
    }

    /// The figure as svg; a cell that the pointer is on tells its landmark and weight.
    pub fn svg(&self) -> Result<String, Error> {
        Ok(svg::svg(&self.sheet()?))
    }
    /// The figure as png with `dpi` dots an inch.
    pub fn png(&self, dpi: f64) -> Result<Vec<u8>, Error> {
        png::png(&self.sheet()?, dpi)
    }
    /// The figure as a pdf of one page of its size.
    pub fn pdf(&self) -> Result<Vec<u8>, Error> {
        pdf::pdf(&self.sheet()?)
    }

    fn sheet(&self) -> Result<Sheet, Error> {
        super::chart::check(self.rows.iter().flat_map(|r| &r.1), "a weight")?;
        super::chart::fits(self.size)?;
        let (width, height) = (self.size.0 * POINTS_PER_MM, self.size.1 * POINTS_PER_MM);
        let name = if self.title.is_empty() { "Weights of landmarks".into() } else { clean(&self.title) };
        let heaviest = self.rows.iter().flat_map(|r| &r.1).fold(0.0, |m: f64, w| m.max(*w));
        let used = self.rows.iter().flat_map(|r| &r.1).filter(|w| **w > 1e-6 * heaviest).count();
        let all: usize = self.rows.iter().map(|r| r.1.len()).sum();
        let told = format!("{used} of {all} weights above a millionth of the largest, {}", show(heaviest));
        let mut sheet = Sheet::new([width, height], &name, &told);
        let texts = self.rows.iter().map(|r| r.0.as_str()).chain([self.title.as_str()]);
        let spelling = Spelling::new(texts);
        let small = Type::new(SMALL, QUIET, Anchor::Start);
        let fitted = |text: &str| spelling.fit(text, SMALL, Weight::Regular, 0.25 * width);
        let widest = self.rows.iter().map(|r| fitted(&r.0).extent(SMALL, Weight::Regular).width).fold(0.0, f64::max);
        let head = if self.title.is_empty() { 0.0 } else { TITLE + 5.0 };
        let panel = Rect {
            left: MARGIN + widest + 6.0,
            top: MARGIN + head,
            right: width - MARGIN,
            bottom: height - MARGIN - 2.0 * SMALL - 8.0,
        };
        let title = spelling.fit(&self.title, TITLE, Weight::Bold, panel.width());
        sheet.text([panel.left, MARGIN + 0.8 * TITLE], Type::new(TITLE, INK, Anchor::Start).bold(), title);
        let (tall, wide) =
            (panel.height() / self.rows.len().max(1) as f64, panel.width() / self.columns.len().max(1) as f64);
        for (r, (kernel, weights)) in self.rows.iter().enumerate() {
            let top = panel.top + r as f64 * tall;
            let middle = [panel.left - 4.0, top + 0.5 * tall + 0.36 * SMALL];
            sheet.text(middle, small.anchored(Anchor::End), fitted(kernel));
            for (c, weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
                // By the root, so that small weights beside a large one are still seen.
                let colour = Rgb::WHITE.mixed(PALETTE[0], (weight / heaviest).sqrt().clamp(0.0, 1.0));
                let left = panel.left + c as f64 * wide;
                let cell = Rect { left, top: top + 0.5, right: left + wide, bottom: top + tall - 0.5 };
                let landmark = self.columns.get(c).map_or("", String::as_str);
                sheet.named(
                    Path::rect(cell),
                    Paint::fill(colour, 1.0),
                    format!("{kernel}, {landmark}: {}", show(*weight)),
                );
            }
            let frame = Rect { left: panel.left, top: top + 0.5, right: panel.right, bottom: top + tall - 0.5 };
            sheet.path(Path::rect(frame), Paint::stroke(Stroke::new(QUIET, 0.4)));
        }
        let below = panel.bottom + SMALL + 3.0;
        let axis = format!("{} landmarks, as the file has them", self.columns.len());
        sheet.text([panel.left, below], small, Words::plain(axis));
        sheet.text([panel.right, below], small.anchored(Anchor::End), Words::plain(told));
        Ok(sheet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::KernelShare;

    fn reading(weights: Vec<f64>) -> KernelReading {
        let share = |name: &str, weights: Vec<f64>| KernelShare {
            name: name.into(),
            share: 0.5,
            weights,
            nonzero: 1,
            native: None,
        };
        KernelReading {
            landmarks: ["cat", "cod", "hake"].map(String::from).to_vec(),
            kernels: vec![share("pixels", weights), share("text", vec![0.0, 0.0, 1.0])],
            effective_dimension: 1.0,
            norm: 1.0,
            native: None,
            learned: None,
        }
    }

    /// A cell for each weight above zero, the heaviest the darkest, and each tells what it is.
    #[test]
    fn every_weight_is_a_cell_that_tells_its_landmark() {
        let svg = HeatFigure::new(&reading(vec![4.0, 0.0, 1.0])).svg().unwrap();
        for part in ["pixels, cat: 4", "pixels, hake: 1", "text, hake: 1", "3 of 6 weights"] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert!(!svg.contains("pixels, cod"), "a weight of zero is no cell");
        assert!(svg.contains(&PALETTE[0].hex()) && svg.contains(&Rgb::WHITE.mixed(PALETTE[0], 0.5).hex()));
    }

    #[test]
    fn no_weight_and_no_number_are_drawn_or_refused() {
        assert!(HeatFigure::new(&reading(vec![0.0; 3])).png(72.0).unwrap().starts_with(b"\x89PNG"));
        assert!(HeatFigure::new(&reading(vec![f64::NAN, 0.0, 0.0])).svg().is_err());
        assert!(HeatFigure::new(&reading(vec![1.0; 3])).size(5.0, 50.0).svg().is_err());
    }
}
