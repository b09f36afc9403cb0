//! Certificates of learned metrics checked again: the question stated once more from features and judgements, its objective and
//! the matrix behind the bound as plain loops, and the proof by the slow factorisation.

mod apart;
mod collapse;
mod hinged;
mod points;
mod question;
mod span;

use ndarray::Array2;

use self::hinged::opened;
use self::points::Points;
use self::question::Question;
use super::judge::{Figures, Standard, THIN, gap, judge};
use super::question::Said;
use super::rank::Axes;
use super::{About, Found, Verdict};
use crate::error::Error;
use crate::io::{CertificateFile, Claim};
use crate::program::{Block, Candidate, Certificate, MetricAsk, MetricWitness, Proof};
use crate::report::FitReport;

/// The methods that learn a metric with a proof.
pub(super) const METRICS: [&str; 3] = ["lmnn", "mmc", "mcml"];

/// What a fit of a metric has to write down: its factor, and the multipliers that are not zero.
pub(super) fn certificate_of(
    report: &FitReport,
    certificate: &Certificate,
    witness: &MetricWitness,
    about: &About<'_>,
) -> Result<CertificateFile, Error> {
    let claim = Claim {
        method: report.method.clone(),
        settings: report.settings.clone(),
        resolved: report.resolved.clone(),
        seed: report.seed,
        evidence: about.fingerprint(&report.method, witness.basis.is_some()).unwrap_or_default(),
        program: witness.ask.fingerprint(&witness.objects, &witness.scale, witness.basis.as_ref()),
        certificate: certificate.clone(),
    };
    let c = &witness.candidate;
    let shares = || c.multipliers.iter().map(|(t, l, a)| (*t, *l, a.clamp(0.0, 1.0)));
    let (multipliers, ball_multipliers) = match &witness.ask {
        MetricAsk::Compared { rows, .. } => {
            let mut all = vec![0.0; rows.len()];
            shares().for_each(|(t, _, a)| all[t as usize] = a);
            (all, Vec::new())
        }
        _ => (Vec::new(), shares().collect()),
    };
    let candidate = Candidate { factors: vec![c.factor.clone()], radii: Vec::new(), multipliers, ball_multipliers };
    let space = witness.basis.iter().map(|basis| Block { basis: basis.clone(), charge: None }).collect();
    let file = CertificateFile { claim, candidate, space, weighed: None, intact: true };
    if Question::of(&file, &Said::of(&file.claim)?, about)?.fingerprint() != file.claim.program {
        return Err(Error::Evidence {
            what: "the program that was solved is not the one that its settings ask for".into(),
            remedy: "this is a mistake in nearer: please report it, and leave the certificate out".into(),
        });
    }
    Ok(file)
}

/// The name of the question that a file asks.
pub(super) fn name_of(file: &CertificateFile, said: &Said<'_>, about: &About<'_>) -> Option<String> {
    Some(Question::of(file, said, about).ok()?.fingerprint())
}

/// Checks a certificate of a learned metric.
pub(super) fn verify(
    mut verdict: Verdict,
    file: &CertificateFile,
    said: Said<'_>,
    about: &About<'_>,
) -> Result<Verdict, Error> {
    let question = match Question::of(file, &said, about) {
        Ok(question) => question,
        Err(trouble) => return verdict.refused(trouble),
    };
    verdict.settings = said.checked();
    if question.fingerprint() != file.claim.program {
        verdict.say("other-question", super::OTHER.into());
        return Ok(verdict);
    }
    let c = &file.claim.certificate;
    verdict.speaks_of(&[question.about()], &c.about);
    let d = question.scale.len();
    let [factor] = file.candidate.factors.as_slice() else {
        verdict.say("shape", "the file holds no factor of a metric".into());
        return Ok(verdict);
    };
    if factor.nrows() != d {
        verdict.say("shape", format!("the file holds a metric of {} features, and there are {d}", factor.nrows()));
        return Ok(verdict);
    }
    let Some(bound) = c.bound else {
        verdict.say("bound", "the certificate claims no bound: there is nothing to check".into());
        return Ok(verdict);
    };
    let factor = question.turned(factor);
    let points = Points::of(&question, &factor, about.limits);
    let judged = match &question.ask {
        MetricAsk::Neighbours { group, targets, push, ridge } => {
            let Some(rows) = opened(file, targets, group, *push, &mut verdict) else { return Ok(verdict) };
            points.neighbours(group, targets, *push, *ridge, &rows, bound)
        }
        MetricAsk::Compared { rows, push, ridge } => {
            let shares = &file.candidate.multipliers;
            if shares.len() != rows.len() || shares.iter().any(|a| !(0.0..=1.0).contains(a)) {
                verdict.say(
                    "multiplier",
                    "a multiplier lies outside [0, 1], or there is not one for each comparison".into(),
                );
                return Ok(verdict);
            }
            points.compared(rows, *push, *ridge, shares, bound)
        }
        MetricAsk::Apart { similar, dissimilar, ridge, diagonal } => {
            if *diagonal && factor.indexed_iter().any(|((i, j), v)| i != j && *v != 0.0) {
                verdict.say("shape", "the metric is claimed to be diagonal, and is not".into());
                return Ok(verdict);
            }
            points.apart(similar, dissimilar, *ridge, *diagonal, bound)
        }
        MetricAsk::Collapse { group, trace } => points.collapse(group, *trace),
    };
    let axes = Axes::of(&Array2::from_shape_fn((points.y.len(), factor.ncols()), |(i, k)| points.y[i][k]));
    let found = Found {
        primal: judged.primal,
        bound: judged.bound,
        gap: gap(judged.primal, judged.bound, judged.scale),
        violation: 0.0,
        feasible: true,
        rank: axes.beyond(THIN),
    };
    let standard = Standard {
        sense: question.ask.sense(),
        scale: judged.scale,
        linear: c.proof == Proof::Linear,
        closed: false,
        mends: false,
        widest: 0.0,
        axes,
    };
    judge(&mut verdict, &standard, c, Figures { found, best: judged.best });
    verdict.accepted = verdict.reasons.is_empty();
    Ok(verdict)
}

/// What the slow path came to.
struct Judged {
    /// The objective, on the side that is worse for the claim.
    primal: f64,
    /// The same on the better side.
    best: f64,
    bound: f64,
    scale: f64,
}

/// By how much less than was claimed may be proved, as shares, for want of the last digits of both paths.
const LESS: [f64; 5] = [0.0, 1e-11, 1e-9, 1e-7, 1e-5];

/// The strongest bound that is proved: what is claimed, or a little less.
fn strongest(claimed: f64, sense: f64, proved: impl Fn(f64) -> bool) -> Option<f64> {
    LESS.iter().map(|less| claimed - sense * less * claimed.abs()).find(|bound| proved(*bound))
}
