//! Newick: a tree in brackets, `((dog,cat)mammal:0.4,trout)animal;`.

use crate::error::{At, Error};
use crate::io::cell::shown;
use crate::io::judged::patristic;
use crate::io::judged::tree::{self, NODE_BYTES, Tree};
use crate::io::kinds::{FileKind, Loaded, ReadOptions};
use crate::io::source::{self, Bytes, Source};

/// Whether a text begins like a tree in brackets, comments and blanks apart.
pub(crate) fn looks_like(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    text.first() == Some(&b'(')
}

/// Reads the one tree of a text.
///
/// Labels may stand in single quotes, a quote inside written twice; `[comments]` are passed over; branch lengths are
/// used for patristic distances only. A label keeps its underscores.
pub(crate) fn read(source: &Source, bytes: Bytes, options: &ReadOptions) -> Result<Loaded, Error> {
    let text = source::read_all(source, bytes, 1, "the tree")?;
    let at = source.at();
    let start = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut parser = Parser { text: &text, next: start, line: 1, line_start: start, at, lengths: Vec::new(), source };
    let tree = parser.tree()?;
    let mut said = vec!["the text is a tree in Newick".to_string()];
    if options.kind == Some(FileKind::Patristic) {
        return patristic::read(&tree, &parser.lengths, source, &parser.at, said);
    }
    let known = parser.lengths.iter().flatten().count();
    if known > 0 {
        said.push(format!(
            "{known} branch lengths are not used: only the shape of the tree counts (the kind patristic sums them)"
        ));
    }
    tree::parsed(tree, options, said, &parser.at)
}

struct Parser<'a> {
    text: &'a [u8],
    next: usize,
    line: u64,
    line_start: usize,
    at: At,
    /// Of the branch above each node, as far as they are written.
    lengths: Vec<Option<f64>>,
    source: &'a Source,
}

impl Parser<'_> {
    fn tree(&mut self) -> Result<Tree, Error> {
        let mut tree = Tree::default();
        // The inner nodes that are open, the innermost last.
        let mut open: Vec<u32> = Vec::new();
        if self.peek()?.is_none() {
            return self.wrong("the text is empty", "give a tree such as ((dog,cat)mammal,trout)animal;");
        }
        loop {
            let nodes = (NODE_BYTES * tree.names.len()) as u64;
            self.source.holds("the tree", 2 * self.text.len() as u64 + nodes)?;
            // Where a node begins.
            while self.peek()? == Some(b'(') {
                self.next += 1;
                let node = tree.add(String::new(), open.last().copied(), self.line);
                open.push(node);
                self.source.holds("the tree", (NODE_BYTES * tree.names.len()) as u64)?;
            }
            let line = self.line;
            match self.label()? {
                Some(label) => {
                    let leaf = tree.add(label, open.last().copied(), line);
                    self.length(leaf)?;
                }
                None => return self.unexpected("where a name should stand"),
            }
            // Where a node has ended.
            loop {
                match (self.peek()?, open.last().copied()) {
                    (Some(b','), Some(_)) => {
                        self.next += 1;
                        break;
                    }
                    (Some(b')'), Some(node)) => {
                        self.next += 1;
                        open.pop();
                        let line = self.line;
                        if let Some(label) = self.label()? {
                            (tree.names[node as usize], tree.lines[node as usize]) = (label, line);
                        }
                        self.length(node)?;
                    }
                    (Some(b')'), None) => {
                        return self.wrong("`)` closes nothing", "take it out, or add a `(` before it");
                    }
                    (Some(b';'), None) => {
                        self.next += 1;
                        return self.end().map(|()| tree);
                    }
                    (None, None) => return Ok(tree),
                    (None | Some(b';'), Some(_)) => {
                        let what = format!("the tree ends while {} brackets are still open", open.len());
                        return self.wrong(&what, "check that the file is whole");
                    }
                    (_, Some(_)) => return self.unexpected("where `,` or `)` should stand"),
                    (_, None) => return self.unexpected("where `;` should stand: all brackets are closed"),
                }
            }
        }
    }

    /// The next byte that is no blank and no comment, still to be taken.
    fn peek(&mut self) -> Result<Option<u8>, Error> {
        while let Some(&b) = self.text.get(self.next) {
            match b {
                b'[' => {
                    let opened = (self.next, self.line, self.line_start);
                    while self.text.get(self.next).is_some_and(|b| *b != b']') {
                        self.count_line();
                        self.next += 1;
                    }
                    if self.next == self.text.len() {
                        (self.next, self.line, self.line_start) = opened;
                        return self.wrong("the comment does not end", "close it with `]`");
                    }
                }
                b if b.is_ascii_whitespace() => self.count_line(),
                b => return Ok(Some(b)),
            }
            self.next += 1;
        }
        Ok(None)
    }

    fn count_line(&mut self) {
        if self.text[self.next] == b'\n' {
            self.line += 1;
            self.line_start = self.next + 1;
        }
    }

    /// A name, if one stands here.
    fn label(&mut self) -> Result<Option<String>, Error> {
        let bytes = match self.peek()? {
            Some(b'\'') => self.quoted()?,
            Some(_) => {
                let rest = &self.text[self.next..];
                let end = rest.iter().position(|b| b"()[],:;'".contains(b) || *b == b'\n' || *b == b'\r');
                let name = rest[..end.unwrap_or(rest.len())].trim_ascii_end();
                self.next += name.len();
                name.to_vec()
            }
            None => return Ok(None),
        };
        match String::from_utf8(bytes) {
            Ok(name) if name.trim().is_empty() => Ok(None),
            Ok(name) if name.contains(|c: char| c.is_control()) => {
                let what = format!("the name `{}` holds a byte that is no text", shown(name.as_bytes()));
                self.wrong(&what, "check that the file is a tree")
            }
            Ok(name) => Ok(Some(name.trim().to_string())),
            Err(e) => {
                let what = format!("the name `{}` is not valid UTF-8", shown(e.as_bytes()));
                self.wrong(&what, "save the file as UTF-8")
            }
        }
    }

    fn quoted(&mut self) -> Result<Vec<u8>, Error> {
        let opened = self.next;
        let mut name = Vec::new();
        let mut k = opened + 1;
        loop {
            match (self.text.get(k), self.text.get(k + 1)) {
                (Some(b'\''), Some(b'\'')) => {
                    name.push(b'\'');
                    k += 2;
                }
                (Some(b'\''), _) => break,
                (Some(b), _) if *b != b'\n' => {
                    name.push(*b);
                    k += 1;
                }
                _ => return self.wrong("the quotation mark does not end", "close it with `'` on the same line"),
            }
        }
        self.next = k + 1;
        Ok(name)
    }

    /// A branch length, if one stands here.
    fn length(&mut self, node: u32) -> Result<(), Error> {
        if self.peek()? != Some(b':') {
            return Ok(());
        }
        self.next += 1;
        self.peek()?;
        let rest = &self.text[self.next..];
        let end = rest.iter().position(|b| b"()[],:;'".contains(b) || b.is_ascii_whitespace()).unwrap_or(rest.len());
        let number = std::str::from_utf8(&rest[..end]).ok().and_then(|t| t.parse::<f64>().ok());
        self.lengths.resize(self.lengths.len().max(node as usize + 1), None);
        self.lengths[node as usize] = number;
        if number.is_none() {
            let what = format!("`{}` is not a branch length", shown(&rest[..end]));
            return self.wrong(&what, "write a number after the colon, or quote a name that holds a colon");
        }
        self.next += end;
        Ok(())
    }

    /// Nothing may follow the tree.
    fn end(&mut self) -> Result<(), Error> {
        match self.peek()? {
            None => Ok(()),
            Some(b'(') => self.wrong("a second tree begins here", "give one tree a file"),
            Some(_) => self.unexpected("after the end of the tree"),
        }
    }

    fn unexpected<T>(&self, place: &str) -> Result<T, Error> {
        let rest = &self.text[self.next.min(self.text.len())..];
        let found = match rest.first() {
            None => "the text ends".to_string(),
            Some(_) => {
                let text = String::from_utf8_lossy(&rest[..rest.len().min(4)]);
                format!("`{}` stands", shown(text.chars().next().unwrap_or(' ').to_string().as_bytes()))
            }
        };
        self.wrong(&format!("{found} {place}"), "write a tree such as ((dog,cat)mammal,trout)animal;")
    }

    fn wrong<T>(&self, what: &str, remedy: &str) -> Result<T, Error> {
        let column = (self.next - self.line_start) as u64 + 1;
        Err(Error::Format {
            at: self.at.clone().line(self.line),
            what: format!("character {column}: {what}"),
            remedy: remedy.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::evidence::{Evidence, Taxonomy};
    use crate::io::ReadOptions;
    use crate::io::testing::{gz, load, refusal};

    fn tree(text: &str) -> Taxonomy {
        match load("t.nwk", text, &ReadOptions::default()).unwrap().evidence {
            Evidence::Taxonomy(tree) => tree,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn brackets_are_a_tree() {
        let t = tree("((dog:0.1,cat)mammal:2e-1,[a [comment] trout)animal;\n");
        assert_eq!(t.objects().labels(), ["dog", "cat", "trout"]);
        assert_eq!((t.nodes(), t.height()), (5, 2));
        let (dog, cat) = (crate::Item(0), crate::Item(1));
        assert_eq!(t.name(t.common_ancestor(dog, cat)), "mammal");
        let t = tree("(('it''s a, dog',Homo_sapiens),\n ( x , New York ) ) ");
        assert_eq!(t.objects().labels(), ["it's a, dog", "Homo_sapiens", "x", "New York"]);
        assert_eq!(tree("(10,(9,2));").objects().labels(), ["2", "9", "10"]);
    }

    #[test]
    fn it_is_recognised_without_its_name_and_what_is_not_used_is_said() {
        let loaded = load("tree.gz", gz(b"\n((a:1,b:2):3,c:4);"), &ReadOptions::default()).unwrap();
        assert!(
            loaded.assumptions.iter().any(|a| a.contains("4 branch lengths are not used")),
            "{:?}",
            loaded.assumptions
        );
    }

    #[test]
    fn deep_trees_need_no_deep_stack() {
        let deep = 200_000;
        let text = format!("{}x{};", "(".repeat(deep), ")".repeat(deep));
        let e = load("t.nwk", text, &ReadOptions::default());
        assert!(e.is_ok(), "{e:?}");
    }

    #[test]
    fn garbage_is_refused_with_its_position() {
        for (text, words) in [
            ("((a,b),c;", vec!["line 1", "character 9", "1 brackets are still open"]),
            ("((a,b),\n(c,d", vec!["line 2", "2 brackets"]),
            ("(a,b));", vec!["character 6", "closes nothing"]),
            ("(a,,b);", vec!["character 4", "`,`", "name"]),
            ("(a,b:x);", vec!["`x` is not a branch length"]),
            ("(a,'b);", vec!["character 4", "quotation mark"]),
            ("(a,[b\n);", vec!["line 1", "character 4", "comment does not end"]),
            ("(a,b);(c,d);", vec!["second tree"]),
            ("(a,b)c d(e);", vec!["`(`"]),
            ("(a,(b,a));", vec!["`a`", "already"]),
            ("", vec!["empty"]),
            ("();", vec!["`)`"]),
        ] {
            let e = refusal("t.nwk", text, &ReadOptions::default());
            assert!(words.iter().all(|w| e.contains(w)) && e.contains("t.nwk"), "{text}: {e}");
        }
    }
}
