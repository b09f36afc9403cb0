//! Maps that are functions of features: linear ones, those of a kernel, and learned metrics that agree with what was said.

pub(crate) mod kernel_pca;
pub(crate) mod lda;
pub(crate) mod pca;
pub(crate) mod regress;
mod compared;
pub(crate) mod ground;
pub(crate) mod groups;
pub(crate) mod itml;
pub(crate) mod lmnn;
pub(crate) mod local_metric;
pub(crate) mod mcml;
pub(crate) mod mmc;
pub(crate) mod nca;
mod online;
pub(crate) mod pola;
pub(crate) mod rca;
mod sided;
pub(crate) mod solved;
pub(crate) mod svm_metric;
pub(crate) mod weighted;
mod weighted_table;

pub use ground::spanned_dimensions;
pub use itml::Itml;
pub use kernel_pca::KernelPca;
pub use lda::Lda;
pub use lmnn::Lmnn;
pub use local_metric::LocalMetric;
pub use mcml::Mcml;
pub use mmc::{Mmc, MmcForm};
pub use nca::{Nca, NcaStart};
pub use online::Online;
pub use pca::Pca;
pub use pola::Pola;
pub use rca::{Rca, RcaForm};
pub use regress::{RegressionReport, Regressor, regress};
pub use svm_metric::{Form, Over, SvmMetric};
