//! Features as if they were a map: what a metric that was learned from them is held against.

use ndarray::Array1;

use crate::error::Error;
use crate::evidence::Features;
use crate::fit::Fit;
use crate::geometry::Embedding;
use crate::report::FitReport;

/// Features as they were given, or each divided by its standard deviation among the objects that it was made from; others are placed by
/// the same numbers.
///
/// ```
/// use nearer::{evaluate::AsGiven, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, _) = toy::classed(30, 3, 4, 1);
/// let fit = AsGiven::fit(&features, true)?;
/// assert_eq!(fit.model.place(&features)?.points(), fit.embedding.points());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct AsGiven {
    scale: Array1<f64>,
}

impl AsGiven {
    /// These objects, at unit variance where asked.
    ///
    /// # Fails
    /// As [`Embedding::new`].
    pub fn fit(features: &Features, unit_variance: bool) -> Result<Fit<AsGiven>, Error> {
        let scale = features.spreads().into_iter().map(|s| if unit_variance && s.1 > 0.0 { s.1 } else { 1.0 });
        let model = AsGiven { scale: scale.collect() };
        let embedding = model.place(features)?;
        let report = FitReport::new("features", embedding.len(), embedding.dim(), 0);
        Ok(Fit::new(embedding, model, report))
    }

    /// Other objects with the same features.
    ///
    /// # Fails
    /// As [`Embedding::new`].
    pub fn place(&self, features: &Features) -> Result<Embedding, Error> {
        Embedding::new(features.objects().clone(), features.values() / &self.scale)
    }
}
