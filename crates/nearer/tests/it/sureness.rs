//! How sure places are, how likely answers, and how many dimensions: against planted truths.

use ndarray::Array2;
use nearer::evaluate::{By, Laplace, held_out_scored, laplace, log_likelihood};
use nearer::geometry::align;
use nearer::method::{ChoiceLink, ChoiceModel, Lapses, Soe, Ste};
use nearer::model::Model;
use nearer::{Comparison, Comparisons, Embed, Fit, Item, Objects, Pair, Run, toy};
use nearer_num::rng::Rng;

/// True points, and answers by the logistic function of the differences of their distances.
fn planted(n: usize, dim: usize, count: usize, seed: u64) -> (Array2<f64>, Comparisons) {
    let mut rng = Rng::task(seed, 77);
    let x = Array2::from_shape_fn((n, dim), |_| 2.0 * rng.normal());
    let apart = |i: usize, j: usize| (&x.row(i) - &x.row(j)).mapv(|v| v * v).sum().sqrt();
    let pair = |a: usize, b: usize| Pair::new(Item(a as u32), Item(b as u32)).unwrap();
    let mut rows = Vec::new();
    for _ in 0..count {
        let drawn = rng.permutation(n);
        let (head, a, b) = (drawn[0], drawn[1], drawn[2]);
        let first = rng.uniform() < 1.0 / (1.0 + (apart(head, a) - apart(head, b)).exp());
        let (near, far) = if first { (a, b) } else { (b, a) };
        rows.push(Comparison::new(pair(head, near), pair(head, far)));
    }
    (x, Comparisons::new(Objects::numbered(n), rows).unwrap())
}

fn plain(dim: usize) -> ChoiceModel {
    ChoiceModel::new(dim).link(ChoiceLink::Distance).precision(0.0).lapses(Lapses::None)
}

fn any<M>(fit: Fit<M>, model: impl Fn(M) -> Model) -> Fit<Model> {
    Fit::new(fit.embedding, model(fit.model), fit.report)
}

/// Squared Mahalanobis distances of the true places from those of the map, laid over it.
fn beside(x: &Array2<f64>, fit: &Fit<Model>, sure: &Laplace) -> Vec<f64> {
    let moved = align(x, fit.embedding.points(), true).unwrap().apply(x);
    let one = |k: usize| {
        let (values, vectors) = nearer_num::dense::eigh(sure.covariances[k].as_ref().unwrap().view()).unwrap();
        let off = vectors.t().dot(&(&moved.row(k) - &fit.embedding.points().row(k)));
        off.iter().zip(&values).map(|(o, v)| o * o / v).sum()
    };
    (0..x.nrows()).map(one).collect()
}

/// 95 % ellipses hold the truth about as often.
#[test]
fn ellipses_hold_the_truth() {
    let (mut held, mut all) = (0, 0);
    for seed in 0..8 {
        let (x, c) = planted(16, 2, 1500, seed);
        let fit = any(plain(2).fit(&c).unwrap(), Model::Ordinal);
        let sure = laplace(&fit.embedding, &fit.model, None, &c, &Run::default()).unwrap();
        // The quantile of chi-square with two degrees of freedom.
        held += beside(&x, &fit, &sure).iter().filter(|d| **d < 5.991).count();
        all += x.nrows();
        assert!(sure.together && !sure.steadied);
    }
    let share = held as f64 / all as f64;
    assert!((0.9..0.98).contains(&share), "{share} of {all}");
}

/// An object that nobody was asked about has no ellipse, and the others have theirs.
#[test]
fn what_nobody_was_asked_about_is_undetermined() {
    let (_, c) = planted(12, 2, 1200, 3);
    let more = Comparisons::new(Objects::numbered(13), c.rows().to_vec()).unwrap();
    let fit = any(plain(2).precision(0.1).fit(&more).unwrap(), Model::Ordinal);
    for run in [Run::default(), Run::default().memory(1000)] {
        let sure = laplace(&fit.embedding, &fit.model, None, &more, &run).unwrap();
        assert_eq!((sure.undetermined(), sure.together), (vec!["13"], run.afford("a square", 20_000, "").is_ok()));
        assert_eq!(sure.ellipses((0, 1)).iter().filter(|e| e.is_some()).count(), 12);
    }
}

/// What is expected of a new answer is what comes of new answers; on the map itself more of them hold.
#[test]
fn the_expected_accuracy_is_that_of_new_answers() {
    let (_, all) = planted(16, 2, 5000, 11);
    let (old, new): (Vec<usize>, Vec<usize>) = (0..5000).partition(|k| *k < 1000);
    let (old, new) = (all.subset(&old), all.subset(&new));
    let fit = any(plain(2).fit(&old).unwrap(), Model::Ordinal);
    let expected = laplace(&fit.embedding, &fit.model, None, &old, &Run::default()).unwrap().expected_accuracy.unwrap();
    let holds = |r: &Comparison| {
        fit.embedding.distance(r.near.first().index(), r.near.second().index())
            < fit.embedding.distance(r.far.first().index(), r.far.second().index())
    };
    let found = new.iter().filter(|r| holds(r)).count() as f64 / new.len() as f64;
    assert!((expected - found).abs() < 0.02, "{expected} {found}");
}

#[test]
fn a_map_without_a_likelihood_is_refused_and_has_none() {
    let c = toy::answers(10, 2, 300, 0.0, 1);
    let fit = any(Soe::new(2).fit(&c).unwrap(), Model::Ordinal);
    let refused = laplace(&fit.embedding, &fit.model, None, &c, &Run::default()).unwrap_err().to_string();
    assert!(refused.contains("without a likelihood") && refused.contains("bootstrap"), "{refused}");
    assert_eq!(log_likelihood(&fit.embedding, &fit.model, &fit.report, &c).unwrap(), None);
}

/// The likelihood of what is held out is below that of what was fitted, fold by fold, and above a coin's.
#[test]
fn held_out_answers_have_a_likelihood() {
    let (_, c) = planted(16, 2, 1500, 5);
    let fit = |c: &Comparisons, run: &Run<'_>| Ok(any(Ste::new(2).fit_with(c, run)?, Model::Ordinal));
    let score = |f: &Fit<Model>, c: &Comparisons| log_likelihood(&f.embedding, &f.model, &f.report, c);
    let found = held_out_scored(&c, By::Rows, 4, fit, score, &Run::default()).unwrap();
    let fitted = fit(&c, &Run::default()).unwrap().report.figures["log-likelihood"].number().unwrap();
    assert!(found.folds.iter().all(|f| f.log_likelihood.is_some_and(|l| (-std::f64::consts::LN_2..0.0).contains(&l))));
    assert!(found.log_likelihood.unwrap().mean < fitted);
}

/// The planted dimension is taken where it is asked for, and told.
#[test]
fn as_many_dimensions_as_predict() {
    for dim in [1, 2] {
        let (_, c) = planted(12, dim, 1200 * dim, 21);
        let fit = ChoiceModel::of_any_dimension().lapses(Lapses::None).fit(&c).unwrap();
        let tuning = fit.report.tuning.unwrap();
        assert_eq!((fit.report.dim, fit.embedding.dim()), (dim, dim));
        assert_eq!(tuning.tried[tuning.taken].settings.count("dim"), Some(dim));
    }
}
