//! What the evidence hangs together by: which pairs are known, which groups they form, and the shortest ways among them.

mod geodesics;

pub use geodesics::{KnownPairs, Reach};
