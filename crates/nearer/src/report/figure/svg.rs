//! A sheet as svg: text stays text, and nothing has an id, so that several figures may stand in one page.

use std::fmt::Write;

use super::sheet::{Anchor, Mark, POINTS_PER_MM, Paint, Path, Reading, Rect, Sheet, Step, Stroke, Type};
use super::text::{Words, escape};

/// The families asked for, the built-in one first.
const FAMILY: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

/// The sheet as svg.
pub(super) fn svg(sheet: &Sheet) -> String {
    let [width, height] = sheet.size;
    let (w, h) = (number(width), number(height));
    let mm = |v: f64| number(v / POINTS_PER_MM);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}mm\" height=\"{}mm\" viewBox=\"0 0 {w} {h}\" \
         role=\"img\" font-family=\"{FAMILY}\">\n<title>{}</title>\n<desc>{}</desc>\n\
         <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n",
        mm(width),
        mm(height),
        escape(&sheet.title),
        escape(&sheet.description),
    );
    marks(&mut out, &sheet.marks);
    out.push_str("</svg>\n");
    out
}

fn marks(out: &mut String, marks: &[Mark]) {
    // Named shapes that look alike stand in one group, which says their look once.
    let mut group: Option<Paint> = None;
    for mark in marks {
        let wanted = match mark {
            Mark::Shape { paint, name: Some(_), .. } => Some(*paint),
            _ => None,
        };
        if group != wanted {
            out.push_str(if group.is_some() { "</g>\n" } else { "" });
            if let Some(paint) = &wanted {
                let _ = writeln!(out, "<g{}>", painted(paint)); // writing to a string cannot fail
            }
            group = wanted;
        }
        match mark {
            Mark::Shape { path, name: Some(name), .. } => {
                let _ = writeln!(out, "<path d=\"{}\"><title>{}</title></path>", steps(path), escape(name));
            }
            Mark::Shape { path, paint, name: None } => {
                let _ = writeln!(out, "<path d=\"{}\"{}/>", steps(path), painted(paint));
            }
            Mark::Text { at, set, words, reading } => text(out, *at, set, words, *reading),
            Mark::Clipped(r, inside) => clipped(out, r, inside),
        }
    }
    out.push_str(if group.is_some() { "</g>\n" } else { "" });
}

/// A nested view cuts without needing an id.
fn clipped(out: &mut String, r: &Rect, inside: &[Mark]) {
    let (x, y, w, h) = (number(r.left), number(r.top), number(r.width()), number(r.height()));
    let _ = writeln!(
        out,
        "<svg x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {w} {h}\" overflow=\"hidden\">"
    );
    marks(out, inside);
    out.push_str("</svg>\n");
}

fn painted(paint: &Paint) -> String {
    let mut out = match paint.fill {
        None => " fill=\"none\"".to_owned(),
        Some(ink) => format!(" fill=\"{}\"{}", ink.colour.hex(), opacity("fill", ink.opacity)),
    };
    if let Some(stroke) = &paint.stroke {
        out.push_str(&drawn(stroke));
    }
    out
}

fn drawn(stroke: &Stroke) -> String {
    let Stroke { ink, width, dash, round } = stroke;
    let mut out = format!(" stroke=\"{}\"{}", ink.colour.hex(), opacity("stroke", ink.opacity));
    let _ = write!(out, " stroke-width=\"{}\"", number(*width));
    if !dash.is_empty() {
        let _ = write!(out, " stroke-dasharray=\"{}\"", dash.iter().map(|v| number(*v)).collect::<Vec<_>>().join(" "));
    }
    if *round {
        out.push_str(" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
    }
    out
}

fn opacity(what: &str, share: f64) -> String {
    if share < 1.0 { format!(" {what}-opacity=\"{}\"", number(share)) } else { String::new() }
}

/// A path in its shortest form: steps from corner to corner are shorter than places on the sheet. Every step starts where
/// the rounded ones before it ended, so that roundings do not add up.
fn steps(path: &Path) -> String {
    let mut out = String::new();
    let mut at = [0.0, 0.0];
    for step in &path.0 {
        let _ = match step {
            Step::Move(p) => {
                at = p.map(rounded);
                write!(out, "M{}", pair(at))
            }
            Step::Line(p) => {
                let to = p.map(rounded);
                let by = [to[0] - at[0], to[1] - at[1]];
                at = to;
                match by.map(number) {
                    [x, y] if y == "0" => write!(out, "h{x}"),
                    [x, y] if x == "0" => write!(out, "v{y}"),
                    [x, y] => write!(out, "l{x},{y}"),
                }
            }
            Step::Close => write!(out, "z"),
            Step::Ellipse { centre, half, turn } => {
                let (sin, cos) = turn.to_radians().sin_cos();
                let across = [half[0] * cos, half[0] * sin];
                let start = pair([centre[0] - across[0], centre[1] - across[1]]);
                let (r, turn) = (pair(*half), number(if half[0] == half[1] { 0.0 } else { *turn }));
                let (to, back) = (pair(across.map(|v| 2.0 * v)), pair(across.map(|v| -2.0 * v)));
                write!(out, "M{start}a{r} {turn} 1 0 {to}a{r} {turn} 1 0 {back}z")
            }
        };
    }
    out
}

fn text(out: &mut String, at: [f64; 2], set: &Type, words: &Words, reading: Reading) {
    // What reads from the right starts at the right: its start is where others end.
    let (direction, start, end) =
        if words.reads_leftwards() { (" direction=\"rtl\"", "end", "start") } else { ("", "start", "end") };
    let anchor = match set.anchor {
        Anchor::Start => start,
        Anchor::Middle => "middle",
        Anchor::End => end,
    };
    let anchor = if anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
    let line = set.outline().map_or_else(String::new, |s| {
        format!(" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"", s.ink.colour.hex(), number(s.width))
    });
    let below = if set.rimmed { " paint-order=\"stroke\"" } else { "" };
    let turn = match reading {
        Reading::Across => String::new(),
        Reading::Upwards => format!(" transform=\"rotate(-90 {} {})\"", number(at[0]), number(at[1])),
    };
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{line}{below}{direction}{anchor} fill=\"{}\"{turn}>{}</text>",
        number(at[0]),
        number(at[1]),
        number(set.size),
        set.colour.hex(),
        escape(words.text())
    );
}

/// To a hundredth of a point, which is less than a printer can place.
fn rounded(v: f64) -> f64 {
    (v * 100.0).round() / 100.0
}

/// A coordinate with at most two decimals.
fn number(v: f64) -> String {
    let text = format!("{v:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// `x,y`.
fn pair(p: [f64; 2]) -> String {
    format!("{},{}", number(p[0]), number(p[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::colour::Rgb;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, -0.001, 1.5, 2.0, 10.0, -2.71459].map(number).join(" "), "0 0 1.5 2 10 -2.71");
    }

    #[test]
    fn paths_are_short_and_closed() {
        let square = Path::rect(Rect { left: 1.0, top: 2.0, right: 4.0, bottom: 7.0 });
        assert_eq!(steps(&square), "M1,2h3v5h-3z");
        assert_eq!(steps(&Path::dots([[1.0, 2.0], [3.0, 4.5]])), "M1,2h0M3,4.5h0");
        assert_eq!(steps(&Path::lines(&[[0.0, 0.0], [1.0, 1.004], [2.0, 2.008]])), "M0,0l1,1l1,1.01");
        assert_eq!(
            steps(&Path::ellipse([5.0, 5.0], [2.0, 1.0], 90.0)),
            "M5,3a2,1 90 1 0 0,4a2,1 90 1 0 0,-4z",
            "an ellipse goes through both ends of its first axis"
        );
    }

    #[test]
    fn named_shapes_of_one_look_share_a_group() {
        let mut sheet = Sheet::new([9.0, 9.0], "t", "d");
        let (red, blue) = (Paint::fill(Rgb(255, 0, 0), 1.0), Paint::fill(Rgb(0, 0, 255), 0.5));
        for (paint, name) in [(red, "a"), (red, "b"), (blue, "c<")] {
            sheet.named(Path::dots([[1.0, 1.0]]), paint, name.into());
        }
        let svg = svg(&sheet);
        assert_eq!((svg.matches("<g ").count(), svg.matches("</g>").count()), (2, 2), "{svg}");
        assert!(svg.contains("fill=\"#0000ff\" fill-opacity=\"0.5\"") && svg.contains("<title>c&lt;</title>"));
    }
}
