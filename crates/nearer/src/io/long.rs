//! Long tables: one measurement a row, `from,to,value[,weight][,participant]`, repeats and all.

use std::collections::HashMap;

use crate::error::Error;
use crate::evidence::{Bound, Evidence, Measurement, Measurements, size};
use crate::io::cell::{self, Cell, Numbers, Numerals, negative, wrong};
use crate::io::columns::LongColumns;
use crate::io::kinds::{FileKind, Loaded, ReadOptions};
use crate::io::layout::{Layout, refuse};
use crate::io::packing::{LABEL_BYTES, all_missing, check_bytes, check_memory, check_objects, distance, flipped};
use crate::io::source::Source;
use crate::io::square::diagonal_error;
use crate::io::text::Table;
use crate::object::{Item, Objects, Pair};
use crate::text::said_of;

/// Reads the measurements.
pub(crate) fn read(
    table: &mut Table,
    columns: LongColumns,
    layout: Layout,
    numerals: Numerals,
    options: &ReadOptions,
) -> Result<Loaded, Error> {
    let (at, from) = (table.at.clone(), table.source.clone());
    let mut study = Study::default();
    let (mut assumptions, mut selves, mut gaps) = (layout.assumptions, 0usize, 0usize);
    let mut marks = Numbers::new(numerals);
    let mut header_line = layout.header;
    let least = 1 + columns.from.max(columns.to).max(columns.value);
    while let Some((record, line)) = table.next()? {
        if std::mem::take(&mut header_line) || record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        let place = |k: usize| at.clone().line(line).column(k as u64 + 1);
        let field = |k: usize| record.get(k).unwrap_or_default();
        if record.len() < least {
            return Err(Error::Value {
                at: at.clone().line(line),
                what: format!("{} fields, but a measurement needs {least}", record.len()),
                remedy: "give two labels and a value in every row".into(),
            });
        }
        let a = study.object(Table::label(&at, field(columns.from), line, columns.from)?, &from)?;
        let b = study.object(Table::label(&at, field(columns.to), line, columns.to)?, &from)?;
        let (value, bound) = match cell::parse(field(columns.value), numerals) {
            Ok(Cell::Value(v)) => (v, Bound::Exact),
            Ok(Cell::Bound(bound, v)) => (v, bound),
            Ok(Cell::Missing) => {
                marks.note_missing(field(columns.value));
                gaps += 1;
                continue;
            }
            Err(why) => return Err(wrong(place(columns.value), field(columns.value), why)),
        };
        if value < 0.0 && !numerals.signed {
            return Err(negative(place(columns.value), value));
        }
        let weight = match columns.weight.map(|k| (k, cell::parse(field(k), numerals))) {
            None => 1.0,
            Some((_, Ok(Cell::Value(w)))) if w == 0.0 || size::is_weight(w) => w,
            Some((k, _)) => {
                return Err(Error::Value {
                    at: place(k),
                    what: format!("the weight `{}` is not a number from 0 to 1e30", cell::shown(field(k))),
                    remedy: "write 1 for an ordinary row, or take the weight column out".into(),
                });
            }
        };
        let Some(pair) = Pair::new(a, b) else {
            if options.similarity.is_none() && (value != 0.0 || bound != Bound::Exact) {
                return Err(diagonal_error(&study.labels[a.index()], value, place(columns.value)));
            }
            selves += 1;
            study.own.insert(a, value);
            continue;
        };
        let source = match columns.participant {
            None => 0,
            Some(k) => study.participant(String::from_utf8_lossy(field(k).trim_ascii()).into_owned()),
        };
        study.rows.push(Measurement { pair, value, weight, bound, source });
        table.holds("the measurements", study.bytes())?;
    }
    if selves > 0 && options.similarity.is_none() {
        assumptions.push(format!("{selves} rows of an object with itself, all 0, were left out"));
    }
    if let Some(words) = marks.assumption() {
        assumptions.push(format!("{words} ({gaps} rows)"));
    }
    if study.labels.is_empty() {
        return Err(refuse(&at, "there is a header and no row below it", "give a file with distances in it"));
    }
    study.finish(columns, options, &from, assumptions)
}

/// What has been read so far.
#[derive(Default)]
struct Study {
    labels: Vec<String>,
    index: HashMap<String, Item>,
    sources: Vec<String>,
    source_index: HashMap<String, u32>,
    rows: Vec<Measurement>,
    /// Bytes of all names.
    text: usize,
    /// Similarities of objects to themselves.
    own: HashMap<Item, f64>,
}

impl Study {
    /// What has been read takes so many bytes.
    fn bytes(&self) -> u64 {
        let names = self.labels.len() + self.sources.len();
        (self.rows.len() * size_of::<Measurement>() + names * LABEL_BYTES + self.text) as u64
    }

    fn object(&mut self, label: String, from: &Source) -> Result<Item, Error> {
        if let Some(item) = self.index.get(&label) {
            return Ok(*item);
        }
        let item = Item(self.labels.len() as u32);
        self.text += 2 * label.len();
        self.labels.push(label.clone());
        self.index.insert(label, item);
        if self.labels.len().is_power_of_two() {
            check_memory(self.labels.len(), from)?;
        }
        Ok(item)
    }

    fn participant(&mut self, name: String) -> u32 {
        if let Some(k) = self.source_index.get(&name) {
            return *k;
        }
        let k = self.sources.len() as u32;
        self.text += 2 * name.len();
        self.sources.push(name.clone());
        self.source_index.insert(name, k);
        k
    }

    fn finish(
        mut self,
        columns: LongColumns,
        options: &ReadOptions,
        from: &Source,
        mut assumptions: Vec<String>,
    ) -> Result<Loaded, Error> {
        let at = &from.at();
        check_objects(self.labels.len())?;
        check_memory(self.labels.len(), from)?;
        // Merging keeps sums, weights, bounds and counts of every pair for a while.
        let pairs = nearer_num::packed::len(self.labels.len()) as u64;
        check_bytes(48 * pairs, &format!("merging the measurements of {} objects", self.labels.len()), from)?;
        let objects = Objects::new(std::mem::take(&mut self.labels))?;
        if let Some(rule) = options.similarity {
            let max = self.rows.iter().map(|m| m.value).chain(self.own.values().copied()).fold(f64::MIN, f64::max);
            for m in &mut self.rows {
                let own = |item| self.own.get(&item).copied().unwrap_or(f64::NAN);
                let labels = || (objects.label(m.pair.first()), objects.label(m.pair.second()));
                m.value = distance(rule, m.value, (own(m.pair.first()), own(m.pair.second())), max, labels, at)?;
                m.bound = flipped(m.bound);
            }
            assumptions.push(rule.said());
        }
        if columns.participant.is_none() {
            self.sources = vec![String::new()];
        }
        let measurements = Measurements::new(objects, self.sources, self.rows);
        let merged = measurements.merged()?;
        if merged.missing() == merged.pairs() {
            return Err(all_missing(at));
        }
        let repeated = merged.repeats().pairs;
        if repeated > 0 {
            assumptions.push(format!(
                "{} more than once; their weighted mean is taken",
                said_of(repeated, "pair is measured", "pairs are measured")
            ));
        }
        let keep = repeated > 0 || columns.participant.is_some();
        Ok(Loaded {
            evidence: Evidence::Distances(merged),
            measurements: keep.then_some(measurements),
            kind: FileKind::Long,
            assumptions,
            warnings: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Similarity;
    use crate::io::testing::{distances, load, loaded_distances, refusal};

    #[test]
    fn columns_may_come_in_any_order_with_any_documented_name() {
        let d = distances("dist,object2,object1,w\n3,b,a,2\n4,c,a,1\n");
        assert_eq!(d.objects().labels(), ["a", "b", "c"]);
        assert_eq!((d.between(0, 1), d.between(0, 2), d.between(1, 2)), (Some(3.0), Some(4.0), None));
        assert_eq!(d.weight_at(0), 2.0);
    }

    #[test]
    fn repeats_and_participants_are_kept() {
        let text = "from,to,value,participant\na,b,1,p\nb,a,3,q\na,c,>5,p\na,a,0,p\nb,c,NA,q\n";
        let loaded = load("long.csv", text, &ReadOptions::default()).unwrap();
        let kept = loaded.measurements.as_ref().unwrap();
        assert_eq!((kept.sources(), kept.rows().len()), (&["p".to_string(), "q".to_string()][..], 3));
        assert!(loaded.assumptions.iter().any(|a| a.contains("with itself")), "{:?}", loaded.assumptions);
        let d = loaded_distances(loaded);
        assert_eq!((d.between(0, 1), d.censored(), d.missing()), (Some(2.0), 1, 1));
    }

    #[test]
    fn words_without_a_header_are_long_and_whole_numbers_are_ambiguous() {
        let d = distances("a,b,1\na,c,2\nb,c,2.5\n");
        assert_eq!(d.between(1, 2), Some(2.5));
        let e = refusal("d.csv", "1,2,3\n1,3,4\n2,3,5\n2,4,7\n", &ReadOptions::default());
        assert!(e.contains("`kind` long") && e.contains("`kind` matrix") && e.contains("from,to,value"), "{e}");
        let long = ReadOptions { kind: Some(FileKind::Long), ..ReadOptions::default() };
        assert_eq!(loaded_distances(load("d.csv", "1,2,3\n1,3,4\n2,3,5\n", &long).unwrap()).len(), 3);
        assert_eq!(distances("0,1,2\n1,0,3\n2,3,0\n").condensed(), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn similarities_of_long_tables_use_their_own_rows() {
        let gram = ReadOptions { similarity: Some(Similarity::Gram), ..ReadOptions::default() };
        let d = loaded_distances(load("s.csv", "from,to,sim\na,a,4\nb,b,9\na,b,2\n", &gram).unwrap());
        assert_eq!(d.between(0, 1), Some(3.0));
        let e = refusal("s.csv", "from,to,sim\na,a,4\na,b,2\n", &gram);
        assert!(e.contains("reads the diagonal") && e.contains("`b`"), "{e}");
    }
}
