//! What weights attain and what multipliers prove, by the slow path.

use std::collections::BTreeMap;

use super::question::{Bend, Columns, Weighing};
use crate::program::Weights;
use crate::verify::definite::{Square, least_eigenvalue};
use crate::verify::limits::Limits;
use crate::verify::question::{Two, all_pairs, place};
use crate::verify::rounding::{FINE, Sum, UNIT, Wide, roundings};

/// What weights attain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attained {
    /// The objective (to be minimised) of weights that keep to the bound, rounded up.
    pub(super) value: f64,
    /// The same, rounded down.
    pub(super) least: f64,
    /// By how much the weights of the file themselves pass the bound.
    pub(super) violation: f64,
}

/// A squared distance as a wide number, for a large slack multiplies what it misses, and its doubt.
type Length = (Wide, f64);

/// Squared distances of all pairs, or of those that rows speak of, each with its doubt.
struct Apart {
    n: usize,
    all: Vec<Length>,
    some: BTreeMap<Two, Length>,
}

impl Apart {
    fn of(q: &Weighing, w: &[f64]) -> Self {
        let kept: Vec<usize> = (0..w.len()).filter(|p| w[*p] > 0.0).collect();
        // Of terms without a negative one, each operation is off by a share of the sum.
        let fine = FINE * (kept.len() + 8) as f64;
        let one = |pair: Two| {
            let sum = kept.iter().fold(Wide::default(), |sum, p| sum.plus(q.wide(pair, *p).times(w[*p])));
            (sum, fine * sum.high)
        };
        let every = q.bound.is_some() || q.spread != 0.0;
        let pairs = all_pairs(q.n()).filter(|_| every).map(|(i, j)| one((i as u32, j as u32)));
        let named = q.rows.iter().filter(|_| !every).flat_map(|r| [r.near, r.far]);
        let mut some = BTreeMap::new();
        for pair in named {
            some.entry(pair).or_insert_with(|| one(pair));
        }
        Apart { n: q.n(), all: pairs.collect(), some }
    }
    fn between(&self, pair: Two) -> Length {
        match self.some.get(&pair) {
            Some(d) => *d,
            None => self.all[place(self.n, pair.0 as usize, pair.1 as usize)],
        }
    }
}

/// The objective of these weights, made smaller where they pass the bound.
pub(super) fn attained(q: &Weighing, weights: &[f64]) -> Attained {
    let apart = Apart::of(q, weights);
    let (mut by, mut violation) = (1.0, 0.0f64);
    if let Some(bound) = q.bound {
        let (mut top, mut surely) = (0.0f64, 0.0f64);
        for (d, doubt) in &apart.all {
            top = top.max(d.high);
            surely = surely.max(d.high + doubt + UNIT * d.high);
        }
        violation = (top - bound).max(0.0);
        if surely > bound {
            by = bound / surely * (1.0 - 8.0 * UNIT);
        }
    }
    let mut sum = Sum::default();
    for (c, w) in q.cost.iter().zip(weights) {
        sum.add(c * w * by, 4.0 * UNIT * c * w);
    }
    let bent = bent(q, weights);
    for (b, w) in bent.iter().zip(weights) {
        let term = 0.5 * b.0 * w * by * by;
        sum.add(term, (8.0 * UNIT * b.0 + b.1) * w);
    }
    if q.spread != 0.0 {
        for (d, doubt) in &apart.all {
            let term = d.times(by).times(q.spread);
            sum.add(term.high, 0.0);
            sum.add(term.low, q.spread.abs() * doubt + FINE * term.high.abs());
        }
    }
    let (mut under, mut over) = (sum, sum);
    for row in &q.rows {
        let ((near, n), (far, f)) = (apart.between(row.near), apart.between(row.far));
        let missing = near.minus(far).times(by).plus(row.margin.into());
        let doubt = n + f + 4.0 * FINE * (near.high + far.high + row.margin.abs());
        let term = missing.times(row.weight);
        let rounded = row.weight * doubt + FINE * term.high.abs();
        if missing.high > doubt {
            for sum in [&mut under, &mut over] {
                sum.add(term.high, 0.0);
                sum.add(term.low, rounded);
            }
        } else if missing.high > -doubt {
            over.add(2.0 * row.weight * doubt, 0.0);
        }
    }
    Attained { value: over.upper(), least: under.lower(), violation }
}

/// `(P x)_p` and its doubt, for `x` and `P` without a negative number.
fn bent(q: &Weighing, x: &[f64]) -> Vec<(f64, f64)> {
    match &q.bend {
        Bend::None => vec![(0.0, 0.0); x.len()],
        Bend::Diagonal(p) => p.iter().zip(x).map(|(p, x)| (p * x, UNIT * p * x)).collect(),
        Bend::Blocks(blocks) => {
            let mut out = Vec::with_capacity(x.len());
            let mut from = 0;
            for block in blocks {
                for i in 0..block.nrows() {
                    let mut sum = Sum::default();
                    for j in 0..block.ncols() {
                        let term = block[(i, j)] * x[from + j];
                        sum.add(term, UNIT * term.abs());
                    }
                    out.push((sum.value(), sum.doubt()));
                }
                from += block.nrows();
            }
            out
        }
    }
}

/// No weights have an objective (to be minimised) below this, given one that is attained.
pub(super) fn bound(q: &Weighing, answer: &Weights, value: f64, limits: &Limits<'_>) -> f64 {
    let nothing = Weights {
        weights: vec![0.0; q.width()],
        multipliers: vec![0.0; q.rows.len()],
        held: Vec::new(),
        everywhere: 0.0,
        tangent: Vec::new(),
    };
    let deficit = deficit(q, limits);
    proved(q, answer, value, deficit).max(proved(q, &nothing, value, deficit))
}

/// Weak duality: `Σ y margin - B Σ v - ½ xᵗ P x + Σ_p min(0, z_p) W_p`, everything rounded down.
fn proved(q: &Weighing, answer: &Weights, value: f64, deficit: Option<f64>) -> f64 {
    let mut x: Vec<f64> = answer.tangent.iter().map(|v| v.max(0.0)).collect();
    x.resize(q.width(), 0.0);
    let (Some(deficit), Some(heaviest)) = (deficit, heaviest(q, value)) else { return f64::NEG_INFINITY };
    let mut gain = Sum::default();
    let mut net: BTreeMap<Two, Sum> = BTreeMap::new();
    for (row, y) in q.rows.iter().zip(&answer.multipliers) {
        let y = y.clamp(0.0, row.weight);
        if y > 0.0 {
            net.entry(row.near).or_default().add(y, 0.0);
            net.entry(row.far).or_default().add(-y, 0.0);
            gain.add(y * row.margin, UNIT * (y * row.margin).abs());
        }
    }
    let mut everywhere = 0.0;
    if let Some(b) = q.bound {
        for &(i, j, v) in answer.held.iter().filter(|h| h.2 > 0.0) {
            net.entry((i, j)).or_default().add(v, 0.0);
            gain.add(-v * b, UNIT * v * b);
        }
        everywhere = answer.everywhere.max(0.0);
        let pairs = 0.5 * q.n() as f64 * (q.n() as f64 - 1.0);
        gain.add(-everywhere * b * pairs, 4.0 * UNIT * everywhere * b * pairs);
    }
    let net: Vec<(Two, f64, f64)> = net.into_iter().map(|(pair, sum)| (pair, sum.value(), sum.doubt())).collect();
    let bent = bent(q, &x);
    let all = q.spread + everywhere;
    for p in 0..q.width() {
        let mut z = Sum::default();
        z.add(q.cost[p], 0.0);
        z.add(bent[p].0, bent[p].1);
        for (pair, g, doubt) in &net {
            let square = q.square(*pair, p);
            z.add(g * square, doubt * square + 6.0 * UNIT * (g * square).abs());
        }
        if all != 0.0 {
            let (sum, doubt) = over_all(q, p);
            z.add(all * sum, (all.abs() * doubt + 4.0 * UNIT * (q.spread.abs() + everywhere) * sum) * (1.0 + UNIT));
        }
        let least = z.lower();
        // A column that does not vary has nothing but its cost.
        if least < 0.0 && heaviest[p].1 {
            gain.add(least * heaviest[p].0, 2.0 * UNIT * (least * heaviest[p].0).abs());
        }
        // ½ ε |w - x|² where P is semidefinite up to rounding only.
        if deficit > 0.0 && diagonal(q, p) > 0.0 {
            let apart = heaviest[p].0.max(x[p]) * unit(diagonal(q, p));
            gain.add(-0.5 * deficit * apart * apart, 4.0 * UNIT * deficit * apart * apart);
        }
        gain.add(-0.5 * bent[p].0 * x[p], (bent[p].1 + 2.0 * UNIT * bent[p].0) * x[p]);
    }
    let out = gain.lower();
    if out.is_nan() { f64::NEG_INFINITY } else { out }
}

/// The sum of a column over all pairs, and its doubt: `n Σ x² - (Σ x)²` about the middle, or what stands there.
fn over_all(q: &Weighing, p: usize) -> (f64, f64) {
    let mut sum = Sum::default();
    match &q.columns {
        Columns::Distances(d) => d.column(p).iter().for_each(|v| sum.add(*v, 0.0)),
        Columns::Features(f) => {
            let n = q.n() as f64;
            let mut middle = Sum::default();
            f.column(p).iter().for_each(|v| middle.add(*v, 0.0));
            let centre = middle.value() / n;
            // About any number c: Σ_{i<j} (x_i - x_j)² = n Σ (x_i - c)² - (Σ (x_i - c))², each difference right to a rounding.
            let mut rest = Sum::default();
            for v in f.column(p) {
                let off = v - centre;
                sum.add(n * off * off, 6.0 * UNIT * n * off * off);
                rest.add(off, UNIT * off.abs());
            }
            let most = rest.value().abs() + rest.doubt();
            sum.add(-0.5 * most * most, 0.5 * most * most * (1.0 + 8.0 * UNIT));
        }
    }
    (sum.value(), sum.doubt())
}

/// For each column a weight that no point of at most this value passes, and whether the column varies; `None` where some weight
/// has no limit.
fn heaviest(q: &Weighing, value: f64) -> Option<Vec<(f64, bool)>> {
    let up = 1.0 + 16.0 * UNIT;
    // No term but that of the spread is below zero.
    let floor = if q.spread < 0.0 { -q.scale() * up } else { 0.0 };
    let room = ((value - floor) + 4.0 * UNIT * (value.abs() + floor.abs())).max(0.0);
    let one = |p: usize| {
        let widest = widest(q, p);
        let bounded = q.bound.filter(|_| widest > 0.0).map_or(f64::INFINITY, |b| b / widest);
        let bent = if diagonal(q, p) > 0.0 { (2.0 * room / diagonal(q, p)).sqrt() } else { f64::INFINITY };
        let paid = if q.cost[p] > 0.0 { room / q.cost[p] } else { f64::INFINITY };
        (bounded.min(bent).min(paid) * up, widest > 0.0)
    };
    let all: Vec<(f64, bool)> = (0..q.width()).map(one).collect();
    (room.is_finite() && all.iter().all(|(weight, varies)| weight.is_finite() || !varies)).then_some(all)
}

/// A square that some pair has in this column, rounded down.
fn widest(q: &Weighing, p: usize) -> f64 {
    let most = match &q.columns {
        Columns::Distances(d) => d.column(p).iter().fold(0.0, |m: f64, v| m.max(*v)),
        Columns::Features(f) => {
            let (low, high) =
                f.column(p).iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
            (high - low) * (high - low)
        }
    };
    most * (1.0 - 8.0 * UNIT)
}

/// `P_pp`.
fn diagonal(q: &Weighing, p: usize) -> f64 {
    match &q.bend {
        Bend::None => 0.0,
        Bend::Diagonal(diagonal) => diagonal[p],
        Bend::Blocks(blocks) => {
            let mut from = 0;
            for block in blocks {
                if p < from + block.nrows() {
                    return block[(p - from, p - from)];
                }
                from += block.nrows();
            }
            0.0
        }
    }
}

/// A power of two near the root of a number; dividing by it rounds nothing.
fn unit(v: f64) -> f64 {
    if v > 0.0 { (0.5 * v.log2()).floor().clamp(-500.0, 500.0).exp2() } else { 1.0 }
}

/// How far below zero an eigenvalue of `P` may be, weights in units in which its diagonal is near one; `None` where it is not
/// positive semidefinite at all.
fn deficit(q: &Weighing, limits: &Limits<'_>) -> Option<f64> {
    let Bend::Blocks(blocks) = &q.bend else { return Some(0.0) };
    let mut worst = 0.0f64;
    for block in blocks {
        let b = block.nrows();
        let units: Vec<f64> = (0..b).map(|i| unit(block[(i, i)])).collect();
        let mut even = Square::zeros(b);
        for ((i, j), v) in block.indexed_iter() {
            // What has no square may have no product either.
            if *v != 0.0 && (block[(i, i)] == 0.0 || block[(j, j)] == 0.0) {
                return None;
            }
            even.entries[i * b + j] = v / units[i] / units[j];
        }
        let least = least_eigenvalue(&even, limits);
        if least < -1e-6 || least.is_nan() {
            return None;
        }
        worst = worst.max(-least);
    }
    Some(worst * (1.0 + roundings(8)))
}
