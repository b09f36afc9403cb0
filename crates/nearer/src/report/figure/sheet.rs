//! A picture before it is a file: shapes and words with their places on the sheet. `svg`, `png` and `pdf` each write the
//! same marks in their own way; none is made from another, so none can lose what another has.

use super::colour::Rgb;
use super::text::{Weight, Words};

/// Points (1/72 inch) in a millimetre.
pub(super) const POINTS_PER_MM: f64 = 72.0 / 25.4;
/// The line around bold letters, as a share of the font size: there is one face, and bold is the same letters outlined.
pub(super) const BOLDER: f64 = 0.032;
/// The white rim around letters that may lie over lines, as a share of the font size.
pub(super) const RIM: f64 = 0.3;

/// A rectangle with its sides, `y` downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }
    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }
    pub(super) fn grown(&self, by: f64) -> Rect {
        Rect { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }
    pub(super) fn overlaps(&self, other: &Rect) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }
    pub(super) fn holds(&self, other: &Rect) -> bool {
        self.left <= other.left && self.right >= other.right && self.top <= other.top && self.bottom >= other.bottom
    }
}

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    Move([f64; 2]),
    Line([f64; 2]),
    Close,
    /// A whole ellipse, its first half axis turned by so many degrees clockwise.
    Ellipse {
        centre: [f64; 2],
        half: [f64; 2],
        turn: f64,
    },
}

/// Where a pen goes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Path(pub(super) Vec<Step>);

impl Path {
    pub(super) fn lines(places: &[[f64; 2]]) -> Path {
        let step = |(k, p): (usize, &[f64; 2])| if k == 0 { Step::Move(*p) } else { Step::Line(*p) };
        Path(places.iter().enumerate().map(step).collect())
    }

    pub(super) fn polygon(corners: &[[f64; 2]]) -> Path {
        let mut path = Path::lines(corners);
        path.0.push(Step::Close);
        path
    }

    pub(super) fn rect(r: Rect) -> Path {
        Path::polygon(&[[r.left, r.top], [r.right, r.top], [r.right, r.bottom], [r.left, r.bottom]])
    }

    pub(super) fn ellipse(centre: [f64; 2], half: [f64; 2], turn: f64) -> Path {
        Path(vec![Step::Ellipse { centre, half, turn }])
    }

    /// Lines without length: with round ends they are dots, and the shortest way to write one.
    pub(super) fn dots(places: impl IntoIterator<Item = [f64; 2]>) -> Path {
        Path(places.into_iter().flat_map(|p| [Step::Move(p), Step::Line(p)]).collect())
    }

    pub(super) fn add(&mut self, other: Path) {
        self.0.extend(other.0);
    }
}

/// An ellipse as four curves, each given by its two handles and its end; the first starts where the last ends.
pub(super) fn quarters(centre: [f64; 2], half: [f64; 2], turn: f64) -> [[[f64; 2]; 3]; 4] {
    // The handle with which a cubic curve comes nearest to a quarter of a circle.
    const HANDLE: f64 = 0.551_915_024_5;
    const CORNERS: [[f64; 2]; 5] = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]];
    let at = |p: [f64; 2]| turned(centre, turn, [half[0] * p[0], half[1] * p[1]]);
    std::array::from_fn(|k| {
        let (a, b) = (CORNERS[k], CORNERS[k + 1]);
        let towards = |from: [f64; 2], to: [f64; 2]| [from[0] + HANDLE * to[0], from[1] + HANDLE * to[1]];
        [at(towards(a, b)), at(towards(b, a)), at(b)]
    })
}

fn turned(centre: [f64; 2], turn: f64, p: [f64; 2]) -> [f64; 2] {
    let (sin, cos) = turn.to_radians().sin_cos();
    [centre[0] + cos * p[0] - sin * p[1], centre[1] + sin * p[0] + cos * p[1]]
}

/// A colour, and how much of what lies below it covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ink {
    pub(super) colour: Rgb,
    pub(super) opacity: f64,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stroke {
    pub(super) ink: Ink,
    pub(super) width: f64,
    /// Lengths on and off; none for a whole line.
    pub(super) dash: &'static [f64],
    /// Whether ends and corners are round.
    pub(super) round: bool,
}

impl Stroke {
    pub(super) const fn new(colour: Rgb, width: f64) -> Stroke {
        Stroke { ink: Ink { colour, opacity: 1.0 }, width, dash: &[], round: false }
    }
    pub(super) const fn faint(mut self, opacity: f64) -> Stroke {
        self.ink.opacity = opacity;
        self
    }
    pub(super) const fn dashed(mut self, dash: &'static [f64]) -> Stroke {
        self.dash = dash;
        self
    }
    pub(super) const fn round(mut self) -> Stroke {
        self.round = true;
        self
    }
}

/// How a path is painted: filled first, then drawn along.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Paint {
    pub(super) fill: Option<Ink>,
    pub(super) stroke: Option<Stroke>,
}

impl Paint {
    pub(super) const fn fill(colour: Rgb, opacity: f64) -> Paint {
        Paint { fill: Some(Ink { colour, opacity }), stroke: None }
    }
    pub(super) const fn stroke(stroke: Stroke) -> Paint {
        Paint { fill: None, stroke: Some(stroke) }
    }
    pub(super) const fn and(mut self, stroke: Stroke) -> Paint {
        self.stroke = Some(stroke);
        self
    }
}

/// Which end of a text its position is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Which way a text runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Across,
    Upwards,
}

/// How a text is set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Type {
    pub(super) size: f64,
    pub(super) weight: Weight,
    pub(super) colour: Rgb,
    pub(super) anchor: Anchor,
    pub(super) rimmed: bool,
    /// The colour of the rim: that of the ground.
    pub(super) rim: Rgb,
}

impl Type {
    pub(super) const fn new(size: f64, colour: Rgb, anchor: Anchor) -> Self {
        Type { size, weight: Weight::Regular, colour, anchor, rimmed: false, rim: Rgb::WHITE }
    }
    /// With a rim in the colour of the ground, for text that may lie over lines.
    pub(super) const fn rimmed(mut self, rimmed: bool) -> Self {
        self.rimmed = rimmed;
        self
    }
    pub(super) const fn bold(mut self) -> Self {
        self.weight = Weight::Bold;
        self
    }
    pub(super) const fn anchored(mut self, anchor: Anchor) -> Self {
        self.anchor = anchor;
        self
    }
    /// The line below the letters, where there is one.
    pub(super) fn outline(&self) -> Option<Stroke> {
        match (self.weight, self.rimmed) {
            (Weight::Bold, _) => Some(Stroke::new(self.colour, BOLDER * self.size).round()),
            (Weight::Regular, true) => Some(Stroke::new(self.rim, RIM * self.size).round()),
            (Weight::Regular, false) => None,
        }
    }
}

/// One thing on a sheet.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mark {
    Shape {
        path: Path,
        paint: Paint,
        /// What a browser shows under the pointer.
        name: Option<String>,
    },
    Text {
        at: [f64; 2],
        set: Type,
        words: Words,
        reading: Reading,
    },
    /// What is cut off at the sides of a rectangle.
    Clipped(Rect, Vec<Mark>),
}

/// A white sheet and what is on it, the lowest first; one unit is one point (1/72 inch).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sheet {
    pub(super) size: [f64; 2],
    /// For machines and for readers who cannot see it.
    pub(super) title: String,
    pub(super) description: String,
    pub(super) marks: Vec<Mark>,
}

impl Sheet {
    pub(super) fn new(size: [f64; 2], title: &str, description: &str) -> Sheet {
        Sheet { size, title: title.into(), description: description.into(), marks: Vec::new() }
    }

    pub(super) fn path(&mut self, path: Path, paint: Paint) {
        self.marks.push(Mark::Shape { path, paint, name: None });
    }

    pub(super) fn named(&mut self, path: Path, paint: Paint, name: String) {
        self.marks.push(Mark::Shape { path, paint, name: Some(name) });
    }

    pub(super) fn line(&mut self, a: [f64; 2], b: [f64; 2], stroke: Stroke) {
        self.path(Path::lines(&[a, b]), Paint::stroke(stroke));
    }

    pub(super) fn text(&mut self, at: [f64; 2], set: Type, words: Words) {
        self.write(at, set, words, Reading::Across);
    }

    pub(super) fn upright_text(&mut self, at: [f64; 2], set: Type, words: Words) {
        self.write(at, set, words, Reading::Upwards);
    }

    fn write(&mut self, at: [f64; 2], set: Type, words: Words, reading: Reading) {
        if !words.text().is_empty() {
            self.marks.push(Mark::Text { at, set, words, reading });
        }
    }

    /// What `draw` draws, cut off at the sides of `r`.
    pub(super) fn clipped(&mut self, r: Rect, draw: impl FnOnce(&mut Sheet)) {
        let above = std::mem::take(&mut self.marks);
        draw(self);
        let inside = std::mem::replace(&mut self.marks, above);
        self.marks.push(Mark::Clipped(r, inside));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_that_only_touch_do_not_overlap() {
        let a = Rect { left: 0.0, top: 0.0, right: 2.0, bottom: 1.0 };
        let b = Rect { left: 2.0, top: 0.0, right: 3.0, bottom: 1.0 };
        assert!(!a.overlaps(&b) && a.grown(0.1).overlaps(&b) && a.grown(1.0).holds(&a) && !a.holds(&b));
    }

    #[test]
    fn what_is_clipped_stands_between_what_came_before_and_after() {
        let mut sheet = Sheet::new([10.0, 10.0], "", "");
        let stroke = Stroke::new(Rgb(0, 0, 0), 1.0);
        sheet.line([0.0, 0.0], [1.0, 1.0], stroke);
        sheet.clipped(Rect { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 }, |s| {
            s.line([0.0, 0.0], [9.0, 9.0], stroke);
        });
        sheet.line([2.0, 0.0], [1.0, 1.0], stroke);
        assert!(
            matches!(&sheet.marks[..], [Mark::Shape { .. }, Mark::Clipped(_, m), Mark::Shape { .. }] if m.len() == 1)
        );
    }
}
