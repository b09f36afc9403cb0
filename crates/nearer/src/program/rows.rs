//! Rows of a program: linear in squared distances, each with the interval its multiplier may take.

use crate::error::Error;

/// Where the multiplier of a row may lie. It is the whole meaning of the row: its term in the objective is
/// `φ(r) = max v r` over the interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Least.
    pub low: f64,
    /// Largest.
    pub high: f64,
}

impl Interval {
    /// `r ≤ 0` must hold: `[0, ∞)`.
    pub const HARD: Interval = Interval { low: 0.0, high: f64::INFINITY };
    /// `r = 0` must hold: `(-∞, ∞)`.
    pub const EQUAL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// `r > 0` costs `weight · r`: `[0, weight]`.
    #[must_use]
    pub fn hinge(weight: f64) -> Self {
        Interval { low: 0.0, high: weight }
    }
    /// `weight · |r|` is paid: `[-weight, weight]`.
    #[must_use]
    pub fn absolute(weight: f64) -> Self {
        Interval { low: -weight, high: weight }
    }
    /// Whether the row must hold, rather than be paid for.
    #[must_use]
    pub fn is_hard(&self) -> bool {
        self.low.is_infinite() || self.high.is_infinite()
    }
    /// Whether the row must hold from both sides.
    #[must_use]
    pub fn is_equality(&self) -> bool {
        self.low.is_infinite() && self.high.is_infinite()
    }
    /// By how much a residual breaks the row, if it must hold.
    #[must_use]
    pub fn violation(&self, r: f64) -> f64 {
        let over = if self.high.is_infinite() { r.max(0.0) } else { 0.0 };
        let under = if self.low.is_infinite() { (-r).max(0.0) } else { 0.0 };
        over.max(under)
    }
    /// `max v r - κ v²/2` over the finite part of the interval: what is paid for the residual, hard sides aside.
    #[must_use]
    pub fn price(&self, r: f64, curvature: f64) -> f64 {
        let v = self.best(r, curvature);
        v * r - 0.5 * curvature * v * v
    }
    /// The multiplier behind [`price`](Interval::price).
    #[must_use]
    pub fn best(&self, r: f64, curvature: f64) -> f64 {
        if curvature > 0.0 {
            return (r / curvature).clamp(self.low, self.high);
        }
        let v = if r > 0.0 { self.high } else { self.low };
        if v.is_finite() { v } else { 0.0 }
    }
}

/// Rows that must hold and those that are paid for, in one list.
pub(crate) type Rows = nearer_num::augmented::Rows;

/// The interval of a row.
pub(crate) fn interval(rows: &Rows, t: usize) -> Interval {
    Interval { low: rows.low[t], high: rows.high[t] }
}

/// Refuses what no solver can work with.
pub(crate) fn checked(rows: &Rows) -> Result<(), Error> {
    for t in 0..rows.len() {
        let bad = |what: String| Error::Evidence {
            what: format!("row {}: {what}", t + 1),
            remedy: "rows have finite coefficients and a multiplier interval that holds a number".into(),
        };
        // Constants are margins and squares of distances.
        if !rows.constant[t].is_finite() {
            return Err(too_large());
        }
        if rows.entries(t).any(|(_, a)| !a.is_finite()) {
            return Err(bad("a coefficient is not a finite number".into()));
        }
        let (low, high) = (rows.low[t], rows.high[t]);
        if low.is_nan() || high.is_nan() || low > high {
            return Err(bad(format!("the multiplier would lie from {low} to {high}")));
        }
    }
    Ok(())
}

/// What is refused where numbers are too large to be squared and added up.
pub(crate) fn too_large() -> Error {
    Error::Evidence {
        what: "distances, margins or weights are too large to be squared and added up".into(),
        remedy: "divide all of them by the same number: the map only changes in size".into(),
    }
}
