//! The compiled half of the Python package `nearer`: arrays in, a study, a fit, arrays and JSON out.
//!
//! A leaf: nothing depends on it, and it decides nothing. What methods there are, what they take and what their parameters
//! mean comes from [`METHODS`](nearer::method::table::METHODS); what a frame or a graph is, is known on the Python side.

mod arrays;
mod choices;
mod error;
mod fit;
mod parts;
mod place;
mod reading;
mod run;
mod study;
mod table;

use pyo3::prelude::*;

/// The compiled half of `nearer`; use `import nearer`.
#[pymodule(gil_used = false)]
mod _core {
    #[allow(unused_imports)]
    use super::*;
    #[pymodule_export]
    use crate::choices::Choices;
    #[pymodule_export]
    use crate::fit::{Fit, fit, load, load_bytes, verify};
    #[pymodule_export]
    use crate::study::{Study, check};
    #[pymodule_export]
    use crate::table::{find, is_known_header, kinds, methods, suggest, version};
}
