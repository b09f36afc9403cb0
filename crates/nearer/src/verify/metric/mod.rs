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
use super::question::{Trouble, asked};
use super::rank::Axes;
use super::{AGREE, About, Found, MODEST, Verdict, judge};
use crate::error::Error;
use crate::io::{CertificateFile, Claim};
use crate::program::{Block, Candidate, Certificate, MetricAsk, MetricWitness, Sense};
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
    if Question::of(&file, about)?.fingerprint() != file.claim.program {
        return Err(Error::Evidence {
            what: "the program that was solved is not the one that its settings ask for".into(),
            remedy: "this is a mistake in nearer: please report it, and leave the certificate out".into(),
        });
    }
    Ok(file)
}

/// Checks a certificate of a learned metric.
pub(super) fn verify(mut verdict: Verdict, file: &CertificateFile, about: &About<'_>) -> Result<Verdict, Error> {
    let question = match Question::of(file, about) {
        Ok(question) => question,
        Err(Trouble::Input(error)) => return Err(error),
        Err(Trouble::Claim(kind, what)) => {
            verdict.say(kind, what);
            return Ok(verdict);
        }
    };
    verdict.settings = asked(&file.claim);
    if question.fingerprint() != file.claim.program {
        verdict.say(
            "other-question",
            "the certificate is about another question: a parameter, or which pairs were held".into(),
        );
        return Ok(verdict);
    }
    let c = &file.claim.certificate;
    if c.sense != question.ask.sense() || c.about != question.about() {
        verdict.say("other-question", "what is claimed is not what the question of the method is".into());
        return Ok(verdict);
    }
    verdict.about = c.about.clone();
    let d = question.scale.len();
    let [factor] = file.candidate.factors.as_slice() else {
        verdict.say("shape", "the file holds no factor of a metric".into());
        return Ok(verdict);
    };
    if factor.nrows() != d {
        verdict.say("shape", format!("the file holds a metric of {} features, and there are {d}", factor.nrows()));
        return Ok(verdict);
    }
    let (Some(bound), Some(gap)) = (c.bound, c.gap) else {
        verdict.say("bound", "the certificate claims no bound: there is nothing to check".into());
        return Ok(verdict);
    };
    let points = Points::of(&question, factor);
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
    judged.hold(&mut verdict, c.sense, c.primal, bound, gap);
    let seen = Array2::from_shape_fn((points.y.len(), factor.ncols()), |(i, k)| points.y[i][k]);
    let axes = Axes::of(&seen);
    let (fewest, most) = (axes.beyond(1e-5 * (1.0 + 1e-6)), axes.beyond(1e-5 * (1.0 - 1e-6)));
    if !(fewest..=most).contains(&c.rank) {
        verdict.say("rank", format!("the rank is claimed to be {}, and the points have {fewest}", c.rank));
    }
    verdict.found = Some(Found {
        primal: judged.primal,
        bound: judged.bound,
        gap: judge::gap(judged.primal, judged.bound, judged.scale),
        violation: 0.0,
        feasible: true,
        rank: fewest,
    });
    verdict.accepted = verdict.reasons.is_empty();
    Ok(verdict)
}

/// What the slow path came to.
struct Judged {
    /// The objective, on the side that is worse for the claim.
    primal: f64,
    /// The same on the better side.
    least: f64,
    bound: f64,
    scale: f64,
}

impl Judged {
    fn hold(&self, verdict: &mut Verdict, sense: Sense, primal: f64, bound: f64, gap: f64) {
        let larger = primal.abs().max(bound.abs());
        let towards = if sense == Sense::Minimise { 1.0 } else { -1.0 };
        let over = towards * (self.least - primal);
        if over > AGREE * larger || over.is_nan() {
            verdict.say(
                "primal",
                format!("the primal is claimed to be {primal}, and the numbers of the file attain {}", self.least),
            );
        } else if towards * (primal - self.primal) > MODEST * larger + 1e-9 * self.scale {
            // Both sides count their rounding, which is more than a little where features are many.
            verdict.say(
                "modest",
                format!(
                    "the primal is claimed to be {primal}, and its own numbers attain {}, which is better",
                    self.primal
                ),
            );
        }
        let over = towards * (bound - self.bound);
        if over > AGREE * larger || over.is_nan() {
            verdict.say(
                "bound",
                format!("the bound is claimed to be {bound}, and the numbers of the file prove {}", self.bound),
            );
        }
        let stated = judge::gap(primal, bound, self.scale);
        if (stated - gap).abs() > AGREE {
            verdict.say("gap", format!("the gap is claimed to be {gap}, and primal and bound are {stated} apart"));
        }
    }
}
