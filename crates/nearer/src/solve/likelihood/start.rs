//! Where descents on answers start.

use std::borrow::Cow;

use ndarray::Array2;
use nearer_num::choices::{Lapse, Link};
use nearer_num::pairs::Rows;
use nearer_num::rng::Rng;
use nearer_num::{dense, lbfgs};

use crate::error::Error;
use crate::solve::Clock;
use crate::solve::likelihood::{Answers, posterior, scale};

/// The spread of a random start: small, so that no answer is lost for good.
const SPREAD: f64 = 0.3;
/// The precision of the descent that makes a start of a random map, and its iterations.
const PRECISION: f64 = 0.05;
const ITERATIONS: usize = 150;
/// A line is laid out in so many dimensions first, where objects can pass each other.
const ROOM: usize = 3;
/// A start is made of so many answers for each coordinate that is sought, and of so many at least.
const ANSWERS_A_COORDINATE: usize = 20;
const ANSWERS: usize = 20_000;

/// Makes starts: the answers, or some of them where there are many.
pub(crate) struct Opening<'a> {
    some: Cow<'a, Answers>,
    /// How many answers there are in all.
    answers: usize,
    objects: usize,
    dim: usize,
    clock: Clock<'a>,
}

impl<'a> Opening<'a> {
    pub(crate) fn new(all: &'a Answers, (objects, dim): (usize, usize), clock: Clock<'a>) -> Self {
        let (count, enough) = (all.choices.len(), (ANSWERS_A_COORDINATE * objects * dim).max(ANSWERS));
        let some = all.thinned(enough).map_or(Cow::Borrowed(all), Cow::Owned);
        Opening { some, answers: count, objects, dim, clock }
    }

    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.objects, self.dim)
    }

    /// Several where they cost little: the answers are few or the map is a line, which folds.
    pub(crate) fn starts(&self) -> usize {
        worthwhile(self.dim, self.answers)
    }

    /// A small random map after some steps with the squared distance, under which a wrong answer pulls the harder the
    /// farther it is wrong. On a line objects cannot pass each other: it is laid out in more dimensions first, and then
    /// along its longest axis, or, every other time, along the way from one end through its neighbours to the other. From
    /// the fourth on every other start is left random: those steps lead most maps to one place, and it need not be the best.
    pub(crate) fn start(&self, number: usize, precision: f64, rng: &mut Rng) -> Result<Vec<f64>, Error> {
        let dim = if self.dim == 1 { ROOM.min(self.objects - 1) } else { self.dim };
        let raw = dim == self.dim && number > 2 && !number.is_multiple_of(2);
        let spread = if raw { 1.0 } else { SPREAD };
        let random = (0..self.objects * dim).map(|_| spread * rng.normal()).collect();
        if raw {
            return Ok(random);
        }
        let map = self.easy(random, dim, precision.max(PRECISION));
        if dim == self.dim {
            return Ok(map);
        }
        let map = Array2::from_shape_vec((self.objects, dim), map).unwrap_or_default();
        let axis = principal(&map)?;
        Ok(if number.is_multiple_of(2) { axis } else { along(&map, &axis) })
    }

    /// Down the likelihood of squared distances.
    fn easy(&self, mut at: Vec<f64>, dim: usize, precision: f64) -> Vec<f64> {
        let settings = lbfgs::Settings {
            iterations: ITERATIONS,
            gradient: scale(&self.some.choices, self.objects).flat,
            decrease: Some(1e-6),
            memory: 8,
            guess: lbfgs::Guess::Short,
        };
        let value = |x: &[f64], g: &mut [f64]| {
            posterior(&self.some.choices, Rows { values: x, dim }, Link::Squared, Lapse::None, precision, g)
        };
        lbfgs::minimise(&mut at, &settings, value, |_, _| !self.clock.late());
        at
    }
}

/// The coordinates along the longest axis.
fn principal(map: &Array2<f64>) -> Result<Vec<f64>, Error> {
    let centred = map - &map.mean_axis(ndarray::Axis(0)).unwrap_or_default();
    let (_, turn) = dense::eigh(centred.t().dot(&centred).view())
        .map_err(|_| Error::Numerical { what: "the axes of a start".into() })?;
    Ok(centred.dot(&turn.column(0)).to_vec())
}

/// The lengths of a walk from the end of the axis, always to the nearest object not yet met.
fn along(map: &Array2<f64>, axis: &[f64]) -> Vec<f64> {
    let n = axis.len();
    let mut at = (0..n).min_by(|&a, &b| axis[a].total_cmp(&axis[b])).unwrap_or(0);
    let (mut place, mut met, mut length) = (vec![0.0; n], vec![false; n], 0.0);
    for _ in 1..n {
        met[at] = true;
        let apart = |j: usize| (&map.row(at) - &map.row(j)).mapv(|v| v * v).sum();
        let Some(next) = (0..n).filter(|j| !met[*j]).min_by(|&a, &b| apart(a).total_cmp(&apart(b))) else { break };
        length += apart(next).sqrt();
        place[next] = length;
        at = next;
    }
    let mean = place.iter().sum::<f64>() / n as f64;
    place.iter_mut().for_each(|p| *p -= mean);
    place
}

/// How many starts are worth it: descents on few answers cost nothing, and on a line they end in many places.
pub(crate) fn worthwhile(dim: usize, answers: usize) -> usize {
    match (dim, answers) {
        (1, ..=100_000) | (_, ..=1_000) => 20,
        (_, ..=5_000) => 5,
        (_, ..=50_000) => 2,
        _ => 1,
    }
}
