//! The one program type: a linear objective and rows in the squared distances of points, over positive semidefinite
//! Gram matrices.

use std::sync::OnceLock;

use ndarray::Array2;

use crate::error::Error;
use crate::program::Sense;
use crate::program::balls::Balls;
use crate::program::certificate::ANY_MAP;
use crate::program::rows::{self, Interval, Rows};
use crate::program::space::Space;

/// A convex program over Gram matrices `G` of `n` points:
///
/// ```text
/// min  a ⟨H, G⟩ + Σ_p c_p d_p + Σ_b ⟨P_b, Z_b⟩ + Σ_t φ_t(r_t)     r_t = Σ_p A_tp d_p + B_t b_{i(t)} + e_t
/// over G = Σ_b Φ_b Z_b Φ_bᵗ, Z_b psd, b ≥ 0, and ⟨H, G⟩ ≤ R where there is such a bound
/// ```
///
/// `d_p = G_ii + G_jj - 2 G_ij` for the pair `p = (i, j)`, `H = I - 11ᵗ/n`: translations cost nothing and are never forbidden
/// by a row. `φ_t(r) = max v r - κ v²/2` over the [`Interval`] of the row, or, with [`entropy`](GramProgram::entropy),
/// `max v r + w h(v/w)`, to which the dual adds `Σ w h(y/w)`. The dual is
///
/// ```text
/// max  Σ_t (y_t e_t - κ y_t²/2) - R ν    y_t in its interval, (Bᵗy)_i ≥ 0, ν ≥ 0,
///      Φ_bᵗ (S(y) + ν H) Φ_b + P_b psd,    S(y) = a H + L(c + Aᵗy)
/// ```
///
/// with `L(w)` the Laplacian of the graph with edge weights `w`. A program that is maximised is kept as the minimum of the
/// negative objective, and reported in its own sense.
#[derive(Debug, Clone)]
pub struct GramProgram {
    pub(crate) n: usize,
    pub(crate) sense: Sense,
    pub(crate) trace: f64,
    pub(crate) pairs: Vec<(u32, u32)>,
    pub(crate) cost: Vec<f64>,
    pub(crate) rows: Rows,
    pub(crate) balls: Option<Balls>,
    pub(crate) curvature: f64,
    pub(crate) entropy: bool,
    pub(crate) trace_bound: Option<f64>,
    pub(crate) space: Space,
    pub(crate) scale: f64,
    pub(crate) about: String,
    /// The size of the squared distances of an answer, where the constants of the rows do not tell it.
    pub(crate) usual: Option<f64>,
    pub(crate) interior: Option<Interior>,
    pub(crate) anchor: Option<Anchor>,
}

/// A point that satisfies every hard row with room to spare; solutions that break rows by a little are mixed with it.
#[derive(Debug, Clone)]
pub(crate) struct Interior {
    /// Squared distances of all pairs, packed row by row; they belong to a positive semidefinite `G`, which was proved.
    pub(crate) distances: Vec<f64>,
    /// `⟨H, G⟩`, from above.
    pub(crate) trace: f64,
    /// By how much the rows of each ball hold there, once somebody has asked.
    pub(crate) rooms: OnceLock<Vec<f64>>,
}

impl Interior {
    /// A point by its packed squared distances and its trace.
    pub(crate) fn new(distances: Vec<f64>, trace: f64) -> Self {
        Interior { distances, trace, rooms: OnceLock::new() }
    }
}

/// Multipliers for which the dual matrix is positive definite; multipliers that miss by a little are mixed with them.
#[derive(Debug, Clone)]
pub(crate) enum Anchor {
    /// All multipliers zero: the matrix is at least this.
    Zero(f64),
    /// These multipliers of the rows: the matrix is at least this.
    Rows(Vec<f64>, f64),
    /// Multiplying all multipliers by a number, where their intervals have no ends: with `a < 0` and no cost,
    /// `S(s y) = a H + s L(Aᵗy)`.
    Scale,
}

impl GramProgram {
    /// The program of `n` points without a term; `scale` is a natural size of its objective.
    #[must_use]
    pub fn new(n: usize, sense: Sense, scale: f64) -> Self {
        GramProgram {
            n,
            sense,
            trace: 0.0,
            pairs: Vec::new(),
            cost: Vec::new(),
            rows: Rows::default(),
            balls: None,
            curvature: 0.0,
            entropy: false,
            trace_bound: None,
            space: Space::Free,
            scale,
            about: ANY_MAP.into(),
            usual: None,
            interior: None,
            anchor: None,
        }
    }
    /// With `a ⟨H, G⟩` in the objective.
    #[must_use]
    pub fn trace(mut self, a: f64) -> Self {
        self.trace = a;
        self
    }
    /// With these pairs `(i, j)`, `i < j`, each once; rows refer to them by their place.
    #[must_use]
    pub fn pairs(mut self, pairs: Vec<(u32, u32)>) -> Self {
        self.cost = vec![0.0; pairs.len()];
        self.pairs = pairs;
        self
    }
    /// With `Σ c_p d_p` in the objective, one number for each pair.
    #[must_use]
    pub fn cost(mut self, cost: Vec<f64>) -> Self {
        self.cost = cost;
        self
    }
    /// With these rows.
    #[must_use]
    pub fn rows(mut self, rows: Rows) -> Self {
        self.rows = rows;
        self
    }
    /// With a row for each thing said about balls.
    #[must_use]
    pub fn balls(mut self, balls: Balls) -> Self {
        self.balls = Some(balls);
        self
    }
    /// With `φ(r) = max v r - κ v²/2`: `1/(2κ) r²` where the interval is wide.
    #[must_use]
    pub fn curvature(mut self, kappa: f64) -> Self {
        self.curvature = kappa;
        self
    }
    /// With `φ(r) = max v r + w h(v/w)` over the interval `[0, w]` of each row, `h` the entropy of a coin: `w ln(1 + exp(r))`.
    #[must_use]
    pub fn entropy(mut self) -> Self {
        self.entropy = true;
        self
    }
    /// With `⟨H, G⟩ ≤ r`.
    #[must_use]
    pub fn trace_bound(mut self, r: f64) -> Self {
        self.trace_bound = Some(r);
        self
    }
    /// With points in this space.
    #[must_use]
    pub fn space(mut self, space: Space) -> Self {
        self.space = space;
        self
    }
    /// Over this set of maps, as the subject of a sentence: what the bound speaks of. Free points are any map.
    #[must_use]
    pub fn over(mut self, what: impl Into<String>) -> Self {
        self.about = what.into();
        self
    }
    /// Puts the pairs into order, so that passes over them run through memory, and refuses a program whose parts do not fit
    /// together.
    pub fn checked(mut self) -> Result<Self, Error> {
        if self.cost.len() == self.pairs.len() && self.rows.pair.iter().all(|p| (*p as usize) < self.pairs.len()) {
            let mut order: Vec<u32> = (0..self.pairs.len() as u32).collect();
            order.sort_by_key(|k| self.pairs[*k as usize]);
            let mut place = vec![0u32; order.len()];
            order.iter().enumerate().for_each(|(new, old)| place[*old as usize] = new as u32);
            self.cost = order.iter().map(|k| self.cost[*k as usize]).collect();
            self.pairs = order.iter().map(|k| self.pairs[*k as usize]).collect();
            self.rows.pair.iter_mut().for_each(|p| *p = place[*p as usize]);
        }
        rows::checked(&self.rows)?;
        if !(self.total().is_finite() && self.cost.iter().all(|c| c.is_finite()) && self.trace.is_finite()) {
            return Err(rows::too_large());
        }
        let wrong =
            |what: &str| Error::Evidence { what: what.into(), remedy: "this is a mistake in the program".into() };
        if self.pairs.iter().any(|&(i, j)| i >= j || j as usize >= self.n) {
            return Err(wrong("a pair of the program is not of two objects in order"));
        }
        if self.cost.len() != self.pairs.len() || self.rows.pair.iter().any(|p| *p as usize >= self.pairs.len()) {
            return Err(wrong("costs and rows do not fit the pairs of the program"));
        }
        if self.trace_bound.is_some() && !self.is_homogeneous() {
            return Err(wrong("a bound on the trace goes with rows without constants only"));
        }
        Ok(self)
    }

    /// How many objects there are.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.n
    }
    /// All rows, those of the balls included.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.rows.len() + self.balls.as_ref().map_or(0, Balls::rows)
    }
    /// A natural size of the objective, which is not zero where the optimum is.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }
    /// Whether it is minimised or maximised.
    #[must_use]
    pub fn sense(&self) -> Sense {
        self.sense
    }
    /// Whether objective and rows grow in proportion with `G`: then it ends at the bound on the trace, or at nothing.
    #[must_use]
    pub fn is_homogeneous(&self) -> bool {
        self.curvature == 0.0 && !self.entropy && self.rows.constant.iter().all(|e| *e == 0.0)
    }
    /// The sizes of everything that is added up, together: where that is no number, nothing can be computed.
    fn total(&self) -> f64 {
        let side = |v: f64| if v.is_finite() { v.abs() } else { 0.0 };
        let row = |t: usize| {
            let e = self.rows.constant[t].abs();
            e * e + e * side(self.rows.low[t]).max(side(self.rows.high[t]))
        };
        let rows: f64 = (0..self.rows.len()).map(row).sum();
        rows + self.cost.iter().map(|c| c.abs()).sum::<f64>() + self.trace.abs() * self.n as f64
    }
    /// The size of a typical squared distance.
    pub(crate) fn typical(&self) -> f64 {
        let sizes: Vec<f64> = self.rows.constant.iter().map(|e| e.abs()).filter(|e| *e > 0.0).collect();
        match self.trace_bound {
            Some(r) => 2.0 * r / self.n as f64,
            None if sizes.is_empty() => 1.0,
            None => sizes.iter().sum::<f64>() / sizes.len() as f64,
        }
    }
    /// A value of the minimum in the sense of the program.
    pub(crate) fn own(&self, value: f64) -> f64 {
        match self.sense {
            Sense::Minimise => value,
            Sense::Maximise => -value,
        }
    }
    /// Whether a row must hold, rather than be paid for: with curvature every residual has a price.
    #[must_use]
    pub fn must_hold(&self, t: usize) -> bool {
        self.curvature == 0.0 && self.interval(t).is_hard()
    }
    /// Whether every row must hold and some of them compare two distances: an order of pairs.
    pub(crate) fn is_an_order(&self) -> bool {
        let rows = 0..self.rows.len();
        self.balls.is_none()
            && rows.clone().all(|t| self.must_hold(t))
            && rows.clone().any(|t| self.rows.entries(t).count() > 1)
    }
    /// Whether this bound (on the minimum) proves that nothing keeps every row: an order in which every point has a value of at most zero.
    pub(crate) fn is_refuted_by(&self, bound: f64) -> bool {
        bound > 0.0 && self.trace <= 0.0 && self.cost.iter().all(|c| *c <= 0.0) && self.is_an_order()
    }
    /// What is paid for a residual of a row, hard sides aside.
    pub(crate) fn price(&self, t: usize, r: f64) -> f64 {
        let interval = self.interval(t);
        if self.entropy { interval.high * softplus(r) } else { interval.price(r, self.curvature) }
    }
    /// The multiplier behind that price.
    pub(crate) fn best(&self, t: usize, r: f64) -> f64 {
        let interval = self.interval(t);
        if self.entropy { interval.high * logistic(r) } else { interval.best(r, self.curvature) }
    }
    /// The interval of a row.
    #[must_use]
    pub fn interval(&self, t: usize) -> Interval {
        rows::interval(&self.rows, t)
    }
}

/// `ln(1 + exp(r))`.
fn softplus(r: f64) -> f64 {
    r.max(0.0) + (-r.abs()).exp().ln_1p()
}

/// `1 / (1 + exp(-r))`.
fn logistic(r: f64) -> f64 {
    let e = (-r.abs()).exp();
    if r >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// An answer to a program, to be judged by it: a factor of the Gram matrix and multipliers of the rows.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// For each block of the space its factor `N_b`, `Z_b = N_b N_bᵗ`; for free points the points themselves.
    pub factors: Vec<Array2<f64>>,
    /// Squared radii of the balls, where there are any; they are chosen anew where that is better.
    pub radii: Vec<f64>,
    /// One multiplier for each row.
    pub multipliers: Vec<f64>,
    /// Multipliers of the rows of balls that are not zero: `(i, j, y)`.
    pub ball_multipliers: Vec<(u32, u32, f64)>,
}

impl Candidate {
    /// Free points with the multipliers of the rows.
    #[must_use]
    pub fn free(points: Array2<f64>, multipliers: Vec<f64>) -> Self {
        Candidate { factors: vec![points], radii: Vec::new(), multipliers, ball_multipliers: Vec::new() }
    }
}
