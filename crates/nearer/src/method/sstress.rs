//! Scaling of squared distances by descent.

use ndarray::Array2;
use nearer_num::lbfgs::{self, End};
use nearer_num::packed::{self, Points};

use crate::error::Error;
use crate::evidence::{Distances, Evidence, EvidenceKind};
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::graph::KnownPairs;
use crate::method::common::{self, DIM, EPS, MAX_ITER, STARTS};
use crate::method::table::{Kind, Method, Parameter};
use crate::model::{Anchors, Loss, Transform};
use crate::report::{FitReport, Input};
use crate::solve::starts::{self, Descent};
use crate::solve::stress::Limits;
use crate::solve::{Clock, Run, Step, Stop};

/// Embedding by gradient descent on squared distances.
///
/// Minimises `Σ w (δ² - d²)²` (S-stress, as ALSCAL), or `Σ w |δ² - d²|`, over the map. It has **no guarantee**: the
/// objective is not convex and the descent ends at a local minimum. Squares make long distances count most. For
/// `Absolute` the corner of `|e|` is rounded off within a thousandth of the mean squared distance.
///
/// # Takes
/// [`Distances`] without bounds; the known pairs must hang together.
/// # Places
/// New objects by minimising their own `Σ (δ² - d²)²` with the old points fixed.
/// # Cost
/// One pass over the pairs an iteration; memory `O(n · dim)` beside the data.
/// # Reference
/// Takane, Young and de Leeuw (1977); gradient descent as in Dasgupta's lecture on embeddings.
///
/// ```
/// use nearer::{Embed, method::Sstress, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = Sstress::new(3).fit(&toy::gaussian(20, 3, 0))?;
/// assert!(fit.report.objective < 1e-9);               // exactly Euclidean data come back
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sstress {
    dim: usize,
    loss: SstressLoss,
    starts: usize,
    limits: Limits,
}

/// How a difference of squares counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SstressLoss {
    /// By its square.
    Squared,
    /// By its size.
    Absolute,
}

const LOSSES: &[(&str, SstressLoss)] = &[("squared", SstressLoss::Squared), ("absolute", SstressLoss::Absolute)];

pub(crate) static METHOD: Method = Method {
    name: "sstress",
    summary: "descent on squared distances (S-stress); no guarantee, long distances count most",
    solves: "min Σ w (δ² - d²)², or Σ w |δ² - d²|",
    takes: &[EvidenceKind::Distances],
    parameters: &[
        DIM,
        Parameter {
            name: "loss",
            kind: Kind::Choice(&["squared", "absolute"]),
            default: "squared",
            doc: "how a difference of squares counts",
        },
        STARTS,
        MAX_ITER,
        EPS,
    ],
    places: "the new point's own squared S-stress is minimised, old points fixed",
    cost: "O(n²) time per iteration; no memory beside the distances",
    reference: "Takane, Young & de Leeuw 1977",
    memory: |n| n * n * 4 + n * 2000,
    fit: |settings, evidence, run| {
        let Evidence::Distances(d) = evidence else { return Err(METHOD.wrong_evidence(evidence)) };
        let method = Sstress {
            dim: settings.count("dim"),
            loss: settings.choice("loss", LOSSES),
            starts: settings.count("starts"),
            limits: settings.limits(),
        };
        Ok(method.fit_with(d, run)?.map_model(Into::into))
    },
};

impl Sstress {
    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Sstress { dim, loss: SstressLoss::Squared, starts: 0, limits: common::LIMITS }
    }
    /// With another loss.
    #[must_use]
    pub fn loss(mut self, loss: SstressLoss) -> Self {
        self.loss = loss;
        self
    }
    /// From this many starts: the classical one first, then random ones. The best is kept. 0, the default, means 20 up
    /// to 100 objects, 5 up to 300, else 1.
    #[must_use]
    pub fn starts(mut self, starts: usize) -> Self {
        self.starts = starts;
        self
    }
    /// At most this many iterations a start.
    #[must_use]
    pub fn max_iter(mut self, max_iter: usize) -> Self {
        self.limits.max_iter = max_iter;
        self
    }
    /// Ends a descent when three iterations lower the objective by no more than this share of it.
    #[must_use]
    pub fn eps(mut self, eps: f64) -> Self {
        self.limits.eps = eps;
        self
    }

    fn descend(&self, d: &Distances, start: &Array2<f64>, task: (usize, usize), clock: &Clock<'_>) -> Ended {
        let total: f64 = d.weights().map_or(d.pairs() as f64, |w| w.iter().sum());
        let square = packed::square_sum(d.condensed(), d.weights());
        let smooth = (self.loss == SstressLoss::Absolute).then_some(1e-3 * square / total);
        // The curvature of e² along a point is about 8 d² for each of its pairs, that of |e| about 8 d² / |e|.
        let stiffness = 8.0 * square / d.len() as f64;
        let settings = lbfgs::Settings {
            max_iter: self.limits.max_iter,
            decrease: self.limits.eps,
            gradient: 1e-12 * stiffness * (square / total).sqrt(),
            first_step: if smooth.is_some() { 0.1 / d.len() as f64 } else { 1.0 / stiffness },
        };
        let mut stopped = None;
        let outcome = lbfgs::minimise(
            Points::from_rows(start).to_flat(),
            &settings,
            |x| {
                let pass = packed::squared_descent(&Points::from_flat(x, self.dim), d.condensed(), d.weights(), smooth);
                (pass.loss, pass.pull.columns().iter().flatten().map(|v| 2.0 * v).collect())
            },
            |iteration, value| {
                stopped = clock.tick(&Step::new("descending", task, iteration, Some(self.limits.max_iter), value));
                stopped.is_none()
            },
        );
        let stop = match outcome.end {
            End::Converged => Stop::Converged,
            End::Stalled => Stop::Stalled,
            End::IterationLimit => Stop::IterationLimit,
            End::Stopped => stopped.unwrap_or(Stop::Cancelled),
        };
        let points = Points::from_flat(&outcome.x, self.dim).to_rows();
        Ended { points, value: outcome.value, iterations: outcome.iterations, stop }
    }
}

/// Where one descent ended.
struct Ended {
    points: Array2<f64>,
    value: f64,
    iterations: usize,
    stop: Stop,
}

impl Descent for Ended {
    fn value(&self) -> f64 {
        self.value
    }
    fn points(&self) -> &Array2<f64> {
        &self.points
    }
}

impl Embed<Distances> for Sstress {
    type Model = Anchors;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        common::require(d, self.dim, "sstress")?;
        common::refuse_bounds(d, "sstress")?;
        if d.missing() > 0 {
            KnownPairs::new(d).require_connected(d)?;
        }
        let clock = run.clock();
        let count = common::starts(self.starts, d.len());
        let (best, tried) = run.install(|| {
            starts::best_of(count, &clock, |k| {
                let start = match k {
                    0 => starts::classical(d, self.dim, run.seed())?,
                    k => starts::random(d, self.dim, run.seed(), k),
                };
                Ok(self.descend(d, &start, (k, count), &clock))
            })
        })?;

        let (embedding, _) = common::posed(Embedding::new(d.objects().clone(), best.points)?)?;
        let mut report = FitReport::new("sstress", d.len(), self.dim, run.seed())
            .with("loss", common::word(LOSSES, self.loss))
            .with("starts", count)
            .with("eps", self.limits.eps)
            .with("max-iter", self.limits.max_iter);
        report.input = Input::from(d);
        report.stop = best.stop;
        report.iterations = best.iterations;
        report.objective = best.value;
        report.objective_is = match self.loss {
            SstressLoss::Squared => "S-stress Σ w (δ² - d²)²".into(),
            SstressLoss::Absolute => "Σ w |δ² - d²|, its corner rounded".into(),
        };
        report.stress1 = Some(common::stress1(&embedding, d));
        report.starts = tried;
        common::warn_descent(&mut report);
        let model = Anchors::new(embedding.clone(), Loss::SquaredStress, Transform::Identity, self.dim);
        Ok(Fit { embedding, model, report })
    }
}
