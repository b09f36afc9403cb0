//! Rows that are linear in squared distances.

/// A row without a number `b`.
pub const NONE: u32 = u32::MAX;

/// Rows in the order of their entries: row `t` has the entries `start[t] .. start[t + 1]`.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Where the entries of a row begin; one more than there are rows.
    pub start: Vec<u32>,
    /// The pair of an entry.
    pub pair: Vec<u32>,
    /// Its coefficient `A_tp`.
    pub coefficient: Vec<f64>,
    /// Which `b` a row has, or [`NONE`]; empty where no row has one.
    pub extra: Vec<u32>,
    /// Its coefficient `B_t`; empty where no row has one.
    pub extra_coefficient: Vec<f64>,
    /// The constants `e_t`.
    pub constant: Vec<f64>,
    /// Least multipliers.
    pub low: Vec<f64>,
    /// Largest multipliers.
    pub high: Vec<f64>,
}

impl Rows {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.constant.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.constant.is_empty()
    }
    /// The entries of a row.
    pub fn entries(&self, t: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.start[t] as usize..self.start[t + 1] as usize;
        self.pair[range.clone()].iter().copied().zip(self.coefficient[range].iter().copied())
    }
    /// Adds a row.
    pub fn push(&mut self, entries: &[(u32, f64)], constant: f64, low: f64, high: f64) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        for &(pair, coefficient) in entries {
            self.pair.push(pair);
            self.coefficient.push(coefficient);
        }
        self.start.push(self.pair.len() as u32);
        self.constant.push(constant);
        self.low.push(low);
        self.high.push(high);
    }
    /// Adds a row with a multiple of one of the `b`; all rows of a set have one or none.
    pub fn push_with(&mut self, entries: &[(u32, f64)], extra: (u32, f64), constant: f64, low: f64, high: f64) {
        self.push(entries, constant, low, high);
        self.extra.push(extra.0);
        self.extra_coefficient.push(extra.1);
    }
    /// The residual of a row.
    #[inline]
    #[must_use]
    pub fn residual(&self, t: usize, d: &[f64], b: &[f64]) -> f64 {
        let mut r = self.constant[t];
        for e in self.start[t] as usize..self.start[t + 1] as usize {
            r += self.coefficient[e] * d[self.pair[e] as usize];
        }
        if !self.extra.is_empty() && self.extra[t] != NONE {
            r += self.extra_coefficient[t] * b[self.extra[t] as usize];
        }
        r
    }
}
