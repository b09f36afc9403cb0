//! What is proved about weights: the value of a feasible point, and a bound below all; rounding is on the safe side of both.

use std::borrow::Cow;

use nearer_num::definite::{UNIT, gamma};
use nearer_num::orthant::Curvature;
use nearer_num::squares::Squares;
use nearer_num::{dense, packed};

use super::{DiagonalProgram, Weights, near_root};
use crate::error::Error;
use crate::object::Objects;
use crate::program::{Certificate, Fingerprint, Program, Proof, Sense};

/// What weights attain.
#[derive(Debug, Clone)]
pub(crate) struct Attained {
    /// The objective (to be minimised) of feasible weights, rounded up.
    pub(crate) value: f64,
    /// By how much the weights themselves pass the bound on squared distances.
    pub(crate) violation: f64,
    /// What the weights were multiplied by to keep to it.
    pub(crate) shrink: f64,
}

impl Program for DiagonalProgram {
    type Candidate = Weights;
    fn certify(&self, answer: &Weights) -> Result<Certificate, Error> {
        self.fits(answer)?;
        let attained = self.attained(&answer.weights);
        let bound = self.bounded(answer, attained.value);
        let mut c = self.certificate(attained.value, bound);
        c.violation = attained.violation;
        c.rank = self.rank(&answer.weights)?;
        Ok(c)
    }
    fn fingerprint(&self, objects: &Objects) -> String {
        let mut print = Fingerprint::new("nearer weights 1");
        print.objects(objects);
        print.sense(self.sense);
        print.number(self.spread);
        print.perhaps(self.bound);
        // Squared distances that are given are no features: their number of rows is that of pairs.
        print.table(self.squares.numbers());
        self.cost.iter().for_each(|c| print.number(*c));
        match &self.curvature {
            Curvature::None => print.count(0),
            Curvature::Diagonal(diagonal) => diagonal.iter().for_each(|v| print.number(*v)),
            Curvature::Blocks(blocks) => blocks.iter().for_each(|b| print.table(b)),
        }
        print.count(self.rows.len());
        for row in &self.rows {
            for place in [row.near, row.far] {
                let (i, j) = self.pairs[place as usize];
                print.count(i as usize);
                print.count(j as usize);
            }
            print.number(row.margin);
            print.number(row.weight);
        }
        print.finish()
    }
    fn about(&self) -> Cow<'_, str> {
        Cow::Owned(format!("no weighting of these {} columns", self.columns()))
    }
}

impl DiagonalProgram {
    /// What all pairs at the bound would count for: a size of the data that no slack is part of.
    fn natural(&self) -> f64 {
        self.bound.map_or(0.0, |b| self.spread.abs() * b * packed::len(self.objects()) as f64)
    }

    /// A certificate of the two sides alone.
    pub(crate) fn certificate(&self, value: f64, bound: f64) -> Certificate {
        let mut c = Certificate::new(self.sense, self.own(value), self.own(bound), self.natural()).about(self.about());
        c.proof = Proof::Linear;
        c
    }

    /// The value of weights, made smaller where they pass the bound on squared distances.
    pub(crate) fn attained(&self, weights: &[f64]) -> Attained {
        let q = self.columns();
        let mut w: Vec<f64> = weights.iter().map(|w| w.max(0.0)).collect();
        let used = w.iter().filter(|w| **w > 0.0).count();
        // Twelve operations more than the sum has: those of a term, and of making weights smaller.
        let off = gamma(used + 12);
        let (mut shrink, mut violation) = (1.0, 0.0);
        if let Some(b) = self.bound {
            let top = self.squares.largest(&w);
            if top * (1.0 + off) > b {
                violation = (top - b).max(0.0);
                shrink = b / top * (1.0 - 2.0 * off);
                w.iter_mut().for_each(|w| *w *= shrink);
            }
        }
        let bent: f64 = self.curvature.times(&w).iter().zip(&w).map(|(p, w)| p * w).sum();
        let bent = 0.5 * bent * (1.0 + gamma(2 * q + 8));
        let plain: f64 = self.cost.iter().zip(&w).map(|(c, w)| c * w).sum();
        let plain = plain * (1.0 + gamma(q + 4));
        let (mut apart, mut apart_off) = (0.0, 0.0);
        for (w, (sum, error)) in w.iter().zip(&self.spreads) {
            apart += w * sum;
            apart_off += w * error;
        }
        let apart_off = self.spread.abs() * (apart_off * 1.01 + gamma(q + 8) * apart);
        let d = self.squares.of(&w, &self.pairs);
        let mut paid = 0.0;
        for row in &self.rows {
            let (near, far) = (d[row.near as usize], d[row.far as usize]);
            let missing = row.margin + near - far + off * (row.margin.abs() + near + far);
            paid += row.weight * missing.max(0.0);
        }
        let paid = paid * (1.0 + gamma(self.rows.len() + 4));
        let size = bent + plain + (self.spread * apart).abs() + apart_off + paid;
        let value = bent + plain + self.spread * apart + apart_off + paid + 16.0 * UNIT * size;
        Attained { value, violation, shrink }
    }

    /// What no value is below, given one that is attained.
    pub(crate) fn bounded(&self, answer: &Weights, value: f64) -> f64 {
        let nothing = Weights {
            weights: vec![0.0; self.columns()],
            multipliers: vec![0.0; self.rows.len()],
            held: Vec::new(),
            everywhere: 0.0,
            tangent: Vec::new(),
        };
        // Multipliers of zero always prove something.
        self.proved(answer, value).max(self.proved(&nothing, value))
    }

    fn proved(&self, answer: &Weights, value: f64) -> f64 {
        let (n, q) = (self.objects(), self.columns());
        let b = self.bound.unwrap_or(0.0);
        let all = packed::len(n) as f64;
        let mut x: Vec<f64> = answer.tangent.iter().map(|w| w.max(0.0)).collect();
        x.resize(q, 0.0);
        // Numbers of pairs: what they come to, and the size of what was added up.
        let mut net = vec![0.0; self.pairs.len()];
        let mut size = vec![0.0; self.pairs.len()];
        let (mut gain, mut terms) = (0.0, 0.0);
        for (row, y) in self.rows.iter().zip(&answer.multipliers) {
            let y = y.clamp(0.0, row.weight);
            for (pair, y) in [(row.near, y), (row.far, -y)] {
                net[pair as usize] += y;
                size[pair as usize] += y.abs();
            }
            gain += y * row.margin;
            terms += (y * row.margin).abs();
        }
        let (mut pairs, mut everywhere) = (self.pairs.clone(), 0.0);
        if self.bound.is_some() {
            for &(i, j, v) in answer.held.iter().filter(|h| h.2 > 0.0) {
                pairs.push((i, j));
                net.push(v);
                size.push(v);
                gain -= v * b;
                terms += v * b;
            }
            everywhere = answer.everywhere.max(0.0);
            gain -= everywhere * b * all;
            terms += everywhere * b * all;
        }
        let kept: Vec<usize> = (0..pairs.len()).filter(|t| size[*t] > 0.0).collect();
        let pairs: Vec<(u32, u32)> = kept.iter().map(|t| pairs[*t]).collect();
        let pulled = |g: &[f64]| self.squares.gathered(&pairs, &kept.iter().map(|t| g[*t]).collect::<Vec<_>>());
        let (pull, pull_size) = (pulled(&net), pulled(&size));
        // A number of a pair is a sum over rows, that of a column one over pairs.
        let off = gamma(kept.len() + self.rows.len() + 16);
        let bent = self.curvature.times(&x);
        let diagonal = self.curvature.diagonal(q);
        let weight = self.heaviest(value);
        let (mut loss, mut doubt) = (0.0, 0.0);
        for p in 0..q {
            let (sum, error) = self.spreads[p];
            let z = self.cost[p] + bent[p] + pull[p] + (self.spread + everywhere) * sum;
            let parts = self.cost[p] + pull_size[p] * (1.0 + off) + (self.spread.abs() + everywhere) * (sum + error);
            let least = z
                - off * parts
                - gamma(q + 8) * bent[p]
                - (self.spread.abs() + everywhere) * error
                - 8.0 * UNIT * (parts + bent[p]);
            // A column that does not vary has nothing but its cost, which is not negative.
            if self.ranges[p] > 0.0 && least < 0.0 {
                loss += least * weight[p];
            }
            // Where P is semidefinite up to rounding only: ½ ε |w - x|², in the units of the deficit.
            if self.deficit > 0.0 && diagonal[p] > 0.0 {
                let apart = weight[p].max(x[p]) * near_root(diagonal[p]);
                doubt += 0.5 * self.deficit * apart * apart;
            }
        }
        let quadratic: f64 = 0.5 * bent.iter().zip(&x).map(|(p, x)| p * x).sum::<f64>() * (1.0 + gamma(2 * q + 8));
        let off = gamma(self.rows.len() + answer.held.len() + q + 16);
        let out = gain + loss - quadratic - doubt * (1.0 + gamma(q + 8));
        let out = out - off * (terms + loss.abs() + quadratic + doubt);
        if out.is_nan() { f64::NEG_INFINITY } else { out }
    }

    /// For each column a weight that no point of at most this value passes.
    pub(crate) fn heaviest(&self, value: f64) -> Vec<f64> {
        let up = 1.0 + 16.0 * UNIT;
        let all = packed::len(self.objects()) as f64;
        // No term but that of the spread is negative.
        let floor = self.spread.min(0.0) * all * self.bound.unwrap_or(0.0) * up;
        let room = ((value - floor) + 4.0 * UNIT * (value.abs() + floor.abs())).max(0.0);
        let diagonal = self.curvature.diagonal(self.columns());
        (0..self.columns())
            .map(|p| {
                let bounded = match self.bound {
                    Some(b) if self.ranges[p] > 0.0 => b / (self.ranges[p] * self.ranges[p]),
                    _ => f64::INFINITY,
                };
                let bent = if diagonal[p] > 0.0 { (2.0 * room / diagonal[p]).sqrt() } else { f64::INFINITY };
                let paid = if self.cost[p] > 0.0 { room / self.cost[p] } else { f64::INFINITY };
                bounded.min(bent).min(paid) * up
            })
            .collect()
    }

    /// How many directions carry more than a hundred-thousandth of the widest one's variance.
    fn rank(&self, weights: &[f64]) -> Result<usize, Error> {
        let rank = match &self.squares {
            Squares::Features(f) => {
                let kept: Vec<usize> =
                    (0..weights.len()).filter(|p| weights[*p] > 0.0 && self.ranges[*p] > 0.0).collect();
                let mut y = f.select(ndarray::Axis(1), &kept);
                for (mut column, p) in y.columns_mut().into_iter().zip(&kept) {
                    column.mapv_inplace(|v| v * weights[*p].sqrt());
                }
                dense::rank(&y, 1e-5)
            }
            Squares::Given(n, _) => dense::eigvalsh(centred_products(*n, &self.squares.all(weights)).view())
                .map(|values| values.iter().filter(|v| **v > 1e-5 * values[0] && **v > 0.0).count()),
        };
        rank.map_err(|_| Error::Numerical { what: "the eigenvalues of the scatter of a solution".into() })
    }

    /// How far two sides are apart, relative to their size.
    pub(crate) fn gap(&self, value: f64, bound: f64) -> f64 {
        Certificate::new(Sense::Minimise, value, bound, self.natural()).gap()
    }

    fn fits(&self, answer: &Weights) -> Result<(), Error> {
        let wrong = |what: &str| {
            Err(Error::Evidence { what: what.into(), remedy: "give the answer to this very program".into() })
        };
        let touched = answer.tangent.is_empty() || answer.tangent.len() == self.columns();
        if answer.weights.len() != self.columns() || answer.multipliers.len() != self.rows.len() || !touched {
            return wrong("weights or multipliers do not have the size of the program");
        }
        if answer.held.iter().any(|&(i, j, _)| i >= j || j as usize >= self.objects()) {
            return wrong("a multiplier of a pair that is not there");
        }
        let finite = answer.weights.iter().chain(&answer.multipliers).chain(&answer.tangent).all(|v| v.is_finite())
            && answer.held.iter().all(|h| h.2.is_finite())
            && answer.everywhere.is_finite();
        if finite { Ok(()) } else { wrong("a number of the answer is not finite") }
    }
}

/// `-½ H D H` of squared distances.
fn centred_products(n: usize, d: &[f64]) -> ndarray::Array2<f64> {
    let at = |i: usize, j: usize| if i == j { 0.0 } else { d[packed::index(n, i.min(j), i.max(j))] };
    let means: Vec<f64> = (0..n).map(|i| (0..n).map(|j| at(i, j)).sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    ndarray::Array2::from_shape_fn((n, n), |(i, j)| -0.5 * (at(i, j) - means[i] - means[j] + mean))
}
