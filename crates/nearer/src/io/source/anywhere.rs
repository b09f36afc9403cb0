//! Bytes at any place of a source, for a format that says at its end what it holds.

use std::io::{self, Read as _};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Body, Raw, Reader, Source, read_error};
use crate::error::Error;

/// The bytes of a source that is there as a whole; what came through a pipe is kept, as for any second reading.
#[derive(Clone)]
pub(crate) struct Anywhere {
    raw: Arc<Mutex<Option<Raw>>>,
    length: u64,
}

impl Anywhere {
    /// Opens a source; a pipe is read to its end first.
    pub(crate) fn open(source: &Source) -> Result<Anywhere, Error> {
        let mut opened = source.opened()?;
        let Some(raw) = opened.as_mut() else { return Err(read_error(source, io::ErrorKind::NotFound.into())) };
        let mut piece = vec![0; 1 << 16];
        let length = match &raw.body {
            Body::File(file) => file.metadata().map_err(|e| read_error(source, e))?.len(),
            Body::Memory(bytes) => bytes.get_ref().len() as u64,
            Body::Pipe { .. } => {
                while raw.read_at(raw.hashed, &mut piece).map_err(|e| read_error(source, e))? > 0 {}
                raw.hashed
            }
        };
        Ok(Anywhere { raw: Arc::clone(&source.raw), length })
    }
    /// How many bytes there are.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }
    /// The bytes from this place on.
    pub(crate) fn from(&self, at: u64) -> Reader {
        Reader { raw: Arc::clone(&self.raw), at }
    }
    /// So many bytes from this place on; nothing is allocated for more than there are.
    pub(crate) fn bytes(&self, at: u64, length: usize) -> io::Result<Vec<u8>> {
        if at.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; length];
        self.from(at).read_exact(&mut bytes)?;
        Ok(bytes)
    }
    /// Notes the share of the contents that has been handed out: places in the file do not tell it.
    pub(crate) fn reached(&self, share: f64) {
        if let Some(raw) = self.raw.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            raw.reached = (self.length as f64 * share) as u64;
        }
    }
}
