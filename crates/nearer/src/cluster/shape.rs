//! A metric of a group: its matrix, and what the costs of mpck-means ask of it.

use ndarray::{Array1, Array2};
use nearer_num::dense;

use crate::error::Error;

/// Sweeps from one farthest object to the next that make a diameter.
const SWEEPS: usize = 4;

/// A metric: the matrix, the logarithm of its determinant, and the farthest pair of all objects under it.
#[derive(Clone)]
pub(super) struct Metric {
    pub(super) matrix: Array2<f64>,
    /// The weights of the features, where it is nothing else.
    pub(super) diagonal: Option<Array1<f64>>,
    pub(super) log_det: f64,
    pub(super) far: (usize, usize),
    pub(super) diameter: f64,
}

pub(super) fn outer(sum: &mut Array2<f64>, z: &Array1<f64>, w: f64) {
    for (mut row, a) in sum.rows_mut().into_iter().zip(z) {
        row.scaled_add(w * a, z);
    }
}

pub(super) fn square(m: &Metric, z: &Array1<f64>) -> f64 {
    match &m.diagonal {
        Some(weights) => weights.iter().zip(z).map(|(w, v)| w * v * v).sum(),
        None => z.dot(&m.matrix.dot(z)),
    }
}

/// A matrix with its determinant and the farthest pair under it, found by sweeps from one farthest object to the next.
pub(super) fn metric(matrix: Array2<f64>, x: &Array2<f64>) -> Result<Metric, Error> {
    let diagonal = matrix.indexed_iter().all(|((a, b), v)| a == b || *v == 0.0).then(|| matrix.diag().to_owned());
    let values = match &diagonal {
        Some(weights) => weights.clone(),
        None => dense::eigvalsh(matrix.view()).map_err(|_| failed())?,
    };
    let log_det = values.iter().map(|v| v.max(f64::MIN_POSITIVE).ln()).sum();
    let image = x.dot(&matrix);
    let own: Vec<f64> = x.rows().into_iter().zip(image.rows()).map(|(a, b)| a.dot(&b)).collect();
    let to = |i: usize, j: usize| (own[i] + own[j] - 2.0 * x.row(i).dot(&image.row(j))).max(0.0);
    let mut far = (0, 0);
    let mut diameter = 0.0;
    let mut at = (0..x.nrows()).max_by(|a, b| own[*a].total_cmp(&own[*b])).unwrap_or(0);
    for _ in 0..SWEEPS {
        let next = (0..x.nrows()).max_by(|a, b| to(at, *a).total_cmp(&to(at, *b))).unwrap_or(at);
        if to(at, next) <= diameter {
            break;
        }
        (diameter, far) = (to(at, next), (at, next));
        at = next;
    }
    Ok(Metric { matrix, diagonal, log_det, far, diameter })
}

pub(super) fn failed() -> Error {
    Error::Numerical { what: "the eigen-decomposition of a metric of a group".into() }
}
