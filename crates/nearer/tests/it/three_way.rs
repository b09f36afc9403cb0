//! Several people, and squares whose sides differ: planted maps come back, closed forms hold, labels and order change nothing.

use ndarray::{Array1, Array2};
use nearer::method::{AsymmetricMds, AsymmetryForm, Indscal, IndscalForm, MetricMds};
use nearer::{DistanceRows, Distances, Embed, Objects, Run, toy};
use nearer_num::rng::Rng;

const N: usize = 12;

/// People who stretch one map by their own weights.
fn people(weights: &[[f64; 2]]) -> (Array2<f64>, Vec<(String, Distances)>) {
    let mut rng = Rng::task(7, 1);
    let points = Array2::from_shape_fn((N, 2), |_| rng.normal());
    let one = |(k, w): (usize, &[f64; 2])| {
        let d =
            |i: usize, j: usize| (0..2).map(|a| (w[a] * (points[(i, a)] - points[(j, a)])).powi(2)).sum::<f64>().sqrt();
        // Everybody in units of their own.
        let square = Array2::from_shape_fn((N, N), |(i, j)| (1.0 + k as f64) * d(i, j));
        (format!("p{k}"), Distances::from_square(Objects::numbered(N), square.view()).unwrap())
    };
    (points.clone(), weights.iter().enumerate().map(one).collect())
}

#[test]
fn planted_weights_come_back_with_the_axes_they_belong_to() {
    let weights = [[1.0, 1.0], [2.0, 0.5], [0.3, 1.5], [1.0, 2.0]];
    let (points, people) = people(&weights);
    let fit = Indscal::new(2).starts(8).eps(1e-12).max_iter(5000).fit_with(people.as_slice(), &Run::seeded(1)).unwrap();
    assert!(fit.report.stress1.unwrap() < 1e-4, "{:?}", fit.report.stress1);
    // The axes are those of the people, not turned: each is one of the planted ones up to sign and size.
    let centred = &points - &points.mean_axis(ndarray::Axis(0)).unwrap();
    let alike = |a: usize, b: usize| {
        let (x, y) = (fit.embedding.points().column(a).to_owned(), centred.column(b).to_owned());
        (x.dot(&y) / (x.dot(&x) * y.dot(&y)).sqrt()).abs()
    };
    let order = if alike(0, 0) > alike(0, 1) { [0, 1] } else { [1, 0] };
    assert!(alike(0, order[0]) > 0.9999 && alike(1, order[1]) > 0.9999);
    // Ratios of the two weights of a person do not hang on anybody's units.
    let read = fit.report.people.unwrap();
    let ratio = |k: usize| read[k].weights[0][0] / read[k].weights[0][1];
    for k in 1..4 {
        let planted = (weights[k][order[0]] / weights[k][order[1]]) / (weights[0][order[0]] / weights[0][order[1]]);
        assert!((ratio(k) / ratio(0) / planted - 1.0).abs() < 1e-2, "{k}");
        assert_eq!(read[k].person, format!("p{k}"));
    }
    let mean: f64 = read.iter().map(|p| p.weights[0][0].powi(2)).sum::<f64>() / 4.0;
    assert!((mean - 1.0).abs() < 1e-9);
}

#[test]
fn more_freedom_fits_no_worse_and_people_who_are_alike_are_one() {
    let mut rng = Rng::task(3, 3);
    let one = |k: usize, rng: &mut Rng| {
        let d = toy::noisy(N, 3, 0.2, 40 + k as u64);
        let noisy = d.condensed().iter().map(|v| v * (1.0 + 0.1 * rng.normal()).abs()).collect();
        (format!("p{k}"), Distances::from_condensed(d.objects().clone(), noisy).unwrap())
    };
    let people: Vec<(String, Distances)> = (0..3).map(|k| one(k, &mut rng)).collect();
    let stress = |form| {
        let fit = Indscal::new(2).form(form).starts(10).fit_with(people.as_slice(), &Run::seeded(1)).unwrap();
        fit.report.stress1.unwrap()
    };
    let (same, own, any) = (stress(IndscalForm::Identity), stress(IndscalForm::Indscal), stress(IndscalForm::Idioscal));
    assert!(own <= same + 1e-6 && any <= own + 1e-4, "{same} {own} {any}");
    let twice = vec![people[0].clone(), ("q".to_owned(), people[0].1.clone())];
    let fit = Indscal::new(2).form(IndscalForm::Identity).fit_with(twice.as_slice(), &Run::seeded(1)).unwrap();
    let plain = MetricMds::new(2).fit_with(&people[0].1, &Run::seeded(1)).unwrap();
    assert!((fit.report.stress1.unwrap() - plain.report.stress1.unwrap()).abs() < 1e-5);
}

#[test]
fn the_general_form_never_ends_above_weights_whatever_the_start() {
    for seed in 0..6 {
        let people: Vec<(String, Distances)> =
            (0..3).map(|k| (format!("p{k}"), toy::noisy(N, 4, 0.5, 100 * seed + k))).collect();
        let stress = |form| {
            let fit = Indscal::new(2).form(form).starts(1).fit_with(people.as_slice(), &Run::seeded(seed)).unwrap();
            fit.report.stress1.unwrap()
        };
        assert!(stress(IndscalForm::Idioscal) <= stress(IndscalForm::Indscal) + 1e-9, "{seed}");
    }
}

fn square(m: &Array2<f64>) -> DistanceRows {
    let names = Objects::new((0..m.nrows()).map(|k| format!("o{k}"))).unwrap();
    DistanceRows::new(names.clone(), names, m.clone()).unwrap()
}

/// The share of the leading plane is `2σ²/Σa²`, the largest singular value found here by repeated multiplication; the areas of a plane
/// that is all there is are the differences themselves.
#[test]
fn the_flow_of_a_plane_is_the_closed_form() {
    let mut rng = Rng::task(5, 5);
    let m = Array2::from_shape_fn((9, 9), |(i, j)| if i == j { 0.0 } else { 1.0 + rng.uniform() });
    let fit = AsymmetricMds::new(2).form(AsymmetryForm::Gower).fit(&square(&m)).unwrap();
    let skew = (&m - &m.t()) * 0.5;
    let mut v = Array1::from_shape_fn(9, |k| (k as f64 + 0.3).sin());
    for _ in 0..20_000 {
        v = skew.t().dot(&skew.dot(&v));
        v /= v.dot(&v).sqrt();
    }
    let sigma2 = skew.dot(&v).mapv(|x| x * x).sum();
    let total: f64 = skew.iter().map(|a| a * a).sum();
    let flow = fit.report.figures["flow"].number().unwrap();
    assert!((flow - 2.0 * sigma2 / total).abs() < 1e-9, "{flow}");
    // Areas of one plane.
    let (x, y) = (Array1::from_shape_fn(9, |k| (k as f64).cos()), Array1::from_shape_fn(9, |k| (2.0 * k as f64).sin()));
    let plane = Array2::from_shape_fn((9, 9), |(i, j)| if i == j { 0.0 } else { 5.0 + x[i] * y[j] - y[i] * x[j] });
    let fit = AsymmetricMds::new(2).form(AsymmetryForm::Gower).fit(&square(&plane)).unwrap();
    let p = fit.embedding.points();
    for i in 0..9 {
        for j in 0..9 {
            let area = p[(i, 0)] * p[(j, 1)] - p[(i, 1)] * p[(j, 0)];
            assert!((area - (x[i] * y[j] - y[i] * x[j])).abs() < 1e-9);
        }
    }
    let refused = nearer::Place::place(&fit.model, &square(&plane)).unwrap_err().to_string();
    assert!(refused.contains("nothing can be placed"), "{refused}");
}

#[test]
fn a_planted_slide_comes_back_and_without_one_nothing_drifts() {
    let mut rng = Rng::task(6, 6);
    let points = Array2::from_shape_fn((10, 2), |_| rng.normal());
    let slide = [0.4, -0.2];
    let far = |i: usize, j: usize, z: f64| {
        (0..2).map(|k| (points[(i, k)] - points[(j, k)] + z * slide[k]).powi(2)).sum::<f64>().sqrt()
    };
    let m = |z: f64| Array2::from_shape_fn((10, 10), |(i, j)| if i == j { 0.0 } else { far(i, j, z) });
    let fit = AsymmetricMds::new(2).form(AsymmetryForm::Slide).starts(8).eps(1e-12).fit(&square(&m(1.0))).unwrap();
    assert!(fit.report.stress1.unwrap() < 1e-4, "{:?}", fit.report.stress1);
    assert!(fit.report.figures["flow"].number().unwrap() > 0.999);
    let found = &fit.report.drift.unwrap()[0];
    assert!((found[0].hypot(found[1]) - 0.2f64.sqrt()).abs() < 1e-3, "{found:?}");
    let level = AsymmetricMds::new(2).fit(&square(&m(0.0))).unwrap();
    assert!(level.report.drift.unwrap().iter().flatten().all(|v| v.abs() < 1e-9));
    assert_eq!(level.report.figures["asymmetry"].number(), Some(0.0));
    // The arrows: all ways from the first object are longer than the ways back, so it is drawn towards the others.
    let mut one = m(0.0);
    one.row_mut(0).mapv_inplace(|v| v * 1.5);
    let fit = AsymmetricMds::new(2).fit(&square(&one)).unwrap();
    let drift = fit.report.drift.unwrap();
    let way = fit.embedding.points().mean_axis(ndarray::Axis(0)).unwrap() - fit.embedding.point(0);
    assert!(drift[0][0] * way[0] + drift[0][1] * way[1] > 0.0);
}
