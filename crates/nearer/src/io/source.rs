//! Where bytes come from: a path or standard input, plain or gzipped, and what to say when they cannot be read.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use crate::error::{At, Error};

/// A file, or standard input.
///
/// ```
/// use nearer::io::Source;
/// assert_eq!(Source::from("-"), Source::Stdin);
/// assert_eq!(Source::from("d.csv").to_string(), "d.csv");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    Path(PathBuf),
    /// Standard input; written `-`.
    Stdin,
}

impl Source {
    /// The path, if it has one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::Path(path) => Some(path),
            Source::Stdin => None,
        }
    }
    /// The place that is all of it, for messages.
    #[must_use]
    pub fn at(&self) -> At {
        At::file(self.to_string())
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Path(path) => write!(f, "{}", path.display()),
            Source::Stdin => f.write_str("standard input"),
        }
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        if path == Path::new("-") { Source::Stdin } else { Source::Path(path.to_owned()) }
    }
}
impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Source::from(path.as_path())
    }
}
impl From<&PathBuf> for Source {
    fn from(path: &PathBuf) -> Self {
        Source::from(path.as_path())
    }
}
impl From<&str> for Source {
    fn from(path: &str) -> Self {
        Source::from(Path::new(path))
    }
}
impl From<String> for Source {
    fn from(path: String) -> Self {
        Source::from(Path::new(&path))
    }
}

/// Bytes that may be read more than once, so that a reader which guessed wrong can begin again.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) source: Source,
    /// Standard input, copied to a nameless temporary file.
    spool: Option<File>,
}

/// Plain bytes, from the beginning.
pub(crate) type Bytes = Box<dyn Read + Send>;

impl Input {
    pub(crate) fn new(source: &Source) -> Result<Self, Error> {
        let spool = match source {
            Source::Path(_) => None,
            Source::Stdin => {
                let copied = tempfile::tempfile().and_then(|mut file| {
                    io::copy(&mut io::stdin().lock(), &mut file)?;
                    Ok(file)
                });
                Some(copied.map_err(|e| read_error(source, e))?)
            }
        };
        Ok(Input { source: source.clone(), spool })
    }
    pub(crate) fn at(&self) -> At {
        self.source.at()
    }
    /// The bytes from the beginning, decompressed.
    pub(crate) fn bytes(&self) -> Result<Bytes, Error> {
        let fail = |e| read_error(&self.source, e);
        match &self.spool {
            None => open(&self.source),
            Some(file) => {
                let mut file = file.try_clone().map_err(fail)?;
                file.seek(SeekFrom::Start(0)).map_err(fail)?;
                plain(&self.source, Box::new(file))
            }
        }
    }
}

/// The decompressed bytes of a source, to be read once.
pub(crate) fn open(source: &Source) -> Result<Bytes, Error> {
    let raw: Bytes = match source {
        Source::Stdin => Box::new(io::stdin()),
        Source::Path(path) => {
            let file = File::open(path).map_err(|e| read_error(source, e))?;
            if file.metadata().is_ok_and(|m| m.is_dir()) {
                return Err(read_error(source, io::Error::from(io::ErrorKind::IsADirectory)));
            }
            Box::new(file)
        }
    };
    plain(source, raw)
}

/// At most `limit` bytes of a source; more is refused.
pub(crate) fn read_all(source: &Source, limit: u64, what: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    open(source)?.take(limit + 1).read_to_end(&mut bytes).map_err(|e| read_error(source, e))?;
    if bytes.len() as u64 > limit {
        return Err(Error::Format {
            at: source.at(),
            what: format!("more than {}, too long for {what}", crate::error::bytes(limit)),
            remedy: "check that it is the file you meant".into(),
        });
    }
    Ok(bytes)
}

/// Undoes gzip, recognised by its first two bytes, whatever the file is called; refuses other containers by name.
fn plain(source: &Source, raw: Bytes) -> Result<Bytes, Error> {
    let mut raw = BufReader::with_capacity(1 << 18, raw);
    let mut magic = [0; 4];
    let mut have = 0;
    while have < magic.len() {
        match raw.read(&mut magic[have..]) {
            Ok(0) => break,
            Ok(k) => have += k,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(read_error(source, e)),
        }
    }
    let container = match &magic[..have] {
        [b'P', b'K', 3, 4] => Some("a zip archive or an Excel workbook"),
        [0x89, b'H', b'D', b'F'] => Some("an HDF5 file"),
        [0x28, 0xb5, 0x2f, 0xfd] => Some("compressed with zstd"),
        [0xfd, b'7', b'z', b'X'] => Some("compressed with xz"),
        [b'B', b'Z', b'h', _] => Some("compressed with bzip2"),
        _ => None,
    };
    if let Some(what) = container {
        return Err(Error::Format {
            at: source.at(),
            what: format!("this is {what}"),
            remedy: "give csv, tsv, PHYLIP or .npy, plain or gzipped".into(),
        });
    }
    let all = Cursor::new(magic[..have].to_vec()).chain(raw);
    match &magic[..have] {
        [0x1f, 0x8b, ..] => Ok(Box::new(Gz(MultiGzDecoder::new(BufReader::with_capacity(1 << 18, all))))),
        _ => Ok(Box::new(all)),
    }
}

/// A gzip stream whose every failure is known to be one of the compressed data.
struct Gz<R>(MultiGzDecoder<R>);

/// What stands inside an [`io::Error`] that came from [`Gz`].
#[derive(Debug, thiserror::Error)]
#[error("the gzip data are cut off or damaged ({0})")]
struct Damaged(io::Error);

impl<R: io::BufRead> Read for Gz<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into).map_err(|e| match e.kind() {
            io::ErrorKind::Interrupted => e,
            _ => io::Error::new(io::ErrorKind::InvalidData, Damaged(e)),
        })
    }
}

/// The error for bytes that could not be read.
pub(crate) fn read_error(source: &Source, e: io::Error) -> Error {
    if e.get_ref().is_some_and(|inner| inner.is::<Damaged>()) {
        return Error::Format {
            at: source.at(),
            what: e.to_string(),
            remedy: "copy or compress the file again".into(),
        };
    }
    Error::File { action: "read", path: source.at().file.unwrap_or_default(), source: e }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::testing::{file, gz};

    #[test]
    fn gzip_is_undone_whatever_the_name() {
        let (_dir, source) = file("plain.txt", &gz(b"hello"));
        let mut text = String::new();
        open(&source).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
    }

    #[test]
    fn a_cut_off_gzip_says_so() {
        let bytes = gz(&[7; 5000]);
        let (_dir, source) = file("d.csv.gz", &bytes[..bytes.len() - 9]);
        let e = read_all(&source, 1 << 20, "a test").unwrap_err().to_string();
        assert!(e.contains("d.csv.gz") && e.contains("cut off or damaged") && e.contains("again"), "{e}");
    }

    #[test]
    fn a_workbook_is_named() {
        let (_dir, source) = file("d.xlsx", b"PK\x03\x04rest");
        assert!(open(&source).err().unwrap().to_string().contains("Excel"));
    }

    #[test]
    fn a_missing_file_and_a_directory_are_named() {
        let (dir, _) = file("x", b"");
        let e = open(&Source::from(dir.path())).err().unwrap().to_string();
        assert!(e.contains("cannot read"), "{e}");
        let e = open(&Source::from(dir.path().join("none.csv"))).err().unwrap().to_string();
        assert!(e.contains("none.csv"), "{e}");
    }
}
