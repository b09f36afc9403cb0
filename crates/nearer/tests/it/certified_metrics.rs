//! The convex learners against closed forms, their bounds against any metric, and their certificates through the slow path.

use ndarray::{Array1, Array2};
use nearer::evidence::Judged;
use nearer::io::CertificateFile;
use nearer::method::{Lmnn, Mcml, Mmc, MmcForm};
use nearer::model::Linear;
use nearer::verify::{About, certificate_of, verify};
use nearer::{
    Comparison, Comparisons, Embed, Evidence, Features, Fit, Item, Objects, Pair, Pairs, Run, Sorts, Study, toy,
};
use nearer_num::rng::Rng;

fn features(values: Array2<f64>) -> Features {
    let names = (0..values.ncols()).map(|k| format!("f{k}"));
    Features::new(Objects::numbered(values.nrows()), names, values).unwrap()
}

fn classes(of: &[u32]) -> Sorts {
    let groups = of.iter().map(|c| Some(c.to_string())).collect();
    Sorts::new(Objects::numbered(of.len()), vec!["class".into()], vec![groups]).unwrap()
}

/// Numbers on a line, in two classes that overlap.
fn line() -> (Array1<f64>, Vec<u32>) {
    let mut rng = Rng::task(8, 0);
    let of: Vec<u32> = (0..24).map(|i| i % 2).collect();
    let x = of.iter().map(|c| 1.5 * f64::from(*c) + rng.normal()).collect();
    (x, of)
}

/// The least of a convex function of one number above zero.
fn least(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e3);
    for _ in 0..300 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if f(a) < f(b) { high = b } else { low = a }
    }
    f(0.5 * (low + high))
}

fn weight(fit: &Fit<Linear>) -> f64 {
    fit.report.resolved.number("weight").unwrap()
}

#[test]
fn on_a_line_a_metric_is_a_number_and_the_best_is_found() {
    let (x, of) = line();
    let f = features(x.clone().insert_axis(ndarray::Axis(1)));
    let n = x.len();
    let d = |i: usize, j: usize| (x[i] - x[j]).powi(2);
    let lmnn = Lmnn::new(1).gap(1e-7).max_iter(20_000).fit((&f, &classes(&of))).unwrap();
    let ridge = weight(&lmnn);
    let targets: Vec<(usize, usize)> = (0..n)
        .flat_map(|i| {
            let mut near: Vec<usize> = (0..n).filter(|j| *j != i && of[*j] == of[i]).collect();
            near.sort_by(|a, b| d(i, *a).total_cmp(&d(i, *b)));
            near.into_iter().take(3).map(move |j| (i, j)).collect::<Vec<_>>()
        })
        .collect();
    let value = |m: f64| {
        let mut sum = ridge * m;
        for &(i, j) in &targets {
            sum += 0.5 * m * d(i, j);
            for l in (0..n).filter(|l| of[*l] != of[i]) {
                sum += 0.5 * (1.0 + m * d(i, j) - m * d(i, l)).max(0.0);
            }
        }
        sum
    };
    let best = least(value);
    let c = lmnn.report.certificate.as_ref().unwrap();
    assert!((c.primal - best).abs() < 1e-5 * best, "{c} {best}");
    assert!(c.bound() <= best * (1.0 + 1e-9) && c.gap() < 1e-6, "{c} {best}");

    let mcml = Mcml::new(1).gap(1e-8).fit((&f, &classes(&of))).unwrap();
    let trace = weight(&mcml);
    let value = |m: f64| {
        let mut sum = trace * m;
        for i in 0..n {
            let same: Vec<usize> = (0..n).filter(|j| *j != i && of[*j] == of[i]).collect();
            let nearest = (0..n).filter(|j| *j != i).map(|j| d(i, j)).fold(f64::INFINITY, f64::min);
            let all: f64 = (0..n).filter(|j| *j != i).map(|j| (m * (nearest - d(i, j))).exp()).sum();
            let mean: f64 = same.iter().map(|j| m * d(i, *j)).sum::<f64>() / same.len() as f64;
            sum += mean + all.ln() - m * nearest - (same.len() as f64).ln();
        }
        sum
    };
    let best = least(value);
    let c = mcml.report.certificate.as_ref().unwrap();
    assert!((c.primal - best).abs() < 1e-6 * best && c.bound() <= best && c.gap() < 1e-7, "{c} {best}");
}

/// One pair apart: `max sqrt(zᵗ M z)`, `tr(M S) ≤ 1` is `sqrt(zᵗ S⁻¹ z)`; of weights it is the largest `z²/s`.
#[test]
fn one_dissimilar_pair_has_a_closed_form() {
    let mut rng = Rng::task(4, 0);
    let f = features(Array2::from_shape_simple_fn((9, 3), || rng.normal()));
    let mut rows: Vec<Judged> = (0..7u32).map(|i| Judged::new(Item(i), Item(i + 1), true)).collect();
    rows.push(Judged::new(Item(0), Item(8), false));
    let pairs = Pairs::new(f.objects().clone(), rows).unwrap().both_ways();
    let z = &f.values().row(0) - &f.values().row(8);
    let full = Mmc::new(3).gap(1e-8).fit((&f, &pairs)).unwrap();
    let mut s = Array2::<f64>::eye(3) * weight(&full);
    for i in 0..7 {
        let off = &f.values().row(i) - &f.values().row(i + 1);
        for a in 0..3 {
            (0..3).for_each(|b| s[(a, b)] += off[a] * off[b]);
        }
    }
    let (values, vectors) = nearer_num::dense::eigh(s.view()).unwrap();
    let best = vectors.t().dot(&z).iter().zip(&values).map(|(p, v)| p * p / v).sum::<f64>().sqrt();
    let c = full.report.certificate.as_ref().unwrap();
    assert!((c.primal - best).abs() < 1e-6 * best && c.bound() >= best * (1.0 - 1e-12), "{c} {best}");
    let diagonal = Mmc::new(1).form(MmcForm::Diagonal).gap(1e-6).fit((&f, &pairs)).unwrap();
    let best = (0..3).map(|k| z[k] * z[k] / s[(k, k)]).fold(0.0, f64::max).sqrt();
    let c = diagonal.report.certificate.as_ref().unwrap();
    assert!((c.primal - best).abs() < 1e-5 * best && c.bound() >= best * (1.0 - 1e-12), "{c} {best}");
}

fn study(f: &Features, evidence: impl Into<Evidence>) -> Study {
    Study::from(f.clone()).with(evidence)
}

fn accepted(fit: &Fit<Linear>, study: &Study) -> CertificateFile {
    let file = certificate_of(fit, About::of(study).unwrap()).unwrap();
    let verdict = verify(&file, About::of(study).unwrap()).unwrap();
    assert!(verdict.accepted, "{} {:?}", fit.report.method, verdict.reasons);
    file
}

/// Rounding is counted for each distance as if it were the largest: that must not be what the proof is about.
#[test]
fn one_object_far_away_does_not_blur_the_proof() {
    let (near, sorts) = toy::classed(60, 3, 4, 1);
    let mut values = near.values().clone();
    values[(0, 5)] = 300.0;
    let f = features(values);
    let fit = Mcml::new(2).fit((&f, &sorts)).unwrap();
    let c = fit.report.certificate.as_ref().unwrap();
    assert!(c.gap() < 1e-3, "{c}");
    accepted(&fit, &study(&f, sorts));
}

#[test]
fn certificates_are_accepted_and_what_was_tampered_with_is_not() {
    let (f, sorts) = toy::classed(48, 3, 2, 5);
    accepted_and_found_out(&f, &sorts, 1e-3);
}

/// With more features than objects the slow path looks along what the objects span.
#[test]
fn so_it_is_with_more_features_than_objects() {
    let (f, sorts) = toy::classed(48, 3, 80, 5);
    accepted_and_found_out(&f, &sorts, 1e-2);
}

/// Each learner's certificate is accepted, and rejected with any of its numbers changed.
fn accepted_and_found_out(f: &Features, sorts: &Sorts, gap: f64) {
    let triplets: Vec<Comparison> = (0..40u32)
        .map(|i| {
            let pair = |a: u32, b: u32| Pair::new(Item(a), Item(b)).unwrap();
            Comparison::new(pair(i, i + 3), pair(i, i + 4))
        })
        .collect();
    let compared = Comparisons::new(f.objects().clone(), triplets).unwrap();
    let by_class = study(f, sorts.clone());
    let by_answer = study(f, compared.clone());
    let fits = [
        (Lmnn::new(2).gap(gap).standardise(true).fit((f, sorts)).unwrap(), &by_class),
        (Lmnn::new(2).gap(gap).fit((f, &compared)).unwrap(), &by_answer),
        (Mmc::new(2).fit((f, sorts)).unwrap(), &by_class),
        (Mmc::new(2).form(MmcForm::Diagonal).fit((f, sorts)).unwrap(), &by_class),
        (Mcml::new(2).fit((f, sorts)).unwrap(), &by_class),
    ];
    for (fit, study) in &fits {
        let c = fit.report.certificate.as_ref().unwrap();
        assert!(c.is_within(gap), "{}: {c}", fit.report.method);
        let file = accepted(fit, study);
        let rejected = |file: &CertificateFile, kind: &str| {
            let verdict = verify(file, About::of(study).unwrap()).unwrap();
            let kinds: Vec<&str> = verdict.reasons.iter().map(|r| r.kind).collect();
            assert!(!verdict.accepted && kinds.contains(&kind), "{} {kinds:?} {kind}", fit.report.method);
        };
        let towards = if fit.report.method == "mmc" { -1.0 } else { 1.0 };
        let mut other = file.clone();
        other.claim.certificate.bound = c.bound.map(|b| b + 2.0 * gap.max(5e-3) * towards * b.abs());
        rejected(&other, "bound");
        let mut other = file.clone();
        other.claim.certificate.primal -= 2.0 * gap.max(5e-3) * towards * c.primal.abs();
        rejected(&other, "primal");
        let mut other = file.clone();
        other.candidate.factors[0] *= 1.5;
        other.candidate.factors[0][(0, 0)] += 0.5;
        let verdict = verify(&other, About::of(study).unwrap()).unwrap();
        assert!(!verdict.accepted, "{}", fit.report.method);
        let mut other = file.clone();
        other.claim.settings.set(if fit.report.method == "mcml" { "trace" } else { "ridge" }, 0.5);
        rejected(&other, "settings");
        let mut values = f.values().clone();
        values[(0, 0)] += 1.0;
        let moved = match study.sorts() {
            Some(sorts) => self::study(&features_like(f, values), sorts.clone()),
            None => self::study(&features_like(f, values), compared.clone()),
        };
        let verdict = verify(&file, About::of(&moved).unwrap()).unwrap();
        assert_eq!(verdict.reasons[0].kind, "other-evidence");
    }
}

fn features_like(f: &Features, values: Array2<f64>) -> Features {
    Features::new(f.objects().clone(), f.columns().iter().cloned(), values).unwrap()
}

/// What no metric passes: many tried ones do not.
#[test]
fn no_metric_that_was_tried_passes_the_bound() {
    let (f, sorts) = toy::classed(30, 3, 1, 7);
    let fit = Mmc::new(3).pairs(60).fit_with((&f, &sorts), &Run::seeded(3)).unwrap();
    let (file, ridge) = (accepted(&fit, &study(&f, sorts.clone())), weight(&fit));
    assert_eq!(file.candidate.factors[0].nrows(), 3);
    let witness = fit.metric.as_ref().unwrap();
    let nearer::program::MetricAsk::Apart { similar, dissimilar, .. } = &witness.ask else { panic!("pairs") };
    assert_eq!((similar.len(), dissimilar.len()), (60, 60));
    let bound = fit.report.certificate.as_ref().unwrap().bound();
    let mut rng = Rng::task(1, 1);
    for _ in 0..200 {
        let a = Array2::from_shape_simple_fn((3, 3), || rng.normal());
        let y = f.values().dot(&a);
        let d = |i: u32, j: u32| (&y.row(i as usize) - &y.row(j as usize)).mapv(|v| v * v).sum();
        let used: f64 =
            similar.iter().map(|(i, j, w)| w * d(*i, *j)).sum::<f64>() + ridge * a.iter().map(|v| v * v).sum::<f64>();
        let value: f64 = dissimilar.iter().map(|(i, j, w)| w * (d(*i, *j) / used).sqrt()).sum();
        assert!(value < bound, "{value} {bound}");
    }
}

/// The optima that a conic solver finds for the same questions, with the same weights made of the settings.
#[test]
fn optima_are_those_of_a_conic_solver() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("../golden/metrics.json")).unwrap();
    let rows: Vec<Vec<f64>> = serde_json::from_value(golden["features"].clone()).unwrap();
    let of: Vec<u32> = serde_json::from_value(golden["classes"].clone()).unwrap();
    let f = features(Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, k)| rows[i][k]));
    let sorts = classes(&of);
    let fits = [
        ("lmnn", Lmnn::new(2).gap(1e-7).max_iter(50_000).fit((&f, &sorts)).unwrap()),
        ("mmc", Mmc::new(2).gap(1e-8).fit((&f, &sorts)).unwrap()),
        ("mmc-diagonal", Mmc::new(2).form(MmcForm::Diagonal).gap(1e-7).fit((&f, &sorts)).unwrap()),
        ("mcml", Mcml::new(2).gap(1e-8).fit((&f, &sorts)).unwrap()),
    ];
    for (name, fit) in fits {
        let told = |key: &str| golden["optima"][name][key].as_f64().unwrap();
        assert!((weight(&fit) - told("weight")).abs() < 1e-9 * told("weight"), "{name}");
        let (c, best) = (fit.report.certificate.as_ref().unwrap(), told("optimum"));
        assert!((c.primal - best).abs() < 1e-5 * best, "{name}: {c}, {best}");
        let beyond = if name.starts_with("mmc") { best - c.bound() } else { c.bound() - best };
        assert!(beyond < 1e-6 * best && c.gap() < 1e-5, "{name}: {c}, {best}");
    }
}
