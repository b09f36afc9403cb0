//! What is proved about a convex fit: a value that is attained, a bound that nothing can pass, and how both are known.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whether a program asks for the least or the largest value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sense {
    /// The bound lies below every value that can be attained.
    Minimise,
    /// The bound lies above every value that can be attained.
    Maximise,
}

impl Sense {
    /// Whether one value is better than another.
    #[must_use]
    pub fn is_better(self, value: f64, than: f64) -> bool {
        match self {
            Sense::Minimise => value < than,
            Sense::Maximise => value > than,
        }
    }
}

/// How the least eigenvalue behind a bound is known to be where it is said to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Proof {
    /// The optimum has a closed form.
    ClosedForm,
    /// A dense Cholesky factorisation of the shifted matrix went through, its rounding errors counted.
    Cholesky,
    /// The signs of the pivots of a sparse factorisation, the distance of its product from the matrix counted.
    Inertia,
    /// Gershgorin's circles: always valid, seldom sharp.
    Gershgorin,
    /// Multipliers of linear rows, the rounding of every sum counted.
    Linear,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Proof::ClosedForm => "closed form",
            Proof::Cholesky => "Cholesky factorisation with rounding counted",
            Proof::Inertia => "inertia of a sparse factorisation with rounding counted",
            Proof::Gershgorin => "Gershgorin's circles",
            Proof::Linear => "multipliers of linear rows with rounding counted",
        })
    }
}

/// How far a convex fit is from the best possible, proved.
///
/// `primal` is the value of a point that satisfies every hard row; no point of any rank, so no map in any number of
/// dimensions, has a value beyond `bound`. Both hold in exact arithmetic: rounding is on the safe side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Certificate {
    /// Whether the program is minimised or maximised; `primal` and `bound` are in its own sense.
    pub sense: Sense,
    /// The value of a feasible point made of the solution.
    pub primal: f64,
    /// What no feasible point can pass.
    pub bound: f64,
    /// `|primal - bound| / max(|primal|, |bound|, 1e-6 scale)`, `scale` a natural size of the data that is not zero when
    /// the optimum is.
    pub gap: f64,
    /// By how much the solution itself breaks its worst hard row, in the units of that row.
    pub violation: f64,
    /// The rank of the solution: in so many dimensions the convex program wants the map.
    pub rank: usize,
    /// How the bound is known.
    pub proof: Proof,
}

impl Certificate {
    /// A certificate of these values; the gap follows from them.
    #[must_use]
    pub fn new(sense: Sense, primal: f64, bound: f64, scale: f64) -> Self {
        let size = primal.abs().max(bound.abs()).max(1e-6 * scale).max(f64::MIN_POSITIVE);
        Certificate {
            sense,
            primal,
            bound,
            gap: (primal - bound).abs() / size,
            violation: 0.0,
            rank: 0,
            proof: Proof::ClosedForm,
        }
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.sense {
            Sense::Minimise => "below",
            Sense::Maximise => "above",
        };
        let whoever = match self.proof {
            Proof::Linear => "no weights have",
            _ => "no map in any number of dimensions has",
        };
        write!(
            f,
            "{whoever} an objective {side} {:.9}; the solution has {:.9}, gap {:.1e} ({})",
            self.bound, self.primal, self.gap, self.proof
        )
    }
}
