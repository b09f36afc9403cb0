//! Maps of answers: against cblearn, against what was planted, and what may not change them.

use nearer::evidence::{Answered, Task, Trials};
use nearer::method::table::find;
use nearer::method::{Ckl, Lore, Soe, Ste, TSte};
use nearer::{Comparison, Comparisons, Embed, Embedding, Item, Objects, Pair, Run, Study, toy};
use serde_json::Value;

use crate::golden::{cases, close, number};

const ORDINAL: &str = include_str!("../golden/ordinal.json");
const METHODS: [&str; 4] = ["ste", "t-ste", "ckl", "soe"];

fn pair(a: usize, b: usize) -> Pair {
    Pair::new(Item(a as u32), Item(b as u32)).unwrap()
}

fn triplets(case: &Value) -> Comparisons {
    let row = |t: &Value| {
        let [a, b, c] = [0, 1, 2].map(|k| t[k].as_u64().unwrap() as usize);
        Comparison::new(pair(a, b), pair(a, c))
    };
    Comparisons::new(Objects::numbered(15), case["triplets"].as_array().unwrap().iter().map(row).collect()).unwrap()
}

/// The share of questions about planted points that a map gets wrong.
fn error(map: &Embedding, truth: &Comparisons) -> f64 {
    let d = |p: Pair| map.distance(p.first().index(), p.second().index());
    truth.iter().filter(|r| d(r.near) >= d(r.far)).count() as f64 / truth.len() as f64
}

#[test]
fn objectives_are_no_higher_than_cblearns() {
    for case in cases(ORDINAL) {
        let c = triplets(&case);
        for name in METHODS {
            let method = find(name).unwrap();
            let dim = case["dim"].to_string();
            let settings = method
                .settings(
                    [("dim", dim.as_str()), ("mu", "0.05")]
                        .into_iter()
                        .filter(|(p, _)| method.parameters.iter().any(|q| q.name == *p)),
                )
                .unwrap();
            let fit = method.fit(&settings, &Study::from(c.clone()), &Run::default()).unwrap();
            let theirs = number(&case["maps"][name], "objective");
            assert!(fit.report.objective <= theirs * (1.0 + 1e-5), "{name} {dim}: {} {theirs}", fit.report.objective);
        }
    }
}

/// A tenth of the answers is wrong; the map knows better.
#[test]
fn planted_points_come_back() {
    let (noisy, truth) = (toy::answers(40, 2, 4000, 0.1, 7), toy::answers(40, 2, 4000, 0.0, 7));
    let fits = [
        Ste::new(2).fit(&noisy).unwrap(),
        TSte::new(2).fit(&noisy).unwrap(),
        Ckl::new(2).fit(&noisy).unwrap(),
        Soe::new(2).fit(&noisy).unwrap(),
    ];
    for fit in fits {
        let wrong = error(&fit.embedding, &truth);
        assert!(wrong < 0.07, "{}: {wrong}", fit.report.method);
        assert!(fit.report.starts.unwrap().tried == 5);
    }
}

#[test]
fn threads_change_no_bit_where_answers_are_summed_in_pieces() {
    let c = toy::answers(60, 2, 9000, 0.1, 3);
    for name in METHODS {
        let method = find(name).unwrap();
        let settings = method.settings([("max-iter", "30")]).unwrap();
        let on = |threads| method.fit(&settings, &Study::from(c.clone()), &Run::seeded(2).threads(threads)).unwrap();
        let (one, two) = (on(1), on(2));
        assert_eq!(one.embedding, two.embedding, "{name}");
        assert_eq!(one.report.objective.to_bits(), two.report.objective.to_bits(), "{name}");
    }
}

/// An answer of weight two is the answer twice, and an answer twice is one of weight two.
#[test]
fn weights_count_answers() {
    let once = toy::answers(12, 2, 300, 0.1, 5);
    let twice: Vec<Comparison> = once.iter().flat_map(|r| [*r, *r]).collect();
    let heavy: Vec<Comparison> = once.iter().map(|r| Comparison { weight: 2.0, ..*r }).collect();
    let fit = |rows| Ste::new(2).precision(0.1).fit(&Comparisons::new(once.objects().clone(), rows).unwrap()).unwrap();
    let (a, b) = (fit(twice), fit(heavy));
    close(a.report.objective, b.report.objective, 1e-4 * a.report.objective);
}

/// The odd one of three is one choice of three: with all three sides alike every answer has the probability 1/3.
#[test]
fn whole_trials_have_their_own_likelihood() {
    let mut trials = Trials::new(Objects::numbered(3), Task::OddOneOut);
    for items in [[0, 1, 2], [1, 2, 0], [0, 2, 1]] {
        trials.push(&items.map(Item), 0, Answered::default()).unwrap();
    }
    let fit = Ste::new(2).precision(0.01).fit(&trials.comparisons()).unwrap();
    close(fit.report.figures["log-likelihood"].number().unwrap(), -3f64.ln(), 1e-5);
}

#[test]
fn margins_belong_to_soft_order_alone() {
    let c = toy::answers(12, 2, 300, 0.1, 5);
    let with = |margin: f64| {
        let rows = c.iter().map(|r| Comparison { margin, ..*r }).collect();
        Comparisons::new(c.objects().clone(), rows).unwrap()
    };
    let said = Ste::new(2).fit(&with(2.0)).unwrap().report.warnings;
    assert!(said.iter().any(|w| w.contains("margins of the answers are left out")), "{said:?}");
    // A tenfold margin is a tenfold map.
    let (one, ten) = (Soe::new(2).fit(&with(1.0)).unwrap(), Soe::new(2).fit(&with(10.0)).unwrap());
    close(ten.report.objective, 100.0 * one.report.objective, 1e-3 * ten.report.objective);
    let e = Soe::new(2).fit(&with(0.0)).unwrap_err().to_string();
    assert!(e.contains("every margin is 0"), "{e}");
}

#[test]
fn what_is_no_number_is_refused() {
    let c = toy::answers(8, 2, 100, 0.0, 1);
    for e in [
        Ste::new(2).precision(-1.0).fit(&c).unwrap_err(),
        TSte::new(2).alpha(0.0).fit(&c).unwrap_err(),
        Ckl::new(2).mu(f64::NAN).fit(&c).unwrap_err(),
    ] {
        assert!(e.to_string().contains("a finite number"), "{e}");
    }
}

/// Of ten dimensions lore leaves those that were planted; its objective is what the map and its spectrum say, and no higher than
/// that of the likeliest map of the right number of dimensions.
#[test]
fn lore_leaves_the_planted_dimensions() {
    let loss = |map: &Embedding, c: &Comparisons| -> f64 {
        let square = |p: Pair| map.distance(p.first().index(), p.second().index()).powi(2);
        c.iter().map(|r| (square(r.near) - square(r.far)).exp().ln_1p()).sum()
    };
    let penalty = |map: &Embedding| -> f64 {
        // A canonical pose has its columns along the axes: their lengths are the singular values.
        map.points().columns().into_iter().map(|c| c.dot(&c).powf(0.25)).sum()
    };
    for (dim, seed) in [(2, 4), (3, 5)] {
        let c = toy::answers(60, dim, 4000 * dim, 0.1, seed);
        let fit = Lore::new(dim).starts(1).fit(&c).unwrap();
        let weight = fit.report.resolved.number("weight").unwrap();
        assert_eq!(fit.report.figures["rank"].count(), Some(dim), "{:?}", fit.report.spectrum);
        let value = loss(&fit.embedding, &c) + weight * penalty(&fit.embedding);
        assert!((value - fit.report.objective).abs() < 1e-6 * value, "{dim}: {value} {}", fit.report.objective);
        let likeliest = Ste::new(dim).precision(0.05).fit(&c).unwrap().embedding;
        assert!(value <= loss(&likeliest, &c) + weight * penalty(&likeliest), "{dim}");
    }
}

/// Answers about one object hold it on one side only: without a prior it runs away, and the report says so.
#[test]
fn what_no_answer_holds_is_said_to_be_away() {
    let mut rows: Vec<Comparison> = toy::answers(12, 2, 400, 0.15, 2).iter().cloned().collect();
    rows.retain(|r| ![r.near, r.far].iter().any(|p| p.first().index() == 11 || p.second().index() == 11));
    rows.extend((1..11).map(|k| Comparison::new(pair(0, k), pair(0, 11))));
    let c = Comparisons::new(Objects::numbered(12), rows).unwrap();
    let away = |fit: &nearer::Fit<_>| fit.report.warnings.iter().any(|w| w.contains("gone off"));
    assert!(away(&TSte::new(2).fit(&c).unwrap()));
    assert!(!away(&TSte::new(2).precision(0.05).fit(&c).unwrap()));
}
