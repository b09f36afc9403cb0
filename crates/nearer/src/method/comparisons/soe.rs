//! Soft ordinal embedding: every answer should hold by a margin, and what is missing is squared.

use crate::error::{Error, Remedy};
use crate::evidence::Comparisons;
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::comparisons::likely::{self, STARTS};
use crate::method::distances::descents::{self, Descents, EPS, MAX_ITER};
use crate::method::table::{Method, again, way};
use crate::model::Ordinal;
use crate::settings::configured;
use crate::solve::Run;
use crate::solve::likelihood::{Opening, SoftOrder};

/// Soft ordinal embedding.
///
/// ```text
/// min  Σ w_t [margin_t + d(near_t) - d(far_t)]₊²
/// ```
///
/// Distances themselves, not their squares. The margins, 1 where nothing is said, only fix the size of the map: tenfold
/// margins give the tenfold map. It is no likelihood, and says nothing about how sure an answer is.
///
/// # Takes
/// [`Comparisons`], as [`Ste`](crate::method::Ste) does; of a trial of several answers, the option that was taken against each
/// of the others. Some margin must be above 0.
/// # Places
/// New objects by their own comparisons with old ones ([`Ordinal`]).
/// # Cost
/// One pass over the answers an iteration, usually some hundred; 60 bytes a comparison.
/// # Fails
/// [`Error::Evidence`] without a comparison, and where all margins are 0.
/// # Reference
/// Terada and von Luxburg (2014), *Local ordinal embedding*.
///
/// ```
/// use nearer::{Embed, method::Soe, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = Soe::new(2).fit(&toy::answers(20, 2, 1000, 0.0, 1))?;
/// assert!(fit.report.agreement > Some(0.99));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Soe {
    descents: Descents,
}

configured!(Soe [descents] {});
descents::setters!(Soe);

pub(crate) static METHOD: Method = Method {
    name: "soe",
    aliases: &["soft-ordinal-embedding"],
    summary: "soft ordinal embedding: what answers miss of their margin, squared; the only one of its kin that knows margins",
    solves: "min Σ w [margin + d(near) - d(far)]₊²",
    ways: &[way::<Soe, Comparisons>()],
    parameters: &[DIM, STARTS, MAX_ITER, EPS],
    places: "by descent on the object's own comparisons, old points fixed",
    cost: "O(N) time per iteration for N comparisons; 60 bytes a comparison",
    reference: "Terada & von Luxburg 2014",
    needs: likely::needs,
    again: again::<Soe>,
};

impl Soe {
    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Soe { descents: Descents::new(dim) }
    }
}

impl Embed<&Comparisons> for Soe {
    type Model = Ordinal;
    fn fit_with(&self, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        let answers = likely::answers("soe", c, self.descents.dim, run)?;
        if !answers.margins.is_empty() && answers.margins.iter().all(|m| *m == 0.0) {
            return Err(Error::Evidence {
                what: "every margin is 0, which a map of all objects in one place satisfies".into(),
                remedy: Remedy::from("leave the margins out, or give some above 0"),
            });
        }
        let opening = Opening::new(&answers, (c.objects().len(), self.descents.dim), run.clock());
        let loss = SoftOrder { choices: &answers.choices, margins: &answers.margins, opening: &opening };
        let (best, mut report) = self.descents.best("soe", &loss, run)?;
        report.objective_is = "Σ w [margin + d(near) - d(far)]₊²".into();
        likely::mapped(c, &loss, &best, report, (self, None))
    }
}
