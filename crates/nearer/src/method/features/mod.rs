//! Maps that are functions of features: linear ones, those of a kernel, and learned metrics that agree with what was said.

pub(crate) mod kernel_pca;
pub(crate) mod lda;
pub(crate) mod pca;
pub(crate) mod regress;
pub(crate) mod svm_metric;
pub(crate) mod weighted;
mod weighted_table;

pub use kernel_pca::KernelPca;
pub use lda::Lda;
pub use pca::Pca;
pub use regress::{RegressionReport, Regressor, regress};
pub use svm_metric::{Form, Over, SvmMetric};
