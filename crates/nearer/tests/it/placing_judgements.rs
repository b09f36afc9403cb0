//! New objects placed by judgements: planted maps come back, and what cannot be placed is said.

use nearer::evidence::{Comparison, Comparisons, Judged, Pairs};
use nearer::io::{Saved, Source, load_model, save_model};
use nearer::method::NaiveOrder;
use nearer::model::{Model, Ordinal};
use nearer::report::FitReport;
use nearer::{Embed, Embedding, Item, Objects, Pair, Place, Run};
use nearer_num::rng::Rng;

fn pair(a: usize, b: usize) -> Pair {
    Pair::new(Item(a as u32), Item(b as u32)).unwrap()
}

/// A map of `n` random points, and the first `held` of them to be placed on the rest.
fn planted(n: usize, dim: usize, held: usize, seed: u64) -> (Embedding, Embedding) {
    let mut rng = Rng::task(seed, 0);
    let points = ndarray::Array2::from_shape_simple_fn((n, dim), || rng.normal());
    let all = Embedding::new(Objects::numbered(n), points).unwrap();
    let rest: Vec<usize> = (held..n).collect();
    let old = Embedding::new(all.objects().subset(&rest), all.points().select(ndarray::Axis(0), &rest)).unwrap();
    (all, old)
}

/// Triplets about one object with two others, heads and tails alike, `wrong` of them turned round.
fn triplets(map: &Embedding, object: usize, held: usize, count: usize, wrong: f64, rng: &mut Rng) -> Vec<Comparison> {
    let d = |p: Pair| map.distance(p.first().index(), p.second().index());
    (0..count)
        .map(|k| {
            let mut other = || loop {
                let other = held + rng.below(map.len() - held);
                if other != object {
                    break other;
                }
            };
            let a = other();
            let b = loop {
                let b = other();
                if b != a {
                    break b;
                }
            };
            let two = if k % 2 == 0 { [pair(object, a), pair(object, b)] } else { [pair(a, object), pair(a, b)] };
            let swap = (d(two[0]) > d(two[1])) != (rng.uniform() < wrong);
            Comparison::new(two[usize::from(swap)], two[usize::from(!swap)])
        })
        .collect()
}

/// The root mean square error of the placed ones, over the root mean square of the map.
fn error(all: &Embedding, placed: &Embedding) -> f64 {
    let size = (all.points().iter().map(|v| v * v).sum::<f64>() / all.len() as f64).sqrt();
    let square: f64 =
        (0..placed.len()).map(|k| (&placed.point(k) - &all.point(k)).iter().map(|v| v * v).sum::<f64>()).sum();
    (square / placed.len() as f64).sqrt() / size
}

#[test]
fn held_out_objects_come_back_to_their_places() {
    for (dim, count, wrong, most) in
        [(1, 300, 0.0, 0.03), (2, 500, 0.0, 0.03), (3, 800, 0.0, 0.03), (2, 800, 0.1, 0.15)]
    {
        let held = 8;
        let (all, old) = planted(48, dim, held, 5);
        let mut rng = Rng::task(6, dim as u64);
        let rows = (0..held).flat_map(|k| triplets(&all, k, held, count, wrong, &mut rng)).collect();
        let query = Comparisons::new(all.objects().clone(), rows).unwrap();
        let placed = Ordinal::new(old).place(&query).unwrap();
        assert_eq!(placed.objects(), &all.objects().subset(&[0, 1, 2, 3, 4, 5, 6, 7]));
        let off = error(&all, &placed);
        assert!(off < most, "{dim} dimensions, {count} triplets, {wrong} wrong: {off:.4}");
    }
}

#[test]
fn one_at_a_time_is_all_at_once_and_threads_change_nothing() {
    let (all, old) = planted(30, 2, 3, 1);
    let mut rng = Rng::task(2, 0);
    let own: Vec<Vec<Comparison>> = (0..3).map(|k| triplets(&all, k, 3, 60, 0.1, &mut rng)).collect();
    let model = Ordinal::new(old);
    let mut rows = own.concat();
    // Judgements between new objects, and between old ones, say nothing about one new object alone.
    rows.push(Comparison::new(pair(0, 1), pair(0, 9)));
    rows.push(Comparison::new(pair(0, 9), pair(2, 9)));
    rows.push(Comparison::new(pair(10, 11), pair(10, 12)));
    let query = Comparisons::new(all.objects().clone(), rows).unwrap();
    let together = model.place_by_comparisons(&query).unwrap();
    assert_eq!((together.between_new, together.between_old), (2, 1));
    assert_eq!(together.used, [60, 60, 60]);
    for (k, rows) in own.into_iter().enumerate() {
        let objects: Vec<usize> = (3..30).chain([k]).collect();
        let moved = |p: Pair| {
            let to = |i: Item| if i.index() == k { 27 } else { i.index() - 3 };
            pair(to(p.first()), to(p.second()))
        };
        let rows = rows.into_iter().map(|c| Comparison { near: moved(c.near), far: moved(c.far), ..c }).collect();
        let alone = Comparisons::new(all.objects().subset(&objects), rows).unwrap();
        assert_eq!(model.place(&alone).unwrap().point(0), together.embedding.point(k));
    }
    let two = Run::default().threads(2).install(|| model.place(&query).unwrap());
    assert_eq!(two, together.embedding);
}

#[test]
fn a_new_object_lands_among_its_like() {
    let (all, old) = planted(304, 2, 4, 3);
    let radius = 1.3;
    let rows = |k: usize| (4..304).map(move |j| (k, j));
    let judged = |(k, j): (usize, usize)| Judged::new(Item(k as u32), Item(j as u32), all.distance(k, j) < radius);
    let query = Pairs::new(all.objects().clone(), (0..4).flat_map(rows).map(judged).collect()).unwrap();
    let placed = Ordinal::new(old.clone()).scaled(0.0).place_by_pairs(&query).unwrap();
    // The truth satisfies all of them; rounding the corners off leaves those that it satisfies barely.
    assert!(placed.violated.iter().all(|v| *v <= 3), "{:?}", placed.violated);
    assert!(error(&all, &placed.embedding) < 0.1, "{}", error(&all, &placed.embedding));
    // With the radii of the old objects, answers asked from them are used as well.
    let model = Ordinal::new(old).scaled(0.0).with_radii(ndarray::Array1::from_elem(300, radius * radius)).unwrap();
    let known = model.place(&query.both_ways()).unwrap();
    assert!(error(&all, &known) < 0.1, "{}", error(&all, &known));
}

#[test]
fn what_cannot_be_placed_is_said() {
    let (all, old) = planted(10, 2, 2, 4);
    let model = Ordinal::new(old.clone());
    let say = |rows: Vec<Comparison>| model.place(&Comparisons::new(all.objects().clone(), rows).unwrap());
    // `1` is compared, `2` is not.
    let e = say(vec![Comparison::new(pair(0, 5), pair(0, 6))]).unwrap_err().to_string();
    assert!(e.contains("`2` has no comparison with old objects alone") && e.contains("labels"), "{e}");
    // Only with another new object.
    let e = say(vec![Comparison::new(pair(0, 1), pair(0, 6))]).unwrap_err().to_string();
    assert!(e.contains("`1` has no comparison"), "{e}");
    let known = Comparisons::new(old.objects().clone(), vec![Comparison::new(pair(0, 1), pair(0, 2))]).unwrap();
    let e = model.place(&known).unwrap_err().to_string();
    assert!(e.contains("all 8 objects are on the map already"), "{e}");
    // Nearer to one end of a line through two objects: both sides of the line are as good.
    let square = ndarray::array![[0.0, 1.0], [0.0, -1.0], [3.0, 0.0], [-3.0, 0.0]];
    let map = Embedding::new(Objects::new(["a", "b", "c", "d"]).unwrap(), square).unwrap();
    let rows = vec![Comparison::new(pair(0, 1), pair(1, 4)), Comparison::new(pair(0, 2), pair(2, 4))];
    let objects = Objects::new(["new", "a", "b", "c", "d"]).unwrap();
    let rows = [rows, vec![Comparison::new(pair(1, 2), pair(0, 1)), Comparison::new(pair(1, 2), pair(0, 2))]].concat();
    let placed = Ordinal::new(map).place_by_comparisons(&Comparisons::new(objects, rows).unwrap()).unwrap();
    assert_eq!(placed.ambiguous, [true]);
}

#[test]
fn a_forgotten_object_is_placed_again_and_the_file_keeps_the_model() {
    let (all, _) = planted(30, 2, 1, 8);
    let rows = (0..30).flat_map(|k| triplets(&all, k, 0, 120, 0.0, &mut Rng::task(9, k as u64))).collect::<Vec<_>>();
    let c = Comparisons::new(all.objects().clone(), rows).unwrap();
    let fit = NaiveOrder::new(2).fit(&c).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("map.nearer");
    let saved = Saved { embedding: fit.embedding.clone(), model: fit.model.into(), report: fit.report };
    let mut bytes = Vec::new();
    save_model(&mut bytes, &saved).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let Saved { model: Model::Ordinal(back), .. } = load_model(&Source::from(path)).unwrap() else { panic!("ordinal") };
    let Model::Ordinal(before) = saved.model else { panic!("ordinal") };
    assert_eq!((back.points(), back.scale()), (before.points(), before.scale()));
    let (forgot, same) = (back.without(&["7"]), before.without(&["7"]));
    assert_eq!(forgot.points().len(), 29);
    assert_eq!(forgot.place(&c).unwrap(), same.place(&c).unwrap());
    let radii = ndarray::Array1::linspace(0.0, 1.0, 30);
    let round: Model = before.with_radii(radii.clone()).unwrap().into();
    let Model::Ordinal(again) = Model::from_parts(&round.to_parts()).unwrap() else { panic!("ordinal") };
    assert_eq!(again.radii(), Some(&radii));
    let report = FitReport::new("naive-order", 30, 2, 0);
    assert_eq!(report.agreement, None);
}

/// Objects along a line, judged in grades by how far apart they are: one that was not there is placed by its own grades.
#[test]
fn a_new_object_is_placed_by_its_grades() {
    use nearer::method::{Psde, Radii};
    let grade = |i: u32, j: u32| match i.abs_diff(j) {
        1 => 1,
        2 | 3 => 2,
        4 | 5 => 3,
        _ => 4,
    };
    let labels = |k: u32| format!("o{k:02}");
    let answers = |pairs: &[(u32, u32)], at: &dyn Fn(u32) -> Item| -> Vec<(Judged, u16)> {
        pairs.iter().map(|&(i, j)| (Judged::new(at(i), at(j), true), grade(i, j))).collect()
    };
    for radii in [Radii::Each, Radii::One] {
        let old: Vec<u32> = (0..12).filter(|k| *k != 5).collect();
        let place = |k: u32| Item(old.iter().position(|o| *o == k).unwrap() as u32);
        let all: Vec<(u32, u32)> =
            old.iter().flat_map(|i| old.iter().filter(move |j| i < j).map(move |j| (*i, *j))).collect();
        let objects = Objects::new(old.iter().map(|k| labels(*k))).unwrap();
        let pairs = Pairs::graded(objects, answers(&all, &place), 4).unwrap().both_ways();
        let fit = Psde::new(2).slack(1.0).radii(radii).fit(&pairs).unwrap();
        let new: Vec<(u32, u32)> = old.iter().map(|k| (5, *k)).collect();
        let objects = Objects::new((0..12).map(labels)).unwrap();
        let query = Pairs::graded(objects, answers(&new, &|k| Item(k)), 4).unwrap().both_ways();
        let placed = fit.model.place_by_pairs(&query).unwrap().embedding;
        let to = |k: u32| (&fit.embedding.point(place(k).index()) - &placed.point(0)).mapv(|v| v * v).sum();
        let nearest = old.iter().copied().min_by(|a, b| to(*a).total_cmp(&to(*b))).unwrap();
        assert!(nearest == 4 || nearest == 6, "{radii:?}: {nearest}");
    }
}
