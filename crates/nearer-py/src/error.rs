//! One total match from the library's error to a Python exception, its remedy in Python's terms.

use nearer::Error;
use nearer::error::Wording;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How Python says what a remedy names.
pub(crate) struct Keywords;

impl Wording for Keywords {
    fn setting(&self, name: &str, value: Option<&str>) -> String {
        let name = name.replace('-', "_");
        match value {
            // Of several, as they are given.
            None if name == "kernel" => "kernels=".into(),
            None if matches!(name.as_str(), "nan_missing" | "directed") => format!("{name}=True"),
            None => format!("{name}="),
            Some("yes") => format!("{name}=True"),
            Some("no") => format!("{name}=False"),
            Some("none") => format!("{name}=None"),
            Some(v) if v.parse::<f64>().is_ok() => format!("{name}={v}"),
            Some(v) => format!("{name}=\"{v}\""),
        }
    }
    fn command(&self, name: &str) -> String {
        match name {
            "eval" => "fit.evaluate()".into(),
            "place" => "fit.place()".into(),
            "report" => "fit.page()".into(),
            "plot" => "fit.plot()".into(),
            // What only the command does.
            "clean" | "rerun" | "demo" => format!("the command `nearer {name}`"),
            other => format!("nearer.{other}()"),
        }
    }
}

/// The class of `nearer.errors` for an error.
fn class(error: &Error) -> &'static str {
    match error {
        Error::Value { .. } => "InputError",
        Error::Format { .. } => "FormatError",
        Error::File { .. } => "FileError",
        Error::Parameter { .. } => "ParameterError",
        Error::Evidence { .. } | Error::TooFew { .. } => "EvidenceError",
        Error::UnknownLabel { .. } => "UnknownLabelError",
        Error::Disconnected { .. } => "DisconnectedError",
        Error::Memory { .. } => "MemoryLimitError",
        Error::Numerical { .. } => "NumericalError",
        Error::Cancelled => "Cancelled",
        _ => "NearerError",
    }
}

/// The sentence, parameters by the names that Python has for them.
fn sentence(error: &Error) -> String {
    match error {
        Error::Parameter { name, value, expected } => {
            let more = if name == "method" { "; nearer.methods() lists all" } else { "" };
            format!("{}={value}: expected {expected}{more}", name.replace('-', "_"))
        }
        // What does not come out of a file has no place to name.
        Error::Value { at, what, remedy } | Error::Format { at, what, remedy } if at.file.is_none() => {
            format!("{what}; {}", remedy.worded(&Keywords))
        }
        other => other.worded(&Keywords),
    }
}

/// An error of the library as the exception it is in Python.
pub(crate) fn raise(error: &Error) -> PyErr {
    Python::attach(|py| made(py, error).unwrap_or_else(|_| PyRuntimeError::new_err(sentence(error))))
}

fn made(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let value = py.import("nearer.errors")?.getattr(class(error))?.call1((sentence(error),))?;
    value.setattr("kind", error.kind())?;
    value.setattr("remedy", error.remedy().map(|r| r.worded(&Keywords)))?;
    if let Some(at) = error.at() {
        value.setattr("file", at.file.as_ref().map(|f| f.display().to_string()))?;
        value.setattr("line", at.line)?;
        value.setattr("column", at.column)?;
    }
    Ok(PyErr::from_value(value))
}

/// `?` for results of the library.
pub(crate) trait Raised<T> {
    fn raised(self) -> PyResult<T>;
}

impl<T> Raised<T> for Result<T, Error> {
    fn raised(self) -> PyResult<T> {
        self.map_err(|e| raise(&e))
    }
}

/// What serde could not write, which no report is.
pub(crate) fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyRuntimeError::new_err(format!("a report could not be written: {e}")))
}
