//! What the built-in font cannot write, in letters that it can: Chinese, Japanese, Korean, the scripts of India, many
//! emoji. No font for those is small enough to carry along, and an empty box tells a reader nothing. In an svg the text
//! stays as it is, for a browser has the fonts; png and pdf have the spelling, and whoever asks is told which.

use std::collections::{BTreeMap, HashSet};

use any_ascii::any_ascii_char;
use unicode_normalization::UnicodeNormalization;

use super::font::{letter, unseen};
use super::text::{Weight, Words, clean, fit, fit_ends};

/// The texts of a figure that have to be spelled, and how.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Spelling {
    of: BTreeMap<String, String>,
}

impl Spelling {
    /// The spelling of all texts of a figure. Two that are not the same are not spelled the same: where letters alone would
    /// make them so, the codes of the characters are written behind them.
    pub(super) fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Spelling {
        let texts: Vec<String> = texts.into_iter().map(clean).collect();
        let (lacking, mut taken): (Vec<&String>, HashSet<String>) = {
            let (a, b): (Vec<&String>, Vec<&String>) = texts.iter().partition(|t| lacks(t));
            (a, b.into_iter().cloned().collect())
        };
        let mut of = BTreeMap::new();
        for text in lacking {
            if of.contains_key(text) {
                continue;
            }
            let mut spelled = spell(text);
            if taken.contains(&spelled) {
                spelled = format!("{spelled} {}", codes(text));
            }
            taken.insert(spelled.clone());
            of.insert(text.clone(), spelled);
        }
        Spelling { of }
    }

    /// A text cut to a width, both as it is and as it is spelled.
    pub(super) fn fit(&self, text: &str, size: f64, weight: Weight, width: f64) -> Words {
        let spelled = self.of.get(&clean(text)).map(|s| fit(s, size, weight, width));
        Words::spelled(fit(text, size, weight, width), spelled)
    }

    /// The same, cut in the middle.
    pub(super) fn fit_ends(&self, text: &str, size: f64, weight: Weight, width: f64) -> Words {
        let spelled = self.of.get(&clean(text)).map(|s| fit_ends(s, size, weight, width));
        Words::spelled(fit_ends(text, size, weight, width), spelled)
    }

    /// Each text that is spelled, and how.
    pub(super) fn list(&self) -> Vec<(String, String)> {
        self.of.iter().map(|(a, b)| (a.clone(), b.clone())).collect()
    }
}

fn lacks(text: &str) -> bool {
    !text.is_ascii() && text.nfc().any(lacking)
}

fn lacking(c: char) -> bool {
    !unseen(c) && (letter(c).is_none() || shaped(c))
}

/// Letters that are only readable when an engine puts them together: the scripts of India, Tibet, Burma and Cambodia.
fn shaped(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

fn spell(text: &str) -> String {
    let mut out = String::new();
    let mut last_spelled = false;
    for c in text.nfc() {
        if unseen(c) {
            continue;
        }
        let spelled = lacking(c);
        // Signs that only lengthen a vowel or silence it have no letters of their own.
        let letters: String = if spelled { any_ascii_char(c).into() } else { c.into() };
        // A name and its number, or a word and a picture, must not run into each other.
        let joins = |c: char| c.is_alphanumeric() || c == ':';
        if spelled != last_spelled && out.ends_with(joins) && letters.starts_with(joins) {
            out.push(' ');
        }
        out.push_str(&letters);
        last_spelled = spelled;
    }
    let out = clean(&out);
    if out.is_empty() { codes(text) } else { out }
}

fn codes(text: &str) -> String {
    let codes: Vec<String> = text.nfc().filter(|c| lacking(*c)).map(code).collect();
    codes.join(" ")
}

fn code(c: char) -> String {
    format!("U+{:04X}", c as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(texts: &[&str]) -> Vec<(String, String)> {
        Spelling::new(texts.iter().copied()).list()
    }

    #[test]
    fn what_the_font_has_is_left_alone() {
        let known =
            ["plain", "Ångström", "Ελληνικά", "Кириллица", "שלום", "مرحبا", "پارسی", "naïve ½ → ∞", "e\u{301}", "😀"];
        assert_eq!(spelled(&known), []);
    }

    #[test]
    fn what_it_lacks_is_written_in_letters_it_has() {
        let list = spelled(&["北京 2", "東京タワー", "한국", "ไทย", "हिन्दी", "🦊", "cat 猫"]);
        let of = |text: &str| list.iter().find(|(a, _)| a == text).map(|(_, b)| b.as_str()).unwrap();
        assert_eq!((of("北京 2"), of("한국"), of("हिन्दी")), ("BeiJing 2", "HanGug", "hindi"));
        assert_eq!((of("🦊"), of("cat 猫"), of("東京タワー")), (":fox:", "cat Mao", "DongJingtawa"));
        assert!(list.iter().all(|(_, b)| b.is_ascii() && !b.is_empty()), "{list:?}");
    }

    #[test]
    fn two_names_are_never_spelled_the_same() {
        let list = spelled(&["李", "理", "Li", "北京", "北京"]);
        let spelling: Vec<&str> = list.iter().map(|(_, b)| b.as_str()).collect();
        assert_eq!(spelling, ["BeiJing", "Li U+674E", "Li U+7406"]);
    }
}
