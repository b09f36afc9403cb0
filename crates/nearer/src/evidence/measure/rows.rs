//! What becomes of the rows of a table before they are measured: logarithms, coordinates of a covariance, ranks.

use ndarray::{Array2, Axis, s};
use nearer_num::order;

use super::Measure;
use crate::error::{Error, Remedy};

/// Logarithms less the mean of their row.
pub(super) fn logarithms(
    measure: Measure,
    values: &mut Array2<f64>,
    label: &dyn Fn(usize) -> String,
) -> Result<(), Error> {
    let add = if let Measure::Aitchison(add) = measure { add } else { 0.0 };
    let robust = measure == Measure::RobustAitchison;
    for (i, mut row) in values.rows_mut().into_iter().enumerate() {
        row += add;
        if !robust && row.iter().any(|v| *v <= 0.0) {
            return Err(Error::Evidence {
                what: format!("the row of `{}` has a 0, which has no logarithm", label(i)),
                remedy: Remedy::from("add a number to each with ")
                    .setting("measure", "aitchison:0.5")
                    .and(", or choose ")
                    .setting("measure", "robust-aitchison"),
            });
        }
        let (count, sum) = row.iter().filter(|v| **v > 0.0).fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v.ln()));
        row.mapv_inplace(|v| if v > 0.0 { v.ln() - sum / count } else { 0.0 });
    }
    Ok(())
}

/// Rows in coordinates in which the covariance of the first `frame` is the identity: `L z = x` for `S = L Lᵗ`.
pub(super) fn whiten(values: &mut Array2<f64>, frame: usize) -> Result<(), Error> {
    let m = values.ncols();
    let old = values.slice(s![..frame, ..]);
    let mean = old.mean_axis(Axis(0)).unwrap_or_else(|| ndarray::Array1::zeros(m));
    let centred = &old - &mean;
    let cov = centred.t().dot(&centred) / (frame as f64 - 1.0);
    // Columns to variance 1 first, so that what is singular is told from what is only small.
    let scale: Vec<f64> = (0..m).map(|j| cov[(j, j)].sqrt()).collect();
    let mut l = Array2::<f64>::zeros((m, m));
    for j in 0..m {
        for i in j..m {
            let sum: f64 = (0..j).map(|k| l[(i, k)] * l[(j, k)]).sum();
            let entry = cov[(i, j)] / (scale[i] * scale[j]) - sum;
            if i > j {
                l[(i, j)] = entry / l[(j, j)];
            } else if entry > 1e-12 * m as f64 {
                l[(j, j)] = entry.sqrt();
            } else {
                return Err(Error::Evidence {
                    what: format!(
                        "the covariance of the {m} columns in {frame} rows cannot be inverted: column {} follows from those before it",
                        j + 1
                    ),
                    remedy: Remedy::from("take fewer columns, more rows, or ")
                        .setting("measure", "standardised-euclidean"),
                });
            }
        }
    }
    for mut row in values.rows_mut() {
        for j in 0..m {
            let sum: f64 = (0..j).map(|k| l[(j, k)] * row[k]).sum();
            row[j] = ((row[j] - mean[j]) / scale[j] - sum) / l[(j, j)];
        }
    }
    Ok(())
}

/// Ranks from 1, the mean rank where numbers are equal.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order::by(&mut order, &|a, b| values[*a].total_cmp(&values[*b]));
    let mut out = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let end = (start..order.len()).find(|k| values[order[*k]] != values[order[start]]).unwrap_or(order.len());
        order[start..end].iter().for_each(|k| out[*k] = (start + end + 1) as f64 / 2.0);
        start = end;
    }
    out
}
