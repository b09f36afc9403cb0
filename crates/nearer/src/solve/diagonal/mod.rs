//! For programs of weights: an interior-point method with all rows at once, or with those that matter.
//!
//! A step with all rows costs `O(q²)` for each pair of objects and `O(q)` for each comparison
//! ([`PairRows`]), however many of them there are: that is the rule. Where there are too many pairs for it, rows
//! are taken in as they begin to matter; if that gets stuck, all of them are taken after all.

mod generated;
mod scaled;
mod search;

use std::time::Duration;

use nearer_num::orthant::PairRows;

use crate::error::Error;
use crate::program::{DiagonalProgram, Weights};
use crate::solve::solver::{Goal, Solved, Solver};
use crate::solve::{Run, Stop};
use scaled::Scaled;
use search::Search;

/// The interior-point method over weights.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Diagonal {
    generate: Option<bool>,
}

impl Diagonal {
    /// Rows are generated where a step with all of them would take too long.
    #[must_use]
    pub(crate) fn new() -> Self {
        Diagonal::default()
    }
    /// How much memory it takes for `n` objects and `q` weights, in bytes, comparisons not counted.
    #[must_use]
    pub(crate) fn memory(n: u64, q: u64) -> u64 {
        // Features three times, squares of a few thousand pairs or rows and their scaled copy, the matrix of a step, distances.
        8 * (3 * n * q + 3 * q * q + 4096 * q) + 12 * n * n
    }
}

impl Solver<DiagonalProgram> for Diagonal {
    fn name(&self) -> &'static str {
        "weights"
    }
    fn takes(&self, _: &DiagonalProgram) -> bool {
        true
    }
    fn solve(
        &self,
        program: &DiagonalProgram,
        _: Option<&Weights>,
        goal: &Goal,
        run: &Run<'_>,
    ) -> Result<Solved<Weights>, Error> {
        let (n, q) = (program.objects() as u64, program.columns() as u64);
        run.afford("the program of weights", Self::memory(n, q), "use fewer objects or fewer kernels")?;
        run.install(|| {
            let scaled = Scaled::new(program);
            let clock = run.clock();
            // When the steps are over there are the proof and the axes of the solution.
            let least = n.min(q) as f64;
            let after = Duration::from_secs_f64(AFTER * n as f64 * q as f64 * least);
            let clock = clock.left().map_or(clock, |left| clock.sparing(after.min(left.mul_f64(KEPT))));
            // Fewer rows than weights: the system of a step is best written in the rows.
            if self.generate.is_none() && scaled.bound.is_none() && scaled.high.len() <= scaled.columns.len() {
                return Search::written(&scaled, goal, false).go(&clock);
            }
            let all = || {
                let listed = (!scaled.all).then_some(&program.pairs[..]);
                PairRows::new(&scaled.squares, listed, (&scaled.near, &scaled.far), scaled.bound.is_some())
            };
            let rows = all();
            let work = rows.work();
            if !self.generate.unwrap_or(work > ALL_AT_ONCE) {
                return Search::all(&scaled, goal, rows).go(&clock);
            }
            drop(rows);
            let some = Search::written(&scaled, goal, true).go(&clock)?;
            let stuck = matches!(some.stop, Stop::Stalled | Stop::IterationLimit);
            if !stuck || work > AFTER_ALL {
                return Ok(some);
            }
            let mut whole = Search::all(&scaled, goal, all()).go(&clock)?;
            whole.iterations += some.iterations;
            Ok(if whole.certificate.gap() <= some.certificate.gap() { whole } else { some })
        })
    }
}

/// What comes after the steps takes about so many seconds for objects by weights by the lesser of the two (1.8 at 1,500 of each), and no
/// more than this share of a limit is kept for it.
const AFTER: f64 = 5.5e-10;
const KEPT: f64 = 0.3;
/// So many operations a step are soon done: all rows are taken.
const ALL_AT_ONCE: f64 = 4e10;
/// Up to so many, minutes a step, they are taken where nothing else has helped.
const AFTER_ALL: f64 = 1e12;

#[cfg(test)]
impl Diagonal {
    /// Whether rows are taken in as they begin to matter (`true`), or all at once.
    #[must_use]
    pub(crate) fn generate(mut self, generate: bool) -> Self {
        self.generate = Some(generate);
        self
    }
}
