//! `P A Pᵗ = L D Lᵗ` of a sparse symmetric matrix, without pivoting: analysed once, factored many times. Multifrontal (Duff and
//! Reid 1983): every node of the tree is a small dense matrix, which leaves what its parent has to subtract on a stack.

use super::front::Front;
use super::structure::Structure;
use super::substitute::Substitution;
use super::{Pattern, front};
use crate::simd;

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
    /// Its order of elimination is equivalent to the one that was asked for: the same factors, in another order.
    structure: Structure,
    order: Vec<usize>,
    numbers: Vec<f64>,
    stacks: [Vec<f64>; 2],
    scaled: Vec<f64>,
    sides: Vec<f64>,
}

impl std::fmt::Debug for Ldlt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ldlt({} unknowns, {} numbers)", self.pattern.size(), self.numbers.len())
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
        if let Ordering::Given(order) = ordering {
            assert!(is_permutation(order, pattern.size()), "an order is a permutation");
        }
        let structure = Structure::new(&pattern, ordering);
        let order = match ordering {
            Ordering::MinimumDegree => structure.order.iter().map(|v| *v as usize).collect(),
            Ordering::Given(order) => order.to_vec(),
        };
        let numbers = zeros(structure.len)?;
        let stacks = [zeros(structure.stacks[0])?, zeros(structure.stacks[1])?];
        let scaled = zeros(structure.nodes.iter().map(front::room).max().unwrap_or(0))?;
        Ok(Ldlt { pattern, structure, order, numbers, stacks, scaled, sides: Vec::new() })
    }

    /// The order of elimination: the k-th unknown to go is `order()[k]`.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        self.order.clone()
    }

    /// How many numbers the factors have.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }
    /// Whether they have none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
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
    /// [`Singular`] if a pivot is zero or not finite; there are no factors then, also not the ones from before.
    ///
    /// # Panics
    /// If there are not as many values as places.
    pub fn factor(&mut self, values: &[f64]) -> Result<usize, Singular> {
        assert_eq!(values.len(), self.pattern.len(), "a value for each place");
        let mut negative = 0;
        for k in 0..self.structure.nodes.len() {
            negative += self.factor_node(k, values).ok_or(Singular)?;
        }
        Ok(negative)
    }

    /// Gathers what belongs to a node, from the matrix and from its children, and eliminates its columns.
    fn factor_node(&mut self, k: usize, values: &[f64]) -> Option<usize> {
        let node = &self.structure.nodes[k];
        let (width, height, below) = (node.width, node.height, node.below());
        let block = &mut self.numbers[node.numbers..][..width * height];
        block.fill(0.0);
        for &(k, to) in &self.structure.values[node.values.0..node.values.1] {
            block[to as usize] = values[k as usize];
        }
        let [even, odd] = &mut self.stacks;
        let (own, other) = if node.stack == 0 { (even, &*odd) } else { (odd, &*even) };
        let square = &mut own[node.square..][..below * below];
        let children = &self.structure.children[node.children.0..node.children.1];
        for &child in children {
            let (left, targets, split) = self.structure.left_by(child, width, other);
            front::add(left, targets, 0..split, block, height, 0);
        }
        let front = Front { block, height, width, square: &mut *square, scaled: &mut self.scaled };
        let negative = front.factor()?;
        for &child in children {
            let (left, targets, split) = self.structure.left_by(child, width, other);
            front::add(left, targets, split..targets.len(), square, below, width);
        }
        Some(negative)
    }

    /// Solves `A X = B` with the last matrix that was factored; `b` holds the columns one after the other.
    ///
    /// # Panics
    /// If `b` is not of whole columns.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.pattern.size().max(1);
        assert_eq!(b.len() % n, 0, "whole columns");
        for columns in b.chunks_mut(8 * n) {
            match columns.len() / n {
                0 | 1 => self.solve_few::<1>(columns),
                2 => columns.chunks_mut(n).for_each(|column| self.solve_few::<1>(column)),
                3 | 4 => self.solve_few::<4>(columns),
                _ => self.solve_few::<8>(columns),
            }
        }
    }

    /// Solves for at most `K` columns, side by side.
    fn solve_few<const K: usize>(&mut self, columns: &mut [f64]) {
        let n = self.pattern.size();
        self.sides.resize(8.max(K) * n, 0.0);
        let x = &mut self.sides[..K * n];
        for (c, column) in columns.chunks(n.max(1)).enumerate() {
            for (sides, &v) in x.chunks_exact_mut(K).zip(&self.structure.order) {
                sides[c] = column[v as usize];
            }
        }
        simd::run(Substitution::<K> { structure: &self.structure, numbers: &self.numbers, x });
        for (c, column) in columns.chunks_mut(n.max(1)).enumerate() {
            for (sides, &v) in x.chunks_exact(K).zip(&self.structure.order) {
                column[v as usize] = sides[c];
            }
        }
    }

    /// The factors as plain columns, in the order of elimination: the pivots, and below the diagonal of each column its
    /// rows (rising) and values, without zeros.
    pub(super) fn columns(&self) -> (Vec<f64>, Vec<Vec<(u32, f64)>>) {
        let n = self.pattern.size();
        let mut place = vec![0; n];
        self.order.iter().enumerate().for_each(|(k, &v)| place[v] = k as u32);
        let name: Vec<u32> = self.structure.order.iter().map(|v| place[*v as usize]).collect();
        let (mut pivots, mut columns) = (vec![0.0; n], vec![Vec::new(); n]);
        for node in &self.structure.nodes {
            let rows = &self.structure.rows[node.rows..][..node.height];
            for j in 0..node.width {
                let numbers = &self.numbers[node.numbers + j * node.height..][..node.height];
                let below = rows.iter().zip(numbers).skip(j + 1).filter(|(_, l)| **l != 0.0);
                let mut column: Vec<(u32, f64)> = below.map(|(row, l)| (name[*row as usize], *l)).collect();
                column.sort_unstable_by_key(|(row, _)| *row);
                let k = name[node.first + j] as usize;
                (pivots[k], columns[k]) = (numbers[j], column);
            }
        }
        (pivots, columns)
    }
}

fn is_permutation(order: &[usize], n: usize) -> bool {
    let mut seen = vec![false; n];
    order.len() == n && order.iter().all(|&v| v < n && !std::mem::replace(&mut seen[v], true))
}

fn zeros(len: usize) -> Result<Vec<f64>, Singular> {
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(len).map_err(|_| Singular)?;
    numbers.resize(len, 0.0);
    Ok(numbers)
}
