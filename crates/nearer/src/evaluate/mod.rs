//! How good a map is.
