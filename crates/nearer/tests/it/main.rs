//! The one integration binary: the library against outside programs, and against itself where nothing may change.

mod evaluate_golden;
mod evaluate_invariance;
mod evaluate_stability;
mod golden;
