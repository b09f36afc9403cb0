//! Small and middling dense matrices: symmetric eigenvalues, singular values. Calls faer.

use faer::Mat;
use ndarray::{Array1, Array2, ArrayView2};

use crate::factor;

/// A factorisation that did not come to an end on finite input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DidNotConverge;

/// Eigenvalues (largest first) and the eigenvectors in the columns, of the symmetric matrix whose lower triangle `a` holds.
pub fn eigh(a: ArrayView2<'_, f64>) -> Result<(Array1<f64>, Array2<f64>), DidNotConverge> {
    let n = a.nrows();
    let (mut values, vectors) = factor::self_adjoint(to_faer(a).as_ref()).ok_or(DidNotConverge)?;
    values.reverse();
    Ok((Array1::from(values), Array2::from_shape_fn((n, n), |(i, k)| vectors[(i, n - 1 - k)])))
}

/// Eigenvalues alone, largest first.
pub fn eigvalsh(a: ArrayView2<'_, f64>) -> Result<Array1<f64>, DidNotConverge> {
    let mut values = factor::self_adjoint_values(to_faer(a).as_ref()).ok_or(DidNotConverge)?;
    values.reverse();
    Ok(Array1::from(values))
}

/// In how many directions points lie, one in each row: those that carry more than `share` of the widest one's variance.
pub fn rank(points: &Array2<f64>, share: f64) -> Result<usize, DidNotConverge> {
    let Some(mean) = points.mean_axis(ndarray::Axis(0)) else { return Ok(0) };
    let centred = points - &mean;
    // The smaller of the two products has the same eigenvalues above zero.
    let wide = centred.ncols() > centred.nrows();
    let scatter = if wide { centred.dot(&centred.t()) } else { centred.t().dot(&centred) };
    let values = eigvalsh(scatter.view())?;
    Ok(values.iter().filter(|v| **v > share * values[0] && **v > 0.0).count())
}

/// The inverse of the symmetric positive definite matrix whose lower triangle `a` holds; nothing where it is not.
#[must_use]
pub fn inverse(a: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    inverse_and_log_det(a).map(|found| found.0)
}

/// The same with the logarithm of the determinant.
#[must_use]
pub fn inverse_and_log_det(a: ArrayView2<'_, f64>) -> Option<(Array2<f64>, f64)> {
    let (n, mut factor) = (a.nrows(), to_faer(a));
    if !factor::cholesky_of(factor.as_mut()) {
        return None;
    }
    let inverse = factor::inverse(factor.as_ref());
    let inverse = Array2::from_shape_fn((n, n), |(i, j)| inverse[(i, j)]);
    let log_det = 2.0 * (0..n).map(|k| factor[(k, k)].ln()).sum::<f64>();
    inverse.iter().all(|v| v.is_finite()).then_some((inverse, log_det))
}

/// The singular value decomposition `a = u s vᵗ`, largest values first.
#[derive(Debug, Clone)]
pub struct Svd {
    /// Left singular vectors in the columns.
    pub u: Array2<f64>,
    /// Singular values.
    pub s: Array1<f64>,
    /// Right singular vectors in the columns.
    pub v: Array2<f64>,
}

/// The thin singular value decomposition.
pub fn svd(a: ArrayView2<'_, f64>) -> Result<Svd, DidNotConverge> {
    let (u, s, v) = factor::thin_svd(to_faer(a).as_ref()).ok_or(DidNotConverge)?;
    let from_faer = |m: &Mat<f64>| Array2::from_shape_fn(m.shape(), |at| m[at]);
    Ok(Svd { u: from_faer(&u), s: Array1::from(s), v: from_faer(&v) })
}

fn to_faer(a: ArrayView2<'_, f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn eigh_takes_a_matrix_apart() {
        let a = array![[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]];
        let (values, vectors) = eigh(a.view()).unwrap();
        let back = vectors.dot(&Array2::from_diag(&values)).dot(&vectors.t());
        assert!((&back - &a).iter().all(|e| e.abs() < 1e-14));
        assert!(values[0] > values[1] && values[1] > values[2]);
        assert!((&eigvalsh(a.view()).unwrap() - &values).iter().all(|e| e.abs() < 1e-14));
    }

    #[test]
    fn an_inverse_is_one_and_what_is_not_definite_has_none() {
        let a = array![[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]];
        let one = inverse(a.view()).unwrap().dot(&a);
        assert!((&one - &Array2::<f64>::eye(3)).iter().all(|e| e.abs() < 1e-14));
        assert!(inverse(array![[1.0, 2.0], [2.0, 1.0]].view()).is_none());
    }

    #[test]
    fn svd_takes_a_matrix_apart() {
        let a = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let Svd { u, s, v } = svd(a.view()).unwrap();
        let back = u.dot(&Array2::from_diag(&s)).dot(&v.t());
        assert!((&back - &a).iter().all(|e| e.abs() < 1e-13));
    }
}
