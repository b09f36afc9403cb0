//! How large the numbers of evidence may be.

/// No distance, feature or margin is larger. Methods sum fourth powers of distances, each times its weight, over all pairs: beyond
/// this such a sum is no longer a number, and what is computed from it means nothing. The universe measured in atoms is smaller.
pub(crate) const LARGEST: f64 = 1e60;

/// No weight is larger.
pub(crate) const MOST_WEIGHT: f64 = 1e30;

/// Distances that are all smaller than this cannot be told from 0 once they are squared and summed.
pub(crate) const LEAST: f64 = 1e-60;

/// Whether a number can be computed with.
pub(crate) fn is_usable(v: f64) -> bool {
    v.abs() <= LARGEST
}

/// Whether a number above 0 can be a weight.
pub(crate) fn is_weight(w: f64) -> bool {
    w > 0.0 && w <= MOST_WEIGHT
}

/// A number for a message: with a power of ten where it would be long.
pub(crate) fn shown(v: f64) -> String {
    if v == 0.0 || !v.is_finite() || (1e-5..1e16).contains(&v.abs()) { v.to_string() } else { format!("{v:e}") }
}
