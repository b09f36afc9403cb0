//! Manifolds: what is near counts, in features or in local distances.

pub(crate) mod kernel_mvu;
pub(crate) mod mvu;

pub use mvu::{Mvu, Split, Unfolding, Variant};
