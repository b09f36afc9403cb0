//! The numerics of `nearer`: packed symmetric arrays and their kernels, eigenvectors, isotonic regression, small
//! least-squares problems, binomial tails, named random streams, and threads that never change a bit of the result.
//!
//! Nothing here knows what is being computed. `ndarray` is the matrix type.

pub mod augmented;
pub mod binomial;
pub mod choices;
pub mod definite;
pub mod dense;
pub mod elementary;
pub mod exact;
pub mod gemm;
pub mod hinges;
pub mod interior;
pub mod isotonic;
pub mod kmeans;
pub mod lanczos;
pub mod laplacian;
pub mod lbfgs;
pub mod least_squares;
mod linear;
pub mod mixture;
pub mod nearest;
pub mod order;
pub mod orthant;
pub mod packed;
pub mod pairs;
pub mod par;
pub mod patches;
pub mod paths;
pub mod precondition;
pub mod principal;
pub mod rising;
pub mod rank_one;
pub mod rng;
pub mod rowpairs;
mod simd;
pub mod softmin;
pub mod sparse;
pub mod squares;
pub mod spline;
pub mod subspace;
pub mod vectors;
