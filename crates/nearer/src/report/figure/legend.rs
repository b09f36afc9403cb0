//! The legend to the right of a map: what the colours, shapes and ellipses mean.

use super::colour::{Rgb, STEPS, ramp};
use super::draw::{INK, QUIET};
use super::encode::{Encoding, Groups, Look, Scale, share};
use super::marker::Shape;
use super::number::{show, ticks};
use super::sheet::{Anchor, Paint, Path, Rect, Sheet, Stroke, Type};
use super::spelling::Spelling;
use super::text::{Weight, Words, extent};

const SIZE: f64 = 6.5;
const ROW: f64 = 9.6;
const HEADING: f64 = 12.0;
const GAP: f64 = 8.0;
const BAR: [f64; 2] = [8.0, 80.0];
/// Room for a marker before its name.
const SWATCH: f64 = 10.0;

/// What stands before a name.
#[derive(Debug, Clone, PartialEq)]
enum Swatch {
    Marker(Look),
    Ring(Rgb, &'static [f64]),
    /// So many names that had no room.
    More(usize),
}

#[derive(Debug)]
struct Section {
    heading: String,
    bar: Option<(f64, f64)>,
    rows: Vec<(Swatch, String)>,
}

/// The name of a column, the colour and dashes of each of its groups, and the groups.
pub(super) type Rings<'a> = (&'a str, &'a [(Rgb, &'static [f64])], &'a Groups);

/// A legend, laid out but not yet put anywhere.
#[derive(Debug)]
pub(super) struct Legend {
    sections: Vec<Section>,
}

impl Legend {
    /// The legend of an encoding, and of groups with ellipses where they have looks of their own.
    pub(super) fn new(encoding: &Encoding<'_>, rings: Option<Rings<'_>>) -> Legend {
        let mut sections = Vec::new();
        if let Some((column, scale)) = encoding.colour.as_ref().filter(|_| !encoding.is_literal()) {
            let mut section = Section { heading: column.name.clone(), bar: None, rows: Vec::new() };
            let missing = match scale {
                Scale::Groups(g) => {
                    section.rows = g
                        .names
                        .iter()
                        .enumerate()
                        .map(|(k, n)| (Swatch::Marker(encoding.group(k)), n.clone()))
                        .collect();
                    g.missing()
                }
                Scale::Ramp { low, high, values } => {
                    section.bar = Some((*low, *high));
                    values.iter().any(Option::is_none)
                }
            };
            section.no_value(missing);
            sections.push(section);
        }
        if let Some((column, groups)) = &encoding.shape {
            let dark = |k: usize| Look { colour: Rgb(0x55, 0x55, 0x55), shape: Shape::ALL[k % 8], hollow: false };
            let rows = groups.names.iter().enumerate().map(|(k, n)| (Swatch::Marker(dark(k)), n.clone())).collect();
            let mut section = Section { heading: column.name.clone(), bar: None, rows };
            section.no_value(groups.missing());
            sections.push(section);
        }
        if let Some((name, looks, groups)) = rings {
            let rows = groups.names.iter().zip(looks).map(|(n, l)| (Swatch::Ring(l.0, l.1), n.clone())).collect();
            sections.push(Section { heading: name.into(), bar: None, rows });
        }
        Legend { sections }
    }

    /// All that it says.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.sections.iter().flat_map(|s| s.rows.iter().map(|(_, text)| text).chain([&s.heading])).map(String::as_str)
    }

    /// How wide it is, `most` at the most; 0 if there is nothing to explain.
    pub(super) fn width(&self, spelling: &Spelling, most: f64) -> f64 {
        let wide = |text: &str, weight| spelling.fit(text, SIZE, weight, most).extent(SIZE, weight).width;
        let section = |s: &Section| {
            let rows = s.rows.iter().map(|(_, text)| SWATCH + wide(text, Weight::Regular));
            let marks = s.marks().into_iter().map(|v| BAR[0] + 5.0 + extent(&show(v), SIZE, Weight::Regular).width);
            rows.chain(marks).fold(wide(&s.heading, Weight::Bold), f64::max)
        };
        let widest = self.sections.iter().map(section).fold(0.0, f64::max);
        if self.sections.is_empty() { 0.0 } else { (widest + 1.0).clamp(20.0, most) }
    }

    /// How high it is when nothing is cut.
    pub(super) fn height(&self) -> f64 {
        let sections: f64 = self.sections.iter().map(Section::height).sum();
        sections + GAP * self.sections.len().saturating_sub(1) as f64
    }

    /// Draws it into `area`; rows that do not fit are counted instead.
    pub(super) fn draw(mut self, sheet: &mut Sheet, spelling: &Spelling, area: Rect) {
        while self.height() > area.height() {
            let longest = self.sections.iter_mut().max_by_key(|s| s.rows.len());
            if !longest.is_some_and(Section::shorten) {
                break;
            }
        }
        let text = Type::new(SIZE, INK, Anchor::Start);
        let mut y = area.top;
        for section in &self.sections {
            let heading = spelling.fit(&section.heading, SIZE, Weight::Bold, area.width());
            sheet.text([area.left, y + SIZE], text.bold(), heading);
            y += HEADING;
            if section.bar.is_some() {
                section.draw_bar(sheet, area.left, y);
                y += BAR[1] + GAP;
            }
            for (swatch, name) in &section.rows {
                let middle = [area.left + 3.5, y + ROW / 2.0];
                match swatch {
                    Swatch::Marker(look) => sheet.path(look.shape.path(middle, 2.4), paint(look, 1.0)),
                    Swatch::Ring(colour, dash) => {
                        sheet.path(Path::ellipse(middle, [3.6, 2.6], 0.0), ring(*colour, dash));
                    }
                    Swatch::More(_) => {}
                }
                let name = spelling.fit(name, SIZE, Weight::Regular, area.width() - SWATCH);
                sheet.text([area.left + SWATCH, middle[1] + 0.36 * SIZE], text, name);
                y += ROW;
            }
            y += GAP;
        }
    }
}

impl Section {
    fn no_value(&mut self, missing: bool) {
        if missing {
            self.rows.push((Swatch::Marker(Look::MISSING), "no value".into()));
        }
    }

    fn height(&self) -> f64 {
        let bar = if self.bar.is_some() { BAR[1] + GAP } else { 0.0 };
        HEADING + bar + ROW * self.rows.len() as f64
    }

    /// Takes out one more name and counts it; false if there is none left.
    fn shorten(&mut self) -> bool {
        let mut already = 0;
        self.rows.retain(|(swatch, _)| match swatch {
            Swatch::More(count) => {
                already = *count;
                false
            }
            _ => true,
        });
        let last = self.rows.iter().rposition(|(s, _)| !matches!(s, Swatch::Marker(l) if *l == Look::MISSING));
        let Some(last) = last else { return false };
        self.rows.remove(last);
        // The first time two names make room for the line that counts them.
        let taken = if already == 0 && last > 0 {
            self.rows.remove(last - 1);
            2
        } else {
            1
        };
        let at = if taken == 2 { last - 1 } else { last };
        self.rows.insert(at, (Swatch::More(already + taken), format!("and {} more", already + taken)));
        at > 0
    }

    /// The round values a colour bar is marked at.
    fn marks(&self) -> Vec<f64> {
        let Some((low, high)) = self.bar else { return Vec::new() };
        if high <= low {
            return vec![low];
        }
        let inside: Vec<f64> = ticks(low, high, 4).into_iter().filter(|t| *t >= low && *t <= high).collect();
        if inside.len() >= 2 { inside } else { vec![low, high] }
    }

    fn draw_bar(&self, sheet: &mut Sheet, left: f64, top: f64) {
        let Some((low, high)) = self.bar else { return };
        let step = BAR[1] / STEPS as f64;
        for k in 0..STEPS {
            let colour = ramp(1.0 - k as f64 / (STEPS - 1) as f64);
            // Each reaches under the next: where they only met, some viewers would let the paper through.
            let end = (top + step * (k as f64 + 1.6)).min(top + BAR[1]);
            let area = Rect { left, top: top + step * k as f64, right: left + BAR[0], bottom: end };
            sheet.path(Path::rect(area), Paint::fill(colour, 1.0));
        }
        for mark in self.marks() {
            let y = top + BAR[1] * (1.0 - share(mark, low, high));
            sheet.line([left + BAR[0], y], [left + BAR[0] + 2.0, y], Stroke::new(QUIET, 0.5));
            let set = Type::new(SIZE, INK, Anchor::Start);
            sheet.text([left + BAR[0] + 4.0, y + 0.36 * SIZE], set, Words::plain(show(mark)));
        }
    }
}

/// The paint of a marker.
pub(super) fn paint(look: &Look, opacity: f64) -> Paint {
    if look.hollow {
        return Paint::fill(Rgb::WHITE, opacity).and(Stroke::new(look.colour, 0.7).faint(opacity));
    }
    Paint::fill(look.colour, opacity).and(Stroke::new(look.colour.outline(), 0.35).faint(opacity))
}

/// The paint of an ellipse.
pub(super) fn ring(colour: Rgb, dash: &'static [f64]) -> Paint {
    Paint::fill(colour, 0.12).and(Stroke::new(colour, 0.6).faint(0.75).dashed(dash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Column;
    use crate::report::figure::svg::svg;

    #[test]
    fn what_does_not_fit_is_counted_and_no_value_stays() {
        let values = (0..41).map(|k| (k < 40).then(|| format!("group {k}"))).collect();
        let column = Column { name: "kind".into(), values };
        let encoding = Encoding::new(41, Some(&column), None).unwrap();
        let mut sheet = Sheet::new([100.0, 100.0], "", "");
        let area = Rect { left: 0.0, top: 0.0, right: 80.0, bottom: 100.0 };
        Legend::new(&encoding, None).draw(&mut sheet, &Spelling::default(), area);
        let svg = svg(&sheet);
        let names = svg.matches(">group ").count();
        assert!(
            names >= 5 && svg.contains(&format!(">and {} more<", 40 - names)) && svg.contains(">no value<"),
            "{svg}"
        );
    }

    #[test]
    fn nothing_to_explain_takes_no_room() {
        let legend = Legend::new(&Encoding::new(3, None, None).unwrap(), None);
        assert_eq!((legend.width(&Spelling::default(), 90.0), legend.height()), (0.0, 0.0));
    }
}
