//! Eigenvalues of symmetric matrices: made tridiagonal, then divided and conquered, or by the QL iteration where they are
//! small or no vectors are wanted. About `14/3 n³` operations with vectors and `4/3 n³` without.

mod divide;
mod ql;
mod tridiagonal;

use ndarray::{Array2, ArrayView2};

use super::householder::Reflections;
use super::kernels::reflect;
use super::storage::{Reading, array, to_columns};
use divide::{LEAF, tridiagonal_eigen};
use tridiagonal::tridiagonalise;

/// Eigenvalues of the symmetric matrix whose lower triangle `a` holds, least first, and its eigenvectors in the columns;
/// nothing if an entry is not finite. What is above the diagonal is not read.
pub(crate) fn self_adjoint(a: ArrayView2<'_, f64>) -> Option<(Vec<f64>, Array2<f64>)> {
    let n = a.nrows();
    let (mut data, back) = to_columns(a, Reading::Lower)?;
    let mut reduced = tridiagonalise(&mut data, n);
    let (d, e) = (&mut reduced.diagonal, &mut reduced.beside);
    let vectors = if n <= LEAF {
        accumulate(&mut data, n, &reduced.factors);
        ql::with_vectors(d, e, &mut data, n, 0..n).then_some(data)?
    } else {
        let mut q = vec![0.0; n * n];
        if !tridiagonal_eigen(d, e, &mut q) {
            return None;
        }
        Reflections { v: &data, ld: n, below: 1, factors: &reduced.factors }.apply(&mut q, n);
        q
    };
    d.iter_mut().for_each(|d| *d *= back);
    Some((reduced.diagonal, array(vectors, n, n)))
}

/// The eigenvalues alone, least first.
pub(crate) fn self_adjoint_values(a: ArrayView2<'_, f64>) -> Option<Vec<f64>> {
    let (mut data, back) = to_columns(a, Reading::Lower)?;
    let mut reduced = tridiagonalise(&mut data, a.nrows());
    let done = ql::values_alone(&mut reduced.diagonal, &mut reduced.beside);
    reduced.diagonal.iter_mut().for_each(|d| *d *= back);
    done.then_some(reduced.diagonal)
}

/// Makes the vectors of reflections, as they are left by the reduction, the product of the reflections.
fn accumulate(data: &mut [f64], n: usize, factors: &[f64]) {
    for k in factors.len()..n {
        data[k * n..(k + 1) * n].fill(0.0);
        data[k * n + k] = 1.0;
    }
    // From the last to the first: reflection k changes only what is right of and below column k, which holds its vector.
    let mut v = vec![0.0; n];
    for k in (0..factors.len()).rev() {
        v.copy_from_slice(&data[k * n..(k + 1) * n]);
        data[k * n..(k + 1) * n].fill(0.0);
        data[k * n + k] = 1.0;
        reflect(&v[k + 1..], factors[k], &mut data[(k + 1) * n + k + 1..], n, n - k - 1);
    }
}
