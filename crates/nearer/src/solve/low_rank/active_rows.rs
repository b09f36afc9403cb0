//! The rows in play, in units in which distances and multipliers are of size one.

use std::collections::HashMap;

use ndarray::Array2;
use nearer_num::augmented::{self, Problem, Rows};
use nearer_num::par;

use crate::program::{Balls, Candidate, GramProgram};

/// Rows in play with their multipliers.
pub(super) struct ActiveRows<'a> {
    program: &'a GramProgram,
    /// Squared distances are multiples of this.
    pub(super) unit: f64,
    /// Multipliers, costs and the weight of the trace are multiples of this.
    pub(super) weight: f64,
    /// The bound on the trace in these units.
    pub(super) sphere: Option<f64>,
    /// Multipliers of the explicit rows, before and after the last minimisation.
    old: Vec<f64>,
    new: Vec<f64>,
    /// Rows of balls in play, with their multipliers before and after.
    balls: Vec<(u32, u32)>,
    ball_old: Vec<f64>,
    ball_new: Vec<f64>,
    age: usize,
}

/// What the inner minimisation sees: rows that are clearly settled are summed into the costs.
pub(super) struct Function {
    pub(super) problem: Problem,
    pub(super) constant: f64,
    /// What a charge on the space is multiplied by.
    pub(super) charge: f64,
}

/// A function with the multipliers of its rows.
pub(super) struct Inner {
    pub(super) function: Function,
    pub(super) multipliers: Vec<f64>,
}

/// What the explicit rows are at some points.
pub(super) struct Residuals {
    distances: Vec<f64>,
    pub(super) rows: Vec<f64>,
}

/// What a scan of all rows found.
pub(super) struct Scan {
    pub(super) violated: usize,
    pub(super) worst: f64,
}

// In units of a squared distance. Chosen by trial on the instances of `bench/convex.py`; not swept.

/// Rows of each kind that an object may add in one round.
const ADDED: usize = 3;
/// A row that is broken by more than the first of these is taken in, and counted by more than the second.
const TAKEN: f64 = 1e-9;
const BROKEN: f64 = 1e-7;
/// Every so many rounds rows without a multiplier that hold by more than this share of their distance are let go.
const LOOKED_OVER: usize = 5;
const IDLE: f64 = 0.05;

impl<'a> ActiveRows<'a> {
    pub(super) fn new(program: &'a GramProgram, start: Option<&Candidate>) -> Self {
        let (unit, weight) = units(program);
        let fresh = |t: usize| {
            let i = program.interval(t);
            if i.low.is_finite() && i.high.is_finite() { 0.5 * (i.low + i.high) / weight } else { 0.0 }
        };
        let old: Vec<f64> = match start {
            Some(c) if c.multipliers.len() == program.rows.len() => (0..program.rows.len())
                .map(|t| c.multipliers[t].clamp(program.rows.low[t], program.rows.high[t]) / weight)
                .collect(),
            _ => (0..program.rows.len()).map(fresh).collect(),
        };
        let given = start.map_or(&[][..], |c| &c.ball_multipliers[..]);
        ActiveRows {
            program,
            unit,
            weight,
            sphere: program.trace_bound.map(|r| r / unit),
            new: old.clone(),
            old,
            balls: given.iter().map(|&(i, j, _)| (i, j)).collect(),
            ball_old: given.iter().map(|g| g.2 / weight).collect(),
            ball_new: given.iter().map(|g| g.2 / weight).collect(),
            age: 0,
        }
    }

    /// How many rows are in play.
    pub(super) fn len(&self) -> usize {
        self.old.len() + self.balls.len()
    }
    /// Whether points may be anywhere.
    pub(super) fn is_free(&self) -> bool {
        matches!(self.program.space, crate::program::Space::Free)
    }
    pub(super) fn multipliers(&self) -> Vec<f64> {
        self.old.iter().map(|y| y * self.weight).collect()
    }
    pub(super) fn ball_multipliers(&self) -> Vec<(u32, u32, f64)> {
        self.balls
            .iter()
            .zip(&self.ball_old)
            .filter(|(_, y)| **y != 0.0)
            .map(|(&(i, j), y)| (i, j, y * self.weight))
            .collect()
    }

    /// A penalty at which multipliers can cross their interval in one update.
    pub(super) fn first_penalty(&self) -> f64 {
        let highs: Vec<f64> = self.program.rows.high.iter().copied().filter(|h| h.is_finite()).collect();
        if highs.is_empty() {
            return (6.0 * self.program.objects() as f64 / self.len().max(1) as f64).min(1.0);
        }
        highs.iter().sum::<f64>() / highs.len() as f64 / self.weight
    }

    /// The function of the next minimisation. Rows that are settled at all of some points are left out.
    pub(super) fn problem(&self, sigma: f64, seen: &[Residuals]) -> Inner {
        let program = self.program;
        let rows = &program.rows;
        let mut cost: Vec<f64> = program.cost.iter().map(|c| c / self.weight).collect();
        let mut constant = 0.0;
        let (mut set, mut multipliers) = (Rows::default(), Vec::new());
        let mut entries = Vec::new();
        let mixed = !self.balls.is_empty();
        let (per_weight, per_unit) = (1.0 / self.weight, 1.0 / self.unit);
        for t in 0..rows.len() {
            let (low, high) = (rows.low[t] * per_weight, rows.high[t] * per_weight);
            let (y, e) = (self.old[t], rows.constant[t] * per_unit);
            if !seen.is_empty() {
                let margin = if (high - low).is_finite() { 0.5 * (high - low) } else { sigma.min(1.0) };
                let all = |beyond: &dyn Fn(f64) -> bool| seen.iter().all(|s| beyond(y + sigma * s.rows[t]));
                let settled = (y == low && all(&|reach| reach < low - margin))
                    || (y == high && all(&|reach| reach > high + margin));
                if settled {
                    if y != 0.0 {
                        rows.entries(t).for_each(|(p, a)| cost[p as usize] += a * y);
                        constant += y * e;
                    }
                    continue;
                }
            }
            entries.clear();
            entries.extend(rows.entries(t));
            if mixed {
                set.push_with(&entries, (augmented::NONE, 0.0), e, low, high);
            } else {
                set.push(&entries, e, low, high);
            }
            multipliers.push(y);
        }
        let mut pairs = program.pairs.clone();
        if let Some(said) = &program.balls {
            let mut numbers: HashMap<(u32, u32), u32> = pairs.iter().enumerate().map(|(k, p)| (*p, k as u32)).collect();
            for (&(c, j), y) in self.balls.iter().zip(&self.ball_old) {
                let i = said.object(c as usize) as u32;
                let key = (i.min(j), i.max(j));
                let p = *numbers.entry(key).or_insert_with(|| {
                    pairs.push(key);
                    cost.push(0.0);
                    pairs.len() as u32 - 1
                });
                let s = f64::from(said.sign(c as usize, j as usize));
                let high = said.high(c as usize, j as usize) / self.weight;
                set.push_with(&[(p, s)], (said.radius_of(c as usize) as u32, -s), 0.0, 0.0, high);
                multipliers.push(*y);
            }
        }
        let curvature = program.curvature * self.weight / self.unit;
        let problem = Problem::new(program.objects(), program.trace / self.weight, curvature, pairs, cost, set);
        Inner { function: Function { problem, constant, charge: 1.0 / self.weight }, multipliers }
    }

    /// Distances of the pairs and residuals of the explicit rows.
    pub(super) fn residuals(&self, factors: &[Array2<f64>]) -> Residuals {
        let rows = &self.program.rows;
        if rows.is_empty() {
            return Residuals { distances: Vec::new(), rows: Vec::new() };
        }
        let distances = self.distances(factors);
        let mut residuals = vec![0.0; rows.len()];
        par::chunks(&mut residuals, 1 << 13, |start, out| {
            for (s, out) in out.iter_mut().enumerate() {
                let e = rows.constant[start + s];
                *out = rows.residual(start + s, &distances, &[]) - e + e / self.unit;
            }
        });
        Residuals { distances, rows: residuals }
    }

    /// The augmented Lagrangian of all explicit rows and costs; not for programs with balls.
    pub(super) fn whole(&self, at: &Residuals, factors: &[Array2<f64>], sigma: f64) -> f64 {
        let program = self.program;
        let kappa = program.curvature * self.weight / self.unit;
        let (soft, half, per_weight) = (1.0 / (1.0 + sigma * kappa), 0.5 / sigma, 1.0 / self.weight);
        let ranges = par::ranges(at.rows.len(), 1 << 13);
        let sums = par::map(ranges.len(), |k| {
            let mut sum = 0.0;
            for t in ranges[k].clone() {
                let (r, y) = (at.rows[t], self.old[t]);
                let free = (y + sigma * r) * soft;
                let v = free.clamp(program.rows.low[t] * per_weight, program.rows.high[t] * per_weight);
                sum += v * r - 0.5 * kappa * v * v - (v - y) * (v - y) * half;
            }
            sum
        });
        let mut other: f64 = program.cost.iter().zip(&at.distances).map(|(c, d)| c * d).sum();
        let points = program.space.points(factors);
        if let Some(mean) = points.mean_axis(ndarray::Axis(0)) {
            other += program.trace * (points - mean).iter().map(|v| v * v).sum::<f64>();
        }
        if let crate::program::Space::Spanned(blocks) = &program.space {
            for (block, factor) in blocks.iter().zip(factors) {
                other += block.charge.as_ref().map_or(0.0, |p| (&p.dot(factor) * factor).sum());
            }
        }
        sums.iter().sum::<f64>() + other * per_weight
    }

    fn distances(&self, factors: &[Array2<f64>]) -> Vec<f64> {
        let points = self.program.space.points(factors);
        let flat: Vec<f64> = points.iter().copied().collect();
        augmented::square_distances(self.program.objects(), &self.program.pairs, &flat, points.ncols())
    }

    /// The new multipliers of all rows at these points, where the explicit rows have these residuals.
    pub(super) fn update(&mut self, residuals: &[f64], factors: &[Array2<f64>], radii: &[f64], sigma: f64) {
        let program = self.program;
        let kappa = program.curvature * self.weight / self.unit;
        let (soft, per_weight) = (1.0 / (1.0 + sigma * kappa), 1.0 / self.weight);
        for (t, r) in residuals.iter().enumerate() {
            let free = (self.old[t] + sigma * r) * soft;
            self.new[t] = free.clamp(program.rows.low[t] * per_weight, program.rows.high[t] * per_weight);
        }
        if let Some(said) = &program.balls {
            let points = program.space.points(factors);
            for (k, &(c, j)) in self.balls.iter().enumerate() {
                let (c, j) = (c as usize, j as usize);
                let d: f64 = points.row(said.object(c)).iter().zip(points.row(j)).map(|(a, b)| (a - b) * (a - b)).sum();
                let r = f64::from(said.sign(c, j)) * (d - radii[said.radius_of(c)]);
                self.ball_new[k] = (self.ball_old[k] + sigma * r).clamp(0.0, said.high(c, j) / self.weight);
            }
        }
    }

    /// How far the multipliers have moved, in the units of a residual: the root of the mean square.
    pub(super) fn residual(&self, sigma: f64) -> f64 {
        let moved = |old: &[f64], new: &[f64]| old.iter().zip(new).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let sum = moved(&self.old, &self.new) + moved(&self.ball_old, &self.ball_new);
        (sum / self.len().max(1) as f64).sqrt() / sigma
    }

    /// Takes the new multipliers.
    pub(super) fn accept(&mut self) {
        self.old.copy_from_slice(&self.new);
        self.ball_old.copy_from_slice(&self.ball_new);
    }

    /// Radii that fit the points best.
    pub(super) fn radii(&self, factors: &[Array2<f64>]) -> Vec<f64> {
        let Some(said) = &self.program.balls else { return Vec::new() };
        let columns: Vec<f64> = self.program.space.points(factors).t().iter().copied().collect();
        par::map(said.radii(), |b| said.best(b, &said.distances(b, &columns)).0)
    }

    /// Looks at every row of the balls; brings the most broken ones into play and lets idle ones go.
    pub(super) fn generate(&mut self, factors: &[Array2<f64>], radii: &[f64], first: bool) -> Scan {
        let Some(said) = &self.program.balls else { return self.scan(factors) };
        let points = self.program.space.points(factors);
        let n = self.program.objects();
        let least = if first { f64::NEG_INFINITY } else { TAKEN };
        let columns: Vec<f64> = points.t().iter().copied().collect();
        let mut scan = Scan { violated: 0, worst: 0.0 };
        self.age += 1;
        if self.age.is_multiple_of(LOOKED_OVER) {
            self.let_go(said, &points, radii);
        }
        let mut known = vec![Vec::new(); said.centres()];
        self.balls.iter().for_each(|&(c, j)| known[c as usize].push(j));
        let found = par::map(said.centres(), |c| {
            let distances = augmented::distances_from(&columns, n, said.object(c));
            most_broken(said, &distances, radii[said.radius_of(c)], c, least, &known[c])
        });
        for (c, one) in found.into_iter().enumerate() {
            scan.violated += one.violated;
            scan.worst = scan.worst.max(one.worst);
            for j in one.rows {
                self.balls.push((c as u32, j));
                self.ball_old.push(0.0);
                self.ball_new.push(0.0);
            }
        }
        scan
    }

    fn let_go(&mut self, said: &Balls, points: &Array2<f64>, radii: &[f64]) {
        let keep: Vec<bool> = self
            .balls
            .iter()
            .zip(&self.ball_old)
            .map(|(&(c, j), y)| {
                let (c, j) = (c as usize, j as usize);
                let d: f64 = points.row(said.object(c)).iter().zip(points.row(j)).map(|(a, b)| (a - b) * (a - b)).sum();
                *y > 0.0 || f64::from(said.sign(c, j)) * (d - radii[said.radius_of(c)]) > -IDLE * d
            })
            .collect();
        let mut k = 0..keep.len();
        self.balls.retain(|_| k.next().is_some_and(|k| keep[k]));
        let mut k = 0..keep.len();
        self.ball_old.retain(|_| k.next().is_some_and(|k| keep[k]));
        self.ball_new.clone_from(&self.ball_old);
    }

    /// Which explicit rows that must hold are broken.
    fn scan(&self, factors: &[Array2<f64>]) -> Scan {
        let hard = (0..self.program.rows.len()).any(|t| self.program.interval(t).is_hard());
        let mut scan = Scan { violated: 0, worst: 0.0 };
        if hard && self.program.curvature == 0.0 {
            for (t, r) in self.residuals(factors).rows.into_iter().enumerate() {
                let by = self.program.interval(t).violation(r);
                scan.violated += usize::from(by > BROKEN);
                scan.worst = scan.worst.max(by);
            }
        }
        scan
    }
}

struct Found {
    rows: Vec<u32>,
    violated: usize,
    worst: f64,
}

/// The rows of a ball that are broken most, some of each kind, and not in play yet: where broken rows are paid for, those in
/// play may stay broken and would keep all others out.
fn most_broken(said: &Balls, d: &[f64], radius: f64, centre: usize, least: f64, known: &[u32]) -> Found {
    let mut found = Found { rows: Vec::new(), violated: 0, worst: 0.0 };
    let mut in_play = vec![false; d.len()];
    known.iter().for_each(|j| in_play[*j as usize] = true);
    let mut tops: [Vec<(f64, u32)>; 2] = [Vec::with_capacity(ADDED + 1), Vec::with_capacity(ADDED + 1)];
    let mut floors = [least; 2];
    for (j, (s, d)) in said.signs_of(centre).iter().zip(d).enumerate() {
        let by = f64::from(*s) * (d - radius);
        found.violated += usize::from(by > BROKEN);
        found.worst = found.worst.max(by);
        let kind = usize::from(*s < 0);
        if by > floors[kind] && *s != 0 && !in_play[j] {
            let top = &mut tops[kind];
            let at = top.partition_point(|t| t.0 >= by);
            top.insert(at, (by, j as u32));
            top.truncate(ADDED);
            if top.len() == ADDED {
                floors[kind] = top[ADDED - 1].0;
            }
        }
    }
    found.rows.extend(tops.into_iter().flatten().map(|t| t.1));
    found
}

/// Units in which squared distances and multipliers are of size one.
fn units(program: &GramProgram) -> (f64, f64) {
    let n = program.objects() as f64;
    let rows = &program.rows;
    let sizes: Vec<f64> = rows.constant.iter().map(|e| e.abs()).filter(|e| *e > 0.0).collect();
    let unit = match program.trace_bound {
        Some(r) => r / n,
        None if sizes.is_empty() => 1.0,
        None => sizes.iter().sum::<f64>() / sizes.len() as f64,
    };
    let weight = if program.trace != 0.0 {
        program.trace.abs()
    } else {
        // The mean weighted degree of the rows, or of the costs.
        let highs: f64 = rows.high.iter().filter(|h| h.is_finite()).sum();
        let costs: f64 = program.cost.iter().map(|c| c.abs()).sum();
        let charge: f64 = match &program.space {
            crate::program::Space::Free => 0.0,
            crate::program::Space::Spanned(blocks) => {
                let traces = blocks.iter().filter_map(|b| b.charge.as_ref().map(|p| p.diag().sum() / p.nrows() as f64));
                traces.fold(0.0, f64::max)
            }
        };
        if charge > 0.0 { charge } else { (2.0 * highs.max(costs) / n).max(f64::MIN_POSITIVE) }
    };
    (unit, weight)
}
