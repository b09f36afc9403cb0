//! Unfolding as a program: the largest variance under distances between neighbours, and the proof of how large it can be.
//!
//! `max tr(HG)` over positive semidefinite `G`, with `d_e` the squared distance over edge `e` and `D_e` its datum. For
//! weights `y` with `L(y) ⪰ λ H`, every `G` has `λ tr(HG) ≤ Σ y_e d_e`: that is what all bounds here come from.

use ndarray::{Array2, Axis};
use nearer_num::definite::UNIT;
use nearer_num::laplacian::{Laplacian, Second};
use nearer_num::restricted::Restricted;
use nearer_num::sparse::{differences, squared_lengths};

use crate::error::Error;
use crate::graph::KnownPairs;
use crate::program::{Certificate, Proof, Sense};

/// Neighbours and their squared distances: the data of the program. Every edge stands once and is longer than 0.
#[derive(Debug, Clone)]
pub(crate) struct Edges {
    /// How many objects.
    pub n: usize,
    /// The two ends of each edge, all objects connected by them.
    pub pairs: Vec<(u32, u32)>,
    /// The squared distance of each.
    pub squared: Vec<f64>,
}

/// What holds a distance to its datum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// `d ≤ D`.
    AtMost,
    /// `- weight |d - D|` in the objective.
    Soft(f64),
    /// `- weight (d - D)²` in the objective.
    Penalised(f64),
    /// `d = D`, the multipliers no larger in size than this while solving.
    Exact(f64),
}

/// Where the points may lie.
#[derive(Debug)]
pub(crate) enum Space {
    /// Anywhere.
    Full(Box<Laplacian>),
    /// Coordinates in the span of some vectors: the bound is then one for such maps alone.
    Within(Box<Restricted>),
}

impl Space {
    pub(crate) fn new(edges: &Edges, span: Option<&Array2<f64>>) -> Result<Self, Error> {
        Ok(match span {
            None => {
                Space::Full(Box::new(Laplacian::new(edges.n, &edges.pairs).map_err(|_| Error::Numerical {
                    what: "the sparse factorisation of the neighbour graph".into(),
                })?))
            }
            Some(columns) => Space::Within(Box::new(
                Restricted::new(columns, &edges.pairs)
                    .map_err(|_| Error::Numerical { what: "the singular values of the span".into() })?,
            )),
        })
    }
    /// The least eigenvalue of the Laplacian with these weights on what the points may be.
    pub(crate) fn second(&mut self, weights: &[f64], proof: bool) -> Second {
        match self {
            Space::Full(laplacian) => laplacian.second(weights, proof),
            Space::Within(span) => span.second(weights, proof),
        }
    }
    /// How many dimensions points can have at most.
    pub(crate) fn dimensions(&self, n: usize) -> usize {
        match self {
            Space::Full(_) => n - 1,
            Space::Within(span) => span.len(),
        }
    }
}

/// A certificate, and what was learnt of the weights on the way.
#[derive(Debug)]
pub(crate) struct Proved {
    pub certificate: Certificate,
    /// Of the multipliers as they were given.
    pub second: Second,
}

impl Edges {
    pub(crate) fn graph(&self) -> KnownPairs {
        KnownPairs::of_edges(self.n, &self.pairs, |e| self.squared[e].sqrt())
    }
    /// The same with every squared distance divided.
    pub(crate) fn scaled(&self, by: f64) -> Edges {
        Edges { n: self.n, pairs: self.pairs.clone(), squared: self.squared.iter().map(|d| d / by).collect() }
    }
    /// By which share the most stretched edge is longer than its datum.
    pub(crate) fn stretch(&self, points: &Array2<f64>) -> f64 {
        self.distances(points).iter().zip(&self.squared).map(|(d, t)| (d / t).sqrt() - 1.0).fold(0.0, f64::max)
    }
    fn distances(&self, points: &Array2<f64>) -> Vec<f64> {
        let flat: Vec<f64> = points.iter().copied().collect();
        squared_lengths(&differences(&flat, points.ncols(), &self.pairs), points.ncols())
    }
}

/// The certificate of a solution, from the data, the points and the multipliers alone. It holds in exact arithmetic.
pub(crate) fn certify(
    edges: &Edges,
    form: Form,
    space: &mut Space,
    points: &Array2<f64>,
    multipliers: &[f64],
) -> Proved {
    let value = primal(edges, form, points);
    let (dual, second) = bound(edges, form, space, multipliers);
    // Without any multiplier: no object is farther from another than the way along the edges.
    let ways = match form {
        Form::AtMost | Form::Exact(_) => along_edges(edges),
        Form::Soft(_) | Form::Penalised(_) => f64::MAX,
    };
    let (bound, proof) = if dual <= ways { (dual, Proof::Inertia) } else { (ways, Proof::ClosedForm) };
    let scale = edges.squared.iter().sum();
    let mut certificate = Certificate::new(Sense::Maximise, value, bound, scale);
    certificate.proof = proof;
    certificate.violation = violation(edges, form, points);
    certificate.rank = nearer_num::dense::rank(points, 1e-6).unwrap_or_default();
    Proved { certificate, second }
}

/// The objective at the points, or at the largest feasible multiple of them, rounded down. For the exact form, which no
/// scaling makes feasible, the variance as it is.
fn primal(edges: &Edges, form: Form, points: &Array2<f64>) -> f64 {
    // The centred points, as they are in floating point, are the solution that is judged.
    let centre = points.mean_axis(Axis(0)).unwrap_or_default();
    let points = points - &centre;
    let (n, r) = (edges.n as f64, points.ncols() as f64);
    let square: f64 = points.iter().map(|v| v * v).sum();
    let off: f64 = points
        .axis_iter(Axis(1))
        .map(|c| {
            let most = (c.sum().abs() + n * UNIT * 1.01 * c.iter().map(|v| v.abs()).sum::<f64>()) * (1.0 + 1e-9);
            most * most / n
        })
        .sum();
    let variance = square * (1.0 - (n * r + 3.0) * 1.01 * UNIT) - off * (1.0 + 1e-9);
    let d = edges.distances(&points);
    let each = (r + 6.0) * 1.01 * UNIT;
    let m = d.len() as f64;
    match form {
        Form::AtMost => {
            let ratio = d.iter().zip(&edges.squared).map(|(d, t)| d / t * (1.0 + each)).fold(1.0, f64::max);
            variance.max(0.0) / ratio * (1.0 - 4.0 * UNIT)
        }
        Form::Exact(_) => variance,
        Form::Soft(w) => {
            let loss: f64 = d.iter().zip(&edges.squared).map(|(d, t)| (d - t).abs() + each * (d + t)).sum();
            outward_less(variance, w * loss * (1.0 + (m + 3.0) * 1.01 * UNIT))
        }
        Form::Penalised(w) => {
            let loss: f64 = d.iter().zip(&edges.squared).map(|(d, t)| ((d - t).abs() + each * (d + t)).powi(2)).sum();
            outward_less(variance, w * loss * (1.0 + (m + 6.0) * 1.01 * UNIT))
        }
    }
}

/// `a - b`, rounded down.
fn outward_less(a: f64, b: f64) -> f64 {
    a - b - 2.0 * UNIT * (a.abs() + b.abs())
}

/// What no `G` passes, by these multipliers.
fn bound(edges: &Edges, form: Form, space: &mut Space, multipliers: &[f64]) -> (f64, Second) {
    let m = edges.pairs.len() as f64;
    let up = 1.0 + (m + 5.0) * 1.01 * UNIT;
    // The sum of y D, rounded up also where terms have either sign.
    let sum = |y: &[f64]| {
        let total: f64 = y.iter().zip(&edges.squared).map(|(y, d)| y * d).sum();
        let sizes: f64 = y.iter().zip(&edges.squared).map(|(y, d)| (y * d).abs()).sum();
        total + (up - 1.0) * sizes * (1.0 + 1e-9)
    };
    let over = |value: f64, lower: f64| if lower > 0.0 { value / lower * (1.0 + 2.0 * UNIT) } else { f64::MAX };
    match form {
        Form::AtMost => {
            let y: Vec<f64> = multipliers.iter().map(|y| y.max(0.0)).collect();
            let second = space.second(&y, true);
            (over(sum(&y), second.lower), second)
        }
        Form::Exact(_) => {
            let second = space.second(multipliers, true);
            let value = sum(multipliers);
            (if value > 0.0 { over(value, second.lower) } else { f64::MAX }, second)
        }
        Form::Penalised(w) => {
            let second = space.second(multipliers, true);
            if second.lower <= 0.0 {
                return (f64::MAX, second);
            }
            let scaled: Vec<f64> = multipliers.iter().map(|y| y / second.lower).collect();
            // Dividing rounds; weights a hair too small prove a hair too little, which the factor gives back.
            let squares: f64 = scaled.iter().map(|y| y * y).sum::<f64>() / (4.0 * w) * up;
            ((sum(&scaled) + squares) * (1.0 + 16.0 * UNIT) + 4.0 * UNIT * sum_sizes(&scaled, edges), second)
        }
        Form::Soft(w) => soft_bound(edges, w, space, multipliers, &sum),
    }
}

fn sum_sizes(y: &[f64], edges: &Edges) -> f64 {
    y.iter().zip(&edges.squared).map(|(y, d)| (y * d).abs()).sum()
}

/// Multipliers in the box `[-w, w]`, mixed with `w` everywhere until their second eigenvalue is proved to reach 1.
fn soft_bound(
    edges: &Edges,
    w: f64,
    space: &mut Space,
    multipliers: &[f64],
    sum: &dyn Fn(&[f64]) -> f64,
) -> (f64, Second) {
    let y: Vec<f64> = multipliers.iter().map(|y| y.clamp(-w, w)).collect();
    let second = space.second(&y, true);
    // Larger than 1: the same multipliers divided are still in the box, and prove more.
    if second.lower >= 1.0 {
        let value = sum(&y);
        return (if value > 0.0 { value / second.lower * (1.0 + 2.0 * UNIT) } else { value }, second);
    }
    let all = space.second(&vec![w; edges.pairs.len()], true).lower;
    if all < 1.0 {
        return (f64::MAX, second);
    }
    let mut best = sum(&vec![w; edges.pairs.len()]);
    let known = if second.lower.is_finite() { second.lower.min(second.estimate) } else { second.estimate.min(0.0) };
    let mut share =
        if known.is_finite() && all > known { ((1.0 - known) / (all - known)).clamp(0.0, 1.0) } else { 1.0 };
    for _ in 0..8 {
        share = (share * (1.0 + 1e-9) + 1e-14).min(1.0);
        let mixed: Vec<f64> = y.iter().map(|y| ((1.0 - share) * y + share * w).clamp(-w, w)).collect();
        if space.second(&mixed, true).lower >= 1.0 {
            best = best.min(sum(&mixed));
            break;
        }
        share = (4.0 * share).clamp(1e-9, 1.0);
    }
    (best, second)
}

/// `tr(HG) ≤ Σ_i |y_i - y_c|²` for any object `c`, and no distance is longer than the way: rounded up.
fn along_edges(edges: &Edges) -> f64 {
    let graph = edges.graph();
    let from_first = graph.from(0);
    let far = |lengths: &[f64]| (0..lengths.len()).fold(0, |best, i| if lengths[i] > lengths[best] { i } else { best });
    // Half way between the two ends of a long way is a good centre.
    let end = far(&from_first);
    let from_end = graph.from(end);
    let half = from_end[far(&from_end)] / 2.0;
    let centre = (0..edges.n)
        .fold(0, |best, i| if (from_end[i] - half).abs() < (from_end[best] - half).abs() { i } else { best });
    let n = edges.n as f64;
    let total: f64 = graph.from(centre).iter().map(|v| v * v).sum();
    total * (1.0 + (3.0 * n + 8.0) * 1.01 * UNIT)
}

/// By how much the worst row is broken, in squared distance.
fn violation(edges: &Edges, form: Form, points: &Array2<f64>) -> f64 {
    let d = edges.distances(points);
    let pairs = d.iter().zip(&edges.squared);
    match form {
        Form::AtMost => pairs.map(|(d, t)| d - t).fold(0.0, f64::max),
        Form::Exact(_) => pairs.map(|(d, t)| (d - t).abs()).fold(0.0, f64::max),
        Form::Soft(_) | Form::Penalised(_) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn path() -> Edges {
        Edges { n: 3, pairs: vec![(0, 1), (1, 2)], squared: vec![1.0, 4.0] }
    }

    /// Three in a row at 0, 1, 3: the variance is 14/3, and `L(w)` with `w_e s_e = Σ` of the ends gives the same bound.
    #[test]
    fn a_path_laid_straight_is_its_own_bound() {
        let edges = path();
        let mut space = Space::new(&edges, None).unwrap();
        // Stationarity of the centred line -4/3, -1/3, 5/3: w₁ · 1 = 4/3, w₂ · 2 = 5/3.
        let points = array![[0.0], [1.0], [3.0]];
        let w = [4.0 / 3.0, 5.0 / 6.0];
        let c = certify(&edges, Form::AtMost, &mut space, &points, &w).certificate;
        assert!(c.primal <= 14.0 / 3.0 && 14.0 / 3.0 <= c.bound, "{c:?}");
        assert!(c.gap < 1e-8 && c.rank == 1 && c.violation == 0.0 && c.proof == Proof::Inertia, "{c:?}");
        // Points that are too far apart are scaled, and say so.
        let wide = certify(&edges, Form::AtMost, &mut space, &(&points * 2.0), &w).certificate;
        assert!(wide.primal <= 14.0 / 3.0 && wide.violation == 12.0, "{wide:?}");
        assert!((wide.primal - 14.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn useless_multipliers_still_give_a_sound_bound() {
        let edges = path();
        let mut space = Space::new(&edges, None).unwrap();
        let points = array![[0.0], [1.0], [3.0]];
        for w in [[0.0, 0.0], [1.0, 0.0], [-1.0, 5.0], [f64::NAN, 1.0], [1e-300, 1e300]] {
            let c = certify(&edges, Form::AtMost, &mut space, &points, &w).certificate;
            assert!(c.bound >= 14.0 / 3.0 && c.bound.is_finite() && c.gap.is_finite(), "{w:?} {c:?}");
        }
        let c = certify(&edges, Form::AtMost, &mut space, &points, &[0.0, 0.0]).certificate;
        assert!(c.proof == Proof::ClosedForm && (c.bound - 5.0).abs() < 1e-12, "{c:?}");
    }
}
