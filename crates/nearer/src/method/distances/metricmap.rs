//! MetricMap: the Nyström variant whose origin is one of the landmarks.

use ndarray::{Array1, Array2};
use nearer_num::dense;

use crate::error::Error;
use crate::evidence::{DistanceRows, Distances};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::distances::landmark::{self, Base, CHOICE, Choice, FromLandmarks, LANDMARKS};
use crate::method::table::{Method, again, way};
use crate::model::{Landmarks, Shift};
use crate::report::FitReport;
use crate::solve::Run;

/// MetricMap.
///
/// Takes the most central landmark `o` (least sum of squares) as origin and the inner products `Mᵢⱼ = ½ (δ²ᵢₒ + δ²ⱼₒ - δ²ᵢⱼ)` of the others, and from
/// the eigenvectors of the largest eigenvalues `y = Λ^-½ Vᵗ b`, `bᵢ = ½ (δ²ₒ + δ²ᵢₒ - δ²ᵢ)`. It differs from landmark MDS in
/// that the origin is an object and not the mean of the landmarks, so one bad row spoils all; it is here to be compared.
/// Negative eigenvalues, which the original keeps as imaginary axes, are left out and said.
///
/// # Takes
/// [`Distances`], complete and exact, or [`DistanceRows`] from every object to the landmarks.
/// # Places
/// New objects from their distances to the landmarks, by the same formula.
/// # Cost
/// `O(m³ + n m dim)` time, `O(m² + n dim)` memory beside the data.
/// # Reference
/// Wang, Wang, Lin, Shasha, Shapiro and Zhang (1999); Platt (2005).
///
/// ```
/// use nearer::{Embed, method::MetricMap, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let d = toy::gaussian(60, 2, 4);
/// let fit = MetricMap::new(2).landmarks(10).fit(&d)?;
/// assert!((fit.embedding.distance(3, 40) - d.between(3, 40).unwrap()).abs() < 1e-6);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MetricMap {
    dim: usize,
    landmarks: usize,
    choice: Choice,
}

pub(crate) static METHOD: Method = Method {
    name: "metricmap",
    aliases: &[],
    summary: "the Nyström variant with a landmark as origin, kept for comparison",
    solves: "eigenvectors of M = ½ (δ²ᵢₒ + δ²ⱼₒ - δ²ᵢⱼ) over the landmarks",
    ways: &[way::<MetricMap, Distances>(), way::<MetricMap, DistanceRows>()],
    parameters: &[DIM, LANDMARKS, CHOICE],
    places: "the same affine map of squared landmark distances",
    cost: "O(m³ + n·m·dim) time for m landmarks; rows are streamed",
    reference: "Wang et al. 1999; Platt 2005",
    needs: landmark::needs,
    again: again::<MetricMap>,
};

landmark::setters!(MetricMap);
landmark::embeds!(MetricMap);

impl FromLandmarks for MetricMap {
    fn name(&self) -> &'static str {
        "metricmap"
    }
    fn dim(&self) -> usize {
        self.dim
    }
    fn landmarks(&self, d: &Distances, seed: u64) -> Vec<usize> {
        super::landmark::choose(d, self.landmarks.max(self.dim + 1), self.choice, seed)
    }
    fn base(&self, d: &Distances, run: &Run<'_>) -> Result<Base, Error> {
        let seed = run.seed();
        let m = d.len();
        let square = |i: usize, j: usize| d.between(i, j).unwrap_or(0.0).powi(2);
        let spread = |i: &usize| (0..m).map(|j| square(*i, j)).sum::<f64>();
        let origin = (0..m).min_by(|a, b| spread(a).total_cmp(&spread(b))).unwrap_or(0);
        let others: Vec<usize> = (0..m).filter(|&i| i != origin).collect();
        let inner = Array2::from_shape_fn((m - 1, m - 1), |(a, b)| {
            let (i, j) = (others[a], others[b]);
            0.5 * (square(i, origin) + square(j, origin) - square(i, j))
        });
        let (values, vectors) = dense::eigh(inner.view()).map_err(|_| Error::Numerical {
            what: "the eigen-decomposition of the landmarks' inner products".into(),
        })?;
        let mut basis = Array2::<f64>::zeros((m, self.dim));
        let mut offset = Array1::<f64>::zeros(self.dim);
        let floor = 1e-12 * values[0].abs();
        let positive = values.iter().take(self.dim).filter(|v| **v > floor).count();
        for k in 0..positive {
            for (a, &i) in others.iter().enumerate() {
                let v = 0.5 * vectors[(a, k)] / values[k].sqrt();
                basis[(i, k)] = -v;
                basis[(origin, k)] += v;
                offset[k] += v * square(i, origin);
            }
        }
        let mut report = FitReport::new("metricmap", m, self.dim, seed);
        report.became("landmarks", m);
        report.by(self);
        report.objective = values.iter().skip(positive).map(|v| v * v).sum();
        report.objective_is = "squares of the eigenvalues left out".into();
        if positive < self.dim {
            report.warnings.push(format!(
                "only {positive} of {} dimensions have a positive eigenvalue; the others are zero",
                self.dim
            ));
        }
        let worst = -values[values.len() - 1];
        if worst > values[positive.saturating_sub(1)] {
            report.warnings.push(format!(
                "a negative eigenvalue ({:.4}) is larger in size than one that is kept: the distances are far from Euclidean",
                -worst
            ));
        }
        Ok(Base { model: Landmarks::new(d.objects().clone(), basis, offset, Shift::None), report })
    }
}
