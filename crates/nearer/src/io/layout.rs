//! What a table is, told from its first lines: header or not, labels or not, square, triangle, long or coordinates.

use crate::error::{At, Error, Remedy};
use crate::io::cell::{could_be_number, is_integer};
use crate::io::columns::LongColumns;
use crate::io::kinds::FileKind;
use crate::io::text::has_word;

/// The layout of a table.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) kind: FileKind,
    /// The first record is a header.
    pub(crate) header: bool,
    /// The labels of the columns that hold numbers, if the header gives them.
    pub(crate) columns: Option<Vec<String>>,
    /// The first field of a row is its label.
    pub(crate) labelled: bool,
    /// Which column is which, in a long table.
    pub(crate) long: Option<LongColumns>,
    /// All rows of the file stood in the sample.
    pub(crate) rows: Option<usize>,
    pub(crate) assumptions: Vec<String>,
}

impl Layout {
    /// A table of this kind, of which nothing else is known.
    pub(crate) fn of(kind: FileKind) -> Self {
        Layout { kind, header: false, columns: None, labelled: false, long: None, rows: None, assumptions: Vec::new() }
    }
}

/// Names of a column of labels.
const LABEL_NAMES: [&str; 22] = [
    "",
    "label",
    "labels",
    "id",
    "ids",
    "name",
    "names",
    "object",
    "objects",
    "item",
    "items",
    "sample",
    "sample-id",
    "sample_id",
    "sampleid",
    "#sampleid",
    "#sample id",
    "#otu id",
    "stimulus",
    "unnamed: 0",
    "rownames",
    "row.names",
];

/// Whether a column of this name holds labels.
pub(crate) fn is_label_name(name: &str) -> bool {
    LABEL_NAMES.contains(&name.trim().to_lowercase().as_str())
}

/// Recognises the layout from the first rows; `complete`: they are all there are.
pub(crate) fn recognise(
    sample: &[Vec<String>],
    complete: bool,
    wanted: Option<FileKind>,
    at: &At,
) -> Result<Layout, Error> {
    let first =
        sample.first().ok_or_else(|| refuse(at, "the file is empty", "give a file with a header and rows in it"))?;
    let mut layout = Layout::of(wanted.unwrap_or(FileKind::Matrix));
    if matches!(wanted, None | Some(FileKind::Long)) {
        if let Some(long) = LongColumns::from_header(first) {
            layout.assumptions.push(long.words(first));
            (layout.kind, layout.header, layout.long) = (FileKind::Long, true, Some(long));
            return Ok(layout);
        }
        if let Some(long) = LongColumns::without_header(sample, complete, wanted, at)? {
            layout.assumptions.push(format!("there is no header; {}", long.words(&[])));
            (layout.kind, layout.long) = (FileKind::Long, Some(long));
            return Ok(layout);
        }
    }
    layout.header = has_header(sample);
    let data = &sample[usize::from(layout.header)..];
    if data.is_empty() {
        return Err(refuse(at, "there is a header and no row below it", "give a file with rows in it"));
    }
    layout.rows = complete.then_some(data.len());
    layout.labelled = has_labels(layout.header.then_some(first), data);
    let skip = usize::from(layout.labelled);
    if layout.header {
        // R writes no field over the row names: its header is one field short.
        let short = layout.labelled && !is_label_name(&first[0]) && data.iter().all(|r| r.len() == first.len() + 1);
        let corner = if layout.labelled && !short { 1 } else { 0 };
        let columns = first[corner.min(first.len())..].to_vec();
        let square = matches!(wanted, Some(FileKind::Matrix | FileKind::Lower | FileKind::Upper));
        let same = (square || wanted.is_none()) && layout.labelled && counts(&columns);
        if same && (square || is_mirrored(data, skip, columns.len(), complete)) {
            // R calls the columns of a matrix without names V1, V2 … and numbers its rows.
            layout.assumptions.push(format!(
                "the columns are only counted ({} to {}): they are the objects of the rows, in their order",
                columns[0],
                columns[columns.len() - 1]
            ));
        } else {
            layout.assumptions.push("the first line holds the labels of the columns".into());
            layout.columns = Some(columns);
        }
    } else {
        layout.assumptions.push("there is no header".into());
    }
    layout.assumptions.push(if layout.labelled {
        "the first field of a row is its label".into()
    } else {
        "rows have no labels".to_string()
    });
    if wanted.is_none() {
        let widths: Vec<usize> = data.iter().map(|r| r.len()).collect();
        layout.kind = by_shape(&layout, data, &widths, skip);
    }
    match layout.kind {
        FileKind::Lower => layout.assumptions.push("the rows are a lower triangle".into()),
        FileKind::Upper => layout.assumptions.push("the rows are an upper triangle".into()),
        _ => {}
    }
    Ok(layout)
}

fn by_shape(layout: &Layout, data: &[Vec<String>], widths: &[usize], skip: usize) -> FileKind {
    let steps = |by: isize| widths.windows(2).all(|w| w[1] as isize - w[0] as isize == by);
    // Under a header a triangle begins with one entry or with all: one that has its diagonal has the same value there
    // throughout, and other rows are only ragged.
    let one_diagonal = |end: fn(&Vec<String>) -> Option<&String>| {
        !layout.header || widths[0] == skip || data.iter().all(|r| end(r) == end(&data[0]))
    };
    if widths.len() > 1 && steps(1) && one_diagonal(|r| r.last()) {
        return FileKind::Lower;
    }
    let first_value: fn(&Vec<String>) -> Option<&String> = if skip == 1 { |r| r.get(1) } else { |r| r.first() };
    let strict = layout.columns.as_ref().is_some_and(|c| widths[0] < c.len() + skip);
    if widths.len() > 1 && steps(-1) && (strict || one_diagonal(first_value)) {
        return FileKind::Upper;
    }
    // A triangle with a wrong row further down is still one, and its reader says which row is wrong.
    let begins = |by: isize| widths.len() > 3 && widths[..3].windows(2).all(|w| w[1] as isize - w[0] as isize == by);
    if !layout.header && (begins(1) || begins(-1)) {
        return if begins(1) { FileKind::Lower } else { FileKind::Upper };
    }
    let width = widths[0] - skip.min(widths[0]);
    if !layout.labelled && !layout.header && ((width == 1 && data.len() > 1) || (data.len() == 1 && width > 1)) {
        return FileKind::Condensed;
    }
    let Some(columns) = &layout.columns else {
        let fits = layout.rows.map_or(data.len() <= width, |rows| rows == width);
        return if fits { FileKind::Matrix } else { FileKind::Rows };
    };
    let rows_are_columns = layout.labelled && data.iter().all(|r| columns.contains(&r[0]));
    let square = || !layout.labelled && is_mirrored(data, skip, columns.len(), layout.rows.is_some());
    if !rows_are_columns && names_coordinates(columns) && !square() {
        return FileKind::Map;
    }
    if layout.labelled {
        return if rows_are_columns { FileKind::Matrix } else { FileKind::Rows };
    }
    if layout.rows.map_or(data.len() <= width, |rows| rows == width) { FileKind::Matrix } else { FileKind::Rows }
}

/// Whether the columns are called as axes are: `x, y`, `x1, x2`, `dim1`, `PC1`, `NMDS2`, `Axis.1` …
pub(crate) fn names_coordinates(columns: &[String]) -> bool {
    let lower: Vec<String> = columns.iter().map(|c| c.trim().to_lowercase()).collect();
    if !lower.is_empty() && lower.iter().zip(["x", "y", "z"]).all(|(a, b)| a == b) && lower.len() <= 3 {
        return true;
    }
    let stem = |name: &str| {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: Option<usize> = name[stem.len()..].parse().ok();
        number.map(|k| (stem.trim_end_matches(['.', '_', '-', ' ']).to_string(), k))
    };
    let stems: Option<Vec<(String, usize)>> = lower.iter().map(|n| stem(n)).collect();
    stems.is_some_and(|s| {
        const AXES: [&str; 14] =
            ["x", "v", "d", "dim", "dimension", "pc", "pco", "pcoa", "mds", "nmds", "cmds", "axis", "umap", "tsne"];
        !s.is_empty()
            && AXES.contains(&s[0].0.as_str())
            && s.iter().enumerate().all(|(k, (stem, number))| *stem == s[0].0 && *number == k + s[0].1)
    })
}

/// Whether the columns are called by one word and their number: V1, V2, V3 …
fn counts(columns: &[String]) -> bool {
    let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let Some(word) = columns.first().map(|c| stem(c)).filter(|w| !w.is_empty()) else { return false };
    columns.len() > 1 && columns.iter().enumerate().all(|(k, c)| *c == format!("{word}{}", k + 1))
}

/// Whether the rows are the beginning of a square of distances: 0 on the diagonal, and the same on both of its sides.
fn is_mirrored(data: &[Vec<String>], skip: usize, width: usize, complete: bool) -> bool {
    let n = data.len();
    let cell = |i: usize, j: usize| data[i].get(j + skip).map_or("", |c| c.trim());
    let same = |a: &str, b: &str| a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(x), Ok(y)) if x == y);
    let own = |i: usize| !could_be_number(cell(i, i)) || cell(i, i).parse() == Ok(0.0);
    n > 2
        && (if complete { n == width } else { n <= width })
        && (0..n).all(|i| own(i) && (0..i).all(|j| same(cell(i, j), cell(j, i))))
}

/// Whether the first row is a header.
fn has_header(sample: &[Vec<String>]) -> bool {
    let first = &sample[0];
    let Some(second) = sample.get(1) else {
        return first.iter().skip(1).any(|c| !could_be_number(c)) || (first.len() == 1 && has_word(first));
    };
    if has_word(&first[1.min(first.len())..]) {
        return true;
    }
    // Numbers as labels: a blank corner, a name over the labels, or the same labels down the side.
    let down: Vec<&str> = sample[1..].iter().filter_map(|r| r.first()).map(String::as_str).collect();
    let across = |from: usize| {
        let across = &first[from.min(first.len())..];
        !across.is_empty() && across.iter().zip(&down).all(|(a, b)| a == b) && across.len() >= down.len().min(2)
    };
    if first.len() > 1 && first.len() == second.len() {
        let named = !first[0].is_empty() && has_word(&first[..1]) && is_label_name(&first[0]);
        let corner = first[0].is_empty() && !second[0].is_empty() && first[1..].iter().all(|c| !c.is_empty());
        return named || corner || (across(1) && (has_word(&first[..1]) || first[0].is_empty()));
    }
    let same = sample[1..].windows(2).all(|w| w[0].len() == w[1].len()) && sample.len() > 2;
    if first.len() + 1 == second.len() && (same || (has_word(&second[..1]) && has_word(first))) {
        return same || across(0);
    }
    // A word alone in the first line of a table of numbers.
    (first.len() == 1 && has_word(first) && second.len() == 1 && !has_word(second))
        || (first.len() > second.len() && across(1) && first[0].is_empty())
}

/// Whether the first field of each row is a label.
fn has_labels(header: Option<&Vec<String>>, data: &[Vec<String>]) -> bool {
    if data.iter().any(|r| has_word(&r[..1.min(r.len())])) {
        return true;
    }
    let Some(header) = header else { return false };
    if is_label_name(&header[0]) || header.len() + 1 == data[0].len() {
        return true;
    }
    let down = || data.iter().filter_map(|r| r.first());
    if header.len() > 1 && header[1..].iter().zip(down()).all(|(a, b)| a == b) {
        return true;
    }
    let zero = |cell: &String| cell.parse::<f64>() == Ok(0.0);
    if data.iter().enumerate().all(|(i, r)| r.get(i).is_some_and(zero)) {
        return false;
    }
    let counts = |from: i64| data.len() > 2 && down().enumerate().all(|(k, c)| c.parse() == Ok(k as i64 + from));
    counts(0) || counts(1)
}

/// Whether all cells of these columns are whole numbers.
pub(crate) fn integers(rows: &[Vec<String>], columns: std::ops::Range<usize>) -> bool {
    rows.iter().all(|r| r.get(columns.clone()).is_some_and(|c| c.iter().all(|c| is_integer(c))))
}

/// The error for a file that is not what is wanted.
pub(crate) fn refuse(at: &At, what: &str, remedy: impl Into<Remedy>) -> Error {
    Error::Format { at: at.clone(), what: what.into(), remedy: remedy.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        let rows: Vec<Vec<String>> =
            text.lines().map(|l| l.split(',').map(|c| c.trim().to_string()).collect()).collect();
        recognise(&rows, true, None, &At::file("t.csv")).unwrap()
    }

    #[test]
    fn headers_and_labels_are_told_apart() {
        for (text, header, labelled, kind) in [
            (",a,b\na,0,1\nb,1,0", true, true, FileKind::Matrix),
            ("a,b\na,0,1\nb,1,0", true, true, FileKind::Matrix),
            ("a,b\n0,1\n1,0", true, false, FileKind::Matrix),
            ("a,0,1\nb,1,0", false, true, FileKind::Matrix),
            ("0,1\n1,0", false, false, FileKind::Matrix),
            (",0,1\n0,0,1\n1,1,0", true, true, FileKind::Matrix),
            ("id,1,2,3\n1,0,4,5\n2,4,0,6\n3,5,6,0", true, true, FileKind::Matrix),
            ("1,2,3\n1,0,4,5\n2,4,0,6\n3,5,6,0", true, true, FileKind::Matrix),
            ("a,b,c\n0,1,2\n1,0,1\n2,1,0", true, false, FileKind::Matrix),
            ("a\nb,1\nc,2,3", false, true, FileKind::Lower),
            ("0\n1,0\n2,3,0", false, false, FileKind::Lower),
            ("0,1,2\n0,3\n0", false, false, FileKind::Upper),
            ("1\n2\n3", false, false, FileKind::Condensed),
            (",l1,l2\na,0,1\nb,1,0\nc,2,2", true, true, FileKind::Rows),
            ("1.5,2\n2,1\n3,3", false, false, FileKind::Rows),
            ("label,x1,x2\na,0.5,1\nb,1,0", true, true, FileKind::Map),
            ("label,x,y\na,0.5,1\nb,1,0", true, true, FileKind::Map),
            (",V1,V2,V3\n1,0,4,5\n2,4,0,6\n3,5,6,0", true, true, FileKind::Matrix),
            ("V1,V2,V3\n1,0,4,5\n2,4,0,6\n3,5,6,0", true, true, FileKind::Matrix),
            ("V1,V2,V3\n0,4,5\n4,0,6\n5,6,0", true, false, FileKind::Matrix),
            (",V1,V2,V3\n1,0,4,5\n2,4,1,6\n3,5,6,0", true, true, FileKind::Map),
        ] {
            let l = layout(text);
            assert_eq!((l.header, l.labelled, l.kind), (header, labelled, kind), "{text}");
        }
    }
}
