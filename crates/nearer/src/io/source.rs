//! Where bytes come from: a path or standard input, plain or gzipped, and what to say when they cannot be read.

#[cfg(feature = "parquet")]
mod anywhere;
mod plain;
mod raw;

use std::fmt;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::Digest as _;

use crate::error::{At, Error, Remedy};
use crate::input::InputFile;
use crate::io::filter::Filter;
#[cfg(feature = "parquet")]
pub(crate) use anywhere::Anywhere;
#[cfg(feature = "parquet")]
pub(crate) use plain::Refused;
pub(crate) use plain::{Bytes, Guarded, PARQUET, longest, open, read_all, read_error};
pub(crate) use raw::Reader;
use raw::{Body, Raw};

/// A file, or standard input: opened once, however often its bytes are wanted.
///
/// A pipe cannot be opened twice, and a file may be another one the second time. So the first reader opens, clones share what was
/// opened, and what came out of a pipe is kept (in memory, beyond some megabytes in a nameless temporary file) for the
/// next reader. All bytes are hashed on their way, so that a report names what was read and not what lies there now.
///
/// ```
/// use nearer::io::Source;
/// assert!(Source::from("-").is_stdin());
/// assert_eq!(Source::from("d.csv").to_string(), "d.csv");
/// ```
#[derive(Clone)]
pub struct Source {
    /// `None` is standard input.
    path: Option<PathBuf>,
    raw: Arc<Mutex<Option<Raw>>>,
    memory: Option<u64>,
    filters: Arc<[Filter]>,
}

impl Source {
    /// Standard input; written `-`.
    #[must_use]
    pub fn stdin() -> Self {
        Source { path: None, raw: Arc::default(), memory: None, filters: Arc::default() }
    }
    /// Bytes that are at hand already, under a name whose extension counts.
    ///
    /// ```
    /// use nearer::io::{ReadOptions, Source, read_evidence};
    /// let source = Source::of_bytes("d.csv", b"label,a,b\na,0,3\nb,3,0\n".to_vec());
    /// assert_eq!(read_evidence(&source, &ReadOptions::default())?.evidence.objects().len(), 2);
    /// # Ok::<(), nearer::Error>(())
    /// ```
    #[must_use]
    pub fn of_bytes(name: &str, bytes: Vec<u8>) -> Self {
        let raw = Raw::new(Body::Memory(Cursor::new(bytes)));
        Source { path: Some(name.into()), raw: Arc::new(Mutex::new(Some(raw))), memory: None, filters: Arc::default() }
    }
    /// The same, of which a reader may hold so many bytes: what needs more is refused with an estimate, and not read on. It
    /// is the only guard against a small file that unpacks to a large one.
    ///
    /// ```
    /// use nearer::io::{ReadOptions, Source, read_evidence};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let dir = tempfile::tempdir()?;
    /// # let path = dir.path().join("d.csv");
    /// std::fs::write(&path, "a,b,1\n".repeat(1000))?;
    /// let refused = read_evidence(&Source::from(path).within(1000), &ReadOptions::default());
    /// assert!(refused.unwrap_err().to_string().contains("1000 B may be used"));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn within(self, bytes: u64) -> Self {
        Source { memory: Some(bytes), ..self }
    }
    /// The same, of which only the rows that pass these filters are read; its first line must name the columns.
    ///
    /// ```
    /// use nearer::io::{Measuring, ReadOptions, Source, read_evidence};
    /// use nearer::evidence::Measure;
    /// let table = "id,kind,wings,legs\nant,insect,0,6\nbee,insect,4,6\ncod,fish,0,0\n";
    /// let source = Source::of_bytes("t.csv", table.into()).only(vec!["kind=insect".parse()?]);
    /// let measure = Measuring { take: vec!["wings".into(), "legs".into()], ..Measure::Euclidean.into() };
    /// let loaded = read_evidence(&source, &ReadOptions { measure: Some(measure), ..ReadOptions::default() })?;
    /// assert_eq!(loaded.evidence.objects().labels(), ["ant", "bee"]);
    /// # Ok::<(), nearer::Error>(())
    /// ```
    #[must_use]
    pub fn only(self, rows: Vec<Filter>) -> Self {
        Source { filters: rows.into(), ..self }
    }
    /// The filters that rows must pass.
    pub(crate) fn filters(&self) -> &Arc<[Filter]> {
        &self.filters
    }
    /// How many bytes a reader may hold, where it was said.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.memory
    }
    /// The share of a file that the reader has come to, from 0 to 1; `None` of a pipe.
    fn share(&self) -> Option<f64> {
        let raw = self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        let raw = raw.as_ref()?;
        let length = match &raw.body {
            Body::File(file) => file.metadata().ok()?.len(),
            Body::Memory(bytes) => bytes.get_ref().len() as u64,
            Body::Pipe { .. } => return None,
        };
        (length > 0).then(|| (raw.reached as f64 / length as f64).clamp(0.0, 1.0))
    }
    /// Refuses what a reader holds of it if that is more than may be used; the estimate is for all of the file.
    pub(crate) fn holds(&self, what: &str, bytes: u64) -> Result<(), Error> {
        match self.memory {
            Some(available) if bytes > available => {
                let all = self.share().filter(|s| *s > 0.0).map_or(bytes, |s| (bytes as f64 / s) as u64);
                Err(self.too_large(what, all.max(bytes), available))
            }
            _ => Ok(()),
        }
    }
    /// Refuses what is known to be needed for all of it.
    pub(crate) fn needs(&self, what: &str, bytes: u64) -> Result<(), Error> {
        match self.memory {
            Some(available) if bytes > available => Err(self.too_large(what, bytes, available)),
            _ => Ok(()),
        }
    }
    pub(crate) fn too_large(&self, what: &str, needed: u64, available: u64) -> Error {
        let remedy = Remedy::from("give a part of it, or allow more with ").any("memory");
        Error::Memory { what: format!("{}: {what}", self.at()), needed, available, remedy }
    }
    /// Whether it is a parquet file that is read here; one that cannot be opened is none, and whoever opens it says so.
    pub(crate) fn is_parquet(&self) -> bool {
        let mut start = [0; PARQUET.len()];
        let begins = |raw: &mut Raw| {
            let reached = raw.reached;
            let read = raw.read_at(0, &mut start);
            raw.reached = reached;
            read.is_ok_and(|_| start == PARQUET)
        };
        cfg!(feature = "parquet") && self.opened().is_ok_and(|mut raw| raw.as_mut().is_some_and(begins))
    }
    /// The path, if it has one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
    /// Whether it is standard input.
    #[must_use]
    pub fn is_stdin(&self) -> bool {
        self.path.is_none()
    }
    /// The place that is all of it, for messages.
    #[must_use]
    pub fn at(&self) -> At {
        At::file(self.to_string())
    }
    /// What was read: the name, and the size and SHA-256 of all bytes, compressed as they came. Reads on to the end.
    ///
    /// ```
    /// use nearer::io::Source;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let dir = tempfile::tempdir()?;
    /// # let path = dir.path().join("abc.txt");
    /// std::fs::write(&path, "abc")?;
    /// let file = Source::from(path).file()?;
    /// assert_eq!((file.bytes, &file.sha256[..8]), (3, "ba7816bf"));
    /// # Ok(()) }
    /// ```
    pub fn file(&self) -> Result<InputFile, Error> {
        let mut raw = self.opened()?;
        let Some(raw) = raw.as_mut() else { return Err(read_error(self, io::ErrorKind::NotFound.into())) };
        let mut piece = vec![0; 1 << 16];
        while raw.read_at(raw.hashed, &mut piece).map_err(|e| read_error(self, e))? > 0 {}
        let sha256 = raw.digest.clone().finalize().iter().map(|b| format!("{b:02x}")).collect();
        let path = if self.is_stdin() { "-".into() } else { self.to_string() };
        Ok(InputFile { path, bytes: raw.hashed, sha256 })
    }
    /// The bytes as they are, opened if this is the first time.
    fn opened(&self) -> Result<MutexGuard<'_, Option<Raw>>, Error> {
        let mut raw = self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        if raw.is_none() {
            *raw = Some(Raw::open(self.path()).map_err(|e| read_error(self, e))?);
        }
        Ok(raw)
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}
impl Eq for Source {}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.to_string()).finish()
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}", path.display()),
            None => f.write_str("standard input"),
        }
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        let path = if path == Path::new("-") { None } else { Some(path) };
        Source { path, ..Source::stdin() }
    }
}
impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Source::from(path.to_owned())
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

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::io::testing::{file, gz};
    use sha2::Sha256;

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
        let e = read_all(&source, open(&source).unwrap(), 0, "a test").unwrap_err().to_string();
        assert!(e.contains("d.csv.gz") && e.contains("cut off or damaged") && e.contains("again"), "{e}");
    }

    #[test]
    fn a_workbook_is_named() {
        let (_dir, source) = file("d.xlsx", b"PK\x03\x04rest");
        assert!(open(&source).err().unwrap().to_string().contains("Excel"));
    }

    #[cfg(not(feature = "parquet"))]
    #[test]
    fn parquet_is_named_with_the_way_to_read_it() {
        let (_dir, source) = file("t.parquet", b"PAR1rest");
        let e = open(&source).err().unwrap().to_string();
        assert!(e.contains("parquet file") && e.contains("cargo feature parquet") && e.contains("csv"), "{e}");
    }

    #[test]
    fn a_missing_file_and_a_directory_are_named() {
        let (dir, _) = file("x", b"");
        let e = open(&Source::from(dir.path())).err().unwrap().to_string();
        assert!(e.contains("cannot read"), "{e}");
        let e = open(&Source::from(dir.path().join("none.csv"))).err().unwrap().to_string();
        assert!(e.contains("none.csv"), "{e}");
    }

    #[test]
    fn the_hash_is_that_of_the_standard_and_of_the_bytes_as_they_came() {
        // FIPS 180-2, appendix B.1.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let (_dir, source) = file("abc.txt", b"abc");
        assert_eq!(source.file().unwrap().sha256, known);
        let packed = gz(b"abc");
        let (_dir, source) = file("abc.txt.gz", &packed);
        open(&source).unwrap().read_exact(&mut [0; 2]).unwrap();
        let file = source.file().unwrap();
        assert_eq!(file.bytes, packed.len() as u64);
        assert_eq!(file.sha256, Sha256::digest(&packed).iter().map(|b| format!("{b:02x}")).collect::<String>());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_opened_once_and_read_as_often_as_needed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let content: Vec<u8> = (0..40_000_000u32).map(|k| (k % 251) as u8).collect();
        let writer = std::thread::spawn({
            let (path, content) = (path.clone(), content.clone());
            move || std::fs::write(path, content)
        });
        let source = Source::from(&path);
        let mut start = [0; 1000];
        open(&source).unwrap().read_exact(&mut start).unwrap();
        assert_eq!(start, content[..1000]);
        for _ in 0..2 {
            let mut all = Vec::new();
            open(&source.clone()).unwrap().read_to_end(&mut all).unwrap();
            assert!(all == content);
        }
        assert_eq!(source.file().unwrap().bytes, 40_000_000);
        assert!(writer.join().unwrap().is_ok());
    }
}
