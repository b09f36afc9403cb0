//! Which engine a convex program is given to.

use crate::error::Error;
use crate::program::{Candidate, GramProgram};
use crate::solve::solver::{Goal, Solved, Solver};
use crate::solve::{GramIpm, LowRank, Run, Stop};

/// An engine by name, or the choice left to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// By size, rank and rows.
    #[default]
    Auto,
    /// The augmented Lagrangian in a factor of few columns: every program, any size.
    LowRank,
    /// The interior-point method over the entries of the Gram matrix: few objects, any number of rows.
    GramIpm,
}

impl Engine {
    /// Solves the program with this engine.
    pub fn solve(
        self,
        program: &GramProgram,
        start: Option<&Candidate>,
        goal: &Goal,
        run: &Run<'_>,
    ) -> Result<Solved, Error> {
        let (small, any) = (GramIpm::new(), LowRank::new());
        match self {
            Engine::GramIpm => small.solve(program, start, goal, run),
            Engine::LowRank => any.solve(program, start, goal, run),
            // Balls have n² rows of which few matter, and answers of low rank: rows are better generated there.
            Engine::Auto
                if program.objects() <= GramIpm::FIRST_CHOICE && program.balls.is_none() && small.takes(program) =>
            {
                either(&small, &any, program, start, goal, run)
            }
            Engine::Auto => either(&any, &small, program, start, goal, run),
        }
    }
}

/// The first engine, and where it gets stuck before the goal the second, if that takes such a program; the smaller gap wins.
fn either(
    first: &dyn Solver,
    second: &dyn Solver,
    program: &GramProgram,
    start: Option<&Candidate>,
    goal: &Goal,
    run: &Run<'_>,
) -> Result<Solved, Error> {
    let solved = first.solve(program, start, goal, run)?;
    let stuck = matches!(solved.stop, Stop::Stalled | Stop::IterationLimit) && solved.certificate.gap > goal.gap;
    if !stuck || !second.takes(program) {
        return Ok(solved);
    }
    let other = second.solve(program, start, goal, run)?;
    Ok(if other.certificate.gap < solved.certificate.gap { other } else { solved })
}
