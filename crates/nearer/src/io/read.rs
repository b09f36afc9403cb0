//! The front door for evidence: opens a file, recognises what it is, and hands it to the reader of that kind.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use unicode_normalization::UnicodeNormalization as _;

use crate::error::{Error, Remedy};
use crate::evidence::{Distances, Evidence, looks_like_similarities};
use crate::io::cell::Numerals;
use crate::io::columns::LongColumns;
use crate::io::judged::{self, Role, newick, plan};
use crate::io::kinds::{FileKind, Format, Loaded, ReadOptions};
use crate::io::layout::{self, Layout, refuse};
use crate::io::matrix::{self, Outcome};
use crate::io::npy::{self, MAGIC, Npy};
use crate::io::packing::all_missing;
use crate::io::rows::{self, RowStream};
use crate::io::source::{self, Bytes, Source, read_error};
use crate::io::{features, head, long, phylip, table, triangle};

/// Reads evidence: recognises the layout from the content, or takes it from the options, and says what it assumed.
///
/// ```
/// use nearer::io::{ReadOptions, read_evidence, Source};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("d.csv");
/// std::fs::write(&path, "label,a,b\na,0,3\nb,3,0\n")?;
/// let loaded = read_evidence(&Source::from(path), &ReadOptions::default())?;
/// assert!(loaded.assumptions.iter().any(|a| a.contains("commas")));
/// # Ok(()) }
/// ```
///
/// Tables of judgements are recognised by their header, or by [`ReadOptions::kind`] and [`ReadOptions::columns`]:
///
/// ```
/// # use nearer::io::{ReadOptions, read_evidence, Source};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("t.csv");
/// std::fs::write(&path, "head,winner,loser,puid\ndog,wolf,cat,Ann\ncat,lion,dog,Bob\n")?;
/// let loaded = read_evidence(&Source::from(path), &ReadOptions::default())?;
/// assert!(loaded.assumptions.contains(&"columns head, winner, loser: head is nearer to winner than to loser".to_string()));
/// let nearer::Evidence::Comparisons(c) = loaded.evidence else { panic!() };
/// assert_eq!(c.in_words(1), "`cat` is nearer to `lion` than to `dog`");
/// # Ok(()) }
/// ```
pub fn read_evidence(source: &Source, options: &ReadOptions) -> Result<Loaded, Error> {
    let loaded = recognised(source, options)?;
    if options.objects.is_some()
        && matches!(loaded.evidence, Evidence::Distances(_) | Evidence::Rows(_) | Evidence::Features(_))
    {
        return Err(refuse(
            &source.at(),
            &format!("the objects of a file of the kind {} are those in it, and others were given", loaded.kind),
            Remedy::from("take ").any("objects").and(" away; it is for judgements"),
        ));
    }
    let twins = twins(loaded.evidence.objects().labels());
    let reversed = reversed(&loaded.evidence, options);
    Ok(Loaded { warnings: loaded.warnings.into_iter().chain(reversed).chain(twins).collect(), ..loaded })
}

/// A word about distances that look like similarities; once is enough, and broken triangles come first.
fn reversed(evidence: &Evidence, options: &ReadOptions) -> Option<String> {
    let (Evidence::Distances(d), None) = (evidence, &options.measure) else { return None };
    let triangles = if options.proximity.is_asked() { None } else { turned_round(d) };
    let alike = || (options.similarity.is_none() && looks_like_similarities(d)).then(|| REVERSED.to_owned());
    triangles.or_else(alike)
}

const REVERSED: &str = "objects with a large number between them see the rest alike, as if the numbers were similarities; if they \
                        are, say by which rule (`similarity` max-s) they become distances";

/// A word about labels that are written with different characters and look the same: `é` is one character, or two.
fn twins(labels: &[String]) -> Option<String> {
    if labels.iter().all(|l| l.is_ascii()) {
        return None;
    }
    let mut seen: HashMap<String, &String> = HashMap::with_capacity(labels.len());
    let mut pairs = labels.iter().filter_map(|l| seen.insert(l.nfkc().collect(), l).map(|before| (before, l)));
    let (one, other) = pairs.next()?;
    let codes =
        |l: &str| l.chars().filter(|c| !c.is_ascii()).map(|c| format!("U+{:04X}", c as u32)).collect::<Vec<_>>();
    Some(format!(
        "{} and not written alike, as `{one}` ({}) and `{other}` ({}): they are different objects",
        crate::text::said_of(1 + pairs.count(), "label looks like another", "labels look like others"),
        codes(one).join(" "),
        codes(other).join(" ")
    ))
}

fn recognised(source: &Source, options: &ReadOptions) -> Result<Loaded, Error> {
    let judged = options.kind.is_some_and(FileKind::is_judged) || !options.columns.is_empty();
    if let Some(how) = options.measure.as_ref().filter(|_| !judged) {
        return table::measured(source, options, how);
    }
    if options.proximity.is_asked() && !judged {
        return table::square(source, options);
    }
    let (is_npy, bytes) = peek(source, source::open(source)?)?;
    let format = options.format.or_else(|| source.path().and_then(Format::of));
    let judged = options.kind.is_some_and(FileKind::is_judged) || !options.columns.is_empty();
    if is_npy && judged {
        return judged::read_array(Npy::open(source, bytes)?, options);
    }
    if is_npy {
        return array(source, Npy::open(source, bytes)?, options);
    }
    if format == Some(Format::Npy) {
        return Err(npy::defect(source, "it does not begin like a .npy file"));
    }
    let at = source.at();
    let (start, bytes) = beginning(source, bytes)?;
    if start.get(..6).is_some_and(|s| s.eq_ignore_ascii_case(b"#nexus")) {
        return Err(refuse(&at, "this is a NEXUS file", "write its tree as Newick, ((dog,cat),trout);"));
    }
    let bare = matches!(format, None | Some(Format::Text)) && options.kind.is_none() && options.columns.is_empty();
    let asked = matches!(options.kind, Some(FileKind::Newick | FileKind::Patristic))
        || (options.kind.is_none() && format == Some(Format::Newick));
    if asked || (bare && newick::looks_like(&start)) {
        by_name(source, "a tree")?;
        return newick::read(source, bytes, options);
    }
    let whole_lines = options.kind == Some(FileKind::Paths);
    let (head, mut table) = head::open_lines(source, bytes, format, whole_lines)?;
    let sample = head.sample(source)?;
    let complete = head.is_all(source, sample.len())?;
    let numerals = Numerals {
        decimal_comma: head.decimal_comma,
        signed: options.similarity.is_some(),
        nan_missing: options.nan_missing,
        of_any_size: false,
    };
    let mut said = vec![head.delimiter.words().to_string()];
    if head.decimal_comma {
        said.push("a comma in a number is the decimal point".into());
    }
    if head.hash_header {
        said.push("the line that begins with # is the header".into());
    }
    let has = |name: &String| sample.first().is_some_and(|h| h.len() > 2 && h.iter().any(|c| c.trim() == name));
    if options.kind.is_none() && options.classes.as_ref().is_some_and(has) {
        // A column that is said to hold classes stands among features.
        return features::read(source, options);
    }
    let classes = of_two(&sample, options)?;
    let options = classes.as_ref().unwrap_or(options);
    if let Some(mut plan) = plan::plan(&sample, complete, options, &at)? {
        said.append(&mut plan.said);
        if plan.kind == FileKind::Long {
            let columns = LongColumns::new(&plan.columns);
            columns.check(&plan.names, options, &at)?;
            said.push(columns.words(&plan.names));
            let layout = Layout { header: plan.header, assumptions: said, ..Layout::of(FileKind::Long) };
            return long::read(&mut table, columns, layout, numerals, options).map(with_warnings);
        }
        plan.said = said;
        return judged::read_table(&mut table, plan, numerals, options);
    }
    // The name of a file is a hint; what is said of it counts.
    let meant = || format == Some(Format::Phylip) || phylip::looks_like(&sample);
    if options.kind == Some(FileKind::Phylip) || (options.kind.is_none() && meant()) {
        by_name(source, "PHYLIP")?;
        let (d, said) = phylip::read(source, source::open(source)?, numerals, options)?;
        return Ok(loaded(d, FileKind::Phylip, said));
    }
    let mut layout = layout::recognise(&sample, complete, options.kind, &at)?;
    said.append(&mut layout.assumptions);
    layout.assumptions = said;
    match layout.kind {
        FileKind::Long => {
            let columns =
                layout.long.ok_or_else(|| refuse(&at, "the columns are not named", "name them from, to, value"))?;
            if layout.header {
                columns.check(&sample[0], options, &at)?;
            }
            long::read(&mut table, columns, layout, numerals, options).map(with_warnings)
        }
        FileKind::Lower | FileKind::Upper => {
            let (d, said) = triangle::read(&mut table, &layout, numerals, options)?;
            Ok(loaded(d, layout.kind, said))
        }
        FileKind::Condensed => {
            let (d, said) = triangle::read_condensed(&mut table, &layout, numerals, options)?;
            Ok(loaded(d, FileKind::Condensed, said))
        }
        FileKind::Matrix | FileKind::Phylip => {
            let certain = options.kind == Some(FileKind::Matrix);
            match matrix::read(&mut table, &layout, numerals, options, certain) {
                Ok(Outcome::Square(d, said)) => Ok(loaded(d, FileKind::Matrix, said)),
                Ok(Outcome::Rectangle) => rectangle(source, options),
                // Rows and columns may both be only numbered, and what is no distance then is a feature.
                Err(e) if options.kind.is_none() && options.similarity.is_none() => {
                    features::if_nothing_else(source, options).unwrap_or(Err(e))
                }
                Err(e) => Err(e),
            }
        }
        FileKind::Rows => rectangle(source, options),
        FileKind::Features => features::read(source, options),
        FileKind::Map if options.coordinates_are_features => features::read(source, options),
        FileKind::Map => {
            let names = layout.columns.unwrap_or_default().join(", ");
            Err(refuse(
                &at,
                &format!("this is a table of coordinates ({names}): a map already, not evidence for one"),
                Remedy::from("look at it with ")
                    .command("report")
                    .and(" or ")
                    .command("plot")
                    .and(", give the distances between its objects instead, or say ")
                    .setting("kind", "rows")
                    .and(" if the columns are landmarks, ")
                    .setting("kind", "features")
                    .and(" if they are measured features"),
            ))
        }
        other => {
            Err(refuse(&at, &format!("the file is not of the kind {other}"), Remedy::from("say another ").any("kind")))
        }
    }
}

/// A table of two columns one of which is said to hold classes: the other is the objects.
fn of_two(sample: &[Vec<String>], options: &ReadOptions) -> Result<Option<ReadOptions>, Error> {
    let (Some(name), Some([a, b])) = (&options.classes, sample.first().map(Vec::as_slice)) else { return Ok(None) };
    let object = match (a.trim() == name, b.trim() == name) {
        (true, false) => b,
        (false, true) => a,
        _ => return Ok(None),
    };
    if options.kind.is_some() || !options.columns.is_empty() {
        return Ok(None);
    }
    let columns = options.columns.clone().and(Role::Object, object.trim())?.and(Role::Class, name)?;
    Ok(Some(ReadOptions { columns, ..options.clone() }))
}

fn array(source: &Source, npy: Npy, options: &ReadOptions) -> Result<Loaded, Error> {
    let kind = options.kind.unwrap_or(match npy.shape.as_slice() {
        [_] => FileKind::Condensed,
        [a, b] if a == b => FileKind::Matrix,
        _ => FileKind::Rows,
    });
    let square = matches!(npy.shape.as_slice(), [a, b] if a == b);
    match kind {
        FileKind::Matrix | FileKind::Lower | FileKind::Upper if square => {
            let (d, said) = matrix::read_npy(npy, options)?;
            Ok(loaded(d, FileKind::Matrix, said))
        }
        FileKind::Condensed if npy.shape.iter().filter(|d| **d != 1).count() <= 1 => {
            let (d, said) = triangle::read_condensed_npy(npy, options)?;
            Ok(loaded(d, FileKind::Condensed, said))
        }
        FileKind::Rows if npy.shape.len() == 2 => rectangle(source, options),
        FileKind::Features => features::read_npy(npy, source),
        _ => {
            let what = format!("an array of shape {:?} is not of the kind {kind}", npy.shape);
            Err(refuse(
                &source.at(),
                &what,
                Remedy::from("give a square matrix, a condensed vector or rows of distances, or another ").any("kind"),
            ))
        }
    }
}

fn rectangle(source: &Source, options: &ReadOptions) -> Result<Loaded, Error> {
    let known = options.kind == Some(FileKind::Rows);
    if options.kind.is_none()
        && options.similarity.is_none()
        && let Some(features) = features::if_nothing_else(source, options)
    {
        return features;
    }
    let as_rows = ReadOptions { kind: Some(FileKind::Rows), ..options.clone() };
    let read = RowStream::open(source, &as_rows).and_then(rows::collect);
    let certain = known || options.similarity.is_some();
    let (rows, said) =
        read.map_err(|e| if certain { e } else { features::if_they_come_farther(source, options, e) })?;
    let (n, m) = (rows.objects().len(), rows.to().len());
    if !known && (n <= m || m < 2) {
        return Err(refuse(
            &source.at(),
            &format!("{n} rows of {m} distances are neither a square matrix nor objects with landmarks"),
            matrix::landmarks("give every object a row and a column"),
        ));
    }
    if (0..n).all(|r| rows.row(r).iter().all(|v| v.is_nan())) {
        return Err(all_missing(&source.at()));
    }
    if !certain && let Some(e) = features::if_it_had_no_gaps(source, options, &rows) {
        return Err(e);
    }
    let mut assumptions = said;
    assumptions.push(format!("the table is no square: its {n} rows are objects, its {m} columns are landmarks"));
    Ok(Loaded {
        evidence: Evidence::Rows(rows),
        measurements: None,
        kind: FileKind::Rows,
        assumptions,
        warnings: vec![],
    })
}

fn loaded(d: Distances, kind: FileKind, assumptions: Vec<String>) -> Loaded {
    let evidence = Evidence::Distances(d);
    with_warnings(Loaded { evidence, measurements: None, kind, assumptions, warnings: Vec::new() })
}

/// Adds what deserves a look: zeros that may be gaps, and values that are all the same.
fn with_warnings(mut loaded: Loaded) -> Loaded {
    let Evidence::Distances(d) = &loaded.evidence else { return loaded };
    let known = || d.condensed().iter().enumerate().filter(|(k, _)| d.weight_at(*k) > 0.0).map(|(_, v)| *v);
    let zeros = match d.weights() {
        None => d.condensed().iter().filter(|v| **v == 0.0).count(),
        Some(_) => known().filter(|v| *v == 0.0).count(),
    };
    let count = d.pairs() - d.missing();
    if zeros > 0 {
        loaded.warnings.push(format!(
            "{zeros} of {count} distances between different objects are 0; if 0 stands for not measured, leave those cells empty"
        ));
    }
    if count > 2 && known().skip(1).zip(known()).all(|(a, b)| a == b) {
        loaded.warnings.push("all distances are the same, and no map can show that in few dimensions".into());
    }
    loaded
}

/// Triangles that are looked at for numbers that mean alike where distances mean apart.
const TRIANGLES: usize = 4000;

/// A word about numbers that break the triangle inequality as they are, and keep it when large ones mean alike.
fn turned_round(d: &Distances) -> Option<String> {
    let n = d.len();
    let top = d.largest();
    let broken = |s: [f64; 3]| 2.0 * s[0].max(s[1]).max(s[2]) - s.iter().sum::<f64>() > 1e-9 * top;
    let (mut tried, mut as_given, mut turned) = (0usize, 0usize, 0usize);
    let mut look = |i: usize, j: usize, k: usize| {
        let (Some(a), Some(b), Some(c)) = (d.between(i, j), d.between(i, k), d.between(j, k)) else { return };
        tried += 1;
        as_given += usize::from(broken([a, b, c]));
        turned += usize::from(broken([top - a, top - b, top - c]));
    };
    if n * n * n <= 6 * TRIANGLES {
        (0..n).for_each(|i| (0..i).for_each(|j| (0..j).for_each(|k| look(i, j, k))));
    } else {
        let mut rng = nearer_num::rng::Rng::task(0, 0x7475_726e);
        for _ in 0..TRIANGLES {
            let (i, j, k) = (rng.below(n), rng.below(n), rng.below(n));
            if i != j && i != k && j != k {
                look(i, j, k);
            }
        }
    }
    let percent = |count: usize| 100.0 * count as f64 / tried as f64;
    (tried >= 30 && 2 * as_given > tried && 4 * turned < as_given).then(|| {
        format!(
            "read as distances, {:.0} % of the triangles have a side longer than the other two together; {:.0} % would if large \
             numbers meant alike: if these are similarities, say how they become distances (similarity, as max-s)",
            percent(as_given),
            percent(turned)
        )
    })
}

/// The first bytes, and all of them again.
fn beginning(source: &Source, mut bytes: Bytes) -> Result<(Vec<u8>, Bytes), Error> {
    let mut start = Vec::new();
    (&mut bytes).take(256).read_to_end(&mut start).map_err(|e| read_error(source, e))?;
    Ok((start.clone(), Box::new(Cursor::new(start).chain(bytes))))
}

/// Refuses filters of what has no columns with names: all of it would be read, without a word.
pub(crate) fn by_name(source: &Source, what: &str) -> Result<(), Error> {
    let Some(first) = source.filters().first() else { return Ok(()) };
    let what = format!("{what} has no named columns, and only rows with {first} were asked for");
    Err(refuse(&source.at(), &what, "give a table whose first line names its columns, or all of it"))
}

/// Whether the bytes are a `.npy` file, and all of them again; a model or a certificate is refused by name.
pub(crate) fn peek(source: &Source, mut bytes: Bytes) -> Result<(bool, Bytes), Error> {
    let mut start = Vec::new();
    (&mut bytes).take(96).read_to_end(&mut start).map_err(|e| read_error(source, e))?;
    if super::tensors::begins_like_ours(&start) {
        if !String::from_utf8_lossy(&start).contains("nearer model") {
            let remedy = Remedy::from("give it to ").command("verify").and(", with the evidence after it");
            return Err(refuse(&source.at(), "this is a certificate file", remedy));
        }
        return Err(refuse(
            &source.at(),
            "this is a model file",
            Remedy::from("give it to ")
                .command("place")
                .and(", ")
                .command("report")
                .and(" or ")
                .command("eval")
                .and("; evidence is distances"),
        ));
    }
    if start.starts_with(&source::PARQUET) {
        return Err(refuse(&source.at(), "this is a parquet file inside another packing", "unpack it first"));
    }
    let is_npy = start.starts_with(MAGIC);
    if is_npy {
        by_name(source, "an array")?;
    }
    Ok((is_npy, Box::new(Cursor::new(start).chain(bytes))))
}
