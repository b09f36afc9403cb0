//! PHYLIP distances: the number of objects, then names and numbers, square or lower-triangular, strict or relaxed.

use crate::error::{At, Error, Remedy};
use crate::evidence::Distances;
use crate::io::cell::{Numbers, Numerals, could_be_number};
use crate::io::kinds::ReadOptions;
use crate::io::layout::refuse;
use crate::io::matrix::twice;
use crate::io::packing::check_objects;
use crate::io::source::{Bytes, Guarded, Source, read_error};
use crate::io::square::{Fault, Square, clash_error, diagonal_error};
use crate::object::Objects;
use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether rows of a sample begin like PHYLIP: a number alone, then more than a column of numbers.
pub(crate) fn looks_like(sample: &[Vec<String>]) -> bool {
    let alone = sample.first().is_some_and(|r| {
        let cells: Vec<&String> = r.iter().filter(|c| !c.is_empty()).collect();
        cells.len() == 1 && cells[0].parse::<usize>().is_ok()
    });
    alone && sample.len() > 1 && sample[1..].iter().any(|r| r.len() > 1 || r.iter().any(|c| !could_be_number(c)))
        // `0 / 1 0 / 2 3 0` is a lower triangle that begins with its diagonal.
        && sample[0].iter().all(|c| c != "0")
        && !sample.iter().enumerate().all(|(i, r)| r.len() == i + 1 && r.iter().all(|c| could_be_number(c)))
}

/// Reads the distances.
pub(crate) fn read(
    source: &Source,
    bytes: Bytes,
    numerals: Numerals,
    options: &ReadOptions,
) -> Result<(Distances, Vec<String>), Error> {
    let (guarded, since) = Guarded::new(source, bytes);
    let reader = BufReader::with_capacity(1 << 18, guarded);
    let mut lines = Lines { source, reader, since, line: Vec::new(), number: 0 };
    let at = source.at();
    let n = header(&mut lines, &at)?;
    check_objects(n)?;
    let mut square = Square::new(n, source)?;
    let mut numbers = Numbers::new(numerals);
    let mut names: Vec<String> = Vec::new();
    let mut seen = std::collections::HashMap::new();
    let mut lower = None;
    let mut full = Vec::new();
    let mut waiting: Vec<(Vec<u8>, u64)> = Vec::new();
    for i in 0..n {
        let found = match waiting.pop() {
            Some(line) => Some(line),
            None => lines.next()?,
        };
        let Some((text, line)) = found else {
            return Err(refuse(
                &at,
                &format!("{i} of the {n} objects promised in the first line"),
                "give all rows, or correct the number in the first line",
            ));
        };
        let place = at.clone().line(line);
        let most = if lower == Some(true) { i + 1 } else { n };
        let (name, mut rest) = split_name(&text, most, &place)?;
        if let Some(before) = seen.insert(name.clone(), line) {
            return Err(twice(&name, &format!("line {before}"), place));
        }
        numbers.clear();
        let mut last = line;
        loop {
            for (k, field) in rest.split(|b| b.is_ascii_whitespace()).filter(|f| !f.is_empty()).enumerate() {
                numbers.push(field, || at.clone().line(last).column(k as u64 + 2))?;
            }
            // The first row tells the form: nothing, or a 0 alone with more rows of names below, is a triangle.
            if lower.is_none() {
                let next = lines.next()?;
                lower = match (numbers.values.len(), &next) {
                    (0, _) => Some(true),
                    (k, _) if k >= n => Some(false),
                    (_, Some((text, _))) if is_continuation(text) => None,
                    (1, _) => Some(true),
                    _ => Some(false),
                };
                if let (None, Some((text, line))) = (lower, &next) {
                    (rest, last) = (text.clone(), *line);
                    continue;
                }
                waiting.extend(next);
            }
            let enough = if lower == Some(true) { i } else { n };
            if numbers.values.len() >= enough {
                break;
            }
            match lines.next()? {
                Some((text, line)) => (rest, last) = (text, line),
                None => break,
            }
        }
        let triangle = lower == Some(true);
        let count = numbers.values.len();
        if if triangle { count != i && count != i + 1 } else { count != n } {
            let expected = if triangle { i } else { n };
            return Err(Error::Value {
                at: place,
                what: format!("`{name}` has {count} distances, expected {expected}"),
                remedy: "give every row its distances, in as many lines as you like".into(),
            });
        }
        full.clear();
        full.extend_from_slice(&numbers.values);
        full.resize(n, f64::NAN);
        numbers.bounds.resize(n, crate::evidence::Bound::Exact);
        names.push(name);
        let fault = square.row(i, &full, numbers.some_bounds(), options.similarity.is_none(), Some(line)).err();
        match fault {
            None => {}
            Some(Fault::Diagonal(v)) => return Err(diagonal_error(&names[i], v, place)),
            Some(Fault::Clash(clash)) => {
                let mut labels = names.clone();
                labels.extend((names.len()..n).map(|k| format!("row {}", k + 1)));
                return Err(clash_error(&Objects::new(labels)?, clash, &place));
            }
        }
    }
    if let Some((_, line)) = lines.next()? {
        return Err(Error::Value {
            at: at.line(line),
            what: format!("there is more after the {n} objects promised in the first line"),
            remedy: "correct the number in the first line, or give each set of distances its own file".into(),
        });
    }
    let form = if lower == Some(true) { "lower triangle" } else { "square" };
    let mut said = vec![format!("the file is PHYLIP: {n} objects, {form}")];
    if lower == Some(true) {
        square.of_one_triangle();
    }
    let distances = square.finish(Objects::new(names)?, options.similarity, &at, &mut said)?;
    if lower != Some(true) {
        said.extend(numbers.assumption());
    }
    Ok((distances, said))
}

fn header(lines: &mut Lines<'_>, at: &At) -> Result<usize, Error> {
    let Some((first, line)) = lines.next()? else {
        return Err(refuse(at, "the file is empty", "give a file with a header and rows in it"));
    };
    let text = String::from_utf8_lossy(&first);
    text.split_whitespace().next().and_then(|t| t.parse().ok()).ok_or_else(|| Error::Value {
        at: at.clone().line(line),
        what: format!("`{}` is not a number of objects", crate::io::cell::shown(&first)),
        remedy: Remedy::from("PHYLIP begins with the number of objects; say ")
            .setting("kind", "matrix")
            .and(" if this is another kind of file"),
    })
}

/// The name and the rest of a line: the first word where only numbers follow it, `most` at most; else the first ten
/// characters, for then the name holds blanks or touches a number.
fn split_name(line: &[u8], most: usize, at: &At) -> Result<(String, Vec<u8>), Error> {
    let text = std::str::from_utf8(line).map_err(|_| Error::Value {
        at: at.clone(),
        what: format!("`{}` is not valid UTF-8", crate::io::cell::shown(line)),
        remedy: "save the file as UTF-8".into(),
    })?;
    let (word, rest) = match text.trim_start().split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest),
        None => (text.trim(), ""),
    };
    let fields = |s: &str| s.split_whitespace().map(could_be_number).collect::<Vec<bool>>();
    let strict = text.char_indices().nth(10).map(|(k, _)| text.split_at(k));
    let relaxed_is_fine = fields(rest).iter().all(|ok| *ok) && fields(rest).len() <= most;
    let (name, rest) = match strict {
        Some((name, rest)) if !relaxed_is_fine && !name.trim().is_empty() && fields(rest).iter().all(|ok| *ok) => {
            (name, rest)
        }
        None if !relaxed_is_fine && !fields(rest).contains(&true) => (text, ""),
        _ => (word, rest),
    };
    if name.trim().is_empty() {
        return Err(Error::Value {
            at: at.clone(),
            what: "the name is empty".into(),
            remedy: "give every object its own name".into(),
        });
    }
    Ok((name.trim().to_string(), rest.as_bytes().to_vec()))
}

/// Whether a line goes on with numbers and has no name: it begins with a blank.
fn is_continuation(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    text.starts_with([' ', '\t']) && text.split_whitespace().all(could_be_number)
}

struct Lines<'a> {
    source: &'a Source,
    reader: BufReader<Guarded>,
    /// Bytes read since the last line.
    since: Arc<AtomicU64>,
    line: Vec<u8>,
    number: u64,
}

impl Lines<'_> {
    /// The next line that is not blank, without its end.
    fn next(&mut self) -> Result<Option<(Vec<u8>, u64)>, Error> {
        loop {
            self.line.clear();
            self.since.store(0, Ordering::Relaxed);
            let got = self.reader.read_until(b'\n', &mut self.line).map_err(|e| read_error(self.source, e))?;
            if got == 0 {
                return Ok(None);
            }
            self.number += 1;
            let text = self.line.trim_ascii_end();
            if !text.is_empty() {
                return Ok(Some((text.to_vec(), self.number)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::io::testing::{distances, refusal};
    use crate::io::{FileKind, ReadOptions};

    #[test]
    fn square_relaxed_and_strict() {
        let d = distances("    3\nAlpha 0.0 1.0 2.0\nBeta 1.0 0.0 3.0\nGamma 2.0 3.0 0.0\n");
        assert_eq!((d.objects().labels()[2].as_str(), d.condensed()), ("Gamma", &[1.0, 2.0, 3.0][..]));
        let d = distances("3\nHomo sap  0.0 1.0 2.0\nPan trog  1.0 0.0 3.0\nGorilla   2.0 3.0 0.0\n");
        assert_eq!(d.objects().labels(), ["Homo sap", "Pan trog", "Gorilla"]);
    }

    #[test]
    fn lower_triangle_with_and_without_diagonal() {
        for text in ["3\nA\nB 1\nC 2 3\n", "3\nA 0\nB 1 0\nC 2 3 0\n", "3\nA\nB         1\nC         2 3\n"] {
            let d = distances(text);
            assert_eq!(
                (d.objects().labels(), d.condensed()),
                (&["A", "B", "C"].map(String::from)[..], &[1.0, 2.0, 3.0][..])
            );
        }
    }

    #[test]
    fn rows_may_go_on_over_lines() {
        let d = distances("4\nA 0 1\n  2 3\nB 1 0\n  4 5\nC 2 4\n  0 6\nD 3 5\n  6 0\n");
        assert_eq!(d.condensed(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn too_few_rows_and_bad_numbers_are_named() {
        let options = ReadOptions { kind: Some(FileKind::Phylip), ..ReadOptions::default() };
        let e = refusal("d.phy", "3\nA 0 1 2\nB 1 0 3\n", &options);
        assert!(e.contains("2 of the 3 objects") && e.contains("d.phy"), "{e}");
        let e = refusal("d.phy", "2\nA 0 x\nB 1 0\n", &options);
        assert!(e.contains("line 2") && e.contains("`x`"), "{e}");
        let e = refusal("d.phy", "99999999999\nA 0\n", &options);
        assert!(e.contains("TiB"), "{e}");
    }
}
