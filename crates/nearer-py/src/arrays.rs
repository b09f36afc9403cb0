//! From NumPy's arrays to the library's, and labels to objects.

use ndarray::Array2;
use nearer::{Error, Objects};
use numpy::{PyArray2, PyReadonlyArray2, ToPyArray as _};
use pyo3::prelude::*;

use crate::error::Raised as _;

/// Objects by their labels, or numbered where there are none.
pub(crate) fn objects(labels: Option<Vec<String>>, count: usize) -> PyResult<Objects> {
    match labels {
        None => Ok(Objects::numbered(count)),
        Some(labels) if labels.len() == count => Objects::new(labels).raised(),
        Some(labels) => Err(Error::Evidence {
            what: format!("{} labels for {count} rows", labels.len()),
            remedy: "give one label for each object".into(),
        })
        .raised(),
    }
}

/// A copy of an array in the order of rows.
pub(crate) fn owned(array: &PyReadonlyArray2<'_, f64>) -> Array2<f64> {
    array.as_array().as_standard_layout().into_owned()
}

/// Points for Python.
pub(crate) fn points<'py>(py: Python<'py>, points: &Array2<f64>) -> Bound<'py, PyArray2<f64>> {
    points.to_pyarray(py)
}
