//! The nearest of its own class to each object: what learners draw together and those who check them look at.

use nearer_num::{hinges, softmin::ALONE};

use crate::evidence::Features;

/// For each object its `count` nearest others of the same group in the features, each divided by its scale; sorted by object,
/// then by distance, ties by number. A group of `u32::MAX` is none.
pub(crate) fn class_neighbours(features: &Features, scale: &[f64], group: &[u32], count: usize) -> Vec<(u32, u32)> {
    debug_assert_eq!(ALONE, u32::MAX);
    let scaled = features.values() / &ndarray::ArrayView1::from(scale);
    hinges::partners(scaled.view(), group, count)
}
