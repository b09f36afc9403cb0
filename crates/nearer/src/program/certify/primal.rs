//! The primal side: a feasible point made of the answer, and its value rounded away from the bound.

use ndarray::Array2;
use nearer_num::definite::{UNIT, gamma};
use nearer_num::{augmented, dense, packed, par};

use crate::error::Error;
use crate::geometry::Touch;
use crate::program::gram::{Candidate, GramProgram, Interior};
use crate::program::{Interval, Space};

/// What an answer attains.
#[derive(Debug, Clone)]
pub(crate) struct Attained {
    /// The objective (to be minimised) of a feasible point, rounded up.
    pub(crate) value: f64,
    /// By how much the answer itself breaks its worst hard row.
    pub(crate) violation: f64,
    /// The same, where the answer could not be moved to a point that breaks no row: then the value is not attained.
    pub(crate) unmended: f64,
    /// The numerical rank of the answer.
    pub(crate) rank: usize,
}

/// A point by its distances: its value, and the rows that must hold.
struct Valued {
    value: f64,
    /// The size of all terms together, for the rounding.
    size: f64,
}

impl GramProgram {
    /// The value of a feasible point near the answer.
    pub(crate) fn attained(&self, candidate: &Candidate) -> Result<Attained, Error> {
        let points = self.space.points(&candidate.factors);
        let rank = dense::rank(&points, 1e-5)
            .map_err(|_| Error::Numerical { what: "the eigenvalues of the scatter of a solution".into() })?;
        let mut view = self.viewed(&points);
        view.charge = self.charge(candidate);
        let broken = self.broken(&view);
        let violation = broken.worst;
        let here = self.valued(&view);
        let terms = points.len() + 12 + self.rows.len().min(1 << 20);
        let rounding = gamma(terms) * here.size;
        let e = self.blurred(candidate);
        let blur = self.blur(candidate, &view, e);
        let mut value = here.value + rounding + blur;
        let mut trace = view.trace * (1.0 + gamma(points.len() + 8));
        let mut unmended = violation;
        // Where points are rounded themselves, rows that hold here may not hold for the points meant.
        let doubtful = e > 0.0 && (0..self.rows.len()).any(|t| self.must_hold(t));
        if violation > 0.0 || doubtful {
            if let Some(interior) = &self.interior {
                unmended = 0.0;
                let share = broken.share * (1.0 + 16.0 * UNIT);
                let there = self.interior_value(interior);
                value = (1.0 - share) * value + share * there + 16.0 * UNIT * (value.abs() + share * there.abs());
                trace = (1.0 - share) * trace + share * interior.trace;
            } else if let Some(shrink) = self.shrink(&view, e) {
                unmended = 0.0;
                let mut smaller = self.viewed(&points.mapv(|v| v * shrink.sqrt() * (1.0 - 4.0 * UNIT)));
                smaller.charge = view.charge * shrink;
                let there = self.valued(&smaller);
                value = there.value + gamma(terms) * there.size + blur;
            }
        }
        if let Some(r) = self.trace_bound {
            // Everything grows in proportion: to the bound if that helps, to nothing otherwise.
            value = if value >= 0.0 { 0.0 } else { value * (r / trace) * (1.0 - 8.0 * UNIT) };
        }
        Ok(Attained { value, violation, unmended, rank })
    }

    /// The objective of the answer's Gram matrix times each of some sizes, made smaller where a row that must hold would not: all at
    /// little more than the cost of one. Not rounded to a side; none where shrinking does not mend every row.
    pub(crate) fn along(&self, candidate: &Candidate, sizes: &[f64]) -> Option<Vec<f64>> {
        if self.balls.is_some() || self.interior.is_some() {
            return None;
        }
        let view = self.viewed(&self.space.points(&candidate.factors));
        // A little less, so that no row is broken by rounding.
        let most = self.largest_multiple(&view, 0.0)? * (1.0 - 1e-12);
        let sizes: Vec<f64> = sizes.iter().map(|size| size.min(most)).collect();
        let fixed: f64 = self.cost.iter().zip(&view.distances).map(|(c, d)| c * d).sum();
        let linear = fixed + self.trace * view.trace + self.charge(candidate);
        let ranges = par::ranges(self.rows.len(), 1 << 13);
        let parts = par::map(ranges.len(), |k| {
            let mut sums = vec![0.0; sizes.len()];
            for t in ranges[k].clone() {
                let e = self.rows.constant[t];
                let grown = self.rows.residual(t, &view.distances, &[]) - e;
                let priced = sizes.iter().map(|size| self.price(t, size * grown + e));
                sums.iter_mut().zip(priced).for_each(|(sum, price)| *sum += price);
            }
            sums
        });
        let total = |k: usize| parts.iter().map(|p| p[k]).sum::<f64>();
        Some(sizes.iter().enumerate().map(|(k, size)| size * linear + total(k)).collect())
    }

    /// How far towards nothing the points have to shrink for every row to hold, where shrinking helps.
    fn shrink(&self, view: &View, e: f64) -> Option<f64> {
        let most = self.largest_multiple(view, e)?;
        (self.balls.is_none() && self.trace_bound.is_none()).then_some(most.min(1.0))
    }

    /// The largest multiple of the Gram matrix at which every row holds that must, where these only bound distances from above.
    fn largest_multiple(&self, view: &View, e: f64) -> Option<f64> {
        let mut most = f64::INFINITY;
        for t in 0..self.rows.len() {
            let interval = self.interval(t);
            if !self.must_hold(t) {
                continue;
            }
            if interval.is_equality() || self.rows.constant[t] >= 0.0 || self.rows.entries(t).any(|(_, a)| a < 0.0) {
                return None;
            }
            let off: f64 = match e > 0.0 {
                true => self.rows.entries(t).map(|(p, a)| a * moved(view.distances[p as usize], e)).sum(),
                false => 0.0,
            };
            let grown = self.rows.residual(t, &view.distances, &[]) - self.rows.constant[t] + off;
            let room = -self.rows.constant[t];
            if grown > 0.0 {
                most = most.min(if grown > room { room / grown * (1.0 - 16.0 * UNIT) } else { room / grown });
            }
        }
        Some(most)
    }

    /// `Σ_b ⟨P_b, N_b N_bᵗ⟩`.
    fn charge(&self, candidate: &Candidate) -> f64 {
        let Space::Spanned(blocks) = &self.space else { return 0.0 };
        let mut sum = 0.0;
        for (block, factor) in blocks.iter().zip(&candidate.factors) {
            if let Some(p) = &block.charge {
                sum += (&p.dot(factor) * factor).sum();
            }
        }
        sum
    }

    /// How far a point of a spanned space, `Φ N`, may be off by its own rounding; nothing for free points.
    fn blurred(&self, candidate: &Candidate) -> f64 {
        let Space::Spanned(blocks) = &self.space else { return 0.0 };
        let mut square = ndarray::Array1::<f64>::zeros(self.n);
        for (block, factor) in blocks.iter().zip(&candidate.factors) {
            let off = block.basis.mapv(f64::abs).dot(&factor.mapv(f64::abs)) * gamma(factor.nrows() + 4);
            square += &off.map_axis(ndarray::Axis(1), |r| r.iter().map(|v| v * v).sum::<f64>());
        }
        square.iter().fold(0.0, |m: f64, v| m.max(*v)).sqrt() * (1.0 + 1e-9)
    }

    /// What the value may be off with every point off by at most `e`, and the charge by its rounding.
    fn blur(&self, candidate: &Candidate, view: &View, e: f64) -> f64 {
        let Space::Spanned(blocks) = &self.space else { return 0.0 };
        let mut charged = 0.0;
        for (block, factor) in blocks.iter().zip(&candidate.factors) {
            if let Some(p) = &block.charge {
                let sizes = factor.mapv(f64::abs);
                charged += gamma(2 * p.len() + 8) * (&p.mapv(f64::abs).dot(&sizes) * &sizes).sum();
            }
        }
        let moved = |d: f64| moved(d, e);
        let mut off =
            charged + self.trace.abs() * (2.0 * e * (self.n as f64 * view.trace).sqrt() + self.n as f64 * e * e);
        off += self.cost.iter().zip(&view.distances).map(|(c, d)| c.abs() * moved(*d)).sum::<f64>();
        for t in 0..self.rows.len() {
            let Interval { low, high } = self.interval(t);
            let finite = |v: f64| if v.is_finite() { v.abs() } else { 0.0 };
            let each = finite(low).max(finite(high));
            off += each * self.rows.entries(t).map(|(p, a)| a.abs() * moved(view.distances[p as usize])).sum::<f64>();
        }
        if let Some(balls) = self.balls.as_ref().filter(|b| b.slack().is_some()) {
            // Any two points are within the root of the trace of each other, twice.
            let farthest = moved(4.0 * view.trace);
            let paid: f64 = (0..balls.centres()).map(|c| (0..self.n).map(|j| balls.high(c, j)).sum::<f64>()).sum();
            off += paid * farthest;
        }
        off * (1.0 + 1e-9)
    }

    fn viewed(&self, points: &Array2<f64>) -> View {
        let r = points.ncols();
        let flat: Vec<f64> = points.iter().copied().collect();
        let distances = augmented::differences_squared(&self.pairs, &flat, r);
        let mean = points.mean_axis(ndarray::Axis(0)).unwrap_or_else(|| ndarray::Array1::zeros(r));
        let trace = (points - &mean).iter().map(|v| v * v).sum();
        let balls = self.balls.as_ref().map(|balls| {
            let columns: Vec<f64> = points.t().iter().copied().collect();
            par::map(balls.radii(), |b| balls.best(b, &balls.distances(b, &columns)))
        });
        View { distances, trace, balls, charge: 0.0 }
    }

    fn valued(&self, view: &View) -> Valued {
        let (mut value, mut size) =
            (self.trace * view.trace + view.charge, (self.trace * view.trace).abs() + view.charge.abs());
        for (c, d) in self.cost.iter().zip(&view.distances) {
            value += c * d;
            size += (c * d).abs();
        }
        for t in 0..self.rows.len() {
            let r = self.rows.residual(t, &view.distances, &[]);
            let interval = self.interval(t);
            let price = self.price(t, r);
            value += price;
            // With entropy the slope changes on the way: it is nowhere steeper than this, and the price has its own rounding.
            let largest = if self.entropy { interval.high } else { interval.best(r, self.curvature).abs() };
            if self.entropy {
                size += price;
            }
            let terms: f64 = self.rows.entries(t).map(|(p, a)| (a * view.distances[p as usize]).abs()).sum();
            size += largest * (terms + self.rows.constant[t].abs());
        }
        if let (Some(balls), Some(view)) = (&self.balls, &view.balls)
            && balls.slack().is_some()
        {
            let paid: f64 = view.iter().map(|(_, paid)| paid).sum();
            value += paid;
            size += paid;
        }
        Valued { value, size }
    }

    /// The worst hard row, and how much of the interior point mends all of them.
    fn broken(&self, view: &View) -> Broken {
        let mut broken = Broken { worst: 0.0, share: 0.0 };
        for t in 0..self.rows.len() {
            let interval = self.interval(t);
            if !self.must_hold(t) {
                continue;
            }
            let r = self.rows.residual(t, &view.distances, &[]);
            let size: f64 = self.rows.entries(t).map(|(p, a)| (a * view.distances[p as usize]).abs()).sum();
            // A row that holds by less than rounding may not hold in the reals.
            let rounding = gamma(40) * (size + self.rows.constant[t].abs());
            let by = interval.violation(r);
            if by > rounding {
                broken.worst = broken.worst.max(by);
            }
            if let Some(interior) = &self.interior {
                let room = -self.rows.entries(t).map(|(p, a)| a * self.interior_distance(interior, p)).sum::<f64>()
                    - self.rows.constant[t];
                broken.need(r + rounding, room);
            }
        }
        if let (Some(balls), Some(view)) = (&self.balls, &view.balls)
            && balls.slack().is_none()
        {
            for (_, by) in view.iter().filter(|v| v.1 > 0.0) {
                broken.worst = broken.worst.max(*by);
            }
            if let Some(interior) = &self.interior {
                let rooms =
                    interior.rooms.get_or_init(|| par::map(balls.radii(), |b| self.ball_room(balls, interior, b)));
                for ((_, by), room) in view.iter().zip(rooms) {
                    broken.need(*by * (1.0 + 1e-12) + f64::MIN_POSITIVE, *room);
                }
            }
        }
        broken
    }

    fn interior_distance(&self, interior: &Interior, p: u32) -> f64 {
        let (i, j) = self.pairs[p as usize];
        interior.distances[packed::index(self.n, i as usize, j as usize)]
    }

    /// By how much the rows of a ball hold at the interior point.
    fn ball_room(&self, balls: &crate::program::Balls, interior: &Interior, radius: usize) -> f64 {
        let (mut inner, mut outer) = (f64::NEG_INFINITY, f64::INFINITY);
        for c in balls.centres_of(radius) {
            let i = balls.object(c);
            for j in (0..self.n).filter(|j| *j != i) {
                let d = interior.distances[packed::index(self.n, i.min(j), i.max(j))];
                match balls.sign(c, j) {
                    1 => inner = inner.max(d),
                    -1 => outer = outer.min(d),
                    _ => {}
                }
            }
        }
        if inner.is_finite() && outer.is_finite() { 0.5 * (outer - inner) } else { f64::INFINITY }
    }

    /// The value of the interior point, rounded up.
    fn interior_value(&self, interior: &Interior) -> f64 {
        let distances = (0..self.pairs.len() as u32).map(|p| self.interior_distance(interior, p)).collect();
        let view = View { distances, trace: interior.trace, balls: None, charge: 0.0 };
        let there = self.valued(&view);
        there.value + gamma(self.pairs.len() + self.rows.len() + 64) * there.size
    }
}

/// What a program says about a map: its objective, hard rows aside, and how many of those are broken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapSeen {
    /// The objective in the sense of the program.
    pub objective: f64,
    /// Hard rows that do not hold, and do not [touch](crate::geometry::Touch).
    pub broken: usize,
    /// All hard rows.
    pub hard: usize,
    /// By how much the worst is broken.
    pub worst: f64,
}

impl GramProgram {
    /// The objective of factors in the space of the program, what they are charged for included, and the hard rows that they
    /// break.
    #[must_use]
    pub fn see(&self, factors: &[Array2<f64>]) -> MapSeen {
        let candidate = Candidate { factors: factors.to_vec(), ..Candidate::free(Array2::zeros((0, 0)), Vec::new()) };
        self.seen(&self.space.points(factors), self.charge(&candidate))
    }

    fn seen(&self, points: &Array2<f64>, charge: f64) -> MapSeen {
        let mut view = self.viewed(points);
        view.charge = charge;
        let touch = Touch::of_points(points);
        let rows = || (0..self.rows.len()).filter(|t| self.must_hold(*t));
        let (mut hard, mut broken) = (rows().count(), rows().filter(|t| self.is_broken(*t, &view, touch)).count());
        if let Some(balls) = &self.balls
            && balls.slack().is_none()
        {
            hard += balls.rows();
            broken += self.broken_balls(balls, points, touch);
        }
        let size = self.trace_bound.map_or(1.0, |r| if view.trace > 0.0 { r / view.trace } else { 1.0 });
        let worst = self.broken(&view).worst;
        MapSeen { objective: self.own(self.valued(&view).value * size), broken, hard, worst }
    }

    /// Whether a row would be broken even with every squared distance of it moved by as much as touches.
    fn is_broken(&self, t: usize, view: &View, touch: Touch) -> bool {
        let room: f64 = self.rows.entries(t).map(|(_, a)| a.abs() * touch.within).sum();
        self.interval(t).violation(self.rows.residual(t, &view.distances, &[])) > room
    }

    /// Rows of hard balls that do not hold at the best radii.
    fn broken_balls(&self, balls: &crate::program::Balls, points: &Array2<f64>, touch: Touch) -> usize {
        let columns: Vec<f64> = points.t().iter().copied().collect();
        let counts = par::map(balls.radii(), |b| {
            let d = balls.distances(b, &columns);
            let (radius, _) = balls.best(b, &d);
            let wrong = |(s, d): (&i8, &f64)| f64::from(*s) * (d - radius) > touch.within;
            balls.signs_at(b).iter().zip(&d).filter(|x| wrong(*x)).count()
        });
        counts.iter().sum()
    }
    /// Squared radii that fit points best, where the program has balls: for each level those of all objects.
    #[must_use]
    pub fn best_radii(&self, points: &Array2<f64>) -> Option<Vec<f64>> {
        let (balls, best) = (self.balls.as_ref()?, self.viewed(points).balls?);
        Some((0..balls.centres()).map(|c| best[balls.radius_of(c)].0).collect())
    }
}

/// How much a squared distance may change where both points move by at most `e`.
fn moved(d: f64, e: f64) -> f64 {
    4.0 * e * d.sqrt() + 4.0 * e * e
}

struct View {
    distances: Vec<f64>,
    trace: f64,
    /// For each ball its best radius, and what it costs or by how much it is broken.
    balls: Option<Vec<(f64, f64)>>,
    charge: f64,
}

struct Broken {
    worst: f64,
    share: f64,
}

impl Broken {
    /// A row with residual `r` and room `-r₀` at the interior point holds at `(1 - ε) r + ε r₀ ≤ 0`.
    fn need(&mut self, r: f64, room: f64) {
        if r > 0.0 && room > 0.0 {
            self.share = self.share.max(if room.is_finite() { r / (r + room) } else { 0.0 });
        } else if r > 0.0 {
            self.share = 1.0;
        }
    }
}
