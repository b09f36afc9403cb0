//! The legend to the right of a map: what the colours, shapes and ellipses mean.

use super::colour::{MISSING, Rgb, STEPS, ramp};
use super::encode::{Encoding, Groups, Look, Scale, share};
use super::marker::Shape;
use super::number::{show, ticks};
use super::svg::{Anchor, Rect, Svg, Type, number};
use super::text::{Weight, extent, fit};

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
    Ring(Rgb, &'static str),
    Nothing,
}

#[derive(Debug)]
struct Section {
    heading: String,
    bar: Option<(f64, f64)>,
    rows: Vec<(Swatch, String)>,
}

/// The name of a column, the colour and dashes of each of its groups, and the groups.
pub(super) type Rings<'a> = (&'a str, &'a [(Rgb, &'static str)], &'a Groups);

/// A legend, laid out but not yet put anywhere.
#[derive(Debug)]
pub(super) struct Legend {
    sections: Vec<Section>,
}

impl Legend {
    /// The legend of an encoding, and of groups with ellipses where they have looks of their own.
    pub(super) fn new(encoding: &Encoding<'_>, rings: Option<Rings<'_>>) -> Legend {
        let mut sections = Vec::new();
        if let Some((column, scale)) = &encoding.colour {
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

    /// How wide it is, `most` at the most; 0 if there is nothing to explain.
    pub(super) fn width(&self, most: f64) -> f64 {
        let section = |s: &Section| {
            let rows = s.rows.iter().map(|(_, text)| SWATCH + extent(text, SIZE, Weight::Regular).width);
            let marks = s.marks().into_iter().map(|v| BAR[0] + 5.0 + extent(&show(v), SIZE, Weight::Regular).width);
            rows.chain(marks).fold(extent(&s.heading, SIZE, Weight::Bold).width, f64::max)
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
    pub(super) fn draw(mut self, svg: &mut Svg, area: Rect) {
        while self.height() > area.height() {
            let longest = self.sections.iter_mut().max_by_key(|s| s.rows.len());
            if !longest.is_some_and(Section::shorten) {
                break;
            }
        }
        let text = Type::new(SIZE, "#222222", Anchor::Start);
        let mut y = area.top;
        for section in &self.sections {
            let heading = fit(&section.heading, SIZE, Weight::Bold, area.width());
            svg.text([area.left, y + SIZE], text.bold(), &heading);
            y += HEADING;
            if section.bar.is_some() {
                section.draw_bar(svg, area.left, y);
                y += BAR[1] + GAP;
            }
            for (swatch, name) in &section.rows {
                let middle = [area.left + 3.5, y + ROW / 2.0];
                match swatch {
                    Swatch::Marker(look) => svg.path(&look.shape.path(middle, 2.4), &paint(look, 1.0)),
                    Swatch::Ring(colour, dash) => svg.raw(&format!(
                        "<ellipse cx=\"{}\" cy=\"{}\" rx=\"3.6\" ry=\"2.6\" {}/>\n",
                        number(middle[0]),
                        number(middle[1]),
                        ring(*colour, dash)
                    )),
                    Swatch::Nothing => {}
                }
                let name = fit(name, SIZE, Weight::Regular, area.width() - SWATCH);
                svg.text([area.left + SWATCH, middle[1] + 0.36 * SIZE], text, &name);
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
        let counted = self.rows.iter().position(|(s, _)| *s == Swatch::Nothing);
        let already = counted.map_or(0, |k| {
            let (_, text) = self.rows.remove(k);
            text.split(' ').nth(1).and_then(|c| c.parse::<usize>().ok()).unwrap_or(0)
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
        self.rows.insert(at, (Swatch::Nothing, format!("and {} more", already + taken)));
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

    fn draw_bar(&self, svg: &mut Svg, left: f64, top: f64) {
        let Some((low, high)) = self.bar else { return };
        let step = BAR[1] / STEPS as f64;
        for k in 0..STEPS {
            let colour = ramp(1.0 - k as f64 / (STEPS - 1) as f64).hex();
            // Each reaches under the next: where they only met, some viewers would let the paper through.
            let end = (top + step * (k as f64 + 1.6)).min(top + BAR[1]);
            svg.box_filled(Rect { left, top: top + step * k as f64, right: left + BAR[0], bottom: end }, &colour);
        }
        for mark in self.marks() {
            let y = top + BAR[1] * (1.0 - share(mark, low, high));
            svg.line([left + BAR[0], y], [left + BAR[0] + 2.0, y], "#555555", 0.5);
            svg.text([left + BAR[0] + 4.0, y + 0.36 * SIZE], Type::new(SIZE, "#222222", Anchor::Start), &show(mark));
        }
    }
}

/// The paint of a marker.
pub(super) fn paint(look: &Look, opacity: f64) -> String {
    let fade = if opacity < 1.0 { format!(" opacity=\"{}\"", number(opacity)) } else { String::new() };
    if look.hollow {
        let stroke = if look.colour == MISSING { MISSING } else { look.colour };
        return format!("fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"0.7\"{fade}", stroke.hex());
    }
    format!("fill=\"{}\" stroke=\"{}\" stroke-width=\"0.35\"{fade}", look.colour.hex(), look.colour.outline().hex())
}

/// The paint of an ellipse.
pub(super) fn ring(colour: Rgb, dash: &str) -> String {
    let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    let hex = colour.hex();
    format!("fill=\"{hex}\" fill-opacity=\"0.12\" stroke=\"{hex}\" stroke-opacity=\"0.75\" stroke-width=\"0.6\"{dash}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Column;

    #[test]
    fn what_does_not_fit_is_counted_and_no_value_stays() {
        let values = (0..41).map(|k| (k < 40).then(|| format!("group {k}"))).collect();
        let column = Column { name: "kind".into(), values };
        let encoding = Encoding::new(41, Some(&column), None).unwrap();
        let mut svg = Svg::new(100.0, 100.0, "", "");
        Legend::new(&encoding, None).draw(&mut svg, Rect { left: 0.0, top: 0.0, right: 80.0, bottom: 100.0 });
        let svg = svg.finish();
        let names = svg.matches(">group ").count();
        assert!(
            names >= 5 && svg.contains(&format!(">and {} more<", 40 - names)) && svg.contains(">no value<"),
            "{svg}"
        );
    }

    #[test]
    fn nothing_to_explain_takes_no_room() {
        let legend = Legend::new(&Encoding::new(3, None, None).unwrap(), None);
        assert_eq!((legend.width(90.0), legend.height()), (0.0, 0.0));
    }
}
