//! Where the first minimisation starts.

use ndarray::{Array1, Array2, Axis};
use nearer_num::rng::Rng;

use super::active_rows::ActiveRows;
use super::rank;
use crate::error::Error;
use crate::program::{Candidate, GramProgram};

// Chosen by trial on the instances of `bench/convex.py`; not swept.

/// The shortest column of the first factor has this share of what the eigenvalues make of the longest, by squares, and all columns this
/// much noise: what is exactly nothing would stay so.
const SHORTEST: f64 = 0.05;
const NOISE: f64 = 1e-3;
/// Sizes that are tried: so many from a millionth of the natural one on, each larger by this power of ten, six hundred times it at last.
const SIZES: u32 = 40;
const FROM: f64 = -6.0;
const APART: f64 = 0.225;

/// Columns of the first factor: noisy rows of many objects make many directions, and climbing to them a few a round takes most
/// of the time.
fn columns(program: &GramProgram) -> usize {
    let n = program.objects();
    let many = program.trace_bound.is_none() && program.rows.len() > 20 * n;
    if many { (n / 20).clamp(6, 60) } else { 6 }
}

/// The directions in which the dual matrix is lowest at the largest multipliers, as long as it pays.
pub(super) fn factors(program: &GramProgram, play: &ActiveRows<'_>, seed: u64) -> Result<Vec<Array2<f64>>, Error> {
    let y: Vec<f64> = (0..program.rows.len())
        .map(|t| if program.rows.high[t].is_finite() { program.rows.high[t] } else { 0.0 })
        .collect();
    let weights = program.weights(&y, &[]);
    let mut rng = Rng::task(seed, 0x6c6f_7772);
    let mut factors = Vec::new();
    for lowest in rank::Spectra::new(program, &weights, columns(program), &[])?.pairs() {
        let (values, vectors) = (&lowest.values, &lowest.vectors);
        let top = values.iter().fold(f64::NEG_INFINITY, |m: f64, v| m.max(*v));
        let low = values.iter().fold(f64::INFINITY, |m: f64, v| m.min(*v));
        let lengths =
            Array1::from_iter(values.iter().map(|v| ((top - v).max(0.0) + SHORTEST * (top - low)).max(1e-9).sqrt()));
        let mut factor = vectors * &lengths;
        let size = factor.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        factor.mapv_inplace(|v| v + NOISE * size * rng.normal());
        factors.push(factor);
    }
    Ok(sized(program, play, factors))
}

/// The same factors at the size that costs least.
fn sized(program: &GramProgram, play: &ActiveRows<'_>, factors: Vec<Array2<f64>>) -> Vec<Array2<f64>> {
    if program.trace_bound.is_some() {
        return factors;
    }
    let square: f64 = factors.iter().flat_map(|f| f.iter()).map(|v| v * v).sum();
    let natural = program.objects() as f64 / square.max(f64::MIN_POSITIVE);
    let sizes: Vec<f64> = (0..SIZES).map(|k| natural * 10f64.powf(FROM + APART * f64::from(k))).collect();
    let at = |size: f64| {
        let root = (size * play.unit).sqrt();
        let candidate = Candidate::free(Array2::zeros((0, 0)), Vec::new());
        Candidate { factors: factors.iter().map(|f| f * root).collect(), ..candidate }
    };
    let values = program.along(&at(1.0), &sizes).unwrap_or_else(|| {
        let one = |size: &f64| program.attained(&at(*size)).map_or(f64::INFINITY, |attained| attained.value);
        sizes.iter().map(one).collect()
    });
    let mut best = (f64::INFINITY, 1.0);
    for (value, size) in values.into_iter().zip(sizes) {
        if value < best.0 {
            best = (value, size);
        }
    }
    factors.into_iter().map(|f| f * best.1.sqrt()).collect()
}

/// Centred where that is free, and at the bound on the trace where there is one.
pub(super) fn on_sphere(play: &ActiveRows<'_>, mut factors: Vec<Array2<f64>>) -> Vec<Array2<f64>> {
    if factors.len() == 1
        && play.is_free()
        && let Some(mean) = factors[0].mean_axis(Axis(0))
    {
        factors[0] -= &mean;
    }
    if let Some(r) = play.sphere {
        let square: f64 = factors.iter().flat_map(|f| f.iter()).map(|v| v * v).sum();
        let scale = (r / square.max(f64::MIN_POSITIVE)).sqrt();
        factors.iter_mut().for_each(|f| *f *= scale);
    }
    factors
}
