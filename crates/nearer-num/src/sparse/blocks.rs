//! Laplacians whose weights are small matrices: `a I + b u uᵗ` on each edge.

use super::{Ldlt, Ordering, Pattern, Singular};

/// `Σ_e (e_i - e_j)(e_i - e_j)ᵗ ⊗ (a_e I + b_e u_e u_eᵗ) + shift I` for the edges of a graph, with blocks of `r x r`:
/// assembled into one pattern and factored again and again.
#[derive(Debug)]
pub struct BlockLaplacian {
    n: usize,
    r: usize,
    edges: Vec<(u32, u32)>,
    /// For each edge the first value of the block's first column, and how many values lie between its columns.
    places: Vec<(usize, usize)>,
    /// For each vertex the first value of each column of its own block, `r` a vertex.
    diagonals: Vec<usize>,
    values: Vec<f64>,
    ldlt: Ldlt,
}

impl BlockLaplacian {
    /// The graph, with its vertices eliminated in this order. An edge may stand only once.
    ///
    /// # Errors
    /// If memory runs out.
    ///
    /// # Panics
    /// If the order is no permutation of the vertices, or an edge joins a vertex to itself.
    pub fn new(n: usize, r: usize, edges: &[(u32, u32)], order: &[usize]) -> Result<Self, Singular> {
        let graph = Pattern::of_graph(n, edges);
        let pattern = graph.expanded(r);
        let order: Vec<usize> = order.iter().flat_map(|&i| (0..r).map(move |k| i * r + k)).collect();
        let places = edges
            .iter()
            .map(|&(a, b)| {
                assert_ne!(a, b, "an edge joins two vertices");
                let (i, j) = (a.min(b) as usize, a.max(b) as usize);
                let place = |c: usize| pattern.place(i * r, j * r + c).expect("the edge is in the pattern");
                let first = place(0);
                (first, if r > 1 { place(1) - first } else { 0 })
            })
            .collect();
        let diagonals =
            (0..n * r).map(|k| pattern.place(k - k % r, k).expect("every diagonal block is in the pattern")).collect();
        let values = vec![0.0; pattern.len()];
        let ldlt = Ldlt::new(pattern, Ordering::Given(&order))?;
        Ok(BlockLaplacian { n, r, edges: edges.to_vec(), places, diagonals, values, ldlt })
    }

    /// Assembles the matrix; `u` holds `r` numbers an edge. [`factor`](Self::factor) adds the shift.
    pub fn assemble(&mut self, a: &[f64], b: &[f64], u: &[f64]) {
        let r = self.r;
        self.values.fill(0.0);
        let mut block = vec![0.0; r * r];
        for (e, &(i, j)) in self.edges.iter().enumerate() {
            let u = &u[e * r..(e + 1) * r];
            for c in 0..r {
                for k in 0..r {
                    block[c * r + k] = b[e] * u[c] * u[k];
                }
                block[c * r + c] += a[e];
            }
            // The columns of the last vertex grow by one place each on the diagonal block only, so the stride of an
            // off-diagonal block grows too.
            let (first, stride) = self.places[e];
            let mut at = first;
            for c in 0..r {
                for k in 0..r {
                    self.values[at + k] -= block[c * r + k];
                }
                at += stride + c;
                for vertex in [i as usize, j as usize] {
                    let start = self.diagonals[vertex * r + c];
                    for k in 0..=c {
                        self.values[start + k] += block[c * r + k];
                    }
                }
            }
        }
    }

    /// Factors the assembled matrix with this shift on the diagonal; the number of negative pivots.
    ///
    /// # Errors
    /// [`Singular`] if a pivot vanishes.
    pub fn factor(&mut self, shift: f64) -> Result<usize, Singular> {
        let mut shifted = self.values.clone();
        for k in 0..self.n * self.r {
            shifted[self.diagonals[k] + k % self.r] += shift;
        }
        self.ldlt.factor(&shifted)
    }

    /// Solves with the last factors; `b` holds `r` numbers a vertex.
    pub fn solve(&mut self, b: &mut [f64]) {
        self.ldlt.solve(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::eigvalsh;
    use crate::rng::Rng;
    use ndarray::Array2;

    #[test]
    fn it_is_the_sum_it_says() {
        for (n, r) in [(2, 1), (6, 2), (9, 3), (25, 4)] {
            let mut rng = Rng::task(3, (n * r) as u64);
            let mut edges: Vec<(u32, u32)> = (1..n as u32).map(|k| (k, rng.below(k as usize) as u32)).collect();
            edges.extend((3..n as u32).map(|k| (k - 3, k)));
            edges.iter_mut().for_each(|e| *e = (e.0.min(e.1), e.0.max(e.1)));
            edges.sort_unstable();
            edges.dedup();
            let m = edges.len();
            let a: Vec<f64> = (0..m).map(|_| rng.uniform()).collect();
            let b: Vec<f64> = (0..m).map(|_| rng.uniform()).collect();
            let u: Vec<f64> = (0..m * r).map(|_| rng.normal()).collect();
            let mut dense = Array2::<f64>::eye(n * r) * -0.3;
            for (e, &(i, j)) in edges.iter().enumerate() {
                for c in 0..r {
                    for k in 0..r {
                        let v = b[e] * u[e * r + c] * u[e * r + k] + if c == k { a[e] } else { 0.0 };
                        let (i, j) = (i as usize * r, j as usize * r);
                        dense[(i + c, i + k)] += v;
                        dense[(j + c, j + k)] += v;
                        dense[(i + c, j + k)] -= v;
                        dense[(j + c, i + k)] -= v;
                    }
                }
            }
            let order: Vec<usize> = (0..n).rev().collect();
            let mut blocks = BlockLaplacian::new(n, r, &edges, &order).unwrap();
            blocks.assemble(&a, &b, &u);
            let negative = blocks.factor(-0.3).unwrap();
            let expected = eigvalsh(dense.view()).unwrap().iter().filter(|v| **v < 0.0).count();
            assert_eq!(negative, expected);
            let x: Vec<f64> = (0..n * r).map(|_| rng.normal()).collect();
            let mut y = dense.dot(&ndarray::Array1::from(x.clone())).to_vec();
            blocks.solve(&mut y);
            assert!(x.iter().zip(&y).all(|(a, b)| (a - b).abs() < 1e-9), "n = {n}, r = {r}");
        }
    }
}
