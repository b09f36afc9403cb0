//! Certificates through the command: written, accepted, and found out.

mod deceivers;
mod fits;

use std::collections::BTreeSet;
use std::fs;

use nearer::method::table::find;

use crate::{Desk, stderr, stdout};
#[cfg_attr(not(feature = "faults"), allow(unused_imports))]
pub(crate) use fits::{ANSWERS, FEATURES};
use fits::{FITS, all_is_tried, desk};

fn embed(desk: &Desk, file: &str, flags: &[&str]) {
    let mut args = vec!["embed", file, "-o", "proof.cert", "-o", "map.csv", "-o", "map.json", "--certified", "1e-4"];
    args.extend(flags);
    desk.run(&args).success();
}

/// A method that has a certificate and no row above for one of its forms, or a row whose certificate `verify` does not take, fails here.
#[test]
fn every_certificate_that_was_written_is_accepted_and_a_changed_one_is_not() {
    let desk = desk();
    let mut words = BTreeSet::new();
    for (file, flags, reading) in FITS {
        embed(&desk, file, &[*flags, *reading].concat());
        let report: serde_json::Value = serde_json::from_str(&desk.read("map.json")).unwrap();
        for (name, value) in report["settings"].as_object().unwrap() {
            let word = value.as_bool().map(|yes| if yes { "yes" } else { "no" }).or(value.as_str());
            let name = find(flags[1]).unwrap().parameters.iter().find(|p| p.name == name).unwrap().name;
            words.extend(word.map(|word| (flags[1], name, word.to_owned())));
        }
        let with = |cert: &'static str| [&["verify", cert, *file], *reading].concat();
        let said = desk.json(&with("proof.cert"));
        assert_eq!(said["accepted"], true, "{file} {flags:?}: {said}");
        assert_eq!(said["method"], flags[1]);
        for key in ["primal", "bound", "gap"] {
            assert!(said["found"][key].is_number() && said["claimed"][key].is_number(), "{key} in {said}");
        }
        let beside = ["--kernel", "--classes", "features.csv"];
        let restricted = flags.contains(&"--variant") || beside.iter().any(|word| reading.contains(word));
        assert_eq!(said["claimed"]["about"] == "no map in any number of dimensions", !restricted, "{said}");
        // A digit of the bound, changed in the bytes of the file.
        let mut whole = fs::read(desk.path("proof.cert")).unwrap();
        let at = whole.windows(9).position(|w| w == b"\\\"bound\\\"").unwrap();
        let digit = (at + 10..).find(|k| (b'1'..=b'8').contains(&whole[*k])).unwrap();
        whole[digit] += 1;
        desk.write("changed.cert", &whole);
        desk.run(&with("changed.cert")).code(1);
    }
    all_is_tried(&words);
    let run = desk.run(&["verify", "proof.cert", "answers.csv", "--kernel", "rbf:features.csv"]).success();
    assert!(stderr(&run).contains("accepted") && stdout(&run).is_empty(), "{}", stderr(&run));
    // Kernels of other features are other evidence.
    desk.write("others.csv", FEATURES.replace("4100", "4101"));
    desk.run(&["verify", "proof.cert", "answers.csv", "--kernel", "rbf:others.csv"]).code(1);
    // What was verified is said: the settings, and the set that the bound speaks of.
    embed(&desk, "answers.csv", &["--method", "partial-order", "--repair", "cheapest"]);
    let said = desk.json(&["verify", "proof.cert", "answers.csv"]);
    assert!(said["settings"]["bound"].as_f64().is_some_and(|b| b > 0.0), "{said}");
    assert_eq!(said["settings"]["repair"], "cheapest", "{said}");
    assert_eq!(said["about"], "no map in any number of dimensions", "{said}");
    let run = desk.run(&["verify", "proof.cert", "answers.csv"]).success();
    assert!(stderr(&run).contains("repair cheapest"), "{}", stderr(&run));
}

/// Income in dollars and age in years: the narrow one is in the proof, and is named.
#[test]
fn a_narrow_feature_is_not_left_out_of_a_proof() {
    let desk = desk();
    // Two groups of three, which the young and the old are.
    desk.write(
        "groups.csv",
        "from,to,label\na,b,1\na,c,1\nb,c,1\nd,e,1\nd,f,1\ne,f,1\na,d,0\na,f,0\nb,e,0\nb,f,0\nc,d,0\nc,e,0\n",
    );
    let said = |unit: f64| {
        let mut table = "label,income,age\n".to_string();
        for (name, income, age) in
            [("a", 50.0, 2), ("b", 33.0, 1), ("c", 42.0, 2), ("d", 37.0, 8), ("e", 47.0, 9), ("f", 36.0, 8)]
        {
            table += &format!("{name},{},{age}\n", unit * income);
        }
        desk.write("units.csv", table);
        desk.json(&["embed", "groups.csv", "--method", "kpsde", "--kernel", "linear:units.csv", "-o", "map.csv"])
    };
    let (wide, same) = (said(1000.0), said(1.0));
    let primal = |v: &serde_json::Value| v["certificate"]["primal"].as_f64().unwrap();
    assert!(
        (primal(&wide) - primal(&same)).abs() < 1e-4 * primal(&same).abs() && primal(&same) < -0.01,
        "{wide} {same}"
    );
    assert!(wide["warnings"].to_string().contains("`age`"), "{wide}");
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
        // Quiet or not, a failure has its reason.
        all.push("--quiet");
        assert!(stderr(&desk.run(&all).code(1)).contains(word), "{args:?}");
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

/// An answer that was not brought to the end says so, and what it says is true: also where its numbers prove more than that.
#[test]
fn rough_answers_are_accepted_as_what_they_claim() {
    let desk = desk();
    for (file, method, beside) in [
        ("answers.csv", "gnmds", &[][..]),
        ("alike.csv", "psde", &[]),
        ("order.csv", "partial-order", &[]),
        ("square.csv", "robust-mds", &[]),
        ("answers.csv", "kernel-gnmds", &["--kernel", "rbf:features.csv"]),
        ("answers.csv", "kernel-partial-order", &["--kernel", "rbf:features.csv"]),
        ("alike.csv", "kpsde", &["--kernel", "rbf:features.csv"]),
    ] {
        let embed = ["embed", file, "--method", method, "--gap", "0.5", "-o", "rough.cert", "-o", "map.csv"];
        desk.run(&[&embed[..], beside].concat()).success();
        let said = desk.json(&[&["verify", "rough.cert", file][..], beside].concat());
        assert_eq!(said["accepted"], true, "{method}: {said}");
    }
}
