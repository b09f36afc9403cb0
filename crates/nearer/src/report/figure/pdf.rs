//! A sheet as a pdf of one page of its size. Text is text: it can be found and copied, in the letters of the data also
//! where they are spelled otherwise, with just the glyphs that are used.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{
    CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, TextRenderingMode, UnicodeCmap,
};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect as PdfRect, Ref, Str, TextStr};
use subsetter::GlyphRemapper;
use ttf_parser::GlyphId;

use super::colour::Rgb;
use super::font;
use super::sheet::{Anchor, Mark, Paint, Path, Reading, Sheet, Step, Stroke, Type, quarters};
use super::text::Words;
use crate::error::Error;

const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const INFO: Ref = Ref::new(5);
const FONT: Ref = Ref::new(6);
const GLYPHS: Ref = Ref::new(7);
const DESCRIPTOR: Ref = Ref::new(8);
const FILE: Ref = Ref::new(9);
const CHARACTERS: Ref = Ref::new(10);
const FADED: i32 = 11;

const IDENTITY: SystemInfo<'static> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };
/// Subsets are told apart by six letters; there is one font in a file, so they say nothing.
const FONT_NAME: Name<'static> = Name(b"NEARER+DejaVuSans");

/// The sheet as a file.
pub(super) fn pdf(sheet: &Sheet) -> Result<Vec<u8>, Error> {
    let [width, height] = sheet.size.map(|v| v as f32);
    let mut page = Page {
        content: Content::new(),
        glyphs: GlyphRemapper::new(),
        characters: BTreeMap::new(),
        faded: BTreeSet::new(),
    };
    // From here on `y` runs downwards, as on the sheet.
    page.content.transform([1.0, 0.0, 0.0, -1.0, 0.0, height]);
    page.draw(&sheet.marks);

    let mut pdf = Pdf::new();
    pdf.catalog(CATALOG).pages(PAGES);
    pdf.pages(PAGES).kids([PAGE]).count(1);
    let mut info = pdf.document_info(INFO);
    info.title(TextStr(&sheet.title)).subject(TextStr(&sheet.description));
    info.producer(TextStr(concat!("nearer ", env!("CARGO_PKG_VERSION"))));
    info.finish();

    let mut leaf = pdf.page(PAGE);
    leaf.parent(PAGES).media_box(PdfRect::new(0.0, 0.0, width, height)).contents(CONTENT);
    let mut resources = leaf.resources();
    if !page.characters.is_empty() {
        resources.fonts().pair(Name(b"F"), FONT);
    }
    let mut states = resources.ext_g_states();
    for (k, opacity) in page.faded.iter().enumerate() {
        states.pair(Name(state(*opacity).as_bytes()), Ref::new(FADED + k as i32));
    }
    states.finish();
    resources.finish();
    leaf.finish();
    for (k, (fill, stroke)) in page.faded.iter().enumerate() {
        let share = |v: u8| f32::from(v) / 100.0;
        pdf.ext_graphics(Ref::new(FADED + k as i32)).non_stroking_alpha(share(*fill)).stroking_alpha(share(*stroke));
    }
    if !page.characters.is_empty() {
        embed_font(&mut pdf, &page)?;
    }
    let content = packed(&page.content.finish());
    pdf.stream(CONTENT, &content).filter(Filter::FlateDecode);
    Ok(pdf.finish())
}

/// What is being written, and what it will need.
struct Page {
    content: Content,
    /// Glyphs by their number in the file.
    glyphs: GlyphRemapper,
    /// Of each glyph in the file the one of the font, and what it stands for.
    characters: BTreeMap<u16, (GlyphId, String)>,
    /// Opacities of filling and drawing, in hundredths.
    faded: BTreeSet<(u8, u8)>,
}

impl Page {
    fn draw(&mut self, marks: &[Mark]) {
        for mark in marks {
            match mark {
                Mark::Shape { path, paint, .. } => self.shape(path, paint),
                Mark::Text { at, set, words, reading } => self.text(*at, set, words, *reading),
                Mark::Clipped(r, inside) => {
                    self.content.save_state();
                    self.content.rect(r.left as f32, r.top as f32, r.width() as f32, r.height() as f32);
                    self.content.clip_nonzero().end_path();
                    self.draw(inside);
                    self.content.restore_state();
                }
            }
        }
    }

    fn shape(&mut self, path: &Path, paint: &Paint) {
        self.content.save_state();
        let opacity = |ink: Option<f64>| ink.map_or(100, |v| (100.0 * v.clamp(0.0, 1.0)).round() as u8);
        self.fade(opacity(paint.fill.map(|i| i.opacity)), opacity(paint.stroke.map(|s| s.ink.opacity)));
        if let Some(ink) = &paint.fill {
            let [r, g, b] = rgb(ink.colour);
            self.content.set_fill_rgb(r, g, b);
        }
        if let Some(stroke) = &paint.stroke {
            self.stroke(stroke);
        }
        self.steps(path);
        match (paint.fill.is_some(), paint.stroke.is_some()) {
            (true, true) => self.content.fill_nonzero_and_stroke(),
            (true, false) => self.content.fill_nonzero(),
            (false, true) => self.content.stroke(),
            (false, false) => self.content.end_path(),
        };
        self.content.restore_state();
    }

    fn fade(&mut self, fill: u8, stroke: u8) {
        if (fill, stroke) != (100, 100) {
            self.faded.insert((fill, stroke));
            self.content.set_parameters(Name(state((fill, stroke)).as_bytes()));
        }
    }

    fn stroke(&mut self, stroke: &Stroke) {
        let [r, g, b] = rgb(stroke.ink.colour);
        self.content.set_stroke_rgb(r, g, b).set_line_width(stroke.width as f32);
        if !stroke.dash.is_empty() {
            self.content.set_dash_pattern(stroke.dash.iter().map(|v| *v as f32), 0.0);
        }
        if stroke.round {
            self.content.set_line_cap(LineCapStyle::RoundCap).set_line_join(LineJoinStyle::RoundJoin);
        }
    }

    fn steps(&mut self, path: &Path) {
        let xy = |p: &[f64; 2]| p.map(hundredth);
        for step in &path.0 {
            match step {
                Step::Move(p) => self.content.move_to(xy(p)[0], xy(p)[1]),
                Step::Line(p) => self.content.line_to(xy(p)[0], xy(p)[1]),
                Step::Close => self.content.close_path(),
                Step::Ellipse { centre, half, turn } => {
                    let quarters = quarters(*centre, *half, *turn);
                    let start = xy(&quarters[3][2]);
                    self.content.move_to(start[0], start[1]);
                    for [a, b, p] in quarters.map(|q| q.map(|p| xy(&p))) {
                        self.content.cubic_to(a[0], a[1], b[0], b[1], p[0], p[1]);
                    }
                    self.content.close_path()
                }
            };
        }
    }

    fn text(&mut self, at: [f64; 2], set: &Type, words: &Words, reading: Reading) {
        let line = font::set(words.drawn());
        let back = match set.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        } * line.width
            * set.size;
        let (start, matrix) = match reading {
            Reading::Across => ([at[0] - back, at[1]], [1.0, 0.0, 0.0, -1.0]),
            Reading::Upwards => ([at[0], at[1] + back], [0.0, -1.0, -1.0, 0.0]),
        };
        let [x, y] = start.map(hundredth);
        let place = [matrix[0], matrix[1], matrix[2], matrix[3], x, y];
        let items = self.items(&line);
        if words.is_spelled() {
            // What is copied or searched for is what the data say.
            let mut span = self.content.begin_marked_content_with_properties(Name(b"Span"));
            span.properties().actual_text(TextStr(words.text()));
        }
        self.content.save_state();
        let [r, g, b] = rgb(set.colour);
        self.content.set_fill_rgb(r, g, b);
        if let Some(outline) = set.outline() {
            self.stroke(&outline);
            if set.rimmed {
                self.line(&items, set.size, place, TextRenderingMode::Stroke);
            }
        }
        let bold = set.outline().is_some() && !set.rimmed;
        let mode = if bold { TextRenderingMode::FillStroke } else { TextRenderingMode::Fill };
        self.line(&items, set.size, place, mode);
        self.content.restore_state();
        if words.is_spelled() {
            self.content.end_marked_content();
        }
    }

    /// The glyphs of a line by their numbers in the file, and how far each is moved from where the last one ended, in
    /// thousandths of the font size.
    fn items(&mut self, line: &font::Line) -> Vec<(u16, f32)> {
        let mut pen = 0.0;
        let mut items = Vec::with_capacity(line.glyphs.len());
        for glyph in &line.glyphs {
            let id = self.glyphs.remap(glyph.id.0);
            self.characters.entry(id).or_insert_with(|| (glyph.id, glyph.source.clone()));
            items.push((id, (1000.0 * (glyph.x - pen)).round() as f32));
            pen = glyph.x + font::advance(glyph.id);
        }
        items
    }

    fn line(&mut self, items: &[(u16, f32)], size: f64, place: [f32; 6], mode: TextRenderingMode) {
        self.content.begin_text().set_font(Name(b"F"), size as f32).set_text_matrix(place);
        // It outlives the text: after a rim it would still be that of the rim.
        self.content.set_text_rendering_mode(mode);
        let mut shown = self.content.show_positioned();
        let mut pieces = shown.items();
        let mut piece: Vec<u8> = Vec::new();
        for (id, moved) in items {
            if *moved != 0.0 {
                if !piece.is_empty() {
                    pieces.show(Str(&std::mem::take(&mut piece)));
                }
                pieces.adjust(-moved);
            }
            piece.extend(id.to_be_bytes());
        }
        pieces.show(Str(&piece));
        pieces.finish();
        shown.finish();
        self.content.end_text();
    }
}

/// The glyphs that are used, their widths, and the characters they stand for.
fn embed_font(pdf: &mut Pdf, page: &Page) -> Result<(), Error> {
    let face = font::face();
    let subset = subsetter::subset(font::file(), 0, &page.glyphs)
        .map_err(|e| Error::Numerical { what: format!("drawing a figure as pdf (its font: {e})") })?;
    let thousandths = |v: i16| (1000.0 * f64::from(v) / font::em()) as f32;
    pdf.type0_font(FONT)
        .base_font(FONT_NAME)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(GLYPHS)
        .to_unicode(CHARACTERS);
    let mut glyphs = pdf.cid_font(GLYPHS);
    glyphs.subtype(CidFontType::Type2).base_font(FONT_NAME).system_info(IDENTITY).font_descriptor(DESCRIPTOR);
    glyphs.cid_to_gid_map_predefined(Name(b"Identity")).default_width(0.0);
    let mut widths = glyphs.widths();
    for (id, (glyph, _)) in &page.characters {
        widths.consecutive(*id, [(1000.0 * font::advance(*glyph)) as f32]);
    }
    widths.finish();
    glyphs.finish();
    let b = face.global_bounding_box();
    pdf.font_descriptor(DESCRIPTOR)
        .name(FONT_NAME)
        .flags(FontFlags::SYMBOLIC)
        .bbox(PdfRect::new(thousandths(b.x_min), thousandths(b.y_min), thousandths(b.x_max), thousandths(b.y_max)))
        .italic_angle(0.0)
        .ascent(thousandths(face.ascender()))
        .descent(thousandths(face.descender()))
        .cap_height(thousandths(face.capital_height().unwrap_or(face.ascender())))
        .stem_v(80.0)
        .font_file2(FILE);
    let file = packed(&subset);
    pdf.stream(FILE, &file).filter(Filter::FlateDecode).pair(Name(b"Length1"), subset.len() as i32);
    let mut characters = UnicodeCmap::<u16>::new(Name(b"Characters"), IDENTITY);
    for (id, (_, source)) in &page.characters {
        characters.pair_with_multiple(*id, source.chars());
    }
    let characters = packed(&characters.finish());
    pdf.cmap(CHARACTERS, &characters).filter(Filter::FlateDecode);
    Ok(())
}

/// To a hundredth of a point, which is less than a printer can place.
fn hundredth(v: f64) -> f32 {
    ((v * 100.0).round() / 100.0) as f32
}

fn rgb(colour: Rgb) -> [f32; 3] {
    // Four digits tell 256 shades apart.
    [colour.0, colour.1, colour.2].map(|v| (f32::from(v) / 255.0 * 1e4).round() / 1e4)
}

fn state((fill, stroke): (u8, u8)) -> String {
    format!("O{fill}.{stroke}")
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).expect("memory can be written to");
    packer.finish().expect("memory can be written to")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::inflated;
    use crate::report::figure::sheet::Rect;

    fn sheet() -> Sheet {
        let mut sheet = Sheet::new([72.0, 36.0], "A map", "d");
        let text = Type::new(8.0, Rgb(0, 0, 0), Anchor::End);
        sheet.text([60.0, 20.0], text, Words::plain("AVé שלום"));
        sheet.upright_text([60.0, 20.0], text.bold(), Words::spelled("北京".into(), Some("BeiJing".into())));
        sheet.clipped(Rect { left: 0.0, top: 0.0, right: 9.0, bottom: 9.0 }, |s| {
            let paint = Paint::fill(Rgb(0, 0, 0), 0.12).and(Stroke::new(Rgb(9, 9, 9), 1.0).faint(0.75).dashed(&[2.0]));
            s.path(Path::ellipse([5.0, 5.0], [3.0, 1.0], 20.0), paint);
        });
        sheet
    }

    /// Where the table at the end of a pdf says its objects are.
    fn offsets(pdf: &[u8]) -> Vec<usize> {
        let text = String::from_utf8_lossy(&pdf[pdf.len() - 60..]).into_owned();
        let table: usize = text.split("startxref").nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap();
        assert!(pdf[table..].starts_with(b"xref"));
        let entries = String::from_utf8_lossy(&pdf[table..]).into_owned();
        entries.lines().filter(|l| l.ends_with("n ") || l.ends_with(" n")).map(|l| l[..10].parse().unwrap()).collect()
    }

    #[test]
    fn every_object_is_where_the_table_says_and_every_stream_unpacks() {
        let pdf = pdf(&sheet()).unwrap();
        assert!(pdf.starts_with(b"%PDF") && String::from_utf8_lossy(&pdf).contains("[0 0 72 36]"));
        let found = offsets(&pdf);
        assert!(found.len() >= 11);
        let mut texts = Vec::new();
        for at in found {
            let head = String::from_utf8_lossy(&pdf[at..at + 20]).into_owned();
            assert!(head.split_whitespace().nth(2) == Some("obj"), "{head}");
            let end = at + pdf[at..].windows(6).position(|w| w == b"endobj").unwrap();
            if let Some(start) = pdf[at..end].windows(7).position(|w| w == b"stream\n") {
                texts.push(String::from_utf8_lossy(&inflated(&pdf[at + start + 7..])).into_owned());
            }
        }
        let all = texts.join("\n");
        for part in ["begincmap", "<05E9>", "<00E9>", "/ActualText", " cm", "O12.75 gs", "[2] 0 d"] {
            assert!(all.contains(part), "{part} in {all}");
        }
    }

    /// The content of a page, unpacked.
    fn content(pdf: &[u8]) -> String {
        let at = pdf.windows(8).position(|w| w == b"4 0 obj\n").unwrap();
        let start = at + pdf[at..].windows(7).position(|w| w == b"stream\n").unwrap() + 7;
        String::from_utf8_lossy(&inflated(&pdf[start..])).into_owned()
    }

    #[test]
    fn letters_with_a_rim_are_filled_after_it() {
        let mut sheet = Sheet::new([72.0, 36.0], "", "");
        sheet.text([9.0, 9.0], Type::new(8.0, Rgb(0, 0, 0), Anchor::Start).rimmed(true), Words::plain("a"));
        let said = content(&pdf(&sheet).unwrap());
        let modes: Vec<&str> = said.lines().filter(|l| l.ends_with(" Tr")).collect();
        assert_eq!(modes, ["1 Tr", "0 Tr"], "{said}");
    }

    #[test]
    fn a_sheet_without_words_needs_no_font() {
        let pdf = pdf(&Sheet::new([72.0, 36.0], "", "")).unwrap();
        assert!(pdf.len() < 1200 && !String::from_utf8_lossy(&pdf).contains("FontFile"), "{}", pdf.len());
    }

    #[test]
    fn only_the_glyphs_that_are_used_are_carried_along() {
        let size = pdf(&sheet()).unwrap().len();
        assert!(size < 20_000, "{size}");
    }
}
