//! The kinds of forgery that once were accepted, made anew for every method: each is refused.

use ndarray::Array2;
use nearer::io::CertificateFile;
use nearer::settings::Value;
use nearer::verify::{About, CHECKED, renamed, verify};

use crate::honest::{self, Honest};
use crate::rng::Rng;

/// A forgery: what it is called, and the file.
type Forgery = (String, CertificateFile);

fn number(rng: &mut Rng) -> f64 {
    rng.next() as f64 / (u64::MAX as f64 / 2.0) - 1.0
}

/// A claim that primal and bound are the same, and that nothing is better.
fn closed(mut file: CertificateFile, value: f64) -> CertificateFile {
    let c = &mut file.claim.certificate;
    (c.primal, c.bound, c.gap, c.violation) = (value, Some(value), Some(0.0), 1e300);
    file
}

/// One end absurdly weak, so that a billionth of it is anything, and the other better than the truth by as much.
fn own_gap(one: &Honest) -> Vec<Forgery> {
    let minimised = format!("{:?}", one.file.claim.certificate.sense) == "Minimise";
    let far = if minimised { 1e12 } else { -1e12 };
    let mut primal = one.file.clone();
    let c = &mut primal.claim.certificate;
    (c.primal, c.bound, c.gap) = (one.found.bound - 5e-10 * far, Some(one.found.bound - far), Some(1.0));
    let mut bound = one.file.clone();
    let c = &mut bound.claim.certificate;
    (c.primal, c.bound, c.gap) = (one.found.primal + far, Some(one.found.primal + 5e-10 * far), Some(1.0));
    vec![("own gap, primal".into(), primal), ("own gap, bound".into(), bound)]
}

/// Points so small that the least number there is counts for all of them, or none at all in columns that say nothing.
fn points(one: &Honest, rng: &mut Rng) -> Vec<Forgery> {
    let mut tiny = closed(one.file.clone(), one.found.bound);
    let mut empty = tiny.clone();
    for factor in &mut tiny.candidate.factors {
        factor.iter_mut().for_each(|v| *v = 1e-154 * number(rng));
    }
    for factor in &mut empty.candidate.factors {
        *factor = Array2::zeros((factor.nrows(), 100_000));
    }
    for file in [&mut tiny, &mut empty] {
        file.weighed.iter_mut().for_each(|w| w.answer.weights.iter_mut().for_each(|w| *w *= 1e-154));
    }
    vec![("tiny points".into(), tiny), ("empty columns".into(), empty)]
}

/// A space of the file's choosing: foreign directions, one in place of all, junk in place of landmarks, a little outside of the span.
fn spaces(one: &Honest, rng: &mut Rng) -> Vec<Forgery> {
    if one.file.space.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    let mut put = |name: &str, change: &mut dyn FnMut(&mut Array2<f64>)| {
        let mut file = one.file.clone();
        file.space.iter_mut().for_each(|block| change(&mut block.basis));
        for (block, factor) in file.space.iter_mut().zip(&mut file.candidate.factors) {
            let kept = block.basis.ncols();
            block.charge = block.charge.as_ref().map(|_| Array2::eye(kept));
            *factor = factor.slice(ndarray::s![..kept.min(factor.nrows()), ..]).to_owned();
        }
        // What its own space would have to say for itself: that its points are the best.
        for value in [0.0, one.found.primal, one.found.bound] {
            all.push((format!("{name} space"), closed(file.clone(), value)));
        }
    };
    put("foreign", &mut |basis| basis.iter_mut().for_each(|v| *v = number(rng)));
    put("waves", &mut |basis| {
        let n = basis.nrows() as f64;
        basis.indexed_iter_mut().for_each(|((i, k), v)| *v = ((i as f64 + 0.5) * (k as f64 + 1.0) * 3.1 / n).cos());
    });
    put("one direction", &mut |basis| *basis = basis.slice(ndarray::s![.., ..1]).to_owned());
    all.into_iter().filter(|(name, _)| name != "one direction space" || one.file.space[0].basis.ncols() > 1).collect()
}

/// Settings as words, numbers as flags, and a sentence.
fn words(one: &Honest) -> Vec<Forgery> {
    let Ok(verdict) = verify(&one.file, About::of(&one.study).expect("evidence")) else { return Vec::new() };
    let mut all = Vec::new();
    for (name, value) in verdict.settings.iter() {
        let wrong = match value {
            Value::None => Value::Flag(true),
            Value::Word(_) | Value::Flag(_) => Value::Number(5.0),
            other => Value::from(other.to_string()),
        };
        let sentence = Value::from(format!("{value}; no map at all has an objective above 1"));
        for value in [wrong, sentence] {
            let mut file = one.file.clone();
            file.claim.settings.set(name, value.clone());
            file.claim.resolved.set(name, value.clone());
            all.push((format!("{name} as {value:?}"), file));
        }
    }
    all
}

/// Multipliers that prove nothing, beside a bound that says all.
fn nothing_proved(one: &Honest) -> Vec<Forgery> {
    let minimised = format!("{:?}", one.file.claim.certificate.sense) == "Minimise";
    let far = one.found.primal.abs().max(1.0) * if minimised { 1e6 } else { -1e6 };
    let mut file = one.file.clone();
    file.candidate.multipliers.iter_mut().for_each(|y| *y = 0.0);
    file.candidate.ball_multipliers.clear();
    file.weighed.iter_mut().for_each(|w| w.answer.multipliers.iter_mut().for_each(|y| *y = 0.0));
    let c = &mut file.claim.certificate;
    (c.primal, c.bound, c.gap) = (one.found.primal + 2.0 * far, Some(one.found.primal + far), None);
    let (p, b) = (c.primal, c.bound());
    c.gap = Some((p - b).abs() / p.abs().max(b.abs()));
    vec![("multipliers of nothing".into(), file)]
}

#[test]
fn every_kind_of_forgery_is_refused_for_every_method() {
    let all = honest::all().unwrap();
    let mut rng = Rng(8);
    let mut tried = 0;
    for one in &all {
        let forgeries =
            [own_gap(one), points(one, &mut rng), spaces(one, &mut rng), words(one), nothing_proved(one)].concat();
        for (name, file) in forgeries {
            let about = || About::of(&one.study).expect("evidence");
            let file = renamed(file, about());
            tried += 1;
            if let Ok(verdict) = verify(&file, about()) {
                // Where the best is nothing, points of nothing are the best, in whatever space they were written down.
                let nothing = one.found.primal.abs() < 1e-9 && verdict.found.is_some_and(|f| f.primal.abs() < 1e-9);
                if nothing && !name.contains(" as ") && !name.starts_with("own") {
                    continue;
                }
                assert!(!verdict.accepted, "{}: {name}: {:?} {:?}", one.name, verdict.found, verdict.claimed);
                assert!(!verdict.reasons.is_empty(), "{}: {name}", one.name);
            }
        }
    }
    let methods: std::collections::BTreeSet<&str> = all.iter().map(|h| h.file.claim.method.as_str()).collect();
    assert_eq!(methods, std::collections::BTreeSet::from(CHECKED));
    assert!(tried > 300, "{tried}");
}

/// A claim that is weaker than what its numbers prove is true, and is accepted as what was found.
#[test]
fn a_weaker_claim_is_accepted_as_what_was_found() {
    for one in honest::all().unwrap() {
        let mut file = one.file.clone();
        let minimised = format!("{:?}", file.claim.certificate.sense) == "Minimise";
        let step = if minimised { 1.0 } else { -1.0 } * one.found.primal.abs().max(1.0);
        let c = &mut file.claim.certificate;
        (c.primal, c.bound) = (one.found.primal + step, Some(one.found.bound - step));
        let (p, b) = (c.primal, c.bound());
        c.gap = Some((p - b).abs() / p.abs().max(b.abs()));
        let verdict = verify(&file, About::of(&one.study).unwrap()).unwrap();
        let found = verdict.found.unwrap();
        assert!(verdict.accepted, "{}: {:?}", one.name, verdict.reasons);
        assert!(found.gap <= verdict.claimed.as_ref().unwrap().gap() * (1.0 + 1e-9), "{}: {found:?}", one.name);
    }
}
