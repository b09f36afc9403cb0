//! Distances: scaling by eigenvectors, by stress and by the nearest Euclidean distances.

pub(crate) mod asymmetric;
pub(crate) mod classical_mds;
pub(crate) mod constant_shift;
pub(crate) mod descents;
pub(crate) mod fastmap;
pub(crate) mod indscal;
pub(crate) mod landmark;
pub(crate) mod landmark_mds;
pub(crate) mod metric_mds;
pub(crate) mod metricmap;
pub(crate) mod nearest_edm;
pub(crate) mod nonmetric_mds;
pub(crate) mod order;
pub(crate) mod robust_mds;
pub(crate) mod sstress;
pub(crate) mod unfolding;

pub use asymmetric::{AsymmetricMds, AsymmetryForm};
pub use classical_mds::{ClassicalMds, Correction, Eigenspace, Whole};
pub use constant_shift::ConstantShift;
pub use fastmap::FastMap;
pub use indscal::{Indscal, IndscalForm};
pub use landmark::Choice;
pub use landmark_mds::LandmarkMds;
pub use metric_mds::{Curve, MetricMds};
pub use metricmap::MetricMap;
pub use nearest_edm::NearestEdm;
pub use nonmetric_mds::NonmetricMds;
pub use robust_mds::RobustMds;
pub use sstress::{Sstress, SstressLoss};
pub use unfolding::{Cells, Conditional, PreferenceUnfolding};
