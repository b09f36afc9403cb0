//! The second eigenvalue of a weighted graph Laplacian, with a proof from below.

use ndarray::{Array1, Array2, Axis};

use crate::definite::UNIT;
use crate::sparse::{Inverse, Ldlt, Ordering, Pattern, Singular};

/// How many eigenpairs the second eigenvalue is told with, and how exactly each use needs them, as shares of their size: a shift for a
/// proof ten digits, a direction for points six, one that only says where to go seven. Chosen by trial; not swept.
const TOLD: usize = 4;
const EXACT: f64 = 1e-10;
const BOTTOM: f64 = 1e-13;
const LOWEST: f64 = 1e-7;
/// By how much the matrix is lifted to be definite beside the constant vector, as a share of its largest entry.
const LIFT: f64 = 1e-7;
/// A shift begins this share below the estimate. Each next one is ten times as far below, from `FAR` on half of what is left, until
/// hardly anything is.
const SHORT: f64 = 1e-9;
const FARTHER: f64 = 10.0;
const FAR: f64 = 1e-2;
const MOST: f64 = 0.999;
/// A shift is far enough below where factors lose no more than this many times what it gives away.
const LOST: f64 = 10.0;
/// The border lifts the constant vector to this many shifts: so much may be lost before it says nothing.
const BORDER: f64 = 8.0;

/// `L(w) = Σ_e w_e (e_i - e_j)(e_i - e_j)ᵗ` for the edges of one graph and any weights: analysed once.
#[derive(Debug)]
pub struct Laplacian {
    n: usize,
    edges: Vec<(u32, u32)>,
    places: Vec<[usize; 3]>,
    degrees: Vec<usize>,
    ldlt: Ldlt,
    /// The same with one unknown more, which lifts the constant vector.
    border: Option<Ldlt>,
}

/// What is known about the second eigenvalue: the least on the vectors whose entries sum to zero.
#[derive(Debug, Clone)]
pub struct Second {
    /// What it is by iteration: not below the true one, up to rounding, and usually equal to it.
    pub estimate: f64,
    /// What it certainly is not below, in exact arithmetic: `-∞` if nothing could be proved.
    pub lower: f64,
    /// Approximate eigenvectors of the least eigenvalues in the columns, the least first.
    pub vectors: Array2<f64>,
    /// Their eigenvalues by iteration.
    pub values: Array1<f64>,
}

impl Laplacian {
    /// The Laplacian of a graph with these edges; an edge may stand more than once.
    ///
    /// # Errors
    /// If memory runs out.
    ///
    /// # Panics
    /// If an edge names a vertex that is not below `n`.
    pub fn new(n: usize, edges: &[(u32, u32)]) -> Result<Self, Singular> {
        let pattern = Pattern::of_graph(n, edges);
        let mut degrees = vec![0; n];
        let places = edges
            .iter()
            .map(|&(a, b)| {
                let (i, j) = (a as usize, b as usize);
                degrees[i] += 1;
                degrees[j] += 1;
                let place = |i, j| pattern.place(i, j).expect("every edge is in the pattern");
                [place(i, i), place(j, j), place(i, j)]
            })
            .collect();
        let ldlt = Ldlt::new(pattern, Ordering::MinimumDegree)?;
        Ok(Laplacian { n, edges: edges.to_vec(), places, degrees, ldlt, border: None })
    }

    /// The order in which the vertices are eliminated.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        self.ldlt.order()
    }

    /// The least eigenvalues on the vectors that sum to zero, and `proof` of the first. Weights may be of either sign.
    ///
    /// The estimate is by Lanczos on the inverse. Lanczos only finds eigenvalues that are there, it does not say that
    /// there are none below; so `L - s I` is factored with `s` a hair below the estimate. If it has no negative pivot but
    /// that of the constant vector, all other eigenvalues are at least `s - e`, with `e` a bound on what was lost in
    /// assembling and factoring. Where there is another one, `s` is lowered.
    ///
    /// # Panics
    /// If there are not as many weights as edges.
    pub fn second(&mut self, weights: &[f64], proof: bool) -> Second {
        assert_eq!(weights.len(), self.edges.len(), "one weight for each edge");
        let nothing = Second {
            estimate: f64::NEG_INFINITY,
            lower: f64::NEG_INFINITY,
            vectors: Array2::zeros((self.n, 0)),
            values: Array1::zeros(0),
        };
        if self.n < 2 || weights.iter().any(|w| !w.is_finite()) {
            return nothing;
        }
        let matrix = self.assemble(weights);
        let Some((values, vectors)) = self.least(&matrix, TOLD, EXACT) else { return nothing };
        let estimate = values[0];
        let lower = if proof && estimate > 0.0 { self.prove(&matrix, weights, estimate) } else { f64::NEG_INFINITY };
        Second { estimate, lower, vectors, values }
    }

    /// The eigenvectors of the `count` least eigenvalues on the vectors that sum to zero, in the columns, to about twelve
    /// digits; `None` if the weights make no connected graph.
    ///
    /// # Panics
    /// If there are not as many weights as edges.
    pub fn bottom(&mut self, weights: &[f64], count: usize) -> Option<Array2<f64>> {
        assert_eq!(weights.len(), self.edges.len(), "one weight for each edge");
        let matrix = self.assemble(weights);
        self.least(&matrix, count, BOTTOM).map(|(_, vectors)| vectors)
    }

    /// The `count` least eigenpairs on the vectors that sum to zero, values to about ten digits; weights of either sign.
    /// An estimate, not a proof. `None` if the iteration fails.
    ///
    /// # Panics
    /// If there are not as many weights as edges.
    pub fn lowest(&mut self, weights: &[f64], count: usize) -> Option<(Array1<f64>, Array2<f64>)> {
        assert_eq!(weights.len(), self.edges.len(), "one weight for each edge");
        if self.n < 2 || weights.iter().any(|w| !w.is_finite()) {
            return None;
        }
        let matrix = self.assemble(weights);
        self.least(&matrix, count, LOWEST)
    }

    /// `L(w) X` for the columns of `X`.
    ///
    /// # Panics
    /// If the rows of `x` are not the vertices.
    #[must_use]
    pub fn times(&self, weights: &[f64], x: &Array2<f64>) -> Array2<f64> {
        assert_eq!(x.nrows(), self.n, "one row for each vertex");
        let mut image = Array2::zeros(x.raw_dim());
        for (&(i, j), w) in self.edges.iter().zip(weights) {
            let (i, j) = (i as usize, j as usize);
            for k in 0..x.ncols() {
                let pull = w * (x[(i, k)] - x[(j, k)]);
                image[(i, k)] += pull;
                image[(j, k)] -= pull;
            }
        }
        image
    }

    /// How many numbers the factors of this graph have.
    #[must_use]
    pub fn fill(&self) -> usize {
        self.ldlt.len()
    }

    fn assemble(&self, weights: &[f64]) -> Vec<f64> {
        let mut matrix = vec![0.0; self.ldlt.pattern().len()];
        for (&[ii, jj, ij], &w) in self.places.iter().zip(weights) {
            matrix[ii] += w;
            matrix[jj] += w;
            matrix[ij] -= w;
        }
        matrix
    }

    fn shifted(&self, matrix: &[f64], shift: f64) -> Vec<f64> {
        let mut shifted = matrix.to_vec();
        for i in 0..self.n {
            shifted[self.ldlt.pattern().place(i, i).expect("the diagonal is in the pattern")] += shift;
        }
        shifted
    }

    /// The least eigenpairs on the vectors that sum to zero, by Lanczos on the inverse of the matrix, lifted a little so
    /// that the constant vector can be taken out of an otherwise definite system.
    fn least(&mut self, matrix: &[f64], wanted: usize, tolerance: f64) -> Option<(Array1<f64>, Array2<f64>)> {
        let how = Inverse { lift: LIFT, tolerance };
        let found = self.ldlt.bottom(matrix, wanted.min(self.n - 1), how, |x| *x = centred(x), || true)?;
        Some((found.values, found.vectors))
    }

    fn prove(&mut self, matrix: &[f64], weights: &[f64], estimate: f64) -> f64 {
        let mut best = f64::NEG_INFINITY;
        let mut short = SHORT;
        while short < MOST {
            let s = estimate * (1.0 - short);
            let shifted = self.shifted(matrix, -s);
            let lost = match self.lost_with_border(&shifted, s) {
                Some(lost) => Some(lost),
                None if self.ldlt.factor(&shifted) == Ok(1) => Some(self.ldlt.residual_bound(&shifted, None)),
                None => None,
            };
            if let Some(lost) = lost.map(|l| l + self.assembly_error(weights, s)).filter(|l| l.is_finite()) {
                best = best.max((s - lost) * (1.0 - 2.0 * UNIT));
                // A lower shift can only help where most of what is missing comes from the factors.
                if lost <= LOST * short * estimate {
                    break;
                }
            }
            short = if short < FAR { FARTHER * short } else { 0.5 + 0.5 * short };
        }
        best
    }

    /// What was lost in factoring `A = L - s I`, if it has no negative eigenvalue on the vectors that sum to zero, up to
    /// that loss.
    ///
    /// `A` itself has one negative eigenvalue and, near a multiple `λ₂`, leading parts that are almost singular, where
    /// factors without pivoting grow. So the constant vector is lifted by a border: `[[A, c 1], [c 1ᵗ, -g]]` with
    /// `c² n = g²` has one negative pivot, the border's own, if `A + g 11ᵗ / n` is definite. The border is eliminated before
    /// some vertices spread over the graph: the others, held at those, are definite without it, and these are lifted.
    ///
    /// If some `x` that sums to zero had `xᵗAx ≤ -δ`, then on the plane of `(x, 0)` and `(0, 1)` the bordered matrix
    /// would be at most `-min(δ, g)`, a second negative eigenvalue; so `δ` is at most the loss if that is below `g`.
    fn lost_with_border(&mut self, shifted: &[f64], s: f64) -> Option<f64> {
        let n = self.n;
        let g = BORDER * s;
        let c = g / (n as f64).sqrt();
        let mut values = shifted.to_vec();
        values.extend(std::iter::repeat_n(c, n));
        values.push(-g);
        let border = match &mut self.border {
            Some(border) => border,
            None => {
                let mut edges = self.edges.clone();
                edges.extend((0..n as u32).map(|i| (i, n as u32)));
                let order = with_border(n, &self.edges, &self.ldlt.order());
                self.border.insert(Ldlt::new(Pattern::of_graph(n + 1, &edges), Ordering::Given(&order)).ok()?)
            }
        };
        if border.factor(&values) != Ok(1) {
            return None;
        }
        let mut scale = vec![1.0; n + 1];
        scale[n] = (n as f64).sqrt();
        Some(border.residual_bound(&values, Some(&scale))).filter(|lost| *lost < g)
    }

    /// A bound on the norm of what assembling `L(w) - s I` in floating point got wrong: only the diagonal is a sum.
    fn assembly_error(&self, weights: &[f64], s: f64) -> f64 {
        let mut sums = vec![0.0; self.n];
        for (&(i, j), w) in self.edges.iter().zip(weights) {
            sums[i as usize] += w.abs();
            sums[j as usize] += w.abs();
        }
        // Parallel edges make the places off the diagonal sums too; twice the row covers both.
        let row = |i: usize| (self.degrees[i] + 2) as f64 * 1.01 * UNIT * (2.0 * sums[i] + s);
        (0..self.n).map(row).fold(0.0, f64::max) * (1.0 + 1e-9)
    }
}

/// Up to this many vertices the border is eliminated first of all, which fills the matrix.
const DENSE: usize = 250;

/// The order of elimination with the border, which is number `n`: some vertices spread over the graph come after it.
fn with_border(n: usize, edges: &[(u32, u32)], order: &[usize]) -> Vec<usize> {
    let mut late = vec![n <= DENSE; n];
    if n > DENSE {
        let mut near = vec![Vec::new(); n];
        for &(i, j) in edges {
            near[i as usize].push(j);
            near[j as usize].push(i);
        }
        // Breadth first, so that every so-manieth vertex lies somewhere else.
        let mut reached = Vec::with_capacity(n);
        let mut seen = vec![false; n];
        for start in 0..n {
            if seen[start] {
                continue;
            }
            let mut at = reached.len();
            seen[start] = true;
            reached.push(start);
            while at < reached.len() {
                for &j in &near[reached[at]] {
                    if !std::mem::replace(&mut seen[j as usize], true) {
                        reached.push(j as usize);
                    }
                }
                at += 1;
            }
        }
        let count = 24 + (n as f64).sqrt() as usize / 2;
        (0..count).for_each(|k| late[reached[(2 * k + 1) * n / (2 * count)]] = true);
    }
    let early = order.iter().copied().filter(|&i| !late[i]);
    early.chain(std::iter::once(n)).chain(order.iter().copied().filter(|&i| late[i])).collect()
}

/// The columns less their means.
fn centred(x: &Array2<f64>) -> Array2<f64> {
    let mean = x.mean_axis(Axis(0)).expect("there is at least one row");
    x - &mean
}

#[cfg(test)]
mod tests;
