//! What a fit says of answers: how likely each is under its map, its link and the lapses of those who are known.

use nearer_num::pairs::Rows;

use crate::error::Error;
use crate::evaluate::join;
use crate::evidence::Comparisons;
use crate::geometry::Embedding;
use crate::model::{Answering, Model};
use crate::report::{FitReport, Lapsed};
use crate::solve::likelihood::{Answers, Rates};

/// A map that answers: its points in the order of some comparisons, and how likely their answers are.
pub(super) struct Speaker {
    pub answers: Answers,
    pub points: Vec<f64>,
    pub dim: usize,
    pub answering: Answering,
    /// The lapse of each person of the answers, and then of those who are not named.
    pub rates: Rates,
    /// The row on the map of every object of the comparisons.
    pub rows: Vec<Option<usize>>,
}

impl Speaker {
    /// Nothing where the map was made without a likelihood.
    pub(super) fn new(
        map: &Embedding,
        model: &Model,
        lapses: Option<&Lapsed>,
        c: &Comparisons,
    ) -> Result<Option<Self>, Error> {
        let Some(answering) = model.likelihood() else { return Ok(None) };
        let judged = c.iter().flat_map(|r| [r.near.first(), r.near.second(), r.far.first(), r.far.second()]);
        let rows = join::judged_rows(map, c.objects(), judged)?;
        let mut points = vec![0.0; rows.len() * map.dim()];
        for (at, row) in points.chunks_exact_mut(map.dim()).zip(&rows) {
            if let Some(row) = row {
                at.iter_mut().zip(map.point(*row)).for_each(|(a, v)| *a = *v);
            }
        }
        let answers = Answers::of(c);
        let mean = answering.lapse;
        let known = lapses.map_or(&[][..], |l| &l.participants);
        let of = |name: &String| known.iter().find(|p| p.participant == *name).map_or(mean, |p| p.lapse);
        let each = if known.is_empty() || answers.people.is_empty() {
            Vec::new()
        } else {
            answers.people.iter().map(of).chain([mean]).collect()
        };
        Ok(Some(Speaker { answers, points, dim: map.dim(), answering, rates: Rates { mean, each }, rows }))
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { values: &self.points, dim: self.dim }
    }

    /// The logarithm of the probability of each answer, lapses included.
    fn logarithms(&self) -> Vec<f64> {
        self.rates.logarithms(&self.answers, self.rows(), self.answering.link.into())
    }
}

/// The mean logarithm of the probability of answers under a map that was made by a likelihood (`choice`, `ste`, `t-ste`, `ckl`),
/// the lapses of known people included; nothing for other maps. A triplet answered by the toss of a coin has -0.693.
///
/// # Fails
/// When an object that is judged is not on the map.
///
/// ```
/// use nearer::{Embed, evaluate::log_likelihood, method::Ste, model::Model, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let answers = toy::answers(20, 2, 1000, 0.1, 1);
/// let fit = Ste::new(2).fit(&answers)?;
/// let told = log_likelihood(&fit.embedding, &Model::Ordinal(fit.model), &fit.report, &answers)?.expect("a likelihood");
/// assert!((told - fit.report.figures["log-likelihood"].number().expect("a number")).abs() < 1e-9);
/// # Ok(()) }
/// ```
pub fn log_likelihood(
    map: &Embedding,
    model: &Model,
    report: &FitReport,
    c: &Comparisons,
) -> Result<Option<f64>, Error> {
    let Some(speaker) = Speaker::new(map, model, report.lapses.as_ref(), c)? else { return Ok(None) };
    let choices = &speaker.answers.choices;
    let sum: f64 = speaker.logarithms().iter().enumerate().map(|(t, log)| choices.weight(t) * log).sum();
    Ok((!choices.is_empty()).then(|| sum / choices.total()))
}
