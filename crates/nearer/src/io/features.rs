//! Tables of features: a label and numbers a row, in text or `.npy`; columns of words are left out, and every other cell must be a finite
//! number.

use ndarray::Array2;

use crate::error::{At, Error, Remedy};
use crate::evidence::{DistanceRows, Evidence, Features, size};
use crate::io::cell::{self, Cell, Numerals, Wrong, shown};
use crate::io::chunk::repeated;
use crate::io::head;
use crate::io::kinds::{FileKind, Format, Loaded, ReadOptions};
use crate::io::layout::{self, Layout, refuse};
use crate::io::matrix::{check_labels, ragged};
use crate::io::npy::{self, Npy};
use crate::io::packing::{LABEL_BYTES, check_bytes};
use crate::io::source::{self, Source};
use crate::io::text::Table;
use crate::object::Objects;

const GAP: &str = "a feature is a finite number; fill the gap, or leave out the row or the column";

/// Reads a table that is known to hold features.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Loaded, Error> {
    let Rectangle { features, said, .. } = table(source, options)?;
    loaded(features, said, &source.at())
}

/// Reads a rectangle as features if it can be nothing else: rows and columns are named, every cell is a number, and no
/// column is a landmark: none has the name of a row, or all are only numbered and the numbers are no distances.
pub(crate) fn if_nothing_else(source: &Source, options: &ReadOptions) -> Option<Result<Loaded, Error>> {
    let Rectangle { features, mut said, named } = match table(source, options) {
        Ok(table) => table,
        // Asked for classes by a name that the table does not have, it is a table all the same.
        Err(Refused::NoClasses(e)) => return Some(Err(e)),
        Err(Refused::Otherwise(_)) => return None,
    };
    let index = features.objects().index();
    // One column could as well be what is left of a triangle.
    let narrow = features.columns().len() < 2;
    let (n, m) = (features.len(), features.columns().len());
    if narrow || !named {
        return None;
    }
    if features.columns().iter().any(|c| index.contains_key(c.as_str())) {
        let mut own =
            features.columns().iter().enumerate().filter_map(|(c, l)| Some((index.get(l.as_str())?.index(), c)));
        let numbered = features.columns().iter().all(|c| c.parse::<u64>().is_ok());
        let negative = features.values().iter().any(|v| *v < 0.0);
        let apart = own.any(|at| features.values()[at] != 0.0);
        if n == m || !numbered || !(negative || apart) {
            return None;
        }
        let why =
            if negative { "some numbers are negative" } else { "an object is not at 0 from the column of its name" };
        said.push(format!("{why}, so the {m} columns are no landmarks: they are features of the objects"));
        return Some(loaded(features, said, &source.at()));
    }
    said.push(format!(
        "no column has the name of a row, so the {m} columns are features of the objects (say that the kind is rows if they are landmarks)"
    ));
    Some(loaded(features, said, &source.at()))
}

/// What is wrong with a table that would hold features if it had no gaps: as distances to landmarks it would mean something else.
pub(crate) fn if_it_had_no_gaps(source: &Source, options: &ReadOptions, rows: &DistanceRows) -> Option<Error> {
    let index = rows.objects().index();
    let landmarks = rows.to().labels().iter().any(|column| index.contains_key(column.as_str()));
    let unnamed = |labels: &[String]| labels.iter().enumerate().all(|(k, label)| *label == (k + 1).to_string());
    if landmarks || unnamed(rows.objects().labels()) || unnamed(rows.to().labels()) {
        return None;
    }
    let Err(Error::Value { at, what, .. }) = table(source, options).map_err(Error::from) else { return None };
    let remedy = Remedy::from(
        "features of objects have no gaps: fill it, leave out the row or the column, or measure the table with ",
    )
    .setting("measure", "gower")
    .and("; ")
    .setting("kind", "rows")
    .and(" if the columns are landmarks");
    Some(Error::Value { at, what, remedy })
}

/// What is wrong with a table that holds neither distances nor features: what stops the features, where that comes later.
pub(crate) fn if_they_come_farther(source: &Source, options: &ReadOptions, distances: Error) -> Error {
    let place = |e: &Error| match e {
        Error::Value { at, .. } => at.line.map(|line| (line, at.column)),
        _ => None,
    };
    match table(source, options).map_err(Error::from) {
        Err(features) if place(&features) > place(&distances) => features,
        _ => distances,
    }
}

/// The features of a `.npy` array with a row for each object.
pub(crate) fn read_npy(mut npy: Npy, source: &Source) -> Result<Loaded, Error> {
    let at = source.at();
    let &[rows, columns] = npy.shape.as_slice() else {
        let what = format!("an array of shape {:?}, and features need two dimensions", npy.shape);
        return Err(npy::defect(source, &what));
    };
    check_bytes(8 * (rows as u64).saturating_mul(columns as u64), "the features", source)?;
    let mut values = Vec::new();
    npy.take(rows * columns, &mut values)?;
    let fortran = npy.fortran;
    npy.end()?;
    let values = if fortran {
        Array2::from_shape_vec((columns, rows), values).map(Array2::reversed_axes)
    } else {
        Array2::from_shape_vec((rows, columns), values)
    };
    let values = values.map_err(|_| empty(&at))?;
    if let Some(((i, j), v)) = values.indexed_iter().find(|(_, v)| !size::is_usable(**v)) {
        let at = at.line(i as u64 + 1).column(j as u64 + 1);
        if v.is_finite() {
            return Err(cell::wrong(at, format!("{v:e}").as_bytes(), Wrong::Large));
        }
        return Err(Error::Value { at, what: format!("`{v}` is not a finite number"), remedy: GAP.into() });
    }
    let said = vec![format!("rows have no labels: they are the objects 1 to {rows}"), unnamed(columns)];
    let names = (1..=columns).map(|k| k.to_string());
    loaded(Features::new(Objects::numbered(rows), names, values.as_standard_layout().into_owned())?, said, &at)
}

/// A rectangle of numbers, and what was assumed about it.
struct Rectangle {
    features: Features,
    said: Vec<String>,
    /// Whether both its rows and its columns have labels.
    named: bool,
}

/// Why a file is no table of features.
enum Refused {
    /// Classes are asked for by the name of a column that is not there.
    NoClasses(Error),
    Otherwise(Error),
}

impl From<Error> for Refused {
    fn from(e: Error) -> Self {
        Refused::Otherwise(e)
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        let (Refused::NoClasses(e) | Refused::Otherwise(e)) = refused;
        e
    }
}

fn table(source: &Source, options: &ReadOptions) -> Result<Rectangle, Refused> {
    let at = source.at();
    let format = options.format.or_else(|| source.path().and_then(Format::of));
    let (head, mut table) = head::open(source, source::open(source)?, format)?;
    let sample = head.sample(source)?;
    let complete = head.is_all(source, sample.len())?;
    let layout = layout::recognise(&sample, complete, Some(FileKind::Features), &at)?;
    let numerals = Numerals { decimal_comma: head.decimal_comma, signed: true, ..Numerals::default() };
    let mut said = vec![head.delimiter.words().to_string()];
    if head.decimal_comma {
        said.push("a comma in a number is the decimal point".into());
    }
    said.extend(layout.assumptions.iter().cloned());
    let skip = usize::from(layout.labelled);
    let columns: Vec<String> = if layout.header {
        let width = layout.columns.as_ref().map_or(0, Vec::len);
        let Some((record, line)) = table.next()? else { return Err(empty(&at).into()) };
        check_labels(record, record.len() - width.min(record.len()), line, &at)?
    } else {
        let width = sample.first().map_or(0, Vec::len).saturating_sub(skip);
        said.push(unnamed(width));
        (1..=width).map(|k| k.to_string()).collect()
    };
    let class = options.classes.as_ref().and_then(|name| columns.iter().position(|c| c == name));
    // Classes by a name that is not there are asked of a column of words: it is refused by name.
    let known = options.classes.is_none() || class.is_some();
    let mut words = if known { of_words(&sample, columns.len(), skip, &layout) } else { Vec::new() };
    // A table of words alone is something else, and its first cell says so.
    if words.len() + usize::from(class.is_some()) >= columns.len() {
        words.clear();
    }
    let taken = |k: &usize| Some(*k) != class && !words.contains(k);
    let names: Vec<&String> = columns.iter().enumerate().filter(|(k, _)| taken(k)).map(|(_, c)| c).collect();
    let (mut labels, mut lines, mut values, mut text) = (Vec::new(), Vec::new(), Vec::new(), 0);
    while let Some((record, line)) = table.next()? {
        if record.len() != columns.len() + skip {
            return Err(ragged(record.len().saturating_sub(skip), columns.len(), at.line(line)).into());
        }
        labels.push(match layout.labelled {
            true => Table::label(&at, &record[0], line, 0)?,
            false => (labels.len() + 1).to_string(),
        });
        text += 2 * labels.last().map_or(0, String::len);
        lines.push(line);
        for k in (skip..record.len()).filter(|k| taken(&(k - skip))) {
            let value = number(&record[k], numerals, || at.clone().line(line).column(k as u64 + 1));
            values.push(value.map_err(|e| match &options.classes {
                Some(asked) if class.is_none() && layout.header => {
                    Refused::NoClasses(no_column(asked, &columns, &record[k], &at))
                }
                _ => e.into(),
            })?);
        }
        table.holds("the features", (8 * values.len() + text + LABEL_BYTES * labels.len()) as u64)?;
    }
    if labels.is_empty() || names.is_empty() {
        return Err(empty(&at).into());
    }
    let objects = Objects::new(labels.iter().cloned()).map_err(|e| repeated(&labels, &lines, &at).unwrap_or(e))?;
    let values = Array2::from_shape_vec((labels.len(), names.len()), values).map_err(|_| empty(&at))?;
    if let Some(k) = class {
        said.push(format!("the column `{}` holds classes, and no feature", columns[k]));
    }
    if !words.is_empty() {
        let left: Vec<String> = words.iter().map(|k| columns[*k].clone()).collect();
        said.push(format!("of words, and left out: {}", few(&left)));
    }
    let names: Vec<String> = names.into_iter().cloned().collect();
    Ok(Rectangle {
        features: Features::new(objects, names, values)?,
        said,
        named: layout.columns.is_some() && layout.labelled,
    })
}

/// The columns that hold something in the first rows, and no number.
fn of_words(sample: &[Vec<String>], columns: usize, skip: usize, layout: &Layout) -> Vec<usize> {
    let below = &sample[usize::from(layout.header).min(sample.len())..];
    let cells = |k: usize| below.iter().filter_map(move |row| row.get(k + skip)).filter(|cell| !cell.trim().is_empty());
    (0..columns).filter(|k| cells(*k).next().is_some() && !cells(*k).any(|cell| cell::could_be_number(cell))).collect()
}

/// The first of some names, and how many more there are.
fn few(names: &[String]) -> String {
    const LISTED: usize = 20;
    match names.len().saturating_sub(LISTED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..LISTED].join(", ")),
    }
}

/// Classes by the name of a column that is not there.
fn no_column(asked: &str, columns: &[String], cell: &[u8], at: &At) -> Error {
    Error::Value {
        at: at.clone().line(1),
        what: format!("there is no column `{asked}` for the classes, and `{}` is no number", shown(cell)),
        remedy: format!("the columns are {}", few(columns)).into(),
    }
}

fn number(bytes: &[u8], numerals: Numerals, at: impl Fn() -> At) -> Result<f64, Error> {
    let wrong = |what: String| Error::Value { at: at(), what, remedy: GAP.into() };
    match cell::parse(bytes, numerals) {
        Ok(Cell::Value(v)) => Ok(v),
        Ok(Cell::Missing) if bytes.trim_ascii().is_empty() => Err(wrong("the cell is empty".into())),
        Ok(Cell::Missing) => Err(wrong(format!("`{}` marks a missing value", shown(bytes)))),
        Ok(Cell::Bound(..)) => Err(wrong(format!("`{}` is a bound and not a number", shown(bytes)))),
        Err(Wrong::Large) => Err(cell::wrong(at(), bytes, Wrong::Large)),
        Err(Wrong::Infinite) => Err(wrong(format!("`{}` is not a finite number", shown(bytes)))),
        Err(Wrong::Nan | Wrong::Text) => Err(wrong(format!("`{}` is not a number", shown(bytes)))),
    }
}

fn loaded(features: Features, assumptions: Vec<String>, at: &At) -> Result<Loaded, Error> {
    if features.is_empty() {
        return Err(empty(at));
    }
    let mut warnings = Vec::new();
    let constant = features.constant_columns();
    if let Some(first) = constant.first().filter(|_| features.len() > 1) {
        warnings.push(format!(
            "{} of {} columns have one value throughout, as `{}`: they tell no object from another",
            constant.len(),
            features.columns().len(),
            features.columns()[*first]
        ));
    }
    let kind = FileKind::Features;
    Ok(Loaded { evidence: Evidence::Features(features), measurements: None, kind, assumptions, warnings })
}

fn unnamed(columns: usize) -> String {
    format!("the columns have no names: they are the features 1 to {columns}")
}

fn empty(at: &At) -> Error {
    refuse(at, "there is no row of features", "give a file with a row of numbers for each object")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::testing::{load, refusal};
    use ndarray::array;

    fn features(name: &str, content: impl AsRef<[u8]>, options: &ReadOptions) -> (Features, Vec<String>) {
        let loaded = load(name, content, options).unwrap();
        match loaded.evidence {
            Evidence::Features(f) => (f, loaded.assumptions),
            other => panic!("{other:?}"),
        }
    }

    fn asked() -> ReadOptions {
        ReadOptions { kind: Some(FileKind::Features), ..ReadOptions::default() }
    }

    #[test]
    fn a_table_whose_columns_are_no_rows_is_features() {
        let text = "flower,length,width\na,5.1,-3.5\nb,4.9,3\nc,4.7,3.2\n";
        let (f, said) = features("f.csv", text, &ReadOptions::default());
        assert_eq!(f.columns(), ["length", "width"]);
        assert_eq!((f.objects().labels()[2].as_str(), f.values()[(0, 1)]), ("c", -3.5));
        assert!(said.iter().any(|s| s.contains("the kind is rows")), "{said:?}");
        // A column with the name of a row may be a landmark, and what has no names may be either.
        for other in ["flower,a,b\na,0,3.5\nb,3.5,0\nc,4.7,3.2\n", "5.1,3.5\n4.9,3\n4.7,3.2\n"] {
            let loaded = load("r.csv", other, &ReadOptions::default()).unwrap();
            assert_eq!(loaded.kind, FileKind::Rows, "{other}");
            assert_eq!(features("r.csv", other, &asked()).0.len(), 3);
        }
    }

    #[test]
    fn coordinates_are_features_on_request_only() {
        let text = "id,x1,x2\na,5.1,-3.5\nb,4.9,3\n";
        assert!(refusal("f.csv", text, &ReadOptions::default()).contains("`kind` features"));
        assert_eq!(features("f.csv", text, &asked()).0.columns(), ["x1", "x2"]);
    }

    #[test]
    fn bad_cells_are_refused_with_place_and_remedy() {
        for (bad, words) in [
            ("NaN", "`NaN` is not a number"),
            ("inf", "`inf` is not a finite number"),
            ("", "the cell is empty"),
            ("NA", "`NA` marks a missing value"),
            ("tall", "`tall` is not a number"),
            ("<3", "`<3` is a bound"),
        ] {
            let e = refusal("f.csv", format!("id,length,width\na,5.1,3.5\nb,4.9,{bad}\nc,1,2\n"), &asked());
            assert!(e.contains(words) && e.contains("line 3, column 3") && e.contains("finite"), "{e}");
        }
        let e = refusal("f.csv", "id,length,width\na,1,2\nb,1\n", &asked());
        assert!(e.contains("line 3"), "{e}");
        let e = refusal("f.csv", "id,length,width\na,1,2\nb,1,1\na,2,2\n", &asked());
        assert!(e.contains("`a`") && e.contains("line 4"), "{e}");
    }

    #[test]
    fn arrays_of_both_orders_are_read() {
        use crate::io::npy::tests::npy;
        let want = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let c = npy(&[2, 3], npyz::Order::C, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let f = npy(&[2, 3], npyz::Order::Fortran, &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        assert_eq!(features("a.npy", c, &asked()).0.values(), &want);
        assert_eq!(features("a.npy", f, &asked()).0.values(), &want);
        let bad = npy(&[2, 2], npyz::Order::C, &[1.0, 2.0, f64::NAN, 4.0]);
        let e = refusal("a.npy", bad, &asked());
        assert!(e.contains("line 2, column 1"), "{e}");
    }
}
