//! The bytes of a source with gzip undone, no line longer than memory allows, and what is said where they cannot be read.

use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use super::{Reader, Source};
use crate::error::{Error, inner_error};

/// How a parquet file begins, and ends.
pub(crate) const PARQUET: [u8; 4] = *b"PAR1";

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

/// What a line may take of the memory, one part in so many: a reader keeps its text and the end of each cell, which is eight bytes for
/// a cell that may have two, and doubles the room for both as it goes.
const LINE_SHARE: u64 = 16;

/// The most that one line or record may take.
pub(crate) fn longest(source: &Source) -> u64 {
    source.memory().map_or(u64::MAX, |m| (m / LINE_SHARE).max(1 << 20))
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
            LINE_SHARE * bytes,
            source.memory().unwrap_or(0),
        );
    }
    Error::File { action: "read", path: source.at().file.unwrap_or_default(), source: e }
}
