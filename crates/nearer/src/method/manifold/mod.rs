//! Manifolds: what is near counts, in features or in local distances.

pub(crate) mod graph;
pub(crate) mod isomap;
pub(crate) mod kernel_mvu;
pub(crate) mod landmark_isomap;
pub(crate) mod laplacian_eigenmaps;
pub(crate) mod links;
pub(crate) mod lle;
pub(crate) mod mvu;
mod mvu_form;
mod mvu_variant;

pub use isomap::Isomap;
pub use landmark_isomap::LandmarkIsomap;
pub use laplacian_eigenmaps::{LaplacianEigenmaps, LinkWeights};
pub use links::links;
pub use lle::{Lle, LleForm};
pub use mvu::Mvu;
pub use mvu_form::Unfolding;
pub use mvu_variant::Variant;
