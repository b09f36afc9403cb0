//! Unfolding whose stretching is paid for, by an interior-point method over the multipliers of its edges.
//!
//! The dual of `max tr(HG) - w Σ |d - D|` asks for weights of the edges, `min Σ y D` with `L(y) - H` positive semidefinite and
//! `|y| ≤ w`; that of `max tr(HG) - w Σ (d - D)²` for `min Σ y D + Σ y² / 4w` without an end to `y`. There are as many unknowns as edges, some of them at both ends of their range and some inside, which is what makes
//! the descents of other engines crawl: their penalties see corners. Here the corners are sides of a cone.

use ndarray::{Array2, Axis};
use nearer_num::dense;
use nearer_num::rank_one::{Iterate, Problem};

use crate::error::Error;
use crate::program::{Anchor, Candidate, Certificate, GramProgram, Program as _, Space, Stretch};
use crate::solve::factor_ipm::{Edges, candidate, unfolding};
use crate::solve::lengths;
use crate::solve::solver::{Goal, Solved, Solver};
use crate::solve::{Run, Step, Stop};

/// The engine of soft and of penalised unfolding, of up to some hundred objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeIpm;

/// More objects, or more edges, take minutes.
const MOST_OBJECTS: usize = 800;
const MOST_EDGES: usize = 4000;
/// A step shorter than this is none, and complementarity below this share of the bound is rounding. Chosen by trial on the instances of
/// `bench/convex.py`; not swept.
const NO_STEP: f64 = 1e-6;
const DIGITS: f64 = 1e-13;
/// Directions with less than this share of the largest are left out of the answer where it stays as good.
const THIN: f64 = 1e-7;
/// Points that are moved until distances are what they should be keep directions with more than the first of these shares of the
/// largest; a multiplier that is below the most there can be by the second, as a share, is inside its range. Few directions tell
/// best where the solution has few; near equality it has more, and what is inside is known less well (200 and 400 points of a roll).
const HELD: [(f64, f64); 2] = [(1e-6, 1e-2), (1e-8, 1e-1)];

impl Solver for EdgeIpm {
    fn name(&self) -> &'static str {
        "edge-ipm"
    }
    fn takes(&self, program: &GramProgram) -> bool {
        let few = program.objects() <= MOST_OBJECTS && program.row_count() <= MOST_EDGES;
        few && match unfolding(program) {
            Some((_, Stretch::Soft(_))) => matches!(program.anchor, Some(Anchor::Rows(..))),
            Some((_, Stretch::Penalised(_))) => true,
            _ => false,
        }
    }
    fn solve(&self, program: &GramProgram, _: Option<&Candidate>, goal: &Goal, run: &Run<'_>) -> Result<Solved, Error> {
        let failed = || Error::Numerical { what: "the interior-point method of soft unfolding".into() };
        let Some((edges, form)) = unfolding(program) else { return Err(failed()) };
        run.install(|| {
            // Everything is of order one: the mean squared distance is the unit.
            let unit = edges.squared.iter().sum::<f64>() / edges.squared.len() as f64;
            let basis = basis(program);
            let problem = asked(&edges.scaled(unit), &basis, form, unit);
            // The same weight for all holds the points together from here on.
            let even = match (form, &program.anchor) {
                (Stretch::Soft(most), Some(Anchor::Rows(_, room))) => {
                    let least = most / (room + 1.0);
                    (0.5 * (most + least)).min(2.0 * least)
                }
                (Stretch::Penalised(_), _) => 2.0 * holding(&problem).ok_or_else(failed)?,
                _ => return Err(failed()),
            };
            let mut at = Iterate::new(problem, vec![even; edges.pairs.len()]).ok_or_else(failed)?;
            let (clock, mut stop, mut iterations) = (run.clock(), Stop::IterationLimit, 0);
            let mut best: Option<(Candidate, Certificate)> = None;
            for iteration in 1..=goal.rounds {
                iterations = iteration;
                let share = at.complementarity() / at.bound().abs().max(f64::MIN_POSITIVE);
                if share <= goal.gap {
                    judge(program, &at, (&basis, unit), (&edges, form), goal.gap, &mut best)?;
                    if best.as_ref().is_some_and(|b| b.1.is_within(goal.gap)) {
                        stop = Stop::Converged;
                        break;
                    }
                }
                let step = Step::new("unfolding", (0, 1), iteration, Some(goal.rounds), at.bound() * unit);
                if let Some(ended) = clock.tick(&step) {
                    stop = ended;
                    break;
                }
                if at.step().is_none_or(|length| length < NO_STEP) || share < DIGITS {
                    stop = Stop::Stalled;
                    break;
                }
            }
            if stop != Stop::Converged {
                judge(program, &at, (&basis, unit), (&edges, form), goal.gap, &mut best)?;
            }
            let (candidate, certificate) = best.ok_or_else(failed)?;
            Ok(Solved { candidate, certificate, stop, iterations, rounds: Vec::new(), engine: self.name() })
        })
    }
}

/// Orthonormal columns that span the points: the basis of the program, or everything that sums to zero.
fn basis(program: &GramProgram) -> Array2<f64> {
    if let Space::Spanned(blocks) = &program.space {
        return blocks[0].basis.clone();
    }
    // The reflection that takes the first axis to the constant vector, without that axis.
    let n = program.objects();
    let even = 1.0 / (n as f64).sqrt();
    let mut u = vec![even; n];
    u[0] += 1.0;
    let square: f64 = u.iter().map(|v| v * v).sum();
    Array2::from_shape_fn((n, n - 1), |(i, j)| f64::from(u8::from(i == j + 1)) - 2.0 * u[i] * u[j + 1] / square)
}

/// The dual question in the coordinates of a basis.
fn asked(edges: &Edges, basis: &Array2<f64>, form: Stretch, unit: f64) -> Problem {
    let ends = |first: bool| -> Vec<usize> {
        edges.pairs.iter().map(|&(i, j)| if first { i as usize } else { j as usize }).collect()
    };
    let directions = basis.select(Axis(0), &ends(true)) - basis.select(Axis(0), &ends(false));
    let mean = basis.mean_axis(Axis(0)).unwrap_or_default();
    let centred = basis - &mean;
    let (most, curvature) = match form {
        Stretch::Soft(most) => (most, 0.0),
        Stretch::Penalised(weight) => (f64::INFINITY, 0.5 / (weight * unit)),
        Stretch::AtMost => (f64::INFINITY, 0.0),
    };
    Problem { directions, least: centred.t().dot(&centred), cost: edges.squared.clone(), most, curvature }
}

/// The weight which, given to every edge, just holds the points together.
fn holding(problem: &Problem) -> Option<f64> {
    let laplacian = problem.directions.t().dot(&problem.directions);
    let stiff = *dense::eigvalsh(laplacian.view()).ok()?.last()?;
    let pull = *dense::eigvalsh(problem.least.view()).ok()?.first()?;
    (stiff > 0.0).then_some(pull / stiff)
}

/// Has the program judge both sides, and keeps what is better.
fn judge(
    program: &GramProgram,
    at: &Iterate,
    (basis, unit): (&Array2<f64>, f64),
    (edges, form): (&Edges, Stretch),
    gap: f64,
    best: &mut Option<(Candidate, Certificate)>,
) -> Result<(), Error> {
    let (values, vectors) = dense::eigh(at.matrix().view())
        .map_err(|_| Error::Numerical { what: "the eigenvalues of a Gram matrix".into() })?;
    let mut better = |points: Array2<f64>| -> Result<bool, Error> {
        let tried = candidate(program, points, at.weights().to_vec());
        let certificate = program.certify(&tried)?;
        let within = certificate.is_within(gap);
        if best.as_ref().is_none_or(|b| certificate.gap() < b.1.gap()) {
            *best = Some((tried, certificate));
        }
        Ok(within)
    };
    let points = |share: f64| {
        let kept = values.iter().take_while(|v| **v > share * values[0]).count().max(1);
        let lengths = values.slice(ndarray::s![..kept]).mapv(|v| (v.max(0.0) * unit).sqrt());
        basis.dot(&(&vectors.slice(ndarray::s![.., ..kept]) * &lengths))
    };
    for share in [THIN, 0.0] {
        if better(points(share))? {
            return Ok(());
        }
    }
    // What an interior point leaves of `|d - D|` costs more, where a weight is large, than all that is left to gain.
    let (Stretch::Soft(most), false) = (form, matches!(program.space, Space::Spanned(_))) else { return Ok(()) };
    for (share, inside) in HELD {
        let held: Vec<usize> =
            (0..edges.pairs.len()).filter(|e| at.weights()[*e].abs() < (1.0 - inside) * most).collect();
        if let Some(exact) = lengths::brought(&points(share), edges, &held)
            && better(exact)?
        {
            break;
        }
    }
    Ok(())
}
