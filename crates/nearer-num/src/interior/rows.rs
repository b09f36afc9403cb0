//! Sparse rows: products with vectors, and their weighted normal matrix.

/// Rows in compressed form; row `t` has the entries `start[t] .. start[t + 1]`.
#[derive(Debug, Clone)]
pub struct SparseRows {
    start: Vec<usize>,
    column: Vec<u32>,
    value: Vec<f64>,
}

impl Default for SparseRows {
    fn default() -> Self {
        SparseRows { start: vec![0], column: Vec::new(), value: Vec::new() }
    }
}

impl SparseRows {
    /// Adds a row; entries in the same column are added up.
    pub fn push(&mut self, entries: &mut [(u32, f64)]) {
        entries.sort_unstable_by_key(|e| e.0);
        let from = self.column.len();
        for &(column, value) in entries.iter() {
            if self.column.len() > from && self.column.last() == Some(&column) {
                *self.value.last_mut().expect("as long as the columns") += value;
            } else {
                self.column.push(column);
                self.value.push(value);
            }
        }
        self.start.push(self.column.len());
    }
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The columns and values of a row, columns rising.
    #[must_use]
    pub fn row(&self, t: usize) -> (&[u32], &[f64]) {
        let range = self.start[t]..self.start[t + 1];
        (&self.column[range.clone()], &self.value[range])
    }
    /// `out = J x`.
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        for (t, out) in out.iter_mut().enumerate() {
            let (columns, values) = self.row(t);
            *out = columns.iter().zip(values).map(|(c, v)| v * x[*c as usize]).sum();
        }
    }
    /// `out += Jᵗ y`.
    pub fn add_transposed(&self, y: &[f64], out: &mut [f64]) {
        for (t, y) in y.iter().enumerate() {
            let (columns, values) = self.row(t);
            for (c, v) in columns.iter().zip(values) {
                out[*c as usize] += v * y;
            }
        }
    }
    /// `m += Jᵗ diag(θ) J`, the lower triangle of a square of `n` columns stored one after another.
    pub fn add_normal(&self, theta: &[f64], m: &mut [f64], n: usize) {
        for (t, theta) in theta.iter().enumerate() {
            let (columns, values) = self.row(t);
            for (k, (c, v)) in columns.iter().zip(values).enumerate() {
                let weight = theta * v;
                let column = &mut m[*c as usize * n..][..n];
                for (d, w) in columns[k..].iter().zip(&values[k..]) {
                    column[*d as usize] += weight * w;
                }
            }
        }
    }
}
