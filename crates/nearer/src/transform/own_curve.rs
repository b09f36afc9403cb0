//! Curves of single rows, whose data are compared only within themselves.

use serde::{Deserialize, Serialize};

/// What keeps orders from being fitted by a map that says nothing: `Q^power · L`, `Q` the mean stress of the rows, `L` the mean
/// of `1 + penalty/ν²`, `ν` the coefficient of variation of what a row's data become (Busing, Groenen and Heiser 2005).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OwnCurve {
    /// How much being level costs; `ω` in the literature.
    pub penalty: f64,
    /// How much fit counts beside it; `λ` in the literature.
    pub power: f64,
}

/// The price of being level, relative to one unit of being off: at the minimum over all curves it is `ω Q / (λ L)`, which hangs on it
/// again. Found by repeating, with Aitken's step where three values say where they go.
#[derive(Debug, Clone, Default)]
pub(crate) struct Price {
    now: f64,
    last: Vec<f64>,
}

impl Price {
    /// Beginning with one that was found before.
    pub(crate) fn from(now: f64) -> Self {
        Price { now, last: Vec::new() }
    }
    pub(crate) fn value(&self) -> f64 {
        self.now
    }
    /// Takes what the price should be after curves were fitted at it; whether it is that already.
    pub(crate) fn settled(&mut self, next: f64) -> bool {
        if !self.last.is_empty() && (next - self.now).abs() <= 1e-10 * next {
            return true;
        }
        self.last.push(next);
        self.now = next;
        if let [a, b, c] = *self.last.as_slice() {
            let (first, second) = (b - a, c - b);
            let limit = c + second * second / (first - second);
            if limit.is_finite() && limit > 0.5 * c && limit < 2.0 * c {
                self.now = limit;
            }
            self.last.clear();
            self.last.push(self.now);
        }
        false
    }
}
