//! The engine of programs with entropy: descent on a factor of few columns, and a column more wherever the dual matrix says that
//! it would help.

use ndarray::{Array2, s};
use nearer_num::choices::{Choices, Lapse, Link};
use nearer_num::pairs::Rows;
use nearer_num::rng::Rng;
use nearer_num::{dense, lbfgs};

use crate::error::Error;
use crate::program::certify::assemble;
use crate::program::{Candidate, GramProgram, Program as _, Space};
use crate::solve::Round;
use crate::solve::solver::{Goal, Solved, Solver};
use crate::solve::{Clock, Run, Step, Stop};

/// Every row is `w ln(1 + exp(d(near) - d(far)))`, so the objective is a likelihood with a prior in the columns of a factor. It has
/// no false minima that a column more does not show: a direction of negative eigenvalue of the dual matrix leads on, and where
/// there is none the answer is the best.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Logistic;

/// Columns to begin with, and how many may be added at a time.
const FIRST: usize = 6;
const MORE: usize = 4;
/// Steps of a descent, and what it remembers.
const STEPS: usize = 3000;
const MEMORY: usize = 20;
/// The spread of a random start, and of a new column as a share of the longest one.
const SPREAD: f64 = 0.1;
/// The length of the gradient at which a descent ends, as a share of that of the cost of the trace.
const FLAT: f64 = 1e-7;
/// The random stream of the start.
const STREAM: u64 = 0x5ee_d57e;

impl Logistic {
    /// Down from these points in the dimensions they have, to a local optimum, of which nothing is proved; and why that ended.
    pub(crate) fn refined(p: &GramProgram, from: &Array2<f64>, run: &Run<'_>) -> (Array2<f64>, Stop) {
        let clock = run.clock();
        let (points, _) = Self::descend(p, &choices(p), from.clone(), &clock);
        let stop = if clock.late() { Stop::TimeLimit } else { Stop::Converged };
        (&points - &points.mean_axis(ndarray::Axis(0)).unwrap_or_default(), stop)
    }

    /// Down from these points; the points, and how many steps it took.
    fn descend(p: &GramProgram, choices: &Choices, at: Array2<f64>, clock: &Clock<'_>) -> (Array2<f64>, usize) {
        let (n, dim) = at.dim();
        let mut x: Vec<f64> = at.iter().copied().collect();
        let size = x.iter().map(|v| v * v).sum::<f64>().sqrt().max((n as f64).sqrt() * SPREAD);
        let settings = lbfgs::Settings {
            iterations: STEPS,
            gradient: FLAT * 2.0 * p.trace * size,
            decrease: None,
            memory: MEMORY,
            guess: lbfgs::Guess::Short,
        };
        let value = |x: &[f64], g: &mut [f64]| {
            let mut value = choices.loss(Rows { values: x, dim }, Link::Squared, Lapse::None, g);
            for (g, x) in g.iter_mut().zip(x) {
                value += p.trace * x * x;
                *g += 2.0 * p.trace * x;
            }
            value
        };
        let ended = lbfgs::minimise(&mut x, &settings, value, |_, _| !clock.late());
        (Array2::from_shape_vec((n, dim), x).unwrap_or(at), ended.iterations)
    }
}

impl Solver for Logistic {
    fn name(&self) -> &'static str {
        "logistic"
    }
    fn takes(&self, p: &GramProgram) -> bool {
        p.entropy && p.balls.is_none() && matches!(p.space, Space::Free) && p.trace > 0.0
    }
    fn solve(&self, p: &GramProgram, start: Option<&Candidate>, goal: &Goal, run: &Run<'_>) -> Result<Solved, Error> {
        let (n, clock) = (p.objects(), run.clock());
        let choices = choices(p);
        let mut rng = Rng::task(run.seed() ^ STREAM, 0);
        let first = FIRST.min(n);
        let mut points = start
            .map_or_else(|| Array2::from_shape_fn((n, first), |_| SPREAD * rng.normal()), |s| s.factors[0].clone());
        let (mut rounds, mut iterations, mut best) = (Vec::new(), 0, None::<Solved>);
        for round in 0..goal.rounds {
            let (next, steps) = Self::descend(p, &choices, points, &clock);
            iterations += steps;
            points = &next - &next.mean_axis(ndarray::Axis(0)).unwrap_or_default();
            let candidate = Candidate::free(points.clone(), multipliers(p, &points));
            let certificate = p.certify(&candidate)?;
            rounds.push(Round { rows: p.row_count(), violated: 0, worst: 0.0 });
            let stop = clock.tick(&Step::new("descending", (0, 1), round, None, certificate.primal));
            let within = certificate.is_within(goal.gap);
            let wider = if within || stop.is_some() { None } else { widened(p, &points, &candidate)? };
            let over = stop.unwrap_or(if within { Stop::Converged } else { Stop::Stalled });
            if best.as_ref().is_none_or(|b| certificate.gap() < b.certificate.gap()) {
                let engine = "logistic";
                best = Some(Solved { candidate, certificate, stop: over, iterations, rounds: rounds.clone(), engine });
            }
            match wider {
                Some(wider) => points = wider,
                None => break,
            }
        }
        best.ok_or(Error::Cancelled)
    }
}

/// The rows as choices between two pairs.
fn choices(p: &GramProgram) -> Choices {
    let mut choices = Choices::default();
    for t in 0..p.rows.len() {
        let (mut near, mut far) = ([0; 2], [0; 2]);
        for (pair, sign) in p.rows.entries(t) {
            let (i, j) = p.pairs[pair as usize];
            *(if sign > 0.0 { &mut near } else { &mut far }) = [i, j];
        }
        choices.push_pair(p.rows.high[t], near, far);
    }
    choices
}

/// The multipliers that belong to points: the slopes of the prices.
fn multipliers(p: &GramProgram, points: &Array2<f64>) -> Vec<f64> {
    let square = |k: u32| {
        let (i, j) = p.pairs[k as usize];
        points.row(i as usize).iter().zip(points.row(j as usize)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
    };
    (0..p.rows.len()).map(|t| p.best(t, p.rows.entries(t).map(|(k, a)| a * square(k)).sum::<f64>())).collect()
}

/// The points with a column more for each of the directions that would lower the objective most; none where none would.
fn widened(p: &GramProgram, points: &Array2<f64>, candidate: &Candidate) -> Result<Option<Array2<f64>>, Error> {
    let (n, width) = points.dim();
    let matrix = assemble(n, p.trace, &p.weights(&candidate.multipliers, &[]), true).into_matrix();
    let (values, vectors) =
        dense::eigh(matrix.view()).map_err(|_| Error::Numerical { what: "the eigenvalues of a dual matrix".into() })?;
    // The least stand last.
    let below = values.iter().rev().take(MORE).take_while(|v| **v < 0.0).count();
    let more = below.min(n.saturating_sub(width));
    if more == 0 {
        return Ok(None);
    }
    let longest = points.columns().into_iter().map(|c| c.dot(&c).sqrt()).fold(0.0, f64::max).max(SPREAD);
    let mut wider = Array2::zeros((n, width + more));
    wider.slice_mut(s![.., ..width]).assign(points);
    for k in 0..more {
        wider.column_mut(width + k).assign(&(&vectors.column(n - 1 - k) * (SPREAD * longest)));
    }
    Ok(Some(wider))
}
