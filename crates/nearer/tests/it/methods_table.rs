//! What holds for every method of the table: it fits, it places, and nothing irrelevant changes its answer.

use ndarray::Array2;
use nearer::evidence::ConvertOptions;
use nearer::method::table::{METHODS, Method};
use nearer::{
    Comparisons, DistanceRows, Distances, Embedding, Evidence, Fit, Objects, Part, Place, Run, Study, model::Model, toy,
};
use nearer_num::rng::Rng;

/// Their axes have one length each, whatever the data: they are told by neighbours, not by distances.
const WHITENED: [&str; 1] = ["laplacian-eigenmaps"];

/// The methods that take evidence of a kind.
fn taking(kind: Part) -> impl Iterator<Item = &'static Method> {
    METHODS.iter().copied().filter(move |m| m.takes_alone(kind))
}

fn of_distances() -> impl Iterator<Item = &'static Method> {
    taking(Part::Distances)
}

/// The order of the distances of some points on a line: every method that takes comparisons can satisfy it.
fn comparisons(seed: u64) -> Comparisons {
    let d = Evidence::Distances(toy::gaussian(8, 1, seed));
    d.to_comparisons(&ConvertOptions::default()).unwrap().evidence
}

fn fit(method: &Method, d: &Distances, run: &Run<'_>) -> Fit<Model> {
    let settings = method.settings([]).unwrap();
    method.fit(&settings, &Study::from(d.clone()), run).unwrap()
}

fn rows(d: &Distances, labels: &Objects) -> DistanceRows {
    let values = Array2::from_shape_fn((d.len(), d.len()), |(i, j)| d.between(i, j).unwrap());
    DistanceRows::new(labels.clone(), d.objects().clone(), values).unwrap()
}

fn size(map: &Embedding) -> f64 {
    (map.points().iter().map(|v| v * v).sum::<f64>() / map.len() as f64).sqrt()
}

fn farthest_apart(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    (a - b).iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

#[test]
fn every_method_is_documented_and_fits() {
    for method in METHODS {
        assert!(!method.summary.is_empty() && !method.reference.is_empty() && !method.places.is_empty());
        assert!(method.parameters.iter().any(|p| p.name == "dim"), "{}", method.name);
        // The defaults of the table pass its own ranges.
        for p in method.parameters {
            method.settings([(p.name, p.default.to_string().as_str())]).unwrap();
        }
    }
    for method in of_distances() {
        let fit = fit(method, &toy::cities(), &Run::default());
        assert_eq!((fit.report.method.as_str(), fit.embedding.dim()), (method.name, 2));
        if WHITENED.contains(&method.name) {
            continue;
        }
        assert!(fit.report.stress1.unwrap() < 0.25, "{} {:?}", method.name, fit.report.stress1);
    }
}

/// Old objects placed again from their own rows come back. Spectral methods give them back exactly; a descent for one
/// point ends at the same stationary point, or at a better one, which few of these rows have.
#[test]
fn every_method_places_old_objects_where_they_are() {
    let d = toy::noisy(30, 2, 0.05, 5);
    for method in of_distances() {
        // Unfolding moves everything but neighbours apart, and no row of distances says where to; it has a test of its own.
        if method.name == "mvu" {
            continue;
        }
        // A descent is taken to its very end, where the map is stationary.
        let tight = [("eps", "0"), ("max-iter", "20000"), ("gap", "1e-13")];
        let has = |name: &str| method.parameters.iter().any(|p| p.name == name);
        let settings = method.settings(tight.into_iter().filter(|(name, _)| has(name))).unwrap();
        let fit = method.fit(&settings, &Study::from(d.clone()), &Run::default()).unwrap();
        let placed = fit.model.place(&rows(&d, d.objects())).unwrap();
        let tolerance = match fit.model {
            Model::Landmarks(_) | Model::Manifold(_) => 1e-9,
            // Sums of absolute errors are flat about their minimum.
            _ if method.name == "robust-mds" => 3e-2,
            _ => 1e-3,
        };
        let off = farthest_apart(placed.points(), fit.embedding.points()) / size(&fit.embedding);
        assert!(off < tolerance, "{}: {off}", method.name);
    }
}

#[test]
fn placing_one_at_a_time_is_placing_all_at_once() {
    let d = toy::noisy(20, 2, 0.05, 6);
    let names = Objects::new((0..20).map(|k| format!("new {k}"))).unwrap();
    for method in of_distances() {
        let fit = fit(method, &d, &Run::default());
        let all = fit.model.place(&rows(&d, &names)).unwrap();
        for k in [0, 7, 19] {
            let values = Array2::from_shape_fn((1, 20), |(_, j)| d.between(k, j).unwrap());
            let one = DistanceRows::new(names.subset(&[k]), d.objects().clone(), values).unwrap();
            assert_eq!(fit.model.place(&one).unwrap().point(0), all.point(k), "{}", method.name);
        }
    }
}

#[test]
fn one_and_two_threads_give_the_same_bits() {
    for n in [40, 300] {
        let d = toy::noisy(n, 4, 0.1, 1);
        for method in of_distances() {
            if n > 100 && ["nearest-edm", "robust-mds"].contains(&method.name) {
                continue; // the same code at every size, and slow without optimisation
            }
            let on = |threads| fit(method, &d, &Run::seeded(3).threads(threads));
            let (one, two) = (on(1), on(2));
            assert_eq!(one.embedding, two.embedding, "{}", method.name);
            assert_eq!(one.report.objective.to_bits(), two.report.objective.to_bits(), "{}", method.name);
        }
    }
}

#[test]
fn a_permutation_of_the_objects_permutes_the_map() {
    let d = toy::noisy(25, 2, 0.03, 2);
    let order = Rng::task(1, 1).permutation(25);
    let shuffled = d.subset(&order);
    for method in of_distances() {
        // Its first pivot is drawn by number, so another order of the objects is another draw.
        if method.name == "fastmap" {
            continue;
        }
        let (a, b) = (fit(method, &d, &Run::default()), fit(method, &shuffled, &Run::default()));
        let back = a.embedding.points().select(ndarray::Axis(0), &order);
        let off = farthest_apart(&back, b.embedding.points()) / size(&a.embedding);
        assert!(off < 2e-3, "{}: {off}", method.name);
    }
}

#[test]
fn scaling_the_data_scales_the_map() {
    let d = toy::noisy(20, 2, 0.05, 8);
    let tenfold = d.clone().map(|v| 1000.0 * v).unwrap();
    for method in of_distances().filter(|m| !WHITENED.contains(&m.name)) {
        let (a, b) = (fit(method, &d, &Run::default()), fit(method, &tenfold, &Run::default()));
        let off = farthest_apart(&(a.embedding.points() * 1000.0), b.embedding.points()) / size(&b.embedding);
        assert!(off < 2e-3, "{}: {off}", method.name);
        assert!((a.report.stress1.unwrap() - b.report.stress1.unwrap()).abs() < 1e-5, "{}", method.name);
    }
}

#[test]
fn methods_of_comparisons_fit_and_neither_threads_nor_labels_matter() {
    let c = comparisons(3);
    for method in taking(Part::Comparisons) {
        let settings = method.settings([]).unwrap();
        let on = |c: &Comparisons, threads| {
            method.fit(&settings, &Study::from(c.clone()), &Run::seeded(3).threads(threads)).unwrap()
        };
        let (one, two) = (on(&c, 1), on(&c, 2));
        assert_eq!(one.embedding, two.embedding, "{}", method.name);
        assert_eq!((one.report.method.as_str(), one.embedding.len()), (method.name, 8));
        let share = one.report.agreement.unwrap();
        let d = |p: nearer::Pair| one.embedding.distance(p.first().index(), p.second().index());
        let holding = c.iter().filter(|r| d(r.near) < d(r.far)).count();
        assert_eq!(share, holding as f64 / c.len() as f64, "{}", method.name);
        let e = method.fit(&settings, &Study::from(toy::cities()), &Run::default()).unwrap_err().to_string();
        assert!(e.contains(method.name) && e.contains("does not take distances"), "{e}");
        // The same question with the objects in another order has the same answer.
        let order = Rng::task(1, 1).permutation(8);
        let place = |i: nearer::Item| nearer::Item(order.iter().position(|k| *k == i.index()).unwrap() as u32);
        let moved = |p: nearer::Pair| nearer::Pair::new(place(p.first()), place(p.second())).unwrap();
        let rows = c.iter().map(|r| nearer::Comparison { near: moved(r.near), far: moved(r.far), ..*r }).collect();
        let shuffled = on(&Comparisons::new(c.objects().subset(&order), rows).unwrap(), 1);
        assert!((shuffled.report.agreement.unwrap() - share).abs() < 0.1, "{}", method.name);
    }
}
