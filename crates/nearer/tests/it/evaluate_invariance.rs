//! What must not change: turning, moving, scaling a map, and the order of its objects.

use ndarray::{Array2, Axis, array};
use nearer::evaluate::{Options, Target, Ties, compare, evaluation, neighbourhood, stress};
use nearer::{Distances, Embedding, toy};
use nearer_num::rng::Rng;
use proptest::prelude::*;

const TARGETS: [Target<'static>; 4] =
    [Target::Data, Target::Ordinal(Ties::Primary), Target::Ordinal(Ties::Secondary), Target::Ordinal(Ties::Tertiary)];

/// Noisy data of a few objects, some of them tied, and a map that has little to do with them.
fn example(seed: u64, n: usize) -> (Distances, Embedding) {
    let data = toy::noisy(n, 3, 0.3, seed).map(|v| (4.0 * v).round() / 4.0).unwrap();
    let mut rng = Rng::task(seed, 9);
    let points = Array2::from_shape_simple_fn((n, 2), || rng.normal());
    let map = Embedding::new(data.objects().clone(), points).unwrap();
    (data, map)
}

fn with_points(map: &Embedding, points: Array2<f64>) -> Embedding {
    Embedding::new(map.objects().clone(), points).unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn turning_and_moving_a_map_changes_no_figure(seed: u64, angle in 0.0..7.0f64, x in -5.0..5.0f64) {
        let (data, map) = example(seed, 13);
        let turn = array![[angle.cos(), angle.sin()], [angle.sin(), -angle.cos()]];
        let other = with_points(&map, map.points().dot(&turn) + &array![x, 1.0 - x]);
        for target in TARGETS {
            let (a, b) = (stress(&map, &data, target).unwrap(), stress(&other, &data, target).unwrap());
            prop_assert!(near(a.stress1, b.stress1) && near(a.raw, b.raw) && near(a.normalized, b.normalized));
            prop_assert!(a.per_object.iter().zip(&b.per_object).all(|(a, b)| near(*a, *b)));
        }
        prop_assert_eq!(neighbourhood(&data, &map, 4).unwrap(), neighbourhood(&data, &other, 4).unwrap());
        let c = compare(&map, &other, false).unwrap();
        prop_assert!(c.disparity < 1e-20 && near(c.correlation, 1.0));
    }

    #[test]
    fn the_size_of_a_map_does_not_matter_for_stress1(seed: u64, size in 0.01..100.0f64) {
        let (data, map) = example(seed, 9);
        let other = with_points(&map, map.points() * size);
        for target in TARGETS {
            let (a, b) = (stress(&map, &data, target).unwrap(), stress(&other, &data, target).unwrap());
            prop_assert!(near(a.stress1, b.stress1), "{target:?}: {} {}", a.stress1, b.stress1);
            prop_assert!(near(a.per_object.iter().sum(), 100.0));
            prop_assert!((0.0..=1.0).contains(&a.stress1));
        }
    }

    #[test]
    fn the_order_of_objects_only_permutes(seed: u64) {
        let (data, map) = example(seed, 11);
        let order = Rng::task(seed, 3).permutation(11);
        let shuffled = data.subset(&order);
        let moved = Embedding::new(shuffled.objects().clone(), map.points().select(Axis(0), &order)).unwrap();
        for target in TARGETS {
            let a = stress(&map, &data, target).unwrap();
            // The map in its own order is joined by label.
            for other in [&moved, &map] {
                let b = stress(other, &shuffled, target).unwrap();
                prop_assert!(near(a.stress1, b.stress1) && near(a.raw, b.raw));
                prop_assert!(order.iter().zip(&b.per_object).all(|(&i, b)| near(a.per_object[i], *b)));
            }
        }
        let c = compare(&map, &moved, true).unwrap();
        prop_assert!(c.disparity < 1e-20 && c.common == *map.objects());
    }

    #[test]
    fn every_number_of_a_report_is_finite_and_comes_back(seed: u64, n in 2..12usize, heap: bool) {
        let (data, map) = example(seed, n);
        let map = if heap { with_points(&map, Array2::zeros((n, 2))) } else { map };
        for target in TARGETS {
            let e = evaluation(&map, &data, &Options { target, ..Options::default() }).unwrap();
            let text = serde_json::to_string(&e).unwrap();
            prop_assert!(!text.contains("null"), "{text}");       // how JSON writes what is no number
            prop_assert_eq!(serde_json::from_str::<nearer::report::Evaluation>(&text).unwrap(), e);
        }
    }
}
