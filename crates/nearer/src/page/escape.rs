//! Strings of strangers, made harmless for the place they go to.

use std::fmt::Write as _;

use crate::report::figure::{escaped, turns};

/// Text between tags or in a quoted attribute of HTML. What HTML cannot hold (control characters), or must not obey, becomes a sign for it.
pub(super) fn html(text: &str) -> String {
    escaped(text, |c| match c {
        '\t' | '\n' | '\r' => Some(' '),
        // A label that turns the direction would turn the sentence that names it.
        c if c.is_control() || turns(c) => Some('\u{fffd}'),
        c => Some(c),
    })
}

/// Text of HTML that may run from right to left, kept from turning its surroundings round.
pub(super) fn isolated(text: &str) -> String {
    format!("<bdi>{}</bdi>", html(text))
}

/// JSON to stand inside a `<script>`: nothing in it can end the script or begin a comment of HTML.
pub(super) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tag_and_no_attribute_can_be_closed() {
        assert_eq!(
            html("\"><img src=x onerror='a'>&\0"),
            "&quot;&gt;&lt;img src=x onerror=&#39;a&#39;&gt;&amp;\u{fffd}"
        );
        assert_eq!(html("a\nb\tc"), "a b c");
        assert_eq!(isolated("שלום<"), "<bdi>שלום&lt;</bdi>");
    }

    #[test]
    fn json_cannot_end_its_script_and_reads_back_the_same() {
        for nasty in ["</script><script>alert(1)</script>", "<!--", "]]>", "a\u{2028}b", "&lt;", "\\u003c", "=cmd()"] {
            let text = json(&serde_json::to_string(nasty).unwrap());
            assert!(!text.contains('<') && !text.contains('>') && !text.contains('\u{2028}'), "{text}");
            assert_eq!(serde_json::from_str::<String>(&text).unwrap(), nasty);
        }
    }
}
