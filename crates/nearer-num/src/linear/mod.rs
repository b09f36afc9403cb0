//! Dense linear algebra on the thread it is called from: products, triangular factors, orthonormal columns, eigenvalues and
//! singular values. Matrices lie in columns; what is asked for depends on the numbers and sizes alone, never on threads.

mod eigen;
pub(crate) mod factor;
mod householder;
mod kernel;
mod kernels;
mod merge;
pub(crate) mod newton;
mod product;
mod secular;
mod singular;
mod storage;
mod triangle;
mod vector;

#[cfg(test)]
mod tests;

pub(crate) use eigen::{self_adjoint, self_adjoint_values};
pub(crate) use householder::orthonormal;
pub(crate) use product::{add_product, product};
pub(crate) use singular::thin_svd;
pub(crate) use storage::{columns, columns_mut};
