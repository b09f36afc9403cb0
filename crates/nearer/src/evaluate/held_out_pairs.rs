//! Pairs a map was not made from: folds of answers, of people or of objects held out.

use crate::error::Error;
use crate::evaluate::held_out::{By, Folds, deal, over_folds};
use crate::evaluate::radii::Rings;
use crate::evidence::Pairs;
use crate::fit::Fit;
use crate::geometry::Embedding;
use crate::object::{Item, Objects};
use crate::report::{Fold, HeldOut};
use crate::solve::Run;

/// What is held out of judgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Answers, questions or people, as [`By`] says; of a pair both directions stay together, and so do all its answers.
    Rows(By),
    /// Objects: everything said about those of a fold, which are then placed.
    Object,
}

/// How far from an object those lie that are like it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Radii {
    /// A radius for each object: where many rows speak of each.
    Own,
    /// One for all: a metric means the same everywhere, and few rows speak of each object.
    One,
}

/// Cross-validated agreement of judged pairs: each fold is held against a map made from the others.
///
/// A tested row `i → j` is right where `j` lies inside the radius that fits the training rows best, those of `i` or all, and was said
/// to be alike, or outside and not. Rows that are dissimilar are often many more; each kind counts for half. With
/// [`Hold::Object`] `fit` gets the pairs of the objects that are left, over those objects alone, `place` puts the others on
/// the map, and the rows from old objects to new ones are tested. Rows of objects without a training row are left out.
///
/// # Fails
/// As [`held_out`](crate::evaluate::held_out).
pub fn held_out_pairs<M>(
    pairs: &Pairs,
    (what, radii): (Hold, Radii),
    folds: impl Into<Folds>,
    fit: impl Fn(&Pairs, &Run<'_>) -> Result<Fit<M>, Error> + Sync,
    place: impl Fn(&M, &Objects) -> Result<Embedding, Error> + Sync,
    run: &Run<'_>,
) -> Result<HeldOut, Error> {
    let rows = pairs.rows();
    let both = |k: usize| (rows[k].from.min(rows[k].to), rows[k].from.max(rows[k].to));
    let folds = folds.into();
    let repeated = pairs.tally().repeated > 0;
    let ((fold_of, folds), name): ((Vec<Option<usize>>, usize), &str) = match what {
        Hold::Rows(By::Participant) => {
            (deal(rows.iter().map(|r| r.participant), "participants", folds, run.seed())?, "participant")
        }
        // All rows of one answer stay together.
        Hold::Rows(By::Rows) if repeated => {
            let answers = (0..rows.len()).map(|k| Some(k / pairs.per_answer()));
            (deal(answers, "answers", folds, run.seed())?, "rows")
        }
        Hold::Rows(by) => (deal((0..rows.len()).map(|k| Some(both(k))), "pairs", folds, run.seed())?, by.name()),
        Hold::Object => {
            let n = pairs.objects().len();
            (deal((0..n).map(Some), "objects", folds, run.seed())?, "object")
        }
    };
    over_folds(name, folds, run, |k, halt| {
        let (train, test): (Vec<usize>, Vec<usize>) = match what {
            Hold::Rows(_) => (0..rows.len()).partition(|r| fold_of[*r] != Some(k)),
            Hold::Object => {
                let out = |i: Item| fold_of[i.index()] == Some(k);
                let train = (0..rows.len()).filter(|r| !out(rows[*r].from) && !out(rows[*r].to)).collect();
                (train, (0..rows.len()).filter(|r| !out(rows[*r].from) && out(rows[*r].to)).collect())
            }
        };
        let all = pairs.subset(&train);
        let left: Vec<usize> = match what {
            Hold::Rows(_) => (0..pairs.objects().len()).collect(),
            Hold::Object => (0..pairs.objects().len()).filter(|i| fold_of[*i] != Some(k)).collect(),
        };
        let all = match restricted(&all, &left) {
            Ok(all) => all,
            Err(e) => return Some(Err(e)),
        };
        let fitted = halt.task(k, |inner| fit(&all, inner), run.threads(1))?;
        Some(fitted.and_then(|fit| {
            let mut map = fit.embedding.clone();
            if what == Hold::Object {
                let new: Vec<usize> = (0..pairs.objects().len()).filter(|i| fold_of[*i] == Some(k)).collect();
                map = joined(&map, &place(&fit.model, &pairs.objects().subset(&new))?)?;
            }
            let rings = Rings::new(&map, &all)?;
            let (index, common) = (all.objects().index(), rings.common(&all));
            let radius = |label: &str, level: u16| match radii {
                Radii::Own => index.get(label).copied().and_then(|i| rings.squared_radius(&all, i, level)),
                Radii::One => common.get(usize::from(level)).copied(),
            };
            let fold = Fold {
                fold: k + 1,
                train_rows: train.len(),
                test_rows: test.len(),
                train: shares(pairs, &train, &map, &radius)?,
                test: shares(pairs, &test, &map, &radius)?,
                log_likelihood: None,
                placed: None,
                unplaced: None,
            };
            Ok((fold, Vec::new()))
        }))
    })
}

/// The share of rows on the right side of the radii, half of it for each kind.
fn shares(
    pairs: &Pairs,
    rows: &[usize],
    map: &Embedding,
    radius: &dyn Fn(&str, u16) -> Option<f64>,
) -> Result<f64, Error> {
    let index = map.objects().index();
    let mut counts = [[0.0; 2]; 2];
    for &r in rows {
        let row = &pairs.rows()[r];
        let (from, to) = (pairs.objects().label(row.from), pairs.objects().label(row.to));
        let (Some(a), Some(b), Some(square)) = (index.get(from), index.get(to), radius(from, row.level)) else {
            continue;
        };
        let inside = map.distance(a.index(), b.index()).powi(2) < square;
        let kind = &mut counts[usize::from(row.similar)];
        kind[0] += f64::from(u8::from(inside == row.similar));
        kind[1] += 1.0;
    }
    let known: Vec<f64> = counts.iter().filter(|c| c[1] > 0.0).map(|c| c[0] / c[1]).collect();
    if known.is_empty() {
        return Err(Error::Evidence {
            what: "no row of a fold can be tested".into(),
            remedy: "use fewer folds, or hold out something else".into(),
        });
    }
    Ok(known.iter().sum::<f64>() / known.len() as f64)
}

/// The rows over some of the objects.
fn restricted(pairs: &Pairs, kept: &[usize]) -> Result<Pairs, Error> {
    if kept.len() == pairs.objects().len() {
        return Ok(pairs.clone());
    }
    let mut number = vec![None; pairs.objects().len()];
    kept.iter().enumerate().for_each(|(new, &old)| number[old] = Some(Item(new as u32)));
    let rows = pairs.iter().filter_map(|row| {
        Some(crate::evidence::Judged { from: number[row.from.index()]?, to: number[row.to.index()]?, ..*row })
    });
    let some = Pairs::new(pairs.objects().subset(kept), rows.collect())?;
    Ok(some.described(pairs.participants().to_vec(), 0))
}

/// Two maps of different objects as one.
fn joined(a: &Embedding, b: &Embedding) -> Result<Embedding, Error> {
    let labels = a.objects().labels().iter().chain(b.objects().labels()).cloned();
    let points = ndarray::concatenate(ndarray::Axis(0), &[a.points().view(), b.points().view()])
        .map_err(|_| Error::Evidence { what: "placed in other dimensions".into(), remedy: "use the model".into() })?;
    Embedding::new(Objects::new(labels)?, points)
}
