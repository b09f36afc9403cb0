//! Pairs said to be alike or not.

pub(crate) mod kpsde;
pub(crate) mod psde;

pub use kpsde::Kpsde;
pub use psde::Psde;
