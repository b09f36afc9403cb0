//! What was recorded is enough to repeat a fit; flags by their old names lead to the new ones.

use super::{Desk, square, stderr};

#[test]
fn a_fit_is_repeated_from_its_model_and_from_its_report() {
    let desk = Desk::new();
    desk.write("d.csv", square(12, 3));
    let fit = ["embed", "d.csv", "-m", "nmds", "--starts", "4", "--seed", "9", "-o", "map.nearer", "-o", "map.json"];
    let run = desk.run(&fit).success();
    assert!(stderr(&run).contains("method nonmetric-mds, as nmds is called here"), "{}", stderr(&run));
    for record in ["map.nearer", "map.json"] {
        let told = desk.json(&["rerun", record, "d.csv"]);
        assert_eq!((&told["same"], &told["seed"]), (&true.into(), &9.into()), "{told}");
        assert_eq!(told["recorded"], told["made"], "{told}");
    }
    // Other evidence is told by its hash before anything is fitted.
    desk.write("other.csv", square(12, 4));
    let run = desk.run(&["rerun", "map.nearer", "other.csv"]).code(1);
    assert!(stderr(&run).contains("the evidence is other than was recorded: other.csv"), "{}", stderr(&run));
    // A record that says something else of the map is found out.
    let text = desk.read("map.json");
    let told: serde_json::Value = serde_json::from_str(&text).unwrap();
    let hash = told["map"].as_str().unwrap();
    desk.write("false.json", text.replace(hash, &"0".repeat(64)));
    let run = desk.run(&["rerun", "false.json", "d.csv"]).code(1);
    assert!(stderr(&run).contains("another map than was recorded"), "{}", stderr(&run));
    let run = desk.run(&["rerun", "d.csv", "d.csv"]).code(2);
    assert!(stderr(&run).contains("neither a model nor a report"), "{}", stderr(&run));
    for (schema, words) in [("1", "a report of schema 1,"), ("99", "a report of schema 99,")] {
        desk.write("other.json", text.replacen("\"schema\": 2", &format!("\"schema\": {schema}"), 1));
        let run = desk.run(&["rerun", "other.json", "d.csv"]).code(2);
        assert!(stderr(&run).contains(words), "{}", stderr(&run));
    }
    let run = desk.run(&["rerun", "map.nearer", "d.csv", "--seed", "5"]).code(2);
    assert!(stderr(&run).contains("the fit has its seed, 9"), "{}", stderr(&run));
    let run = desk.run(&["rerun", "map.nearer", "d.csv", "--time-limit", "0.00001"]).code(2);
    assert!(stderr(&run).contains("allow more time"), "{}", stderr(&run));
}

/// What was tuned, by the method itself or by flags, is recorded as it was chosen; so is the pose of the map.
#[test]
fn what_was_chosen_or_turned_is_repeated_too() {
    let desk = Desk::new();
    let mut answers = String::from("head,near,far\n");
    let (x, y) = (|i: u64| (i * 7 % 23) as f64, |i: u64| (i * 11 % 19) as f64);
    let apart = |i: u64, j: u64| (x(i) - x(j)).powi(2) + (y(i) - y(j)).powi(2);
    for k in 0..900u64 {
        let [i, a, b] = [k % 20, k * 3 % 17 + 1, k * 13 % 19].map(|o| o % 20);
        if i != a && i != b && a != b {
            let (near, far) = if apart(i, a) < apart(i, b) { (a, b) } else { (b, a) };
            answers += &format!("o{i},o{near},o{far}\n");
        }
    }
    let table: String = (0..20).map(|i| format!("o{i},{},{}\n", x(i), y(i))).collect();
    desk.write("a.csv", &answers).write("f.csv", format!("id,x,y\n{table}"));
    assert!(desk.json(&["embed", "a.csv", "-m", "choice"])["tuning"].is_object());
    for flags in [
        &["-m", "choice"][..],
        &["-m", "gnmds", "--tune", "rows"],
        &["-m", "gnmds", "--rotate", "30", "--flip", "x"],
        &["-m", "kernel-gnmds", "--kernel", "rbf:f.csv", "--tune", "spectrum"],
    ] {
        desk.run(&[&["embed", "a.csv", "-o", "m.nearer"][..], flags].concat()).success();
        assert_eq!(desk.json(&["rerun", "m.nearer", "a.csv"])["same"], true, "{flags:?}");
    }
    // A fit that was moved with its files finds them again.
    std::fs::create_dir(desk.path("there")).unwrap();
    for file in ["a.csv", "f.csv", "m.nearer"] {
        std::fs::rename(desk.path(file), desk.path("there").join(file)).unwrap();
    }
    assert_eq!(desk.json(&["rerun", "there/m.nearer", "there/a.csv"])["same"], true);
}

/// The classes and the list of objects are evidence, whatever file they come from.
#[test]
fn other_metadata_is_other_evidence() {
    let desk = Desk::new();
    let rows = |shift: u32| {
        (0..9).map(|i| format!("o{i},{},{}\n", i * i % 7, (i * 5 + shift * (i % 2)) % 8)).collect::<String>()
    };
    let classes =
        |of: u32| (0..9).map(|i| format!("o{i},{}\n", ["left", "right"][usize::from(i % of == 0)])).collect::<String>();
    desk.write("f.csv", format!("id,x,y\n{}", rows(1))).write("m.csv", format!("id,side\n{}", classes(2)));
    let fit =
        ["embed", "f.csv", "--kind", "features", "--metadata", "m.csv", "--classes", "side", "-m", "lda", "--dim", "1"];
    desk.run(&[&fit[..], &["-o", "l.nearer"]].concat()).success();
    assert_eq!(desk.json(&["rerun", "l.nearer", "f.csv"])["same"], true);
    desk.write("m.csv", format!("id,side\n{}", classes(3)));
    let run = desk.run(&["rerun", "l.nearer", "f.csv"]).code(1);
    assert!(stderr(&run).contains("the evidence is other than was recorded: m.csv"), "{}", stderr(&run));
}

/// How files were read, kernels among it, is part of the record.
#[test]
fn how_files_were_read_is_recorded() {
    let desk = Desk::new();
    desk.write("s.csv", "label,a,b,c,d\na,1,0.9,0.2,0.1\nb,0.9,1,0.3,0.2\nc,0.2,0.3,1,0.8\nd,0.1,0.2,0.8,1\n");
    desk.run(&["embed", "s.csv", "--similarity", "1-s", "-o", "s.nearer"]).success();
    assert_eq!(desk.json(&["rerun", "s.nearer", "s.csv"])["same"], true);
    let mut answers = String::from("head,near,far\n");
    let mut table = String::from("id,x,y\n");
    for i in 0..8i32 {
        table += &format!("o{i},{},{}\n", i, (i * i) % 5);
        for (j, k) in (0..8).flat_map(|j| (0..8).map(move |k| (j, k))) {
            if i != j && (i - j).abs() < (i - k).abs() {
                answers += &format!("o{i},o{j},o{k}\n");
            }
        }
    }
    desk.write("answers.csv", &answers).write("where.csv", &table);
    desk.run(&["embed", "answers.csv", "--kernel", "rbf:where.csv", "--projection", "map", "-o", "k.nearer"]).success();
    assert_eq!(desk.json(&["rerun", "k.nearer", "answers.csv"])["same"], true);
    desk.write("where.csv", table.replace("o3,3", "o3,4"));
    let run = desk.run(&["rerun", "k.nearer", "answers.csv"]).code(1);
    assert!(stderr(&run).contains("where.csv"), "{}", stderr(&run));
}

#[test]
fn flags_by_their_old_names_lead_to_the_new_ones() {
    let desk = Desk::new();
    desk.write("d.csv", square(10, 1));
    desk.run(&["embed", "d.csv", "-o", "map.nearer"]).success();
    for (args, new) in [
        (vec!["embed", "d.csv", "-m", "landmark-mds", "--choice", "random"], "--landmarks-by"),
        (vec!["embed", "d.csv", "--axes", "objects"], "--projection objects"),
        (vec!["eval", "map.nearer", "d.csv", "--neighbours", "3"], "--neighbourhood"),
    ] {
        let run = desk.run(&args).code(2);
        assert!(stderr(&run).contains(new), "{args:?}: {}", stderr(&run));
    }
    desk.run(&["embed", "d.csv", "-m", "lmds", "--landmarks", "5", "--landmarks-by", "random"]).success();
    let told = desk.json(&["eval", "map.nearer", "d.csv", "--neighbourhood", "3"]);
    assert_eq!(told["neighbours"], 3, "{told}");
    // A name that is nobody's is met with the few that look like it, one that is not here with its kin.
    let run = desk.run(&["embed", "d.csv", "-m", "metrc-mds"]).code(2);
    assert!(stderr(&run).contains("perhaps metric-mds,") && !stderr(&run).contains("fastmap"), "{}", stderr(&run));
    let run = desk.run(&["embed", "d.csv", "-m", "UMAP"]).code(2);
    assert!(stderr(&run).contains("mvu or metric-mds"), "{}", stderr(&run));
}
