//! The nearest Euclidean distance matrix, with a bound that shows how near the nearest can be.

use std::cell::RefCell;

use ndarray::{Array1, Array2, s};
use nearer_num::{dense, lbfgs};

use crate::error::Error;
use crate::evidence::Distances;
use crate::fit::{Embed, Fit};
use crate::geometry::{Embedding, Spectrum};
use crate::method::common::{self, DIM};
use crate::method::cost::Needs;
use crate::method::distances::descents::MAX_ITER;
use crate::method::distances::order;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::{Anchors, Loss, Transform};
use crate::report::{FitReport, Input};
use crate::settings::{configured, settable};
use crate::solve::spectral::double_centre;
use crate::solve::{Run, Step, Stop};

/// The nearest Euclidean distance matrix.
///
/// Finds the matrix `X` of squared distances between points (in any number of dimensions) that minimises `|X - D²|`, the
/// Frobenius norm against the squared data: the projection of `D²` onto the convex cone `HXH ⪯ 0` within the matrices of
/// zero diagonal. Plain alternating projections end at some other point; Dykstra's correction (Glunt, Hayden, Hong and
/// Wells 1990) ends at the projection, and amounts to gradient steps on the dual: over numbers `y` for the diagonal,
/// minimise `½ |P(D² - Diag y)|²`, `P(F) = F - (HFH)₊`, whose gradient is minus the diagonal of `P`. Here that smooth convex
/// function is minimised by limited-memory BFGS, and every `y` gives a lower bound on the distance, so the report says
/// how far from the nearest the matrix can be at most (`gap`). The map is the first `dim` principal axes.
///
/// # Takes
/// [`Distances`], complete and exact.
/// # Places
/// New objects by minimising their own `Σ (δ² - d²)²`, the same loss, in all dimensions of the solution.
/// # Cost
/// One `n x n` eigendecomposition an iteration, `O(n³)`; five `n x n` matrices. For up to about a thousand objects.
/// # Reference
/// Glunt, Hayden, Hong and Wells (1990); Dykstra (1983).
///
/// ```
/// use nearer::{Embed, method::NearestEdm, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = NearestEdm::new(2).fit(&toy::cities())?;
/// let gap: f64 = fit.report.figures["gap"].number().unwrap();
/// assert!(gap < 1e-6);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NearestEdm {
    dim: usize,
    gap: f64,
    max_iter: usize,
}

configured!(NearestEdm { dim: "dim", gap: "gap", max_iter: "max-iter" });

pub(crate) static METHOD: Method = Method {
    name: "nearest-edm",
    aliases: &["edm"],
    summary: "the nearest matrix of true Euclidean distances, with a bound on how near the nearest can be",
    solves: "min |X - D²| over squared Euclidean distance matrices X",
    ways: &[way::<NearestEdm, Distances>()],
    parameters: &[
        DIM,
        Parameter::number("gap", Kind::Number { min: 1e-14, max: 1.0 }, 1e-7)
            .says("end when the distance is within this share of its lower bound"),
        MAX_ITER,
    ],
    places: "the new point's own squared S-stress is minimised in all dimensions of the solution, old points fixed",
    cost: "O(n³) time per iteration; five n x n matrices",
    reference: "Glunt, Hayden, Hong & Wells 1990; Dykstra 1983",
    needs: |s, _| Needs::new(9e-9 * s.n().powi(3), s.triangle() + 40.0 * s.n().powi(2)),
    again: again::<NearestEdm>,
};

impl NearestEdm {
    /// A map of `dim` dimensions of the nearest matrix, to a gap of 1e-7.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        NearestEdm { dim, gap: 1e-7, max_iter: 1000 }
    }
    settable! {
        /// Ends when the distance is within this share of its lower bound.
        gap: f64,
        /// At most this many iterations.
        max_iter: usize,
    }
}

/// The points of the nearest matrix, in all its dimensions, and what is known of how near it is.
struct Nearest {
    points: Array2<f64>,
    eigenvalues: Array1<f64>,
    distance: f64,
    bound: f64,
}

impl Nearest {
    fn gap(&self, scale: f64) -> f64 {
        (self.distance - self.bound) / self.distance.max(self.bound).max(1e-6 * scale)
    }
}

/// `(HFH)₊`, and the points whose squared distances belong to `P(F)`.
struct Split {
    positive: Array2<f64>,
    values: Array1<f64>,
    vectors: Array2<f64>,
}

/// The eigenvectors of `-½ HFH`, and `(HFH)₊` from those that are negative.
fn split(f: &Array2<f64>) -> Result<Split, Error> {
    let mut b = f.clone();
    double_centre(&mut b);
    let (values, vectors) = dense::eigh(b.view())
        .map_err(|_| Error::Numerical { what: "the eigen-decomposition of the centred distances".into() })?;
    let first = values.iter().position(|v| *v < 0.0).unwrap_or(values.len());
    let negative = vectors.slice(s![.., first..]);
    let scaled = &negative * &values.slice(s![first..]).mapv(|v| -2.0 * v);
    Ok(Split { positive: scaled.dot(&negative.t()), values, vectors })
}

/// The candidate and the bound that `y` gives.
fn judge(a: &Array2<f64>, y: &[f64]) -> Result<(Nearest, Array2<f64>), Error> {
    let mut f = a.clone();
    f.diag_mut().iter_mut().zip(y).for_each(|(f, y)| *f -= y);
    let split = split(&f)?;
    let projected = &f - &split.positive;
    let norm2 = |m: &Array2<f64>| m.iter().map(|v| v * v).sum::<f64>();
    let bound = (norm2(a) - norm2(&projected)).max(0.0).sqrt();
    let rank = split.values.iter().take_while(|v| **v > 1e-12 * split.values[0].abs()).count();
    let points = &split.vectors.slice(s![.., ..rank]) * &split.values.slice(s![..rank]).mapv(f64::sqrt);
    let gram = points.dot(&points.t());
    let distance = a
        .indexed_iter()
        .map(|((i, j), v)| (v - (gram[(i, i)] + gram[(j, j)] - 2.0 * gram[(i, j)])).powi(2))
        .sum::<f64>()
        .sqrt();
    Ok((Nearest { points, eigenvalues: split.values, distance, bound }, projected))
}

impl Embed<&Distances> for NearestEdm {
    type Model = Anchors;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        order::by_label(d, run, |d| self.in_order(d, run))
    }
}

impl NearestEdm {
    fn in_order(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        common::require(d, self.dim, "nearest-edm")?;
        d.require_complete("nearest-edm")?;
        let n = d.len();
        METHOD.afford(d, self, run, "use metric-mds, which needs no n x n matrix")?;
        let a = Array2::from_shape_fn((n, n), |(i, j)| d.between(i, j).unwrap_or(0.0).powi(2));
        let scale = a.iter().map(|v| v * v).sum::<f64>().sqrt();
        let clock = run.clock();
        // Shared by the two closures of the descent: one finds better candidates, the other looks at the gap.
        let best = RefCell::new(judge(&a, &vec![0.0; n])?.0);
        let (mut stopped, mut failed) = (None, None);
        let settings = lbfgs::Settings {
            iterations: self.max_iter,
            gradient: 1e-15 * scale,
            decrease: Some(0.0),
            memory: 12,
            guess: lbfgs::Guess::Times(1.0),
        };
        let outcome = lbfgs::minimise(
            &mut vec![0.0; n],
            &settings,
            |y, gradient| match judge(&a, y) {
                Ok((candidate, projected)) => {
                    let mut best = best.borrow_mut();
                    let bound = best.bound.max(candidate.bound);
                    if candidate.distance < best.distance {
                        *best = candidate;
                    }
                    best.bound = bound;
                    gradient.iter_mut().zip(projected.diag()).for_each(|(g, v)| *g = -v);
                    0.5 * projected.iter().map(|v| v * v).sum::<f64>()
                }
                Err(e) => {
                    failed = Some(e);
                    gradient.fill(0.0);
                    f64::INFINITY
                }
            },
            |iteration, value| {
                stopped = clock.tick(&Step::new("projecting", (0, 1), iteration, Some(self.max_iter), value));
                stopped.is_none() && best.borrow().gap(scale) > self.gap
            },
        );
        let best = best.into_inner();
        if let Some(e) = failed {
            return Err(e);
        }
        let gap = best.gap(scale);
        let stop = match (stopped, outcome.end) {
            _ if gap <= self.gap => Stop::Converged,
            (Some(stop), _) => stop,
            (None, lbfgs::End::IterationLimit) => Stop::IterationLimit,
            (None, _) => Stop::Stalled,
        };

        let rank = best.points.ncols();
        let (full, _) = common::posed(Embedding::new(d.objects().clone(), padded(&best.points, self.dim))?)?;
        let embedding = Embedding::new(d.objects().clone(), full.points().slice(s![.., ..self.dim]).to_owned())?;
        let mut report = FitReport::new("nearest-edm", n, self.dim, run.seed())
            .figure("rank", rank)
            .figure("bound", best.bound)
            .figure("gap", gap)
            .figure("relative-distance", best.distance / scale);
        report.by(self);
        report.input = Input::from(d);
        report.stop = stop;
        report.iterations = outcome.iterations;
        report.objective = best.distance;
        report.objective_is =
            "distance |X - D²| to the squared data; no Euclidean matrix is nearer than `bound`".into();
        report.stress1 = Some(common::stress1(&embedding, d));
        report.spectrum = Some(Spectrum::complete(best.eigenvalues.iter().map(|v| v.max(0.0)).collect()));
        if stop != Stop::Converged {
            report.warnings.push(format!("the gap is {gap:.1e}, wider than {:.1e}", self.gap));
        }
        let model = Anchors::new(full, Loss::SquaredStress, Transform::Identity, self.dim);
        Ok(Fit::new(embedding, model, report))
    }
}

/// The same points with zero coordinates added up to `dim`.
fn padded(points: &Array2<f64>, dim: usize) -> Array2<f64> {
    Array2::from_shape_fn((points.nrows(), points.ncols().max(dim)), |(i, k)| {
        points.get((i, k)).copied().unwrap_or(0.0)
    })
}
