//! Scaling of squared distances by descent.

use ndarray::Array2;
use nearer_num::packed::{self, Points};
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::Distances;
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::method::common::{self, DIM};
use crate::method::distances::descents::{self, Descents, EPS, MAX_ITER, STARTS};
use crate::method::distances::order;
use crate::method::table::{Method, Parameter, again, way};
use crate::model::{self, Anchors, Transform};
use crate::report::Input;
use crate::settings::{configured, settable, words};
use crate::solve::descent::{Objective, Scale, starts};
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
    aliases: &["s-stress", "alscal"],
    summary: "descent on squared distances (S-stress); no guarantee, long distances count most",
    solves: "min Σ w (δ² - d²)², or Σ w |δ² - d²|",
    ways: &[way::<Sstress, Distances>()],
    parameters: &[
        DIM,
        Parameter::choice::<SstressLoss>("loss", "squared").says("how a difference of squares counts"),
        STARTS,
        MAX_ITER,
        EPS,
    ],
    places: "the new point's own squared S-stress is minimised, old points fixed",
    cost: "O(n²) time per iteration; no memory beside the distances",
    reference: "Takane, Young & de Leeuw 1977",
    needs: |s, settings| descents::needs(s, settings, 6e-7, 0.0),
    again: again::<Sstress>,
};

impl Sstress {
    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Sstress { descents: Descents::new(dim), loss: SstressLoss::Squared }
    }
    settable! {
        /// With another loss.
        loss: SstressLoss,
    }
}

/// `Σ w φ(δ² - d²)` as a function of the map.
struct SquaredStress<'a> {
    d: &'a Distances,
    dim: usize,
    /// Within this of 0 the corner of `|e|` is rounded; `None` for squares.
    smooth: Option<f64>,
    /// `Σ w` and `Σ w δ²`.
    total: f64,
    square: f64,
}

/// A gradient shorter than this share of that of the data themselves is flat.
const FLAT: f64 = 1e-12;
/// How far the corner of `|e|` is rounded, as a share of the mean squared distance.
const ROUNDED: f64 = 1e-3;

impl<'a> SquaredStress<'a> {
    fn new(d: &'a Distances, dim: usize, loss: SstressLoss) -> Self {
        let total: f64 = d.weights().map_or(d.pairs() as f64, |w| w.iter().sum());
        let square = packed::square_sum(d.condensed(), d.weights());
        let smooth = (loss == SstressLoss::Absolute).then_some(ROUNDED * square / total);
        SquaredStress { d, dim, smooth, total, square }
    }
}

impl Objective for SquaredStress<'_> {
    type State = ();

    fn state(&self) {}
    fn shape(&self) -> (usize, usize) {
        (self.d.len(), self.dim)
    }
    fn starts(&self) -> usize {
        starts::worthwhile(self.d.len())
    }
    fn start(&self, number: usize, rng: &mut Rng, clock: &Clock<'_>) -> Result<Vec<f64>, Error> {
        starts::start(self.d, self.dim, number, rng, clock)
    }
    /// The curvature of `e²` along a point is about `8 d²` for each of its pairs, that of `|e|` about `8 d² / |e|`.
    fn scale(&self) -> Scale {
        let n = self.d.len() as f64;
        let stiffness = 8.0 * self.square / n;
        Scale {
            flat: FLAT * stiffness * (self.square / self.total).sqrt(),
            first_step: Some(if self.smooth.is_some() { 0.1 / n } else { 1.0 / stiffness }),
        }
    }
    fn value(&self, at: &[f64], gradient: &mut [f64], (): &mut ()) -> f64 {
        let points = Points::from_flat(at, self.dim);
        let pass = packed::squared_descent(&points, self.d.condensed(), self.d.weights(), self.smooth);
        pass.pull.write_flat(2.0, gradient);
        pass.loss
    }
}

descents::setters!(Sstress);

impl Embed<&Distances> for Sstress {
    type Model = Anchors;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        order::by_label(d, run, |d| self.in_order(d, run))
    }
}

impl Sstress {
    fn in_order(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        common::refuse_bounds(d, "sstress")?;
        descents::require(d, self.descents.dim, "sstress")?;
        let loss = SquaredStress::new(d, self.descents.dim, self.loss);
        let (best, mut report) = self.descents.best("sstress", &loss, run)?;
        report.by(self);
        report.input = Input::from(d);
        let points = Array2::from_shape_vec(loss.shape(), best.at).unwrap_or_default();
        let (embedding, _) = common::posed(Embedding::new(d.objects().clone(), points)?)?;
        report.objective_is = match self.loss {
            SstressLoss::Squared => "S-stress Σ w (δ² - d²)²".into(),
            SstressLoss::Absolute => "Σ w |δ² - d²|, its corner rounded".into(),
        };
        report.stress1 = Some(common::stress1(&embedding, d));
        let model = Anchors::new(embedding.clone(), model::Loss::SquaredStress, Transform::Identity, self.descents.dim);
        Ok(Fit::new(embedding, model, report))
    }
}
