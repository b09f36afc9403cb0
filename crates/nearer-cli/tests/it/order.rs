//! Methods of comparisons through the command: a line or the reason why not, contradictions, conversions, placing.

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
