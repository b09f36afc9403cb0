//! The largest eigenvalues of a symmetric operator that can only be applied: block Lanczos with full orthogonalisation
//! and thick restarts. It stops on the residual, never on a number of passes.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis, s};

use crate::dense::{DidNotConverge, eigh};
use crate::linear::{add_product, product};
use crate::rng::Rng;
use crate::vectors::{add_multiple, dot, norm};

/// Leading eigenpairs.
#[derive(Debug, Clone)]
pub struct Leading {
    /// Eigenvalues, largest first.
    pub values: Array1<f64>,
    /// Eigenvectors in the columns.
    pub vectors: Array2<f64>,
    /// `|A v - λ v|` of each.
    pub residuals: Array1<f64>,
    /// A number that the least eigenvalue is not above: the least Rayleigh quotient that was met.
    pub least: f64,
    /// How often the operator was applied to a block of vectors.
    pub passes: usize,
    /// Whether all residuals are below the tolerance.
    pub converged: bool,
}

/// How many vectors the operator is applied to at once: it also finds eigenvalues of that multiplicity.
const BLOCK: usize = 4;
/// Passes after which it ends without having converged.
const PASSES: usize = 3000;
/// A vector that loses all but this share of its length to the space lies in it, to rounding.
const WITHIN: f64 = 1e-10;
/// Random vectors tried in place of one that lies in the space: the first has a part outside it with probability one.
const DRAWS: usize = 5;

/// The `k` algebraically largest eigenpairs of the symmetric `n x n` operator `apply`, to residuals of `tolerance` times
/// the largest eigenvalue in size.
///
/// The Krylov space of a block of vectors is kept orthonormal against itself; when it has grown to its limit it is
/// replaced by its best Ritz vectors. Cost: one application to four vectors a step, and `O(n m)` beside it for a space
/// of dimension `m`. An operator that gives what is not a number is an error.
pub fn largest(
    n: usize,
    k: usize,
    tolerance: f64,
    apply: impl FnMut(&Array2<f64>) -> Array2<f64>,
) -> Result<Leading, DidNotConverge> {
    largest_while(n, k, tolerance, apply, || true)
}

/// The same, with the best so far as soon as `go_on`, asked once a pass, says no.
pub fn largest_while(
    n: usize,
    k: usize,
    tolerance: f64,
    mut apply: impl FnMut(&Array2<f64>) -> Array2<f64>,
    mut go_on: impl FnMut() -> bool,
) -> Result<Leading, DidNotConverge> {
    let k = k.min(n);
    let block = BLOCK.min(n);
    let limit = (12 * block + 2 * k + 8).min(n);
    let mut rng = Rng::task(0x6c61_6e63, 0);
    // Here a vector is a row: sums over two vectors run along memory.
    let mut fresh =
        Array2::from_shape_fn((n, block), |_| rng.normal()).reversed_axes().as_standard_layout().into_owned();
    let mut basis = Array2::<f64>::zeros((0, n));
    let mut image = Array2::<f64>::zeros((0, n));
    // basis · imageᵗ, grown with them.
    let mut small = Array2::<f64>::zeros((0, 0));
    let mut passes = 0;
    let mut least = f64::INFINITY;
    loop {
        orthonormalise(&basis, &mut fresh, &mut rng)?;
        let applied = apply(&fresh.t().as_standard_layout().into_owned());
        // Every loop below ends on numbers only.
        if applied.iter().any(|v| !v.is_finite()) {
            return Err(DidNotConverge);
        }
        passes += 1;
        basis.append(Axis(0), fresh.view()).expect("vectors of one length");
        image.append(Axis(0), applied.t()).expect("vectors of one length");
        small = bordered(&small, &product(basis.view(), applied.view()));
        let (ritz, weights) = eigh(small.view())?;
        let m = ritz.len();
        least = least.min(ritz[m - 1]);
        let kept = k.min(m);
        let lead = weights.slice(s![.., ..kept]);
        let mut rest = combined(&image, lead);
        let vectors = combined(&basis, lead);
        let residuals = Array1::from_shape_fn(kept, |j| {
            add_multiple(-ritz[j], along(vectors.row(j)), along_mut(rest.row_mut(j)));
            norm(along(rest.row(j)))
        });
        let scale = ritz.iter().fold(f64::MIN_POSITIVE, |a: f64, v| a.max(v.abs()));
        let converged = kept == k && residuals.iter().all(|r| *r <= tolerance * scale);
        // One pass more than the first: a lucky start must not hide an eigenvector it was orthogonal to.
        if (converged && passes > 2) || m >= n || passes >= PASSES || (kept == k && !go_on()) {
            let values = ritz.slice(s![..kept]).to_owned();
            let vectors = vectors.t().as_standard_layout().into_owned();
            return Ok(Leading { values, vectors, residuals, least, passes, converged: converged || m >= n });
        }
        let next = next_block(&basis, &image, &ritz, &weights, kept, block);
        if m + block > limit {
            // Thick restart: the wanted Ritz vectors and as many more again stay, the rest of the space goes.
            let stay = (k + 2 * block).min(m);
            let lead = weights.slice(s![.., ..stay]);
            basis = combined(&basis, lead);
            image = combined(&image, lead);
            small = Array2::from_diag(&ritz.slice(s![..stay]));
        }
        fresh = next;
    }
}

/// The residuals of the leading Ritz vectors: they span what the Krylov space grows by, also after a restart.
fn next_block(
    basis: &Array2<f64>,
    image: &Array2<f64>,
    ritz: &Array1<f64>,
    weights: &Array2<f64>,
    kept: usize,
    block: usize,
) -> Array2<f64> {
    let m = ritz.len();
    let width = block.min(m);
    // With few wanted vectors the block is filled from the next Ritz vectors, which keeps clusters together.
    let from = kept.saturating_sub(width);
    let lead = weights.slice(s![.., from..from + width]);
    let mut next = combined(image, lead);
    let vectors = combined(basis, lead);
    for j in 0..width {
        add_multiple(-ritz[from + j], along(vectors.row(j)), along_mut(next.row_mut(j)));
    }
    next
}

/// A symmetric matrix grown by the columns `new`, which reach over its rows and those that are added.
fn bordered(old: &Array2<f64>, new: &Array2<f64>) -> Array2<f64> {
    let (m, k) = (old.nrows(), new.ncols());
    Array2::from_shape_fn((m + k, m + k), |(i, j)| match (i < m, j < m) {
        (true, true) => old[(i, j)],
        (_, false) if i < m => new[(i, j - m)],
        (false, true) => new[(j, i - m)],
        _ => 0.5 * (new[(i, j - m)] + new[(j, i - m)]),
    })
}

/// Makes the rows of `fresh` orthonormal, and orthogonal to the orthonormal `basis` (twice is enough). A row that
/// vanishes is replaced by a random one: the space was invariant.
fn orthonormalise(basis: &Array2<f64>, fresh: &mut Array2<f64>, rng: &mut Rng) -> Result<(), DidNotConverge> {
    let n = fresh.ncols();
    let room = n - basis.nrows();
    if fresh.nrows() > room {
        *fresh = fresh.slice(s![..room, ..]).to_owned();
    }
    let lengths: Vec<f64> = fresh.rows().into_iter().map(|v| norm(along(v))).collect();
    for _ in 0..2 {
        let parts = product(basis.view(), fresh.t());
        add_product(fresh.view_mut().reversed_axes(), 1.0, -1.0, basis.t(), parts.view());
    }
    for own in 0..fresh.nrows() {
        let (done, mut rest) = fresh.view_mut().split_at(Axis(0), own);
        let v = along_mut(rest.row_mut(0));
        let mut before = lengths[own];
        let mut draws = 0;
        loop {
            // What is left after the basis may be small: against the rows of the block, and once more against all.
            for _ in 0..2 {
                take_out(done.view(), v);
            }
            let after = norm(v);
            if after > WITHIN * before && after > 0.0 {
                v.iter_mut().for_each(|x| *x /= after);
                take_out(basis.view(), v);
                take_out(done.view(), v);
                let length = norm(v);
                v.iter_mut().for_each(|x| *x /= length);
                break;
            }
            if draws == DRAWS {
                return Err(DidNotConverge);
            }
            draws += 1;
            v.iter_mut().for_each(|x| *x = rng.normal());
            before = norm(v);
            take_out(basis.view(), v);
        }
    }
    Ok(())
}

/// The sums of vectors that the columns of `weights` say, as rows.
fn combined(vectors: &Array2<f64>, weights: ArrayView2<'_, f64>) -> Array2<f64> {
    product(vectors.t(), weights).reversed_axes()
}

/// `v - Uᵗ U v`.
fn take_out(u: ArrayView2<'_, f64>, v: &mut [f64]) {
    let parts: Vec<f64> = u.rows().into_iter().map(|row| dot(along(row), v)).collect();
    for (row, part) in u.rows().into_iter().zip(parts) {
        add_multiple(-part, along(row), v);
    }
}

fn along(row: ArrayView1<'_, f64>) -> &[f64] {
    row.to_slice().expect("vectors are rows, which lie in one piece")
}

fn along_mut(row: ArrayViewMut1<'_, f64>) -> &mut [f64] {
    row.into_slice().expect("vectors are rows, which lie in one piece")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f64], k: usize) {
        let n = values.len();
        let mut rng = Rng::task(4, n as u64);
        let mut q = Array2::from_shape_fn((n, n), |_| rng.normal());
        orthonormalise(&Array2::zeros((0, n)), &mut q, &mut rng).unwrap();
        let a = q.dot(&Array2::from_diag(&Array1::from(values.to_vec()))).dot(&q.t());
        let got = largest(n, k, 1e-10, |x| a.dot(x)).unwrap();
        let mut sorted = values.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        assert!(got.converged);
        for j in 0..k {
            assert!((got.values[j] - sorted[j]).abs() < 1e-8, "{:?} {:?}", got.values, &sorted[..k]);
        }
        let identity = got.vectors.t().dot(&got.vectors);
        assert!((identity - Array2::<f64>::eye(k)).iter().all(|e| e.abs() < 1e-9));
    }

    #[test]
    fn separated_clustered_equal_and_negative_eigenvalues() {
        check(&(0..200).map(|i| 1.0 / (1.0 + f64::from(i))).collect::<Vec<_>>(), 3);
        check(
            &(0..300)
                .map(|i| if i < 10 { 1.0 + 0.005 * f64::from(i) } else { 0.01 * (f64::from(i) / 300.0) })
                .collect::<Vec<_>>(),
            2,
        );
        check(&(0..120).map(|i| if i < 4 { 2.0 } else { f64::from(i) / 120.0 }).collect::<Vec<_>>(), 4);
        check(&(0..80).map(|i| -f64::from(i)).collect::<Vec<_>>(), 3);
        check(&[1.0; 50], 3);
        check(&[3.0, 1.0, 2.0], 2);
        check(&(0..150).map(|_| 0.0).collect::<Vec<_>>(), 2);
    }

    #[test]
    fn what_is_not_a_number_ends_it_and_so_does_a_clock() {
        assert!(largest(40, 2, 1e-9, |x| x * f64::INFINITY).is_err());
        assert!(largest(40, 2, 1e-9, |x| x * f64::NAN).is_err());
        let slow = Array2::from_diag(&Array1::from_shape_fn(400, |i| 1.0 - 1e-6 * i as f64));
        let mut left = 5;
        let cut = largest_while(
            400,
            2,
            1e-14,
            |x| slow.dot(x),
            || {
                left -= 1;
                left > 0
            },
        );
        let cut = cut.unwrap();
        assert!(!cut.converged && cut.passes == 5 && cut.values.len() == 2);
        assert!(cut.least >= 1.0 - 4e-4 && cut.values[0] <= 1.0 + 1e-12);
    }
}
