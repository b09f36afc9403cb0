//! What a descent minimises.

use nearer_num::lbfgs::Guess;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::geometry::align;
use crate::solve::Clock;

/// A function of the rows of a matrix (points, or the rows of a linear map): a stress, an ordinal likelihood, a metric
/// learner's loss. Numbers stand row after row.
///
/// A loss is shared by all starts; what an evaluation writes beside the gradient is its `State`, of which each start has
/// its own.
pub(crate) trait Objective: Sync {
    /// Buffers, and what is fitted beside the points for each of them (a curve of the data). After a descent it is left as
    /// the best point makes it.
    type State: Send;

    /// A state for one start.
    fn state(&self) -> Self::State;
    /// Rows and columns of what is sought.
    fn shape(&self) -> (usize, usize);
    /// The value at `at`; writes all of the gradient.
    fn value(&self, at: &[f64], gradient: &mut [f64], state: &mut Self::State) -> f64;
    /// Start number `number`, drawn from `rng` as far as it is random. Number 0 is the one to be relied on.
    fn start(&self, number: usize, rng: &mut Rng, clock: &Clock<'_>) -> Result<Vec<f64>, Error>;
    /// How many starts are worth it where nobody says.
    fn starts(&self) -> usize;
    /// What is known of its size and curvature.
    fn scale(&self) -> Scale;

    /// Whether two ends of about the same value are one: by default, if a rotation, a shift and a size take one to the other.
    fn same(&self, a: &[f64], b: &[f64]) -> bool {
        let matrix = |x: &[f64]| ndarray::Array2::from_shape_vec(self.shape(), x.to_vec());
        match (matrix(a), matrix(b)) {
            (Ok(a), Ok(b)) => align(&a, &b, true).is_ok_and(|a| a.disparity <= SAME_MAP),
            _ => false,
        }
    }
}

/// Two maps are one where less than this share of the variance is left between them after Procrustes.
const SAME_MAP: f64 = 1e-3;

/// The size of a loss.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// A gradient no longer than this is flat.
    pub flat: f64,
    /// A step along the gradient that lowers the value, as a multiple of it, where one is known.
    pub first_step: Option<f64>,
}

impl Scale {
    pub(super) fn guess(self) -> Guess<'static> {
        self.first_step.map_or(Guess::Short, Guess::Times)
    }
}

/// The gradient of a loss beside central differences of its value, in every coordinate.
#[cfg(test)]
pub(crate) fn assert_gradient<L: Objective>(loss: &L, at: &[f64]) {
    let value = |at: &[f64]| loss.value(at, &mut vec![0.0; at.len()], &mut loss.state());
    let mut gradient = vec![0.0; at.len()];
    loss.value(at, &mut gradient, &mut loss.state());
    let size = gradient.iter().fold(1.0, |most: f64, g| most.max(g.abs()));
    for (k, g) in gradient.iter().enumerate() {
        let moved =
            |h: f64| value(&at.iter().enumerate().map(|(l, v)| if l == k { v + h } else { *v }).collect::<Vec<_>>());
        let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
        assert!((g - slope).abs() < 1e-6 * size, "coordinate {k}: {g}, by differences {slope}");
    }
}
