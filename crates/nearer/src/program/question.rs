//! What all questions have in common: they judge their answers.

use std::borrow::Cow;

use crate::error::Error;
use crate::object::Objects;
use crate::program::{Candidate, Certificate, DiagonalProgram, GramProgram, Weights};

/// A question that judges its answers. Engines only propose ([`Solver`](crate::solve::Solver)): what is said about an answer is
/// computed here, from the question and the answer alone.
#[allow(dead_code)] // engines ask their own program; what is said of all of them is said here
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

impl Program for GramProgram {
    type Candidate = Candidate;
    fn certify(&self, candidate: &Candidate) -> Result<Certificate, Error> {
        GramProgram::certify(self, candidate)
    }
    fn fingerprint(&self, objects: &Objects) -> String {
        GramProgram::fingerprint(self, objects)
    }
    fn about(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.about)
    }
}

impl Program for DiagonalProgram {
    type Candidate = Weights;
    fn certify(&self, answer: &Weights) -> Result<Certificate, Error> {
        DiagonalProgram::certify(self, answer)
    }
    fn fingerprint(&self, objects: &Objects) -> String {
        DiagonalProgram::fingerprint(self, objects)
    }
    fn about(&self) -> Cow<'_, str> {
        Cow::Owned(format!("no weighting of these {} columns", self.columns()))
    }
}
