//! Residuals and orthogonality, in units of `n ε |A|`, over matrices that are known to be hard.

use ndarray::{Array1, Array2, ArrayView2, ShapeBuilder};
use rand::{RngExt, SeedableRng};

use super::{self_adjoint, self_adjoint_values, thin_svd};

/// In units of `n ε |A|` at most this is allowed, of residuals and of what is missing from orthogonality.
const ALLOWED: f64 = 4.0;
const SIZES: [usize; 13] = [0, 1, 2, 3, 5, 10, 31, 33, 64, 65, 100, 130, 257];

mod columns;
mod singular;
mod symmetric;

fn unit(n: usize) -> f64 {
    f64::EPSILON * n.max(1) as f64
}

/// The length of the longest column.
fn column_size(a: &Array2<f64>) -> f64 {
    a.columns().into_iter().map(|c| c.dot(&c).sqrt()).fold(0.0, f64::max)
}

fn random(m: usize, n: usize, seed: u64) -> Array2<f64> {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(seed);
    let mut a = Array2::zeros((m, n).f());
    a.iter_mut().for_each(|x| *x = rng.random::<f64>() - 0.5);
    a
}

fn tridiagonal(n: usize, diagonal: impl Fn(usize) -> f64, beside: impl Fn(usize) -> f64) -> Array2<f64> {
    Array2::from_shape_fn((n, n), |(i, j)| match i.abs_diff(j) {
        0 => diagonal(i),
        1 => beside(i.min(j)),
        _ => 0.0,
    })
}

/// Orthonormal columns, by Gram and Schmidt done twice.
fn orthonormal(m: usize, n: usize, seed: u64) -> Array2<f64> {
    let mut q = random(m, n, seed);
    for j in 0..n {
        for _ in 0..2 {
            for i in 0..j {
                let overlap = q.column(i).dot(&q.column(j));
                let other = q.column(i).to_owned();
                q.column_mut(j).scaled_add(-overlap, &other);
            }
        }
        let length = q.column(j).dot(&q.column(j)).sqrt();
        q.column_mut(j).mapv_inplace(|x| x / length);
    }
    q
}

fn with_eigenvalues(n: usize, value: impl Fn(usize) -> f64) -> Array2<f64> {
    let q = orthonormal(n, n, 17);
    let values = Array2::from_diag(&(0..n).map(value).collect::<Array1<f64>>());
    let a = q.dot(&values).dot(&q.t());
    (&a + &a.t()) * 0.5
}
