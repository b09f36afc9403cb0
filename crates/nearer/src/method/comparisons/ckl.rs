//! Crowd kernel learning: an answer is as likely as the ratio of the squared distances says.

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

/// The crowd kernel, over the map.
///
/// ```text
/// max  Σ w_t ln P_t - precision Σ |y_i|²      P_t = (μ + d²(far_t)) / (2μ + d²(near_t) + d²(far_t))
/// ```
///
/// The same logistic as the others, of `φ = ln(μ + d²)`: only ratios of distances count, down to the size of `√μ`.
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
/// Tamuz, Liu, Belongie, Shamir and Kalai (2011), *Adaptively learning the crowd kernel*.
///
/// ```
/// use nearer::{Embed, method::Ckl, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = Ckl::new(2).fit(&toy::answers(20, 2, 1000, 0.1, 1))?;
/// assert!(fit.report.agreement > Some(0.8));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ckl {
    descents: Descents,
    mu: f64,
    precision: f64,
}

configured!(Ckl [descents] { mu: "mu", precision: "precision" });
descents::setters!(Ckl);

pub(crate) static METHOD: Method = Method {
    name: "ckl",
    aliases: &["crowd-kernel-learning", "crowd-kernel"],
    summary: "the crowd kernel: the likelihood of an answer is the ratio of the squared distances",
    solves: "max Σ w ln P - precision Σ |y|², P = (μ + d²(far)) / (2μ + d²(near) + d²(far))",
    ways: &[way::<Ckl, Comparisons>()],
    parameters: &[
        DIM,
        Parameter::number("mu", Kind::POSITIVE, Ckl::MU)
            .says("added to squared distances: ratios count down to its size"),
        PRECISION,
        STARTS,
        MAX_ITER,
        EPS,
    ],
    places: "where the object's own answers are likeliest, old points fixed, with an ellipse",
    cost: "O(N) time per iteration for N comparisons; 60 bytes a comparison",
    reference: "Tamuz, Liu, Belongie, Shamir & Kalai 2011",
    needs: likely::needs,
    again: again::<Ckl>,
};

impl Ckl {
    /// What is added to squared distances where nobody says.
    pub const MU: f64 = 0.05;

    /// A map of `dim` dimensions, without a prior.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Ckl { descents: Descents::new(dim), mu: Self::MU, precision: 0.0 }
    }
    settable! {
        /// With this added to squared distances.
        mu: f64,
        /// With this cost of the square of a coordinate.
        precision: f64,
    }
}

impl Embed<&Comparisons> for Ckl {
    type Model = Ordinal;
    fn fit_with(&self, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        let mu = likely::require_number("mu", self.mu, f64::MIN_POSITIVE)?;
        likely::without_lapses(("ckl", self), &self.descents, (Link::Logarithm(mu), self.precision), c, run)
    }
}
