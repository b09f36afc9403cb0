//! Unfolding: what must not change the map, other people's figures, and that orders do not collapse.

use ndarray::Array2;
use nearer::method::{Cells, Conditional, PreferenceUnfolding};
use nearer::{DistanceRows, Embed, Objects, Place, Run};
use nearer_num::rng::Rng;

/// People and objects in a plane, and how far each is from each.
fn planted(n: usize, m: usize, seed: u64) -> (Array2<f64>, DistanceRows) {
    let mut rng = Rng::task(seed, 5);
    let points = Array2::from_shape_fn((n + m, 2), |_| rng.normal());
    let far = |i: usize, j: usize| (&points.row(i) - &points.row(n + j)).mapv(|v| v * v).sum().sqrt();
    let cells = Array2::from_shape_fn((n, m), |(i, j)| far(i, j));
    let name = |prefix: &'static str, k: usize| Objects::new((0..k).map(|i| format!("{prefix}{i}"))).unwrap();
    let rows = DistanceRows::new(name("p", n), name("o", m), cells).unwrap();
    (points, rows)
}

fn ranks(rows: &DistanceRows) -> DistanceRows {
    let (n, m) = (rows.objects().len(), rows.to().len());
    let rank = |i: usize, j: usize| 1.0 + (0..m).filter(|k| rows.get(i, *k) < rows.get(i, j)).count() as f64;
    DistanceRows::new(rows.objects().clone(), rows.to().clone(), Array2::from_shape_fn((n, m), |(i, j)| rank(i, j)))
        .unwrap()
}

fn disparity(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    nearer::geometry::align(a, b, true).unwrap().disparity
}

#[test]
fn exact_cells_come_back_exactly_on_one_scale_or_on_each_rows_own() {
    let (points, rows) = planted(12, 8, 1);
    let fit = PreferenceUnfolding::new(2).starts(5).fit_with(&rows, &Run::seeded(1)).unwrap();
    assert!(fit.report.stress1.unwrap() < 1e-4 && disparity(&points, fit.embedding.points()) < 1e-6);
    let stretched = |(i, j): (usize, usize)| rows.get(i, j).unwrap() * (1.0 + i as f64);
    let own = Array2::from_shape_fn((12, 8), stretched);
    let own = DistanceRows::new(rows.objects().clone(), rows.to().clone(), own).unwrap();
    let fit =
        PreferenceUnfolding::new(2).conditional(Conditional::Row).starts(10).fit_with(&own, &Run::seeded(1)).unwrap();
    assert!(fit.report.stress1.unwrap() < 1e-3, "{:?}", fit.report.stress1);
    assert!(disparity(&points, fit.embedding.points()) < 1e-3);
}

#[test]
fn ranks_give_the_planted_map_back_and_people_who_are_not_all_alike() {
    let (points, rows) = planted(30, 12, 2);
    let ranks = ranks(&rows);
    let method = PreferenceUnfolding::new(2).cells(Cells::Ordinal).conditional(Conditional::Row).starts(6);
    let fit = method.fit_with(&ranks, &Run::seeded(1)).unwrap();
    let off = disparity(&points, fit.embedding.points());
    assert!(off < 0.1, "{off}");
    let figure = |name: &str| fit.report.figures.get(name).and_then(|v| v.number()).unwrap();
    assert!(figure("intermixed") < 0.1 && figure("variation") > 0.3, "{:?}", fit.report.figures);
    // People who are placed by their ranks alone lie where they were planted, as far as ranks say it.
    let mut again = fit.model.place(&ranks).unwrap().points().clone();
    again.append(ndarray::Axis(0), fit.embedding.points().slice(ndarray::s![30.., ..])).unwrap();
    let off = disparity(&points, &again);
    assert!(off < 0.15, "{off}");
}

/// Orders that are noise hold best on a map whose distances are all alike, which says nothing: the penalty keeps it away, whatever
/// the number of starts.
#[test]
fn orders_that_are_noise_do_not_collapse() {
    let mut rng = Rng::task(4, 4);
    let cells = Array2::from_shape_fn((20, 8), |_| rng.uniform());
    let name = |prefix: &'static str, k: usize| Objects::new((0..k).map(|i| format!("{prefix}{i}"))).unwrap();
    let rows = ranks(&DistanceRows::new(name("p", 20), name("o", 8), cells).unwrap());
    let method = PreferenceUnfolding::new(2).cells(Cells::Ordinal).conditional(Conditional::Row);
    for (penalty, starts) in [(0.1, 1), (0.1, 10), (1.0, 1), (1.0, 10)] {
        let fit = method.clone().penalty(penalty).starts(starts).fit_with(&rows, &Run::seeded(2)).unwrap();
        let variation = fit.report.figures.get("variation").and_then(|v| v.number()).unwrap();
        assert!(variation > 0.3, "penalty {penalty}, {starts} starts: {variation}");
    }
}
