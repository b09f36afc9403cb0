//! The choice model: against what was planted, against its own formula written out, and who is found to lapse.

use ndarray::Array2;
use nearer::evidence::{Answered, Task, Trials};
use nearer::method::{ChoiceLink, ChoiceModel, Lapses, Soe, Ste};
use nearer::model::Sureness;
use nearer::report::{FitReport, Worth};
use nearer::{Comparison, Comparisons, Embed, Embedding, Item, Objects, Pair, Run, toy};
use nearer_num::rng::Rng;

use crate::golden::{cases, close, number, numbers};

/// The share of questions about planted points that a map gets wrong.
fn error(map: &Embedding, truth: &Comparisons) -> f64 {
    let d = |p: Pair| map.distance(p.first().index(), p.second().index());
    truth.iter().filter(|r| d(r.near) >= d(r.far)).count() as f64 / truth.len() as f64
}

/// What people say about random points in the plane: the wrong answer with a probability that is each one's own.
fn panel(objects: usize, each: usize, wrong: &[f64], seed: u64) -> Comparisons {
    let mut rng = Rng::task(seed, 9);
    let x: Vec<[f64; 2]> = (0..objects).map(|_| [rng.normal(), rng.normal()]).collect();
    let square = |a: usize, b: usize| (x[a][0] - x[b][0]).powi(2) + (x[a][1] - x[b][1]).powi(2);
    let mut trials = Trials::new(Objects::numbered(objects), Task::Triplets);
    for (k, wrong) in wrong.iter().enumerate() {
        let who = trials.add_participant(format!("p{k}"));
        for _ in 0..each {
            let [head, a, b] = [(); 3].map(|()| rng.below(objects));
            if head == a || head == b || a == b {
                continue;
            }
            let truth = square(head, a) < square(head, b);
            let (near, far) = if truth != (rng.uniform() < *wrong) { (a, b) } else { (b, a) };
            let items = [head, near, far].map(|k| Item(k as u32));
            trials.push(&items, 0, Answered { participant: Some(who), ..Answered::default() }).unwrap();
        }
    }
    trials.comparisons()
}

#[test]
fn wrong_answers_are_recognised() {
    let (noisy, truth) = (toy::answers(60, 2, 8000, 0.1, 7), toy::answers(60, 2, 8000, 0.0, 7));
    let choice = ChoiceModel::new(2).fit(&noisy).unwrap();
    let [ste, soe] = [Ste::new(2).fit(&noisy), Soe::new(2).fit(&noisy)].map(|f| error(&f.unwrap().embedding, &truth));
    let own = error(&choice.embedding, &truth);
    assert!(own < 0.6 * ste.min(soe), "choice {own}, ste {ste}, soe {soe}");
    let lapses = choice.report.lapses.unwrap();
    // A tenth of the answers is wrong: a fifth are lapses.
    assert!(lapses.low < Some(0.2) && lapses.high > Some(0.2) && lapses.participants.is_empty(), "{lapses:?}");
}

#[test]
fn people_are_found_who_are_careless_or_have_the_key_reversed() {
    let mut wrong = [0.05; 12];
    (wrong[3], wrong[8], wrong[10]) = (0.5, 0.5, 0.95);
    let fit = ChoiceModel::new(2).fit(&panel(25, 150, &wrong, 4)).unwrap();
    let lapses = fit.report.lapses.as_ref().unwrap();
    let named = |verdict| lapses.those(verdict).map(|p| p.participant.as_str()).collect::<Vec<_>>();
    // Of one of the two an own map predicts more than chance does by chance; nobody else is doubted.
    let doubted = [named(Worth::Careless), named(Worth::TooFew)].concat();
    assert!(doubted.len() == 2 && doubted.contains(&"p3") && doubted.contains(&"p8"), "{lapses:?}");
    let careless = lapses.those(Worth::Careless).next().expect("one of them at least");
    assert!(careless.weighted.is_some_and(|own| own.others > Some(0.7) && own.share() < 0.6), "{careless:?}");
    assert_eq!(named(Worth::Reversed), ["p10"]);
    // The others lapse once in ten answers: of nine intervals of 95 % eight hold that, or all.
    let held = lapses.those(Worth::Usable).filter(|p| (p.low..p.high).contains(&0.1)).count();
    assert!(held >= 8 && lapses.those(Worth::Usable).all(|p| p.agreement > 0.85), "{lapses:?}");
    assert!(
        fit.report.warnings.iter().any(|w| w.starts_with("careless, by two witnesses: `p")),
        "{:?}",
        fit.report.warnings
    );
    assert_eq!(fit.report.used().word("lapses"), Some("participant"));
}

/// A crowd that judges by one map, one who judges by another one and passes every check, and one who answers at random and fails half of them.
#[test]
fn whoever_sees_it_another_way_is_not_called_careless() {
    let (n, mut rng) = (20, Rng::task(5, 41));
    let points = |rng: &mut Rng| Array2::from_shape_fn((n, 2), |_| rng.normal());
    let (common, other) = (points(&mut rng), points(&mut rng));
    let mut trials = Trials::new(Objects::numbered(n), Task::Triplets);
    for person in 0..14 {
        let who = trials.add_participant(format!("p{person}"));
        let map = if person == 4 { &other } else { &common };
        let far = |i: usize, j: usize| (&map.row(i) - &map.row(j)).mapv(|v| v * v).sum();
        let random = [6, 9].contains(&person);
        for k in 0..330 {
            let [head, a, b] = [rng.below(n), rng.below(n), rng.below(n)];
            let check = k % 11 == 0;
            let (a, b) = if check { (head, b) } else { (a, b) };
            if a == b || b == head || (a == head && !check) {
                continue;
            }
            let wrong = rng.uniform()
                < if random {
                    0.5
                } else if check {
                    0.0
                } else {
                    0.05
                };
            let (near, far) = if (far(head, a) < far(head, b)) != wrong { (a, b) } else { (b, a) };
            let items = [head, near, far].map(|k| Item(k as u32));
            trials.push(&items, 0, Answered { participant: Some(who), ..Answered::default() }).unwrap();
        }
    }
    let fit = ChoiceModel::new(2).fit(&trials.comparisons()).unwrap();
    let lapses = fit.report.lapses.as_ref().unwrap();
    let named = |verdict| lapses.those(verdict).map(|p| p.participant.as_str()).collect::<Vec<_>>();
    assert_eq!((named(Worth::AnotherRule), named(Worth::Careless)), (vec!["p4"], vec!["p6", "p9"]), "{lapses:?}");
    let odd = &lapses.participants[4];
    assert!(odd.own.unwrap().share() > 0.7 && odd.checks.unwrap().failed == 0 && odd.low > 0.5, "{odd:?}");
    assert!(lapses.participants.iter().all(|p| p.checks.is_some()), "{lapses:?}");
    assert!(
        fit.report.warnings.iter().any(|w| w.starts_with("following another rule than most, and not careless: `p4`"))
    );
}

#[test]
fn the_limit_of_iterations_binds_every_stage() {
    let c = panel(15, 60, &[0.05, 0.1, 0.2, 0.4], 2);
    for (most, stages) in [(1, 3), (50, 3)] {
        let fit = ChoiceModel::new(2).link(ChoiceLink::Distance).precision(0.1).max_iter(most).fit(&c).unwrap();
        assert!(fit.report.iterations <= most * stages, "{most}: {}", fit.report.iterations);
    }
}

/// The figure of the report, from the map, the settings and the rates that it tells.
fn written_out(report: &FitReport, map: &Embedding, c: &Comparisons) -> f64 {
    let lapses = report.lapses.as_ref();
    let rate = |row: usize| match lapses {
        None => 0.0,
        Some(l) if l.participants.is_empty() => l.mean,
        Some(l) => l.participants.iter().find(|p| Some(p.participant.as_str()) == c.participant(row)).unwrap().lapse,
    };
    let phi = |p: Pair| {
        let d = map.distance(p.first().index(), p.second().index());
        match report.used().word("link").unwrap() {
            "distance" => d,
            "squared" => d * d,
            _ => (1.0 + d * d).ln(),
        }
    };
    let one = |(row, r): (usize, &Comparison)| {
        let p = 1.0 / (1.0 + (phi(r.near) - phi(r.far)).exp());
        (rate(row) / 2.0 + (1.0 - rate(row)) * p).ln()
    };
    c.iter().enumerate().map(one).sum::<f64>() / c.len() as f64
}

#[test]
fn the_likelihood_is_that_of_the_formula() {
    let c = panel(15, 60, &[0.05, 0.1, 0.2, 0.4], 2);
    for link in [ChoiceLink::Distance, ChoiceLink::Squared, ChoiceLink::Student] {
        for lapses in [Lapses::None, Lapses::One, Lapses::Participant, Lapses::Fixed(0.1)] {
            let fit = ChoiceModel::new(2).link(link).precision(0.1).lapses(lapses).fit(&c).unwrap();
            let told = fit.report.figures["log-likelihood"].number().unwrap();
            close(told, written_out(&fit.report, &fit.embedding, &c), 1e-6);
            assert!(fit.report.tuning.is_none());
            if lapses == Lapses::Fixed(0.1) {
                assert_eq!(fit.report.lapses.unwrap().mean, 0.1);
            }
        }
    }
}

/// More rates, more likelihood; and the mode of the rates is where the map was left.
#[test]
fn rates_of_each_say_more_than_one_for_all() {
    let c = panel(20, 120, &[0.02, 0.02, 0.02, 0.45, 0.02, 0.02], 5);
    let log = |lapses| {
        let fit = ChoiceModel::new(2).link(ChoiceLink::Distance).precision(0.02).lapses(lapses).fit(&c).unwrap();
        fit.report.figures["log-likelihood"].number().unwrap()
    };
    let (none, one, each) = (log(Lapses::None), log(Lapses::One), log(Lapses::Participant));
    assert!(none < one && one + 0.01 < each, "{none} {one} {each}");
}

#[test]
fn what_is_chosen_is_told_and_what_is_given_stays() {
    let c = toy::answers(20, 2, 1500, 0.1, 3);
    let table = |model: ChoiceModel| {
        let report = model.fit(&c).unwrap().report;
        let tuning = report.tuning.clone().unwrap();
        let best = &tuning.tried[tuning.taken];
        assert!(tuning.tried.iter().all(|t| t.score <= best.score && t.score < 0.0));
        for name in ["link", "precision"] {
            assert_eq!(report.used().get(name), best.settings.get(name), "{name}");
        }
        tuning.tried.len()
    };
    assert_eq!(table(ChoiceModel::new(2)), 7);
    assert_eq!(table(ChoiceModel::new(2).link(ChoiceLink::Student)), 5);
    assert_eq!(table(ChoiceModel::new(2).precision(0.1)), 3);
    let e = ChoiceModel::new(2).lapses(Lapses::Participant).fit(&c).unwrap_err().to_string();
    assert!(e.contains("not known who answered"), "{e}");
    let e = ChoiceModel::new(2).lapses(Lapses::Fixed(1.0)).fit(&c).unwrap_err().to_string();
    assert!(e.contains("from 0 to 0.99"), "{e}");
}

#[test]
fn threads_change_no_bit_of_map_or_rates() {
    let c = panel(30, 1200, &[0.05, 0.1, 0.3, 0.5, 0.05], 6);
    let on = |threads| ChoiceModel::new(2).fit_with(&c, &Run::seeded(1).threads(threads)).unwrap();
    let (one, two) = (on(1), on(2));
    assert_eq!(one.embedding, two.embedding);
    assert_eq!(one.report, two.report);
}

/// Scales of quadruplets do not fold: they are those of largest likelihood, found elsewhere from two hundred starts.
#[test]
fn scales_are_those_of_maximum_likelihood() {
    for case in cases(include_str!("../golden/lines.json")) {
        let wanted = numbers(&case["scale"]);
        let pair = |a: f64, b: f64| Pair::new(Item(a as u32), Item(b as u32)).unwrap();
        let row = |q: &serde_json::Value| {
            let q = numbers(q);
            Comparison::new(pair(q[0], q[1]), pair(q[2], q[3]))
        };
        let rows: Vec<Comparison> = case["quadruplets"].as_array().unwrap().iter().map(row).collect();
        let c = Comparisons::new(Objects::numbered(wanted.len()), rows).unwrap();
        let plain = ChoiceModel::new(1).link(ChoiceLink::Distance).precision(0.0).lapses(Lapses::None);
        let fit = plain.fit(&c).unwrap();
        assert!(fit.report.objective <= number(&case, "objective") * (1.0 + 1e-6), "{}", fit.report.objective);
        // The same scale but for its direction and its middle.
        let found: Vec<f64> = fit.embedding.points().column(0).to_vec();
        let turned = if (found[0] < found[1]) == (wanted[0] < wanted[1]) { 1.0 } else { -1.0 };
        let mean = wanted.iter().sum::<f64>() / wanted.len() as f64;
        let range = wanted.iter().fold(0.0, |m: f64, v| m.max((v - mean).abs()));
        for (f, w) in found.iter().zip(&wanted) {
            close(turned * f, w - mean, 1e-3 * range);
        }
    }
}

/// Planted objects held out come back to their places by their answers, and the ellipses hold them as often as they say.
#[test]
fn new_objects_lie_where_their_answers_are_likeliest() {
    let (objects, new) = (40, 10);
    let truth = toy::gaussian(objects, 2, 3);
    let d = |a: usize, b: usize| truth.between(a, b).unwrap();
    let mut rng = Rng::task(3, 11);
    let mut says = |head: usize, among: usize| {
        let (a, b) = (rng.below(among), rng.below(among));
        let p = 1.0 / (1.0 + (3.0 * (d(head, a) - d(head, b))).exp());
        (head != a && head != b && a != b).then(|| if rng.uniform() < p { [head, a, b] } else { [head, b, a] })
    };
    let row = |t: [usize; 3]| {
        let pair = |a: usize, b: usize| Pair::new(Item(a as u32), Item(b as u32)).unwrap();
        Comparison::new(pair(t[0], t[1]), pair(t[0], t[2]))
    };
    let old = objects - new;
    let known: Vec<Comparison> = (0..6000).filter_map(|k| says(k % old, old)).map(row).collect();
    let asked: Vec<Comparison> = (0..100 * new).filter_map(|k| says(old + k % new, old)).map(row).collect();
    let labels: Vec<String> = truth.objects().labels().to_vec();
    let fit = ChoiceModel::new(2)
        .link(ChoiceLink::Distance)
        .precision(0.0)
        .lapses(Lapses::None)
        .fit(&Comparisons::new(Objects::new(labels[..old].to_vec()).unwrap(), known).unwrap())
        .unwrap();
    let query = Comparisons::new(truth.objects().clone(), asked.clone()).unwrap();
    let placed = fit.model.place_by_comparisons(&query).unwrap();
    assert_eq!((placed.embedding.len(), placed.between_new, placed.between_old), (new, 0, 0));
    // Each lies about as far from every old object as it should, in the size of the map: 3 in the model, 1 in the data.
    let (mut off, mut size) = (0.0, 0.0);
    for k in 0..new {
        for j in 0..old {
            let apart = (&placed.embedding.point(k) - &fit.embedding.point(j)).mapv(|v| v * v).sum().sqrt();
            off += (apart - 3.0 * d(old + k, j)).powi(2);
            size += (3.0 * d(old + k, j)).powi(2);
        }
        let Sureness::Within(ellipse) = placed.sureness[k] else { panic!("{:?}", placed.sureness[k]) };
        let [long, short] = ellipse.half_axes;
        assert!(long >= short && short > 0.05 && ellipse.centre[0] == placed.embedding.point(k)[0], "{ellipse:?}");
    }
    assert!((off / size).sqrt() < 0.15, "{}", (off / size).sqrt());
    // Two answers settle nothing.
    let first = |r: &&Comparison| r.near.second() == Item(old as u32);
    let two: Vec<Comparison> = asked.iter().filter(first).take(2).copied().collect();
    let objects = truth.objects().subset(&(0..=old).collect::<Vec<_>>());
    let placed = fit.model.place_by_comparisons(&Comparisons::new(objects, two).unwrap()).unwrap();
    assert_eq!(placed.sureness, [Sureness::Undetermined]);
}
