//! A sheet as png, drawn by tiny-skia with the outlines of the built-in font: no font of the machine, the same bytes
//! everywhere.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use tiny_skia::{
    FillRule, LineCap, LineJoin, Mask, Paint as Brush, PathBuilder, Pixmap, Stroke as Line, StrokeDash, Transform,
};
use ttf_parser::OutlineBuilder;

use super::font;
use super::sheet::{Anchor, Ink, Mark, Paint, Path, Reading, Sheet, Step, Stroke, Type, quarters};
use super::text::Words;
use crate::error::Error;

/// More than this a picture for a page never needs, and a slip in a unit soon asks for.
const MOST_PIXELS: f64 = 2e8;
const POINTS_PER_INCH: f64 = 72.0;

/// The picture in `dpi` dots an inch, which the file tells its reader, so that it is placed at its size.
pub(super) fn png(sheet: &Sheet, dpi: f64) -> Result<Vec<u8>, Error> {
    Ok(file(&pixels(sheet, dpi)?, dpi))
}

/// The picture as dots.
pub(super) fn pixels(sheet: &Sheet, dpi: f64) -> Result<Pixmap, Error> {
    let scale = dpi / POINTS_PER_INCH;
    let [width, height] = sheet.size.map(|v| v * scale);
    let fits = dpi.is_finite() && dpi >= 10.0 && width * height <= MOST_PIXELS;
    let pixmap = if fits { Pixmap::new(width.round() as u32, height.round() as u32) } else { None };
    let mut pixmap = pixmap.ok_or_else(|| Error::Parameter {
        name: "dpi".into(),
        value: dpi.to_string(),
        expected: "at least 10, and few enough dots for a picture below 200 million pixels".into(),
    })?;
    pixmap.fill(tiny_skia::Color::WHITE);
    let to_dots = Transform::from_scale(scale as f32, scale as f32);
    draw(&mut pixmap, &sheet.marks, to_dots, None);
    Ok(pixmap)
}

fn draw(pixmap: &mut Pixmap, marks: &[Mark], to_dots: Transform, mask: Option<&Mask>) {
    for mark in marks {
        match mark {
            Mark::Shape { path, paint, .. } => {
                if let Some(path) = outline(path) {
                    shape(pixmap, &path, paint, to_dots, mask);
                }
            }
            Mark::Text { at, set, words, reading } => text(pixmap, *at, set, words, *reading, to_dots, mask),
            Mark::Clipped(r, inside) => {
                let Some(mut cut) = Mask::new(pixmap.width(), pixmap.height()) else { continue };
                if let Some(path) = outline(&Path::rect(*r)) {
                    cut.fill_path(&path, FillRule::Winding, true, to_dots);
                }
                draw(pixmap, inside, to_dots, Some(&cut));
            }
        }
    }
}

fn shape(pixmap: &mut Pixmap, path: &tiny_skia::Path, paint: &Paint, to_dots: Transform, mask: Option<&Mask>) {
    if let Some(ink) = &paint.fill {
        pixmap.fill_path(path, &brush(ink), FillRule::Winding, to_dots, mask);
    }
    if let Some(stroke) = &paint.stroke {
        pixmap.stroke_path(path, &brush(&stroke.ink), &line(stroke), to_dots, mask);
    }
}

fn text(
    pixmap: &mut Pixmap,
    at: [f64; 2],
    set: &Type,
    words: &Words,
    reading: Reading,
    to_dots: Transform,
    mask: Option<&Mask>,
) {
    let line = font::set(words.drawn());
    let back = match set.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5,
        Anchor::End => 1.0,
    } * line.width
        * set.size;
    let mut pen = Pen(PathBuilder::new());
    font::outline(&line, set.size, &mut pen);
    let Some(path) = pen.0.finish() else { return };
    let turn = match reading {
        Reading::Across => 0.0,
        Reading::Upwards => -90.0,
    };
    let place = Transform::from_translate(-back as f32, 0.0)
        .post_scale(1.0, -1.0)
        .post_rotate(turn)
        .post_translate(at[0] as f32, at[1] as f32)
        .post_concat(to_dots);
    if let Some(stroke) = set.outline() {
        shape(pixmap, &path, &Paint::stroke(stroke), place, mask);
    }
    shape(pixmap, &path, &Paint::fill(set.colour, 1.0), place, mask);
}

fn brush(ink: &Ink) -> Brush<'static> {
    let mut brush = Brush::default();
    let [r, g, b] = [ink.colour.0, ink.colour.1, ink.colour.2];
    brush.set_color_rgba8(r, g, b, (ink.opacity.clamp(0.0, 1.0) * 255.0).round() as u8);
    brush.anti_alias = true;
    brush
}

fn line(stroke: &Stroke) -> Line {
    Line {
        width: stroke.width as f32,
        line_cap: if stroke.round { LineCap::Round } else { LineCap::Butt },
        line_join: if stroke.round { LineJoin::Round } else { LineJoin::Miter },
        dash: StrokeDash::new(stroke.dash.iter().map(|v| *v as f32).collect(), 0.0),
        ..Line::default()
    }
}

fn outline(path: &Path) -> Option<tiny_skia::Path> {
    let mut pen = PathBuilder::new();
    let xy = |p: &[f64; 2]| (p[0] as f32, p[1] as f32);
    for step in &path.0 {
        match step {
            Step::Move(p) => pen.move_to(xy(p).0, xy(p).1),
            Step::Line(p) => pen.line_to(xy(p).0, xy(p).1),
            Step::Close => pen.close(),
            Step::Ellipse { centre, half, turn } => {
                let quarters = quarters(*centre, *half, *turn);
                let start = xy(&quarters[3][2]);
                pen.move_to(start.0, start.1);
                for [a, b, p] in quarters.map(|q| q.map(|p| xy(&p))) {
                    pen.cubic_to(a.0, a.1, b.0, b.1, p.0, p.1);
                }
                pen.close();
            }
        }
    }
    pen.finish()
}

struct Pen(PathBuilder);

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.0.close();
    }
}

/// The dots as a file. They cover all that lies below, so that three bytes a dot are enough.
fn file(pixmap: &Pixmap, dpi: f64) -> Vec<u8> {
    let (width, height) = (pixmap.width(), pixmap.height());
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([8, 2, 0, 0, 0]); // eight bits, red green blue, deflate, the five filters, no interlacing
    let per_metre = ((dpi / 0.0254).round() as u32).to_be_bytes();
    let density = [&per_metre[..], &per_metre, &[1]].concat();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, b"IHDR", &header);
    // Without it a word processor guesses the size.
    chunk(&mut out, b"pHYs", &density);
    chunk(&mut out, b"IDAT", &packed(pixmap));
    chunk(&mut out, b"IEND", &[]);
    out
}

/// The rows, each behind a zero that says it is written as it is: flat colours pack best so.
fn packed(pixmap: &Pixmap) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    let mut row = Vec::with_capacity(3 * pixmap.width() as usize + 1);
    for dots in pixmap.data().chunks(4 * pixmap.width() as usize) {
        row.clear();
        row.push(0);
        row.extend(dots.chunks_exact(4).flat_map(|dot| [dot[0], dot[1], dot[2]]));
        packer.write_all(&row).expect("memory can be written to");
    }
    packer.finish().expect("memory can be written to")
}

fn chunk(out: &mut Vec<u8>, name: &[u8; 4], body: &[u8]) {
    let mut crc = Crc::new();
    crc.update(name);
    crc.update(body);
    out.extend((body.len() as u32).to_be_bytes());
    out.extend(name);
    out.extend(body);
    out.extend(crc.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::colour::Rgb;
    use crate::report::figure::inflated;
    use crate::report::figure::sheet::Rect;

    #[test]
    fn sizes_are_those_asked_for() {
        let sheet = Sheet::new([72.0, 36.0], "t", "d");
        let png = png(&sheet, 300.0).unwrap();
        assert_eq!((&png[16..20], &png[20..24]), (&300u32.to_be_bytes()[..], &150u32.to_be_bytes()[..]));
        assert_eq!(&png[37..41], b"pHYs");
        assert_eq!(&png[41..45], &11811u32.to_be_bytes(), "300 dots an inch are 11811 a metre");
        for dpi in [0.0, 1e9, f64::NAN] {
            assert!(super::png(&sheet, dpi).is_err());
        }
    }

    #[test]
    fn dots_come_back_from_the_file() {
        let mut sheet = Sheet::new([4.0, 4.0], "", "");
        let half = Rect { left: 0.0, top: 0.0, right: 2.0, bottom: 4.0 };
        sheet.path(Path::rect(half), Paint::fill(Rgb(10, 20, 30), 1.0));
        let png = png(&sheet, 72.0).unwrap();
        let at = png.windows(4).position(|w| w == b"IDAT").unwrap();
        let rows = inflated(&png[at + 4..]);
        let row = [0, 10, 20, 30, 10, 20, 30, 255, 255, 255, 255, 255, 255];
        assert_eq!(rows, row.repeat(4));
    }

    #[test]
    fn a_dot_is_as_large_as_it_is_said_to_be() {
        let mut sheet = Sheet::new([20.0, 20.0], "", "");
        sheet.path(Path::dots([[10.0, 10.0]]), Paint::stroke(Stroke::new(Rgb(0, 0, 0), 10.0).round()));
        let dots = pixels(&sheet, 720.0).unwrap();
        let dark = dots.pixels().iter().map(|p| 1.0 - f64::from(p.red()) / 255.0).sum::<f64>() / 100.0;
        assert!((dark - std::f64::consts::PI * 25.0).abs() < 0.2, "{dark}");
    }

    #[test]
    fn what_is_clipped_is_cut_off() {
        let mut sheet = Sheet::new([10.0, 10.0], "", "");
        sheet.clipped(Rect { left: 0.0, top: 0.0, right: 5.0, bottom: 5.0 }, |s| {
            s.path(Path::ellipse([5.0, 5.0], [5.0, 3.0], 30.0), Paint::fill(Rgb(0, 0, 0), 1.0));
        });
        let dots = pixels(&sheet, 72.0).unwrap();
        assert_eq!((dots.pixel(4, 4).unwrap().red(), dots.pixel(6, 6).unwrap().red()), (0, 255));
    }
}
