//! What points attain, by the slow path.

use ndarray::Array2;

use super::AGREE;
use super::question::{Anchor, Mend, Question, Two, place};
use super::rounding::{Sum, UNIT, roundings};
use crate::program::Candidate;

/// What was found of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// The objective (to be minimised) of points that keep every row that must hold, rounded up.
    pub(super) value: f64,
    /// By how much the points of the file themselves break a row that must hold, at the worst.
    pub(super) violation: f64,
    /// Whether they were mended; otherwise `value` is theirs, and `violation` has to be lived with.
    pub(super) mended: bool,
}

/// Points as they are, for the rows.
struct Points<'a> {
    points: &'a Array2<f64>,
    /// Squared distances are off by this share at most.
    off: f64,
}

impl Points<'_> {
    fn squared(&self, (i, j): Two) -> f64 {
        let (a, b) = (self.points.row(i as usize), self.points.row(j as usize));
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
    }
    /// `Σ |yᵢ - ȳ|²` from below and from above.
    fn spread(&self) -> (f64, f64) {
        let (n, r) = self.points.dim();
        let mut sum = Sum::default();
        for column in self.points.columns() {
            let mut mean = Sum::default();
            column.iter().for_each(|v| mean.add(*v, 0.0));
            let (mean, doubt) = (mean.value() / n as f64, mean.doubt() / n as f64 + UNIT * mean.value().abs());
            for v in column {
                let term = (v - mean) * (v - mean);
                sum.add(term, 3.0 * UNIT * term + doubt * doubt);
            }
        }
        let more = roundings(r + 4) * sum.value();
        (sum.lower() - more, sum.upper() + more)
    }
}

/// What the points attain.
pub(super) fn found(q: &Question, points: &Array2<f64>, candidate: &Candidate) -> Found {
    if let Anchor::Largest { distances, belong } = &q.anchor {
        return closed_form(q, points, distances, *belong);
    }
    let p = Points { points, off: roundings(points.ncols() + 4) };
    let (least, spread) = p.spread();
    let at = |pair: Two| p.squared(pair);
    let mut paid = balls(q, &p);
    paid.extend(charges(q, candidate));
    let mut value = objective(q, if q.spread < 0.0 { least } else { spread }, &at, p.off, &paid);
    let (violation, share) = broken(q, &p);
    let mut found = Found { value, violation, mended: violation == 0.0 };
    let mut size = spread * (1.0 + 4.0 * UNIT);
    match &q.mend {
        Mend::Mix(distances, inner) if share > 0.0 => {
            let n = q.n();
            let inside = |(i, j): Two| distances[place(n, i as usize, j as usize)];
            // Their spread is a sum over all pairs, rounded up.
            let shy = if q.spread < 0.0 { inner * (1.0 - 4.0 * roundings(distances.len() + 8)) } else { *inner };
            let there = objective(q, shy, &inside, 8.0 * UNIT, &[]);
            value = (1.0 - share) * value + share * there + 16.0 * UNIT * (value.abs() + share * there.abs());
            size = ((1.0 - share) * spread + share * inner) * (1.0 + 8.0 * UNIT);
            (found.value, found.mended) = (value, true);
        }
        Mend::Shrink if violation > 0.0 || share > 0.0 => {
            let by = 1.0 - share;
            let smaller = |pair: Two| p.squared(pair) * by;
            found.value = objective(q, if q.spread < 0.0 { least } else { spread } * by, &smaller, p.off + UNIT, &[]);
            found.mended = true;
        }
        _ => {}
    }
    if let Some(most) = q.most_spread {
        // Everything grows in proportion: to the limit if that helps, to nothing otherwise.
        let grown = found.value * (most / size) * (1.0 - 8.0 * UNIT);
        found.value = if found.value >= 0.0 { 0.0 } else { grown };
    }
    found
}

/// The distances of the closed form, if they are those of points and the points of the file are these.
fn closed_form(q: &Question, points: &Array2<f64>, distances: &[f64], belong: bool) -> Found {
    let p = Points { points, off: roundings(points.ncols() + 4) };
    let largest = distances.iter().fold(0.0, |m: f64, d| m.max(*d));
    let (n, mut same) = (q.n(), true);
    for i in 0..n {
        for j in i + 1..n {
            same &= (p.squared((i as u32, j as u32)) - distances[place(n, i, j)]).abs() <= AGREE * largest;
        }
    }
    let mut sum = Sum::default();
    distances.iter().for_each(|d| sum.add(-d, UNIT * d.abs()));
    let value = if belong && same { sum.upper() } else { f64::INFINITY };
    Found { value, violation: 0.0, mended: true }
}

/// What the blocks of a space are charged, from above.
fn charges(q: &Question, candidate: &Candidate) -> Vec<f64> {
    let mut all = Vec::new();
    for (block, factor) in q.space.iter().zip(&candidate.factors) {
        let Some(charge) = &block.charge else { continue };
        let mut sum = Sum::default();
        for ((a, b), p) in charge.indexed_iter() {
            for k in 0..factor.ncols() {
                let term = p * factor[(a, k)] * factor[(b, k)];
                sum.add(term, 3.0 * UNIT * term.abs());
            }
        }
        all.push(sum.upper());
    }
    all
}

/// The objective from above; hard rows cost nothing.
fn objective(q: &Question, spread: f64, d: &dyn Fn(Two) -> f64, off: f64, paid: &[f64]) -> f64 {
    let mut sum = Sum::default();
    sum.add(q.spread * spread, 2.0 * UNIT * (q.spread * spread).abs());
    for &(i, j, c) in &q.costs {
        let term = c * d((i, j));
        sum.add(term, (off + 2.0 * UNIT) * term.abs());
    }
    for row in &q.rows {
        let (plus, minus) = (row.plus.map_or(0.0, d), row.minus.map_or(0.0, d));
        let r = plus - minus + row.constant;
        let doubt = off * (plus + minus) + 3.0 * UNIT * (plus + minus + row.constant.abs());
        // The cost is convex and its slope is the multiplier: it is largest at the far end of the doubt.
        let cost = |r: f64| price(r, row.low, row.high, q.curvature);
        sum.add(
            cost(r),
            (cost(r + doubt) - cost(r)).max(cost(r - doubt) - cost(r)).max(0.0) + 4.0 * UNIT * cost(r).abs(),
        );
    }
    paid.iter().for_each(|cost| sum.add(*cost, 0.0));
    sum.upper()
}

/// `max v r - κ v²/2` over the range, sides without end aside where nothing bends.
fn price(r: f64, low: f64, high: f64, curvature: f64) -> f64 {
    let v = if curvature > 0.0 {
        (r / curvature).clamp(low, high)
    } else {
        let side = if r > 0.0 { high } else { low };
        if side.is_finite() { side } else { 0.0 }
    };
    v * r - 0.5 * curvature * v * v
}

/// What each ball costs at its best radius, from above, where it may be broken.
fn balls(q: &Question, p: &Points<'_>) -> Vec<f64> {
    let Some(balls) = q.balls.as_ref().filter(|b| b.high.is_some()) else { return Vec::new() };
    let n = q.n();
    let mut paid = Vec::with_capacity(n);
    for i in 0..n {
        let mut near: Vec<(f64, f64, i8)> = Vec::new();
        for j in (0..n).filter(|j| balls.signs[i * n + j] != 0) {
            near.push((p.squared((i as u32, j as u32)), balls.most(i * n + j), balls.signs[i * n + j]));
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Growing past a distance adds its weight to the slope, whichever side it is on: the best radius is a weighted quantile.
        let mut slope: f64 = -near.iter().filter(|s| s.2 > 0).map(|s| s.1).sum::<f64>();
        let mut radius = 0.0;
        for (d, weight, _) in &near {
            if slope >= 0.0 {
                break;
            }
            radius = *d;
            slope += weight;
        }
        let mut cost = Sum::default();
        for (d, weight, sign) in &near {
            let excess = f64::from(*sign) * (d - radius);
            let doubt = p.off * d + 2.0 * UNIT * (d + radius);
            cost.add(weight * excess.max(0.0), if excess > -doubt { weight * doubt } else { 0.0 });
        }
        paid.push(cost.upper());
    }
    paid
}

/// The worst break of a row that must hold, and the share of mending that all of them need.
fn broken(q: &Question, p: &Points<'_>) -> (f64, f64) {
    let (mut worst, mut share) = (0.0f64, 0.0f64);
    let inside = |pair: Option<Two>| match (&q.mend, pair) {
        (Mend::Mix(d, _), Some((i, j))) => d[place(q.n(), i as usize, j as usize)],
        _ => 0.0,
    };
    for row in &q.rows {
        let (over, under) = (row.high.is_infinite(), row.low.is_infinite());
        if q.curvature > 0.0 || !(over || under) {
            continue;
        }
        let (plus, minus) = (row.plus.map_or(0.0, |x| p.squared(x)), row.minus.map_or(0.0, |x| p.squared(x)));
        let r = plus - minus + row.constant;
        let doubt = (p.off + 4.0 * UNIT) * (plus + minus + row.constant.abs());
        let by = (if over { r } else { 0.0 }).max(if under { -r } else { 0.0 });
        if by > doubt {
            worst = worst.max(by);
        }
        if by + doubt > 0.0 {
            share = share.max(match &q.mend {
                Mend::Mix(..) => needed(by + doubt, inside(row.minus) - inside(row.plus) - row.constant),
                // (1 - t) plus ≤ -constant.
                Mend::Shrink => (by + 2.0 * doubt) / plus.max(f64::MIN_POSITIVE),
                Mend::Told => 0.0,
            });
        }
    }
    if let Some(balls) = q.balls.as_ref().filter(|b| b.high.is_none()) {
        let n = q.n();
        for i in 0..n {
            let (mut inner, mut outer, mut near, mut far) = (0.0f64, f64::INFINITY, 0.0f64, f64::INFINITY);
            for j in (0..n).filter(|j| balls.signs[i * n + j] != 0) {
                let pair = ((i.min(j)) as u32, (i.max(j)) as u32);
                let (d, there) = (p.squared(pair), inside(Some(pair)));
                if balls.signs[i * n + j] > 0 {
                    (inner, near) = (inner.max(d), near.max(there));
                } else {
                    (outer, far) = (outer.min(d), far.min(there));
                }
            }
            if !outer.is_finite() {
                continue;
            }
            let (by, doubt) = (0.5 * (inner - outer), (p.off + 4.0 * UNIT) * (inner + outer));
            if by > doubt {
                worst = worst.max(by);
            }
            if by + doubt > 0.0 && inner > 0.0 {
                share = share.max(needed(by + doubt, 0.5 * (far - near)));
            }
        }
    }
    (worst, share)
}

/// `(1 - t) r - t room ≤ 0`.
fn needed(r: f64, room: f64) -> f64 {
    if room > 0.0 { r / (r + room) * (1.0 + 8.0 * UNIT) } else { 1.0 }
}
