//! Soft ordinal embedding as a loss: what is missing to the margin of each answer, squared.

use nearer_num::choices::Choices;
use nearer_num::pairs::Rows;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::solve::Clock;
use crate::solve::descent::{Objective, Scale};
use crate::solve::likelihood::{Opening, scale};

/// `Σ w [m + d(near) - d(far)]₊²`. Of a margin and a map a tenfold margin and a tenfold map are the same.
pub(crate) struct SoftOrder<'a> {
    pub choices: &'a Choices,
    /// That of each answer; empty where all are 1.
    pub margins: &'a [f64],
    pub opening: &'a Opening<'a>,
}

/// The precision of the likelihood that makes a start.
const PRECISION: f64 = 0.05;

impl Objective for SoftOrder<'_> {
    type State = ();

    fn state(&self) {}
    fn shape(&self) -> (usize, usize) {
        self.opening.shape()
    }
    fn starts(&self) -> usize {
        self.opening.starts()
    }
    /// The start of a likelihood, in the size at which it is lowest here.
    fn start(&self, number: usize, rng: &mut Rng, _: &Clock<'_>) -> Result<Vec<f64>, Error> {
        let map = self.opening.start(number, PRECISION, rng)?;
        let mut gradient = vec![0.0; map.len()];
        let times = |size: f64| map.iter().map(|v| size * v).collect::<Vec<f64>>();
        let mut value = |k: i32| self.value(&times(2f64.powi(k)), &mut gradient, &mut ());
        let values: Vec<(i32, f64)> = (-2..=6).map(|k| (k, value(k))).collect();
        let best = values.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k);
        Ok(times(2f64.powi(best)))
    }
    fn scale(&self) -> Scale {
        scale(self.choices, self.shape().0)
    }
    fn value(&self, at: &[f64], gradient: &mut [f64], (): &mut ()) -> f64 {
        self.choices.hinge(Rows { values: at, dim: self.shape().1 }, self.margins, gradient)
    }
}
