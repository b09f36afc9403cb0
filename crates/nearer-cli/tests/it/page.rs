//! Pages through the command: what is in the file, and what is refused. What it does in a browser is in `tests/browser`.

use crate::{Desk, square, stderr};

/// The data that the page's script reads.
fn data(html: &str) -> serde_json::Value {
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn embed_and_report_write_the_same_map() {
    let desk = Desk::with_cities();
    desk.run(&["embed", "cities.csv", "-o", "a.html", "-o", "m.nearer", "-o", "m.csv", "--title", "Roads"]).success();
    desk.run(&["report", "m.nearer", "cities.csv", "-o", "b.html"]).success();
    desk.run(&["report", "m.csv", "-o", "c.html"]).success();
    let [a, b, c] = ["a.html", "b.html", "c.html"].map(|f| data(&desk.read(f)));
    assert_eq!(a["axes"], b["axes"]);
    assert_eq!(a["axes"], c["axes"]);
    // What chance gives is asked when a map is judged, not when it is made.
    let but_chance = |evaluation: &serde_json::Value| {
        let mut rest = evaluation.clone();
        let chance = rest.as_object_mut().unwrap().remove("reference");
        (rest, chance.is_some())
    };
    let (made, judged) = (&a["report"]["evaluation"], &b["report"]["evaluation"]);
    assert_eq!((but_chance(made).0, false, true), (but_chance(judged).0, but_chance(made).1, but_chance(judged).1));
    assert_eq!((a["title"].as_str(), b["title"].as_str()), (Some("Roads"), Some("Map")));
    assert!(a["report"]["seconds"].as_f64().is_some() && b["report"].get("seconds").is_none());
    assert!(c["report"].get("fit").is_none() && c["pairs"].is_null());
    // What `nearer eval` says of the same map.
    let e = desk.json(&["eval", "m.nearer", "cities.csv"]);
    assert_eq!(judged, &e);
}

#[test]
fn inputs_are_named_with_their_hashes_and_without_their_folders() {
    let desk = Desk::new();
    desk.write("abc.csv", square(6, 1));
    desk.run(&["embed", desk.path("abc.csv").to_str().unwrap(), "-o", "p.html", "-o", "m.json"]).success();
    let inputs = data(&desk.read("p.html"))["report"]["inputs"].clone();
    assert_eq!(inputs[0]["path"], "abc.csv");
    assert_eq!(inputs[0]["sha256"].as_str().map(str::len), Some(64));
    let page = desk.read("p.html");
    assert!(!page.contains(desk.path("").to_str().unwrap()));
    // What was said on the way to the map stays with it: how the file was read, and why this method.
    let told: serde_json::Value = serde_json::from_str(&desk.read("m.json")).unwrap();
    let notes: Vec<&str> = told["notes"].as_array().unwrap().iter().filter_map(|n| n.as_str()).collect();
    assert!(notes[0].contains("abc.csv: fields are separated by commas"), "{notes:?}");
    assert!(notes.iter().any(|n| n.starts_with("method metric-mds: ") && !n.contains("--method")), "{notes:?}");
    let read = page.split_once("How the files were read").unwrap().1.split_once("</details>").unwrap().0;
    assert_eq!(read.matches("<li>").count(), notes.len(), "{read}");
    assert!(read.contains("abc.csv: fields are separated by commas"), "{read}");
}

#[test]
fn pictures_and_metadata_come_along() {
    let desk = Desk::new();
    desk.write("d.csv", square(5, 1)).write("meta.csv", "label,kind\np0,x\np3,y\n");
    std::fs::create_dir(desk.path("pictures")).unwrap();
    desk.write("pictures/p3.svg", "<svg/>").write("pictures/other.png", "");
    let page =
        ["embed", "d.csv", "-o", "p.html", "--metadata", "meta.csv", "--colour-by", "kind", "--images", "pictures"];
    let run = desk.run(&page).success();
    assert!(stderr(&run).contains("1 of 5 objects have a picture"));
    let data = data(&desk.read("p.html"));
    assert_eq!(data["images"]["3"], "data:image/svg+xml;base64,PHN2Zy8+");
    assert_eq!((data["columns"][0]["name"].as_str(), data["colourBy"].as_u64()), (Some("kind"), Some(0)));
}

#[test]
fn a_large_map_is_packed() {
    let desk = Desk::new();
    let rows: String = (0..5001).map(|k| format!("p{k},{},{}\n", f64::from(k).sin(), f64::from(k).cos())).collect();
    desk.write("m.csv", format!("label,x1,x2\n{rows}"));
    desk.run(&["report", "m.csv", "-o", "p.html"]).success();
    let data = data(&desk.read("p.html"));
    // Four bytes a number, four letters for three bytes.
    assert_eq!(data["axes"][0]["f32"].as_str().map(str::len), Some((4 * 5001usize).div_ceil(3) * 4));
}

/// The arguments after the map and the outputs, and what the refusal says.
fn refused(desk: &Desk, args: &[&str], words: &[&str]) {
    let before = desk.names();
    let run = desk.run(args).code(2);
    let said = stderr(&run);
    let complaints: Vec<&str> = said.lines().filter(|l| l.starts_with("nearer: ")).collect();
    assert_eq!(complaints.len(), 1, "{said}");
    for word in words {
        assert!(complaints[0].contains(word), "`{word}` is not in: {}", complaints[0]);
    }
    assert_eq!(desk.names(), before, "something was written");
}

#[test]
fn what_cannot_be_made_is_refused_and_nothing_written() {
    let desk = Desk::new();
    desk.write("d.csv", square(5, 1)).write("other.csv", square(7, 2)).write("meta.csv", "label,kind\np0,x\n");
    desk.write("answers.csv", "head,near,far\np0,p1,stranger\n");
    desk.run(&["embed", "d.csv", "-o", "m.csv"]).success();
    let report = |rest: &[&'static str]| [&["report", "m.csv"], rest].concat();
    refused(
        &desk,
        &report(&["-o", "p.html", "--metadata", "meta.csv", "--colour-by", "sort"]),
        &["`sort`", "it has kind"],
    );
    refused(&desk, &report(&["-o", "p.html", "--images", "nowhere"]), &["nowhere"]);
    refused(&desk, &report(&["-o", "p.html", "--images", "."]), &["no picture of an object", "p0.png"]);
    refused(&desk, &report(&["-o", "no/such/p.html"]), &["no folder"]);
    refused(&desk, &report(&["-o", "p.csv"]), &["p.csv", ".html"]);
    refused(&desk, &report(&["other.csv", "-o", "p.html"]), &["`p5`"]);
    refused(&desk, &report(&["answers.csv", "-o", "p.html"]), &["`stranger`"]);
    refused(&desk, &report(&["-o", "p.html", "--ellipses", "jackknife"]), &["--ellipses", "what the map was made of"]);
    refused(&desk, &["report", "nothing.csv", "-o", "p.html"], &["nothing.csv"]);
    refused(&desk, &["place", "m.csv", "d.csv", "-o", "p.html"], &["p.html"]);
}
