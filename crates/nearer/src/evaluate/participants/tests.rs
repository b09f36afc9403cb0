//! A made panel of which everything is known.

use super::*;
use crate::evidence::{Answered, Task};
use crate::object::{Item, Objects};

/// Twelve people answer 120 triplet questions about 12 points on a line; most say what they see, with a slip now and then.
/// `left` always takes the left, `dice` answers at random, `hasty` answers well but at once.
fn panel(task: Task) -> Trials {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "left", "dice", "hasty"];
    let mut trials = Trials::new(Objects::numbered(12), task);
    let who: Vec<u32> = names.iter().map(|n| trials.add_participant(*n)).collect();
    let mut rng = Rng::task(8, 0);
    let questions: Vec<Vec<usize>> = (0..120).map(|_| rng.permutation(12)[..3].to_vec()).collect();
    for (name, &participant) in names.iter().zip(&who) {
        for q in &questions {
            let nearer_first = q[0].abs_diff(q[1]) <= q[0].abs_diff(q[2]);
            let left_is_first = rng.uniform() < 0.5;
            let picks_first = match *name {
                "left" => left_is_first,
                "dice" => rng.uniform() < 0.5,
                _ => nearer_first != (rng.uniform() < 0.08),
            };
            let items = if picks_first { [q[0], q[1], q[2]] } else { [q[0], q[2], q[1]] };
            let side = if picks_first == left_is_first { Side::Left } else { Side::Right };
            let seconds = if *name == "hasty" { 0.4 } else { 2.0 } * (0.8 + 0.4 * rng.uniform());
            let answered = Answered {
                participant: Some(participant),
                side: Some(side),
                seconds: Some(seconds),
                ..Answered::default()
            };
            trials.push(&items.map(|i| Item(i as u32)), 0, answered).unwrap();
        }
    }
    trials
}

#[test]
fn exactly_those_who_do_not_look_are_flagged() {
    let panel = of_trials(&panel(Task::Triplets)).unwrap();
    let flags: Vec<(&str, &[Flag])> = panel.flagged().map(|p| (p.name.as_str(), p.flags.as_slice())).collect();
    assert_eq!(
        flags,
        [
            ("left", [Flag::AlwaysLeft, Flag::AtChance].as_slice()),
            ("dice", &[Flag::AtChance]),
            ("hasty", &[Flag::TooFast])
        ]
    );
    assert_eq!(panel.answers, 12 * 120);
    let left = &panel.participants[9];
    assert_eq!(left.sides.map(|s| (s.known, s.left)), Some((120, 120)));
    assert!((left.sides.unwrap().p_value / 2f64.powi(-119) - 1.0).abs() < 1e-9);
    assert!(panel.split_half.unwrap() > 0.9 && panel.pairwise_agreement.unwrap() > 0.7);
}

/// Careful people whose questions are hard agree in two of three answers: thirty of them cannot be told from chance, and that is not
/// said of anybody.
#[test]
fn too_few_answers_are_no_sign_of_chance() {
    let (mut flagged, mut untold) = (0, 0);
    for seed in 0..10 {
        let mut trials = Trials::new(Objects::numbered(12), Task::Triplets);
        let mut rng = Rng::task(31, seed);
        let questions: Vec<Vec<usize>> = (0..30).map(|_| rng.permutation(12)[..3].to_vec()).collect();
        for name in 0..20 {
            let participant = Some(trials.add_participant(name.to_string()));
            for q in &questions {
                let items = if rng.uniform() < 0.67 { [q[0], q[1], q[2]] } else { [q[0], q[2], q[1]] };
                let answered = Answered { participant, ..Answered::default() };
                trials.push(&items.map(|i| Item(i as u32)), 0, answered).unwrap();
            }
        }
        let panel = of_trials(&trials).unwrap();
        flagged += panel.flagged().count();
        untold += panel.participants.iter().filter(|p| p.others.unwrap().p_value > CHANCE_LEVEL).count();
    }
    assert!(untold > 30 && flagged == 0, "{flagged} of {untold}");
}

#[test]
fn one_by_one_gives_the_same() {
    let trials = panel(Task::Triplets);
    let told = of_trials(&trials).unwrap();
    // Everything again by comparing each answer with each other answer.
    let rows: Vec<(u32, [u32; 3])> =
        trials.iter().map(|t| (t.answered.participant.unwrap(), [t.items[0].0, t.items[1].0, t.items[2].0])).collect();
    let same = |a: &[u32; 3], b: &[u32; 3]| {
        a[0] == b[0] && a[1].min(a[2]) == b[1].min(b[2]) && a[1].max(a[2]) == b[1].max(b[2])
    };
    let (mut panel_pairs, mut panel_equal) = (0, 0);
    for (k, p) in told.participants.iter().enumerate() {
        let (mut shared, mut agreeing, mut pairs, mut equal) = (0, 0, 0, 0);
        for (_, own) in rows.iter().filter(|(who, _)| *who as usize == k) {
            let others = rows.iter().filter(|(who, items)| *who as usize != k && same(items, own));
            let (with, against) =
                others.fold((0, 0), |(w, a), (_, items)| if items == own { (w + 1, a) } else { (w, a + 1) });
            pairs += with + against;
            equal += with;
            shared += usize::from(with != against);
            agreeing += usize::from(with > against);
        }
        assert_eq!(p.others.map(|o| (o.shared, o.agreeing)), Some((shared, agreeing)), "{}", p.name);
        assert_eq!(p.pairwise_agreement, Some(f64::from(equal) / f64::from(pairs)), "{}", p.name);
        (panel_pairs, panel_equal) = (panel_pairs + pairs, panel_equal + equal);
    }
    assert_eq!(told.pairwise_agreement, Some(f64::from(panel_equal) / f64::from(panel_pairs)));
}

#[test]
fn checks_and_contradictions_are_counted_for_those_who_made_them() {
    let mut trials = Trials::new(Objects::numbered(4), Task::Triplets);
    let (ann, bob) = (trials.add_participant("ann"), trials.add_participant("bob"));
    trials.add_participant("nobody");
    let mut say = |who: Option<u32>, items: [u32; 3], check: bool| {
        let answered = Answered { participant: who, check, ..Answered::default() };
        trials.push(&items.map(Item), 0, answered).unwrap();
    };
    say(Some(ann), [0, 0, 1], false);
    say(Some(ann), [0, 1, 0], false);
    say(Some(bob), [2, 2, 1], true);
    say(Some(bob), [1, 2, 3], true);
    say(Some(ann), [1, 2, 3], false);
    say(Some(ann), [1, 3, 2], false);
    say(Some(bob), [0, 1, 2], false);
    say(Some(bob), [0, 1, 2], false);
    say(None, [0, 2, 1], false);
    let panel = of_trials(&trials).unwrap();
    let [a, b, nobody] = &panel.participants[..] else { panic!("three people") };
    assert_eq!((a.answers, a.checks, a.passed, a.failed, a.repeated, a.contradicted), (2, 2, 1, 1, 1, 1));
    assert_eq!((b.answers, b.checks, b.passed, b.failed, b.repeated, b.contradicted), (2, 2, 1, 0, 1, 0));
    assert_eq!((a.others, b.others.map(|o| (o.shared, o.agreeing))), (None, Some((2, 0))));
    assert_eq!((nobody.answers, nobody.median_seconds, nobody.flags.len()), (0, None, 0));
    assert_eq!((panel.answers, panel.shared_questions), (4, 1));
}

#[test]
fn chance_is_lower_where_there_are_more_answers() {
    // The same rows as odd-one-out have three possible answers instead of two.
    let panel = of_trials(&panel(Task::OddOneOut)).unwrap();
    let chances: Vec<f64> = panel.participants.iter().filter_map(|p| p.others).map(|o| o.chance).collect();
    assert!(chances.len() == 12 && chances.iter().all(|c| (c - 1.0 / 3.0).abs() < 1e-12), "{chances:?}");
}

#[test]
fn without_names_there_is_no_panel() {
    let mut trials = Trials::new(Objects::numbered(3), Task::Triplets);
    trials.push(&[Item(0), Item(1), Item(2)], 0, Answered::default()).unwrap();
    assert!(participants(&trials.comparisons()).is_none());
}

#[test]
fn medians_are_in_the_middle() {
    assert_eq!(median(&mut []), None);
    assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), Some(2.5));
}
