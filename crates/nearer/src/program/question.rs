//! What all questions have in common: they judge their answers.

use std::borrow::Cow;

use crate::error::Error;
use crate::object::Objects;
use crate::program::Certificate;

/// A question that judges its answers. Engines only propose ([`Solver`](crate::solve::Solver)): what is said about an answer is
/// computed here, from the question and the answer alone.
pub(crate) trait Program: Sync {
    /// What an engine proposes: a point and multipliers, each of which proves something by itself.
    type Candidate;
    /// What an answer attains, and what nothing can pass.
    fn certify(&self, candidate: &Self::Candidate) -> Result<Certificate, Error>;
    /// SHA-256 over the exact numbers of the question and the labels of its objects, in hexadecimal.
    fn fingerprint(&self, objects: &Objects) -> String;
    /// The set that the bound speaks of, as the subject of a sentence.
    fn about(&self) -> Cow<'_, str>;
}
