//! How files and tables are read, and what is said about it.

use nearer::evidence::{Measure, Similarity};
use nearer::io::{FileKind, Format, ReadOptions, Roles};
use nearer::study::Note;
use nearer::{Error, Objects};
use pyo3::prelude::*;

/// A note of the library in Python's words.
pub(crate) fn note(note: &Note) -> String {
    match note {
        Note::Chosen { .. } => format!("{note} (method= chooses another)"),
        Note::Kernel { .. } => {
            format!("{note} (kernels= chooses another; standardise=yes where columns have different units)")
        }
        Note::OnlyFeatures { .. } => format!("{note}; fit.place() puts them on the map"),
        _ => note.to_string(),
    }
}

/// How a file or a table is to be read, as Python says it.
#[derive(Debug, Default, FromPyObject)]
pub(crate) struct Reading {
    kind: Option<String>,
    format: Option<String>,
    similarity: Option<String>,
    nan_missing: bool,
    columns: Vec<(String, String)>,
    objects: Option<Vec<String>>,
    directed: bool,
    classes: Option<String>,
    measure: Option<String>,
}

impl Reading {
    pub(crate) fn options(&self) -> Result<ReadOptions, Error> {
        let mut columns = Roles::default();
        for (role, column) in &self.columns {
            columns = columns.and(role.parse()?, column)?;
        }
        Ok(ReadOptions {
            kind: self.kind.as_deref().map(str::parse::<FileKind>).transpose()?,
            format: self.format.as_deref().map(str::parse::<Format>).transpose()?,
            similarity: self.similarity.as_deref().map(str::parse::<Similarity>).transpose()?,
            nan_missing: self.nan_missing,
            columns,
            objects: self.objects.clone().map(Objects::new).transpose()?,
            directed: self.directed,
            classes: self.classes.clone(),
            measure: self.measure.as_deref().map(str::parse::<Measure>).transpose()?.map(Into::into),
            ..ReadOptions::default()
        })
    }
    /// The same in the flags of the command, which repeats fits; nothing where objects are listed, for these are in no file.
    pub(crate) fn recorded(&self) -> Option<Vec<String>> {
        let word =
            |name: &str, value: &Option<String>| value.iter().map(|v| format!("--{name}={v}")).collect::<Vec<_>>();
        let yes = |name: &str, said: bool| said.then(|| format!("--{name}")).into_iter().collect();
        let columns = self.columns.iter().map(|(role, column)| format!("--columns={role}={column}")).collect();
        let all = [
            word("kind", &self.kind),
            word("format", &self.format),
            word("similarity", &self.similarity),
            yes("nan-missing", self.nan_missing),
            columns,
            yes("directed", self.directed),
            word("classes", &self.classes),
            word("measure", &self.measure),
        ];
        self.objects.is_none().then(|| all.concat())
    }
}
