//! Learned metrics through the command: proofs where features are more than objects, and what a metric is held against.

use std::fmt::Write as _;

use crate::{Desk, stderr};

/// Objects of three classes in many features, drawn by a plain congruential generator, and their classes.
fn wide(objects: usize, features: usize) -> (String, String) {
    let mut state = 7_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let names: Vec<String> = (0..features).map(|k| format!("f{k}")).collect();
    let (mut table, mut classes) = (format!("id,{}\n", names.join(",")), "id,kind\n".to_owned());
    for i in 0..objects {
        let class = i % 3;
        let row: Vec<String> =
            (0..features).map(|k| format!("{:.6}", 4.0 * draw() + if k % 3 == class { 0.7 } else { 0.0 })).collect();
        let _ = writeln!(table, "o{i},{}", row.join(","));
        let _ = writeln!(classes, "o{i},c{class}");
    }
    (table, classes)
}

/// The rounding that both sides count is more than a little where features are many: a claim is held against the side it is on.
#[test]
fn proofs_with_more_features_than_objects_are_accepted() {
    let desk = Desk::new();
    let (table, classes) = wide(60, 240);
    desk.write("f.csv", table).write("meta.csv", classes);
    let classed = ["--metadata", "meta.csv", "--classes", "kind"];
    for method in ["lmnn", "mmc", "mcml"] {
        let asked = ["embed", "f.csv", "--method", method, "-o", "m.cert"];
        desk.run(&[&asked[..], &classed].concat()).success();
        let verified = desk.run(&[&["verify", "m.cert", "f.csv"][..], &classed].concat());
        assert_eq!(verified.get_output().status.code(), Some(0), "{method}: {}", stderr(&verified));
    }
    // Without the classes there is nothing that the proof is about.
    assert_ne!(desk.run(&["verify", "m.cert", "f.csv"]).get_output().status.code(), Some(0));
}

/// A metric that is told to bring features to unit variance has to beat features at unit variance.
#[test]
fn what_was_not_learned_stands_beside_what_was() {
    let desk = Desk::new();
    // Two classes that the second feature tells; the first is a thousand times as wide and says nothing.
    let mut table = "id,wide,telling,kind\n".to_owned();
    for i in 0..40 {
        let wide = 1000.0 * f64::from(i * 17 % 40) / 40.0;
        let _ = writeln!(table, "o{i},{wide},{:.3},{}", f64::from(i % 2) + 0.01 * f64::from(i % 7), i % 2);
    }
    desk.write("t.csv", table);
    let held = |unit: &str| {
        let learn = ["embed", "t.csv", "--classes", "kind", "--method", "rca", "--unit-variance", unit];
        desk.run(&[&learn[..], &["--dim", "1", "-o", "m.nearer"]].concat()).success();
        desk.json(&["eval", "m.nearer", "t.csv", "--classes", "kind", "--held-out", "object"])
    };
    let (given, unit) = (held("no"), held("yes"));
    assert_eq!((&given["unit_variance"], &unit["unit_variance"]), (&false.into(), &true.into()));
    let wrong = |e: &serde_json::Value| e["held_out"]["features"]["mean"].as_f64().unwrap();
    assert!(wrong(&given) > 0.3 && wrong(&unit) < 0.05, "{} {}", wrong(&given), wrong(&unit));
}

/// All dimensions that the objects span can be asked for, also where those of a fold span fewer; and no more neighbours than there are.
#[test]
fn folds_of_fewer_dimensions_and_neighbours() {
    let desk = Desk::new();
    let (table, classes) = wide(12, 40);
    desk.write("f.csv", table).write("meta.csv", classes);
    let classed = ["--metadata", "meta.csv", "--classes", "kind"];
    desk.run(&[&["embed", "f.csv", "--method", "rca", "--dim", "11", "-o", "m.nearer"][..], &classed].concat())
        .success();
    let eval = [&["eval", "m.nearer", "f.csv"][..], &classed].concat();
    let found = desk.json(&[&eval[..], &["--held-out", "object", "--folds", "3"]].concat());
    assert_eq!(found["held_out"]["folds"], 3);
    let refused = desk.run(&[&eval[..], &["--knn", "12"]].concat()).code(2);
    assert!(stderr(&refused).contains("ask 11 at most"), "{}", stderr(&refused));
    assert!(desk.run(&[&eval[..], &["--knn", "11"]].concat()).get_output().status.success());
}

/// Pairs by one radius for all: a metric means the same everywhere. Untouched features stand beside it.
#[test]
fn pairs_are_told_by_one_radius() {
    let desk = Desk::new();
    let mut table = "id,noise,line\n".to_owned();
    let mut pairs = "from,to,label\n".to_owned();
    for i in 0..30 {
        let _ = writeln!(table, "o{i},{},{i}", (i * i * 11 + 5 * i) % 31);
    }
    // Each object is in a few pairs only: alike within two steps, unlike beyond ten.
    for i in 0..28 {
        let _ = writeln!(pairs, "o{i},o{},1\no{i},o{},0", i + 2, (i + 12) % 30);
    }
    desk.write("t.csv", table).write("p.csv", pairs);
    desk.run(&["embed", "t.csv", "p.csv", "--method", "mmc", "-o", "m.nearer"]).success();
    let found = desk.json(&["eval", "m.nearer", "t.csv", "p.csv", "--held-out", "object"]);
    let (learned, given) = (found["held_out"]["test"]["mean"].as_f64(), found["held_out"]["features"]["mean"].as_f64());
    assert!(learned > Some(0.95) && given < Some(0.8), "{}", found["held_out"]);
}
