//! From what a certificate claims to the question that it makes of the evidence, or why it makes none.

use super::{Question, compared, judged, measured, spanned};
use crate::error::{Error, Remedy};
use crate::evidence::Evidence;
use crate::io::{CertificateFile, Claim};
use crate::settings::{Settings, Value};
use crate::verify::{About, CHECKED};

/// Above this many objects the slow path would take hours, and gigabytes.
const MOST: usize = 5000;

impl Question {
    /// The question of a method about evidence.
    pub(in crate::verify) fn of(file: &CertificateFile, about: &About<'_>) -> Result<Question, Trouble> {
        let evidence = about.evidence.as_ref();
        let (n, claim) = (evidence.objects().len(), &file.claim);
        if n > MOST {
            return Err(Trouble::Input(Error::Evidence {
                what: format!("{n} objects; certificates are checked for up to {MOST}"),
                remedy: "the slow path factorises a dense matrix in extended precision; check a smaller fit".into(),
            }));
        }
        let used = used(claim);
        match (claim.method.as_str(), evidence) {
            ("psde", Evidence::Pairs(p)) => {
                let one = one_of(&used, "radii", &["each", "one"])? == "one";
                judged::psde(p, positive(&used, "slack")?, one)
            }
            ("gnmds", Evidence::Comparisons(c)) => compared::gnmds(c, needed(&used, "slack")?),
            ("convex-ste", Evidence::Comparisons(c)) => compared::convex_ste(c, needed(&used, "trace")?),
            ("partial-order", Evidence::Comparisons(c)) => {
                let repair = one_of(&used, "repair", &["none", "prune", "random", "cheapest"])?;
                compared::partial_order(c, needed(&used, "bound")?, repair, claim.seed, claim.certificate.proof)
            }
            ("robust-mds", Evidence::Distances(d)) => measured::robust(d),
            ("mvu", Evidence::Distances(_) | Evidence::Features(_) | Evidence::Kernels(_)) => {
                let form = one_of(&used, "form", &["at-most", "soft", "penalised"])?;
                one_of(&used, "components", &["refuse", "largest", "joined"])?;
                let free = measured::unfold(evidence, &used, form, positive(&used, "weight")?)?;
                spanned::unfolded(free, file, evidence)
            }
            ("kpsde", Evidence::Pairs(pairs)) => {
                spanned::kpsde(judged::psde(pairs, Some(needed(&used, "slack")?), false)?, file, about.spanning()?)
            }
            ("kernel-gnmds", Evidence::Comparisons(c)) => {
                spanned::kernel_gnmds(compared::gnmds(c, needed(&used, "slack")?)?, file, about.spanning()?)
            }
            ("kernel-partial-order", Evidence::Comparisons(c)) => {
                spanned::kernel_partial_order(compared::paid_order(c, &used, claim.seed)?, file, about.spanning()?)
            }
            (known, other) if CHECKED.contains(&known) => Err(Trouble::Input(Error::Evidence {
                what: format!("a certificate of {known} is not about {}", other.kind()),
                remedy: "give the evidence that the map was made of".into(),
            })),
            (other, _) => Err(Trouble::Input(Error::Evidence {
                what: format!("a certificate of `{other}`, which this version cannot check"),
                remedy: format!("update nearer, or give a certificate of {}", CHECKED.join(", ")).into(),
            })),
        }
    }
}

/// Why there is no question to answer.
#[derive(Debug)]
pub(in crate::verify) enum Trouble {
    /// What was given cannot be checked at all.
    Input(Error),
    /// What is claimed makes no question of this evidence: a kind of reason, and it in words.
    Claim(&'static str, String),
}

/// A setting that makes no sense is the claim's; anything else is the reader's.
impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        match error {
            Error::Parameter { name, value, expected } => {
                Trouble::Claim("settings", format!("its setting `{name}` is {value}, expected {expected}"))
            }
            other => Trouble::Input(other),
        }
    }
}

impl From<Trouble> for Error {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Input(error) => error,
            Trouble::Claim(_, what) => Error::Evidence {
                what,
                remedy: Remedy::from("this fit cannot be checked by another path; leave the certificate out"),
            },
        }
    }
}

/// What is claimed is not about this evidence.
pub(in crate::verify) fn other_question(what: impl Into<String>) -> Trouble {
    Trouble::Claim("other-question", what.into())
}

/// The settings of a claim, those that were `auto` as what they became.
pub(in crate::verify) fn used(claim: &Claim) -> Settings {
    claim.settings.clone().but(&claim.resolved)
}

/// The settings of a claim that its question hangs on.
pub(in crate::verify) fn asked(claim: &Claim) -> Settings {
    let names: &[&str] = match claim.method.as_str() {
        "psde" => &["slack", "radii"],
        "gnmds" => &["slack"],
        "convex-ste" => &["trace"],
        "partial-order" => &["bound", "repair"],
        "mvu" => &["form", "weight", "neighbours", "join", "radius", "variant", "components", "basis"],
        "kpsde" => &["slack", "trace", "basis"],
        "kernel-gnmds" => &["slack", "basis"],
        "kernel-partial-order" => &["slack", "trace", "bound", "weights", "margins", "basis"],
        "svm-metric" => &["form", "over", "slack", "basis"],
        "lmnn" => &["targets", "push", "ridge", "weight", "unit-variance"],
        "mmc" => &["form", "pairs", "ridge", "weight", "unit-variance"],
        "mcml" => &["trace", "weight", "unit-variance"],
        _ => &[],
    };
    used(claim).only(|name, value| names.contains(&name) && *value != Value::Auto)
}

/// A number above 0 of the claim; `None` where it is absent or `none`.
pub(super) fn positive(used: &Settings, name: &str) -> Result<Option<f64>, Error> {
    match used.get(name) {
        None | Some(Value::None) => Ok(None),
        Some(value) => match value.number().filter(|v| v.is_finite() && *v > 0.0) {
            Some(v) => Ok(Some(v)),
            None => Err(unsaid(name, &value.to_string())),
        },
    }
}

/// A word of the claim, one of these; the first where it is absent.
pub(in crate::verify) fn one_of<'a>(used: &'a Settings, name: &str, words: &[&'a str]) -> Result<&'a str, Error> {
    match used.get(name) {
        None => Ok(words[0]),
        Some(value) => value.word().filter(|word| words.contains(word)).ok_or_else(|| Error::Parameter {
            name: name.into(),
            value: value.to_string(),
            expected: format!("one of {}", words.join(", ")),
        }),
    }
}

pub(in crate::verify) fn needed(used: &Settings, name: &str) -> Result<f64, Error> {
    positive(used, name)?.ok_or_else(|| unsaid(name, "absent"))
}

pub(super) fn unsaid(name: &str, value: &str) -> Error {
    let expected = "a number above 0; the certificate does not say what was asked".into();
    Error::Parameter { name: name.into(), value: value.into(), expected }
}
