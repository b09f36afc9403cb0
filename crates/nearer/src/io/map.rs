//! Maps in files: coordinates with the label first, written so that they read back to the last bit.

use std::io::{self, Write};

use ndarray::Array2;

use crate::error::{Error, Remedy};
use crate::geometry::{Embedding, LARGEST};
use crate::io::cell::{Numbers, Numerals};
use crate::io::head;
use crate::io::kinds::{FileKind, Format};
use crate::io::layout::{self, refuse};
use crate::io::matrix::{ragged, twice};
use crate::io::npy::{self, Npy};
use crate::io::packing::LABEL_BYTES;
use crate::io::source::{self, Source};
use crate::io::text::Table;
use crate::object::Objects;

/// Reads a map: csv, tsv or text with the label first and one column a coordinate, or a two-dimensional `.npy`.
/// The second part is what was assumed.
pub fn read_map(source: &Source, format: Option<Format>) -> Result<(Embedding, Vec<String>), Error> {
    let (is_npy, bytes) = super::read::peek(source, source::open(source)?)?;
    let format = format.or_else(|| source.path().and_then(Format::of));
    if is_npy {
        return array(Npy::open(source, bytes)?, source);
    }
    if format == Some(Format::Npy) {
        return Err(npy::defect(source, "it does not begin like a .npy file"));
    }
    let at = source.at();
    let (head, mut table) = head::open(source, bytes, format)?;
    let sample = head.sample(source)?;
    let complete = head.is_all(source, sample.len())?;
    let layout = layout::recognise(&sample, complete, Some(FileKind::Map), &at)?;
    let mut said = vec![head.delimiter.words().to_string()];
    said.extend(layout.assumptions);
    let plain = Numerals { signed: true, of_any_size: true, ..Numerals::default() };
    let mut numbers = Numbers::new(Numerals { decimal_comma: head.decimal_comma, ..plain });
    let (mut labels, mut values, mut dim): (Vec<String>, Vec<f64>, usize) = (Vec::new(), Vec::new(), 0);
    let mut seen = std::collections::HashMap::new();
    let skip = usize::from(layout.labelled);
    let (mut header, mut text) = (layout.header, 0);
    while let Some((record, line)) = table.next()? {
        if std::mem::take(&mut header) || record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        let found = record.len().saturating_sub(skip);
        if labels.is_empty() {
            dim = layout.columns.as_ref().map_or(found, Vec::len);
        }
        if found != dim || dim == 0 {
            return Err(ragged(found, dim.max(1), at.line(line)));
        }
        if layout.labelled {
            // An empty label is one that other hands left empty; it names an object as long as only one has it.
            let label = match record[0].trim_ascii() {
                b"" => String::new(),
                _ => Table::label(&at, &record[0], line, 0)?,
            };
            if let Some(before) = seen.insert(label.clone(), line) {
                return Err(twice(&label, &format!("line {before}"), at.line(line).column(1)));
            }
            labels.push(label);
        } else {
            labels.push((labels.len() + 1).to_string());
        }
        numbers.fill(record, skip, line, &at)?;
        let bound = |k: usize| numbers.bounds.get(k).is_some_and(|b| *b != crate::Bound::Exact);
        let bad = (0..dim).find(|&k| numbers.values[k].is_nan() || bound(k));
        if let Some(k) = bad {
            return Err(Error::Value {
                at: at.line(line).column((k + skip) as u64 + 1),
                what: format!("`{}` is no coordinate", crate::io::cell::shown(&record[k + skip])),
                remedy: "every object of a map has all its coordinates; leave the object out if they are not known"
                    .into(),
            });
        }
        if let Some(k) = (0..dim).find(|&k| numbers.values[k].abs() > LARGEST) {
            return Err(Error::Value {
                at: at.line(line).column((k + skip) as u64 + 1),
                what: format!("a coordinate is {:e}, and the most is {LARGEST:e}", numbers.values[k]),
                remedy: "give the map in a larger unit".into(),
            });
        }
        values.extend_from_slice(&numbers.values);
        text += 2 * labels.last().map_or(0, String::len);
        table.holds("the map", (8 * values.len() + text + LABEL_BYTES * labels.len()) as u64)?;
    }
    if labels.is_empty() {
        return Err(refuse(&at, "there is no row of coordinates", "give a file with a map in it"));
    }
    if layout.columns.as_ref().is_some_and(|columns| dim > 1 && *columns == labels) {
        return Err(refuse(
            &at,
            "its columns have the names of its rows, so these are distances and not coordinates",
            Remedy::from("make a map of them first with ").command("embed"),
        ));
    }
    let points = Array2::from_shape_vec((labels.len(), dim), values)
        .map_err(|_| refuse(&at, "the rows differ in length", "give every object the same number of coordinates"))?;
    Ok((Embedding::new(Objects::new(labels)?, points)?, said))
}

fn array(mut npy: Npy, source: &Source) -> Result<(Embedding, Vec<String>), Error> {
    let &[n, dim] = npy.shape.as_slice() else {
        let what = format!("an array of shape {:?}, and a map has two dimensions: objects and coordinates", npy.shape);
        return Err(npy::defect(source, &what));
    };
    source.holds("the map", 16 * (n as u64).saturating_mul(dim as u64))?;
    let fortran = npy.fortran;
    let mut values = Vec::new();
    npy.take(n * dim, &mut values)?;
    npy.end()?;
    if let Some(k) = values.iter().position(|v| !v.is_finite()) {
        return Err(npy::defect(source, &format!("coordinate number {} is {}", k + 1, values[k])));
    }
    if n == 0 || dim == 0 {
        return Err(npy::defect(source, "it holds no coordinates"));
    }
    let defect = |_| npy::defect(source, "its numbers do not fill its shape");
    let points = if fortran {
        Array2::from_shape_vec((dim, n), values).map_err(defect)?.reversed_axes().as_standard_layout().into_owned()
    } else {
        Array2::from_shape_vec((n, dim), values).map_err(defect)?
    };
    Ok((
        Embedding::new(Objects::numbered(n), points)?,
        vec![format!("the objects have no labels: they are numbered 1 to {n}")],
    ))
}

/// Writes a map: csv or tsv with the header `label,x1,x2,…`, or `.npy` without labels.
pub fn write_map(w: &mut dyn Write, map: &Embedding, format: Format) -> io::Result<()> {
    let delimiter = match format {
        Format::Npy => return npy::write(w, map.points().view()),
        Format::Csv => b',',
        Format::Tsv => b'\t',
        other => {
            let what = format!("a map cannot be written as {other}; choose csv, tsv or npy");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
    };
    let mut out = csv::WriterBuilder::new().delimiter(delimiter).from_writer(w);
    let header = std::iter::once("label".to_string()).chain((1..=map.dim()).map(|k| format!("x{k}")));
    out.write_record(header).map_err(io::Error::from)?;
    for (label, point) in map.objects().labels().iter().zip(map.points().outer_iter()) {
        out.write_field(label).map_err(io::Error::from)?;
        for v in point {
            // Debug writes the shortest number that reads back as the same one, with an exponent where that is shorter.
            out.write_field(format!("{v:?}")).map_err(io::Error::from)?;
        }
        out.write_record(None::<&[u8]>).map_err(io::Error::from)?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::testing::file;
    use ndarray::array;

    fn map() -> Embedding {
        let points = array![[0.1 + 0.2, -1e-300], [1e61, -0.0], [1.0 / 3.0, 5e-324]];
        Embedding::new(Objects::new(["a,b", "say \"hi\"\nthere", "Zoë\t#"]).unwrap(), points).unwrap()
    }

    #[test]
    fn text_reads_back_to_the_last_bit() {
        for (format, name) in [(Format::Csv, "m.csv"), (Format::Tsv, "m.tsv")] {
            let mut bytes = Vec::new();
            write_map(&mut bytes, &map(), format).unwrap();
            let (_dir, source) = file(name, &bytes);
            assert_eq!(read_map(&source, None).unwrap().0, map());
        }
    }

    #[test]
    fn arrays_read_back_without_labels() {
        let mut bytes = Vec::new();
        write_map(&mut bytes, &map(), Format::Npy).unwrap();
        let (_dir, source) = file("m.npy", &bytes);
        let (back, said) = read_map(&source, None).unwrap();
        assert_eq!(back.points(), map().points());
        assert!(said[0].contains("numbered 1 to 3"));
        let fortran = npy::tests::npy(&[2, 3], npyz::Order::Fortran, &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let (_dir, source) = file("f.npy", &fortran);
        assert_eq!(read_map(&source, None).unwrap().0.points(), array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    }

    #[test]
    fn a_matrix_of_distances_is_no_map() {
        let (_dir, source) = file("d.csv", b"x,a,b\na,0,2\nb,2,0\n");
        let e = read_map(&source, None).unwrap_err().to_string();
        assert!(e.contains("distances") && e.contains("`embed`"), "{e}");
    }

    #[test]
    fn maps_of_other_hands_are_read() {
        for text in ["name,x,y\na,1,2\nb,-3,4\n", "a 1 2\nb -3 4\n", "\"\",\"MDS1\",\"MDS2\"\n\"a\",1,2\n\"b\",-3,4\n"]
        {
            let (_dir, source) = file("m.txt", text.as_bytes());
            let (map, _) = read_map(&source, None).unwrap();
            assert_eq!(
                (map.objects().labels(), map.points()),
                (&["a", "b"].map(String::from)[..], &array![[1.0, 2.0], [-3.0, 4.0]])
            );
        }
    }

    #[test]
    fn one_label_may_be_empty() {
        let (_dir, source) = file("m.csv", b"label,x1,x2\na,1,2\n,3,4\nb,5,6\n");
        assert_eq!(read_map(&source, None).unwrap().0.objects().labels(), ["a", "", "b"]);
        let (_dir, source) = file("m.csv", b"label,x1,x2\n,1,2\n,3,4\n");
        let e = read_map(&source, None).unwrap_err().to_string();
        assert!(e.contains("line 2") && e.contains("line 3"), "{e}");
    }

    #[test]
    fn a_gap_is_no_coordinate() {
        let (_dir, source) = file("m.csv", b"label,x1,x2\na,1,NA\n");
        let e = read_map(&source, None).unwrap_err().to_string();
        assert!(e.contains("m.csv, line 2, column 3") && e.contains("`NA`"), "{e}");
    }
}
