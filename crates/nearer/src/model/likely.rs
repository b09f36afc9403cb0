//! The likelihood of one new object under its answers, and where it is largest.

use ndarray::{Array1, Array2};
use nearer_num::choices::{Choices, Lapse, Link};
use nearer_num::pairs::Rows;
use nearer_num::{dense, lbfgs};
use serde::{Deserialize, Serialize};

/// How answers follow from distances.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Answering {
    /// How distance counts.
    pub link: AnsweringLink,
    /// The probability of a lapse of somebody who is not known.
    pub lapse: f64,
    /// What the square of a coordinate costs.
    pub precision: f64,
}

/// How distance counts: `φ` in `P = 1 / (1 + exp(φ(near) - φ(far)))`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnsweringLink {
    /// As it is.
    Distance,
    /// Squared.
    Squared,
    /// `(a + 1)/2 · ln(1 + d²/a)`.
    Student(f64),
    /// `ln(m + d²)`.
    Logarithm(f64),
}

impl From<Link> for AnsweringLink {
    fn from(link: Link) -> Self {
        match link {
            Link::Distance => AnsweringLink::Distance,
            Link::Squared => AnsweringLink::Squared,
            Link::Student(a) => AnsweringLink::Student(a),
            Link::Logarithm(m) => AnsweringLink::Logarithm(m),
        }
    }
}

impl From<AnsweringLink> for Link {
    fn from(link: AnsweringLink) -> Self {
        match link {
            AnsweringLink::Distance => Link::Distance,
            AnsweringLink::Squared => Link::Squared,
            AnsweringLink::Student(a) => Link::Student(a),
            AnsweringLink::Logarithm(m) => Link::Logarithm(m),
        }
    }
}

impl Answering {
    /// Whether its numbers can be.
    pub(super) fn is_sound(&self) -> bool {
        let link = match self.link {
            AnsweringLink::Student(v) | AnsweringLink::Logarithm(v) => v.is_finite() && v > 0.0,
            _ => true,
        };
        link && (0.0..1.0).contains(&self.lapse) && self.precision.is_finite() && self.precision >= 0.0
    }
}

/// One new object: its answers name it by its number, and the old ones by theirs.
pub(super) struct Likely<'a> {
    pub(super) choices: &'a Choices,
    /// All points of the query, those of new objects 0.
    pub(super) points: &'a [f64],
    pub(super) dim: usize,
    /// The number of the new object.
    pub(super) own: usize,
    /// The numbers of old objects that may be started from.
    pub(super) old: &'a [usize],
    pub(super) answering: Answering,
    /// The mean squared distance of the map.
    pub(super) size: f64,
}

/// Where the likelihood is largest.
#[derive(Debug, Clone)]
pub(super) struct End {
    pub(super) place: Vec<f64>,
    /// Whether another place, well apart, is as good.
    pub(super) ambiguous: bool,
    /// The covariance of the place, where the answers determine it.
    pub(super) covariance: Option<Array2<f64>>,
}

/// Old points that are looked at as starts, and how many of them are descended from.
const LOOKED_AT: usize = 128;
const DESCENDED: usize = 4;
/// Another place is as good where its answers are less likely by no more than this factor.
const AS_GOOD: f64 = 0.1;

impl Likely<'_> {
    /// Minus the logarithm of the posterior at a place; its gradient is written.
    fn value(&self, place: &[f64], scratch: &mut (Vec<f64>, Vec<f64>), gradient: &mut [f64]) -> f64 {
        let (points, all) = scratch;
        let own = self.own * self.dim..(self.own + 1) * self.dim;
        points[own.clone()].copy_from_slice(place);
        let lapse = if self.answering.lapse > 0.0 { Lapse::One(self.answering.lapse) } else { Lapse::None };
        let value = self.choices.loss(Rows { values: points, dim: self.dim }, self.answering.link.into(), lapse, all);
        let precision = self.answering.precision;
        gradient.iter_mut().zip(&all[own]).zip(place).for_each(|((g, a), x)| *g = a + 2.0 * precision * x);
        value + precision * place.iter().map(|x| x * x).sum::<f64>()
    }

    /// The best of several descents.
    pub(super) fn maximise(&self) -> End {
        let mut scratch = (self.points.to_vec(), vec![0.0; self.points.len()]);
        let mut gradient = vec![0.0; self.dim];
        let at = |k: usize| self.points[k * self.dim..(k + 1) * self.dim].to_vec();
        let step = self.old.len().div_ceil(LOOKED_AT).max(1);
        let mut starts: Vec<(f64, Vec<f64>)> = self
            .old
            .iter()
            .step_by(step)
            // A step away from the old point itself, where the derivative of its distance is not defined.
            .map(|&k| at(k).iter().map(|v| 0.98 * v + 1e-3 * self.size.sqrt()).collect::<Vec<f64>>())
            .map(|x| (self.value(&x, &mut scratch, &mut gradient), x))
            .collect();
        starts.sort_by(|a, b| a.0.total_cmp(&b.0));
        starts.truncate(DESCENDED);
        let middle = vec![1e-3 * self.size.sqrt(); self.dim];
        let ends: Vec<(f64, Vec<f64>)> =
            starts.into_iter().map(|(_, x)| x).chain([middle]).map(|x| self.descend(x, &mut scratch)).collect();
        let best = (0..ends.len()).min_by(|&a, &b| ends[a].0.total_cmp(&ends[b].0)).unwrap_or(0);
        let (value, place) = ends[best].clone();
        let apart = |y: &[f64]| place.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let ambiguous = ends.iter().any(|(v, y)| *v <= value + AS_GOOD && apart(y) > 0.05 * self.size);
        let covariance = self.covariance(&place, &mut scratch);
        End { place, ambiguous, covariance }
    }

    fn descend(&self, mut x: Vec<f64>, scratch: &mut (Vec<f64>, Vec<f64>)) -> (f64, Vec<f64>) {
        let settings = lbfgs::Settings {
            iterations: 200,
            gradient: 1e-9 * self.choices.total() / self.size.sqrt(),
            decrease: Some(1e-12),
            memory: 6,
            guess: lbfgs::Guess::Short,
        };
        let ended = lbfgs::minimise(&mut x, &settings, |x, g| self.value(x, scratch, g), |_, _| true);
        (ended.value, x)
    }

    /// The inverse of the second derivatives, from differences of the gradient; none where they are not positive or the answers
    /// leave the place as wide open as the map.
    fn covariance(&self, place: &[f64], scratch: &mut (Vec<f64>, Vec<f64>)) -> Option<Array2<f64>> {
        let (dim, h) = (self.dim, 1e-4 * self.size.sqrt());
        let mut second = Array2::zeros((dim, dim));
        for j in 0..dim {
            let mut sides = [vec![0.0; dim], vec![0.0; dim]];
            for (side, gradient) in [h, -h].into_iter().zip(&mut sides) {
                let mut x = place.to_vec();
                x[j] += side;
                self.value(&x, scratch, gradient);
            }
            for i in 0..dim {
                second[(i, j)] = (sides[0][i] - sides[1][i]) / (2.0 * h);
            }
        }
        let (values, vectors) = dense::eigh((0.5 * (&second + &second.t())).view()).ok()?;
        // Of a variance as large as that of the map itself nothing is known; what the prior says of any object is no answer of this one.
        let widest = 2.0 / self.size + 2.0 * self.answering.precision;
        if values.iter().any(|v| v.is_nan() || *v <= widest) {
            return None;
        }
        Some(vectors.dot(&Array2::from_diag(&Array1::from_iter(values.iter().map(|v| 1.0 / v)))).dot(&vectors.t()))
    }
}
