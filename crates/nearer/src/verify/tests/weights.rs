//! Certificates about weights: accepted in every form, and found out when something was done to one.

use std::borrow::Cow;

use nearer_num::rng::Rng;

use crate::evidence::{Evidence, Kernels};
use crate::fit::Embed;
use crate::io::CertificateFile;
use crate::method::{Form, KernelPartialOrder, Metric, Over, SvmMetric};
use crate::program::{Sense, Weights};
use crate::toy;
use crate::verify::{About, certificate_of, verify};

/// A file of each form, with what it is about.
fn every() -> Vec<(&'static str, CertificateFile, Evidence, Kernels)> {
    let (features, answers) = toy::featured_answers(14, 3, 220, 0.1, 5);
    let kernels = |specs: &[&str]| {
        let asked: Vec<_> = specs.iter().map(|s| (s.parse().unwrap(), Some(&features))).collect();
        Kernels::new(answers.objects(), &asked).unwrap()
    };
    let (one, two) = (kernels(&["rbf:f"]), kernels(&["a=rbf:f", "b=linear:f"]));
    let linear = kernels(&["linear:f"]);
    let mut all = Vec::new();
    let mut put = |name, kernels: &Kernels, fit: crate::Fit<_>| {
        let evidence = Evidence::Comparisons(answers.clone());
        let about = About {
            evidence: Cow::Borrowed(&evidence),
            kernels: Some(kernels),
            features: None,
            limits: crate::verify::Limits::default(),
        };
        let file = certificate_of(&fit, about).unwrap();
        all.push((name, file, evidence, kernels.clone()));
    };
    put("quadratic", &one, SvmMetric::new(2).fit((&one, &answers)).unwrap());
    put("trace", &two, SvmMetric::new(2).form(Form::Trace).fit((&two, &answers)).unwrap());
    put("features", &linear, SvmMetric::new(2).over(Over::Features).fit((&linear, &answers)).unwrap());
    for (name, metric) in [("diagonal", Metric::Diagonal), ("whole kernels", Metric::Kernel), ("full", Metric::Full)] {
        put(name, &two, KernelPartialOrder::new(2).weights(metric).fit((&two, &answers)).unwrap());
    }
    all
}

/// The kinds of reasons against a file.
fn reasons(file: &CertificateFile, evidence: &Evidence, kernels: &Kernels) -> Vec<&'static str> {
    let about = About {
        evidence: Cow::Borrowed(evidence),
        kernels: Some(kernels),
        features: None,
        limits: crate::verify::Limits::default(),
    };
    verify(file, about).unwrap().reasons.iter().map(|r| r.kind).collect()
}

#[test]
fn every_form_is_accepted_and_a_change_is_named() {
    for (name, honest, evidence, kernels) in every() {
        let kinds = |change: &dyn Fn(&mut CertificateFile)| {
            let mut file = honest.clone();
            change(&mut file);
            reasons(&file, &evidence, &kernels)
        };
        assert_eq!(kinds(&|_| ()), [""; 0], "{name}");
        assert!(kinds(&|f| f.claim.program = "another".into()).contains(&"other-question"), "{name}");
        assert!(kinds(&|f| f.claim.certificate.about = "no map at all".into()).contains(&"other-question"), "{name}");
        assert!(kinds(&|f| f.claim.certificate.rank += 40).contains(&"rank"), "{name}");
        let better = |f: &mut CertificateFile, by: f64| {
            let c = &mut f.claim.certificate;
            let towards = if c.sense == Sense::Minimise { by } else { -by };
            c.bound = Some(c.bound() + towards * c.primal.abs());
        };
        assert!(kinds(&|f| better(f, 1e-3)).contains(&"bound"), "{name}");
        assert!(
            !kinds(&|f| f.claim.certificate.primal += 1e-3 * f.claim.certificate.primal.abs()).is_empty(),
            "{name}"
        );
        if name == "full" {
            continue;
        }
        let answer = |f: &mut CertificateFile, change: &dyn Fn(&mut Weights)| {
            change(&mut f.weighed.as_mut().unwrap().answer);
        };
        assert_eq!(kinds(&|f| f.weighed = None), ["shape"], "{name}");
        assert_eq!(kinds(&|f| answer(f, &|a| a.weights.push(1.0))), ["shape"], "{name}");
        assert_eq!(kinds(&|f| answer(f, &|a| a.weights[0] = -1.0)), ["shape"], "{name}");
        assert_eq!(kinds(&|f| answer(f, &|a| a.weights[0] = f64::NAN)), ["not-finite"], "{name}");
        assert_eq!(kinds(&|f| answer(f, &|a| a.multipliers.clear())), ["shape"], "{name}");
        assert!(kinds(&|f| answer(f, &|a| a.multipliers[0] = -1.0)).contains(&"multiplier"), "{name}");
        assert!(!kinds(&|f| answer(f, &|a| a.multipliers.fill(0.0))).is_empty(), "{name}");
    }
}

/// Whatever is done to the numbers of an answer, nothing is accepted that claims more than the honest one proves and attains.
#[test]
fn no_false_claim_about_weights_is_accepted() {
    let mut accepted = 0;
    for (at, (name, honest, evidence, kernels)) in every().into_iter().enumerate() {
        if honest.weighed.is_none() {
            continue;
        }
        let truth = honest.claim.certificate.clone();
        let towards = if truth.sense == Sense::Minimise { 1.0 } else { -1.0 };
        let size = truth.primal.abs().max(truth.bound().abs());
        let mut rng = Rng::task(9, at as u64);
        for _ in 0..60 {
            let mut file = honest.clone();
            let (odd, twist) = ([1e300, 1e-300, 0.0, -1.0, 1e154][rng.below(5)], rng.normal());
            let answer = &mut file.weighed.as_mut().unwrap().answer;
            let list = match rng.below(3) {
                0 => &mut answer.weights,
                1 => &mut answer.multipliers,
                _ => &mut answer.tangent,
            };
            if !list.is_empty() {
                let k = rng.below(list.len());
                list[k] = if rng.below(2) == 0 { odd } else { list[k] * (1.0 + 1e-9 * twist) };
            }
            let c = &mut file.claim.certificate;
            if rng.below(2) == 0 {
                c.primal += 1e-12 * twist * size;
                c.bound = Some(c.bound() - 1e-12 * twist * size);
            }
            let claimed = c.clone();
            if reasons(&file, &evidence, &kernels).is_empty() {
                accepted += 1;
                assert!(towards * (claimed.primal - truth.bound()) >= -1e-8 * size, "{name}: {claimed:?}");
                assert!(towards * (claimed.bound() - truth.primal) <= 1e-8 * size, "{name}: {claimed:?}");
            }
        }
    }
    assert!(accepted > 0);
}
