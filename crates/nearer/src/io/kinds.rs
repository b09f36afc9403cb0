//! The words for files: what kind of data they hold, in which format, how to read them, and what came out.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::error::Error;
use crate::evidence::{Evidence, Measurements, Similarity};

/// How a reader is told what the file itself does not say. Everything that is `None` is recognised from the content.
#[derive(Debug, Default, Clone)]
pub struct ReadOptions {
    /// The layout of the data.
    pub kind: Option<FileKind>,
    /// The format of the file.
    pub format: Option<Format>,
    /// The numbers are similarities, and this turns them into distances.
    pub similarity: Option<Similarity>,
    /// `NaN` marks a missing distance. Else it is refused: it is as often the trace of an error, and a gap can be said by
    /// an empty cell or `NA`.
    pub nan_missing: bool,
    /// Bytes that the evidence may take; more is refused before it is read.
    pub memory: Option<u64>,
}

/// What a reader made of a file.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The evidence, repeated measurements merged.
    pub evidence: Evidence,
    /// The measurements before merging, where pairs are repeated or participants are named.
    pub measurements: Option<Measurements>,
    /// The layout that was recognised.
    pub kind: FileKind,
    /// Everything that was assumed about the file, in plain words.
    pub assumptions: Vec<String>,
    /// What a reader should look at before believing the data.
    pub warnings: Vec<String>,
}

/// How data are laid out in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// A square matrix, labelled or not.
    Matrix,
    /// The lower triangle of one: each row one entry longer than the last.
    Lower,
    /// The upper triangle of one: each row one entry shorter than the last.
    Upper,
    /// One vector with the upper triangle row by row, as SciPy's `pdist` writes it.
    Condensed,
    /// One measurement a row: `from,to,value[,weight][,participant]`.
    Long,
    /// PHYLIP: the number of objects, then a name and distances a row.
    Phylip,
    /// A rectangle: rows are objects, columns are landmarks or the objects of an old map.
    Rows,
    /// Coordinates.
    Map,
}

const KINDS: [(FileKind, &str); 8] = [
    (FileKind::Matrix, "matrix"),
    (FileKind::Lower, "lower"),
    (FileKind::Upper, "upper"),
    (FileKind::Condensed, "condensed"),
    (FileKind::Long, "long"),
    (FileKind::Phylip, "phylip"),
    (FileKind::Rows, "rows"),
    (FileKind::Map, "map"),
];

/// How a file is written. By extension, `.gz` taken off first; by content where the extension says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Fields between commas or semicolons.
    Csv,
    /// Fields between tabs.
    Tsv,
    /// One NumPy array.
    Npy,
    /// PHYLIP distances.
    Phylip,
    /// Text with fields between blanks, or between whatever its lines show.
    Text,
}

const FORMATS: [(Format, &str, &[&str]); 5] = [
    (Format::Csv, "csv", &["csv"]),
    (Format::Tsv, "tsv", &["tsv", "tab", "lsmat"]),
    (Format::Npy, "npy", &["npy"]),
    (Format::Phylip, "phylip", &["phy", "phylip"]),
    (Format::Text, "text", &["txt", "dat", "text"]),
];

impl Format {
    /// The format that the name of a file promises.
    #[must_use]
    pub fn of(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let (_, extension) = name.rsplit_once('.')?;
        FORMATS.iter().find(|(_, _, all)| all.contains(&extension)).map(|(format, _, _)| *format)
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KINDS.iter().find(|(kind, _)| kind == self).map_or("", |(_, name)| name))
    }
}

impl FromStr for FileKind {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let found = KINDS.iter().find(|(_, name)| name.eq_ignore_ascii_case(text.trim()));
        found.map(|(kind, _)| *kind).ok_or_else(|| Error::Parameter {
            name: "kind".into(),
            value: format!("`{text}`"),
            expected: format!("one of {}", KINDS.map(|(_, name)| name).join(", ")),
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(FORMATS.iter().find(|(format, ..)| format == self).map_or("", |(_, name, _)| name))
    }
}

impl FromStr for Format {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let wanted = text.trim().to_lowercase();
        let found = FORMATS.iter().find(|(_, name, all)| *name == wanted || all.contains(&wanted.as_str()));
        found.map(|(format, ..)| *format).ok_or_else(|| Error::Parameter {
            name: "format".into(),
            value: format!("`{text}`"),
            expected: format!("one of {}", FORMATS.map(|(_, name, _)| name).join(", ")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for (kind, _) in KINDS {
            assert_eq!(kind.to_string().parse::<FileKind>().unwrap(), kind);
        }
        for (format, ..) in FORMATS {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        assert!("square".parse::<FileKind>().unwrap_err().to_string().contains("matrix, lower"));
    }

    #[test]
    fn the_extension_under_gz_counts() {
        assert_eq!(Format::of(Path::new("a/b.CSV.gz")), Some(Format::Csv));
        assert_eq!(Format::of(Path::new("b.gz")), None);
        assert_eq!(Format::of(Path::new("x.lsmat")), Some(Format::Tsv));
    }
}
