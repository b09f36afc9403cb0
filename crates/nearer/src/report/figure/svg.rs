//! The writer of svg: elements with rounded numbers and escaped strings, and nothing with an id, so that several figures
//! may stand in one page.

use std::fmt::Write;

use super::text::{BOLDER, Weight, escape};

/// The families asked for, the built-in one first.
pub(super) const FAMILY: &str = "DejaVu Sans, Verdana, Arial, sans-serif";
/// Points (1/72 inch) in a millimetre.
pub(super) const POINTS_PER_MM: f64 = 72.0 / 25.4;

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

/// Which end of a text its position is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Type {
    pub(super) size: f64,
    pub(super) weight: Weight,
    pub(super) fill: &'static str,
    pub(super) anchor: Anchor,
    pub(super) rimmed: bool,
}

impl Type {
    pub(super) const fn new(size: f64, fill: &'static str, anchor: Anchor) -> Self {
        Type { size, weight: Weight::Regular, fill, anchor, rimmed: false }
    }
    /// With a white rim, for text that may lie over lines.
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
}

/// A drawing under way; one unit is one point (1/72 inch).
#[derive(Debug)]
pub(super) struct Svg(String);

impl Svg {
    /// A white sheet of that many points; `title` and `description` are for machines and readers who cannot see it.
    pub(super) fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let mut s = Svg(String::new());
        let (w, h) = (number(width), number(height));
        let mm = |v: f64| number(v / POINTS_PER_MM);
        s.raw(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}mm\" height=\"{}mm\" viewBox=\"0 0 {w} {h}\" \
             role=\"img\" font-family=\"{FAMILY}\">\n<title>{}</title>\n<desc>{}</desc>\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n",
            mm(width),
            mm(height),
            escape(title),
            escape(description),
        ));
        s
    }

    /// Text that is svg already.
    pub(super) fn raw(&mut self, svg: &str) {
        self.0.push_str(svg);
    }

    pub(super) fn frame(&mut self, r: Rect, stroke: &str, width: f64) {
        self.element(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{}\"/>",
            number(r.left),
            number(r.top),
            number(r.width()),
            number(r.height()),
            number(width)
        ));
    }

    pub(super) fn box_filled(&mut self, r: Rect, fill: &str) {
        self.element(format_args!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{fill}\"/>",
            number(r.left),
            number(r.top),
            number(r.width()),
            number(r.height()),
        ));
    }

    pub(super) fn line(&mut self, a: [f64; 2], b: [f64; 2], stroke: &str, width: f64) {
        self.path(
            &format!("M{}L{}", pair(a), pair(b)),
            &format!("stroke=\"{stroke}\" stroke-width=\"{}\"", number(width)),
        );
    }

    /// A path that is only drawn along, unless `attributes` fill it.
    pub(super) fn path(&mut self, d: &str, attributes: &str) {
        let fill = if attributes.contains("fill=") { "" } else { " fill=\"none\"" };
        self.element(format_args!("<path d=\"{d}\"{fill} {attributes}/>"));
    }

    pub(super) fn text(&mut self, at: [f64; 2], set: Type, text: &str) {
        self.turned_text(at, set, text, "");
    }

    /// Text that reads upwards.
    pub(super) fn upright_text(&mut self, at: [f64; 2], set: Type, text: &str) {
        let turn = format!(" transform=\"rotate(-90 {} {})\"", number(at[0]), number(at[1]));
        self.turned_text(at, set, text, &turn);
    }

    fn turned_text(&mut self, at: [f64; 2], set: Type, text: &str, turn: &str) {
        if text.is_empty() {
            return;
        }
        let anchor = match set.anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = match set.weight {
            Weight::Regular if set.rimmed => format!(
                " stroke=\"#ffffff\" stroke-width=\"{}\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
                number(0.3 * set.size)
            ),
            Weight::Regular => String::new(),
            Weight::Bold => {
                format!(
                    " stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"",
                    set.fill,
                    number(BOLDER * set.size)
                )
            }
        };
        self.element(format_args!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{weight}{anchor} fill=\"{}\"{turn}>{}</text>",
            number(at[0]),
            number(at[1]),
            number(set.size),
            set.fill,
            escape(text)
        ));
    }

    /// What `draw` draws, cut off at the sides of `r`. A nested view cuts without needing an id.
    pub(super) fn clipped(&mut self, r: Rect, draw: impl FnOnce(&mut Svg)) {
        let (x, y, w, h) = (number(r.left), number(r.top), number(r.width()), number(r.height()));
        self.element(format_args!(
            "<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {w} {h}\" overflow=\"hidden\">"
        ));
        draw(self);
        self.raw("</svg>\n");
    }

    pub(super) fn finish(mut self) -> String {
        self.raw("</svg>\n");
        self.0
    }

    fn element(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.0, "{element}"); // writing to a string cannot fail
    }
}

/// A coordinate with at most two decimals: a hundredth of a point is less than a printer can place.
pub(super) fn number(v: f64) -> String {
    let text = format!("{v:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// `x,y`.
pub(super) fn pair(p: [f64; 2]) -> String {
    format!("{},{}", number(p[0]), number(p[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, -0.001, 1.5, 2.0, 10.0, -2.71459].map(number).join(" "), "0 0 1.5 2 10 -2.71");
    }

    #[test]
    fn rectangles_that_only_touch_do_not_overlap() {
        let a = Rect { left: 0.0, top: 0.0, right: 2.0, bottom: 1.0 };
        let b = Rect { left: 2.0, top: 0.0, right: 3.0, bottom: 1.0 };
        assert!(!a.overlaps(&b) && a.grown(0.1).overlaps(&b) && a.grown(1.0).holds(&a) && !a.holds(&b));
    }
}
