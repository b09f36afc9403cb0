//! Robust scaling: absolute errors, so that a few wrong distances do not move the rest.

use crate::error::Error;
use crate::evidence::Distances;
use crate::fit::{Embed, Fit, Witness};
use crate::method::common::{self, DIM};
use crate::method::convex::{self, Convex, ENGINE, GAP, REFINE};
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::table::{Method, again, way};
use crate::model::{Anchors, Loss, Shift, Transform};
use crate::program::{self, Candidate};
use crate::report::Input;
use crate::settings::configured;
use crate::solve::{Clock, Run, spectral};

/// Robust Euclidean embedding.
///
/// ```text
/// min  Σ w_ij |δ_ij² - d²(i, j)|     over positive semidefinite G
/// ```
///
/// Errors count by their size, not by their square: as with a median, a tenth of the distances may be grossly wrong and the
/// rest still lie where they should. Weights and missing distances are as everywhere.
///
/// # Takes
/// [`Distances`] whose known pairs hold all objects together.
/// # Places
/// A new object by its distances to old ones, with the same absolute errors ([`Anchors`]).
/// # Cost
/// `O(n² r)` a step, some thousands of steps; memory `O(n²)`.
/// # Certificate
/// `Σ y δ²` for multipliers in `[-w, w]` with `-L(y)` positive semidefinite; the gap is a share of the best
/// ([`Certificate`](crate::program::Certificate)).
/// # Fails
/// [`Error::Evidence`] where the known pairs fall into parts, or where distances are known only as bounds.
/// # Reference
/// Cayton and Dasgupta (2006), *Robust Euclidean embedding*.
///
/// ```
/// use nearer::{Embed, method::RobustMds, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = RobustMds::new(2).fit(&toy::gaussian(12, 2, 1))?.certified(1e-3)?;
/// assert!(fit.report.stress1 < Some(1e-3));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RobustMds {
    convex: Convex,
}

convex::setters!(RobustMds);

configured!(RobustMds [convex] {});

pub(crate) static METHOD: Method = Method {
    name: "robust-mds",
    aliases: &["ree", "robust-euclidean-embedding"],
    summary: "absolute errors of squared distances: a few wrong ones do not move the rest; proved to be the best",
    solves: "min Σ w |δ² - d²|, G psd",
    ways: &[way::<RobustMds, Distances>()],
    parameters: &[DIM, GAP, ENGINE, REFINE],
    places: "the new point's own absolute errors are minimised, old points fixed",
    cost: "O(n² r) time per step, rank r; 168 n² bytes",
    reference: "Cayton & Dasgupta 2006",
    needs: |s, _| Needs::new(1.2e-4 * s.n().powi(2), 168.0 * s.n().powi(2) + 4000.0 * s.n()),
    again: again::<RobustMds>,
};

impl RobustMds {
    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        RobustMds { convex: Convex::new(dim, true) }
    }
}

impl Embed<&Distances> for RobustMds {
    type Model = Anchors;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let mut fit = order::by_label(d, run, |d| self.in_order(d, run))?;
        // The question as the file asks it, and the answer in that order.
        if let Some(witness) = fit.witness.as_ref().and_then(|w| w.points()) {
            let candidate = order::of_pairs(d, witness.candidate.clone());
            let witness = Witness { objects: d.objects().clone(), program: program::robust(d)?, candidate };
            fit.witness = Some(witness.into());
        }
        Ok(fit)
    }
}

impl RobustMds {
    fn in_order(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        common::require(d, self.convex.dim, "robust-mds")?;
        common::refuse_bounds(d, "robust-mds")?;
        METHOD.afford(d, self, run, "use landmark-mds, or map fewer objects")?;
        run.install(|| {
            let program = program::robust(d)?;
            let start = classical(d, &run.clock())?.map(|points| Candidate::free(points, Vec::new()));
            let mapped = self.convex.map("robust-mds", &program, d.objects(), start.as_ref(), run)?;
            let mut report = mapped.report;
            report.by(self);
            report.objective_is = "Σ w |δ² - d²|".into();
            report.input = Input::from(d);
            report.stress1 = Some(common::stress1(&mapped.embedding, d));
            let model =
                Anchors::new(mapped.embedding.clone(), Loss::AbsoluteSquares, Transform::Identity, self.convex.dim);
            Ok(Fit::new(mapped.embedding, model, report).witnessed(mapped.witness))
        })
    }
}

/// Classical scaling in some dimensions more than a map has, where no distance is missing.
fn classical(d: &Distances, clock: &Clock<'_>) -> Result<Option<ndarray::Array2<f64>>, Error> {
    if d.missing() > 0 {
        return Ok(None);
    }
    let dim = 6.min(d.len() - 1);
    let scaling = spectral::scale(d.len(), d.condensed(), Shift::None, dim, false, clock)?;
    Ok(Some(scaling.points(dim)))
}
