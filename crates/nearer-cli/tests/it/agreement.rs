//! Maps against judgements, as a user types it.

use crate::{Desk, stderr, stdout};

const MAP: &str = "label,x,y\ncat,0,0\nlynx,1,0\ncod,8,0\nhake,9,0\n";
const ANSWERS: &str = "head,near,far,participant\n\
                       cat,lynx,cod,ann\ncat,lynx,cod,bob\ncat,cod,lynx,ann\ncod,hake,cat,bob\nlynx,hake,cat,ann\nlynx,hake,cat,bob\n";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("map.csv", MAP).write("answers.csv", ANSWERS);
    desk
}

#[test]
fn eval_tells_the_agreement_its_interval_and_the_ceiling() {
    let desk = desk();
    let run = desk.run(&["eval", "map.csv", "answers.csv"]).success();
    for part in ["50.0 % of 6 comparisons", "2 participants drawn anew", "at most 83.3 %", "`lynx` is nearer to `hake`"]
    {
        assert!(stdout(&run).contains(part), "`{part}` is not in {}", stdout(&run));
    }
    let told = desk.json(&["eval", "map.csv", "answers.csv", "-o", "e.json", "--per-object", "objects.csv"]);
    assert_eq!((&told["agreement"], &told["comparisons"]["violated"]), (&0.5.into(), &3.into()));
    assert_eq!((&told["kind"], &told["ceiling"]["minority"]), (&"comparisons".into(), &1.into()));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&desk.read("e.json")).unwrap(), told);
    assert!(desk.read("objects.csv").starts_with("label,rows,satisfied,share\ncat,6,3,0.5\n"));
}

#[test]
fn eval_of_pairs_is_at_the_best_radii() {
    let desk = desk();
    desk.write(
        "alike.csv",
        "from,to,label\ncat,lynx,similar\ncat,cod,dissimilar\ncod,hake,similar\nlynx,hake,similar\n",
    );
    let told = desk.json(&["eval", "map.csv", "alike.csv", "--per-object", "radii.csv"]);
    // The cat has a lynx at 1, which is like it, and a cod at 8, which is not; nobody asked about the radius of more.
    let radius = told["per_object"][0]["radius"].as_f64().unwrap();
    assert!(radius > 1.0 && radius < 8.0, "{told}");
    let written = format!("label,rows,satisfied,share,radius\ncat,4,4,1,{radius}\n");
    assert!(desk.read("radii.csv").starts_with(&written), "{}", desk.read("radii.csv"));
    assert_eq!((&told["kind"], &told["pairs"]["rows"]), (&"pairs".into(), &8.into()));
    assert_eq!(told["agreement"], 1.0);
    // The unlike cat and cod are exactly as far apart as the alike lynx and hake: both touch the one radius.
    assert_eq!(told["pairs"]["common"]["share"], 1.0);
    // Both directions of a pair are held out together, so there are four to hold out: five folds cannot be made of them, and
    // without a word four are.
    let five = ["eval", "map.csv", "alike.csv", "--held-out", "rows", "--folds", "5"];
    let run = desk.run(&five).code(2);
    assert!(stderr(&run).contains("the number of pairs"), "{}", stderr(&run));
    let slack = ["--method", "psde", "--slack", "0.1"];
    assert_eq!(desk.json(&[&five[..5], &slack].concat())["held_out"]["folds"].as_array().unwrap().len(), 4);
    let told = desk.json(&[
        "eval",
        "map.csv",
        "alike.csv",
        "--held-out",
        "rows",
        "--folds",
        "2",
        "--method",
        "psde",
        "--slack",
        "1",
    ]);
    assert_eq!(told["held_out"]["by"], "rows");
}

#[test]
fn judgements_are_fitted_in_other_dimensions_and_drawn_anew() {
    let desk = desk();
    let told =
        desk.json(&["eval", "map.csv", "answers.csv", "--dimensions", "1-2", "--bootstrap", "5", "--scree", "d.csv"]);
    let by = told["by_dimension"].as_array().unwrap();
    assert_eq!((by.len(), by[0]["dim"].as_u64()), (2, Some(1)));
    assert!(by[1]["agreement"].as_f64() >= by[0]["agreement"].as_f64(), "{told}");
    // Ann and Bob are drawn, each with all that they said.
    assert_eq!((&told["stability"]["kind"], &told["stability"]["replicates"]), (&"people".into(), &5.into()));
    assert_eq!(desk.read("d.csv").lines().count(), 3);
    desk.run(&["embed", "answers.csv", "--ellipses", "bootstrap", "--replicates", "5", "-o", "e.svg"]).success();
    let said = stderr(&desk.run(&["embed", "answers.csv", "--ellipses", "jackknife", "-o", "j.svg"]).code(2));
    assert!(said.contains("--ellipses bootstrap"), "{said}");
}

#[test]
fn what_does_not_fit_judgements_is_refused() {
    let desk = desk();
    desk.write("few.csv", "label,x\ncat,0\nlynx,1\n");
    let refused = |args: &[&str]| stderr(&desk.run(args).code(2));
    let said = refused(&["eval", "few.csv", "answers.csv"]);
    assert!(said.contains("`cod`, `hake` are judged"), "{said}");
    for flag in [&["--shepard", "s.svg"][..], &["--jackknife"], &["--ordinal"]] {
        let said = refused(&[&["eval", "map.csv", "answers.csv"][..], flag].concat());
        assert!(said.contains(flag[0]) && said.contains("needs distances"), "{said}");
    }
    let said = refused(&["eval", "map.csv", "answers.csv", "--held-out", "rows", "-m", "classical-mds"]);
    assert!(said.contains("classical-mds does not take comparisons"), "{said}");
    assert_eq!(desk.names(), ["answers.csv", "few.csv", "map.csv"]);
}

/// A model fits again by what it recorded, whatever its settings say: here that every answer must hold.
#[test]
fn pairs_are_held_out_by_the_settings_of_the_model() {
    let desk = Desk::new();
    let mut ring = String::from("from,to,similar\n");
    for (i, j) in (0..10).flat_map(|i| (0..10).map(move |j| (i, j))).filter(|(i, j)| i < j) {
        ring += &format!("o{i},o{j},{}\n", u8::from(j - i == 1 || j - i == 9));
    }
    desk.write("ring.csv", &ring);
    desk.run(&["embed", "ring.csv", "--method", "psde", "-o", "psde.nearer", "-o", "psde.json"]).success();
    let told: serde_json::Value = serde_json::from_str(&desk.read("psde.json")).unwrap();
    assert_eq!((&told["settings"]["slack"], &told["settings"]["gap"]), (&"none".into(), &1e-5.into()));
    let held = desk.json(&["eval", "psde.nearer", "ring.csv", "--held-out", "rows", "--folds", "3"]);
    assert_eq!(held["held_out"]["method"], "psde", "{held}");
    let held = desk.json(&["eval", "psde.nearer", "ring.csv", "--held-out", "rows", "--folds", "3", "--slack", "0.5"]);
    assert_eq!(held["held_out"]["method"], "psde", "{held}");
}

#[test]
fn held_out_is_for_judgements() {
    let desk = Desk::with_cities();
    desk.run(&["embed", "cities.csv", "-o", "map.csv"]).success();
    let run = desk.run(&["eval", "map.csv", "cities.csv", "--held-out", "rows"]).code(2);
    assert!(stderr(&run).contains("--held-out takes comparisons"), "{}", stderr(&run));
    assert!(stderr(&desk.run(&["eval", "map.csv", "cities.csv", "--folds", "3"]).code(2)).contains("--held-out"));
}

#[test]
fn objects_held_out_are_placed_by_half_of_their_answers() {
    let desk = Desk::new();
    // Twelve objects on a line: every triplet of them, answered by their places.
    let mut answers = String::from("head,near,far\n");
    for (i, j, k) in (0..12i32).flat_map(|i| (0..12).flat_map(move |j| (0..12).map(move |k| (i, j, k)))) {
        if i != j && (i - j).abs() < (i - k).abs() {
            answers += &format!("o{i},o{j},o{k}\n");
        }
    }
    desk.write("line.csv", &answers);
    desk.run(&["embed", "line.csv", "--method", "naive-order", "-o", "map.nearer"]).success();
    let told = desk.json(&["eval", "map.nearer", "line.csv", "--held-out", "object", "--folds", "4"]);
    let held = &told["held_out"];
    assert_eq!((&held["by"], held["folds"].as_array().unwrap().len()), (&"object".into(), 4), "{held}");
    // At chance it would be a half.
    assert!(held["test"]["mean"].as_f64().unwrap() > 0.8, "{held}");
}
