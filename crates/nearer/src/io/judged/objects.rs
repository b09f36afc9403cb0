//! The list of objects that judgements are about.

use std::collections::HashMap;

use crate::error::Error;
use crate::io::head;
use crate::io::kinds::Format;
use crate::io::layout::{is_label_name, refuse};
use crate::io::matrix::twice;
use crate::io::packing::LABEL_BYTES;
use crate::io::source::{self, Source};
use crate::io::text::Table;
use crate::object::Objects;

/// Reads the objects: the first column of a csv or tsv, or else one label a line, blanks included.
///
/// A first line such as `label`, `id` or `name` is a header. The second part is what was assumed.
pub fn read_objects(source: &Source) -> Result<(Objects, Vec<String>), Error> {
    let at = source.at();
    let format = source.path().and_then(Format::of);
    let (is_npy, bytes) = crate::io::read::peek(source, source::open(source)?)?;
    if is_npy {
        return Err(refuse(&at, "an array holds no labels", "give a text with one label a line"));
    }
    let table = matches!(format, Some(Format::Csv | Format::Tsv));
    let (head, mut records) = if table { head::open(source, bytes, format)? } else { whole_lines(source, bytes)? };
    let sample = head.sample(source)?;
    let named = sample.first().and_then(|r| r.first()).is_some_and(|c| !c.is_empty() && is_label_name(c));
    let over_numbers = table
        && sample.len() > 1
        && (1..sample[0].len()).any(|k| {
            let number = |row: &Vec<String>| row.get(k).is_some_and(|c| c.parse::<f64>().is_ok());
            !number(&sample[0]) && sample[1..].iter().all(number)
        });
    let mut header = named || over_numbers;
    let mut said =
        vec![if table { "the first column holds the objects".to_string() } else { "each line is an object".into() }];
    if header {
        said.push(format!("the first line is a header (`{}`)", sample[0].join(",")));
    }
    let (mut labels, mut text) = (Vec::new(), 0);
    let mut seen: HashMap<String, u64> = HashMap::new();
    while let Some((record, line)) = records.next()? {
        if std::mem::take(&mut header) || record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        let label = Table::label(&at, &record[0], line, 0)?;
        if let Some(before) = seen.insert(label.clone(), line) {
            return Err(twice(&label, &format!("line {before}"), at.line(line).column(1)));
        }
        text += 2 * label.len() + LABEL_BYTES;
        labels.push(label);
        records.holds("the labels", text as u64)?;
    }
    if labels.is_empty() {
        return Err(refuse(&at, "there is no object in it", "give one label a line"));
    }
    said.push(format!("{} objects", labels.len()));
    Ok((Objects::new(labels)?, said))
}

/// The lines of a text, commas and all.
fn whole_lines(source: &Source, bytes: source::Bytes) -> Result<(head::Head, Table), Error> {
    let (mut head, _) = head::open(source, bytes, Some(Format::Text))?;
    head.delimiter = head::Delimiter::Lines;
    let table = head.body(source)?;
    Ok((head, table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::testing::file;

    fn read(name: &str, text: &str) -> Result<Vec<String>, String> {
        let (_dir, source) = file(name, text.as_bytes());
        read_objects(&source).map(|(o, _)| o.labels().to_vec()).map_err(|e| e.to_string())
    }

    #[test]
    fn one_a_line_or_the_first_column() {
        assert_eq!(read("o.txt", "# all\nNew York\nRome, Italy\n\n x \n").unwrap(), ["New York", "Rome, Italy", "x"]);
        assert_eq!(read("o.txt", "label\na\nb\n").unwrap(), ["a", "b"]);
        assert_eq!(read("o.csv", "id,size\na,1\nb,2\n").unwrap(), ["a", "b"]);
        assert_eq!(read("o.csv", "thing,size\na,1\nb,2\n").unwrap(), ["a", "b"]);
        assert_eq!(read("o.csv", "a,small\nb,large\n").unwrap(), ["a", "b"]);
    }

    #[test]
    fn repeats_and_nothing_are_refused() {
        let e = read("o.txt", "a\nb\na\n").unwrap_err();
        assert!(e.contains("line 3") && e.contains("`a`") && e.contains("line 1"), "{e}");
        assert!(read("o.txt", "\n").unwrap_err().contains("no object"));
    }
}
