//! Everything that can go wrong, with the value, the place and the remedy inside.

use std::fmt;
use std::path::PathBuf;

pub use crate::remedy::{Remedy, Wording};

/// Where in a file something was found. Lines and columns count from 1; zero-length parts are left out when shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct At {
    /// The file, if the data came from one.
    pub file: Option<PathBuf>,
    /// The line, counted from 1.
    pub line: Option<u64>,
    /// The column (field) of that line, counted from 1.
    pub column: Option<u64>,
}

impl At {
    /// A place that is a whole file.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        At { file: Some(path.into()), ..At::default() }
    }
    /// The same place, at a line.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }
    /// The same place, at a column (field).
    #[must_use]
    pub fn column(mut self, column: u64) -> Self {
        self.column = Some(column);
        self
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(path) => write!(f, "{}", path.display())?,
            None => f.write_str("input")?,
        }
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        Ok(())
    }
}

/// The name that looks most like one that is unknown, if any looks like it at all.
pub(crate) fn nearest<'n>(asked: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    /// Below this, names have some letters in common and nothing else.
    const ALIKE: f64 = 0.75;
    let asked = asked.to_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(&name.to_lowercase(), &asked);
    let all = names.into_iter().map(|name| (likeness(name), name)).filter(|(l, _)| *l > ALIKE);
    all.reduce(|best, one| if one.0 > best.0 { one } else { best }).map(|(_, name)| name)
}

/// The one error type of the library. `Display` is one sentence that names the value, the place and the remedy.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A value in a file that cannot be used.
    Value {
        /// Where it stands.
        at: At,
        /// What is wrong with it, the value included.
        what: String,
        /// What to do about it.
        remedy: Remedy,
    },
    /// A file whose kind is not clear, or that is not of the kind asked for.
    Format {
        /// The file.
        at: At,
        /// What was seen.
        what: String,
        /// What to do about it.
        remedy: Remedy,
    },
    /// A file that could not be opened, read or written.
    File {
        /// `read`, `write`, `create` …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A parameter out of its range.
    Parameter {
        /// Its name, as in the method table.
        name: String,
        /// The value that was given.
        value: String,
        /// What would have been accepted.
        expected: String,
    },
    /// Evidence that a method cannot work with.
    Evidence {
        /// What is wrong, the objects named.
        what: String,
        /// What to do about it.
        remedy: Remedy,
    },
    /// Too few objects.
    TooFew {
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
        /// What to do about it.
        remedy: Remedy,
    },
    /// A label that names no object.
    UnknownLabel {
        /// The label.
        label: String,
        /// What named it.
        place: String,
        /// How many objects there are.
        objects: usize,
        /// What to do about it.
        remedy: Remedy,
    },
    /// The known pairs fall apart into groups with nothing measured between them.
    Disconnected {
        /// The labels of each group, largest group first.
        components: Vec<Vec<String>>,
    },
    /// More memory would be needed than there is.
    Memory {
        /// What needs it.
        what: String,
        /// The estimate, in bytes.
        needed: u64,
        /// What may be used, in bytes.
        available: u64,
        /// What to do about it.
        remedy: Remedy,
    },
    /// A numerical routine failed on finite input; this is a bug worth reporting.
    Numerical {
        /// Which routine.
        what: String,
    },
    /// The run was cancelled before there was anything to give back.
    Cancelled,
}

impl Error {
    /// What kind of error it is, in a word for programs: `value`, `format`, `file`, `parameter`, `evidence`, `too-few`,
    /// `unknown-label`, `disconnected`, `memory`, `numerical` or `cancelled`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Value { .. } => "value",
            Error::Format { .. } => "format",
            Error::File { .. } => "file",
            Error::Parameter { .. } => "parameter",
            Error::Evidence { .. } => "evidence",
            Error::TooFew { .. } => "too-few",
            Error::UnknownLabel { .. } => "unknown-label",
            Error::Disconnected { .. } => "disconnected",
            Error::Memory { .. } => "memory",
            Error::Numerical { .. } => "numerical",
            Error::Cancelled => "cancelled",
        }
    }
    /// What to do about it, where that is not said in the complaint itself.
    #[must_use]
    pub fn remedy(&self) -> Option<&Remedy> {
        match self {
            Error::Value { remedy, .. }
            | Error::Format { remedy, .. }
            | Error::Evidence { remedy, .. }
            | Error::TooFew { remedy, .. }
            | Error::UnknownLabel { remedy, .. }
            | Error::Memory { remedy, .. } => Some(remedy),
            _ => None,
        }
    }

    /// Where it is, where that is known.
    #[must_use]
    pub fn at(&self) -> Option<&At> {
        match self {
            Error::Value { at, .. } | Error::Format { at, .. } => Some(at),
            _ => None,
        }
    }
    /// What is wrong, without what to do about it.
    #[must_use]
    pub fn complaint(&self) -> String {
        match self {
            Error::Value { at, what, .. } | Error::Format { at, what, .. } => format!("{at}: {what}"),
            Error::Evidence { what, .. } => what.clone(),
            Error::TooFew { found, needed, .. } => {
                format!("{found} object{}, but {needed} are needed at least", if *found == 1 { "" } else { "s" })
            }
            Error::UnknownLabel { place, label, objects, .. } => {
                format!("{place} names `{label}`, which is not among the {objects} objects")
            }
            Error::Memory { what, needed, available, .. } => {
                format!("{what}: about {} would be needed, and {} may be used", bytes(*needed), bytes(*available))
            }
            Error::File { action, path, source } => format!("cannot {action} {}: {source}", path.display()),
            Error::Parameter { name, value, expected } => {
                format!("parameter `{name}` is {value}, expected {expected}")
            }
            Error::Disconnected { components } => format!(
                "the known pairs fall into {} separate groups ({}), and nothing says how far apart the groups are; measure pairs between them, or map each group by itself",
                components.len(),
                show_components(components)
            ),
            Error::Numerical { what } => format!("{what} failed; please report this with the data"),
            Error::Cancelled => "cancelled before the first result".into(),
        }
    }

    /// The sentence, its remedy in the words of a front end.
    #[must_use]
    pub fn worded(&self, how: &dyn Wording) -> String {
        match self.remedy() {
            Some(remedy) => format!("{}; {}", self.complaint(), remedy.worded(how)),
            None => self.complaint(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.complaint())?;
        self.remedy().map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// An error inside the error of another crate: what it says, and nothing behind it.
macro_rules! inner_error {
    ($name:ty, $self:ident => $($said:tt)+) => {
        impl std::fmt::Display for $name {
            fn fmt(&$self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, $($said)+)
            }
        }
        impl std::error::Error for $name {}
    };
}
pub(crate) use inner_error;

/// `1.5 GiB`, for people.
#[must_use]
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// The first few groups by their first few labels: enough to find the trouble, short enough to read.
pub(crate) fn show_components(components: &[Vec<String>]) -> String {
    let mut parts: Vec<String> = components
        .iter()
        .take(3)
        .map(|c| {
            let names = c.iter().take(3).map(|l| format!("`{l}`")).collect::<Vec<_>>().join(", ");
            if c.len() > 3 { format!("{names} and {} more", c.len() - 3) } else { names }
        })
        .collect();
    if components.len() > 3 {
        parts.push(format!("{} more groups", components.len() - 3));
    }
    parts.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_error_reads_as_one_sentence() {
        let e = Error::Value {
            at: At::file("d.csv").line(3).column(4),
            what: "`abc` is not a number".into(),
            remedy: "write a number, or leave the cell empty for a missing distance".into(),
        };
        assert_eq!(
            e.to_string(),
            "d.csv, line 3, column 4: `abc` is not a number; write a number, or leave the cell empty for a missing distance"
        );
    }

    #[test]
    fn bytes_are_readable() {
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536 * 1024 * 1024), "1.5 GiB");
    }
}
