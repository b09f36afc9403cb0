//! The likelihood of a batch of answers and its gradient: what a cluster sums.

use nearer::method::ChoiceLink;
use nearer_num::choices::{self, Lapse};
use nearer_num::pairs::Rows;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, ToPyArray as _};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Answers by the numbers of their objects: triplets (head, near, far) or quadruplets (a, b, c, d).
#[pyclass(module = "nearer._core", frozen)]
#[derive(Debug)]
pub(crate) struct Choices {
    inner: choices::Choices,
    largest: u32,
}

#[pymethods]
impl Choices {
    #[new]
    #[pyo3(signature = (rows, weights=None))]
    fn new(rows: PyReadonlyArray2<'_, i64>, weights: Option<PyReadonlyArray1<'_, f64>>) -> PyResult<Self> {
        let weights = weights.as_ref().map(PyReadonlyArray1::as_array);
        let mut inner = choices::Choices::default();
        let mut largest = 0;
        for (k, row) in rows.as_array().rows().into_iter().enumerate() {
            let mut items = [0; 4];
            for (slot, &i) in items.iter_mut().zip(row) {
                *slot = u32::try_from(i).map_err(|_| PyValueError::new_err(format!("row {k} names the object {i}")))?;
                largest = largest.max(*slot);
            }
            let (near, far) = match row.len() {
                3 => ([items[0], items[1]], [items[0], items[2]]),
                4 => ([items[0], items[1]], [items[2], items[3]]),
                n => return Err(PyValueError::new_err(format!("rows of {n}; triplets have 3 columns, quadruplets 4"))),
            };
            inner.push_pair(weights.map_or(1.0, |w| w[k]), near, far);
        }
        Ok(Choices { inner, largest })
    }

    /// How many.
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// `-Σ w ln (lapse/2 + (1 - lapse) P)` at a map, and its gradient, both without the prior.
    fn loss<'py>(
        &self,
        py: Python<'py>,
        points: PyReadonlyArray2<'py, f64>,
        link: &str,
        lapse: f64,
    ) -> PyResult<(f64, Bound<'py, PyArray1<f64>>)> {
        let points = points.as_array();
        let (n, dim) = points.dim();
        if self.largest as usize >= n && !self.inner.is_empty() {
            return Err(PyValueError::new_err(format!("object {} of a map of {n}", self.largest)));
        }
        let Some(counted) = ChoiceLink::named(link, dim) else {
            return Err(PyValueError::new_err(format!("link={link}: expected distance, squared or student")));
        };
        let flat: Vec<f64> = points.iter().copied().collect();
        let lapse = if lapse > 0.0 { Lapse::One(lapse) } else { Lapse::None };
        let (value, gradient) = py.detach(|| {
            let mut gradient = vec![0.0; flat.len()];
            let value = self.inner.loss(Rows { values: &flat, dim }, counted.into(), lapse, &mut gradient);
            (value, gradient)
        });
        Ok((value, gradient.to_pyarray(py)))
    }
}
