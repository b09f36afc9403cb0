//! A likelihood in more dimensions than are wanted, and a penalty on each that makes the idle ones vanish.

use ndarray::{Array2, Axis};
use nearer_num::choices::{Choices, Lapse, Link};
use nearer_num::dense;
use nearer_num::pairs::Rows;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::solve::Clock;
use crate::solve::descent::{self, Ended, Limits, Objective, Scale};
use crate::solve::likelihood::{Opening, scale};

/// `Σ w ln(1 + exp(d²(near) - d²(far))) + Σ_k precision_k Σ_i y_ik²`.
pub(crate) struct Columns<'a> {
    pub choices: &'a Choices,
    /// Of each column.
    pub precisions: Vec<f64>,
    pub opening: &'a Opening<'a>,
}

/// `Σ_k σ_k(Y)^p` of the centred map, by majorisation: `σ^p` is concave in `σ²`, so it lies below its tangent, which is a sum of
/// squares of the columns of the map turned to its axes. Every round ends lower than it began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shrinking {
    pub weight: f64,
    pub power: f64,
}

/// Columns shorter than this share of the longest are gone.
const GONE: f64 = 1e-2;
/// Rounds, steps of each, and the share of the objective by which two rounds must lower it to go on.
const ROUNDS: usize = 60;
const STEPS: Limits = Limits { max_iter: 60, eps: 1e-6 };
const SETTLED: f64 = 1e-6;
/// The precision with which the first map is sought.
const FIRST: f64 = 0.05;

/// Where it ended: the map turned to its axes, without the columns that are gone.
pub(crate) struct Shrunk {
    pub points: Array2<f64>,
    /// The loss and the penalty there.
    pub loss: f64,
    pub penalty: f64,
    pub ended: Ended<()>,
}

impl Shrinking {
    /// The penalty of a map with these lengths of its columns, turned to its axes.
    fn penalty(&self, lengths: &[f64]) -> f64 {
        self.weight * lengths.iter().map(|s| s.powf(self.power)).sum::<f64>()
    }

    /// From the end of a descent.
    pub(crate) fn shrink(&self, from: Ended<()>, loss: &Columns<'_>, clock: &Clock<'_>) -> Result<Shrunk, Error> {
        let (n, _) = loss.shape();
        let (mut points, mut lengths) = turned(&map_of(from.at.clone(), n))?;
        let (mut ended, mut last) = (from, f64::INFINITY);
        for _ in 0..ROUNDS {
            let kept = lengths.iter().filter(|s| **s > GONE * lengths[0]).count().max(1);
            points = points.slice(ndarray::s![.., ..kept]).to_owned();
            let tangent = |s: &f64| 0.5 * self.weight * self.power * s.powf(self.power - 2.0);
            let precisions = lengths[..kept].iter().map(tangent).collect();
            let next = Columns { choices: loss.choices, precisions, opening: loss.opening };
            let end = descent::from(&next, points.iter().copied().collect(), STEPS, clock);
            (points, lengths) = turned(&map_of(end.at.clone(), n))?;
            ended = Ended { iterations: ended.iterations + end.iterations, ..end };
            let value = loss.alone(&points) + self.penalty(&lengths);
            if clock.late() || last - value <= SETTLED * value.abs() {
                break;
            }
            last = value;
        }
        let kept = lengths.iter().filter(|s| **s > GONE * lengths[0]).count().max(1);
        points = points.slice(ndarray::s![.., ..kept]).to_owned();
        let (loss, penalty) = (loss.alone(&points), self.penalty(&lengths[..kept]));
        Ok(Shrunk { points, loss, penalty, ended })
    }
}

impl Columns<'_> {
    /// The loss without the penalty.
    fn alone(&self, points: &Array2<f64>) -> f64 {
        let values: Vec<f64> = points.iter().copied().collect();
        let rows = Rows { values: &values, dim: points.ncols() };
        self.choices.loss(rows, Link::Squared, Lapse::None, &mut vec![0.0; values.len()])
    }
}

impl<'a> Columns<'a> {
    /// The loss with which a first map is sought.
    pub(crate) fn first(choices: &'a Choices, opening: &'a Opening<'a>) -> Self {
        Columns { choices, precisions: vec![FIRST; opening.shape().1], opening }
    }
}

impl Objective for Columns<'_> {
    type State = ();

    fn state(&self) {}
    fn shape(&self) -> (usize, usize) {
        (self.opening.shape().0, self.precisions.len())
    }
    fn starts(&self) -> usize {
        self.opening.starts()
    }
    fn start(&self, number: usize, rng: &mut Rng, _: &Clock<'_>) -> Result<Vec<f64>, Error> {
        self.opening.start(number, FIRST, rng)
    }
    fn scale(&self) -> Scale {
        scale(self.choices, self.shape().0)
    }
    fn value(&self, at: &[f64], gradient: &mut [f64], (): &mut ()) -> f64 {
        let dim = self.precisions.len();
        let mut value = self.choices.loss(Rows { values: at, dim }, Link::Squared, Lapse::None, gradient);
        for (row, gradient) in at.chunks_exact(dim).zip(gradient.chunks_exact_mut(dim)) {
            for ((y, g), c) in row.iter().zip(gradient).zip(&self.precisions) {
                value += c * y * y;
                *g += 2.0 * c * y;
            }
        }
        value
    }
}

fn map_of(values: Vec<f64>, n: usize) -> Array2<f64> {
    let columns = values.len() / n;
    Array2::from_shape_vec((n, columns), values).unwrap_or_default()
}

/// A map about its centre, turned to its axes, and their lengths, the longest first.
fn turned(map: &Array2<f64>) -> Result<(Array2<f64>, Vec<f64>), Error> {
    let centred = map - &map.mean_axis(Axis(0)).unwrap_or_default();
    let (_, turn) = dense::eigh(centred.t().dot(&centred).view())
        .map_err(|_| Error::Numerical { what: "the axes of a map".into() })?;
    let points = centred.dot(&turn);
    let lengths = points.columns().into_iter().map(|c| c.dot(&c).sqrt()).collect();
    Ok((points, lengths))
}
