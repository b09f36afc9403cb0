//! The dual side: from any multipliers to a bound that holds.

use ndarray::Array2;
use nearer_num::definite::{self, UNIT, gamma};
use nearer_num::laplacian::Laplacian;

use crate::program::Proof;
use crate::program::gram::{Anchor, GramProgram};
use crate::program::space::{Block, Space};

/// What the multipliers prove.
#[derive(Debug, Clone)]
pub(crate) struct Dual {
    /// No feasible point has an objective (to be minimised) below this.
    pub(crate) bound: f64,
    /// What bounds the eigenvalue.
    pub(crate) proof: Proof,
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
    /// `κ/2 Σ y²`, which grows with the square of the multipliers.
    square: f64,
}

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
                (below.value - a.error - 2.0 * UNIT * below.value.abs(), proof(below.factorised))
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

fn proof(factorised: bool) -> Proof {
    if factorised { Proof::Cholesky } else { Proof::Gershgorin }
}

/// A dual matrix whose pairs of any weight are few: one weight a pair, and the graph they make.
pub(crate) struct Sparse {
    pub(crate) laplacian: Laplacian,
    pub(crate) weights: Vec<f64>,
    /// No entry of the exact matrix is farther from the sums of these weights, row by row, than this.
    error: f64,
}

/// Up to this many objects a full matrix is quicker.
pub(crate) const FULL: usize = 300;
/// How close to what it estimates a sparse proof is to be, so that a full matrix is not asked for a closer one.
const CLOSE: f64 = 1e-8;
/// Above this many objects a full matrix takes seconds (5 at 2,000, the whole unfolding 1), for digits that few gaps ask for.
const SOME: usize = 500;
const NEARLY: f64 = 2e-7;
/// Between the steps of an engine any proof will do that is of the right size.
const ROUGH: f64 = 1e-3;
/// Above this many objects a full matrix takes minutes.
const MANY: usize = 3000;

impl Sparse {
    /// `None` where a full matrix is the better one.
    pub(crate) fn new(n: usize, weights: &[Weight]) -> Option<Self> {
        if n <= FULL {
            return None;
        }
        let most = n * n / 32;
        let some: Vec<&Weight> = weights.iter().filter(|w| w.value != 0.0 || w.size != 0.0).take(most + 1).collect();
        if some.len() > most {
            return None;
        }
        let edges: Vec<(u32, u32)> = some.iter().map(|w| (w.i, w.j)).collect();
        let laplacian = Laplacian::new(n, &edges).ok()?;
        if laplacian.fill() > n * n / 12 {
            return None;
        }
        let mut size = vec![0.0; n];
        for w in &some {
            size[w.i as usize] += w.size;
            size[w.j as usize] += w.size;
        }
        let terms = 4 + some.iter().map(|w| w.terms as usize).max().unwrap_or(0);
        let largest = size.iter().fold(0.0, |m: f64, v| m.max(*v));
        let error = 2.0 * gamma(terms) * largest * (1.0 + gamma(2 * n));
        Some(Sparse { laplacian, weights: some.iter().map(|w| w.value).collect(), error })
    }

    /// A number below `a + λ₂`, if one close to it can be proved; of very many objects, for which there is no other way, any.
    fn least(mut self, trace: f64, n: usize, close: f64) -> Option<f64> {
        let second = self.laplacian.second(&self.weights, true);
        let lower = second.lower - self.error;
        let apart = (second.estimate - lower) / (second.estimate.abs() + trace.abs());
        let sum = trace + lower;
        (apart <= close || n > MANY).then(|| sum - 4.0 * UNIT * (trace.abs() + lower.abs()))
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
    let m = phi.t().dot(&a.matrix.dot(phi));
    // |Φ|ᵗ|S||Φ| bounds the rounding of the two products; its largest row sum bounds its norm.
    let ones = phi.map_axis(ndarray::Axis(1), |r| r.iter().map(|v| v.abs()).sum::<f64>());
    let mid = a.matrix.map(|v| v.abs()).dot(&ones);
    let sizes = phi.map(|v| v.abs()).t().dot(&mid);
    let size = sizes.iter().fold(0.0, |m: f64, v| m.max(*v)) * (1.0 + gamma(2 * n + q));
    let frobenius: f64 = phi.iter().map(|v| v * v).sum::<f64>() * (1.0 + gamma(n * q));
    with_charge(m, 2.0 * gamma(2 * n + 4) * size + a.error * frobenius, block)
}

/// The same without the matrix `S`, where few pairs have a weight: `SΦ = a (Φ - 1 mᵗ) + Σ w (e_i - e_j)(φ_i - φ_j)ᵗ`.
fn in_block_of_few(trace: f64, weights: &[Weight], block: &Block) -> (f64, bool) {
    let phi = &block.basis;
    let (n, q) = phi.dim();
    let zeros = || ndarray::Array1::zeros(q);
    let sizes = phi.map(|v| v.abs());
    let mut image = (phi - &phi.mean_axis(ndarray::Axis(0)).unwrap_or_else(zeros)) * trace;
    let mut size = (&sizes + &sizes.mean_axis(ndarray::Axis(0)).unwrap_or_else(zeros)) * trace.abs();
    let mut terms = vec![0u32; n];
    for w in weights.iter().filter(|w| w.size != 0.0) {
        let (i, j) = (w.i as usize, w.j as usize);
        for k in 0..q {
            let pull = w.value * (phi[(i, k)] - phi[(j, k)]);
            image[(i, k)] += pull;
            image[(j, k)] -= pull;
            let most = w.size * (sizes[(i, k)] + sizes[(j, k)]);
            size[(i, k)] += most;
            size[(j, k)] += most;
        }
        terms[i] += w.terms + 1;
        terms[j] += w.terms + 1;
    }
    // The sums of a row, those of the means and the product; sizes are at least as large as what they bound.
    let most = terms.into_iter().max().unwrap_or(0) as usize + 2 * n + 16;
    let doubt = sizes.t().dot(&size) * (gamma(most) * (1.0 + gamma(2 * most)));
    let error = definite::row_sum(doubt.view()).max(definite::row_sum(doubt.t()));
    with_charge(phi.t().dot(&image), error * (1.0 + gamma(q)), block)
}

/// The least eigenvalue of a matrix with this error and what the block is charged, from below.
fn with_charge(mut m: Array2<f64>, mut error: f64, block: &Block) -> (f64, bool) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::dense;
    use nearer_num::rng::Rng;

    /// A ring with chords, some of negative weight: the sparse proof against the eigenvalues of the full matrix.
    #[test]
    fn the_sparse_proof_is_below_the_full_eigenvalue_and_close() {
        let n = FULL + 50;
        let trace = -0.3;
        for seed in 0..3 {
            let mut rng = Rng::task(seed, 77);
            let mut weights: Vec<Weight> = Vec::new();
            let mut say = |i: usize, j: usize, value: f64| {
                let (i, j) = (i.min(j) as u32, i.max(j) as u32);
                weights.push(Weight { i, j, value, size: value.abs(), terms: 1 });
            };
            for i in 0..n {
                for step in 1..=4 {
                    say(i, (i + step) % n, 1.0 + rng.uniform());
                }
                say(i, (i + 9) % n, -0.02 * rng.uniform());
            }
            let proved =
                Sparse::new(n, &weights).and_then(|s| s.least(trace, n, CLOSE)).expect("few pairs, positive λ₂");
            let full = assemble(n, trace, &weights, true);
            let values = dense::eigvalsh(full.matrix.view()).unwrap();
            let exact = values[n - 1];
            assert!(proved <= exact + 1e-12 && exact - proved < 1e-7, "{proved} {exact}");
        }
    }

    #[test]
    fn many_pairs_are_left_to_the_full_matrix() {
        let n = FULL + 1;
        let mut weights = Vec::new();
        for i in 0..n as u32 {
            weights.extend((i + 1..n as u32).map(|j| Weight { i, j, value: 1.0, size: 1.0, terms: 1 }));
        }
        assert!(Sparse::new(n, &weights).is_none());
        assert!(Sparse::new(FULL, &weights[..1]).is_none());
    }
}
