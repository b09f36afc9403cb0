//! What every engine of the convex programs has in common: a goal, and an answer that the program judges.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::program::{Candidate, Certificate, GramProgram, Program};
use crate::solve::{Run, Stop};

/// When an engine may end.
#[derive(Debug, Clone, Copy)]
pub struct Goal {
    /// The certified gap that is wanted.
    pub gap: f64,
    /// The largest number of rounds.
    pub rounds: usize,
}

impl Default for Goal {
    fn default() -> Self {
        Goal { gap: 1e-5, rounds: 400 }
    }
}

/// What an engine gives back; it may be far from the best, and the certificate says how far.
#[derive(Debug, Clone)]
pub struct Solved<C = Candidate> {
    /// The best points and the best multipliers that were met, not necessarily at the same time.
    pub candidate: C,
    /// What the program says about them.
    pub certificate: Certificate,
    /// Why it ended.
    pub stop: Stop,
    /// Steps of the innermost iteration.
    pub iterations: usize,
    /// Round by round, what was broken and what was in play.
    pub rounds: Vec<Round>,
    /// Which engine it was.
    pub engine: &'static str,
}

/// One round of row generation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Rows in play during the round.
    pub rows: usize,
    /// Rows of the whole program that were broken at its end.
    pub violated: usize,
    /// By how much the worst of them was broken.
    pub worst: f64,
}

/// An engine for the convex programs. It may stop early, by a limit or because it is stuck; it may not judge itself.
pub(crate) trait Solver<P: Program = GramProgram>: Sync {
    /// Its name, as on the command line.
    fn name(&self) -> &'static str;
    /// Whether it can work on this program.
    fn takes(&self, program: &P) -> bool;
    /// Works towards the goal, from a start where one is given.
    fn solve(
        &self,
        program: &P,
        start: Option<&P::Candidate>,
        goal: &Goal,
        run: &Run<'_>,
    ) -> Result<Solved<P::Candidate>, Error>;
}
