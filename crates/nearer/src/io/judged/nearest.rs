//! The word that was probably meant: for labels, columns and roles that do not exist.

/// What does not tell two labels apart on paper: case and blanks.
pub(crate) fn folded(word: &str) -> String {
    word.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// The candidate most like a word: equal but for case and blanks, or else few edits away. The first of equals.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = folded(word).chars().collect();
    let most = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other: Vec<char> = folded(candidate).chars().collect();
        if wanted.len().abs_diff(other.len()) > most {
            continue;
        }
        let edits = edits(&wanted, &other);
        if edits <= most && best.is_none_or(|(least, _)| edits < least) {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and exchanges of neighbours that turn one word into the other.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut rows = [vec![0; b.len() + 1], (0..=b.len()).collect(), vec![0; b.len() + 1]];
    for i in 1..=a.len() {
        rows[2][0] = i;
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (rows[1][j - 1] + same).min(rows[1][j] + 1).min(rows[2][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[0][j - 2] + 1);
            }
            rows[2][j] = least;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

/// `; did you mean …?` as the beginning of a remedy, or nothing.
pub(crate) fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or(String::new(), |found| format!("did you mean `{found}`? "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_found_and_nothing_else() {
        let labels = ["dog", "wolf", "ice cream", "sea lion"];
        for (word, meant) in [
            ("Dog", Some("dog")),
            ("dgo", Some("dog")),
            ("icecream", Some("ice cream")),
            ("sea lino", Some("sea lion")),
            ("wolff", Some("wolf")),
            ("zebra", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, labels), meant, "{word}");
        }
    }

    #[test]
    fn edits_are_counted() {
        let count = |a: &str, b: &str| edits(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!((count("kitten", "sitting"), count("ab", "ba"), count("", "abc"), count("x", "x")), (3, 1, 3, 0));
    }
}
