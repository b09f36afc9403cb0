//! Refusals of methods.

use std::fmt::Write as _;

use super::{CHAIN, Case, POINTS, SQUARE};
use crate::{Desk, stderr};

const SORTED: &str =
    "object,ann,bob,eve\ncat,fur,pet,a\nlynx,fur,wild,a\ncod,fin,food,b\nhake,fin,food,a\ncarp,fin,pet,b\n";
const PARTS: &str = "label,a,b,c,d,e,f,g\na,0,1,2,3,9,9,9\nb,1,0,1,2,9,9,9\nc,2,1,0,1,9,9,9\nd,3,2,1,0,9,9,9\ne,9,9,9,9,0,1,2\n\
                     f,9,9,9,9,1,0,1\ng,9,9,9,9,2,1,0\n";
const CIRCLE: &str = "head,near,far\na,b,c\nb,c,a\nc,a,b\na,c,d\nb,a,d\n";
const AROUND: &str = "from,to,label\na,b,1\nb,c,1\nc,a,1\na,c,0\nb,a,0\nc,b,0\n";

/// Neighbours on a hexagon, and its corners.
const HEXAGON: &str = "from,to,label\na,b,1\nb,c,1\nc,d,1\nd,e,1\ne,f,1\nf,a,1\na,c,0\na,d,0\na,e,0\nb,d,0\nb,e,0\nb,f,0\nc,e,0\nc,f,0\nd,f,0\n";
const CORNERS: &str = "label,x,y\na,0,2\nb,2,1\nc,2,-1\nd,0,-2\ne,-2,-1\nf,-2,1\n";

pub(super) const CASES: &[Case] = &[
    Case {
        files: &[("f.csv", POINTS)],
        refused: &[
            "embed",
            "f.csv",
            "--kind",
            "features",
            "--method",
            "isomap",
            "--neighbours",
            "3",
            "--time-limit",
            "0.000001",
        ],
        says: &["the time was up", "give it more time, or look with --search approximate"],
        remedy: &[
            &["embed", "f.csv", "--kind", "features", "--method", "isomap", "--neighbours", "3", "--time-limit", "60"],
            &[
                "embed",
                "f.csv",
                "--kind",
                "features",
                "--method",
                "isomap",
                "--neighbours",
                "3",
                "--search",
                "approximate",
            ],
        ],
    },
    Case {
        files: &[("f.csv", "id,x,y\na,0,0\nb,0,1\nc,3,0\nd,3,1\n"), ("m.csv", "id,kind\na,p\nb,p\nc,q\nd,q\n")],
        refused: &["embed", "f.csv", "--kind", "features", "--metadata", "m.csv", "--method", "lmnn"],
        says: &["lmnn learns from classes, and none are given", "never learned from unasked", "--classes"],
        remedy: &[&[
            "embed",
            "f.csv",
            "--kind",
            "features",
            "--metadata",
            "m.csv",
            "--classes",
            "kind",
            "--method",
            "lmnn",
        ]],
    },
    Case {
        files: &[("d.csv", PARTS)],
        refused: &["embed", "d.csv", "--method", "mvu", "--neighbours", "2"],
        says: &["falls into 2 separate parts", "raise --neighbours above 2", "--components largest"],
        remedy: &[
            &["embed", "d.csv", "--method", "mvu", "--neighbours", "4"],
            &["embed", "d.csv", "--method", "mvu", "--neighbours", "2", "--components", "largest"],
        ],
    },
    Case {
        files: &[("t.csv", CIRCLE)],
        refused: &["embed", "t.csv", "--method", "naive-order"],
        says: &[
            "3 comparisons go in circles within 1 group of pairs",
            "`nearer clean`",
            "--repair prune, random or cheapest",
        ],
        remedy: &[
            &["clean", "t.csv", "--repair", "prune", "-o", "c.csv"],
            &["embed", "c.csv", "--method", "naive-order"],
            &["embed", "t.csv", "--method", "naive-order", "--repair", "prune"],
            &["embed", "t.csv", "--method", "naive-order", "--repair", "random"],
            &["embed", "t.csv", "--method", "naive-order", "--repair", "cheapest"],
        ],
    },
    Case {
        files: &[("t.csv", CHAIN)],
        refused: &["embed", "t.csv", "--method", "partial-order", "--bound", "0.5"],
        says: &["`bound` is 0.5, expected more than 2"],
        remedy: &[&["embed", "t.csv", "--method", "partial-order", "--bound", "9"]],
    },
    Case {
        files: &[("p.csv", AROUND)],
        refused: &["embed", "p.csv", "--directed", "--method", "psde"],
        says: &["go in a circle", "--slack 1"],
        remedy: &[&["embed", "p.csv", "--directed", "--method", "psde", "--slack", "1"]],
    },
    Case {
        files: &[("d.csv", SQUARE)],
        refused: &["embed", "d.csv", "--method", "metric-mds", "-o", "proof.cert"],
        says: &["gives no certificate that can be written", "robust-mds", "leave proof.cert out"],
        remedy: &[
            &["embed", "d.csv", "--method", "robust-mds", "-o", "proof.cert"],
            &["verify", "proof.cert", "d.csv"],
            &["embed", "d.csv", "--method", "metric-mds"],
        ],
    },
    Case {
        files: &[("t.csv", CHAIN)],
        refused: &["embed", "t.csv", "--method", "metric-mds"],
        says: &["metric-mds does not take comparisons", "`nearer methods`"],
        remedy: &[&["methods"], &["embed", "t.csv", "--method", "gnmds"]],
    },
    Case {
        files: &[("t.csv", CHAIN), ("f.csv", POINTS)],
        refused: &["embed", "t.csv", "--method", "kernel-gnmds", "--kernel", "linear:f.csv", "--kernel", "rbf:f.csv"],
        says: &["two kernels are called `f`", "write a name of its own before one of them, as other=rbf:FILE"],
        remedy: &[&[
            "embed",
            "t.csv",
            "--method",
            "kernel-gnmds",
            "--kernel",
            "linear:f.csv",
            "--kernel",
            "other=rbf:f.csv",
        ]],
    },
    Case {
        files: &[("t.csv", CHAIN), ("f.csv", POINTS)],
        refused: &["embed", "t.csv", "--method", "gnmds", "--kernel", "linear:f.csv"],
        says: &["gnmds does not learn from features", "kernel-gnmds", "or leave them out"],
        remedy: &[
            &["embed", "t.csv", "--method", "kernel-gnmds", "--kernel", "linear:f.csv"],
            &["embed", "t.csv", "--method", "gnmds"],
        ],
    },
    Case {
        files: &[("p.csv", HEXAGON), ("m.csv", CORNERS)],
        refused: &["eval", "m.csv", "p.csv", "--method", "psde", "--held-out", "object"],
        says: &["without features nothing is known about pairs", "hold out rows, or give features with --kernel"],
        remedy: &[
            &["eval", "m.csv", "p.csv", "--method", "psde", "--held-out", "rows"],
            &["eval", "m.csv", "p.csv", "--method", "kpsde", "--held-out", "object", "--kernel", "linear:m.csv"],
        ],
    },
    Case {
        files: &[("d.csv", SQUARE)],
        refused: &["embed", "d.csv", "--dim", "9"],
        says: &["`dim` is 9, expected 1 to n - 1 = 3 for 4 objects"],
        remedy: &[&["embed", "d.csv", "--dim", "3"]],
    },
    Case {
        files: &[("s.csv", SORTED)],
        refused: &["clean", "s.csv", "--kind", "sorts", "-o", "c.csv"],
        says: &["cannot be cleaned", "`nearer embed` settles what it makes of sorts itself"],
        remedy: &[&["embed", "s.csv", "--kind", "sorts", "--method", "psde", "--slack", "1"]],
    },
    Case {
        files: &[("d.csv", PARTS)],
        refused: &["embed", "d.csv", "--method", "mvu", "--radius", "1.5"],
        says: &[
            "falls into 2 separate parts",
            "raise --radius above 1.5",
            "--components largest, or link each part where it is nearest to another with --components joined",
        ],
        remedy: &[
            &["embed", "d.csv", "--method", "mvu", "--radius", "20"],
            &["embed", "d.csv", "--method", "mvu", "--radius", "1.5", "--components", "joined"],
            &["embed", "d.csv", "--method", "mvu", "--radius", "1.5", "--components", "largest"],
        ],
    },
    Case {
        // A long side whose two halves are short: no room in any number of dimensions.
        files: &[("q.csv", "a,b,c,d\nx,y,p,q\np,q,x,z\ny,z,p,q\n")],
        refused: &["embed", "q.csv", "--method", "partial-order", "--bound", "2.05"],
        says: &[
            "no map keeps all 3 comparisons",
            "raise --bound (from 2.747221 on it is known to be enough), find the least with --bound smallest",
        ],
        remedy: &[
            &["embed", "q.csv", "--method", "partial-order", "--bound", "2.75"],
            &["embed", "q.csv", "--method", "partial-order", "--bound", "smallest"],
        ],
    },
    Case {
        files: &[("d.csv", SQUARE)],
        refused: &[
            "embed",
            "d.csv",
            "--method",
            "laplacian-eigenmaps",
            "--neighbours",
            "2",
            "--weights",
            "heat",
            "--width",
            "0.001",
        ],
        says: &["leaves an object without links", "take a larger --width, as long as a usual link"],
        remedy: &[&[
            "embed",
            "d.csv",
            "--method",
            "laplacian-eigenmaps",
            "--neighbours",
            "2",
            "--weights",
            "heat",
            "--width",
            "1",
        ]],
    },
    Case {
        files: &[
            ("d.csv", "from,to,value\na,b,1\nb,c,1\nc,a,1\nd,e,1\ne,f,2\n"),
            ("e.csv", "from,to,value\na,b,1\nb,c,1\nc,a,1\nd,e,1\ne,f,2\nc,d,2\n"),
        ],
        refused: &["embed", "d.csv", "--method", "robust-mds"],
        says: &["do not hold all objects together", "`nearer check` names the parts; give a distance between them"],
        remedy: &[&["check", "d.csv"], &["embed", "e.csv", "--method", "robust-mds"]],
    },
    Case {
        files: &[
            ("g.csv", "from,to,grade\na,b,1\nb,c,2\na,c,3\nc,d,1\nb,d,3\na,d,3\n"),
            ("s.csv", "from,to,similar\na,b,1\nb,c,0\na,c,0\nc,d,1\nb,d,0\na,d,0\n"),
        ],
        refused: &["embed", "g.csv", "--method", "multiple-maps"],
        says: &[
            "the pairs are in 3 grades",
            "use --method psde, or say 1 for alike and 0 for not in a column `similar`",
        ],
        remedy: &[&["embed", "g.csv", "--method", "psde"], &["embed", "s.csv", "--method", "multiple-maps"]],
    },
];

/// Cases of files that are made here: too large for the memory that is allowed, too deep, or of a certificate.
pub(super) fn large(wrong: &mut String) -> Vec<String> {
    let mut said = Vec::new();
    let mut refused = |desk: &Desk, command: &str, remedies: &[&str]| {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let run = |line: &str| desk.command(&[]).args(words(line)).assert();
        said.push(stderr(&run(command).code(2)));
        for remedy in remedies {
            let run = run(remedy);
            if run.get_output().status.code() != Some(0) {
                let _ = writeln!(wrong, "{remedy}, the remedy of {command}: {}", stderr(&run));
            }
        }
    };
    let desk = Desk::new();
    let n = 100i32;
    let row = |i: i32| (0..n).map(|j| format!(",{}", (i - j).abs())).collect::<String>();
    let names: String = (0..n).map(|i| format!(",o{i}")).collect();
    let rows: String = (0..n).map(|i| format!("o{i}{}\n", row(i))).collect();
    desk.write("d.csv", format!("label{names}\n{rows}"));
    let leading = "embed d.csv --method classical-mds --spectrum leading --memory 100K";
    refused(&desk, "embed d.csv --method classical-mds --spectrum full --memory 100K", &[leading]);
    let remedies =
        ["embed d.csv --method landmark-mds --memory 20K", "embed d.csv --method metric-mds --starts 1 --memory 1G"];
    refused(&desk, "embed d.csv --method metric-mds --starts 1 --memory 20K", &remedies);

    let spread = |i: i32, k: i32| f64::from((i * (37 + 14 * k) + 11 * k) % 101) / 101.0;
    let features = |count: i32| -> String {
        let row = |i: i32| format!("o{i},{:.3},{:.3},{:.3}\n", spread(i, 0), spread(i, 1), spread(i, 2));
        format!("label,x1,x2,x3\n{}", (0..count).map(row).collect::<String>())
    };
    desk.write("f.csv", features(900));
    let few = "embed f.csv --kind features --method landmark-isomap --memory 4000K";
    refused(&desk, "embed f.csv --kind features --method isomap --memory 4000K", &[few]);

    let triplet = |k: i32| format!("o{},o{},o{}\n", k % 30, (k * 7 + 1) % 30, (k * 11 + 2) % 30);
    let distinct = |k: &i32| k % 30 != (k * 7 + 1) % 30 && k % 30 != (k * 11 + 2) % 30 && (k * 4 + 1) % 30 != 0;
    desk.write("g.csv", features(30));
    desk.write("t.csv", format!("head,near,far\n{}", (0..90).filter(distinct).map(triplet).collect::<String>()));
    let over = "embed t.csv --method svm-metric --over kernels --kernel rbf:g.csv --memory 250K";
    refused(&desk, over, &[&format!("{over} --basis 3")]);
    refused(&desk, "embed t.csv --memory 2K", &["embed t.csv --memory 1G"]);

    let chain: String = (0..45).map(|i| format!("h,o{i},o{}\n", i + 1)).collect();
    desk.write("deep.csv", format!("head,near,far\n{chain}"));
    desk.write("h.csv", features(46).replace("x3\n", "x3\nh,0,0,0\n"));
    let deep = "embed deep.csv h.csv::kind=features --method kernel-partial-order --margins";
    refused(&desk, &format!("{deep} doubling"), &[&format!("{deep} linear")]);

    desk.write("chain.csv", CHAIN).write("points.csv", POINTS);
    desk.run(&["embed", "chain.csv", "--method", "kernel-gnmds", "--kernel", "linear:points.csv", "-o", "p.cert"])
        .success();
    refused(&desk, "verify p.cert chain.csv", &["verify p.cert chain.csv --kernel linear:points.csv"]);

    // Files of the program's own that are given as evidence are sent where they belong.
    refused(&desk, "embed p.cert", &["verify p.cert chain.csv --kernel linear:points.csv"]);
    desk.run(&["embed", "d.csv", "--method", "classical-mds", "-o", "m.nearer"]).success();
    let welcome = ["place m.nearer d.csv -o q.csv", "report m.nearer d.csv -o m.html", "eval m.nearer d.csv"];
    refused(&desk, "embed m.nearer", &welcome);
    said
}
