//! How many columns the factor has: those that carry something, and the directions in which the dual matrix is negative.

use ndarray::{Array1, Array2, Axis, concatenate, s};
use nearer_num::{definite, dense, gemm, lanczos};

use super::play::Play;
use crate::error::Error;
use crate::program::certify::{Weight, assemble};
use crate::program::{GramProgram, Space};

/// Directions that may be added in one round.
const ADDED: usize = 12;

/// For each block the lowest eigenvalues of its dual matrix, least first, and their vectors.
pub(super) fn lowest(
    program: &GramProgram,
    weights: &[Weight],
    count: usize,
) -> Result<Vec<(Array1<f64>, Array2<f64>)>, Error> {
    let free = matches!(program.space, Space::Free);
    let a = assemble(program.objects(), program.trace, weights, free).matrix;
    match &program.space {
        Space::Free => Ok(vec![lowest_of(a, count)?]),
        Space::Spanned(blocks) => blocks
            .iter()
            .map(|block| {
                let mut m = block.basis.t().dot(&a.dot(&block.basis));
                if let Some(p) = &block.charge {
                    m += p;
                }
                lowest_of((&m + &m.t()) * 0.5, count)
            })
            .collect(),
    }
}

fn lowest_of(a: Array2<f64>, count: usize) -> Result<(Array1<f64>, Array2<f64>), Error> {
    let n = a.nrows();
    let count = count.min(n);
    let failed = |_| Error::Numerical { what: "the lowest eigenvalues of the dual matrix".into() };
    if n <= 200 {
        let (values, vectors) = dense::eigh(a.view()).map_err(failed)?;
        let values = Array1::from_iter((0..count).map(|k| values[n - 1 - k]));
        let vectors = Array2::from_shape_fn((n, count), |(i, k)| vectors[(i, n - 1 - k)]);
        return Ok((values, vectors));
    }
    let top = definite::row_sum(a.view());
    let lead = lanczos::largest(n, count, 1e-5, |x| {
        let mut y = Array2::zeros(x.raw_dim());
        gemm::into(a.view(), x.view(), y.view_mut());
        y.zip_mut_with(x, |y, x| *y = top * x - *y);
        y
    })
    .map_err(failed)?;
    Ok((lead.values.mapv(|v| top - v), lead.vectors))
}

/// The factors without columns that carry nothing, and with the directions that would lower the objective.
pub(super) fn adapted(
    program: &GramProgram,
    weights: &[Weight],
    factors: &[Array2<f64>],
    play: &Play<'_>,
) -> Result<Vec<Array2<f64>>, Error> {
    let found = lowest(program, weights, ADDED)?;
    // With a bound on the trace only what is below the present level helps; it is met when the least is simple to see.
    let mut adapted = Vec::new();
    for (factor, (values, vectors)) in factors.iter().zip(found) {
        let (basis, lengths, turned) = axes(factor)?;
        let longest = lengths.first().copied().unwrap_or(0.0);
        let kept = lengths.iter().filter(|l| **l > 1e-4 * longest).count().max(1).min(lengths.len());
        let level = if program.trace_bound.is_some() { level(program, weights, factor) } else { 0.0 };
        let threshold = level - 1e-7 * play.weight.max(level.abs());
        let mut columns = vec![turned.slice(s![.., ..kept]).to_owned()];
        let least = lengths.get(kept - 1).copied().unwrap_or(0.0);
        let size = if least > 0.0 { 0.1 * least } else { 1e-3 };
        let span = basis.slice(s![.., ..kept]);
        let mut room = factor.nrows().saturating_sub(kept);
        for (value, vector) in values.iter().zip(vectors.columns()) {
            if *value >= threshold || room == 0 {
                break;
            }
            let rest = &vector - &span.dot(&span.t().dot(&vector));
            let length = rest.dot(&rest).sqrt();
            if length > 0.3 {
                columns.push((rest * (size / length)).insert_axis(Axis(1)));
                room -= 1;
            }
        }
        let views: Vec<_> = columns.iter().map(|p| p.view()).collect();
        adapted.push(concatenate(Axis(1), &views).expect("columns of the same objects"));
    }
    Ok(adapted)
}

/// `⟨S, G⟩ / ⟨H, G⟩`: the eigenvalue that the solution sits at, where the trace is bounded.
fn level(program: &GramProgram, weights: &[Weight], factor: &Array2<f64>) -> f64 {
    let free = matches!(program.space, Space::Free);
    let a = assemble(program.objects(), program.trace, weights, free).matrix;
    let points = program.space.points(std::slice::from_ref(factor));
    let (mut top, mut bottom) = (0.0, 0.0);
    for column in points.columns() {
        top += column.dot(&a.dot(&column));
        bottom += column.dot(&column);
    }
    if bottom > 0.0 { top / bottom } else { 0.0 }
}

/// The factor turned to its principal axes: orthonormal directions, their lengths, and the turned factor.
fn axes(factor: &Array2<f64>) -> Result<(Array2<f64>, Vec<f64>, Array2<f64>), Error> {
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
    Ok((basis, lengths, turned))
}

/// A factor turned to its principal axes.
pub(crate) fn principal(factor: &Array2<f64>) -> Result<Array2<f64>, Error> {
    Ok(axes(factor)?.2)
}
