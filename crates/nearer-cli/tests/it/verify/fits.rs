//! What is fitted to see its certificate accepted: every method that has one, in every form and of every kind of evidence.

use std::collections::BTreeSet;

use nearer::method::table::{Kind, METHODS, find};
use nearer::verify::CHECKED;

use crate::{Desk, square};

/// Answers about points on a line, one of them wrong.
pub(crate) const ANSWERS: &str = "\
head,near,far
a,b,c
a,b,d
b,a,d
b,c,d
c,b,a
c,d,a
d,c,a
d,c,b
a,d,b
e,d,a
e,d,b
a,b,e
";

/// Neighbours on a ring of six.
const ALIKE: &str = "\
from,to,label
a,b,1
b,c,1
c,d,1
d,e,1
e,f,1
f,a,1
a,c,0
a,d,0
a,e,0
b,d,0
b,e,0
b,f,0
c,e,0
c,f,0
d,f,0
";

/// The same answers without the wrong one.
fn consistent() -> String {
    ANSWERS.replace("a,d,b\n", "")
}

pub(super) fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("answers.csv", ANSWERS).write("order.csv", consistent()).write("alike.csv", ALIKE);
    desk.write("square.csv", square(9, 3)).write("features.csv", FEATURES).write("strip.csv", strip());
    desk.write("classed.csv", classed())
        .write("wide.csv", wide())
        .write("sized.csv", sized())
        .write("units.csv", UNITS);
    desk
}

/// Features of the objects of the answers and of the ring; one of them is in units a thousand times as wide.
pub(crate) const FEATURES: &str = "label,size,age\na,0,1\nb,1100,2.5\nc,1900,4\nd,3200,3\ne,4100,6\nf,5200,4\n";

/// Features of which the widest is thirty thousand times as wide as the narrowest.
const UNITS: &str = "label,w,x,y,z\na,3100,0.2,12,0.11\nb,-2500,1.4,-31,0.32\nc,900,-0.7,44,-0.08\nd,-4100,0.9,-8,0.21\ne,2200,-1.6,-27,-0.3\n";

/// A curved strip, each point near the next few.
fn strip() -> String {
    let mut rows = "label,x,y,z\n".to_string();
    for i in 0..18 {
        let t = 0.4 * f64::from(i);
        let (x, y) = (t.cos() * (1.0 + 0.2 * t), t.sin() * (1.0 + 0.2 * t));
        rows += &format!("s{i},{x},{y},{}\n", 0.5 * f64::from(i % 3));
    }
    rows
}

/// More features than objects, in units a thousand times apart.
fn wide() -> String {
    let name = |k: usize| format!(",f{k}");
    let mut rows = format!("label{}\n", (0..9).map(name).collect::<String>());
    for (i, object) in ["a", "b", "c", "d", "e"].iter().enumerate() {
        let value =
            |k: usize| format!(",{}", ((7 * i * i + 3 * k * i + k * k) % 11) as f64 * [1.0, 30.0, 1000.0][k % 3]);
        rows += &format!("{object}{}\n", (0..9).map(value).collect::<String>());
    }
    rows
}

/// The strip with one direction in a large unit, so that a kernel of it is symmetric but for its last bits.
fn sized() -> String {
    let mut rows = "label,x,y,z\n".to_string();
    for line in strip().lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        rows += &format!("{},{},{},{}\n", cells[0], cells[1], 300.0 * cells[2].parse::<f64>().unwrap(), cells[3]);
    }
    rows
}

/// The same with classes: the inner, the middle and the outer third of the spiral.
fn classed() -> String {
    let class = |k: usize| if k == 0 { "kind".to_string() } else { format!("k{}", (k - 1) / 6) };
    strip().lines().enumerate().map(|(k, line)| format!("{line},{}\n", class(k))).collect()
}

/// What is embedded, and with which flags: every method that has a certificate, in every form and of every kind of evidence.
/// The third are flags that say how the evidence is to be read; `verify` gets them too.
pub(super) const FITS: &[(&str, &[&str], &[&str])] = &[
    ("answers.csv", &["--method", "gnmds"], &[]),
    ("answers.csv", &["--method", "gnmds", "--slack", "0.3"], &[]),
    ("answers.csv", &["--method", "convex-ste"], &[]),
    ("answers.csv", &["--method", "convex-ste", "--trace", "0.3"], &[]),
    ("classed.csv", &["--method", "lmnn", "--gap", "1e-5"], &["--classes", "kind"]),
    (
        "classed.csv",
        &["--method", "lmnn", "--gap", "1e-5"],
        &["--classes", "kind", "--kernel", "rbf:classed.csv", "--kernel", "linear:strip.csv"],
    ),
    ("answers.csv", &["--method", "lmnn", "--gap", "1e-5"], &["features.csv"]),
    ("answers.csv", &["--method", "lmnn", "--gap", "1e-5"], &["--kernel", "rbf:features.csv"]),
    ("alike.csv", &["--method", "mmc"], &["features.csv"]),
    ("alike.csv", &["--method", "mmc", "--form", "diagonal"], &["features.csv"]),
    ("classed.csv", &["--method", "mmc"], &["--classes", "kind"]),
    ("classed.csv", &["--method", "mmc", "--form", "diagonal"], &["--classes", "kind"]),
    ("classed.csv", &["--method", "mcml"], &["--classes", "kind"]),
    ("classed.csv", &["--method", "lmnn", "--gap", "1e-5", "--unit-variance", "yes"], &["--classes", "kind"]),
    ("classed.csv", &["--method", "mmc", "--unit-variance", "yes"], &["--classes", "kind"]),
    ("classed.csv", &["--method", "mcml", "--unit-variance", "yes"], &["--classes", "kind"]),
    ("alike.csv", &["--method", "psde"], &[]),
    ("alike.csv", &["--method", "psde", "--slack", "0.05"], &[]),
    ("alike.csv", &["--method", "psde", "--radii", "one"], &[]),
    ("order.csv", &["--method", "partial-order"], &[]),
    ("order.csv", &["--method", "partial-order", "--bound", "9"], &[]),
    ("order.csv", &["--method", "partial-order", "--bound", "paper"], &[]),
    ("order.csv", &["--method", "partial-order", "--bound", "smallest"], &[]),
    ("order.csv", &["--method", "partial-order", "--bound", "smallest", "--margins", "linear"], &[]),
    ("answers.csv", &["--method", "partial-order", "--margins", "doubling", "--repair", "cheapest"], &[]),
    ("answers.csv", &["--method", "partial-order", "--repair", "cheapest"], &[]),
    ("answers.csv", &["--method", "partial-order", "--repair", "prune"], &[]),
    ("answers.csv", &["--method", "partial-order", "--repair", "random"], &[]),
    ("square.csv", &["--method", "robust-mds"], &[]),
    ("square.csv", &["--method", "mvu", "--neighbours", "4"], &[]),
    ("square.csv", &["--method", "mvu", "--neighbours", "4", "--form", "soft"], &[]),
    ("square.csv", &["--method", "mvu", "--neighbours", "4", "--form", "penalised"], &[]),
    ("strip.csv", &["--method", "mvu", "--neighbours", "4"], &["--kind", "features"]),
    ("strip.csv", &["--method", "mvu", "--neighbours", "4", "--form", "soft"], &["--kind", "features"]),
    ("strip.csv", &["--method", "mvu", "--neighbours", "4", "--form", "penalised"], &["--kind", "features"]),
    (
        "strip.csv",
        &["--method", "mvu", "--neighbours", "4", "--variant", "landmark", "--landmarks", "7"],
        &["--kind", "features"],
    ),
    (
        "strip.csv",
        &["--method", "mvu", "--neighbours", "4", "--variant", "laplacian", "--landmarks", "6"],
        &["--kind", "features"],
    ),
    ("strip.csv", &["--method", "mvu", "--neighbours", "4"], &["--kind", "features", "--kernel", "rbf:strip.csv"]),
    ("strip.csv", &["--method", "mvu", "--neighbours", "5", "--join", "mutual"], &["--kind", "features"]),
    ("strip.csv", &["--method", "mvu", "--radius", "1.6", "--components", "joined"], &["--kind", "features"]),
    ("strip.csv", &["--method", "mvu", "--neighbours", "2", "--components", "largest"], &["--kind", "features"]),
    ("strip.csv", &["--method", "mvu", "--neighbours", "2", "--components", "joined"], &["--kind", "features"]),
    ("sized.csv", &["--method", "mvu", "--neighbours", "4"], &["--kind", "features", "--kernel", "rbf:sized.csv"]),
    ("answers.csv", &["--method", "kernel-gnmds", "--slack", "0.3"], &["--kernel", "linear:wide.csv"]),
    ("answers.csv", &["--method", "kernel-gnmds"], &["--kernel", "linear,normalise=yes:wide.csv"]),
    ("answers.csv", &["--method", "kernel-gnmds", "--slack", "0.3"], &["--kernel", "linear:units.csv"]),
    ("answers.csv", &["--method", "kernel-partial-order"], &["--kernel", "linear:wide.csv"]),
    ("alike.csv", &["--method", "kpsde"], &["--kernel", "linear:features.csv"]),
    ("alike.csv", &["--method", "kpsde", "--trace", "1e-3"], &["--kernel", "rbf:features.csv"]),
    ("alike.csv", &["--method", "kpsde", "--basis", "4"], &["--kernel", "rbf:features.csv"]),
    ("alike.csv", &["--method", "kpsde", "--basis", "4", "--basis-by", "spread"], &["--kernel", "rbf:features.csv"]),
    ("answers.csv", &["--method", "kernel-gnmds", "--slack", "0.3"], &["--kernel", "linear:features.csv"]),
    ("answers.csv", &["--method", "kernel-partial-order"], &["--kernel", "rbf:features.csv"]),
    ("answers.csv", &["--method", "kernel-partial-order", "--weights", "diagonal"], &["--kernel", "rbf:features.csv"]),
    (
        "answers.csv",
        &["--method", "kernel-partial-order", "--weights", "diagonal", "--basis", "3", "--margins", "linear"],
        &["--kernel", "near=rbf:features.csv", "--kernel", "linear:features.csv"],
    ),
    (
        "answers.csv",
        &["--method", "kernel-partial-order", "--margins", "doubling", "--basis", "4", "--basis-by", "spread"],
        &["--kernel", "rbf:features.csv"],
    ),
    (
        "answers.csv",
        &["--method", "kernel-partial-order", "--weights", "kernel"],
        &["--kernel", "near=rbf:features.csv", "--kernel", "linear:features.csv"],
    ),
    ("answers.csv", &["--method", "svm-metric"], &["--kernel", "rbf:features.csv"]),
    ("answers.csv", &["--method", "svm-metric", "--basis", "4"], &["--kernel", "rbf:features.csv"]),
    ("answers.csv", &["--method", "svm-metric", "--form", "trace"], &["--kernel", "rbf:features.csv"]),
    ("answers.csv", &["--method", "svm-metric", "--over", "features"], &["--kernel", "linear:features.csv"]),
    ("answers.csv", &["--method", "svm-metric", "--over", "features"], &["features.csv"]),
    (
        "answers.csv",
        &["--method", "svm-metric", "--over", "features", "--form", "trace"],
        &["--kernel", "linear:features.csv"],
    ),
    ("answers.csv", &["--method", "kernel-gnmds", "--slack", "0.3", "--basis", "3"], &["--kernel", "rbf:features.csv"]),
    (
        "answers.csv",
        &["--method", "kernel-gnmds", "--basis", "3", "--basis-by", "spread"],
        &["--kernel", "rbf:features.csv"],
    ),
    (
        "answers.csv",
        &["--method", "svm-metric", "--basis", "4", "--basis-by", "spread"],
        &["--kernel", "rbf:features.csv"],
    ),
];

/// Parameters that change how an answer is found or shown, and not the question.
const HOW: &[&str] = &["engine", "search", "projection", "refine", "smallest"];

/// What the table says of the methods that have a certificate: every word of every parameter that the question hangs on, and as many
/// kinds of evidence as there are ways.
pub(super) fn all_is_tried(words: &BTreeSet<(&str, &str, String)>) {
    // What promises a gap has a certificate; the bound of nearest-edm is a figure of its report.
    let promises = |m: &&str| find(m).unwrap().parameters.iter().any(|p| p.name == "gap") && *m != "nearest-edm";
    let promising: BTreeSet<&str> = METHODS.iter().map(|m| m.name).filter(promises).collect();
    assert_eq!(promising, BTreeSet::from(CHECKED));
    for method in CHECKED.map(|name| find(name).unwrap()) {
        for p in method.parameters.iter().filter(|p| !HOW.contains(&p.name)) {
            let of_kind: &[&str] = match p.kind {
                Kind::Choice(words) => words,
                Kind::Flag => &["yes", "no"],
                _ => &[],
            };
            for word in of_kind.iter().chain(p.or) {
                let tried = words.contains(&(method.name, p.name, (*word).into()));
                assert!(tried, "no fit of {} with {} {word} goes from embed to verify", method.name, p.name);
            }
        }
        let of = FITS.iter().filter(|(_, flags, _)| flags[1] == method.name);
        let beside = |reading: &[&str], what: &str| reading.iter().any(|word| word.starts_with(what));
        let kinds = of.map(|(file, _, reading)| (file, beside(reading, "--kernel"), beside(reading, "--classes")));
        assert!(kinds.collect::<BTreeSet<_>>().len() >= method.ways.len(), "a kind of evidence of {}", method.name);
    }
}
