//! The built-in font, DejaVu Sans: which letters it has, and how a line of text is set with them. Latin, Greek, Cyrillic,
//! Hebrew, Arabic and many signs are in it; what is not, `spelling` writes in other letters.
//!
//! Setting a line is: accents joined to their letters, the order of the eye instead of that of the ear (Unicode's
//! bidirectional algorithm), Arabic letters in the form their neighbours ask for, kerning. A shaping engine would do more
//! (ligatures, accents placed by anchors, the scripts of India) at ten seconds of every first build.

use std::sync::OnceLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};
use unicode_bidi::BidiInfo;
use unicode_normalization::UnicodeNormalization;

use super::joining::{Letter as Joined, join};

/// The box of a letter, in ems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Letter {
    pub(super) advance: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// A glyph at its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Glyph {
    pub(super) id: GlyphId,
    /// From the start of the line, in ems.
    pub(super) x: f64,
    /// The characters it stands for.
    pub(super) source: String,
}

/// A line of text, set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// From left to right.
    pub(super) glyphs: Vec<Glyph>,
    /// In ems.
    pub(super) width: f64,
}

/// The font file.
pub(super) fn file() -> &'static [u8] {
    dejavu::sans::regular()
}

pub(super) fn face() -> &'static Face<'static> {
    static FACE: OnceLock<Face<'static>> = OnceLock::new();
    FACE.get_or_init(|| Face::parse(file(), 0).expect("the built-in font is a font"))
}

pub(super) fn em() -> f64 {
    f64::from(face().units_per_em())
}

/// Width of a glyph in ems.
pub(super) fn advance(glyph: GlyphId) -> f64 {
    f64::from(face().glyph_hor_advance(glyph).unwrap_or(0)) / em()
}

/// The box of a letter; `None` where the font lacks it.
pub(super) fn letter(c: char) -> Option<Letter> {
    let glyph = face().glyph_index(c)?;
    let (top, bottom) = face()
        .glyph_bounding_box(glyph)
        .map_or((0.0, 0.0), |b| (f64::from(b.y_max) / em(), -f64::from(b.y_min) / em()));
    Some(Letter { advance: advance(glyph), top, bottom })
}

/// Whether a character is there for machines only: joiners, selectors of variants, marks of direction.
pub(super) fn unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e01ef}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether a line begins at its right end: its first letter is Hebrew, Arabic or another that does.
pub(super) fn reads_leftwards(text: &str) -> bool {
    may_turn(text) && BidiInfo::new(text, None).paragraphs.first().is_some_and(|p| p.level.is_rtl())
}

/// A line of text, set. Characters that the font lacks are left out: `spelling` has replaced them before.
pub(super) fn set(text: &str) -> Line {
    let text: String = text.nfc().collect();
    let mut glyphs: Vec<Glyph> = Vec::with_capacity(text.len());
    let mut x = 0.0;
    for letter in in_the_order_of_the_eye(&text) {
        let Some(id) = face().glyph_index(letter.shown).filter(|_| !unseen(letter.shown)) else { continue };
        if let Some(last) = glyphs.last() {
            x += kerning(last.id, id);
        }
        let over = glyphs.iter().rev().find(|g| advance(g.id) > 0.0).filter(|_| points(letter.shown));
        let at = over.map_or(x, |base| base.x + over_its_letter(letter.shown, base.id, id));
        glyphs.push(Glyph { id, x: at, source: letter.source });
        x += advance(id);
    }
    Line { glyphs, width: x }
}

/// Whether a character is a point of Hebrew or a vowel sign of Arabic: the font draws it beside its letter, and leaves it to an engine to
/// put it there.
fn points(c: char) -> bool {
    matches!(c, '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}')
        || matches!(c, '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6ed}')
}

/// Where a point begins, from where its letter does: over the middle, the dots of shin over its ends.
fn over_its_letter(point: char, letter: GlyphId, mark: GlyphId) -> f64 {
    let ends = |id| face().glyph_bounding_box(id).map_or((0.0, 0.0), |b| (f64::from(b.x_min), f64::from(b.x_max)));
    let ((left, right), (from, to)) = (ends(letter), ends(mark));
    let x = match point {
        '\u{5c1}' => right - to,
        '\u{5c2}' => left - from,
        _ => (left + right - from - to) / 2.0,
    };
    x / em()
}

/// The letters in the forms in which they are drawn, where those may be others than the text has.
pub(super) fn forms(text: &str) -> Option<String> {
    may_turn(text).then(|| in_the_order_of_the_eye(&text.nfc().collect::<String>()).iter().map(|l| l.shown).collect())
}

/// Draws a set line with its start at the origin, one em as long as `size`, `y` upwards.
pub(super) fn outline(line: &Line, size: f64, pen: &mut dyn OutlineBuilder) {
    let scale = (size / em()) as f32;
    for glyph in &line.glyphs {
        let mut moved = Moved { x: (glyph.x * size) as f32, scale, pen };
        face().outline_glyph(glyph.id, &mut moved);
    }
}

/// Text without a letter from beyond this has one direction only.
fn may_turn(text: &str) -> bool {
    text.chars().any(|c| c >= '\u{590}')
}

fn in_the_order_of_the_eye(text: &str) -> Vec<Joined> {
    let letters = |text: &str| join(text.char_indices().map(|(at, c)| Joined::new(at, c)).collect());
    if !may_turn(text) {
        return letters(text);
    }
    let info = BidiInfo::new(text, None);
    let Some(paragraph) = info.paragraphs.first() else { return letters(text) };
    let (levels, runs) = info.visual_runs(paragraph, paragraph.range.clone());
    let all = letters(text);
    let mut out = Vec::with_capacity(all.len());
    for run in runs {
        let inside = all.iter().filter(|l| run.contains(&l.at)).cloned();
        if levels[run.start].is_rtl() {
            out.extend(reversed(inside.collect()));
        } else {
            out.extend(inside);
        }
    }
    out
}

/// From right to left, each mark still behind the letter it belongs to, brackets turned.
fn reversed(letters: Vec<Joined>) -> Vec<Joined> {
    let mut groups: Vec<Vec<Joined>> = Vec::new();
    for mut letter in letters {
        let turned = mirrored(letter.shown);
        if turned != letter.shown {
            // A glyph stands for one character wherever it is; readers of a pdf turn brackets back themselves.
            letter = Joined::new(letter.at, turned);
        }
        let mark = face().glyph_index(letter.shown).is_some_and(|g| advance(g) == 0.0);
        match groups.last_mut() {
            Some(group) if mark => group.push(letter),
            _ => groups.push(vec![letter]),
        }
    }
    groups.into_iter().rev().flatten().collect()
}

fn mirrored(c: char) -> char {
    match c {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        c => c,
    }
}

fn kerning(left: GlyphId, right: GlyphId) -> f64 {
    let Some(kern) = face().tables().kern else { return 0.0 };
    let tables = kern.subtables.into_iter().filter(|t| t.horizontal && !t.variable && !t.has_state_machine);
    let units = tables.filter_map(|t| t.glyphs_kerning(left, right)).next().unwrap_or(0);
    f64::from(units) / em()
}

/// A pen that is moved to a glyph's place and scaled to its size.
struct Moved<'a> {
    x: f32,
    scale: f32,
    pen: &'a mut dyn OutlineBuilder,
}

impl Moved<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.scale * x, self.scale * y)
    }
}

impl OutlineBuilder for Moved<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let p = self.at(x, y);
        self.pen.move_to(p.0, p.1);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let p = self.at(x, y);
        self.pen.line_to(p.0, p.1);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (a, p) = (self.at(x1, y1), self.at(x, y));
        self.pen.quad_to(a.0, a.1, p.0, p.1);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (a, b, p) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.pen.curve_to(a.0, a.1, b.0, b.1, p.0, p.1);
    }
    fn close(&mut self) {
        self.pen.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        set(text).glyphs.iter().map(|g| g.source.as_str()).collect()
    }

    #[test]
    fn hebrew_and_arabic_are_set_from_the_right_and_numbers_within_them_are_not() {
        assert_eq!(read("שלום"), "םולש");
        // A number after Hebrew belongs to it (UAX 9, rule I1), so it comes first from the left.
        assert_eq!(read("map שלום 12"), "map 12 םולש");
        assert_eq!(read("שלום (12) ab"), "ab (12) םולש");
        assert!(reads_leftwards("שלום ab") && !reads_leftwards("ab שלום") && !reads_leftwards("ab"));
        assert!(reads_leftwards("«مرحبا»"));
    }

    /// Where the ink of the rightmost glyph of this character begins and ends.
    fn ink(line: &Line, c: char) -> (f64, f64) {
        let glyph = line.glyphs.iter().rev().find(|g| g.source.starts_with(c)).unwrap();
        let ends = face().glyph_bounding_box(glyph.id).unwrap();
        (glyph.x + f64::from(ends.x_min) / em(), glyph.x + f64::from(ends.x_max) / em())
    }

    #[test]
    fn points_stand_over_their_own_letters() {
        // The letter that is read first, and its points: qamats and the dot of shin; damma.
        for (text, letter, points) in [("שָׁלום", 'ש', &['\u{5b8}', '\u{5c1}'][..]), ("مُحمد", 'م', &['\u{64f}'])]
        {
            let line = set(text);
            let (left, right) = ink(&line, letter);
            for point in points {
                let (from, to) = ink(&line, *point);
                assert!(left - 0.05 <= from && to <= right + 0.05, "{text} {point:?}: {from} {to} {left} {right}");
            }
        }
    }

    #[test]
    fn accents_join_their_letters_and_what_nobody_sees_takes_no_room() {
        assert_eq!(set("e\u{301}").glyphs.len(), 1);
        assert_eq!(set("a\u{fe0f}\u{200d}b"), Line { ..set("ab") });
    }

    #[test]
    fn letters_are_kerned_as_the_font_says() {
        let apart = advance(face().glyph_index('A').unwrap()) + advance(face().glyph_index('V').unwrap());
        assert!(set("AV").width < apart - 0.03 && (set("nn").width - 2.0 * letter('n').unwrap().advance).abs() < 1e-12);
    }
}
