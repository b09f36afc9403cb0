//! What points attain, by the slow path.

use ndarray::Array2;

use super::AGREE;
use super::question::{Balls, DualMend, Mend, Question, Two, place};
use super::rounding::{FINE, Sum, UNIT, Wide, roundings};
use crate::program::Candidate;

/// What was found of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// The objective (to be minimised) of points that keep every row that must hold, rounded up.
    pub(super) value: f64,
    /// The same, rounded down.
    pub(super) least: f64,
    /// By how much the points of the file themselves break a row that must hold, at the worst.
    pub(super) violation: f64,
    /// Whether they were mended; otherwise `value` is theirs, and `violation` has to be lived with.
    pub(super) mended: bool,
}

/// Points as they are, for the rows.
struct Points<'a> {
    points: &'a Array2<f64>,
    /// Squared distances are off by this share at most where they are plain numbers.
    off: f64,
    /// And by this where they are wide ones.
    fine: f64,
}

impl<'a> Points<'a> {
    fn of(points: &'a Array2<f64>) -> Self {
        Points { points, off: roundings(points.ncols() + 4), fine: FINE * (points.ncols() + 4) as f64 }
    }
    fn squared(&self, pair: Two) -> f64 {
        self.wide(pair).high
    }
    fn wide(&self, (i, j): Two) -> Wide {
        let (a, b) = (self.points.row(i as usize), self.points.row(j as usize));
        a.iter().zip(b).fold(Wide::default(), |sum, (a, b)| sum.plus(Wide::square_of_difference(*a, *b)))
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
    if let DualMend::Largest { distances, belong } = &q.dual_mend {
        return closed_form(q, points, distances, *belong);
    }
    let p = Points::of(points);
    let (least, spread) = p.spread();
    let mut paid = balls(q, &p);
    paid.extend(charges(q, candidate));
    let (violation, share) = broken(q, &p);
    let whole = if q.spread < 0.0 { (spread, least) } else { (least, spread) };
    let (mut low, mut high) = objective(q, whole, &|pair| p.wide(pair), p.fine, &paid);
    let mut mended = violation == 0.0;
    let mut size = spread * (1.0 + 4.0 * UNIT);
    match &q.mend {
        Mend::Mix(distances, inner) if share > 0.0 => {
            let n = q.n();
            let inside = |(i, j): Two| Wide::from(distances[place(n, i as usize, j as usize)]);
            // Their spread is a sum over all pairs, rounded up.
            let shy = inner * (1.0 - 4.0 * roundings(distances.len() + 8));
            let there =
                objective(q, if q.spread < 0.0 { (*inner, shy) } else { (shy, *inner) }, &inside, 8.0 * UNIT, &[]);
            let mixed = |value: f64, there: f64| {
                let doubt = 16.0 * UNIT * (value.abs() + share * there.abs());
                ((1.0 - share) * value + share * there, doubt)
            };
            let ((low_there, down), (high_there, up)) = (mixed(low, there.0), mixed(high, there.1));
            (low, high, mended) = (low_there - down, high_there + up, true);
            size = ((1.0 - share) * spread + share * inner) * (1.0 + 8.0 * UNIT);
        }
        Mend::Shrink if violation > 0.0 || share > 0.0 => {
            let by = 1.0 - share;
            let (a, b) = (whole.0 * by, whole.1 * by);
            let whole = (a - UNIT * a.abs(), b + UNIT * b.abs());
            let smaller: Vec<(f64, f64)> =
                paid.iter().map(|(a, b)| (a * by - 2.0 * UNIT * a.abs(), b * by + 2.0 * UNIT * b.abs())).collect();
            (low, high) = objective(q, whole, &|pair| p.wide(pair).times(by), p.fine + UNIT, &smaller);
            mended = true;
        }
        _ => {}
    }
    if let Some(most) = q.most_spread {
        // Everything grows in proportion: to the limit if that helps, to nothing otherwise.
        let grow = most / size;
        (low, high) = (
            if low >= 0.0 { 0.0 } else { low * grow * (1.0 + 16.0 * UNIT) },
            if high >= 0.0 { 0.0 } else { high * grow * (1.0 - 8.0 * UNIT) },
        );
    }
    Found { value: high, least: low, violation, mended }
}

/// The distances of the closed form, if they are those of points and the points of the file are these.
fn closed_form(q: &Question, points: &Array2<f64>, distances: &[f64], belong: bool) -> Found {
    let p = Points::of(points);
    let largest = distances.iter().fold(0.0, |m: f64, d| m.max(*d));
    let (n, mut same) = (q.n(), true);
    for i in 0..n {
        for j in i + 1..n {
            same &= (p.squared((i as u32, j as u32)) - distances[place(n, i, j)]).abs() <= AGREE * largest;
        }
    }
    let mut sum = Sum::default();
    distances.iter().for_each(|d| sum.add(-d, UNIT * d.abs()));
    let (least, value) = if belong && same { (sum.lower(), sum.upper()) } else { (f64::INFINITY, f64::INFINITY) };
    Found { value, least, violation: 0.0, mended: true }
}

/// What the blocks of a space are charged, from below and from above.
fn charges(q: &Question, candidate: &Candidate) -> Vec<(f64, f64)> {
    let mut all = Vec::new();
    for (block, factor) in q.made.iter().zip(&candidate.factors) {
        let Some(charge) = &block.charge else { continue };
        let mut sum = Sum::default();
        for ((a, b), p) in charge.indexed_iter() {
            for k in 0..factor.ncols() {
                let term = p * factor[(a, k)] * factor[(b, k)];
                sum.add(term, 3.0 * UNIT * term.abs());
            }
        }
        all.push((sum.lower(), sum.upper()));
    }
    all
}

/// The objective from below and from above, as the spread is given; hard rows cost nothing.
fn objective(
    q: &Question,
    (low, high): (f64, f64),
    d: &dyn Fn(Two) -> Wide,
    off: f64,
    paid: &[(f64, f64)],
) -> (f64, f64) {
    let mut sum = Sum::default();
    for &(i, j, c) in &q.costs {
        let term = d((i, j)).times(c);
        sum.add(term.high, 0.0);
        sum.add(term.low, (off + FINE) * term.high.abs());
    }
    for row in &q.rows {
        let (plus, minus) = (row.plus.map_or(Wide::default(), d), row.minus.map_or(Wide::default(), d));
        let r = plus.minus(minus).plus(row.constant.into());
        let doubt = (off + 3.0 * FINE) * (plus.high + minus.high + row.constant.abs());
        // The cost is convex and its slope is the multiplier: it is largest at the far end of the doubt.
        let cost = |r: f64| if q.entropy { bent(r, row.high) } else { price(r, row.low, row.high, q.curvature) };
        let about = r.high;
        let doubt = if q.entropy { doubt + r.low.abs() } else { doubt };
        let swing = (cost(about + doubt) - cost(about)).max(cost(about - doubt) - cost(about)).max(0.0);
        if q.curvature > 0.0 || q.entropy {
            sum.add(cost(about), swing + 8.0 * UNIT * cost(about).abs());
        } else {
            let side = if about > 0.0 { row.high } else { row.low };
            let term = r.times(if side.is_finite() { side } else { 0.0 });
            let firm = [row.low, row.high].iter().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
            sum.add(term.high, 0.0);
            sum.add(term.low, firm * doubt + FINE * term.high.abs());
        }
    }
    let (mut under, mut over) = (sum, sum);
    for (sum, spread) in [(&mut under, low), (&mut over, high)] {
        let term = Wide::product(q.spread, spread);
        sum.add(term.high, 0.0);
        sum.add(term.low, FINE * term.high.abs());
    }
    for (low, high) in paid {
        under.add(*low, 0.0);
        over.add(*high, 0.0);
    }
    (under.lower(), over.upper())
}

/// `w ln(1 + exp(r))`, without an exponential of a positive number.
fn bent(r: f64, w: f64) -> f64 {
    w * if r > 0.0 { r + (-r).exp().ln_1p() } else { r.exp().ln_1p() }
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

/// What each ball costs at its best radius, from below and from above, where it may be broken. Distances are wide numbers: a large slack
/// multiplies what they miss.
fn balls(q: &Question, p: &Points<'_>) -> Vec<(f64, f64)> {
    let Some(balls) = q.balls.as_ref().filter(|b| b.high.is_some()) else { return Vec::new() };
    let n = q.n();
    let mut paid = Vec::with_capacity(n);
    for radius in 0..balls.radii(n) {
        let mut near: Vec<(Wide, f64, i8)> = Vec::new();
        for k in balls.rows_of(n, radius) {
            near.push((p.wide(Balls::pair(n, k)), balls.most(k), balls.signs[k]));
        }
        near.sort_by(|a, b| a.0.high.total_cmp(&b.0.high).then(a.0.low.total_cmp(&b.0.low)));
        // Growing past a distance adds its weight to the slope, whichever side it is on: the best radius is a weighted quantile.
        let mut slope: f64 = -near.iter().filter(|s| s.2 > 0).map(|s| s.1).sum::<f64>();
        let mut radius = Wide::default();
        for (d, weight, _) in &near {
            if slope >= 0.0 {
                break;
            }
            radius = *d;
            slope += weight;
        }
        let mut cost = Sum::default();
        for (d, weight, sign) in &near {
            let excess = if *sign > 0 { d.minus(radius) } else { radius.minus(*d) };
            let doubt = (p.fine + 4.0 * FINE) * (d.high + radius.high);
            if excess.high > 0.0 {
                let term = excess.times(*weight);
                cost.add(term.high, 0.0);
                cost.add(term.low, weight * doubt + FINE * term.high);
            } else {
                cost.add(0.0, if excess.high > -doubt { weight * doubt } else { 0.0 });
            }
        }
        paid.push((cost.lower().max(0.0), cost.upper()));
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
        // Below zero where the row holds with room: objects in one place must not count as a row that is nearly broken.
        let by = match (over, under) {
            (true, true) => r.abs(),
            (true, false) => r,
            _ => -r,
        };
        worst = worst_of(worst, by, doubt);
        if by + doubt > 0.0 {
            share = share_of(
                share,
                match &q.mend {
                    Mend::Mix(..) => needed(by + doubt, inside(row.minus) - inside(row.plus) - row.constant),
                    // (1 - t) plus ≤ -constant.
                    Mend::Shrink => (by + 2.0 * doubt) / plus.max(f64::MIN_POSITIVE),
                    Mend::Told => 0.0,
                },
            );
        }
    }
    if let Some(balls) = q.balls.as_ref().filter(|b| b.high.is_none()) {
        let n = q.n();
        for radius in 0..balls.radii(n) {
            let (mut inner, mut outer, mut near, mut far) = (0.0f64, f64::INFINITY, 0.0f64, f64::INFINITY);
            for k in balls.rows_of(n, radius) {
                let pair = Balls::pair(n, k);
                let (d, there) = (p.squared(pair), inside(Some(pair)));
                if balls.signs[k] > 0 {
                    (inner, near) = (inner.max(d), near.max(there));
                } else {
                    (outer, far) = (outer.min(d), far.min(there));
                }
            }
            if !outer.is_finite() {
                continue;
            }
            let (by, doubt) = (0.5 * (inner - outer), (p.off + 4.0 * UNIT) * (inner + outer));
            worst = worst_of(worst, by, doubt);
            if by + doubt > 0.0 && inner > 0.0 {
                share = share_of(share, needed(by + doubt, 0.5 * (far - near)));
            }
        }
    }
    (worst, share)
}

/// The worse of a break and those before, where it is beyond doubt; what is not a number breaks without end.
fn worst_of(worst: f64, by: f64, doubt: f64) -> f64 {
    if by <= doubt {
        worst
    } else if by.is_nan() || doubt.is_nan() {
        f64::INFINITY
    } else {
        worst.max(by)
    }
}

/// The larger share, at most the whole; what is not a number takes it all.
fn share_of(share: f64, other: f64) -> f64 {
    if other <= 1.0 { share.max(other) } else { 1.0 }
}

/// `(1 - t) r - t room ≤ 0`.
fn needed(r: f64, room: f64) -> f64 {
    if room > 0.0 { r / (r + room) * (1.0 + 8.0 * UNIT) } else { 1.0 }
}
