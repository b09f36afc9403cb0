//! The table of methods, as JSON; Python makes its signatures, docstrings and estimators of it.

use nearer::check::suggest as suggested;
use nearer::io::FileKind;
use nearer::method::table::{self, METHODS};
use pyo3::prelude::*;

use crate::error::{Raised as _, json};
use crate::study::Study;

/// The table of methods as JSON.
#[pyfunction]
pub(crate) fn methods() -> PyResult<String> {
    json(&METHODS)
}

/// The name of a method, from any of its names.
#[pyfunction]
pub(crate) fn find(name: &str) -> PyResult<&'static str> {
    Ok(table::find(name).raised()?.name)
}

/// The method to begin with, and why.
#[pyfunction]
pub(crate) fn suggest(study: &Study) -> (String, String) {
    let s = suggested(&study.inner.parts(), study.inner.objects().len(), nearer::io::available_memory());
    (s.method, s.why)
}

/// The kinds of files, and of each whether it holds trials of a task.
#[pyfunction]
pub(crate) fn kinds() -> Vec<(String, bool)> {
    FileKind::all().map(|kind| (kind.to_string(), kind.task().is_some())).collect()
}

/// The version of the library.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Whether the names of columns say by themselves what a table holds, as a file with this header would be taken.
#[pyfunction]
pub(crate) fn is_known_header(columns: Vec<String>) -> bool {
    nearer::io::is_known_header(&columns)
}
