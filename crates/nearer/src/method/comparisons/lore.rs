//! Low-rank ordinal embedding: how many dimensions answers want, and the map in them.

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::fit::{Embed, Fit};
use crate::geometry::Spectrum;
use crate::method::common::DIM;
use crate::method::comparisons::likely::{self, STARTS};
use crate::method::convex::leading;
use crate::method::cost::Needs;
use crate::method::distances::descents::{self, Descents, EPS, MAX_ITER};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Ordinal;
use crate::settings::{configured, settable};
use crate::solve::likelihood::{Answers, Columns, Opening, Shrinking};
use crate::solve::{Run, descent};

/// Low-rank ordinal embedding.
///
/// ```text
/// min  Σ w_t ln(1 + exp(d²(near_t) - d²(far_t))) + weight Σ_k √σ_k(Y)      Y with `room` columns, σ its singular values
/// ```
///
/// The likelihood of [`Ste`](crate::method::Ste) in generous room, and a penalty that costs the first unit of a direction more
/// than the next: directions that the answers do not need vanish whole. How many are left is `rank` in the report. The map has
/// the dimensions that are asked for, the longest first, and the report says what share of the solution they carry.
///
/// The usual weight makes a direction of coordinates of size one four times as dear as the Bayesian information criterion would,
/// under which its `n` coordinates cost `n/2 · ln N` for `N` answers: at once that, a tenth of wrong answers makes directions of
/// its own. Of fifteen planted maps of 60 objects in 1 to 5 dimensions, with 4,000 answers a dimension and a tenth of them wrong,
/// all kept their number; a line with 8,000 kept one too many, for wrong answers are no logistic noise and grow with their
/// number. It is a local optimum, like those of its kin.
///
/// # Takes
/// [`Comparisons`], as [`Ste`](crate::method::Ste) does.
/// # Places
/// New objects by their own comparisons with old ones ([`Ordinal`]).
/// # Cost
/// One pass over the answers an iteration, some hundred to a thousand; 60 bytes a comparison.
/// # Fails
/// [`Error::Evidence`] without a comparison.
/// # Reference
/// Anand, Helbling, Davenport, Berman, Alagapan and Rozell (2026), *LORE: jointly learning the intrinsic dimensionality and relative similarity
/// structure from ordinal data*. There the penalty is linearised in the singular values; here in their squares, which leaves a smooth
/// problem and also never rises.
///
/// ```
/// use nearer::{Embed, method::Lore, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = Lore::new(2).fit(&toy::answers(20, 2, 2000, 0.05, 1))?;
/// assert_eq!(fit.report.figures["rank"].count(), Some(2));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Lore {
    descents: Descents,
    room: Option<usize>,
    weight: Option<f64>,
}

configured!(Lore [descents] { room: "room", weight: "weight" });
descents::setters!(Lore);

pub(crate) static METHOD: Method = Method {
    name: "lore",
    aliases: &["low-rank-ordinal-embedding"],
    summary: "ste in generous room, with a penalty under which idle dimensions vanish; says how many are left",
    solves: "min Σ w ln(1 + exp(d²(near) - d²(far))) + weight Σ √σ(Y)",
    ways: &[way::<Lore, Comparisons>()],
    parameters: &[
        DIM,
        Parameter::auto("room", Kind::Count { min: 1, max: 1000 })
            .says("dimensions in which the solution is sought; auto: 10, or those of the map where they are more"),
        Parameter::auto("weight", Kind::POSITIVE)
            .says("what a dimension costs; auto: four times what the Bayesian information criterion charges for one of size 1"),
        STARTS,
        MAX_ITER,
        EPS,
    ],
    places: "by descent on the object's own comparisons, old points fixed",
    cost: "O(N) time per iteration for N comparisons and each dimension of the room; 60 bytes a comparison",
    reference: "Anand et al. 2026",
    needs: |size, settings| {
        let room = settings.count("room").unwrap_or(ROOM).max(settings.count("dim").unwrap_or(2));
        let once = likely::needs(size, settings);
        Needs { seconds: once.seconds.map(|s| 2.0 * room as f64 * s), ..once }
    },
    again: again::<Lore>,
};

/// The dimensions of the room where nobody says.
const ROOM: usize = 10;
/// The power of the singular values.
const POWER: f64 = 0.5;

impl Lore {
    /// A map of the `dim` longest dimensions that are found.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Lore { descents: Descents::new(dim), room: None, weight: None }
    }
    settable! {
        /// In so many dimensions at first.
        room: usize,
        /// With this weight of the penalty.
        weight: f64,
    }
}

/// So many times what the information criterion charges. Of planted maps of 1, 2, 3 and 5 dimensions with a tenth of the answers
/// wrong, 4 was the least at which all had their number; at 6 the fifth dimension went too.
const TIMES: f64 = 4.0;

/// What a dimension costs where nobody says: some times `n/2 · ln N` where its singular value is `√n`.
fn usual_weight(objects: usize, answers: &Answers) -> f64 {
    let n = objects as f64;
    TIMES * 0.5 * n * answers.choices.total().max(2.0).ln() / n.sqrt().powf(POWER)
}

impl Embed<&Comparisons> for Lore {
    type Model = Ordinal;
    fn fit_with(&self, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        let (n, dim) = (c.objects().len(), self.descents.dim);
        likely::require_number("weight", self.weight.unwrap_or(1.0), f64::MIN_POSITIVE)?;
        let answers = likely::answers("lore", c, dim, run)?;
        let room = self.room.unwrap_or(ROOM).max(dim).min(n - 1);
        let weight = self.weight.unwrap_or_else(|| usual_weight(n, &answers));
        run.install(|| {
            let opening = Opening::new(&answers, (n, room), run.clock());
            let first = Columns::first(&answers.choices, &opening);
            let (end, tried) = descent::descend(&first, self.descents.starts, self.descents.limits, run)?;
            let shrunk = Shrinking { weight, power: POWER }.shrink(end, &first, &run.clock())?;
            let rank = shrunk.points.ncols();
            let tried = tried.map(|starts| starts.of("the loss before the rank was shrunk"));
            let mut report = self.descents.report("lore", &first, &shrunk.ended, tried, run);
            report.objective = shrunk.loss + shrunk.penalty;
            report.objective_is = "Σ w ln(1 + exp(d²(near) - d²(far))) + weight Σ √σ".into();
            report.became("room", room);
            report.became("weight", weight);
            report = report.figure("rank", rank).figure("loss", shrunk.loss);
            let spectrum = Spectrum::complete(shrunk.points.columns().into_iter().map(|c| c.dot(&c)).collect());
            likely::ignored_margins("lore", &answers, &mut report);
            let carried = spectrum.eigenvalues.iter().take(dim).sum::<f64>() / spectrum.trace;
            if rank != dim {
                report.warnings.push(format!(
                    "the answers want {rank} dimensions at this weight; the {dim} of the map carry {:.0} % of the variance of the solution",
                    100.0 * carried
                ));
            }
            report.spectrum = Some(spectrum);
            likely::pointed(c, leading(&shrunk.points, dim), report, (self, None))
        })
    }
}
