//! Maps that are functions of features, through the command: several kernels, placing, tuning, and what is refused.

use super::{Desk, points, stderr, stdout};

/// Twenty objects around a ring: two features that show where, two that show nothing; pairs and triplets about most of them.
fn desk() -> Desk {
    let desk = Desk::new();
    let angle = |i: usize| std::f64::consts::TAU * i as f64 / 20.0;
    let noise = |i: usize, k: usize| ((i * 7919 + k * 104_729) % 97) as f64 / 97.0;
    let row = |i: usize| format!("o{i},{},{}", angle(i).cos(), angle(i).sin());
    let where_: String = (0..20).map(|i| row(i) + "\n").collect();
    let other: String = (0..20).map(|i| format!("o{i},{},{}\n", noise(i, 1), noise(i, 2))).collect();
    let both: String = (0..20).map(|i| format!("{},{},{}\n", row(i), noise(i, 1), noise(i, 2))).collect();
    desk.write("where.csv", format!("id,cos,sin\n{where_}"));
    desk.write("other.csv", format!("id,noise1,noise2\n{other}"));
    desk.write("both.csv", format!("id,cos,sin,noise1,noise2\n{both}"));
    let steps = |i: usize, j: usize| i.abs_diff(j).min(20 - i.abs_diff(j));
    // Every fourth object is never judged.
    let judged: Vec<usize> = (0..20).filter(|i| i % 4 != 1).collect();
    let (mut pairs, mut triplets) = (String::from("from,to,label\n"), String::from("head,near,far\n"));
    for &i in &judged {
        for &j in judged.iter().filter(|j| **j > i) {
            pairs += &format!("o{i},o{j},{}\n", u8::from(steps(i, j) <= 3));
        }
        for &j in &judged {
            for &k in &judged {
                if i != j && i != k && steps(i, j) < steps(i, k) && (i * 31 + j * 17 + k) % 5 == 0 {
                    triplets += &format!("o{i},o{j},o{k}\n");
                }
            }
        }
    }
    desk.write("pairs.csv", pairs);
    desk.write("answers.csv", triplets);
    desk
}

#[test]
fn features_beside_judgements_make_the_map_a_function_of_them() {
    let desk = desk();
    let run = desk.run(&["embed", "pairs.csv", "where.csv", "-o", "m.nearer", "-o", "m.csv"]).success();
    let said = stderr(&run);
    for words in ["kernel `where`, rbf of the median width", "method kpsde", "no judgement, as `o1`", "proved:"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let map = points(&desk.read("m.csv"));
    assert_eq!(map.len(), 15);
    // Objects that nobody judged are placed by their features; old ones come back to where they were.
    let placed = points(&stdout(&desk.run(&["place", "m.nearer", "where.csv"]).success()));
    assert_eq!(placed.len(), 20);
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    for (label, at) in &map {
        let again = &placed.iter().find(|(l, _)| l == label).unwrap().1;
        assert!(apart(at, again) < 1e-16, "{label}");
    }
    let nearest = |label: &str| {
        let at = &placed.iter().find(|(l, _)| l == label).unwrap().1;
        map.iter().min_by(|a, b| apart(&a.1, at).total_cmp(&apart(&b.1, at))).unwrap().0.clone()
    };
    assert!(["o4", "o6"].contains(&nearest("o5").as_str()), "{}", nearest("o5"));
}

#[test]
fn several_kernels_from_files_or_columns_are_told_apart() {
    let desk = desk();
    let from_files = ["embed", "answers.csv", "--kernel", "place=rbf:where.csv", "--kernel", "noise=rbf:other.csv"];
    let from_columns =
        ["embed", "answers.csv", "--kernel", "place=rbf:both.csv#cos,sin", "--kernel", "noise=rbf:both.csv#noise*"];
    let (a, b) = (desk.json(&from_files), desk.json(&from_columns));
    assert_eq!(a["method"], "kernel-gnmds");
    assert_eq!(a["objective"], b["objective"]);
    let kernels = a["kernels"]["kernels"].as_array().unwrap();
    assert_eq!(kernels[0]["name"], "place");
    assert!(kernels[0]["share"].as_f64() > Some(0.9), "{}", a["kernels"]);
    assert!(a["kernels"]["learned"].as_f64() > a["kernels"]["native"].as_f64());
    // A table that has the columns of every kernel serves all of them; else each has its own.
    desk.run(&[&from_columns[..], &["-o", "m.nearer"]].concat()).success();
    let one = stdout(&desk.run(&["place", "m.nearer", "both.csv"]).success());
    let two = ["place", "m.nearer", "--kernel", "place=where.csv", "--kernel", "noise=other.csv"];
    assert_eq!(one, stdout(&desk.run(&two).success()));
    let sum = [&from_files[..], &["--kernel", "all=sum:place+noise"]].concat();
    assert_eq!(desk.json(&sum)["kernels"]["kernels"].as_array().unwrap().len(), 1);
}

#[test]
fn a_precomputed_kernel_is_taken_and_checked() {
    let desk = desk();
    let head: String = (0..20).map(|j| format!(",o{j}")).collect();
    let value = |i: usize, j: usize| (std::f64::consts::TAU * (i as f64 - j as f64) / 20.0).cos();
    let rows = |f: &dyn Fn(usize, usize) -> f64| -> String {
        (0..20).map(|i| format!("o{i}{}\n", (0..20).map(|j| format!(",{}", f(i, j))).collect::<String>())).collect()
    };
    desk.write("k.csv", format!("id{head}\n{}", rows(&value)));
    let told = desk.json(&["embed", "pairs.csv", "--kernel", "k=precomputed:k.csv", "-o", "m.nearer", "-o", "m.csv"]);
    assert!(told["agreement"].as_f64() > Some(0.9), "{}", told["agreement"]);
    assert_eq!(points(&stdout(&desk.run(&["place", "m.nearer", "k.csv"]).success())).len(), 20);
    desk.write("k.csv", format!("id{head}\n{}", rows(&|i, j| value(i, j) - if i == j { 0.9 } else { 0.0 })));
    let refused = desk.run(&["embed", "pairs.csv", "--kernel", "k=precomputed:k.csv"]).failure().code(2);
    assert!(stderr(&refused).contains("not positive") && stderr(&refused).contains("clip=yes"), "{}", stderr(&refused));
    let clipped = desk.run(&["embed", "pairs.csv", "--kernel", "k=precomputed,clip=yes:k.csv"]).success();
    assert!(stderr(&clipped).contains("set to zero"), "{}", stderr(&clipped));
}

#[test]
fn parameters_are_tuned_and_the_table_is_told() {
    let desk = desk();
    for (files, by) in
        [("pairs.csv", "object"), ("pairs.csv", "spectrum"), ("answers.csv", "rows"), ("answers.csv", "object")]
    {
        let told = desk.json(&["embed", files, "--kernel", "where=rbf:where.csv", "--tune", by]);
        let tried = told["tuning"]["tried"].as_array().unwrap();
        assert!(tried.len() >= 15, "{by}: {}", tried.len());
        let best = tried.iter().map(|t| t["score"].as_f64().unwrap()).fold(0.0, f64::max);
        let taken = &tried[told["tuning"]["taken"].as_u64().unwrap() as usize];
        assert_eq!(taken["score"].as_f64().unwrap(), best);
        assert_eq!(told["settings"]["slack"], taken["settings"]["slack"], "{by}");
    }
    // Without kernels the method's own settings are tried.
    let told = desk.json(&["embed", "answers.csv", "--method", "ste", "--tune", "rows"]);
    let tried = told["tuning"]["tried"].as_array().unwrap();
    assert!(tried.len() > 1 && tried.iter().all(|t| t["score"].as_f64().is_some()), "{tried:?}");
}

#[test]
fn held_out_objects_are_placed_by_their_features() {
    let desk = desk();
    desk.run(&["embed", "answers.csv", "--kernel", "where=rbf:where.csv", "-o", "m.nearer"]).success();
    let base = ["eval", "m.nearer", "answers.csv", "--kernel", "where=rbf:where.csv", "--held-out", "object"];
    let found = desk.json(&base);
    assert_eq!(found["held_out"]["method"], "kernel-gnmds");
    assert!(found["held_out"]["test"]["mean"].as_f64() > Some(0.9), "{}", found["held_out"]["test"]);
}

/// Learners of a metric take the table itself, and no kernel over it, from pairs and from comparisons alike.
#[test]
fn held_out_objects_are_placed_by_a_learned_metric() {
    let desk = desk();
    let of_pairs = ["mmc", "rca", "nca", "itml", "local-metric", "pola"].map(|m| ("pairs.csv", m));
    for (judged, method) in of_pairs.into_iter().chain([("answers.csv", "lmnn"), ("answers.csv", "itml")]) {
        desk.run(&["embed", "both.csv", judged, "--method", method, "-o", "m.nearer"]).success();
        let found = desk.json(&["eval", "m.nearer", "both.csv", judged, "--held-out", "object"]);
        assert_eq!(found["held_out"]["method"], method);
        // Alike are those beside each other on a ring, which mmc draws out to a line: more than by chance in any case.
        let least = if method == "mmc" { 0.5 } else { 0.75 };
        let mean = found["held_out"]["test"]["mean"].as_f64();
        assert!(mean > Some(least), "{method}: {}", found["held_out"]["test"]);
    }
}

#[test]
fn what_cannot_be_learned_from_is_refused_with_a_remedy() {
    let desk = desk();
    desk.write("few.csv", "id,x\no0,1\no2,2\n");
    desk.write("nan.csv", "id,x\no0,1\no2,NaN\n");
    let before = desk.names();
    for (args, words) in [
        (&["pairs.csv", "--kernel", "rbf:few.csv"][..], "have no row for kernel `few`"),
        (&["pairs.csv", "--kernel", "rbf:nan.csv"], "line 3"),
        (&["pairs.csv", "--kernel", "rbg:where.csv"], "chi-square"),
        (&["pairs.csv", "--kernel", "rbf:missing.csv"], "missing.csv"),
        (&["pairs.csv", "--kernel", "rbf:where.csv", "--method", "psde"], "does not learn from features"),
        (&["pairs.csv", "--method", "kpsde"], "with kernels"),
        (&["pairs.csv", "other.csv", "--kernel", "rbf:where.csv"], "ask for a kernel over it as well"),
        (&["pairs.csv", "--kernel", "rbf:where.csv#tan"], "`tan` is none"),
        (&["pairs.csv", "--kernel", "h=intersection:where.csv"], "for histograms"),
        (&["pairs.csv", "--kernel", "rbf:where.csv", "--slack", "-1"], "slack"),
        (&["answers.csv", "--kernel", "rbf:where.csv", "--basis", "x"], "basis"),
    ] {
        let run = desk.run(&[&["embed"][..], args, &["-o", "m.csv"]].concat()).failure().code(2);
        assert!(stderr(&run).contains(words), "{args:?}: {}", stderr(&run));
        assert_eq!(desk.names(), before, "{args:?}");
    }
    desk.run(&["embed", "pairs.csv", "where.csv", "-o", "m.nearer"]).success();
    for (args, words) in [(&["other.csv"][..], "no feature `cos`"), (&["--kernel", "x=where.csv"], "no kernel `x`")] {
        let run = desk.run(&[&["place", "m.nearer"][..], args].concat()).failure().code(2);
        assert!(stderr(&run).contains(words), "{args:?}: {}", stderr(&run));
    }
}

/// Features are weighed as they stand in their table, and the model is a linear function of them that places whoever has them.
#[test]
fn features_are_weighed_without_a_kernel() {
    let desk = desk();
    let asked = ["embed", "answers.csv", "both.csv", "--method", "svm-metric", "--over", "features", "-o", "m.nearer"];
    let said = desk.json(&[&asked[..], &["-o", "m.csv", "-o", "m.weights.csv"]].concat());
    assert_eq!(said["kernels"]["landmarks"], serde_json::json!(["cos", "sin", "noise1", "noise2"]));
    let weights: Vec<f64> =
        said["kernels"]["kernels"][0]["weights"].as_array().unwrap().iter().flat_map(|w| w.as_f64()).collect();
    assert!(weights[0].min(weights[1]) > 5.0 * weights[2].max(weights[3]), "{weights:?}");
    assert!(desk.read("m.weights.csv").starts_with("landmark,features\ncos,"));
    let map = points(&desk.read("m.csv"));
    let placed = points(&stdout(&desk.run(&["place", "m.nearer", "both.csv"]).success()));
    // Who has features is on the map, asked about or not.
    assert_eq!((map.len(), placed.len()), (20, 20));
    for (label, at) in &map {
        let again = &placed.iter().find(|(l, _)| l == label).unwrap().1;
        assert!(at.iter().zip(again).all(|(a, b)| (a - b).abs() < 1e-9), "{label}: {at:?} {again:?}");
    }
    let e = stderr(&desk.run(&["place", "m.nearer", "where.csv"]).code(2));
    assert!(e.contains("`noise1`"), "{e}");
}

/// The table of the weights: a row for each landmark, a column for each kernel, the numbers of the report to the last digit.
#[test]
fn weights_are_written_as_a_table() {
    let desk = desk();
    let kernels = ["--kernel", "where=linear:where.csv", "--kernel", "other=linear:other.csv"];
    let asked =
        ["embed", "answers.csv", "--method", "kernel-partial-order", "--weights", "diagonal", "-o", "map.weights.csv"];
    let said = desk.json(&[&asked[..], &kernels[..]].concat());
    let table = desk.read("map.weights.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["landmark", "where", "other"]);
    let landmarks = said["kernels"]["landmarks"].as_array().unwrap();
    assert_eq!(rows.len(), landmarks.len() + 1);
    for (at, row) in rows[1..].iter().enumerate() {
        assert_eq!(row[0], landmarks[at].as_str().unwrap());
        for k in 0..2 {
            let told = said["kernels"]["kernels"][k]["weights"][at].as_f64().unwrap();
            assert_eq!(row[k + 1].parse::<f64>().unwrap(), told);
        }
    }
    // A map without weights has no such table, and nothing is written.
    // It is refused before the fit, which would refuse the dimensions.
    let asked = ["embed", "answers.csv", "--method", "gnmds", "--dim", "500", "-o", "g.weights.csv", "-o", "g.csv"];
    let run = desk.run(&asked).code(2);
    assert!(stderr(&run).contains("no weights of landmarks") && !desk.path("g.csv").exists(), "{}", stderr(&run));
}

/// Three objects on a line: `3 B² - 6 B - 1 = 0` by hand.
#[test]
fn the_smallest_bound_is_told_on_request() {
    let desk = desk();
    desk.write("three.csv", "head,near,far\na,b,c\nc,a,b\n");
    let asked = ["embed", "three.csv", "--method", "partial-order", "--smallest", "yes"];
    let said = desk.json(&asked);
    let truth = 1.0 + 2.0 / 3f64.sqrt();
    let figure = |name: &str| said["figures"][name].as_f64().unwrap();
    let (from, never) = (figure("order-fits-from"), figure("order-never-fits-below"));
    assert!(never <= truth && truth <= from + 1e-9 && from - never < 1e-4, "{never} {truth} {from}");
    let run = desk.run(&asked).success();
    assert!(stderr(&run).contains("the order fits in a bound of 2.15"), "{}", stderr(&run));
    // As a certificate, which others check; what it proves of smaller bounds is said where one is asked for.
    desk.run(&["embed", "three.csv", "--method", "partial-order", "--bound", "smallest", "-o", "three.cert"]).success();
    desk.run(&["verify", "three.cert", "three.csv"]).success();
    let run = desk.run(&["embed", "three.csv", "--method", "partial-order", "--bound", "2.1"]).failure().code(2);
    assert!(stderr(&run).contains("no map keeps") && stderr(&run).contains("--bound smallest"), "{}", stderr(&run));
}
