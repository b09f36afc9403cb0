//! The words for files: what kind of data they hold, in which format, how to read them, and what came out.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::error::Error;
use crate::evidence::{Evidence, Measure, Measurements, Proximity, Similarity, Standardise, Task};
use crate::io::judged::Roles;
use crate::object::Objects;

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
    /// Which column of a table of judgements plays which part; what is not said is recognised from the header.
    pub columns: Roles,
    /// The objects. A label that is not among them is refused, and those that are never named exist all the same.
    pub objects: Option<Objects>,
    /// Pairs keep their direction: `to` is like `from`, and nothing is said the other way round.
    pub directed: bool,
    /// A column of a table of features that holds the class of each object, and no feature.
    pub classes: Option<String>,
    /// A table of coordinates holds features: nothing else is wanted.
    pub coordinates_are_features: bool,
    /// The file is a table, and its rows are to be measured against each other.
    pub measure: Option<Measuring>,
    /// What is to be made of a square whose sides differ, or of counts of confusions.
    pub proximity: Proximity,
}

/// How the rows of a table become distances.
#[derive(Debug, Clone, PartialEq)]
pub struct Measuring {
    /// The measure.
    pub measure: Measure,
    /// What is done to the numbers before, in this order.
    pub standardise: Vec<Standardise>,
    /// Only these columns; none is all.
    pub take: Vec<String>,
    /// Not these columns.
    pub leave: Vec<String>,
}

impl From<Measure> for Measuring {
    fn from(measure: Measure) -> Self {
        Measuring { measure, standardise: Vec::new(), take: Vec::new(), leave: Vec::new() }
    }
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
    /// One answer a row: the head is nearer to one object than to another.
    Triplets,
    /// One answer a row: one pair is nearer than another.
    Quadruplets,
    /// One answer a row: which of the objects shown does not belong.
    OddOneOut,
    /// One answer a row: which of the objects shown lies between the others.
    MostCentral,
    /// One answer a row: the k of n objects that are nearest to the head.
    Choices,
    /// One answer a row: objects in the order of their nearness to the head.
    Ranks,
    /// A click log: one shown result a row, with its list and whether it was opened.
    Clicks,
    /// One pair a row, alike or not.
    Pairs,
    /// One object a row, with its class.
    Classes,
    /// Free sorts: objects down, assessors across, and in the cells the group; or `object,group,participant`, a row a person and object.
    Sorts,
    /// A tree, one `parent child` edge a row.
    Taxonomy,
    /// A tree, one path from the root (`animal/mammal/dog`) a row.
    Paths,
    /// A tree in Newick: `((dog,cat)mammal,trout)animal;`.
    Newick,
    /// A tree in brackets with branch lengths, as the distances between its leaves along them.
    Patristic,
    /// A row of numbers for each object, a column for each feature.
    Features,
}

impl FileKind {
    /// What was asked in each row, if each row is a trial.
    #[must_use]
    pub fn task(self) -> Option<Task> {
        Some(match self {
            FileKind::Triplets => Task::Triplets,
            FileKind::Quadruplets => Task::Quadruplets,
            FileKind::OddOneOut => Task::OddOneOut,
            FileKind::MostCentral => Task::MostCentral,
            FileKind::Choices => Task::Choices,
            FileKind::Ranks => Task::Ranks,
            _ => return None,
        })
    }
    /// All of them.
    pub fn all() -> impl Iterator<Item = FileKind> {
        KINDS.into_iter().map(|(kind, _)| kind)
    }
    /// Whether it is made of judgements, classes or a tree, and not of numbers.
    pub(crate) fn is_judged(self) -> bool {
        use FileKind::{Classes, Clicks, Newick, Pairs, Paths, Sorts, Taxonomy};
        self.task().is_some() || matches!(self, Clicks | Pairs | Classes | Sorts | Taxonomy | Paths | Newick)
    }
}

const KINDS: [(FileKind, &str); 23] = [
    (FileKind::Matrix, "matrix"),
    (FileKind::Lower, "lower"),
    (FileKind::Upper, "upper"),
    (FileKind::Condensed, "condensed"),
    (FileKind::Long, "long"),
    (FileKind::Phylip, "phylip"),
    (FileKind::Rows, "rows"),
    (FileKind::Map, "map"),
    (FileKind::Triplets, "triplets"),
    (FileKind::Quadruplets, "quadruplets"),
    (FileKind::OddOneOut, "odd-one-out"),
    (FileKind::MostCentral, "most-central"),
    (FileKind::Choices, "choices"),
    (FileKind::Ranks, "ranks"),
    (FileKind::Clicks, "clicks"),
    (FileKind::Pairs, "pairs"),
    (FileKind::Classes, "classes"),
    (FileKind::Sorts, "sorts"),
    (FileKind::Taxonomy, "taxonomy"),
    (FileKind::Paths, "paths"),
    (FileKind::Newick, "newick"),
    (FileKind::Patristic, "patristic"),
    (FileKind::Features, "features"),
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
    /// A tree in brackets.
    Newick,
    /// Text with fields between blanks, or between whatever its lines show.
    Text,
}

const FORMATS: [(Format, &str, &[&str]); 6] = [
    (Format::Csv, "csv", &["csv"]),
    (Format::Tsv, "tsv", &["tsv", "tab", "lsmat"]),
    (Format::Npy, "npy", &["npy"]),
    (Format::Phylip, "phylip", &["phy", "phylip"]),
    (Format::Newick, "newick", &["nwk", "newick", "tree", "tre"]),
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
