//! Certificates checked again, by a path of their own.
//!
//! [`verify`] takes what a fit has written down (its [`CertificateFile`]) and the evidence, and believes neither solver nor
//! certificate. It writes down the question of the method once more, as plain loops over the evidence; it
//! computes the objective of the points with loops of its own, and mends them itself where they break a row that must hold;
//! it holds every multiplier to its range, and proves the least eigenvalue by a Cholesky factorisation with products in
//! extended precision and the rounding counted. It shares no code with [`solve`](crate::solve), with the certificates of
//! [`program`](crate::program), or with the linear algebra that both use. That makes it slow: `O(n³)` with a constant of
//! its own, for up to 5000 objects.
//!
//! ```
//! use nearer::{Embed, Evidence, method::Gnmds, toy, verify};
//! # fn main() -> Result<(), nearer::Error> {
//! let answers = toy::answers(10, 2, 200, 0.05, 1);
//! let fit = Gnmds::new(2).fit(&answers)?;
//! let evidence = Evidence::Comparisons(answers);
//! let mut file = verify::certificate_of(&fit, &evidence)?;
//! assert!(verify::verify(&file, &evidence)?.accepted);
//! file.claim.certificate.bound = file.claim.certificate.bound.map(|b| b + 1.0);
//! assert!(!verify::verify(&file, &evidence)?.accepted);
//! # Ok(()) }
//! ```

mod definite;
mod dual;
mod primal;
mod question;
mod rank;
mod rounding;

use std::borrow::Cow;

use ndarray::Array2;
use serde::Serialize;

use crate::error::{Error, Remedy};
use crate::evidence::{Evidence, Kernels};
use crate::fit::Fit;
use crate::io::{CertificateFile, Claim};
use crate::program::{Block, Certificate, Sense, Space, fingerprint_of_evidence};
use crate::study::Study;
use question::Question;

/// The methods whose certificates can be written and checked.
pub const CHECKED: [&str; 7] = ["psde", "gnmds", "partial-order", "mvu", "robust-mds", "kpsde", "kernel-gnmds"];

/// The methods whose maps come with a certificate in the report, written down or not.
pub const CERTIFIED: [&str; 9] = [
    "psde",
    "gnmds",
    "partial-order",
    "mvu",
    "robust-mds",
    "kpsde",
    "kernel-gnmds",
    "kernel-partial-order",
    "svm-metric",
];

/// A claim may be better than what is found here by this share of its size, for rounding, and by no more.
pub const AGREE: f64 = 1e-9;
/// A claim may be worse than what its own numbers prove by this share; beyond, the numbers do not belong together.
pub const MODEST: f64 = 1e-6;

/// Values below this share of the natural size of the data are zero to rounding.
const VANISHING: f64 = 1e-11;

/// What came of a check.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether everything claimed holds.
    pub accepted: bool,
    /// What does not, if something does not.
    pub reasons: Vec<Reason>,
    /// The method of the claim.
    pub method: String,
    /// How many objects.
    pub objects: usize,
    /// What is claimed.
    pub claimed: Certificate,
    /// What was found, where it came to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
}

/// One thing that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Its name: `changed`, `other-evidence`, `other-question`, `shape`, `multiplier`, `primal`, `bound`, `modest`, `gap`,
    /// `violation` or `rank`.
    pub kind: &'static str,
    /// It, in words.
    pub what: String,
}

/// The figures of the slow path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Found {
    /// The objective of the points, mended where they break a row that must hold.
    pub primal: f64,
    /// What no map can pass.
    pub bound: f64,
    /// The distance of the two, as the claim measures it.
    pub gap: f64,
    /// By how much the points themselves break a row that must hold.
    pub violation: f64,
    /// Whether every row that must hold does at the mended points; otherwise `primal` is that of points with this `violation`.
    pub feasible: bool,
    /// The rank of the points, where they have few enough columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
}

/// What a certificate is about: evidence, and the kernels beside it where the method takes them.
#[derive(Debug, Clone)]
pub struct About<'a> {
    evidence: Cow<'a, Evidence>,
    kernels: Option<&'a Kernels>,
}

impl<'a> From<&'a Evidence> for About<'a> {
    fn from(evidence: &'a Evidence) -> Self {
        About { evidence: Cow::Borrowed(evidence), kernels: None }
    }
}

impl<'a> About<'a> {
    /// What is known in a study; `None` where nothing is.
    #[must_use]
    pub fn of(study: &'a Study) -> Option<Self> {
        let kernels = study.main().and_then(|_| study.kernels());
        study.about().map(|evidence| About { evidence, kernels })
    }
    /// The fingerprint of what the method sees of it.
    fn fingerprint(&self, method: &str) -> Option<String> {
        let spanned = ["kpsde", "kernel-gnmds"].contains(&method);
        fingerprint_of_evidence(&self.evidence, self.kernels.filter(|_| spanned))
    }
    /// The kernels that span the map.
    fn spanning(&self) -> Result<&'a Kernels, Error> {
        self.kernels.ok_or_else(|| Error::Evidence {
            what: "the certificate is about a map that is a function of features, and none are given".into(),
            remedy: Remedy::from("give the features that the map was made of, with the same ").any("kernel"),
        })
    }
}

/// What a fit has to write down so that others can check it.
///
/// # Fails
/// [`Error::Evidence`] where the fit gives no certificate, or its method is not one that can be checked.
pub fn certificate_of<'a, M>(fit: &Fit<M>, about: impl Into<About<'a>>) -> Result<CertificateFile, Error> {
    let about = about.into();
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
        evidence: about.fingerprint(&fit.report.method).unwrap_or_default(),
        program: String::new(),
        certificate: certificate.clone(),
    };
    let space = match &witness.program.space {
        Space::Free => Vec::new(),
        Space::Spanned(blocks) => blocks.clone(),
    };
    let mut file = CertificateFile { claim, candidate: witness.candidate.clone(), space, intact: true };
    let question = Question::of(&file, &about)?;
    // The name of the program that was solved; whoever checks states the question again.
    file.claim.program = witness.program.fingerprint(&witness.objects);
    if file.claim.program != question.fingerprint() {
        return Err(Error::Evidence {
            what: "the program that was solved is not the one that its settings ask for".into(),
            remedy: "this is a mistake in nearer: please report it, and leave the certificate out".into(),
        });
    }
    if let Some(what) = misshapen(&question, &file) {
        let remedy = "this fit cannot be checked by another path; leave the certificate out".into();
        return Err(Error::Evidence { what, remedy });
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

/// Checks a certificate against the evidence it is said to be about.
///
/// # Cost
/// `O(n³)` in time, `24 n²` bytes; rows are walked a few times.
/// # Fails
/// [`Error`] where there is nothing to check: a method that is not known here, evidence of another kind, too many objects. What
/// can be checked and does not hold is no error but a [`Verdict`].
pub fn verify<'a>(file: &CertificateFile, about: impl Into<About<'a>>) -> Result<Verdict, Error> {
    let about = about.into();
    let mut verdict = Verdict {
        accepted: false,
        reasons: Vec::new(),
        method: file.claim.method.clone(),
        objects: about.evidence.objects().len(),
        claimed: file.claim.certificate.clone(),
        found: None,
    };
    if !file.intact {
        verdict.say("changed", "the file is not as it was written: its digest does not fit its contents".into());
    }
    if about.fingerprint(&file.claim.method).as_deref() != Some(file.claim.evidence.as_str()) {
        verdict.say("other-evidence", "the certificate is about other evidence than what was given".into());
        return Ok(verdict);
    }
    let question = Question::of(file, &about)?;
    if question.fingerprint() != file.claim.program {
        let what = "the certificate is about another question: the method, a parameter, or which pairs were held";
        verdict.say("other-question", what.into());
        return Ok(verdict);
    }
    if let Some(what) = misshapen(&question, file) {
        verdict.say("shape", what);
        return Ok(verdict);
    }
    let (count, first) = dual::out_of_range(&question, &file.candidate);
    if let Some(out) = first {
        let what = format!("multiplier {} is {}, outside [{}, {}]", out.row + 1, out.value, out.low, out.high);
        verdict.say("multiplier", if count > 1 { format!("{what}, and {} more", count - 1) } else { what });
    }
    if !question.is_about(&file.claim.certificate.about) {
        let what = format!("it is about {}, and claims `{}`", question.set(), file.claim.certificate.about);
        verdict.say("other-question", what);
    }
    let points = question.points(&file.candidate);
    let found = found(&question, file, &points);
    judge(&mut verdict, &question, &found, &points);
    verdict.found = Some(found);
    verdict.accepted = verdict.reasons.is_empty();
    Ok(verdict)
}

impl Verdict {
    fn say(&mut self, kind: &'static str, what: String) {
        self.reasons.push(Reason { kind, what });
    }
}

/// Whether points and multipliers are as many as the question has objects and rows.
fn misshapen(q: &Question, file: &CertificateFile) -> Option<String> {
    let c = &file.candidate;
    let n = q.n();
    if q.space.is_empty() && (c.factors.len() != 1 || c.factors[0].nrows() != n) {
        let rows = c.factors.first().map_or(0, Array2::nrows);
        return Some(format!("the file holds {rows} points for {n} objects"));
    }
    let fits = |(block, factor): (&Block, &Array2<f64>)| {
        let q = block.basis.ncols();
        block.basis.nrows() == n && factor.nrows() == q && block.charge.as_ref().is_none_or(|p| p.dim() == (q, q))
    };
    let all = c.factors.len() == q.space.len() && q.space.iter().zip(&c.factors).all(fits);
    if !q.space.is_empty() && !all {
        return Some("the factors of the file do not fit its basis, or that the objects".into());
    }
    if c.multipliers.len() != q.rows.len() {
        return Some(format!("the file holds {} multipliers for {} rows", c.multipliers.len(), q.rows.len()));
    }
    let mut seen = std::collections::HashSet::new();
    let stray = |&(i, j, _): &(u32, u32, f64)| i as usize >= n || j as usize >= n || !seen.insert((i, j));
    if c.ball_multipliers.iter().any(stray) {
        return Some("a multiplier of a ball is there twice, or of no object".into());
    }
    None
}

/// The figures, in the sense of the program.
fn found(q: &Question, file: &CertificateFile, points: &Array2<f64>) -> Found {
    let own = |v: f64| if q.sense == Sense::Minimise { v } else { -v };
    let primal = primal::found(q, points, &file.candidate);
    let bound = dual::bound(q, &file.candidate);
    Found {
        primal: own(primal.value),
        bound: own(bound),
        gap: gap(primal.value, bound, q.scale),
        violation: primal.violation,
        feasible: primal.mended,
        rank: rank::rank(points, 1e-5),
    }
}

/// `|primal - bound|` as a share of the larger, or of the natural size of the data where both are zero to rounding.
fn gap(primal: f64, bound: f64, scale: f64) -> f64 {
    let larger = primal.abs().max(bound.abs());
    let size = if larger < VANISHING * scale { scale } else { larger };
    match (primal - bound).abs() / size {
        _ if primal == bound => 0.0,
        share if share.is_finite() => share,
        _ => f64::INFINITY,
    }
}

/// Holds the claim against what was found.
fn judge(verdict: &mut Verdict, q: &Question, found: &Found, points: &Array2<f64>) {
    let c = verdict.claimed.clone();
    if c.sense != q.sense {
        verdict.say("other-question", "the claim has the sense of the program turned round".into());
        return;
    }
    let (Some(bound), Some(claimed_gap)) = (c.bound, c.gap) else {
        verdict.say("bound", "the certificate claims no bound: there is nothing to check".into());
        return;
    };
    let size = c.primal.abs().max(bound.abs()).max(1e-6 * q.scale);
    // By how much the claim is better than what was found: above zero it claims too much.
    let towards = if q.sense == Sense::Minimise { 1.0 } else { -1.0 };
    for (kind, claimed, seen, better, did) in
        [("primal", c.primal, found.primal, towards, "attain"), ("bound", bound, found.bound, -towards, "prove")]
    {
        let over = better * (seen - claimed);
        if over > AGREE * size || over.is_nan() {
            verdict
                .say(kind, format!("the {kind} is claimed to be {claimed}, and the numbers of the file {did} {seen}"));
        } else if over < -MODEST * size {
            let what =
                format!("the {kind} is claimed to be {claimed}, and its own numbers {did} {seen}, which is better");
            verdict.say("modest", what);
        }
    }
    let stated = gap(c.primal, bound, q.scale);
    if (stated - claimed_gap).abs() > AGREE {
        verdict.say("gap", format!("the gap is claimed to be {claimed_gap}, and primal and bound are {stated} apart"));
    }
    let typical = found.violation.max(c.violation);
    if found.violation > c.violation + 1e-6 * typical + AGREE * size {
        let what = format!(
            "rows are claimed to be broken by {} at most, and the points break one by {}",
            c.violation, found.violation
        );
        verdict.say("violation", what);
    }
    let near = |rank: usize| {
        rank::rank(points, 1e-5 * (1.0 - 1e-6)).is_none_or(|r| r >= rank)
            && rank::rank(points, 1e-5 * (1.0 + 1e-6)).is_none_or(|r| r <= rank)
    };
    if !near(c.rank) {
        let rank = found.rank.unwrap_or_default();
        verdict.say("rank", format!("the rank is claimed to be {}, and the points have {rank}", c.rank));
    }
}

#[cfg(test)]
mod tests;
