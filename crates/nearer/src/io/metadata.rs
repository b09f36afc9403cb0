//! Tables about the objects, joined to them by label.

use std::collections::HashMap;

use crate::error::Error;
use crate::io::head;
use crate::io::kinds::Format;
use crate::io::layout::{is_label_name, refuse};
use crate::io::matrix::twice;
use crate::io::packing::LABEL_BYTES;
use crate::io::source::{self, Source};
use crate::io::text::Table;
use crate::metadata::{Column, Metadata};
use crate::object::Objects;

/// Reads a table with a header and one row for each object (csv, tsv …), in any order, joined by the column called
/// `label`, `id`, `name`, `sample-id` … or else the first. A row for an object that is not there is an error; an object
/// without a row has no values. The second part is what was assumed.
pub fn read_metadata(source: &Source, objects: &Objects) -> Result<(Metadata, Vec<String>), Error> {
    let at = source.at();
    let format = source.path().and_then(Format::of);
    let (_, bytes) = super::read::peek(source, source::open(source)?)?;
    let (head, mut table) = head::open(source, bytes, format)?;
    let Some((record, line)) = table.next()? else {
        return Err(refuse(&at, "the file is empty", "give a header and a row for each object"));
    };
    let header: Vec<String> = record.iter().map(|f| String::from_utf8_lossy(f).trim().to_string()).collect();
    for (k, name) in header.iter().enumerate() {
        if let Some(first) = header[..k].iter().position(|h| h == name).filter(|_| !name.is_empty()) {
            return Err(Error::Value {
                at: at.line(line).column(k as u64 + 1),
                what: format!("the column name `{name}` already stands in column {}", first + 1),
                remedy: "give every column its own name".into(),
            });
        }
    }
    let key = header.iter().position(|h| !h.is_empty() && is_label_name(h)).unwrap_or(0);
    let named = header.get(key).filter(|h| !h.is_empty()).map_or("without a name".into(), |h| format!("`{h}`"));
    let mut said = vec![
        head.delimiter.words().to_string(),
        format!("column {} ({named}) holds the labels of the objects", key + 1),
    ];
    let (fields, mut text) = (header.len().saturating_mul(objects.len()), 0);
    let cell = size_of::<Option<String>>();
    source.holds(&format!("{} columns for {} objects", header.len(), objects.len()), (cell * fields) as u64)?;
    let names = header.iter().enumerate().filter(|(k, _)| *k != key);
    let mut columns: Vec<(usize, Column)> = names
        .map(|(k, name)| {
            let name = if name.is_empty() { format!("column {}", k + 1) } else { name.clone() };
            (k, Column { name, values: vec![None; objects.len()] })
        })
        .collect();
    let index = objects.index();
    let mut seen: HashMap<String, u64> = HashMap::new();
    while let Some((record, line)) = table.next()? {
        // `#q2:types` and its like describe columns, not objects.
        let blank = record.iter().all(|f| f.trim_ascii().is_empty());
        if blank || (record[0].starts_with(b"#q2:") && key == 0) {
            continue;
        }
        if record.len() != header.len() {
            return Err(Error::Value {
                at: at.line(line),
                what: format!("{} fields in this row, and {} in the header", record.len(), header.len()),
                remedy: "give every row the same number of fields, or quote those that hold the delimiter".into(),
            });
        }
        let label = match record[key].trim_ascii() {
            b"" if index.contains_key("") => String::new(),
            _ => Table::label(&at, &record[key], line, key)?,
        };
        let Some(item) = index.get(label.as_str()) else {
            return Err(Error::UnknownLabel {
                label,
                place: at.line(line).to_string(),
                objects: objects.len(),
                remedy: "correct the label, or take the row out".into(),
            });
        };
        if let Some(before) = seen.insert(label.clone(), line) {
            return Err(twice(&label, &format!("line {before}"), at.line(line).column(key as u64 + 1)));
        }
        text += record.as_slice().len() + 16 * record.len();
        for (k, column) in &mut columns {
            let text = std::str::from_utf8(&record[*k]).map_err(|_| Error::Value {
                at: at.clone().line(line).column(*k as u64 + 1),
                what: format!("`{}` is not valid UTF-8", crate::io::cell::shown(&record[*k])),
                remedy: "save the file as UTF-8".into(),
            })?;
            let text = text.trim();
            column.values[item.index()] = (!text.is_empty() && text != "NA").then(|| text.to_string());
        }
        table.holds("the columns", (cell * fields + text + LABEL_BYTES * seen.len()) as u64)?;
    }
    let without: Vec<&String> = objects.labels().iter().filter(|l| !seen.contains_key(l.as_str())).collect();
    if let Some(first) = without.first() {
        said.push(format!("{} objects have no row (the first is `{first}`) and so no values", without.len()));
    }
    Ok((Metadata { columns: columns.into_iter().map(|(_, c)| c).collect() }, said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::testing::file;

    fn read(text: &str) -> Result<(Metadata, Vec<String>), String> {
        let (_dir, source) = file("meta.tsv", text.as_bytes());
        read_metadata(&source, &Objects::new(["a", "b", "c"]).unwrap()).map_err(|e| e.to_string())
    }

    #[test]
    fn rows_are_joined_by_label_in_any_order() {
        let (m, said) = read("#SampleID\tsite\tph\nc\tlake\t7\na\t\t6.5\n").unwrap();
        assert_eq!(m.column("site").unwrap().values, [None, None, Some("lake".into())]);
        assert_eq!(m.column("ph").unwrap().numbers().unwrap(), [Some(6.5), None, Some(7.0)]);
        assert!(said.iter().any(|s| s.contains("1 objects have no row") && s.contains("`b`")), "{said:?}");
    }

    #[test]
    fn the_label_column_is_found_by_name() {
        let (m, _) = read("site\tname\nlake\ta\n").unwrap();
        assert_eq!(m.columns[0].values[0].as_deref(), Some("lake"));
    }

    #[test]
    fn strangers_and_repeats_are_named() {
        let e = read("id\tx\na\t1\nzebra\t2\n").unwrap_err();
        assert!(e.contains("`zebra`") && e.contains("line 3") && e.contains("meta.tsv"), "{e}");
        let e = read("id\tx\na\t1\na\t2\n").unwrap_err();
        assert!(e.contains("`a`") && e.contains("line 3") && e.contains("line 2"), "{e}");
        let e = read("id\tx\na\t1\t9\n").unwrap_err();
        assert!(e.contains("3 fields") && e.contains("line 2"), "{e}");
    }
}
