//! Graph Laplacians within the span of a few vectors: the same sums as [`crate::laplacian`] and
//! [`crate::sparse::BlockLaplacian`], small and full.

use ndarray::{Array1, Array2, Axis, s};

use crate::definite::UNIT;
use crate::dense::{DidNotConverge, eigh, svd};
use crate::laplacian::Second;
use crate::sparse::{Ldlt, Ordering, Pattern, Singular};

/// The edges of a graph seen from the span of some vectors that sum to zero.
#[derive(Debug)]
pub struct Subspace {
    /// Orthonormal columns.
    basis: Array2<f64>,
    edges: usize,
    /// The difference of the two ends' rows of the basis, for each edge.
    differences: Vec<f64>,
    /// `|QᵗQ - I|` is at most this.
    skew: f64,
}

/// The block matrix of [`Subspace::system`], factored again and again.
#[derive(Debug)]
pub struct SubspaceSystem {
    r: usize,
    values: Array2<f64>,
    ldlt: Ldlt,
}

impl Subspace {
    /// The span of the columns, less their means.
    ///
    /// # Errors
    /// If the columns cannot be taken apart.
    pub fn new(columns: &Array2<f64>, edges: &[(u32, u32)]) -> Result<Self, DidNotConverge> {
        let mean = columns.mean_axis(Axis(0)).unwrap_or_default();
        let parts = svd((columns - &mean).view())?;
        let kept = parts.s.iter().filter(|v| **v > 1e-10 * parts.s[0]).count().max(1);
        let basis = parts.u.slice(s![.., ..kept]).to_owned();
        let differences =
            edges.iter().flat_map(|&(i, j)| (&basis.row(i as usize) - &basis.row(j as usize)).to_vec()).collect();
        let n = basis.nrows() as f64;
        let gram = basis.t().dot(&basis) - Array2::<f64>::eye(kept);
        let sizes = basis.mapv(f64::abs);
        let rounding = (n + 2.0) * 1.01 * UNIT * sizes.t().dot(&sizes);
        let sums = (gram.mapv(f64::abs) + rounding + UNIT).sum_axis(Axis(1));
        let skew = sums.iter().fold(0.0, |a: f64, b| a.max(*b)) * (1.0 + 1e-9);
        Ok(Subspace { basis, edges: edges.len(), differences, skew })
    }

    /// How many vectors span it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.basis.ncols()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The nearest rows of numbers whose columns lie in the span.
    #[must_use]
    pub fn project(&self, points: &Array2<f64>) -> Array2<f64> {
        self.basis.dot(&self.basis.t().dot(points))
    }

    /// A number that the Laplacian with these weights, on the span, is certainly not below relative to the identity; and
    /// the least eigenpairs.
    #[must_use]
    pub fn second(&self, weights: &[f64], proof: bool) -> Second {
        let m = self.len();
        let mut matrix = Array2::<f64>::zeros((m, m));
        let mut rounding = vec![0.0; m];
        for (w, q) in weights.iter().zip(self.differences.chunks_exact(m)) {
            let size: f64 = q.iter().map(|v| v.abs()).sum();
            for k in 0..m {
                let scaled = w * q[k];
                rounding[k] += scaled.abs() * size;
                (0..=k).for_each(|l| matrix[(k, l)] += scaled * q[l]);
            }
        }
        for k in 0..m {
            (k + 1..m).for_each(|l| matrix[(k, l)] = matrix[(l, k)]);
        }
        let Ok((values, vectors)) = eigh(matrix.view()) else {
            let none = f64::NEG_INFINITY;
            return Second { estimate: none, lower: none, vectors: Array2::zeros((0, 0)), values: Array1::zeros(0) };
        };
        let least: Vec<usize> = (0..m).rev().take(4).collect();
        let estimate = values[m - 1];
        let assembly = rounding.iter().fold(0.0, |a: f64, b| a.max(*b)) * (self.edges + 6) as f64 * 1.01 * UNIT;
        let lower = if proof && estimate > 0.0 {
            let proved = prove(&matrix, estimate) - assembly * (1.0 + 1e-9);
            if proved > 0.0 { proved / (1.0 + self.skew) * (1.0 - 4.0 * UNIT) } else { f64::NEG_INFINITY }
        } else {
            f64::NEG_INFINITY
        };
        let vectors = self.basis.dot(&vectors.select(Axis(1), &least));
        Second { estimate, lower, vectors, values: values.select(Axis(0), &least) }
    }

    /// A block matrix for `r` numbers a vertex.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn system(&self, r: usize) -> Result<SubspaceSystem, Singular> {
        let size = self.len() * r;
        let ldlt = Ldlt::new(full(size), Ordering::MinimumDegree)?;
        Ok(SubspaceSystem { r, values: Array2::zeros((size, size)), ldlt })
    }

    /// Assembles `Qᵗ (Σ_e (e_i - e_j)(e_i - e_j)ᵗ ⊗ (a_e I + b_e u_e u_eᵗ)) Q`.
    pub fn assemble(&self, system: &mut SubspaceSystem, a: &[f64], b: &[f64], u: &[f64]) {
        let (m, r) = (self.len(), system.r);
        system.values.fill(0.0);
        let values = system.values.as_slice_mut().expect("a fresh matrix is in order");
        let mut block = vec![0.0; r * r];
        for (e, q) in self.differences.chunks_exact(m).enumerate() {
            let u = &u[e * r..(e + 1) * r];
            for c in 0..r {
                for k in 0..r {
                    block[c * r + k] = b[e] * u[c] * u[k];
                }
                block[c * r + c] += a[e];
            }
            for k in 0..m {
                for c in 0..r {
                    let row = &mut values[(k * r + c) * m * r..][..(k + 1) * r];
                    let own = &block[c * r..(c + 1) * r];
                    for (cells, ql) in row.chunks_exact_mut(r).zip(q) {
                        let by = q[k] * ql;
                        cells.iter_mut().zip(own).for_each(|(v, b)| *v += by * b);
                    }
                }
            }
        }
    }

    /// Solves within the span: `b` holds `r` numbers a vertex.
    pub fn solve(&self, system: &mut SubspaceSystem, b: &mut [f64]) {
        let (n, m, r) = (self.basis.nrows(), self.len(), system.r);
        let right = Array2::from_shape_vec((n, r), b.to_vec()).expect("r numbers a vertex");
        let mut small: Vec<f64> = self.basis.t().dot(&right).iter().copied().collect();
        system.ldlt.solve(&mut small);
        let small = Array2::from_shape_vec((m, r), small).expect("as many as went in");
        b.iter_mut().zip(self.basis.dot(&small).iter()).for_each(|(b, v)| *b = *v);
    }
}

impl SubspaceSystem {
    /// Factors with this shift on the diagonal; the number of negative pivots.
    ///
    /// # Errors
    /// [`Singular`] if a pivot vanishes.
    pub fn factor(&mut self, shift: f64) -> Result<usize, Singular> {
        let n = self.values.nrows();
        let mut upper = Vec::with_capacity(n * (n + 1) / 2);
        for j in 0..n {
            upper.extend((0..=j).map(|i| self.values[(j, i)] + if i == j { shift } else { 0.0 }));
        }
        self.ldlt.factor(&upper)
    }
}

/// What the least eigenvalue of a full matrix is certainly not below.
fn prove(matrix: &Array2<f64>, estimate: f64) -> f64 {
    let n = matrix.nrows();
    let Ok(mut ldlt) = Ldlt::new(full(n), Ordering::MinimumDegree) else { return f64::NEG_INFINITY };
    let mut short = 1e-12;
    while short < 0.1 {
        let s = estimate * (1.0 - short);
        let mut upper = Vec::with_capacity(n * (n + 1) / 2);
        for j in 0..n {
            upper.extend((0..=j).map(|i| matrix[(i, j)] - if i == j { s } else { 0.0 }));
        }
        if ldlt.factor(&upper) == Ok(0) {
            let largest = (0..n).map(|i| matrix[(i, i)].abs() + s).fold(0.0, f64::max);
            let lost = ldlt.residual_bound(&upper, None) + 2.0 * UNIT * largest;
            return if lost.is_finite() { (s - lost) * (1.0 - 2.0 * UNIT) } else { f64::NEG_INFINITY };
        }
        short *= 10.0;
    }
    f64::NEG_INFINITY
}

fn full(n: usize) -> Pattern {
    let all: Vec<(u32, u32)> = (0..n as u32).flat_map(|i| (i + 1..n as u32).map(move |j| (i, j))).collect();
    Pattern::of_graph(n, &all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laplacian::Laplacian;
    use crate::rng::Rng;

    /// With as many vectors as there are dimensions the restriction is none.
    #[test]
    fn the_whole_space_is_no_restriction() {
        let n = 12;
        let mut rng = Rng::task(1, 1);
        let edges: Vec<(u32, u32)> = (1..n as u32).map(|k| (rng.below(k as usize) as u32, k)).collect();
        let weights: Vec<f64> = edges.iter().map(|_| 0.5 + rng.uniform()).collect();
        let all = Subspace::new(&Array2::from_shape_fn((n, n - 1), |_| rng.normal()), &edges).unwrap();
        let (a, b) = (all.second(&weights, true), Laplacian::new(n, &edges).unwrap().second(&weights, true));
        assert!((a.estimate - b.estimate).abs() < 1e-9 * b.estimate, "{a:?} {b:?}");
        assert!(a.lower <= b.estimate && a.lower > b.estimate * (1.0 - 1e-9), "{a:?}");
    }

    #[test]
    fn the_system_is_the_projected_sum() {
        let (n, r) = (9, 2);
        let mut rng = Rng::task(2, 1);
        let edges: Vec<(u32, u32)> = (1..n as u32).map(|k| (k - 1, k)).collect();
        let m = edges.len();
        let (a, b): (Vec<f64>, Vec<f64>) = (0..m).map(|_| (rng.uniform(), rng.uniform())).unzip();
        let u: Vec<f64> = (0..m * r).map(|_| rng.normal()).collect();
        let within = Subspace::new(&Array2::from_shape_fn((n, 4), |_| rng.normal()), &edges).unwrap();
        let mut system = within.system(r).unwrap();
        within.assemble(&mut system, &a, &b, &u);
        assert_eq!(system.factor(0.5), Ok(0));
        // The whole sum applied to a vector of the span, and back.
        let z = Array2::from_shape_fn((within.len(), r), |_| rng.normal());
        let x = within.basis.dot(&z);
        let mut image = &x * 0.5;
        for (e, &(i, j)) in edges.iter().enumerate() {
            let (i, j) = (i as usize, j as usize);
            let difference = &x.row(i) - &x.row(j);
            let along: f64 = difference.iter().zip(&u[e * r..]).map(|(a, b)| a * b).sum();
            for c in 0..r {
                let pull = a[e] * difference[c] + b[e] * along * u[e * r + c];
                image[(i, c)] += pull;
                image[(j, c)] -= pull;
            }
        }
        let mut back: Vec<f64> = image.iter().copied().collect();
        within.solve(&mut system, &mut back);
        assert!(back.iter().zip(x.iter()).all(|(a, b)| (a - b).abs() < 1e-10), "{back:?} {x}");
    }
}
