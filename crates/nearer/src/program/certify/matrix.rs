//! The dual matrix, in full, by its few pairs or within a block, and numbers that are below its eigenvalues.

use ndarray::{Array1, Array2, Axis};
use nearer_num::definite::{self, UNIT, gamma};
use nearer_num::laplacian::Laplacian;

use crate::program::space::Block;

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

/// The weight of a pair; a pair may have several.
pub(crate) struct Weight {
    pub(crate) i: u32,
    pub(crate) j: u32,
    pub(crate) value: f64,
    pub(super) size: f64,
    pub(super) terms: u32,
}

impl Weight {
    pub(super) fn add(&mut self, term: f64) {
        self.value += term;
        self.size += term.abs();
        self.terms += 1;
    }
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
    pub(super) fn least(mut self, trace: f64, n: usize, close: f64) -> Option<f64> {
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
pub(super) fn in_block(a: &Assembled, block: &Block) -> (f64, bool) {
    let phi = &block.basis;
    let (n, q) = phi.dim();
    let m = phi.t().dot(&a.matrix.dot(phi));
    // |Φ|ᵗ|S||Φ| bounds the rounding of the two products; its largest row sum bounds its norm.
    let ones = phi.map_axis(Axis(1), |r| r.iter().map(|v| v.abs()).sum::<f64>());
    let mid = a.matrix.map(|v| v.abs()).dot(&ones);
    let sizes = phi.map(|v| v.abs()).t().dot(&mid);
    let size = sizes.iter().fold(0.0, |m: f64, v| m.max(*v)) * (1.0 + gamma(2 * n + q));
    let frobenius: f64 = phi.iter().map(|v| v * v).sum::<f64>() * (1.0 + gamma(n * q));
    with_charge(m, 2.0 * gamma(2 * n + 4) * size + a.error * frobenius, block)
}

/// The same without the matrix `S`, where few pairs have a weight: `SΦ = a (Φ - 1 mᵗ) + Σ w (e_i - e_j)(φ_i - φ_j)ᵗ`.
pub(super) fn in_block_of_few(trace: f64, weights: &[Weight], block: &Block) -> (f64, bool) {
    let phi = &block.basis;
    let (n, q) = phi.dim();
    let zeros = || Array1::zeros(q);
    let sizes = phi.map(|v| v.abs());
    let mut image = (phi - &phi.mean_axis(Axis(0)).unwrap_or_else(zeros)) * trace;
    let mut size = (&sizes + &sizes.mean_axis(Axis(0)).unwrap_or_else(zeros)) * trace.abs();
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
    let mean = phi.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(q));
    let centred = phi - &mean;
    let product = centred.t().dot(&centred) - Array2::<f64>::eye(q);
    let sizes = centred.map(|v| v.abs());
    let rounding = gamma(3 * n + 8) * definite::row_sum(sizes.t().dot(&sizes).view());
    definite::row_sum(product.view()) * (1.0 + gamma(q)) + 2.0 * rounding
}

#[cfg(test)]
mod tests {
    use super::super::dual::CLOSE;
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
