//! Unfolding by a primal-dual interior point method in the factor `Y` of `G = Y Yᵗ`.
//!
//! With `d_e = |y_i - y_j|²` and multipliers `y_e`, the reduced Newton matrix is
//! `2 (L(y) - H) ⊗ I + 4 Σ θ_e (e_i - e_j)(e_i - e_j)ᵗ ⊗ u_e u_eᵗ`: blocks on the graph of the edges. `H` differs from the
//! identity on translations only, on which the rest of the matrix vanishes: so the identity is taken instead, each
//! translation is a negative pivot that is expected, and right-hand sides that sum to zero have solutions that do.
//! Any other negative pivot means that the step would not descend, and the diagonal is raised.

mod iteration;
mod penalised;
mod question;
mod rows;
pub(crate) mod span;
mod start;
mod system;

use ndarray::Array2;
use nearer_num::sparse::Singular;

use crate::error::Error;
use crate::program::{Candidate, GramProgram, Program as _, Stretch};
use crate::solve::solver::{Goal, Solved, Solver};
use crate::solve::{Run, Stop};
use iteration::Iteration;
pub(crate) use question::Edges;
use question::Span;
pub(super) use question::{candidate, unfolding};

/// How long to go on, and with how many dimensions to begin.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// End when the certified gap is at most this.
    gap: f64,
    /// Largest number of iterations.
    max_iter: usize,
}

/// The engine of the programs of unfolding, of up to tens of thousands of objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FactorIpm {
    rank: usize,
}

impl FactorIpm {
    /// Beginning with points of so many dimensions; more are added where the proof asks for them.
    #[must_use]
    pub(crate) fn new(rank: usize) -> Self {
        FactorIpm { rank }
    }
    /// Whether a program of unfolding forbids stretching, rather than charging for it: the form this engine is surest of.
    pub(crate) fn is_hard(program: &GramProgram) -> bool {
        matches!(unfolding(program), Some((_, Stretch::AtMost)))
    }
}

impl Default for FactorIpm {
    fn default() -> Self {
        FactorIpm::new(4)
    }
}

impl Solver for FactorIpm {
    fn name(&self) -> &'static str {
        "factor-ipm"
    }
    fn takes(&self, program: &GramProgram) -> bool {
        unfolding(program).is_some()
    }
    fn solve(
        &self,
        program: &GramProgram,
        start: Option<&Candidate>,
        goal: &Goal,
        run: &Run<'_>,
    ) -> Result<Solved, Error> {
        let Some((edges, form)) = unfolding(program) else {
            return Err(Error::Parameter {
                name: "engine".into(),
                value: self.name().into(),
                expected: "an engine for this program; that one unfolds neighbours and does nothing else".into(),
            });
        };
        run.install(|| {
            // Everything is of order one: the mean squared distance is the unit.
            let unit = edges.squared.iter().sum::<f64>() / edges.squared.len() as f64;
            let scaled = edges.scaled(unit);
            let limits = Limits { gap: goal.gap, max_iter: goal.rounds };
            let mut span = Span::new(program, &edges)?;
            let rank = self.rank.clamp(1, span.dimensions(edges.n).max(1));
            let mut points = match start {
                Some(from) if !from.factors.is_empty() => program.space.points(&from.factors) / unit.sqrt(),
                _ => start::unrolled(&scaled, rank, run.seed())?,
            };
            if let Span::Within(span) = &span {
                points = span.project(&points);
            }
            let judge = Judge { program, unit };
            let clock = run.clock();
            let end = match form {
                Stretch::Penalised(w) => {
                    penalised::descend(&scaled, w * unit, points, &mut span, limits, &judge, &clock)?
                }
                _ => Iteration::new(&scaled, form, points, &mut span, limits, judge)?.run(&clock)?,
            };
            let candidate = candidate(program, end.points * unit.sqrt(), end.multipliers);
            let certificate = program.certify(&candidate)?;
            let stop = match end.stop {
                // Measured once more in the units of the data: a gap that rounding pushed over the limit is said.
                Stop::Converged if !certificate.is_within(2.0 * goal.gap) => Stop::Stalled,
                other => other,
            };
            let (iterations, engine) = (end.iterations, self.name());
            Ok(Solved { candidate, certificate, stop, iterations, rounds: Vec::new(), engine })
        })
    }
}

/// The program, which alone says what multipliers prove.
struct Judge<'a> {
    program: &'a GramProgram,
    unit: f64,
}

impl Judge<'_> {
    /// What no points pass, in the units of the iteration.
    fn bound(&self, multipliers: &[f64]) -> f64 {
        self.program.own(self.program.bounded_roughly(multipliers)) / self.unit
    }
    /// How far a value is from a bound, relative to the larger of the two.
    fn gap(value: f64, bound: f64) -> f64 {
        let gap = (bound - value).abs() / bound.abs().max(value.abs()).max(f64::MIN_POSITIVE);
        if gap.is_finite() { gap } else { f64::INFINITY }
    }
}

pub(super) fn failed(_: Singular) -> Error {
    Error::Numerical { what: "the sparse factorisation of the neighbour graph".into() }
}

/// Where a solver of one form ended, in its own units.
#[derive(Debug)]
struct End {
    points: Array2<f64>,
    multipliers: Vec<f64>,
    stop: Stop,
    iterations: usize,
}

fn means(points: &[f64], n: usize, r: usize) -> Vec<f64> {
    let mut means = vec![0.0; r];
    points.chunks_exact(r).for_each(|p| means.iter_mut().zip(p).for_each(|(m, v)| *m += v));
    means.iter_mut().for_each(|m| *m /= n as f64);
    means
}

fn centre(points: &mut [f64], n: usize, r: usize) {
    let means = means(points, n, r);
    points.chunks_exact_mut(r).for_each(|p| p.iter_mut().zip(&means).for_each(|(v, m)| *v -= m));
}

/// `tr(H Y Yᵗ)`.
fn centred_square(points: &[f64], n: usize, r: usize) -> f64 {
    let means = means(points, n, r);
    points.chunks_exact(r).map(|p| p.iter().zip(&means).map(|(v, m)| (v - m) * (v - m)).sum::<f64>()).sum()
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests;
