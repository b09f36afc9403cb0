//! What the evidence hangs together by: which pairs are known, which groups they form, and the shortest ways among them.

mod geodesics;
mod clean;

pub use clean::{Cleaned, Cleaning, clean, clean_pairs};
pub use geodesics::{KnownPairs, Reach};
