//! Columns of numbers as directions on a map.

use serde::Serialize;

/// A column of numbers fitted to a map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Arrow {
    /// The column.
    pub name: String,
    /// The direction in which it grows, of length 1.
    pub direction: Vec<f64>,
    /// The share of its variance that the map explains.
    pub r2: f64,
    /// The share of shuffles that explain as much.
    pub p: f64,
    /// How many objects have a value.
    pub objects: usize,
}
