//! What each kernel contributes to a map, and how many comparisons it holds before anything is learned.

use ndarray::Array2;

use crate::evidence::{Comparisons, Kernels};
use crate::geometry::Spectrum;
use crate::report::{KernelReading, KernelShare};

/// How kernels are used, from the sum of squares about the centre that each makes and the weights of the landmarks in it.
pub(crate) fn reading(
    kernels: &[&str],
    landmarks: Vec<String>,
    parts: Vec<(f64, Vec<f64>)>,
    spectrum: &Spectrum,
    norm: f64,
) -> KernelReading {
    let total: f64 = parts.iter().map(|p| p.0).sum();
    let largest = parts.iter().flat_map(|p| p.1.iter()).fold(0.0, |m: f64, v| m.max(*v));
    let shares = kernels
        .iter()
        .zip(parts)
        .map(|(name, (own, weights))| KernelShare {
            name: (*name).to_owned(),
            share: if total > 0.0 { own / total } else { 0.0 },
            nonzero: weights.iter().filter(|w| **w > 1e-6 * largest).count(),
            weights,
            native: None,
        })
        .collect();
    let squares: f64 = spectrum.eigenvalues.iter().map(|v| v * v).sum();
    let effective_dimension = if squares > 0.0 { spectrum.trace.powi(2) / squares } else { 0.0 };
    KernelReading { landmarks, kernels: shares, effective_dimension, norm, native: None, learned: None }
}

/// What objects are like before anything is learned.
pub(crate) enum Native<'a> {
    Kernels(&'a Kernels),
    /// Features, a row for each object.
    Table(&'a Array2<f64>),
}

impl Native<'_> {
    /// The squared distance in one kernel, or in the table.
    fn within(&self, k: usize, i: usize, j: usize) -> f64 {
        match self {
            Native::Kernels(kernels) => {
                let m = kernels.matrix(k);
                m[(i, i)] + m[(j, j)] - 2.0 * m[(i, j)]
            }
            Native::Table(values) => apart(values, i, j),
        }
    }
    /// That in all of them side by side.
    fn side_by_side(&self, i: usize, j: usize) -> f64 {
        match self {
            Native::Kernels(kernels) => kernels.squared_distance(i, j),
            Native::Table(values) => apart(values, i, j),
        }
    }
}

/// How many comparisons hold before anything is learned, kernel by kernel and side by side, and in all dimensions of a solution.
pub(crate) fn compared(reading: &mut KernelReading, native: &Native<'_>, points: &Array2<f64>, c: &Comparisons) {
    let share = |d: &dyn Fn(usize, usize) -> f64| {
        let d = |p: crate::object::Pair| d(p.first().index(), p.second().index());
        c.iter().filter(|row| d(row.near) < d(row.far)).count() as f64 / c.len().max(1) as f64
    };
    for (k, one) in reading.kernels.iter_mut().enumerate() {
        one.native = Some(share(&|i, j| native.within(k, i, j)));
    }
    reading.native = Some(share(&|i, j| native.side_by_side(i, j)));
    reading.learned = Some(share(&|i, j| apart(points, i, j)));
}

fn apart(points: &Array2<f64>, i: usize, j: usize) -> f64 {
    points.row(i).iter().zip(points.row(j)).map(|(a, b)| (a - b) * (a - b)).sum()
}
