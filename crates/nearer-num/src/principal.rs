//! Principal axes of rows of numbers: the leading right singular vectors of a centred table.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::dense::{DidNotConverge, eigh};
use crate::lanczos;

/// Up to so many rows or columns, whichever are fewer, their inner products are taken apart whole.
const WHOLE: usize = 1500;
/// Residuals of the partial decomposition, relative to the largest eigenvalue.
const TOLERANCE: f64 = 1e-11;

/// The leading axes of a table, and what varies along them.
#[derive(Debug, Clone)]
pub struct Principal {
    /// The mean of the rows.
    pub mean: Array1<f64>,
    /// Sums of squares along the axes, largest first: all that are not zero by their number, or the leading ones.
    pub squares: Vec<f64>,
    /// Whether all of them are there.
    pub complete: bool,
    /// The sum of all of them.
    pub total: f64,
    /// The leading axes in the columns, each of length 1; fewer than asked for where no more has a variance.
    pub axes: Array2<f64>,
}

/// An axis with less than this share of the largest sum of squares is rounding.
const NOTHING: f64 = 1e-14;

/// The `k` leading principal axes of the rows of `x`. `go_on` is asked once a pass where the table is too large to be taken
/// apart whole, and ends it with the best so far.
pub fn principal(x: ArrayView2<'_, f64>, k: usize, go_on: impl FnMut() -> bool) -> Result<Principal, DidNotConverge> {
    let (n, width) = x.dim();
    let mean = x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(width));
    let centred = &x - &mean;
    let total = centred.iter().map(|v| v * v).sum();
    let (squares, vectors, complete) = if width.min(n) <= WHOLE {
        // The smaller of the two products has the same eigenvalues above zero.
        let wide = width > n;
        let gram = if wide { centred.dot(&centred.t()) } else { centred.t().dot(&centred) };
        let (values, vectors) = eigh(gram.view())?;
        let vectors = vectors.slice(s![.., ..k.min(values.len())]).to_owned();
        (values, if wide { centred.t().dot(&vectors) } else { vectors }, true)
    } else {
        let lead = lanczos::largest_while(width, k, TOLERANCE, |v| centred.t().dot(&centred.dot(v)), go_on)?;
        (lead.values, lead.vectors, false)
    };
    let floor = NOTHING * squares.first().copied().unwrap_or(0.0).max(0.0);
    let there = squares.iter().take(k).filter(|v| **v > floor).count().min(vectors.ncols());
    let mut axes = vectors.slice(s![.., ..there]).to_owned();
    for mut axis in axes.columns_mut() {
        let length = axis.dot(&axis).sqrt();
        axis.mapv_inplace(|v| v / length);
    }
    let squares = squares.iter().map(|v| v.max(0.0)).take(if complete { n.min(width) } else { k }).collect();
    Ok(Principal { mean, squares, complete, total, axes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::svd;
    use crate::rng::Rng;

    #[test]
    fn tall_wide_and_large_tables_agree_with_singular_values() {
        for (n, width) in [(40, 5), (7, 30), (1600, 1510)] {
            let mut rng = Rng::task(3, n as u64);
            // Three directions carry nearly everything, so that the large case converges at once.
            let scores = Array2::from_shape_fn((n, 3), |(_, k)| 10.0 / (k + 1) as f64 * rng.normal());
            let loads = Array2::from_shape_fn((3, width), |_| rng.normal());
            let x = scores.dot(&loads) + 1.0;
            let found = principal(x.view(), 3, || true).unwrap();
            assert_eq!((found.complete, found.axes.dim()), (n < 1000, (width, 3)));
            let centred = &x - &found.mean;
            let along = centred.dot(&found.axes);
            for k in 0..3 {
                let square = along.column(k).dot(&along.column(k));
                assert!((square - found.squares[k]).abs() < 1e-9 * found.total, "{n} {k}");
            }
            assert!((along.iter().map(|v| v * v).sum::<f64>() - found.total).abs() < 1e-9 * found.total);
            if n < 1000 {
                let s = svd(centred.view()).unwrap().s;
                assert!((0..3).all(|k| (s[k].powi(2) - found.squares[k]).abs() < 1e-9 * found.total));
            }
        }
    }

    #[test]
    fn what_does_not_vary_has_no_axis() {
        let x = Array2::from_shape_fn((5, 3), |(i, j)| if j == 1 { i as f64 } else { 7.0 });
        let found = principal(x.view(), 3, || true).unwrap();
        assert_eq!(found.axes.ncols(), 1);
        assert!((found.squares[0] - 10.0).abs() < 1e-12 && found.squares[1].abs() < 1e-12);
    }
}
