//! The quadratic term: nothing, a diagonal, or blocks on it.

use ndarray::Array2;

use crate::vectors::dot;

/// `P`: symmetric and positive semidefinite.
#[derive(Debug, Clone)]
pub enum Curvature {
    /// No quadratic term.
    None,
    /// A diagonal, none of it negative.
    Diagonal(Vec<f64>),
    /// Square blocks along the diagonal, one after another.
    Blocks(Vec<Array2<f64>>),
}

impl Curvature {
    /// `P x`.
    #[must_use]
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        match self {
            Curvature::None => vec![0.0; x.len()],
            Curvature::Diagonal(p) => p.iter().zip(x).map(|(p, x)| p * x).collect(),
            Curvature::Blocks(blocks) => {
                let mut first = 0;
                let mut out = Vec::with_capacity(x.len());
                for block in blocks {
                    let part = &x[first..first + block.nrows()];
                    out.extend(block.rows().into_iter().map(|r| match r.as_slice() {
                        Some(r) => dot(r, part),
                        None => r.iter().zip(part).map(|(a, b)| a * b).sum(),
                    }));
                    first += block.nrows();
                }
                out
            }
        }
    }
    /// The diagonal of `P`, for `q` unknowns.
    #[must_use]
    pub fn diagonal(&self, q: usize) -> Vec<f64> {
        match self {
            Curvature::None => vec![0.0; q],
            Curvature::Diagonal(p) => p.clone(),
            Curvature::Blocks(blocks) => blocks.iter().flat_map(|b| b.diag().to_vec()).collect(),
        }
    }
    /// Whether there is no quadratic term.
    #[must_use]
    pub fn is_none(&self) -> bool {
        matches!(self, Curvature::None)
    }
    /// Adds `P` to the lower triangle of a matrix of `q` columns.
    pub(super) fn add_to(&self, m: &mut [f64], q: usize) {
        match self {
            Curvature::None => {}
            Curvature::Diagonal(p) => p.iter().enumerate().for_each(|(k, p)| m[k * q + k] += p),
            Curvature::Blocks(blocks) => {
                let mut first = 0;
                for block in blocks {
                    let n = block.nrows();
                    for j in 0..n {
                        for i in j..n {
                            m[(first + j) * q + first + i] += block[(i, j)];
                        }
                    }
                    first += n;
                }
            }
        }
    }
}
