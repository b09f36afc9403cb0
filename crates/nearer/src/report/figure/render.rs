//! From svg to png and pdf, with the built-in font and nothing from the machine.

use std::sync::{Arc, OnceLock};

use flate2::Crc;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use svg2pdf::{ConversionOptions, PageOptions};

use crate::error::Error;

/// What usvg takes a millimetre to be: 96 dots an inch.
const CSS_DPI: f32 = 96.0;
/// More than this a picture for a page never needs, and a slip in a unit soon asks for.
const MOST_PIXELS: f64 = 2e8;

/// The picture in `dpi` dots an inch, which the file tells its reader, so that it is placed at its size.
pub(super) fn png(svg: &str, dpi: f64) -> Result<Vec<u8>, Error> {
    let tree = tree(svg)?;
    let scale = dpi / f64::from(CSS_DPI);
    let (width, height) = (f64::from(tree.size().width()) * scale, f64::from(tree.size().height()) * scale);
    let fits = dpi.is_finite() && dpi >= 10.0 && width * height <= MOST_PIXELS;
    let pixmap = if fits { Pixmap::new(width.round() as u32, height.round() as u32) } else { None };
    let mut pixmap = pixmap.ok_or_else(|| Error::Parameter {
        name: "dpi".into(),
        value: dpi.to_string(),
        expected: "at least 10, and few enough dots for a picture below 200 million pixels".into(),
    })?;
    resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut pixmap.as_mut());
    let bytes = pixmap.encode_png().map_err(|e| failed("png", &e.to_string()))?;
    Ok(with_density(bytes, dpi))
}

/// The picture as one page of its size, its text as text.
pub(super) fn pdf(svg: &str) -> Result<Vec<u8>, Error> {
    let page = PageOptions { dpi: CSS_DPI };
    let pdf = svg2pdf::to_pdf(&tree(svg)?, ConversionOptions::default(), page);
    pdf.map(in_order).map_err(|e| failed("pdf", &e.to_string()))
}

pub(super) fn tree(svg: &str) -> Result<Tree, Error> {
    let options = Options { font_family: "DejaVu Sans".into(), fontdb: fonts(), dpi: CSS_DPI, ..Options::default() };
    Tree::from_str(svg, &options).map_err(|e| failed("svg", &e.to_string()))
}

fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let load = || {
        let mut fonts = fontdb::Database::new();
        // One face only: svg2pdf writes several in the order of a hash map, which differs from run to run.
        fonts.load_font_source(fontdb::Source::Binary(Arc::new(dejavu::sans::regular())));
        fonts.set_sans_serif_family("DejaVu Sans");
        Arc::new(fonts)
    };
    FONTS.get_or_init(load).clone()
}

/// The same png with a `pHYs` chunk behind its header: without it a word processor guesses the size.
fn with_density(png: Vec<u8>, dpi: f64) -> Vec<u8> {
    const HEADER_END: usize = 8 + 25;
    let per_metre = ((dpi / 0.0254).round() as u32).to_be_bytes();
    let mut body = b"pHYs".to_vec();
    body.extend_from_slice(&per_metre);
    body.extend_from_slice(&per_metre);
    body.push(1);
    let mut crc = Crc::new();
    crc.update(&body);
    let mut out = Vec::with_capacity(png.len() + 21);
    out.extend_from_slice(&png[..HEADER_END]);
    out.extend_from_slice(&9u32.to_be_bytes());
    out.extend_from_slice(&body);
    out.extend_from_slice(&crc.sum().to_be_bytes());
    out.extend_from_slice(&png[HEADER_END..]);
    out
}

/// The same pdf with the entries of its resource dictionaries sorted, which svg2pdf writes in the order of a hash map.
/// Sorting lines in place moves nothing else, so that the offsets in the file stay right.
fn in_order(mut pdf: Vec<u8>) -> Vec<u8> {
    const DICTIONARIES: [&[u8]; 6] =
        [b"/XObject <<\n", b"/Pattern <<\n", b"/ExtGState <<\n", b"/Shading <<\n", b"/Font <<\n", b"/ColorSpace <<\n"];
    let mut at = 0;
    while let Some(slash) = pdf[at..].iter().position(|b| *b == b'/').map(|k| at + k) {
        at = slash + 1;
        let Some(name) = DICTIONARIES.iter().find(|d| pdf[slash..].starts_with(d)) else { continue };
        let start = slash + name.len();
        let Some(end) = pdf[start..].windows(2).position(|w| w == b">>").map(|k| start + k) else { continue };
        let Some(last) = pdf[start..end].iter().rposition(|b| *b == b'\n').map(|k| start + k + 1) else { continue };
        let mut lines: Vec<Vec<u8>> = pdf[start..last].split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        lines.sort();
        pdf[start..last].copy_from_slice(&lines.concat());
        at = end;
    }
    pdf
}

fn failed(what: &str, why: &str) -> Error {
    Error::Numerical { what: format!("drawing a figure as {what} ({why})") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::svg::Svg;

    #[test]
    fn sizes_are_those_asked_for() {
        let svg = Svg::new(72.0, 36.0, "t", "d").finish();
        let png = png(&svg, 300.0).unwrap();
        let back = Pixmap::decode_png(&png).unwrap();
        assert_eq!((back.width(), back.height()), (300, 150));
        assert_eq!(&png[37..41], b"pHYs");
        assert!(
            super::png(&svg, 0.0).is_err() && super::png(&svg, 1e9).is_err() && super::png(&svg, f64::NAN).is_err()
        );
        let pdf = pdf(&svg).unwrap();
        assert!(pdf.starts_with(b"%PDF") && String::from_utf8_lossy(&pdf).contains("[0 0 72 36]"));
    }
}
