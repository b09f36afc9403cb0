//! Manifolds: what is near counts, in features or in local distances.

pub(crate) mod graph;
pub(crate) mod isomap;
pub(crate) mod kernel_mvu;
pub(crate) mod landmark_isomap;
pub(crate) mod laplacian_eigenmaps;
pub(crate) mod links;
pub(crate) mod lle;
pub(crate) mod mvu;

pub use isomap::Isomap;
pub use landmark_isomap::LandmarkIsomap;
pub use laplacian_eigenmaps::{LaplacianEigenmaps, LinkWeights};
pub use links::links;
pub use lle::{Lle, LleForm};
pub use mvu::{Mvu, Unfolding, Variant};
