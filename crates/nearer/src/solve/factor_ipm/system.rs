//! The Newton matrix: sparse blocks on the graph, or a small full matrix where the points lie in a span.

use nearer_num::sparse::{BlockLaplacian, Singular};
use nearer_num::subspace::SubspaceSystem;

use super::question::{Edges, Span};

// The points are of order one, and so is the matrix. Chosen by trial on the instances of `bench/convex.py`; not swept.

/// The diagonal is raised by this at first, then by so many times more, until it is a matter of rounding no longer.
const FIRST: f64 = 1e-4;
const RAISED: f64 = 4.0;
const MOST: f64 = 1e12;
/// Nearer than this to two, where translations are singular, it goes past it.
const BESIDE: f64 = 0.2;
const PAST: f64 = 3.0;
/// After a step the diagonal comes down to this share, and to nothing when it is no more than that.
const LOWERED: f64 = 0.25;
pub(super) const NOTHING: f64 = 1e-7;

/// What the diagonal is raised by in the next step.
pub(super) fn lowered(lift: f64) -> f64 {
    if lift > NOTHING { LOWERED * lift } else { 0.0 }
}

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
            lift = (RAISED * lift).max(FIRST);
            if (lift - 2.0).abs() < BESIDE {
                lift = PAST;
            }
            if lift > MOST {
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
