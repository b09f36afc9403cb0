//! faer's dense factorisations and products, each told to work on the thread it is called from.
//!
//! faer's own short forms ask a setting of the whole process how many threads to use; that setting belongs to the program
//! that calls us, and more threads would let their number into the rounding. So this is the only way to them in this crate.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt;
use faer::linalg::matmul::matmul;
use faer::linalg::{evd, householder, qr::no_pivoting::factor as qr, svd};
use faer::{Accum, Conj, Mat, MatMut, MatRef, Par, Spec};

/// `a b`.
pub(crate) fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    out
}

/// Eigenvalues of the symmetric matrix whose lower triangle `a` holds, least first, and its eigenvectors in the columns.
pub(crate) fn self_adjoint(a: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let mut vectors = Mat::zeros(a.nrows(), a.nrows());
    let values = spectrum(a, Some(vectors.as_mut()))?;
    Some((values, vectors))
}

/// The eigenvalues alone, least first.
pub(crate) fn self_adjoint_values(a: MatRef<'_, f64>) -> Option<Vec<f64>> {
    spectrum(a, None)
}

fn spectrum(a: MatRef<'_, f64>, vectors: Option<MatMut<'_, f64>>) -> Option<Vec<f64>> {
    let n = a.nrows();
    let wanted = if vectors.is_some() { evd::ComputeEigenvectors::Yes } else { evd::ComputeEigenvectors::No };
    let need = evd::self_adjoint_evd_scratch::<f64>(n, wanted, Par::Seq, Spec::default());
    let mut values = Diag::zeros(n);
    let memory = &mut MemBuffer::new(need);
    evd::self_adjoint_evd(a, values.as_mut(), vectors, Par::Seq, MemStack::new(memory), Spec::default()).ok()?;
    Some(values.column_vector().iter().copied().collect())
}

/// The thin singular value decomposition `(u, s, v)`, largest values first.
pub(crate) fn thin_svd(a: MatRef<'_, f64>) -> Option<(Mat<f64>, Vec<f64>, Mat<f64>)> {
    let ((m, n), thin) = (a.shape(), svd::ComputeSvdVectors::Thin);
    let size = m.min(n);
    let (mut u, mut v, mut s) = (Mat::zeros(m, size), Mat::zeros(n, size), Diag::zeros(size));
    let need = svd::svd_scratch::<f64>(m, n, thin, thin, Par::Seq, Spec::default());
    let memory = &mut MemBuffer::new(need);
    let (left, right) = (Some(u.as_mut()), Some(v.as_mut()));
    svd::svd(a, s.as_mut(), left, right, Par::Seq, MemStack::new(memory), Spec::default()).ok()?;
    Some((u, s.column_vector().iter().copied().collect(), v))
}

/// Orthonormal columns that span those of `a`, where these are independent.
pub(crate) fn orthonormal(mut a: Mat<f64>) -> Mat<f64> {
    let (m, n) = a.shape();
    let (size, block) = (m.min(n), qr::recommended_block_size::<f64>(m, n));
    let mut coefficients = Mat::zeros(block, size);
    let need = qr::qr_in_place_scratch::<f64>(m, n, block, Par::Seq, Spec::default());
    let memory = &mut MemBuffer::new(need);
    qr::qr_in_place(a.as_mut(), coefficients.as_mut(), Par::Seq, MemStack::new(memory), Spec::default());
    let mut q = Mat::identity(m, size);
    let need = householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(m, block, size);
    householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
        a.as_ref().subcols(0, size),
        coefficients.as_ref(),
        Conj::No,
        q.as_mut(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(need)),
    );
    q
}

/// Puts the Cholesky factor of a symmetric matrix in place of its lower triangle, column by column; what is above is left as
/// it was. Whether every pivot is a positive number: only then did it go through.
pub(crate) fn cholesky(m: &mut [f64], size: usize) -> bool {
    cholesky_of(MatMut::from_column_major_slice_mut(m, size, size))
}

/// As [`cholesky`].
pub(crate) fn cholesky_of(mut a: MatMut<'_, f64>) -> bool {
    let n = a.nrows();
    let need = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Spec::default());
    let memory = &mut MemBuffer::new(need);
    let regularization = llt::factor::LltRegularization::default();
    let done =
        llt::factor::cholesky_in_place(a.as_mut(), regularization, Par::Seq, MemStack::new(memory), Spec::default());
    done.is_ok() && (0..n).all(|k| a[(k, k)] > 0.0 && a[(k, k)].is_finite())
}

/// Replaces the columns of `x` by the solutions of `l lᵗ y = x`.
pub(crate) fn substitute(l: MatRef<'_, f64>, x: MatMut<'_, f64>) {
    llt::solve::solve_in_place(l, x, Par::Seq, MemStack::new(&mut MemBuffer::new(StackReq::EMPTY)));
}

/// As [`substitute`], for one right-hand side and a factor as [`cholesky`] leaves it.
pub(crate) fn substitute_one(l: &[f64], size: usize, x: &mut [f64]) {
    substitute(MatRef::from_column_major_slice(l, size, size), MatMut::from_column_major_slice_mut(x, size, 1));
}

/// `(l lᵗ)⁻¹`, both triangles.
pub(crate) fn inverse(l: MatRef<'_, f64>) -> Mat<f64> {
    let n = l.nrows();
    let mut out = Mat::zeros(n, n);
    let need = llt::inverse::inverse_scratch::<f64>(n, Par::Seq);
    llt::inverse::inverse(out.as_mut(), l, Par::Seq, MemStack::new(&mut MemBuffer::new(need)));
    for j in 0..n {
        (0..j).for_each(|i| out[(i, j)] = out[(j, i)]);
    }
    out
}
