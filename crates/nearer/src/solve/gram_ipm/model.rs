//! From a program to the unknowns of the interior-point method, and back to an answer.
//!
//! One point is pinned at the origin, so that the Gram matrix of the others is positive definite inside. Points that a hard
//! row `d ≤ 0` holds together are one point. Distances are measured in a unit in which they are near 1, and so are
//! multipliers.

use ndarray::Array2;
use nearer_num::interior::{Problem, SparseRows, entries, place};
use nearer_num::{dense, interior::Interior};

use crate::error::Error;
use crate::program::{Balls, Candidate, GramProgram};

/// Where a row of the method comes from.
#[derive(Debug, Clone, Copy)]
enum Source {
    Row(usize),
    Ball(u32, u32),
    Trace,
}

/// A program in the unknowns of the method.
pub(super) struct Model<'a> {
    program: &'a GramProgram,
    sources: Vec<Source>,
    /// For each object its point; the last point is pinned.
    point: Vec<usize>,
    points: usize,
    /// Rows that hold objects together in one point.
    glue: Vec<usize>,
    /// Which free unknown is a radius.
    radius: Vec<Option<usize>>,
    /// A squared distance of 1 in the method is this in the program.
    unit: f64,
    /// A multiplier of 1 in the method is this in the program.
    weight: f64,
}

/// What a multiplier of a row that holds objects together is, in units of the largest other: large enough for the bound to
/// lose little, small enough for it to keep its digits.
const GLUE: f64 = 2e7;

impl<'a> Model<'a> {
    pub(super) fn new(program: &'a GramProgram) -> (Self, Problem) {
        let glue: Vec<usize> = (0..program.rows.len()).filter(|t| holds_together(program, *t)).collect();
        let (point, points) = glued(program, &glue);
        let mut model = Model {
            program,
            sources: Vec::new(),
            point,
            points,
            glue,
            radius: vec![None; program.balls.as_ref().map_or(0, Balls::radii)],
            unit: unit(program),
            weight: weight(program),
        };
        let problem = model.problem();
        (model, problem)
    }

    /// How many points are not pinned.
    pub(super) fn order(&self) -> usize {
        self.points - 1
    }

    /// A regular simplex with all its distances one unit, and its radii.
    pub(super) fn start(&self) -> Vec<f64> {
        let q = self.order();
        let mut x = vec![0.5; entries(q)];
        (0..q).for_each(|a| x[place(a, a)] = 1.0);
        x.resize(entries(q) + self.radius.iter().flatten().count(), 1.0);
        x
    }

    /// The multiple of the inverse of the start's Gram matrix of this size.
    pub(super) fn dual_start(&self, size: f64) -> Array2<f64> {
        let off = size / self.points as f64;
        Array2::from_shape_fn((self.order(), self.order()), |(a, b)| if a == b { size - off } else { -off })
    }

    /// A size for the dual matrix at the start: a third of what it has at the middles of the intervals, and of how far it may
    /// get from there if the multipliers go either way at random.
    pub(super) fn dual_size(problem: &Problem) -> f64 {
        let mut middle = problem.cost.clone();
        let mut around = vec![0.0; problem.cost.len()];
        for t in 0..problem.rows.len() {
            let finite = |v: f64| if v.is_finite() { v } else { 0.0 };
            let (low, high) = (finite(problem.low[t]), finite(problem.high[t]));
            let (columns, values) = problem.rows.row(t);
            for (c, v) in columns.iter().zip(values) {
                middle[*c as usize] += 0.5 * (low + high) * v;
                around[*c as usize] += (0.5 * (high - low) * v).powi(2);
            }
        }
        let packed = entries(problem.order);
        let largest = |v: &[f64]| v[..packed].iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        ((largest(&middle) + largest(&around).sqrt()) / 3.0).max(2.0)
    }

    /// `Σ complementary products` in the units of the objective.
    pub(super) fn in_objective(&self, value: f64) -> f64 {
        value * self.unit * self.weight
    }

    /// The answer that the state of the method stands for.
    pub(super) fn candidate(&self, state: &Interior) -> Result<Candidate, Error> {
        let (values, vectors) = dense::eigh(state.matrix().view())
            .map_err(|_| Error::Numerical { what: "the eigenvalues of a Gram matrix".into() })?;
        let kept = values.iter().take_while(|v| **v > 1e-16 * values[0]).count().max(1);
        let factor = Array2::from_shape_fn((self.program.n, kept), |(i, k)| {
            let a = self.point[i];
            if a == self.order() { 0.0 } else { vectors[(a, k)] * (values[k].max(0.0) * self.unit).sqrt() }
        });
        Ok(self.answer(factor, state.free(), state.multipliers()))
    }

    /// The answer where all objects are one point.
    pub(super) fn at_one_point(&self) -> Candidate {
        let mut candidate = self.answer(Array2::zeros((self.program.n, 1)), &[], &[]);
        for t in 0..self.program.rows.len() {
            let interval = self.program.interval(t);
            candidate.multipliers[t] =
                interval.best(self.program.rows.constant[t], self.program.curvature).clamp(interval.low, interval.high);
        }
        candidate
    }

    fn answer(&self, factor: Array2<f64>, free: &[f64], y: &[f64]) -> Candidate {
        let p = self.program;
        let mut multipliers: Vec<f64> =
            (0..p.rows.len()).map(|t| if fixed(p, t) { p.rows.low[t] } else { 0.0 }).collect();
        let mut ball_multipliers = Vec::new();
        let mut largest = self.weight;
        for (source, y) in self.sources.iter().zip(y) {
            let y = y * self.weight;
            match *source {
                Source::Row(t) => {
                    multipliers[t] = y;
                    largest = largest.max(y.abs());
                }
                Source::Ball(i, j) => ball_multipliers.push((i, j, y)),
                Source::Trace => {}
            }
        }
        self.glue.iter().for_each(|t| multipliers[*t] = GLUE * largest);
        let radii = match p.balls {
            Some(_) => self.radius.iter().map(|k| k.map_or(0.0, |k| (free[k] * self.unit).max(0.0))).collect(),
            None => Vec::new(),
        };
        Candidate { factors: vec![factor], radii, multipliers, ball_multipliers }
    }

    fn problem(&mut self) -> Problem {
        let p = self.program;
        let packed = entries(self.order());
        if let Some(balls) = &p.balls {
            let mut next = 0;
            for b in 0..balls.radii() {
                // A ball with nothing inside or nothing outside says nothing: its radius may be 0, or as large as is needed.
                if balls.signs_at(b).contains(&1) && balls.signs_at(b).contains(&-1) {
                    self.radius[b] = Some(next);
                    next += 1;
                }
            }
        }
        let free = self.radius.iter().flatten().count();
        let mut problem = Problem {
            order: self.order(),
            cost: vec![0.0; packed + free],
            rows: SparseRows::default(),
            constant: Vec::new(),
            low: Vec::new(),
            high: Vec::new(),
            curvature: p.curvature * self.weight / self.unit,
        };
        let trace = self.trace();
        trace.iter().for_each(|(c, v)| problem.cost[*c as usize] += v * p.trace / self.weight);
        for (&(i, j), c) in p.pairs.iter().zip(&p.cost) {
            self.distance(i, j, c / self.weight, &mut |c, v| problem.cost[c] += v);
        }
        let mut list: Vec<(u32, f64)> = Vec::new();
        for t in 0..p.rows.len() {
            list.clear();
            for (pair, a) in p.rows.entries(t) {
                let (i, j) = p.pairs[pair as usize];
                self.distance(i, j, a, &mut |c, v| list.push((c as u32, v)));
            }
            if fixed(p, t) {
                list.iter().for_each(|(c, v)| problem.cost[*c as usize] += v * p.rows.low[t] / self.weight);
                continue;
            }
            if self.glue.contains(&t) {
                continue;
            }
            self.sources.push(Source::Row(t));
            problem.rows.push(&mut list);
            problem.constant.push(p.rows.constant[t] / self.unit);
            problem.low.push(p.rows.low[t] / self.weight);
            problem.high.push(p.rows.high[t] / self.weight);
        }
        if let Some(balls) = &p.balls {
            for c in 0..balls.centres() {
                let Some(radius) = self.radius[balls.radius_of(c)] else { continue };
                for j in 0..p.n {
                    let (sign, high) = (f64::from(balls.sign(c, j)), balls.high(c, j));
                    if sign == 0.0 || high == 0.0 {
                        continue;
                    }
                    list.clear();
                    let i = balls.object(c) as u32;
                    self.distance(i, j as u32, sign, &mut |c, v| list.push((c as u32, v)));
                    list.push(((packed + radius) as u32, -sign));
                    self.sources.push(Source::Ball(c as u32, j as u32));
                    problem.rows.push(&mut list);
                    problem.constant.push(0.0);
                    problem.low.push(0.0);
                    problem.high.push(high / self.weight);
                }
            }
        }
        if let Some(r) = p.trace_bound {
            // In proportion to its size, so that it is a row like any other.
            let size = p.n as f64;
            let mut list: Vec<(u32, f64)> = trace.iter().map(|(c, v)| (*c, v / size)).collect();
            self.sources.push(Source::Trace);
            problem.rows.push(&mut list);
            problem.constant.push(-r / self.unit / size);
            problem.low.push(0.0);
            problem.high.push(f64::INFINITY);
        }
        problem
    }

    /// `⟨H, G⟩` in the unknowns: `Σ m_a G_aa - (Σ m_a m_b G_ab)/n`, with `m_a` objects in the point `a`.
    fn trace(&self) -> Vec<(u32, f64)> {
        let mut many = vec![0.0; self.points];
        self.point.iter().for_each(|a| many[*a] += 1.0);
        let n = self.program.n as f64;
        let mut list = Vec::with_capacity(entries(self.order()));
        for b in 0..self.order() {
            for a in 0..=b {
                let v = if a == b { many[a] - many[a] * many[a] / n } else { -2.0 * many[a] * many[b] / n };
                list.push((place(a, b) as u32, v));
            }
        }
        list
    }

    /// `times d_ij` in the unknowns.
    fn distance(&self, i: u32, j: u32, times: f64, put: &mut dyn FnMut(usize, f64)) {
        let (a, b) = (self.point[i as usize], self.point[j as usize]);
        if a == b {
            return;
        }
        let pinned = self.order();
        if a != pinned {
            put(place(a, a), times);
        }
        if b != pinned {
            put(place(b, b), times);
        }
        if a != pinned && b != pinned {
            put(place(a, b), -2.0 * times);
        }
    }
}

/// A row whose multiplier has one value only.
fn fixed(p: &GramProgram, t: usize) -> bool {
    p.rows.low[t] == p.rows.high[t]
}

/// Whether the row says `d ≤ 0`, so that there is no room inside of it.
fn holds_together(p: &GramProgram, t: usize) -> bool {
    p.rows.high[t].is_infinite()
        && p.curvature == 0.0
        && p.rows.constant[t] == 0.0
        && p.rows.entries(t).count() == 1
        && p.rows.entries(t).all(|(_, a)| a > 0.0)
}

/// For each object its point, and how many points there are; points are numbered by their first object.
fn glued(p: &GramProgram, glue: &[usize]) -> (Vec<usize>, usize) {
    let mut first: Vec<usize> = (0..p.n).collect();
    // Few rows: sweeping until nothing changes is enough.
    loop {
        let mut changed = false;
        for t in glue {
            for (pair, _) in p.rows.entries(*t) {
                let (i, j) = p.pairs[pair as usize];
                let (i, j) = (i as usize, j as usize);
                let least = first[i].min(first[j]);
                changed |= first[i] != least || first[j] != least;
                (first[i], first[j]) = (least, least);
            }
        }
        if !changed {
            break;
        }
    }
    let mut number = vec![usize::MAX; p.n];
    let mut points = 0;
    let mut point = vec![0; p.n];
    for i in 0..p.n {
        if number[first[i]] == usize::MAX {
            number[first[i]] = points;
            points += 1;
        }
        point[i] = number[first[i]];
    }
    (point, points)
}

/// A squared distance of the size that those of the answer will have.
fn unit(p: &GramProgram) -> f64 {
    if let Some(d) = p.usual {
        return d;
    }
    if let Some(r) = p.trace_bound {
        return r / (p.n as f64 - 1.0).max(1.0);
    }
    let known: Vec<f64> = p.rows.constant.iter().map(|e| e.abs()).filter(|e| *e > 0.0).collect();
    let size = (known.iter().map(|e| e * e).sum::<f64>() / known.len().max(1) as f64).sqrt();
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}

/// A multiplier of the size of the costs and the ends of intervals.
fn weight(p: &GramProgram) -> f64 {
    let mut degree = vec![p.trace.abs(); p.n];
    for (&(i, j), c) in p.pairs.iter().zip(&p.cost) {
        degree[i as usize] += c.abs();
        degree[j as usize] += c.abs();
    }
    let mut size = degree.iter().fold(0.0, |m: f64, v| m.max(*v));
    if size == 0.0 {
        let ends = (0..p.rows.len()).flat_map(|t| [p.rows.low[t].abs(), p.rows.high[t].abs()]);
        let known: Vec<f64> = ends.filter(|v| v.is_finite() && *v > 0.0).collect();
        size = known.iter().sum::<f64>() / known.len().max(1) as f64;
    }
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}
