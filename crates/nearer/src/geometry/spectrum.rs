//! The eigenvalues behind a map: what each dimension carries, and how far the data are from Euclidean.

use serde::{Deserialize, Serialize};

/// Eigenvalues of the centred inner-product matrix, and what follows from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// The eigenvalues that were computed, largest first: all of them, or the leading ones; the least first where these make the map.
    pub eigenvalues: Vec<f64>,
    /// Whether all eigenvalues are listed.
    pub complete: bool,
    /// Sum of all eigenvalues (the trace; it needs no eigenvalue to be known).
    pub trace: f64,
    /// Sum of the absolute values of all eigenvalues, where they are all known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub absolute: Option<f64>,
    /// How many eigenvalues are negative beyond rounding, where all are known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub negative: Option<usize>,
    /// The least eigenvalue, where known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub least: Option<f64>,
    /// Where not all are known: a negative number that the least eigenvalue is certainly not above. Absent where none was met,
    /// which proves nothing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at_most: Option<f64>,
    /// How many leading dimensions carry 95 % of the positive part, where all are known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dims95: Option<usize>,
}

impl Spectrum {
    /// From all eigenvalues, largest first.
    #[must_use]
    pub fn complete(eigenvalues: Vec<f64>) -> Self {
        let largest = eigenvalues.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        // R's cmdscale counts likewise: below this an eigenvalue is rounding, not evidence.
        let rounding = 1e-12 * largest * eigenvalues.len() as f64;
        let positive: f64 = eigenvalues.iter().filter(|v| **v > 0.0).sum();
        let mut running = 0.0;
        let dims95 = eigenvalues
            .iter()
            .position(|v| {
                running += v.max(0.0);
                running >= 0.95 * positive
            })
            .map_or(0, |k| k + 1);
        Spectrum {
            trace: eigenvalues.iter().sum(),
            absolute: Some(eigenvalues.iter().map(|v| v.abs()).sum()),
            negative: Some(eigenvalues.iter().filter(|v| **v < -rounding).count()),
            least: eigenvalues.last().copied(),
            at_most: None,
            dims95: Some(dims95),
            eigenvalues,
            complete: true,
        }
    }

    /// From the leading eigenvalues, the trace, and any number that the least eigenvalue is not above.
    #[must_use]
    pub fn leading(eigenvalues: Vec<f64>, trace: f64, at_most: f64) -> Self {
        let largest = eigenvalues.first().copied().unwrap_or_default().abs();
        // Rounding of a Rayleigh quotient is far below this.
        let negative = at_most < -1e-10 * largest;
        Spectrum {
            eigenvalues,
            complete: false,
            trace,
            absolute: None,
            negative: None,
            least: None,
            at_most: negative.then_some(at_most),
            dims95: None,
        }
    }

    /// The share of the first `p` eigenvalues in the sum of all, where not all are known: it needs the trace alone. Negative
    /// eigenvalues lower the sum. None where [`rises`](Spectrum::rises).
    #[must_use]
    pub fn share(&self, p: usize) -> Option<f64> {
        let kept: f64 = self.eigenvalues.iter().take(p).sum();
        (!self.complete && self.trace > 0.0 && !self.rises()).then(|| kept / self.trace)
    }

    /// Whether the least eigenvalues come first: they are what a map costs, not what it carries.
    #[must_use]
    pub fn rises(&self) -> bool {
        matches!((self.eigenvalues.first(), self.eigenvalues.last()), (Some(a), Some(b)) if a < b)
    }

    /// R's two goodness-of-fit figures of a `p`-dimensional map: the sum of the first `p` eigenvalues over the sum of
    /// the absolute values, and over the sum of the positive ones. They need the whole spectrum, and one that is not all zero.
    #[must_use]
    pub fn goodness(&self, p: usize) -> Option<(f64, f64)> {
        if !self.complete {
            return None;
        }
        let kept: f64 = self.eigenvalues.iter().take(p).sum();
        let positive: f64 = self.eigenvalues.iter().filter(|v| **v > 0.0).sum();
        (positive > 0.0).then_some((kept / self.absolute?, kept / positive))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goodness_and_dimensions() {
        let s = Spectrum::complete(vec![6.0, 3.0, 1.0, -2.0]);
        assert_eq!(s.goodness(2), Some((9.0 / 12.0, 0.9)));
        assert_eq!((s.negative, s.dims95, s.trace), (Some(1), Some(3), 8.0));
        assert_eq!(Spectrum::complete(vec![0.0; 3]).goodness(2), None);
    }
}
