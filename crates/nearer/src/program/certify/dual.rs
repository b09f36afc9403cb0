//! The dual side: from any multipliers to a bound that holds.

use nearer_num::definite::{self, UNIT, gamma};

use super::matrix::{FULL, Sparse, Weight, assemble, distance_from_identity, in_block, in_block_of_few};
use crate::program::Proof;
use crate::program::gram::{Anchor, GramProgram};
use crate::program::space::Space;

/// What the multipliers prove.
#[derive(Debug, Clone)]
pub(crate) struct Dual {
    /// No feasible point has an objective (to be minimised) below this.
    pub(crate) bound: f64,
    /// What bounds the eigenvalue.
    pub(crate) proof: Proof,
}

/// Multipliers that satisfy everything but the eigenvalue condition.
pub(crate) struct Repaired {
    pub(crate) rows: Vec<f64>,
    pub(crate) balls: Vec<(u32, u32, f64)>,
    /// `Σ y e - κ/2 Σ y²`, rounded down.
    pub(crate) value: f64,
    /// `κ/2 Σ y²`, which grows with the square of the multipliers.
    square: f64,
}

/// How close to what it estimates a sparse proof is to be, so that a full matrix is not asked for a closer one.
pub(super) const CLOSE: f64 = 1e-8;
/// Above this many objects a full matrix takes seconds (5 at 2,000, the whole unfolding 1), for digits that few gaps ask for.
const SOME: usize = 500;
const NEARLY: f64 = 2e-7;
/// Between the steps of an engine any proof will do that is of the right size.
const ROUGH: f64 = 1e-3;

impl GramProgram {
    /// The bound that these multipliers prove.
    pub(crate) fn bounded(&self, rows: &[f64], balls: &[(u32, u32, f64)]) -> Dual {
        self.bounded_within(rows, balls, if self.n > SOME { NEARLY } else { CLOSE })
    }
    /// A bound that they prove, for somebody on the way: not the sharpest where that takes long.
    pub(crate) fn bounded_roughly(&self, rows: &[f64]) -> f64 {
        self.bounded_within(rows, &[], ROUGH).bound
    }
    fn bounded_within(&self, rows: &[f64], balls: &[(u32, u32, f64)], close: f64) -> Dual {
        let y = self.repaired(rows, balls);
        let (least, proof) = self.least_eigenvalue(&y.rows, &y.balls, close);
        Dual { bound: self.bound_of(&y, least), proof }
    }

    /// What multipliers of zero prove, where that needs no computation: with no cost at all nothing is below nothing.
    pub(crate) fn trivial_bound(&self) -> f64 {
        let free = matches!(self.space, Space::Free) && self.trace == 0.0 && self.cost.iter().all(|c| *c == 0.0);
        let zero = (0..self.rows.len()).all(|t| self.rows.low[t] <= 0.0 && 0.0 <= self.rows.high[t]);
        if free && zero { 0.0 } else { f64::NEG_INFINITY }
    }

    /// The bound of multipliers whose dual matrix has no eigenvalue below `least`.
    pub(crate) fn bound_of(&self, y: &Repaired, least: f64) -> f64 {
        let value = y.value;
        let down = |v: f64| v - 4.0 * UNIT * v.abs();
        if let Some(Anchor::Scale) = self.anchor {
            // In a spanned space ΦᵗHΦ is the identity up to rounding only.
            let off = self.off_identity();
            let laplacian = down(least - self.trace * (1.0 - off));
            if laplacian <= 0.0 || off >= 0.5 {
                return f64::NEG_INFINITY;
            }
            let times = -self.trace * (1.0 + off) / laplacian;
            let (linear, square) = ((value + y.square) * times, y.square * times * times);
            let rounding = gamma(self.rows.len() + 16) * square + 16.0 * UNIT * (linear.abs() + square);
            return linear - square - rounding;
        }
        if least >= 0.0 {
            return value;
        }
        if let Some(r) = self.trace_bound {
            return down(value + r * self.multiple_of_identity(least));
        }
        let (other, room) = match &self.anchor {
            Some(Anchor::Zero(room)) => (0.0, *room),
            Some(Anchor::Rows(y, room)) => (self.repaired(y, &[]).value, *room),
            _ => return f64::NEG_INFINITY,
        };
        if room <= 0.0 {
            return f64::NEG_INFINITY;
        }
        // The value is concave in the multipliers, so mixed ones prove no less than the mixed value.
        // (1 - t) S(y) + t S(y₀) is psd when t (room - least) ≥ -least.
        let share = (-least / (room - least) * (1.0 + 8.0 * UNIT)).min(1.0);
        let mixed = (1.0 - share) * value + share * other;
        mixed - 16.0 * UNIT * (value.abs() + share * other.abs())
    }

    /// The multiple of the matrix of the trace that lifts an eigenvalue `least < 0` to zero, as a negative number.
    fn multiple_of_identity(&self, least: f64) -> f64 {
        // ⟨H, ΦZΦᵗ⟩ = ⟨ΦᵗHΦ, Z⟩ and ΦᵗHΦ is the identity up to rounding.
        let off = self.off_identity();
        if off >= 0.5 { f64::NEG_INFINITY } else { least / (1.0 - off) * (1.0 + 8.0 * UNIT) }
    }

    /// How far the bases of a spanned space are from orthonormal; nothing for free points.
    fn off_identity(&self) -> f64 {
        match &self.space {
            Space::Free => 0.0,
            Space::Spanned(blocks) => blocks.iter().map(|b| distance_from_identity(&b.basis)).fold(0.0, f64::max),
        }
    }

    /// Clips every multiplier into its interval, and lowers those that pull a radius down until none is pulled below zero.
    pub(crate) fn repaired(&self, rows: &[f64], balls: &[(u32, u32, f64)]) -> Repaired {
        let rows: Vec<f64> =
            rows.iter().enumerate().map(|(t, y)| y.clamp(self.rows.low[t], self.rows.high[t])).collect();
        let (mut sum, mut size) = (0.0, 0.0);
        for (y, e) in rows.iter().zip(&self.rows.constant) {
            let term = y * e - 0.5 * self.curvature * y * y;
            sum += term;
            size += (y * e).abs() + 0.5 * self.curvature * y * y;
        }
        if self.entropy {
            for (t, y) in rows.iter().enumerate() {
                let (term, most) = entropy(*y, self.rows.high[t]);
                sum += term;
                size += most;
            }
        }
        let value = sum - gamma(rows.len() + if self.entropy { 24 } else { 6 }) * size;
        let square = 0.5 * self.curvature * rows.iter().map(|y| y * y).sum::<f64>();
        let Some(said) = &self.balls else { return Repaired { rows, balls: Vec::new(), value, square } };
        let mut balls: Vec<(u32, u32, f64)> = balls
            .iter()
            .filter(|&&(i, j, _)| said.sign(i as usize, j as usize) != 0)
            .map(|&(i, j, y)| (i, j, y.clamp(0.0, said.high(i as usize, j as usize))))
            .collect();
        let (mut inside, mut outside) = (vec![0.0; said.radii()], vec![0.0; said.radii()]);
        for &(c, j, y) in &balls {
            let (c, k) = (c as usize, said.radius_of(c as usize));
            if said.sign(c, j as usize) > 0 { inside[k] += y } else { outside[k] += y }
        }
        let safe = 1.0 - 4.0 * gamma(2 * said.centres_of(0).len() * self.n + 8);
        for (c, j, y) in &mut balls {
            let k = said.radius_of(*c as usize);
            if said.sign(*c as usize, *j as usize) > 0 && inside[k] * safe > outside[k] * safe * safe {
                *y *= outside[k] / inside[k] * safe;
            }
        }
        Repaired { rows, balls, value, square }
    }

    /// A number below every eigenvalue of the dual matrix that matters, and what proves it.
    fn least_eigenvalue(&self, rows: &[f64], balls: &[(u32, u32, f64)], close: f64) -> (f64, Proof) {
        let weights = self.weights(rows, balls);
        match &self.space {
            Space::Free => {
                if let Some(least) = Sparse::new(self.n, &weights).and_then(|s| s.least(self.trace, self.n, close)) {
                    return (least, Proof::Inertia);
                }
                let a = assemble(self.n, self.trace, &weights, true);
                let below = definite::least_eigenvalue(a.matrix.view());
                (below.value - a.error() - 2.0 * UNIT * below.value.abs(), proof(below.factorised))
            }
            Space::Spanned(blocks) => {
                let few = self.n > FULL && weights.len() <= self.n * self.n / 32;
                let full = (!few).then(|| assemble(self.n, self.trace, &weights, false));
                let (mut least, mut all) = (f64::INFINITY, true);
                for block in blocks {
                    let (value, factorised) = match &full {
                        Some(a) => in_block(a, block),
                        None => in_block_of_few(self.trace, &weights, block),
                    };
                    least = least.min(value);
                    all &= factorised;
                }
                (least, proof(all))
            }
        }
    }

    /// What multiplies the squared distance of each pair, with the sum of the sizes of its terms.
    pub(crate) fn weights(&self, rows: &[f64], balls: &[(u32, u32, f64)]) -> Vec<Weight> {
        let mut weights: Vec<Weight> = self
            .pairs
            .iter()
            .zip(&self.cost)
            .map(|(&(i, j), c)| Weight { i, j, value: *c, size: c.abs(), terms: 1 })
            .collect();
        for (t, y) in rows.iter().enumerate() {
            if *y != 0.0 {
                for (p, a) in self.rows.entries(t) {
                    weights[p as usize].add(a * y);
                }
            }
        }
        if let Some(said) = &self.balls {
            for &(c, j, y) in balls {
                if y != 0.0 {
                    let (term, i) = (f64::from(said.sign(c as usize, j as usize)) * y, said.object(c as usize) as u32);
                    weights.push(Weight { i: i.min(j), j: i.max(j), value: term, size: term.abs(), terms: 1 });
                }
            }
        }
        weights
    }
}

/// `w h(y/w)`, and a size of which its rounding is a few units: zero at both ends of the interval.
fn entropy(y: f64, w: f64) -> (f64, f64) {
    let term = |v: f64| if v > 0.0 { -v * (v / w).ln() } else { 0.0 };
    let (taken, left) = (term(y), term(w - y));
    (taken + left, taken + left + w)
}

fn proof(factorised: bool) -> Proof {
    if factorised { Proof::Cholesky } else { Proof::Gershgorin }
}
