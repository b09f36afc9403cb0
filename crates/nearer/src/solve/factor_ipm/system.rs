//! The Newton matrix: sparse blocks on the graph, or a small full matrix where the points lie in a span.

use nearer_num::sparse::{BlockLaplacian, Singular};
use nearer_num::subspace::SubspaceSystem;

use super::question::{Edges, Span};

/// One of the two, for points of `r` dimensions.
#[derive(Debug)]
pub(super) struct System {
    r: usize,
    matrix: Matrix,
}

#[derive(Debug)]
enum Matrix {
    Sparse(Box<BlockLaplacian>),
    Small(Box<SubspaceSystem>),
}

impl System {
    pub(super) fn new(edges: &Edges, space: &Span, r: usize) -> Result<Self, Singular> {
        let matrix = match space {
            Span::Full(laplacian) => {
                Matrix::Sparse(Box::new(BlockLaplacian::new(edges.n, r, &edges.pairs, &laplacian.order())?))
            }
            Span::Within(span) => Matrix::Small(Box::new(span.system(r)?)),
        };
        Ok(System { r, matrix })
    }

    /// `Σ_e (e_i - e_j)(e_i - e_j)ᵗ ⊗ (a_e I + b_e u_e u_eᵗ)`.
    pub(super) fn assemble(&mut self, space: &Span, a: &[f64], b: &[f64], u: &[f64]) {
        match (&mut self.matrix, space) {
            (Matrix::Small(small), Span::Within(span)) => span.assemble(small, a, b, u),
            (Matrix::Sparse(blocks), _) => blocks.assemble(a, b, u),
            (Matrix::Small(_), Span::Full(_)) => unreachable!("the system was made for this space"),
        }
    }

    /// Factors the matrix less `2 I`, with a growing diagonal until only the translations are negative; what was added.
    pub(super) fn raise(&mut self, lift: f64) -> Result<f64, Singular> {
        let mut lift = lift;
        loop {
            let found = match &mut self.matrix {
                Matrix::Sparse(blocks) => blocks.factor(lift - 2.0),
                Matrix::Small(small) => small.factor(lift - 2.0),
            };
            // The translations have the eigenvalue `lift - 2`; a span has none.
            let expected = match self.matrix {
                Matrix::Sparse(_) if lift < 2.0 => self.r,
                _ => 0,
            };
            if found.is_ok_and(|negative| negative <= expected) {
                return Ok(lift);
            }
            lift = (4.0 * lift).max(1e-4);
            if (lift - 2.0).abs() < 0.2 {
                lift = 3.0;
            }
            if lift > 1e12 {
                return Err(Singular);
            }
        }
    }

    /// Solves for `r` numbers a vertex that sum to zero.
    pub(super) fn solve(&mut self, space: &Span, b: &mut [f64]) {
        match (&mut self.matrix, space) {
            (Matrix::Small(small), Span::Within(span)) => span.solve(small, b),
            (Matrix::Sparse(blocks), _) => blocks.solve(b),
            (Matrix::Small(_), Span::Full(_)) => unreachable!("the system was made for this space"),
        }
    }
}
