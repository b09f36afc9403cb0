//! Methods of comparisons through the command: a line or the reason why not, contradictions, conversions, placing.

use nearer::Part;
use nearer::method::table::METHODS;

use super::{Desk, points, stderr, stdout};

/// Objects at 0, 1, 3 and 7, as triplets.
const ON_A_LINE: &str = "head,near,far\na,b,c\na,c,d\nb,a,c\nb,c,d\nc,b,a\nc,a,d\nd,c,b\nd,b,a\n";

#[test]
fn a_line_is_found_and_a_new_object_placed_on_it() {
    let desk = Desk::new();
    desk.write("answers.csv", ON_A_LINE);
    desk.write("new.csv", "head,near,far\ne,c,d\nc,e,a\nd,e,c\ne,c,b\nb,a,c\n");
    let told = desk.json(&["embed", "answers.csv", "--method", "line", "-o", "line.csv", "-o", "line.nearer"]);
    assert_eq!((told["agreement"].as_f64(), told["dim"].as_u64()), (Some(1.0), Some(1)));
    let map = points(&desk.read("line.csv"));
    let x = |label: &str| map.iter().find(|(l, _)| l == label).unwrap().1[0];
    let signs: Vec<bool> = ["a", "b", "c", "d"].windows(2).map(|w| x(w[0]) < x(w[1])).collect();
    assert!(signs.iter().all(|s| *s == signs[0]), "{map:?}");
    let run = desk.run(&["place", "line.nearer", "new.csv"]).success();
    let placed = points(&stdout(&run));
    assert_eq!(placed.len(), 1, "{placed:?}");
    let e = placed[0].1[0];
    assert!((e - x("c")) * (e - x("d")) < 0.0, "{e} {map:?}");
    assert!(stderr(&run).contains("0 judgements between new objects, 1 between old ones"), "{}", stderr(&run));
}

#[test]
fn what_does_not_fit_on_a_line_is_spelled_out() {
    let desk = Desk::new();
    let sides = ["a,b", "b,c", "c,d", "a,d"];
    let rows: String = sides.iter().flat_map(|s| ["a,c", "b,d"].map(|d| format!("{s},{d}\n"))).collect();
    desk.write("square.csv", format!("a,b,c,d\n{rows}"));
    let run = desk
        .run(&["embed", "square.csv", "--kind", "quadruplets", "--method", "line", "-o", "line.csv"])
        .failure()
        .code(2);
    assert!(stderr(&run).contains("cannot hold on a line together"), "{}", stderr(&run));
    assert_eq!(desk.names(), ["square.csv"]);
    let one = ["embed", "square.csv", "--kind", "quadruplets", "--method", "line", "--dim", "2"];
    assert!(stderr(&desk.run(&one).failure().code(2)).contains("`dim` is 2"));
}

#[test]
fn contradictions_are_told_or_repaired() {
    let desk = Desk::new();
    desk.write("answers.csv", format!("{ON_A_LINE}a,b,c\na,c,b\n"));
    let run = desk.run(&["embed", "answers.csv", "--method", "naive-order"]).failure().code(2);
    assert!(stderr(&run).contains("`a` is nearer to `c` than to `b`"), "{}", stderr(&run));
    assert!(stderr(&run).contains("nearer clean"), "{}", stderr(&run));
    let told = desk.json(&["embed", "answers.csv", "--method", "naive-order", "--dim", "3", "--repair", "cheapest"]);
    assert_eq!(told["agreement"].as_f64(), Some(0.9));
}

/// A tree of pairs under pairs: three depths of very different sizes.
#[test]
fn a_taxonomy_is_drawn_equally_from_each_depth() {
    let desk = Desk::new();
    let leaves: String = (0..16).map(|k| format!("q{},leaf{k}\nh{},q{}\n", k / 2, k / 4, k / 2)).collect();
    let tops: String = (0..4).map(|k| format!("t{},h{k}\nroot,t{}\n", k / 2, k / 2)).collect();
    let mut rows: Vec<&str> = leaves.lines().chain(tops.lines()).collect();
    rows.sort_unstable();
    rows.dedup();
    desk.write("tree.csv", format!("parent,child\n{}\n", rows.join("\n")));
    let told = desk.json(&["clean", "tree.csv", "--per-depth", "40", "-o", "drawn.csv"]);
    assert_eq!(told["depths"]["1"], serde_json::json!([32, 32]), "{told}");
    assert_eq!(told["depths"]["3"][1], 40, "{told}");
    let drawn = desk.read("drawn.csv");
    let of = |margin: &str| drawn.lines().filter(|l| l.ends_with(margin)).count();
    assert_eq!((of(",1.0"), of(",2.0"), of(",4.0")), (32, 40, 40), "{drawn}");
    assert!(!desk.path("drawn.dropped.csv").exists());
    desk.run(&["embed", "drawn.csv", "--method", "partial-order", "--margins", "doubling", "-o", "map.csv"]).success();
    let run = desk.run(&["clean", "tree.csv", "--per-depth", "40", "--reduce", "-o", "other.csv"]).failure().code(2);
    assert!(stderr(&run).contains("--per-depth"), "{}", stderr(&run));
    desk.write("answers.csv", ON_A_LINE);
    let run = desk.run(&["clean", "answers.csv", "--per-depth", "4", "-o", "other.csv"]).failure().code(2);
    assert!(stderr(&run).contains("a tree") && !desk.path("other.csv").exists(), "{}", stderr(&run));
}

#[test]
fn a_taxonomy_is_turned_into_comparisons_and_it_is_said() {
    let desk = Desk::new();
    desk.write("tree.csv", "parent,child\nthing,animal\nthing,cup\nanimal,dog\nanimal,cat\n");
    let run = desk.run(&["embed", "tree.csv", "--method", "naive-order", "-o", "tree.nearer"]).success();
    assert!(stderr(&run).contains("taxonomy taken as comparisons for naive-order: 2 comparisons"), "{}", stderr(&run));
    desk.write("rows.csv", "label,dog,cat,cup\nwolf,1,2,3\n");
    let run = desk.run(&["place", "tree.nearer", "rows.csv"]).failure().code(2);
    assert!(stderr(&run).contains("made of judgements"), "{}", stderr(&run));
}

/// The rows of a table from the last to the first, every second one before the others.
fn otherwise(table: &str) -> String {
    let mut lines = table.lines();
    let head = lines.next().unwrap();
    let rows: Vec<&str> = lines.collect();
    let (even, odd): (Vec<_>, Vec<_>) = rows.iter().rev().enumerate().partition(|(k, _)| k % 2 == 0);
    let turned = odd.into_iter().chain(even).map(|(_, row)| format!("{row}\n"));
    format!("{head}\n{}", turned.collect::<String>())
}

/// Answers of three people about twelve places in the plane, one in seven of them wrong, and which pairs are near.
fn judged() -> (String, String) {
    let name = |k: usize| format!("place {}", (5 * k) % 12);
    let at = |k: usize| ((k * k % 13) as f64, (k * 7 % 11) as f64);
    let apart = |i: usize, j: usize| (at(i).0 - at(j).0).hypot(at(i).1 - at(j).1);
    let (mut answers, mut pairs) = (String::from("participant,head,near,far\n"), String::from("from,to,label\n"));
    for k in 0..150 {
        let (i, j, l) = (k % 12, (k * 5 + 1 + k / 12) % 12, (k * 7 + 4) % 12);
        if i == j || i == l || j == l {
            continue;
        }
        let right = (apart(i, j) < apart(i, l)) == (k % 7 > 0);
        let (near, far) = if right { (j, l) } else { (l, j) };
        answers += &format!("{},{},{},{}\n", ["zoe", "ann", "max"][k % 3], name(i), name(near), name(far));
    }
    for i in 0..12 {
        (i + 1..12).for_each(|j| pairs += &format!("{},{},{}\n", name(i), name(j), u8::from(apart(i, j) < 5.0)));
    }
    (answers, pairs)
}

#[test]
fn the_order_of_answers_changes_no_bit_of_a_map() {
    let desk = Desk::new();
    let (answers, pairs) = judged();
    for (name, table) in [("answers", answers), ("pairs", pairs)] {
        desk.write(&format!("{name}.csv"), &table);
        desk.write(&format!("{name} otherwise.csv"), otherwise(&table));
    }
    let mut tried = 0;
    for (part, name) in [(Part::Comparisons, "answers"), (Part::Pairs, "pairs")] {
        for method in METHODS.iter().filter(|m| m.takes_alone(part) && m.name != "line") {
            let map = |file: String| {
                let mut words = vec!["embed", &file, "--method", method.name, "--threads", "1"];
                if ["naive-order", "partial-order"].contains(&method.name) {
                    words.extend(["--repair", "cheapest"]);
                }
                stdout(&desk.run(&words).success())
            };
            assert_eq!(map(format!("{name}.csv")), map(format!("{name} otherwise.csv")), "{}", method.name);
            tried += 1;
        }
    }
    assert!(tried >= 10, "{tried} methods");
}

#[test]
fn a_certificate_holds_for_the_same_answers_in_another_order() {
    let desk = Desk::new();
    let (answers, _) = judged();
    desk.write("answers.csv", &answers);
    desk.write("otherwise.csv", otherwise(&answers));
    desk.run(&["embed", "answers.csv", "--method", "gnmds", "-o", "x.cert"]).success();
    desk.run(&["verify", "x.cert", "otherwise.csv"]).success();
}
