//! Which engine a convex program is given to.

use crate::error::Error;
use crate::program::{Candidate, GramProgram};
use crate::solve::solver::{Goal, Solved, Solver};
use crate::solve::{LowRank, Run};

/// An engine by name, or the choice left to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// By size, rank and rows.
    #[default]
    Auto,
    /// The augmented Lagrangian in a factor of few columns: every program, any size.
    LowRank,
}

impl Engine {
    /// The names, as on the command line.
    pub const NAMES: &'static [(&'static str, Engine)] = &[("auto", Engine::Auto), ("low-rank", Engine::LowRank)];

    /// Solves the program with this engine.
    pub fn solve(
        self,
        program: &GramProgram,
        start: Option<&Candidate>,
        goal: &Goal,
        run: &Run<'_>,
    ) -> Result<Solved, Error> {
        LowRank::new().solve(program, start, goal, run)
    }
}
