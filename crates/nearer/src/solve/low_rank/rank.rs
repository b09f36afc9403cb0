//! How many columns the factor has: those that carry something, and the directions in which the dual matrix is negative.

use ndarray::{Array2, Axis, concatenate, s};
use nearer_num::definite::{self, Lowest};
use nearer_num::{dense, gemm};

use super::active_rows::ActiveRows;
use crate::error::Error;
use crate::program::certify::{Sparse, Weight, assemble};
use crate::program::{GramProgram, Space};

/// Directions that may be added in one round.
pub(super) const ADDED: usize = 12;
/// Where the dual matrix is sparse an eigenpair costs a pass of its own, and few are of use.
const ADDED_SPARSE: usize = 4;

// Lengths are those of the columns of a factor. Chosen by trial on the instances of `bench/convex.py`; not swept.

/// A column shorter than this share of the longest carries nothing.
const THIN: f64 = 1e-4;
/// An eigenvalue lower than what is known by less than this share of the size of the matrix is rounding.
const LOWER: f64 = 1e-7;
/// A new column begins with this share of the shortest one, or with that length where there is none.
const BEGINS: f64 = 0.1;
const ALONE: f64 = 1e-3;
/// A direction of length one of which no more than this is left outside the columns is not new.
const NEW: f64 = 0.3;

/// The dual matrix of each block with its lowest eigenpairs.
pub(super) struct Spectra {
    blocks: Vec<(Matrix, Lowest)>,
}

/// A dual matrix as it is worked with.
enum Matrix {
    Full(Array2<f64>),
    /// `a I + L(w)`, on vectors that sum to zero.
    Sparse(f64, Box<Sparse>),
}

impl Matrix {
    fn times(&self, x: &Array2<f64>) -> Array2<f64> {
        match self {
            Matrix::Full(m) => {
                let mut image = Array2::zeros(x.raw_dim());
                gemm::into(m.view(), x.view(), image.view_mut());
                image
            }
            Matrix::Sparse(a, m) => m.laplacian.times(&m.weights, x) + x * *a,
        }
    }
}

impl Spectra {
    /// The `count` lowest eigenpairs beside those near the columns of the factors.
    pub(super) fn new(
        program: &GramProgram,
        weights: &[Weight],
        count: usize,
        factors: &[Array2<f64>],
    ) -> Result<Self, Error> {
        let free = matches!(program.space, Space::Free);
        if free && let Some(mut sparse) = Sparse::new(program.objects(), weights) {
            let wanted = count.min(ADDED_SPARSE) + factors.first().map_or(2, Array2::ncols);
            if let Some((values, vectors)) = sparse.laplacian.lowest(&sparse.weights, wanted) {
                let lowest = Lowest { values: values + program.trace, vectors };
                return Ok(Spectra { blocks: vec![(Matrix::Sparse(program.trace, Box::new(sparse)), lowest)] });
            }
        }
        let a = assemble(program.objects(), program.trace, weights, free).into_matrix();
        let failed = |_| Error::Numerical { what: "the lowest eigenvalues of the dual matrix".into() };
        let one = |m: Array2<f64>, b: usize| {
            let guess = factors.get(b).map(|f| f.view());
            let lowest = definite::lowest(m.view(), count + guess.map_or(0, |g| g.ncols()), guess).map_err(failed)?;
            Ok((Matrix::Full(m), lowest))
        };
        let blocks = match &program.space {
            Space::Free => vec![one(a, 0)?],
            Space::Spanned(blocks) => blocks
                .iter()
                .enumerate()
                .map(|(b, block)| {
                    let mut m = block.basis.t().dot(&a.dot(&block.basis));
                    if let Some(p) = &block.charge {
                        m += p;
                    }
                    one((&m + &m.t()) * 0.5, b)
                })
                .collect::<Result<_, Error>>()?,
        };
        Ok(Spectra { blocks })
    }
    /// The least eigenvalue of all blocks, as an estimate.
    pub(super) fn least(&self) -> f64 {
        self.blocks.iter().map(|b| b.1.values[0]).fold(f64::INFINITY, f64::min)
    }
    /// For each block its lowest eigenpairs.
    pub(super) fn pairs(&self) -> impl Iterator<Item = &Lowest> {
        self.blocks.iter().map(|b| &b.1)
    }
}

/// The factors without columns that carry nothing, and with the directions that would lower the objective.
pub(super) fn adapted(
    program: &GramProgram,
    spectra: &Spectra,
    factors: &[Array2<f64>],
    play: &ActiveRows<'_>,
) -> Result<Vec<Array2<f64>>, Error> {
    let mut adapted = Vec::new();
    for (factor, (matrix, lowest)) in factors.iter().zip(&spectra.blocks) {
        let Axes { basis, lengths, turned } = axes(factor)?;
        let longest = lengths.first().copied().unwrap_or(0.0);
        let kept = lengths.iter().filter(|l| **l > THIN * longest).count().max(1).min(lengths.len());
        // With a bound on the trace the solution sits at an eigenvalue below zero; only what lies below that helps.
        let level = if program.trace_bound.is_some() { level(matrix, factor) } else { 0.0 };
        let threshold = level - LOWER * play.weight.max(level.abs());
        let mut columns = vec![turned.slice(s![.., ..kept]).to_owned()];
        let least = lengths.get(kept - 1).copied().unwrap_or(0.0);
        let size = if least > 0.0 { BEGINS * least } else { ALONE };
        let span = basis.slice(s![.., ..kept]);
        let mut room = factor.nrows().saturating_sub(kept).min(ADDED);
        for (value, vector) in lowest.values.iter().zip(lowest.vectors.columns()) {
            if *value >= threshold || room == 0 {
                break;
            }
            let rest = &vector - &span.dot(&span.t().dot(&vector));
            let length = rest.dot(&rest).sqrt();
            if length > NEW {
                columns.push((rest * (size / length)).insert_axis(Axis(1)));
                room -= 1;
            }
        }
        let views: Vec<_> = columns.iter().map(|c| c.view()).collect();
        adapted.push(concatenate(Axis(1), &views).expect("columns of the same objects"));
    }
    Ok(adapted)
}

/// `⟨S, G⟩ / ⟨H, G⟩`: the eigenvalue that the solution sits at, where the trace is bounded.
fn level(matrix: &Matrix, factor: &Array2<f64>) -> f64 {
    let image = matrix.times(factor);
    let (top, bottom) = ((&image * factor).sum(), factor.iter().map(|v| v * v).sum::<f64>());
    if bottom > 0.0 { top / bottom } else { 0.0 }
}

/// A factor seen along its principal axes.
struct Axes {
    /// Orthonormal directions.
    basis: Array2<f64>,
    lengths: Vec<f64>,
    /// The factor in these axes.
    turned: Array2<f64>,
}

/// The factor turned to its principal axes: orthonormal directions, their lengths, and the turned factor.
fn axes(factor: &Array2<f64>) -> Result<Axes, Error> {
    let (values, turn) = dense::eigh(factor.t().dot(factor).view())
        .map_err(|_| Error::Numerical { what: "the axes of a factor".into() })?;
    let turned = factor.dot(&turn);
    let lengths: Vec<f64> = values.iter().map(|v| v.max(0.0).sqrt()).collect();
    let mut basis = turned.clone();
    for (mut column, length) in basis.columns_mut().into_iter().zip(&lengths) {
        if *length > 0.0 {
            column /= *length;
        }
    }
    Ok(Axes { basis, lengths, turned })
}
