//! Manifold methods through the command: what cannot be mapped, graphs that are given, links and columns in figures and pages.

use super::{Desk, stderr};

/// Rows of features, written as they come.
fn table(rows: &[Vec<f64>]) -> String {
    let width = rows.first().map_or(0, Vec::len);
    let mut text = format!("object,{}\n", (0..width).map(|k| format!("f{k}")).collect::<Vec<_>>().join(","));
    for (i, row) in rows.iter().enumerate() {
        text += &format!("o{i:03},{}\n", row.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    }
    text
}

/// A bent sheet of `n` objects.
fn sheet(n: usize) -> Vec<Vec<f64>> {
    let one = |i: usize| {
        let (u, v) = ((i as f64 * 0.618_034).fract() * 6.0, (i as f64 * 0.754_877_7).fract() * 3.0);
        vec![u, v, (u - 3.0).powi(2) / 4.0]
    };
    (0..n).map(one).collect()
}

const METHODS: [&str; 6] = ["isomap", "landmark-isomap", "lle", "laplacian-eigenmaps", "pca", "kernel-pca"];

#[test]
fn what_cannot_be_mapped_is_refused_and_the_rest_is_finite() {
    let desk = Desk::new();
    let good = sheet(40);
    let changed = |f: &dyn Fn(usize, &mut Vec<f64>)| {
        let mut rows = good.clone();
        rows.iter_mut().enumerate().for_each(|(i, row)| f(i, row));
        table(&rows)
    };
    desk.write("constant.csv", table(&vec![vec![1.0, 2.0]; 20]));
    desk.write("nan.csv", changed(&|i, row| row[1] = if i == 3 { f64::NAN } else { -row[1] }));
    desk.write("huge.csv", changed(&|i, row| row[0] = if i == 9 { 1e300 } else { -row[0] }));
    desk.write("few.csv", table(&good[..4]));
    desk.write("one-constant.csv", changed(&|_, row| row[1] = 7.0));
    desk.write("far.csv", changed(&|i, row| row[0] += if i == 7 { 1e6 } else { 0.0 }));
    desk.write("twice.csv", table(&[&good[..], &good[..]].concat()));
    for method in METHODS {
        for (file, more, words) in [
            ("constant.csv", &[][..], ["same features", "nothing to map"]),
            ("nan.csv", &[], ["line 5, column 3", "a feature is a finite number"]),
            ("huge.csv", &[], ["line 11, column 2", "too large to compute with"]),
            ("few.csv", &["--dim", "5"], ["`dim` is 5", "1 to n - 1 = 3"]),
        ] {
            let run = desk.run(&[&["embed", file, "-m", method, "-o", "no.csv"], more].concat()).code(2);
            let said = stderr(&run);
            assert!(words.iter().any(|w| said.contains(w)) && !desk.path("no.csv").exists(), "{method} {file}: {said}");
        }
        // A constant feature says nothing, equal objects share a point, and one far away hangs on by its nearest.
        for (file, more) in [
            ("one-constant.csv", &[][..]),
            ("far.csv", &[]),
            ("twice.csv", &[]),
            ("few.csv", if method.contains("pca") { &[] } else { &["--neighbours", "50"][..] }),
        ] {
            desk.run(&[&["embed", file, "-m", method, "-o", "map.csv"], more].concat()).success();
            let map = desk.read("map.csv");
            let numbers = map.lines().skip(1).flat_map(|l| l.split(',').skip(1)).map(|v| v.parse::<f64>().unwrap());
            assert!(numbers.clone().count() >= 8 && numbers.clone().all(f64::is_finite), "{method} {file}: {map}");
        }
    }
}

#[test]
fn parts_and_a_given_graph() {
    let desk = Desk::new();
    let mut rows = sheet(30);
    rows.extend(sheet(20).into_iter().map(|r| vec![r[0] + 500.0, r[1], r[2]]));
    desk.write("two.csv", table(&rows));
    for method in ["isomap", "landmark-isomap", "lle", "laplacian-eigenmaps"] {
        let run = desk.run(&["embed", "two.csv", "-m", method, "-o", "map.csv"]).code(2);
        let said = stderr(&run);
        for words in
            ["2 separate parts", "o030", "--neighbours above 10", "--components largest", "--components joined"]
        {
            assert!(said.contains(words), "{method}: {words} in {said}");
        }
        for (how, objects, words) in
            [("largest", 30, "20 of 50 objects are not connected"), ("joined", 50, "joined by 1 links")]
        {
            let run = desk.run(&["embed", "two.csv", "-m", method, "--components", how, "-o", "map.csv"]).success();
            assert!(stderr(&run).contains(words), "{method} {how}: {}", stderr(&run));
            assert_eq!(desk.read("map.csv").lines().count(), objects + 1, "{method} {how}");
        }
    }
    // What is said of the objects is said of those that are left, in pages and figures.
    desk.write("about.csv", (0..50).fold("object,kind\n".to_owned(), |t, i| t + &format!("o{i:03},k{}\n", i % 2)));
    let more =
        ["--components", "largest", "--metadata", "about.csv", "--colour-by", "kind", "-o", "p.html", "-o", "p.svg"];
    desk.run(&[&["embed", "two.csv", "-m", "isomap"][..], &more].concat()).success();
    // A graph as a list of edges: a ring, known by its steps.
    let ring = |name: char| (0..12).map(|i| format!("{name}{i},{name}{},1\n", (i + 1) % 12)).collect::<String>();
    desk.write("ring.csv", format!("a,b,distance\n{}", ring('n')));
    desk.write("rings.csv", format!("a,b,distance\n{}{}", ring('n'), ring('m')));
    for method in ["isomap", "landmark-isomap", "laplacian-eigenmaps"] {
        let told = desk.json(&["embed", "ring.csv", "-m", method, "-o", "ring-map.csv"]);
        assert_eq!((&told["figures"]["edges"], &told["figures"]["edges-are"]), (&12.into(), &"the known pairs".into()));
        let radius = |l: &str| l.split(',').skip(1).map(|v| v.parse::<f64>().unwrap().powi(2)).sum::<f64>().sqrt();
        let all: Vec<f64> = desk.read("ring-map.csv").lines().skip(1).map(radius).collect();
        assert!(all.iter().all(|r| (r - all[0]).abs() < 1e-6 * all[0]), "{method}: {all:?}");
        // No distance joins two rings, and joining is not offered.
        let run = desk.run(&["embed", "rings.csv", "-m", method]).code(2);
        assert!(stderr(&run).contains("largest") && !stderr(&run).contains("joined"), "{}", stderr(&run));
    }
}

#[test]
fn links_and_features_in_figures_and_pages() {
    let desk = Desk::new();
    desk.write("f.csv", table(&sheet(60)));
    let links = |page: &str| {
        let html = desk.read(page);
        let data = html.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        (data["links"]["a"].as_array().map_or(0, Vec::len), data["links"]["shown"].as_bool(), data["colourBy"].clone())
    };
    let lines = |svg: &str| desk.read(svg).matches("<path").count() + desk.read(svg).matches("<line").count();
    for method in ["isomap", "lle"] {
        let embed =
            ["embed", "f.csv", "-m", method, "-o", "m.nearer", "-o", "m.html", "-o", "plain.svg", "--colour-by", "f2"];
        let edges = desk.json(&embed)["figures"]["edges"].as_u64().unwrap() as usize;
        // The page has them, unasked and unseen, and the features to colour by.
        assert_eq!(links("m.html"), (edges, Some(false), 2.into()), "{method}");
        let drawn =
            ["embed", "f.csv", "-m", method, "-o", "linked.svg", "-o", "l.html", "--links", "--colour-by", "f2"];
        desk.run(&drawn).success();
        assert_eq!(links("l.html").1, Some(true));
        assert_eq!(lines("linked.svg"), lines("plain.svg") + edges, "{method}");
        // From the model: isomap's has its graph, lle's needs the features.
        let plot = desk.run(&["plot", "m.nearer", "--links", "-o", "p.svg"]);
        if method == "isomap" {
            plot.success();
        } else {
            assert!(stderr(&plot.code(2)).contains("--evidence FILE"));
            desk.run(&["plot", "m.nearer", "--links", "--evidence", "f.csv", "--colour-by", "f2", "-o", "p.svg"])
                .success();
        }
        desk.run(&["report", "m.nearer", "f.csv", "--dimensions", "1-3", "--links", "-o", "r.html"]).success();
        assert_eq!((links("r.html").0, links("r.html").1), (edges, Some(true)));
        let page = desk.read("r.html");
        for words in ["id=\"dimensions\"", "residual_variance", "Neighbours on the map are neighbours in the data"] {
            assert!(page.contains(words), "{method}: {words}");
        }
    }
    // Without a graph of its own a method has that of the ten nearest, where it is asked for.
    desk.run(&["embed", "f.csv", "-m", "pca", "-o", "pca.html"]).success();
    assert_eq!(links("pca.html").0, 0);
    desk.run(&["embed", "f.csv", "-m", "pca", "-o", "pca.html", "--links"]).success();
    assert!(links("pca.html").0 >= 300);
    let run = desk.run(&["plot", "m.nearer", "--colour-by", "f9", "--evidence", "f.csv", "-o", "p.svg"]).code(2);
    assert!(stderr(&run).contains("no column `f9`; it has f0, f1, f2"), "{}", stderr(&run));
}

#[test]
fn a_regression_leaves_the_classes_out() {
    let desk = Desk::new();
    let mut text = String::from("object,f0,f1,f2,kind\n");
    for (i, row) in sheet(40).iter().enumerate() {
        text += &format!("o{i:03},{},{},{},{}\n", row[0], row[1], row[2], ["oak", "ash"][i % 2]);
    }
    desk.write("f.csv", text);
    desk.run(&["embed", "f.csv", "--classes", "kind", "-m", "isomap", "-o", "map.csv"]).success();
    // A column of words is no feature, whether it is said to be the classes or not.
    let run = desk.run(&["regress", "map.csv", "f.csv"]).success();
    assert!(stderr(&run).contains("of words, and left out: kind"), "{}", stderr(&run));
    let told = desk.json(&["regress", "map.csv", "f.csv", "--classes", "kind", "-o", "r.nearer"]);
    assert!(told["held_out_error"].as_f64().unwrap() < 0.2, "{told}");
}
