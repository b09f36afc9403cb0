//! Everything that takes bytes from strangers, and what must hold of its answer.

use std::collections::HashMap;

use nearer::evidence::KernelSpec;
use nearer::io::{
    FileKind, Loaded, ReadOptions, Roles, Saved, Source, load_certificate, load_model, looks_like_model, read_evidence,
    read_map, read_metadata, read_objects, read_rows, save_certificate, save_model, split_rows,
};
use nearer::report::FitReport;
use nearer::verify::verify;
use nearer::{Error, Evidence, Objects};

use crate::forged::forged;
use crate::honest::Honest;
use crate::models::changed;
use crate::mutate::gz;
use crate::rng::Rng;

/// What a reader may hold; the peak of an input is held against it.
pub(crate) const MEMORY: u64 = 1 << 22;

/// The names under which bytes are read: the extension is a hint that readers follow.
pub(crate) const NAMES: [&str; 8] = ["f.csv", "f.csv", "f.tsv", "f.txt", "f.phy", "f.nwk", "f.npy", "f"];

/// The kinds of evidence that a reader can be told.
const KINDS: [&str; 21] = [
    "matrix",
    "lower",
    "upper",
    "condensed",
    "long",
    "phylip",
    "rows",
    "map",
    "triplets",
    "quadruplets",
    "odd-one-out",
    "most-central",
    "choices",
    "ranks",
    "pairs",
    "classes",
    "sorts",
    "taxonomy",
    "paths",
    "newick",
    "features",
];

/// What is fuzzed, by name, and how often of all.
pub(crate) const TARGETS: [(&str, usize); 15] = [
    ("recognised", 12),
    ("kind", 24),
    ("options", 8),
    ("rows", 3),
    ("map", 3),
    ("metadata", 3),
    ("objects", 2),
    ("split", 3),
    ("model", 6),
    ("certificate", 3),
    ("verify", 6),
    ("report", 3),
    ("kernel", 2),
    // Past the parser: what is changed is what was read.
    ("forged", 12),
    ("changed", 6),
];

/// The evidence that certificates are held against.
pub(crate) struct Fixed {
    pub(crate) judged: Evidence,
    pub(crate) measured: Evidence,
    /// Certificates that were accepted, for forgers to begin with.
    pub(crate) honest: Vec<Honest>,
    /// Models as they were saved.
    pub(crate) models: Vec<Saved>,
}

/// What a target said of an input: whether it was taken.
pub(crate) fn run(target: &str, name: &str, bytes: &[u8], fixed: &Fixed, rng: &mut Rng) -> Result<bool, String> {
    let source = || Source::of_bytes(name, bytes.to_vec()).within(MEMORY);
    let ok = |taken: bool| Ok(taken);
    match target {
        "recognised" => evidence(bytes, name, &ReadOptions::default(), rng),
        "kind" => {
            let kind = rng.pick(&KINDS).parse::<FileKind>().ok();
            evidence(bytes, name, &ReadOptions { kind, ..ReadOptions::default() }, rng)
        }
        "options" => evidence(bytes, name, &options(rng), rng),
        "rows" => ok(read_rows(&source(), &ReadOptions::default()).is_ok()),
        "map" => match read_map(&source(), None) {
            Ok((map, _)) if map.points().iter().any(|v| !v.is_finite()) => Err("a point is not finite".into()),
            other => ok(other.is_ok()),
        },
        "metadata" => ok(read_metadata(&source(), &Objects::numbered(5)).is_ok()),
        "objects" => ok(read_objects(&source()).is_ok()),
        "split" => {
            let gone = HashMap::from([(2, "why".to_string()), (5, "why".to_string())]);
            ok(split_rows(&source(), &options(rng), &gone).is_ok())
        }
        "model" => model(&source()),
        "certificate" => match load_certificate(&source()) {
            Ok(file) => {
                let mut written = Vec::new();
                save_certificate(&mut written, &file).map(|()| true).or(Ok(true))
            }
            Err(_) => ok(false),
        },
        "verify" => match load_certificate(&source()) {
            Ok(file) => {
                let which = if rng.one_in(2) { &fixed.judged } else { &fixed.measured };
                ok(verify(&file, which).is_ok_and(|v| v.accepted))
            }
            Err(_) => ok(false),
        },
        "report" => ok(serde_json::from_slice::<FitReport>(bytes).is_ok()),
        "kernel" => ok(std::str::from_utf8(bytes).is_ok_and(|t| t.trim().parse::<KernelSpec>().is_ok())),
        "forged" => forged(bytes, &fixed.honest),
        "changed" => changed(bytes, &fixed.models),
        _ => Err(format!("there is no target `{target}`")),
    }
}

/// Options as wild as the bytes.
fn options(rng: &mut Rng) -> ReadOptions {
    let roles =
        ["head=1,near=2,far=3", "a=1,b=2,c=3,d=4", "odd=3,shown=1,shown=2", "from=1,to=2,label=3", "object=1,class=2"];
    let rules = ["1-s", "max-s", "sqrt(1-s)", "sqrt", "-log(s)", "5-s"];
    ReadOptions {
        kind: if rng.one_in(2) { rng.pick(&KINDS).parse().ok() } else { None },
        similarity: if rng.one_in(3) { rng.pick(&rules).parse().ok() } else { None },
        nan_missing: rng.one_in(2),
        columns: if rng.one_in(3) { rng.pick(&roles).parse().unwrap_or_default() } else { Roles::default() },
        objects: if rng.one_in(4) { Objects::new(["a", "b", "c", "d"]).ok() } else { None },
        directed: rng.one_in(2),
        ..ReadOptions::default()
    }
}

fn evidence(bytes: &[u8], name: &str, options: &ReadOptions, rng: &mut Rng) -> Result<bool, String> {
    let read = |bytes: &[u8]| read_evidence(&Source::of_bytes(name, bytes.to_vec()).within(MEMORY), options);
    let first = read(bytes);
    if let Ok(loaded) = &first {
        sound(loaded)?;
    }
    // The same bytes say the same again, packed or not.
    if rng.one_in(16) {
        same(&first, &read(bytes), "twice")?;
    }
    if rng.one_in(32) && !bytes.starts_with(&[0x1f, 0x8b]) && !is_container(bytes) {
        same(&first, &read(&gz(bytes)), "packed")?;
    }
    Ok(first.is_ok())
}

/// Files that are refused by their first bytes, which packing hides.
fn is_container(bytes: &[u8]) -> bool {
    [&b"PK\x03\x04"[..], b"\x89HDF", b"\x28\xb5\x2f\xfd", b"\xfd7zX", b"BZh"].iter().any(|c| bytes.starts_with(c))
}

fn sound(loaded: &Loaded) -> Result<(), String> {
    let wrong = match &loaded.evidence {
        Evidence::Distances(d) => d.condensed().iter().find(|v| !v.is_finite() || **v < 0.0),
        Evidence::Features(f) => f.values().iter().find(|v| !v.is_finite()),
        _ => None,
    };
    let mut labels = loaded.evidence.objects().labels().to_vec();
    labels.sort_unstable();
    match wrong {
        Some(v) => Err(format!("the number {v} was taken")),
        None if labels.windows(2).any(|w| w[0] == w[1]) => Err("two objects have one label".into()),
        None => Ok(()),
    }
}

fn same(first: &Result<Loaded, Error>, again: &Result<Loaded, Error>, how: &str) -> Result<(), String> {
    let shown = |r: &Result<Loaded, Error>| match r {
        Ok(l) => format!("{} {:?} {:?} {:?}", l.kind, l.assumptions, l.warnings, l.evidence.objects().labels()),
        Err(Error::Memory { .. }) => "too large".into(),
        Err(e) => e.to_string(),
    };
    let (a, b) = (shown(first), shown(again));
    if a == b { Ok(()) } else { Err(format!("read {how} it is another: {a} | {b}")) }
}

/// A model that was taken can be written, and reads back as the same bytes.
fn model(source: &Source) -> Result<bool, String> {
    let _ = looks_like_model(source);
    let Ok(saved) = load_model(source) else { return Ok(false) };
    let write = |saved| {
        let mut bytes = Vec::new();
        save_model(&mut bytes, saved)
            .map(|()| bytes)
            .map_err(|e| format!("a model that was read cannot be written: {e}"))
    };
    let bytes = write(&saved)?;
    let back = load_model(&Source::of_bytes("m.nearer", bytes.clone()))
        .map_err(|e| format!("a model that was written cannot be read: {e}"))?;
    if write(&back)? == bytes { Ok(true) } else { Err("a model changes when it is read and written".into()) }
}
