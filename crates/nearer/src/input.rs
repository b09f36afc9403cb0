//! What went into a result, by name, size and hash.

use serde::{Deserialize, Serialize};

/// A file as it was read: enough to say later whether another is the same.
///
/// ```
/// use nearer::io::InputFile;
/// let file = InputFile { path: "study/d.csv".into(), bytes: 3, sha256: "ba7816bf".into() };
/// assert_eq!(file.name(), "d.csv");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// The path as it was given; `-` is standard input.
    pub path: String,
    /// How many bytes it has, compressed as they came.
    pub bytes: u64,
    /// Their SHA-256, in hexadecimal digits.
    pub sha256: String,
}

impl InputFile {
    /// The last part of the path: where a file lies on somebody's disk is nobody else's business.
    #[must_use]
    pub fn name(&self) -> &str {
        match self.path.as_str() {
            "-" => "stdin",
            path => path.rsplit(['/', '\\']).next().unwrap_or(path),
        }
    }
}
