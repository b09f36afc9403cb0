//! The pages of a column, unpacked only where they fit: a header of ten bytes may promise two gigabytes.

use std::io::{BufReader, Read as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use ::parquet::file::serialized_reader::SerializedPageReader;

use crate::io::source::{Anywhere, Reader, Source};

/// What a value of a dictionary takes once it is decoded.
const ENTRY: u64 = 48;

/// Bytes of pages that no limit forbids.
const ALWAYS: u64 = 1 << 20;

/// What the pages of all columns take together.
#[derive(Clone)]
pub(super) struct Tally {
    held: Arc<AtomicU64>,
    most: u64,
}

impl Tally {
    /// Half of what may be used is for pages, the other half for what is made of them.
    pub(super) fn new(source: &Source) -> Tally {
        Tally { held: Arc::default(), most: source.memory().map_or(u64::MAX, |m| (m / 2).max(ALWAYS)) }
    }
    /// Another group of rows: nothing of the last one is kept.
    pub(super) fn clear(&self) {
        self.held.store(0, Ordering::Relaxed);
    }
    fn fits(&self, more: u64) -> Result<()> {
        let all = self.held.load(Ordering::Relaxed).saturating_add(more);
        if all > self.most {
            return Err(ParquetError::External(Box::new(TooLarge(all.saturating_mul(2)))));
        }
        Ok(())
    }
    fn take(&self, bytes: u64) -> Result<()> {
        self.fits(bytes)?;
        self.held.fetch_add(bytes, Ordering::Relaxed);
        Ok(())
    }
    fn give_back(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// What stands inside an error of pages that do not fit: the bytes that would have been needed.
#[derive(Debug)]
pub(super) struct TooLarge(pub(super) u64);
crate::error::inner_error!(TooLarge, self => "{} bytes of pages", self.0);

/// All of a file, for its table of contents.
pub(super) struct Whole(pub(super) Anywhere);

impl Length for Whole {
    fn len(&self) -> u64 {
        self.0.length()
    }
}

impl ChunkReader for Whole {
    type T = BufReader<Reader>;
    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(self.0.from(start)))
    }
    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes> {
        Ok(self.0.bytes(start, length)?.into())
    }
}

/// The same for the pages of a column: a page is announced by its header, and refused there.
pub(super) struct Announced {
    file: Anywhere,
    tally: Tally,
}

impl Length for Announced {
    fn len(&self) -> u64 {
        self.file.length()
    }
}

impl ChunkReader for Announced {
    type T = BufReader<Reader>;
    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut header = Vec::new();
        self.file.from(start).take(24).read_to_end(&mut header)?;
        let (unpacked, packed) = sizes(&header).ok_or_else(|| ParquetError::General("a page without a size".into()))?;
        self.tally.fits(unpacked.saturating_add(packed))?;
        Ok(BufReader::new(self.file.from(start)))
    }
    fn get_bytes(&self, start: u64, length: usize) -> Result<bytes::Bytes> {
        self.tally.fits(length as u64)?;
        Ok(self.file.bytes(start, length)?.into())
    }
}

/// The two sizes in the header of a page, unpacked and packed: after its type, the first fields of a Thrift structure in the compact
/// protocol, a byte 0x15 (the next field, a 32-bit number) and a zigzag number each.
fn sizes(header: &[u8]) -> Option<(u64, u64)> {
    let mut rest = header;
    let mut number = || {
        let (kind, mut after) = rest.split_first()?;
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let (byte, next) = after.split_first()?;
            (value, after) = (value | u64::from(byte & 0x7f) << shift, next);
            shift += 7;
            if byte & 0x80 == 0 || shift > 35 {
                break;
            }
        }
        rest = after;
        (*kind == 0x15).then_some((value >> 1) ^ (value & 1).wrapping_neg())
    };
    let (_kind, unpacked, packed) = (number()?, number()?, number()?);
    Some((unpacked, packed))
}

/// The pages of a column, with a tally of what they take.
pub(super) struct Pages {
    pages: SerializedPageReader<Announced>,
    tally: Tally,
    /// Pages that values of the last rows may still lie in.
    held: u64,
    last: u64,
    fresh: Arc<AtomicU64>,
    seen: u64,
}

impl Pages {
    /// The pages of a column of so many rows; `fresh` counts the batches, and with a new one all but the last page are let go.
    pub(super) fn new(
        file: &Anywhere,
        tally: &Tally,
        meta: &::parquet::file::metadata::ColumnChunkMetaData,
        rows: usize,
        fresh: Arc<AtomicU64>,
    ) -> Result<Pages> {
        let announced = Announced { file: file.clone(), tally: tally.clone() };
        let pages = SerializedPageReader::new(Arc::new(announced), meta, rows, None)?;
        Ok(Pages { pages, tally: tally.clone(), held: 0, last: 0, fresh, seen: 0 })
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let batch = self.fresh.load(Ordering::Relaxed);
        if batch != std::mem::replace(&mut self.seen, batch) {
            self.tally.give_back(self.held - self.last);
            self.held = self.last;
        }
        let Some(page) = self.pages.get_next_page()? else { return Ok(None) };
        let bytes = page.buffer().len() as u64;
        if let Page::DictionaryPage { num_values, .. } = &page {
            // Kept as long as the column: every value of it has a byte at least.
            if u64::from(*num_values) > bytes {
                return Err(ParquetError::General(format!("a dictionary of {num_values} values in {bytes} bytes")));
            }
            self.tally.take(bytes + ENTRY * u64::from(*num_values))?;
        } else {
            self.tally.take(bytes)?;
            (self.held, self.last) = (self.held + bytes, bytes);
        }
        Ok(Some(page))
    }
    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }
    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;
    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
