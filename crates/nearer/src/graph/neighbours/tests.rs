use super::*;
use ndarray::{Array2, array};

fn line(places: &[f64]) -> Features {
    let x = Array2::from_shape_vec((places.len(), 1), places.to_vec()).unwrap();
    Features::new(Objects::numbered(places.len()), ["x"], x).unwrap()
}

fn graph(features: &Features, rule: &Rule) -> Neighbourhood {
    Neighbourhood::of(Among::Features(features), rule, 0, &|_, _| Ok(())).unwrap()
}

#[test]
fn equal_objects_are_one_and_parts_are_named() {
    let features = line(&[0.0, 1.0, 1.0, 2.5, 100.0, 101.5, 103.0]);
    let e =
        Neighbourhood::of(Among::Features(&features), &Rule::nearest(1), 0, &|_, _| Ok(())).unwrap_err().to_string();
    assert!(e.contains("2 separate parts") && e.contains("`1`, `2`, `3` and 1 more") && e.contains("above 1"), "{e}");
    let g = graph(&features, &Rule::nearest(1).components(Components::Largest));
    assert_eq!((g.vertices, g.vertex[4], g.kept()), (3, None, vec![0, 1, 2, 3]));
    assert_eq!(g.pairs, [(0, 1), (1, 2)]);
    assert_eq!(g.squared, [1.0, 2.25]);
    assert_eq!(g.warnings.len(), 2);
    let g = graph(&features, &Rule::nearest(1).components(Components::Joined));
    assert_eq!(g.vertex, [0, 1, 1, 2, 3, 4, 5].map(Some));
    assert_eq!(g.pairs, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]);
    assert_eq!(g.squared, [1.0, 2.25, 97.5 * 97.5, 2.25, 2.25]);
    assert!(g.warnings[0].contains("2 parts") && g.warnings[0].contains("97.5"), "{:?}", g.warnings);
}

#[test]
fn many_parts_are_joined_as_a_minimum_spanning_tree() {
    // Pairs at 0, 10, 25, 45: each next link is longer.
    let features = line(&[0.0, 1.0, 10.0, 11.0, 25.0, 26.0, 45.0, 46.0]);
    let g = graph(&features, &Rule::within(1.5).components(Components::Joined));
    assert_eq!(g.pairs, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7)]);
}

#[test]
fn mutual_neighbours_and_those_within_a_radius() {
    let features = line(&[0.0, 1.0, 3.0, 7.0]);
    assert_eq!(graph(&features, &Rule::nearest(1)).pairs, [(0, 1), (1, 2), (2, 3)]);
    let mutual = Rule::nearest(1).join(Join::Mutual).components(Components::Largest);
    let g = graph(&features, &mutual);
    assert_eq!((g.pairs, g.chosen), (vec![(0, 1)], vec![vec![1], vec![0]]));
    assert_eq!(graph(&features, &Rule::within(4.0)).pairs, [(0, 1), (0, 2), (1, 2), (2, 3)]);
    let d = Array2::from_shape_fn((4, 4), |(i, j)| features.squared_distance(i, j).sqrt());
    let d = Distances::from_square(features.objects().clone(), d.view()).unwrap();
    for rule in [Rule::nearest(2), mutual, Rule::within(4.0)] {
        let by_distances = Neighbourhood::of(Among::Distances(&d), &rule, 0, &|_, _| Ok(())).unwrap();
        let by_features = graph(&features, &rule);
        assert_eq!(by_distances.pairs, by_features.pairs);
        assert_eq!(by_distances.chosen, by_features.chosen);
    }
}

#[test]
fn few_known_pairs_are_the_edges() {
    let x = f64::NAN;
    let m = array![[0.0, 2.0, x, x], [2.0, 0.0, 0.0, x], [x, 0.0, 0.0, 3.0], [x, x, 3.0, 0.0]];
    let d = Distances::from_square(Objects::numbered(4), m.view()).unwrap();
    let g = Neighbourhood::of(Among::Distances(&d), &Rule::nearest(1), 0, &|_, _| Ok(())).unwrap();
    assert_eq!((g.pairs, g.squared, g.asked), (vec![(0, 1), (1, 2)], vec![4.0, 9.0], None));
}

/// Ten features of which two count are searched by products; the approximate search says what it missed.
#[test]
fn an_approximate_search_says_what_it_found_and_a_search_can_be_ended() {
    let (roll, _) = crate::toy::swiss_roll(900, 3);
    let wide = Array2::from_shape_fn((900, 15), |(i, j)| roll.values()[(i, j % 3)]);
    let wide = Features::new(Objects::numbered(900), (0..15).map(|j| format!("x{j}")), wide).unwrap();
    let rule = Rule::nearest(8).components(Components::Joined);
    let (exact, about) = (graph(&wide, &rule), graph(&wide, &rule.clone().search(Search::Approximate)));
    assert_eq!((exact.search, exact.recall), (Search::Exact, None));
    let recall = about.recall.unwrap();
    assert!(recall > 0.97 && recall <= 1.0, "{recall}");
    assert!(about.warnings.iter().any(|w| w.contains("of 250 objects") && w.contains('%')), "{:?}", about.warnings);
    let ended = Neighbourhood::of(Among::Features(&wide), &rule, 0, &|done, of| {
        assert!(done < of);
        Err(Error::Cancelled)
    });
    assert!(matches!(ended, Err(Error::Cancelled)));
}

#[test]
fn objects_far_from_all_others_are_named_whatever_becomes_of_the_graph() {
    let mut places: Vec<f64> = (0..20).map(f64::from).collect();
    let quiet = graph(&line(&places), &Rule::nearest(3));
    assert!(quiet.warnings.is_empty(), "{:?}", quiet.warnings);
    places.push(1e9);
    let one = graph(&line(&places), &Rule::nearest(3));
    assert!(one.warnings[0].starts_with("`21` lies far") && one.warnings[0].contains("1.0000e9"), "{:?}", one.warnings);
    // Two that are near each other are far from the rest all the same.
    places.push(1e9 + 1.0);
    let two = graph(&line(&places), &Rule::nearest(3));
    assert!(two.warnings[0].starts_with("`21` and 1 others lie far"), "{:?}", two.warnings);
}
