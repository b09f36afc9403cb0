//! Learned metrics through the command: proofs where features are more than objects, and what a metric is held against.

use std::fmt::Write as _;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Desk, points, stderr, stdout};

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

/// Two groups told by the second feature, and pairs of them.
fn streamed() -> (Desk, Vec<String>) {
    let desk = Desk::new();
    let mut table = "id,wide,telling\n".to_owned();
    for i in 0..20 {
        let _ = writeln!(table, "o{i},{},{}", i * 7 % 20, i % 2 * 3);
    }
    desk.write("f.csv", table);
    let row = |k: usize| {
        let (a, b) = (k * 3 % 20, (k * 7 + 1) % 20);
        format!("o{a},o{b},{}", u8::from(a % 2 == b % 2))
    };
    let rows = (0..400).filter(|k| k * 3 % 20 != (k * 7 + 1) % 20).map(row).collect();
    (desk, rows)
}

/// A stream in two halves is learned as one, and what came before a row that cannot be read is kept.
#[test]
fn a_stream_is_taken_up_where_it_was_left() {
    let (desk, rows) = streamed();
    let half = rows.len() / 2;
    desk.write("all.csv", rows.join("\n")).write("first.csv", rows[..half].join("\n"));
    desk.write("second.csv", rows[half..].join("\n"));
    desk.run(&["learn", "f.csv", "all.csv", "-o", "whole.nearer"]).success();
    desk.run(&["learn", "f.csv", "first.csv", "-o", "m.nearer"]).success();
    desk.run(&["learn", "f.csv", "second.csv", "--resume", "m.nearer", "-o", "m.nearer"]).success();
    let placed = |model: &str| points(&stdout(&desk.run(&["place", model, "f.csv"]).success()));
    for ((label, whole), (same, halves)) in placed("whole.nearer").iter().zip(&placed("m.nearer")) {
        let off = whole.iter().zip(halves).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(label == same && off < 1e-9, "{label}: {whole:?} {halves:?}");
    }
    let whole = desk.json(&["learn", "f.csv", "all.csv", "-o", "whole.nearer"]);
    let halves = desk.json(&["learn", "f.csv", "second.csv", "--resume", "m.nearer", "-o", "again.nearer"]);
    assert_eq!(whole["figures"]["pairs"], rows.len());
    assert_eq!(halves["figures"]["pairs"], rows.len() + rows.len() - half);
    desk.write("bad.csv", format!("{}\no1,nobody,1\n", rows[..50].join("\n")));
    let run = desk.run(&["learn", "f.csv", "bad.csv", "-o", "kept.nearer"]).code(2);
    let said = stderr(&run);
    assert!(said.contains("wrote kept.nearer with the 50 pairs before"), "{said}");
    assert!(said.contains("line 51: `nobody` has no features"), "{said}");
    let on = desk.json(&["learn", "f.csv", "second.csv", "--resume", "kept.nearer", "-o", "kept.nearer"]);
    assert_eq!(on["figures"]["pairs"], 50 + rows.len() - half);
}

/// Somebody who writes pairs by hand and stops: the pairs since the model was last written are not lost, and a limit is kept while
/// nothing comes.
#[cfg(unix)]
#[test]
fn a_silent_stream_ends_by_hand_or_by_the_limit() {
    let (desk, rows) = streamed();
    let begun = |more: &[&str]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_nearer"))
            .current_dir(desk.0.path())
            .args([&["learn", "f.csv", "-", "-o", "m.nearer", "--every", "10", "--json"], more].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(format!("{}\n", rows[..35].join("\n")).as_bytes()).unwrap();
        // The third tenth was written: five pairs are learned and not written, or soon will be.
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(said.any(|line| line.unwrap().starts_with("30 pairs")));
        (child, stdin)
    };
    let pairs = |child: std::process::Child| {
        let ended = child.wait_with_output().unwrap();
        let said: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
        (ended.status.code(), said["figures"]["pairs"].as_u64())
    };
    let (child, stdin) = begun(&[]);
    std::thread::sleep(Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(pairs(child), (Some(130), Some(35)));
    drop(stdin);
    let started = Instant::now();
    let (child, stdin) = begun(&["--time-limit", "1"]);
    assert_eq!(pairs(child), (Some(0), Some(35)));
    assert!(started.elapsed() < Duration::from_secs(20));
    drop(stdin);
}

/// Tables as people hold them: coordinates that are features here, classes in a file of their own or among the features of what is
/// placed, chunklets that say who belongs together and not who does not.
#[test]
fn tables_are_taken_for_what_is_wanted() {
    let desk = Desk::new();
    let table = "id,x,y\na,0,0\nb,0,1\nc,5,5\nd,5,6\ne,0,2\nf,6,6\n";
    desk.write("f.csv", table).write("p.csv", "from,to,label\na,b,1\na,b,0\nc,d,1\n");
    let run = desk.run(&["cluster", "f.csv", "p.csv", "-k", "2", "--method", "cop-k-means"]).success();
    let said = stderr(&run);
    assert!(said.contains("answered both ways, as `a` and `b`: 1 with as many on either side for nothing"), "{said}");
    assert!(said.contains("of 1 pair alike 0 are in two groups\n"), "{said}");
    desk.write("c.csv", "thing,colour\na,red\nb,red\nc,blue\nd,blue\ne,red\nf,blue\n");
    let learned = ["--classes", "colour", "--method", "rca", "-o", "m.nearer"];
    let told = desk.json(&[&["embed", "f.csv::kind=features", "c.csv"][..], &learned].concat());
    assert_eq!(told["figures"]["grouped"], 6);
    desk.write("fc.csv", "id,x,colour,y\na,0,red,0\nb,0,red,1\n");
    for more in [&[][..], &["--classes", "colour"]] {
        let run = desk.run(&[&["place", "m.nearer", "fc.csv"][..], more].concat()).success();
        assert_eq!(points(&stdout(&run)).len(), 2);
    }
    let said = stderr(&desk.run(&["place", "m.nearer", "fc.csv"]).success());
    assert!(said.contains("of words, and left out: colour"), "{said}");
    desk.write("h.csv", "id,chunklet\na,1\nb,1\nc,2\nd,2\n");
    let chunks = ["embed", "f.csv::kind=features", "h.csv", "--method"];
    assert_eq!(desk.json(&[&chunks[..], &["rca"]].concat())["figures"]["groups"], 2);
    let said = stderr(&desk.run(&[&chunks[..], &["lda"]].concat()).code(2));
    assert!(said.contains("does not take pairs"), "{said}");
}

/// A line without an end is refused at a length that no row has, and not waited for.
#[cfg(unix)]
#[test]
fn a_line_without_an_end_is_refused() {
    let (desk, _) = streamed();
    let said = stderr(&desk.run(&["learn", "f.csv", "/dev/zero", "-o", "m.nearer"]).code(2));
    assert!(said.contains("line 1: more than 1048576 bytes without an end"), "{said}");
    assert_eq!(desk.names(), ["f.csv"]);
}

#[test]
fn classes_of_one_place_each_are_learned_from() {
    let desk = Desk::new();
    desk.write("f.csv", "label,x,y,kind\na,0,0,p\nb,0,0,p\nc,1,0,q\nd,1,0,q\ne,0,1,r\nf,0,1,r\n");
    for method in ["nca", "local-metric"] {
        desk.run(&["embed", "f.csv", "--classes", "kind", "-m", method, "-o", "m.csv"]).success();
        let map = desk.read("m.csv");
        let rows: Vec<&str> = map.lines().skip(1).map(|l| &l[2..]).collect();
        assert!(rows[0] == rows[1] && rows[2] == rows[3] && rows[0] != rows[2] && rows[2] != rows[4], "{map}");
    }
}

#[test]
fn features_that_numbers_cannot_hold_are_named() {
    let desk = Desk::new();
    desk.write("far.csv", "label,size,age\na,1e59,1\nb,1100,2.5\nc,1900,4\nd,3200,9.999e59\ne,4100,6\nf,5200,0.8\n");
    desk.write("c.csv", "object,class\na,p\nb,p\nc,q\nd,q\ne,r\nf,r\n");
    let said = stderr(&desk.run(&["embed", "far.csv", "c.csv", "-m", "mmc", "-o", "m.cert"]).code(2));
    assert!(said.contains("`size`") && said.contains("`b`") && said.contains("nothing beside its mean"), "{said}");
    assert!(!said.contains("report this"), "{said}");
    desk.write("small.csv", "label,u,v,kind\na,1e-200,0,p\nb,0,2e-200,p\nc,3e-200,0,q\nd,0,1e-200,q\n");
    for method in ["nca", "lmnn", "mmc", "mcml", "itml", "rca", "lda", "pca"] {
        let said = stderr(&desk.run(&["embed", "small.csv", "--classes", "kind", "-m", method]).code(2));
        assert!(said.contains("the features differ by 3e-200 at most") && said.contains("smaller unit"), "{said}");
    }
    let map = "label,x1,x2\na,0,1e300\nb,1,2\nc,3,0\nd,2,2\n";
    desk.write("map.csv", map).write("f.csv", "label,u,v\na,1,2\nb,2,1\nc,3,4\nd,4,4\n");
    for args in [&["regress", "map.csv", "f.csv"][..], &["report", "map.csv", "-o", "p.html"]] {
        let said = stderr(&desk.run(args).code(2));
        assert!(said.contains("line 2, column 3") && said.contains("1e300") && said.contains("larger unit"), "{said}");
    }
}

/// A feature in a unit ten million times smaller is no rounding of the others: the rank is that of columns of one spread.
#[test]
fn features_in_units_far_apart_span_what_they_span() {
    let desk = Desk::new();
    let at = |k: usize| (k as f64 * 0.7).sin();
    let row =
        |k: usize| format!("s{k:02},{},{},{},k{}\n", 1e7 * (at(k) + (k / 6) as f64), at(3 * k), at(5 * k + 1), k / 6);
    desk.write("f.csv", format!("label,x,y,z,kind\n{}", (0..18).map(row).collect::<String>()));
    for method in ["lmnn", "mmc", "mcml"] {
        // Whether as near to the best as is asked for, or not, is told; what is proved is checked.
        desk.run(&["embed", "f.csv", "--classes", "kind", "-m", method, "--dim", "3", "-o", "m.cert", "-o", "m.csv"]);
        assert_eq!(desk.read("m.csv").lines().count(), 19);
        let verdict = stderr(&desk.run(&["verify", "m.cert", "f.csv", "--classes", "kind"]).success());
        assert!(verdict.contains(&format!("accepted: {method} of 18 objects")), "{verdict}");
    }
    desk.run(&["embed", "f.csv", "--classes", "kind", "-m", "nca", "-o", "n.csv"]).success();
}
