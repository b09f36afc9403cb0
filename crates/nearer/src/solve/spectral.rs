//! Classical scaling of packed distances: the leading eigenpairs of `B = -½ H f(D) H`, with nothing of size n x n made
//! unless the whole spectrum is wanted.

use ndarray::{Array1, Array2, s};
use nearer_num::dense;
use nearer_num::lanczos::{self, Leading};
use nearer_num::packed::{self, Centred, row_sums};

use crate::error::Error;
use crate::geometry::Spectrum;
use crate::solve::{Clock, Stop};
use crate::transform::Shift;

/// Residuals of the partial eigensolver, relative to the largest eigenvalue; the eigenvalues are good to its square.
const TOLERANCE: f64 = 1e-9;
/// The same for the least eigenvalue alone, on which corrections stand.
const LEAST_TOLERANCE: f64 = 1e-11;
/// Up to this many objects the whole spectrum costs no more than a partial one.
pub(crate) const WHOLE: usize = 100;
/// An eigenvalue below this share of the largest is rounding.
const NOTHING: f64 = 1e-12;

/// The eigenvectors of a doubly centred matrix, and what is needed to make and to extend a map from them.
#[derive(Debug, Clone)]
pub(crate) struct Scaling {
    /// Eigenvalues that were asked for, largest first.
    pub values: Array1<f64>,
    /// Their eigenvectors in the columns.
    pub vectors: Array2<f64>,
    /// What is known of all eigenvalues.
    pub spectrum: Spectrum,
    /// Row means of the squared distances, the diagonal included.
    pub means: Array1<f64>,
    /// Whether the eigensolver came to its tolerance, or why not.
    pub stop: Stop,
    /// The correction that was applied.
    pub shift: Shift,
    /// Whether the eigenvalues are those of `-B`.
    pub mirrored: bool,
}

/// The operator `B` for distances under a correction. Off the diagonal `Squared(c)` adds `c`, which on the complement of
/// the ones is the same as adding `c/2` to every eigenvalue.
fn squares(shift: Shift) -> (impl Fn(f64) -> f64 + Copy + Sync, f64) {
    let (plain, squared) = match shift {
        Shift::None => (0.0, 0.0),
        Shift::Squared(c) => (0.0, c),
        Shift::Plain(c) => (c, 0.0),
    };
    (move |d: f64| (d + plain) * (d + plain), squared / 2.0)
}

/// Scales packed distances of `n` objects: the `k` largest eigenpairs, and the whole spectrum if `full`, which no clock ends.
pub(crate) fn scale(
    n: usize,
    values: &[f64],
    shift: Shift,
    k: usize,
    full: bool,
    clock: &Clock<'_>,
) -> Result<Scaling, Error> {
    let (entry, added) = squares(shift);
    let mut means = row_sums(n, values, entry) / n as f64;
    let trace = means.sum() / 2.0 + added * (n as f64 - 1.0);
    // The correction of the off-diagonal entries belongs into the means too.
    means += 2.0 * added * (n as f64 - 1.0) / n as f64;
    let mut operator = Centred::new(n, values, entry).shifted(added);
    if full {
        let b = matrix(n, values, entry, added);
        let (all, vectors) = dense::eigh(b.view()).map_err(failed)?;
        let vectors = vectors.slice(s![.., ..k.min(n)]).to_owned();
        let spectrum = Spectrum::complete(all.to_vec());
        return Ok(Scaling {
            values: all.slice(s![..k.min(n)]).to_owned(),
            vectors,
            spectrum,
            means,
            stop: Stop::Converged,
            shift,
            mirrored: false,
        });
    }
    let lead = lanczos::largest_while(n, k, TOLERANCE, |x| operator.apply(x), || !clock.late()).map_err(failed)?;
    let spectrum = Spectrum::leading(lead.values.to_vec(), trace, lead.least);
    let stop = stopped(&lead, clock);
    Ok(Scaling { values: lead.values, vectors: lead.vectors, spectrum, means, stop, shift, mirrored: false })
}

/// The `k` most negative eigenpairs, as if they were positive: what of the data no Euclidean map can show.
pub(crate) fn scale_negative(
    n: usize,
    values: &[f64],
    shift: Shift,
    k: usize,
    clock: &Clock<'_>,
) -> Result<Scaling, Error> {
    let mut scaling = scale(n, values, shift, n, true, clock)?;
    let last = |j: usize| n - 1 - j;
    scaling.vectors = Array2::from_shape_fn((n, k), |(i, j)| scaling.vectors[(i, last(j))]);
    scaling.values = Array1::from_shape_fn(k, |j| -scaling.values[last(j)]);
    scaling.mirrored = true;
    Ok(scaling)
}

/// The least eigenvalue of `B`, on the complement of the ones, with its eigenvector.
pub(crate) fn least(n: usize, values: &[f64], shift: Shift, clock: &Clock<'_>) -> Result<(f64, Array1<f64>), Error> {
    let (entry, added) = squares(shift);
    let mut operator = Centred::new(n, values, entry).shifted(added);
    // The ones are an eigenvector of B with eigenvalue 0; pushed up by the trace they cannot be the least.
    let far = values.iter().fold(0.0, |m: f64, v| m.max(entry(*v))) * n as f64;
    let apply = |x: &Array2<f64>| {
        let mut y = -operator.apply(x);
        for (mut out, column) in y.columns_mut().into_iter().zip(x.columns()) {
            let mean = column.sum() / n as f64;
            out.mapv_inplace(|v| v - far * mean);
        }
        y
    };
    let lead = lanczos::largest_while(n, 1, LEAST_TOLERANCE, apply, || !clock.late()).map_err(failed)?;
    Ok((-lead.values[0], lead.vectors.column(0).to_owned()))
}

/// `B` as a square matrix.
fn matrix(n: usize, values: &[f64], entry: impl Fn(f64) -> f64, added: f64) -> Array2<f64> {
    let mut b = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        for j in i + 1..n {
            let v = entry(values[packed::index(n, i, j)]) + 2.0 * added;
            b[(i, j)] = v;
            b[(j, i)] = v;
        }
    }
    double_centre(&mut b);
    b
}

/// Replaces a symmetric `a` by `-½ H a H`.
pub(crate) fn double_centre(a: &mut Array2<f64>) {
    let n = a.nrows() as f64;
    let means = a.sum_axis(ndarray::Axis(1)) / n;
    let all = means.sum() / n;
    for ((i, j), v) in a.indexed_iter_mut() {
        *v = -0.5 * (*v - means[i] - means[j] + all);
    }
}

impl Scaling {
    /// The coordinates `V Λ^½` in `dim` dimensions; a dimension without a positive eigenvalue is zero.
    pub(crate) fn points(&self, dim: usize) -> Array2<f64> {
        let n = self.vectors.nrows();
        Array2::from_shape_fn((n, dim), |(i, k)| match self.values.get(k) {
            Some(v) if *v > 0.0 => self.vectors[(i, k)] * v.sqrt(),
            _ => 0.0,
        })
    }

    /// The strain `|B - Y Yᵗ|²` of the map in `dim` dimensions (of `-B` for the negative eigenspace).
    pub(crate) fn strain(&self, n: usize, values: &[f64], dim: usize) -> f64 {
        let kept: f64 = self.values.iter().take(dim).map(|v| v.max(0.0).powi(2)).sum();
        (squared_norm(n, values, self.shift, &self.means) - kept).max(0.0)
    }

    /// How many of the first `dim` dimensions have a positive eigenvalue.
    pub(crate) fn positive(&self, dim: usize) -> usize {
        let floor = NOTHING * self.values.first().copied().unwrap_or(0.0).abs();
        self.values.iter().take(dim).filter(|v| **v > floor).count()
    }

    /// The Nyström extension, `y = ½ Λ^-½ Vᵗ (means - δ²)`, affine in the squared distances of a new object: its basis and offset.
    pub(crate) fn extension(&self, dim: usize) -> (Array2<f64>, Array1<f64>) {
        let n = self.vectors.nrows();
        let floor = NOTHING * self.values.first().copied().unwrap_or(0.0).abs();
        let sign = if self.mirrored { 0.5 } else { -0.5 };
        let basis = Array2::from_shape_fn((n, dim), |(i, k)| match self.values.get(k) {
            Some(v) if *v > floor => sign * self.vectors[(i, k)] / v.sqrt(),
            _ => 0.0,
        });
        let offset = -self.means.dot(&basis);
        (basis, offset)
    }
}

fn stopped(lead: &Leading, clock: &Clock<'_>) -> Stop {
    if lead.converged {
        Stop::Converged
    } else if clock.late() {
        Stop::TimeLimit
    } else {
        Stop::Stalled
    }
}

fn failed(_: dense::DidNotConverge) -> Error {
    Error::Numerical { what: "the eigen-decomposition of the centred distances".into() }
}

/// `|B|²`, the sum of the squares of all entries of the centred matrix: what strain is measured against.
fn squared_norm(n: usize, values: &[f64], shift: Shift, means: &Array1<f64>) -> f64 {
    let fourth = 2.0 * packed::sum_of(values, |d| shift.square(d) * shift.square(d));
    let all = means.sum() / n as f64;
    let n = n as f64;
    0.25 * (fourth - 2.0 * n * means.dot(means) + n * n * all * all)
}
