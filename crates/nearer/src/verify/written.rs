//! From a fit to the file that others check: what it claims, held against the slow path before it is handed out.

use super::judge::{self, misshapen};
use super::question::{Question, Said, Trouble};
use super::{About, Reason, metric, space, stated, verify, weights};
use crate::error::{Error, Remedy};
use crate::fit::{Fit, Witnessed};
use crate::io::{CertificateFile, Claim};
use crate::program::{Program as _, Space};

/// What a fit has to write down so that others can check it, checked before it is handed out: [`verify`] accepts it.
///
/// # Cost
/// That of [`verify`].
/// # Fails
/// [`Error::Evidence`] where the fit gives no certificate, its method is not one that can be checked, or the slow path does not bear
/// the claim out.
pub fn certificate_of<'a, M>(fit: &Fit<M>, about: impl Into<About<'a>>) -> Result<CertificateFile, Error> {
    let about = about.into();
    upheld(claim_of(fit, about.clone())?, about)
}

/// The same with what the solver found, not yet checked: [`upheld`] does that, when somebody wants it.
///
/// # Fails
/// [`Error::Evidence`] where the fit gives no certificate, or its method is not one that can be checked.
pub fn claim_of<'a, M>(fit: &Fit<M>, about: impl Into<About<'a>>) -> Result<CertificateFile, Error> {
    let about = about.into();
    if let Some(by) = fit.report.certificate.as_ref().and_then(|c| c.broken) {
        return Err(Error::Evidence {
            what: format!(
                "the solution of {} breaks a row that must hold by {by:.2e}, so there is no certificate to write",
                fit.report.method
            ),
            remedy: "give it more time or other settings, or leave the certificate out".into(),
        });
    }
    if fit.report.certificate.as_ref().is_some_and(|c| c.bound.is_none()) {
        return Err(Error::Evidence {
            what: format!(
                "{} proved nothing about its solution, so there is no certificate to write",
                fit.report.method
            ),
            remedy: "give it more time or other settings, or leave the certificate out".into(),
        });
    }
    if let (Some(certificate), Some(witness)) = (&fit.report.certificate, &fit.metric) {
        return metric::certificate_of(&fit.report, certificate, witness, &about);
    }
    let (Some(certificate), Some(witness)) = (&fit.report.certificate, &fit.witness) else {
        return Err(Error::Evidence {
            what: format!("{} gives no certificate", fit.report.method),
            remedy: Remedy::from("choose a convex method from ")
                .command("methods")
                .and(", or leave the certificate out"),
        });
    };
    let claim = Claim {
        method: fit.report.method.clone(),
        settings: fit.report.settings.clone(),
        resolved: fit.report.resolved.clone(),
        seed: fit.report.seed,
        evidence: about.fingerprint(&fit.report.method, false).unwrap_or_default(),
        program: String::new(),
        certificate: certificate.clone(),
    };
    let witness = match witness {
        Witnessed::Points(witness) => witness,
        Witnessed::Weights(witness) => return weights::written(claim, witness, &about),
    };
    let space = match &witness.program.space {
        Space::Free => Vec::new(),
        Space::Spanned(blocks) => blocks.clone(),
    };
    let mut file = CertificateFile { claim, candidate: witness.candidate.clone(), space, weighed: None, intact: true };
    // The name of the program that was solved; whoever checks states the question again.
    file.claim.program = witness.program.fingerprint(&witness.objects);
    let question = match stated(&file, &Said::of(&file.claim)?, &about) {
        // What cannot be made of the evidence is still what the file names.
        Err(Trouble::Claim(..)) if space::can_be_named(&file.claim.certificate.about) => {
            file.claim.certificate.about = space::by_name(&file);
            stated(&file, &Said::of(&file.claim)?, &about)?
        }
        other => other?,
    };
    if file.claim.program != question.fingerprint() {
        return Err(another_program());
    }
    if let Some(what) = question.defect().or_else(|| misshapen(&question, &file)) {
        return Err(uncheckable(what));
    }
    // What a solver leaves may be outside by a rounding; the file is to be right to the last digit.
    for (y, row) in file.candidate.multipliers.iter_mut().zip(&question.rows) {
        *y = y.clamp(row.low, row.high);
    }
    if let Some(balls) = &question.balls {
        let n = question.n();
        for (i, j, y) in &mut file.candidate.ball_multipliers {
            *y = y.clamp(0.0, balls.most(*i as usize * n + *j as usize));
        }
    }
    Ok(file)
}

/// A certificate as [`verify`] accepts it. Both paths count rounding, each in its own way: where the slow one proves a little less than was
/// claimed, the claim becomes what it proves, and where it can say less of the space, the claim says that.
///
/// # Fails
/// [`Error::Evidence`] where the slow path does not bear the claim out.
pub fn upheld<'a>(file: CertificateFile, about: impl Into<About<'a>>) -> Result<CertificateFile, Error> {
    let about = about.into();
    let first = as_found(file.clone(), &about)?;
    let reasons = match first {
        Ok(file) => return Ok(file),
        Err(reasons) => reasons,
    };
    if space::can_be_named(&file.claim.certificate.about) {
        let mut named = file;
        named.claim.certificate.about = space::by_name(&named);
        if let Ok(file) = as_found(named, &about)? {
            return Ok(file);
        }
    }
    let reasons: Vec<&str> = reasons.iter().map(|r| r.what.as_str()).collect();
    Err(uncheckable(format!(
        "the slow path that checks certificates does not bear this one out: {}",
        reasons.join("; ")
    )))
}

/// The file as it is accepted, its figures those that were found where they differ by a little; else the reasons against it.
fn as_found(mut file: CertificateFile, about: &About<'_>) -> Result<Result<CertificateFile, Vec<Reason>>, Error> {
    let verdict = verify(&file, about.clone())?;
    let weaker = verdict.found.filter(|_| !verdict.accepted && verdict.is_about_figures());
    let weaker = weaker.and_then(|found| judge::weakened(&file.claim.certificate, &found));
    let verdict = match weaker {
        Some(weaker) => {
            file.claim.certificate = weaker;
            verify(&file, about.clone())?
        }
        None => verdict,
    };
    Ok(if verdict.accepted { Ok(file) } else { Err(verdict.reasons) })
}

/// The file as whoever forges one would hand it in: its program named after what it now says, and nothing in it said to be changed. Tests and the
/// fuzzer make such files, for what a digest finds is not what proves anything.
#[must_use]
pub fn renamed<'a>(mut file: CertificateFile, about: impl Into<About<'a>>) -> CertificateFile {
    let about = about.into();
    file.intact = true;
    file.claim.program = name_of(&file, &about).unwrap_or(file.claim.program);
    file
}

/// The name of the question that a file asks, if it asks one.
pub(super) fn name_of(file: &CertificateFile, about: &About<'_>) -> Option<String> {
    let said = Said::of(&file.claim).ok()?;
    if weights::is_of_weights(&file.claim) {
        return weights::name_of(file, &said, about);
    }
    if metric::METRICS.contains(&file.claim.method.as_str()) {
        return metric::name_of(file, &said, about);
    }
    Some(Question::of(file, &said, about).ok()?.fingerprint())
}

pub(super) fn another_program() -> Error {
    Error::Evidence {
        what: "the program that was solved is not the one that its settings ask for".into(),
        remedy: "this is a mistake in nearer: please report it, and leave the certificate out".into(),
    }
}

pub(super) fn uncheckable(what: String) -> Error {
    Error::Evidence { what, remedy: "this fit cannot be checked by another path; leave the certificate out".into() }
}
