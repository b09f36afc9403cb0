//! What holds for the settings of every method: they survive the method, JSON and the table, and make the same map again.

use ndarray::Array2;
use nearer::evidence::{ConvertOptions, KernelKind, KernelSpec, Kernels, Width};
use nearer::method::table::{Kind, METHODS, Method, find};
use nearer::{DistanceRows, Evidence, Features, Objects, Part, Run, Settings, Sorts, Study, Value, toy};

/// Through JSON and back.
fn told(settings: &Settings) -> Settings {
    serde_json::from_str(&serde_json::to_string(settings).unwrap()).unwrap()
}

/// Values of a parameter as they would be typed: every word, both ends of a range, and something between.
fn values(kind: &Kind, or: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = or.iter().map(ToString::to_string).collect();
    match kind {
        Kind::Count { min, max } => all.extend([*min, *max, (*min).midpoint((*max).min(100))].map(|v| v.to_string())),
        Kind::Number { min, max } => all.extend([*min, *max, 1.0f64.clamp(*min, *max) / 3.0].map(|v| v.to_string())),
        Kind::Choice(words) => all.extend(words.iter().map(ToString::to_string)),
        Kind::Flag => all.extend(["yes".to_owned(), "no".to_owned()]),
    }
    all
}

/// Every value alone, and with every word of every other parameter, which may give it a meaning (a weight a soft form).
#[test]
fn every_setting_survives_the_method_and_json() {
    for method in METHODS {
        let mut seen = 0;
        for p in method.parameters {
            for text in values(&p.kind, p.or) {
                let words = method.parameters.iter().filter(|q| q.name != p.name);
                let words = words.flat_map(|q| match q.kind {
                    Kind::Choice(words) => words.iter().map(|w| vec![(q.name, *w)]).collect(),
                    _ => Vec::new(),
                });
                for given in std::iter::once(Vec::new()).chain(words) {
                    let given = given.into_iter().chain([(p.name, text.as_str())]);
                    let settings = method.settings(given).unwrap_or_else(|e| panic!("{} {}: {e}", method.name, p.name));
                    // From settings to the method and back, through JSON: the same.
                    assert_eq!(
                        method.complete(&told(&settings)).unwrap(),
                        settings,
                        "{} {} {text}",
                        method.name,
                        p.name
                    );
                    seen += usize::from(settings.get(p.name).is_some_and(|v| v.to_string() == text));
                }
            }
        }
        assert!(seen >= method.parameters.len(), "{}: most settings have no meaning", method.name);
        for p in method.parameters {
            let default = p.default.to_string();
            assert_eq!(method.settings([(p.name, default.as_str())]).unwrap(), method.settings([]).unwrap());
        }
    }
}

#[test]
fn what_is_out_of_range_is_refused_with_what_would_do() {
    let refused =
        |method: &str, name: &str, text: &str| find(method).unwrap().settings([(name, text)]).unwrap_err().to_string();
    // What 0 meant before is said by a word now.
    assert_eq!(
        refused("gnmds", "slack", "0"),
        "parameter `slack` is 0, expected auto | a number above 0, 1e100 at most"
    );
    assert_eq!(
        refused("psde", "slack", "auto"),
        "parameter `slack` is auto, expected none | a number above 0, 1e100 at most"
    );
    assert!(refused("gnmds", "slack", "1e308").ends_with("a number above 0, 1e100 at most"));
    assert!(refused("metric-mds", "starts", "0").contains("auto | a whole number from 1"));
    assert!(refused("partial-order", "bound", "inf").contains("auto | paper | smallest | a number above 0"));
    assert!(refused("gnmds", "refine", "true").contains("yes | no"));
    assert!(refused("gnmds", "gap", "NaN").contains("from 0 to 1"));
    assert!(refused("gnmds", "dim", "2.5").contains("whole number"));
    assert!(refused("gnmds", "colour", "red").contains("parameters of gnmds"));
    // The same for what was recorded: a word where a number belongs, a name of another method.
    let gnmds = find("gnmds").unwrap();
    assert!(gnmds.complete(&Settings::default().with("slack", "much")).is_err());
    assert!(gnmds.complete(&Settings::default().with("neighbours", 6usize)).is_err());
    // A whole number is a number, also where JSON does not tell them apart.
    let whole = gnmds.complete(&Settings::default().with("slack", 2usize)).unwrap();
    assert_eq!(whole.get("slack"), Some(&Value::Number(2.0)));
}

fn features() -> Features {
    let values = Array2::from_shape_fn((18, 3), |(i, k)| ((i * (k + 2)) as f64 * 0.7).sin() + 0.1 * i as f64);
    Features::new(Objects::numbered(18), ["a", "b", "c"], values).unwrap()
}

fn kernels(features: &Features) -> Kernels {
    let rbf = KernelSpec::new("x", KernelKind::Rbf { width: Width::default() });
    Kernels::new(features.objects(), &[(rbf, Some(features))]).unwrap()
}

fn evidence(way: &[Part]) -> Study {
    let d = toy::noisy(18, 2, 0.05, 3);
    match way {
        [Part::Rows] => {
            let values = Array2::from_shape_fn((18, 18), |(i, j)| d.between(i, j).unwrap());
            Study::from(DistanceRows::new(d.objects().clone(), d.objects().clone(), values).unwrap())
        }
        [Part::Features] => Study::from(features()),
        [Part::Kernels] => Study::from(kernels(&features())),
        [Part::Sorts, Part::Features] => {
            let classes = (0..18).map(|i| Some(["a", "b", "c"][i % 3].to_owned())).collect();
            Study::from(features())
                .with(Sorts::new(Objects::numbered(18), vec!["class".into()], vec![classes]).unwrap())
        }
        [Part::Pairs] => Study::from(toy::cylinder(18, 1)),
        [Part::Pairs, Part::Kernels] => Study::from(kernels(&features())).with(toy::cylinder(18, 1)),
        [Part::Comparisons, Part::Kernels] => {
            let (f, c) = toy::featured_answers(18, 1, 200, 0.0, 2);
            Study::from(kernels(&f)).with(c)
        }
        [Part::Sorts, Part::Kernels] => {
            let (f, classes) = toy::classed(18, 3, 2, 2);
            Study::from(kernels(&f)).with(classes)
        }
        [Part::Pairs, Part::Features] => Study::from(features()).with(toy::cylinder(18, 1)),
        [Part::Comparisons, Part::Features] => {
            let (f, c) = toy::featured_answers(18, 1, 200, 0.0, 2);
            Study::from(f).with(c)
        }
        [Part::Comparisons] => {
            let line = Evidence::Distances(toy::gaussian(8, 1, 1));
            Study::from(line.to_comparisons(&ConvertOptions::default()).unwrap().evidence)
        }
        _ => Study::from(d),
    }
}

type Case = (&'static str, &'static [Part], &'static [(&'static str, &'static str)]);

/// Beside the defaults: what is chosen from the evidence, what hangs on another setting, what the seed decides.
const OTHERS: &[Case] = &[
    ("metric-mds", &[Part::Distances], &[("transform", "spline"), ("degree", "3"), ("knots", "2"), ("starts", "3")]),
    ("nonmetric-mds", &[Part::Distances], &[("ties", "tertiary"), ("dim", "3")]),
    ("classical-mds", &[Part::Distances], &[("correction", "cailliez"), ("spectrum", "leading")]),
    ("landmark-mds", &[Part::Distances], &[("landmarks", "7"), ("landmarks-by", "random")]),
    ("mvu", &[Part::Distances], &[("form", "soft"), ("neighbours", "4")]),
    ("isomap", &[Part::Distances], &[("radius", "3"), ("components", "joined")]),
    (
        "landmark-isomap",
        &[Part::Features],
        &[("landmarks", "9"), ("landmarks-by", "random"), ("search", "approximate")],
    ),
    ("lle", &[Part::Features], &[("form", "ltsa"), ("neighbours", "7")]),
    ("laplacian-eigenmaps", &[Part::Features], &[("weights", "heat"), ("time", "2")]),
    ("naive-order", &[Part::Comparisons], &[("repair", "random"), ("unconstrained", "middle")]),
    ("partial-order", &[Part::Comparisons], &[("bound", "paper")]),
    ("psde", &[Part::Pairs], &[("slack", "0.3"), ("refine", "yes")]),
    ("gnmds", &[Part::Comparisons], &[("slack", "0.1"), ("engine", "low-rank"), ("refine", "no")]),
    ("kpsde", &[Part::Pairs, Part::Kernels], &[("basis", "9"), ("basis-by", "spread"), ("trace", "0.01")]),
    ("kernel-partial-order", &[Part::Comparisons, Part::Kernels], &[("weights", "diagonal"), ("basis", "9")]),
    ("svm-metric", &[Part::Comparisons, Part::Kernels], &[("form", "trace"), ("projection", "map")]),
    ("svm-metric", &[Part::Comparisons, Part::Features], &[("over", "features"), ("projection", "map")]),
];

#[test]
fn every_method_made_again_from_its_report_gives_the_same_bits() {
    let by_default = |m: &&'static Method| m.takes_with(&m.settings([]).unwrap());
    let defaults = METHODS.iter().flat_map(|m| by_default(m).into_iter().map(|way| (*m, way, &[][..])));
    let others = OTHERS.iter().map(|(name, kind, given)| (find(name).unwrap(), *kind, *given));
    for (method, kind, given) in defaults.chain(others) {
        same_again(method, kind, given);
    }
}

fn same_again(method: &Method, kind: &[Part], given: &[(&str, &str)]) {
    let (evidence, run) = (evidence(kind), Run::seeded(5));
    let settings = method.settings(given.iter().copied()).unwrap();
    let what = format!("{} of {} {given:?}", method.name, Part::together(kind));
    let first = method.fit(&settings, &evidence, &run).unwrap_or_else(|e| panic!("{what}: {e}"));
    // The report keeps what was asked, and beside it only what that does not say itself.
    assert_eq!(first.report.settings, settings, "{what}");
    for (name, used) in first.report.resolved.iter() {
        assert_ne!(first.report.settings.get(name), Some(used), "{what} {name}");
    }
    for (name, value) in first.report.used().iter().filter(|(name, _)| *name != "engine") {
        assert!(*value != Value::Auto || unused(method.name, kind, name), "{what}: {name} is still auto");
    }
    // Whoever proves something says who found it.
    assert!(first.report.certificate.is_none() || first.report.figures.contains_key("engine"), "{what}");
    let text = serde_json::to_string(&first.report).unwrap();
    let back: nearer::report::FitReport = serde_json::from_str(&text).unwrap();
    assert_eq!(back, first.report, "{what}");
    let second = method.fit(back.recorded().unwrap(), &evidence, &run).unwrap();
    assert_eq!(second.embedding, first.embedding, "{what}");
    assert_eq!(second.report, first.report, "{what}");
}

/// A basis is one of a kernel.
fn unused(method: &str, kind: &[Part], name: &str) -> bool {
    method == "mvu" && kind != [Part::Kernels] && name == "basis"
}
