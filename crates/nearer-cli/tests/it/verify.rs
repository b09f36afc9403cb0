//! Certificates through the command: written, accepted, and found out.

use std::fs;

use crate::{Desk, square, stderr, stdout};

/// Answers about points on a line, one of them wrong.
const ANSWERS: &str = "\
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

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("answers.csv", ANSWERS).write("order.csv", consistent()).write("alike.csv", ALIKE);
    desk.write("square.csv", square(9, 3));
    desk
}

/// What is embedded, by which method, with which flags.
const FITS: [(&str, &[&str]); 7] = [
    ("answers.csv", &["--method", "gnmds"]),
    ("answers.csv", &["--method", "gnmds", "--slack", "0.3"]),
    ("alike.csv", &["--method", "psde"]),
    ("alike.csv", &["--method", "psde", "--slack", "0.05"]),
    ("order.csv", &["--method", "partial-order"]),
    ("answers.csv", &["--method", "partial-order", "--repair", "cheapest"]),
    ("square.csv", &["--method", "robust-mds"]),
];

fn embed(desk: &Desk, file: &str, flags: &[&str]) {
    let mut args = vec!["embed", file, "-o", "proof.cert", "-o", "map.csv", "--certified", "1e-4"];
    args.extend(flags);
    desk.run(&args).success();
}

#[test]
fn every_certificate_that_was_written_is_accepted() {
    let desk = desk();
    for (file, flags) in FITS {
        embed(&desk, file, flags);
        let said = desk.json(&["verify", "proof.cert", file]);
        assert_eq!(said["accepted"], true, "{file} {flags:?}: {said}");
        assert_eq!(said["method"], flags[1]);
        for key in ["primal", "bound", "gap"] {
            assert!(said["found"][key].is_number() && said["claimed"][key].is_number(), "{key} in {said}");
        }
    }
    let run = desk.run(&["verify", "proof.cert", "square.csv"]).success();
    assert!(stderr(&run).contains("accepted") && stdout(&run).is_empty(), "{}", stderr(&run));
}

#[test]
fn what_was_done_to_a_certificate_is_found() {
    let desk = desk();
    embed(&desk, "answers.csv", &["--method", "gnmds"]);
    let rejected = |args: &[&str], word: &str| {
        let mut all = vec!["verify"];
        all.extend(args);
        let run = desk.run(&all).code(1);
        let said = stderr(&run);
        assert!(said.contains("rejected") && said.contains(word), "{args:?}: {said}");
        all.push("--json");
        let json: serde_json::Value = serde_json::from_slice(&desk.run(&all).code(1).get_output().stdout).unwrap();
        assert_eq!(json["accepted"], false);
        assert!(!json["reasons"].as_array().unwrap().is_empty());
    };
    // Other evidence: another file, and the same one with an answer turned round.
    rejected(&["proof.cert", "order.csv"], "other evidence");
    desk.write("turned.csv", ANSWERS.replace("e,d,b", "e,b,d"));
    rejected(&["proof.cert", "turned.csv"], "other evidence");
    // A bound and a multiplier, each changed in the bytes of the file.
    let whole = fs::read(desk.path("proof.cert")).unwrap();
    let length = u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    let header = String::from_utf8(whole[8..8 + length].to_vec()).unwrap();
    let at = header.find("bound\\\":").unwrap() + 8;
    let digit = header[at..].find(|c: char| ('1'..='8').contains(&c)).unwrap() + 8 + at;
    let mut bound = whole.clone();
    bound[digit] += 1;
    desk.write("bound.cert", &bound);
    rejected(&["bound.cert", "answers.csv"], "bound");
    let tensors: serde_json::Value = serde_json::from_str(&header).unwrap();
    let from = tensors["multipliers"]["data_offsets"][0].as_u64().unwrap() as usize + 8 + length;
    let to = tensors["multipliers"]["data_offsets"][1].as_u64().unwrap() as usize + 8 + length;
    let mut flipped = whole.clone();
    // The sign of every multiplier.
    (from..to).skip(7).step_by(8).for_each(|k| flipped[k] ^= 0x80);
    desk.write("flipped.cert", &flipped);
    rejected(&["flipped.cert", "answers.csv"], "multiplier");
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let desk = desk();
    embed(&desk, "answers.csv", &["--method", "gnmds"]);
    let refused = |args: &[&str], words: &[&str]| {
        let said = stderr(&desk.run(args).code(2));
        words.iter().for_each(|word| assert!(said.contains(word), "{args:?}: `{word}` is not in {said}"));
    };
    let whole = fs::read(desk.path("proof.cert")).unwrap();
    desk.write("cut.cert", &whole[..whole.len() - 20]);
    refused(&["verify", "cut.cert", "answers.csv"], &["cut.cert", "certificate", "cut off"]);
    refused(&["verify", "answers.csv", "answers.csv"], &["answers.csv", "not a certificate"]);
    refused(&["verify", "proof.cert"], &["EVIDENCE"]);
    refused(&["verify", "none.cert", "answers.csv"], &["none.cert"]);
    refused(&["embed", "proof.cert"], &["proof.cert", "nearer verify"]);
    // Nothing is written where there is nothing to certify.
    refused(&["embed", "square.csv", "--method", "metric-mds", "-o", "no.cert"], &["metric-mds", "no.cert"]);
    refused(&["embed", "square.csv", "--method", "metric-mds", "--certified", "1e-5"], &["metric-mds", "--certified"]);
    refused(&["embed", "answers.csv", "--certified", "0"], &["certified"]);
    assert!(!desk.path("no.cert").exists());
}

#[test]
fn a_gap_that_is_not_reached_is_exit_1_and_all_is_written() {
    let desk = desk();
    let args = ["embed", "answers.csv", "--method", "gnmds", "--gap", "0.1", "--certified", "1e-13", "-o", "map.csv"];
    let run = desk.run(&args).code(1);
    assert!(stderr(&run).contains("--certified"), "{}", stderr(&run));
    assert!(desk.path("map.csv").exists());
}
