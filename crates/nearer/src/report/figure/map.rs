//! The figure of a map, as its maker asks for it.

use super::draw::draw;
use super::layers::{Layer, Theme};
use super::scene::Scene;
use super::{pdf, png, svg};
use crate::error::Error;
use crate::geometry::{Ellipse, Embedding};
use crate::metadata::Column;

/// Which labels are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Labels {
    /// Those that fit without touching a point or each other; [`Figure::dropped_labels`] counts the rest. Beyond 5,000
    /// objects none.
    #[default]
    Auto,
    /// Every one, over something else where it must be.
    All,
    /// None.
    None,
}

/// A picture of a map: two of its axes at the same scale, no ticks (the axes of a map mean nothing by themselves) but a
/// bar that says how long a distance is. A map with one axis is drawn along a line.
///
/// ```
/// # use nearer::{Embedding, Objects, report::Figure};
/// # fn main() -> Result<(), nearer::Error> {
/// # let points = ndarray::array![[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]];
/// let map = Embedding::new(Objects::new(["ant", "bee", "cat"])?, points)?;
/// let figure = Figure::new(&map).title("Three animals").corner("stress-1 = 0.00");
/// let svg = figure.svg()?;            // for the web and for editing
/// let pdf = figure.pdf()?;            // for the paper
/// let png = figure.png(300.0)?;       // for everything else
/// # assert!(svg.contains("bee") && pdf.len() > 1000 && png.len() > 1000);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Figure<'a> {
    pub(super) map: &'a Embedding,
    pub(super) axes: Option<(usize, usize)>,
    pub(super) title: String,
    pub(super) labels: Labels,
    pub(super) colour: Option<&'a Column>,
    pub(super) shape: Option<&'a Column>,
    pub(super) ellipses: Option<&'a [Option<Ellipse>]>,
    pub(super) groups: Option<(&'a Column, f64)>,
    pub(super) corner: String,
    pub(super) size: Option<(f64, f64)>,
    pub(super) axis_names: Option<(String, String)>,
    pub(super) layers: Vec<Layer>,
    pub(super) silent: Vec<usize>,
    pub(super) sizes: Option<&'a Column>,
    pub(super) theme: Theme,
}

impl<'a> Figure<'a> {
    /// The first two axes of a map, every label that fits, 120 mm wide and as high as the map needs.
    #[must_use]
    pub fn new(map: &'a Embedding) -> Self {
        Figure {
            map,
            axes: None,
            title: String::new(),
            labels: Labels::Auto,
            colour: None,
            shape: None,
            ellipses: None,
            groups: None,
            corner: String::new(),
            size: None,
            axis_names: None,
            layers: Vec::new(),
            silent: Vec::new(),
            sizes: None,
            theme: Theme::Light,
        }
    }

    /// The axes to draw, counted from 0: `a` to the right, `b` upwards.
    #[must_use]
    pub fn axes(mut self, a: usize, b: usize) -> Self {
        self.axes = Some((a, b));
        self
    }

    /// A title above the map.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Which labels are written.
    #[must_use]
    pub fn labels(mut self, labels: Labels) -> Self {
        self.labels = labels;
        self
    }

    /// Colours the points by a column: by a ramp with a colour bar where it holds numbers, by groups otherwise and where
    /// it holds at most eight different whole numbers. Points without a value are hollow and grey.
    #[must_use]
    pub fn colour_by(mut self, column: &'a Column) -> Self {
        self.colour = Some(column);
        self
    }

    /// Shapes the points by the groups of a column; there are eight shapes, and they come round again. Points without a
    /// value are hollow circles.
    #[must_use]
    pub fn shape_by(mut self, column: &'a Column) -> Self {
        self.shape = Some(column);
        self
    }

    /// An ellipse for each object, in the plane of the two axes that are drawn, coloured like its point.
    #[must_use]
    pub fn ellipses(mut self, ellipses: &'a [Option<Ellipse>]) -> Self {
        self.ellipses = Some(ellipses);
        self
    }

    /// An ellipse around each group of a column that has three objects at least: the one that holds the share `level` of
    /// a normal distribution with the mean and covariance of their points.
    #[must_use]
    pub fn group_ellipses(mut self, column: &'a Column, level: f64) -> Self {
        self.groups = Some((column, level));
        self
    }

    /// A short text below the right corner of the map, such as `stress-1 = 0.12`.
    #[must_use]
    pub fn corner(mut self, text: impl Into<String>) -> Self {
        self.corner = text.into();
        self
    }

    /// The size of the whole figure in millimetres, from 20 to 2000 each way.
    #[must_use]
    pub fn size(mut self, width_mm: f64, height_mm: f64) -> Self {
        self.size = Some((width_mm, height_mm));
        self
    }

    /// Names of the two axes, written below and to the left of the map.
    #[must_use]
    pub fn axis_names(mut self, a: impl Into<String>, b: impl Into<String>) -> Self {
        self.axis_names = Some((a.into(), b.into()));
        self
    }

    /// What lies under and over the points.
    #[must_use]
    pub fn layers(mut self, layers: Vec<Layer>) -> Self {
        self.layers.extend(layers);
        self
    }

    /// Objects without a label, by number.
    #[must_use]
    pub fn silent(mut self, objects: Vec<usize>) -> Self {
        self.silent = objects;
        self
    }

    /// The area of a point grows with the numbers of a column; points without one are the smallest.
    #[must_use]
    pub fn size_by(mut self, column: &'a Column) -> Self {
        self.sizes = Some(column);
        self
    }

    /// Its colours.
    #[must_use]
    pub fn theme(mut self, theme: Theme) -> Self {
        self.theme = theme;
        self
    }

    /// How many labels there was no room for.
    pub fn dropped_labels(&self) -> Result<usize, Error> {
        Ok(Scene::new(self)?.dropped)
    }

    /// The texts that the built-in font cannot write (Chinese, Japanese, Korean, the scripts of India, many emoji), each
    /// with the letters that stand for it in a png or pdf. An svg keeps the text itself.
    pub fn spelled(&self) -> Result<Vec<(String, String)>, Error> {
        Ok(Scene::new(self)?.spelling.list())
    }

    /// The figure as svg, with its text as text. Its description says how many labels were left out.
    pub fn svg(&self) -> Result<String, Error> {
        Ok(svg::svg(&draw(self, Scene::new(self)?).themed(self.theme)))
    }

    /// The figure as png with `dpi` dots an inch.
    pub fn png(&self, dpi: f64) -> Result<Vec<u8>, Error> {
        png::png(&draw(self, Scene::new(self)?).themed(self.theme), dpi)
    }

    /// The figure as a pdf of one page of its size.
    pub fn pdf(&self) -> Result<Vec<u8>, Error> {
        pdf::pdf(&draw(self, Scene::new(self)?).themed(self.theme))
    }
}
