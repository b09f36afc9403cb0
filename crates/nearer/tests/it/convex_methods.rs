//! The convex methods as a user calls them: planted maps come back, broken ones are refused, and nothing irrelevant matters.

use ndarray::Array2;
use nearer::evidence::{Comparison, Comparisons, Judged, Pairs, Repeats};
use nearer::method::{ClassicalMds, Gnmds, PartialOrder, Psde, RobustMds};
use nearer::{DistanceRows, Distances, Embed, Embedding, Item, Objects, Pair, Place, Run, evaluate, toy};
use nearer_num::rng::Rng;

fn pair(a: u32, b: u32) -> Pair {
    Pair::new(Item(a), Item(b)).unwrap()
}

/// Each object of a ring is like its neighbours.
fn ring(n: u32) -> Pairs {
    let near = |i: u32, j: u32| matches!((n + i - j) % n, 1) || (n + j - i) % n == 1;
    let all = (0..n).flat_map(|i| (0..n).filter(move |j| *j != i).map(move |j| (i, j)));
    let rows = all.map(|(i, j)| Judged::new(Item(i), Item(j), near(i, j))).collect();
    Pairs::new(Objects::numbered(n as usize), rows).unwrap()
}

fn held(map: &Embedding, c: &Comparisons) -> f64 {
    evaluate::agreement(map, c).unwrap().share
}

#[test]
fn answers_without_noise_predict_answers_never_given() {
    for seed in [1, 2, 3] {
        let all = toy::answers(40, 2, 9000, 0.0, seed);
        let (seen, unseen): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|k| k % 3 != 0);
        // Without noise there is no reason to let an answer go cheaply.
        let fit = Gnmds::new(2).slack(1.0).fit(&all.subset(&seen)).unwrap().certified(1e-5).unwrap();
        let share = held(&fit.embedding, &all.subset(&unseen));
        assert!(share > 0.97, "seed {seed}: {share}");
    }
}

/// With a fifth of the answers wrong, the map knows more than they do: it agrees with the truth in more than nine of ten.
#[test]
fn wrong_answers_are_outvoted() {
    let truth = toy::answers(40, 2, 4000, 0.0, 7);
    let fit = Gnmds::new(2).fit(&toy::answers(40, 2, 9000, 0.2, 7)).unwrap();
    let c = fit.report.certificate.as_ref().unwrap();
    assert!(c.gap() <= 1e-5 && c.bound() <= c.primal, "{c:?}");
    let right = held(&fit.embedding, &truth);
    assert!(right > 0.9 && fit.report.agreement.unwrap() < 0.85, "{right} {:?}", fit.report.agreement);
    // The refined map is no worse than the projection, and the bound is below both.
    let r = fit.report.refined.unwrap();
    assert!(c.bound() <= r.objective && r.objective <= r.projected && r.within.unwrap() < 1.0);
}

#[test]
fn names_order_and_threads_change_nothing() {
    let c = toy::answers(25, 2, 1500, 0.1, 3);
    let one = Gnmds::new(2).fit(&c).unwrap();
    let two = Gnmds::new(2).fit_with(&c, &Run::default().threads(2)).unwrap();
    assert_eq!(one.embedding, two.embedding);
    assert_eq!(one.report.certificate, two.report.certificate);
    // Other order of rows: the same optimum to the certified gap.
    let backwards: Vec<usize> = (0..c.len()).rev().collect();
    let slack: f64 = one.report.used().number("slack").unwrap();
    let other = Gnmds::new(2).slack(slack).fit(&c.subset(&backwards)).unwrap();
    let (a, b) = (one.report.certificate.unwrap(), other.report.certificate.unwrap());
    assert!(a.bound() <= b.primal && b.bound() <= a.primal, "{a:?} {b:?}");
    let pairs = ring(30);
    let run = |threads| Psde::new(2).fit_with(&pairs, &Run::default().threads(threads)).unwrap();
    assert_eq!(run(1).embedding, run(2).embedding);
}

/// A comparison said twice is one of twice the weight.
#[test]
fn weights_are_repeats() {
    let c = toy::answers(12, 2, 200, 0.1, 5);
    let doubled: Vec<Comparison> = c.iter().flat_map(|r| [*r, *r]).collect();
    let heavy: Vec<Comparison> = c.iter().map(|r| Comparison { weight: 2.0, ..*r }).collect();
    let value = |rows| {
        let c = Comparisons::new(c.objects().clone(), rows).unwrap();
        Gnmds::new(2).slack(0.1).fit(&c).unwrap().report.certificate.unwrap()
    };
    assert_eq!(value(doubled), value(heavy));
}

#[test]
fn a_ring_is_a_ring_and_no_answer_is_broken() {
    let fit = Psde::new(2).fit(&ring(20)).unwrap().certified(1e-5).unwrap();
    assert_eq!(fit.report.agreement, Some(1.0));
    assert_eq!(fit.report.refined.as_ref().unwrap().violated, 0);
    let radius = |i: usize| fit.embedding.point(i).dot(&fit.embedding.point(i)).sqrt();
    assert!((0..20).all(|i| (radius(i) / radius(0) - 1.0).abs() < 0.02));
    // The curve of broken rows ends at none.
    assert!(!fit.report.rounds.is_empty() && fit.report.rounds.last().unwrap().worst < 1e-6);
    // A new object said to be like two neighbours lands between them.
    let mut rows = vec![];
    for j in 0..20u32 {
        rows.push(Judged::new(Item(20), Item(j), j == 4 || j == 5));
    }
    let labels: Vec<String> = (1..=20).map(|k| k.to_string()).chain(["new".into()]).collect();
    let placed = fit.model.place(&Pairs::new(Objects::new(labels).unwrap(), rows).unwrap()).unwrap();
    let to = |i: usize| {
        let d = &placed.point(0) - &fit.embedding.point(i);
        d.dot(&d)
    };
    assert!((0..20).all(|i| i == 4 || i == 5 || to(i) > to(4).max(to(5))));
}

/// Weighted answers: a row of weight two costs as much as two rows.
#[test]
fn psde_with_slack_pays_by_weight() {
    let rows = |w: f64| {
        let mut rows: Vec<Judged> = ring(10).iter().copied().collect();
        // One answer against the grain.
        rows.retain(|r| !(r.from == Item(0) && r.to == Item(5)));
        rows.push(Judged { weight: w, ..Judged::new(Item(0), Item(5), true) });
        rows
    };
    let value = |rows| {
        let pairs = Pairs::new(Objects::numbered(10), rows).unwrap();
        let fit = Psde::new(2).slack(0.05).fit(&pairs).unwrap();
        fit.report.certificate.unwrap()
    };
    let once = value(rows(2.0));
    let mut twice = rows(1.0);
    twice.push(Judged::new(Item(0), Item(5), true));
    let twice = value(twice);
    assert!(once.bound() <= twice.primal && twice.bound() <= once.primal, "{once:?} {twice:?}");
    assert!(once.gap() < 1e-4, "{once:?}");
}

#[test]
fn pairs_that_set_nothing_apart_are_mapped_and_said_to() {
    for similar in [true, false] {
        let all = (0..6u32).flat_map(|i| (0..6u32).filter(move |j| *j != i).map(move |j| (i, j)));
        let rows = all.map(|(i, j)| Judged::new(Item(i), Item(j), similar)).collect();
        let fit = Psde::new(2).fit(&Pairs::new(Objects::numbered(6), rows).unwrap()).unwrap();
        assert!(fit.report.warnings.iter().any(|w| w.contains("set nothing apart")));
        assert!(fit.report.certificate.unwrap().gap() < 1e-5);
    }
}

#[test]
fn contradictions_and_circles_are_refused_by_name() {
    let objects = Objects::new(["a", "b", "c"]).unwrap();
    let both = vec![Judged::new(Item(0), Item(1), true), Judged::new(Item(0), Item(1), false)];
    let e = Psde::new(1).fit(&Pairs::new(objects.clone(), both).unwrap()).unwrap_err().to_string();
    assert!(e.contains("`a` and `b` are said to be alike and not alike"), "{e}");
    // a: b in, c out; b: c in, a out; c: a in, b out: ab < ac < bc < ab.
    let says = |i, j, s| Judged::new(Item(i), Item(j), s);
    let circle = vec![
        says(0, 1, true),
        says(0, 2, false),
        says(1, 2, true),
        says(1, 0, false),
        says(2, 0, true),
        says(2, 1, false),
    ];
    let pairs = Pairs::new(objects, circle).unwrap();
    let e = Psde::new(1).fit(&pairs).unwrap_err().to_string();
    assert!(e.contains("go in a circle") && e.contains("slack"), "{e}");
    assert!(Psde::new(1).slack(1.0).fit(&pairs).unwrap().report.agreement < Some(1.0));
    let e = Psde::new(1).slack(-1.0).fit(&pairs).unwrap_err().to_string();
    assert!(e.contains("slack"), "{e}");
}

#[test]
fn the_order_is_kept_in_full_and_the_closed_form_is_the_optimum() {
    let c = toy::answers(9, 2, 80, 0.0, 4);
    let fit = PartialOrder::new(8).fit(&c).unwrap();
    assert_eq!(fit.report.agreement, Some(1.0));
    let smallest: f64 = fit.report.figures["closed-form-from"].number().unwrap();
    // The engine, given a bound below that, attains less than the closed form would promise and keeps the order.
    let bound = 0.98 * smallest;
    let fit = PartialOrder::new(8).bound(bound).fit(&c).unwrap();
    let cert = fit.report.certificate.clone().unwrap();
    assert!(cert.gap() < 1e-5, "{cert:?} {:?}", fit.report.stop);
    assert!(cert.violation < 1e-5 * bound && cert.primal < fit.report.spectrum.as_ref().unwrap().trace * 9.0 * 1.001);
    let share = fit.report.agreement.unwrap();
    assert!(share > 0.99, "{share}");
    let paper = PartialOrder::new(2).papers_bound().fit(&c).unwrap();
    assert!(paper.report.warnings.iter().any(|w| w.contains("most of the order is in the others")));
    // Far below it no map keeps the order, which is proved, and the comparisons that collide are named.
    let e = PartialOrder::new(2).bound(0.7 * smallest).fit(&c).unwrap_err().to_string();
    assert!(e.contains("no map keeps") && e.contains("is nearer to"), "{e}");
    assert!(PartialOrder::new(2).bound(0.5).fit(&c).unwrap_err().to_string().contains("longest chain"));
}

/// A tenth of the distances is grossly wrong: the map is that of the others, which classical scaling's is not.
#[test]
fn gross_errors_do_not_move_the_rest() {
    for seed in [1, 2] {
        let truth = toy::gaussian(30, 2, seed);
        let mut rng = Rng::task(seed, 77);
        let values =
            truth.condensed().iter().map(|d| if rng.uniform() < 0.1 { d * (2.0 + 2.0 * rng.uniform()) } else { *d });
        let wrong = truth.with_values(values.collect()).unwrap();
        let fit = RobustMds::new(2).fit(&wrong).unwrap();
        let plain = ClassicalMds::new(2).fit(&wrong).unwrap();
        let error = |map: &Embedding| {
            let mut sum = 0.0;
            for i in 0..30 {
                for j in 0..i {
                    sum += (map.distance(i, j) - truth.between(i, j).unwrap()).powi(2);
                }
            }
            (sum / 435.0).sqrt()
        };
        let c = fit.report.certificate.as_ref().unwrap();
        assert!(c.gap() < 1e-4, "{c:?} {:?}", fit.report.stop);
        assert!(error(&fit.embedding) < 1e-3, "{}", error(&fit.embedding));
        assert!(error(&plain.embedding) > 0.1);
        // An object placed by a row with an error of its own comes to lie where it belongs.
        let row = Array2::from_shape_fn((1, 30), |(_, j)| {
            let d = if j == 3 { 0.0 } else { truth.between(3, j).unwrap() };
            if j == 10 { 5.0 * d } else { d }
        });
        let query = DistanceRows::new(Objects::new(["new"]).unwrap(), truth.objects().clone(), row).unwrap();
        let placed = fit.model.place(&query).unwrap();
        let off = &placed.point(0) - &fit.embedding.point(3);
        assert!(off.dot(&off).sqrt() < 1e-2, "{off}");
    }
}

#[test]
fn missing_distances_are_left_out_and_parts_are_refused() {
    let truth = toy::gaussian(14, 2, 3);
    let mut rng = Rng::task(5, 5);
    let weights: Vec<f64> = (0..truth.pairs()).map(|_| if rng.uniform() < 0.2 { 0.0 } else { 1.0 }).collect();
    let d = Distances::from_parts(
        truth.objects().clone(),
        truth.condensed().to_vec(),
        Some(weights),
        None,
        Repeats::default(),
    )
    .unwrap();
    let fit = RobustMds::new(2).fit(&d).unwrap();
    assert!(fit.report.stress1.unwrap() < 1e-2, "{:?}", fit.report.stress1);
    let parts: Vec<f64> = (0..truth.pairs())
        .map(|k| {
            let (i, j) = nearer_num::packed::pair(14, k);
            f64::from(u8::from((i < 7) == (j < 7)))
        })
        .collect();
    let d = Distances::from_parts(
        truth.objects().clone(),
        truth.condensed().to_vec(),
        Some(parts),
        None,
        Repeats::default(),
    )
    .unwrap();
    assert!(RobustMds::new(2).fit(&d).unwrap_err().to_string().contains("hold all objects together"));
}

#[test]
fn a_time_limit_ends_it_with_a_bound_that_holds() {
    let c = toy::answers(60, 3, 6000, 0.1, 2);
    let long = Gnmds::new(2).slack(0.05).refine(false).fit(&c).unwrap().report.certificate.unwrap();
    let run = Run::default().time_limit(std::time::Duration::from_millis(1));
    let fit = Gnmds::new(2).slack(0.05).gap(1e-12).fit_with(&c, &run).unwrap();
    let short = fit.report.certificate.unwrap();
    assert!(short.bound() <= long.primal && long.bound() <= short.primal);
    assert!(fit.report.warnings.iter().any(|w| w.contains("asked for")), "{:?}", fit.report.warnings);
    let pair_rows = vec![Comparison::new(pair(0, 1), pair(0, 2))];
    let one = Comparisons::new(Objects::numbered(3), pair_rows).unwrap();
    assert!(Gnmds::new(1).fit(&one).unwrap().report.certificate.unwrap().gap() <= 1e-5);
}
