//! The question as mathematics: what a convex fit solves, and the proof of how well it was solved.
//!
//! All convex methods ask the same question with other rows. A solver is not believed about itself. What is
//! printed about a fit is a [`Certificate`], computed here from the question and the answer alone.

mod balls;
mod certificate;
pub(crate) mod certify;
mod diagonal;
mod fingerprint;
mod gram;
mod gnmds;
mod metric;
mod partial_order;
mod psde;
mod question;
mod robust;
mod rows;
mod smallest_bound;
mod space;
mod kernel_span;
mod ste;
mod unfold;

pub(crate) use balls::Balls;
pub use certificate::{Certificate, Proof, Sense, safe, value};
pub(crate) use certify::MapSeen;
pub use diagonal::{DiagonalProgram, Weights};
pub(crate) use fingerprint::Fingerprint;
pub(crate) use fingerprint::fingerprint_of_evidence;
pub(crate) use gnmds::{gnmds, noise_slack};
pub(crate) use gram::{Anchor, Candidate, GramProgram};
pub(crate) use kernel_span::spanned_in;
pub(crate) use kernel_span::{Span, kernel_gnmds, kernel_noise_slack, kernel_partial_order, kernel_psde};
pub use metric::{MetricAsk, MetricCandidate, MetricProgram, MetricWitness, Triple};
pub(crate) use partial_order::distinct;
pub(crate) use partial_order::{LongestPaths, partial_order};
pub(crate) use psde::psde;
pub(crate) use question::Program;
pub(crate) use robust::robust;
pub(crate) use rows::{Interval, Rows};
pub(crate) use smallest_bound::smallest_bound;
pub(crate) use space::{Block, Space};
pub(crate) use ste::ste;
pub(crate) use unfold::{Stretch, unfold};

#[cfg(test)]
pub(crate) use kernel_span::kernel_unfold;
