//! The bytes of a file or a pipe as they are, opened once and hashed on their way.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use tempfile::SpooledTempFile;

/// More than this from a pipe goes to a temporary file.
const KEPT_IN_MEMORY: usize = 1 << 24;

/// What was opened, with a tally of the bytes that have passed.
pub(super) struct Raw {
    pub(super) body: Body,
    pub(super) digest: Sha256,
    /// How many bytes from the beginning the digest holds.
    pub(super) hashed: u64,
    /// Where the last read ended.
    pub(super) reached: u64,
}

pub(super) enum Body {
    /// A regular file: it can be read again.
    File(File),
    /// Bytes that were given.
    Memory(Cursor<Vec<u8>>),
    /// A pipe, a terminal, a device: what has come out of it is kept.
    Pipe { from: Box<dyn Read + Send>, kept: SpooledTempFile, length: u64 },
}

impl Raw {
    pub(super) fn open(path: Option<&Path>) -> io::Result<Raw> {
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

    pub(super) fn new(body: Body) -> Raw {
        Raw { body, digest: Sha256::new(), hashed: 0, reached: 0 }
    }

    /// Some bytes from a place that was reached before; none at the end.
    pub(super) fn read_at(&mut self, at: u64, into: &mut [u8]) -> io::Result<usize> {
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

/// The bytes of a source from some place on, as they are.
pub(crate) struct Reader {
    pub(super) raw: Arc<Mutex<Option<Raw>>>,
    pub(super) at: u64,
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
