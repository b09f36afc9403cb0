//! The bound that multipliers prove, by the slow path.

use std::collections::BTreeMap;

use ndarray::Array2;

use super::definite::{Square, least_eigenvalue};
use super::limits::Limits;
use super::question::{Balls, DualMend, Question, Two};
use super::rounding::{FINE, Sum, UNIT, Wide, roundings};
use super::space::Made;
use crate::program::Candidate;

/// Multipliers that no row of the question allows.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutOfRange {
    pub(super) row: usize,
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The first multiplier outside its range, and how many there are.
pub(super) fn out_of_range(q: &Question, c: &Candidate) -> (usize, Option<OutOfRange>) {
    let (mut count, mut first) = (0, None);
    let mut see = |row, value: f64, low: f64, high: f64| {
        if !(low <= value && value <= high) {
            count += 1;
            first.get_or_insert(OutOfRange { row, value, low, high });
        }
    };
    for (t, (row, y)) in q.rows.iter().zip(&c.multipliers).enumerate() {
        see(t, *y, row.low, row.high);
    }
    for (t, &(i, j, y)) in c.ball_multipliers.iter().enumerate() {
        let k = i as usize * q.n() + j as usize;
        let said = q.balls.as_ref().is_some_and(|b| b.signs[k] != 0);
        see(t, y, 0.0, if said { q.balls.as_ref().map_or(0.0, |b| b.most(k)) } else { 0.0 });
    }
    (count, first)
}

/// No map has an objective (to be minimised) below this.
pub(super) fn bound(q: &Question, c: &Candidate, limits: &Limits<'_>) -> f64 {
    if let DualMend::Largest { distances, .. } = &q.dual_mend {
        let mut sum = Sum::default();
        distances.iter().for_each(|d| sum.add(-d, UNIT * d.abs()));
        return sum.lower();
    }
    let rows: Vec<f64> = q.rows.iter().zip(&c.multipliers).map(|(r, y)| y.clamp(r.low, r.high)).collect();
    let balls = flowing(q, c);
    let value = value_of(q, &rows);
    let terms = || {
        let costs = q.costs.iter().map(|&(i, j, c)| ((i, j), c));
        let from_rows = q.rows.iter().zip(&rows).filter(|(_, y)| **y != 0.0).flat_map(|(row, y)| {
            let (plus, minus) = (row.plus.map(|p| (p, *y)), row.minus.map(|p| (p, -*y)));
            plus.into_iter().chain(minus)
        });
        costs.chain(from_rows).chain(balls.iter().copied())
    };
    let down = |v: f64| v - 8.0 * UNIT * v.abs();
    // In a spanned space the trace is that of the blocks up to this share.
    let off = if matches!(q.dual_mend, DualMend::Grow) || q.most_spread.is_some() {
        q.made.iter().map(|m| off_identity(&m.basis)).fold(0.0, f64::max)
    } else {
        0.0
    };
    if matches!(q.dual_mend, DualMend::Grow) {
        // S(s y) = a H + s L(y), definite from s = -a / λ on.
        let least = least(q, 0.0, &terms, limits);
        if !(least > 0.0 && off < 0.5) {
            return f64::NEG_INFINITY;
        }
        // A hair more than enough, so that products rounded down are enough too.
        let times = -q.spread * (1.0 + off) / least * (1.0 + 8.0 * UNIT);
        return value_of(q, &rows.iter().map(|y| y * times).collect::<Vec<f64>>());
    }
    let least = least(q, q.spread, &terms, limits);
    if least >= 0.0 {
        return value;
    }
    if let Some(most) = q.most_spread {
        return if off < 0.5 { down(value + most * (least / (1.0 - off))) } else { f64::NEG_INFINITY };
    }
    let (other, room) = match &q.dual_mend {
        DualMend::Zero => (0.0, q.spread),
        DualMend::Rows(y, room) => (value_of(q, y), *room),
        _ => return f64::NEG_INFINITY,
    };
    if room <= 0.0 {
        return f64::NEG_INFINITY;
    }
    // (1 - t) S(y) + t S(y₀) has no negative eigenvalue from t (room - least) = -least on.
    let share = (-least / (room - least) * (1.0 + 8.0 * UNIT)).min(1.0);
    (1.0 - share) * value + share * other - 16.0 * UNIT * (value.abs() + share * other.abs())
}

/// `Σ y e - κ/2 Σ y²`, and the entropies where rows have them, from below.
fn value_of(q: &Question, y: &[f64]) -> f64 {
    let mut sum = Sum::default();
    for (row, y) in q.rows.iter().zip(y) {
        let linear = Wide::product(*y, row.constant);
        sum.add(linear.high, 0.0);
        sum.add(linear.low, FINE * linear.high.abs());
        if q.curvature > 0.0 {
            let square = Wide::product(*y, *y).times(0.5 * q.curvature);
            sum.add(-square.high, 0.0);
            sum.add(-square.low, FINE * square.high);
        }
        if q.entropy {
            // `-v ln(v/w)` of both sides of the coin: a quotient, a logarithm and a product, each off by a unit or two.
            for v in [*y, row.high - *y].into_iter().filter(|v| *v > 0.0) {
                let term = -v * (v / row.high).ln();
                sum.add(term, 8.0 * UNIT * (term.abs() + v + row.high));
            }
        }
    }
    sum.lower()
}

/// Signed multipliers of balls, clipped, those inside lowered until they pull no radius below zero.
fn flowing(q: &Question, c: &Candidate) -> Vec<(Two, f64)> {
    let Some(balls) = &q.balls else { return Vec::new() };
    let n = q.n();
    let (mut inside, mut outside) = (vec![0.0; balls.radii(n)], vec![0.0; balls.radii(n)]);
    let mut kept = Vec::new();
    for &(i, j, y) in &c.ball_multipliers {
        let k = i as usize * n + j as usize;
        let y = if balls.signs[k] == 0 { 0.0 } else { y.clamp(0.0, balls.most(k)) };
        let radius = balls.radius(n, k);
        if balls.signs[k] > 0 {
            inside[radius] += y
        } else {
            outside[radius] += y
        }
        kept.push((radius, Balls::pair(n, k), f64::from(balls.signs[k]) * y));
    }
    // Sums of up to so many numbers are off by as many roundings; a hair less on the inside makes up for it.
    let hair = 1.0 - 4.0 * roundings(2 * if balls.one { n * n } else { n } + 8);
    for (radius, _, y) in kept.iter_mut().filter(|b| b.2 > 0.0) {
        if inside[*radius] > outside[*radius] * hair {
            *y *= outside[*radius] / inside[*radius] * hair;
        }
    }
    kept.into_iter().map(|(_, pair, y)| (pair, y)).collect()
}

/// A number below every eigenvalue of the dual matrix that matters: on vectors that sum to zero, or on the blocks of a space.
fn least<I: Iterator<Item = (Two, f64)>>(q: &Question, a: f64, terms: &dyn Fn() -> I, limits: &Limits<'_>) -> f64 {
    if q.made.is_empty() {
        return least_on_the_rest(q.n(), a, terms(), limits);
    }
    let mut pairs: BTreeMap<Two, (f64, f64, u32)> = BTreeMap::new();
    for (pair, w) in terms() {
        let all = pairs.entry(pair).or_default();
        *all = (all.0 + w, all.1 + w.abs(), all.2 + 1);
    }
    q.made.iter().map(|block| least_in_block(block, a, &pairs, limits)).fold(f64::INFINITY, f64::min)
}

/// A number below every eigenvalue of `Φᵗ(a H + L(w))Φ + P`, for pairs of weights with their sizes and how many terms they have.
fn least_in_block(block: &Made, a: f64, pairs: &BTreeMap<Two, (f64, f64, u32)>, limits: &Limits<'_>) -> f64 {
    let (n, q) = block.basis.dim();
    let (middle, apart) = about_the_middle(&block.basis);
    let mut sums = vec![Sum::default(); q * q];
    let mut d = vec![0.0; q];
    for (&(i, j), &(w, size, terms)) in pairs {
        if limits.late() {
            return f64::NEG_INFINITY;
        }
        d.iter_mut().enumerate().for_each(|(k, d)| *d = block.basis[(i as usize, k)] - block.basis[(j as usize, k)]);
        let doubt = (f64::from(terms) + 6.0) * UNIT * size;
        for k in 0..q {
            for l in 0..=k {
                let term = w * d[k] * d[l];
                sums[k * q + l].add(term, doubt * (d[k] * d[l]).abs() + 2.0 * UNIT * term.abs());
            }
        }
    }
    let mut m = Square::zeros(q);
    let mut doubts = vec![0.0; q];
    for k in 0..q {
        for l in 0..=k {
            let sum = &mut sums[k * q + l];
            for i in 0..n {
                let (x, y) = (middle[(i, k)], middle[(i, l)]);
                let doubt = x.abs() * apart[l] + y.abs() * apart[k] + apart[k] * apart[l] + 3.0 * UNIT * (x * y).abs();
                sum.add(a * x * y, a.abs() * doubt);
            }
            if let Some(charge) = &block.charge {
                sum.add(0.5 * (charge[(k, l)] + charge[(l, k)]), UNIT * charge[(k, l)].abs());
            }
            m.entries[k * q + l] = sum.value();
            m.entries[l * q + k] = sum.value();
            doubts[k] += sum.doubt();
            if l < k {
                doubts[l] += sum.doubt();
            }
        }
    }
    if doubts.iter().any(|v| !v.is_finite()) {
        return f64::NEG_INFINITY;
    }
    least_eigenvalue(&m, limits) - doubts.iter().fold(0.0, |m: f64, v| m.max(*v)) * (1.0 + roundings(2 * q))
}

/// The columns about their means, and by how much an entry of each may be off.
fn about_the_middle(basis: &Array2<f64>) -> (Array2<f64>, Vec<f64>) {
    let n = basis.nrows() as f64;
    let mut out = basis.clone();
    let mut doubts = Vec::new();
    for mut column in out.columns_mut() {
        let mut sum = Sum::default();
        column.iter().for_each(|v| sum.add(*v, 0.0));
        let mean = sum.value() / n;
        let most = column.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        doubts.push(sum.doubt() / n + 2.0 * UNIT * (most + mean.abs()));
        column.mapv_inplace(|v| v - mean);
    }
    (out, doubts)
}

/// `|ΦᵗHΦ - I|`, from above.
pub(super) fn off_identity(basis: &Array2<f64>) -> f64 {
    let (middle, apart) = about_the_middle(basis);
    let (n, q) = middle.dim();
    let mut worst = 0.0f64;
    for k in 0..q {
        let mut row = 0.0;
        for l in 0..q {
            let mut sum = Sum::default();
            for i in 0..n {
                let (x, y) = (middle[(i, k)], middle[(i, l)]);
                sum.add(x * y, x.abs() * apart[l] + y.abs() * apart[k] + apart[k] * apart[l] + UNIT * (x * y).abs());
            }
            row += (sum.value() - if k == l { 1.0 } else { 0.0 }).abs() + sum.doubt();
        }
        // What is not a number is as far off as can be: `max` would pass it over.
        worst = if row.is_nan() { f64::INFINITY } else { worst.max(row) };
    }
    worst * (1.0 + roundings(2 * q))
}

/// A number below every eigenvalue of `a H + L(w)` on vectors that sum to zero, the weights given term by term.
pub(super) fn least_on_the_rest(n: usize, a: f64, terms: impl Iterator<Item = (Two, f64)>, limits: &Limits<'_>) -> f64 {
    let mut m = Square::zeros(n);
    let mut counts = vec![0u32; n * n];
    let mut sizes = vec![0.0; n];
    for ((i, j), w) in terms {
        let (i, j) = (i as usize, j as usize);
        m.entries[i * n + j] -= w;
        counts[i * n + j] += 1;
        sizes[i] += w.abs();
        sizes[j] += w.abs();
    }
    let most = counts.into_iter().max().unwrap_or(0) as usize;
    let mut degrees = vec![Sum::default(); n];
    for i in 0..n {
        for j in i + 1..n {
            let w = m.entries[i * n + j];
            m.entries[j * n + i] = w;
            degrees[i].add(-w, 0.0);
            degrees[j].add(-w, 0.0);
        }
    }
    let mut mean = 0.0;
    for i in 0..n {
        m.entries[i * n + i] = a + degrees[i].value();
        mean += m.entries[i * n + i].abs() / n as f64;
    }
    // The constant vector does not count: it is lifted out of the way.
    let lift = (a.abs() + 2.0 * mean) / n as f64;
    m.entries.iter_mut().for_each(|v| *v += lift);
    let largest = sizes.iter().fold(0.0, |m: f64, v| m.max(*v));
    // Weights are sums of up to `most` terms; a degree is rounded, and every entry twice more.
    let doubt = 2.0 * roundings(most + 1) * largest + 4.0 * UNIT * (m.norm() + 2.0 * largest + a.abs());
    least_eigenvalue(&m, limits) - doubt * (1.0 + roundings(2 * n))
}
