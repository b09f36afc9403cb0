//! Remedies in plain words that name another method: each is provoked, and the other method taken.

use std::fmt::Write as _;

use super::SQUARE;
use crate::{Desk, stderr};

/// Commands that are refused, and what their remedies ask for, a command a line.
const LINES: &[(&str, &[&str])] = &[
    (
        "place c.nearer gap.csv -o z.csv",
        &["embed sq.csv --method metric-mds -o s.nearer", "place s.nearer gap.csv -o z.csv"],
    ),
    (
        "embed t.csv --method soe --ellipses laplace -o e.png",
        &[
            "embed t.csv --method choice --ellipses laplace -o e1.png",
            "embed t.csv --method ste --ellipses laplace -o e2.png",
            "embed t.csv --method t-ste --ellipses laplace -o e3.png",
            "embed t.csv --method ckl --ellipses laplace -o e4.png",
            "embed t.csv --method soe --ellipses bootstrap -o e5.png",
        ],
    ),
    ("embed bound.csv --method robust-mds", &["embed bound.csv --method metric-mds --transform ratio"]),
    ("embed flat.csv --classes kind --method lda --dim 1", &["embed flat.csv --classes kind --method pca --dim 1"]),
    ("embed f.csv alike.csv --method nca", &["embed f.csv alike.csv --method rca"]),
    (
        "embed line.csv --method metric-mds --transform interval --memory 60K",
        &[
            "embed line.csv --method metric-mds --transform ratio --memory 60K",
            "embed line.csv --method landmark-mds --memory 60K",
        ],
    ),
    ("embed line.csv --method nearest-edm --memory 300K", &["embed line.csv --method metric-mds --memory 300K"]),
    (
        "embed line.csv --method nonmetric-mds --memory 200K",
        &["embed line.csv --method metric-mds --memory 200K", "embed line.csv --method landmark-mds --memory 200K"],
    ),
    ("embed line.csv --method robust-mds --memory 300K", &["embed line.csv --method landmark-mds --memory 300K"]),
    ("embed r.csv --kind rows --method asymmetric-mds", &["embed r.csv --kind rows --method unfolding"]),
    ("cluster f.csv torn.csv --method cop-k-means -k 2", &["cluster f.csv torn.csv --method mpck-means -k 2"]),
    (
        "cluster f.csv three.csv --method cop-k-means -k 2",
        &["cluster f.csv three.csv --method cop-k-means -k 3", "cluster f.csv three.csv --method mpck-means -k 2"],
    ),
    (
        "embed line.csv --method isomap --time-limit 0.000001",
        &["embed line.csv --method isomap --time-limit 60", "embed line.csv --method landmark-isomap --landmarks 20"],
    ),
    (
        "embed hole.csv --method classical-mds",
        &["embed hole.csv --method metric-mds", "embed hole.csv --method nonmetric-mds"],
    ),
];

/// Follows them; what did not go as it should is written down. What each said when it was refused.
pub(super) fn follow(wrong: &mut String) -> Vec<String> {
    let desk = Desk::new();
    let far = |i: i32| (0..100).map(|j| format!(",{}", (i - j).abs())).collect::<String>();
    let names: String = (0..100).map(|i| format!(",o{i:02}")).collect();
    let rows: String = (0..100).map(|i| format!("o{i:02}{}\n", far(i))).collect();
    desk.write("line.csv", format!("label{names}\n{rows}"))
        .write("sq.csv", SQUARE)
        .write("gap.csv", "label,a,b,c,d\nz,1,,1,2\n")
        .write("hole.csv", SQUARE.replace("a,0,1,2,3", "a,0,1,2,").replace("d,3,", "d,,"))
        .write("bound.csv", SQUARE.replace("a,0,1,2,3", "a,0,1,2,>3").replace("d,3,", "d,>3,"))
        .write("t.csv", "head,near,far\na,b,c\na,c,d\nb,c,d\nb,a,d\nc,b,a\nd,c,a\n")
        .write("flat.csv", "id,kind,p,q\na,one,0,0\nb,one,0,0\nc,two,1,2\nd,two,1,2\n")
        .write("f.csv", "id,p,q\na,0,0\nb,0,1\nc,3,0\nd,3,1\n")
        .write("alike.csv", "from,to,label\na,b,1\nc,d,1\n")
        .write("torn.csv", "from,to,label\na,b,1\nb,c,1\na,c,0\n")
        .write("three.csv", "from,to,label\na,b,0\nb,c,0\na,c,0\n")
        .write("r.csv", "label,u,v,w\na,1,2,3\nb,2,1,1\nc,3,3,1\nd,2,2,1\n");
    desk.run(&["embed", "sq.csv", "--method", "classical-mds", "-o", "c.nearer"]).success();
    let run = |line: &str| desk.command(&[]).args(line.split(' ')).assert();
    let mut said = Vec::new();
    for (refused, remedies) in LINES {
        said.push(stderr(&run(refused).code(2)));
        for remedy in *remedies {
            let run = run(remedy);
            if run.get_output().status.code() != Some(0) {
                let _ = writeln!(wrong, "{remedy}, the remedy of {refused}: {}", stderr(&run));
            }
        }
    }
    said
}
