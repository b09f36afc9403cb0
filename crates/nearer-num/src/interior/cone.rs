//! Symmetric matrices as packed entries, and how far one may go before a matrix stops being definite.

use ndarray::{Array2, ShapeBuilder};

use crate::linear::{self, factor, product};

/// Where the entry `(a, b)` of a symmetric matrix stands among its packed entries: column by column above the diagonal.
#[must_use]
pub fn place(a: usize, b: usize) -> usize {
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    b * (b + 1) / 2 + a
}

/// How many packed entries a symmetric matrix of this order has.
#[must_use]
pub fn entries(order: usize) -> usize {
    order * (order + 1) / 2
}

/// The symmetric matrix of these packed entries.
pub(super) fn unpack(order: usize, x: &[f64]) -> Array2<f64> {
    Array2::from_shape_fn((order, order).f(), |(a, b)| x[place(a, b)])
}

/// The derivative of `⟨z, S⟩` by the packed entries of `S`: entries off the diagonal count twice.
pub(super) fn gradient(z: &Array2<f64>, out: &mut [f64]) {
    for b in 0..z.nrows() {
        for a in 0..b {
            out[place(a, b)] = z[(a, b)] + z[(b, a)];
        }
        out[place(b, b)] = z[(b, b)];
    }
}

/// The matrix whose [`gradient`] this is.
pub(super) fn from_gradient(order: usize, v: &[f64]) -> Array2<f64> {
    Array2::from_shape_fn((order, order).f(), |(a, b)| if a == b { v[place(a, b)] } else { 0.5 * v[place(a, b)] })
}

/// `(z + zᵗ) / 2`.
pub(super) fn symmetric(z: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn(z.raw_dim().f(), |(a, b)| 0.5 * (z[(a, b)] + z[(b, a)]))
}

/// `⟨a, b⟩`.
pub(super) fn inner(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let mut sum = 0.0;
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            sum += a[(i, j)] * b[(i, j)];
        }
    }
    sum
}

/// `a b c`.
pub(super) fn product_of([a, b, c]: [&Array2<f64>; 3]) -> Array2<f64> {
    product(product(a.view(), b.view()).view(), c.view())
}

/// A positive definite matrix with the inverse of its Cholesky factor.
pub(super) struct Definite {
    /// `L⁻¹`, lower triangular.
    root: Array2<f64>,
}

impl Definite {
    /// `None` where the matrix is not positive definite in floating point.
    pub(super) fn new(z: &Array2<f64>) -> Option<Self> {
        let n = z.nrows();
        let mut l = z.clone();
        if !factor::cholesky_of(l.view_mut()) {
            return None;
        }
        let mut root = Array2::zeros((n, n).f());
        root.diag_mut().fill(1.0);
        factor::solve_lower(l.view(), root.view_mut());
        (0..n).all(|i| root[(i, i)].is_finite() && root[(i, i)] > 0.0).then_some(Definite { root })
    }
    /// The inverse of the matrix.
    pub(super) fn inverse(&self) -> Array2<f64> {
        symmetric(&product(self.root.t(), self.root.view()))
    }
    /// The largest `t` for which `z + t d` is positive semidefinite; infinite where every one is.
    pub(super) fn reach(&self, d: &Array2<f64>) -> f64 {
        let along = product(self.root.view(), d.view());
        let inside = symmetric(&product(along.view(), self.root.t()));
        match linear::self_adjoint_values(inside.view()) {
            Some(values) => match values.first() {
                Some(least) if *least < 0.0 => -1.0 / least,
                Some(least) if least.is_nan() => 0.0,
                _ => f64::INFINITY,
            },
            None => 0.0,
        }
    }
}

/// The largest `t` for which `v + t d` has no negative entry.
pub(super) fn reach(v: impl Iterator<Item = (f64, f64)>) -> f64 {
    let mut t = f64::INFINITY;
    for (v, d) in v {
        if d < 0.0 {
            t = t.min(-v / d);
        }
    }
    t
}
