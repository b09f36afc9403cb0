//! Files made to deceive: every check ends, none panics, and nothing false is accepted.

use ndarray::Array2;
use nearer_num::rng::Rng;

use super::{every, gnmds, refused, unfolded};
use crate::evidence::{Comparison, Comparisons, Distances, Features, Pairs};
use crate::fit::Embed;
use crate::method::{Gnmds, KernelGnmds, Kpsde, Mvu, PartialOrder};
use crate::object::{Item, Objects, Pair};
use crate::program::{Proof, Sense, Stretch};
use crate::settings::Value;
use crate::toy;
use crate::verify::judge::gap;
use crate::verify::written::name_of;
use crate::verify::*;

/// Numbers that break arithmetic.
const ODD: [f64; 14] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN,
    1e300,
    -1e300,
    1e160,
    1e-160,
    f64::MIN_POSITIVE,
    5e-324,
    0.0,
    -0.0,
    42.0,
];

fn changed(file: &CertificateFile, rng: &mut Rng) -> CertificateFile {
    let mut file = file.clone();
    let times = 1 + rng.below(3);
    for _ in 0..times {
        let (odd, twist) = (ODD[rng.below(ODD.len())], rng.normal());
        let one = |v: &mut f64, rng: &mut Rng| match rng.below(4) {
            0 => *v = odd,
            1 => *v *= -1.0,
            2 => *v *= 1.0 + 10f64.powi(-(rng.below(12) as i32)) * twist,
            _ => *v += twist,
        };
        let c = &mut file.candidate;
        let certificate = &mut file.claim.certificate;
        match rng.below(10) {
            0 | 1 if !c.multipliers.is_empty() => {
                let k = rng.below(c.multipliers.len());
                one(&mut c.multipliers[k], rng);
            }
            2 if !c.ball_multipliers.is_empty() => {
                let k = rng.below(c.ball_multipliers.len());
                one(&mut c.ball_multipliers[k].2, rng);
            }
            3 if !c.factors[0].is_empty() => {
                let k = rng.below(c.factors[0].len());
                one(c.factors[0].iter_mut().nth(k).unwrap(), rng);
            }
            4 => one(&mut certificate.primal, rng),
            5 => {
                let mut bound = certificate.bound();
                one(&mut bound, rng);
                certificate.bound = Some(bound);
            }
            6 => {
                // A claim that fits itself.
                certificate.primal = if rng.below(2) == 0 { certificate.bound() } else { odd };
                certificate.bound = Some(certificate.primal);
                certificate.gap = Some(0.0);
            }
            7 => certificate.rank = rng.below(500),
            8 => {
                let wide = Array2::from_shape_fn((c.factors[0].nrows(), 401), |(i, j)| {
                    c.factors[0].get((i, j)).copied().unwrap_or(0.0)
                });
                c.factors[0] = wide;
            }
            _ => certificate.violation = odd,
        }
    }
    file
}

/// Thousands of changed files. Every one that is accepted claims a value that is not below what was proved of the honest one, a
/// bound that is not above what the honest one attains, and their distance.
#[test]
fn nothing_false_is_accepted_and_every_check_ends() {
    let (mut tried, mut accepted) = (0, 0);
    for (at, (name, honest, evidence)) in every().into_iter().enumerate() {
        let truth = &honest.claim.certificate;
        let towards = if truth.sense == Sense::Minimise { 1.0 } else { -1.0 };
        let size = truth.primal.abs().max(truth.bound().abs());
        let mut rng = Rng::task(77, at as u64);
        for _ in 0..120 {
            let file = changed(&honest, &mut rng);
            let verdict = verify(&file, &evidence).unwrap();
            tried += 1;
            if !verdict.accepted {
                continue;
            }
            accepted += 1;
            let c = verdict.claimed.as_ref().unwrap();
            let off = 1e-8 * size;
            assert!(towards * (c.primal - truth.bound()) >= -off, "{name}: {c:?} beside {truth:?}");
            assert!(towards * (c.bound() - truth.primal) <= off, "{name}: {c:?} beside {truth:?}");
            assert!((gap(c.primal, c.bound(), 0.0) - c.gap()).abs() < 1e-6 || size < 1e-6, "{name}: {c:?}");
        }
    }
    assert!(tried > 3000 && accepted > 0, "{accepted} of {tried}");
}

/// Settings that make the question itself one that numbers cannot answer.
#[test]
fn odd_settings_end_with_a_verdict_about_them() {
    let number = Value::Number;
    let odd = [number(-1.0), number(0.0), number(1e308), number(1e-308), number(2.0), Value::None, Value::Auto];
    let odd = odd.into_iter().chain([number(f64::NAN), number(f64::INFINITY), Value::of_word("x"), Value::Flag(true)]);
    let odd: Vec<Value> = odd.collect();
    for (name, honest, evidence) in every() {
        let settings = verify(&honest, &evidence).unwrap().settings;
        for (key, _) in settings.iter() {
            for value in &odd {
                let mut file = honest.clone();
                file.claim.resolved.set(key, value.clone());
                let file = renamed(file, &evidence);
                let verdict = verify(&file, &evidence).unwrap();
                // A setting may change nothing, and the claim be true of it: then it is that setting which is said to be verified.
                if verdict.accepted {
                    // What is left to chance is what it is by default, and is not told.
                    let told = Some(value).filter(|v| **v != Value::Auto);
                    assert_eq!(verdict.settings.get(key), told, "{name}: {key}");
                    let word = ["repair", "components", "form", "variant"].contains(&key) && *value == Value::None;
                    let number = value.number().is_some_and(|v| v > 0.0 && v.is_finite());
                    let hard = *value == Value::None && file.claim.method == "psde";
                    let absent = *value == Value::Auto;
                    assert!(word || number || hard || absent, "{name}: {key} {value}");
                }
            }
        }
    }
}

/// The claim of a proof that the question has none of, and a rank behind many columns.
#[test]
fn proof_and_rank_are_checked() {
    let (file, evidence) = gnmds(1);
    for proof in [Proof::ClosedForm, Proof::Linear] {
        let mut other = file.clone();
        other.claim.certificate.proof = proof;
        assert_eq!(refused(&other, &evidence), ["proof"]);
    }
    let mut wide = file.clone();
    let points = &file.candidate.factors[0];
    wide.candidate.factors[0] =
        Array2::from_shape_fn((points.nrows(), 450), |(i, j)| points.get((i, j)).copied().unwrap_or(0.0));
    assert_eq!(refused(&wide, &evidence), [""; 0]);
    wide.claim.certificate.rank += 1;
    assert_eq!(refused(&wide, &evidence), ["rank"]);
}

/// Neighbours that are to keep their distances, at points that do not: the points shrink, and claim what they then attain.
#[test]
fn rows_that_must_hold_are_held() {
    let (mut file, evidence) = unfolded("at-most", Stretch::AtMost, None);
    file.candidate.factors[0] *= 1.2;
    let kinds = refused(&file, &evidence);
    assert!(kinds.contains(&"violation"), "{kinds:?}");
    // Nor does it help to own up to the break and to claim the larger variance.
    file.claim.certificate.violation = 1e3;
    file.claim.certificate.primal *= 1.44;
    file.claim.certificate.bound = Some(file.claim.certificate.primal);
    file.claim.certificate.gap = Some(0.0);
    let kinds = refused(&file, &evidence);
    assert!(kinds.contains(&"primal"), "{kinds:?}");
}

/// Two chains that nothing holds together: the program covers one of them, and the claim has to say so.
#[test]
fn objects_that_were_left_out_are_told() {
    let at = |i: usize| if i < 6 { i as f64 } else { 100.0 + i as f64 };
    let values = (0..11).flat_map(|i| (i + 1..11).map(move |j| (at(i) - at(j)).abs())).collect();
    let d = Distances::from_condensed(Objects::numbered(11), values).unwrap();
    let fit = Mvu::new(1)
        .graph(crate::graph::Rule::nearest(2).components(crate::graph::Components::Largest))
        .fit(&d)
        .unwrap();
    let evidence = Evidence::Distances(d);
    let mut file = certificate_of(&fit, &evidence).unwrap();
    let verdict = verify(&file, &evidence).unwrap();
    assert!(verdict.accepted && (verdict.covered, verdict.objects) == (6, 11), "{verdict:?}");
    file.claim.settings.set("components", "refuse");
    assert_eq!(refused(&file, &evidence), ["covered"]);
}

/// Margins at the end of the range of numbers are margins.
#[test]
fn honest_claims_of_any_size_are_accepted() {
    for size in [1e-60, 1.0, 1e30, 1e60] {
        let c = crate::toy::answers(6, 2, 12, 0.0, 3);
        let rows = c.iter().map(|row| Comparison { margin: size, ..*row }).collect();
        let c = Comparisons::new(c.objects().clone(), rows).unwrap();
        let fit = PartialOrder::new(2).fit(&c).unwrap();
        let evidence = Evidence::Comparisons(c);
        let file = certificate_of(&fit, &evidence).unwrap();
        let verdict = verify(&file, &evidence).unwrap();
        assert!(verdict.accepted, "{size:e}: {verdict:#?}");
    }
}

/// Three objects and a slack of 10³⁰⁸: the honest value is far from what is claimed, whatever the slack does to the figures.
#[test]
fn a_claim_behind_a_slack_beyond_measure_is_false() {
    let pair = |a, b| Pair::new(Item(a), Item(b)).unwrap();
    let c = Comparisons::new(Objects::numbered(3), vec![Comparison::new(pair(0, 1), pair(0, 2))]).unwrap();
    let fit = Gnmds::new(2).slack(1.0).refine(false).fit(&c).unwrap();
    let evidence = Evidence::Comparisons(c);
    let mut file = certificate_of(&fit, &evidence).unwrap();
    file.claim.settings.set("slack", 1e308);
    let certificate = &mut file.claim.certificate;
    (certificate.primal, certificate.bound, certificate.gap) = (42.0, Some(42.0), Some(0.0));
    file.candidate.factors = vec![Array2::zeros((3, 2))];
    for multiplier in [0.0, 0.3, 1e307] {
        file.candidate.multipliers = vec![multiplier];
        let file = renamed(file.clone(), &evidence);
        assert!(refused(&file, &evidence).contains(&"primal"), "{multiplier}");
    }
    file.claim.settings.set("slack", -1.0);
    assert_eq!(refused(&file, &evidence), ["settings"]);
}

/// A basis that does not fit, a charge of another shape, numbers that overflow when they are multiplied: all end with a reason.
#[test]
fn a_basis_made_to_deceive_is_found() {
    let near = |i: u32, j: u32| (i < 4) == (j < 4);
    let rows = (0..8).flat_map(|i| (0..8).filter(move |j| *j != i).map(move |j| (i, j)));
    let rows = rows.map(|(i, j)| crate::evidence::Judged::new(Item(i), Item(j), near(i, j))).collect();
    let pairs = Pairs::new(Objects::numbered(8), rows).unwrap();
    let mut rng = Rng::task(3, 3);
    let x = Array2::from_shape_fn((8, 3), |(i, _)| rng.normal() + if i < 4 { 0.0 } else { 2.0 });
    let features = Features::new(Objects::numbered(8), ["x", "y", "z"], x).unwrap();
    let kernels = Kernels::new(features.objects(), &[("linear:x".parse().unwrap(), Some(&features))]).unwrap();
    let fit = Kpsde::new(2).trace(0.1).fit((&kernels, &pairs)).unwrap();
    let about = About {
        evidence: Cow::Owned(Evidence::Pairs(pairs)),
        kernels: Some(&kernels),
        features: None,
        limits: Limits::default(),
    };
    let honest = certificate_of(&fit, about.clone()).unwrap();
    let kinds = |change: &dyn Fn(&mut CertificateFile)| -> Vec<&'static str> {
        let mut file = honest.clone();
        change(&mut file);
        if let Some(name) = name_of(&file, &about) {
            file.claim.program = name;
        }
        verify(&file, about.clone()).unwrap().reasons.iter().map(|r| r.kind).collect()
    };
    assert_eq!(kinds(&|_| ()), [""; 0]);
    let wide = |f: &CertificateFile| f.space[0].basis.ncols() + 1;
    assert_eq!(kinds(&|f| f.space[0].charge = Some(Array2::eye(wide(f)))), ["other-question"]);
    // What its own points are charged is not the file's to say: the charge is made of the kernel.
    assert_eq!(kinds(&|f| f.space[0].charge = None), [""; 0]);
    assert_eq!(kinds(&|f| f.space[0].charge.as_mut().unwrap().fill(0.0)), [""; 0]);
    assert_eq!(kinds(&|f| f.space[0].basis[(0, 0)] = f64::NAN), ["not-finite"]);
    assert_eq!(kinds(&|f| f.space[0].basis = Array2::zeros((8, 0))), ["other-question"]);
    assert_eq!(kinds(&|f| f.space.clear()), ["other-question"]);
    assert_eq!(kinds(&|f| f.candidate.factors.clear()), ["shape"]);
    assert!(!kinds(&|f| f.space[0].basis *= 1e200).is_empty());
    assert_eq!(kinds(&|f| f.claim.certificate.about = "no map in any number of dimensions".into()), ["other-question"]);
    assert_eq!(kinds(&|f| f.claim.certificate.about.insert_str(61, "all maps, ")), ["other-question"]);
}

/// An honest certificate about other kernels says nothing about these, though it bears their hash: one that lacks a narrow feature, and
/// one whose values differ off the diagonal.
#[test]
fn a_certificate_of_other_kernels_is_found() {
    let objects = Objects::numbered(8);
    let mut rng = Rng::task(5, 1);
    let x = Array2::from_shape_fn((8, 2), |(i, k)| {
        if k == 0 { 1e4 * rng.normal() } else { f64::from(u8::from(i < 4)) + 0.1 * rng.normal() }
    });
    let both = Features::new(objects.clone(), ["income", "age"], x.clone()).unwrap();
    let one = Features::new(objects.clone(), ["income"], x.slice(ndarray::s![.., ..1]).to_owned()).unwrap();
    let linear = |f: &Features| Kernels::new(f.objects(), &[("linear:x".parse().unwrap(), Some(f))]).unwrap();
    let rows = (0..8u32).flat_map(|i| (0..8).filter(move |j| *j != i).map(move |j| (i, j)));
    let rows = rows.map(|(i, j)| crate::evidence::Judged::new(Item(i), Item(j), (i < 4) == (j < 4))).collect();
    let pairs = Pairs::new(objects.clone(), rows).unwrap();
    let about = |kernels, evidence: Evidence| About {
        evidence: Cow::Owned(evidence),
        kernels: Some(kernels),
        features: None,
        limits: Limits::default(),
    };
    let accepted = |file: &CertificateFile, about: &About<'_>| {
        let mut file = file.clone();
        file.claim.evidence = about.fingerprint(&file.claim.method, false).unwrap();
        file.claim.program = name_of(&file, about).unwrap_or_default();
        verify(&file, about.clone()).unwrap().accepted
    };
    let (few, all) = (linear(&one), linear(&both));
    let (of_few, of_all) = (about(&few, pairs.clone().into()), about(&all, pairs.clone().into()));
    let fit = |k: &Kernels, about: &About<'_>| {
        certificate_of(&Kpsde::new(1).fit((k, &pairs)).unwrap(), about.clone()).unwrap()
    };
    let (narrow, honest) = (fit(&few, &of_few), fit(&all, &of_all));
    assert!(accepted(&honest, &of_all) && accepted(&narrow, &of_few) && !accepted(&narrow, &of_all));

    let c = toy::answers(8, 2, 60, 0.1, 2);
    let smooth = |width: f64| {
        Array2::from_shape_fn((8, 8), |(i, j)| (-width * (both.values()[(i, 1)] - both.values()[(j, 1)]).powi(2)).exp())
    };
    let given = |m: Array2<f64>| {
        let f = Features::new(c.objects().clone(), c.objects().labels().to_vec(), m).unwrap();
        Kernels::new(f.objects(), &[("k=precomputed,centre=no:x".parse().unwrap(), Some(&f))]).unwrap()
    };
    let (mine, other) = (given(smooth(1.0)), given(smooth(1.2)));
    let (of_mine, of_other) = (about(&mine, c.clone().into()), about(&other, c.clone().into()));
    let fit = |k: &Kernels, about: &About<'_>| {
        certificate_of(&KernelGnmds::new(2).slack(0.5).fit((k, &c)).unwrap(), about.clone()).unwrap()
    };
    let (honest, foreign) = (fit(&mine, &of_mine), fit(&other, &of_other));
    assert!(accepted(&honest, &of_mine) && accepted(&foreign, &of_other) && !accepted(&foreign, &of_mine));
}

/// Eigenvectors of a graph can put two neighbours in one place: the row between them holds, and asks for no shrinking.
#[test]
fn neighbours_in_one_place_break_nothing() {
    let at: [f64; 8] = [0.0, 1.0, 2.0, 3.0, 3.5, 4.5, 5.5, 6.5];
    let values = (0..8).flat_map(|i| (i + 1..8).map(move |j| (at[i] - at[j]).abs())).collect();
    let d = Distances::from_condensed(Objects::numbered(8), values).unwrap();
    let fit = Mvu::new(1).neighbours(2).fit(&d).unwrap();
    let evidence = Evidence::Distances(d);
    let mut file = certificate_of(&fit, &evidence).unwrap();
    // Everything but one object in one place: a feasible answer, and what it attains is that object's share.
    let points = &mut file.candidate.factors[0];
    points.fill(0.0);
    points[(0, 0)] = 0.5;
    let verdict = verify(&file, &evidence).unwrap();
    let attained = verdict.found.unwrap().primal;
    assert!((attained - 0.25 * 7.0 / 8.0).abs() < 1e-12, "{attained}");
}
