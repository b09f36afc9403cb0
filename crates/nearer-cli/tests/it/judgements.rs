//! Judgements through the command: what `check` counts, what `clean` keeps and what it drops, what both refuse.

use crate::{Desk, stderr, stdout};

/// Four animals; one question answered both ways, three that go in a circle, one shown twice.
const ANSWERS: &str = "\
trial,head,near,far,participant,seconds
1,dog,wolf,cat,ann,1.5
2,dog,wolf,cat,bob,2.0
3,dog,cat,wolf,cem,1.0
4,cat,dog,wolf,ann,1.1
5,wolf,cat,dog,bob,1.2
6,cup,cat,dog,ann,1.3
7,dog,dog,cup,ann,0.9
";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("answers.csv", ANSWERS);
    desk
}

#[test]
fn check_counts_and_spells_out_the_circle() {
    let desk = desk();
    let found = desk.json(&["check", "answers.csv"]);
    for (key, count) in [
        ("objects", 4),
        ("rows", 7),
        ("queries", 4),
        ("repeated", 1),
        ("contradictory", 1),
        ("minority", 1),
        ("self", 1),
        ("checks", 1),
        ("unseen", 0),
    ] {
        assert_eq!(found[key], count, "{key} in {found}");
    }
    assert_eq!(found["kind"], "comparisons");
    // dog-wolf < dog-cat < cat-wolf < dog-wolf: three comparisons no distances satisfy.
    assert_eq!(found["cycles"]["components"], 1);
    assert_eq!(found["cycles"]["edges"], 3);
    assert_eq!(found["cycles"]["shortest"].as_array().unwrap().len(), 3);
    assert_eq!(found["triads"], serde_json::json!({ "complete": 1, "cyclic": 1 }));
    // One answer of the contradiction and one of the circle: two of six.
    assert!((found["noise"]["floor"].as_f64().unwrap() - 2.0 / 6.0).abs() < 1e-12);
    assert!(found.get("stress1").is_none() && found.get("missing").is_none());
    let text = stdout(&desk.run(&["check", "answers.csv"]).success());
    for words in ["`dog` is nearer to `wolf` than to `cat`", "a circle of 3", "ann", "noise ceiling", "participants"] {
        assert!(text.contains(words), "`{words}` is not in:\n{text}");
    }
}

#[test]
fn clean_loses_no_row() {
    let desk = desk();
    let log = desk.json(&["clean", "answers.csv", "-o", "kept.csv"]);
    assert_eq!(desk.names(), ["answers.csv", "kept.csv", "kept.dropped.csv"]);
    assert_eq!((&log["rows"], &log["kept"], &log["dropped"]), (&7.into(), &4.into(), &3.into()));
    let (kept, dropped) = (desk.read("kept.csv"), desk.read("kept.dropped.csv"));
    assert_eq!(kept.lines().next(), ANSWERS.lines().next());
    // Every row stands in just one of the two files, byte for byte.
    for row in ANSWERS.lines().skip(1) {
        let (here, there) = (kept.lines().any(|l| l == row), dropped.lines().any(|l| l.starts_with(row)));
        assert!(here != there, "{row}:\n{kept}\n{dropped}");
    }
    for reason in ["the majority says the opposite", "part of a circle", "an object is shown twice"] {
        assert_eq!(dropped.matches(reason).count(), 1, "{dropped}");
    }
    let again = desk.json(&["check", "kept.csv"]);
    assert_eq!((&again["contradictory"], &again["cycles"]["components"]), (&0.into(), &0.into()));
    // What is clean stays as it is.
    desk.run(&["clean", "kept.csv", "-o", "twice.csv"]).success();
    assert_eq!(desk.read("twice.csv"), kept);
}

#[test]
fn each_repair_is_consistent_and_the_same_again() {
    let desk = desk();
    for how in ["prune", "random", "cheapest"] {
        for name in ["a.csv", "b.csv"] {
            desk.run(&["clean", "answers.csv", "--repair", how, "--seed", "3", "-o", name]).success();
        }
        assert_eq!(desk.read("a.csv"), desk.read("b.csv"));
        assert_eq!(desk.json(&["check", "a.csv"])["cycles"]["components"], 0, "{how}");
    }
    let left = desk.json(&["clean", "answers.csv", "--repair", "none", "-o", "a.csv"]);
    assert_eq!(left["kept"], 5);
    assert_eq!(desk.json(&["check", "a.csv"])["cycles"]["components"], 1);
}

#[test]
fn merging_and_reducing_keep_what_follows() {
    let desk = Desk::new();
    // a chain ab < ac < ad, twice, with its consequence ab < ad
    desk.write("chain.csv", "head,near,far\na,b,c\na,b,c\na,c,d\na,b,d\n");
    desk.run(&["clean", "chain.csv", "--merge", "-o", "merged.csv"]).success();
    let merged = desk.json(&["check", "merged.csv"]);
    assert_eq!((&merged["rows"], &merged["repeated"], &merged["implied"]), (&3.into(), &0.into(), &1.into()));
    desk.run(&["clean", "chain.csv", "--reduce", "-o", "reduced.csv"]).success();
    let reduced = desk.json(&["check", "reduced.csv"]);
    assert_eq!((&reduced["rows"], &reduced["implied"], &reduced["order"]["length"]), (&2.into(), &0.into(), &2.into()));
    assert!(desk.read("reduced.dropped.csv").contains("follows from the rest"));
}

#[test]
fn pairs_are_settled_by_majority() {
    let desk = Desk::new();
    desk.write(
        "pairs.csv",
        "from,to,label,participant\na,b,similar,p\nb,a,similar,q\na,b,dissimilar,r\nb,c,dissimilar,p\n",
    );
    let found = desk.json(&["check", "pairs.csv"]);
    assert_eq!((&found["kind"], &found["queries"], &found["minority"]), (&"pairs".into(), &2.into(), &1.into()));
    desk.run(&["clean", "pairs.csv", "-o", "kept.csv"]).success();
    assert_eq!(desk.json(&["check", "kept.csv"])["contradictory"], 0);
    assert_eq!(desk.read("kept.csv").lines().count(), 4);
    // Where as many say the one as the other, no majority settles it, and `check` says what becomes of the answers.
    desk.write("even.csv", "from,to,label\na,b,similar\nb,a,dissimilar\nb,c,dissimilar\na,c,similar\n");
    let said = stdout(&desk.run(&["check", "even.csv"]).success());
    assert!(said.contains("and drops the answers where as many say the opposite (1 pair)"), "{said}");
    assert_eq!(desk.json(&["check", "even.csv"])["tied"], 1);
    desk.run(&["clean", "even.csv", "-o", "rest.csv"]).success();
    assert_eq!(desk.json(&["check", "rest.csv"])["rows"], 2);
}

#[test]
fn what_cannot_be_cleaned_is_refused_and_nothing_is_written() {
    let refused = |name: &str, text: &str, args: &[&str], words: &[&str]| {
        let desk = Desk::new();
        desk.write(name, text);
        let run = desk.run(&[&["clean", name], args].concat()).code(2);
        for word in words {
            assert!(stderr(&run).contains(word), "`{word}` is not in {}", stderr(&run));
        }
        assert_eq!(desk.names(), [name]);
    };
    refused("a.csv", ANSWERS, &["-o", "a.csv"], &["a.csv", "over the input"]);
    refused("a.csv", ANSWERS, &["-o", "b.csv", "--dropped", "b.csv"], &["b.csv", "are one file"]);
    refused("a.csv", ANSWERS, &["-o", "b.csv", "--level", "2"], &["`2` is no level"]);
    refused("a.csv", ANSWERS, &["-o", "b.csv", "--without", "zoe"], &["--without zoe", "a.csv"]);
    refused("a.csv", ANSWERS, &["-o", "none/b.csv"], &["there is no folder none"]);
    refused("d.csv", "label,a,b\na,0,1\nb,1,0\n", &["-o", "b.csv"], &["d.csv", "cannot be cleaned"]);
    let circle = "head,near,far\na,b,c\nb,c,a\nc,a,b\n";
    refused("c.csv", circle, &["-o", "b.csv", "--repair", "none", "--reduce"], &["circle"]);
}

/// Answers about points on a line, held out in one and two dimensions: one is enough.
#[test]
fn dimensions_are_told_by_what_is_held_out() {
    let desk = Desk::new();
    let mut text = String::from("head,near,far\n");
    for k in 0..600u32 {
        let [h, a, b] = [k * 7 + k / 9, k * 5 + 3, k * 11 + k / 13].map(|v| i64::from(v % 12));
        let (near, far) = if (h - a).abs() < (h - b).abs() { (a, b) } else { (b, a) };
        if h != a && h != b && (h - a).abs() != (h - b).abs() {
            text += &format!("o{h},o{near},o{far}\n");
        }
    }
    desk.write("line.csv", &text);
    desk.run(&["embed", "line.csv", "--method", "ste", "-o", "map.nearer"]).success();
    let args = ["eval", "map.nearer", "line.csv", "--dimensions", "1-2", "--held-out", "rows", "--folds", "3"];
    let told = desk.json(&args);
    let points = told["by_dimension"].as_array().unwrap();
    assert!(points.len() == 2 && points.iter().all(|p| p["held_out"]["mean"].as_f64().unwrap() > 0.9), "{points:?}");
    let said = stdout(&desk.run(&args).success());
    assert!(
        said.contains("1 is the fewest within one standard error of the best, by the likelihood of what was held out"),
        "{said}"
    );
}

/// Objects are held out of pairs, and the people who said them stay who they are.
#[test]
fn objects_are_held_out_of_pairs_with_participants() {
    let desk = Desk::new();
    let corner = |i: u32| "abcdef".chars().nth(i as usize % 6).unwrap();
    let pairs = (0..6).flat_map(|i| [(i, i + 1, 1), (i, i + 2, 0), (i, i + 3, 0)]);
    let row = |(i, j, alike): (u32, u32, u32)| format!("{},{},{alike},p{}\n", corner(i), corner(j), i % 2);
    desk.write("p.csv", "from,to,label,participant\n".to_owned() + &pairs.map(row).collect::<String>());
    desk.write("m.csv", "label,x,y\na,0,2\nb,2,1\nc,2,-1\nd,0,-2\ne,-2,-1\nf,-2,1\n");
    let with = ["--method", "kpsde", "--kernel", "linear:m.csv", "--held-out", "object"];
    let told = desk.json(&[&["eval", "m.csv", "p.csv"], &with[..]].concat());
    assert_eq!(told["held_out"]["by"], "object", "{told}");
}

/// A map of a tree, or of what several people sorted, is held against the file it was made from; sorts may be a row a person.
#[test]
fn maps_of_trees_and_sorts_are_evaluated_on_their_own_files() {
    let desk = Desk::new();
    desk.write("tree.csv", "parent,child\nr,x\nr,y\nx,a\nx,b\ny,c\ny,d\nx,e\ny,f\n");
    desk.run(&["embed", "tree.csv", "-o", "t.nearer"]).success();
    assert!(desk.json(&["eval", "t.nearer", "tree.csv"])["agreement"].as_f64() > Some(0.9));
    let mut long = "object,group,participant\n".to_owned();
    let mut wide = "object,ann,bob\n".to_owned();
    for (object, ann, bob) in [("a", 1, 1), ("b", 1, 1), ("c", 2, 1), ("d", 2, 2), ("e", 3, 2), ("f", 3, 2)] {
        long += &format!("{object},{ann},ann\n{object},{bob},bob\n");
        wide += &format!("{object},{ann},{bob}\n");
    }
    desk.write("long.csv", long).write("wide.csv", wide);
    desk.run(&["embed", "long.csv", "-o", "l.nearer", "-o", "l.csv"]).success();
    desk.run(&["embed", "wide.csv", "--kind", "sorts", "-o", "w.csv"]).success();
    assert_eq!(desk.read("l.csv"), desk.read("w.csv"));
    assert!(desk.json(&["eval", "l.nearer", "long.csv"])["agreement"].as_f64() > Some(0.6));
}

/// What was asked again is flattered by answers that were seen: rows are torn from their questions, queries are not.
#[test]
fn pairs_that_are_asked_again_are_held_out_by_answer_or_by_question() {
    let desk = Desk::new();
    let mut rows = String::from("from,to,label,participant\n");
    for who in 0..5 {
        for (i, j) in (0..12u32).flat_map(|i| (0..i).map(move |j| (i, j))) {
            // Alike by chance, and everybody agrees.
            let alike = (i * 12 + j).wrapping_mul(2_654_435_761) >> 30 == 0;
            rows += &format!("o{i},o{j},{},p{who}\n", if alike { "similar" } else { "dissimilar" });
        }
    }
    desk.write("again.csv", rows);
    desk.run(&["embed", "again.csv", "-m", "psde", "--slack", "0.2", "--dim", "6", "-o", "m.nearer"]).success();
    let share = |by: &str| {
        let told = desk.json(&["eval", "m.nearer", "again.csv", "--held-out", by]);
        told["held_out"]["test"]["mean"].as_f64().unwrap_or_else(|| panic!("{told}"))
    };
    let (rows, queries) = (share("rows"), share("queries"));
    assert!(rows > queries + 0.1, "{rows} {queries}");
}
