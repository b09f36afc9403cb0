//! Non-metric scaling: only the order of the data counts.

use crate::error::Error;
use crate::evidence::Distances;
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::method::common::{self, DIM};
use crate::method::distances::descents::{self, Descents, EPS, MAX_ITER, STARTS};
use crate::method::distances::order;
use crate::method::table::{Method, Parameter, again, way};
use crate::model::{Anchors, Loss};
use crate::report::Input;
use crate::settings::{configured, settable, words};
use crate::solve::Run;
use crate::solve::disparity::Disparity;
use crate::solve::ordinal::{OrdinalRule, Ties};
use crate::solve::stress::Stress;

/// Non-metric multidimensional scaling (Kruskal).
///
/// Minimises stress-1, `√(Σ w (dhat - d)² / Σ w d²)`, over the map and over all disparities `dhat` that rise with the
/// data: for each map they are the isotonic regression of its distances on the order of the data. Ties in the data are
/// treated as [`Ties`] says. Missing distances stay missing; a distance of 0 is a distance.
///
/// A map can be *degenerate*: its disparities take so few values that almost any order of the data fits, and the points
/// fall into a few heaps. Such a map is reported as degenerate, whatever its stress.
///
/// # Takes
/// [`Distances`] without bounds; the known pairs must hang together.
/// # Places
/// New objects by minimising their own stress with the old points fixed, their distances put through the same curve.
/// # Cost
/// The pairs are sorted once; then two passes over them and one regression an iteration. Memory: 44 bytes a pair.
/// # Reference
/// Kruskal (1964a, b); the tie treatments as in de Leeuw and Mair (2009).
///
/// ```
/// use nearer::{Embed, method::NonmetricMds, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = NonmetricMds::new(2).fit(&toy::cities())?;
/// assert!(fit.report.stress1.unwrap() < 0.0602);      // R's isoMDS stops at 6.013 %
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NonmetricMds {
    descents: Descents,
    ties: Ties,
}

words!(Ties { "primary" => Ties::Primary, "secondary" => Ties::Secondary, "tertiary" => Ties::Tertiary });
configured!(NonmetricMds [descents] { ties: "ties" });

pub(crate) static METHOD: Method = Method {
    name: "nonmetric-mds",
    aliases: &["nmds", "isomds", "kruskal", "ordinal-mds"],
    summary: "Kruskal's scaling: only the order of the distances counts; reports degenerate maps as such",
    solves: "min √(Σ w (dhat - d)² / Σ w d²), dhat rising with the data",
    ways: &[way::<NonmetricMds, Distances>()],
    parameters: &[
        DIM,
        Parameter::choice::<Ties>("ties", "primary")
            .says("equal data: may differ on the map, must not, or only in the mean"),
        STARTS,
        MAX_ITER,
        EPS,
    ],
    places: "the new point's own stress is minimised, old points fixed, through the same monotone curve",
    cost: "O(n² log n) once, then O(n²) per iteration; 44 bytes a pair",
    reference: "Kruskal 1964a, 1964b; de Leeuw & Mair 2009",
    // Pair, datum, distance and disparity of each pair, and the blocks.
    needs: |s, settings| descents::needs(s, settings, 3e-6, 44.0),
    again: again::<NonmetricMds>,
};

impl NonmetricMds {
    /// A map of `dim` dimensions, ties primary.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        NonmetricMds { descents: Descents::new(dim), ties: Ties::Primary }
    }
    settable! {
        /// With another treatment of ties.
        ties: Ties,
    }
}

descents::setters!(NonmetricMds);

impl Embed<&Distances> for NonmetricMds {
    type Model = Anchors;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        order::by_label(d, run, |d| self.in_order(d, run))
    }
}

impl NonmetricMds {
    fn in_order(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        common::refuse_bounds(d, "nonmetric-mds")?;
        METHOD.afford(d, self, run, "use metric-mds or landmark-mds")?;
        descents::require(d, self.descents.dim, "nonmetric-mds")?;
        let rule = || Disparity::Ordinal(Box::new(OrdinalRule::new(d, self.ties)));
        let loss = Stress::new(d, self.descents.dim, rule).relative();
        let (best, mut report) = self.descents.best("nonmetric-mds", &loss, run)?;
        report.by(self);
        report.input = Input::from(d);
        let scaled = loss.scaled(&best);
        let (embedding, _) = common::posed(Embedding::new(d.objects().clone(), scaled.points)?)?;
        // The descents minimise its square.
        report.objective = best.value.sqrt();
        report.starts.iter_mut().flat_map(|s| &mut s.objectives).for_each(|o| *o = o.sqrt());
        report.objective_is = "stress-1".into();
        report.stress1 = Some(best.value.sqrt());
        if let Some((levels, largest)) = scaled.steps {
            common::warn_degenerate(&mut report, &embedding, d, levels, largest);
        }
        let model = Anchors::new(embedding.clone(), Loss::Stress, scaled.transform, self.descents.dim)
            .stretched(scaled.stretch);
        Ok(Fit::new(embedding, model, report))
    }
}
