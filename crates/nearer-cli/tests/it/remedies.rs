//! Every remedy works: an error that names one is provoked, and what it says is done, literally.
//!
//! A case is a file on the desk, a command that is refused with these words, and the command that the remedy asks for,
//! which must succeed. A new error message with a remedy belongs here.

use std::fmt::Write as _;

use crate::{Desk, stderr};

/// One error and its remedy.
struct Case {
    files: &'static [(&'static str, &'static str)],
    /// What is refused.
    refused: &'static [&'static str],
    /// What the refusal says, the words of the remedy among it.
    says: &'static [&'static str],
    /// The remedy, followed; several commands where it takes several.
    remedy: &'static [&'static [&'static str]],
}

const FULL: &str = "label,a,b,c,d\na,0,1,2,3\nb,1.5,0,1,2\nc,2,1,0,1\nd,3,2,1,0\n";
const WORDS: &str = "pear,apple,plum\napple,plum,kiwi\nkiwi,pear,fig\nfig,kiwi,plum\nplum,apple,fig\n";
const FOUR: &str = "pear,apple,plum,kiwi\napple,plum,kiwi,fig\nkiwi,pear,fig,plum\nfig,kiwi,plum,apple\n";
const ALIKE: &str = "SubjectID,Document1,Document2,Similarity,Time\ns1,1,2,4,0.5\ns1,1,3,2,0.7\ns1,2,3,1,0.4\ns2,1,2,5,0.5\ns2,1,3,2,0.9\ns2,2,3,2,1.2\n";
const NAN: &str = "label,a,b,c\na,0,1,2\nb,1,0,NaN\nc,2,NaN,0\n";
const DIAGONAL: &str = "label,a,b,c\na,1,.5,.2\nb,.5,1,.3\nc,.2,.3,1\n";
const WHOLE: &str = "1,2,3\n2,3,4\n3,4,1\n4,1,2\n1,3,4\n2,4,1\n";

const SORTED: &str =
    "object,ann,bob,eve\ncat,fur,pet,a\nlynx,fur,wild,a\ncod,fin,food,b\nhake,fin,food,a\ncarp,fin,pet,b\n";
const STIMS: &str = "stim,pick,other\ncat,lynx,cod\ncod,hake,cat\nhake,carp,lynx\ncarp,cod,cat\nlynx,cat,hake\n";
const NUMBERS: &str = "what,x1,x2\ncat,1,2\nlynx,2,2\ncod,7,1\nhake,8,2\ncarp,6,3\n";

const PARTS: &str = "label,a,b,c,d,e,f,g\na,0,1,2,3,9,9,9\nb,1,0,1,2,9,9,9\nc,2,1,0,1,9,9,9\nd,3,2,1,0,9,9,9\ne,9,9,9,9,0,1,2\n\
                     f,9,9,9,9,1,0,1\ng,9,9,9,9,2,1,0\n";
const SQUARE: &str = "label,a,b,c,d\na,0,1,2,3\nb,1,0,1,2\nc,2,1,0,1\nd,3,2,1,0\n";
const CIRCLE: &str = "head,near,far\na,b,c\nb,c,a\nc,a,b\na,c,d\nb,a,d\n";
const CHAIN: &str = "head,near,far\na,b,c\na,c,d\nb,c,d\n";
const AROUND: &str = "from,to,label\na,b,1\nb,c,1\nc,a,1\na,c,0\nb,a,0\nc,b,0\n";
const POINTS: &str = "label,x,y\na,0,0\nb,1,0\nc,0,1\nd,3,3\n";

const CASES: &[Case] = &[
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
        files: &[("m.csv", POINTS)],
        refused: &["embed", "m.csv"],
        says: &["a map already", "`nearer report`", "`nearer plot`", "--kind rows", "--kind features"],
        remedy: &[
            &["report", "m.csv", "-o", "m.html"],
            &["plot", "m.csv", "-o", "m.svg"],
            &["embed", "m.csv", "--kind", "features"],
        ],
    },
    Case {
        files: &[("d.csv", SQUARE), ("o.txt", "a\nb\nc\nd\n")],
        refused: &["embed", "d.csv", "--objects", "o.txt"],
        says: &["take --objects away"],
        remedy: &[&["embed", "d.csv"]],
    },
    Case {
        files: &[("d.csv", SQUARE)],
        refused: &["eval", "d.csv", "d.csv"],
        says: &["these are distances and not coordinates", "`nearer embed`"],
        remedy: &[&["embed", "d.csv", "-o", "m.csv"], &["eval", "m.csv", "d.csv"]],
    },
    Case {
        files: &[("d.csv", SQUARE), ("n.csv", "label,a,b,c,d\nn,1,1,2,3\n"), ("m.csv", POINTS)],
        refused: &["place", "m.csv", "n.csv", "-o", "p.csv"],
        says: &["not a model file", "give a file that `nearer embed` wrote"],
        remedy: &[&["embed", "d.csv", "-o", "m.nearer"], &["place", "m.nearer", "n.csv", "-o", "p.csv"]],
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
        files: &[
            ("p.csv", "from,to,label\na,b,3.5\nb,c,1.5\na,c,2\n"),
            ("q.csv", "from,to,distance\na,b,3.5\nb,c,1.5\na,c,2\n"),
        ],
        refused: &["embed", "p.csv"],
        says: &["does not say whether the two are alike", "if the column holds distances, call it `distance`"],
        remedy: &[&["embed", "q.csv"]],
    },
    Case {
        files: &[("t.csv", "head,near,far,catch_trial,flag\na,b,c,perhaps,0\nb,c,d,no,0\nc,d,a,no,1\na,b,d,no,0\n")],
        refused: &["embed", "t.csv"],
        says: &["`perhaps` does not say whether the row is a check", "--columns check=…"],
        remedy: &[&["embed", "t.csv", "--columns", "check=flag"]],
    },
    Case {
        files: &[("t.csv", "stim1,stim2,stim3,choice\na,b,c,a\nb,c,d,c\nc,d,a,a\n")],
        refused: &["embed", "t.csv"],
        says: &["--columns odd=choice,shown=stim1,shown=stim2,shown=stim3", "--columns central=choice"],
        remedy: &[
            &["embed", "t.csv", "--columns", "odd=choice,shown=stim1,shown=stim2,shown=stim3"],
            &["embed", "t.csv", "--columns", "central=choice,shown=stim1,shown=stim2,shown=stim3"],
        ],
    },
    Case {
        files: &[("t.csv", WORDS)],
        refused: &["embed", "t.csv", "--kind", "odd-one-out"],
        says: &["--columns odd=1,shown=2,shown=3", "--columns odd=3,shown=1,shown=2"],
        remedy: &[
            &["embed", "t.csv", "--columns", "odd=1,shown=2,shown=3"],
            &["embed", "t.csv", "--columns", "odd=3,shown=1,shown=2"],
        ],
    },
    Case {
        files: &[("d.csv", "label,a,b,c\na,0,-1,2\nb,-1,0,3\nc,2,3,0\n")],
        refused: &["embed", "d.csv"],
        says: &["the distance -1 is negative", "--similarity"],
        remedy: &[&["embed", "d.csv", "--similarity", "max-s"]],
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
        files: &[("d.csv", SQUARE)],
        refused: &["embed", "d.csv", "--dim", "9"],
        says: &["`dim` is 9, expected 1 to n - 1 = 3 for 4 objects"],
        remedy: &[&["embed", "d.csv", "--dim", "3"]],
    },
    Case {
        // What is said of one file does not hold for the other.
        files: &[("t.csv", STIMS), ("f.csv", NUMBERS)],
        refused: &["embed", "t.csv", "f.csv", "--kind", "features"],
        says: &["t.csv", "is not a number"],
        remedy: &[
            &["embed", "t.csv::columns=head=stim,near=pick,far=other", "f.csv::kind=features"],
            &["embed", "t.csv::head=stim,near=pick,far=other,kind=triplets", "f.csv::kind=features"],
        ],
    },
    Case {
        files: &[("s.csv", SORTED)],
        refused: &["clean", "s.csv", "--kind", "sorts", "-o", "c.csv"],
        says: &["cannot be cleaned", "`nearer embed` settles what it makes of sorts itself"],
        remedy: &[&["embed", "s.csv", "--kind", "sorts", "--method", "psde", "--slack", "1"]],
    },
    Case {
        files: &[("t.csv", STIMS)],
        refused: &["embed", "t.csv::kinds=triplets"],
        says: &["`kinds` cannot be said of a file", "kind, format, similarity, formula, measure, where, columns"],
        remedy: &[&["embed", "t.csv::kind=triplets,columns=head=stim,near=pick,far=other"]],
    },
    Case {
        files: &[("d.csv", FULL)],
        refused: &["embed", "d.csv"],
        says: &["not symmetric", "--kind upper or --kind lower"],
        remedy: &[&["embed", "d.csv", "--kind", "upper"], &["embed", "d.csv", "--kind", "lower"]],
    },
    Case {
        files: &[("t.csv", WORDS)],
        refused: &["embed", "t.csv"],
        says: &[
            "`pear,apple,plum` names no columns",
            "--kind triplets",
            "--columns odd=3,shown=1,shown=2",
            "head,near,far",
        ],
        remedy: &[&["embed", "t.csv", "--kind", "triplets"], &["embed", "t.csv", "--columns", "odd=3,shown=1,shown=2"]],
    },
    Case {
        files: &[("q.csv", FOUR)],
        refused: &["embed", "q.csv"],
        says: &["names no columns", "--kind quadruplets"],
        remedy: &[&["embed", "q.csv", "--kind", "quadruplets"]],
    },
    Case {
        files: &[("s.csv", ALIKE)],
        refused: &["embed", "s.csv"],
        says: &["the column `Similarity` holds similarities", "--similarity max-s"],
        remedy: &[&["embed", "s.csv", "--similarity", "max-s"]],
    },
    Case {
        files: &[("d.csv", NAN)],
        refused: &["embed", "d.csv"],
        says: &["`NaN`", "--nan-missing"],
        remedy: &[&["embed", "d.csv", "--nan-missing"]],
    },
    Case {
        files: &[("d.csv", DIAGONAL)],
        refused: &["embed", "d.csv"],
        says: &["diagonal entry of `a` is 1", "--similarity (1-s, max-s, sqrt"],
        remedy: &[
            &["embed", "d.csv", "--similarity", "1-s"],
            &["embed", "d.csv", "--similarity", "max-s"],
            &["embed", "d.csv", "--similarity", "sqrt"],
        ],
    },
    Case {
        files: &[("w.csv", WHOLE)],
        refused: &["embed", "w.csv"],
        says: &["three columns of whole numbers", "--kind long, --kind triplets, --kind odd-one-out"],
        remedy: &[&["embed", "w.csv", "--kind", "long"], &["embed", "w.csv", "--kind", "triplets"]],
    },
];

#[test]
fn every_remedy_works_when_followed_literally() {
    let mut wrong = String::new();
    for case in CASES {
        let desk = Desk::new();
        for (name, content) in case.files {
            desk.write(name, content);
        }
        let said = stderr(&desk.run(case.refused).code(2));
        for words in case.says {
            if !said.contains(words) {
                let _ = writeln!(wrong, "{:?} does not say `{words}`: {said}", case.refused);
            }
        }
        for remedy in case.remedy {
            let run = desk.run(remedy);
            if run.get_output().status.code() != Some(0) {
                let _ = writeln!(wrong, "{remedy:?}, the remedy of {:?}: {}", case.refused, stderr(&run));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A pair answered both ways is no reason to stop: it counts for the majority, and it is said.
#[test]
fn contradictory_pairs_are_settled_and_said() {
    let desk = Desk::new();
    desk.write("p.csv", "from,to,label\na,b,1\na,b,0\nb,c,1\nc,d,0\na,d,0\na,d,0\na,d,1\n");
    let run = desk.run(&["embed", "p.csv"]).success();
    let said = stderr(&run);
    assert!(said.contains("answered both ways: 1 count for the majority, 1 with as many"), "{said}");
}

/// Classes from a column of the features, or of the metadata; the features are the other columns.
#[test]
fn a_column_can_be_the_classes() {
    let desk = Desk::new();
    desk.write("f.csv", "id,kind,length,width\na,oak,1,2\nb,oak,1,3\nc,ash,7,8\nd,ash,8,8\ne,elm,4,1\nf,elm,5,1\n");
    let told = desk.json(&["embed", "f.csv", "--classes", "kind"]);
    assert_eq!((&told["method"], &told["objects"]), (&"lda".into(), &6.into()));
    desk.write("n.csv", "id,length,width\na,1,2\nb,1,3\nc,7,8\nd,8,8\ne,4,1\nf,5,1\n");
    desk.write("m.csv", "id,kind\na,oak\nb,oak\nc,ash\nd,ash\ne,elm\nf,elm\n");
    let same = desk.json(&["embed", "n.csv", "--metadata", "m.csv", "--classes", "kind"]);
    assert_eq!(same["objective"], told["objective"]);
    let said = stderr(&desk.run(&["embed", "n.csv", "--classes", "kind"]).code(2));
    assert!(said.contains("--classes kind"), "{said}");
}

/// Square matrices as R writes them: columns V1, V2 … and rows 1, 2 …, with and without a corner or row names.
#[test]
fn matrices_without_names_as_r_writes_them() {
    for text in [
        "\"\",\"V1\",\"V2\",\"V3\"\n\"1\",0,3,4\n\"2\",3,0,5\n\"3\",4,5,0\n",
        "\"V1\" \"V2\" \"V3\"\n\"1\" 0 3 4\n\"2\" 3 0 5\n\"3\" 4 5 0\n",
        "V1,V2,V3\n0,3,4\n3,0,5\n4,5,0\n",
    ] {
        for kind in [&["embed", "d.csv"][..], &["embed", "d.csv", "--kind", "matrix"]] {
            let desk = Desk::new();
            desk.write("d.csv", text);
            let told = desk.json(kind);
            assert_eq!(told["objects"], 3, "{text}");
        }
    }
}

/// Objects and features that are only numbered are no square of distances.
#[test]
fn numbered_features_stand_beside_numbered_judgements() {
    let desk = Desk::new();
    let mut features = String::from(",0,1,2,3,4,5\n");
    for i in 0..5 {
        let row: Vec<String> = (0..6).map(|k| format!("{}", f64::from((i * 7 + k * 3) % 11) - 5.5)).collect();
        let _ = writeln!(features, "{i},{}", row.join(","));
    }
    desk.write("f.csv", features);
    desk.write("t.csv", "head,near,far\n0,1,2\n1,2,3\n2,3,4\n3,4,0\n4,0,1\n");
    let told = desk.json(&["embed", "t.csv", "f.csv"]);
    assert_eq!(told["method"], "kernel-gnmds");
}

#[test]
fn errors_are_json_where_json_is_asked_for() {
    let desk = Desk::new();
    desk.write("d.csv", "label,a,b\na,0,x\nb,1,0\n");
    let told = |args: &[&str]| -> serde_json::Value {
        let run = desk.run(args).code(2);
        serde_json::from_slice(&run.get_output().stdout).unwrap()
    };
    let value = told(&["embed", "d.csv", "--json"]);
    let e = &value["error"];
    assert_eq!((e["kind"].as_str(), e["line"].as_u64(), e["column"].as_u64()), (Some("value"), Some(2), Some(3)));
    assert!(e["message"].as_str().unwrap().contains("`x`") && e["remedy"].is_string(), "{value}");
    assert_eq!(told(&["embed", "none.csv", "--json"])["error"]["kind"], "file");
    assert_eq!(told(&["embed", "--json", "--dimm", "2"])["error"]["kind"], "usage");
    assert!(desk.run(&["embed", "d.csv"]).code(2).get_output().stdout.is_empty());
}

/// A file of the program's own that is given as evidence is sent where it belongs, and is welcome there.
#[test]
fn models_and_certificates_are_sent_where_they_belong() {
    let desk = Desk::new();
    desk.write("d.csv", SQUARE);
    desk.run(&["embed", "d.csv", "--method", "robust-mds", "-o", "proof.cert", "-o", "m.nearer"]).success();
    let said = stderr(&desk.run(&["embed", "proof.cert"]).code(2));
    assert!(said.contains("`nearer verify`, with the evidence after it"), "{said}");
    desk.run(&["verify", "proof.cert", "d.csv"]).success();
    let said = stderr(&desk.run(&["embed", "m.nearer"]).code(2));
    assert!(said.contains("`nearer place`, `nearer report` or `nearer eval`"), "{said}");
    for remedy in [
        &["place", "m.nearer", "d.csv", "-o", "p.csv"][..],
        &["report", "m.nearer", "d.csv", "-o", "m.html"],
        &["eval", "m.nearer", "d.csv"],
    ] {
        desk.run(remedy).success();
    }
}

/// Similarities that were read as distances get a word, and what it says takes it away.
#[test]
fn similarities_read_as_distances_get_a_word_that_helps() {
    let desk = Desk::new();
    let n = 9;
    let at = |i: i32| {
        let turn = std::f64::consts::TAU * f64::from(i) / f64::from(n);
        (turn.cos(), 0.8 * turn.sin() + 0.05 * f64::from(i))
    };
    let alike = |i: i32, j: i32| {
        let ((a, b), (c, d)) = (at(i), at(j));
        if i == j { 0.0 } else { (-3.0 * (a - c).hypot(b - d)).exp() }
    };
    let mut table = String::from("label");
    (0..n).for_each(|i| table += &format!(",o{i}"));
    for i in 0..n {
        let _ = write!(table, "\no{i}");
        (0..n).for_each(|j| table += &format!(",{:.4}", alike(i, j)));
    }
    desk.write("s.csv", table);
    for command in ["embed", "check"] {
        let run = desk.run(&[command, "s.csv"]).success();
        let said = stderr(&run);
        assert!(said.contains("if these are similarities") && said.contains("max-s"), "{command}: {said}");
        let said = stderr(&desk.run(&[command, "s.csv", "--similarity", "max-s"]).success());
        assert!(!said.contains("if these are similarities"), "{command}: {said}");
    }
}
