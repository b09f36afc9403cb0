//! NumPy's `.npy`: its header checked before it is believed, its numbers decoded row by row, and arrays written.

use std::io::{self, Read, Write};

use ndarray::ArrayView2;

use crate::error::{At, Error};
use crate::io::source::{Bytes, Source, read_error};

/// The first bytes of every such file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// An array being read: its shape is known, its numbers still to come.
pub(crate) struct Npy {
    bytes: Bytes,
    pub(crate) source: Source,
    pub(crate) shape: Vec<usize>,
    pub(crate) fortran: bool,
    number: Number,
    buffer: Vec<u8>,
    read: u64,
}

/// How one number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number {
    kind: u8,
    size: usize,
    big: bool,
}

impl std::fmt::Debug for Npy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Npy({}, {:?})", self.source, self.shape)
    }
}

/// Numbers decoded at a time: bounds the memory of a reader that was promised more than there is.
const STEP: usize = 1 << 15;

impl Npy {
    /// Reads the header.
    pub(crate) fn open(source: &Source, mut bytes: Bytes) -> Result<Self, Error> {
        let mut start = [0; 8];
        exact(source, &mut bytes, &mut start)?;
        if !start.starts_with(MAGIC) {
            return Err(defect(source, "it does not begin like a .npy file"));
        }
        let length = match start[6] {
            1 => {
                let mut l = [0; 2];
                exact(source, &mut bytes, &mut l)?;
                usize::from(u16::from_le_bytes(l))
            }
            2 | 3 => {
                let mut l = [0; 4];
                exact(source, &mut bytes, &mut l)?;
                u32::from_le_bytes(l) as usize
            }
            other => return Err(defect(source, &format!("version {other} of the .npy format is not known"))),
        };
        if length > 1 << 20 {
            return Err(defect(source, &format!("its header claims {length} bytes")));
        }
        let mut header = vec![0; length];
        exact(source, &mut bytes, &mut header)?;
        let header = String::from_utf8_lossy(&header);
        let (shape, fortran, number) = parse_header(&header).map_err(|what| defect(source, &what))?;
        // Before anything is made for each row or column: of an array without numbers a header may claim any number of them.
        if shape.contains(&0) {
            return Err(defect(source, &format!("it holds no numbers, its shape is {shape:?}")));
        }
        Ok(Npy { bytes, source: source.clone(), shape, fortran, number, buffer: Vec::new(), read: 0 })
    }

    pub(crate) fn at(&self) -> At {
        self.source.at()
    }

    /// Appends the next `count` numbers to `into`; an error says how far the file went.
    pub(crate) fn take(&mut self, count: usize, into: &mut Vec<f64>) -> Result<(), Error> {
        let mut left = count;
        while left > 0 {
            let now = left.min(STEP);
            self.buffer.resize(now * self.number.size, 0);
            if let Err(e) = self.bytes.read_exact(&mut self.buffer) {
                return Err(match e.kind() {
                    io::ErrorKind::UnexpectedEof => defect(
                        &self.source,
                        &format!("it ends before number {} of the {:?} it promises", self.read + 1, self.shape),
                    ),
                    _ => read_error(&self.source, e),
                });
            }
            decode(&self.buffer, self.number, into);
            self.read += now as u64;
            left -= now;
        }
        Ok(())
    }

    /// Refuses bytes after the last number.
    pub(crate) fn end(mut self) -> Result<(), Error> {
        let mut one = [0];
        match self.bytes.read(&mut one) {
            Ok(0) => Ok(()),
            Ok(_) => {
                Err(defect(&self.source, &format!("there is more after the {:?} numbers it promises", self.shape)))
            }
            Err(e) => Err(read_error(&self.source, e)),
        }
    }
}

fn exact(source: &Source, bytes: &mut Bytes, into: &mut [u8]) -> Result<(), Error> {
    bytes.read_exact(into).map_err(|e| match e.kind() {
        io::ErrorKind::UnexpectedEof => defect(source, "it ends within its header"),
        _ => read_error(source, e),
    })
}

/// The error for a file that is not a usable array.
pub(crate) fn defect(source: &Source, what: &str) -> Error {
    Error::Format {
        at: source.at(),
        what: format!("not a usable .npy file: {what}"),
        remedy: "save it again with numpy.save as an array of numbers".into(),
    }
}

/// Reads `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }` and nothing cleverer.
fn parse_header(header: &str) -> Result<(Vec<usize>, bool, Number), String> {
    let value = |key: &str| {
        let at = header.find(&format!("'{key}'")).or_else(|| header.find(&format!("\"{key}\"")));
        let rest = at.map(|k| header[k + key.len() + 2..].trim_start());
        rest.and_then(|r| r.strip_prefix(':')).map(str::trim_start).ok_or_else(|| format!("its header has no `{key}`"))
    };
    let order = value("fortran_order")?;
    let fortran = match (order.starts_with("True"), order.starts_with("False")) {
        (true, _) => true,
        (_, true) => false,
        _ => return Err("its header does not say the order of the numbers".into()),
    };
    let shape = value("shape")?;
    let inner = shape.strip_prefix('(').and_then(|s| s.split_once(')')).map(|(inner, _)| inner);
    let inner = inner.ok_or("its header has no readable shape")?;
    let shape = inner
        .split(',')
        .map(|part| part.trim().trim_end_matches('L'))
        .filter(|part| !part.is_empty())
        .map(|part| part.parse::<usize>().map_err(|_| format!("its header claims the dimension `{part}`")))
        .collect::<Result<Vec<_>, _>>()?;
    if shape.iter().try_fold(8usize, |a, b| a.checked_mul(*b)).is_none() {
        return Err(format!("its header claims the shape {shape:?}"));
    }
    let descr = value("descr")?;
    let descr = descr.get(1..).and_then(|d| d.split(['\'', '"']).next()).unwrap_or_default();
    let number = parse_descr(descr).ok_or_else(|| {
        format!(
            "it holds `{}`, and only real numbers (f4, f8, integers) can be read",
            &crate::io::cell::shown(descr.as_bytes())
        )
    })?;
    Ok((shape, fortran, number))
}

fn parse_descr(descr: &str) -> Option<Number> {
    let bytes = descr.as_bytes();
    let (order, kind, size) = match bytes {
        [order @ (b'<' | b'>' | b'|' | b'='), kind, size @ ..] => (*order, *kind, size),
        [kind, size @ ..] => (b'=', *kind, size),
        [] => return None,
    };
    let size: usize = std::str::from_utf8(size).ok()?.parse().ok()?;
    let known = matches!((kind, size), (b'f', 4 | 8) | (b'i' | b'u', 1 | 2 | 4 | 8) | (b'b', 1));
    let big = order == b'>' || (order == b'=' && cfg!(target_endian = "big"));
    known.then_some(Number { kind, size, big })
}

fn decode(bytes: &[u8], number: Number, into: &mut Vec<f64>) {
    macro_rules! all {
        ($t:ty) => {{
            const SIZE: usize = std::mem::size_of::<$t>();
            let (chunks, _) = bytes.as_chunks::<SIZE>();
            if number.big {
                into.extend(chunks.iter().map(|c| <$t>::from_be_bytes(*c) as f64));
            } else {
                into.extend(chunks.iter().map(|c| <$t>::from_le_bytes(*c) as f64));
            }
        }};
    }
    match (number.kind, number.size) {
        (b'f', 4) => all!(f32),
        (b'f', _) => all!(f64),
        (b'i', 1) => all!(i8),
        (b'i', 2) => all!(i16),
        (b'i', 4) => all!(i32),
        (b'i', _) => all!(i64),
        (_, 1) => all!(u8),
        (_, 2) => all!(u16),
        (_, 4) => all!(u32),
        _ => all!(u64),
    }
}

/// Writes a matrix of f64, row by row.
pub(crate) fn write(w: &mut dyn Write, matrix: ArrayView2<'_, f64>) -> io::Result<()> {
    write_header(w, matrix.dim())?;
    write_numbers(w, matrix)
}

/// Writes what comes before the numbers of so many rows and columns, as version 1: filled up so that the numbers begin at a
/// multiple of 64 bytes.
pub(crate) fn write_header(w: &mut dyn Write, (rows, columns): (usize, usize)) -> io::Result<()> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}, ), }}");
    let before = MAGIC.len() + 4;
    let length = (before + header.len() + 1).next_multiple_of(64) - before;
    w.write_all(MAGIC)?;
    w.write_all(&[1, 0])?;
    w.write_all(&(length as u16).to_le_bytes())?;
    w.write_all(format!("{header:<width$}\n", width = length - 1).as_bytes())
}

/// Writes the next rows.
pub(crate) fn write_numbers(w: &mut dyn Write, rows: ArrayView2<'_, f64>) -> io::Result<()> {
    let mut bytes = vec![0; 8 * rows.ncols()];
    for row in rows.rows() {
        bytes.chunks_exact_mut(8).zip(row).for_each(|(to, v)| to.copy_from_slice(&v.to_le_bytes()));
        w.write_all(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::io::testing::file;

    /// An array as npyz writes it.
    pub(crate) fn npy<T: npyz::AutoSerialize + Copy>(shape: &[u64], order: npyz::Order, values: &[T]) -> Vec<u8> {
        use npyz::WriterBuilder;
        let mut bytes = Vec::new();
        let mut w =
            npyz::WriteOptions::new().default_dtype().shape(shape).order(order).writer(&mut bytes).begin_nd().unwrap();
        w.extend(values.iter().copied()).unwrap();
        w.finish().unwrap();
        bytes
    }

    /// A version 1 file with this header and these bytes.
    pub(crate) fn by_hand(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn read(bytes: &[u8]) -> Result<(Vec<usize>, Vec<f64>), Error> {
        let (_dir, source) = file("a.npy", bytes);
        let mut npy = Npy::open(&source, crate::io::source::open(&source).unwrap())?;
        let (shape, mut values) = (npy.shape.clone(), Vec::new());
        npy.take(shape.iter().product(), &mut values)?;
        npy.end()?;
        Ok((shape, values))
    }

    #[test]
    fn every_kind_of_number_is_read() {
        let c = npyz::Order::C;
        assert_eq!(read(&npy(&[2], c, &[1.5f64, -2.0])).unwrap(), (vec![2], vec![1.5, -2.0]));
        assert_eq!(read(&npy(&[2], c, &[1.5f32, -2.0])).unwrap().1, [1.5, -2.0]);
        assert_eq!(read(&npy(&[2], c, &[7i32, -2])).unwrap().1, [7.0, -2.0]);
        assert_eq!(read(&npy(&[2], c, &[7u8, 200])).unwrap().1, [7.0, 200.0]);
        assert_eq!(read(&npy(&[2], c, &[7i64, -9])).unwrap().1, [7.0, -9.0]);
        let header = "{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }\n";
        let big: Vec<u8> = [3.25f64, 1e-300].iter().flat_map(|v| v.to_be_bytes()).collect();
        assert_eq!(read(&by_hand(header, &big)).unwrap().1, [3.25, 1e-300]);
    }

    #[test]
    fn what_is_written_is_what_npyz_writes() {
        for (rows, columns) in [(2, 3), (0, 2), (1, 1), (12345, 1)] {
            let values: Vec<f64> = (0..rows * columns).map(|k| k as f64 / 7.0).collect();
            let theirs = npy(&[rows as u64, columns as u64], npyz::Order::C, &values);
            let mut ours = Vec::new();
            write(&mut ours, ArrayView2::from_shape((rows, columns), &values).unwrap()).unwrap();
            assert_eq!(ours, theirs, "{rows} x {columns}");
        }
    }

    #[test]
    fn bad_headers_are_refused_and_nothing_absurd_is_allocated() {
        for (header, word) in [
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 1000000000000), }", "shape"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", "dimension"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", "dimension"),
            ("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "`|O`"),
            ("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }", "real numbers"),
            ("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (3,), }", "order"),
            ("((((((((", "fortran_order"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4294967296), }", "holds no numbers"),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }", "number 1 of"),
        ] {
            let e = read(&by_hand(header, b"xx")).unwrap_err().to_string();
            assert!(e.contains(word) && e.contains("a.npy") && e.contains("numpy.save"), "{header}: {e}");
        }
        assert!(read(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").unwrap_err().to_string().contains("4294967295"));
    }
}
