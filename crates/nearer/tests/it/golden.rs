//! Reading golden files, and comparing numbers.

use ndarray::Array2;
use nearer::{Embedding, Objects};
use serde_json::Value;

/// A golden file's list of cases.
pub(crate) fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

pub(crate) fn number(case: &Value, key: &str) -> f64 {
    case[key].as_f64().unwrap_or_else(|| panic!("no number `{key}`"))
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// Rows of coordinates as a map of objects `1`, `2`, ….
pub(crate) fn map(value: &Value) -> Embedding {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    let points = Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, k)| rows[i][k]);
    Embedding::new(Objects::numbered(rows.len()), points).unwrap()
}

#[track_caller]
pub(crate) fn close(found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "{found}, wanted {wanted} to {tolerance}");
}

#[track_caller]
pub(crate) fn all_close(found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(wanted).for_each(|(f, w)| close(*f, *w, tolerance));
}
