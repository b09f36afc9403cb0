//! Judgements a map was not made from: folds held out, each of the rest fitted.

use std::collections::HashMap;
use std::hash::Hash;

use nearer_num::par;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evaluate::agreement::Held;
use crate::evaluate::replicate::{Halt, in_order};
use crate::evidence::Comparisons;
use crate::evidence::questions::Questions;
use crate::fit::Fit;
use crate::report::{Fold, HeldOut, MeanShare};
use crate::solve::{Run, Stop};

/// Keeps the random numbers of the folds apart from those of the fits, which use the seed itself.
pub(super) const STREAM: u64 = 0x0F01_D5E7;

/// What is never torn apart by a fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum By {
    /// Answers: the comparisons of one trial stay together, but the same question may be answered in training and in
    /// testing. This is how published tables split, and where questions repeat it flatters: what was answered is asked again.
    Rows,
    /// Questions: all answers to one question stay together, so that nothing tested was seen.
    Queries,
    /// People: tested on participants who answered nothing in training.
    Participant,
}

impl By {
    /// The name, as `--held-out` takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            By::Rows => "rows",
            By::Queries => "queries",
            By::Participant => "participant",
        }
    }
}

/// Cross-validated agreement: the judgements are dealt into folds, and each fold is held against a map made from the others.
///
/// A fold keeps all objects. Units (see [`By`]) are shuffled by the seed and dealt one after another, so folds differ by one
/// unit at most. Rows of unknown participants are always in training when participants are held out. `fit` makes a map of
/// some comparisons, as [`Embed::fit_with`](crate::Embed::fit_with) does; the fits run on as many threads as the run has, one thread
/// each, and the result does not depend on how many. A fold whose fit fails is counted and left out; a run that is cancelled gives
/// the folds that finished.
///
/// # Fails
/// When there are fewer than two folds, fewer units than folds, or no participants to hold out; when every fit fails; with
/// [`Error::Cancelled`] before the first fold.
///
/// # Reference
/// Stone (1974). The standard error over folds is rough, since folds share training rows: Bengio and Grandvalet (2004).
///
/// ```
/// use nearer::{Comparison, Comparisons, Embedding, Fit, Item, Objects, Pair, Run};
/// use nearer::{evaluate::{By, held_out}, report::FitReport};
/// # fn main() -> Result<(), nearer::Error> {
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let rows = (0..8).map(|k| Comparison::new(pair(k, k + 1), pair(k, k + 2))).collect();
/// let answers = Comparisons::new(Objects::numbered(10), rows)?;
/// // A method that always draws the objects in a row.
/// let in_a_row = |c: &Comparisons, run: &Run<'_>| {
///     let points = ndarray::Array2::from_shape_fn((10, 1), |(i, _)| i as f64);
///     let embedding = Embedding::new(c.objects().clone(), points)?;
///     Ok(Fit::new(embedding, (), FitReport::new("in-a-row", 10, 1, run.seed())))
/// };
/// let found = held_out(&answers, By::Queries, 4, in_a_row, &Run::default())?;
/// assert_eq!((found.folds.len(), found.test.mean), (4, 1.0));
/// # Ok(()) }
/// ```
pub fn held_out<M>(
    comparisons: &Comparisons,
    by: By,
    folds: impl Into<Folds>,
    fit: impl Fn(&Comparisons, &Run<'_>) -> Result<Fit<M>, Error> + Sync,
    run: &Run<'_>,
) -> Result<HeldOut, Error> {
    held_out_scored(comparisons, by, folds, fit, |_, _| Ok(None), run)
}

/// The same, each map asked also for the mean logarithm of the probability of what was held out, as
/// [`log_likelihood`](crate::evaluate::log_likelihood) tells it of a fit.
///
/// # Fails
/// As [`held_out`] does; a fold whose score fails counts as failed.
pub fn held_out_scored<M>(
    comparisons: &Comparisons,
    by: By,
    folds: impl Into<Folds>,
    fit: impl Fn(&Comparisons, &Run<'_>) -> Result<Fit<M>, Error> + Sync,
    score: impl Fn(&Fit<M>, &Comparisons) -> Result<Option<f64>, Error> + Sync,
    run: &Run<'_>,
) -> Result<HeldOut, Error> {
    let (fold_of, folds) = dealt(comparisons, by, folds.into(), run.seed())?;
    let rows_where = |keep: &dyn Fn(Option<usize>) -> bool| -> Vec<usize> {
        (0..fold_of.len()).filter(|&row| keep(fold_of[row])).collect()
    };
    over_folds(by.name(), folds, run, |k, halt| {
        let train = comparisons.subset(&rows_where(&|fold| fold != Some(k)));
        let test = comparisons.subset(&rows_where(&|fold| fold == Some(k)));
        let fitted = halt.task(k, |inner| fit(&train, inner), run.threads(1))?;
        Some(fitted.and_then(|fit| {
            let fold = Fold {
                fold: k + 1,
                train_rows: train.len(),
                test_rows: test.len(),
                train: Held::new(&fit.embedding, &train)?.share(),
                test: Held::new(&fit.embedding, &test)?.share(),
                log_likelihood: score(&fit, &test)?,
                placed: None,
                unplaced: None,
            };
            Ok((fold, Vec::new()))
        }))
    })
}

/// Runs every fold and sums them up; each gives its figures, and what a reader should know.
pub(super) fn over_folds(
    by: &str,
    folds: usize,
    run: &Run<'_>,
    one: impl Fn(usize, &Halt<'_>) -> Option<Result<(Fold, Vec<String>), Error>> + Sync,
) -> Result<HeldOut, Error> {
    let halt = Halt::new("held-out", folds, run);
    let results = in_order(folds, run.install(par::threads), |k| one(k, &halt));
    let (mut done, mut warnings, mut failures) = (Vec::with_capacity(folds), Vec::new(), Vec::new());
    for result in results.into_iter().flatten() {
        match result {
            Ok((fold, said)) => {
                done.push(fold);
                warnings.extend(said);
            }
            Err(error) => failures.push(error),
        }
    }
    let complete = done.len() + failures.len() == folds;
    let failed = failures.len();
    let first = failures.into_iter().next();
    if done.is_empty() {
        return Err(first.unwrap_or(Error::Cancelled));
    }
    warnings.extend(first.map(|error| format!("{failed} of {folds} folds could not be fitted: {error}")));
    Ok(HeldOut {
        by: by.into(),
        method: None,
        train: mean(done.iter().map(|f| f.train)),
        test: mean(done.iter().map(|f| f.test)),
        log_likelihood: done
            .iter()
            .map(|f| f.log_likelihood)
            .collect::<Option<Vec<f64>>>()
            .map(|l| mean(l.into_iter())),
        features: None,
        folds: done,
        failed,
        stop: if complete { Stop::Converged } else { halt.stopped().unwrap_or(Stop::Cancelled) },
        warnings,
    })
}

/// The fold of each row; `None` for a row that is never held out.
fn dealt(c: &Comparisons, by: By, folds: Folds, seed: u64) -> Result<(Vec<Option<usize>>, usize), Error> {
    let who = |row: usize| c.answered(row).and_then(|a| a.participant);
    let answer = |row: usize| c.trial_of(row).unwrap_or(row);
    match by {
        By::Rows => deal((0..c.len()).map(|row| Some(answer(row))), "answers", folds, seed),
        By::Queries => deal(questions_of_rows(c).into_iter().map(Some), "questions", folds, seed),
        By::Participant if (0..c.len()).all(|row| who(row).is_none()) => Err(Error::Evidence {
            what: "it is not known who answered".into(),
            remedy: "name the column of participants, or hold out rows or queries".into(),
        }),
        By::Participant => deal((0..c.len()).map(who), "participants", folds, seed),
    }
}

/// The question behind each row: that of its trial, or which of two pairs is nearer.
pub(super) fn questions_of_rows(c: &Comparisons) -> Vec<u32> {
    let Some(trials) = c.trials() else {
        return Questions::of_rows(c).question;
    };
    let (usable, questions) = Questions::of_trials(trials);
    let mut of_trial = vec![0; trials.len()];
    usable.into_iter().zip(questions.question).for_each(|(trial, question)| of_trial[trial] = question);
    (0..c.len()).filter_map(|row| c.trial_of(row)).map(|trial| of_trial[trial]).collect()
}

/// How often a part is held out and the rest fitted: each judgement is held out once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folds {
    /// So often, where there is that much to part.
    Exactly(usize),
    /// So often, or once for each of what is held out together where there are fewer.
    UpTo(usize),
}

impl Default for Folds {
    fn default() -> Self {
        Folds::UpTo(5)
    }
}

impl From<usize> for Folds {
    fn from(count: usize) -> Self {
        Folds::Exactly(count)
    }
}

impl Folds {
    /// How many for so many units.
    pub(super) fn of(self, units: usize) -> usize {
        match self {
            Folds::Exactly(count) => count,
            Folds::UpTo(count) => count.min(units),
        }
    }
}

/// Shuffles the units and deals them into folds, one after another: the fold of each, and how many there are.
pub(super) fn deal<U: Eq + Hash>(
    units: impl Iterator<Item = Option<U>>,
    what: &str,
    folds: Folds,
    seed: u64,
) -> Result<(Vec<Option<usize>>, usize), Error> {
    let mut numbers = HashMap::new();
    let unit_of: Vec<Option<usize>> = units
        .map(|unit| {
            let next = numbers.len();
            unit.map(|unit| *numbers.entry(unit).or_insert(next))
        })
        .collect();
    let count = numbers.len();
    let (Folds::Exactly(asked) | Folds::UpTo(asked)) = folds;
    let folds = folds.of(count);
    if folds < 2 || folds > count {
        let expected = match count {
            0 | 1 => format!(
                "two {what} at least to hold one out, and there {}",
                if count == 1 { "is 1" } else { "are none" }
            ),
            _ => format!("a whole number from 2 to {count}, the number of {what}"),
        };
        return Err(Error::Parameter { name: "folds".into(), value: asked.to_string(), expected });
    }
    let mut fold_of = vec![0; count];
    for (k, unit) in Rng::task(seed ^ STREAM, 0).permutation(count).into_iter().enumerate() {
        fold_of[unit] = k % folds;
    }
    Ok((unit_of.into_iter().map(|unit| unit.map(|u| fold_of[u])).collect(), folds))
}

fn mean(values: impl Iterator<Item = f64>) -> MeanShare {
    let values: Vec<f64> = values.collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let spread = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    let standard_error = (values.len() > 1).then(|| (spread / (count - 1.0) / count).sqrt());
    MeanShare { mean, standard_error }
}
