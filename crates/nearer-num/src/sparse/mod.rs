//! Sparse symmetric matrices: a pattern that many matrices share, their factorisation `L D Lᵗ`, and what it proves.

mod blocks;
mod bottom;
mod degree;
mod edges;
mod elimination;
mod front;
mod graph;
mod ldlt;
mod nodes;
mod residual;
mod structure;
mod substitute;
#[cfg(test)]
mod tests;

pub use blocks::BlockLaplacian;
pub use bottom::{Bottom, Inverse, analysed, sum_of_parts};
pub use edges::{differences, laplacian_times, squared_lengths};
pub use ldlt::{Ldlt, Ordering, Singular};

/// The places of the upper triangle of a symmetric matrix, column by column; every diagonal place is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    n: usize,
    /// Where each column begins in `rows`.
    starts: Vec<usize>,
    /// Rows of the places, rising in each column; the diagonal is the last of its column.
    rows: Vec<usize>,
}

impl Pattern {
    /// The pattern of a graph: the diagonal, and one place for each edge. Edges may repeat and come in any direction.
    ///
    /// # Panics
    /// If an edge names a vertex that is not below `n`.
    #[must_use]
    pub fn of_graph(n: usize, edges: &[(u32, u32)]) -> Self {
        let mut columns: Vec<Vec<usize>> = (0..n).map(|j| vec![j]).collect();
        for &(a, b) in edges {
            let (i, j) = ((a.min(b)) as usize, (a.max(b)) as usize);
            columns[j].push(i);
        }
        let mut starts = Vec::with_capacity(n + 1);
        let mut rows = Vec::new();
        for mut column in columns {
            starts.push(rows.len());
            column.sort_unstable();
            column.dedup();
            rows.extend(column);
        }
        starts.push(rows.len());
        Pattern { n, starts, rows }
    }
    /// The size of the matrix.
    #[must_use]
    pub fn size(&self) -> usize {
        self.n
    }
    /// How many places the pattern has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }
    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// The places of a column, and which of the values they hold.
    pub fn column(&self, j: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        (self.starts[j]..self.starts[j + 1]).map(|k| (self.rows[k], k))
    }
    /// The number of the place `(i, j)`, in either triangle.
    #[must_use]
    pub fn place(&self, i: usize, j: usize) -> Option<usize> {
        let (i, j) = (i.min(j), i.max(j));
        let column = &self.rows[self.starts[j]..self.starts[j + 1]];
        column.binary_search(&i).ok().map(|k| self.starts[j] + k)
    }
    /// The pattern with every vertex replaced by `r` of them, and every place by a full block.
    #[must_use]
    pub fn expanded(&self, r: usize) -> Self {
        let mut starts = Vec::with_capacity(self.n * r + 1);
        let mut rows = Vec::with_capacity(self.rows.len() * r * r);
        for j in 0..self.n {
            for c in 0..r {
                starts.push(rows.len());
                for &i in &self.rows[self.starts[j]..self.starts[j + 1]] {
                    let last = if i == j { c + 1 } else { r };
                    rows.extend((0..last).map(|k| i * r + k));
                }
            }
        }
        starts.push(rows.len());
        Pattern { n: self.n * r, starts, rows }
    }
    pub(crate) fn parts(&self) -> (&[usize], &[usize]) {
        (&self.starts, &self.rows)
    }
}
