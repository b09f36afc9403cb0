//! The distance family against R, scikit-learn, and optimality conditions written out here.

use ndarray::Array2;
use nearer::evaluate::{Target, Ties, stress};
use nearer::method::{ClassicalMds, Correction, FastMap, LandmarkMds, MetricMap, MetricMds, NearestEdm, NonmetricMds};
use nearer::{Distances, Embed, Embedding, Objects, Run, Step, toy};
use serde_json::Value;
use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::golden::{all_close, cases, close, number, numbers};

const SCALING: &str = include_str!("../golden/scaling.json");

fn data(case: &Value) -> Distances {
    let values = numbers(&case["data"]);
    let n = (1.0 + (1.0 + 8.0 * values.len() as f64).sqrt()) as usize / 2;
    Distances::from_condensed(Objects::numbered(n), values).unwrap()
}

fn all_distances(map: &Embedding) -> Vec<f64> {
    (0..map.len()).flat_map(|i| (i + 1..map.len()).map(move |j| (i, j))).map(|(i, j)| map.distance(i, j)).collect()
}

fn points(value: &Value) -> Embedding {
    crate::golden::map(value)
}

#[test]
fn classical_scaling_is_that_of_r() {
    for case in cases(SCALING) {
        let d = data(&case);
        let fit = ClassicalMds::new(2).fit(&d).unwrap();
        let spectrum = fit.report.spectrum.as_ref().unwrap();
        all_close(&spectrum.eigenvalues, &numbers(&case["eigenvalues"]), 1e-10);
        let (g1, g2) = spectrum.goodness(2).unwrap();
        all_close(&[g1, g2], &numbers(&case["gof"]), 1e-12);
        all_close(&all_distances(&fit.embedding), &all_distances(&points(&case["points"])), 1e-9);
    }
}

#[test]
fn the_cailliez_constant_and_map_are_those_of_r() {
    for case in cases(SCALING) {
        let fit = ClassicalMds::new(2).correction(Correction::Cailliez).fit(&data(&case)).unwrap();
        close(fit.report.figures["constant"].number().unwrap(), number(&case, "cailliez"), 1e-7);
        all_close(&all_distances(&fit.embedding), &all_distances(&points(&case["cailliez_points"])), 1e-5);
        assert_eq!(fit.report.spectrum.unwrap().negative, Some(0));
    }
}

#[test]
fn metric_stress_is_no_higher_than_scikit_learns() {
    for case in cases(SCALING) {
        let d = data(&case);
        let fit = MetricMds::new(2).starts(1).eps(0.0).max_iter(5000).fit(&d).unwrap();
        assert!(fit.report.objective <= number(&case, "sklearn_stress") * (1.0 + 1e-9), "{}", fit.report.objective);
        // The report's own number, judged by the evaluation, which shares no code with the descent.
        close(stress(&fit.embedding, &d, Target::Data).unwrap().raw, fit.report.objective, 1e-9);
    }
}

#[test]
fn nonmetric_stress_is_no_higher_than_isomds() {
    for case in cases(SCALING) {
        let d = data(&case);
        for (dim, key) in [(2, "iso2"), (3, "iso3")] {
            let fit = NonmetricMds::new(dim).starts(1).fit(&d).unwrap();
            let own = stress(&fit.embedding, &d, Target::Ordinal(Ties::Primary)).unwrap().stress1;
            close(own, fit.report.stress1.unwrap(), 1e-7);
            assert!(own <= number(&case, key) + 1e-5, "{dim}-D: {own}, isoMDS {}", number(&case, key));
        }
    }
}

/// Every accepted map has lower stress, and the last one is stationary: no small move of any point lowers it.
#[test]
fn a_descent_only_goes_down_and_ends_at_a_stationary_map() {
    let d = toy::noisy(40, 5, 0.1, 3);
    let seen = Mutex::new(Vec::new());
    let watch = |step: &Step| {
        seen.lock().unwrap().push(step.objective);
        ControlFlow::Continue(())
    };
    let fit =
        MetricMds::new(2).starts(1).eps(0.0).max_iter(5000).fit_with(&d, &Run::default().watched(&watch)).unwrap();
    assert!(seen.lock().unwrap().windows(2).all(|w| w[1] < w[0]));
    let raw = |points: &Array2<f64>| {
        let map = Embedding::new(d.objects().clone(), points.clone()).unwrap();
        stress(&map, &d, Target::Data).unwrap().raw
    };
    let at = raw(fit.embedding.points());
    for i in 0..d.len() {
        for k in 0..2 {
            let moved = |h: f64| {
                let mut points = fit.embedding.points().clone();
                points[(i, k)] += h;
                raw(&points)
            };
            assert!(((moved(1e-4) - moved(-1e-4)) / 2e-4).abs() < 1e-4 * at);
            assert!(moved(1e-2) > at && moved(-1e-2) > at);
        }
    }
}

/// The conditions for the projection onto the Euclidean distance matrices: with `X` the answer and `Z = A - X` off the
/// diagonal, completed so that its rows sum to 0, `Z` is positive semidefinite and orthogonal to `X`.
#[test]
fn the_nearest_edm_is_the_projection() {
    for d in [toy::cities(), data(&cases(SCALING)[0]), toy::noisy(25, 3, 0.3, 9)] {
        let n = d.len();
        let fit = NearestEdm::new(n - 1).gap(1e-13).fit(&d).unwrap();
        let square = |i: usize, j: usize| d.between(i, j).unwrap().powi(2);
        let size = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| square(i, j)).fold(0.0, f64::max);
        let mut z = Array2::from_shape_fn((n, n), |(i, j)| square(i, j) - fit.embedding.distance(i, j).powi(2));
        for i in 0..n {
            z[(i, i)] = 0.0;
            z[(i, i)] = -z.row(i).sum();
        }
        let least = nearer_num::dense::eigvalsh(z.view()).unwrap()[n - 1];
        assert!(least > -1e-5 * size, "{least} of {size}");
        let inner: f64 = z.indexed_iter().map(|((i, j), v)| v * fit.embedding.distance(i, j).powi(2)).sum();
        assert!(inner.abs() < 1e-5 * size * size, "{inner}");
        // Plain clipping of negative eigenvalues is another matrix, and farther away.
        let clipped = ClassicalMds::new(n - 1).fit(&d).unwrap().embedding;
        let away = |map: &Embedding| -> f64 {
            (0..n)
                .flat_map(|i| (0..n).map(move |j| (i, j)))
                .map(|(i, j)| (square(i, j) - map.distance(i, j).powi(2)).powi(2))
                .sum()
        };
        assert!(away(&fit.embedding) < 0.999 * away(&clipped));
        close(away(&fit.embedding).sqrt(), fit.report.objective, 1e-6 * fit.report.objective);
    }
}

#[test]
fn the_landmark_family_is_classical_when_everything_is_a_landmark() {
    let d = toy::gaussian(40, 3, 7);
    let classical = all_distances(&ClassicalMds::new(3).fit(&d).unwrap().embedding);
    all_close(&all_distances(&LandmarkMds::new(3).landmarks(40).fit(&d).unwrap().embedding), &classical, 1e-8);
    all_close(&all_distances(&MetricMap::new(3).landmarks(40).fit(&d).unwrap().embedding), &classical, 1e-8);
    all_close(&all_distances(&FastMap::new(3).fit(&d).unwrap().embedding), &classical, 1e-8);
    // And landmark MDS also for data that are not Euclidean.
    let d = toy::noisy(40, 3, 0.2, 7);
    let classical = all_distances(&ClassicalMds::new(3).fit(&d).unwrap().embedding);
    all_close(&all_distances(&LandmarkMds::new(3).landmarks(40).fit(&d).unwrap().embedding), &classical, 1e-8);
}
