//! What the evidence says of a map: all that a page shows beside the map itself, found once for every front end.

use std::borrow::Cow;

use crate::check::check;
use crate::error::Error;
use crate::evaluate::{
    self, JudgementOptions, Options, Target, Ties, judged_comparisons, judged_pairs, judgements, pair_judgements,
    shepard,
};
use crate::evidence::{Distances, Evidence, Part};
use crate::fit::{Embed as _, Fit};
use crate::geometry::Embedding;
use crate::method::{MetricMds, NonmetricMds};
use crate::model::{Model, Transform};
use crate::object::Objects;
use crate::page::{DrawnPair, JudgedRow, Page, Story};
use crate::report::{Evaluation, FitReport, JudgementEvaluation, StressReference};
use crate::solve::Run;
use crate::study::Study;
use crate::text::NEIGHBOURS_ONLY;

/// How many neighbours make a neighbourhood, where nobody says.
pub const NEIGHBOURS: usize = 10;

/// A map, and what made it where that is known.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The map.
    pub map: &'a Embedding,
    /// What places new objects on it.
    pub model: Option<&'a Model>,
    /// How it came about.
    pub report: Option<&'a FitReport>,
}

impl<'a> From<&'a Fit<Model>> for Seen<'a> {
    fn from(fit: &'a Fit<Model>) -> Self {
        Seen { map: &fit.embedding, model: Some(&fit.model), report: Some(&fit.report) }
    }
}

impl<'a> Seen<'a> {
    /// What it is held against: the order of the data for an ordinal fit, the transformation its model found, else the data.
    #[must_use]
    pub fn target(&self, ordinal: bool) -> Target<'a> {
        match (self.report, self.model) {
            (Some(report), _) if report.method == "nonmetric-mds" => {
                Target::Ordinal(match report.settings.word("ties") {
                    Some("secondary") => Ties::Secondary,
                    Some("tertiary") => Ties::Tertiary,
                    _ => Ties::Primary,
                })
            }
            _ if ordinal => Target::Ordinal(Ties::Primary),
            (_, Some(Model::Anchors(a))) if *a.transform() != Transform::Identity => Target::Transform(a.transform()),
            _ => Target::Data,
        }
    }

    /// How well it keeps distances.
    pub fn evaluation(
        &self,
        data: &Distances,
        ordinal: bool,
        neighbours: usize,
        run: &Run<'_>,
    ) -> Result<Evaluation, Error> {
        let options = Options { target: self.target(ordinal), neighbours, ..Options::default() };
        let mut e = run.install(|| evaluate::evaluation(self.map, data, &options))?;
        e.method = self.method();
        if self.report.is_some_and(FitReport::is_of_neighbours) {
            e.warnings.push(NEIGHBOURS_ONLY.into());
        }
        if let Some(spectrum) = self.report.and_then(|r| r.spectrum.as_ref()) {
            e = e.with_spectrum(spectrum.clone());
        }
        Ok(e)
    }

    /// The stress of chance beside that of an evaluation, by metric or, where ranks are what is kept, non-metric scaling from one
    /// start; by itself only for maps small enough that it takes a moment.
    pub fn stress_reference(
        &self,
        asked: Option<usize>,
        e: &Evaluation,
        data: &Distances,
        ordinal: bool,
        run: &Run<'_>,
    ) -> Result<Option<StressReference>, Error> {
        /// Fewer objects have no stress to speak of.
        const FEWEST: usize = 4;
        let draws = asked.unwrap_or(match e.objects {
            0..=60 => 100,
            61..=200 => 20,
            _ => 0,
        });
        if draws == 0 || (asked.is_none() && (e.objects < FEWEST || e.dim + 1 >= e.objects)) {
            return Ok(None);
        }
        let held = self.target(ordinal);
        let found = if let Target::Ordinal(_) = held {
            let method = NonmetricMds::new(e.dim).starts(1);
            evaluate::stress_reference(data, e.stress1, held, draws, run, |d, run| method.fit_with(d, run))
        } else {
            let method = MetricMds::new(e.dim).starts(1);
            evaluate::stress_reference(data, e.stress1, held, draws, run, |d, run| method.fit_with(d, run))
        };
        found.map(Some)
    }

    /// How well it agrees with judgements; nothing where these are neither comparisons nor pairs.
    pub fn agreement(&self, judged: &Evidence, run: &Run<'_>) -> Result<Option<JudgementEvaluation>, Error> {
        let options = JudgementOptions::default();
        let mut e = match judged {
            Evidence::Comparisons(c) => judgements(self.map, c, &options, run)?,
            Evidence::Pairs(p) => pair_judgements(self.map, p, &options, run)?,
            _ => return Ok(None),
        };
        e.method = self.method();
        Ok(Some(e))
    }

    fn method(&self) -> Option<String> {
        self.report.map(|r| r.method.clone())
    }
}

/// What a fit is held against: pairs as they were given, for nobody asked for the comparisons that a method makes of them; else the
/// main part of what the method took.
#[must_use]
pub fn made_of<'s>(given: &'s Study, suited: &'s Study) -> Option<&'s Evidence> {
    given.part(Part::Pairs).or(suited.main())
}

/// What a map can be held against of all that is known: distances, comparisons and pairs as they are, rows by their cells, features that
/// stand alone by their distances; of the last two also what is to be said.
///
/// # Fails
/// [`Error::Evidence`] where there is none of these, or a row or a column is not on the map; [`Error::Memory`].
pub fn held_against<'s>(
    study: &'s Study,
    map: &Embedding,
    run: &Run<'_>,
) -> Result<(Cow<'s, Evidence>, Option<&'static str>), Error> {
    match (study.main(), study.features()) {
        (Some(e @ (Evidence::Distances(_) | Evidence::Comparisons(_) | Evidence::Pairs(_))), _) => {
            Ok((Cow::Borrowed(e), None))
        }
        (Some(Evidence::Rows(rows)), _) => {
            if rows.together()?.among(map.objects()).contains(&None) {
                return Err(Error::Evidence {
                    what: "not all rows and columns of the distances are on the map".into(),
                    remedy: "give distances between the objects of the map".into(),
                });
            }
            let said = "rows: the map is held against the cells as they are, rows to columns";
            Ok((Cow::Owned(rows.across()?.into()), Some(said)))
        }
        (None, [(_, features)]) => {
            let n = features.len() as u64;
            run.afford("the distances of the features", 4 * n * n, "take a map of fewer objects")?;
            let said = "features: the map is held against their Euclidean distances";
            Ok((Cow::Owned(run.install(|| features.distances())?.into()), Some(said)))
        }
        _ => Err(Error::Evidence {
            what: match study.parts().first() {
                Some(part) => format!("a map cannot be held against {part}"),
                None => "there is nothing to hold the map against".into(),
            },
            remedy: "give distances, comparisons or pairs, or one table of features".into(),
        }),
    }
}

/// What the evidence says of a map.
///
/// ```
/// use nearer::show::{Findings, Seen};
/// use nearer::{Evidence, Run, Study, method::table, page::Page, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let method = table::find("metric-mds")?;
/// let fit = method.fit(&method.settings([])?, &Study::from(toy::cities()), &Run::seeded(0))?;
/// let found = Findings::of(Seen::from(&fit), &Evidence::from(toy::cities()), false, &Run::seeded(0), None)?;
/// assert!(found.evaluation.as_ref().is_some_and(|e| e.stress1 < 0.2));
/// let page = found.on(Page::new(&fit.embedding).report(&fit.report)).html()?;
/// assert!(page.contains("Stockholm"));
/// # Ok(()) }
/// ```
#[derive(Debug, Default)]
pub struct Findings {
    /// How well the map keeps distances.
    pub evaluation: Option<Evaluation>,
    /// How well it agrees with judgements.
    pub judgements: Option<JudgementEvaluation>,
    pairs: Option<(Objects, Vec<DrawnPair>)>,
    rows: Vec<JudgedRow>,
    story: Option<Story>,
}

impl Findings {
    /// Holds a map against evidence: distances (with `reference` beside the stress of chance), comparisons or pairs; of other kinds
    /// there is nothing to say.
    pub fn of(
        seen: Seen<'_>,
        evidence: &Evidence,
        reference: bool,
        run: &Run<'_>,
        memory: Option<u64>,
    ) -> Result<Self, Error> {
        let rows = match evidence {
            Evidence::Distances(d) => return Findings::of_distances(seen, d, reference, run),
            Evidence::Comparisons(c) => judged_comparisons(seen.map, c)?,
            Evidence::Pairs(p) => judged_pairs(seen.map, p)?,
            _ => return Ok(Findings::default()),
        };
        let story = Some(Story::from(&check(evidence, run, memory)?));
        Ok(Findings { judgements: seen.agreement(evidence, run)?, rows, story, ..Findings::default() })
    }

    fn of_distances(seen: Seen<'_>, d: &Distances, reference: bool, run: &Run<'_>) -> Result<Self, Error> {
        let mut e = seen.evaluation(d, false, NEIGHBOURS, run)?;
        if reference {
            e.reference = seen.stress_reference(None, &e, d, false, run)?;
        }
        let pairs = run.install(|| shepard(seen.map, d, seen.target(false)))?;
        let pairs = pairs.iter().map(DrawnPair::from).collect();
        Ok(Findings { evaluation: Some(e), pairs: Some((d.objects().clone(), pairs)), ..Findings::default() })
    }

    /// The page with what was found.
    #[must_use]
    pub fn on<'a>(&'a self, mut page: Page<'a>) -> Page<'a> {
        if let Some(e) = &self.evaluation {
            page = page.evaluation(e);
        }
        if let Some((objects, pairs)) = &self.pairs {
            page = page.pairs(objects, pairs);
        }
        if let Some(e) = &self.judgements {
            page = page.judgements(e, &self.rows);
        }
        if let Some(story) = &self.story {
            page = page.story(story);
        }
        page
    }
}
