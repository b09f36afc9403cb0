//! Pairs said to be alike or not.

pub(crate) mod kpsde;
pub(crate) mod multiple_maps;
pub(crate) mod psde;

pub use kpsde::Kpsde;
pub use multiple_maps::MultipleMaps;
pub use psde::{Psde, Radii};
