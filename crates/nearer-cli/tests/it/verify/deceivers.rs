//! Files that deceived or broke an earlier version, each refused for its own reason (`fuzz/deceivers`).

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;

use crate::{Desk, stderr};

fn deceivers() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/deceivers")
}

/// A certificate, what it is said to be about, and a kind of reason that it is refused for.
const CERTIFICATES: &[(&str, &[&str], &str)] = &[
    // It claims an attained value of -2315, which a sum of squares and hinges is not, and a gap of 1.
    ("own_gap_primal", &["answers.csv"], "primal"),
    // One direction of seventeen called all; 28.77 is attained.
    ("forged_mvu_kernel", &["strip.csv", "--kind", "features", "--kernel", "rbf:strip.csv"], "other-question"),
    // Seven junk vectors called landmarks; the honest ones attain 59.98.
    ("forged_junk7", &["strip.csv", "--kind", "features"], "bound"),
    // A zigzag called a landmark.
    ("forged_mvu_landmark", &["strip.csv", "--kind", "features"], "other-question"),
    // One direction of three called all; 1.832 is attained.
    ("forged_basis_0", &["answers.csv", "--kernel", "rbf:features.csv"], "other-question"),
    // A basis that is a hundred-thousandth outside the span, under a slack of a million; the truth is 12,000,000 or more.
    ("forged_inside_1e6_0", &["twin_c.csv", "--kernel", "rbf:twin_f.csv"], "primal"),
    // Random points of size 1e-154, claimed optimal.
    ("forged_tiny_16", &["alike.csv"], "primal"),
    ("forged_tiny_46", &["alike.csv", "--kernel", "rbf:features.csv"], "primal"),
    // A slack of 2e13: all points equally far, claimed optimal.
    ("forged_psde", &["alike.csv"], "primal"),
    // 100,000 empty columns, claimed 0 = 0; the truth is 53.1.
    ("forged_lmnn", &["ones.csv", "--classes", "kind"], "primal"),
    // A claimed gap of 0, and figures 1.5e-2 apart.
    ("forged_bs_svm-metric_1e12", &["order.csv", "--kernel", "rbf:features.csv"], "gap"),
    // A word where yes or no belongs, a word where a number does, and a sentence.
    ("words_unitvariance", &["classed.csv", "--classes", "kind"], "settings"),
    ("words_radius", &["strip.csv", "--kind", "features"], "settings"),
    ("words_join", &["strip.csv", "--kind", "features"], "settings"),
    // A basis of 5,000 directions for 18 objects, which asked for gigabytes.
    ("dos_basis_5000", &["strip.csv", "--kind", "features"], "shape"),
];

fn desk() -> Desk {
    let desk = Desk::new();
    for entry in fs::read_dir(deceivers()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(&path).unwrap();
        match name.strip_suffix(".gz") {
            Some(plain) => {
                let mut whole = Vec::new();
                std::io::Read::read_to_end(&mut GzDecoder::new(&bytes[..]), &mut whole).unwrap();
                desk.write(plain, whole)
            }
            None => desk.write(&name, bytes),
        };
    }
    desk
}

#[test]
fn every_deceiver_is_refused_for_its_own_reason() {
    let desk = desk();
    for (name, about, reason) in CERTIFICATES {
        let file = format!("{name}.cert");
        let begun = Instant::now();
        let run =
            desk.run(&[&["--memory", "100MB", "--time-limit", "30s", "--json", "verify", &file], *about].concat());
        let run = run.code(1);
        let said: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
        let kinds: Vec<&str> =
            said["reasons"].as_array().unwrap().iter().map(|r| r["kind"].as_str().unwrap()).collect();
        assert!(kinds.contains(reason), "{name}: {kinds:?}");
        // A claim is told beside what was found, or not at all.
        assert_eq!(said.get("claimed").is_some(), said.get("found").is_some(), "{name}: {said}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: {:?}", begun.elapsed());
    }
    let certificates = fs::read_dir(deceivers()).unwrap().filter(|e| {
        let name = e.as_ref().unwrap().file_name();
        name.to_str().is_some_and(|n| n.ends_with(".cert") || n.ends_with(".cert.gz"))
    });
    assert_eq!(certificates.count(), CERTIFICATES.len(), "a deceiver that no test speaks of");
}

/// 38 KB of pairs in 400 grades, and a limit: it is kept before anything is made.
#[test]
fn grades_are_charged_before_they_are_made() {
    let desk = desk();
    let run = desk.run(&["--memory", "100MB", "embed", "grades400.csv", "-m", "psde", "--slack", "1", "-o", "m.csv"]);
    let said = stderr(&run.code(2));
    assert!(said.contains("memory") || said.contains("MB") || said.contains("MiB"), "{said}");
    assert!(!desk.path("m.csv").exists());
}

/// A check that is not over in its time has no verdict; one that needs more memory than it may use is refused before.
#[test]
fn limits_of_a_check_are_kept() {
    let desk = desk();
    desk.run(&["embed", "alike.csv", "--method", "psde", "-o", "proof.cert", "-o", "m.csv"]).success();
    let said = stderr(&desk.run(&["--time-limit", "0.000001s", "verify", "proof.cert", "alike.csv"]).code(2));
    assert!(said.contains("time"), "{said}");
}
