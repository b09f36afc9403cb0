//! Stochastic triplet embedding: an answer is the likelier, the more one squared distance exceeds the other.

use nearer_num::choices::Link;

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::comparisons::likely::{self, PRECISION, STARTS};
use crate::method::distances::descents::{self, Descents, EPS, MAX_ITER};
use crate::method::table::{Method, again, way};
use crate::model::Ordinal;
use crate::settings::{configured, settable};
use crate::solve::Run;

/// Stochastic triplet embedding.
///
/// ```text
/// max  Σ w_t ln P_t - precision Σ |y_i|²      P_t = 1 / (1 + exp(d²(near_t) - d²(far_t)))
/// ```
///
/// Trials of more than two answers have the softmax of `-d²`: an odd-one-out is one choice among three pairs, not two
/// comparisons; a ranking is a chain of choices.
///
/// # Takes
/// [`Comparisons`]: triplets, quadruplets, odd-one-out, most-central, choices and ranks, contradictory or not. Margins are
/// left out.
/// # Places
/// New objects where their own answers about old ones are likeliest ([`Ordinal`]), with an ellipse.
/// # Cost
/// One pass over the answers an iteration, usually some fifty to three hundred; 60 bytes a comparison. It finds a local
/// optimum: more starts say how far to trust it.
/// # Fails
/// [`Error::Evidence`] without a comparison.
/// # Reference
/// van der Maaten and Weinberger (2012), *Stochastic triplet embedding*.
///
/// ```
/// use nearer::{Embed, method::Ste, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = Ste::new(2).fit(&toy::answers(20, 2, 1000, 0.1, 1))?;
/// assert!(fit.report.agreement > Some(0.85));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ste {
    descents: Descents,
    precision: f64,
}

configured!(Ste [descents] { precision: "precision" });
descents::setters!(Ste);

pub(crate) static METHOD: Method = Method {
    name: "ste",
    aliases: &["stochastic-triplet-embedding"],
    summary: "the likeliest map of answers, each the likelier the larger the difference of the squared distances",
    solves: "max Σ w ln P - precision Σ |y|², P = 1 / (1 + exp(d²(near) - d²(far)))",
    ways: &[way::<Ste, Comparisons>()],
    parameters: &[DIM, PRECISION, STARTS, MAX_ITER, EPS],
    places: "where the object's own answers are likeliest, old points fixed, with an ellipse",
    cost: "O(N) time per iteration for N comparisons; 60 bytes a comparison",
    reference: "van der Maaten & Weinberger 2012",
    needs: likely::needs,
    again: again::<Ste>,
};

impl Ste {
    /// A map of `dim` dimensions, without a prior.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Ste { descents: Descents::new(dim), precision: 0.0 }
    }
    settable! {
        /// With this cost of the square of a coordinate.
        precision: f64,
    }
}

impl Embed<&Comparisons> for Ste {
    type Model = Ordinal;
    fn fit_with(&self, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        likely::without_lapses(("ste", self), &self.descents, (Link::Squared, self.precision), c, run)
    }
}
