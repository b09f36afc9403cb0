//! What the tests of this room share: files that vanish, and gzip.

use std::io::Write;

use crate::error::Error;
use crate::evidence::{Distances, Evidence};
use crate::io::{Loaded, ReadOptions, Source, read_evidence};

/// A file of this name and content, in a directory of its own.
pub(crate) fn file(name: &str, content: &[u8]) -> (tempfile::TempDir, Source) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, content).unwrap();
    (dir, Source::from(path))
}

/// The bytes, gzipped.
pub(crate) fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Evidence from a file of this name and content.
pub(crate) fn load(name: &str, content: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Loaded, Error> {
    let (_dir, source) = file(name, content.as_ref());
    read_evidence(&source, options)
}

/// The message with which a reader that may hold so many bytes refuses.
pub(crate) fn refusal_within(memory: u64, name: &str, content: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let (_dir, source) = file(name, content.as_ref());
    match read_evidence(&source.within(memory), options) {
        Ok(loaded) => panic!("accepted: {loaded:?}"),
        Err(e) => e.to_string(),
    }
}

/// Distances from text, recognised.
pub(crate) fn distances(text: &str) -> Distances {
    loaded_distances(load("d.csv", text, &ReadOptions::default()).unwrap())
}

/// The distances of what was loaded.
pub(crate) fn loaded_distances(loaded: Loaded) -> Distances {
    match loaded.evidence {
        Evidence::Distances(d) => d,
        other => panic!("{other:?}"),
    }
}

/// The message with which text is refused.
pub(crate) fn refusal(name: &str, content: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    match load(name, content, options) {
        Ok(loaded) => panic!("accepted: {loaded:?}"),
        Err(e) => e.to_string(),
    }
}
