//! Strings on their way into a drawing: cleaned, escaped, measured with the glyphs they are drawn with, and cut to fit.

use super::font;
use super::sheet::BOLDER;

/// How strong a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    Bold,
}

/// A text on a sheet: as it is, and as the built-in font can write it where it lacks some of the letters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Words {
    text: String,
    spelled: Option<String>,
}

impl Words {
    /// A text of our own, which the built-in font can write.
    pub(super) fn plain(text: impl Into<String>) -> Words {
        Words { text: text.into(), spelled: None }
    }

    /// A text, and how it is spelled where letters are lacking.
    pub(super) fn spelled(text: String, spelled: Option<String>) -> Words {
        Words { text, spelled }
    }

    /// For programs that have fonts of their own.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// For the built-in font.
    pub(super) fn drawn(&self) -> &str {
        self.spelled.as_deref().unwrap_or(&self.text)
    }

    /// Whether the letters of another text stand for it in some files.
    pub(super) fn is_spelled(&self) -> bool {
        self.spelled.is_some()
    }

    /// Whether it begins at its right end.
    pub(super) fn reads_leftwards(&self) -> bool {
        font::reads_leftwards(&self.text)
    }

    /// The box that holds it either way, so that it stands at the same place in every file.
    pub(super) fn extent(&self, size: f64, weight: Weight) -> Extent {
        let a = extent(&self.text, size, weight);
        let Some(spelled) = &self.spelled else { return a };
        let b = extent(spelled, size, weight);
        Extent { width: a.width.max(b.width), top: a.top.max(b.top), bottom: a.bottom.max(b.bottom) }
    }
}

/// The box of a line of text around its start on the baseline, in the units of its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    pub(super) width: f64,
    /// How far it reaches above the baseline.
    pub(super) top: f64,
    /// How far it reaches below the baseline.
    pub(super) bottom: f64,
}

impl Extent {
    pub(super) fn height(&self) -> f64 {
        self.top + self.bottom
    }
}

/// The box of `text` at a font size. Kerning is left out: it nearly always pulls letters together, so the box is no
/// smaller than what is drawn.
pub(super) fn extent(text: &str, size: f64, weight: Weight) -> Extent {
    let (mut width, mut top, mut bottom): (f64, f64, f64) = (0.0, 0.73, 0.05);
    let forms = font::forms(text);
    for c in forms.as_deref().unwrap_or(text).chars() {
        // Another program may draw what we lack with a font of its own; a full em is what those take.
        let Some(letter) = font::letter(c) else {
            width += if font::unseen(c) { 0.0 } else { 1.0 };
            continue;
        };
        width += letter.advance;
        top = top.max(letter.top);
        bottom = bottom.max(letter.bottom);
    }
    let line = if weight == Weight::Bold { BOLDER * size } else { 0.0 };
    Extent { width: width * size + line, top: top * size + line / 2.0, bottom: bottom * size + line / 2.0 }
}

/// The text without what cannot stand in a drawing: control characters, direction overrides and what XML forbids are
/// dropped, runs of white space become one space.
pub(super) fn clean(text: &str) -> String {
    let kept: String =
        text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !forbidden(*c)).collect();
    kept.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The text as XML character data or an attribute value.
pub(super) fn escape(text: &str) -> String {
    escaped(text, |c| (!forbidden(c)).then_some(c))
}

/// The text between tags or in a quoted attribute of XML or HTML; other characters as `kept` has them, or not at all.
pub(crate) fn escaped(text: &str, kept: impl Fn(char) -> Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.extend(kept(c)),
        }
    }
    out
}

/// The cleaned text, cut with an ellipsis where it is wider than `width`.
pub(super) fn fit(text: &str, size: f64, weight: Weight, width: f64) -> String {
    let text = clean(text);
    // One letter is hardly ever narrower than a fifth of its size: no need to measure a whole novel.
    let most = (width / (0.2 * size)).max(1.0) as usize;
    if text.chars().nth(most).is_none() && extent(&text, size, weight).width <= width {
        return text;
    }
    let mut kept: Vec<char> = text.chars().take(most).collect();
    loop {
        // A joiner or an accent must not be left without what it joins.
        while kept.last().is_some_and(|c| *c == ' ' || *c == '\u{200d}') {
            kept.pop();
        }
        let cut: String = kept.iter().chain(std::iter::once(&'…')).collect();
        if kept.is_empty() || extent(&cut, size, weight).width <= width {
            return cut;
        }
        kept.pop();
    }
}

/// The same, cut in its middle: what tells names apart is often at their end.
pub(super) fn fit_ends(text: &str, size: f64, weight: Weight, width: f64) -> String {
    let text: Vec<char> = clean(text).chars().collect();
    let most = ((width / (0.2 * size)).max(1.0) as usize).min(text.len());
    let cut = |kept: usize| {
        let tail = text.len() - kept / 2;
        let ends: String = text[..kept - kept / 2].iter().chain(&['…']).chain(&text[tail..]).collect();
        ends
    };
    let fitting = (0..most).rev().map(cut).find(|cut| extent(cut, size, weight).width <= width);
    fitting.unwrap_or_else(|| "…".into())
}

fn forbidden(c: char) -> bool {
    c.is_control() || turns(c) || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Whether a character turns the direction of what stands after it.
pub(crate) fn turns(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_forbids_is_dropped_and_the_rest_survives() {
        assert_eq!(clean(" a\u{0}\u{7}b\n\t c\u{202e}\u{ffff} "), "ab c");
        assert_eq!(escape("<b a=\"1\" b='2'>&"), "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;");
        assert_eq!(clean("שלום 🙂 é"), "שלום 🙂 é");
    }

    #[test]
    fn long_names_are_cut_to_the_width_they_are_given() {
        let long = "x".repeat(300);
        let cut = fit(&long, 7.0, Weight::Regular, 60.0);
        assert!(cut.ends_with('…') && extent(&cut, 7.0, Weight::Regular).width <= 60.0 && cut.chars().count() > 10);
        assert_eq!(fit("short", 7.0, Weight::Regular, 60.0), "short");
        assert_eq!(fit("", 7.0, Weight::Regular, 60.0), "");
        assert_eq!(fit("wide", 7.0, Weight::Regular, 0.1), "…");
        let ends = fit_ends(&format!("{long} 12"), 7.0, Weight::Regular, 60.0);
        assert!(ends.starts_with("xx") && ends.ends_with(" 12") && ends.contains('…'), "{ends}");
        assert!(extent(&ends, 7.0, Weight::Regular).width <= 60.0, "{ends}");
    }

    #[test]
    fn bold_is_wider_and_letters_below_the_line_reach_down() {
        let (a, b) = (extent("map", 10.0, Weight::Regular), extent("map", 10.0, Weight::Bold));
        assert!(b.width > a.width && a.bottom > 1.5 && a.height() > 8.0);
    }
}
