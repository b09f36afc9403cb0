//! Weights of rank-one matrices whose sum is large enough, at the least cost: an interior-point method.
//!
//! ```text
//! min  Σ c_e y_e + κ/2 Σ y_e²    Σ y_e v_e v_eᵗ - B  positive semidefinite,  -w ≤ y_e ≤ w
//! max  ⟨B, X⟩ - Σ p(v_eᵗ X v_e - c_e)   over X positive semidefinite
//! ```
//!
//! with `p(t) = w |t|` where there is no curvature, and `t² / 2κ` where there are no sides (`w` infinite).
//!
//! The unknowns of a step are the weights, few hundreds to thousands of them; with `S` the matrix on the left and the direction of
//! Helmberg, Kojima and Monteiro its system has the entries `(v_eᵗ X v_f)(v_eᵗ S⁻¹ v_f)`, and a diagonal for the sides of `y`.
//! Mehrotra's predictor chooses how far to go; both sides keep their own length of step.

use std::sync::Arc;

use ndarray::{Array1, Array2, ArrayView1};

use crate::linear::{factor, newton};
use crate::{dense, gemm};

/// The question.
#[derive(Debug, Clone)]
pub struct Problem {
    /// `v`, one a row.
    pub directions: Array2<f64>,
    /// `B`.
    pub least: Array2<f64>,
    /// `c`.
    pub cost: Vec<f64>,
    /// `w`; infinite where there are no sides.
    pub most: f64,
    /// `κ`.
    pub curvature: f64,
}

/// Where the method is: both sides lie inside their cones.
#[derive(Debug, Clone)]
pub struct Iterate {
    problem: Arc<Problem>,
    /// `y`, and the multipliers of `y ≤ w` and `-w ≤ y`.
    y: Vec<f64>,
    above: Vec<f64>,
    below: Vec<f64>,
    /// `X`.
    x: Array2<f64>,
    /// `S`.
    s: Array2<f64>,
}

/// A step of everything.
struct Steps {
    y: Vec<f64>,
    above: Vec<f64>,
    below: Vec<f64>,
    x: Array2<f64>,
    s: Array2<f64>,
}

/// What a step needs of where it starts.
struct Here {
    inverse: Array2<f64>,
    /// `v_eᵗ S⁻¹ v_e`.
    across: Vec<f64>,
    /// The factor of the system, column by column.
    system: Vec<f64>,
}

/// What is left of the way to the boundary. Like the other two it was chosen by trial on the instances of `bench/convex.py`; not swept.
const SHORT: f64 = 0.95;
/// The target of a step, as a share of the complementarity, is at least this (Mehrotra's rule with a square in the place of his cube).
const LOWEST: f64 = 1e-3;
/// So often an interval that holds the boundary is halved: a step is known to a five-hundredth.
const HALVED: usize = 9;

impl Iterate {
    /// From these weights; `None` where they are not inside.
    #[must_use]
    pub fn new(problem: Problem, y: Vec<f64>) -> Option<Self> {
        let q = problem.least.nrows();
        let mean = problem.cost.iter().sum::<f64>() / problem.cost.len().max(1) as f64;
        let largest = problem.cost.iter().fold(mean, |m: f64, c| m.max(*c));
        let s = &problem.sum(&y) - &problem.least;
        let inside = y.iter().all(|y| y.abs() < problem.most) && is_definite(&s);
        let sides = vec![if problem.most.is_finite() { mean } else { 0.0 }; y.len()];
        inside.then(|| Iterate {
            x: Array2::eye(q) * largest,
            above: sides.clone(),
            below: sides,
            y,
            s,
            problem: Arc::new(problem),
        })
    }

    /// The weights.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.y
    }
    /// `X`.
    #[must_use]
    pub fn matrix(&self) -> &Array2<f64> {
        &self.x
    }
    /// `Σ c y + κ/2 Σ y²`, which no value of the other side passes.
    #[must_use]
    pub fn bound(&self) -> f64 {
        let bent = 0.5 * self.problem.curvature;
        self.problem.cost.iter().zip(&self.y).map(|(c, y)| (c + bent * y) * y).sum()
    }
    /// The sum of all products that are zero at the end.
    #[must_use]
    pub fn complementarity(&self) -> f64 {
        let inside = (&self.x * &self.s).sum();
        if !self.problem.most.is_finite() {
            return inside;
        }
        let (high, low) = self.rooms();
        let of = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        inside + of(&self.above, &high) + of(&self.below, &low)
    }
    /// How many products that is.
    fn products(&self) -> f64 {
        let sides = if self.problem.most.is_finite() { 2 * self.y.len() } else { 0 };
        (self.x.nrows() + sides) as f64
    }

    /// One step; the longer of its two lengths, or `None` where the system cannot be solved any more.
    pub fn step(&mut self) -> Option<f64> {
        let here = self.here()?;
        let products = self.products();
        let mu = self.complementarity() / products;
        let predictor = self.direction(&here, 0.0, None);
        let (primal, dual) = self.lengths(&predictor, 1.0);
        let affine = self.moved(&predictor, primal, dual)?.complementarity() / products;
        let centring = (affine / mu).powi(2).clamp(LOWEST, 1.0);
        let steps = self.direction(&here, centring * mu, Some(&predictor));
        let (primal, dual) = self.lengths(&steps, SHORT);
        *self = self.moved(&steps, primal, dual)?;
        Some(primal.max(dual))
    }

    /// How far `y` is from its two ends.
    fn rooms(&self) -> (Vec<f64>, Vec<f64>) {
        let w = self.problem.most;
        (self.y.iter().map(|y| w - y).collect(), self.y.iter().map(|y| w + y).collect())
    }

    fn here(&self) -> Option<Here> {
        let v = &self.problem.directions;
        let m = v.nrows();
        let inverse = dense::inverse(self.s.view())?;
        let (high, low) = self.rooms();
        let between = |matrix: &Array2<f64>| {
            let (mut half, mut whole) = (Array2::zeros(v.dim()), Array2::zeros((m, m)));
            gemm::into(v.view(), matrix.view(), half.view_mut());
            gemm::into(half.view(), v.t(), whole.view_mut());
            whole
        };
        let (ours, theirs) = (between(&self.x), between(&inverse));
        let across: Vec<f64> = theirs.diag().to_vec();
        let mut sides: Array1<f64> = Array1::zeros(m);
        for (e, side) in sides.iter_mut().enumerate() {
            *side = self.above[e] / high[e] + self.below[e] / low[e] + self.problem.curvature;
        }
        let system = newton::factorised(m, Vec::new(), |system| {
            system.iter_mut().zip(&ours * &theirs).for_each(|(v, p)| *v = p);
            sides.iter().enumerate().for_each(|(e, side)| system[e * m + e] += side);
        })?;
        Some(Here { inverse, across, system })
    }

    /// The direction towards products of `mu`, less what the predictor would add to second order.
    fn direction(&self, here: &Here, mu: f64, second: Option<&Steps>) -> Steps {
        let p = &self.problem;
        let (high, low) = self.rooms();
        let bent = second.map(|by| symmetric(&by.x.dot(&by.s).dot(&here.inverse)));
        let along = bent.as_ref().map(|b| p.lengths(b));
        let mut y: Vec<f64> = (0..self.y.len())
            .map(|e| {
                let paid = p.cost[e] + p.curvature * self.y[e];
                let plain = mu * (here.across[e] - 1.0 / high[e] + 1.0 / low[e]) - paid;
                let (Some(by), Some(along)) = (second, &along) else { return plain };
                plain - along[e] - by.above[e] * by.y[e] / high[e] - by.below[e] * by.y[e] / low[e]
            })
            .collect();
        factor::substitute_one(&here.system, y.len(), &mut y);
        let s = p.sum(&y);
        let mut x = &here.inverse * mu - &self.x - symmetric(&self.x.dot(&s).dot(&here.inverse));
        if let Some(bent) = &bent {
            x -= bent;
        }
        let side = |own: &[f64], room: &[f64], sign: f64, other: fn(&Steps) -> &[f64]| -> Vec<f64> {
            (0..own.len())
                .map(|e| {
                    let plain = mu / room[e] - own[e] + sign * own[e] / room[e] * y[e];
                    second.map_or(plain, |by| plain + sign * other(by)[e] * by.y[e] / room[e])
                })
                .collect()
        };
        let above = side(&self.above, &high, 1.0, |by| &by.above);
        let below = side(&self.below, &low, -1.0, |by| &by.below);
        Steps { y, above, below, x, s }
    }

    /// How far each side may go, this share of the way to its boundary, at most the whole step.
    fn lengths(&self, steps: &Steps, share: f64) -> (f64, f64) {
        let (high, low) = self.rooms();
        let until = |values: &[f64], by: &mut dyn Iterator<Item = f64>| {
            let ends = values.iter().zip(by).filter(|(_, s)| *s < 0.0).map(|(v, s)| -v / s);
            ends.fold(f64::INFINITY, f64::min)
        };
        let primal = until(&self.above, &mut steps.above.iter().copied())
            .min(until(&self.below, &mut steps.below.iter().copied()))
            .min(reach(&self.x, &steps.x));
        let dual = until(&high, &mut steps.y.iter().map(|s| -s))
            .min(until(&low, &mut steps.y.iter().copied()))
            .min(reach(&self.s, &steps.s));
        ((share * primal).min(1.0), (share * dual).min(1.0))
    }

    /// Where steps of these lengths lead; `None` where that is not a number.
    fn moved(&self, steps: &Steps, primal: f64, dual: f64) -> Option<Iterate> {
        let add = |a: &[f64], b: &[f64], by: f64| a.iter().zip(b).map(|(a, b)| a + by * b).collect::<Vec<f64>>();
        let y = add(&self.y, &steps.y, dual);
        if y.iter().any(|v| !v.is_finite()) {
            return None;
        }
        Some(Iterate {
            // Not by adding steps: what rounds would add up.
            s: &self.problem.sum(&y) - &self.problem.least,
            above: add(&self.above, &steps.above, primal),
            below: add(&self.below, &steps.below, primal),
            x: &self.x + &(&steps.x * primal),
            y,
            problem: Arc::clone(&self.problem),
        })
    }
}

impl Problem {
    /// `Σ y v vᵗ`.
    fn sum(&self, y: &[f64]) -> Array2<f64> {
        let q = self.least.nrows();
        let weighted = &self.directions * &ArrayView1::from(y).insert_axis(ndarray::Axis(1));
        let mut out = Array2::zeros((q, q));
        gemm::into(self.directions.t(), weighted.view(), out.view_mut());
        symmetric(&out)
    }
    /// `vᵗ M v` of each.
    fn lengths(&self, m: &Array2<f64>) -> Vec<f64> {
        let half = self.directions.dot(m);
        half.rows().into_iter().zip(self.directions.rows()).map(|(a, b)| a.dot(&b)).collect()
    }
}

fn symmetric(m: &Array2<f64>) -> Array2<f64> {
    (m + &m.t()) * 0.5
}

fn is_definite(m: &Array2<f64>) -> bool {
    factor::cholesky(&mut m.iter().copied().collect::<Vec<f64>>(), m.nrows())
}

/// How far `m + t by` is surely definite: a little less than where it ends to be, or one where it does not on the way there.
fn reach(m: &Array2<f64>, by: &Array2<f64>) -> f64 {
    let good = |t: f64| is_definite(&(m + &(by * t)));
    if good(1.0 / SHORT) {
        return 1.0 / SHORT;
    }
    let (mut inside, mut outside) = (0.0, 1.0 / SHORT);
    for _ in 0..HALVED {
        let middle = 0.5 * (inside + outside);
        if good(middle) { inside = middle } else { outside = middle }
    }
    // Shorter than all that was tried: the digits are used up.
    inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn solved(mut at: Iterate) -> Iterate {
        for _ in 0..60 {
            if at.complementarity() < 1e-11 * at.bound().abs() || at.step().is_none_or(|length| length < 1e-7) {
                break;
            }
        }
        at
    }

    #[test]
    fn a_question_of_one_weight_has_its_closed_form() {
        // y v² ≥ b: y = b / v², at the cost c b / v².
        let directions = ndarray::array![[2.0]];
        let problem =
            Problem { directions, least: ndarray::array![[3.0]], cost: vec![5.0], most: 10.0, curvature: 0.0 };
        let at = solved(Iterate::new(problem.clone(), vec![5.0]).unwrap());
        assert!((at.weights()[0] - 0.75).abs() < 1e-9 && (at.bound() - 3.75).abs() < 1e-8);
        assert!((at.matrix()[(0, 0)] - 1.25).abs() < 1e-7);
        // With a curvature the other side pays (v² x - c)² / 2κ, and v² x = c + κ y.
        let problem = Problem { most: f64::INFINITY, curvature: 2.0, ..problem };
        let at = solved(Iterate::new(problem, vec![5.0]).unwrap());
        assert!((at.weights()[0] - 0.75).abs() < 1e-9 && (at.bound() - 4.3125).abs() < 1e-8);
        assert!((at.matrix()[(0, 0)] - 1.625).abs() < 1e-7);
    }

    #[test]
    fn both_sides_meet() {
        for seed in 0..6 {
            let mut rng = Rng::task(seed, 5);
            let (m, q, most) = (14, 5, 3.0);
            let directions = Array2::from_shape_simple_fn((m, q), || rng.normal());
            let cost: Vec<f64> = (0..m).map(|_| 0.5 + rng.uniform()).collect();
            let with_sides = Problem {
                directions: directions.clone(),
                least: Array2::eye(q),
                cost: cost.clone(),
                most,
                curvature: 0.0,
            };
            let bent = Problem { most: f64::INFINITY, curvature: 0.3, ..with_sides.clone() };
            for problem in [with_sides, bent] {
                let Some(start) = Iterate::new(problem.clone(), vec![0.9 * most; m]) else { continue };
                let at = solved(start);
                let d: Vec<f64> = directions.rows().into_iter().map(|v| v.dot(&at.matrix().dot(&v))).collect();
                let paid =
                    |t: f64| if problem.curvature > 0.0 { t * t / (2.0 * problem.curvature) } else { most * t.abs() };
                let value = at.matrix().diag().sum() - d.iter().zip(&cost).map(|(d, c)| paid(d - c)).sum::<f64>();
                // Measured by what they are sums of, which may cancel.
                let size: f64 = at.weights().iter().zip(&cost).map(|(y, c)| (y * c).abs()).sum();
                assert!((at.bound() - value).abs() < 1e-8 * size, "{seed}: {} {value}", at.bound());
            }
        }
    }
}
