//! Each sub-command, as a user types it.

use crate::{Desk, is_png, points, square, stderr, stdout};

#[test]
fn embed_writes_every_kind_of_file_and_says_what_it_did() {
    let desk = Desk::with_cities();
    let files = ["map.csv", "map.tsv", "map.npy", "map.nearer", "map.svg", "map.png", "map.pdf", "report.json"];
    let mut args = vec!["embed", "cities.csv"];
    files.iter().for_each(|f| args.extend(["-o", f]));
    let run = desk.run(&args).success();
    let said = stderr(&run);
    for word in ["method metric-mds", "21 objects", "stress-1", "converged", "wrote map.pdf"] {
        assert!(said.contains(word), "`{word}` is not in {said}");
    }
    assert!(stdout(&run).is_empty());
    assert_eq!(points(&desk.read("map.csv")).len(), 21);
    assert!(desk.read("map.csv").starts_with("label,"));
    assert!(is_png(&desk.path("map.png")) && desk.read("map.svg").contains("Lisbon"));
    let report: serde_json::Value = serde_json::from_str(&desk.read("report.json")).unwrap();
    assert_eq!(report["method"], "metric-mds");
    assert_eq!(report["objects"], 21);
    assert!(report["seconds"]["fit"].as_f64().unwrap() >= 0.0);
    assert_eq!(report["inputs"][0]["path"], "cities.csv");
}

#[test]
fn embed_to_stdout_is_a_map_or_a_report() {
    let desk = Desk::with_cities();
    let run = desk.run(&["embed", "cities.csv", "--quiet", "--dim", "3"]).success();
    assert!(stderr(&run).is_empty());
    assert_eq!(points(&stdout(&run))[0].1.len(), 3);
    let piped = desk.command(&["embed", "-", "-q"]).write_stdin(desk.read("cities.csv")).assert().success();
    assert_eq!(points(&stdout(&piped)).len(), 21);
    let report = desk.json(&["embed", "cities.csv", "--method", "classical-mds", "-o", "map.csv"]);
    assert_eq!(report["dim"], 2);
    let goodness = report["goodness"][0].as_f64().unwrap();
    assert!((goodness - 0.7538).abs() < 5e-5, "R's cmdscale says 0.7538, not {goodness}");
    assert_eq!(desk.names(), ["cities.csv", "map.csv"]);
}

#[test]
fn several_files_are_repeated_measurements() {
    let desk = Desk::new();
    desk.write("a.csv", "label,x,y,z,u\nx,0,1,2,3\ny,1,0,2,2\nz,2,2,0,3\nu,3,2,3,0\n");
    desk.write("b.csv", "label,u,z,y,x\nu,0,3,2,3\nz,3,0,2,2\ny,2,2,0,3\nx,3,2,3,0\n");
    let report = desk.json(&["embed", "a.csv", "b.csv"]);
    assert_eq!(report["input"]["repeated"], 6);
    let checked = desk.json(&["check", "a.csv", "b.csv"]);
    assert_eq!(checked["together"]["repeated"], 6);
    assert_eq!(checked["files"][0]["objects"], 4);
    desk.write("c.csv", "label,x,y,z,v\nx,0,1,2,3\ny,1,0,2,2\nz,2,2,0,3\nv,3,2,3,0\n");
    assert!(stderr(&desk.run(&["embed", "a.csv", "c.csv"]).code(2)).contains("`v`"));
}

#[test]
fn ellipses_are_drawn_and_told() {
    let desk = Desk::with_cities();
    let report = desk.json(&[
        "embed",
        "cities.csv",
        "--method",
        "classical-mds",
        "--ellipses",
        "bootstrap",
        "--replicates",
        "20",
        "-o",
        "e.svg",
    ]);
    assert_eq!(report["stability"]["replicates"], 20);
    assert!(report["stability"]["per_object"][0]["ellipse"].is_object());
    assert!(desk.read("e.svg").len() > 1000);
    desk.run(&["embed", "cities.csv", "-m", "classical-mds", "-o", "m.nearer"]).success();
    let run = desk.run(&["plot", "m.nearer", "-o", "j.svg", "--evidence", "cities.csv", "--ellipses", "jackknife"]);
    assert!(stderr(&run.success()).contains("no confidence"));
    let run = desk.run(&["plot", "m.nearer", "-o", "k.svg", "--ellipses", "bootstrap"]).code(2);
    assert!(stderr(&run).contains("--evidence"));
}

#[test]
fn a_placed_training_object_comes_back_and_old_points_stay() {
    let desk = Desk::with_cities();
    for method in ["classical-mds", "metric-mds"] {
        desk.run(&["embed", "cities.csv", "-m", method, "-o", "map.csv", "-o", "map.nearer"]).success();
        let run = desk.run(&["place", "map.nearer", "cities.csv", "--kind", "rows", "-o", "placed.csv"]).success();
        assert!(stderr(&run).contains("placed again"), "{}", stderr(&run));
        let (old, new) = (points(&desk.read("map.csv")), points(&desk.read("placed.csv")));
        assert_eq!(old.len(), new.len());
        // By descent an object may find a better place of its own than the map could give it: most come back.
        let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1.0);
        let back = old.iter().zip(&new).filter(|(a, b)| a.0 == b.0 && same(&a.1, &b.1)).count();
        assert!(back >= if method == "classical-mds" { 21 } else { 15 }, "{method}: {back} came back");
    }
}

#[test]
fn new_objects_join_the_old_map() {
    let desk = Desk::with_cities();
    desk.run(&["embed", "cities.csv", "-o", "map.csv", "-o", "map.nearer"]).success();
    let cities = desk.read("cities.csv");
    let header = cities.lines().next().unwrap().to_owned();
    let paris = cities.lines().find(|l| l.starts_with("Paris")).unwrap().replacen("Paris", "Versailles", 1);
    desk.write("new.csv", format!("{header}\n{paris}\n"));
    let told = desk.json(&["place", "map.nearer", "new.csv", "--with-old", "-o", "both.csv", "-o", "both.svg"]);
    assert_eq!((&told["placed"], &told["objects"]), (&1.into(), &22.into()));
    assert!(desk.read("both.csv").starts_with(desk.read("map.csv").trim_end()), "old points moved");
    let both = points(&desk.read("both.csv"));
    let at = |label: &str| both.iter().find(|(l, _)| l == label).unwrap().1.clone();
    let apart = at("Paris").iter().zip(at("Versailles")).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    assert!(apart < 300.0, "{apart} km");
    desk.write("narrow.csv", "label,Athens,Rome\nx,1,2\ny,2,3\nz,3,4\n");
    let run = desk.run(&["place", "map.nearer", "narrow.csv"]).code(2);
    assert!(stderr(&run).contains("19 of the 21"), "{}", stderr(&run));
}

#[test]
fn eval_tells_stress_neighbours_other_maps_and_dimensions() {
    let desk = Desk::with_cities();
    desk.run(&["embed", "cities.csv", "-o", "map.csv", "-o", "map.nearer"]).success();
    desk.run(&["embed", "cities.csv", "-m", "classical-mds", "-o", "other.csv"]).success();
    let run = desk.run(&["eval", "map.csv", "cities.csv"]).success();
    for word in ["stress-1", "trustworthiness", "worst pairs", "Athens"] {
        assert!(stdout(&run).contains(word), "{}", stdout(&run));
    }
    let told = desk.json(&[
        "eval",
        "map.nearer",
        "cities.csv",
        "--other",
        "other.csv",
        "--dimensions",
        "1-3",
        "--jackknife",
        "-m",
        "classical-mds",
        "--shepard",
        "shepard.svg",
        "--shepard",
        "shepard.csv",
        "--scree",
        "scree.png",
        "--per-object",
        "objects.csv",
        "-o",
        "eval.json",
    ]);
    assert_eq!(told["method"], "metric-mds");
    assert!(told["procrustes"]["correlation"].as_f64().unwrap() > 0.95);
    let curve: Vec<f64> =
        told["by_dimension"].as_array().unwrap().iter().map(|p| p["stress1"].as_f64().unwrap()).collect();
    assert!(curve.len() == 3 && curve[0] > curve[1]);
    assert_eq!(told["stability"]["kind"], "jackknife");
    assert_eq!(desk.read("shepard.csv").lines().count(), 211);
    assert_eq!(desk.read("objects.csv").lines().count(), 22);
    assert!(is_png(&desk.path("scree.png")));
    let written: serde_json::Value = serde_json::from_str(&desk.read("eval.json")).unwrap();
    assert_eq!(written, told);
}

#[test]
fn the_stress_of_a_model_is_that_of_its_fit() {
    let desk = Desk::with_cities();
    for method in ["metric-mds", "nonmetric-mds"] {
        let fit = desk.json(&["embed", "cities.csv", "-m", method, "-o", "map.nearer"]);
        let eval = desk.json(&["eval", "map.nearer", "cities.csv"]);
        let (a, b) = (fit["stress1"].as_f64().unwrap(), eval["stress1"].as_f64().unwrap());
        assert!((a - b).abs() < 1e-9 * a, "{method}: {a} and {b}");
    }
}

#[test]
fn plot_draws_maps_and_models_with_metadata() {
    let desk = Desk::with_cities();
    desk.run(&["embed", "cities.csv", "--dim", "3", "-o", "map.csv", "-o", "map.nearer"]).success();
    desk.write("meta.csv", "label,coast,size\nAthens,yes,3\nParis,no,9\nRome,no,4\n");
    desk.run(&[
        "plot",
        "map.nearer",
        "-o",
        "a.svg",
        "-o",
        "a.png",
        "-o",
        "a.pdf",
        "--metadata",
        "meta.csv",
        "--colour-by",
        "size",
        "--shape-by",
        "coast",
        "--axes",
        "2,3",
        "--title",
        "Cities & roads",
        "--size",
        "100x80",
        "--dpi",
        "72",
    ])
    .success();
    let svg = desk.read("a.svg");
    assert!(svg.contains("stress-1 = ") && svg.contains("Cities &amp; roads"));
    assert!(is_png(&desk.path("a.png")) && std::fs::read(desk.path("a.pdf")).unwrap().starts_with(b"%PDF"));
    desk.run(&["plot", "map.csv", "-o", "b.svg", "--labels", "none", "--corner", "by hand"]).success();
    assert!(desk.read("b.svg").contains("by hand"));
    assert!(stderr(&desk.run(&["plot", "map.csv", "-o", "c.svg", "--axes", "1,4"]).code(2)).contains("axis 4"));
}

#[test]
fn check_tells_what_is_there_and_changes_nothing() {
    let desk = Desk::with_cities();
    let run = desk.run(&["check", "cities.csv"]).success();
    for word in ["21", "`Athens` to `Lisbon`", "triangles", "negative eigenvalues", "metric-mds"] {
        assert!(stdout(&run).contains(word), "{}", stdout(&run));
    }
    let told = desk.json(&["check", "cities.csv"]);
    assert_eq!((&told["kind"], &told["objects"], &told["rows"]), (&"distances".into(), &21.into(), &210.into()));
    assert!(told.get("groups").is_none() && told.get("columns").is_none());
    desk.write("apart.csv", "from,to,value\na,b,1\nb,c,2\nx,y,1\ny,z,<3\n");
    let told = desk.json(&["check", "apart.csv"]);
    assert_eq!(told["groups"].as_array().unwrap().len(), 2);
    assert_eq!(told["censored"], 1);
    assert_eq!(desk.names(), ["apart.csv", "cities.csv"]);
}

#[test]
fn methods_tells_the_table() {
    let desk = Desk::new();
    assert!(stdout(&desk.run(&["methods"]).success()).contains("metric-mds"));
    assert!(stdout(&desk.run(&["methods", "classical-mds"]).success()).contains("--correction"));
    assert!(stdout(&desk.run(&["methods", "--markdown"]).success()).contains("| `classical-mds` |"));
    let all = desk.json(&["methods"]);
    assert!(all.as_array().unwrap().iter().any(|m| m["name"] == "nonmetric-mds"));
    assert_eq!(desk.json(&["methods", "metric-mds"])["name"], "metric-mds");
}

#[test]
fn the_demo_is_finished_and_its_commands_work() {
    let desk = Desk::new();
    let run = desk.run(&["demo"]).success();
    for line in stdout(&run).lines().filter_map(|l| l.trim().strip_prefix("nearer ")) {
        let args: Vec<String> = line.split('\'').enumerate().fold(Vec::new(), |mut all, (k, part)| {
            if k % 2 == 1 {
                all.push(part.into())
            } else {
                all.extend(part.split_whitespace().map(str::to_owned))
            }
            all
        });
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        desk.run(&args).success();
    }
    assert!(is_png(&desk.path("nearer-demo/map.png")));
    let e: serde_json::Value = serde_json::from_str(&desk.read("nearer-demo/evaluation.json")).unwrap();
    assert!(e["stress1"].as_f64().unwrap() < 0.1);
}

#[test]
fn squares_in_other_layouts_give_the_same_map() {
    let desk = Desk::new();
    desk.write("d.csv", square(12, 3));
    desk.write("d.tsv", square(12, 3).replace(',', "\t"));
    let map = |file: &str| points(&stdout(&desk.run(&["embed", file, "-q"]).success()));
    assert_eq!(map("d.csv"), map("d.tsv"));
}

/// A square cut down to its first columns.
fn rectangle(square: &str, columns: usize) -> String {
    square.lines().map(|l| l.split(',').take(columns + 1).collect::<Vec<_>>().join(",") + "\n").collect()
}

#[test]
fn rows_in_pieces_give_the_map_of_rows_at_once() {
    let desk = Desk::new();
    desk.write("rows.csv", rectangle(&square(150, 9), 12));
    let run = desk.run(&["embed", "rows.csv", "-o", "whole.csv"]).success();
    assert!(stderr(&run).contains("method landmark-mds"));
    let told = desk.json(&["embed", "rows.csv", "--stream", "-o", "pieces.csv", "-o", "pieces.nearer"]);
    assert_eq!(told["objects"], 150);
    assert!(told["objects_per_second"].as_f64().unwrap() > 0.0);
    let (whole, pieces) = (points(&desk.read("whole.csv")), points(&desk.read("pieces.csv")));
    for (a, b) in whole.iter().zip(&pieces) {
        assert!(a.0 == b.0 && a.1.iter().zip(&b.1).all(|(x, y)| (x - y).abs() < 1e-9), "{a:?} {b:?}");
    }
    desk.run(&["place", "pieces.nearer", "rows.csv", "-o", "placed.csv"]).success();
    for (a, b) in pieces.iter().zip(&points(&desk.read("placed.csv"))) {
        assert!(a.1.iter().zip(&b.1).all(|(x, y)| (x - y).abs() < 1e-9), "{a:?} {b:?}");
    }
    let checked = desk.json(&["check", "rows.csv"]);
    assert_eq!((&checked["kind"], &checked["columns"]), (&"rows".into(), &12.into()));
}

#[test]
fn a_square_too_large_for_memory_is_mapped_from_landmarks() {
    let desk = Desk::new();
    desk.write("d.csv", square(200, 9));
    let run = desk.run(&["embed", "d.csv", "--memory", "100KiB", "--landmarks", "20", "-o", "map.csv"]).success();
    assert!(stderr(&run).contains("20 of the 200 columns"), "{}", stderr(&run));
    assert_eq!(points(&desk.read("map.csv")).len(), 200);
    let run = desk.run(&["embed", "d.csv", "--stream", "-m", "metric-mds"]).code(2);
    assert!(stderr(&run).contains("landmark-mds"));
}

#[test]
fn features_are_checked_and_unfolded_with_a_proof() {
    let desk = Desk::new();
    let rows: String = (0..30)
        .map(|k| {
            let t = f64::from(k) / 5.0;
            format!("p{k},{},{},7\n", t.cos() * t, t.sin() * t)
        })
        .collect();
    desk.write("f.csv", format!("id,across,along,same\n{rows}"));
    let run = desk.run(&["check", "f.csv"]).success();
    let said = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert!(said.contains("features") && said.contains("1 columns with one value throughout: same"), "{said}");
    assert!(said.contains("begin with     pca: 2 principal axes carry 100 %"), "{said}");
    assert!(said.contains("by two nearest neighbours"), "{said}");
    desk.run(&[
        "embed",
        "f.csv",
        "--method",
        "mvu",
        "--neighbours",
        "2",
        "--dim",
        "1",
        "-o",
        "map.csv",
        "-o",
        "map.nearer",
        "-o",
        "r.json",
    ])
    .success();
    let report: serde_json::Value = serde_json::from_str(&desk.read("r.json")).unwrap();
    let certificate = &report["certificate"];
    assert!(certificate["gap"].as_f64().unwrap() < 1e-5, "{report}");
    assert_eq!(certificate["proof"], "cholesky", "{report}");
}
