//! Points that are linear in a basis: the file says which, and the evidence must bear it out.
//!
//! The bound is one about the span of the basis in the file, to the last digit. That this span is that of the kernels is checked
//! by projecting one on the other: no column of the basis leaves the span of the kernel columns, and where all objects span the
//! map none is missing: of a kernel that is linear in features not one of these, however narrow its unit, and of another no
//! direction above [`LEFT`] of the widest.

use ndarray::Array2;

use super::{DualMend, Question, Spanned, Trouble, one_of, other_question, used};
use crate::evidence::{Evidence, Kernels};
use crate::io::CertificateFile;
use crate::program::Block;
use crate::verify::dual::off_identity;

/// By how much of its own length a column of the basis may leave the span of the kernel.
const INSIDE: f64 = 1e-5;
/// Directions of a kernel that is not linear may be missing below this share of its widest: smooth kernels have many that say nothing.
const LEFT: f64 = 4e-5;
/// What is left of a kernel below this share of the widest is rounding, and none of its directions.
const ROUNDING: f64 = 1e-11;
/// What a basis of features may miss of their products, as a share of the largest: a feature whose unit makes it 10,000 times narrower
/// than the widest still counts for ten times as much.
const EXACT: f64 = 1e-9;

/// The pairs of `psde`, in the span of kernels.
pub(super) fn kpsde(mut q: Question, file: &CertificateFile, kernels: &Kernels) -> Result<Question, Trouble> {
    span_of(&mut q, file, kernels)?;
    charged(&q, file, kernels)?;
    Ok(q)
}

/// The paid order of `kernel-partial-order`, in the span of kernels.
pub(super) fn kernel_partial_order(
    mut q: Question,
    file: &CertificateFile,
    kernels: &Kernels,
) -> Result<Question, Trouble> {
    span_of(&mut q, file, kernels)?;
    charged(&q, file, kernels)?;
    if let DualMend::Rows(_, room) = &mut q.dual_mend {
        let off = q.space.iter().map(off_identity).fold(0.0, f64::max);
        *room *= (1.0 - off) * (1.0 - 1e-9);
    }
    Ok(q)
}

/// Each block is charged `trace` times what its points are in the kernel.
fn charged(q: &Question, file: &CertificateFile, kernels: &Kernels) -> Result<(), Trouble> {
    let trace: f64 = number(file, "trace").unwrap_or(0.0);
    for (k, block) in q.space.iter().enumerate() {
        let charged = block.charge.is_some();
        if charged != (trace > 0.0) {
            return Err(wrong("what the map is charged is not what its settings say"));
        }
        // P · ΦᵗKΦ = trace · I where all objects span the map.
        if let Some(charge) = block.charge.as_ref().filter(|_| everybody(file, kernels)) {
            let inner = charge.dot(&block.basis.t().dot(&kernels.matrix(k).dot(&block.basis)));
            check_identity(&inner, trace)?;
        }
    }
    Ok(())
}

/// The comparisons of `gnmds`, in the span of kernels; what is minimised is the trace of each block.
pub(super) fn kernel_gnmds(mut q: Question, file: &CertificateFile, kernels: &Kernels) -> Result<Question, Trouble> {
    q.spread = 0.0;
    span_of(&mut q, file, kernels)?;
    for (k, block) in q.space.iter().enumerate() {
        let Some(charge) = &block.charge else { return Err(wrong("the map is charged nothing")) };
        check_identity(charge, 1.0)?;
        // ΦΦᵗ is the kernel about its means, as far as it is seen; of fewer objects no more than it.
        let seen = Seen::of(kernels, k);
        let inner = centred(&centred(kernels.matrix(k)).reversed_axes());
        let made = block.basis.dot(&block.basis.t());
        let most = (0..q.n()).map(|i| inner[(i, i)]).fold(0.0, f64::max);
        let allowed = if seen.linear { EXACT * most } else { seen.left };
        let fits = if everybody(file, kernels) {
            made.iter().zip(&inner).all(|(made, inner)| (made - inner).abs() <= allowed)
        } else {
            (0..q.n()).all(|i| made[(i, i)] - inner[(i, i)] <= allowed)
        };
        if !fits {
            return Err(wrong("the basis does not have the size of the kernel"));
        }
    }
    q.dual_mend = DualMend::Rows(vec![0.0; q.rows.len()], 1.0);
    Ok(q)
}

/// Unfolding in the space that the file names, if it names one.
pub(super) fn unfolded(mut q: Question, file: &CertificateFile, evidence: &Evidence) -> Result<Question, Trouble> {
    let settings = used(&file.claim);
    let variant = one_of(&settings, "variant", &["full", "landmark", "laplacian"])?;
    match (evidence, variant) {
        (Evidence::Kernels(kernels), _) => {
            let [block] = &file.space[..] else { return Err(wrong("unfolding in a span has one block")) };
            if block.basis.nrows() != kernels.objects().len() {
                return Err(wrong("some objects share a point, and the kernels know of all"));
            }
            let parts: Vec<Array2<f64>> = (0..kernels.len()).map(|k| centred(kernels.matrix(k))).collect();
            let all: Vec<_> = parts.iter().map(|p| p.view()).collect();
            let all = ndarray::concatenate(ndarray::Axis(1), &all).map_err(|_| wrong("the kernels differ in size"))?;
            inside(&block.basis, &all)?;
            q.spanned = Some(Spanned::Kernels { count: kernels.len(), objects: kernels.objects().len(), whole: None });
        }
        (_, "full") => return Ok(q),
        (_, "landmark") => q.spanned = Some(Spanned::Landmarks),
        _ => q.spanned = Some(Spanned::Eigenvectors),
    }
    q.space = file.space.clone();
    fits(&q)?;
    if q.space.iter().any(|b| b.charge.is_some()) {
        return Err(wrong("unfolding charges nothing"));
    }
    if let DualMend::Rows(_, room) = &mut q.dual_mend {
        let off = q.space.iter().map(off_identity).fold(0.0, f64::max);
        *room *= (1.0 - off) * (1.0 - 1e-9);
    }
    Ok(q)
}

/// Takes the space from the file, one block a kernel, each within the span of its kernel.
fn span_of(q: &mut Question, file: &CertificateFile, kernels: &Kernels) -> Result<(), Trouble> {
    if file.space.len() != kernels.len() {
        return Err(wrong("there is not one basis for each kernel"));
    }
    q.space = file.space.clone();
    let objects = number(file, "basis").map_or(q.n(), |basis| (basis as usize).min(q.n()));
    fits(q)?;
    let mut whole = everybody(file, kernels).then_some(true);
    for (k, block) in q.space.iter().enumerate() {
        let seen = Seen::of(kernels, k);
        inside(&block.basis, &seen.columns)?;
        if let Some(whole) = &mut whole {
            let rest = outside(&seen.columns, &block.basis).into_iter().fold(0.0, f64::max);
            if rest > seen.left {
                return Err(wrong("the basis leaves out a direction of the kernel"));
            }
            *whole &= seen.linear || rest <= seen.left / LEFT * ROUNDING;
        }
    }
    q.spanned = Some(Spanned::Kernels { count: kernels.len(), objects, whole });
    Ok(())
}

/// What a map over a kernel is made of, and how much of it a basis may miss.
struct Seen {
    linear: bool,
    columns: Array2<f64>,
    left: f64,
}

impl Seen {
    /// The features behind a linear kernel, each divided by its length; else the columns of the kernel.
    fn of(kernels: &Kernels, k: usize) -> Self {
        let Some(features) = kernels.functions().linear(k) else {
            let columns = centred(kernels.matrix(k));
            let left = LEFT * widest(&columns);
            return Seen { linear: false, columns, left };
        };
        let mut columns = centred(&features.values);
        for (j, mut column) in columns.columns_mut().into_iter().enumerate() {
            let size = features.values.column(j).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let own = column.dot(&column).sqrt();
            // One that varies by less than its own rounding does not vary.
            column.mapv_inplace(|v| if own > 1e-13 * size { v / own } else { 0.0 });
        }
        Seen { linear: true, columns, left: INSIDE }
    }
}

/// The largest singular value of a matrix, or a little less: powers of it on its longest column.
fn widest(m: &Array2<f64>) -> f64 {
    const TIMES: usize = 30;
    let longest = (0..m.ncols()).fold(0, |best, j| if length(m, j) > length(m, best) { j } else { best });
    let mut along = m.column(longest).to_owned();
    let mut size = 0.0;
    for _ in 0..TIMES {
        let norm = along.dot(&along).sqrt();
        if norm.is_nan() || norm <= 0.0 {
            break;
        }
        let turned = m.t().dot(&along.mapv(|v| v / norm));
        size = turned.dot(&turned).sqrt();
        along = m.dot(&turned);
    }
    size
}

/// Whether all objects span the map.
fn everybody(file: &CertificateFile, kernels: &Kernels) -> bool {
    number(file, "basis").is_none_or(|basis| basis as usize >= kernels.objects().len())
}

fn number(file: &CertificateFile, name: &str) -> Option<f64> {
    used(&file.claim).number(name)
}

fn fits(q: &Question) -> Result<(), Trouble> {
    let good = |b: &Block| {
        let directions = b.basis.ncols();
        let charged = b.charge.as_ref().is_none_or(|p| p.dim() == (directions, directions));
        b.basis.nrows() == q.n() && directions > 0 && charged
    };
    if q.space.iter().all(good) { Ok(()) } else { Err(wrong("the basis does not fit the objects")) }
}

fn wrong(what: &str) -> Trouble {
    other_question(format!("the certificate is not about this question: {what}"))
}

fn check_identity(m: &Array2<f64>, times: f64) -> Result<(), Trouble> {
    let off = |((i, j), v): ((usize, usize), &f64)| (v - if i == j { times } else { 0.0 }).abs() > INSIDE * times;
    if m.nrows() != m.ncols() || m.indexed_iter().any(off) {
        return Err(wrong("what the map is charged is not what its settings say"));
    }
    Ok(())
}

fn centred(m: &Array2<f64>) -> Array2<f64> {
    let n = m.nrows() as f64;
    let mut out = m.clone();
    for mut column in out.columns_mut() {
        let mean = column.sum() / n;
        column.mapv_inplace(|v| v - mean);
    }
    out
}

fn length(m: &Array2<f64>, j: usize) -> f64 {
    m.column(j).iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Refuses a basis with a column outside the span of these.
fn inside(basis: &Array2<f64>, columns: &Array2<f64>) -> Result<(), Trouble> {
    let left = outside(basis, columns);
    if left.iter().enumerate().any(|(j, rest)| *rest > INSIDE * length(basis, j)) {
        return Err(wrong("its basis is not made of the columns of the kernel"));
    }
    Ok(())
}

/// How long each column is outside the span of others: Gram-Schmidt, the longest rest first, until only rounding is left.
fn outside(columns: &Array2<f64>, span: &Array2<f64>) -> Vec<f64> {
    let mut rest = span.clone();
    let mut own = columns.clone();
    let first = (0..rest.ncols()).map(|j| length(&rest, j)).fold(0.0, f64::max);
    for _ in 0..rest.ncols().min(rest.nrows()) {
        let longest =
            (0..rest.ncols()).fold(0, |best, j| if length(&rest, j) > length(&rest, best) { j } else { best });
        let size = length(&rest, longest);
        if size.is_nan() || size <= 1e-13 * first {
            break;
        }
        let axis = rest.column(longest).mapv(|v| v / size);
        for m in [&mut rest, &mut own] {
            for mut column in m.columns_mut() {
                let along = column.dot(&axis);
                column.scaled_add(-along, &axis);
            }
        }
    }
    (0..own.ncols()).map(|j| length(&own, j)).collect()
}
