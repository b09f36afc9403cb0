//! A map and one vector that all ways share, as a loss: how far `|xᵢ - xⱼ + z|` is from what was measured from `i` to `j`.

use ndarray::Array2;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::Distances;
use crate::solve::Clock;
use crate::solve::descent::{Objective, Scale, starts};

/// The loss; the last row sought is the vector.
pub(crate) struct Slide<'a> {
    /// `NaN` where nothing is known.
    pub(crate) square: &'a Array2<f64>,
    pub(crate) symmetric: &'a Distances,
    pub(crate) dim: usize,
}

impl Objective for Slide<'_> {
    type State = ();

    fn state(&self) {}
    fn shape(&self) -> (usize, usize) {
        (self.symmetric.len() + 1, self.dim)
    }
    fn starts(&self) -> usize {
        starts::worthwhile(self.symmetric.len())
    }
    fn start(&self, number: usize, rng: &mut Rng, clock: &Clock<'_>) -> Result<Vec<f64>, Error> {
        let mut at = starts::start(self.symmetric, self.dim, number, rng, clock)?;
        let size = (at.iter().map(|v| v * v).sum::<f64>() / self.symmetric.len() as f64).sqrt();
        // At 0 the loss is level along the vector.
        at.extend((0..self.dim).map(|_| 0.05 * size * rng.normal()));
        Ok(at)
    }
    fn scale(&self) -> Scale {
        let size: f64 = self.square.iter().filter(|v| !v.is_nan()).map(|v| v * v).sum();
        Scale { flat: 1e-9 * 4.0 * (size * self.symmetric.len() as f64).sqrt(), first_step: None }
    }
    fn value(&self, at: &[f64], gradient: &mut [f64], (): &mut ()) -> f64 {
        let (n, p) = (self.symmetric.len(), self.dim);
        let (points, slide) = at.split_at(n * p);
        gradient.fill(0.0);
        let (mut value, mut way) = (0.0, vec![0.0; p]);
        for i in 0..n {
            for j in (0..n).filter(|j| *j != i) {
                let wanted = self.square[(i, j)];
                if wanted.is_nan() {
                    continue;
                }
                (0..p).for_each(|k| way[k] = points[i * p + k] - points[j * p + k] + slide[k]);
                let d = way.iter().map(|v| v * v).sum::<f64>().sqrt();
                value += (d - wanted) * (d - wanted);
                let slope = if d > 0.0 { 2.0 * (d - wanted) / d } else { 0.0 };
                for (k, along) in way.iter().enumerate() {
                    gradient[i * p + k] += slope * along;
                    gradient[j * p + k] -= slope * along;
                    gradient[n * p + k] += slope * along;
                }
            }
        }
        value
    }
}
