//! A map against classes that are known: do neighbours tell the class, and do heaps fall together with classes?

use std::collections::HashMap;

use ndarray::{Array2, ArrayView2, Axis};
use nearer_num::rng::Rng;
use nearer_num::vectors::square_distance;
use nearer_num::{kmeans, par};

use crate::error::Error;
use crate::evaluate::as_given::AsGiven;
use crate::evaluate::held_out::{Folds, STREAM};
use crate::evidence::{Classes, Features};
use crate::fit::Fit;
use crate::geometry::Embedding;
use crate::model::Model;
use crate::report::{ClassEvaluation, ClassFigures, ClassHeldOut, MeanError};
use crate::solve::Run;

/// Starts and rounds of k-means.
const STARTS: usize = 10;
const ROUNDS: usize = 300;

/// How well classes can be told from a map: the error of a vote among `neighbours`, each object left out of its own; k-means
/// with as many groups as there are classes against the classes, by the adjusted Rand index and pairwise F; the
/// silhouette of the classes. With features the same in them: as they were given, or at unit variance, which the metric was told to do.
///
/// ```
/// use nearer::evaluate::class_evaluation;
/// use nearer::evidence::Classes;
/// use nearer::{Embed, Run, method::Nca, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, sorts) = toy::classed(90, 3, 4, 1);
/// let map = Nca::new(2).fit((&features, &sorts))?.embedding;
/// let e = class_evaluation(&map, &Classes::of(&sorts)?, Some((&features, false)), 3, &Run::default())?;
/// assert!(e.map.knn_error < e.features.expect("features are given").knn_error);
/// # Ok(()) }
/// ```
///
/// # Fails
/// [`Error::Evidence`] where fewer than two classes are on the map, or some object has no features.
pub fn class_evaluation(
    map: &Embedding,
    classes: &Classes,
    features: Option<(&Features, bool)>,
    neighbours: usize,
    run: &Run<'_>,
) -> Result<ClassEvaluation, Error> {
    let of = classes.on(map.objects());
    let known: Vec<usize> = (0..map.len()).filter(|i| of[*i].is_some()).collect();
    let group: Vec<u32> = known.iter().filter_map(|i| of[*i]).collect();
    let sizes = sizes(&group, classes.names().len());
    let there = sizes.iter().filter(|s| **s > 0).count();
    if there < 2 || known.len() < 3 {
        return Err(Error::Evidence {
            what: format!("{} objects of {there} classes are on the map", known.len()),
            remedy: "an evaluation by classes needs two of them, and three objects at least".into(),
        });
    }
    let points = map.points().select(Axis(0), &known);
    let given = |(f, unit_variance): (&Features, bool)| {
        let given = AsGiven::fit(f, unit_variance)?.embedding;
        Ok::<_, Error>(figures(rows_of(&given, map, &known)?.view(), &group, there, neighbours, run))
    };
    let in_features = features.map(given).transpose()?;
    let mut warnings = Vec::new();
    if let Some(k) = sizes.iter().position(|s| *s == 1) {
        warnings.push(format!("the class `{}` has one object, which no neighbour can tell", classes.names()[k]));
    }
    let count = |(name, size): (&String, &usize)| (name.clone(), *size);
    Ok(ClassEvaluation {
        schema: 1,
        objects: known.len(),
        unclassed: map.len() - known.len(),
        dim: map.dim(),
        method: None,
        classes: classes.names().iter().zip(&sizes).filter(|(_, s)| **s > 0).map(count).collect(),
        neighbours,
        map: figures(points.view(), &group, there, neighbours, run),
        features: in_features,
        unit_variance: features.is_some_and(|(_, unit_variance)| unit_variance),
        held_out: None,
        warnings,
    })
}

/// Learning judged by objects it has not seen: objects with a class are dealt into folds, class by class; a map is learned without
/// those of a fold, they are placed by their features, and the vote of their nearest neighbours among the others classes
/// them. Beside it the same vote in the features as they were given, or at unit variance.
///
/// # Fails
/// As the fit does, and where there are fewer objects of some kind than folds need.
pub fn held_out_classes(
    (features, unit_variance): (&Features, bool),
    classes: &Classes,
    neighbours: usize,
    folds: impl Into<Folds>,
    fit: impl Fn(&Features, &Classes, &Run<'_>) -> Result<Fit<Model>, Error> + Sync,
    run: &Run<'_>,
) -> Result<ClassHeldOut, Error> {
    let of = classes.on(features.objects());
    let folds = folds.into().of(of.iter().flatten().count());
    let fold_of = dealt(&of, folds, run.seed())?;
    let (mut each, mut method) = (Vec::new(), String::new());
    for k in 0..folds {
        let train: Vec<usize> = (0..of.len()).filter(|i| fold_of[*i].is_some_and(|f| f != k)).collect();
        let test: Vec<usize> = (0..of.len()).filter(|i| fold_of[*i] == Some(k)).collect();
        let (seen, unseen) = (features.subset(&train), features.subset(&test));
        let class = |items: &[usize]| items.iter().filter_map(|i| of[*i]).collect::<Vec<u32>>();
        let (known, truth) = (class(&train), class(&test));
        let order = classes.objects().index();
        let own: Vec<usize> = seen.objects().labels().iter().map(|l| order[l.as_str()].index()).collect();
        let fitted = fit(&seen, &classes.subset(&own), run)?;
        let placed = fitted.model.place_tables(&[(None, &unseen)])?;
        // The map may hold the training objects in another order.
        let index = fitted.embedding.objects().index();
        let at: Vec<usize> = seen.objects().labels().iter().map(|l| index[l.as_str()].index()).collect();
        let points = fitted.embedding.points().select(Axis(0), &at);
        let wrong = |train: ArrayView2<'_, f64>, test: ArrayView2<'_, f64>| {
            let told = run.install(|| voted(train, &known, test, neighbours, false));
            told.iter().zip(&truth).filter(|(a, b)| a != b).count() as f64 / truth.len() as f64
        };
        let given = AsGiven::fit(&seen, unit_variance)?;
        let beside = wrong(given.embedding.points().view(), given.model.place(&unseen)?.points().view());
        each.push((wrong(points.view(), placed.points().view()), beside));
        method = fitted.report.method;
    }
    let column = |f: &dyn Fn(&(f64, f64)) -> f64| MeanError::of(&each.iter().map(f).collect::<Vec<_>>());
    Ok(ClassHeldOut {
        method,
        folds,
        map: column(&|e| e.0),
        features: column(&|e| e.1),
        difference: column(&|e| e.0 - e.1),
        each,
    })
}

/// The fold of each object that has a class: those of one class are dealt in turn, in an order drawn by the seed.
fn dealt(of: &[Option<u32>], folds: usize, seed: u64) -> Result<Vec<Option<usize>>, Error> {
    let known: Vec<usize> = (0..of.len()).filter(|i| of[*i].is_some()).collect();
    if folds < 2 || known.len() < folds {
        return Err(Error::Parameter {
            name: "folds".into(),
            value: folds.to_string(),
            expected: format!("2 to {}, the objects that have a class", known.len()),
        });
    }
    let mut order = Rng::task(seed ^ STREAM, 0).permutation(known.len());
    order.sort_by_key(|k| of[known[*k]]);
    let mut fold = vec![None; of.len()];
    order.iter().enumerate().for_each(|(turn, k)| fold[known[*k]] = Some(turn % folds));
    Ok(fold)
}

fn sizes(group: &[u32], count: usize) -> Vec<usize> {
    let mut sizes = vec![0; count];
    group.iter().for_each(|g| sizes[*g as usize] += 1);
    sizes
}

/// The features of some objects of a map.
fn rows_of(features: &Embedding, map: &Embedding, items: &[usize]) -> Result<Array2<f64>, Error> {
    let index = features.objects().index();
    let place = |i: &usize| {
        let label = &map.objects().labels()[*i];
        index.get(label.as_str()).map(|item| item.index()).ok_or_else(|| Error::Evidence {
            what: format!("`{label}` is on the map and has no features"),
            remedy: "give the features of all its objects, or none".into(),
        })
    };
    let rows = items.iter().map(place).collect::<Result<Vec<_>, Error>>()?;
    Ok(features.points().select(Axis(0), &rows))
}

fn figures(x: ArrayView2<'_, f64>, group: &[u32], classes: usize, neighbours: usize, run: &Run<'_>) -> ClassFigures {
    run.install(|| {
        let told = voted(x, group, x, neighbours, true);
        let wrong = told.iter().zip(group).filter(|(a, b)| a != b).count();
        let heaps = kmeans::kmeans(x, classes.min(x.nrows()), STARTS, ROUNDS, run.seed(), |_, _, _| true);
        let table = Table::of(&heaps.of, group);
        ClassFigures {
            knn_error: wrong as f64 / group.len() as f64,
            interval: wilson(wrong, group.len()),
            adjusted_rand: table.adjusted_rand(),
            pairwise_f: table.pairwise_f(),
            silhouette: silhouette(x, group),
        }
    })
}

/// The class that most of the nearest of `among` have, for each of `rows`; ties go to the class that comes first. `own` leaves
/// the row of the same number out.
pub(crate) fn voted(
    among: ArrayView2<'_, f64>,
    class: &[u32],
    rows: ArrayView2<'_, f64>,
    neighbours: usize,
    own: bool,
) -> Vec<u32> {
    let (among, rows) = (among.as_standard_layout(), rows.as_standard_layout());
    let k = neighbours.min(among.nrows() - usize::from(own)).max(1);
    let one = |i: usize| {
        let x = rows.row(i);
        let x = x.as_slice().expect("in rows");
        let mut all: Vec<(f64, u32)> = (0..among.nrows())
            .filter(|j| !own || *j != i)
            .map(|j| (square_distance(x, among.row(j).as_slice().expect("in rows")), j as u32))
            .collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if k < all.len() {
            all.select_nth_unstable_by(k - 1, order);
        }
        let mut votes: Vec<(u32, usize)> = Vec::new();
        for (_, j) in &all[..k] {
            let c = class[*j as usize];
            match votes.iter_mut().find(|(v, _)| *v == c) {
                Some((_, count)) => *count += 1,
                None => votes.push((c, 1)),
            }
        }
        votes.into_iter().min_by_key(|(c, count)| (std::cmp::Reverse(*count), *c)).map_or(0, |(c, _)| c)
    };
    par::map(rows.nrows(), one)
}

/// Wilson's interval of a share, 95 %.
fn wilson(wrong: usize, of: usize) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    let (n, p) = (of as f64, wrong as f64 / of as f64);
    let centre = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let by = 1.0 + Z * Z / n;
    (((centre - half) / by).max(0.0), ((centre + half) / by).min(1.0))
}

/// How many objects two groupings put where.
pub(crate) struct Table {
    cells: Vec<f64>,
    rows: Vec<f64>,
    columns: Vec<f64>,
    n: f64,
}

impl Table {
    pub(crate) fn of(a: &[u32], b: &[u32]) -> Self {
        let mut cells: HashMap<(u32, u32), f64> = HashMap::new();
        let (mut rows, mut columns): (HashMap<u32, f64>, HashMap<u32, f64>) = Default::default();
        for (x, y) in a.iter().zip(b) {
            *cells.entry((*x, *y)).or_default() += 1.0;
            *rows.entry(*x).or_default() += 1.0;
            *columns.entry(*y).or_default() += 1.0;
        }
        // Counts are whole numbers: their sums do not depend on the order.
        Table {
            cells: cells.into_values().collect(),
            rows: rows.into_values().collect(),
            columns: columns.into_values().collect(),
            n: a.len() as f64,
        }
    }
    fn pairs(counts: &[f64]) -> f64 {
        counts.iter().map(|c| c * (c - 1.0) / 2.0).sum()
    }
    /// The Rand index less what is expected by chance, 1 where the groupings are the same (Hubert & Arabie 1985).
    pub(crate) fn adjusted_rand(&self) -> f64 {
        let (both, a, b) = (Self::pairs(&self.cells), Self::pairs(&self.rows), Self::pairs(&self.columns));
        let expected = a * b / (self.n * (self.n - 1.0) / 2.0);
        let most = 0.5 * (a + b);
        if most == expected { 1.0 } else { (both - expected) / (most - expected) }
    }
    /// The harmonic mean of precision and recall over pairs put together.
    pub(crate) fn pairwise_f(&self) -> f64 {
        let (both, a, b) = (Self::pairs(&self.cells), Self::pairs(&self.rows), Self::pairs(&self.columns));
        if a + b == 0.0 { 1.0 } else { 2.0 * both / (a + b) }
    }
}

/// The mean over objects of `(b - a) / max(a, b)`: `a` the mean distance to those of its class, `b` to those of the nearest other
/// one; 0 for an object alone in its class.
pub(crate) fn silhouette(x: ArrayView2<'_, f64>, group: &[u32]) -> f64 {
    let x = x.as_standard_layout();
    let count = group.iter().max().map_or(0, |g| *g as usize + 1);
    let sizes = sizes(group, count);
    let one = |i: usize| {
        let mut sums = vec![0.0; count];
        let own = x.row(i);
        for (row, g) in x.rows().into_iter().zip(group) {
            let (a, b) = (own.as_slice().expect("in rows"), row.as_slice().expect("in rows"));
            sums[*g as usize] += square_distance(a, b).sqrt();
        }
        let mine = group[i] as usize;
        if sizes[mine] < 2 {
            return 0.0;
        }
        let a = sums[mine] / (sizes[mine] - 1) as f64;
        let others = (0..count).filter(|c| *c != mine && sizes[*c] > 0).map(|c| sums[c] / sizes[c] as f64);
        let b = others.fold(f64::INFINITY, f64::min);
        if a.max(b) > 0.0 { (b - a) / a.max(b) } else { 0.0 }
    };
    par::map(group.len(), one).iter().sum::<f64>() / group.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// By scikit-learn: adjusted_rand_score, pair_confusion_matrix, silhouette_score, KNeighborsClassifier(3) leave-one-out.
    #[test]
    fn figures_are_those_of_scikit_learn() {
        let (a, b) = ([0, 0, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1, 1]);
        let table = Table::of(&a, &b);
        // Pairs: together in both 1 + 3, in a 5, in b 9, of 21; 5 · 9 / 21 expected.
        assert!((table.adjusted_rand() - (4.0 - 45.0 / 21.0) / (7.0 - 45.0 / 21.0)).abs() < 1e-15);
        assert!((table.pairwise_f() - 8.0 / 14.0).abs() < 1e-15);
        let x = array![[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [5.0, 0.0], [5.0, 1.0]];
        let group = [0, 0, 1, 1, 1];
        let plain = |i: usize, j: usize| (&x.row(i) - &x.row(j)).mapv(|v: f64| v * v).sum().sqrt();
        let b0 = (plain(0, 2) + plain(0, 3) + plain(0, 4)) / 3.0;
        assert!((silhouette(x.view(), &[0, 1, 2, 3, 4])).abs() < 1e-15);
        let first = (b0 - 1.0) / b0;
        assert!(silhouette(x.view(), &group) < first && silhouette(x.view(), &group) > 0.6);
        assert_eq!(voted(x.view(), &group, x.view(), 1, true), group);
        // Three votes for two classes of which one has a single other object.
        assert_eq!(voted(x.view(), &group, x.view(), 3, true), [1, 1, 1, 1, 1]);
    }

    #[test]
    fn wilson_is_the_interval_of_the_books() {
        let (low, high) = wilson(1, 10);
        assert!((low - 0.017_876).abs() < 1e-5 && (high - 0.404_150).abs() < 1e-5, "{low} {high}");
        assert_eq!(wilson(0, 5).0, 0.0);
    }

    #[test]
    fn folds_have_every_class_and_every_object_once() {
        let of: Vec<Option<u32>> = (0..40).map(|i| (i % 5 != 4).then_some(i % 4)).collect();
        let fold = dealt(&of, 4, 3).unwrap();
        for k in 0..4 {
            let members = (0..40).filter(|i| fold[*i] == Some(k)).count();
            assert_eq!(members, 8);
        }
        assert!((0..40).all(|i| fold[i].is_some() == of[i].is_some()));
        assert!(dealt(&of, 1, 0).is_err() && dealt(&of[..3], 4, 0).is_err());
    }
}
