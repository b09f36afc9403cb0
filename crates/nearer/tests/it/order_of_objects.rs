//! The order of a file says nothing and changes nothing: every method that takes distances, in one order and in another.

use ndarray::{Array2, Axis};
use nearer::evidence::Sorts;
use nearer::method::table::METHODS;
use nearer::{DistanceRows, Distances, Embed as _, Embedding, Evidence, Features, Objects, Part, Run, Study, toy};
use nearer_num::rng::Rng;

/// Distances whose objects do not stand in the order of their labels.
fn distances(n: usize, seed: u64) -> Distances {
    let labels = Objects::new((0..n).map(|k| format!("object {:02}", (7 * k) % n))).unwrap();
    Distances::from_condensed(labels, toy::noisy(n, 2, 0.2, seed).condensed().to_vec()).unwrap()
}

fn rows(d: &Distances) -> Evidence {
    let n = d.len();
    let values = Array2::from_shape_fn((n, n), |(i, j)| d.between(i, j).unwrap());
    Evidence::Rows(DistanceRows::new(d.objects().clone(), d.objects().clone(), values).unwrap())
}

/// How far apart two maps are, object by object, relative to their size.
fn apart(a: &Embedding, b: &Embedding) -> f64 {
    let index = b.objects().index();
    let place: Vec<usize> = a.objects().labels().iter().map(|l| index[l.as_str()].index()).collect();
    let off = a.points() - &b.points().select(Axis(0), &place);
    let size = a.points().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    off.iter().fold(0.0, |m: f64, v| m.max(v.abs())) / size
}

#[test]
fn the_order_of_distances_changes_no_bit_of_a_map() {
    for seed in 0..5 {
        let d = distances(16, seed);
        let shuffled = d.subset(&Rng::task(seed, 17).permutation(16));
        for method in METHODS.iter().filter(|m| m.takes_alone(Part::Distances)) {
            let settings = method.settings([]).unwrap();
            let on =
                |d: &Distances| method.fit(&settings, &Study::from(d.clone()), &Run::seeded(seed)).unwrap().embedding;
            assert_eq!(apart(&on(&d), &on(&shuffled)), 0.0, "{} {seed}", method.name);
        }
    }
}

/// Distances on a grid: most objects have several neighbours that are equally near.
#[test]
fn neighbours_that_are_equally_near_are_chosen_by_label() {
    let n = 25;
    let labels = Objects::new((0..n).map(|k| format!("object {:02}", (7 * k) % n))).unwrap();
    let at = |k: usize| ((k % 5) as f64, (k / 5) as f64);
    let between = |i: usize, j: usize| (at(i).0 - at(j).0).hypot(at(i).1 - at(j).1);
    let values = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(|(i, j)| between(i, j)).collect();
    let d = Distances::from_condensed(labels, values).unwrap();
    for seed in 0..3 {
        let shuffled = d.subset(&Rng::task(seed, 17).permutation(n));
        let mvu = nearer::method::Mvu::new(2).neighbours(3);
        let (one, two) = (mvu.fit(&d).unwrap(), mvu.fit(&shuffled).unwrap());
        assert_eq!(apart(&one.embedding, &two.embedding), 0.0);
        for (fit, d) in [(one, d.clone()), (two, shuffled)] {
            let evidence = Evidence::Distances(d);
            let file = nearer::verify::certificate_of(&fit, &evidence).unwrap();
            assert!(nearer::verify::verify(&file, &evidence).unwrap().accepted);
        }
    }
}

/// Learned from classes and from pairs: what is drawn, summed and started from goes by the labels.
#[test]
fn the_order_of_features_changes_no_bit_of_a_metric() {
    let n = 48;
    let (plain, classes) = toy::classed(n, 3, 4, 1);
    let labels = Objects::new((0..n).map(|k| format!("object {:02}", (7 * k) % n))).unwrap();
    let named = |f: &Features| Features::new(labels.clone(), f.columns().to_vec(), f.values().clone()).unwrap();
    let features = named(&plain);
    let groups: Vec<Option<String>> = (0..n).map(|k| classes.group(0, k).map(str::to_owned)).collect();
    for seed in 0..3 {
        let order = Rng::task(seed, 17).permutation(n);
        let shuffled = features.subset(&order);
        let sorts = |at: &[usize]| {
            let of = at.iter().map(|k| groups[*k].clone()).collect();
            Sorts::new(labels.subset(at), vec!["kind".into()], vec![of]).unwrap()
        };
        let all: Vec<usize> = (0..n).collect();
        for name in ["mmc", "itml", "nca", "mcml", "local-metric", "rca", "lda"] {
            let method = nearer::method::table::find(name).unwrap();
            let settings = method.settings([]).unwrap();
            let on = |f: &Features, at: &[usize]| {
                let study = Study::from(sorts(at)).with_features("f", f.clone());
                let chosen = nearer::method::Chosen::recorded(method, settings.clone());
                let (study, _) = chosen.suited(&study, seed).unwrap();
                let fit = chosen.fit(&study, &Run::seeded(seed)).unwrap();
                if fit.report.certificate.is_some() {
                    let about = nearer::verify::About::of(&study).unwrap();
                    let file = nearer::verify::certificate_of(&fit, about).unwrap();
                    assert!(
                        nearer::verify::verify_study(&file, &study, nearer::verify::Limits::default())
                            .unwrap()
                            .accepted,
                        "{name}"
                    );
                }
                fit
            };
            let (one, two) = (on(&features, &all), on(&shuffled, &order));
            assert_eq!(apart(&one.embedding, &two.embedding), 0.0, "{name} {seed}");
            assert_eq!(one.report.objective.to_bits(), two.report.objective.to_bits(), "{name} {seed}");
        }
    }
}

#[test]
fn the_order_of_rows_and_landmarks_changes_no_map() {
    for seed in 0..5 {
        let d = distances(16, seed);
        let shuffled = d.subset(&Rng::task(seed, 17).permutation(16));
        for method in METHODS.iter().filter(|m| m.takes_alone(Part::Rows)) {
            let settings = method.settings([]).unwrap();
            let on =
                |d: &Distances| method.fit(&settings, &Study::from(rows(d)), &Run::seeded(seed)).unwrap().embedding;
            // The pose is a sum over all rows, in the order of the file.
            let off = apart(&on(&d), &on(&shuffled));
            assert!(off < 1e-9, "{} {seed}: {off}", method.name);
        }
    }
}
