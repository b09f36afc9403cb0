//! The workhorse: an augmented Lagrangian in a factor of few columns, `G = Y Yᵗ`, minimised by quasi-Newton steps.
//!
//! Outer rounds update the multipliers, add rows that are broken, drop columns that carry nothing and add the directions in
//! which the dual matrix is negative. The last is also the way out of points that are stationary but not best: a certificate
//! cannot be had there. Burer and Monteiro (2003); the rules are those of measurements on many instances.

mod active_rows;
mod descent;
mod lift;
mod rank;
mod rounds;
mod start;

use crate::error::Error;
use crate::program::{Candidate, GramProgram};
use crate::solve::solver::{Goal, Solved, Solver};
use crate::solve::{Run, Stop};
use rounds::Rounds;

/// The low-rank augmented Lagrangian, with as many dimensions as the program wants.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LowRank;

impl LowRank {
    /// Down from an answer in exactly the dimensions it has: not convex any more, so nothing is proved, only a better map made.
    /// Says why it ended.
    pub(crate) fn refined(
        program: &GramProgram,
        from: &Candidate,
        rounds: usize,
        run: &Run<'_>,
    ) -> Result<(Candidate, Stop), Error> {
        let goal = Goal { gap: 0.0, rounds };
        let mut search = Rounds::begin(program, Some(from), &goal, true, run)?;
        let stop = search.go()?;
        Ok((search.best.into_candidate(), stop))
    }
}

impl Solver for LowRank {
    fn name(&self) -> &'static str {
        "low-rank"
    }
    fn takes(&self, _: &GramProgram) -> bool {
        true
    }
    fn solve(
        &self,
        program: &GramProgram,
        start: Option<&Candidate>,
        goal: &Goal,
        run: &Run<'_>,
    ) -> Result<Solved, Error> {
        let mut search = Rounds::begin(program, start, goal, false, run)?;
        let stop = search.go()?;
        search.finish(stop)
    }
}
