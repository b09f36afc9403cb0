//! A map as a function of features, whatever made it: `f(x_i) = y_i` by regression, offered as an approximation.

use ndarray::{Array1, Array2, Axis};
use nearer_num::{dense, principal};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::evidence::{Features, KernelKind, KernelSpec, Kernels, Width};
use crate::geometry::Embedding;
use crate::method::common;
use crate::model::{KernelMap, Model};
use crate::solve::{Run, Step, Stop};

/// Which functions a map is looked for among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Regressor {
    /// Kernel ridge regression with an rbf kernel; width and ridge are chosen by leaving each object out in turn.
    Kernel,
    /// Linear ridge regression; the ridge is chosen likewise.
    Linear,
}

/// How well features say where objects lie on a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RegressionReport {
    /// `kernel` or `linear`.
    pub by: String,
    /// Objects of the map with features, and how many of them it was learned from.
    pub objects: usize,
    /// Those it was learned from: a sample where there are many.
    pub learned_from: usize,
    /// The width of the kernel, as a multiple of the median distance.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub width: Option<f64>,
    /// The ridge, as a share of the largest eigenvalue.
    pub ridge: f64,
    /// Root mean squared distance of the objects it was learned from to their places, as a share of the radius of the map.
    pub training_error: f64,
    /// The same for objects that were left out, a fifth at a time, everything chosen without them.
    pub held_out_error: f64,
    /// The share of the variance of each axis that is told of objects left out.
    pub held_out_r2: Vec<f64>,
}

/// Objects that a kernel is learned from at most, and those that its width is chosen on.
const LEARNED_FROM: usize = 1500;
const CHOSEN_ON: usize = 400;
const FOLDS: usize = 5;
/// Fewest objects that say how good a function is.
const LEAST: usize = 10;
const WIDTHS: [f64; 5] = [0.125, 0.25, 0.5, 1.0, 2.0];
const RIDGES: [f64; 9] = [1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2];

/// A model that places by features on a map that was made of something else: the smooth function that is nearest to the map at its
/// objects. It is an approximation, and its error for objects that it has not seen is told.
///
/// # Fails
/// [`Error::Evidence`] where fewer than 10 objects of the map have features, or these do not vary.
/// # Reference
/// Bengio et al. (2004) on why; Saunders, Gammerman and Vovk (1998) for kernel ridge regression.
///
/// ```
/// use nearer::{Embed, Run, method::{Mvu, Regressor, regress}, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (roll, _) = toy::swiss_roll(120, 1);
/// let map = Mvu::new(2).fit(&roll)?.embedding;             // places by distances only
/// let (model, report) = regress(&map, &roll, Regressor::Kernel, &Run::default())?;
/// assert!(report.held_out_error < 0.3);
/// assert_eq!(model.place_tables(&[(None, &roll)])?.dim(), 2);
/// # Ok(()) }
/// ```
pub fn regress(
    map: &Embedding,
    features: &Features,
    by: Regressor,
    run: &Run<'_>,
) -> Result<(Model, RegressionReport), Error> {
    let index = map.objects().index();
    let order = features.objects().label_order().unwrap_or_else(|| (0..features.len()).collect());
    let labels = features.objects().labels();
    let both: Vec<usize> = order.into_iter().filter(|&i| index.contains_key(labels[i].as_str())).collect();
    if both.len() < LEAST {
        return Err(Error::Evidence {
            what: format!("{} objects of the map have features, and a function needs {LEAST} at least", both.len()),
            remedy: "give the features of the objects of the map, with the same labels".into(),
        });
    }
    let most = if by == Regressor::Kernel { LEARNED_FROM } else { usize::MAX };
    let step = both.len().div_ceil(most);
    let kept: Vec<usize> = both.iter().copied().step_by(step).collect();
    let x = features.subset(&kept);
    let y = map.points().select(Axis(0), &kept.iter().map(|&i| index[labels[i].as_str()].index()).collect::<Vec<_>>());
    run.install(|| {
        let clock = run.clock();
        let radius = spread(&y).sqrt();
        if radius == 0.0 {
            return Err(Error::Evidence {
                what: "all these objects lie at one place of the map".into(),
                remedy: "there is nothing to learn".into(),
            });
        }
        let learned = learn(&x, &y, by)?;
        let trained = learned.model.place_tables(&[(None, &x)])?;
        let mut errors = Array1::<f64>::zeros(y.ncols());
        for fold in 0..FOLDS {
            if let Some(stop) = clock.tick(&Step::new("leaving objects out", (0, 1), fold, Some(FOLDS), 0.0)) {
                return Err(match stop {
                    Stop::TimeLimit => Error::Evidence {
                        what: "the time was up before the error was known".into(),
                        remedy: "give it more time, or use the linear form".into(),
                    },
                    _ => Error::Cancelled,
                });
            }
            let (out, rest): (Vec<usize>, Vec<usize>) = (0..x.len()).partition(|i| i % FOLDS == fold);
            let fitted = learn(&x.subset(&rest), &y.select(Axis(0), &rest), by)?;
            let placed = fitted.model.place_tables(&[(None, &x.subset(&out))])?;
            let off = placed.points() - &y.select(Axis(0), &out);
            errors = errors + off.map_axis(Axis(0), |c| c.dot(&c));
        }
        let centred = &y - &y.mean_axis(Axis(0)).unwrap_or_default();
        let variance = centred.map_axis(Axis(0), |c| c.dot(&c));
        let report = RegressionReport {
            by: if by == Regressor::Kernel { "kernel" } else { "linear" }.into(),
            objects: both.len(),
            learned_from: x.len(),
            width: learned.width,
            ridge: learned.ridge,
            training_error: rms(&(trained.points() - &y)) / radius,
            held_out_error: (errors.sum() / x.len() as f64).sqrt() / radius,
            held_out_r2: errors.iter().zip(&variance).map(|(e, v)| if *v > 0.0 { 1.0 - e / v } else { 1.0 }).collect(),
        };
        Ok((learned.model, report))
    })
}

/// The mean squared distance from the middle.
fn spread(y: &Array2<f64>) -> f64 {
    let centred = y - &y.mean_axis(Axis(0)).unwrap_or_default();
    centred.iter().map(|v| v * v).sum::<f64>() / y.nrows() as f64
}

fn rms(off: &Array2<f64>) -> f64 {
    (off.iter().map(|v| v * v).sum::<f64>() / off.nrows() as f64).sqrt()
}

struct Learned {
    model: Model,
    width: Option<f64>,
    ridge: f64,
}

/// Ridge regression in an orthonormal basis: fitted values are `U μ/(μ + ridge) Uᵗ y`.
struct Basis {
    u: Array2<f64>,
    eigenvalues: Array1<f64>,
}

impl Basis {
    /// The ridge, as a share of the largest eigenvalue, with the least error of leaving each object out in turn, and that error:
    /// `Σ |residual|² / (1 - h)²`. Where a narrow kernel interpolates both are as small as the ridge, so neither is taken as a difference of numbers near one:
    /// in a whole basis residual and `1 - h` are sums of `ridge / (μ + ridge)`.
    fn best(&self, y: &Array2<f64>) -> (f64, f64) {
        let (n, along) = (y.nrows(), self.u.t().dot(y));
        let whole = self.u.ncols() == n;
        let squares = &self.u * &self.u;
        // The constant vector is in a whole basis and in none of the errors: the mean is always fitted.
        let nothing = self.eigenvalues.iter().filter(|v| **v <= NOTHING * self.eigenvalues[0]).count();
        let of = |ridge: f64| {
            let add = ridge * self.eigenvalues[0];
            let lost = self.eigenvalues.mapv(|v| add / (v + add));
            let (off, left) = if whole {
                let but_constant: Array1<f64> =
                    lost.iter().enumerate().map(|(k, l)| if nothing == 1 && k + 1 == n { 0.0 } else { *l }).collect();
                let mean = if nothing == 1 { 0.0 } else { 1.0 / n as f64 };
                ((&self.u * &lost).dot(&along), squares.dot(&but_constant) - mean)
            } else {
                let kept = lost.mapv(|l| 1.0 - l);
                (y - &(&self.u * &kept).dot(&along), 1.0 - squares.dot(&kept) - 1.0 / n as f64)
            };
            let one = |(row, left): (ndarray::ArrayView1<'_, f64>, &f64)| row.dot(&row) / left.max(1e-14).powi(2);
            off.rows().into_iter().zip(&left).map(one).sum::<f64>()
        };
        let all = RIDGES.map(|ridge| (ridge, of(ridge)));
        all.into_iter().fold((RIDGES[0], f64::INFINITY), |best, one| if one.1 < best.1 { one } else { best })
    }
}

/// Eigenvalues below this share of the largest are rounding of none.
const NOTHING: f64 = 1e-14;

fn failed<E>(_: E) -> Error {
    Error::Numerical { what: "the eigen-decomposition of the features".into() }
}

/// The kernels of a width, and their orthonormal basis.
fn basis_of(x: &Features, width: f64) -> Result<(Kernels, Basis), Error> {
    let rbf = KernelSpec::new("features", KernelKind::Rbf { width: Width::Median(width) });
    let kernels = Kernels::new(x.objects(), &[(rbf, Some(x))])?;
    let (values, vectors) = dense::eigh(kernels.matrix(0).view()).map_err(failed)?;
    Ok((kernels, Basis { u: vectors, eigenvalues: values.mapv(|v| v.max(0.0)) }))
}

fn learn(x: &Features, y: &Array2<f64>, by: Regressor) -> Result<Learned, Error> {
    let mean = y.mean_axis(Axis(0)).unwrap_or_default();
    let centred = y - &mean;
    match by {
        Regressor::Kernel => {
            let step = x.len().div_ceil(CHOSEN_ON);
            let few: Vec<usize> = (0..x.len()).step_by(step).collect();
            let (some, of_some) = (x.subset(&few), centred.select(Axis(0), &few));
            let of_some = &of_some - &of_some.mean_axis(Axis(0)).unwrap_or_default();
            let mut best = (WIDTHS[0], f64::INFINITY);
            for width in WIDTHS {
                let (_, error) = basis_of(&some, width)?.1.best(&of_some);
                if error < best.1 {
                    best = (width, error);
                }
            }
            let (kernels, basis) = basis_of(x, best.0)?;
            let (ridge, _) = basis.best(&centred);
            let add = ridge * basis.eigenvalues[0];
            let along = basis.u.t().dot(&centred) / &basis.eigenvalues.mapv(|v| v + add).insert_axis(Axis(1));
            let model = KernelMap::new(&kernels, vec![basis.u.dot(&along)])?.moved(&mean);
            Ok(Learned { model: model.into(), width: Some(best.0), ridge })
        }
        Regressor::Linear => {
            let found = principal::principal(x.values().view(), x.columns().len(), || true).map_err(failed)?;
            let there = found.axes.ncols();
            if there == 0 {
                return Err(super::pca::nothing_varies(x));
            }
            let squares: Array1<f64> = found.squares.iter().take(there).copied().collect();
            let scores = (x.values() - &found.mean).dot(&found.axes);
            let basis = Basis { u: &scores / &squares.mapv(f64::sqrt), eigenvalues: squares };
            let (ridge, _) = basis.best(&centred);
            let add = ridge * basis.eigenvalues[0];
            let along =
                basis.u.t().dot(&centred) * basis.eigenvalues.mapv(|v| v.sqrt() / (v + add)).insert_axis(Axis(1));
            let map = found.axes.dot(&along);
            // y = Bᵗ (x - mean) + m is Bᵗ (x - mean + c) with Bᵗ c = m, the least such c.
            let svd = dense::svd(map.view()).map_err(failed)?;
            let inverse = svd.s.mapv(|s| if s > 1e-10 * svd.s[0] { 1.0 / s } else { 0.0 });
            let shift = svd.u.dot(&(&svd.v.t().dot(&mean) * &inverse));
            let linear = common::linear(x, map, &found.mean - &shift)?;
            Ok(Learned { model: linear.into(), width: None, ridge })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each object left out in truth: `[K + λ, 1; 1ᵗ, 0]` solved without it, for a wide kernel and for one so narrow that it interpolates.
    #[test]
    fn the_error_of_leaving_one_out_is_that_of_leaving_one_out() {
        let n = 24;
        let mut rng = nearer_num::rng::Rng::task(6, 6);
        let x = Array2::from_shape_simple_fn((n, 3), || rng.normal());
        let y = Array2::from_shape_fn((n, 1), |(i, _)| (x[(i, 0)] + 0.5 * x[(i, 1)] * x[(i, 2)]).sin());
        let y = &y - y.mean().unwrap();
        let features = Features::new(crate::object::Objects::numbered(n), ["a", "b", "c"], x).unwrap();
        for width in [2.0, 0.5, 0.125] {
            let (kernels, basis) = basis_of(&features, width).unwrap();
            let (ridge, told) = basis.best(&y);
            let (k, add) = (kernels.matrix(0), ridge * basis.eigenvalues[0]);
            let mut truth = 0.0;
            for out in 0..n {
                let rest: Vec<usize> = (0..n).filter(|i| *i != out).collect();
                let m = rest.len();
                let entry = |a: usize, b: usize| match (a < m, b < m) {
                    (true, true) => k[(rest[a], rest[b])] + if a == b { add } else { 0.0 },
                    (false, false) => 0.0,
                    _ => 1.0,
                };
                let system = Array2::from_shape_fn((m + 1, m + 1), |(a, b)| entry(a, b));
                let svd = dense::svd(system.view()).unwrap();
                let right = Array1::from_iter((0..=m).map(|a| if a < m { y[(rest[a], 0)] } else { 0.0 }));
                let solved = svd.v.dot(&(svd.u.t().dot(&right) / &svd.s));
                let predicted: f64 = (0..m).map(|a| solved[a] * k[(out, rest[a])]).sum::<f64>() + solved[m];
                truth += (predicted - y[(out, 0)]).powi(2);
            }
            assert!((told - truth).abs() < 1e-4 * truth, "width {width}: {told} {truth}");
        }
    }
}
