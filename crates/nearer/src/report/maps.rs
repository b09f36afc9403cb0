//! Several maps of the same objects.

use serde::{Deserialize, Serialize};

/// Several maps at once, and the share that each object has of each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MapMixture {
    /// Map by map, object by object, its coordinates; the fullest map first.
    pub maps: Vec<Vec<Vec<f64>>>,
    /// Object by object, its share of each map; they sum to one.
    pub shares: Vec<Vec<f64>>,
}

impl MapMixture {
    /// How many objects there would be in a map if shares were objects.
    #[must_use]
    pub fn held_by(&self, map: usize) -> f64 {
        self.shares.iter().map(|s| s[map]).sum()
    }
}
