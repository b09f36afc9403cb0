//! Every remedy works: an error that names one is provoked, and what it says is done, literally.
//!
//! A case is a file on the desk, a command that is refused with these words, and the command that the remedy asks for,
//! which must succeed. That no remedy is without a case is checked against the source: [`source`] finds every place that
//! names a setting, a command or another method as a remedy, and what it says must have been said by some refusal of a case.

mod measures;
mod methods;
mod named;
mod reading;
mod source;
mod tables;

use std::fmt::Write as _;

use crate::{Desk, stderr};

/// One error and its remedy.
struct Case {
    /// Names and contents; an array is written as its shape and its numbers, see [`array`].
    files: &'static [(&'static str, &'static str)],
    /// What is refused.
    refused: &'static [&'static str],
    /// What the refusal says, the words of the remedy among it.
    says: &'static [&'static str],
    /// The remedy, followed; several commands where it takes several.
    remedy: &'static [&'static [&'static str]],
}

const SQUARE: &str = "label,a,b,c,d\na,0,1,2,3\nb,1,0,1,2\nc,2,1,0,1\nd,3,2,1,0\n";
const CHAIN: &str = "head,near,far\na,b,c\na,c,d\nb,c,d\n";
const POINTS: &str = "label,x,y\na,0,0\nb,1,0\nc,0,1\nd,3,3\n";

/// An array of numbers as NumPy writes it, from `2,3: 1 2 3 4 5 6`.
fn array(text: &str) -> Vec<u8> {
    let (shape, numbers) = text.split_once(':').unwrap();
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape},), }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(numbers.split_whitespace().flat_map(|v| v.parse::<f64>().unwrap().to_le_bytes()));
    bytes
}

/// A case on a desk of its own: what it said when it was refused; what did not go as it should is written down.
fn follow(case: &Case, wrong: &mut String) -> String {
    let desk = Desk::new();
    for (name, content) in case.files {
        match *name {
            name if name.ends_with(".npy") => desk.write(name, array(content)),
            name => desk.write(name, content),
        };
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
    said
}

#[test]
fn every_remedy_works_when_followed_literally() {
    let mut wrong = String::new();
    let mut said: Vec<String> = Vec::new();
    for case in [reading::CASES, tables::CASES, measures::CASES, methods::CASES].into_iter().flatten() {
        said.push(follow(case, &mut wrong));
    }
    said.extend(methods::large(&mut wrong));
    said.extend(named::follow(&mut wrong));
    for remedy in source::remedies() {
        let met = said.iter().any(|said| remedy.says.iter().all(|words| said.contains(words)));
        if !met && !remedy.is_out_of_reach() {
            let _ = writeln!(wrong, "{}: no case follows the remedy {:?}", remedy.place, remedy.says);
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
    assert!(said.contains("answered both ways, as `a` and `b`: 1 counts for the majority, 1 with as many"), "{said}");
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
