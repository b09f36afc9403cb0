//! The question as mathematics: what a convex fit solves, and the proof of how well it was solved.
//!
//! All convex methods ask the same question with other rows: [`GramProgram`]. A solver is not believed about itself. What is
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
mod spanned;
mod ste;
mod unfold;

pub use balls::Balls;
pub use certificate::{ANY_MAP, Certificate, Proof, Sense, safe, value};
pub use certify::Seen;
pub use diagonal::{Compared, DiagonalProgram, Weights};
pub(crate) use fingerprint::Fingerprint;
pub use fingerprint::fingerprint_of_evidence;
pub use gnmds::{gnmds, noise_slack};
pub use gram::{Candidate, GramProgram};
pub use metric::{MetricAsk, MetricCandidate, MetricProgram, MetricWitness, Triple};
pub(crate) use partial_order::distinct;
pub use partial_order::{LongestPaths, partial_order};
pub use psde::psde;
pub use question::Program;
pub use robust::robust;
pub use rows::{Interval, Rows};
pub(crate) use smallest_bound::smallest_bound;
pub use space::{Block, Space};
pub(crate) use spanned::spanned_in;
pub use spanned::{
    Span, kernel_gnmds, kernel_noise_slack, kernel_partial_order, kernel_psde, kernel_unfold, random_columns,
};
pub use ste::ste;
pub use unfold::{Unfold, unfold};
