//! Honest certificates of every method that has one, with what they are about: what forgers begin with.

use anyhow::{Context, Result};
use nearer::io::{CertificateFile, ReadOptions, Saved, Source, read_evidence};
use nearer::method::as_claimed;
use nearer::method::table::find;
use nearer::verify::{About, Found, certificate_of, verify};
use nearer::{Evidence, Features, Run, Study};

/// A certificate that was fitted and accepted, the study it is about, and what was found of it.
pub(crate) struct Honest {
    pub(crate) name: String,
    pub(crate) file: CertificateFile,
    pub(crate) study: Study,
    pub(crate) found: Found,
    pub(crate) about: String,
}

/// Answers, pairs alike, an order without a contradiction, features of the same objects in units a thousand times apart, a curved strip,
/// the same with classes, and distances.
const ANSWERS: &str =
    "head,near,far\na,b,c\na,b,d\nb,a,d\nb,c,d\nc,b,a\nc,d,a\nd,c,a\nd,c,b\na,d,b\ne,d,a\ne,d,b\na,b,e\n";
const ALIKE: &str = "from,to,label\na,b,1\nb,c,1\nc,d,1\nd,e,1\ne,f,1\nf,a,1\na,c,0\na,d,0\na,e,0\nb,d,0\nb,e,0\nb,f,0\nc,e,0\nc,f,0\nd,f,0\n";
const GRADES: &str = "from,to,likeness\na,b,1\nb,c,1\nc,d,2\nd,e,2\ne,f,1\nf,a,3\na,c,2\na,d,3\nb,d,3\n";
const FEATURES: &str = "label,size,age\na,0,1\nb,1100,2.5\nc,1900,4\nd,3200,3\ne,4100,6\nf,5200,4\n";

fn strip() -> String {
    let mut rows = "label,x,y,z\n".to_string();
    for i in 0..14 {
        let t = 0.5 * f64::from(i);
        let (x, y) = (t.cos() * (1.0 + 0.2 * t), t.sin() * (1.0 + 0.2 * t));
        rows += &format!("s{i},{x},{y},{}\n", 0.5 * f64::from(i % 3));
    }
    rows
}

fn square() -> String {
    let at = |i: u32| (f64::from(i * i % 7), f64::from(i * 3 % 5));
    let d = |i, j| {
        let (a, b) = (at(i), at(j));
        (a.0 - b.0).hypot(a.1 - b.1) + if i + j == 6 && i != j { 4.0 } else { 0.0 }
    };
    let names: Vec<String> = (0..9).map(|i| format!("n{i}")).collect();
    let mut rows = format!("label,{}\n", names.join(","));
    for i in 0..9 {
        let row: Vec<String> = (0..9).map(|j| d(i, j).to_string()).collect();
        rows += &format!("n{i},{}\n", row.join(","));
    }
    rows
}

/// What a method is fitted to: the evidence by name, kernels or features beside it, and its settings.
type Case = (&'static str, &'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

const RBF: &[&str] = &["rbf:features.csv"];
const LINEAR: &[&str] = &["linear:features.csv"];
const CASES: &[Case] = &[
    ("gnmds", "answers", &[], &[]),
    ("gnmds", "answers", &[], &[("slack", "0.3")]),
    ("convex-ste", "answers", &[], &[]),
    ("partial-order", "order", &[], &[("bound", "3")]),
    ("partial-order", "order", &[], &[("bound", "9")]),
    ("partial-order", "order", &[], &[("bound", "smallest")]),
    ("partial-order", "order", &[], &[("bound", "smallest"), ("margins", "doubling")]),
    ("partial-order", "answers", &[], &[("repair", "cheapest")]),
    ("psde", "alike", &[], &[]),
    ("psde", "alike", &[], &[("slack", "0.05")]),
    ("psde", "grades", &[], &[("slack", "0.05"), ("radii", "one")]),
    ("robust-mds", "square", &[], &[]),
    ("mvu", "square", &[], &[("neighbours", "4")]),
    ("mvu", "strip", &[], &[("neighbours", "4"), ("form", "soft")]),
    ("mvu", "strip", &[], &[("neighbours", "4"), ("form", "penalised")]),
    ("mvu", "strip", &[], &[("neighbours", "4"), ("variant", "landmark"), ("landmarks", "7")]),
    ("mvu", "strip", &[], &[("neighbours", "4"), ("variant", "laplacian"), ("landmarks", "6")]),
    ("mvu", "strip", &["rbf:strip.csv"], &[("neighbours", "4")]),
    ("kpsde", "alike", RBF, &[("trace", "0.01")]),
    ("kpsde", "alike", LINEAR, &[]),
    ("kpsde", "alike", RBF, &[("basis", "4")]),
    ("kernel-gnmds", "answers", RBF, &[("slack", "0.3")]),
    ("kernel-gnmds", "answers", LINEAR, &[]),
    ("kernel-gnmds", "answers", RBF, &[("basis", "3"), ("basis-by", "spread")]),
    ("kernel-partial-order", "answers", RBF, &[]),
    ("kernel-partial-order", "answers", RBF, &[("weights", "diagonal"), ("basis", "3")]),
    ("kernel-partial-order", "answers", &["rbf:features.csv", "other=linear:features.csv"], &[("weights", "kernel")]),
    ("svm-metric", "answers", RBF, &[]),
    ("svm-metric", "answers", RBF, &[("form", "trace"), ("basis", "4")]),
    ("svm-metric", "answers", &["features"], &[("over", "features")]),
    ("lmnn", "classed", &[], &[]),
    ("lmnn", "answers", &["features"], &[]),
    ("lmnn", "answers", RBF, &[]),
    ("mmc", "alike", &["features"], &[]),
    ("mmc", "alike", &["features"], &[("form", "diagonal")]),
    ("mmc", "classed", &[], &[("unit-variance", "yes")]),
    ("mcml", "classed", &[], &[]),
];

/// Fits all of them.
pub(crate) fn all() -> Result<Vec<Honest>> {
    CASES.iter().map(|case| fitted(case).with_context(|| format!("{case:?}"))).collect()
}

fn fitted(&(method, evidence, beside, settings): &Case) -> Result<Honest> {
    let mut study = named(evidence)?;
    for what in beside {
        let table = if what.contains("strip") { strip() } else { FEATURES.to_string() };
        let features = table_of(table)?;
        let file = if what.contains("strip") { "strip.csv" } else { "features.csv" };
        if !study.features().iter().any(|(name, _)| name == file) {
            study = study.with_features(file, features);
        }
        if what.contains(':') {
            study = study.with_kernels([what.parse()?]);
        }
    }
    let row = find(method)?;
    let settings = row.settings(settings.iter().copied())?;
    let (study, _) = as_claimed(&study, method, &settings, 0)?;
    let fit = row.fit(&settings, &study, &Run::seeded(0).threads(1))?;
    let about = || About::of(&study).context("nothing to be about");
    let file = certificate_of(&fit, about()?)?;
    let verdict = verify(&file, about()?)?;
    let found = verdict.found.context("nothing was found")?;
    anyhow::ensure!(verdict.accepted, "{:?}", verdict.reasons);
    Ok(Honest { name: format!("{method} {evidence} {beside:?}"), about: verdict.about, file, study, found })
}

fn table_of(text: String) -> Result<Features> {
    let options = ReadOptions { kind: Some("features".parse()?), ..ReadOptions::default() };
    match read_evidence(&Source::of_bytes("features.csv", text.into_bytes()), &options)?.evidence {
        Evidence::Features(features) => Ok(features),
        other => anyhow::bail!("{} where features are wanted", other.kind()),
    }
}

fn named(evidence: &str) -> Result<Study> {
    let read = |text: &str| -> Result<Study> {
        let source = Source::of_bytes("e.csv", text.as_bytes().to_vec());
        Ok(Study::from(read_evidence(&source, &ReadOptions::default())?.evidence))
    };
    Ok(match evidence {
        "answers" => read(ANSWERS)?,
        "order" => read(&ANSWERS.replace("a,d,b\n", ""))?,
        "alike" => read(ALIKE)?,
        "grades" => read(GRADES)?,
        "square" => read(&square())?,
        "strip" => Study::default().with_features("strip.csv", table_of(strip())?),
        _ => {
            let features = table_of(strip())?;
            let groups = (0..14).map(|i| Some(format!("k{}", i / 5))).collect();
            let classes = nearer::Sorts::new(features.objects().clone(), vec!["kind".into()], vec![groups])?;
            Study::from(features).with(classes)
        }
    })
}

/// Models of every kind that places, with reports of every kind of evidence.
pub(crate) fn models() -> Result<Vec<Saved>> {
    let cases = [
        ("metric-mds", "square"),
        ("nonmetric-mds", "square"),
        ("classical-mds", "square"),
        ("indscal", "square"),
        ("gnmds", "answers"),
        ("choice", "answers"),
        ("partial-order", "order"),
        ("psde", "alike"),
        ("multiple-maps", "square"),
        ("lmnn", "classed"),
        ("isomap", "strip"),
        ("pca", "strip"),
    ];
    let mut all = Vec::new();
    for (method, evidence) in cases {
        let row = find(method)?;
        let settings = row.settings([])?;
        let Ok((study, _)) = as_claimed(&named(evidence)?, method, &settings, 0) else { continue };
        let Ok(fit) = row.fit(&settings, &study, &Run::seeded(0).threads(1)) else { continue };
        all.push(Saved { embedding: fit.embedding, model: fit.model, report: fit.report });
    }
    anyhow::ensure!(all.len() >= 8, "only {} models were fitted", all.len());
    Ok(all)
}
