//! `P A Pᵗ = L D Lᵗ` of a sparse symmetric matrix, without pivoting: analysed once, factored many times.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky, supernodal::SupernodalLdltRef,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};

use super::Pattern;

/// In which order the unknowns are eliminated.
#[derive(Debug, Clone, Copy)]
pub enum Ordering<'a> {
    /// Approximate minimum degree.
    MinimumDegree,
    /// This one: the k-th unknown to go is `order[k]`.
    Given(&'a [usize]),
}

/// A pivot was zero or not finite: there are no such factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Singular;

/// The factors of one matrix of a pattern; the next matrix of the pattern takes their place.
pub struct Ldlt {
    pub(super) pattern: Pattern,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    memory: MemBuffer,
}

impl std::fmt::Debug for Ldlt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ldlt({} unknowns, {} numbers)", self.pattern.size(), self.values.len())
    }
}

impl Ldlt {
    /// Analyses a pattern. Nothing is factored yet.
    ///
    /// # Errors
    /// If memory runs out.
    ///
    /// # Panics
    /// If a given order is no permutation.
    pub fn new(pattern: Pattern, ordering: Ordering<'_>) -> Result<Self, Singular> {
        let n = pattern.size();
        let (starts, rows) = pattern.parts();
        let places = SymbolicSparseColMatRef::new_checked(n, n, starts, None, rows);
        let inverse: Vec<usize>;
        let order = match ordering {
            Ordering::MinimumDegree => SymmetricOrdering::Amd,
            Ordering::Given(order) => {
                let mut place = vec![0; n];
                order.iter().enumerate().for_each(|(k, &i)| place[i] = k);
                inverse = place;
                SymmetricOrdering::Custom(PermRef::new_checked(order, &inverse, n))
            }
        };
        let symbolic = factorize_symbolic_cholesky(places, Side::Upper, order, CholeskySymbolicParams::default())
            .map_err(|_| Singular)?;
        let scratch = symbolic
            .factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(8, Par::Seq));
        let memory = MemBuffer::try_new(scratch).map_err(|_| Singular)?;
        let values = vec![0.0; symbolic.len_val()];
        Ok(Ldlt { pattern, symbolic, values, memory })
    }

    /// The order of elimination: the k-th unknown to go is `order()[k]`.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        match self.symbolic.perm() {
            Some(perm) => perm.arrays().0.to_vec(),
            None => (0..self.pattern.size()).collect(),
        }
    }

    /// How many numbers the factors have.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }
    /// Whether they have none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The pattern of the matrices.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Factors the matrix whose upper triangle has these values in the places of the pattern, and gives the number of
    /// negative pivots, which is that of the negative eigenvalues of `L D Lᵗ`.
    ///
    /// # Errors
    /// [`Singular`] if a pivot is zero or not finite.
    ///
    /// # Panics
    /// If there are not as many values as places.
    pub fn factor(&mut self, values: &[f64]) -> Result<usize, Singular> {
        let n = self.pattern.size();
        let (starts, rows) = self.pattern.parts();
        let places = SymbolicSparseColMatRef::new_checked(n, n, starts, None, rows);
        let matrix = SparseColMatRef::new(places, values);
        self.symbolic
            .factorize_numeric_ldlt(
                &mut self.values,
                matrix,
                Side::Upper,
                LdltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.memory),
                Spec::default(),
            )
            .map_err(|_| Singular)?;
        let mut negative = 0;
        let mut usable = true;
        self.each_pivot(|d| {
            negative += usize::from(d < 0.0);
            usable &= d != 0.0 && d.is_finite();
        });
        if usable { Ok(negative) } else { Err(Singular) }
    }

    /// Solves `A X = B` with the last matrix that was factored; `b` holds the columns one after the other.
    ///
    /// # Panics
    /// If `b` is not of whole columns.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.pattern.size();
        assert_eq!(b.len() % n.max(1), 0, "whole columns");
        let factors = LdltRef::new(&self.symbolic, &self.values);
        for columns in b.chunks_mut(8 * n.max(1)) {
            let width = columns.len() / n;
            let right = MatMut::from_column_major_slice_mut(columns, n, width);
            factors.solve_in_place_with_conj(Conj::No, right, Par::Seq, MemStack::new(&mut self.memory));
        }
    }

    fn each_pivot(&self, mut see: impl FnMut(f64)) {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(s) => {
                s.col_ptr()[..self.pattern.size()].iter().for_each(|&first| see(self.values[first]));
            }
            SymbolicCholeskyRaw::Supernodal(s) => {
                let factors = SupernodalLdltRef::new(s, &self.values);
                for k in 0..s.n_supernodes() {
                    let block = factors.supernode(k).val();
                    (0..block.ncols()).for_each(|j| see(block[(j, j)]));
                }
            }
        }
    }

    /// The factors as plain columns, in the order of elimination: the pivots, and below the diagonal of each column its
    /// rows (rising) and values.
    pub(super) fn columns(&self) -> (Vec<f64>, Vec<Vec<(u32, f64)>>) {
        let n = self.pattern.size();
        let (mut pivots, mut columns) = (Vec::with_capacity(n), Vec::with_capacity(n));
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(s) => {
                for j in 0..n {
                    let range = s.col_ptr()[j]..s.col_ptr()[j + 1];
                    pivots.push(self.values[range.start]);
                    let mut below: Vec<(u32, f64)> =
                        range.skip(1).map(|k| (s.row_idx()[k] as u32, self.values[k])).collect();
                    below.sort_unstable_by_key(|(i, _)| *i);
                    columns.push(below);
                }
            }
            SymbolicCholeskyRaw::Supernodal(s) => {
                let factors = SupernodalLdltRef::new(s, &self.values);
                for k in 0..s.n_supernodes() {
                    let node = factors.supernode(k);
                    let (block, start, pattern) = (node.val(), node.start(), node.pattern());
                    let width = block.ncols();
                    for j in 0..width {
                        pivots.push(block[(j, j)]);
                        let inside = (j + 1..width).map(|i| ((start + i) as u32, block[(i, j)]));
                        let below = pattern.iter().enumerate().map(|(i, &row)| (row as u32, block[(width + i, j)]));
                        columns.push(inside.chain(below).collect());
                    }
                }
            }
        }
        (pivots, columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::eigvalsh;
    use crate::rng::Rng;
    use ndarray::Array2;

    pub(crate) fn random(n: usize, seed: u64) -> (Pattern, Vec<f64>, Array2<f64>) {
        let mut rng = Rng::task(seed, n as u64);
        let edges: Vec<(u32, u32)> =
            (0..3 * n).map(|_| (rng.below(n) as u32, rng.below(n) as u32)).filter(|(a, b)| a != b).collect();
        let pattern = Pattern::of_graph(n, &edges);
        let mut values = vec![0.0; pattern.len()];
        let mut dense = Array2::zeros((n, n));
        for j in 0..n {
            for (i, k) in pattern.column(j) {
                values[k] = if i == j { 3.0 * rng.normal() } else { rng.normal() };
                dense[(i, j)] = values[k];
                dense[(j, i)] = values[k];
            }
        }
        (pattern, values, dense)
    }

    #[test]
    fn negative_pivots_are_negative_eigenvalues_and_systems_are_solved() {
        for (n, seed) in [(1, 1), (5, 2), (40, 3), (40, 4), (300, 5)] {
            let (pattern, values, dense) = random(n, seed);
            let order: Vec<usize> = (0..n).rev().collect();
            for ordering in [Ordering::MinimumDegree, Ordering::Given(&order)] {
                let mut ldlt = Ldlt::new(pattern.clone(), ordering).unwrap();
                let negative = ldlt.factor(&values).unwrap();
                let expected = eigvalsh(dense.view()).unwrap().iter().filter(|v| **v < 0.0).count();
                assert_eq!(negative, expected, "n = {n}");
                let x = Array2::from_shape_fn((n, 3), |(i, j)| (i as f64 - 3.0) * (j as f64 + 1.0));
                let mut b: Vec<f64> = dense.dot(&x).t().iter().copied().collect();
                ldlt.solve(&mut b);
                let off = b.iter().zip(x.t().iter()).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
                assert!(off < 1e-6 * n as f64, "n = {n}: {off}");
            }
        }
    }

    #[test]
    fn a_zero_pivot_is_said() {
        let pattern = Pattern::of_graph(2, &[(0, 1)]);
        let mut ldlt = Ldlt::new(pattern, Ordering::MinimumDegree).unwrap();
        assert_eq!(ldlt.factor(&[0.0, 1.0, 0.0]), Err(Singular));
        assert_eq!(ldlt.factor(&[1.0, 0.0, -1.0]), Ok(1));
    }
}
