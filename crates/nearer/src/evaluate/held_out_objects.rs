//! Objects a map was not made from: placed from half of their judgements, tested on the other half.

use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evaluate::agreement::Held;
use crate::evaluate::held_out::{Folds, STREAM, deal, over_folds, questions_of_rows};
use crate::evidence::{Comparison, Comparisons};
use crate::fit::Fit;
use crate::geometry::Embedding;
use crate::object::{Item, Pair};
use crate::report::{Fold, HeldOut};
use crate::solve::Run;

/// Cross-validated placing: the objects are dealt into folds; a map is made without those of a fold and without any judgement
/// about them; each is then placed alone from half of its questions, and tested on the other half.
///
/// `place` puts the one new object of a query on the old map, as a model that implements
/// [`Place<Comparisons>`](crate::Place) does: `|model, query| model.place(query)`. The query names the new object and
/// the old ones its comparisons mention. Comparisons that involve two objects of a fold are in neither half. An object with fewer
/// than two questions, or one that `place` refuses, is counted as not placed. Training sets and queries are bare
/// comparisons: they do not know of trials and participants.
///
/// # Fails
/// When there are fewer than two folds, fewer objects than folds, when nothing is left to make a map from or to test on, and as
/// [`held_out`](crate::evaluate::held_out).
pub fn held_out_objects<M>(
    comparisons: &Comparisons,
    folds: impl Into<Folds>,
    fit: impl Fn(&Comparisons, &Run<'_>) -> Result<Fit<M>, Error> + Sync,
    place: impl Fn(&M, &Comparisons) -> Result<Embedding, Error> + Sync,
    run: &Run<'_>,
) -> Result<HeldOut, Error> {
    let objects = comparisons.objects();
    let mut judged = vec![false; objects.len()];
    comparisons.iter().flat_map(items).for_each(|item| judged[item.index()] = true);
    let units = judged.iter().enumerate().map(|(k, judged)| judged.then_some(k));
    let (fold_of, folds) = deal(units, "judged objects", folds.into(), run.seed())?;
    let questions = questions_of_rows(comparisons);
    over_folds("object", folds, run, |k, halt| {
        let out = |item: Item| fold_of[item.index()] == Some(k);
        let parts = Parts::new(comparisons, &questions, out, run.seed());
        let train = match restricted(comparisons, &parts.train, |item| !out(item)) {
            Ok(train) => train,
            Err(error) => return Some(Err(error)),
        };
        let fitted = halt.task(k, |inner| fit(&train, inner), run.threads(1))?;
        Some(fitted.and_then(|fit| parts.tested(k, comparisons, &train, &fit, &place)))
    })
}

/// The rows of one fold.
struct Parts {
    train: Vec<usize>,
    /// For each object held out, the rows it is placed from and those it is tested on.
    halves: Vec<(Item, Vec<usize>, Vec<usize>)>,
    /// Rows with two objects of the fold.
    unused: usize,
}

impl Parts {
    fn new(c: &Comparisons, questions: &[u32], out: impl Fn(Item) -> bool, seed: u64) -> Parts {
        let mut own = vec![Vec::new(); c.objects().len()];
        let (mut train, mut unused) = (Vec::new(), 0);
        for (row, comparison) in c.iter().enumerate() {
            let mut strangers: Vec<Item> = items(comparison).into_iter().filter(|i| out(*i)).collect();
            strangers.sort_unstable();
            strangers.dedup();
            match strangers[..] {
                [] => train.push(row),
                [one] => own[one.index()].push(row),
                _ => unused += 1,
            }
        }
        let held = (0..c.objects().len() as u32).map(Item).filter(|i| out(*i));
        let halves = held
            .map(|item| {
                let rows = &own[item.index()];
                let mut asked: Vec<u32> = rows.iter().map(|&row| questions[row]).collect();
                asked.sort_unstable();
                asked.dedup();
                // The stream belongs to the object, so that it does not matter which fold it is in.
                let order = Rng::task(seed ^ STREAM, 1 + u64::from(item.0)).permutation(asked.len());
                let mut first = vec![false; asked.len()];
                order[..asked.len().div_ceil(2)].iter().for_each(|&q| first[q] = true);
                let for_placing = |row: &usize| asked.binary_search(&questions[*row]).is_ok_and(|q| first[q]);
                let (placing, testing) = rows.iter().copied().partition(for_placing);
                (item, placing, testing)
            })
            .collect();
        Parts { train, halves, unused }
    }

    fn tested<M>(
        &self,
        k: usize,
        c: &Comparisons,
        train: &Comparisons,
        fit: &Fit<M>,
        place: impl Fn(&M, &Comparisons) -> Result<Embedding, Error>,
    ) -> Result<(Fold, Vec<String>), Error> {
        let (map, labels) = (&fit.embedding, c.objects().labels());
        let mut names = map.objects().labels().to_vec();
        let mut points = map.points().clone();
        let (mut tests, mut refused, mut first_refusal) = (Vec::new(), 0, None);
        for (item, placing, testing) in &self.halves {
            let label = &labels[item.index()];
            if placing.is_empty() || testing.is_empty() {
                refused += 1;
                continue;
            }
            match placed(c, *item, placing, fit, &place) {
                Ok(point) => {
                    points.push_row(ndarray::ArrayView1::from(&point)).map_err(|_| Error::Evidence {
                        what: format!("`{label}` was placed in {} dimensions on a map of {}", point.len(), map.dim()),
                        remedy: "place with the model of the map".into(),
                    })?;
                    names.push(label.clone());
                    tests.extend_from_slice(testing);
                }
                Err(error) => {
                    refused += 1;
                    first_refusal.get_or_insert(error);
                }
            }
        }
        if tests.is_empty() {
            return Err(first_refusal.unwrap_or_else(|| Error::Evidence {
                what: "no object held out has two questions about old objects".into(),
                remedy: "use more folds, or hold out rows or queries".into(),
            }));
        }
        let test = c.subset(&tests);
        let both = Embedding::new(crate::object::Objects::new(names)?, points)?;
        let fold = Fold {
            fold: k + 1,
            train_rows: train.len(),
            test_rows: test.len(),
            train: Held::new(map, train)?.share(),
            test: Held::new(&both, &test)?.share(),
            log_likelihood: None,
            placed: Some(self.halves.len() - refused),
            unplaced: Some(refused),
        };
        let mut said = Vec::new();
        if let Some(error) = first_refusal {
            said.push(format!(
                "fold {}: {refused} of {} objects could not be placed: {error}",
                k + 1,
                self.halves.len()
            ));
        }
        if self.unused > 0 {
            said.push(format!("fold {}: {} comparisons involve two objects held out: not used", k + 1, self.unused));
        }
        Ok((fold, said))
    }
}

/// Where `place` puts one object.
fn placed<M>(
    c: &Comparisons,
    item: Item,
    rows: &[usize],
    fit: &Fit<M>,
    place: impl Fn(&M, &Comparisons) -> Result<Embedding, Error>,
) -> Result<Vec<f64>, Error> {
    let mut named = vec![false; c.objects().len()];
    rows.iter().flat_map(|&row| items(&c.rows()[row])).for_each(|item| named[item.index()] = true);
    let query = restricted(c, rows, |item| named[item.index()])?;
    let answer = place(&fit.model, &query)?;
    let label = c.objects().label(item);
    let row = answer.objects().index().get(label).map(|item| item.index());
    row.map(|row| answer.point(row).to_vec()).ok_or_else(|| Error::Evidence {
        what: format!("placing gave no position for `{label}`"),
        remedy: "place the new objects of the query".into(),
    })
}

/// Some rows over some of the objects.
fn restricted(c: &Comparisons, rows: &[usize], keep: impl Fn(Item) -> bool) -> Result<Comparisons, Error> {
    let kept: Vec<usize> = (0..c.objects().len()).filter(|&k| keep(Item(k as u32))).collect();
    let mut number = vec![0u32; c.objects().len()];
    kept.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
    let moved = |p: Pair| Pair::new(Item(number[p.first().index()]), Item(number[p.second().index()]));
    let rows: Vec<Comparison> = rows
        .iter()
        .filter_map(|&row| {
            let old = c.rows()[row];
            Some(Comparison { near: moved(old.near)?, far: moved(old.far)?, ..old })
        })
        .collect();
    if rows.is_empty() {
        return Err(Error::Evidence {
            what: "without the objects held out no comparison is left".into(),
            remedy: "use more folds, or hold out rows or queries".into(),
        });
    }
    Comparisons::new(c.objects().subset(&kept), rows)
}

/// The objects of a comparison; the one that a triplet shares comes twice.
fn items(row: &Comparison) -> [Item; 4] {
    [row.near.first(), row.near.second(), row.far.first(), row.far.second()]
}
