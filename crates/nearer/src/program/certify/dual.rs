//! The dual side: from any multipliers to a bound that holds.

use ndarray::Array2;
use nearer_num::definite::{self, UNIT, gamma};

use crate::program::gram::{Anchor, GramProgram};
use crate::program::space::{Block, Space};

/// What the multipliers prove.
#[derive(Debug, Clone)]
pub(crate) struct Dual {
    /// No feasible point has an objective (to be minimised) below this.
    pub(crate) bound: f64,
    /// Whether the eigenvalue was bounded by a factorisation.
    pub(crate) factorised: bool,
}

/// The dual matrix with its error.
pub(crate) struct Assembled {
    /// `a I + L(w) + τ/n 11ᵗ`, which is `S(y)` on vectors that sum to zero.
    pub(crate) matrix: Array2<f64>,
    /// The spectral norm of the difference between this matrix and the exact one is at most this.
    error: f64,
}

impl Assembled {
    /// How far the exact matrix may be from this one, in the spectral norm.
    pub(crate) fn error(&self) -> f64 {
        self.error
    }
    /// The matrix alone.
    pub(crate) fn into_matrix(self) -> Array2<f64> {
        self.matrix
    }
}

/// Multipliers that satisfy everything but the eigenvalue condition.
pub(crate) struct Repaired {
    pub(crate) rows: Vec<f64>,
    pub(crate) balls: Vec<(u32, u32, f64)>,
    /// `Σ y e - κ/2 Σ y²`, rounded down.
    pub(crate) value: f64,
}

impl GramProgram {
    /// The bound that these multipliers prove.
    pub(crate) fn bounded(&self, rows: &[f64], balls: &[(u32, u32, f64)]) -> Dual {
        let y = self.repaired(rows, balls);
        let (least, factorised) = self.least_eigenvalue(&y.rows, &y.balls);
        Dual { bound: self.bound_of(y.value, least), factorised }
    }

    /// What multipliers of zero prove, where that needs no computation: with no cost at all nothing is below nothing.
    pub(crate) fn trivial_bound(&self) -> f64 {
        let free = matches!(self.space, Space::Free) && self.trace == 0.0 && self.cost.iter().all(|c| *c == 0.0);
        let zero = (0..self.rows.len()).all(|t| self.rows.low[t] <= 0.0 && 0.0 <= self.rows.high[t]);
        if free && zero { 0.0 } else { f64::NEG_INFINITY }
    }

    /// The bound of multipliers of this value whose dual matrix has no eigenvalue below `least`.
    pub(crate) fn bound_of(&self, value: f64, least: f64) -> f64 {
        let down = |v: f64| v - 4.0 * UNIT * v.abs();
        if let Some(Anchor::Scale) = self.anchor {
            // In a spanned space ΦᵗHΦ is the identity up to rounding only.
            let off = self.off_identity();
            let laplacian = down(least - self.trace * (1.0 - off));
            if laplacian <= 0.0 || off >= 0.5 {
                return f64::NEG_INFINITY;
            }
            let times = -self.trace * (1.0 + off) / laplacian;
            return value * times - 8.0 * UNIT * (value * times).abs();
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
        let value = sum - gamma(rows.len() + 6) * size;
        let Some(said) = &self.balls else { return Repaired { rows, balls: Vec::new(), value } };
        let mut balls: Vec<(u32, u32, f64)> = balls
            .iter()
            .filter(|&&(i, j, _)| said.sign(i as usize, j as usize) != 0)
            .map(|&(i, j, y)| (i, j, y.clamp(0.0, said.high(i as usize, j as usize))))
            .collect();
        let (mut inside, mut outside) = (vec![0.0; self.n], vec![0.0; self.n]);
        for &(i, j, y) in &balls {
            if said.sign(i as usize, j as usize) > 0 { inside[i as usize] += y } else { outside[i as usize] += y }
        }
        let safe = 1.0 - 4.0 * gamma(2 * self.n + 8);
        for (i, j, y) in &mut balls {
            let k = *i as usize;
            if said.sign(k, *j as usize) > 0 && inside[k] * safe > outside[k] * safe * safe {
                *y *= outside[k] / inside[k] * safe;
            }
        }
        Repaired { rows, balls, value }
    }

    /// A number below every eigenvalue of the dual matrix that matters, and whether a factorisation proves it.
    fn least_eigenvalue(&self, rows: &[f64], balls: &[(u32, u32, f64)]) -> (f64, bool) {
        let weights = self.weights(rows, balls);
        match &self.space {
            Space::Free => {
                let a = assemble(self.n, self.trace, &weights, true);
                let below = definite::least_eigenvalue(a.matrix.view());
                (below.value - a.error - 2.0 * UNIT * below.value.abs(), below.factorised)
            }
            Space::Spanned(blocks) => {
                let a = assemble(self.n, self.trace, &weights, false);
                let mut least = (f64::INFINITY, true);
                for block in blocks {
                    let (value, factorised) = in_block(&a, block);
                    least = (least.0.min(value), least.1 && factorised);
                }
                least
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
            for &(i, j, y) in balls {
                if y != 0.0 {
                    let term = f64::from(said.sign(i as usize, j as usize)) * y;
                    weights.push(Weight { i: i.min(j), j: i.max(j), value: term, size: term.abs(), terms: 1 });
                }
            }
        }
        weights
    }
}

/// The weight of a pair; a pair may have several.
pub(crate) struct Weight {
    pub(crate) i: u32,
    pub(crate) j: u32,
    pub(crate) value: f64,
    size: f64,
    terms: u32,
}

impl Weight {
    fn add(&mut self, term: f64) {
        self.value += term;
        self.size += term.abs();
        self.terms += 1;
    }
}

/// The dense dual matrix; lifted by `τ/n 11ᵗ`, so that the constant vector, which does not matter, is out of the way, or
/// with `a H` exactly as it stands.
pub(crate) fn assemble(n: usize, trace: f64, weights: &[Weight], lifted: bool) -> Assembled {
    let mut matrix = Array2::<f64>::zeros((n, n));
    let mut size = vec![0.0; n];
    let terms = 4 + weights.iter().map(|w| w.terms as usize).max().unwrap_or(0);
    for w in weights {
        let (i, j) = (w.i as usize, w.j as usize);
        matrix[(i, j)] -= w.value;
        matrix[(j, i)] -= w.value;
        size[i] += w.size;
        size[j] += w.size;
    }
    let mut mean = 0.0;
    for i in 0..n {
        let degree: f64 = -matrix.row(i).sum();
        matrix[(i, i)] = trace + degree;
        mean += matrix[(i, i)].abs() / n as f64;
    }
    // The constant vector has the eigenvalue trace + lift, which is to be above the others that matter.
    let lift = if lifted { (mean + 2.0 * trace.abs()).max(f64::MIN_POSITIVE) } else { -trace };
    let each = lift / n as f64;
    matrix.mapv_inplace(|v| v + each);
    // Row by row: sums of weights, the sum on the diagonal, and the two additions at the end.
    let largest = size.iter().fold(0.0, |m: f64, v| m.max(*v));
    let error = (2.0 * gamma(terms) * largest + (gamma(n) + 8.0 * UNIT) * (2.0 * largest + trace.abs() + lift.abs()))
        * (1.0 + gamma(n));
    Assembled { matrix, error }
}

/// The least eigenvalue of `ΦᵗSΦ + P`, from below.
fn in_block(a: &Assembled, block: &Block) -> (f64, bool) {
    let phi = &block.basis;
    let (n, q) = phi.dim();
    let mut m = phi.t().dot(&a.matrix.dot(phi));
    // |Φ|ᵗ|S||Φ| bounds the rounding of the two products; its largest row sum bounds its norm.
    let ones = phi.map_axis(ndarray::Axis(1), |r| r.iter().map(|v| v.abs()).sum::<f64>());
    let mid = a.matrix.map(|v| v.abs()).dot(&ones);
    let sizes = phi.map(|v| v.abs()).t().dot(&mid);
    let size = sizes.iter().fold(0.0, |m: f64, v| m.max(*v)) * (1.0 + gamma(2 * n + q));
    let frobenius: f64 = phi.iter().map(|v| v * v).sum::<f64>() * (1.0 + gamma(n * q));
    let mut error = 2.0 * gamma(2 * n + 4) * size + a.error * frobenius;
    if let Some(p) = &block.charge {
        m += p;
        error += 2.0 * UNIT * (definite::row_sum(m.view()) + definite::row_sum(p.view()));
    }
    let symmetric = (&m + &m.t()) * 0.5;
    error += 2.0 * UNIT * definite::row_sum(symmetric.view());
    let below = definite::least_eigenvalue(symmetric.view());
    (below.value - error, below.factorised)
}

/// `|ΦᵗHΦ - I|`, from above.
pub(crate) fn distance_from_identity(phi: &Array2<f64>) -> f64 {
    let (n, q) = phi.dim();
    let mean = phi.mean_axis(ndarray::Axis(0)).unwrap_or_else(|| ndarray::Array1::zeros(q));
    let centred = phi - &mean;
    let product = centred.t().dot(&centred) - Array2::<f64>::eye(q);
    let sizes = centred.map(|v| v.abs());
    let rounding = gamma(3 * n + 8) * definite::row_sum(sizes.t().dot(&sizes).view());
    definite::row_sum(product.view()) * (1.0 + gamma(q)) + 2.0 * rounding
}
