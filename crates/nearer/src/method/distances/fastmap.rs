//! FastMap: one pair of far objects an axis, what they explain taken away before the next.

use ndarray::{Array1, Array2};
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::{DistanceRows, Distances};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::distances::landmark::{self, Base, FromLandmarks};
use crate::method::table::{Method, again, way};
use crate::model::{Landmarks, Shift};
use crate::report::FitReport;
use crate::settings::configured;
use crate::solve::Run;

/// FastMap.
///
/// An axis runs through two objects `a`, `b` that lie far apart: `y = (δ²ₐ + δ²ₐᵦ - δ²ᵦ) / 2δₐᵦ`; then `y` is taken out of
/// all distances, `δ² - (y - y')²`, and the next axis is found in what is left. Since differences of squares of `y` are
/// linear in `y`, every coordinate is affine in the squared distances to the pivots, and new objects need only those.
/// It equals classical scaling only when `dim` reaches the true dimension of Euclidean data; kept for comparison.
///
/// # Takes
/// [`Distances`], complete and exact, or [`DistanceRows`] (pivots are then found among the columns).
/// # Places
/// New objects from their distances to the `2 dim` pivots, by the same formula: exact for old objects.
/// # Cost
/// `O(n dim²)` time and `O(n dim)` memory beside the data: the cheapest of all, and the roughest.
/// # Reference
/// Faloutsos and Lin (1995); Platt (2005).
///
/// ```
/// use nearer::{Embed, method::FastMap, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let d = toy::gaussian(50, 2, 4);
/// let fit = FastMap::new(2).fit(&d)?;
/// assert!((fit.embedding.distance(3, 40) - d.between(3, 40).unwrap()).abs() < 1e-6);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FastMap {
    dim: usize,
}

configured!(FastMap { dim: "dim" });

pub(crate) static METHOD: Method = Method {
    name: "fastmap",
    aliases: &[],
    summary: "one pair of pivots an axis, then deflation: the cheapest map, kept for comparison",
    solves: "y = (δ²ₐ + δ²ₐᵦ - δ²ᵦ) / 2δₐᵦ, axis by axis on what is left",
    ways: &[way::<FastMap, Distances>(), way::<FastMap, DistanceRows>()],
    parameters: &[DIM],
    places: "the same affine map of squared distances to the pivots; exact for old objects",
    cost: "O(n·dim²) time",
    reference: "Faloutsos & Lin 1995; Platt 2005",
    needs: |s, settings| landmark::needs(s, &settings.clone().with("landmarks", 2usize)),
    again: again::<FastMap>,
};

impl FastMap {
    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        FastMap { dim }
    }
}

/// What is left of a squared distance after the axes found so far.
fn left(d: &Distances, points: &Array2<f64>, axes: usize, i: usize, j: usize) -> f64 {
    let taken: f64 = (0..axes).map(|k| (points[(i, k)] - points[(j, k)]).powi(2)).sum();
    d.between(i, j).unwrap_or(0.0).powi(2) - taken
}

/// Two objects far apart in what is left: from a random one to the farthest, a few times over.
fn pivots(d: &Distances, points: &Array2<f64>, axis: usize, rng: &mut Rng) -> (usize, usize) {
    let farthest = |from: usize| {
        let length = |i: usize| left(d, points, axis, from, i);
        (0..d.len()).max_by(|&a, &b| length(a).total_cmp(&length(b)).then(b.cmp(&a))).unwrap_or(from)
    };
    let mut a = rng.below(d.len());
    let mut b = farthest(a);
    for _ in 0..5 {
        let next = farthest(b);
        if next == a {
            break;
        }
        (a, b) = (b, next);
    }
    (a.min(b), a.max(b))
}

landmark::embeds!(FastMap);

impl FromLandmarks for FastMap {
    fn name(&self) -> &'static str {
        "fastmap"
    }
    fn dim(&self) -> usize {
        self.dim
    }
    fn landmarks(&self, d: &Distances, _: u64) -> Vec<usize> {
        (0..d.len()).collect()
    }
    fn base(&self, d: &Distances, run: &Run<'_>) -> Result<Base, Error> {
        let seed = run.seed();
        let n = d.len();
        let mut rng = Rng::task(seed, 0x7069_766f);
        let mut points = Array2::<f64>::zeros((n, self.dim));
        // Coordinates as affine functions of squared distances to the pivots, two columns of `basis` rows an axis.
        let mut used: Vec<usize> = Vec::new();
        let mut basis = Array2::<f64>::zeros((2 * self.dim, self.dim));
        let mut offset = Array1::<f64>::zeros(self.dim);
        let mut axes = 0;
        while axes < self.dim {
            let (a, b) = pivots(d, &points, axes, &mut rng);
            let length2 = left(d, &points, axes, a, b);
            if a == b || length2 <= 1e-12 * d.between(a, b).unwrap_or(0.0).powi(2).max(f64::MIN_POSITIVE) {
                break;
            }
            let scale = 0.5 / length2.sqrt();
            let slot = |used: &mut Vec<usize>, i: usize| {
                used.iter().position(|&u| u == i).unwrap_or_else(|| {
                    used.push(i);
                    used.len() - 1
                })
            };
            let (slot_a, slot_b) = (slot(&mut used, a), slot(&mut used, b));
            basis[(slot_a, axes)] += scale;
            basis[(slot_b, axes)] -= scale;
            offset[axes] = scale * length2;
            for k in 0..axes {
                let (ya, yb) = (points[(a, k)], points[(b, k)]);
                offset[axes] += scale * (yb * yb - ya * ya) - 2.0 * scale * (yb - ya) * offset[k];
                for row in 0..basis.nrows() {
                    basis[(row, axes)] -= 2.0 * scale * (yb - ya) * basis[(row, k)];
                }
            }
            for i in 0..n {
                points[(i, axes)] = scale * (left(d, &points, axes, i, a) + length2 - left(d, &points, axes, i, b));
            }
            axes += 1;
        }
        let mut report = FitReport::new("fastmap", n, self.dim, seed)
            .figure("pivots", used.iter().map(|&u| d.objects().labels()[u].as_str()).collect::<Vec<_>>().join(" "));
        report.by(self);
        report.objective_is = "none: FastMap minimises nothing; see stress-1".into();
        if axes < self.dim {
            report
                .warnings
                .push(format!("nothing is left to map after {axes} of {} axes; the others are zero", self.dim));
        }
        let basis = basis.slice(ndarray::s![..used.len(), ..]).to_owned();
        Ok(Base { model: Landmarks::new(d.objects().subset(&used), basis, offset, Shift::None), report })
    }
}
