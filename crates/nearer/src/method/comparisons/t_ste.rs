//! Stochastic triplet embedding with the heavy tails of Student's distribution.

use nearer_num::choices::Link;

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::comparisons::likely::{self, PRECISION, STARTS};
use crate::method::distances::descents::{self, Descents, EPS, MAX_ITER};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Ordinal;
use crate::settings::{configured, settable};
use crate::solve::Run;

/// t-distributed stochastic triplet embedding.
///
/// ```text
/// max  Σ w_t ln P_t - precision Σ |y_i|²      P_t = k(near_t) / (k(near_t) + k(far_t)),   k = (1 + d²/α)^(-(α + 1)/2)
/// ```
///
/// That is the logistic of `φ(far) - φ(near)` with `φ = (α + 1)/2 · ln(1 + d²/α)`: far apart only ratios of distances count, so
/// a wrong answer about distant objects costs little.
///
/// # Takes
/// [`Comparisons`], as [`Ste`](crate::method::Ste) does.
/// # Places
/// New objects where their own answers about old ones are likeliest ([`Ordinal`]), with an ellipse.
/// # Cost
/// One pass over the answers an iteration, usually some fifty to three hundred; 60 bytes a comparison.
/// # Fails
/// [`Error::Evidence`] without a comparison.
/// # Reference
/// van der Maaten and Weinberger (2012), *Stochastic triplet embedding*.
///
/// ```
/// use nearer::{Embed, method::TSte, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = TSte::new(2).alpha(2.0).fit(&toy::answers(20, 2, 1000, 0.1, 1))?;
/// assert!(fit.report.agreement > Some(0.85));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TSte {
    descents: Descents,
    alpha: Option<f64>,
    precision: f64,
}

configured!(TSte [descents] { alpha: "alpha", precision: "precision" });
descents::setters!(TSte);

pub(crate) static METHOD: Method = Method {
    name: "t-ste",
    aliases: &["tste"],
    summary: "ste with the tails of Student's distribution: wrong answers about distant objects cost little",
    solves: "max Σ w ln P - precision Σ |y|², P = k(near) / (k(near) + k(far)), k = (1 + d²/α)^(-(α + 1)/2)",
    ways: &[way::<TSte, Comparisons>()],
    parameters: &[
        DIM,
        Parameter::auto("alpha", Kind::POSITIVE)
            .says("degrees of freedom of the tails; auto: one less than the dimensions, 1 at least"),
        PRECISION,
        STARTS,
        MAX_ITER,
        EPS,
    ],
    places: "where the object's own answers are likeliest, old points fixed, with an ellipse",
    cost: "O(N) time per iteration for N comparisons; 60 bytes a comparison",
    reference: "van der Maaten & Weinberger 2012",
    needs: likely::needs,
    again: again::<TSte>,
};

impl TSte {
    /// A map of `dim` dimensions, without a prior, with `dim - 1` degrees of freedom.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        TSte { descents: Descents::new(dim), alpha: None, precision: 0.0 }
    }
    settable! {
        /// With these degrees of freedom.
        alpha: f64,
        /// With this cost of the square of a coordinate.
        precision: f64,
    }
}

/// The degrees of freedom of a map of that many dimensions, as published.
pub(crate) fn usual_alpha(dim: usize) -> f64 {
    dim.saturating_sub(1).max(1) as f64
}

impl Embed<&Comparisons> for TSte {
    type Model = Ordinal;
    fn fit_with(&self, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        let alpha = self.alpha.unwrap_or_else(|| usual_alpha(self.descents.dim));
        likely::require_number("alpha", alpha, f64::MIN_POSITIVE)?;
        let link = Link::Student(alpha);
        let mut fit = likely::without_lapses(("t-ste", self), &self.descents, (link, self.precision), c, run)?;
        if self.alpha.is_none() {
            fit.report.became("alpha", alpha);
        }
        Ok(fit)
    }
}
