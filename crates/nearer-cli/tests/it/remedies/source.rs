//! Where the source names a setting, a command or another method as a remedy, and what the command then says.

use std::fs;
use std::path::{Path, PathBuf};

use nearer::method::table::METHODS;

/// A remedy as it stands in the source.
pub(super) struct Written {
    /// The file, from the root of the crates.
    pub(super) place: String,
    /// What the command says, broken where something is filled in.
    pub(super) says: Vec<String>,
}

/// Remedies that no command can meet, by their file and a part of what they say, and why.
pub(super) const OUT_OF_REACH: &[(&str, &str, &str)] = &[
    ("nearer/src/fit.rs", "choose a convex method", "the command asks before it fits, and names the methods"),
    (
        "nearer/src/verify/written.rs",
        "choose a convex method",
        "the command asks before it fits, and names the methods",
    ),
    (
        "nearer/src/program/psde.rs",
        "keeps the majority",
        "the command settles what is answered both ways before it fits",
    ),
    ("nearer/src/io/read.rs", "say another --kind", "every kind has a reader before this one"),
    ("nearer/src/io/judged/mod.rs", "say another --kind", "every kind of a table has a reader before this one"),
];

impl Written {
    pub(super) fn is_out_of_reach(&self) -> bool {
        let it =
            |(place, says, _): &(&str, &str, &str)| *place == self.place && self.says.iter().any(|s| s.contains(says));
        OUT_OF_REACH.iter().any(it)
    }
}

/// Methods that plain words name; `line` is a word like others.
fn names_a_method(words: &str) -> bool {
    let method = |word: &str| METHODS.iter().any(|m| m.name == word) || word.ends_with("k-means");
    words.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|word| word != "line" && method(word))
}

/// Remedies in plain words that name a method: what follows `remedy:`, and the last words of what may not be affordable.
fn plain(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, start) in code.match_indices("remedy:").chain(code.match_indices(".afford(")) {
        let words = match start {
            ".afford(" => literals(arguments(&code[at + start.len() - 1..]).0).pop().flatten(),
            _ => text(code[at + start.len()..].trim_start()),
        };
        found.extend(words.filter(|w| names_a_method(w)));
    }
    found
}

/// Every remedy in the source of the library and of the command that names a setting, a command or a method.
pub(super) fn remedies() -> Vec<Written> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for root in ["nearer/src", "nearer-cli/src"] {
        gather(&crates.join(root), &mut files);
    }
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let place = file.strip_prefix(crates).unwrap().to_str().unwrap().replace('\\', "/");
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let code: String =
            code.lines().filter(|l| !l.trim_start().starts_with("//")).map(|l| format!("{l}\n")).collect();
        all.extend(plain(&code).into_iter().map(|says| Written { place: place.clone(), says: vec![says] }));
        for start in ["Remedy::from(", "Remedy::default()", "remedy.and("] {
            for (at, _) in code.match_indices(start) {
                let chain = &code[at + start.find(['(', '.']).unwrap()..];
                let chain = if start == "Remedy::default()" { &code[at + start.len()..] } else { chain };
                let (says, names) = said(chain, if start == "remedy.and(" { "" } else { "and" });
                if names && !says.is_empty() {
                    all.push(Written { place: place.clone(), says });
                }
            }
        }
    }
    all
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() && name != "tests" {
            gather(&path, files);
        } else if name.ends_with(".rs") && name != "tests.rs" && name != "remedy.rs" {
            files.push(path);
        }
    }
}

/// What a chain of calls says, in pieces, and whether it names something to do. It begins with the arguments of `first`, or with a
/// call where that is empty or there are none.
fn said(chain: &str, first: &str) -> (Vec<String>, bool) {
    let (mut pieces, mut names) = (vec![String::new()], false);
    let mut rest = chain;
    let mut call = first.to_owned();
    loop {
        if rest.starts_with('(') {
            let (inside, after) = arguments(rest);
            rest = after;
            let words = literals(inside);
            match (call.as_str(), words.as_slice()) {
                ("and", _) => fill(&mut pieces, &words),
                ("any", [Some(name)]) => *last(&mut pieces) += &format!("--{name}"),
                ("command", [Some(name)]) => *last(&mut pieces) += &format!("`nearer {name}`"),
                ("setting", [Some(name), Some(value)]) => {
                    *last(&mut pieces) += &format!("--{name} ");
                    fill(&mut pieces, &[Some(value.clone())]);
                }
                ("setting", [Some(name), ..]) => {
                    *last(&mut pieces) += &format!("--{name} ");
                    pieces.push(String::new());
                }
                _ => break,
            }
            names |= call != "and";
        }
        let Some(next) = rest.trim_start().strip_prefix('.') else { break };
        let end = next.find('(').unwrap_or(next.len());
        call = next[..end].to_owned();
        if !["and", "any", "command", "setting"].contains(&call.as_str()) {
            break;
        }
        rest = &next[end..];
    }
    pieces.retain(|p| p.trim().len() > 3);
    (pieces, names)
}

fn last(pieces: &mut [String]) -> &mut String {
    pieces.last_mut().unwrap()
}

/// Adds a text; a `{}` in it, or something that is no text, breaks it.
fn fill(pieces: &mut Vec<String>, words: &[Option<String>]) {
    match words.first() {
        Some(Some(text)) => {
            let mut parts = text.split('{');
            *last(pieces) += parts.next().unwrap_or_default();
            for part in parts {
                pieces.push(part.split_once('}').map_or(String::new(), |(_, after)| after.to_owned()));
            }
        }
        _ => pieces.push(String::new()),
    }
}

/// The inside of the brackets that a text begins with, and what follows them.
fn arguments(text: &str) -> (&str, &str) {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (k, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return (&text[1..k], &text[k + 1..]);
                }
            }
            _ => {}
        }
    }
    (text, "")
}

/// The text in quotes that the source begins with here, as it is compiled: lines that go on are one.
fn text(source: &str) -> Option<String> {
    let (mut out, mut rest) = (String::new(), source.strip_prefix('"')?.chars());
    loop {
        match rest.next()? {
            '"' => return Some(out),
            '\\' => match rest.next()? {
                '\n' => rest = rest.as_str().trim_start().chars(),
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
}

/// The arguments that are texts, also within `format!`; `None` for others.
fn literals(inside: &str) -> Vec<Option<String>> {
    let mut all = Vec::new();
    let mut rest = inside.trim();
    while !rest.is_empty() {
        let text = rest.strip_prefix("format!(").map_or(rest, str::trim_start);
        if let Some(quoted) = text.strip_prefix('"') {
            let mut end = 0;
            while !quoted[end..].starts_with('"') {
                end +=
                    if quoted[end..].starts_with('\\') { 2 } else { quoted[end..].chars().next().unwrap().len_utf8() };
            }
            all.push(Some(quoted[..end].replace("\\\"", "\"")));
            rest = if text.len() == rest.len() { quoted[end + 1..].trim_start() } else { "" };
        } else {
            all.push(None);
            rest = rest.find(',').map_or("", |k| &rest[k..]);
        }
        rest = rest.strip_prefix(',').unwrap_or("").trim_start();
    }
    all
}

#[test]
fn remedies_are_found_in_the_source() {
    let (says, names) =
        said("(\"say \").setting(\"kind\", \"rows\").and(format!(\" of {k}, or \")).command(\"check\").and(x),", "and");
    assert_eq!((says, names), (vec!["say --kind rows of ".to_owned(), ", or `nearer check`".to_owned()], true));
    assert!(!said("(\"give a number\"),", "and").1);
    assert_eq!(text("\"take \\\n   pca\".into()").as_deref(), Some("take pca"));
    assert!(remedies().len() > 75);
}
