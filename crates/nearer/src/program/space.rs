//! Where the points of a map may lie: anywhere, or at a function of what is known about the objects.

use ndarray::Array2;

/// The space of a program: `G = Σ_b Φ_b Z_b Φ_bᵗ` with `Z_b` positive semidefinite.
///
/// Free points have `Φ = I`. A kernel gives one block, whose basis is spanned by the (centred, orthonormal) columns of the
/// kernel matrix; several kernels give several blocks; raw features are one block as well. A block may be charged
/// `⟨P, Z⟩` beside the objective.
#[derive(Debug, Clone)]
pub enum Space {
    /// Any points.
    Free,
    /// Points that are linear in some basis.
    Spanned(Vec<Block>),
}

/// One block of a spanned space.
#[derive(Debug, Clone)]
pub struct Block {
    /// `Φ`: one row for each object; columns centred and orthonormal up to rounding.
    pub basis: Array2<f64>,
    /// `P`: what `Z` is charged by; symmetric. `None` is nothing.
    pub charge: Option<Array2<f64>>,
}

impl Space {
    /// How many numbers make up a column of the factor of each block.
    #[must_use]
    pub fn sizes(&self, n: usize) -> Vec<usize> {
        match self {
            Space::Free => vec![n],
            Space::Spanned(blocks) => blocks.iter().map(|b| b.basis.ncols()).collect(),
        }
    }
    /// The points `[Φ₁N₁, Φ₂N₂, …]` of the factors `Z_b = N_b N_bᵗ`.
    #[must_use]
    pub fn points(&self, factors: &[Array2<f64>]) -> Array2<f64> {
        match self {
            Space::Free => factors[0].clone(),
            Space::Spanned(blocks) => {
                let parts: Vec<_> = blocks.iter().zip(factors).map(|(b, f)| b.basis.dot(f)).collect();
                let views: Vec<_> = parts.iter().map(|p| p.view()).collect();
                ndarray::concatenate(ndarray::Axis(1), &views).expect("blocks have the same objects")
            }
        }
    }
}
