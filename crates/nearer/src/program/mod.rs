//! The question as mathematics: what a convex fit solves, and the proof of how well it was solved.
//!
//! A solver is not believed about itself. What is printed about a fit is a [`Certificate`], computed here from the
//! question and the answer alone.

mod certificate;
pub(crate) mod unfolding;

pub use certificate::{Certificate, Proof, Sense};
