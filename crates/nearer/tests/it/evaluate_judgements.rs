//! Maps against judgements: planted answers, flipped answers, and what must not change.

use std::collections::HashSet;
use std::sync::Mutex;

use ndarray::Array2;
use nearer::evaluate::{
    By, JudgementOptions, agreement, agreement_interval, ceiling, held_out, held_out_objects, judgements,
    pair_agreement, participants,
};
use nearer::evidence::{Answered, Judged, Task, Trials};
use nearer::report::{FitReport, Unit};
use nearer::{Comparisons, Embedding, Error, Fit, Item, Objects, Pair, Pairs, Run};
use nearer_num::rng::Rng;
use proptest::prelude::*;

fn map(seed: u64, n: usize) -> Embedding {
    let mut rng = Rng::task(seed, 1);
    Embedding::new(Objects::numbered(n), Array2::from_shape_simple_fn((n, 2), || rng.normal())).unwrap()
}

/// Triplets as the map has them, every `flip`-th one turned round, from five people, each question asked twice or more.
fn answers(map: &Embedding, count: usize, flip: usize, seed: u64) -> Comparisons {
    let mut rng = Rng::task(seed, 2);
    let mut trials = Trials::new(map.objects().clone(), Task::Triplets);
    let who: Vec<u32> = (0..5).map(|k| trials.add_participant(format!("p{k}"))).collect();
    let mut last = Vec::new();
    for k in 0..count {
        if k % 2 == 0 {
            last = rng.permutation(map.len());
        }
        let (head, mut a, mut b) = (last[0], last[1], last[2]);
        if (map.distance(head, a) > map.distance(head, b)) != (k % flip == flip - 1) {
            std::mem::swap(&mut a, &mut b);
        }
        let answered = Answered { participant: Some(who[rng.below(5)]), ..Answered::default() };
        trials.push(&[head, a, b].map(|i| Item(i as u32)), 0, answered).unwrap();
    }
    trials.comparisons()
}

#[test]
fn a_map_agrees_with_its_own_answers_and_misses_those_turned_round() {
    let map = map(1, 20);
    let own = agreement(&map, &answers(&map, 300, usize::MAX, 1)).unwrap();
    assert_eq!((own.satisfied, own.tied, own.share, own.with_margin.share), (300, 0, 1.0, 1.0));
    let flipped = agreement(&map, &answers(&map, 300, 10, 1)).unwrap();
    assert_eq!((flipped.satisfied, flipped.violated, flipped.share), (270, 30, 0.9));
    assert!(flipped.with_margin.share < flipped.share);
    assert!(flipped.weighted_share.is_none() && flipped.answers.is_none());
}

#[test]
fn odd_one_out_is_right_as_a_whole_when_both_comparisons_are() {
    let line = Embedding::new(Objects::numbered(3), ndarray::array![[0.0], [1.0], [1.9]]).unwrap();
    let mut trials = Trials::new(line.objects().clone(), Task::OddOneOut);
    for items in [[1, 2, 0], [0, 1, 2], [0, 2, 1]] {
        trials.push(&items.map(Item), 0, Answered::default()).unwrap();
    }
    let found = agreement(&line, &trials.comparisons()).unwrap();
    assert_eq!((found.rows, found.satisfied), (6, 3));
    let whole = found.answers.unwrap();
    assert_eq!((whole.answers, whole.satisfied, whole.chance), (3, 1, 1.0 / 3.0));
}

#[test]
fn an_interval_draws_participants_where_they_are_known() {
    let map = map(2, 15);
    let known = answers(&map, 400, 4, 3);
    let told = agreement_interval(&map, &known, 500, &Run::seeded(1)).unwrap().unwrap();
    assert_eq!((told.unit, told.units, told.replicates), (Unit::Participants, 5, 500));
    assert!(told.low <= 0.75 && 0.75 <= told.high);
    assert_eq!(told, agreement_interval(&map, &known, 500, &Run::seeded(1).threads(2)).unwrap().unwrap());
    let bare = Comparisons::new(known.objects().clone(), known.rows().to_vec()).unwrap();
    let told = agreement_interval(&map, &bare, 500, &Run::seeded(1)).unwrap().unwrap();
    assert_eq!((told.unit, told.units), (Unit::Answers, 400));
}

/// A method that always gives the same map, and notes what it was shown.
fn always<'a>(
    map: &'a Embedding,
    shown: &'a Mutex<Vec<Comparisons>>,
) -> impl Fn(&Comparisons, &Run<'_>) -> Result<Fit<()>, Error> + Sync + 'a {
    move |c, run| {
        shown.lock().unwrap().push(c.clone());
        let index = map.objects().index();
        let rows: Vec<usize> = c.objects().labels().iter().map(|l| index[l.as_str()].index()).collect();
        let embedding = Embedding::new(c.objects().clone(), map.points().select(ndarray::Axis(0), &rows))?;
        Ok(Fit::new(embedding, (), FitReport::new("always", c.objects().len(), 2, run.seed())))
    }
}

#[test]
fn folds_keep_together_what_they_must() {
    let map = map(4, 12);
    let c = answers(&map, 403, 7, 9);
    let question = |c: &Comparisons, row: usize| {
        let r = c.rows()[row];
        (r.near.min(r.far), r.near.max(r.far))
    };
    for by in [By::Rows, By::Queries, By::Participant] {
        let shown = Mutex::new(Vec::new());
        let found = held_out(&c, by, 5, always(&map, &shown), &Run::seeded(3)).unwrap();
        assert_eq!(found.folds.iter().map(|f| f.test_rows).sum::<usize>(), 403);
        // The map is the same in all folds, so the rows held out have the agreement of all.
        let right: f64 = found.folds.iter().map(|f| f.test * f.test_rows as f64).sum();
        assert!((right / 403.0 - agreement(&map, &c).unwrap().share).abs() < 1e-12);
        assert!(found.folds.iter().all(|f| f.train_rows + f.test_rows == 403));
        let mean = found.folds.iter().map(|f| f.test).sum::<f64>() / 5.0;
        assert!((found.test.mean - mean).abs() < 1e-12 && found.test.standard_error.unwrap() > 0.0);
        for train in shown.lock().unwrap().iter() {
            assert_eq!(train.objects(), c.objects());
            let trials: HashSet<usize> = (0..train.len()).map(|r| train.trial_of(r).unwrap()).collect();
            let test: Vec<usize> = (0..c.len()).filter(|&r| !trials.contains(&c.trial_of(r).unwrap())).collect();
            assert_eq!(train.len() + test.len(), 403);
            let (asked, people): (HashSet<_>, HashSet<_>) =
                (0..train.len()).map(|r| (question(train, r), train.participant(r).unwrap())).unzip();
            let meets = test.iter().any(|&r| asked.contains(&question(&c, r)));
            assert_eq!(meets, by != By::Queries, "{by:?}");
            let known = test.iter().any(|&r| people.contains(c.participant(r).unwrap()));
            assert_eq!(known, by != By::Participant, "{by:?}");
        }
        let again = Mutex::new(Vec::new());
        assert_eq!(found, held_out(&c, by, 5, always(&map, &again), &Run::seeded(3).threads(2)).unwrap());
    }
}

#[test]
fn folds_that_cannot_be_are_refused() {
    let map = map(4, 6);
    let c = answers(&map, 30, 7, 9);
    let shown = Mutex::new(Vec::new());
    let refused = |c: &Comparisons, by, folds| {
        held_out(c, by, folds, always(&map, &shown), &Run::default()).unwrap_err().to_string()
    };
    assert!(refused(&c, By::Rows, 1).contains("from 2 to 30, the number of answers"));
    assert!(refused(&c, By::Participant, 6).contains("from 2 to 5"));
    let bare = Comparisons::new(c.objects().clone(), c.rows().to_vec()).unwrap();
    assert!(refused(&bare, By::Participant, 2).contains("not known who answered"));
    let fails = |_: &Comparisons, _: &Run<'_>| -> Result<Fit<()>, Error> {
        Err(Error::Numerical { what: "this method".into() })
    };
    assert!(held_out(&c, By::Rows, 3, fails, &Run::default()).unwrap_err().to_string().contains("this method"));
}

#[test]
fn objects_are_placed_from_one_half_and_tested_on_the_other() {
    let map = map(6, 14);
    let c = answers(&map, 600, usize::MAX, 5);
    let (shown, asked) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    // Placing that knows the truth: what is tested must then hold without exception.
    let place = |(): &(), query: &Comparisons| {
        asked.lock().unwrap().push(query.clone());
        let index = map.objects().index();
        let rows: Vec<usize> = query.objects().labels().iter().map(|l| index[l.as_str()].index()).collect();
        Embedding::new(query.objects().clone(), map.points().select(ndarray::Axis(0), &rows))
    };
    let found = held_out_objects(&c, 7, always(&map, &shown), place, &Run::seeded(2)).unwrap();
    assert_eq!((found.test.mean, found.train.mean, found.folds.len()), (1.0, 1.0, 7));
    assert_eq!(found.folds.iter().filter_map(|f| f.placed).sum::<usize>(), 14);
    // Two objects leave each training set, and every query is about one of them.
    for train in shown.lock().unwrap().iter() {
        assert_eq!(train.objects().len(), 12);
    }
    let pairs_of = |c: &Comparisons, k: usize| {
        let name = |p: Pair| {
            let mut ends = [c.objects().label(p.first()).to_owned(), c.objects().label(p.second()).to_owned()];
            ends.sort();
            ends
        };
        let mut both = [name(c.rows()[k].near), name(c.rows()[k].far)];
        both.sort();
        both
    };
    let placing: usize = asked.lock().unwrap().iter().map(Comparisons::len).sum();
    let tested: usize = found.folds.iter().map(|f| f.test_rows).sum();
    assert!(placing.abs_diff(tested) <= 14 * 6, "{placing} {tested}");
    for query in asked.lock().unwrap().iter() {
        let all: HashSet<_> = (0..query.len()).map(|k| pairs_of(query, k)).collect();
        let times = (0..c.len()).filter(|&k| all.contains(&pairs_of(&c, k))).count();
        assert_eq!(times, query.len(), "answers to one question stand on both sides");
    }
    let never = |(): &(), _: &Comparisons| -> Result<Embedding, Error> {
        Err(Error::Evidence { what: "this model does not place".into(), remedy: "take another".into() })
    };
    let said = held_out_objects(&c, 7, always(&map, &shown), never, &Run::seeded(2)).unwrap_err().to_string();
    assert!(said.contains("does not place"), "{said}");
}

#[test]
fn a_report_has_the_keys_that_scripts_rely_on() {
    let map = map(3, 10);
    let told = judgements(&map, &answers(&map, 100, 5, 2), &JudgementOptions::default(), &Run::seeded(4)).unwrap();
    let json = serde_json::to_value(&told).unwrap();
    assert_eq!(json["agreement"], 0.8);
    assert_eq!(json["comparisons"]["violated"], 20);
    assert_eq!(json["comparisons"]["interval"]["unit"], "participants");
    assert!(json.get("pairs").is_none() && json.get("held_out").is_none());
    assert!(told.ceiling.share >= told.agreement && told.ceiling.people.is_some());
    let excess: Vec<f64> = told.worst.iter().map(|w| w.excess).collect();
    assert!(excess.is_sorted_by(|a, b| a >= b) && excess.iter().all(|e| *e > 0.0));
    let involved: usize = told.per_object.iter().map(|o| o.rows).sum();
    assert_eq!(involved, 300, "a triplet involves three");
    let back: nearer::report::JudgementEvaluation = serde_json::from_value(json).unwrap();
    assert_eq!(back, told);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_order_of_rows_and_of_objects_changes_nothing(seed: u64) {
        let map = map(seed, 11);
        let c = answers(&map, 120, 6, seed);
        let trials = c.trials().unwrap();
        let mut rng = Rng::task(seed, 5);
        // The same answers in another order, with the objects and the participants numbered otherwise.
        let to = rng.permutation(11);
        let mut labels = vec![String::new(); 11];
        to.iter().enumerate().for_each(|(old, &new)| labels[new] = map.objects().labels()[old].clone());
        let mut other = Trials::new(Objects::new(labels).unwrap(), Task::Triplets);
        let people = rng.permutation(5);
        let mut names = [""; 5];
        people.iter().enumerate().for_each(|(old, &new)| names[new] = &trials.participants()[old]);
        names.iter().for_each(|name| { other.add_participant(*name); });
        for k in rng.permutation(trials.len()) {
            let t = trials.get(k);
            let items: Vec<Item> = t.items.iter().map(|i| Item(to[i.index()] as u32)).collect();
            let participant = t.answered.participant.map(|p| people[p as usize] as u32);
            other.push(&items, 0, Answered { participant, ..t.answered }).unwrap();
        }
        let other = other.comparisons();
        prop_assert_eq!(agreement(&map, &c).unwrap(), agreement(&map, &other).unwrap());
        prop_assert_eq!(ceiling(&c).unwrap(), ceiling(&other).unwrap());
        prop_assert_eq!(
            agreement_interval(&map, &c, 50, &Run::seeded(1)).unwrap(),
            agreement_interval(&map, &other, 50, &Run::seeded(1)).unwrap()
        );
        let (a, b) = (participants(&c).unwrap(), participants(&other).unwrap());
        prop_assert_eq!((a.pairwise_agreement, a.shared_questions), (b.pairwise_agreement, b.shared_questions));
        for p in &a.participants {
            prop_assert_eq!(Some(p), b.participants.iter().find(|q| q.name == p.name));
        }
    }

    #[test]
    fn balls_of_the_map_itself_are_met_without_exception(seed: u64) {
        let map = map(seed, 12);
        let mut rng = Rng::task(seed, 6);
        let radii: Vec<f64> = (0..12).map(|_| 0.3 + 2.0 * rng.uniform()).collect();
        let rows: Vec<Judged> = (0..12u32)
            .flat_map(|i| (0..12u32).filter(move |j| *j != i).map(move |j| (i, j)))
            .map(|(i, j)| Judged::new(Item(i), Item(j), map.distance(i as usize, j as usize) < radii[i as usize]))
            .collect();
        let pairs = Pairs::new(map.objects().clone(), rows).unwrap();
        let found = pair_agreement(&map, &pairs).unwrap();
        prop_assert_eq!((found.satisfied, found.tied), (132, 0));
        prop_assert!(found.common.share <= 1.0 && found.baseline <= 1.0);
    }
}
