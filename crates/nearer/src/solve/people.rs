//! Several people's distances on one map that each stretches: stress as a loss over the map and the stretching.

use ndarray::Array2;
use nearer_num::packed::{self, Points};
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::{Distances, Repeats};
use crate::solve::Clock;
use crate::solve::descent::{Objective, Scale, starts};

/// A gradient shorter than this share of that of the data themselves is flat.
const FLAT: f64 = 1e-9;
/// How far the weights of a random start are from 1.
const SPREAD: f64 = 0.3;

/// One person's distances, of the size that all have.
pub(crate) struct Person {
    pub(crate) values: Vec<f64>,
    weights: Option<Vec<f64>>,
    /// `Σ w δ²`.
    pub(crate) size: f64,
    /// What the values were divided by.
    pub(crate) scale: f64,
}

impl Person {
    /// Everybody's distances with the same mean square, that of all together, and their mean.
    pub(crate) fn of(people: &[(String, Distances)]) -> Result<(Vec<Person>, Distances), Error> {
        let n = people[0].1.len();
        let total = |d: &Distances| d.weights().map_or(d.pairs() as f64, |w| w.iter().sum());
        let square = |d: &Distances| packed::square_sum(d.condensed(), d.weights());
        let (all, count) = people.iter().fold((0.0, 0.0), |(s, c), (_, d)| (s + square(d), c + total(d)));
        let (mut sum, mut weight) = (vec![0.0; packed::len(n)], vec![0.0; packed::len(n)]);
        let mut persons = Vec::with_capacity(people.len());
        for (name, d) in people {
            let own = square(d);
            if own <= 0.0 {
                return Err(Error::Evidence {
                    what: format!("every distance of `{name}` is 0"),
                    remedy: "leave that person out; there is nothing in it to map".into(),
                });
            }
            let scale = (own / total(d) / (all / count)).sqrt();
            let values: Vec<f64> = d.condensed().iter().map(|v| v / scale).collect();
            for k in 0..values.len() {
                let w = d.weight_at(k);
                sum[k] += w * values[k];
                weight[k] += w;
            }
            persons.push(Person {
                values,
                weights: d.weights().map(<[f64]>::to_vec),
                size: own / (scale * scale),
                scale,
            });
        }
        sum.iter_mut().zip(&weight).filter(|(_, w)| **w > 0.0).for_each(|(s, w)| *s /= w);
        let missing = weight.contains(&0.0);
        let objects = people[0].1.objects().clone();
        let mean = Distances::from_parts(objects, sum, missing.then_some(weight), None, Repeats::default())?;
        Ok((persons, mean))
    }
}

/// Stress over the rows of the map, and after them those of each person's matrix: one (a diagonal), as many as dimensions, or none.
pub(crate) struct Stretched<'a> {
    pub(crate) people: &'a [Person],
    pub(crate) mean: &'a Distances,
    pub(crate) dim: usize,
    pub(crate) rows: usize,
    /// Where the first start is, where that is known.
    pub(crate) first: Option<Vec<f64>>,
}

impl Stretched<'_> {
    /// The map, and each person's matrix.
    pub(crate) fn apart(&self, at: &[f64]) -> (Array2<f64>, Vec<Array2<f64>>) {
        let (n, p) = (self.mean.len(), self.dim);
        let points = Array2::from_shape_vec((n, p), at[..n * p].to_vec()).unwrap_or_default();
        let matrix = |k: usize| {
            let own = &at[n * p + k * self.rows * p..][..self.rows * p];
            match self.rows {
                0 => Array2::eye(p),
                1 => Array2::from_diag(&ndarray::aview1(own)),
                _ => Array2::from_shape_vec((p, p), own.to_vec()).unwrap_or_default(),
            }
        };
        (points, (0..self.people.len()).map(matrix).collect())
    }
    /// The same map and matrices, each matrix with all of its rows.
    pub(crate) fn widened(&self, at: &[f64]) -> Vec<f64> {
        let (points, matrices) = self.apart(at);
        points.iter().chain(matrices.iter().flatten()).copied().collect()
    }
}

impl Objective for Stretched<'_> {
    type State = ();

    fn state(&self) {}
    fn shape(&self) -> (usize, usize) {
        (self.mean.len() + self.people.len() * self.rows, self.dim)
    }
    fn starts(&self) -> usize {
        starts::worthwhile(self.mean.len())
    }
    fn start(&self, number: usize, rng: &mut Rng, clock: &Clock<'_>) -> Result<Vec<f64>, Error> {
        if let Some(first) = self.first.as_ref().filter(|_| number == 0) {
            return Ok(first.clone());
        }
        let mut at = starts::start(self.mean, self.dim, number, rng, clock)?;
        for _ in 0..self.people.len() {
            for row in 0..self.rows {
                for column in 0..self.dim {
                    let own = if self.rows == 1 || row == column { 1.0 } else { 0.0 };
                    // Exactly alike, two people could not be told apart by what they do to an axis.
                    let noise = if number == 0 { 0.01 } else { SPREAD };
                    at.push(own + noise * rng.normal());
                }
            }
        }
        Ok(at)
    }
    fn scale(&self) -> Scale {
        let size: f64 = self.people.iter().map(|p| p.size).sum();
        let n = self.mean.len() as f64;
        Scale { flat: FLAT * 2.0 * (size * n * self.people.len() as f64).sqrt(), first_step: None }
    }
    /// With `y = x Wᵗ` the map as a person has it, and `g` the gradient there: that by `x` is `g W`, and that by `W` `gᵗ x`.
    fn value(&self, at: &[f64], gradient: &mut [f64], (): &mut ()) -> f64 {
        let (n, p) = (self.mean.len(), self.dim);
        let (points, matrices) = self.apart(at);
        gradient.fill(0.0);
        let (mut value, mut pull, mut by_points) = (0.0, vec![0.0; n * p], Array2::<f64>::zeros((n, p)));
        for (k, (person, w)) in self.people.iter().zip(&matrices).enumerate() {
            let own = points.dot(&w.t());
            let pass = packed::descend(&Points::from_rows(&own), &person.values, person.weights.as_deref());
            value += pass.loss;
            pass.pull.write_flat(2.0, &mut pull);
            let g = ndarray::aview1(&pull).into_shape_with_order((n, p)).expect("one row a point");
            by_points += &g.dot(w);
            let by_matrix = g.t().dot(&points);
            let own = &mut gradient[n * p + k * self.rows * p..][..self.rows * p];
            for (slot, out) in own.iter_mut().enumerate() {
                *out = if self.rows == 1 { by_matrix[(slot, slot)] } else { by_matrix[(slot / p, slot % p)] };
            }
        }
        gradient[..n * p].iter_mut().zip(&by_points).for_each(|(g, v)| *g = *v);
        value
    }
    /// Two ends are one where everybody's distances are.
    fn same(&self, a: &[f64], b: &[f64]) -> bool {
        let ((x, v), (y, w)) = (self.apart(a), self.apart(b));
        let (mut off, mut size) = (0.0, 0.0);
        let mut one = vec![0.0; self.mean.pairs()];
        let mut other = one.clone();
        for k in 0..self.people.len() {
            packed::distances(&Points::from_rows(&x.dot(&v[k].t())), &mut one);
            packed::distances(&Points::from_rows(&y.dot(&w[k].t())), &mut other);
            off += one.iter().zip(&other).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            size += packed::square_sum(&one, None);
        }
        off <= 1e-3 * size
    }
}
