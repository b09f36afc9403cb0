//! Learned metrics: a distance over features that agrees with what was said.

pub(crate) mod svm_metric;
pub(crate) mod weighted;

pub use svm_metric::{Form, Over, SvmMetric};
