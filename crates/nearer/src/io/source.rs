//! Where bytes come from: a path or standard input, plain or gzipped, and what to say when they cannot be read.

#[cfg(feature = "parquet")]
mod anywhere;

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flate2::bufread::MultiGzDecoder;
use sha2::{Digest as _, Sha256};
use tempfile::SpooledTempFile;

use crate::error::{At, Error, Remedy, inner_error};
use crate::input::InputFile;
use crate::io::filter::Filter;
#[cfg(feature = "parquet")]
pub(crate) use anywhere::Anywhere;

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

/// More than this from a pipe goes to a temporary file.
const KEPT_IN_MEMORY: usize = 1 << 24;

/// What was opened, with a tally of the bytes that have passed.
struct Raw {
    body: Body,
    digest: Sha256,
    /// How many bytes from the beginning the digest holds.
    hashed: u64,
    /// Where the last read ended.
    reached: u64,
}

enum Body {
    /// A regular file: it can be read again.
    File(File),
    /// Bytes that were given.
    Memory(Cursor<Vec<u8>>),
    /// A pipe, a terminal, a device: what has come out of it is kept.
    Pipe { from: Box<dyn Read + Send>, kept: SpooledTempFile, length: u64 },
}

impl Raw {
    fn open(path: Option<&Path>) -> io::Result<Raw> {
        let pipe = |from| Body::Pipe { from, kept: tempfile::spooled_tempfile(KEPT_IN_MEMORY), length: 0 };
        let body = match path {
            None => pipe(Box::new(io::stdin())),
            Some(path) => {
                let file = File::open(path)?;
                match file.metadata()?.file_type() {
                    kind if kind.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
                    kind if kind.is_file() => Body::File(file),
                    _ => pipe(Box::new(file)),
                }
            }
        };
        Ok(Raw::new(body))
    }

    fn new(body: Body) -> Raw {
        Raw { body, digest: Sha256::new(), hashed: 0, reached: 0 }
    }

    /// Some bytes from a place that was reached before; none at the end.
    fn read_at(&mut self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.body {
            Body::File(file) => {
                file.seek(SeekFrom::Start(at))?;
                file.read(into)?
            }
            Body::Memory(bytes) => {
                bytes.set_position(at);
                bytes.read(into)?
            }
            Body::Pipe { from, kept, length } if at == *length => {
                let read = from.read(into)?;
                kept.seek(SeekFrom::Start(at))?;
                kept.write_all(&into[..read])?;
                *length += read as u64;
                read
            }
            Body::Pipe { kept, .. } => {
                kept.seek(SeekFrom::Start(at))?;
                kept.read(into)?
            }
        };
        let end = at + read as u64;
        self.reached = end;
        if at <= self.hashed && self.hashed < end {
            self.digest.update(&into[(self.hashed - at) as usize..read]);
            self.hashed = end;
        }
        Ok(read)
    }
}

/// How a parquet file begins, and ends.
pub(crate) const PARQUET: [u8; 4] = *b"PAR1";

/// The bytes of a source from some place on, as they are.
pub(crate) struct Reader {
    raw: Arc<Mutex<Option<Raw>>>,
    at: u64,
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut raw = self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(raw) = raw.as_mut() else { return Ok(0) };
        let read = raw.read_at(self.at, into)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Plain bytes, from the beginning.
pub(crate) type Bytes = Box<dyn Read + Send>;

/// The decompressed bytes of a source from the beginning; as often as a reader that guessed wrong has to begin again.
pub(crate) fn open(source: &Source) -> Result<Bytes, Error> {
    drop(source.opened()?);
    plain(source, Box::new(Reader { raw: Arc::clone(&source.raw), at: 0 }))
}

/// All bytes of a source, of which a reader will hold `copies` more.
pub(crate) fn read_all(source: &Source, bytes: Bytes, copies: u64, what: &str) -> Result<Vec<u8>, Error> {
    let mut all = Vec::new();
    let most = source.memory().map_or(isize::MAX as u64, |m| m / (1 + copies));
    bytes.take(most.saturating_add(1)).read_to_end(&mut all).map_err(|e| read_error(source, e))?;
    source.holds(what, (1 + copies).saturating_mul(all.len() as u64))?;
    Ok(all)
}

/// The most that one line or record may take: beside what else is held, it is copied once.
pub(crate) fn longest(source: &Source) -> u64 {
    source.memory().map_or(u64::MAX, |m| (m / 4).max(1 << 20))
}

/// Bytes that go to a reader of lines or records, which says when it has one: a line without an end would fill the memory.
pub(crate) struct Guarded {
    bytes: Bytes,
    since: Arc<AtomicU64>,
    most: u64,
}

impl Guarded {
    /// The guarded bytes, and the counter that is set to 0 with every record.
    pub(crate) fn new(source: &Source, bytes: Bytes) -> (Guarded, Arc<AtomicU64>) {
        let since = Arc::default();
        (Guarded { bytes, since: Arc::clone(&since), most: longest(source) }, since)
    }
}

impl Read for Guarded {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(into)?;
        let since = self.since.fetch_add(read as u64, Ordering::Relaxed);
        // A reader may have taken one buffer ahead of the record that it gave out.
        if since > self.most {
            return Err(io::Error::other(Endless(since)));
        }
        Ok(read)
    }
}

/// What stands inside an [`io::Error`] that came from [`Guarded`].
#[derive(Debug)]
struct Endless(u64);
inner_error!(Endless, self => "a line of more than {} bytes", self.0);

/// What stands inside an [`io::Error`] of a reader that has said itself what is wrong.
#[cfg(feature = "parquet")]
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) Error);
#[cfg(feature = "parquet")]
inner_error!(Refused, self => "{}", self.0);

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
    if magic[..have] == PARQUET {
        #[cfg(feature = "parquet")]
        return crate::io::parquet::open(source);
        #[cfg(not(feature = "parquet"))]
        return Err(Error::Format {
            at: source.at(),
            what: "this is a parquet file, and this build does not read them".into(),
            remedy: "save the table as csv, or build the command with its cargo feature parquet, as README.md says"
                .into(),
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
#[derive(Debug)]
struct Damaged(io::Error);
inner_error!(Damaged, self => "the gzip data are cut off or damaged ({})", self.0);

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
    #[cfg(feature = "parquet")]
    let e = match e.downcast::<Refused>() {
        Ok(Refused(said)) => return said,
        Err(e) => e,
    };
    if e.get_ref().is_some_and(|inner| inner.is::<Damaged>()) {
        return Error::Format {
            at: source.at(),
            what: e.to_string(),
            remedy: "copy or compress the file again".into(),
        };
    }
    if let Some(Endless(bytes)) = e.get_ref().and_then(|inner| inner.downcast_ref()) {
        return source.too_large(
            "one line (or a quotation that does not end)",
            4 * bytes,
            source.memory().unwrap_or(0),
        );
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
