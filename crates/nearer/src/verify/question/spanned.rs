//! Points that are linear in a basis: the space is made of the evidence, and the file's basis is only what its points are written
//! along.

use super::measured::{Held, apart};
use super::{DualMend, NAMED, Question, Said, Spanned, Trouble, other_question};
use crate::evidence::{Evidence, Kernels, spanning_objects};
use crate::io::CertificateFile;
use crate::program::Block;
use crate::verify::About;
use crate::verify::dual::off_identity;
use crate::verify::limits::Limits;
use crate::verify::space::{Graph, Scaling, named, of_eigenvectors, of_kernels, of_landmarks, together};

/// The pairs of `psde`, in the span of kernels.
pub(super) fn kpsde(
    mut q: Question,
    file: &CertificateFile,
    said: &Said<'_>,
    about: &About<'_>,
) -> Result<Question, Trouble> {
    let trace = said.number_or_zero("trace")?;
    span(&mut q, file, said, about, Scaling::Orthonormal(trace))?;
    Ok(q)
}

/// The paid order of `kernel-partial-order`, in the span of kernels.
pub(super) fn kernel_partial_order(
    mut q: Question,
    file: &CertificateFile,
    said: &Said<'_>,
    about: &About<'_>,
) -> Result<Question, Trouble> {
    said.word("weights", &["full"])?;
    let trace = said.number_or_zero("trace")?;
    span(&mut q, file, said, about, Scaling::Orthonormal(trace))?;
    less_than_orthonormal(&mut q);
    Ok(q)
}

/// The comparisons of `gnmds`, in the span of kernels; what is minimised is the trace of each block.
pub(super) fn kernel_gnmds(
    mut q: Question,
    file: &CertificateFile,
    said: &Said<'_>,
    about: &About<'_>,
) -> Result<Question, Trouble> {
    q.spread = 0.0;
    span(&mut q, file, said, about, Scaling::Principal)?;
    q.dual_mend = DualMend::Rows(vec![0.0; q.rows.len()], 1.0);
    Ok(q)
}

/// Unfolding in the space that its variant has, if it has one.
pub(super) fn unfolded(
    mut q: Question,
    held: &Held,
    file: &CertificateFile,
    said: &Said<'_>,
    about: &About<'_>,
) -> Result<Question, Trouble> {
    let variant = said.word("variant", &["full", "landmark", "laplacian"])?;
    let (evidence, limits) = (about.evidence.as_ref(), &about.limits);
    let by_name = file.claim.certificate.about.ends_with(NAMED);
    // Landmarks and eigenvectors are as many as the file has, and no more than were asked for.
    let count = || said.count("landmarks").map(|c| c.unwrap_or(0));
    let graph = Graph { n: q.n(), edges: &held.edges };
    let (made, spanned) = match (evidence, variant) {
        (Evidence::Kernels(kernels), _) => {
            if kernels.objects().len() != q.n() {
                return Err(other_question("some objects share a point, and the kernels know of all"));
            }
            let each =
                said.count("basis")?.ok_or_else(|| Trouble::Claim("settings", "its basis is not said".into()))?;
            afford(q.n(), q.n(), limits)?;
            let made = together(file, kernels, each, limits)?;
            (vec![made], Spanned::Kernels { count: kernels.len(), objects: q.n() })
        }
        (_, "full") => return Ok(q),
        _ if by_name => {
            let given: usize = file.space.iter().map(|b| b.basis.ncols()).sum();
            if file.space.len() != 1 || given > count()? {
                return Err(other_question("it names more vectors than it was to have"));
            }
            (named(file), Spanned::Named)
        }
        (_, "landmark") => {
            afford(q.n(), q.n(), limits)?;
            let known = |a: usize, b: usize| apart(evidence, held.kept[a], held.kept[b]).map(|d| d.1);
            (vec![of_landmarks(file, &graph, count()?.min(q.n()), &known, limits)?], Spanned::Landmarks)
        }
        _ => {
            afford(q.n(), q.n(), limits)?;
            (vec![of_eigenvectors(file, &graph, count()?.min(q.n() - 1), limits)?], Spanned::Eigenvectors)
        }
    };
    (q.made, q.named, q.spanned) = (made, file.space.clone(), Some(spanned));
    fits(&q)?;
    less_than_orthonormal(&mut q);
    Ok(q)
}

/// Room in the dual is that of an orthonormal basis, less what this one misses of being one.
fn less_than_orthonormal(q: &mut Question) {
    if let DualMend::Rows(_, room) = &mut q.dual_mend {
        let off = q.made.iter().map(|m| off_identity(&m.basis)).fold(0.0, f64::max);
        *room *= (1.0 - off) * (1.0 - 1e-9);
    }
}

/// The spans of the kernels, one block each, for the objects that the settings and the seed of the claim make its basis of.
fn span(
    q: &mut Question,
    file: &CertificateFile,
    said: &Said<'_>,
    about: &About<'_>,
    scaling: Scaling,
) -> Result<(), Trouble> {
    let kernels = about.spanning()?;
    let objects = basis(kernels, said, file.claim.seed)?;
    q.named.clone_from(&file.space);
    fits(q)?;
    afford(q.n(), objects.len(), &about.limits)?;
    q.made = of_kernels(file, kernels, &objects, scaling, &about.limits)?;
    q.spanned = Some(Spanned::Kernels { count: kernels.len(), objects: objects.len() });
    Ok(())
}

/// The objects whose columns span the map, by the settings and the seed of the claim.
pub(in crate::verify) fn basis(kernels: &Kernels, said: &Said<'_>, seed: u64) -> Result<Vec<usize>, Trouble> {
    let n = kernels.objects().len();
    let count = said.count("basis")?.unwrap_or(n).min(n);
    let spread = count < n && said.word("basis-by", &["random", "spread"])? == "spread";
    Ok(spanning_objects(kernels, count, spread, seed))
}

/// What an orthonormal basis and singular values take.
fn afford(n: usize, columns: usize, limits: &Limits<'_>) -> Result<(), Trouble> {
    Ok(limits.afford(56.0 * n as f64 * columns as f64)?)
}

/// Whether the blocks of the file are of these objects, and have no more directions than there are.
fn fits(q: &Question) -> Result<(), Trouble> {
    let good = |b: &Block| {
        let directions = b.basis.ncols();
        let charged = b.charge.as_ref().is_none_or(|p| p.dim() == (directions, directions));
        b.basis.nrows() == q.n() && (1..=q.n()).contains(&directions) && charged
    };
    if q.named.iter().all(good) {
        return Ok(());
    }
    Err(other_question("the certificate is not about this question: the basis does not fit the objects"))
}
