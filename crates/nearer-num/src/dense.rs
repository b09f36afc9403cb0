//! Small and middling dense matrices: symmetric eigenvalues, singular values.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::linear::{self, factor};

/// A factorisation that did not come to an end on finite input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DidNotConverge;

/// Eigenvalues (largest first) and the eigenvectors in the columns, of the symmetric matrix whose lower triangle `a` holds.
pub fn eigh(a: ArrayView2<'_, f64>) -> Result<(Array1<f64>, Array2<f64>), DidNotConverge> {
    let (mut values, mut vectors) = linear::self_adjoint(a).ok_or(DidNotConverge)?;
    values.reverse();
    vectors.invert_axis(Axis(1));
    Ok((Array1::from(values), in_rows(vectors.view())))
}

/// Eigenvalues alone, largest first.
pub fn eigvalsh(a: ArrayView2<'_, f64>) -> Result<Array1<f64>, DidNotConverge> {
    let mut values = linear::self_adjoint_values(a).ok_or(DidNotConverge)?;
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
    let scatter = match leading_columns(&scatter, 1e-6 * share) {
        Some(none) if none.is_empty() => return Ok(0),
        Some(few) => few.t().dot(&few),
        None => scatter,
    };
    let values = eigvalsh(scatter.view())?;
    Ok(values.iter().filter(|v| **v > share * values[0] && **v > 0.0).count())
}

/// A factor of few columns, `L Lᵗ` nearly the positive semidefinite `a`: what is left has a trace of at most `rest` of the largest
/// entry, and its eigenvalues are off by no more than that. Pivoted Cholesky, `O(m k²)`; none where more than an eighth of the columns
/// would be needed, for then eigenvalues of the whole are as quick.
fn leading_columns(a: &Array2<f64>, rest: f64) -> Option<Array2<f64>> {
    let m = a.nrows();
    let mut left = a.diag().to_owned();
    let enough = rest * left.iter().copied().fold(0.0, f64::max);
    let mut columns = Array2::zeros((m, m / 8));
    for k in 0..=columns.ncols() {
        if left.iter().sum::<f64>() <= enough {
            return Some(columns.slice(ndarray::s![.., ..k]).to_owned());
        }
        if k == columns.ncols() {
            break;
        }
        let pivot = (0..m).fold(0, |best, i| if left[i] > left[best] { i } else { best });
        let done = columns.slice(ndarray::s![.., ..k]);
        let column = (&a.column(pivot) - &done.dot(&done.row(pivot))) / left[pivot].sqrt();
        left.zip_mut_with(&column, |left, c| *left = (*left - c * c).max(0.0));
        left[pivot] = 0.0;
        columns.column_mut(k).assign(&column);
    }
    None
}

/// `x` with `a x = right` for a positive definite `a`; `None` where it is not one. `O(m³)`.
#[must_use]
pub fn solve_definite(a: Array2<f64>, right: &[f64]) -> Option<Vec<f64>> {
    let m = a.nrows();
    let mut factor: Vec<f64> = a.into_iter().collect();
    factor::cholesky(&mut factor, m).then(|| {
        let mut x = right.to_vec();
        factor::substitute_one(&factor, m, &mut x);
        x
    })
}

/// The inverse of the symmetric positive definite matrix whose lower triangle `a` holds; nothing where it is not.
#[must_use]
pub fn inverse(a: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    inverse_and_log_det(a).map(|found| found.0)
}

/// The same with the logarithm of the determinant.
#[must_use]
pub fn inverse_and_log_det(a: ArrayView2<'_, f64>) -> Option<(Array2<f64>, f64)> {
    let (n, mut factor) = (a.nrows(), a.t().as_standard_layout().into_owned().reversed_axes());
    if !factor::cholesky_of(factor.view_mut()) {
        return None;
    }
    // The same either way round, so its columns are its rows.
    let inverse = factor::inverse(factor.view()).reversed_axes();
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
    let (u, s, v) = linear::thin_svd(a).ok_or(DidNotConverge)?;
    Ok(Svd { u: in_rows(u.view()), s: Array1::from(s), v: in_rows(v.view()) })
}

fn in_rows(a: ArrayView2<'_, f64>) -> Array2<f64> {
    a.as_standard_layout().into_owned()
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
    fn directions_are_counted_by_their_variance_whether_they_are_few_or_many() {
        let mut rng = crate::rng::Rng::task(1, 0);
        let mut random = |n, m| Array2::from_shape_simple_fn((n, m), || rng.normal());
        for (n, m) in [(90, 64), (64, 90), (5, 3)] {
            // Two wide directions, one of a hundredth of their length, one of a millionth: its variance is below the share.
            let lengths = Array2::from_diag(&array![1.0, 0.8, 1e-2, 1e-6]);
            let thin = random(n, 4).dot(&lengths).dot(&random(4, m));
            assert_eq!(rank(&thin, 1e-5).unwrap(), 3, "{n} x {m}");
            let full = random(n, m);
            assert_eq!(rank(&full, 1e-9).unwrap(), m.min(n - 1), "{n} x {m}");
        }
        assert_eq!(rank(&Array2::zeros((20, 20)), 1e-5).unwrap(), 0);
    }

    #[test]
    fn svd_takes_a_matrix_apart() {
        let a = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
        let Svd { u, s, v } = svd(a.view()).unwrap();
        let back = u.dot(&Array2::from_diag(&s)).dot(&v.t());
        assert!((&back - &a).iter().all(|e| e.abs() < 1e-13));
    }
}
