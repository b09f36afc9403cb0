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

/// The subject of a certificate of free points: a bound on them is a bound on every map there is.
pub(super) const ANY_MAP: &str = "no map in any number of dimensions";

/// How far a convex fit is from the best possible, proved.
///
/// `primal` is the value of a point that satisfies every hard row, or else `broken` says by how much it does not; nothing of what
/// `about` names has a value beyond `bound`. Both hold in exact arithmetic: rounding is on the safe side. Every number in it is finite: what is not proved is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Certificate {
    /// Whether the program is minimised or maximised; `primal` and `bound` are in its own sense.
    pub sense: Sense,
    /// The set that the bound speaks of, as the subject of a sentence: "no map in any number of dimensions", "no map that is a
    /// linear function of ...".
    #[serde(default = "any_map")]
    pub about: String,
    /// The value of a feasible point made of the solution.
    pub primal: f64,
    /// What no feasible point can pass; absent where nothing was proved.
    #[serde(default)]
    pub bound: Option<f64>,
    /// `|primal - bound| / max(|primal|, |bound|)`, a share of the best and nothing else; absent without a bound.
    #[serde(default)]
    pub gap: Option<f64>,
    /// Where both vanish to rounding (below [`VANISHING`](Certificate::VANISHING) of it), a natural size of the data, of which
    /// the gap is then a share.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub against: Option<f64>,
    /// By how much the solution itself breaks its worst hard row, in the units of that row.
    pub violation: f64,
    /// The same where the solution could not be moved to a point that keeps every row, and breaks one by more than the
    /// [tolerance](Certificate::HOLDS): `primal` is then attained by nothing that is allowed, and there is no gap.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub broken: Option<f64>,
    /// The rank of the solution: in so many dimensions the convex program wants the map.
    pub rank: usize,
    /// How the bound is known.
    pub proof: Proof,
}

fn any_map() -> String {
    ANY_MAP.into()
}

impl Certificate {
    /// A value and a bound that are both below this share of the natural size of the data are zero to rounding.
    pub const VANISHING: f64 = 1e-11;
    /// A row that must hold, and that no mending makes hold, may be broken by this share of the largest constant of a row.
    pub const HOLDS: f64 = 1e-6;

    /// A certificate of these values, about any map; the gap follows from them. A bound that is not finite is none; `scale`
    /// is a natural size of the data that is not zero when the optimum is.
    #[must_use]
    pub fn new(sense: Sense, primal: f64, bound: f64, scale: f64) -> Self {
        let bound = Some(bound).filter(|b| b.is_finite());
        let larger = primal.abs().max(bound.map_or(0.0, f64::abs));
        let against = (bound.is_some() && larger < Self::VANISHING * scale).then_some(scale);
        let share = |b: f64| if primal == b { 0.0 } else { (primal - b).abs() / against.unwrap_or(larger) };
        Certificate {
            sense,
            about: any_map(),
            primal,
            bound,
            gap: bound.map(share).filter(|gap| gap.is_finite()),
            against,
            violation: 0.0,
            broken: None,
            rank: 0,
            proof: Proof::ClosedForm,
        }
    }
    /// The same about this set.
    #[must_use]
    pub fn about(mut self, what: impl Into<String>) -> Self {
        self.about = what.into();
        self
    }
    /// The same of a solution that breaks a row that must hold by so much and could not be mended: the bound stands, the solution is
    /// no share of the best.
    #[must_use]
    pub fn of_broken(mut self, by: f64) -> Self {
        (self.broken, self.gap, self.against) = (Some(by), None, None);
        self
    }
    /// Whether it proves the solution to be within this share of the best.
    #[must_use]
    pub fn is_within(&self, gap: f64) -> bool {
        self.gap.is_some_and(|g| g <= gap)
    }
    /// The gap; infinite where nothing is proved.
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.gap.unwrap_or(f64::INFINITY)
    }
    /// The bound; infinitely far away where nothing is proved.
    #[must_use]
    pub fn bound(&self) -> f64 {
        self.bound.unwrap_or(match self.sense {
            Sense::Minimise => f64::NEG_INFINITY,
            Sense::Maximise => f64::INFINITY,
        })
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.sense {
            Sense::Minimise => "below",
            Sense::Maximise => "above",
        };
        let broken =
            self.broken.map(|by| format!("the solution does not count: it breaks a row that must hold by {by:.2e}"));
        let (bound, gap) = match (self.bound, self.gap, broken) {
            (Some(bound), Some(gap), None) => (bound, gap),
            (Some(bound), _, Some(broken)) => {
                let bound = safe(bound, self.sense);
                return write!(f, "{} has an objective {side} {bound} ({}); {broken}", self.about, self.proof);
            }
            (_, _, Some(broken)) => return write!(f, "nothing; {broken}"),
            _ => return write!(f, "nothing; the solution has an objective of {}", value(self.primal)),
        };
        write!(
            f,
            "{} has an objective {side} {}; the solution has {}, gap {gap:.1e}{} ({})",
            self.about,
            safe(bound, self.sense),
            value(self.primal),
            self.against.map_or(String::new(), |size| format!(" of {size:.3e}, both being zero to rounding")),
            self.proof
        )
    }
}

/// An objective as it is printed: nine decimals, or nine digits where those would not show it.
#[must_use]
pub fn value(v: f64) -> String {
    if v == 0.0 || (1e-3..1e9).contains(&v.abs()) { format!("{v:.9}") } else { format!("{v:.8e}") }
}

/// A bound as it is printed, rounded to the side on which it still is one.
#[must_use]
pub fn safe(bound: f64, sense: Sense) -> String {
    let step = match bound.abs() {
        size if size == 0.0 || !size.is_finite() => return value(bound),
        size if (1e-3..1e9).contains(&size) => 1e-9,
        size => 10f64.powi(size.log10().floor() as i32 - 8),
    };
    let side = if sense == Sense::Minimise { -0.5 } else { 0.5 };
    let text = value(bound);
    let kept = |text: &str| text.parse::<f64>().is_ok_and(|v| v == bound || sense.is_better(v, bound));
    // What is printed is nearest; half a step towards the safe side is the nearest there.
    if kept(&text) { text } else { value(bound + side * step) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_bound_is_a_bound() {
        let mut rng = nearer_num::rng::Rng::task(3, 8);
        for _ in 0..2000 {
            let size = 10f64.powf(30.0 * rng.uniform() - 15.0);
            let bound = size * rng.normal();
            for sense in [Sense::Minimise, Sense::Maximise] {
                let printed: f64 = safe(bound, sense).parse().unwrap();
                assert!(printed == bound || sense.is_better(printed, bound), "{bound:e} {printed:e} {sense:?}");
                // One unit of the ninth decimal, or of the ninth digit.
                let unit = if (1e-3..1e9).contains(&bound.abs()) { 1e-9 } else { 1e-8 * bound.abs() };
                assert!((printed - bound).abs() <= 1.01 * unit, "{bound:e} {printed:e}");
            }
        }
        assert_eq!(safe(-0.25, Sense::Minimise), "-0.250000000");
        assert_eq!(value(2.8144e-14), "2.81440000e-14");
    }

    #[test]
    fn the_gap_is_a_share_of_the_best_and_says_when_it_is_not() {
        let c = Certificate::new(Sense::Minimise, 6.64, 2.002, 1e6);
        assert!((c.gap() - (6.64 - 2.002) / 6.64).abs() < 1e-15 && c.against.is_none(), "{c:?}");
        let c = Certificate::new(Sense::Minimise, 1.0, 0.0, 1.0);
        assert_eq!((c.gap, c.against), (Some(1.0), None));
        let zero = Certificate::new(Sense::Minimise, 3e-12, 0.0, 2.0);
        assert_eq!((zero.gap, zero.against), (Some(1.5e-12), Some(2.0)));
        assert!(zero.to_string().contains("zero to rounding"), "{zero}");
        assert_eq!(Certificate::new(Sense::Maximise, 0.0, 0.0, 0.0).gap, Some(0.0));
    }

    #[test]
    fn what_breaks_a_row_is_no_share_of_the_best() {
        let c = Certificate::new(Sense::Maximise, 1_922_818.0, 1_895_134.0, 1e6).of_broken(0.361);
        assert!(c.gap.is_none() && !c.is_within(f64::MAX) && c.bound.is_some(), "{c:?}");
        let said = c.to_string();
        assert!(said.contains("above 1895134") && said.contains("breaks a row that must hold by 3.61e-1"), "{said}");
        let none = Certificate::new(Sense::Maximise, 1.0, f64::NAN, 1.0).of_broken(2.0).to_string();
        assert!(none.starts_with("nothing") && none.contains("2.00e0"), "{none}");
    }

    #[test]
    fn what_is_not_finite_proves_nothing() {
        for bound in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let c = Certificate::new(Sense::Maximise, 1.0, bound, 1.0);
            assert!(c.bound.is_none() && c.gap.is_none() && !c.is_within(f64::MAX), "{c:?}");
            assert!(c.to_string().starts_with("nothing"), "{c}");
        }
        // Two ends that are finite and farther apart than any number.
        assert!(!Certificate::new(Sense::Minimise, f64::MAX, -f64::MAX, 1.0).is_within(1e9));
        let back: Certificate = serde_json::from_str(
            &serde_json::to_string(&Certificate::new(Sense::Maximise, 1.0, f64::NAN, 1.0)).unwrap(),
        )
        .unwrap();
        assert_eq!(back.bound, None);
    }
}
