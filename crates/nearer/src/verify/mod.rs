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
mod judge;
mod limits;
mod metric;
mod primal;
mod question;
mod rank;
mod rounding;
mod space;
mod told;
mod weights;
mod written;

use std::borrow::Cow;

use serde::Serialize;

use crate::error::{Error, Remedy};
use crate::evidence::{Evidence, Features, Kernels};
use crate::io::CertificateFile;
use crate::program::{Certificate, fingerprint_of_evidence};
use crate::settings::Settings;
use crate::study::Study;
use judge::{Standard, found, misshapen, not_finite};
use question::{Question, Said, Trouble};

pub use limits::Limits;
pub use told::verify_study;
pub use written::{certificate_of, claim_of, renamed, upheld};

/// The methods whose maps come with a certificate, which can be written and checked.
pub const CHECKED: [&str; 13] = [
    "psde",
    "gnmds",
    "convex-ste",
    "partial-order",
    "mvu",
    "robust-mds",
    "kpsde",
    "kernel-gnmds",
    "kernel-partial-order",
    "svm-metric",
    "lmnn",
    "mmc",
    "mcml",
];

/// Those whose maps are functions of kernels and of nothing else.
const SPANNED: [&str; 3] = ["kpsde", "kernel-gnmds", "kernel-partial-order"];

/// No figure of a claim is better than the one that is found here by more than this share of what was found, which is for rounding.
pub const AGREE: f64 = 1e-9;
/// A certificate that is written claims what [`verify`] finds of it where the two differ by less than this share; where they differ by more,
/// none is written.
pub const MODEST: f64 = 1e-6;
/// A row that must hold, and that no mending makes hold, may be broken by this share of the widest in the question.
pub const HOLDS: f64 = Certificate::HOLDS;

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
    /// How many objects there are in the evidence.
    pub objects: usize,
    /// How many of them the question is about: those that do not hang together with the most may be left out of it.
    pub covered: usize,
    /// The settings that the question hangs on, as they were checked.
    pub settings: Settings,
    /// The set that the bound speaks of, as the subject of a sentence; empty where it did not come to that.
    pub about: String,
    /// What is claimed: told beside what was found, and not without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Certificate>,
    /// What was found, where it came to that: the figures to believe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
}

/// One thing that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Its name: `changed`, `other-evidence`, `other-question`, `settings`, `not-finite`, `shape`, `multiplier`, `covered`, `proof`,
    /// `primal`, `bound`, `doubt`, `gap`, `violation`, `infeasible` or `rank`.
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
    /// The distance of the two as a share of the larger; where both are zero to rounding, as a share of the size of the data.
    pub gap: f64,
    /// By how much the points themselves break a row that must hold.
    pub violation: f64,
    /// Whether every row that must hold does at the mended points; otherwise `primal` is that of points with this `violation`.
    pub feasible: bool,
    /// The rank of the points.
    pub rank: usize,
}

/// What a certificate is about: evidence, and the kernels or features beside it where the method takes them.
#[derive(Debug, Clone)]
pub struct About<'a> {
    evidence: Cow<'a, Evidence>,
    kernels: Option<&'a Kernels>,
    features: Option<&'a Features>,
    limits: Limits<'a>,
}

impl<'a> From<&'a Evidence> for About<'a> {
    fn from(evidence: &'a Evidence) -> Self {
        About { evidence: Cow::Borrowed(evidence), kernels: None, features: None, limits: Limits::default() }
    }
}

impl<'a> About<'a> {
    /// What is known in a study; `None` where nothing is.
    #[must_use]
    pub fn of(study: &'a Study) -> Option<Self> {
        let kernels = study.main().and_then(|_| study.kernels());
        let features = study.main().and_then(|_| study.features().first()).map(|(_, f)| f);
        study.about().map(|evidence| About { evidence, kernels, features, limits: Limits::default() })
    }
    /// The same, checked with no more memory and time than this.
    #[must_use]
    pub fn within(mut self, limits: Limits<'a>) -> Self {
        self.limits = limits;
        self
    }
    /// The fingerprint of what the method sees of it; a metric may be one in the span of kernels.
    fn fingerprint(&self, method: &str, spanned: bool) -> Option<String> {
        let plain = if method == "svm-metric" { self.kernels.is_none() } else { metric::METRICS.contains(&method) };
        if plain && !spanned {
            let features = fingerprint_of_evidence(&Evidence::Features(self.features?.clone()), None)?;
            return Some(format!("{}{features}", fingerprint_of_evidence(&self.evidence, None)?));
        }
        let spanned = spanned || method == "svm-metric" || SPANNED.contains(&method);
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

/// The question in the order of the evidence, or in that of its labels where the certificate is about that one: it is the same
/// question, its objects numbered otherwise, and among equally near neighbours those that come first are others.
fn stated(file: &CertificateFile, said: &Said<'_>, about: &About<'_>) -> Result<Question, Trouble> {
    let first = Question::of(file, said, about);
    if matches!(&first, Ok(question) if question.fingerprint() == file.claim.program) {
        return first;
    }
    let Some(order) = about.evidence.objects().label_order() else { return first };
    let objects = about.evidence.objects().subset(&order);
    let kernels = about.kernels.map(|k| k.restricted(&objects)).transpose()?;
    let evidence = match about.evidence.as_ref() {
        Evidence::Distances(d) => Evidence::Distances(d.subset(&order)),
        Evidence::Features(f) => Evidence::Features(f.subset(&order)),
        Evidence::Kernels(k) => Evidence::Kernels(k.restricted(&objects)?),
        other => crate::evidence::over(other, &objects)?,
    };
    let sorted = About {
        evidence: Cow::Owned(evidence),
        kernels: kernels.as_ref(),
        features: about.features,
        limits: about.limits,
    };
    match Question::of(file, said, &sorted) {
        Ok(question) if question.fingerprint() == file.claim.program => Ok(question),
        _ => first,
    }
}

/// What is said of a claim whose program is not that of its settings and evidence.
const OTHER: &str = "the certificate is about another question: the method, a parameter, or which pairs were held";

/// Checks a certificate against the evidence it is said to be about.
///
/// # Cost
/// `O(n³)` in time, `24 n²` bytes and what the space of a restricted question takes; rows are walked a few times.
/// # Fails
/// [`Error`] where there is nothing to check: a method that is not known here, evidence of another kind, too many objects, or less memory
/// and time than it takes. What can be checked and does not hold is no error but a [`Verdict`].
pub fn verify<'a>(file: &CertificateFile, about: impl Into<About<'a>>) -> Result<Verdict, Error> {
    let about = about.into();
    let verdict = judged(file, &about)?;
    // A proof that was not made in time was not found to be missing.
    about.limits.in_time()?;
    Ok(verdict)
}

fn judged(file: &CertificateFile, about: &About<'_>) -> Result<Verdict, Error> {
    let objects = about.evidence.objects().len();
    let mut verdict = Verdict {
        accepted: false,
        reasons: Vec::new(),
        method: file.claim.method.clone(),
        objects,
        covered: objects,
        settings: Settings::default(),
        about: String::new(),
        claimed: None,
        found: None,
    };
    if !file.intact {
        verdict.say("changed", "the file is not as it was written: its digest does not fit its contents".into());
    }
    if let Some(what) = not_finite(file) {
        verdict.say("not-finite", what);
        return Ok(verdict);
    }
    if SPANNED.contains(&file.claim.method.as_str()) {
        about.spanning()?;
    }
    let metric = metric::METRICS.contains(&file.claim.method.as_str());
    let in_span = metric && !file.space.is_empty();
    if in_span {
        about.spanning()?;
    }
    if about.fingerprint(&file.claim.method, in_span).as_deref() != Some(file.claim.evidence.as_str()) {
        verdict.say("other-evidence", "the certificate is about other evidence than what was given".into());
        return Ok(verdict);
    }
    if let Some(what) = space::beyond(file, objects) {
        verdict.say("shape", what);
        return Ok(verdict);
    }
    about.limits.afford(24.0 * (objects * objects) as f64)?;
    let said = match Said::of(&file.claim) {
        Ok(said) => said,
        Err(trouble) => return verdict.refused(trouble),
    };
    if weights::is_of_weights(&file.claim) {
        return weights::verified(verdict, file, said, about);
    }
    let file = &space::without_empty_columns(file);
    if metric {
        return metric::verify(verdict, file, said, about);
    }
    let question = match stated(file, &said, about) {
        Ok(question) => question,
        Err(trouble) => return verdict.refused(trouble),
    };
    verdict.covered = objects - question.left_out;
    verdict.settings = said.checked();
    if let Some(what) = question.defect() {
        verdict.say("not-finite", what);
        return Ok(verdict);
    }
    if question.fingerprint() != file.claim.program {
        verdict.say("other-question", OTHER.into());
        return Ok(verdict);
    }
    if let Some(what) = misshapen(&question, file) {
        verdict.say("shape", what);
        return Ok(verdict);
    }
    if question.left_out > 0 && verdict.settings.word("components") != Some("largest") {
        let (some, all) = (verdict.covered, verdict.objects);
        let what = format!(
            "the question is about {some} of {all} objects, those that hang together, and the claim is about all"
        );
        verdict.say("covered", what);
    }
    let (count, first) = dual::out_of_range(&question, &file.candidate);
    if let Some(out) = first {
        let what = format!("multiplier {} is {}, outside [{}, {}]", out.row + 1, out.value, out.low, out.high);
        verdict.say("multiplier", if count > 1 { format!("{what}, and {} more", count - 1) } else { what });
    }
    verdict.speaks_of(&question.subjects(), &file.claim.certificate.about);
    let answer = question.answer(file);
    let points = question.points(&answer);
    let found = found(&question, &answer, &points, &about.limits);
    judge::judge(&mut verdict, &Standard::of(&question, &points), &file.claim.certificate, found);
    verdict.accepted = verdict.reasons.is_empty();
    Ok(verdict)
}

impl Verdict {
    fn say(&mut self, kind: &'static str, what: String) {
        self.reasons.push(Reason { kind, what });
    }
    /// There is no question to answer: what cannot be checked at all is an error, what is claimed of it a reason.
    fn refused(mut self, trouble: Trouble) -> Result<Self, Error> {
        match trouble {
            Trouble::Input(error) => Err(error),
            Trouble::Claim(kind, what) => {
                self.say(kind, what);
                Ok(self)
            }
        }
    }
    /// The set that the bound speaks of, where the claim names it in one of the ways in which it may be named.
    fn speaks_of(&mut self, subjects: &[String], claimed: &str) {
        match subjects.iter().find(|s| *s == claimed) {
            Some(subject) => self.about.clone_from(subject),
            None => {
                let own = subjects.join("` or `");
                let claimed: String = claimed.chars().take(200).collect();
                self.say("other-question", format!("what is proved begins `{own}`, and it claims `{claimed}`"));
            }
        }
    }
    /// Whether nothing is wrong but figures that claim a little too much.
    fn is_about_figures(&self) -> bool {
        self.reasons.iter().all(|r| ["primal", "bound", "gap", "violation"].contains(&r.kind))
    }
}

#[cfg(test)]
mod tests;
