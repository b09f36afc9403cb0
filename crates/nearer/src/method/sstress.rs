//! Scaling of squared distances by descent.

use ndarray::Array2;
use nearer_num::lbfgs;
use nearer_num::packed;

use crate::error::Error;
use crate::evidence::{Distances, Evidence, EvidenceKind};
use crate::fit::{Embed, Fit};
use crate::method::common::{self, DIM};
use crate::method::descents::{self, Descents, EPS, MAX_ITER, STARTS};
use crate::method::table::{Kind, Method, Parameter, again};
use crate::model::{Anchors, Loss, Transform};
use crate::settings::{Configured as _, Value, Worded as _, configured, words};
use crate::solve::descent::{self, Ended};
use crate::solve::{Clock, Run};

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
    descents: Descents,
    loss: SstressLoss,
}

/// How a difference of squares counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SstressLoss {
    /// By its square.
    Squared,
    /// By its size.
    Absolute,
}

words!(SstressLoss { "squared" => SstressLoss::Squared, "absolute" => SstressLoss::Absolute });
configured!(Sstress [descents] { loss: "loss" });

pub(crate) static METHOD: Method = Method {
    name: "sstress",
    summary: "descent on squared distances (S-stress); no guarantee, long distances count most",
    solves: "min Σ w (δ² - d²)², or Σ w |δ² - d²|",
    takes: &[EvidenceKind::Distances],
    parameters: &[
        DIM,
        Parameter {
            name: "loss",
            kind: Kind::Choice(SstressLoss::WORDS),
            or: &[],
            default: Value::of_word("squared"),
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
    again: again::<Sstress>,
    fit: |settings, evidence, run| {
        let Evidence::Distances(d) = evidence else { return Err(METHOD.wrong_evidence(evidence)) };
        Ok(Sstress::from_settings(settings)?.fit_with(d, run)?.map_model(Into::into))
    },
};

impl Sstress {
    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Sstress { descents: Descents::new(dim), loss: SstressLoss::Squared }
    }
    /// With another loss.
    #[must_use]
    pub fn loss(mut self, loss: SstressLoss) -> Self {
        self.loss = loss;
        self
    }

    fn descend(&self, d: &Distances, start: &Array2<f64>, task: (usize, usize), clock: &Clock<'_>) -> Ended {
        let total: f64 = d.weights().map_or(d.pairs() as f64, |w| w.iter().sum());
        let square = packed::square_sum(d.condensed(), d.weights());
        let smooth = (self.loss == SstressLoss::Absolute).then_some(1e-3 * square / total);
        // The curvature of e² along a point is about 8 d² for each of its pairs, that of |e| about 8 d² / |e|.
        let stiffness = 8.0 * square / d.len() as f64;
        let settings = lbfgs::Settings {
            max_iter: self.descents.limits.max_iter,
            decrease: self.descents.limits.eps,
            gradient: 1e-12 * stiffness * (square / total).sqrt(),
            first_step: if smooth.is_some() { 0.1 / d.len() as f64 } else { 1.0 / stiffness },
        };
        descent::descend(start, &settings, task, clock, |points| {
            let pass = packed::squared_descent(points, d.condensed(), d.weights(), smooth);
            (pass.loss, pass.pull.columns().iter().flatten().map(|v| 2.0 * v).collect())
        })
    }
}

descents::setters!(Sstress);

impl Embed<Distances> for Sstress {
    type Model = Anchors;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        common::refuse_bounds(d, "sstress")?;
        let (embedding, _, mut report) =
            self.descents.best("sstress", d, run, |start, task, clock| self.descend(d, start, task, clock))?;
        report.by(self);
        report.objective_is = match self.loss {
            SstressLoss::Squared => "S-stress Σ w (δ² - d²)²".into(),
            SstressLoss::Absolute => "Σ w |δ² - d²|, its corner rounded".into(),
        };
        report.stress1 = Some(common::stress1(&embedding, d));
        let model = Anchors::new(embedding.clone(), Loss::SquaredStress, Transform::Identity, self.descents.dim);
        Ok(Fit::new(embedding, model, report))
    }
}
