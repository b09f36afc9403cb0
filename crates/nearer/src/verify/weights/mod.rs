//! Certificates about weights of columns: a linear or quadratic program, checked without a matrix of points.

mod found;
mod question;

use ndarray::Array2;

use super::judge::{self, Figures, Standard};
use super::question::{Said, all_pairs, place};
use super::rank::Axes;
use super::{About, Found, Verdict};
use crate::error::Error;
use crate::fit::WeightsWitness;
use crate::io::{CertificateFile, Claim, WeighedColumns};
use crate::program::{Candidate, Program as _, Sense};
use question::{Columns, Weighing};

/// Whether a claim is about weights, not about points.
pub(super) fn is_of_weights(claim: &Claim) -> bool {
    let weights = claim.resolved.word("weights").or(claim.settings.word("weights"));
    claim.method == "svm-metric" || (claim.method == "kernel-partial-order" && weights.is_some_and(|w| w != "full"))
}

/// The file of an answer, multipliers within their ranges to the last digit.
pub(super) fn written(claim: Claim, witness: &WeightsWitness, about: &About<'_>) -> Result<CertificateFile, Error> {
    let candidate =
        Candidate { factors: Vec::new(), radii: Vec::new(), multipliers: Vec::new(), ball_multipliers: Vec::new() };
    let weighed = WeighedColumns { answer: witness.answer.clone(), columns: witness.columns.clone() };
    let mut file = CertificateFile { claim, candidate, space: Vec::new(), weighed: Some(weighed), intact: true };
    file.claim.program = witness.program.fingerprint(&witness.objects);
    let question = Weighing::of(&file, &Said::of(&file.claim)?, about)?;
    if file.claim.program != question.fingerprint() {
        return Err(super::written::another_program());
    }
    if let Some(what) = question.defect().or_else(|| misshapen(&question, &file)) {
        return Err(super::written::uncheckable(what));
    }
    if let Some(weighed) = &mut file.weighed {
        let answer = &mut weighed.answer;
        answer.weights.iter_mut().chain(&mut answer.tangent).for_each(|w| *w = w.max(0.0));
        answer.multipliers.iter_mut().zip(&question.rows).for_each(|(y, row)| *y = y.clamp(0.0, row.weight));
        answer.held.iter_mut().for_each(|h| h.2 = h.2.max(0.0));
        answer.everywhere = answer.everywhere.max(0.0);
    }
    Ok(file)
}

/// The name of the question that a file asks.
pub(super) fn name_of(file: &CertificateFile, said: &Said<'_>, about: &About<'_>) -> Option<String> {
    Some(Weighing::of(file, said, about).ok()?.fingerprint())
}

/// Holds a file against the question of its claim.
pub(super) fn verified(
    mut verdict: Verdict,
    file: &CertificateFile,
    said: Said<'_>,
    about: &About<'_>,
) -> Result<Verdict, Error> {
    let question = match Weighing::of(file, &said, about) {
        Ok(question) => question,
        Err(trouble) => return verdict.refused(trouble),
    };
    verdict.settings = said.checked();
    if let Some(what) = question.defect() {
        verdict.say("not-finite", what);
        return Ok(verdict);
    }
    if question.fingerprint() != file.claim.program {
        verdict.say("other-question", super::OTHER.into());
        return Ok(verdict);
    }
    let answer = match (misshapen(&question, file), &file.weighed) {
        (None, Some(weighed)) => &weighed.answer,
        (what, _) => {
            verdict.say("shape", what.unwrap_or_default());
            return Ok(verdict);
        }
    };
    let out = |(y, most): (f64, f64)| !(0.0..=most).contains(&y);
    let rows = answer.multipliers.iter().zip(&question.rows).map(|(y, row)| (*y, row.weight));
    let others = answer.held.iter().map(|h| h.2).chain([answer.everywhere]).chain(answer.tangent.iter().copied());
    if let Some((y, most)) = rows.chain(others.map(|y| (y, f64::INFINITY))).find(|y| out(*y)) {
        verdict.say("multiplier", format!("a multiplier is {y}, outside [0, {most}]"));
    }
    verdict.speaks_of(&[question.subject()], &file.claim.certificate.about);
    let axes = axes(&question, &answer.weights);
    let attained = found::attained(&question, &answer.weights);
    let bound = found::bound(&question, answer, attained.value, &about.limits);
    let own = |v: f64| if question.sense == Sense::Minimise { v } else { -v };
    let found = Found {
        primal: own(attained.value),
        bound: own(bound),
        gap: judge::gap(attained.value, bound, question.scale()),
        violation: attained.violation,
        feasible: true,
        rank: axes.beyond(judge::THIN),
    };
    let standard = Standard {
        sense: question.sense,
        scale: question.scale(),
        linear: true,
        closed: false,
        mends: question.bound.is_some(),
        widest: question.bound.unwrap_or(0.0),
        axes,
    };
    let figures = Figures { found, best: own(attained.least) };
    judge::judge(&mut verdict, &standard, &file.claim.certificate, figures);
    verdict.accepted = verdict.reasons.is_empty();
    Ok(verdict)
}

/// Whether weights and multipliers are as many as the question has columns and rows.
fn misshapen(q: &Weighing, file: &CertificateFile) -> Option<String> {
    let Some(weighed) = &file.weighed else { return Some("the file holds no weights".into()) };
    let (a, n) = (&weighed.answer, q.n());
    if a.weights.len() != q.width() {
        return Some(format!("the file holds {} weights for {} columns", a.weights.len(), q.width()));
    }
    if let Some(w) = a.weights.iter().find(|w| **w < 0.0) {
        return Some(format!("a weight is {w}, and none may be below 0"));
    }
    if a.multipliers.len() != q.rows.len() {
        return Some(format!("the file holds {} multipliers for {} rows", a.multipliers.len(), q.rows.len()));
    }
    if !(a.tangent.is_empty() || a.tangent.len() == q.width()) {
        return Some("the point at which the square is touched has another size".into());
    }
    let mut seen = std::collections::HashSet::new();
    let stray = |&(i, j, _): &(u32, u32, f64)| i >= j || j as usize >= n || !seen.insert((i, j));
    a.held.iter().any(stray).then(|| "a multiplier of a pair is there twice, or of no pair".into())
}

/// The axes of the points that the weights make.
fn axes(q: &Weighing, weights: &[f64]) -> Axes {
    let kept: Vec<usize> = (0..weights.len()).filter(|p| weights[*p] > 0.0).collect();
    match &q.columns {
        Columns::Features(f) => {
            Axes::of(&Array2::from_shape_fn((q.n(), kept.len()), |(i, k)| f[(i, kept[k])] * weights[kept[k]].sqrt()))
        }
        Columns::Distances(d) => {
            let n = q.n();
            let mut squared = Array2::zeros((n, n));
            for (i, j) in all_pairs(n) {
                let sum: f64 = kept.iter().map(|p| weights[*p] * d[(place(n, i, j), *p)]).sum();
                (squared[(i, j)], squared[(j, i)]) = (sum, sum);
            }
            let means: Vec<f64> = (0..n).map(|i| squared.row(i).iter().sum::<f64>() / n as f64).collect();
            let mean = means.iter().sum::<f64>() / n as f64;
            let products =
                Array2::from_shape_fn((n, n), |(i, j)| -0.5 * (squared[(i, j)] - means[i] - means[j] + mean));
            Axes::of_products(products)
        }
    }
}
