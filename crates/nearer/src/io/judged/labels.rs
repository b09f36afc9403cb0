//! The objects of a table, gathered from its cells: each label once, as they are spelled or as they count.

use std::collections::HashMap;

use crate::error::{At, Error};
use crate::io::judged::nearest::{folded, suggestion};
use crate::io::packing::LABEL_BYTES;
use crate::io::text::Table;
use crate::object::{Item, Objects, label_order};

/// How many labels that look alike are named.
const LISTED: usize = 5;

/// Labels met so far.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    index: HashMap<Box<[u8]>, Item>,
    labels: Vec<String>,
    /// Where each was first met.
    lines: Vec<u64>,
    given: Option<Objects>,
    /// What the labels take.
    bytes: usize,
}

impl Labels {
    /// Labels to be met, or only those of the objects that are given.
    pub(crate) fn new(given: Option<&Objects>) -> Self {
        let index = given.map(|objects| {
            objects.labels().iter().enumerate().map(|(k, l)| (l.trim().as_bytes().into(), Item(k as u32))).collect()
        });
        Labels { index: index.unwrap_or_default(), given: given.cloned(), ..Labels::default() }
    }

    /// The object of a cell; a new one if there may be new ones.
    pub(crate) fn item(&mut self, bytes: &[u8], at: &At, line: u64, column: usize) -> Result<Item, Error> {
        let bytes = bytes.trim_ascii();
        if let Some(item) = self.index.get(bytes) {
            return Ok(*item);
        }
        let label = Table::label(at, bytes, line, column)?;
        // Blanks that ASCII does not know are trimmed as well.
        if label.len() < bytes.len() {
            return self.item(label.as_bytes(), at, line, column);
        }
        if let Some(objects) = &self.given {
            let meant = suggestion(&label, objects.labels().iter().map(String::as_str));
            return Err(Error::UnknownLabel {
                label,
                place: at.clone().line(line).column(column as u64 + 1).to_string(),
                objects: objects.len(),
                remedy: format!("{meant}correct the label, or add it to the objects").into(),
            });
        }
        if self.labels.len() >= u32::MAX as usize {
            return Err(Error::Evidence {
                what: "more than 4 billion labels".into(),
                remedy: "check the column".into(),
            });
        }
        let item = Item(self.labels.len() as u32);
        self.bytes += 2 * label.len() + LABEL_BYTES;
        self.index.insert(bytes.into(), item);
        self.labels.push(label);
        self.lines.push(line);
        Ok(item)
    }

    /// The label of an item met so far.
    pub(crate) fn label(&self, item: Item) -> &str {
        match &self.given {
            Some(objects) => objects.label(item),
            None => &self.labels[item.index()],
        }
    }

    /// What the labels that were met take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many objects there are so far.
    pub(crate) fn len(&self) -> usize {
        self.given.as_ref().map_or(self.labels.len(), Objects::len)
    }

    /// Labels that a reader would take for the same.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut seen: HashMap<String, usize> = HashMap::with_capacity(self.labels.len());
        let mut alike = Vec::new();
        let mut more = 0;
        for (k, label) in self.labels.iter().enumerate() {
            let Some(first) = seen.insert(folded(label), k) else { continue };
            if alike.len() == LISTED {
                more += 1;
                continue;
            }
            let by_case = self.labels[first].to_lowercase() == label.to_lowercase();
            alike.push(format!(
                "`{}` (line {}) and `{label}` (line {}) differ only by {}; they are two objects",
                self.labels[first],
                self.lines[first],
                self.lines[k],
                if by_case { "case" } else { "blanks" }
            ));
        }
        if more > 0 {
            alike.push(format!("{more} more labels differ from others only by case or blanks"));
        }
        alike
    }

    /// The objects, and for each item its place among them: given, or in the order of labels, so that the order of the rows says nothing.
    pub(crate) fn finish(self) -> Result<(Objects, Vec<Item>), Error> {
        if let Some(objects) = self.given {
            let same = (0..objects.len() as u32).map(Item).collect();
            return Ok((objects, same));
        }
        let order = label_order(&self.labels);
        let mut to = vec![Item(0); order.len()];
        order.iter().enumerate().for_each(|(place, &k)| to[k] = Item(place as u32));
        let mut labels = self.labels;
        let sorted: Vec<String> = order.iter().map(|&k| std::mem::take(&mut labels[k])).collect();
        Ok((Objects::new(sorted)?, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(cells: &[&str]) -> Labels {
        let mut labels = Labels::default();
        for (k, cell) in cells.iter().enumerate() {
            labels.item(cell.as_bytes(), &At::file("t.csv"), k as u64 + 1, 0).unwrap();
        }
        labels
    }

    #[test]
    fn words_are_ordered_as_spelled_and_numbers_count() {
        let (objects, to) = gathered(&["pear", "apple", " pear ", "fig"]).finish().unwrap();
        assert_eq!((objects.labels(), to.len()), (&["apple", "fig", "pear"].map(String::from)[..], 3));
        let (objects, to) = gathered(&["10", "9", "-1", "10"]).finish().unwrap();
        assert_eq!(objects.labels(), ["-1", "9", "10"]);
        assert_eq!(to, [Item(2), Item(1), Item(0)]);
    }

    #[test]
    fn labels_that_look_alike_are_named_with_their_lines() {
        let warnings = gathered(&["Dog", "cat", "dog", "ice cream", "icecream"]).warnings();
        assert_eq!(warnings[0], "`Dog` (line 1) and `dog` (line 3) differ only by case; they are two objects");
        assert!(warnings[1].contains("blanks") && warnings.len() == 2, "{warnings:?}");
    }

    #[test]
    fn strangers_are_refused_with_what_was_meant() {
        let objects = Objects::new(["dog", "wolf"]).unwrap();
        let mut labels = Labels::new(Some(&objects));
        assert_eq!(labels.item(b" wolf", &At::file("t.csv"), 2, 1).unwrap(), Item(1));
        let e = labels.item(b"Wolf", &At::file("t.csv"), 9, 1).unwrap_err().to_string();
        assert!(e.contains("t.csv, line 9, column 2") && e.contains("did you mean `wolf`?"), "{e}");
        assert_eq!(labels.finish().unwrap().0, objects);
    }
}
