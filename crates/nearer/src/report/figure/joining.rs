//! Arabic letters as they are written: each has up to four forms, and its neighbours decide which. Unicode has a code for
//! every form (Arabic Presentation Forms A and B) and the built-in font a glyph for each, so no shaping engine is needed.

/// A letter on its way to the sheet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Letter {
    /// Where it stands in the text, in bytes.
    pub(super) at: usize,
    /// The form that is drawn.
    pub(super) shown: char,
    /// The characters it stands for.
    pub(super) source: String,
}

impl Letter {
    pub(super) fn new(at: usize, c: char) -> Letter {
        Letter { at, shown: c, source: c.into() }
    }
}

/// Letters with the code of their first form and how many they have: alone; at the end of a word; at its beginning; within.
/// Two forms: it never joins the letter after it.
const FORMS: [(char, u32, u32); 49] = [
    ('ء', 0xfe80, 1),
    ('آ', 0xfe81, 2),
    ('أ', 0xfe83, 2),
    ('ؤ', 0xfe85, 2),
    ('إ', 0xfe87, 2),
    ('ئ', 0xfe89, 4),
    ('ا', 0xfe8d, 2),
    ('ب', 0xfe8f, 4),
    ('ة', 0xfe93, 2),
    ('ت', 0xfe95, 4),
    ('ث', 0xfe99, 4),
    ('ج', 0xfe9d, 4),
    ('ح', 0xfea1, 4),
    ('خ', 0xfea5, 4),
    ('د', 0xfea9, 2),
    ('ذ', 0xfeab, 2),
    ('ر', 0xfead, 2),
    ('ز', 0xfeaf, 2),
    ('س', 0xfeb1, 4),
    ('ش', 0xfeb5, 4),
    ('ص', 0xfeb9, 4),
    ('ض', 0xfebd, 4),
    ('ط', 0xfec1, 4),
    ('ظ', 0xfec5, 4),
    ('ع', 0xfec9, 4),
    ('غ', 0xfecd, 4),
    ('ف', 0xfed1, 4),
    ('ق', 0xfed5, 4),
    ('ك', 0xfed9, 4),
    ('ل', 0xfedd, 4),
    ('م', 0xfee1, 4),
    ('ن', 0xfee5, 4),
    ('ه', 0xfee9, 4),
    ('و', 0xfeed, 2),
    ('ى', 0xfeef, 2),
    ('ي', 0xfef1, 4),
    // Of Persian and Urdu.
    ('ٹ', 0xfb66, 4),
    ('پ', 0xfb56, 4),
    ('چ', 0xfb7a, 4),
    ('ڈ', 0xfb88, 2),
    ('ژ', 0xfb8a, 2),
    ('ڑ', 0xfb8c, 2),
    ('ک', 0xfb8e, 4),
    ('گ', 0xfb92, 4),
    ('ں', 0xfb9e, 2),
    ('ہ', 0xfba6, 4),
    ('ھ', 0xfbaa, 4),
    ('ی', 0xfbfc, 4),
    ('ے', 0xfbae, 2),
];
/// Joins on both sides and has one form.
const TATWEEL: char = 'ـ';

/// The letters of a line, in the order in which they are read, in the forms that their neighbours ask for; lam and alef
/// become the one letter they are written as.
pub(super) fn join(letters: Vec<Letter>) -> Vec<Letter> {
    if !letters.iter().any(|l| forms(l.shown).is_some()) {
        return letters;
    }
    let letters = ligatures(letters);
    let base = |l: &&Letter| !mark(l.shown);
    let shown = |k: usize| {
        let c = letters[k].shown;
        let (first, count) = forms(c)?;
        let before = letters[..k].iter().rev().find(base).is_some_and(|l| joins_onwards(l.shown));
        let after = letters[k + 1..].iter().find(base).is_some_and(|l| joins_back(l.shown));
        let form = match (count > 1 && before, count == 4 && after) {
            (false, false) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (true, true) => 3,
        };
        char::from_u32(first + form)
    };
    let forms: Vec<Option<char>> = (0..letters.len()).map(shown).collect();
    letters.into_iter().zip(forms).map(|(l, form)| Letter { shown: form.unwrap_or(l.shown), ..l }).collect()
}

fn ligatures(letters: Vec<Letter>) -> Vec<Letter> {
    let mut out: Vec<Letter> = Vec::with_capacity(letters.len());
    for letter in letters {
        let alone = match letter.shown {
            'آ' => 0xfef5,
            'أ' => 0xfef7,
            'إ' => 0xfef9,
            'ا' => 0xfefb,
            _ => 0,
        };
        match (out.last_mut(), char::from_u32(alone)) {
            (Some(last), Some(ligature)) if last.shown == 'ل' && alone > 0 => {
                last.shown = ligature;
                last.source.push_str(&letter.source);
            }
            _ => out.push(letter),
        }
    }
    out
}

/// The code of the first form and the number of forms; ligatures of lam and alef have two.
fn forms(c: char) -> Option<(u32, u32)> {
    match c {
        '\u{fef5}' | '\u{fef7}' | '\u{fef9}' | '\u{fefb}' => Some((c as u32, 2)),
        _ => FORMS.iter().find(|f| f.0 == c).map(|f| (f.1, f.2)),
    }
}

fn joins_onwards(c: char) -> bool {
    c == TATWEEL || forms(c).is_some_and(|f| f.1 == 4)
}

fn joins_back(c: char) -> bool {
    c == TATWEEL || forms(c).is_some_and(|f| f.1 > 1)
}

/// Vowel signs and the like, which stand above and below and part nothing.
fn mark(c: char) -> bool {
    matches!(c, '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e8}' | '\u{6ea}'..='\u{6ed}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<u32> {
        let letters = text.char_indices().map(|(at, c)| Letter::new(at, c)).collect();
        join(letters).iter().map(|l| l.shown as u32).collect()
    }

    /// The forms in the names of Unicode's own code charts: initial meem, final reh, initial hah, medial beh, final alef.
    #[test]
    fn letters_take_the_forms_their_neighbours_ask_for() {
        assert_eq!(shown("مرحبا"), [0xfee3, 0xfeae, 0xfea3, 0xfe92, 0xfe8e]);
        assert_eq!(shown("ب ب"), [0xfe8f, 0x20, 0xfe8f], "a space parts");
        assert_eq!(shown("بَب"), [0xfe91, 0x64e, 0xfe90], "a vowel sign does not");
        assert_eq!(shown("پچ"), [0xfb58, 0xfb7b]);
        assert_eq!(shown("abc"), [97, 98, 99]);
    }

    #[test]
    fn lam_and_alef_are_one_letter() {
        assert_eq!(shown("لا"), [0xfefb]);
        assert_eq!(shown("سلام"), [0xfeb3, 0xfefc, 0xfee1]);
    }

    #[test]
    fn every_form_is_the_letter_it_is_said_to_be() {
        use unicode_normalization::UnicodeNormalization;
        for (letter, first, count) in FORMS {
            for code in first..first + count {
                let form = char::from_u32(code).unwrap();
                let base: String = form.to_string().nfkc().collect();
                assert_eq!(base, letter.to_string(), "{code:x}");
            }
        }
    }
}
