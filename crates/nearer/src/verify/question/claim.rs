//! From what a certificate claims to the question that it makes of the evidence, or why it makes none.

use super::said::Said;
use super::{Question, compared, judged, measured, ordered, spanned};
use crate::error::{Error, Remedy};
use crate::evidence::Evidence;
use crate::io::CertificateFile;
use crate::verify::{About, CHECKED};

/// Above this many objects the slow path would take hours, and gigabytes.
const MOST: usize = 5000;

impl Question {
    /// The question of a method about evidence; the settings it hangs on are read from those that were said.
    pub(in crate::verify) fn of(
        file: &CertificateFile,
        said: &Said<'_>,
        about: &About<'_>,
    ) -> Result<Question, Trouble> {
        let evidence = about.evidence.as_ref();
        let (n, claim) = (evidence.objects().len(), &file.claim);
        if n > MOST {
            return Err(Trouble::Input(Error::Evidence {
                what: format!("{n} objects; certificates are checked for up to {MOST}"),
                remedy: "the slow path factorises a dense matrix in extended precision; check a smaller fit".into(),
            }));
        }
        let limits = &about.limits;
        match (claim.method.as_str(), evidence) {
            ("psde", Evidence::Pairs(p)) => {
                let slack = said.number_or_none("slack")?;
                judged::psde(p, slack, said.word("radii", &["each", "one"])? == "one", limits)
            }
            ("gnmds", Evidence::Comparisons(c)) => compared::gnmds(c, said.needed("slack")?),
            ("convex-ste", Evidence::Comparisons(c)) => compared::convex_ste(c, said.needed("trace")?),
            ("partial-order", Evidence::Comparisons(c)) => {
                let repair = said.word("repair", &["none", "prune", "random", "cheapest"])?;
                let (proof, c) = (claim.certificate.proof, &compared::grown(c, said, claim.seed)?);
                if said.is_word("bound", "smallest") {
                    return ordered::smallest_bound(c, repair, claim.seed, limits);
                }
                ordered::partial_order(c, said.needed("bound")?, repair, claim.seed, proof, limits)
            }
            ("robust-mds", Evidence::Distances(d)) => measured::robust(d, limits),
            ("mvu", Evidence::Distances(_) | Evidence::Features(_) | Evidence::Kernels(_)) => {
                let (free, graph) = measured::unfold(evidence, said, limits)?;
                spanned::unfolded(free, &graph, file, said, about)
            }
            ("kpsde", Evidence::Pairs(pairs)) => {
                let free = judged::psde(pairs, Some(said.needed("slack")?), false, limits)?;
                spanned::kpsde(free, file, said, about)
            }
            ("kernel-gnmds", Evidence::Comparisons(c)) => {
                spanned::kernel_gnmds(compared::gnmds(c, said.needed("slack")?)?, file, said, about)
            }
            ("kernel-partial-order", Evidence::Comparisons(c)) => {
                spanned::kernel_partial_order(compared::paid_order(c, said, claim.seed)?, file, said, about)
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
